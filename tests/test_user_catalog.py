"""What a user relies on with their own catalog: their values decide and are told with source and date, mistakes have a
line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import yaml

from assistant import library
from assistant.library import load
from assistant.understanding import Listener
from assistant.vocabulary.catalog import Fact
from tests.program import weft

JOB = str(Path(__file__).parents[1] / "knowledge" / "examples" / "llama-70b-pretraining.yaml")
PRICE = "gpus:\n  h100-sxm:\n    hour_price: {value: %s, unit: USD/GPU-h, source: offer 4711, date: 2026-11-02}\n"
LATENCY = "fabrics:\n  roce-v2-400:\n    latency: {value: 4200, unit: ns, source: our own hall, date: 2026-10-14}\n"


def planned(*options: str) -> dict:
    seen = weft("plan", JOB, "--format", "json", *options)
    assert seen.code == 0, seen.err
    return json.loads(seen.out)


def catalog(folder: Path, text: str, name: str = "mine.yaml") -> str:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return str(file)


def assumed(plan: dict) -> dict[str, dict]:
    return {line["field"]: line for line in plan["assumptions"]}


def costs(plan: dict) -> dict[str, float]:
    return {one["fabric"]: one["cost_usd"]["p50"] for one in plan["candidates"] if one["cost_usd"]}


def latency_of(fabric: str) -> Fact:
    return load().catalog.fabrics[fabric].latency


def test_a_price_of_the_user_is_told_with_its_source_and_date_beside_ours(tmp_path):
    found = assumed(planned("--catalog", catalog(tmp_path, PRICE % 1.5)))
    assert found["budget.gpu_hour_usd"]["value"] == 1.5
    told = found["catalog.gpus.h100-sxm.hour_price"]
    assert told["value"] == "1.5 USD/GPU-h"
    assert "1.5 USD/GPU-h (offer 4711, 2026-11-02)" in told["why"] and "instead of" in told["why"]


def test_a_fabric_fact_of_the_user_is_told_with_its_source_and_date_beside_ours(tmp_path):
    shipped = latency_of("roce-v2-400")
    told = assumed(planned("--catalog", catalog(tmp_path, LATENCY)))["catalog.fabrics.roce-v2-400.latency"]
    assert "4200 ns (our own hall, 2026-10-14)" in told["why"]
    assert f"instead of {shipped.value:g} {shipped.unit} ({shipped.source}, {shipped.date})" in told["why"]


def test_a_price_of_the_user_is_what_the_run_is_costed_with(tmp_path):
    cheap, dear = (
        costs(planned("--catalog", catalog(tmp_path, PRICE % price, f"{price}.yaml"))) for price in ("1", "9")
    )
    shared = cheap.keys() & dear.keys()
    assert shared and all(dear[fabric] > 4 * cheap[fabric] for fabric in shared if fabric.startswith("ethernet"))


def test_a_fact_of_another_gpu_is_not_told(tmp_path):
    text = PRICE.replace("h100-sxm", "b200") % 1.5
    assert not [
        field for field in assumed(planned("--catalog", catalog(tmp_path, text))) if field.startswith("catalog.")
    ]


def test_a_catalog_in_the_data_folder_is_used_without_the_option(tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    (tmp_path / "catalog.yaml").write_text(PRICE % 1.25, encoding="utf-8")
    assert assumed(planned())["budget.gpu_hour_usd"]["value"] == 1.25


def test_without_a_catalog_of_the_user_nothing_of_it_is_told(tmp_path):
    assert not [field for field in assumed(planned()) if field.startswith("catalog.")]
    empty = catalog(tmp_path, "# nothing yet\n")
    assert not [field for field in assumed(planned("--catalog", empty)) if field.startswith("catalog.")]


FIELDS = (
    "fabrics:\n  roce-v2-400:\n    latency:\n      value: %s\n      unit: %s\n      source: x\n      date: 2026-01-01\n"
)
MISTAKES = {
    "no source": (
        "gpus:\n  h100-sxm:\n    hour_price: {value: 2, unit: USD/GPU-h, date: 2026-11-02}\n",
        "3 gpus.h100-sxm.hour_price.source: is needed and was not given",
    ),
    "a bare number": (
        "gpus:\n  h100-sxm:\n    hour_price: 2.1\n",
        "3 gpus.h100-sxm.hour_price: expected {value: 2.1, unit: …, source: …, date: …}, got 2.1",
    ),
    "a misspelt field": (
        "gpus:\n  h100-sxm:\n    hour_prise: {value: 2, unit: USD, source: x, date: 2026-11-02}\n",
        "3 gpus.h100-sxm.hour_prise: unknown key; did you mean hour_price?",
    ),
    "a misspelt field inside": (
        "gpus:\n  h100-sxm:\n    calibration:\n      gemm_eficiency: 1\n",
        "4 gpus.h100-sxm.calibration.gemm_eficiency: unknown key; did you mean gemm_efficiency?",
    ),
    "a misspelt part": ("fabric:\n  x: {}\n", "1 fabric: unknown key; did you mean fabrics?"),
    "a unit of another kind": (
        FIELDS % ("3", "Gb/s"),
        '5 fabrics.roce-v2-400.latency.unit: expected s or ms or us or ns or h, got "Gb/s"',
    ),
    "an unknown unit": (
        "constants:\n  x: {value: 1, unit: furlong, source: x, date: 2026-01-01}\n",
        "2 constants.x.unit: unknown unit 'furlong'",
    ),
    "words for a number": (
        FIELDS % ("fast", "us"),
        '4 fabrics.roce-v2-400.latency.value: expected a number, got "fast"',
    ),
    "a speed of nothing": (
        "fabrics:\n  roce-v2-400:\n    line_rate: {value: 0, unit: Gb/s, source: x, date: 2026-01-01}\n",
        "3 fabrics.roce-v2-400.line_rate.value: expected a number above 0, got 0",
    ),
    "a negative price": (PRICE % -1, "3 gpus.h100-sxm.hour_price.value: expected a number of at least 0, got -1"),
    "true for a price": (PRICE % "true", "3 gpus.h100-sxm.hour_price.value: expected a number, got True"),
    "yes for a number of GPUs": (
        "gpus:\n  h100-sxm: {gpus_per_node: yes}\n",
        "2 gpus.h100-sxm.gpus_per_node: expected a number, got True",
    ),
    "a price in two documents": (
        PRICE % 2 + "---\n" + PRICE % 3,
        "7 gpus.h100-sxm.hour_price: the key stands twice, first on line 3",
    ),
    "efficiencies from each other": (
        "gpus:\n  h100-sxm:\n    calibration: {relative: b200}\n  b200:\n    calibration: {relative: h100-sxm}\n",
        "3 gpus.h100-sxm.calibration.relative: expected a GPU that is not itself taken over from h100-sxm, got",
    ),
    "no day": (
        "gpus:\n  h100-sxm:\n    hour_price: {value: 2, unit: USD/GPU-h, source: x, date: lately}\n",
        '3 gpus.h100-sxm.hour_price.date: expected a day such as 2026-11-02, got "lately"',
    ),
    "an id that is nowhere": (
        "gpus:\n  h100-sxm: {scale_up: nvlink-44}\n",
        '2 gpus.h100-sxm.scale_up: expected a known id, got "nvlink-44"; did you mean nvlink-4?',
    ),
    "an offer of an unknown GPU": (
        "providers:\n  aws:\n    offers:\n      - {name: p9, gpu: h1000, gpus_per_node: 8, "
        "fabrics: [aws-efa-v3], source: x, date: 2026-01-01}\n",
        '4 providers.aws.offers.0.gpu: expected a known id, got "h1000"',
    ),
    "a new GPU without the rest": (
        "gpus:\n  my-gpu:\n    name: Mine\n",
        "2 gpus.my-gpu.vendor: is needed and was not given",
    ),
    "a list": (
        "- 3\n",
        "1: expected gpus, models, fabrics, scale_up, providers, devices, quote_items, constants as keys, got [3]",
    ),
    "entries as text": ("gpus: all\n", '1 gpus: expected ids with what changes, got "all"'),
    "an entry as text": ("gpus:\n  h100-sxm: cheap\n", '2 gpus.h100-sxm: expected the fields that change, got "cheap"'),
    "a key twice": (
        "gpus:\n  h100-sxm: {}\n  h100-sxm: {}\n",
        "3 gpus.h100-sxm: the key stands twice, first on line 2",
    ),
    "no YAML": ("gpus: [1\n", "not valid YAML"),
    "a tag that would run code": ("gpus: !!python/object/apply:os.system [ls]\n", "1 gpus:"),
}


@pytest.mark.parametrize("text, sentence", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_sentence_with_file_line_and_key(tmp_path, text, sentence):
    file = catalog(tmp_path, text)
    seen = weft("plan", JOB, "--catalog", file)
    assert seen.code == 2 and seen.out == ""
    assert seen.err.startswith(f"weft: {file}:") and len(seen.err.splitlines()) == 1
    assert sentence in seen.err


def test_a_catalog_that_is_not_there_is_one_sentence(tmp_path):
    seen = weft("plan", JOB, "--catalog", str(tmp_path / "none.yaml"))
    assert seen.code == 2 and seen.err == f"weft: {tmp_path / 'none.yaml'}: no such file\n"


def test_terminal_escapes_of_a_catalog_are_shown_and_not_obeyed(tmp_path):
    text = PRICE.replace("offer 4711", '"\\e[31mred\\e[0m"') % 2
    seen = weft("plan", JOB, "--catalog", catalog(tmp_path, text))
    assert seen.code == 0 and "red" in seen.out and "\x1b" not in seen.out + seen.err


def test_the_doctor_says_what_is_wrong_with_the_catalog(tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    (tmp_path / "catalog.yaml").write_text("gpus: all\n", encoding="utf-8")
    seen = weft("doctor")
    assert seen.code == 1 and f"your catalog cannot be used: {tmp_path / 'catalog.yaml'}:1 gpus" in seen.out


def test_what_a_catalog_adds_is_understood_in_the_conversation_at_once(tmp_path):
    """A GPU, a fabric and a provider of one's own are heard by their names, with no further word about them."""
    shipped = library.load().catalog
    own = {
        "gpus": {"x9000": _renamed(shipped.gpus["h100-sxm"], "Acme X9000")},
        "fabrics": {"acme-mesh-400": _renamed(shipped.fabrics["roce-v2-400"], "Acme Mesh", ["acmemesh"])},
        "providers": {"acme-cloud": _renamed(shipped.providers["lambda"], "Acme Cloud")},
    }
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(own), encoding="utf-8")
    mine = library.load(user_catalog=file)
    heard = Listener.of(mine.language, mine.catalog).hear("8 nodes of 8x X9000 at Acme Cloud, connected with Acme Mesh")
    assert heard.fields == {
        "cluster.gpu": "x9000",
        "cluster.gpus": 64,
        "cluster.gpus_per_node": 8,
        "cluster.provider": "acme-cloud",
        "cluster.fabric": "acme-mesh-400",
    }


def _renamed(entry, name, aliases=()):
    """An entry of the catalog as a file holds it, under another name."""
    return entry.model_dump(mode="json", exclude={"id"}, exclude_none=True) | {"name": name, "aliases": list(aliases)}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (os.mkfifo, "expected a file, got a device or a pipe"),
        (os.mkdir, "expected a file, got a folder"),
        (lambda path: os.symlink("/nonexistent", path), "no such file"),
    ],
    ids=["a pipe", "a folder", "a link that leads nowhere"],
)
def test_what_stands_in_the_place_of_the_own_catalog_and_is_none_is_refused(make, said, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    make(tmp_path / "catalog.yaml")
    refused = weft("plan", "knowledge/examples/llama-70b-pretraining.yaml")
    assert refused.code == 2 and said in refused.err and "catalog.yaml" in refused.err


def test_the_doctor_does_not_call_a_catalog_fine_that_cannot_be_used(tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    (tmp_path / "catalog.yaml").mkdir()
    told = [line for line in weft("doctor").out.splitlines() if "your catalog" in line]
    assert len(told) == 1 and "cannot be used" in told[0]
