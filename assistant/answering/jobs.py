"""Answers for a described job, by the planner's own prediction: step time, length of a run, crossover."""

from __future__ import annotations

from assistant.library.questionnaires import from_value
from assistant.planning import plan
from assistant.planning.crossover import crossover as planned_crossover
from assistant.present.figures import layout, seconds, significant
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.catalog import Fabric
from assistant.vocabulary.plan import Crossover, Prediction
from assistant.vocabulary.questionnaire import NARROW

from . import written
from .case import Case
from .collective_times import MOST_NETWORKS
from .model_sizes import run_tokens

_BAND = "The band is from the tenth to the ninetieth percentile of the model's error on measured runs"
_CLEARLY = "clearly cheaper than {} there and at every larger size tried"
_TURN = (
    "Cheapest cost per token at the catalog's dated prices, every network at its own best split; the sizes tried "
    "are doublings, so the turn lies between the size before and the one named."
)


def _networks(case: Case) -> list[Fabric]:
    """The networks named; none where all GPUs share one scale-up link."""
    return [case.catalog.fabrics["none"]] if case.bare().domains == 1 else case.networks()[:MOST_NETWORKS]


def over(fabric: Fabric) -> str:
    """``over RoCE v2 400 Gb/s ``, and nothing where no network is crossed."""
    return "" if fabric.technology == "none" else f"over {fabric.name} "


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


def step_time(case: Case) -> Computed | None:
    """Seconds of one optimizer step on each network named."""
    if not case.trains:
        return None
    on, at = _networks(case), case.bare()
    made = case.predicted(on)
    parts = []
    for fabric, one in zip(on, made, strict=True):
        step_figure(case, fabric, one)
        unit, peak = "tokens/s per GPU", f"{significant(one.tflops_per_gpu)} TFLOP/s per GPU ÷ peak"
        speed = f"{significant(one.tokens_per_s_per_gpu)} {unit}"
        made_of = "tokens per step ÷ step time ÷ GPUs"
        case.figure(f"throughput, {fabric.id}", one.tokens_per_s_per_gpu, unit, made_of)
        case.figure(f"utilisation, {fabric.id}", one.mfu, "MFU", peak)
        parts.append(f"{over(fabric)}{seconds(one.step_time_s)} per step ({spread(one)}), {speed}, {one.mfu:.0%} MFU")
    daily = " and ".join(written.count(one.tokens_per_s_per_gpu * at.gpus * 86400) for one in made)
    per_day = f" That is {daily} tokens a day." if case.says("per_day") else ""
    text = f"{case.name} on {at.where}: {'; '.join(parts)}.{per_day}{unfit(made)}"
    return case.answer(text, caveat(made), **case.job_inputs(on))


def step_figure(case: Case, fabric: Fabric, one: Prediction) -> None:
    """The time of a step on one network, and what it is made of."""
    parts = {name: value for name, value in one.breakdown_s.model_dump().items() if value > 0.0005 * one.step_time_s}
    made_of = " + ".join(f"{name} {seconds(value)}" for name, value in parts.items())
    case.figure(f"step time, {fabric.id}", one.step_time_s, "s", f"{made_of} at {layout(one.parallelism)}")


def _of_units(case: Case) -> str:
    """The precision whose units a run's products take."""
    said = str(case.fields.get("training.precision"))
    return said if said in NARROW else "bf16"


def run_time(case: Case) -> Computed | None:
    """Days of a training run: at the GPUs' peak, and as predicted."""
    if not case.trains:
        return None
    case.assume_size()
    tokens, on, at = run_tokens(case), _networks(case)[:1], case.bare()
    [made] = case.predicted(on)
    precision = _of_units(case)
    peak, speed = at.machine.peak[precision], made.tokens_per_s_per_gpu
    least, expected = 6.0 * case.active_params * tokens / (at.gpus * peak) / 86400, tokens / (speed * at.gpus) / 86400
    short, long = (expected * end / made.step_time_s for end in (made.step_time_p10_s, made.step_time_p90_s))
    data, hours = f"{written.count(tokens)} tokens", expected * 24 * at.gpus
    case.figure("expected", expected, "days", f"{data} ÷ ({significant(speed)} tokens/s × {at.gpus} GPUs)")
    case.figure("GPU-hours", hours, "GPU-hours", f"{significant(expected)} days × 24 × {at.gpus} GPUs")
    at_peak = f"6 × {written.count(case.active_params)} × {data} ÷ ({at.gpus} × {significant(peak / 1e12)} TFLOP/s)"
    case.figure("at least, at peak", least, "days", at_peak)
    text = (
        f"Training {case.name} on {data} with {at.where} {over(on[0])}takes {significant(expected)} days "
        f"({significant(short)} to {significant(long)}), {significant(hours)} GPU-hours at "
        f"{made.mfu:.0%} MFU; at peak it would be {significant(least)} days.{unfit([made])}"
    )
    limits = f"{caveat([made])} Failures, restarts and evaluations come on top."
    return case.answer(text, limits, **case.job_inputs(on), tokens=tokens)


def crossover(case: Case) -> Computed | None:
    """From how many GPUs on RDMA, and InfiniBand, is the cheapest for the job, beside each source's number."""
    if not case.trains or case.model is None:
        return None
    gpu, start = case.gpu, ("cluster.gpus", case.usual_size, "the size the tries start from")
    gpus = case.fields.get("cluster.gpus") or case.take(*start)
    facts = case.questionnaire(cluster__gpu=gpu.id, cluster__gpus=gpus, **case.workload())
    made = plan(from_value(facts, case.catalog), case.library, index=None, today=case.today)
    found = planned_crossover(made, case.library, today=case.today)
    if found is None:
        return None
    case.take_over([one for one in made.assumptions if one.field != "cluster.gpus"])
    if found.rdma_from:
        case.figure("RDMA pays from", found.rdma_from, "GPUs", _CLEARLY.format("TCP"))
    elif found.infiniband_from:
        case.figure("InfiniBand pays from", found.infiniband_from, "GPUs", _CLEARLY.format("Ethernet with RDMA"))
    for point in found.points:
        each = ", ".join(f"{fabric} ${significant(usd)}" for fabric, usd in point.usd_per_billion_tokens.items())
        least = min(point.usd_per_billion_tokens.values())
        case.figure(f"cheapest on {point.gpus} GPUs: {point.fabric}", least, "USD per billion tokens", each)
    text = f"For {case.name} on {gpu.name}: {_rdma(found)}; {_infiniband(found)}."
    return case.answer(text, _TURN, found, model=case.name, gpu=gpu.id, sizes=[p.gpus for p in found.points])


def _rdma(found: Crossover) -> str:
    if found.rdma_from is None:
        return f"RDMA does not clearly pay up to {found.points[-1].gpus} GPUs"
    smallest = ", the smallest size tried on which the job runs" if found.rdma_from == found.points[0].gpus else ""
    return f"up to {found.gpus_per_domain} GPUs no network is needed; RDMA pays from {found.rdma_from} GPUs{smallest}"


def _infiniband(found: Crossover) -> str:
    if "infiniband" not in found.compared:
        return "InfiniBand is not among the networks that come into question"
    cheaper = "clearly cheaper than Ethernet with RDMA"
    if found.infiniband_from is None:
        return f"InfiniBand is not {cheaper} at any size up to {found.points[-1].gpus} GPUs"
    return f"InfiniBand is {cheaper} from {found.infiniband_from} GPUs"
