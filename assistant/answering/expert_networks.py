"""Whether a network carries the tokens of a served mixture to experts on many GPUs and back: what one layer's dispatch
and combine take beside its compute, and what a token of the answer takes with both."""

from __future__ import annotations

from typing import Any

from assistant.library.questionnaires import from_value
from assistant.model.serving_network import SpreadLayer
from assistant.planning.resolve import Resolved, resolve
from assistant.planning.spread_experts import SpreadExperts, spread_experts
from assistant.present.figures import seconds, significant
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.catalog import Fabric

from . import network_needs
from .case import Case
from .serving_networks import compared_networks, with_usual

_BATCH = 128  # requests decoded on a GPU at once: what DeepEP's kernels of decoding are published with
_WHY = "not said: as many tokens as DeepEP's kernels of decoding are published with"
_NOTICED = 1.1  # times as long: less than the error of a predicted token
_TOLD = (
    "Decoding, with attention on every GPU and the experts spread evenly over all; every copy goes straight to its "
    "expert in FP8 where the weights are, and comes back in 16 bits. An engine may cut its batch in two that take "
    "turns, so that part of the exchange hides behind the other half's compute: it does here where that is faster. "
    "Such kernels want RDMA: over TCP the time is what its bandwidth would allow at best."
)


def experts_over_nodes(case: Case) -> Computed | None:
    """Whether decoding with the experts spread over so many GPUs is carried by the network named, beside others; of a
    job that trains, whether its steps are carried."""
    if case.model is None or (case.fields.get("workload") and case.trains):
        return network_needs.need(case) if case.model else None
    usual = with_usual(case, "inference")
    ranks = _ranks(usual)
    if not usual.architecture.experts:
        return _dense(usual)
    if not ranks or ranks < 2:
        return None
    usual.fields["cluster.gpus"] = max(ranks, usual.fields.get("cluster.gpus") or ranks)
    usual.fields = {n: v for n, v in usual.fields.items() if not n.startswith("parallelism.")}
    job = _resolved(usual)
    batch = usual.fields.get("inference.concurrency")
    each = (
        batch / ranks
        if batch
        else usual.take("inference.concurrency", _BATCH * ranks, f"{_WHY}, {_BATCH} a GPU") / ranks
    )
    on = compared_networks(usual)
    found = spread_experts(job, ranks, each, [one.id for one in on], case.catalog)
    usual.take_over([one for one in job.assumptions if one.field != "inference.requests_per_s"])
    inputs = usual.job_inputs(on) | {"ranks": ranks}
    if found.held < 1.0:
        return _no_room(usual, found, inputs)
    if not found.layers:
        return _inside(usual, found, inputs)
    return _over(usual, found, [one for one in on if one.id in found.layers], inputs)


def _ranks(case: Case) -> int | None:
    """GPUs that the experts are spread over: as said, else all of the nodes that are."""
    said = case.utterance.roles.get("ranks")
    if said is not None and not isinstance(said, bool):
        return int(said)
    return (
        case.fields.get("parallelism.ep")
        or case.fields.get("inference.expert_parallel")
        or case.fields.get("cluster.gpus")
    )


def _resolved(case: Case) -> Resolved:
    load = {name.removeprefix("inference."): v for name, v in case.fields.items() if name.startswith("inference.")}
    free = {name: v for name, v in load.items() if name not in ("concurrency", "expert_parallel", "data_parallel")}
    facts = case.questionnaire(cluster__gpu=case.gpu.id)
    return resolve(from_value(facts | {"inference": free}, case.catalog), case.catalog)


def _over(case: Case, found: SpreadExperts, on: list[Fabric], inputs: dict[str, Any]) -> Computed:
    layers = found.layers
    best, named = min(one.token for one in layers.values()), layers[on[0].id]
    target = case.fields.get("inference.tpot_ms")
    enough = named.token * 1e3 <= target if target else named.token <= _NOTICED * best
    for fabric in on:
        one = layers[fabric.id]
        both = f"dispatch {seconds(one.dispatch)} + combine {seconds(one.combine)}"
        case.figure(f"experts' exchange of a layer, {fabric.id}", one.dispatch + one.combine, "s", both)
        case.figure(
            f"per token, {fabric.id}", one.token, "s", f"{seconds(one.alone)} of compute and what the network adds"
        )
    layer = named.compute
    case.figure("compute of a layer", layer, "s", f"{seconds(named.alone)} ÷ {case.architecture.layers} layers")
    nodes = f"{significant(found.ranks / found.domain)} {case.bare().unit}s of {found.domain}"
    wanted = f" Asked for are {significant(target)} ms." if target else ""
    text = (
        f"{'Yes' if enough else 'No'}: experts of {case.name} over {found.ranks} {case.gpu.name} ({nodes}), "
        f"{significant(found.requests)} requests decoded on each. {' '.join(_told(f, layers[f.id]) for f in on)} "
        f"Without what the network adds a token takes {seconds(named.alone)}.{wanted}"
    )
    return case.answer(text, _TOLD, **inputs)


def _told(fabric: Fabric, one: SpreadLayer) -> str:
    both, share = one.dispatch + one.combine, (one.dispatch + one.combine) / one.compute
    return (
        f"Over {fabric.name} dispatch and combine of a layer take {seconds(both)}, {significant(share)} times the "
        f"{seconds(one.compute)} of its compute, and a token {seconds(one.token)}."
    )


def _inside(case: Case, found: SpreadExperts, inputs: dict[str, Any]) -> Computed:
    case.figure("GPUs joined without a network", found.domain, "GPUs", "the scale-up domain of these GPUs")
    text = (
        f"Yes: EP {found.ranks} of {case.name} stays among the {found.domain} {case.gpu.name} that their own links "
        "join, so that no network carries its tokens."
    )
    return case.answer(text, _TOLD, **inputs)


def _no_room(case: Case, found: SpreadExperts, inputs: dict[str, Any]) -> Computed:
    case.figure(
        "requests that fit each GPU", found.held, "requests", "memory left beside the weights ÷ one request's cache"
    )
    text = f"Whatever the network, {found.ranks} {case.gpu.name} have no room for {case.name} with EP {found.ranks}."
    return case.answer(text, _TOLD, **inputs)


def _dense(case: Case) -> Computed:
    case.figure("experts", 0, "experts", "a dense model")
    text = f"{case.name} is dense: it has no experts that could be spread, and expert parallelism does nothing for it."
    return case.answer(text, "From the model's published dimensions.", model=case.name)
