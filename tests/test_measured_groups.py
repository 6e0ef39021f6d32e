"""Groups of measured rows: what their errors mean, and that each stands beside a prediction."""

from __future__ import annotations

import math

import pytest

from assistant.library import load
from assistant.model import Job, Machine, architecture_of, machine_of, network_of, predict_training
from assistant.model.training import practice_spread
from assistant.present.measured_page import _famous_cells
from assistant.validation.famous_runs import FIGURES, famous_runs
from assistant.validation.groups import Group, Observed, accuracy_of
from assistant.validation.mlperf import benchmark_runs, pairs
from assistant.vocabulary.validation import FamousRun

LIBRARY = load()
FOLDER = LIBRARY.knowledge_folder / "measurements"


@pytest.fixture(scope="module")
def famous() -> list[FamousRun]:
    return famous_runs(FOLDER, LIBRARY.catalog)


def test_the_errors_of_a_group_are_what_they_are_called() -> None:
    rows = (Observed(1.0, 2.0, (1.5, 2.5), 3.0), Observed(2.0, 1.0, (0.5, 2.0), 6.0))
    found = accuracy_of(Group("two rows", "step", "kept out", rows))
    assert found.mean_absolute == pytest.approx(0.75)
    assert found.bias == pytest.approx(0.25)
    assert found.geometric == pytest.approx(1.0)  # both are wrong by a factor of two
    assert found.null_mean_absolute == pytest.approx(0.0)  # both take a third of their FLOPs
    assert found.covered == pytest.approx(0.5)
    with pytest.raises(ValueError, match="expected rows"):
        accuracy_of(Group("no rows", "step", "kept out", ()))


def test_every_pair_of_the_benchmark_names_runs_that_differ_as_it_says() -> None:
    known = {run.id: run for run in benchmark_runs(FOLDER, LIBRARY.catalog)}
    for a, b in pairs(FOLDER, "gpus", known):
        assert known[a].job.gpus < known[b].job.gpus and known[a].job.architecture == known[b].job.architecture
    assert pairs(FOLDER, "network", known)


def test_a_published_figure_is_the_one_of_its_step(famous: list[FamousRun]) -> None:
    assert len(famous) >= 25
    for run in famous:
        assert run.figure in FIGURES and run.source and run.p10 < run.predicted < run.p90, run.name
        assert math.isfinite(run.slower) and run.slower > 0
    arctic = next(run for run in famous if run.name.startswith("Snowflake"))
    assert arctic.slower_is_more and arctic.slower == pytest.approx(arctic.published / arctic.predicted)


def test_a_famous_figure_that_nobody_read_where_it_stands_is_marked(famous: list[FamousRun]) -> None:
    marked = {run.name: _famous_cells(run)[4].endswith("†") for run in famous if run.published is not None}
    assert not marked["DeepSeek-V3"] and marked["Llama 2 70B"]


def test_no_famous_run_is_outside_its_band_without_a_reason(famous: list[FamousRun]) -> None:
    published = [run for run in famous if run.published is not None]
    assert [run.name for run in published if not run.inside and not run.reason] == []
    for family in (
        "Llama 2",
        "MPT",
        "OLMo",
        "OPT",
        "BLOOM",
        "GPT-3",
        "MT-NLG",
        "MegaScale",
        "Nemotron-4 340B",
        "Llama 3.1 405B",
    ):
        assert all(run.inside for run in published if run.name.startswith(family)), family
    assert sum(run.inside for run in published) / len(published) > 0.7


def test_a_band_is_wider_upwards_where_nobody_says_which_software_trains() -> None:
    gpu = LIBRARY.catalog.gpus["h100-sxm"]

    def machine(gpus: int) -> Machine:
        return machine_of(gpu, LIBRARY.catalog.scale_ups[gpu.scale_up], gpus, 8, LIBRARY.catalog.constants)

    job = Job(architecture_of(LIBRARY.catalog.models["llama-3.1-8b"]), 128, global_batch=512)
    known = job.with_(framework="megatron")
    assert (
        practice_spread(job, machine(128)) > practice_spread(known, machine(128)) > practice_spread(known, machine(8))
    )
    assert practice_spread(known, machine(128)) == practice_spread(known, machine(1024))
    [made] = predict_training(
        job, machine(128), [network_of(LIBRARY.catalog.fabrics["infiniband-ndr-400"], None, machine(128))]
    )
    band = made.band
    assert band.p90 / band.p50 > band.p50 / band.p10
    assert band.p50 == pytest.approx(made.step_time_s, rel=0.02)
