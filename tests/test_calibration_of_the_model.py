"""The constants that ship are those that the calibration rows give, and no row judges a constant it was used for."""

from __future__ import annotations

import datetime
from dataclasses import replace

import numpy as np
import pytest

from assistant.library import load
from assistant.model.validation import Run
from assistant.validation import published_runs
from assistant.validation.calibration import completed, errors, fit, improved, thinned
from assistant.validation.constants import first_values, predicted, prepared, shipped
from assistant.validation.pace import fitted, weak_series
from assistant.validation.record import efficiencies, kernel_constants, with_facts
from assistant.validation.split import ONLY_VALIDATION, PUBLISHER, series_of, use_of
from assistant.validation.stages import STAGES
from assistant.vocabulary.errors import KnowledgeError

from .modelled import catalog

FOLDER = load().knowledge_folder


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    return published_runs(FOLDER, catalog())


def test_the_marks_in_the_file_are_those_of_the_rule(runs):
    assert [run.use for run in runs] == use_of(runs)


def test_no_near_duplicate_of_a_validation_row_is_calibrated_on(runs):
    sides: dict[tuple, set[str]] = {}
    for run in runs:
        if run.use != "excluded":
            sides.setdefault(series_of(run), set()).add(run.use)
    assert all(len(uses) == 1 for uses in sides.values())
    assert {PUBLISHER.get(run.source, run.source) for run in runs if run.use == "calibration"}.isdisjoint(
        ONLY_VALIDATION
    )


@pytest.mark.parametrize(
    "stage", STAGES, ids=lambda stage: "-".join(stage.families) + ("-mixtures" if stage.experts else "")
)
def test_the_shipped_constants_are_where_the_fit_ends(runs, stage, some):
    many = stage.families[0] in ("a100", "hopper") and not stage.experts  # of which a fifth is like all of them
    rows = some(stage.rows([prepared(run) for run in thinned(runs, 1)]), 5 if many else 1)
    start = completed(shipped(catalog()), [prepared(run) for run in thinned(runs, 20)])
    again = improved(rows, start, list(stage.names), rounds=1)
    for name in stage.names:
        assert again[name] == pytest.approx(start[name], rel=0.2), name
    before, after = (np.abs(errors(rows, values)).mean() for values in (start, again))
    # A further round gains next to nothing; Hopper's were held when the pace of the slowest GPU came in, as serving
    # and adapters share them.
    assert after > before - 0.005


def test_a_quick_fit_from_scratch_comes_near_the_shipped_constants(runs):
    values, known = fit(runs, every=6, passes=1, rounds=4), shipped(catalog())
    for name in ("hopper/gemm_efficiency", "a100/gemm_efficiency", "fsdp/compute"):
        assert values[name] == pytest.approx(known[name], rel=0.12), name


def test_a_fit_finds_the_constants_that_made_the_runs(runs):
    some = [prepared(run) for run in runs if run.source == "llm-foundry" and run.machine.gpu == "h100-sxm"][:40]
    truth = first_values() | {"hopper/gemm_efficiency": 0.6, "fsdp/attention": 2.0}
    made = [replace(one, run=replace(one.run, measured_s=predicted(one, truth))) for one in some]
    found = improved(made, first_values(), ["hopper/gemm_efficiency", "fsdp/attention"], rounds=8)
    assert np.abs(errors(made, found)).max() < 0.02
    assert found["hopper/gemm_efficiency"] == pytest.approx(0.6, rel=0.03)


def test_written_constants_are_read_back(runs):
    values = shipped(catalog()) | {"hopper/gemm_efficiency": 0.4321, "kernel/tile": 77.0}
    day, folder = datetime.date(2026, 1, 2), FOLDER / "catalog"
    text = with_facts((folder / "gpus.yaml").read_text(), efficiencies(values, catalog().gpus), day)
    block = text[text.index("\nh100-sxm:") : text.index("\nh100-pcie:")]
    assert "gemm_efficiency: {value: 0.4321" in block and "date: 2026-01-02" in block and "llm-foundry H100" in block
    taken_over = [gpu for gpu in catalog().gpus.values() if gpu.calibration.relative == "h100-sxm"]
    assert text.count("value: 0.4321") == 1 + len(taken_over) and len(taken_over) >= 2  # H100 PCIe, H200 and others
    kernels = with_facts((folder / "constants" / "kernels.yaml").read_text(), kernel_constants(values), day)
    assert "kernel-tile: {value: 77" in kernels and kernels.count("date: 2026-01-02") == len(kernel_constants(values))
    with pytest.raises(KnowledgeError, match="expected a fact kernel-none"):
        with_facts(kernels, {"kernel-none": 1.0}, day)


def test_the_pace_of_the_slowest_gpu_is_where_its_fit_ends(runs):
    value, error, rows = fitted(runs, shipped(catalog()))
    assert shipped(catalog())["kernel/slowest"] == pytest.approx(value, abs=0.5 * error)
    assert rows > 100 and 0.0 < value < 5.0 * error
    assert all(
        run.use == "calibration" and not run.job.architecture.experts for one in weak_series(runs) for run in one
    )
