"""One collective or transfer on one cluster: its time, its bandwidth and how far off that may be."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp
from typing import Any

import numpy as np
from pydantic import ValidationError

from assistant.library import wording
from assistant.library.checks import known_id
from assistant.model import machine_of, network_of
from assistant.model.cache_transfer import transfer_seconds
from assistant.model.collectives import Wires, group, send_receive
from assistant.model.dispatch import SCALE_BYTES, Routing, call_time, dispatch_from
from assistant.model.machine import Machine
from assistant.model.network import Network, Networks
from assistant.model.single_collectives import algorithm_of, bus_bandwidth, collective_time
from assistant.model.uncertainty import SMALL_MESSAGE, SMALL_SPREAD
from assistant.model.weight_sync import BROADCAST, CHECKPOINT_ENGINE, SPREAD, WeightSync, sync_seconds
from assistant.vocabulary.catalog import Catalog, Fabric
from assistant.vocabulary.collective import CollectiveQuery, CollectiveTime
from assistant.vocabulary.errors import InputError, Place, of_a_row
from assistant.vocabulary.large_messages import NETWORK_SPREAD
from assistant.vocabulary.quantities import NINETIETH

from . import profile
from .design import cabling_of

_ELEMENT = {"fp8": 1.0 + SCALE_BYTES, "bf16": 2.0, "fp16": 2.0, "fp32": 4.0}
# Bytes of one tensor where no model is named: those of 70B in 16 bits, 140 GB in 723 tensors.
USUAL_TENSOR = 140e9 / 723


def query_of(value: object) -> CollectiveQuery:
    """What was asked, from plain data. Raises :class:`InputError` naming the field."""
    try:
        return CollectiveQuery.model_validate(value)
    except ValidationError as error:
        raise wording.sentence(error, value, CollectiveQuery) from None


def answers(values: Iterator[tuple[Place, object]], catalog: Catalog) -> Iterator[dict[str, Any]]:
    """One JSON value per line, in order; a bad one gives ``{"id", "error": {"field", "message"}}``."""
    for place, value in values:
        ident = value.get("id") if isinstance(value, dict) else None
        try:
            if isinstance(value, InputError):
                raise value
            yield timed(query_of(value), catalog).model_dump(mode="json")
        except Exception as fault:
            error = of_a_row(fault, "timed")
            message = f"line {place.line}: {error.message}"
            yield {"id": ident, "error": {"field": error.place.field, "message": message}}


def timed(query: CollectiveQuery, catalog: Catalog) -> CollectiveTime:
    """The time on the fabric named, else without one inside a scale-up domain and on the fastest that is sold beyond.

    Raises :class:`InputError` for an unknown id, a size that cannot be or a field that this kind needs.
    """
    machine = _machine(query, catalog)
    named, assumed = query.cluster.fabric, []
    if named is not None:
        known_id("cluster.fabric", named, catalog.fabrics)
        fabrics = [catalog.fabrics[named]]
    elif machine.domains == 1:
        fabrics = [catalog.fabrics["none"]]
    else:
        fabrics = [fabric for fabric in catalog.fabrics.values() if _usable(fabric, query, catalog)]
        assumed = ["no fabric was named: the fastest for this GPU that anyone can buy"]
    if machine.domains > 1 and fabrics[0].technology == "none":
        said = f"{query.cluster.gpus} GPUs lie in {machine.domains} scale-up domains"
        raise InputError(f"expected a fabric between them, got none: {said}", Place(field="cluster.fabric"))
    found = [_on(fabric, query, machine, catalog) for fabric in fabrics]
    best = min(found, key=lambda one: one.time_s)
    return best.model_copy(update={"assumptions": [*assumed, *best.assumptions]})


def _machine(query: CollectiveQuery, catalog: Catalog) -> Machine:
    at = query.cluster
    known_id("cluster.gpu", at.gpu, catalog.gpus)
    gpu = catalog.gpus[at.gpu]
    per_node = at.gpus_per_node or gpu.gpus_per_node
    if at.gpus < 2:
        raise InputError(f"expected at least 2 GPUs, got {at.gpus}", Place(field="cluster.gpus"))
    if at.gpus > per_node and at.gpus % per_node:
        raise InputError(f"expected whole nodes of {per_node} GPUs, got {at.gpus}", Place(field="cluster.gpus"))
    return machine_of(gpu, catalog.scale_up_of(gpu, at.gpus, per_node), at.gpus, per_node, catalog.constants)


def _usable(fabric: Fabric, query: CollectiveQuery, catalog: Catalog) -> bool:
    """Sold to anyone today and made for this GPU; a provider's own network is taken when it is named."""
    gpu = catalog.gpus[query.cluster.gpu]
    mine = (fabric.gpus is None or gpu.id in fabric.gpus) and gpu.vendor in fabric.gpu_vendors
    fast = gpu.host_link is not None and fabric.line_rate is not None and fabric.line_rate.si > 1.25 * gpu.host_link.si
    sold = fabric.maturity in ("proven", "shipping") and fabric.providers is None
    return mine and sold and not fast and fabric.technology not in ("none", "wan")


def _on(fabric: Fabric, query: CollectiveQuery, machine: Machine, catalog: Catalog) -> CollectiveTime:
    at = query.cluster
    cabling = cabling_of(at, fabric, catalog)
    nics = at.nics_per_node or _let_with(at.provider, fabric, machine, catalog)
    network = profile.on_network(network_of(fabric, nics, machine, cabling=cabling), machine)
    spread = NETWORK_SPREAD[network.transport]
    if query.kind in ("dispatch", "combine"):
        spread = max(spread, dispatch_from(machine.constants).spread)
        return _answered(query, network, spread, *_experts(query, network, machine))
    bytes_ = _needed(query, "bytes")
    if query.kind == "weight_sync":
        seconds, method, assumed = _weight_sync(query, network, machine, bytes_)
        return _answered(query, network, SPREAD, seconds, bytes_, bytes_, method, assumed)
    if query.kind == "kv_transfer":
        wires = Wires(machine, Networks([network]))
        seconds = float(transfer_seconds(wires, bytes_, machine.gpus // 2).item())
        return _answered(query, network, spread, seconds, bytes_, bytes_, "point-to-point")
    spread *= SMALL_SPREAD if bytes_ <= SMALL_MESSAGE else 1.0
    if query.kind == "send_recv":
        seconds = _between(network, machine, bytes_)
        return _answered(query, network, spread, seconds, bytes_, bytes_, "point-to-point")
    seconds = collective_time(query.kind, network, machine, bytes_)
    bus = bus_bandwidth(query.kind, bytes_, 1.0, machine.gpus)
    return _answered(query, network, spread, seconds, bytes_, bus, algorithm_of(query.kind, network, machine, bytes_))


def _let_with(provider: str | None, fabric: Fabric, machine: Machine, catalog: Catalog) -> int | None:
    """NICs of a node where a provider is named, as its machines have them; ``None`` where nothing tells."""
    sold = catalog.providers.get(provider or "")
    return sold.nics_on(fabric, machine.gpu, machine.gpus_per_node) if sold else None


def _answered(
    query: CollectiveQuery,
    network: Network,
    spread: float,
    seconds: float,
    bytes_: float,
    bus: float,
    algorithm: str,
    assumed: tuple[str, ...] = (),
) -> CollectiveTime:
    return CollectiveTime(
        id=query.id,
        time_s=seconds,
        time_p10_s=seconds * exp(-NINETIETH * spread),
        time_p90_s=seconds * exp(NINETIETH * spread),
        busbw_gb_per_s=bus / seconds / 1e9,
        algbw_gb_per_s=bytes_ / seconds / 1e9,
        algorithm=algorithm,
        fabric=network.id,
        assumptions=list(assumed),
    )


def _needed(query: CollectiveQuery, field: str) -> float:
    given = getattr(query, field)
    if given is None:
        raise InputError(f"is needed for {query.kind} and was not given", Place(field=field))
    return float(given)


def _between(network: Network, machine: Machine, bytes_: float) -> float:
    """Seconds for one rank to send ``bytes_`` to another domain, or inside the only one, and receive as many."""
    wires, crosses = Wires(machine, Networks([network])), np.array([machine.domains > 1])
    found = send_receive(wires, np.array([bytes_]), crosses, np.ones(1), both_ways=True, ranks=machine.gpus)
    return float(np.ravel(found)[0])


def _experts(
    query: CollectiveQuery, network: Network, machine: Machine
) -> tuple[float, float, float, str, tuple[str, ...]]:
    """Dispatch or combine by kernels that know the routing. Bus bandwidth counts a token once for every place it
    visits, its own included: domains, or ranks inside one domain, as DeepEP prints it."""
    tokens, hidden, copies = (_needed(query, name) for name in ("tokens_per_rank", "hidden", "topk"))
    element = query.dtype or "bf16"
    copy_bytes = tokens * hidden * _ELEMENT[element]
    direct = query.kernel == "direct"
    routing = Routing(int(copies), float(query.nodes_per_token or np.inf), direct=direct)
    wires = Wires(machine, Networks([network]))
    ranks = group(np.array([float(machine.gpus)]), np.ones(1), machine.domain)
    seconds = call_time(wires, np.array([copy_bytes]), ranks, routing, combine=query.kind == "combine")
    domains, members = routing.reached(ranks)
    visited = float((domains if machine.domains > 1 else members).item())
    assumed = () if query.dtype else ("dtype bf16",)
    if direct:
        visited = copies * (ranks.size - ranks.local * (machine.domains > 1)).item() / ranks.size.item()
    way = "every copy straight to its expert" if direct else "once to every domain"
    return float(seconds.item()), copy_bytes * copies, copy_bytes * visited, way, (*assumed, "experts chosen evenly")


def _weight_sync(
    query: CollectiveQuery, network: Network, machine: Machine, bytes_: float
) -> tuple[float, str, tuple[str, ...]]:
    method = query.method or CHECKPOINT_ENGINE
    assumed = [] if query.method else [f"method {method}"]
    if machine.domains > 1:
        assumed.append("trainer and engines on GPUs of their own")
    tensors = max(1.0, bytes_ / USUAL_TENSOR)
    if method == BROADCAST:
        assumed.append(f"{tensors:,.0f} tensors, {USUAL_TENSOR / 1e6:.0f} MB each")
    sync = WeightSync(bytes_, tensors, min(machine.gpus, machine.gpus_per_node), apart=machine.domains > 1)
    seconds = float(np.ravel(sync_seconds(sync, method, machine, Networks([network])))[0])
    return seconds, method, tuple(assumed)
