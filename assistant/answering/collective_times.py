"""How long a collective takes: at least, at line rate, and as NCCL would run it."""

from __future__ import annotations

import math

from assistant.library import Library
from assistant.model import Network
from assistant.model.architecture import BYTES
from assistant.model.questions import collective_time, least_bytes, send_time
from assistant.model.uncertainty import NETWORK_SPREAD
from assistant.planning.resolve import Assumptions
from assistant.present.figures import seconds, significant
from assistant.vocabulary.answers import Computed, Figure
from assistant.vocabulary.catalog import Catalog, Fabric

from . import written
from .asked import Asked
from .recognition import collective_of
from .result import computed, figure
from .situation import Situation, fabrics, model_of, network, nics, params_of, situation

NAMES = {
    "all_reduce": "all-reduce",
    "all_gather": "all-gather",
    "reduce_scatter": "reduce-scatter",
    "all_to_all": "all-to-all",
    "broadcast": "broadcast",
    "send_receive": "transfer from one GPU to another",
}
_ALGORITHMS = {"all_reduce": "NCCL's ring or tree, whichever is faster", "all_to_all": "every GPU to every GPU"}
_MOST_NETWORKS = 3


def collective(asked: Asked, library: Library) -> Computed | None:
    """Seconds of one collective of a message or of a model's gradients, on each network named."""
    kind, taken, catalog = collective_of(asked.text), Assumptions(), library.catalog
    payload = _payload(asked, catalog, taken)
    if kind is None or payload is None:
        return None
    bytes_, of_what = payload
    at = situation(asked, catalog, taken)
    figures, sentences, used = [], [], {}
    if at.domains == 1:
        figures, sentence = _inside(kind, bytes_, at, catalog)
        sentences.append(sentence)
    else:
        for fabric in fabrics(asked, catalog, taken, at.gpu)[:_MOST_NETWORKS]:
            used[fabric.id] = nics(fabric, asked, at, taken)
            found, sentence = _between(kind, bytes_, fabric, used[fabric.id], at, catalog)
            figures += found
            sentences.append(sentence)
    article = "An" if NAMES[kind].startswith("a") else "A"
    where = f"between two {at.unit}s" if kind == "send_receive" and at.domains > 1 else f"on {at.where}"
    text = f"{article} {NAMES[kind]} of {of_what} {where}: {'; '.join(sentences)}."
    inputs = {
        "collective": kind,
        "bytes": bytes_,
        "gpu": at.gpu.id,
        "gpus": at.gpus,
        "gpus_per_node": at.gpus_per_node,
        "nics_per_node": used,
    }
    return computed("collective", asked, text, figures, inputs, taken, _caveat(used, catalog))


def _payload(asked: Asked, catalog: Catalog, taken: Assumptions) -> tuple[float, str] | None:
    """Bytes of the message and what they are."""
    if asked.bytes_:
        return asked.bytes_, written.bytes_(asked.bytes_)
    named = model_of(asked, catalog)
    if named is None:
        return None
    name, architecture = named
    precision = asked.fields.get("training.precision")
    if precision is None:
        precision = taken.take("training.precision", "bf16", "two bytes per gradient or weight")
    total = params_of(asked, architecture)
    bytes_ = total * BYTES[precision]
    return bytes_, f"{written.bytes_(bytes_)} ({name}: {written.count(total)} parameters × {BYTES[precision]} bytes)"


def _between(
    kind: str, bytes_: float, fabric: Fabric, count: int, at: Situation, catalog: Catalog
) -> tuple[list[Figure], str]:
    """The least and the expected time over a network between domains."""
    per_domain = at.machine.domain / at.gpus_per_node * count
    links = 1 if kind == "send_receive" else per_domain
    line = fabric.line_rate.si * links
    least = _least(kind, bytes_, at.domains, min(at.machine.domain, at.gpus)) / line
    formula = (
        f"{_share(kind, at)}{written.bytes_(bytes_)} ÷ ({significant(links)} × {written.rate(fabric.line_rate.si)})"
    )
    inside, how = _scale_up_bound(kind, bytes_, at, catalog)
    bound = fabric.id
    if inside > least:  # a rack's own link, not the network, is then the narrower place
        least, formula, bound = inside, how, at.gpu.scale_up
    joined = network(fabric, count, at)
    expected = _model_time(kind, joined, at, bytes_)
    figures = [
        figure(f"at least, {bound} at line rate", least, "s", formula),
        figure(f"expected, {fabric.id}", expected, "s", _expected(kind, fabric, joined.gpu_rate * at.gpus_per_node)),
    ]
    return figures, f"over {fabric.name} at least {seconds(least)} at line rate, {seconds(expected)} expected"


def _model_time(kind: str, joined: Network, at: Situation, bytes_: float) -> float:
    """Seconds as the quantitative model has them."""
    if kind == "send_receive":
        return send_time(joined, at.machine, bytes_)
    if kind == "broadcast":  # an all-gather's ring brings a node all but its own share, a broadcast's the whole
        return collective_time("all_gather", joined, at.machine, bytes_) * at.gpus / max(1, at.gpus - 1)
    return collective_time(kind, joined, at.machine, bytes_)


def _least(kind: str, bytes_: float, members: int, gpus_each: int = 1) -> float:
    """Bytes into each member; a broadcast brings every one the whole message."""
    return bytes_ if kind == "broadcast" else least_bytes(kind, bytes_, members, gpus_each)


def _share(kind: str, at: Situation) -> str:
    n, each = at.domains, min(at.machine.domain, at.gpus)
    return {
        "all_reduce": f"2·({n}−1)/{n} · ",
        "all_to_all": f"({n}−1)/{n} · {each} GPUs · ",
        "send_receive": "",
        "broadcast": "",
    }.get(kind, f"({n}−1)/{n} · ")


def _expected(kind: str, fabric: Fabric, node_rate: float) -> str:
    if kind == "send_receive":
        return "NCCL, one pair of GPUs, which does not fill an adapter"
    how = _ALGORITHMS.get(kind, "NCCL's ring")
    fact = fabric.bandwidth_efficiency
    ceiling = fabric.bandwidth_ceiling
    at_rate = f"at {written.rate(node_rate)} of a node"
    if ceiling is not None and node_rate >= 0.999 * ceiling.si:
        return f"{how}, {at_rate}: a host's sockets reach no more ({ceiling.date.isoformat()})"
    reached = f", {fact.si:.0%} of line rate as measured ({fact.date.isoformat()})" if fact else ""
    return f"{how}, {at_rate}{reached}"


def _inside(kind: str, bytes_: float, at: Situation, catalog: Catalog) -> tuple[list[Figure], str]:
    """Inside one node or rack: nothing crosses a network."""
    link = catalog.scale_ups[at.gpu.scale_up]
    least, formula = _scale_up_bound(kind, bytes_, at, catalog)
    joined = network(catalog.fabrics["none"], 1, at)
    expected = _model_time(kind, joined, at, bytes_)
    figures = [
        figure(f"at least, {link.id} at line rate", least, "s", formula),
        figure(f"expected, {link.id}", expected, "s", "NCCL inside the node at its measured efficiency"),
    ]
    return figures, (
        f"over {link.name} at least {seconds(least)} at line rate, {seconds(expected)} expected; no network is crossed"
    )


def _scale_up_bound(kind: str, bytes_: float, at: Situation, catalog: Catalog) -> tuple[float, str]:
    """Seconds that every GPU's own link takes at least; a switch that adds halves what an all-reduce moves."""
    rate, n = catalog.scale_ups[at.gpu.scale_up].bandwidth_per_gpu.si, min(at.machine.domain, at.gpus)
    adds = kind == "all_reduce" and at.machine.in_network_reduction
    volume = bytes_ if adds else _least(kind, bytes_, n) if n > 1 else 0.0
    if at.domains > 1 and kind in ("send_receive", "all_to_all"):
        volume = 0.0  # the message itself goes over the network
    formula = f"{'' if adds else _ranks(kind, n)}{written.bytes_(bytes_)} ÷ {written.rate(rate)} of one GPU"
    return volume / rate, formula + (", added in the switch" if adds else "")


def _ranks(kind: str, n: int) -> str:
    return {"all_reduce": f"2·({n}−1)/{n} · ", "send_receive": "", "broadcast": ""}.get(kind, f"({n}−1)/{n} · ")


def _caveat(used: dict[str, int], catalog: Catalog) -> str:
    if not used:
        return "Expected times are those of an otherwise idle node."
    spread = max(NETWORK_SPREAD[catalog.fabrics[name].transport] for name in used)
    return (
        f"The line-rate figure is a bound without reduction in the switches. Two of three measured collectives lie within "
        f"{math.expm1(spread):.0%} of the model's; a network with other traffic or wrong settings is slower."
    )
