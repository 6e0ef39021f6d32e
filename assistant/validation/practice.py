"""What a stack's other users reach against the publishers whose runs its factors come from.

Megatron's factors are those of NVIDIA's own recipes and of vTrain's single nodes: the fast end. Whoever plans a run is
another publisher, so the compute time to expect is that of a publisher drawn from all who measured Megatron's model
code. Each counts once, however many rows it has: NVIDIA and vTrain by construction as 1, BigScience
(Megatron-DeepSpeed, 384 A100) as the median factor on compute that explains its calibration rows. The published rows
that a stack's factors come from are predicted without.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from assistant.model.framework import PRACTICE
from assistant.model.validation import Run
from assistant.vocabulary.catalog import Catalog

from .constants import Values, predicted, prepared
from .runs import read_runs
from .split import PUBLISHER

REFERENCE = ("nvidia", "vtrain")  # publishers whose Megatron runs are 1 by construction
OTHERS = ("bigscience",)  # who else measured Megatron's model code on GPUs with factors of their own
PUBLISHERS = f"cluster-{PRACTICE}-publishers"  # what publishers differ by
_BEFORE = "deepspeed"  # the stack under whose name those rows stand


def published_runs(knowledge: Path, catalog: Catalog) -> list[Run]:
    """The shipped runs of ``measurements/training.csv``, those of publishers with calibration rows as the factors
    describe them."""
    runs = read_runs(knowledge / "measurements" / "training.csv", catalog)
    calibrated = {_publisher(run) for run in runs if run.use == "calibration"}
    return [as_published(run) if _publisher(run) in calibrated else run for run in runs]


def others_runs(runs: Sequence[Run], knowledge: Path, catalog: Catalog) -> list[Run]:
    """Those validation rows of ``runs`` that are predicted as published, as a plan would expect them."""
    plain = {run.id: run for run in read_runs(knowledge / "measurements" / "training.csv", catalog)}
    return [plain[run.id] for run in runs if run.use == "validation" and _practiced(plain[run.id]) != _practiced(run)]


def _practiced(run: Run) -> float:
    return run.machine.framework(run.job.framework).practice


def as_published(run: Run, *, known: bool = True) -> Run:
    """The run predicted without what others take longer; and, of a publisher whose other rows the factors come from,
    without what publishers differ by."""
    facts = run.machine.constants or {}
    kept = () if known else (PUBLISHERS,)
    given = {name: fact for name, fact in facts.items() if f"-{PRACTICE}" not in name or name in kept}
    return replace(run, machine=replace(run.machine, constants=given))


def of_another(run: Run, catalog: Catalog) -> Run:
    """A run of a known publisher as if it were of one nobody knows: as sure as publishers differ."""
    facts = {**(run.machine.constants or {}), PUBLISHERS: catalog.constants[PUBLISHERS]}
    return replace(run, machine=replace(run.machine, constants=facts))


def _publisher(run: Run) -> str:
    return PUBLISHER.get(run.source, run.source)


def practice(runs: Sequence[Run], values: Mapping[str, float]) -> Values:
    """``megatron/practice``, the geometric mean over publishers, and ``others/practice``, that of the others alone; 1
    without them."""
    usable = [run for run in runs if run.use == "calibration"]
    present = {_publisher(run) for run in usable}
    others = [
        float(np.log(np.median([_factor(_as_megatron(run), values) for run in usable if _publisher(run) == publisher])))
        for publisher in OTHERS
        if publisher in present
    ]
    logs = [0.0 for publisher in REFERENCE if publisher in present] + others
    return {
        f"megatron/{PRACTICE}": float(np.exp(np.mean(logs))) if others else 1.0,
        f"others/{PRACTICE}": float(np.exp(np.mean(others))) if others else 1.0,
    }


def _factor(run: Run, values: Mapping[str, float]) -> float:
    """The factor on compute with which the run takes as long as it was measured; steps are nearly straight in it."""
    one = prepared(run)
    once, twice = (
        predicted(replace(one, framework=replace(one.framework, practice=factor)), values) for factor in (1.0, 2.0)
    )
    return 1.0 + (run.measured_s - once) / (twice - once)


def _as_megatron(run: Run) -> Run:
    if run.job.framework != _BEFORE:
        raise ValueError(f"expected rows of {_BEFORE}, got {run.job.framework} in {run.id}")
    return replace(as_published(run), job=replace(run.job, framework="megatron"))
