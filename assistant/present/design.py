"""A network design: its drawing, its parts with dated prices, and what to know of it."""

import textwrap

from assistant.vocabulary.answers import FabricDesign
from assistant.vocabulary.counted import counted
from assistant.vocabulary.printing import in_json

from . import figures
from .blocks import Block, Bullets, Chart, Heading, Paragraph, Table
from .markdown import blocks_markdown, escaped
from .text import lines_of
from .topology_drawing import drawing_lines, drawing_svg, told

DRAWN = 72  # columns of a drawing that stands in a document of any width


def written(design: FabricDesign, form: str, width: int = 80) -> str:
    """The design as ``text``, ``json``, ``markdown``, ``html`` or ``svg``; a picture only where there is one."""
    if form == "json":
        return in_json(design.model_dump_json(indent=2)) + "\n"
    if form == "svg":
        return drawing_svg(design)
    title = _title(design)
    if form == "text":
        return "\n".join([title, *lines_of(design_blocks(design, width), width)]) + "\n"
    if form == "markdown":
        return f"# {escaped(title)}\n\n{blocks_markdown(design_blocks(design))}\n"
    from .html import report_page

    return report_page(title, design_blocks(design))


def _title(d: FabricDesign) -> str:
    return f"{d.fabric} for {d.gpus:,} GPUs on {counted(d.nodes, 'node')}"


def design_blocks(design: FabricDesign, width: int = DRAWN) -> list[Block]:
    """Drawing, sizes, parts and notes; notes alone where nothing is built."""
    if not design.switches:
        return [Bullets(design.notes)]
    chart = [Chart((*drawing_lines(design, min(width, DRAWN)), ""), svg=drawing_svg(design))]
    return [*chart, Bullets(sentences(design)), Heading("Bill of materials"), *parts(design)]


def sentences(design: FabricDesign) -> list[str]:
    """Size, cables, power and price."""
    d, usd = design, figures.usd
    over = "non-blocking" if d.oversubscription == 1 else f"{d.oversubscription:g}:1 oversubscribed"
    tiers, switches = counted(d.tiers, "tier"), counted(d.switches, "switch")
    low, high = usd(d.capex_usd.low), usd(d.capex_usd.high)
    return [
        f"{d.topology} in {tiers}, {over}: {switches} ({d.leaf} leaf, {d.spine} spine, {d.core} core), "
        f"{d.nics:,} NICs, {ends(d)}.",
        *(f"{sentence[:1].upper()}{sentence[1:]}." for sentence in told(d)),
        f"{watts(d)[:1].upper()}{watts(d)[1:]} of switches and optics.{_each(d)}",
        f"About {usd(d.capex_usd.mid)} to buy ({low}–{high}), {usd(d.usd_per_gpu_hour)} per GPU-hour over the "
        "amortisation.",
    ]


def ends(design: FabricDesign) -> str:
    """How many optics, or that there are none."""
    return f"{design.optics:,} optics" if design.optics else "no optics"


def watts(design: FabricDesign) -> str:
    """What switches and optics draw; of nothing that is known no figure."""
    return f"{figures.significant(design.power_w / 1000)} kW" if design.power_w else "an unknown power"


def _each(design: FabricDesign) -> str:
    """What one switch draws, as its vendor states it."""
    used = design.switch
    if used is None or not used.power_w:
        return ""
    kw = lambda watts: f"{figures.significant(watts / 1000)} kW"
    said = f"derived: {used.power_derived}" if used.power_derived else "as its vendor states it"
    most = f"; at most {kw(used.power_max_w)} with a transceiver in every cage" if used.power_max_w else ""
    return f" One {used.name} draws {kw(used.power_w)} ({said}){most}."


def parts(design: FabricDesign) -> list[Block]:
    """The priced parts; a price that nobody published for the part itself is marked. Then what else is to be known."""
    if not design.prices:
        return [Paragraph("No part has a price."), Bullets(design.notes)]
    rows = [
        [
            *(p.item, f"{p.count or 0:,}", f"{figures.usd(p.usd)}{' (derived)' if p.derived else ''}"),
            figures.usd(p.usd * (p.count or 0)),
        ]
        for p in design.prices
    ]
    brief = ["part", *(textwrap.shorten(row[0], 34, placeholder="…") for row in rows)]
    table = Table(["part", "number", "each", "sum"], rows, frozenset({1, 2, 3}), shorter={0: brief})
    return [table, Bullets(known(design))]


def known(design: FabricDesign) -> list[str]:
    """Date and source of every price, with what it comes from where nobody published it, and the notes."""
    prices = [
        f"{p.item}: price of {p.date}, {p.source}{f'; derived: {p.derived}' if p.derived else ''}"
        for p in design.prices
    ]
    return [*prices, *design.notes]
