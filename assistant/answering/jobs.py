"""Answers for a described job, by the planner's own prediction: step time, length of a run, crossover."""

from __future__ import annotations

import datetime
from typing import Any

from assistant.library import Library
from assistant.library.questionnaires import from_value
from assistant.planning import plan
from assistant.planning.crossover import crossover as planned_crossover
from assistant.planning.prediction import predict
from assistant.planning.resolve import Assumptions
from assistant.present.figures import layout, seconds, significant
from assistant.vocabulary.answers import Computed, Figure
from assistant.vocabulary.catalog import Catalog, Fabric
from assistant.vocabulary.plan import Crossover, Prediction
from assistant.vocabulary.questionnaire import SERVING

from . import written
from .asked import Asked
from .model_sizes import run_tokens
from .recognition import asks_per_day
from .result import computed, figure
from .situation import USUAL_NODES, fabrics, gpu_of, model_of, over, params_of, questionnaire, situation

_MOST_NETWORKS = 3
_BAND = "The band is from the tenth to the ninetieth percentile of the model's error on measured runs"


def predictions(asked: Asked, catalog: Catalog, on: list[Fabric], taken: Assumptions) -> list[Prediction]:
    """The job on each fabric at its own best split; what the planner assumed is taken over. Raises :class:`InputError`."""
    given = {"workload": "pretraining"} if asked.fields.get("workload") is None else {}
    if given:
        taken.take("workload", "pretraining", "not said")
    gpu_of(asked, catalog, taken)
    made = []
    for fabric in on:
        facts = questionnaire(asked, cluster__fabric=fabric.id, **given)
        facts["cluster"].setdefault("gpu", gpu_of(asked, catalog, Assumptions()).id)
        made.append(predict(from_value(facts, catalog), catalog))
        taken.taken += [
            one for one in made[-1].assumptions if one.field != "training.tokens"
        ]  # a step is as long in any run
    return made


def _networks(asked: Asked, catalog: Catalog, taken: Assumptions) -> list[Fabric]:
    """The networks named; none where all GPUs share one scale-up link."""
    at = situation(asked, catalog, Assumptions())
    if at.domains == 1:
        return [catalog.fabrics["none"]]
    return fabrics(asked, catalog, taken, at.gpu)[:_MOST_NETWORKS]


def is_training(asked: Asked) -> bool:
    """Whether it is not about serving."""
    return asked.fields.get("workload") not in SERVING


def spread(one: Prediction) -> str:
    """From the tenth to the ninetieth percentile of a step."""
    return f"{seconds(one.step_time_p10_s)} to {seconds(one.step_time_p90_s)}"


def caveat(made: list[Prediction]) -> str:
    """What the band is, and what lies outside of what was calibrated."""
    outside = list(dict.fromkeys(reason for one in made for reason in one.outside_calibration))
    return _BAND + (f"; outside what was calibrated: {'; '.join(outside)}." if outside else ".")


def unfit(made: list[Prediction]) -> str:
    """A sentence when the job does not fit in memory."""
    return "" if all(one.fits for one in made) else " It does not fit in memory as described."


def step_time(asked: Asked, library: Library, today: datetime.date | None) -> Computed | None:
    """Seconds of one optimizer step on each network named."""
    named, taken = model_of(asked, library.catalog), Assumptions()
    if named is None or not is_training(asked):
        return None
    on = _networks(asked, library.catalog, taken)
    made = predictions(asked, library.catalog, on, taken)
    at = situation(asked, library.catalog, Assumptions())
    figures = [one for fabric, found in zip(on, made, strict=True) for one in step_figures(fabric, found)]
    parts = [
        f"{over(fabric)}{seconds(one.step_time_s)} per step ({spread(one)}), {significant(one.tokens_per_s_per_gpu)} "
        f"tokens/s per GPU, {one.mfu:.0%} MFU"
        for fabric, one in zip(on, made, strict=True)
    ]
    text = f"{named[0]} on {at.where}: {'; '.join(parts)}.{_per_day(asked, at.gpus, made)}{unfit(made)}"
    return computed("step-time", asked, text, figures, inputs(asked, named[0], on), taken, caveat(made))


def _per_day(asked: Asked, gpus: int, made: list[Prediction]) -> str:
    """Tokens of a day, where that is asked."""
    if not asks_per_day(asked):
        return ""
    return (
        f" That is {' and '.join(written.count(one.tokens_per_s_per_gpu * gpus * 86400) for one in made)} tokens a day."
    )


def step_figures(fabric: Fabric, one: Prediction) -> list[Figure]:
    """Step time, throughput and utilisation on one network."""
    parts = {name: value for name, value in one.breakdown_s.model_dump().items() if value > 0.0005 * one.step_time_s}
    formula = f"{' + '.join(f'{name} {seconds(value)}' for name, value in parts.items())} at {layout(one.parallelism)}"
    return [
        figure(f"step time, {fabric.id}", one.step_time_s, "s", formula),
        figure(
            f"throughput, {fabric.id}",
            one.tokens_per_s_per_gpu,
            "tokens/s per GPU",
            "tokens per step ÷ step time ÷ GPUs",
        ),
        figure(
            f"utilisation, {fabric.id}", one.mfu, "MFU", f"{significant(one.tflops_per_gpu)} TFLOP/s per GPU ÷ peak"
        ),
    ]


def inputs(asked: Asked, model: str, on: list[Fabric]) -> dict[str, Any]:
    """What a computation for a job was given."""
    return {
        "model": model,
        "gpu": asked.fields.get("cluster.gpu"),
        "gpus": asked.fields.get("cluster.gpus"),
        "fabrics": [fabric.id for fabric in on],
    }


def run_time(asked: Asked, library: Library, today: datetime.date | None) -> Computed | None:
    """Days of a training run: at the GPUs' peak, and as predicted."""
    named, taken = model_of(asked, library.catalog), Assumptions()
    if named is None or not is_training(asked):
        return None
    name, a = named
    asked = asked.with_size(USUAL_NODES * gpu_of(asked, library.catalog, taken).gpus_per_node, taken)
    tokens = run_tokens(asked, a, taken)
    on = _networks(asked, library.catalog, taken)[:1]
    [made] = predictions(asked, library.catalog, on, taken)
    at = situation(asked, library.catalog, Assumptions())
    params = a.active_params if a.experts else params_of(asked, a)
    total, peak = (
        6.0 * params * tokens,
        at.machine.peak["fp8" if asked.fields.get("training.precision") == "fp8" else "bf16"],
    )
    least = total / (at.gpus * peak) / 86400
    expected = tokens / (made.tokens_per_s_per_gpu * at.gpus) / 86400
    stretch = [expected * end / made.step_time_s for end in (made.step_time_p10_s, made.step_time_p90_s)]
    figures = [
        figure(
            "expected",
            expected,
            "days",
            f"{written.count(tokens)} tokens ÷ ({significant(made.tokens_per_s_per_gpu)} tokens/s × {at.gpus} GPUs)",
        ),
        figure(
            "GPU-hours", expected * 24 * at.gpus, "GPU-hours", f"{significant(expected)} days × 24 × {at.gpus} GPUs"
        ),
        figure(
            "at least, at peak",
            least,
            "days",
            f"6 × {written.count(params)} × {written.count(tokens)} tokens ÷ ({at.gpus} × "
            f"{significant(peak / 1e12)} TFLOP/s)",
        ),
    ]
    text = (
        f"Training {name} on {written.count(tokens)} tokens with {at.where} {over(on[0])}takes {significant(expected)} days "
        f"({significant(stretch[0])} to {significant(stretch[1])}), {significant(expected * 24 * at.gpus)} GPU-hours at "
        f"{made.mfu:.0%} MFU; at peak it would be {significant(least)} days.{unfit([made])}"
    )
    warning = caveat([made]) + " Failures, restarts and evaluations come on top."
    return computed("run-time", asked, text, figures, inputs(asked, name, on) | {"tokens": tokens}, taken, warning)


def crossover(asked: Asked, library: Library, today: datetime.date | None) -> Computed | None:
    """From how many GPUs on RDMA, and InfiniBand, is the cheapest for the job, beside each source's number."""
    named, taken, catalog = model_of(asked, library.catalog), Assumptions(), library.catalog
    if named is None or not is_training(asked):
        return None
    gpu = gpu_of(asked, catalog, taken)
    gpus = asked.fields.get("cluster.gpus") or taken.take(
        "cluster.gpus", USUAL_NODES * gpu.gpus_per_node, "the size the tries start from"
    )
    given = {} if asked.fields.get("workload") else {"workload": taken.take("workload", "pretraining", "not said")}
    facts = questionnaire(asked, cluster__gpu=gpu.id, cluster__gpus=gpus, **given)
    made = plan(from_value(facts, catalog), library, index=None, today=today)
    found = planned_crossover(made, library, today=today)
    if found is None:
        return None
    taken.taken += [one for one in made.assumptions if one.field not in ("cluster.gpus", "training.tokens")]
    figures = _crossover_figures(found)
    text = f"For {named[0]} on {gpu.name}: {_rdma(found)}; {_infiniband(found)}."
    warning = (
        "Cheapest cost per token at the catalog's dated prices, every network at its own best split; the sizes tried "
        "are doublings, so the turn lies between the size before and the one named."
    )
    return computed(
        "crossover",
        asked,
        text,
        figures,
        {"model": named[0], "gpu": gpu.id, "sizes": [p.gpus for p in found.points]},
        taken,
        warning,
        found,
    )


def _crossover_figures(found: Crossover) -> list[Figure]:
    figures = [
        figure(
            f"cheapest on {point.gpus} GPUs: {point.fabric}",
            min(point.usd_per_billion_tokens.values()),
            "USD per billion tokens",
            ", ".join(f"{fabric} ${significant(usd)}" for fabric, usd in point.usd_per_billion_tokens.items()),
        )
        for point in found.points
    ]
    turn = found.rdma_from or found.infiniband_from
    first = (
        figure(
            "RDMA pays from", found.rdma_from, "GPUs", "clearly cheaper than TCP there and at every larger size tried"
        )
        if found.rdma_from
        else figure(
            "InfiniBand pays from",
            turn,
            "GPUs",
            "clearly cheaper than Ethernet with RDMA there and at every larger size tried",
        )
        if turn
        else None
    )
    return [first, *figures] if first else figures


def _rdma(found: Crossover) -> str:
    if found.rdma_from is None:
        return f"RDMA does not clearly pay up to {found.points[-1].gpus} GPUs"
    smallest = ", the smallest size tried on which the job runs" if found.rdma_from == found.points[0].gpus else ""
    return f"up to {found.gpus_per_domain} GPUs no network is needed; RDMA pays from {found.rdma_from} GPUs{smallest}"


def _infiniband(found: Crossover) -> str:
    if "infiniband" not in found.compared:
        return "InfiniBand is not among the networks that come into question"
    if found.infiniband_from is None:
        return (
            f"InfiniBand is not clearly cheaper than Ethernet with RDMA at any size up to {found.points[-1].gpus} GPUs"
        )
    return f"InfiniBand is clearly cheaper than Ethernet with RDMA from {found.infiniband_from} GPUs"
