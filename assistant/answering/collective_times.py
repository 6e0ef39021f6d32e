"""How long a collective takes: at least, at line rate, and as NCCL would run it."""

from __future__ import annotations

import math

from assistant.model import Network, network_of
from assistant.model.architecture import BYTES
from assistant.model.single_collectives import collective_time, least_bytes, send_time
from assistant.planning import profile
from assistant.present.figures import seconds, significant
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.catalog import Catalog, Fabric
from assistant.vocabulary.large_messages import NETWORK_SPREAD

from . import written
from .case import Case, Cluster

NAMES = {
    "all_reduce": "all-reduce",
    "all_gather": "all-gather",
    "reduce_scatter": "reduce-scatter",
    "all_to_all": "all-to-all",
    "broadcast": "broadcast",
    "send_receive": "transfer from one GPU to another",
}
_ALGORITHMS = {"all_reduce": "NCCL's ring or tree, whichever is faster", "all_to_all": "every GPU to every GPU"}
_RING = "NCCL's ring"
_PAIR = "NCCL, one pair of GPUs, which does not fill an adapter"
MOST_NETWORKS = 3
TOKENS_AT_ONCE = 4096


def collective(case: Case) -> Computed | None:
    """Seconds of one collective of a message or of a model's gradients, on each network named."""
    kind = case.utterance.roles["collective"]
    if kind == "all_to_all" and not case.utterance.roles.get("bytes"):
        if not case.model or not case.architecture.experts:
            return None  # weights and gradients are never exchanged so
        bytes_, of_what = _tokens(case)
    else:
        bytes_, of_what = _payload(case)
    at, used = case.cluster, {}
    if at.domains == 1:
        sentences = [_inside(case, kind, bytes_, at)]
    else:
        on = case.networks()[:MOST_NETWORKS]
        used = {fabric.id: case.nics(fabric, at) for fabric in on}
        sentences = [_between(case, kind, bytes_, fabric, used[fabric.id], at) for fabric in on]
    article = "An" if NAMES[kind].startswith("a") else "A"
    where = f"between two {at.unit}s" if kind == "send_receive" and at.domains > 1 else f"on {at.where}"
    text = f"{article} {NAMES[kind]} of {of_what} {where}: {'; '.join(sentences)}."
    size = {"gpu": at.gpu.id, "gpus": at.gpus, "gpus_per_node": at.gpus_per_node, "nics_per_node": used}
    return case.answer(text, _caveat(used, case.catalog), collective=kind, bytes=bytes_, **size)


def _payload(case: Case) -> tuple[float, str]:
    """Bytes of the message and what they are."""
    said = case.utterance.roles.get("bytes")
    if said:
        return said, written.bytes_(said)
    precision = case.fields.get("training.precision")
    if precision is None:
        precision = case.take("training.precision", "bf16", "two bytes per gradient or weight")
    bytes_, each = case.params * BYTES[precision], f"{BYTES[precision]} bytes"
    return bytes_, f"{written.bytes_(bytes_)} ({case.name}: {written.count(case.params)} parameters × {each})"


def _tokens(case: Case) -> tuple[float, str]:
    """What a rank of a mixture sends to the experts of one layer: each of its tokens once for every expert."""
    a = case.architecture
    each = case.fields.get("training.sequence_length") or case.take(
        "training.sequence_length", TOKENS_AT_ONCE, "one sequence of so many tokens a rank at a time"
    )
    precision = case.take("training.dispatch_precision", "bf16", "two bytes per element on the way to the experts")
    bytes_ = each * a.experts_per_token * a.hidden * BYTES[precision]
    parts = f"{each:,} tokens × {a.experts_per_token:g} experts × {a.hidden:,} × {BYTES[precision]} bytes"
    return bytes_, f"{written.bytes_(bytes_)} per rank, one layer's ({case.name}: {parts})"


def network(fabric: Fabric, count: int, at: Cluster) -> Network:
    """The fabric as the collectives see it, with a user's own calibration where there is one."""
    return profile.on_network(network_of(fabric, count, at.machine), at.machine)


def _between(case: Case, kind: str, bytes_: float, fabric: Fabric, count: int, at: Cluster) -> str:
    """The least and the expected time over a network between domains."""
    links = 1 if kind == "send_receive" else at.machine.domain / at.gpus_per_node * count
    each = min(at.machine.domain, at.gpus)
    least = _least(kind, bytes_, at.domains, each) / (fabric.nic_rate * links)
    over = f"({significant(links)} × {written.rate(fabric.nic_rate)})"
    formula, bound = f"{_share(kind, at.domains, each)}{written.bytes_(bytes_)} ÷ {over}", fabric.id
    inside, how = _scale_up_bound(case, kind, bytes_, at)
    if inside > least:  # a rack's own link, not the network, is then the narrower place
        least, formula, bound = inside, how, at.gpu.scale_up
    joined = network(fabric, count, at)
    expected = _model_time(kind, joined, at, bytes_)
    case.figure(f"at least, {bound} at line rate", least, "s", formula)
    case.figure(f"expected, {fabric.id}", expected, "s", _expected(kind, fabric, joined.gpu_rate * at.gpus_per_node))
    return f"over {fabric.name} at least {seconds(least)} at line rate, {seconds(expected)} expected"


def _model_time(kind: str, joined: Network, at: Cluster, bytes_: float) -> float:
    """Seconds as the quantitative model has them."""
    if kind == "send_receive":
        return send_time(joined, at.machine, bytes_)
    if kind == "broadcast":  # an all-gather's ring brings a node all but its own share, a broadcast's the whole
        return collective_time("all_gather", joined, at.machine, bytes_) * at.gpus / max(1, at.gpus - 1)
    return collective_time(kind, joined, at.machine, bytes_)


def _least(kind: str, bytes_: float, members: int, gpus_each: int = 1) -> float:
    """Bytes into each member; a broadcast brings every one the whole message."""
    return bytes_ if kind == "broadcast" else least_bytes(kind, bytes_, members, gpus_each)


def _share(kind: str, n: int, each: int = 0) -> str:
    """The part of the message that enters a member, as the formula shows it."""
    whole = {"all_reduce": f"2·({n}−1)/{n} · ", "send_receive": "", "broadcast": ""}
    if kind == "all_to_all" and each:
        return f"({n}−1)/{n} · {each} GPUs · "
    return whole.get(kind, f"({n}−1)/{n} · ")


def _expected(kind: str, fabric: Fabric, node_rate: float) -> str:
    if kind == "send_receive":
        return _PAIR
    how = f"{_ALGORITHMS.get(kind, _RING)}, at {written.rate(node_rate)} of a node"
    fact, ceiling = fabric.bandwidth_efficiency, fabric.bandwidth_ceiling
    if ceiling is not None and node_rate >= 0.999 * ceiling.si:
        return f"{how}: a host's sockets reach no more ({ceiling.date.isoformat()})"
    return f"{how}{f', {fact.si:.0%} of line rate as measured ({fact.date.isoformat()})' if fact else ''}"


def _inside(case: Case, kind: str, bytes_: float, at: Cluster) -> str:
    """Inside one node or rack: nothing crosses a network."""
    link = case.catalog.scale_up_of(at.gpu, at.gpus, at.machine.gpus_per_node)
    least, formula = _scale_up_bound(case, kind, bytes_, at)
    expected = _model_time(kind, network(case.catalog.fabrics["none"], 1, at), at, bytes_)
    case.figure(f"at least, {link.id} at line rate", least, "s", formula)
    case.figure(f"expected, {link.id}", expected, "s", "NCCL inside the node at its measured efficiency")
    times = f"at least {seconds(least)} at line rate, {seconds(expected)} expected"
    return f"over {link.name} {times}; no network is crossed"


def _scale_up_bound(case: Case, kind: str, bytes_: float, at: Cluster) -> tuple[float, str]:
    """Seconds that every GPU's own link takes at least; a switch that adds halves what an all-reduce moves."""
    link, n = case.catalog.scale_up_of(at.gpu, at.gpus, at.machine.gpus_per_node), min(at.machine.domain, at.gpus)
    rate = link.bandwidth_per_gpu.si * (min(1.0, (n - 1) / link.mesh_peers) if link.mesh_peers and n > 1 else 1.0)
    adds = kind == "all_reduce" and at.machine.in_network_reduction
    volume = bytes_ if adds else _least(kind, bytes_, n) if n > 1 else 0.0
    if at.domains > 1 and kind in ("send_receive", "all_to_all"):
        volume = 0.0  # the message itself goes over the network
    formula = f"{'' if adds else _share(kind, n)}{written.bytes_(bytes_)} ÷ {written.rate(rate)} of one GPU"
    return volume / rate, formula + (", added in the switch" if adds else "")


def _caveat(used: dict[str, int], catalog: Catalog) -> str:
    if not used:
        return "Expected times are those of an otherwise idle node."
    spread = max(NETWORK_SPREAD[catalog.fabrics[name].transport] for name in used)
    return (
        "The line-rate figure is a bound without reduction in the switches. Two of three measured collectives lie "
        f"within {math.expm1(spread):.0%} of the model's; a network with other traffic or wrong settings is slower."
    )
