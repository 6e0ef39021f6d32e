"""Runs whose speed or length their makers published, beside what the planner says of them.

``knowledge/measurements/famous_runs.yaml`` has each as a questionnaire. They are predicted as anybody's job is: with
what others take longer than the publishers whom the constants come from, and with the same band. The figure that was
published is what is compared, in its own unit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assistant.library.files import text_of
from assistant.library.questionnaires import from_value
from assistant.library.yaml_text import documents
from assistant.planning.prediction import predict
from assistant.planning.resolve import Resolved, resolve
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.plan import Prediction
from assistant.vocabulary.validation import FamousRun, PublicPractice

_KEYS = {"name", "year", "source", "published", "seen", "assumed", "reason", "job"}
# Full recomputation repeats the forward pass: a third of what forward and backward pass take together.
_RECOMPUTED = 4.0 / 3.0


@dataclass(frozen=True)
class _Job:
    """What turns seconds per step into a published figure."""

    resolved: Resolved
    prediction: Prediction

    @property
    def tokens(self) -> float:
        """Tokens per step."""
        return float(self.resolved.global_batch) * self.resolved.sequence_length

    @property
    def gpus(self) -> int:
        return self.resolved.gpus

    @property
    def flops(self) -> float:
        """Model FLOPs of a step, attention over the whole square as publishers count it."""
        a = self.resolved.architecture
        return self.tokens * float(a.train_flops(self.resolved.sequence_length, causal=False))

    @property
    def steps(self) -> float:
        """Steps of the run."""
        if self.resolved.tokens is None:
            raise KnowledgeError(f"{self.resolved.questionnaire.name}: expected training.tokens")
        return self.resolved.tokens / self.tokens

    @property
    def peak(self) -> float:
        """Dense FLOP/s of one GPU in the precision of the run."""
        gpu = self.resolved.gpu
        return gpu.peak_fp8.si if self.resolved.precision == "fp8" and gpu.peak_fp8 else gpu.peak_bf16.si


# The figure of seconds per step; those of a whole run are of undisturbed time.
FIGURES: dict[str, Callable[[_Job, float], float]] = {
    "step_s": lambda job, s: s,
    "tokens_per_s_per_gpu": lambda job, s: job.tokens / (s * job.gpus),
    "gpu_hours": lambda job, s: s * job.steps * job.gpus / 3600,
    "days": lambda job, s: s * job.steps / 86400,
    "hardware_tflops": lambda job, s: _RECOMPUTED * job.flops / (s * job.gpus) / 1e12,
    "model_tflops": lambda job, s: job.flops / (s * job.gpus) / 1e12,
    "mfu_percent": lambda job, s: 100 * job.flops / (s * job.gpus * job.peak),
}
WHOLE_RUN = ("gpu_hours", "days")  # interruptions included


def famous_runs(measurements: Path, catalog: Catalog) -> list[FamousRun]:
    """Every run of the file, in its order. Raises :class:`KnowledgeError` naming an entry that cannot be read."""
    file = measurements / "famous_runs.yaml"
    [document] = documents(text_of(file), str(file))
    return [_compared(entry, catalog) for entry in document.value]


def _compared(entry: Mapping[str, Any], catalog: Catalog) -> FamousRun:
    unknown = set(entry) - _KEYS
    published = entry["published"]
    if unknown or len(published) > 1 or not set(published) <= set(FIGURES):
        raise KnowledgeError(f"{entry['name']}: expected one figure of {', '.join(FIGURES)} and no other keys")
    questionnaire = from_value({"name": entry["name"], **entry["job"]}, catalog)
    prediction = predict(questionnaire, catalog)
    job = _Job(resolve(questionnaire, catalog), prediction)
    figure = next(iter(published), "gpu_hours")
    low, middle, high = (FIGURES[figure](job, seconds) for seconds in _seconds(prediction, figure in WHOLE_RUN))
    return FamousRun(
        name=entry["name"],
        year=entry["year"],
        source=entry["source"],
        gpu=job.resolved.gpu.id,
        gpus=job.gpus,
        framework=job.resolved.framework,
        mixture=bool(job.resolved.architecture.experts),
        figure=figure,
        published=float(published[figure]) if published else None,
        predicted=middle,
        p10=min(low, high),
        p90=max(low, high),
        slower_is_more=FIGURES[figure](job, 2.0) > FIGURES[figure](job, 1.0),
        seen=entry.get("seen", ""),
        assumed=entry.get("assumed", ""),
        reason=entry.get("reason", ""),
    )


def _seconds(prediction: Prediction, whole_run: bool) -> tuple[float, float, float]:
    """P10, P50 and P90 of a step; of a whole run with the time that interruptions take, whose spread adds to that of
    the step as independent errors do."""
    low, high = prediction.step_time_p10_s, prediction.step_time_p90_s
    middle = prediction.step_time_p50_s or prediction.step_time_s
    share = prediction.effective_time_percent
    if not whole_run or share is None:
        return low, middle, high
    all_of_it = middle * 100.0 / share.p50
    below = np.hypot(np.log(middle / low), np.log(share.p90 / share.p50))
    above = np.hypot(np.log(high / middle), np.log(share.p50 / share.p10))
    return all_of_it * float(np.exp(-below)), all_of_it, all_of_it * float(np.exp(above))


def practices(runs: Sequence[FamousRun]) -> list[PublicPractice]:
    """What publishers took longer than predicted, by framework and generation of GPU, dense models alone."""
    found: dict[tuple[str, str], list[FamousRun]] = {}
    for run in runs:
        if run.published is not None and not run.mixture:
            found.setdefault((run.framework or "not published", run.gpu.split("-")[0]), []).append(run)
    return [_practice(framework, gpu, own) for (framework, gpu), own in sorted(found.items())]


def _practice(framework: str, gpu: str, runs: Sequence[FamousRun]) -> PublicPractice:
    slower = np.array([run.slower for run in runs])
    return PublicPractice(
        framework=framework,
        gpu=gpu,
        first_year=min(run.year for run in runs),
        last_year=max(run.year for run in runs),
        runs=len(runs),
        median=float(np.median(slower)),
        least=float(slower.min()),
        most=float(slower.max()),
        inside=float(np.mean([run.inside for run in runs])),
    )
