"""Break-even of a fabric's premium, and what a network is built of."""

from __future__ import annotations

from assistant.market import break_even_slowdown
from assistant.network.topology import design
from assistant.present.figures import significant, usd
from assistant.vocabulary.answers import Computed, FabricDesign
from assistant.vocabulary.catalog import Fabric
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
    """Switches, cables, optics, power and price of a non-blocking network."""
    found = designed(case)
    if found is None:
        return None
    at, fabric, made = found
    _figures(case, made)
    sizes = {"gpu": at.gpu.id, "gpus": at.gpus, "gpus_per_node": at.gpus_per_node}
    sizes["nics_per_node"] = made.nics // max(made.nodes, 1)
    return case.answer(_text(made, fabric, at.where), not_counted(made), fabric=fabric.id, **sizes)


def designed(case: Case) -> tuple[Cluster, Fabric, FabricDesign] | None:
    """The non-blocking network of the question's machines; none where they are no whole nodes."""
    at = case.cluster
    if at.gpus > at.gpus_per_node and at.gpus % at.gpus_per_node:
        return None
    fabric = case.networks()[0]
    nics = case.nics(fabric, at)
    made = design(fabric, at.gpu, at.gpus, at.gpus_per_node, nics, case.catalog)
    case.take("oversubscription", 1.0, "non-blocking")
    return at, fabric, made


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
