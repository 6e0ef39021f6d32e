"""Calibrating on one's own runs: factors that were there are found again, few rows move little, a profile changes a
plan and is named in it."""

from __future__ import annotations

import csv
import datetime
import json
import pathlib
import re
import shlex

import numpy as np
import pytest
import yaml

from assistant.calibration import calibrate, profile_text
from assistant.calibration.fit import Factors, predicted
from assistant.library import load
from assistant.library.questionnaires import from_value
from assistant.planning import plan
from assistant.present.calibration import calibration_lines
from assistant.validation import read_runs
from assistant.vocabulary.errors import InputError

from .program import weft

ROOT = pathlib.Path(__file__).parents[1]
PAGE = ROOT / "knowledge" / "handbook" / "calibrate.md"
COLUMNS = [
    "id",
    "model",
    "gpu",
    "gpus",
    "fabric",
    "strategy",
    "tp",
    "micro_batch",
    "global_batch",
    "sequence_length",
    "framework",
    "step_time_s",
]
JOB = {
    "name": "70B",
    "workload": "pretraining",
    "model": "llama-3.1-70b",
    "cluster": {"gpu": "h100-sxm", "gpus": 64},
    "training": {"sequence_length": 8192, "global_batch": 512, "tokens": 100e9, "framework": "fsdp"},
}


def _write(path, rows, columns=COLUMNS):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    return path


def _row(number, gpus, fabric, batch, model="llama-3.1-8b", seconds=1.0):
    return {
        "id": f"run-{number}",
        "model": model,
        "gpu": "h100-sxm",
        "gpus": gpus,
        "fabric": fabric,
        "strategy": "fsdp",
        "tp": 1,
        "micro_batch": 1,
        "global_batch": batch,
        "sequence_length": 4096,
        "framework": "fsdp",
        "step_time_s": seconds,
    }


def _measured(path, library, rows, compute, network, noise=0.0):
    """The rows as a cluster would measure them on which everything takes these factors longer, and every run is a
    little off."""
    runs = read_runs(_write(path, rows), library.catalog)
    disturbed = np.exp(noise * np.random.default_rng(7).standard_normal(len(runs)))
    return _write(
        path,
        [
            {**row, "step_time_s": f"{predicted(run, Factors(compute, network)) * off:.6g}"}
            for row, run, off in zip(rows, runs, disturbed, strict=True)
        ],
    )


def _many():
    return [
        _row(n, gpus, fabric, batch * gpus)
        for n, (gpus, fabric, batch) in enumerate(
            (g, f, b)
            for g in (16, 32, 64, 128)
            for f in ("infiniband-ndr-400", "ethernet-tcp-25")
            for b in (1, 2, 4, 8)
        )
    ] + [_row(100 + n, 8, "none", 8 * n) for n in range(1, 9)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("compute, network", [(1.25, 1.0), (1.0, 1.5), (1.2, 1.4), (0.85, 0.8)])
def test_factors_that_were_there_are_found_again(tmp_path, library, compute, network):
    file = _measured(tmp_path / "runs.csv", library, _many(), compute, network, noise=0.02)
    profile = calibrate(file, library.catalog)
    assert profile.compute.factor == pytest.approx(compute, rel=0.06)
    assert profile.network.of("ethernet-tcp-25") == pytest.approx(network, rel=0.12)
    assert profile.errors.left_out_percent < profile.errors.before_percent / 2
    assert profile.network.fabrics == ["infiniband-ndr-400", "ethernet-tcp-25"] and profile.compute.gpus == ["h100-sxm"]


def test_few_rows_move_a_factor_part_of_the_way_and_more_rows_further(tmp_path, library):
    def factor(rows):
        file = _measured(
            tmp_path / "runs.csv", library, [_row(n, 8, "none", 8 * (n + 1)) for n in range(rows)], 1.4, 1.0
        )
        return calibrate(file, library.catalog).compute.factor

    one, three, ten = factor(1), factor(3), factor(10)
    assert 1.0 < one < three < ten <= 1.4


_ONE = [_row(10 + n, 8, "none", 8 * batch) for n, batch in enumerate((1, 2, 4))]
_SEVERAL = [
    _row(n, gpus, "infiniband-ndr-400", gpus * batch)
    for n, (gpus, batch) in enumerate(((16, 1), (32, 1), (64, 1), (16, 4)))
]


@pytest.mark.parametrize("rows", [_SEVERAL, _ONE + _SEVERAL], ids=["several nodes", "one and several"])
def test_a_network_eight_times_slower_does_not_become_a_slow_gpu(tmp_path, library, rows):
    profile = calibrate(_measured(tmp_path / "runs.csv", library, rows, 1.0, 8.0), library.catalog)
    assert profile.compute.factor == pytest.approx(1.0, abs=0.03)
    assert profile.network.factor == pytest.approx(8.0, rel=0.1) and profile.network.others < 1.25
    assert profile.blame.verdict == "network" and profile.blame.network_s > 0.9
    said = " ".join(" ".join(calibration_lines(profile, 100)).split())
    assert "The network is to blame" in said and "infiniband-ndr-400" in said


def test_runs_as_predicted_are_not_said_to_disagree(tmp_path, library):
    profile = calibrate(_measured(tmp_path / "runs.csv", library, _ONE + _SEVERAL, 1.0, 1.0), library.catalog)
    said = " ".join(" ".join(calibration_lines(profile, 100)).split())
    assert "disagree" not in said and "nothing is to be corrected" in said


def test_slow_gpus_do_not_become_a_slow_network(tmp_path, library):
    profile = calibrate(_measured(tmp_path / "runs.csv", library, _ONE + _SEVERAL, 1.3, 1.0), library.catalog)
    assert profile.compute.factor == pytest.approx(1.3, rel=0.05) and profile.network.factor < 1.1
    assert profile.blame.verdict == "compute"


@pytest.mark.parametrize(("gpus", "network"), [(1.2, 4.0), (1.3, 25.0)])
def test_both_are_told_apart_and_parts_add_up(tmp_path, library, gpus, network):
    """However slow the network is, GPUs a third too slow are named beside it."""
    profile = calibrate(_measured(tmp_path / "runs.csv", library, _ONE + _SEVERAL, gpus, network), library.catalog)
    assert profile.compute.factor == pytest.approx(gpus, rel=0.07)
    assert profile.network.factor == pytest.approx(network, rel=0.15)
    blame = profile.blame
    parts = blame.predicted_s + blame.compute_s + blame.network_s + blame.unexplained_s
    assert blame.verdict == "both" and parts == pytest.approx(blame.measured_s, rel=0.01)


def test_what_slows_several_nodes_and_no_message_is_nobodys_fault(tmp_path, library):
    file = _measured(tmp_path / "runs.csv", library, _ONE + _SEVERAL, 1.0, 1.0)
    rows = list(csv.DictReader(file.open(encoding="utf-8")))
    waiting = [
        {**row, "step_time_s": float(row["step_time_s"]) * (1.0 if row["gpus"] == "8" else 1.15)} for row in rows
    ]
    profile = calibrate(_write(tmp_path / "slow.csv", waiting), library.catalog)
    assert profile.compute.factor == pytest.approx(1.0, abs=0.02) and profile.blame.verdict == "unexplained"


def test_each_fabric_has_a_factor_of_its_own(tmp_path, library):
    rows = _ONE + _SEVERAL + [{**row, "id": f"tcp-{row['id']}", "fabric": "ethernet-tcp-25"} for row in _SEVERAL]
    plain = _measured(tmp_path / "runs.csv", library, rows, 1.0, 1.0)
    runs = read_runs(plain, library.catalog)
    slow = Factors(1.0, 1.0, {"infiniband-ndr-400": 5.0})
    file = _write(
        tmp_path / "slow.csv",
        [{**row, "step_time_s": predicted(run, slow)} for row, run in zip(rows, runs, strict=True)],
    )
    profile = calibrate(file, library.catalog)
    assert profile.network.of("infiniband-ndr-400") == pytest.approx(5.0, rel=0.15)
    assert profile.network.of("ethernet-tcp-25") == pytest.approx(1.0, abs=0.05)
    (tmp_path / "ours.yaml").write_text(profile_text(profile), encoding="utf-8")
    constants = load(profile=tmp_path / "ours.yaml").catalog.constants
    assert constants["profile-network-infiniband-ndr-400"].value == profile.network.of("infiniband-ndr-400")
    assert constants["profile-network-ethernet-tcp-25"].value == profile.network.of("ethernet-tcp-25")


def test_a_network_that_no_run_crosses_is_not_fitted(tmp_path, library):
    file = _measured(tmp_path / "runs.csv", library, [_row(n, 8, "none", 8 * (n + 1)) for n in range(4)], 1.2, 1.0)
    profile = calibrate(file, library.catalog)
    assert profile.network is None and "not fitted" in "\n".join(calibration_lines(profile, 100))


def test_runs_that_disagree_are_told_apart_from_runs_that_help(tmp_path, library):
    rows = [_row(n, 8, "none", 64) for n in range(4)]
    known = predicted(read_runs(_write(tmp_path / "x.csv", rows), library.catalog)[0], Factors())
    noisy = [{**row, "step_time_s": known * off} for row, off in zip(rows, (0.7, 1.3, 0.75, 1.35), strict=True)]
    profile = calibrate(_write(tmp_path / "runs.csv", noisy), library.catalog)
    assert profile.errors.left_out_percent >= profile.errors.before_percent
    assert profile.compute.factor == 1.0 and profile.errors.after_percent == profile.errors.before_percent
    assert "the profile leaves everything as it is" in " ".join(" ".join(calibration_lines(profile, 100)).split())


def test_with_two_rows_nothing_is_left_out_and_the_report_says_so(tmp_path, library):
    profile = calibrate(_measured(tmp_path / "runs.csv", library, _many()[:2], 1.2, 1.0), library.catalog)
    assert profile.errors.left_out_percent is None and "fewer than three runs" in "\n".join(
        calibration_lines(profile, 100)
    )


def test_left_out_errors_come_from_fits_without_that_row(tmp_path, library):
    rows = [_row(n, 8, "none", 64) for n in range(3)]
    known = predicted(read_runs(_write(tmp_path / "x.csv", rows), library.catalog)[0], Factors())
    file = _write(
        tmp_path / "runs.csv",
        [{**row, "step_time_s": known * off} for row, off in zip(rows, (1.2, 1.2, 1.5), strict=True)],
    )
    last = calibrate(file, library.catalog).runs[-1]
    assert known < last.left_out_s < 1.2 * known * 1.01, "the other two rows are a fifth slower than the model predicts"
    assert last.after_s > last.left_out_s


@pytest.fixture(scope="module")
def profile(tmp_path_factory, library):
    file = _measured(tmp_path_factory.mktemp("measured") / "runs.csv", library, _many(), 1.3, 1.5)
    return profile_text(calibrate(file, library.catalog, today=datetime.date(2026, 11, 20)))


@pytest.fixture
def profile_file(tmp_path, profile):
    (tmp_path / "ours.yaml").write_text(profile, encoding="utf-8")
    return tmp_path / "ours.yaml"


def _candidates(library, job=JOB):
    return {
        c.fabric: c for c in plan(from_value(job, library.catalog), library, index=None).candidates if c.step_time_s
    }


def test_a_plan_with_a_profile_is_slower_by_its_factors_and_names_it(library, profile_file):
    ours = load(profile=profile_file)
    before, after = _candidates(library), _candidates(ours)
    measured = "infiniband-ndr-400"
    ratio = after[measured].breakdown_s.compute / before[measured].breakdown_s.compute
    assert 1.2 < ratio < 1.4, "the split may change, compute takes about 1.3 times as long"
    assert after[measured].step_time_s.p50 > 1.15 * before[measured].step_time_s.p50
    taken = {a.field: a for a in plan(from_value(JOB, ours.catalog), ours, index=None).assumptions}
    assert "ours.yaml, 40 measured runs, 2026-11-20" in taken["profile.compute"].why
    assert (
        measured in taken["profile.network"].why
        and 1 < taken["profile.network_others"].value < taken["profile.network"].value
    )


def test_a_profile_of_another_gpu_is_not_applied_to_compute_and_the_plan_says_so(library, profile_file):
    ours, job = load(profile=profile_file), {**JOB, "cluster": {"gpu": "b200", "gpus": 8}}
    assert _candidates(ours, job)["none"].step_time_s == _candidates(library, job)["none"].step_time_s
    taken = {a.field: a for a in plan(from_value(job, ours.catalog), ours, index=None).assumptions}
    assert taken["profile.compute"].value == 1.0 and "not on b200" in taken["profile.compute"].why


def test_without_a_profile_no_plan_speaks_of_one(library):
    made = plan(from_value(JOB, library.catalog), library, index=None)
    assert not [a for a in made.assumptions if a.field.startswith("profile")]


def test_predict_and_sweep_take_the_profile_too(tmp_path, profile_file):
    job = tmp_path / "job.json"
    job.write_text(json.dumps(JOB), encoding="utf-8")
    plain, ours = (json.loads(weft("predict", str(job), *more).out) for more in ([], ["--profile", str(profile_file)]))
    assert ours["step_time_s"] > 1.15 * plain["step_time_s"]
    assert any(a["field"] == "profile.compute" for a in ours["assumptions"])
    swept = [
        json.loads(weft("sweep", str(job), "--vary", "cluster.gpus=64", "--format", "json", *more).out)
        for more in ([], ["--profile", str(profile_file)])
    ]
    steps = [
        {one["fabric"]: one["step_time_s"]["p50"] for one in made["points"][0]["fabrics"] if one["step_time_s"]}
        for made in swept
    ]
    assert steps[1]["infiniband-ndr-400"] > 1.15 * steps[0]["infiniband-ndr-400"]


def test_the_command_writes_a_profile_with_values_rows_date_and_version(tmp_path, library):
    file = _measured(tmp_path / "runs.csv", library, _many()[:6], 1.2, 1.2)
    done = weft("calibrate", str(file), "--out", str(tmp_path / "p.yaml"))
    assert done.code == 0, done.err
    assert "before" in done.out and "after" in done.out and "left out" in done.out
    written = yaml.safe_load((tmp_path / "p.yaml").read_text(encoding="utf-8"))
    assert written["schema"] == "weft/profile/1" and len(written["runs"]) == 6 and written["weft"] and written["date"]
    assert (
        load(profile=tmp_path / "p.yaml").catalog.constants["profile-compute-h100-sxm"].value
        == written["compute"]["factor"]
    )


@pytest.mark.parametrize(
    "change, said",
    [
        ({"gpu": "h1000"}, "h1000"),
        ({"step_time_s": "fast"}, '"fast"'),
        ({"step_time_s": "0"}, "step_time_s"),
        ({"gpus": "2.5"}, "whole number"),
        ({"fabric": "token-ring"}, "token-ring"),
        ({"model": "llama-9"}, "llama-9"),
        ({"fabric": "none"}, "expected the fabric"),
    ],
)
def test_a_row_that_cannot_be_used_is_one_sentence_and_exit_code_2(tmp_path, change, said):
    file = _write(tmp_path / "runs.csv", [_row(1, 16, "roce-v2-400", 64), {**_row(2, 16, "roce-v2-400", 64), **change}])
    done = weft("calibrate", str(file), "--out", str(tmp_path / "p.yaml"))
    assert (
        done.code == 2
        and said in done.err
        and "runs.csv" in done.err
        and "Traceback" not in done.err
        and done.err.count("\n") == 1
    )
    assert not (tmp_path / "p.yaml").exists()


@pytest.mark.parametrize(
    "content, said", [(None, "no such file"), (b"\xff\xfe\x00", "UTF-8"), (b"a,b\n1,2\n", "columns"), (b"", "columns")]
)
def test_a_file_that_holds_no_runs_is_one_sentence(tmp_path, content, said):
    file = tmp_path / "runs.csv"
    if content is not None:
        file.write_bytes(content)
    done = weft("calibrate", str(file), "--out", str(tmp_path / "p.yaml"))
    assert done.code == 2 and said in done.err and "Traceback" not in done.err


@pytest.mark.parametrize(
    "change, said",
    [
        (("factor: ", "factor: 99 #"), "compute.factor"),
        (("weft/profile/1", "weft/profile/9"), "schema"),
        (("- h100-sxm", "- h1000"), "h1000"),
        (("compute:", "computer:"), "comput"),
        (("- ethernet-tcp-25", "- token-ring"), "token-ring"),
    ],
)
def test_a_profile_that_was_spoilt_is_one_sentence_with_its_line(profile_file, change, said):
    text = profile_file.read_text(encoding="utf-8")
    assert change[0] in text
    profile_file.write_text(text.replace(*change, 1), encoding="utf-8")
    load.__globals__["_load"].cache_clear()
    with pytest.raises(InputError) as error:
        assert load(profile=profile_file).catalog
    assert said in str(error.value) and "ours.yaml" in str(error.value) and "\n" not in str(error.value)


def test_a_profile_that_is_something_else_or_not_there_is_one_sentence(tmp_path):
    other = tmp_path / "list.yaml"
    other.write_text("- 1\n", encoding="utf-8")
    for path, said in ((other, "weft calibrate"), (tmp_path / "none.yaml", "no such file")):
        with pytest.raises(InputError, match=said):
            assert load(profile=path).catalog


def _blocks(kind):
    return re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_commands_of_the_handbook_page_run(tmp_path, monkeypatch, index):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs.csv").write_text(_blocks("csv")[0], encoding="utf-8")
    (tmp_path / "job.yaml").write_text(
        (ROOT / "knowledge" / "examples" / "llama-70b-pretraining.yaml").read_text(encoding="utf-8"), encoding="utf-8"
    )
    lines = [line for block in _blocks("console") for line in block.splitlines()]
    seen = [weft(*shlex.split(line)[1:]) for line in lines]
    assert len(lines) >= 3 and all(one.code == 0 for one in seen), [one.err for one in seen]
    assert "your factor on the time of compute" in " ".join(" ".join(one.out for one in seen).split())
