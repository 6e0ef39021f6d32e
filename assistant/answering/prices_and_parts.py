"""Break-even of a fabric's premium, and what a network is built of."""

from __future__ import annotations

from assistant.market import break_even_slowdown
from assistant.network.topology import design
from assistant.present.figures import significant, usd
from assistant.vocabulary.answers import Computed, FabricDesign
from assistant.vocabulary.catalog import Device, Fabric
from assistant.vocabulary.counted import counted

from .case import Case, Cluster

_MONEY_ONLY = (
    "Money only: a deadline, the people who run the network and other jobs on it are not counted. Whether your job is "
    "that much slower: weft plan."
)
_NOT_COUNTED = (
    "Racks, installation, spares and support are not counted; vendors' reference designs differ by a few switches."
)


def break_even(case: Case) -> Computed | None:
    """The slowdown of the cheaper network above which the dearer one pays."""
    premium, price = case.utterance.roles["premium"], case.utterance.roles["price"]
    if premium < 0 or price <= 0:
        return None
    share = break_even_slowdown(premium, price)
    waiting = 100 * share / (1 + share)
    case.figure("break-even slowdown", 100 * share, "%", f"{usd(premium)} ÷ {usd(price)}")
    whole = f"{usd(premium)} ÷ ({usd(price)} + {usd(premium)})"
    case.figure("break-even share of communication", waiting, "%", whole)
    text = (
        f"{usd(premium)} more on {usd(price)} per GPU-hour is worth it when the job would be more than "
        f"{significant(100 * share)} % slower without it, that is when waiting that the dearer network takes away is "
        f"more than {significant(waiting)} % of the slow run."
    )
    case.take("training.tokens", None, "the length of the run and the number of GPUs cancel out")
    return case.answer(text, _MONEY_ONLY, premium_usd_per_gpu_hour=premium, gpu_usd_per_hour=price)


def network_parts(case: Case) -> Computed | None:
    """Switches, cables, optics, power and price of a network: of the switch and the oversubscription that are named,
    and what that takes off a non-blocking one."""
    found = designed(case)
    if found is None:
        return None
    at, fabric, made = found
    _figures(case, made)
    text = _text(made, fabric, at.where)
    if made.oversubscription > 1 and made.switches:
        text = f"{text} {_off_non_blocking(case, found)}"
    sizes = {"gpu": at.gpu.id, "gpus": at.gpus, "gpus_per_node": at.gpus_per_node}
    sizes["nics_per_node"] = made.nics // max(made.nodes, 1)
    if switch := _switch_named(case):
        sizes["switch"] = switch
        text = f"{made.switches:,} × {case.catalog.devices[switch].name.partition(' (')[0]}: {text}"
    return case.answer(text, not_counted(made), fabric=fabric.id, **sizes)


def _switch_named(case: Case) -> str | None:
    """The id of the switch that the question names."""
    named = case.utterance.roles.get("signs", {}).get("device_named", ())
    return next((one for one in named if one and case.catalog.devices[one].kind == "switch"), None)


def _off_non_blocking(case: Case, found: tuple[Cluster, Fabric, FabricDesign]) -> str:
    """What an oversubscribed network takes off the price of the non-blocking one."""
    at, fabric, made = found
    nics, switch = case.nics(fabric, at), _switch_named(case)
    whole = design(fabric, at.gpu, at.gpus, at.gpus_per_node, nics, case.catalog, switch=switch)
    less = whole.capex_usd.mid - made.capex_usd.mid
    switches = f"{counted(whole.switches, 'switch')}, {usd(whole.capex_usd.mid)}"
    case.figure("less than non-blocking", less, "USD", f"{usd(whole.capex_usd.mid)} − {usd(made.capex_usd.mid)}")
    share = 100 * less / whole.capex_usd.mid
    return (
        f"Non-blocking it is {switches}: {made.oversubscription:g}:1 takes {usd(less)} off, {significant(share)} %, "
        "for as much less between leaves."
    )


def designed(case: Case) -> tuple[Cluster, Fabric, FabricDesign] | None:
    """The network of the question's machines, non-blocking where no oversubscription is said; none where they are no
    whole nodes."""
    at = case.cluster
    if at.gpus > at.gpus_per_node and at.gpus % at.gpus_per_node:
        return None
    switch, over = _switch_named(case), case.fields.get("cluster.oversubscription")
    fabric = (_of_switch(case, switch) if switch and not case.names_network else None) or case.networks()[0]
    nics = case.nics(fabric, at)
    over = float(over or case.take("oversubscription", 1.0, "non-blocking"))
    made = design(
        fabric, at.gpu, at.gpus, at.gpus_per_node, nics, case.catalog, oversubscription=over, switch=switch
    )  # fmt: skip
    return at, fabric, made


def _of_switch(case: Case, switch: str) -> Fabric | None:
    """The network that a switch is for at the usual speed of the GPU, or at its own where that is less."""
    device, usual = case.catalog.devices[switch], case.gpu.usual_nic_line_rate.si
    technology = "infiniband" if device.technology == "infiniband" else "roce"
    able = [
        one for one in case.catalog.fabrics.values()
        if one.technology == technology and one.line_rate is not None and one.line_rate.si <= device.port_rate.si
    ]  # fmt: skip
    of_it = [one for one in able if one.line_rate is not None and one.line_rate.si <= usual]
    found = max(of_it or able, key=lambda one: one.line_rate.si if one.line_rate else 0.0, default=None)
    if found is not None:
        case.take("cluster.fabric", found.id, f"what {device.name} is for, at the usual speed of {case.gpu.name}")
    return found


def part_price(case: Case) -> Computed | None:
    """What a part of a network costs by the catalog: the device that is named, or those of a kind and a line rate; of
    transceivers, which no list prices alone, that of a link with both."""
    signs = case.utterance.roles.get("signs", {})
    named = [case.catalog.devices[one] for one in signs.get("device_named", ()) if one]
    kind, rates = next(iter(signs.get("part", ())), None), case.amounts("rate")
    every = [
        one for one in case.catalog.devices.values()
        if one.kind == kind and (not rates or round(one.port_rate.value) == round(rates[0]))
    ]  # fmt: skip
    links = [one for one in case.catalog.devices.values() if one.kind == "cable"]
    priced = [one for one in named or every if _priced(one)]
    alone = not priced and (kind == "optic" or any(one.kind == "optic" for one in named))
    priced = [one for one in links if _priced(one)] if alone else priced
    if not priced:
        return None
    for one in sorted(priced, key=lambda one: _bounds(one)[0])[:_PARTS]:
        low, high = _bounds(one)
        price = one.price or one.price_high or one.price_low
        rate = f"{one.port_rate.value:g} Gb/s"
        case.figure(f"{one.vendor} {one.name}", high, "USD", f"{_range(low, high)}; {rate}; {price and price.date}")
    first = min(priced, key=lambda one: _bounds(one)[0])
    said = f"{first.vendor} {first.name}" if first.vendor != "various" else f"A {first.name}"
    text = f"{said}, {first.port_rate.value:g} Gb/s: {_range(*_bounds(first))}."
    if alone:
        other = not rates or round(rates[0]) == round(first.port_rate.value)
        rule = "" if other else f" No price of {rates[0]:g} Gb/s was read; weft fabric derives it from the line rate."
        link = f"a link of {first.port_rate.value:g} Gb/s with both of its transceivers is {_range(*_bounds(first))}"
        text = f"No list prices a transceiver alone; {link}.{rule}"
    return case.answer(text, _PART, parts=[one.id for one in priced])


_PARTS = 4
_PART = (
    "Prices as published, without discount, tax or freight; the cheapest may be a third party's. Sources: weft fabric."
)


def _priced(one: Device) -> bool:
    return bool(one.price or one.price_low or one.price_high)


def _bounds(one: Device) -> tuple[float, float]:
    """US dollars, from the least that was read to the most."""
    found = [fact.si for fact in (one.price_low, one.price, one.price_high) if fact is not None]
    return min(found), max(found)


def _range(low: float, high: float) -> str:
    return usd(high) if low == high else f"{usd(low)} to {usd(high)}"


def not_counted(made: FabricDesign) -> str:
    """What the price of a network leaves out, and of when its parts' prices are."""
    dates = sorted(item.date for item in made.prices)
    return f"{_NOT_COUNTED} Prices are of {dates[0]} to {dates[-1]}." if dates else _NOT_COUNTED


def _figures(case: Case, made: FabricDesign) -> None:
    of, capex = made.cables, made.capex_usd
    cables = f"{of.node_leaf} node to leaf + {of.leaf_spine} leaf to spine + {of.spine_core} spine to core"
    band = f"between {usd(capex.low)} and {usd(capex.high)}; weft fabric lists it item by item"
    each = significant(made.nics / max(made.nodes, 1))
    case.figure("switches", made.switches, "switches", f"{made.leaf} leaf + {made.spine} spine + {made.core} core")
    case.figure("cables", of.node_leaf + of.leaf_spine + of.spine_core, "cables", cables)
    case.figure("NICs", made.nics, "NICs", f"{made.nodes} nodes × {each}")
    case.figure("optics", made.optics, "optics", "transceivers at both ends of every link that needs them")
    case.figure("power", made.power_w, "W", "switches and optics")
    case.figure("price", capex.mid, "USD", band)


def _text(made: FabricDesign, fabric: Fabric, where: str) -> str:
    if not made.switches:
        return f"{fabric.name} for {where}: {'; '.join(made.notes)}."
    cables = made.cables.node_leaf + made.cables.leaf_spine + made.cables.spine_core
    return (
        f"{fabric.name} for {where} takes {counted(made.switches, 'switch')} in "
        f"{counted(made.tiers, 'tier')} ({made.leaf} leaf, {made.spine} spine, {made.core} core), {made.nics:,} NICs, "
        f"{cables:,} cables and {made.optics:,} transceivers: about {usd(made.capex_usd.mid)} "
        f"({usd(made.capex_usd.low)} to {usd(made.capex_usd.high)}), {significant(made.power_w / 1000)} kW."
    )
