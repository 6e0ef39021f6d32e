"""How many GPUs finish a training run by a deadline: sizes that were tried with the model."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from assistant.library.questionnaires import from_value
from assistant.planning.grid import round_sizes
from assistant.planning.prediction import predict
from assistant.present.figures import layout, significant
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.catalog import Fabric
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Prediction

from . import written
from .case import Case
from .jobs import caveat
from .model_sizes import run_tokens

_DAY = 86_400.0
_LIMITS = " Sizes are tried in steps of a seventh to a quarter. Failures, restarts and evaluations come on top."


@dataclass
class _Sizes:
    """One job on one network at any number of GPUs; a size that cannot be is ``None``. Sizes tried are kept."""

    case: Case
    fabric: Fabric
    given: dict[str, Any]
    tokens: float = 0.0
    tried: dict[int, Prediction | None] = field(default_factory=dict)

    def at(self, gpus: int) -> Prediction | None:
        if gpus not in self.tried:
            case, gpu = self.case, self.case.gpu
            node = case.fields.get("cluster.gpus_per_node") or gpu.gpus_per_node
            on = {"cluster__fabric": self.fabric.id} if gpus > node else {}
            facts = case.questionnaire(cluster__gpu=gpu.id, cluster__gpus=gpus, **on, **self.given)
            try:
                made = predict(from_value(facts, case.catalog), case.catalog)
            except InputError:
                made = None
            self.tried[gpus] = made if made is not None and made.fits else None
        return self.tried[gpus]

    def fitting(self, gpus: int) -> Prediction:
        """The job at a size that was tried and can be."""
        made = self.at(gpus)
        assert made is not None
        return made

    def days(self, gpus: int) -> float:
        """Expected length of the run; infinite where the job cannot run."""
        made = self.at(gpus)
        return math.inf if made is None else self.tokens / (made.tokens_per_s_per_gpu * gpus) / _DAY

    def over(self, gpus: int) -> str:
        return f" over {self.fabric.name}" if gpus > self.case.gpu.gpus_per_node else ""

    def length(self, gpus: int) -> str:
        """``56.4 days (47.3 to 69.1) at 34% MFU (TP 8 · PP 2), 5,550,000 GPU-hours``."""
        days, made = self.days(gpus), self.fitting(gpus)
        short, long = (days * end / made.step_time_s for end in (made.step_time_p10_s, made.step_time_p90_s))
        band, split = f"{significant(short)} to {significant(long)}", layout(made.parallelism)
        return (
            f"{significant(days)} days ({band}) at {made.mfu:.0%} MFU ({split}), {significant(days * 24 * gpus)} "
            "GPU-hours"
        )


def deadline(case: Case) -> Computed | None:
    """The smallest number of GPUs tried that finishes the run in the days named."""
    said = case.fields
    days = said.get("constraints.deadline_days") or said.get("training.days") or case.utterance.roles.get("days")
    if not days or not case.trains:
        return None
    gpu, tokens = case.gpu, run_tokens(case)
    sizes = _Sizes(case, case.networks()[0], case.workload(), tokens)
    fp8 = gpu.peak_fp8 if case.fields.get("training.precision") == "fp8" else None
    peak = (fp8 or gpu.peak_bf16).si  # FLOP/s of one GPU in the precision of the run, dense
    at_peak = max(1, math.ceil(6.0 * case.active_params * tokens / (peak * days * _DAY)))
    found = next((gpus for gpus in round_sizes(at_peak, gpu.gpus_per_node) if sizes.days(gpus) <= days), None)
    inputs = case.job_inputs([sizes.fabric]) | {"tokens": tokens, "days": days}
    if found is None:
        return _never(case, sizes, days, inputs)
    case.take_over(sizes.fitting(found).assumptions)
    if found <= gpu.gpus_per_node:  # nothing crosses a network
        case.taken.taken = [one for one in case.taken.taken if one.field != "cluster.fabric"]
    _run_figures(case, sizes, found, days)
    data = f"{written.count(tokens)} tokens"
    machines = f"({significant(peak / 1e12)} TFLOP/s × {days:g} days)"
    case.figure("at least, at peak", at_peak, "GPUs", f"6 × {written.count(case.active_params)} × {data} ÷ {machines}")
    text = (
        f"Training {case.name} on {data} in {significant(days)} days takes about {found:,} "
        f"{gpu.name}{sizes.over(found)}: {sizes.length(found)}; at peak {at_peak:,} would do."
    )
    return case.answer(text, caveat([sizes.fitting(found)]) + _LIMITS, **inputs)


def _never(case: Case, sizes: _Sizes, days: float, inputs: dict[str, Any]) -> Computed | None:
    """Where no number of GPUs is enough: the most that still work at half of the best utilisation, and what keeps more
    from helping."""
    possible = {gpus: made for gpus, made in sizes.tried.items() if made is not None}
    if not possible:
        return None
    busy = max(made.mfu for made in possible.values()) / 2
    best = min((gpus for gpus, made in possible.items() if made.mfu >= busy), key=sizes.days)
    least = min(possible, key=sizes.days)
    assumptions = possible[best].assumptions
    case.take_over(assumptions)
    assumed = next((one.value for one in assumptions if one.field == "training.global_batch"), None)
    batch = assumed or case.fields.get("training.global_batch")
    further = f"{least:,}: {significant(sizes.days(least))} days at {possible[least].mfu:.0%} MFU"
    more = f"More hardly help ({further})" if least != best else "More could not be used"
    text = (
        f"No number of {case.gpu.name} tried, up to {max(possible):,}, trains {case.name} on "
        f"{written.count(sizes.tokens)} tokens in {significant(days)} days at a global batch of {batch} sequences: "
        f"{best:,}{sizes.over(best)} take {sizes.length(best)}. {more}, since the batch leaves each too little work; a "
        "larger batch would."
    )
    _run_figures(case, sizes, best, days)
    return case.answer(text, caveat([possible[best]]), **inputs)


def _run_figures(case: Case, sizes: _Sizes, gpus: int, days: float) -> None:
    length, speed = sizes.days(gpus), sizes.fitting(gpus).tokens_per_s_per_gpu
    case.figure("GPUs", gpus, "GPUs", f"smallest size tried whose run takes at most {days:g} days")
    rate = f"({significant(speed)} tokens/s × {gpus:,} GPUs)"
    case.figure("length of the run", length, "days", f"{written.count(sizes.tokens)} tokens ÷ {rate}")
    case.figure("GPU-hours", length * 24 * gpus, "GPU-hours", f"{significant(length)} days × 24 × {gpus:,} GPUs")
