"""The quantitative model alone: one prediction per questionnaire, for the fabric and the parallelism it names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.library import Library
from assistant.library.questionnaires import read
from assistant.model.tail import excess_of_slowest
from assistant.vocabulary.added import added
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError, Place, of_a_row
from assistant.vocabulary.plan import Assumption, Prediction
from assistant.vocabulary.questionnaire import Questionnaire

from . import practice, profile, savings
from .entry import Entry
from .money import effective_time
from .predictor import Predictor
from .resolve import Resolved, resolve
from .sized import filled


def predictions(path: Path, library: Library) -> Iterator[dict[str, Any]]:
    """One JSON value per row of a file, in order; a bad row gives ``{"id", "error": {"field", "message"}}``.

    Raises :class:`InputError` when the file itself cannot be read.
    """
    for row in read(path, library.catalog):
        try:
            if row.error is not None:
                raise row.error
            yield predict(row.questionnaire, library.catalog).model_dump(mode="json")
        except Exception as fault:
            error, where = of_a_row(fault, "predicted"), f"line {row.line}: " if row.line else ""
            yield {"id": row.name, "error": {"field": error.place.field, "message": f"{where}{error.message}"}}


def predict(questionnaire: Questionnaire, catalog: Catalog) -> Prediction:
    """The prediction for the fabric named, else for none on one node and for the fastest that exists beyond.

    Raises :class:`InputError` for a job that cannot be split over its GPUs.
    """
    predictor = Predictor(catalog)
    questionnaire, left_open = filled(questionnaire, predictor)
    job = resolve(questionnaire, catalog)
    job = replace(job, assumptions=(*left_open, *job.assumptions))
    wanted = questionnaire.cluster.fabric or ("none" if job.domains == 1 else None)
    computed = [e for e in predictor.estimated(job, wanted) if e.estimated is not None]
    if wanted is None and questionnaire.workload == "rlhf":  # its phases hold the same weights at every step
        computed = [e for e in computed if e.considered.fabric.technology != "wan"] or computed
    if not computed:
        raise InputError(f"{wanted} cannot join {job.gpus} {job.gpu.name} for this job", Place(field="cluster.fabric"))
    taken = min(computed, key=lambda e: e.step)
    made = _prediction(
        questionnaire.name,
        taken,
        [
            *([] if wanted else [_fastest(taken)]),
            *(wider := list(savings.spread_wider(job, taken))),
            *(one for one in job.assumptions if one.field not in {other.field for other in wider}),
            *profile.assumptions(job, catalog),
            *practice.assumptions(job, catalog),
        ],
    )
    return made if job.serves else _of_the_run(made, job, catalog)


def _fastest(taken: Entry) -> Assumption:
    """Which network the step is of, where none was named."""
    why = "not said: the one with the fastest step of all that join these GPUs; by cost weft plan recommends one"
    return Assumption(field="cluster.fabric", value=taken.id, why=why)


def _of_the_run(made: Prediction, job: Resolved, catalog: Catalog) -> Prediction:
    """With what many steps of one run are like: the slowest in a hundred, and the share of the time that trains."""
    usual = made.step_time_p50_s or made.step_time_s
    slowest = usual * (1.0 + excess_of_slowest(catalog.constants, usual)[1])
    return made.model_copy(update={"step_time_p99_s": slowest, "effective_time_percent": effective_time(job, catalog)})


def _prediction(name: str | None, entry: Entry, assumptions: list[Any]) -> Prediction:
    e = entry.estimate
    return Prediction(
        id=name,
        fabric=entry.id,
        step_time_s=added(e.breakdown.model_dump().values()),
        step_time_p10_s=e.band.p10,
        step_time_p50_s=e.band.p50,
        step_time_p90_s=e.band.p90,
        tokens_per_s_per_gpu=e.tokens_per_s_per_gpu,
        tflops_per_gpu=e.tflops_per_gpu,
        mfu=e.mfu,
        memory_gb_per_gpu=e.memory_bytes / 1e9,
        fits=e.fits,
        exposed_communication_percent=e.exposed_percent,
        parallelism=e.parallelism,
        breakdown_s=e.breakdown,
        learning=e.learning,
        serving=e.serving,
        outside_calibration=[*e.outside, *([e.crowded] if e.crowded else [])],
        assumptions=assumptions,
    )
