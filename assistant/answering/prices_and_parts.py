"""Break-even of a fabric's premium, and what a network is built of."""

from __future__ import annotations

from assistant.library import Library
from assistant.market import break_even_slowdown
from assistant.network.topology import design
from assistant.planning.resolve import Assumptions
from assistant.present.figures import percent, significant, usd
from assistant.vocabulary.answers import Computed, FabricDesign
from assistant.vocabulary.catalog import Fabric

from .asked import Asked
from .recognition import premium_and_price
from .result import computed, figure
from .situation import fabrics, nics, situation


def break_even(asked: Asked, library: Library) -> Computed | None:
    """The slowdown of the cheaper network above which the dearer one pays."""
    said = premium_and_price(asked)
    if said is None or said[0] < 0 or said[1] <= 0:
        return None
    premium, price = said
    share = break_even_slowdown(premium, price)
    figures = [
        figure("break-even slowdown", 100 * share, "%", f"{usd(premium)} ÷ {usd(price)}"),
        figure(
            "break-even share of communication",
            100 * share / (1 + share),
            "%",
            f"{usd(premium)} ÷ ({usd(price)} + {usd(premium)})",
        ),
    ]
    text = (
        f"{usd(premium)} more on {usd(price)} per GPU-hour is worth it when the job would be more than "
        f"{percent(100 * share)} slower without it, that is "
        f"when waiting that the dearer network takes away is more than {percent(100 * share / (1 + share))} of the slow run."
    )
    taken = Assumptions()
    taken.take("training.tokens", None, "the length of the run and the number of GPUs cancel out")
    caveat = (
        "Money only: a deadline, the people who run the network and other jobs on it are not counted. Whether your job is "
        "that much slower: weft plan."
    )
    inputs = {"premium_usd_per_gpu_hour": premium, "gpu_usd_per_hour": price}
    return computed("break-even", asked, text, figures, inputs, taken, caveat)


def network_parts(asked: Asked, library: Library) -> Computed | None:
    """Switches, cables, optics, power and price of a non-blocking network."""
    taken, catalog = Assumptions(), library.catalog
    at = situation(asked, catalog, taken)
    if at.gpus > at.gpus_per_node and at.gpus % at.gpus_per_node:
        return None
    fabric = fabrics(asked, catalog, taken, at.gpu)[0]
    count = nics(fabric, asked, at, taken)
    made = design(fabric, at.gpu, at.gpus, at.gpus_per_node, count, catalog)
    taken.take("oversubscription", 1.0, "non-blocking")
    inputs = {
        "fabric": fabric.id,
        "gpu": at.gpu.id,
        "gpus": at.gpus,
        "gpus_per_node": at.gpus_per_node,
        "nics_per_node": count,
    }
    return computed(
        "network", asked, _parts_text(made, fabric, at.where), _part_figures(made), inputs, taken, _parts_caveat(made)
    )


def _part_figures(made: FabricDesign) -> list:
    cables = made.cables.node_leaf + made.cables.leaf_spine + made.cables.spine_core
    return [
        figure("switches", made.switches, "switches", f"{made.leaf} leaf + {made.spine} spine + {made.core} core"),
        figure(
            "cables",
            cables,
            "cables",
            f"{made.cables.node_leaf} node to leaf + {made.cables.leaf_spine} leaf to spine + "
            f"{made.cables.spine_core} spine to core",
        ),
        figure("NICs", made.nics, "NICs", f"{made.nodes} nodes × {significant(made.nics / max(made.nodes, 1))}"),
        figure("optics", made.optics, "optics", "transceivers at both ends of every link that needs them"),
        figure("power", made.power_w, "W", "switches and optics"),
        figure(
            "price",
            made.capex_usd.mid,
            "USD",
            f"between {usd(made.capex_usd.low)} and {usd(made.capex_usd.high)}; weft fabric lists it item by item",
        ),
    ]


def _parts_text(made: FabricDesign, fabric: Fabric, where: str) -> str:
    if not made.switches:
        return f"{fabric.name} for {where}: {'; '.join(made.notes)}."
    cables = made.cables.node_leaf + made.cables.leaf_spine + made.cables.spine_core
    return (
        f"{fabric.name} for {where} takes {made.switches:,} switch{'es' * (made.switches != 1)} in {made.tiers} "
        f"tier{'s' * (made.tiers != 1)} ({made.leaf} leaf, {made.spine} spine, "
        f"{made.core} core), {made.nics:,} NICs, {cables:,} cables and {made.optics:,} transceivers: about {usd(made.capex_usd.mid)} "
        f"({usd(made.capex_usd.low)} to {usd(made.capex_usd.high)}), {significant(made.power_w / 1000)} kW."
    )


def _parts_caveat(made: FabricDesign) -> str:
    dates = sorted(item.date for item in made.prices)
    dated = f" Prices are of {dates[0]} to {dates[-1]}." if dates else ""
    return f"Racks, installation, spares and support are not counted; vendors' reference designs differ by a few switches.{dated}"
