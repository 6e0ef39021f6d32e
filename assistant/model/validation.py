"""How far predictions are from measured runs: error statistics, the model beside a one-constant null model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assistant.vocabulary.questionnaire import Parallelism

from .framework import Framework
from .job import Job
from .machine import Machine
from .network import Network, Networks
from .search import layouts_for
from .step import steps
from .training import Outcome, predict_training


@dataclass(frozen=True)
class Run:
    """One measured run and what the model needs to predict it. ``use``: calibration, validation or excluded."""

    id: str
    source: str
    use: str
    job: Job
    machine: Machine
    network: Network
    parallelism: Parallelism
    measured_s: float
    reason: str = ""
    memory_bytes: float | None = None  # peak of one GPU in PyTorch's allocator, where it was published


@dataclass(frozen=True)
class Errors:
    """Relative errors of predictions, as fractions; ``null_…`` the same for time ∝ FLOPs with the best constant."""

    count: int
    mean_absolute: float
    median_absolute: float
    p90_absolute: float
    bias: float
    null_mean_absolute: float
    covered: float | None  # share of measured values within P10-P90, where bands were given


def step_time(run: Run, framework: Framework | None = None) -> float:
    """Seconds per step the model predicts for this run, its layout fixed; what it leaves open is chosen as a plan
    would."""
    return float(step_times(run, [run.network], framework)[0])


def step_times(run: Run, networks: Sequence[Network], framework: Framework | None = None) -> np.ndarray:
    """:func:`step_time` of the run over each of some networks, (F,)."""
    if framework is None and (run.job.recompute is None or run.job.micro_batch is None):
        return np.array([one.step_time_s for one in predict_training(run.job, run.machine, networks, run.parallelism)])
    layouts = layouts_for(run.job, run.machine, run.parallelism)
    total = steps(run.job, run.machine, Networks(networks), layouts, framework=framework).total
    return np.broadcast_to(np.min(total, axis=-1), len(networks))


def outcome(run: Run) -> Outcome:
    """What a plan says of this run: :func:`step_time` and its band among it."""
    return predict_training(run.job, run.machine, [run.network], run.parallelism)[0]


def flops(run: Run) -> float:
    """FLOPs per GPU of one step with recompute over the peak: what the null model scales."""
    again = 4.0 / 3.0 if run.job.recompute == "full" else 1.0
    return run.job.model_flops * again / (run.job.gpus * run.machine.peak[run.job.precision])


def summarize(
    runs: Sequence[Run], predicted: Sequence[float], bands: Sequence[tuple[float, float]] | None = None
) -> Errors:
    """Errors of ``predicted`` seconds against the runs' measured ones. Raises ValueError without runs."""
    if not runs:
        raise ValueError("expected at least one run to compare with")
    measured = np.array([run.measured_s for run in runs])
    error = np.asarray(predicted) / measured - 1.0
    null = null_errors(runs)
    inside = [low <= run.measured_s <= high for run, (low, high) in zip(runs, bands, strict=True)] if bands else []
    return Errors(
        count=len(runs),
        mean_absolute=float(np.abs(error).mean()),
        median_absolute=float(np.median(np.abs(error))),
        p90_absolute=float(np.quantile(np.abs(error), 0.9)),
        bias=float(error.mean()),
        null_mean_absolute=float(np.abs(null).mean()),
        covered=float(np.mean(inside)) if inside else None,
    )


def null_errors(runs: Sequence[Run]) -> np.ndarray:
    """Errors of the model "time is proportional to FLOPs", its one constant being the best for these very runs."""
    measured = np.array([run.measured_s for run in runs])
    ideal = np.array([flops(run) for run in runs])
    candidates = measured / ideal
    best = min(candidates, key=lambda constant: np.abs(constant * ideal / measured - 1.0).mean())
    return best * ideal / measured - 1.0
