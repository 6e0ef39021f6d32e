"""A global batch beside the one that was said which the GPUs share out better: what it gains, computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import gcd, isfinite

from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Warning_

from .batch_sizes import dividing_near
from .entry import Entry
from .pipeline import Decision
from .predictor import Predictor
from .resolve import Resolved

LEAST_GAIN = 0.03  # of the tokens per second: less is not worth another batch


def warnings(made: Decision, predictor: Predictor) -> Iterator[Warning_]:
    """One message where another batch near the one that was said, with the best split of its own, does more."""
    job, chosen = made.job, made.choice.chosen
    if chosen is None or chosen.estimated is None or not _said_and_open(job):
        return
    now = _seconds(job, job.global_batch, chosen, predictor) / job.global_batch
    gains = {
        batch: now / (seconds / batch) - 1
        for batch in _near(job)
        if isfinite(seconds := _seconds(job, batch, chosen, predictor))
    }
    better = sorted((batch for batch, gain in gains.items() if gain >= LEAST_GAIN), key=lambda batch: -gains[batch])
    if better:
        yield Warning_(code="batch-divides-better", message=_told(job, {batch: gains[batch] for batch in better}))


def _said_and_open(job: Resolved) -> bool:
    """Whether a batch that was said leaves ranks over in the plain split, and the split is open."""
    training = job.questionnaire.training
    said = training is not None and training.global_batch is not None
    plain = not job.serves and job.loop is None and job.sites == 1 and job.parallelism is None
    return said and plain and gcd(job.global_batch, job.gpus) < min(job.global_batch, job.gpus)


def _near(job: Resolved) -> list[int]:
    """Multiples of the GPUs on both sides of the batch; of a smaller batch what most data-parallel degrees divide."""
    batch, gpus = job.global_batch, job.gpus
    around = (batch // gpus * gpus, -(-batch // gpus) * gpus)
    found = (dividing_near(gpus, batch), gpus) if batch < gpus else around
    return [one for one in dict.fromkeys(found) if one != batch]


def _seconds(job: Resolved, batch: int, chosen: Entry, predictor: Predictor) -> float:
    """Seconds of a step of ``batch`` sequences on the network of the plan; not a number where it cannot be."""
    try:
        return float(predictor.step_times(replace(job, global_batch=batch), [chosen.considered])[0])
    except InputError:
        return float("nan")


def _told(job: Resolved, gains: dict[int, float]) -> str:
    each = " or ".join(f"{batch:,} ({100 * gain:.0f} % more tokens a second)" for batch, gain in gains.items())
    return (
        f"A global batch of {job.global_batch:,} sequences does not share out evenly over {job.gpus:,} GPUs, so the "
        f"split is one that divides it. One of {each} would do better, each at its own best split; it changes how many "
        "sequences a step learns from."
    )
