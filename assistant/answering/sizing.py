"""How many GPUs finish a training run by a deadline, and how many carry a serving load: sizes that were tried with the model."""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass, field
from typing import Any

from assistant.library import Library
from assistant.library.questionnaires import from_value
from assistant.planning.grid import MOST_GPUS, round_sizes
from assistant.planning.prediction import predict
from assistant.planning.resolve import Assumptions
from assistant.present.figures import layout, significant
from assistant.vocabulary.answers import Computed, Figure
from assistant.vocabulary.catalog import Catalog, Fabric, Gpu
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Prediction

from . import written
from .asked import Asked
from .jobs import caveat, inputs, is_training
from .model_sizes import run_tokens
from .result import computed, figure
from .situation import fabrics, gpu_of, model_of, params_of, questionnaire

_DAY = 86_400.0
_SERVING = (
    "Serving is computed to first order and not calibrated on measured runs: measure one copy before buying. Peaks above the "
    "average load, and copies in reserve, come on top."
)


@dataclass
class _Sizes:
    """One job on one network at any number of GPUs; a size that cannot be is ``None``. Sizes tried are kept."""

    asked: Asked
    catalog: Catalog
    gpu: Gpu
    fabric: Fabric
    given: dict[str, Any]
    tried: dict[int, Prediction | None] = field(default_factory=dict)

    def at(self, gpus: int) -> Prediction | None:
        if gpus not in self.tried:
            node = self.asked.fields.get("cluster.gpus_per_node") or self.gpu.gpus_per_node
            on = {"cluster__fabric": self.fabric.id} if gpus > node else {}
            facts = questionnaire(self.asked, cluster__gpu=self.gpu.id, cluster__gpus=gpus, **on, **self.given)
            load = {
                name.removeprefix("inference."): value
                for name, value in self.asked.fields.items()
                if name.startswith("inference.")
            }
            try:
                made = predict(from_value(facts | ({"inference": load} if load else {}), self.catalog), self.catalog)
            except InputError:
                made = None
            self.tried[gpus] = made if made is not None and made.fits else None
        return self.tried[gpus]

    def take_over(self, gpus: int, taken: Assumptions) -> None:
        """What the planner assumed at that size."""
        made = self.tried[gpus]
        taken.taken += [one for one in (made.assumptions if made else ()) if one.field != "training.tokens"]


def deadline(asked: Asked, library: Library, today: datetime.date | None) -> Computed | None:
    """The smallest number of GPUs tried that finishes the run in the days named."""
    named, taken, catalog = model_of(asked, library.catalog), Assumptions(), library.catalog
    days = asked.fields.get("constraints.deadline_days") or asked.fields.get("training.days")
    if named is None or not days or not is_training(asked):
        return None
    gpu, tokens = gpu_of(asked, catalog, taken), run_tokens(asked, named[1], taken)
    fabric = fabrics(asked, catalog, taken, gpu)[0]
    given = {} if asked.fields.get("workload") else {"workload": taken.take("workload", "pretraining", "not said")}
    sizes = _Sizes(asked, catalog, gpu, fabric, given)
    params = named[1].active_params if named[1].experts else params_of(asked, named[1])
    peak = _peak(asked, gpu)
    at_peak = max(1, math.ceil(6.0 * params * tokens / (peak * days * _DAY)))
    found = next((gpus for gpus in round_sizes(at_peak, gpu.gpus_per_node) if _days(sizes, gpus, tokens) <= days), None)
    if found is None:
        return _never(asked, named[0], sizes, tokens, days, taken)
    sizes.take_over(found, taken)
    if found <= gpu.gpus_per_node:  # nothing crosses a network
        taken.taken = [one for one in taken.taken if one.field != "cluster.fabric"]
    floor = figure(
        "at least, at peak",
        at_peak,
        "GPUs",
        f"6 × {written.count(params)} × {written.count(tokens)} tokens ÷ "
        f"({significant(peak / 1e12)} TFLOP/s × {days:g} days)",
    )
    text = (
        f"Training {named[0]} on {written.count(tokens)} tokens in {significant(days)} days takes about {found:,} {gpu.name}"
        f"{_over(fabric, found, gpu)}: {_length(sizes, found, tokens)}; at peak {at_peak:,} would do."
    )
    limits = " Sizes are tried in steps of a seventh to a quarter. Failures, restarts and evaluations come on top."
    return computed(
        "deadline",
        asked,
        text,
        [*_run_figures(sizes, found, tokens, days), floor],
        inputs(asked, named[0], [fabric]) | {"tokens": tokens, "days": days},
        taken,
        caveat([sizes.tried[found]]) + limits,
    )


def _never(asked: Asked, model: str, sizes: _Sizes, tokens: float, days: float, taken: Assumptions) -> Computed | None:
    """Where no number of GPUs is enough: the most that still work at half of the best utilisation, and what keeps more from helping."""
    possible = {gpus: made for gpus, made in sizes.tried.items() if made is not None}
    if not possible:
        return None
    busy = max(made.mfu for made in possible.values()) / 2
    best = min(
        (gpus for gpus, made in possible.items() if made.mfu >= busy), key=lambda gpus: _days(sizes, gpus, tokens)
    )
    least = min(possible, key=lambda gpus: _days(sizes, gpus, tokens))
    sizes.take_over(best, taken)
    batch = next(
        (one.value for one in sizes.tried[best].assumptions if one.field == "training.global_batch"), None
    ) or asked.fields.get("training.global_batch")
    more = (
        f"More hardly help ({least:,}: {significant(_days(sizes, least, tokens))} days at {possible[least].mfu:.0%} MFU)"
        if least != best
        else "More could not be used"
    )
    text = (
        f"No number of {sizes.gpu.name} tried, up to {max(possible):,}, trains {model} on {written.count(tokens)} tokens in {significant(days)} days "
        f"at a global batch of {batch} sequences: {best:,}{_over(sizes.fabric, best, sizes.gpu)} take {_length(sizes, best, tokens)}. {more}, "
        f"since the batch leaves each too little work; a larger batch would."
    )
    return computed(
        "deadline",
        asked,
        text,
        _run_figures(sizes, best, tokens, days),
        inputs(asked, model, [sizes.fabric]) | {"tokens": tokens, "days": days},
        taken,
        caveat([sizes.tried[best]]),
    )


def _peak(asked: Asked, gpu: Gpu) -> float:
    """FLOP/s of one GPU in the precision of the run, dense."""
    fp8 = gpu.peak_fp8 if asked.fields.get("training.precision") == "fp8" else None
    return (fp8 or gpu.peak_bf16).si


def _days(sizes: _Sizes, gpus: int, tokens: float) -> float:
    """Expected length of the run; infinite where the job cannot run."""
    made = sizes.at(gpus)
    return math.inf if made is None else tokens / (made.tokens_per_s_per_gpu * gpus) / _DAY


def _run_figures(sizes: _Sizes, gpus: int, tokens: float, days: float) -> list[Figure]:
    length, speed = _days(sizes, gpus, tokens), sizes.tried[gpus].tokens_per_s_per_gpu
    return [
        figure("GPUs", gpus, "GPUs", f"smallest size tried whose run takes at most {days:g} days"),
        figure(
            "length of the run",
            length,
            "days",
            f"{written.count(tokens)} tokens ÷ ({significant(speed)} tokens/s × {gpus:,} GPUs)",
        ),
        figure("GPU-hours", length * 24 * gpus, "GPU-hours", f"{significant(length)} days × 24 × {gpus:,} GPUs"),
    ]


def _length(sizes: _Sizes, gpus: int, tokens: float) -> str:
    """``56.4 days (47.3 to 69.1) at 34% MFU (TP 8 · PP 2), 5,550,000 GPU-hours``."""
    length, made = _days(sizes, gpus, tokens), sizes.tried[gpus]
    short, long = (length * end / made.step_time_s for end in (made.step_time_p10_s, made.step_time_p90_s))
    return (
        f"{significant(length)} days ({significant(short)} to {significant(long)}) at {made.mfu:.0%} MFU "
        f"({layout(made.parallelism)}), {significant(length * 24 * gpus)} GPU-hours"
    )


def load(asked: Asked, library: Library, today: datetime.date | None) -> Computed | None:
    """The fewest GPUs that carry so many requests per second, and whether those named do."""
    named, taken, catalog = model_of(asked, library.catalog), Assumptions(), library.catalog
    wanted = asked.fields.get("inference.requests_per_s")
    if named is None or not wanted or is_training(asked):
        return None
    gpu, on = gpu_of(asked, catalog, taken), Assumptions()
    sizes = _Sizes(asked, catalog, gpu, fabrics(asked, catalog, on, gpu)[0], {})
    found = _carrying(sizes, wanted)
    if found is None:
        return None
    made, carried = sizes.at(found), _carried(sizes, found)
    copies = max(1, made.parallelism.get("replicas", 1))
    sizes.take_over(found, taken)
    taken.taken += on.taken if found // copies > gpu.gpus_per_node else []  # a copy within a node crosses no network
    many = "1 copy" if copies == 1 else f"{copies:,} copies"
    figures = [
        figure(
            "GPUs", found, "GPUs", f"fewest tried that carry {wanted:g} requests/s: {many} of {found // copies} GPUs"
        ),
        figure(
            "carried",
            carried,
            "requests/s",
            f"{significant(made.tokens_per_s_per_gpu)} tokens/s × {found:,} GPUs ÷ "
            f"{_output_tokens(sizes, found):g} tokens per answer",
        ),
    ]
    text = (
        f"Serving {named[0]} at {wanted:g} requests per second takes about {found:,} {gpu.name}: {many} of "
        f"{found // copies} GPUs for {significant(carried)} requests per second."
    )
    said = asked.fields.get("cluster.gpus")
    if said is not None:
        now = _carried(sizes, said)
        figures.append(figure(f"carried by {said:,}", now, "requests/s", "as many copies as the GPUs named hold"))
        enough = "enough" if now >= wanted else "not enough"
        carry = f"{said:,} carry {significant(now)} requests per second: {enough}."
        text += f" {carry}" if now else f" On {said:,} it does not fit."
    given = {"model": named[0], "gpu": gpu.id, "gpus": said, "requests_per_s": wanted}
    return computed("load", asked, text, figures, given, taken, _SERVING)


def _carrying(sizes: _Sizes, wanted: float) -> int | None:
    """Part of a node where that is enough, else whole nodes; the copies on each node carry alike, so one size tells the others."""
    node = sizes.gpu.gpus_per_node
    for gpus in (n for n in (1, 2, 4) if n < node):
        if _carried(sizes, gpus) >= wanted:
            return gpus
    first = next((n for n in (1, 2, 4, 8) if _carried(sizes, n * node)), None)
    if first is None or first * node * wanted / _carried(sizes, first * node) > MOST_GPUS:
        return None
    nodes = max(first, math.ceil(first * wanted / _carried(sizes, first * node)))
    while _carried(sizes, nodes * node) < wanted and nodes * node < MOST_GPUS:
        nodes += first
    return nodes * node


def _carried(sizes: _Sizes, gpus: int) -> float:
    """Requests per second of all copies; 0 where no copy fits."""
    made = sizes.at(gpus)
    return 0.0 if made is None else made.tokens_per_s_per_gpu * gpus / _output_tokens(sizes, gpus)


def _output_tokens(sizes: _Sizes, gpus: int) -> float:
    said = sizes.asked.fields.get("inference.output_tokens")
    return said or next(one.value for one in sizes.at(gpus).assumptions if one.field == "inference.output_tokens")


def _over(fabric: Fabric, gpus: int, gpu: Gpu) -> str:
    return f" over {fabric.name}" if gpus > gpu.gpus_per_node else ""
