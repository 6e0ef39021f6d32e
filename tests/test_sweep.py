"""A sweep: the same answers as a plan at every point, the size at which InfiniBand begins to pay, table, plot, CSV and
SVG."""

from __future__ import annotations

import csv
import io
import json
import pathlib
import re
import shlex
import xml.etree.ElementTree

import pytest

from assistant.library.questionnaires import from_value
from assistant.planning import plan
from assistant.present.sweep import sentences, sweep_lines
from assistant.present.sweep_csv import sweep_csv
from assistant.present.sweep_series import apart, panels
from assistant.present.sweep_svg import sweep_svg
from assistant.sweeps import axes_of, sweep
from assistant.sweeps.turns import turns_of
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Band
from assistant.vocabulary.sweep import Axis, Point, Sweep, SweptFabric

from .program import weft

JOB = {
    "name": "70B",
    "workload": "pretraining",
    "model": "llama-3.1-70b",
    "cluster": {"gpu": "h100-sxm", "gpus": 64},
    "training": {"sequence_length": 8192, "global_batch": 512, "tokens": 100e9, "framework": "megatron"},
}


def _swept(library, *varied, job=JOB):
    return sweep(from_value(job, library.catalog), axes_of(varied, list(library.catalog.fabrics)), library)


def _with(path, value, job=JOB):
    changed = json.loads(json.dumps(job))
    section, _, name = path.partition(".")
    if name:
        changed.setdefault(section, {})[name] = value
    else:
        changed[section] = value
    return changed


@pytest.mark.parametrize(
    "path, values",
    [
        ("cluster.gpus", "16,64,256"),
        ("training.global_batch", "128,2048"),
        ("budget.gpu_hour_usd", "1.5,6"),
        ("model", "llama-3.1-8b,mixtral-8x7b"),
        ("cluster.fabric", "ethernet-tcp-100,infiniband-ndr-400"),
        ("constraints.network_team", "none,expert"),
    ],
)
def test_every_point_says_what_a_plan_of_that_questionnaire_says(library, path, values):
    for point in _swept(library, f"{path}={values}").points:
        there = plan(from_value(_with(path, point.values[path]), library.catalog), library, index=None)
        assert (point.fabric or "none", point.verdict) == (there.recommendation.fabric, there.recommendation.verdict)
        assert there.recommendation.headline in point.says
        figures = {
            one.fabric: (one.step_time_s, one.slowdown_percent, one.cost_usd, one.verdict) for one in point.fabrics
        }
        assert figures == {
            c.fabric: (c.step_time_s, c.slowdown_percent, c.cost_usd, c.verdict) for c in there.candidates
        }


def test_a_field_nobody_gave_can_be_varied_and_the_others_stay_as_they_were(library):
    made = _swept(library, "parallelism.tp=1,8")
    assert [point.values for point in made.points] == [{"parallelism.tp": 1}, {"parallelism.tp": 8}]
    assert made.points[0].fabrics[0].step_time_s != made.points[1].fabrics[0].step_time_s


@pytest.mark.parametrize(
    "written, values",
    [
        ("8..100", [8, 16, 32, 64]),
        ("8..64:8", [8, 16, 24, 32, 40, 48, 56, 64]),
        ("0..1:0.25", [0, 0.25, 0.5, 0.75, 1]),
        ("1k..4k", [1000, 2000, 4000]),
        ("0.1..0.3:0.1", [0.1, 0.2, 0.3]),
        ("8", [8]),
        ("70e9,null", [70_000_000_000, None]),
        ("true,false", [True, False]),
        ("a, b", ["a", "b"]),
    ],
)
def test_values_are_written_as_doublings_steps_and_lists(written, values):
    assert axes_of([f"training.tokens={written}"], [])[0].values == values


def test_all_fabrics_stand_for_each_in_turn():
    assert axes_of(["cluster.fabric=all"], ["x", "y"])[0].values == ["x", "y"]


def test_a_grid_runs_over_every_combination_the_last_field_fastest(library):
    made = _swept(library, "cluster.gpus=64,128", "training.global_batch=256,512,1024")
    assert [tuple(point.values.values()) for point in made.points] == [
        (64, 256),
        (64, 512),
        (64, 1024),
        (128, 256),
        (128, 512),
        (128, 1024),
    ]
    assert len(made.turns) == 3 * 3, "three questions for each batch size"


def test_a_point_that_cannot_be_says_why_and_the_others_are_answered(library):
    made = _swept(library, "cluster.gpus=8,60,64", job=_with("cluster.gpus_per_node", 8))
    small, odd, usual = made.points
    assert small.verdict == "infeasible" and "per GPU" in small.says
    assert odd.fabric is None and "whole nodes" in odd.error and not odd.fabrics
    assert usual.fabric is not None and usual.error is None
    text = "\n".join(sweep_lines(made, 120))
    assert text.count("does not fit") == 1 and "each of the" in text  # no row of each network that does not
    assert (
        "GPUs 60: cluster.gpus: expected whole nodes" in " ".join(text.split())
        and "cannot be" in text
        and "none works" in text
    )


def _point(gpus, infiniband, roce, tcp, fabric):
    def one(name, kind, usd):
        band = Band(p10=usd, p50=usd, p90=usd)
        return SweptFabric(
            fabric=name,
            kind=kind,
            verdict="acceptable",
            fits=True,
            cost_usd=band,
            step_time_s=band,
            slowdown_percent=0.0,
        )

    return Point(
        values={"cluster.gpus": gpus},
        fabric=fabric,
        verdict="recommended",
        fabrics=[one("ib", "infiniband", infiniband), one("roce", "ethernet-rdma", roce), one("tcp", "tcp", tcp)],
    )


def _said(points):
    axes = [Axis(path="cluster.gpus", values=[p.values["cluster.gpus"] for p in points], numeric=True)]
    turns = {turn.question: turn for turn in turns_of(axes, points)}
    return [
        (turns[name].first, turns[name].throughout)
        for name in ("chosen", "cheaper-than-ethernet-rdma", "cheaper-than-tcp")
    ]


def test_infiniband_begins_to_pay_at_the_first_size_at_which_it_is_chosen_or_cheaper():
    points = [
        _point(64, 110, 100, 105, "roce"),
        _point(16, 120, 100, 90, "tcp"),
        _point(128, 90, 100, 150, "ib"),
        _point(256, 99.5, 100, 300, "roce"),
    ]
    assert _said(points) == [(128, False), (128, False), (128, True)]


def test_infiniband_never_pays_where_it_costs_more_throughout():
    assert _said([_point(16, 120, 100, 90, "tcp"), _point(32, 120, 100, 90, "tcp")]) == [(None, False)] * 3


def test_the_sentence_names_the_sizes_of_the_sweep(library):
    made = _swept(library, "cluster.gpus=16..1024")
    (said,) = sentences(made)
    by_gpus = {point.values["cluster.gpus"]: point for point in made.points}
    chosen = [gpus for gpus, point in by_gpus.items() if point.chosen and point.chosen.kind == "infiniband"]
    ways = ("chosen from {} GPUs", "chosen at {} GPUs first", "rom {} GPUs on InfiniBand and RDMA over Ethernet")
    assert any(way.format(f"{min(chosen):,}") in said for way in ways) if chosen else "never chosen" in said
    assert "plain TCP" in said and "RDMA over Ethernet" in said


def test_a_fabric_that_is_already_there_is_kept_and_the_sentence_does_not_call_that_a_choice(library):
    made = _swept(
        library, "cluster.gpus=16..64", job=_with("cluster.fabric", "infiniband-ndr-400", _with("cluster.gpus", 64))
    )
    assert all(point.kept and point.fabric == "infiniband-ndr-400" for point in made.points)
    said = sentences(made)[0]
    assert "given as decided" in said and "chosen" not in said
    assert "InfiniBand costs" in said and "; it " not in said  # "it" would be the network that is given


def test_the_plot_is_letters_with_a_legend_and_names_what_a_plan_chooses(library):
    made = _swept(library, "cluster.gpus=16..256")
    lines = sweep_lines(made, 100, "slowdown")
    assert max(map(len, lines)) <= 100
    at = next(n for n, line in enumerate(lines) if line.strip().startswith("plan "))
    legend = " ".join(lines[at + 1 : lines.index("EVERY FABRIC AT EVERY POINT")])
    named = dict(re.findall(r"\b([A-Z]) (.*?)(?=\s[A-Z]\s|\s*$)", legend))
    called = [made.names[point.fabric] for point in made.points]
    assert all(name in named[letter] for letter, name in zip(lines[at].split()[1:], called, strict=True))


def test_fabrics_whose_lines_lie_on_one_another_are_one_line_under_both_names(library):
    def swept(gpus, ratio):
        return Point(values={"cluster.gpus": gpus}, fabric="a", fabrics=[_costing("a", 100.0), _costing("b", ratio)])

    axes = axes_of(["cluster.gpus=8,16"], [])
    for ratio, names in ((100.5, ["Anna, b"]), (105.0, ["Anna", "b"])):
        made = Sweep(name=None, names={"a": "Anna"}, axes=axes, points=[swept(8, ratio), swept(16, 100.0)], turns=[])
        [panel] = panels(made, "cost")
        assert [one.name for one in apart(panel).series] == names
        assert len(panel.series) == 2 and sweep_svg(made).count("<polyline") == 1 + len(names)


def _costing(fabric, usd):
    band = Band(p10=usd, p50=usd, p90=usd)
    return SweptFabric(fabric=fabric, kind="infiniband", verdict="acceptable", fits=True, cost_usd=band)


def test_the_csv_has_every_fabric_at_every_point_and_a_row_for_a_point_that_cannot_be(library):
    made = _swept(library, "cluster.gpus=60,64,128", job=_with("cluster.gpus_per_node", 8))
    rows = list(csv.DictReader(io.StringIO(sweep_csv(made))))
    assert rows[0]["cluster.gpus"] == "60" and "whole nodes" in rows[0]["error"] and rows[0]["fabric"] == ""
    for point in made.points[1:]:
        mine = [row for row in rows if row["cluster.gpus"] == str(point.values["cluster.gpus"])]
        assert [row["fabric"] for row in mine] == [one.fabric for one in point.fabrics]
        assert [row["fabric"] for row in mine if row["chosen"] == "true"] == [point.fabric]
        chosen = next(row for row in mine if row["chosen"] == "true")
        assert float(chosen["cost_p50_usd"]) == point.chosen.cost_usd.p50


def test_the_svg_draws_a_line_for_each_fabric_and_rings_what_a_plan_chooses(library):
    made = sweep(
        from_value({**JOB, "name": "a <b> & c"}, library.catalog), axes_of(["cluster.gpus=16..256"], []), library
    )
    picture = xml.etree.ElementTree.fromstring(sweep_svg(made))
    space = "{http://www.w3.org/2000/svg}"
    words = [text.text for text in picture.iter(f"{space}text")]
    drawn = {one.fabric for point in made.points for one in point.fabrics if one.fits and one.verdict != "impossible"}
    assert (
        all(made.names[one] in " ".join(map(str, words)) for one in drawn)
        and "a <b> & c" in words
        and {"16", "32", "64", "128", "256"} <= set(words)
    )
    rings = [circle for circle in picture.iter(f"{space}circle") if circle.get("r") == "8"]
    assert "GPUs" in words and "cluster.gpus" not in words
    assert len(rings) == len(made.points) + 1, "one for each point and one in the legend"
    dots = [float(circle.get("cy")) for circle in picture.iter(f"{space}circle")]
    assert min(dots) > 0 and max(dots) < float(picture.get("height"))


def test_a_sweep_over_names_and_one_point_alone_are_drawn_too(library):
    for varied in ("model=llama-3.1-8b,llama-3.1-70b", "cluster.gpus=64"):
        made = _swept(library, varied)
        xml.etree.ElementTree.fromstring(sweep_svg(made, "step-time"))
        assert any(line.strip().startswith("plan ") for line in sweep_lines(made, 100, "step-time"))


@pytest.mark.parametrize(
    "varied, said",
    [
        ("cluster.gpu_count=8", "did you mean cluster.gpu"),
        ("cluster.gpus", "expected PATH=VALUES"),
        ("cluster.gpus=", "expected PATH=VALUES"),
        ("cluster.gpus=64..8", "from low to high"),
        ("cluster.gpus=0..8", "above 0"),
        ("cluster.gpus=8..64:0", "step above 0"),
        ("cluster.gpus=8,,16", "between the commas"),
        ("cluster.gpus=8,8", "twice"),
        ("cluster.gpus=a..b", "expected a"),
        ("cluster.gpus=1..90000:1", "at most 10,000"),
    ],
)
def test_a_mistake_in_what_is_varied_is_one_sentence(varied, said):
    with pytest.raises(InputError, match="--vary") as error:
        axes_of([varied], [])
    assert said in str(error.value) and "\n" not in str(error.value)


def test_a_value_that_cannot_be_read_anywhere_ends_with_the_field_and_exit_code_2(tmp_path):
    file = tmp_path / "job.json"
    file.write_text(json.dumps(JOB), encoding="utf-8")
    done = weft("sweep", str(file), "--vary", "cluster.gpus=many")
    assert done.code == 2 and "cluster.gpus" in done.err and '"many"' in done.err and "Traceback" not in done.err
    assert weft("sweep", str(file), "--vary", "cluster.gpus=16,32", "--out", str(tmp_path / "x.png")).code == 2


def test_the_command_prints_the_answer_and_writes_the_files_it_is_asked_for(tmp_path):
    file = tmp_path / "job.json"
    file.write_text(json.dumps(JOB), encoding="utf-8")
    done = weft(
        "sweep",
        str(file),
        "--vary",
        "cluster.gpus=32,64",
        "--plot",
        "--out",
        str(tmp_path / "x.svg"),
        "--out",
        str(tmp_path / "x.csv"),
    )
    assert done.code == 0, done.err
    assert "InfiniBand" in done.out.split("\n\n")[0] and "EVERY FABRIC AT EVERY POINT" in done.out
    assert (tmp_path / "x.svg").read_text().startswith("<svg") and (tmp_path / "x.csv").read_text().startswith(
        "cluster.gpus,fabric"
    )
    as_json = weft("sweep", str(file), "--vary", "cluster.gpus=32,64", "--format", "json")
    assert [point["values"] for point in json.loads(as_json.out)["points"]] == [
        {"cluster.gpus": 32},
        {"cluster.gpus": 64},
    ]


def test_two_processes_and_parquet_tell_the_same(tmp_path):
    read = pytest.importorskip("pyarrow.parquet", reason="needs the extra: pip install 'weft-fabric-planner[parquet]'")
    file, out = tmp_path / "job.json", tmp_path / "x.parquet"
    file.write_text(json.dumps(JOB), encoding="utf-8")
    grid = ["sweep", str(file), "--vary", "cluster.gpus=32,64", "--vary", "parallelism.tp=5,8"]
    one, two = (weft(*grid, "--jobs", jobs, "--format", "csv", "--today", "2026-11-20").out for jobs in "12")
    assert one == two
    assert weft(*grid, "--format", "parquet", "--out", str(out), "--today", "2026-11-20").code == 0
    rows, made = list(csv.DictReader(io.StringIO(one))), read.read_table(out).to_pylist()
    assert [list(row) for row in made] == [list(row) for row in rows] and any(row["error"] for row in made)
    for row, beside in zip(made, rows, strict=True):
        for name, value in row.items():
            written = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
            assert float(beside[name]) == value if isinstance(value, float) else beside[name].lower() == written.lower()


def test_parquet_needs_a_file_to_be_written_to(tmp_path):
    seen = weft("sweep", str(tmp_path / "job.json"), "--vary", "cluster.gpus=8,16", "--format", "parquet")
    assert seen.code == 2 and "--out FILE.parquet" in seen.err


PAGE = pathlib.Path(__file__).parents[1] / "knowledge" / "handbook" / "sweep.md"


def test_the_commands_of_the_handbook_page_run(tmp_path, monkeypatch, library):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.yaml").write_text(
        library.examples["llama-70b-pretraining"].read_text(encoding="utf-8"), encoding="utf-8"
    )
    lines = [
        line
        for block in re.findall(r"```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
        for line in block.splitlines()
    ]
    seen = [weft(*shlex.split(line)[1:]) for line in lines]
    assert len(lines) == 3 and all(one.code == 0 for one in seen), [one.err for one in seen]
    assert (tmp_path / "sweep.svg").is_file() and (tmp_path / "sweep.csv").is_file()


def test_the_values_on_the_handbook_page_are_read_as_it_says(library):
    rows = re.findall(r"^\| `(\S+=\S+)` \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    values = {written: axes_of([written], list(library.catalog.fabrics))[0].values for written, _ in rows}
    assert values["cluster.gpus=8..1024"] == [8 * 2**n for n in range(8)] and values["cluster.gpus=8..64:8"] == list(
        range(8, 65, 8)
    )
    assert values["training.global_batch=256,1024"] == [256, 1024] and len(values) == 5
