"""A step of reinforcement learning in words: its halves, what each asks of the network, where the memory goes."""

from __future__ import annotations

from assistant.vocabulary.added import added
from assistant.vocabulary.plan import Candidate, LearningStep, Plan

from .. import figures
from ..blocks import Block, Heading, told
from ..plots import PARTS
from . import reading

TITLE = "One step"
_LEAST = 0.005  # of a step: shorter phases are not named
_UNEVEN = 1.3  # halves further apart than this leave GPUs idle for longer than the prediction errs
_METHODS = {
    "broadcast": "broadcast (tensor by tensor)",
    "buckets": "buckets (from one rank, as verl sends them)",
    "checkpoint-engine": "checkpoint-engine (every node sends its buckets)",
    "reshard": "reshard (each GPU its own shard)",
    "disk": "disk (through shared storage)",
}
_PHASES = {"training": "training", "generation": "writing answers", "weight_sync": "taking over weights"}


def section(plan: Plan) -> list[Block]:
    """What the step of the recommended network consists of; nothing for other jobs."""
    best = reading.chosen(plan)
    if best is None or best.learning is None or best.breakdown_s is None:
        return []
    step = best.learning
    said = (_phases(best), _halves(step, plan), _tail(step), _generation(step, best), sync(step), _soonest(plan))
    return [Heading(TITLE), *told(*said, memory(step))]


def _phases(found: Candidate) -> str:
    seconds = found.breakdown_s.model_dump() if found.breakdown_s else {}
    whole = added(seconds.values())
    named = [(name, seconds[key]) for key, name, _, _ in PARTS if seconds.get(key, 0.0) > _LEAST * whole]
    parts = [f"{name} {figures.seconds(value)}" for name, value in named]
    return f"{'; '.join(parts)}."


def _halves(step: LearningStep, plan: Plan) -> str | None:
    if not step.at_once or not step.rollout_gpus:
        return None
    others = reading.gpus(plan) - step.rollout_gpus
    return (
        f"Two halves at once: {step.rollout_gpus:,} GPUs write answers for {figures.seconds(step.generation_s)} while "
        f"{others:,} learn from earlier ones for {figures.seconds(step.training_side_s)}; the longer sets the pace."
        f"{_balance(step, others) if reading.asked(plan, 'rl.rollout_gpus') else ''}"
    )


def _balance(step: LearningStep, others: int) -> str:
    """With how many GPUs neither half would wait, where one waits long now; both are taken to scale evenly."""
    writing, learning = step.generation_s, step.training_side_s
    if not step.rollout_gpus or not writing or max(writing, learning) < _UNEVEN * min(writing, learning):
        return ""
    work = step.rollout_gpus * writing
    even = round((step.rollout_gpus + others) * work / (work + others * learning))
    return f" With about {even:,} GPUs that write, neither would wait long." if 0 < even != step.rollout_gpus else ""


def _tail(step: LearningStep) -> str | None:
    share = step.alone_s / step.generation_s if step.generation_s else 0.0
    if share < 0.1:
        return None
    return (
        f"{figures.percent(100 * share)} of the writing time passes while fewer than a tenth of the answers are still "
        "being written: a lower limit on their length, or answers that the next step takes over, shorten it most."
    )


def _generation(step: LearningStep, found: Candidate) -> str | None:
    if not step.generation_s:
        return "No answers are written: the pairs are there before."
    degree = found.parallelism.get("rollout_tensor_parallel") or 1
    copy = "one GPU" if degree == 1 else f"{degree} GPUs"
    if step.generation_crosses_nodes:
        return "Writing answers crosses nodes: a copy of the engine does not fit into one."
    return f"Writing answers asks nothing of the network: a copy of the engine has {copy} inside a node."


def sync(step: LearningStep) -> str | None:
    """What the new weights ask of the network, and how long each way of sending them takes."""
    if step.weight_sync is None or not step.weight_sync_s:
        return None
    moved = (
        f"{step.weight_sync_gb:,.3g} GB of new weights go into each node"
        if step.weight_sync_gb
        else ("The new weights cross no network")
    )
    own = step.weight_sync_s[step.weight_sync]
    others = [
        f"{_METHODS[name]} {figures.seconds(value)}"
        for name, value in sorted(step.weight_sync_s.items(), key=lambda item: item[1])
        if name != step.weight_sync
    ]
    return f"{moved} after each step, {figures.seconds(own)} by {_METHODS[step.weight_sync]}; {', '.join(others)}."


def _soonest(plan: Plan) -> str | None:
    """Where another method is the soonest on another network: where they cross."""
    by_method: dict[str, list[str]] = {}
    for found in plan.candidates:
        if found.learning is not None and found.learning.weight_sync_s:
            methods = found.learning.weight_sync_s
            by_method.setdefault(min(methods, key=methods.__getitem__), []).append(found.fabric)
    if len(by_method) < 2:
        return None
    told_ = [f"{name} on {', '.join(fabrics[:3])}" for name, fabrics in by_method.items()]
    return f"Which way is the soonest depends on the network: {'; '.join(told_)}."


def memory(step: LearningStep) -> str:
    """How full the fullest GPU is in each phase."""
    parts = [f"{size * 1e9 / 2**30:,.0f} GiB {_PHASES[phase]}" for phase, size in step.memory_gb.items()]
    return f"The fullest GPU has {', '.join(parts)}."
