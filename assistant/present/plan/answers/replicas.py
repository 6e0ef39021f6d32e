"""Copies of a served model: whether one fits a node, prompts and answers apart, and more users at once."""

from __future__ import annotations

from math import ceil

from assistant.vocabulary.errors import InputError

from ... import figures
from .. import crossing, reading
from .asked import Asked, money
from .learning import shared
from .trials import MARGINS, stays


def one_node(asked: Asked) -> list[str]:
    """Whether a copy fits in one node, and what that means for the network."""
    best = asked.best
    if best is None or not best.memory_gb_per_gpu:
        return [asked.plan.recommendation.smallest_change or ""]
    gpu = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]]
    per = int(reading.asked(asked.plan, "cluster.gpus_per_node") or gpu.gpus_per_node)
    room, need = gpu.memory.si / 2**30, reading.gib(best)
    if best.serving is None:
        inside = best.fabric == "none"
        where = "in one node" if inside else f"spread over {reading.gpus(asked.plan):,} GPUs of several nodes"
        return [f"The plan has it {where}: {need:,.0f} of {room:,.0f} GiB on the fullest GPU."]
    size = best.serving.gpus_per_copy
    used = f"{need:,.0f} of {room:,.0f} GiB on the fullest GPU, requests counted"
    if size <= per:
        return [
            f"One node: a copy takes {size} of its {per} {gpu.name}, {used}.",
            f"So nothing of it crosses nodes; {figures.counted(best.serving.copies, 'copy', 'copies')} answer each on "
            "their own, and ordinary Ethernet will do.",
        ]
    return [
        f"Across nodes: a copy takes {size} GPUs and a node has {per}, {used}.",
        f"So every token crosses {asked.name(best.fabric)}.",
    ]


def day_and_night(asked: Asked) -> list[str]:
    """Serving by day and training by night on the same GPUs, against a set of machines for each."""
    best = asked.best
    if best is None or best.usd_per_month is None:
        return []
    gpus, month = reading.gpus(asked.plan), figures.usd(best.usd_per_month)
    if not reading.serves(asked.plan):
        return [f"Yes, if the run may pause by day: its {gpus:,} GPUs then serve, at no GPU more than {month} a month."]
    return [
        f"Yes, they take turns: the {gpus:,} GPUs for {month} a month do both, and a second set for the training is "
        "not rented.",
        "If: the run ends before the day begins and one copy answers at night.",
        "A change takes minutes to load; keep yesterday's adapter to go back to.",
    ]


def disaggregated(asked: Asked) -> list[str]:
    """The same GPUs with prompts and answers on different ones."""
    best = asked.best
    if not reading.serves(asked.plan) or best is None or best.serving is None:
        if best is not None and best.learning is not None:
            return shared(asked)
        return ["It is no service, so there are no prompts and answers to keep apart."] if best else []
    if asked.plan.crossing is not None and asked.plan.crossing.prefill_workers is not None:
        return crossing.sentences(asked.plan, asked.plan.crossing)
    copies = best.serving.copies
    made = None
    if copies > 1:
        half = max(1, copies // 4)
        sides = {"inference.prefill_workers": half, "inference.decode_workers": copies - half}
        made = asked.tried({"workload": "disaggregated-inference", **sides})
    alone = "Prompts and answers share the GPUs now and nothing crosses nodes, which is the simple way."
    advice = "Apart it needs RDMA for the caches (RoCE will do) and a tuned split: worth a trial only if bursts of long"
    found = made.crossing if made is not None else None
    if found is None or found.prefill_workers is None:
        first = (
            "Nothing that the plan can show: these GPUs in two groups do not hold the targets or cannot be computed."
        )
        return [
            first if copies > 1 else "No: one copy cannot be divided in two groups.",
            alone,
            f"{advice} prompts make the answers stutter.",
        ]
    *_, last = crossing.sentences(made or asked.plan, found)
    return [last, alone]


def twice_at_once(asked: Asked) -> list[str]:
    """The service with more users at once, where no requests per second were said."""
    many = reading.asked(asked.plan, "inference.concurrency")
    best = asked.best
    if not many or reading.asked(asked.plan, "inference.requests_per_s") or best is None or best.serving is None:
        return []
    gpus, named = reading.gpus(asked.plan), asked.meant("inference.concurrency")
    more = int(named if named and named != many else (asked.times or 2.0) * many)
    times = more / many
    held = asked.tried({"inference.concurrency": more})
    if held is not None and reading.gpus(held) == gpus:
        one = reading.chosen(held)
        return [f"With {more:,} users at once the {gpus:,} GPUs still hold: {_times(one.serving)}."] if one else []
    first = _breaks(asked, more)
    sizes = (ceil(margin * times * gpus) for margin in MARGINS)
    tried = (asked.tried({"inference.concurrency": more, "cluster.gpus": size}) for size in sizes)
    wider = next((made for made in tried if made is not None), None)
    other = reading.chosen(wider) if wider else None
    now = f"Now, with {many:,}: {gpus:,} GPUs, {money(best)}, first token {figures.seconds(best.serving.ttft_s)}."
    if wider is None or other is None or other.serving is None:
        return [f"With {more:,} users at once {first}", now]
    takes = f"{reading.gpus(wider):,} GPUs, {money(other)} a month, {_times(other.serving)}"
    return [f"With {more:,} users at once it takes {takes}.", now, *stays(asked, wider)]


def _breaks(asked: Asked, more: int) -> str:
    """What gives way first, as the plan with so many says."""
    try:
        made = asked.planned({"inference.concurrency": more})
    except InputError:
        made = None
    change = made.recommendation.smallest_change if made else None
    return f"the targets are missed first, not the network. {change}" if change else "these GPUs miss the targets."


def _times(served: object) -> str:
    first, each = getattr(served, "ttft_s", None), getattr(served, "tpot_s", None)
    return f"first token {figures.seconds(first)}, each further {figures.seconds(each)}"
