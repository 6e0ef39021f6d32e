"""A network design and its bill of materials as plain lines."""

import textwrap

from assistant.vocabulary.answers import FabricDesign

from . import figures
from .blocks import Table
from .text import block_lines, safe


def design_lines(design: FabricDesign, width: int = 80) -> list[str]:
    """Topology, parts, prices with their dates and sources."""
    d = design
    lines = [f"{d.fabric} for {d.gpus} GPUs on {d.nodes} nodes"]
    if d.switches:
        lines += [
            f"{d.tiers} tier(s), {d.planes} plane(s), oversubscription {d.oversubscription:g}:1",
            f"switches: {d.switches} ({d.leaf} leaf, {d.spine} spine, {d.core} core)",
            f"NICs: {d.nics}; optics: {d.optics}",
            f"cables: {d.cables.node_leaf} node to leaf, {d.cables.leaf_spine} leaf to spine, {d.cables.spine_core} "
            "spine to core",
            f"power: {figures.significant(d.power_w / 1000)} kW",
            f"to buy: {figures.usd(d.capex_usd.mid)} ({figures.usd(d.capex_usd.low)}–{figures.usd(d.capex_usd.high)})",
            f"amortised: {figures.usd(d.usd_per_gpu_hour)} per GPU-hour",
        ]
    if d.prices:
        rows = [[p.item, figures.usd(p.usd), p.date, p.source] for p in d.prices]
        lines += ["", *block_lines(Table(["item", "price", "date", "source"], rows, frozenset({1})), width)]
    lines += [line for note in d.notes for line in ["", *textwrap.wrap(note, width)]]
    return [safe(line) for line in lines]
