"""How wide bands are, what tells it, and what a share of so many rows within them can tell."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from assistant.library import load
from assistant.model.framework import UNKNOWN
from assistant.model.training import CALIBRATED_VENDORS, compute_spread
from assistant.model.validation import Run, outcome
from assistant.present.covered import covered_cell
from assistant.validation import published_runs
from assistant.validation.constants import shipped
from assistant.validation.practice import as_published, of_another
from assistant.validation.runs import read_runs
from assistant.validation.spreads import (
    Off,
    between_spread,
    facts,
    spread_of,
    usable,
    within_spreads,
    without_series,
)
from assistant.vocabulary.shares import interval, may_be

from .modelled import catalog, job, machine


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    return published_runs(load().knowledge_folder, catalog())


def of(runs: list[Run], source: str) -> list[Run]:
    return [run for run in usable(runs) if run.source == source]


@pytest.mark.parametrize(
    ("inside", "rows", "low", "high"), [(1, 11, 0.0023, 0.4128), (5, 8, 0.2449, 0.9148), (9, 9, 0.6637, 1.0)]
)
def test_the_interval_of_a_share_is_that_of_clopper_and_pearson(inside, rows, low, high):
    assert interval(inside / rows, rows) == pytest.approx((low, high), abs=1e-4)


def test_a_share_of_few_rows_may_be_four_fifths_and_is_not_marked():
    assert may_be(2 / 4, 4) and may_be(1.0, 9) and not may_be(1 / 11, 11) and not may_be(0.97, 97)
    assert may_be(0.89, 720) and not may_be(0.92, 720)  # what is intended is 75 to 88 percent
    assert covered_cell(0.5, 4) == "50 (7–93)" and covered_cell(1 / 11, 11) == "**9** (0–41)"
    assert covered_cell(1 / 11, 11, marked=False) == "9 (0–41)" and covered_cell(None, 0) == "–"


def test_the_spread_that_made_the_errors_is_found_whatever_else_is_in_their_bands(runs):
    rng = np.random.default_rng(7)
    ours = of(runs, "llm-foundry")[:100] * 20
    rows = [Off(run, rng.normal(0.0, math.hypot(0.08, 0.05)), beside=0.05**2) for run in ours]
    assert spread_of(rows) == pytest.approx(0.08, rel=0.15)
    assert spread_of(rows, already=0.08) < 0.03


def test_a_stack_of_one_series_scatters_as_all_stacks_do(runs):
    known, alone = of(runs, "llm-foundry"), [run for run in usable(runs) if run.job.framework == "jax"]
    rows = [Off(run, 0.05 * (-1) ** i) for i, run in enumerate(known)] + [Off(run, 0.0) for run in alone]
    found = within_spreads(rows)
    assert found["jax"] == found["all"] and "mixture" not in found


def test_publishers_differ_by_their_mean_errors_less_what_few_series_scatter_by(runs):
    ours, others = of(runs, "llm-foundry"), of(runs, "ultrascale")
    apart = [Off(run, 0.1) for run in ours] + [Off(run, -0.1) for run in others]
    assert between_spread(apart) == pytest.approx(0.1)
    series = {run.source + str(run.job.architecture.hidden): i for i, run in enumerate(ours)}
    scattered = [Off(run, 0.1 * (-1) ** series[run.source + str(run.job.architecture.hidden)]) for run in ours]
    assert between_spread(scattered) < 0.06


def test_only_rows_for_calibration_tell_how_wide_bands_are(runs):
    assert {run.use for run in usable(runs)} == {"calibration"}
    assert not {run.source for run in usable(runs)} & {"azure", "kempner", "nemo-long"}


def test_every_spread_that_is_fitted_is_a_fact_that_says_what_it_comes_from():
    stacks = {name: 0.1 for name in ("all", "mixture", "megatron", "fsdp", "deepspeed", "jax", "other")}
    for name in facts(stacks, 0.1):
        assert catalog().constants[name].source.startswith("derived: ") and catalog().constants[name].note


def test_who_is_known_is_surer_than_who_is_not(runs):
    plain = {run.id: run for run in read_runs(load().knowledge_folder / "measurements" / "training.csv", catalog())}
    known = next(run for run in runs if run.source == "llm-foundry" and run.use == "validation")
    bands = [outcome(run).band for run in (known, of_another(known, catalog()), plain[known.id])]
    widths = [band.p90 / band.p10 for band in bands]
    assert widths[0] < widths[1] and widths[2] >= widths[1]
    stranger = as_published(plain[known.id], known=False)
    assert outcome(stranger).band == bands[1]


def test_a_stack_on_gpus_of_a_vendor_nobody_measured_is_no_surer_than_any_stack():
    assert {gpu.vendor for gpu in catalog().gpus.values() if gpu.calibration.measured} == set(CALIBRATED_VENDORS)
    run = job("llama-3.1-8b", 8, framework="megatron")
    here, there = machine(8, "h100-sxm"), machine(8, "mi300x")
    alike = replace(there, vendor="nvidia")
    assert compute_spread(run, here)[0] < compute_spread(run, alike)[0] < compute_spread(run, there)[0]
    assert compute_spread(run, there)[0] > UNKNOWN.total_spread


def test_the_spreads_that_ship_are_those_that_the_constants_that_ship_give(runs, request):
    if not request.config.getoption("whole"):
        pytest.skip("twenty seconds: with --whole")
    told = facts(within_spreads(list(without_series(runs, shipped(catalog())))), 0.0)
    for name in told.keys() - {"cluster-practice-publishers"}:
        assert catalog().constants[name].si == pytest.approx(told[name], rel=0.03), name
