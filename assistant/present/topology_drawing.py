"""A network as a drawing, in text and in SVG: its planes or groups side by side, core above, nodes below.

What does not fit is cut, with an ellipsis in its place; the numbers at the side are those of the whole network.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assistant.vocabulary.answers import FabricDesign
from assistant.vocabulary.counted import counted

from .text import in_xml, safe

MARK, CUT, LINK = "■", "…", "═"
_NO_SWITCH = (" ", CUT, LINK)
_ROOM = 1_000  # units, and switches of one: no drawing has room for as many
WIDTH, ROW, STEP = 900, 78, 21  # pixels: the picture, from one tier to the next, from one switch to the next
LEFT = 150
_COLOURS = {"core": "#7A5195", "spine": "#0072B2", "leaf": "#009E73", "nodes": "#E69F00"}


@dataclass(frozen=True)
class Unit:
    """A plane or a group: leaves with their spines. ``blocks``: nodes that hang on the same leaves."""

    title: str
    leaves: int
    spines: int
    blocks: int
    nodes: str  # of one block
    rails: tuple[str, ...]  # the marks of the leaves of one block
    pair: bool = False  # two leaves with cables between them

    def shown(self, most: int) -> tuple[list[str], list[str]]:
        """Marks of the leaves, a blank between two blocks, and of the spines; at most ``most`` each."""
        apart = " " if len(self.rails) > 1 else ""
        blocks = min(self.blocks, most + 1)
        leaves = LINK.join(self.rails * blocks) if self.pair else apart.join(["".join(self.rails)] * blocks)
        return _cut(leaves, most), _marks(self.spines, most)


def _marks(count: int, most: int) -> list[str]:
    """One for each switch, as far as there is room."""
    return _cut(MARK * min(count, most + 1), most)


def _cut(marks: str, most: int) -> list[str]:
    return list(marks if len(marks) <= most else marks[: most - 1].rstrip() + CUT)


def units(design: FabricDesign) -> list[Unit]:
    """The planes and groups of a network in the order in which they are drawn, as many as there may be room for."""
    rails, each = max(1, design.rails), _of_units(design)
    parallel = rails if design.rail_groups else design.planes
    leaves, spines, ports = -(-design.leaf // each), -(-design.spine // each), rails // parallel
    whole = design.topology != "fat-tree" and ports > 0 and leaves % ports == 0
    blocks = leaves // ports if whole else 1
    one = ports > 1 and whole and ports < 10
    marks = tuple(str(n + 1) if one else MARK for n in range(min(leaves // blocks, _ROOM)))
    many = -(-design.nodes * parallel // (blocks * each))
    nodes = counted(many, "node")
    pair = bool(design.cables.leaf_leaf) and leaves == 2
    of_group = f", {counted(many * blocks, 'node')}" if design.groups > 1 and blocks > 1 and parallel == 1 else ""
    titles = [_title(design, number, parallel) + of_group for number in range(min(each, _ROOM))]
    return [Unit(title, leaves, spines, blocks, nodes, marks, pair) for title in titles]


def _of_units(design: FabricDesign) -> int:
    return design.planes * design.groups


def _title(design: FabricDesign, number: int, parallel: int) -> str:
    if design.rail_groups:
        racks, each = design.leaf // parallel, -(-design.leaf // design.groups)
        first = number // parallel * each
        return f"rail {number % parallel + 1}, racks {first + 1}–{min(first + each, racks)}"
    if design.planes > 1:
        alone = design.planes == design.rails
        return f"{'rail' if alone and design.topology != 'plane' else 'plane'} {number // design.groups + 1}"
    return f"group {number + 1}" if design.groups > 1 else ""


def told(design: FabricDesign) -> list[str]:
    """What the drawing shows, in sentences."""
    d, cables = design, design.cables
    ports = counted(d.rails, "NIC port")
    to_leaves = f"{counted(cables.node_leaf, 'cable')} to {counted(d.leaf, 'leaf switch')}"
    lines = [f"{counted(d.nodes, 'node')} with {ports} each, {to_leaves}"]
    if d.spine:
        between = cables.leaf_spine * d.planes * d.groups // max(1, d.leaf * d.spine)
        each = f", {between} from a leaf to each spine it reaches" if between else ""
        lines.append(f"{counted(cables.leaf_spine, 'cable')} from leaf to {counted(d.spine, 'spine switch')}{each}")
    if d.core:
        lines.append(f"{counted(cables.spine_core, 'cable')} from spine to {counted(d.core, 'core switch')}")
    if cables.leaf_leaf:
        lines.append(f"{cables.leaf_leaf:,} cables between the two switches of a pair")
    if d.planes > 1:
        lines.append(f"{d.planes} separate networks, not joined to each other; every node is in each")
    if d.groups > 1:
        lines.append(f"{d.groups} groups of leaf switches with spines of their own")
    return lines


# -- in text


def drawing_lines(design: FabricDesign, width: int = 80) -> list[str]:
    """The network in signs, at most ``width`` to a line; nothing where there is none to draw.

    A figure stands for a leaf switch of that rail, a square for another switch.
    """
    if not design.leaf:
        return []
    found = units(design)
    label = 7 + max(len(f"{count:,}") for count in (design.core, design.spine, design.leaf, design.nodes))
    room = max(20, width - label - 4)
    most = max(8, min(24, room // min(len(found), 3) // 2 - 2))
    frames = [_frame(unit, most) for unit in found]
    kept = [frames[0]]
    while len(kept) < len(frames) and sum(len(f[0]) + 1 for f in kept) + len(frames[len(kept)][0]) <= room:
        kept.append(frames[len(kept)])
    more = CUT if len(kept) < len(frames) else ""
    span = sum(len(frame[0]) + 1 for frame in kept) - 1
    lines = _core_lines(design, label, span)
    for (name, count), row in zip(_rows(design), zip(*kept, strict=True), strict=True):
        side = f"{name:<6}{count:>{label - 7},}" if name else ""
        lines.append(f"{side:<{label}}{' '.join(row)} {more if name == 'leaf' else ''}".rstrip())
    return lines


def _rows(design: FabricDesign) -> list[tuple[str, int]]:
    spines = [("spine", design.spine), ("", 0)] if design.spine else []
    return [("", 0), *spines, ("leaf", design.leaf), ("", 0), ("nodes", design.nodes)]


def _core_lines(design: FabricDesign, label: int, span: int) -> list[str]:
    if not design.core:
        return []
    marks = " ".join(_marks(design.core, max(3, min(16, span // 2))))
    return [f"{'core':<6}{design.core:>{label - 7},} {marks:^{span}}".rstrip(), f"{'':<{label}}{'╳' * span}"]


def _frame(unit: Unit, most: int) -> list[str]:
    """A unit as lines of equal length: border, spines, links, leaves, border with the cables to nodes, nodes."""
    leaves, spines = unit.shown(most)
    inner = max(2 * len(leaves) + 1, 2 * len(spines) + 1, len(unit.title) + 4)
    pad = lambda marks: f"│{' ' + ' '.join(marks).replace(f' {LINK} ', LINK * 3):<{inner}}│"
    title = f" {unit.title} " if unit.title else ""
    links = " ".join("╳" * len(leaves))
    feet = "".join("┬─" if mark not in _NO_SWITCH else "──" for mark in leaves)
    middle = [pad(spines), f"│ {links:<{inner - 1}}│"] if unit.spines else []
    return [
        f"┌{title:─<{inner}}┐",
        *middle,
        pad(leaves),
        f"└{'─' + feet:─<{inner}}┘",
        f"  {_hanging(unit, leaves):<{inner}}",
    ]


def _hanging(unit: Unit, leaves: list[str]) -> str:
    """Below the leaves of a block how many nodes hang on them, or lines where there is no room to say it."""
    wide = 2 * len(unit.rails)
    if len(unit.nodes) < wide and 2 * len(leaves) >= wide:
        blocks = 1 + (len(leaves) - len(unit.rails)) // (len(unit.rails) + 1)
        many = f"{unit.blocks:,} × {unit.nodes}" if blocks == 1 < unit.blocks else unit.nodes  # one drawn for all
        return "  ".join(f"{many:^{wide - 1}}" + " " for _ in range(blocks)).rstrip()
    return "".join("│ " if mark not in _NO_SWITCH else "  " for mark in leaves)


# -- in SVG


def drawing_svg(design: FabricDesign, called: str | None = None) -> str:
    """The network as a picture of its own, under what people call it; an empty text where there is none to draw."""
    if not design.leaf:
        return ""
    tiers = [name for name in ("core", "spine", "leaf", "nodes") if name == "nodes" or getattr(design, name)]
    rows = {name: 62 + ROW * number for number, name in enumerate(tiers)}
    found, sentences = units(design), told(design)
    height = max(rows.values()) + 52 + 17 * len(sentences)
    switches = f"{counted(design.switches, 'switch')}"
    name = safe(f"{called or design.fabric}: {design.gpus:,} GPUs, {switches}")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="12" fill="#222222" role="img">',
        f"<title>{in_xml(name)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        _text(16, 24, name, 'font-size="15" font-weight="bold"'),
        *(_text(16, y + 5, f"{getattr(design, tier):,} {tier}") for tier, y in rows.items()),
    ]
    parts += _inside(design, found, rows)
    foot = max(rows.values()) + 44
    parts += [_text(16, foot + 17 * n, sentence, 'fill="#555555"') for n, sentence in enumerate(sentences)]
    return "\n".join([*parts, "</svg>", ""])


def _inside(design: FabricDesign, found: list[Unit], rows: dict[str, int]) -> list[str]:
    """Units side by side as far as there is room, lines below switches."""
    room, shown = WIDTH - LEFT - 40, min(len(found), 4)
    most = max(4, min(36, (room // shown - 26) // STEP))
    boxes: list[str] = []
    lines: list[str] = []
    same = design.planes > 1 or design.rail_groups  # the same nodes hang below every unit
    tops: list[tuple[float, float]] = []
    left = float(LEFT)
    for number, unit in enumerate(found):
        leaves, spines = unit.shown(most)
        wide = STEP * max(len(leaves), len(spines)) + 14
        if left + wide > WIDTH - 30:
            boxes.append(_text(WIDTH - 8, rows["leaf"] + 5, f"+ {_of_units(design) - number}", 'text-anchor="end"'))
            break
        frame, down = rows.get("spine", rows["leaf"]) - 26, rows["leaf"] + 20
        boxes.append(
            f'<rect x="{left:.0f}" y="{frame}" width="{wide}" height="{down - frame}" rx="5" fill="none" '
            'stroke="#bbbbbb"/>' + _text(left + 6, frame + 12, unit.title, 'font-size="10" fill="#555555"')
        )
        below = _placed(leaves, left, wide, rows["leaf"])
        above = _placed(spines, left, wide, rows["spine"]) if unit.spines else []
        lines += [_line(x, y - 8, at, up + 8) for x, y in below for at, up in above]
        boxes += [*_switches(below, leaves, "leaf"), *_switches(above, spines, "spine")]
        if unit.pair:
            (x, y), (to_x, _) = below
            lines += [_line(x, y + up, to_x, y + up, "#D55E00", 2) for up in (-3, 3)]
        lines += [_line(x, rows["nodes"] - 9, x, y + 8) for x, y in below]
        boxes += [] if same else _nodes(unit, below, rows["nodes"])
        tops += above or below
        left += wide + 12
    if same:
        boxes += _bar(
            LEFT, left - 12, rows["nodes"], f"the same nodes in every {'rail' if design.rail_groups else 'plane'}"
        )
    if design.core:
        core = _marks(design.core, 16)
        at = _placed(core, LEFT, int(left) - LEFT - 12, rows["core"])
        lines += [_line(x, y - 8, cx, cy + 8, "#d9cfe8") for x, y in tops for cx, cy in at]
        boxes += _switches(at, core, "core")
    return lines + boxes


def _placed(marks: list[str], left: float, wide: float, y: float) -> list[tuple[float, float]]:
    """Where the switches of a row stand, in the middle of their unit; gaps and the ellipsis have no place."""
    start = left + (wide - STEP * len(marks)) / 2 + STEP / 2
    return [(start + STEP * n, y) for n, mark in enumerate(marks) if mark not in _NO_SWITCH]


def _switches(places: list[tuple[float, float]], marks: list[str], tier: str) -> Iterator[str]:
    kept = [mark for mark in marks if mark not in _NO_SWITCH]
    for (x, y), mark in zip(places, kept, strict=True):
        yield f'<rect x="{x - 8:.1f}" y="{y - 8}" width="16" height="16" rx="2" fill="{_COLOURS[tier]}"/>'
        if mark != MARK:
            yield _text(x, y + 4, mark, 'text-anchor="middle" font-size="10" fill="#ffffff"')
    if CUT in marks and places:
        yield _text(places[-1][0] + STEP, places[-1][1] + 4, CUT, 'text-anchor="middle"')


def _nodes(unit: Unit, places: list[tuple[float, float]], y: int) -> Iterator[str]:
    """Boxes of the nodes that hang on the same leaves."""
    each = len(unit.rails)
    blocks = [places[n : n + each] for n in range(0, len(places), each)] if each > 1 else [places]
    many = unit.nodes if each > 1 or len(places) == 1 else f"{unit.nodes} each"
    many = f"{unit.blocks:,} × {unit.nodes}" if len(blocks) == 1 < unit.blocks and each > 1 else many
    for block in blocks:
        yield from _bar(block[0][0] - 8, block[-1][0] + 8, y, many)


def _bar(left: float, right: float, y: int, text: str) -> Iterator[str]:
    colour = f'fill="{_COLOURS["nodes"]}"'
    yield f'<rect x="{left:.1f}" y="{y - 9}" width="{right - left:.1f}" height="18" rx="2" {colour}/>'
    if len(text) * 6 < right - left:
        yield _text((left + right) / 2, y + 4, text, 'text-anchor="middle" font-size="11"')


def _line(x: float, y: float, to_x: float, to_y: float, colour: str = "#9bb8cc", wide: float = 0.7) -> str:
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" stroke="{colour}" stroke-width="{wide}"/>'


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{in_xml(text)}</text>' if text else ""
