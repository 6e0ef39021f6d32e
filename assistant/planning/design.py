"""The network of a plan: topology and bill of materials for the fabric and the size."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assistant.library.checks import known_id
from assistant.market import BillPart, NetworkBill
from assistant.model import Cabling
from assistant.model.network import leaf_nodes
from assistant.network import design, planes_of_adapter
from assistant.vocabulary.answers import FabricDesign, PricedItem
from assistant.vocabulary.catalog import Catalog, Fabric, Fact
from assistant.vocabulary.counted import counted
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.questionnaire import Cluster

from .entry import Entry
from .resolve import Resolved


def design_of(
    fabric_id: str,
    gpu_id: str,
    gpus: int,
    catalog: Catalog,
    *,
    gpus_per_node: int | None = None,
    nics_per_node: int | None = None,
    switch: str | None = None,
    planes: int = 0,
    pair: bool = False,
    oversubscription: float = 1.0,
    topology: str | None = None,
) -> FabricDesign:
    """The design for ids a person typed; what is wished for is as in :func:`assistant.network.design`. Leaves by rail
    where nothing is, and for racks what any adapter on any leaf would save.

    Raises :class:`InputError` for an unknown id, an impossible size or a wish that cannot be.
    """
    known_id("fabric", fabric_id, catalog.fabrics)
    known_id("--gpu", gpu_id, catalog.gpus)
    fabric, gpu = catalog.fabrics[fabric_id], catalog.gpus[gpu_id]
    wished: dict[str, Any] = {
        "oversubscription": oversubscription,
        "planes": planes,
        "pair": pair,
        "switch": _switch_id(switch, catalog) if switch else None,
    }
    drawn = lambda how: design(fabric, gpu, gpus, gpus_per_node, nics_per_node, catalog, topology=how, **wished)
    found = drawn(topology or "rail")
    if topology is None and not (planes or pair) and gpu.scale_up_domain > gpu.gpus_per_node:
        free = _free(found, lambda: drawn("fat-tree"))
        than = f"with topology fat-tree, any NIC on any leaf: {counted(free.switches, 'switch')}" if free else ""
        less = found.capex_usd.mid - free.capex_usd.mid if free else 0
        found.notes += [f"{than}, {less:,.0f} USD less"] if free else []
    return found


def _free(said: FabricDesign, drawn: Callable[[], FabricDesign]) -> FabricDesign | None:
    """A design with any adapter on any leaf, where there is one and it costs less."""
    try:
        free = drawn()
    except InputError:
        return None
    return free if free.capex_usd.mid < said.capex_usd.mid else None


def _switch_id(given: str, catalog: Catalog) -> str:
    """A switch by its id or another of its names; what is none is left for the design to refuse."""
    named = {name.lower(): one.id for one in catalog.devices.values() for name in [one.id, *one.aliases]}
    return named.get(given.lower(), given)


def design_for(entry: Entry, job: Resolved, catalog: Catalog) -> FabricDesign | None:
    """The design of a candidate as the cluster's network was described; where its NICs do not split into the planes
    that were said, as it is usual. Racks that are bought are joined as costs least, where nobody said how: a leaf per
    rack and rail is how one maker cables them, and costs some networks more than others. ``None`` where none can be
    drawn (too large, or no known switch)."""
    drawn, cluster = _drawn(entry, job, catalog), job.questionnaire.cluster
    said = None if isinstance(drawn, InputError) else drawn[0]
    racks = job.gpu.scale_up_domain > job.gpu.gpus_per_node and job.questionnaire.budget.mode == "buy"
    if not racks or said is None or cluster.topology or cluster.planes:
        return said
    free = _free(said, lambda: _one_way(entry, job, catalog, topology="fat-tree"))
    if free is None:
        return said
    less = said.capex_usd.mid - free.capex_usd.mid
    than = f"{counted(said.switches, 'switch')} with leaves by rail (topology rail)"
    free.notes.append(f"topology fat-tree, any NIC on any leaf: {less:,.0f} USD less than {than}")
    return free


def cabling_of(cluster: Cluster, fabric: Fabric, catalog: Catalog) -> Cabling:
    """How the adapters and switches of a fabric are joined, as it was described."""
    return Cabling(
        cluster.oversubscription or 1.0,
        cluster.adaptive_routing,
        bool(cluster.in_network_reduction),
        cluster.lossless,
        cluster.topology or "rail",
        planes_of_adapter(fabric, cluster.topology, cluster.planes, catalog),
    )


def under_one_leaf(job: Resolved, oversubscription: float, catalog: Catalog) -> bool:
    """Whether all the nodes of a site hang on one leaf of each rail, whose way to the spines nothing takes."""
    ports = catalog.constants["congestion-leaf-ports"].si
    nodes = job.nodes // job.sites
    return nodes <= leaf_nodes(ports, oversubscription) and job.questionnaire.cluster.topology is None


def described(job: Resolved) -> bool:
    """Whether anything was said of how the network is built that may not be possible."""
    return bool({"topology", "planes"} & job.questionnaire.cluster.model_fields_set)


def not_as_described(entry: Entry, job: Resolved, catalog: Catalog) -> InputError | None:
    """Why the network of a candidate is drawn otherwise than it was described, where it is: of a field of the
    questionnaire."""
    drawn = _drawn(entry, job, catalog)
    return None if isinstance(drawn, InputError) else drawn[1]


def _drawn(entry: Entry, job: Resolved, catalog: Catalog) -> tuple[FabricDesign, InputError | None] | InputError:
    """A design, and what was refused of the description before it could be drawn; what was refused where none can."""
    cluster, refused = job.questionnaire.cluster, None
    planes = 0 if cluster.topology == "rail-only" else cluster.planes or 0
    topology = cluster.topology or "rail"
    said = {"planes": planes, "topology": topology}
    ways: tuple[dict[str, Any], ...] = (said, {"topology": topology}, {"topology": "rail"})
    for how in ways:
        try:
            found = _one_way(entry, job, catalog, **how)
        except InputError as error:
            refused = refused or InputError(error.message, Place(field=f"cluster.{error.place.field}"))
        else:
            return found, refused
    assert refused
    return refused


def _one_way(entry: Entry, job: Resolved, catalog: Catalog, **how: Any) -> FabricDesign:
    return design(
        entry.considered.fabric,
        job.gpu,
        job.gpus // job.sites,
        job.gpus_per_node,
        entry.considered.nics_per_node,
        catalog,
        oversubscription=entry.considered.oversubscription,
        amortization_months=job.questionnaire.budget.amortization_months,
        **how,
    )


@dataclass(frozen=True)
class Drawn:
    """The network of a candidate with what it costs and draws per GPU."""

    design: FabricDesign
    bill: NetworkBill


def drawn_designs(entries: list[Entry], job: Resolved, catalog: Catalog) -> dict[str, Drawn]:
    """The network of every candidate that can be drawn, by fabric; also where nothing has to be bought for it."""
    designs = {e.id: design_for(e, job, catalog) for e in entries}
    return {
        ident: Drawn(design, network_bill(design))
        for ident, design in designs.items()
        if design is not None and (design.switches or design.nodes == 1)
    }


def _part(item: PricedItem, whole: float) -> BillPart:
    date = datetime.date.fromisoformat(item.date)
    price = Fact(value=item.usd, unit="USD", source=item.source, date=date)
    return BillPart(price, item.item, item.device or item.item, (item.count or 0) * item.usd / whole)


def network_bill(design: FabricDesign) -> NetworkBill:
    """What the network of a design costs and draws per GPU."""
    dates = [datetime.date.fromisoformat(item.date) for item in design.prices if item.date]
    each, whole = 1.0 / design.gpus, design.capex_usd.mid
    parts = tuple(_part(item, whole) for item in design.prices) if whole else ()
    return NetworkBill(whole * each, design.power_w * each, design.nics * each, min(dates, default=None), parts)
