"""What a plan does to save memory where the job does not fit without, told as an assumption."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.model.job import SAVINGS
from assistant.vocabulary.plan import Assumption, Warning_
from assistant.vocabulary.questionnaire import STRATEGY_NAMES

from .entry import Entry
from .resolve import Resolved

_FREE = 0.9  # assumed: of a node's RAM; the system, the data loader and buffers of checkpoints take the rest
_DOES = {
    "chunked-loss": "the loss is computed chunk by chunk of the tokens and no whole logits are kept (Liger Kernel, "
    "2410.10989; torchtune's chunked cross-entropy)",
    "offload": "the layers' inputs, which full recompute starts from, wait in the host's memory",
    "tiled-mlp": "the MLP is recomputed tile by tile of the tokens (Arctic Long Sequence Training, 2506.13996)",
}


def assumptions(job: Resolved, chosen: Entry | None) -> Iterator[Assumption]:
    """What is done besides in the plan's split, with the memory that a host gives for it."""
    layout = chosen.estimate.parallelism if chosen and chosen.estimated else {}
    saving = str(layout.get("saving") or SAVINGS[0])
    does = done(saving)
    if not does:
        return
    host = _host_gb(job, layout) if SAVINGS.index(saving) >= SAVINGS.index("offload") else 0.0
    room = f", {host:,.0f} GB of each node's{_of_what_is_there(job, host)}" if host else ""
    why = f"it does not fit without: {'; '.join(does)}{room}; your stack has to be able to"
    yield Assumption(field="memory saving", value=saving, why=why)


def _of_what_is_there(job: Resolved, host_gb: float) -> str:
    """The RAM of the usual node beside what is asked of it, where it is known."""
    there = job.gpu.host_memory
    if there is None:
        return ", whose RAM the catalog does not know: check that it has so much"
    usual = f"{there.si / 1e9:,.0f} GB, as a usual one has"
    return f", MORE than {usual}: it will not do there" if host_gb > _FREE * there.si / 1e9 else f" {usual}"


def host_memory(job: Resolved, chosen: Entry | None) -> Iterator[Warning_]:
    """Where the layers' inputs that wait in the hosts' RAM are more than a usual node has to spare."""
    layout = chosen.estimate.parallelism if chosen and chosen.estimated and chosen.estimate.fits else {}
    there, saving = job.gpu.host_memory, str(layout.get("saving") or SAVINGS[0])
    if there is None or SAVINGS.index(saving) < SAVINGS.index("offload"):
        return
    waiting, has = _host_gb(job, layout), there.si / 1e9
    if waiting > _FREE * has:
        message = (
            f"The layers' inputs ask for {waiting:,.0f} GB of each node's RAM and a usual one has {has:,.0f} GB, of "
            "which the data loader, checkpoints and the system take some: take more nodes, or nodes with more RAM."
        )
        yield Warning_(code="host-memory", message=message)


def spread_wider(job: Resolved, chosen: Entry | None) -> Iterator[Assumption]:
    """Who keeps the states, where the split that was given left that open and fits only with them spread wider."""
    used = chosen.estimate.parallelism.get("strategy") if chosen and chosen.estimated else None
    split = job.parallelism
    if split is None or not job.sharding_open or job.rare or used in (None, split.strategy):
        return
    narrower = STRATEGY_NAMES.get(split.strategy, split.strategy.upper())
    why = f"not said: with {narrower} the split that was given does not fit into memory"
    yield Assumption(field="parallelism.strategy", value=used, why=why)


def done(saving: str) -> list[str]:
    """What is done with one of the savings: each takes those before it along."""
    return [_DOES[one] for one in SAVINGS[1 : SAVINGS.index(saving) + 1]]


def _host_gb(job: Resolved, layout: dict[str, object]) -> float:
    """GB of a node's memory that the inputs of all layers of its GPUs take, in 16 bits."""
    degree = lambda name: float(str(layout.get(name) or 1))
    tokens = degree("micro_batch") * job.longest_sequence / degree("cp")
    spread = degree("tp") if layout.get("sequence_parallel") else 1.0
    layer = tokens * 2.0 * job.architecture.hidden / spread
    return layer * job.architecture.layers * min(job.gpus_per_node, job.gpus) / 1e9
