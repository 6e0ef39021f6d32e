"""Topology and bill of materials of a fabric: switches, cables, optics, power and price."""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from assistant.vocabulary.added import added
from assistant.vocabulary.answers import Cables, Capex, FabricDesign, Part, PricedItem, SwitchUsed
from assistant.vocabulary.catalog import Catalog, Device, Fabric, Gpu
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.quantities import HOURS_PER_MONTH, amortized

from . import bill_of_materials as bill
from .layout import RACKS_PER_GROUP, Layout, largest, lay_out, rails_alone

PROVIDERS_OWN = frozenset({"efa", "tcpx", "tcpxo"})
_STAND_IN = (
    "stands in for the BlueField-3 SuperNICs that Hopper and B200 nodes take on this fabric, for which no price of a "
    "new card was seen"
)
SUPERNIC = 400 * bill.GBPS  # up to this rate Spectrum-X nodes without adapters on the board take BlueField-3 cards


_COPPER_LINKS = (
    "links of up to 10 Gb/s are copper (RJ45 or DAC) and take no optics; where the machine has such a port on its "
    "board no card need be bought"
)
_PROVIDED = "it comes with the instance, cannot be bought, and its topology is not published; no capital cost"
_LEASED = "the line is leased from a carrier and not built; no capital cost is counted here, ask for the line's price"


TOPOLOGIES = ("fat-tree", "rail", "rail-only", "plane")


@dataclass(frozen=True)
class Size:
    """What is to be joined: nodes, NICs per node, and the ports each NIC is split into; ``on_board``: bytes per second
    of the NICs that are a part of the node's board, 0 where cards are bought; ``nics_per_cage``: NICs of the machine
    that share one transceiver, 0 where nothing is known of it and each is taken to have its own."""

    gpus: int
    nodes: int
    nics_per_node: int
    ports_per_nic: int
    nodes_per_rack: int
    gpus_per_node: int
    on_board: float
    nics_per_cage: int = 0

    @property
    def nics(self) -> int:
        return self.nodes * self.nics_per_node

    @property
    def rails(self) -> int:
        return self.nics_per_node * self.ports_per_nic


@dataclass(frozen=True)
class Shape:
    """What the network is to look like."""

    topology: str
    planes: int
    oversubscription: float
    pair: bool


def design(
    fabric: Fabric,
    gpu: Gpu,
    gpus: int,
    gpus_per_node: int | None,
    nics_per_node: int | None,
    catalog: Catalog,
    *,
    oversubscription: float = 1.0,
    planes: int = 0,
    ports_per_nic: int = 1,
    pair: bool = False,
    amortization_months: int | None = None,
    switch: str | None = None,
    topology: str = "rail",
) -> FabricDesign:
    """Topology and bill of materials that join ``gpus`` GPUs by ``fabric``; a node that is not full has all its NICs.

    ``nics_per_node``: ``None`` takes the fabric's, else one per GPU for RDMA and one per node for TCP.
    ``oversubscription``: node-facing ÷ spine-facing bandwidth of a leaf, 1 is non-blocking. ``topology``: ``rail``, a
    tree whose leaves serve whole rails (one leaf per rack and rail for rack-scale machines); ``fat-tree``, any NIC on
    any leaf; ``rail-only``, no spine between rails; ``plane``, separate networks of which a node is in each.
    ``planes``: separate networks the NIC ports of a node are spread over (one per rail when it equals the number of
    NICs), 0 as the topology has them; ``ports_per_nic``: ports a NIC is split into (2 for a twin-plane 2×400G NIC).
    ``pair``: two switches where one would do. ``switch``: id of the switch to plan with, else the one with which
    switches and links cost least. Capital cost includes NICs, switches, optics and cables, not the racks, the
    installation or a support contract; power is of switches and optics. Raises :class:`InputError` when a parameter
    cannot be or the network would need more than three tiers.
    """
    size = _size(fabric, gpu, gpus, gpus_per_node, nics_per_node, ports_per_nic)
    if topology == "plane":
        size, planes = _split(fabric, size, planes, catalog)
    shape = Shape(topology, planes or (size.rails if topology == "rail-only" else 1), oversubscription, pair)
    months = int(catalog.constants["cost-amortization"].value) if amortization_months is None else amortization_months
    _check(shape, months, size)
    without = _without_bill(fabric, size)
    if without:
        _nothing_to_choose(fabric, shape, switch)
        return _empty(fabric, size, shape, without)
    ways = [(size, shape)]
    splits = _splits(fabric, catalog)
    if topology == "rail" and not planes and ports_per_nic == 1 < splits and not pair:
        ways.append((replace(size, ports_per_nic=splits), replace(shape, topology="plane", planes=splits)))
    (size, shape), (chosen, layout, notes) = _cheapest(fabric, ways, catalog, switch)
    if shape.topology != topology:
        notes.append(f"the port of each NIC is split over {splits} planes: cheaper than one network at this size")
    if chosen.breakout > 1:
        port = f"each {chosen.device.port_rate.value:g} Gb/s port of the {chosen.device.name}"
        notes.append(f"{port} carries {chosen.breakout} links: radix {chosen.radix}")
    return _assemble(fabric, size, shape, layout, chosen, catalog, months, notes)


def _size(
    fabric: Fabric, gpu: Gpu, gpus: int, gpus_per_node: int | None, nics_per_node: int | None, ports_per_nic: int
) -> Size:
    per_node = gpu.gpus_per_node if gpus_per_node is None else gpus_per_node
    counts = {"gpus": gpus, "gpus_per_node": per_node, "nics_per_node": nics_per_node, "ports_per_nic": ports_per_nic}
    for field, value in counts.items():
        if value is not None and value < 1:
            raise InputError(f"expected a whole number of at least 1, got {value}", Place(field=field))
    # Racks whose GPUs share one scale-up domain are cabled to their own leaf ports.
    rack = gpu.scale_up_domain // per_node if gpu.scale_up_domain > gpu.gpus_per_node else 0
    nics = nics_per_node or fabric.usual_nics(per_node)
    on_board = gpu.adapters_on_board.si if gpu.adapters_on_board else 0.0
    own = abs(fabric.nic_rate / gpu.usual_nic_line_rate.si - 1) < 0.01  # else they are other cards than the machine's
    cage = int(gpu.adapters_per_cage.value) if gpu.adapters_per_cage and own else 0
    return Size(gpus, ceil(gpus / per_node), nics, ports_per_nic, rack, per_node, on_board, cage)


def planes_of_adapter(fabric: Fabric, topology: str | None, planes: int | None, catalog: Catalog) -> int:
    """Networks that one adapter is in: where its port splits into the planes that were said, as many; else each adapter
    is in one of them, whole."""
    if not planes and topology != "plane":
        return 1
    splits = _splits(fabric, catalog)
    return splits if splits > 1 and (planes == splits or (topology == "plane" and not planes)) else 1


def _splits(fabric: Fabric, catalog: Catalog) -> int:
    """Ports that the fabric's NIC can be split into."""
    card = bill.network_card(fabric, fabric.nic_rate, catalog)
    return card.splits if card is not None and fabric.technology != "infiniband" else 1


def _split(fabric: Fabric, size: Size, planes: int, catalog: Catalog) -> tuple[Size, int]:
    """Planes of which every node is in each: by the ports of one NIC where it splits its port, else by its NICs."""
    splits = _splits(fabric, catalog)
    planes = planes or (splits if splits > 1 else size.nics_per_node)
    if planes_of_adapter(fabric, "plane", planes, catalog) > 1:
        return replace(size, ports_per_nic=splits), planes
    if planes < 2 or size.nics_per_node % planes:
        of_nic = f"{splits}, the ports of one NIC, or " if splits > 1 else ""
        nics = f"{of_nic}2 or more that divide the {size.nics_per_node} NICs of a node"
        if size.nics_per_node == splits == 1:
            nics = "more than one NIC per node, or one that splits its port"
        raise InputError(f"expected {nics}, got {planes}", Place(field="planes"))
    return size, planes


def _check(shape: Shape, amortization_months: int, size: Size) -> None:
    planes, alone = shape.planes, shape.topology == "rail-only"
    if shape.topology not in TOPOLOGIES:
        refused = f"one of {', '.join(TOPOLOGIES)}, got {shape.topology}", "topology"
    elif not 1.0 <= shape.oversubscription <= 32.0:
        refused = f"a ratio from 1 (non-blocking) to 32, got {shape.oversubscription:g}", "oversubscription"
    elif planes < 1 or size.rails % planes:
        refused = f"a divisor of the {size.rails} NIC ports of a node, got {planes}", "planes"
    elif alone and planes != size.rails:
        refused = f"no number with rail-only, each of the {size.rails} rails is a plane; got {planes}", "planes"
    elif alone and shape.pair:
        refused = "no pair with rail-only: a broken switch stops one rail, the others go on", "pair"
    elif amortization_months < 1:
        refused = f"at least 1 month, got {amortization_months}", "amortization_months"
    else:
        return
    raise InputError(f"expected {refused[0]}", Place(field=refused[1]))


def _nothing_to_choose(fabric: Fabric, shape: Shape, switch: str | None) -> None:
    """Refuses a wish about switches where none are bought for a reason that no size changes."""
    wished = {"switch": switch, "pair": "a pair" if shape.pair else None}
    for field, given in wished.items():
        if given and (fabric.technology in PROVIDERS_OWN or fabric.technology in ("none", "wan")):
            raise InputError(
                f"expected none: no switches are bought for {fabric.name}, got {given}", Place(field=field)
            )


def _without_bill(fabric: Fabric, size: Size) -> str | None:
    """Why nothing has to be bought, or ``None``."""
    if fabric.technology == "none":
        return "no network between nodes: nothing to buy"
    if fabric.technology in PROVIDERS_OWN:
        return f"{fabric.name} is the provider's own network: {_PROVIDED}"
    if fabric.technology == "other":
        return f"no switches, cables and prices of {fabric.name} are known here: ask its vendor for a bill of materials"
    if fabric.technology == "wan":
        return f"between sites: {_LEASED}"
    if size.nodes == 1:
        return "one node: nothing to join"
    return None


def _empty(fabric: Fabric, size: Size, shape: Shape, why: str) -> FabricDesign:
    layout = Layout(0, 1, leaf=0, spine=0, core=0, node_leaf=0, leaf_spine=0, spine_core=0, leaf_leaf=0, down=0, up=0)
    nics = size.nics if fabric.technology in PROVIDERS_OWN else 0
    return _designed(fabric, size, shape, layout, [], [why], nics=nics, optics=0, power_w=0.0, usd_per_gpu_hour=0.0)


def _designed(
    fabric: Fabric, size: Size, shape: Shape, layout: Layout, items: list[PricedItem], notes: list[str], **figures: Any
) -> FabricDesign:
    """The layout with what its parts cost; ``figures``: what else a design has."""
    low, mid, high = (added(one.count * getattr(one, usd) for one in items) for usd in ("usd_low", "usd", "usd_high"))
    counts = {
        name: getattr(layout, name)
        for name in ("tiers", "planes", "leaf", "spine", "core", "switches", "groups", "rail_groups")
    }
    names = ("node_leaf", "leaf_spine", "spine_core", "leaf_leaf")
    return FabricDesign(
        fabric=fabric.id,
        gpus=size.gpus,
        nodes=size.nodes,
        topology=shape.topology,
        rails=size.rails,
        cables=Cables(**{name: getattr(layout, name) for name in names}),
        oversubscription=round(layout.oversubscription, 3),
        capex_usd=Capex(low=low, mid=mid, high=high),
        prices=items,
        notes=notes,
        **counts,
        **figures,
    )


_Built = tuple[bill.Switching, Layout, list[str]]
_Cost = tuple[int, bool, float, int, int, float, str]


def _cheapest(
    fabric: Fabric, ways: list[tuple[Size, Shape]], catalog: Catalog, wanted: str | None
) -> tuple[tuple[Size, Shape], _Built]:
    """The way to build it and the switch with which switches and links cost least, and the tree of it.

    A price that nobody published counts as if it were too low (:data:`bill.DERIVED_MAY_BE`); of equal ones the slowest
    port, the fewest planes, the largest radix, then the one that draws least. Raises :class:`InputError`
    where no switch fits or the network is too large.
    """
    possible: list[tuple[_Cost, tuple[Size, Shape], _Built]] = []
    refused: list[InputError] = []
    for size, shape in ways:
        try:
            possible += [(cost, (size, shape), built) for cost, built in _built(fabric, size, shape, catalog, wanted)]
        except InputError as error:
            refused.append(error)
    if not possible:
        if refused:
            raise refused[0]
        size, shape = ways[0]
        fitting = [one.radix for one in bill.switches(fabric, fabric.nic_rate / size.ports_per_nic, catalog)]
        raise _too_large(size, shape, max(fitting))
    _, way, built = min(possible, key=lambda one: one[0])
    return way, built


def _built(
    fabric: Fabric, size: Size, shape: Shape, catalog: Catalog, wanted: str | None
) -> Iterator[tuple[_Cost, _Built]]:
    """Every switch that three tiers of it are enough of, with its tree and by what it is chosen."""
    line_rate = fabric.nic_rate / size.ports_per_nic
    fitting = [found for found in bill.switches(fabric, line_rate, catalog) if wanted in (None, found.device.id)]
    if not fitting:
        refused = Place(field="switch" if wanted else "fabric")
        raise InputError(_no_switch(fabric, line_rate, catalog, wanted), refused)
    _, link = bill.link(line_rate, catalog) or (None, None)
    for found in fitting:
        price, watts = bill.price_of(found.device, catalog), found.device.power
        cable = link.mid / price.mid if link and price and price.mid else 0.0
        layout, notes = _lay_out(size, found.radix, shape, cable)
        if layout is not None:
            unseen, draws = bill.own_price(found.device) is None, watts.si if watts else float("inf")
            each = price.mid * (bill.DERIVED_MAY_BE if unseen else 1.0) if price else float("inf")
            usd = layout.switches * each + layout.cables * (link.mid if link else 0.0)
            rounded = round(usd) if usd < float("inf") else sys.maxsize
            port = found.device.port_rate.si
            yield (rounded, unseen, port, shape.planes, -found.radix, draws, found.device.id), (found, layout, notes)


def _no_switch(fabric: Fabric, line_rate: float, catalog: Catalog, switch: str | None) -> str:
    known = ", ".join(sorted(found.device.id for found in bill.switches(fabric, line_rate, catalog)))
    accepted = f"one of {known}" if known else "a switch of that speed in the catalog, there is none"
    return f"expected {accepted} for {fabric.name}, got {switch or 'no choice'}"


def _too_large(size: Size, shape: Shape, radix: int) -> InputError:
    if shape.pair and size.nodes * size.rails // shape.planes > radix:
        most = radix * shape.planes // size.rails
        return InputError(
            f"expected at most {most:,} nodes on a pair of switches, got {size.nodes:,}", Place(field="pair")
        )
    most = largest(radix, shape.oversubscription)
    return InputError(
        f"expected at most {most:,} nodes for three tiers of {radix}-port switches, got {size.nodes:,}",
        Place(field="gpus"),
    )


def _lay_out(size: Size, radix: int, shape: Shape, cable: float) -> tuple[Layout | None, list[str]]:
    """The tree of one kind of switch and what to say of it; no tree where three tiers, or a pair, are not enough.
    ``cable``: as in :func:`assistant.network.layout.lay_out`."""
    planes, ports, racks = shape.planes, size.rails, size.nodes_per_rack
    if shape.pair and size.nodes * ports // planes > radix:
        return None, []
    if shape.topology == "rail-only":
        alone = rails_alone(size.nodes, ports, radix, oversubscription=shape.oversubscription, nodes_per_rack=racks)
        return alone, ["rails are not joined: traffic between them goes over the scale-up link (NCCL's PXN does)"]

    def plane(rails: int) -> Layout | None:
        by_rail = shape.topology != "fat-tree"
        options = {
            "oversubscription": shape.oversubscription,
            "nodes_per_rack": racks,
            "pair": shape.pair,
            "cable": cable,
        }
        return lay_out(size.nodes, rails, radix, by_rail=by_rail, **options)

    found, notes = plane(ports // planes), []
    if found is None and planes < ports:
        planes, found = ports, plane(1)
        what = f"planned as {planes} separate planes, one per rail"
        notes.append(f"more than three tiers of {radix}-port switches can join: {what}")
    if found is None:
        return None, []
    return found.times(planes), notes + _advice(size, found, planes, radix, shape)


def _advice(size: Size, plane: Layout, planes: int, radix: int, shape: Shape) -> list[str]:
    notes = []
    if plane.tiers == 1 and plane.leaf == 1:
        notes.append("one switch joins all nodes: cheapest, but it is a single point of failure")
    if plane.leaf_leaf:
        notes.append(
            f"{plane.leaf_leaf * planes} links join the switches of each pair; they count as cables of the price, "
            "not of a tier"
        )
    if shape.oversubscription > 1 and not plane.up:
        notes.append("one tier has no uplinks: nothing is oversubscribed")
    if plane.planes > 1 or plane.rail_groups:
        notes.append(_racks(size, radix, shape))
    elif plane.tiers == 2 and planes == 1 and 1 < size.rails < plane.switches and size.nodes <= radix:
        each = radix // size.nodes
        rails = "one per rail" if each == 1 else f"each for {'' if size.rails % each == 0 else 'up to '}{each} rails"
        notes.append(
            f"{ceil(size.rails / each)} switches, {rails} and without spines, would join the nodes as well (topology "
            "rail-only), when all traffic between rails goes over the scale-up link (NCCL's PXN does)"
        )
    elif plane.tiers == 3 and planes == 1 and size.rails > 1:
        notes.append(
            f"{size.rails} planes, one per rail, would save a tier up to {radix * radix // 2:,} nodes at the same "
            "bandwidth per NIC, when traffic between rails goes over the scale-up link"
        )
    return notes


def _racks(size: Size, radix: int, shape: Shape) -> str:
    """What the published way to cable racks costs more than the smallest tree."""
    smallest = lay_out(size.nodes, size.rails, radix, oversubscription=shape.oversubscription, by_rail=False)
    than = f"; topology fat-tree would do with {smallest.switches} switches" if smallest else ""
    return (
        f"one leaf per rack and rail, spines by groups of {RACKS_PER_GROUP} racks with half their ports kept for a core"
        f", as in the DGX GB200 SuperPOD{than}"
    )


def _assemble(
    fabric: Fabric,
    size: Size,
    shape: Shape,
    layout: Layout,
    chosen: bill.Switching,
    catalog: Catalog,
    months: int,
    notes: list[str],
) -> FabricDesign:
    ends = _ends(fabric, size, layout, chosen, catalog)
    optics = _counted(ends)
    items = _items(fabric, size, layout, chosen.device, optics, catalog, notes)
    power = _power(layout, chosen.device, ends, catalog, notes)
    hours, usd = f"{HOURS_PER_MONTH:g} h", added(one.usd * (one.count or 0) for one in items)
    if size.nodes <= size.nodes_per_rack:
        notes.append("all GPUs are in one scale-up domain: only what leaves it needs this network")
    if size.gpus % size.gpus_per_node and size.nodes > 1:
        held = f"{size.gpus % size.gpus_per_node} of its {size.gpus_per_node} GPUs"
        notes.append(f"the last node holds {held}; its NICs are all counted and cabled")
    notes += _with_a_cage_each(size, optics) if ends else [_COPPER_LINKS]
    if ends and layout.tiers == 1:
        reach = catalog.constants["cabling-copper-reach"].value
        notes.append(f"optics are counted at both ends: a link of up to {reach:g} m in passive copper (DAC) takes none")
    notes.append(f"USD per GPU-hour: mid capital cost over {months} months at {hours}, power not included")
    each = amortized(usd, months) / size.gpus
    figures = {"nics": size.nics, "optics": sum(optics.values()), "power_w": power, "usd_per_gpu_hour": each}
    return _designed(fabric, size, shape, layout, items, notes, switch=_used(chosen, catalog), **figures)


def _used(chosen: bill.Switching, catalog: Catalog) -> SwitchUsed:
    device, (watts, derived) = chosen.device, bill.power_of(chosen.device, catalog)
    most = device.power_max.si if device.power_max else None
    named = {"id": device.id, "name": device.name, "radix": chosen.radix}
    return SwitchUsed(**named, power_w=watts, power_max_w=most, power_derived=derived)


@dataclass(frozen=True)
class _End:
    """Transceivers at one end of the links: their device, how many, and the bytes per second that each carries."""

    device: Device
    count: int
    rate: float


def _ends(fabric: Fabric, size: Size, layout: Layout, switch: bill.Switching, catalog: Catalog) -> list[_End]:
    """Transceivers in switches and in nodes: a switch fills whole ones per direction, or has them built in.

    Reproduces the bill of RA-11333-001 (127 nodes): 1,536 in 48 switches and 508 in the nodes.
    """
    line_rate, in_node = fabric.nic_rate / size.ports_per_nic, _links_per_node_cage(size)
    if line_rate <= bill.COPPER:
        return []
    in_switches = 0 if switch.device.optics_included else _switch_side(layout, switch.links_per_cage)
    sides = (switch.links_per_cage, in_switches), (in_node, size.nodes * ceil(size.rails / in_node))
    found = ((links, count, bill.optic(fabric, line_rate, links, catalog)) for links, count in sides)
    return [_End(device, count, links * line_rate) for links, count, device in found if device is not None]


def _counted(ends: list[_End]) -> Counter[str]:
    """How many of each device."""
    found: Counter[str] = Counter()
    for end in ends:
        found[end.device.id] += end.count
    return found


def _links_per_node_cage(size: Size) -> int:
    """Links in one cage of a node: all those of the adapters that share it."""
    return size.ports_per_nic * max(1, size.nics_per_cage)


def _with_a_cage_each(size: Size, optics: Counter[str]) -> list[str]:
    """How many transceivers it is where each adapter has a cage of its own, as an order for 256 H100 had it; where
    nothing is known of the machine, that this is how they are counted."""
    links = _links_per_node_cage(size)
    shared, alone = size.nodes * ceil(size.rails / links), size.nodes * size.nics_per_node
    if shared == alone:
        how = "as this machine has it" if size.nics_per_cage else "as cards have, how this machine has it is not known"
        return [f"{alone:,} of the optics are in the nodes, one for each adapter, {how}"]
    whole = sum(optics.values()) + alone - shared
    return [
        f"{shared:,} of the optics are in the nodes, {links // size.ports_per_nic} adapters to a cage as in a DGX; "
        f"adapters that are cards of their own take {alone:,} single ones, {whole:,} in all"
    ]


def _switch_side(layout: Layout, ports: int) -> int:
    # A leaf that is not full has at most one transceiver with a free port, and none is without a link.
    to_nodes = min(layout.leaf * ceil(layout.down / ports), layout.leaf + layout.node_leaf // ports, layout.node_leaf)
    leaves = to_nodes + layout.leaf * ceil(layout.up / ports)
    if layout.tiers == 1:
        return leaves + 2 * ceil(layout.leaf_leaf / ports)
    if layout.tiers == 2:
        return leaves + layout.spine * ceil(layout.leaf_spine / layout.spine / ports)
    return leaves + ceil(layout.leaf_spine / ports) + 2 * ceil(layout.spine_core / ports)


def _items(
    fabric: Fabric, size: Size, layout: Layout, switch: Device, optics: Counter[str], catalog: Catalog, notes: list[str]
) -> list[PricedItem]:
    line_rate = fabric.nic_rate / size.ports_per_nic
    card = bill.network_card(fabric, max(fabric.nic_rate, size.on_board), catalog)
    of_card = bill.price_of(card, catalog) if card else None
    supernic = fabric.technology == "spectrum-x" and not (size.on_board or size.nodes_per_rack)
    if supernic and of_card is not None and fabric.nic_rate <= SUPERNIC:
        of_card = replace(of_card, derived=_STAND_IN)
    found: list[tuple[str, Part, Device | None, int, bill.Price | None]] = [
        (f"switch {switch.name}", "switch", switch, layout.switches, bill.price_of(switch, catalog)),
        (f"NIC {card.name}" if card else "NIC", "nic", card, size.nics, of_card),
    ]
    for one, count in ((catalog.devices[ident], count) for ident, count in optics.items()):
        if own := bill.own_price(one):
            found.append((f"optic {one.name}", "optic", one, count, own))
    cable, price = bill.link(line_rate, catalog) or (None, None)
    bare = "copper cables" if line_rate <= bill.COPPER else "optics and cables"
    named = f"link of {line_rate / bill.GBPS:g} Gb/s: {cable.name}" if cable else bare
    found.append((named, "link", cable, layout.cables, price))
    notes += [
        f"{item}: no price in the catalog, left out of the capital cost" for item, *_, price in found if not price
    ]
    return [price.of(item, kind, one, count) for item, kind, one, count, price in found if price and one]


def _power(layout: Layout, switch: Device, ends: list[_End], catalog: Catalog, notes: list[str]) -> float:
    """Watts of switches and optics; NICs draw theirs inside the node."""
    each, derived = bill.power_of(switch, catalog)
    notes += [f"power of {switch.name}: {derived}"] if derived else []
    watts = layout.switches * each
    for end in ends:
        each, derived = bill.power_of(end.device, catalog)
        scale = end.rate / bill.capacity(end.device)
        if derived is None and abs(scale - 1) > 0.01:
            derived = f"no transceiver of {end.rate / bill.GBPS:g} Gb/s; scaled by line rate"
        told = f"power of {end.device.name}: {derived}"
        notes += [told] if derived and end.count and told not in notes else []
        watts += end.count * each * scale
    return watts
