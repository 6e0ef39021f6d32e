"""The report as one sends it: two pages to decide by, then the proof; in words and pictures, on paper, on a phone."""

from __future__ import annotations

import base64
import datetime
import io
import itertools
import re
from pathlib import Path

import pypdf
import pytest
from bs4 import BeautifulSoup

from assistant.library import Library, load
from assistant.library.questionnaires import read_one
from assistant.planning import plan
from assistant.present import plots
from assistant.present.blocks import Chart, Heading
from assistant.present.chart_svg import BandRow, bands_svg, is_logarithmic
from assistant.present.plan import job, names
from assistant.present.plan.changes import changes
from assistant.present.plan.document import PROOF, document
from assistant.present.plan.formats import plan_html, plan_markdown
from assistant.vocabulary.plan import Plan
from tests.browser import CHROMIUM, browser
from tests.web_server import over_the_network

EXAMPLES = Path(__file__).parents[1] / "knowledge" / "examples"
TODAY = datetime.date(2026, 11, 20)
REPORTED = ("llama-70b-pretraining", "buy-256-gpus", "rlhf-70b", "disaggregated-serving", "three-quotes", "single-node")
IDS = re.compile(r"infiniband-ndr-400|ethernet-tcp|roce-v2|h100-sxm|llama-3\.1-70b|spheron-multinode|voltage-park")
RULES = re.compile(r"\((?:demand|choose|classify|screen|advise)/")


@pytest.fixture(scope="module")
def library() -> Library:
    return load()


@pytest.fixture(scope="module")
def plans(library: Library) -> dict[str, Plan]:
    made = lambda name: plan(read_one(EXAMPLES / f"{name}.yaml", library.catalog), library, index=None, today=TODAY)
    return {name: made(name) for name in REPORTED}


@pytest.mark.parametrize("name", REPORTED)
def test_a_report_begins_with_the_job_the_day_the_card_and_the_cost(plans: dict[str, Plan], name: str) -> None:
    soup = BeautifulSoup(plan_html(plans[name]), "html.parser")
    assert soup.h1.text == job.title(plans[name])
    assert (
        "As of 20 November 2026." in soup.p.text and f"{plans[name].questionnaire['cluster']['gpus']:,}" in soup.p.text
    )
    card = soup.find(class_="card")
    assert all(line in card.text for _, line in plans[name].recommendation.card if line)
    titles = [heading.text for heading in soup.find_all("h2")]
    assert titles[0].startswith("What ") and titles[0].endswith(" costs")
    assert titles.index("What moves the sum") < titles.index(PROOF) < titles.index("Candidates")


@pytest.mark.parametrize("name", REPORTED)
def test_neither_rules_nor_ids_stand_in_front_of_who_decides(plans: dict[str, Plan], name: str) -> None:
    text = BeautifulSoup(plan_html(plans[name]), "html.parser").get_text(" ")
    first = text.split(PROOF)[0]
    assert not RULES.search(text) and not IDS.search(first) and "; wrong)" not in text
    assert [line for line in plan_markdown(plans[name]).splitlines() if RULES.search(line)] == []


def test_what_is_new_beside_another_plan_is_told_by_names_and_a_label_stays_as_it_is_written(
    plans: dict[str, Plan],
) -> None:
    made = plans["llama-70b-pretraining"]
    told = changes(made, plans["three-quotes"])
    assert told[0] == "The recommendation is now RoCE 400; it was InfiniBand NDR."
    assert not IDS.search(" ".join(told))
    named = lambda name: job.title(made.model_copy(update={"questionnaire": made.questionnaire | {"name": name}}))
    assert (named("ft-month"), named("our first run")) == ("ft-month", "Our first run")


def test_ids_become_names_but_not_within_words_nor_where_they_are_typed(plans: dict[str, Plan]) -> None:
    name = names.namer(plans["llama-70b-pretraining"])
    assert name("infiniband-ndr-400 carries it.") == "InfiniBand NDR carries it."
    assert name("64 h100-sxm (voltage-park)") == "64 NVIDIA H100 SXM5 80 GB (Voltage Park)"
    kept = "weft fabric --fabric infiniband-ndr-400, infiniband-ndr-400x, NCCL_IB"
    assert name(kept) == kept


@pytest.mark.parametrize("name", REPORTED)
def test_every_picture_says_in_words_what_it_draws(plans: dict[str, Plan], name: str) -> None:
    charts = [block for block in document(plans[name]) if isinstance(block, Chart) and "chart" in block.svg]
    assert charts
    for chart in charts:
        svg = BeautifulSoup(chart.svg, "html.parser").svg
        told, names_of_it = svg.find("desc").text, [one["id"] for one in (svg.title, svg.find("desc"))]
        assert svg["role"] == "img" and svg["aria-labelledby"].split() == names_of_it
        assert all(sentence in told for sentence in chart.told)
        assert len(svg.find_all("text")) >= 3


def test_markdown_has_the_sections_of_the_page_and_the_pictures_in_signs(plans: dict[str, Plan]) -> None:
    made = plans["llama-70b-pretraining"]
    text, headings = plan_markdown(made), [b.text for b in document(made) if isinstance(b, Heading)]
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == headings
    front = text.split(f"## {PROOF}")[0]
    assert "├" in front and "█" in front and front.count("```text") == 3


def test_what_moves_the_sum_is_drawn_alone_and_lies_within_what_all_of_it_moves(plans: dict[str, Plan]) -> None:
    for name, made in plans.items():
        cost = made.candidates[0].cost_usd
        assert made.movers, name
        for one in made.movers:
            assert one.low_usd < cost.p50 < one.high_usd
            assert one.high_usd - one.low_usd <= 1.02 * (cost.p90 - cost.p10), (name, one)
        wide = [one.high_usd - one.low_usd for one in made.movers]
        assert wide == sorted(wide, reverse=True)
    moved = {name: {one.what for one in made.movers} for name, made in plans.items()}
    assert {"price", "step"} <= moved["llama-70b-pretraining"] and "purchase-price" in moved["buy-256-gpus"]
    assert moved["disaggregated-serving"] == {"price"}, "machines that answer a load stand ready all month"
    assert "price" not in moved["three-quotes"], "a quote is what is paid"


def test_no_line_of_a_chart_passes_through_what_is_written_over_a_bar() -> None:
    rows = [BandRow(f"network {n}", (1.0 * n, 2.0 * n, 3.0 * n), f"${n}") for n in range(1, 7)]
    svg = BeautifulSoup(bands_svg("t", [], rows, marks=[(18.0, "budget $18")]), "html.parser")
    lines = svg.find_all("line", class_=["grid", "mark"])
    assert {line["class"][0] for line in lines} == {"grid", "mark"}
    baselines = [float(text["y"]) for text in svg.find_all("text", class_="figure")]
    for line in lines:
        y, drawn, end = float(line["y1"]), True, float(line["y2"])
        for length in itertools.cycle(map(float, line["stroke-dasharray"].split())):
            if y >= end:
                break
            assert not drawn or not any(y < base + 3 and y + length > base - 10 for base in baselines), (line, y)
            y, drawn = y + length, not drawn


def test_an_axis_begins_at_nothing_unless_the_values_are_too_far_apart() -> None:
    near, far = (BandRow("a", (1.0, 2.0, 3.0), "$2"), BandRow("b", (80.0, 90.0, 100.0), "$90"))
    assert not is_logarithmic([near]) and is_logarithmic([near, far])
    assert ">$0<" in bands_svg("t", [], [near]) and ">$0<" not in bands_svg("t", [], [near, far])


def test_where_nothing_works_the_cheapest_is_drawn_beside_the_budget(library: Library) -> None:
    said = read_one(EXAMPLES / "llama-70b-pretraining.yaml", library.catalog)
    budget = said.budget.model_copy(update={"usd": 5_000.0})
    made = plan(said.model_copy(update={"budget": budget}), library, index=None, today=TODAY)
    soup = BeautifulSoup(plan_html(made), "html.parser")
    assert made.recommendation.verdict == "infeasible" and "doubt" in soup.find(class_="lead")["class"]
    assert "budget $5,000" in soup.find("svg").text
    assert plots.told_apart(made)[0][1] == "cheapest" and "✓" not in soup.find("svg").text


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed here (Debian: apt-get install chromium)")
@over_the_network
async def test_it_prints_the_proof_on_a_page_of_its_own_and_reads_on_a_phone(
    plans: dict[str, Plan], tmp_path: Path
) -> None:
    async with browser() as chromium:
        page = await chromium.page()
        for name in ("llama-70b-pretraining", "buy-256-gpus", "three-quotes"):
            made = plans[name]
            (tmp_path / f"{name}.html").write_text(plan_html(made), encoding="utf-8")
            await page.open(f"file://{tmp_path / name}.html", 390, 844)
            await page.until(PROOF, page=True)
            wider = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wider == 0, f"{name} is {wider} pixels wider than a phone"
            for paper, width, height in (("A4", 8.27, 11.69), ("Letter", 8.5, 11.0)):
                said = await page.call("Page.printToPDF", paperWidth=width, paperHeight=height, preferCSSPageSize=True)
                pages = pypdf.PdfReader(io.BytesIO(base64.b64decode(said["data"]))).pages
                assert pages[2].extract_text().lstrip().startswith(PROOF), f"{name} on {paper}"
        assert page.complaints == []
