"""A dial drawn: which answer holds over which values, what each costs, and the answer at the value it stands at.

A line is pieces of text, each with the name of a style, as in :mod:`.plots`; every sign means something without its
colour.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.dial import Dial
from assistant.vocabulary.sweep import Point

from . import figures
from .fields import field_name, value_text
from .plots import Line, Piece
from .text import safe

Known = Mapping[float | None, Point]  # what has been worked out, by value
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_FILL = {"clear": "━", "close": "╍", "toss-up": "┈", "open": "┈"}
_CLEAREST = ("clear", "close", "toss-up", "open", None)
_STYLES = ("work", "network", "strong", "accent")
_NOTHING, _UNKNOWN, _FLIP, _PLAN = "╳", "·", "┃", "◆"
_HEIGHTS = "▁▂▃▄▅▆▇█"
_SAME = 0.01  # costs that lie nearer are not drawn
_INDENT = 2
PAGE = 72  # characters of a bar that stands among other text


@dataclass(frozen=True)
class Stretch:
    """Neighbouring values with one answer; nothing works where ``letter`` is empty. ``point`` stands for them: that of
    the plan where it is among them, else the clearest; ``tied``: at some of them another that ties with it is named."""

    first: float | None
    last: float | None
    point: Point
    letter: str
    tied: bool = False

    def holds(self, value: float | None) -> bool:
        """Whether a value lies in it; nothing said lies beyond every value."""
        return _order(self.first) <= _order(value) <= _order(self.last)


def held(one: Point, other: Point) -> bool:
    """Whether two points have the same answer: the same network from the same provider, or networks that tie at both,
    or nothing works at either."""
    if one.fabric is None or other.fabric is None:
        return one.fabric is other.fabric
    if one.fabric != other.fabric:
        return one.fabric in other.tied and other.fabric in one.tied
    return one.provider == other.provider


def stretches(dial: Dial, known: Known) -> list[Stretch]:
    """The values worked out so far by the answers that hold over them, from left to right.

    What was tried between two values and cannot be (a size that cannot be split) is left out.
    """
    shown = sorted((v for v in known if v in dial.stops or not known[v].error), key=_order)
    runs: list[list[float | None]] = []
    for value in shown:
        if runs and held(known[runs[-1][-1]], known[value]):
            runs[-1].append(value)
        else:
            runs.append([value])
    names: dict[tuple[str, str | None], str] = {}
    found = []
    for run in runs:
        point = known[dial.now if dial.now in run else min(run, key=lambda v: _CLEAREST.index(known[v].certainty))]
        fresh = LETTERS[len(names) % len(LETTERS)]
        letter = names.setdefault((point.fabric, point.provider), fresh) if point.fabric else ""
        tied = any(known[v].fabric != point.fabric for v in run)
        found.append(Stretch(run[0], run[-1], point, letter, tied))
    return found


def view(
    dials: Sequence[Dial],
    turned: int,
    at: Sequence[float | None],
    known: Known,
    catalog: Catalog,
    width: int,
    cost: str,
) -> list[Line]:
    """The dials one under the other, that which is ``turned`` (its place) with its bar, and the answer at its value.

    ``at``: where each stands; ``known``: the points of the one that is turned; ``cost``: whose cost it is.
    """
    dial, value = dials[turned], at[turned]
    rows = [
        _row(one, here, place == turned, catalog, width)
        for place, (one, here) in enumerate(zip(dials, at, strict=True))
    ]
    drawn = bar(dial, known, width, value)
    answer, below = reading(dial, value, known, width), legend(dial, known, catalog, width, cost)
    return [*rows, [], *drawn, *answer, [], *below]


def _row(dial: Dial, value: float | None, turned: bool, catalog: Catalog, width: int) -> Line:
    """A dial and where it stands, without its unit where there is no room for it."""
    name, moved = name_of(dial, catalog), f"   now {short(dial, dial.now)}" if value != dial.now else ""
    text = "none" if value is None else value_text(dial.path, _whole(value))
    text = text if len(name) + len(text) + len(moved) + 8 <= width else short(dial, value)
    if not turned:
        return [("  ", ""), (f"{name}: ", "quiet"), (f"{text}{moved}", "" if moved else "quiet")]
    return [
        ("▸ ", "title"),
        (f"{name}: ", "strong"),
        ("◂ ", "title"),
        (text, "strong"),
        (" ▸", "title"),
        (moved, "quiet"),
    ]


def name_of(dial: Dial, catalog: Catalog) -> str:
    """``GPUs``, ``price at Voltage Park``."""
    listed = dial.path.split(".")
    if listed[0] != "providers":
        return field_name(dial.path)
    return f"price at {_provider(listed[1], catalog)}"


def short(dial: Dial, value: float | None) -> str:
    """A value without its unit."""
    if value is None:
        return "none"
    return f"{value:,g}" if dial.path.endswith("days") else value_text(dial.path, _whole(value)).split(" ")[0]


def _whole(value: float) -> float | int:
    return int(value) if value == int(value) else value


# The bar


def bar_lines(dial: Dial, known: Known, catalog: Catalog, cost: str, width: int = PAGE) -> list[str]:
    """The bar of a dial and what it shows, as plain text."""
    lines = [*bar(dial, known, width, dial.now), *legend(dial, known, catalog, width, cost)]
    return ["".join(text for text, _ in line).rstrip() for line in lines]


def bar(dial: Dial, known: Known, width: int, at: float | None) -> list[Line]:
    """Which answer holds where: the value it stands at above, those at which the answer turns below, then what each
    value costs. What is not worked out yet is dotted."""
    stops, found = dial.stops, stretches(dial, known)
    wide = max(1, (width - _INDENT) // len(stops))
    lines = [_mark(dial, at, wide), _cells(dial, found, known, wide), _ticks(dial, found, wide, width)]
    return [*lines, *_columns(dial, known, wide)]


def _mark(dial: Dial, at: float | None, wide: int) -> Line:
    place = _INDENT + (dial.stops.index(at) if at in dial.stops else 0) * wide + wide // 2
    text = short(dial, at)
    whole = wide * len(dial.stops) + _INDENT
    if place + 2 + len(text) <= whole:
        return [(" " * place, ""), ("▼", "title"), (f" {text}", "strong")]
    return [(" " * max(0, place - len(text) - 1), ""), (f"{text} ", "strong"), ("▼", "title")]


def _cells(dial: Dial, found: Sequence[Stretch], known: Known, wide: int) -> Line:
    line: Line = [(" " * _INDENT, "")]
    before: Stretch | None = None
    for stop in dial.stops:
        here = next((one for one in found if one.holds(stop)), None) if stop in known else None
        line.append(_cell(here, before, known.get(stop), wide, planned=stop == dial.now))
        before = here
    return line


def _cell(here: Stretch | None, before: Stretch | None, point: Point | None, wide: int, *, planned: bool) -> Piece:
    """One value: its answer's letter where that begins, then a line that is broken as the choice is unsure."""
    if here is None or point is None:
        fill, text, style = _UNKNOWN, "", "quiet"
    elif not here.letter:
        fill, text, style = _NOTHING, "", "doubt"
    else:
        fill, style = _FILL[point.certainty or "clear"], _STYLES[LETTERS.index(here.letter) % len(_STYLES)]
        text = "" if before is here else here.letter
    turns = before is not None and here is not None and before is not here
    text = f"{_FLIP if turns and wide > 1 else ''}{text}"
    middle = wide // 2
    text = text.ljust(middle, fill) + _PLAN if planned and len(text) <= middle else text
    return text.ljust(wide, fill)[:wide], style


def _ticks(dial: Dial, found: Sequence[Stretch], wide: int, width: int) -> Line:
    """Under the bar where the answer turns, then as much of the plan's value and the ends as there is room for."""
    stops = dial.stops
    marked = [(_place(dial, one.first), short(dial, one.first)) for one in found[1:]]
    marked += [(at, short(dial, stops[at])) for at in (stops.index(dial.now), 0, len(stops) - 1)]
    row = [" "] * max(width, _INDENT + wide * len(stops))
    for place, text in dict.fromkeys(marked):
        start = min(_INDENT + place * wide, len(row) - len(text))
        if all(cell == " " for cell in row[max(0, start - 1) : start + len(text) + 1]):
            row[start : start + len(text)] = text
    return [("".join(row).rstrip(), "quiet")]


def _place(dial: Dial, value: float | None) -> int:
    """The place of the first stop that is not below a value."""
    return next((at for at, stop in enumerate(dial.stops) if _order(stop) >= _order(value)), len(dial.stops) - 1)


def _columns(dial: Dial, known: Known, wide: int) -> list[Line]:
    """What each value costs as a row of columns, from the least to the most."""
    costs = _costs_of(dial, known)
    if not _worth_drawing(costs):
        return []
    least, most = min(costs.values()), max(costs.values())
    height = {v: _HEIGHTS[round((usd - least) / (most - least) * (len(_HEIGHTS) - 1))] for v, usd in costs.items()}
    columns = "".join(height.get(stop, " ") * wide for stop in dial.stops)
    return [[(" " * _INDENT, ""), (columns.rstrip(), "bar")]]


def _costs_of(dial: Dial, known: Known) -> dict[float | None, float]:
    """US dollars at the values at which something works that has a price."""
    return {v: p.chosen.median_cost for v, p in known.items() if v in dial.stops and p.chosen and p.chosen.cost_usd}


def _worth_drawing(costs: Mapping[float | None, float]) -> bool:
    return len(costs) > 1 and max(costs.values()) > min(costs.values()) * (1 + _SAME)


def _least_and_most(dial: Dial, costs: Mapping[float | None, float], cost: str) -> str:
    """``Cost of the run: $562,000 (96) to $896,000 (16).``"""
    if not _worth_drawing(costs):
        return f"Cost of {cost}: {figures.usd(min(costs.values()))}, whatever the value." if len(costs) > 1 else ""
    ends = min(costs, key=costs.__getitem__), max(costs, key=costs.__getitem__)
    return f"Cost of {cost}: {' to '.join(f'{figures.usd(costs[v])} ({short(dial, v)})' for v in ends)}."


def legend(dial: Dial, known: Known, catalog: Catalog, width: int, cost: str) -> list[Line]:
    """The answers by their letters, each with the values over which it holds, what the other signs mean, and the least
    and the most that it costs (``cost`` of what)."""
    texts = [*told(dial, known, catalog), _least_and_most(dial, _costs_of(dial, known), cost)]
    lines = [line for text in texts if text for line in _said(text, "", width, hanging=_INDENT)]
    shown = {point.certainty for value, point in known.items() if point.fabric and value in dial.stops}
    signs = [
        f"{_PLAN} as planned",
        *(f"{_FILL[word]} {word}" for word in _FILL if word in shown and shown != {"clear"}),
    ]
    return [*lines, [("   ".join(signs), "quiet")]]


def told(dial: Dial, known: Known, catalog: Catalog) -> list[str]:
    """``A InfiniBand NDR 400 Gb/s at Voltage Park: up to 96``, a sentence for each answer."""
    where: dict[str, list[str]] = {}
    found = stretches(dial, known)
    for number, one in enumerate(found):
        tied = ", or what ties with it" if one.tied else ""
        name = (
            f"{one.letter} {answer_of(one.point, catalog)}{tied}" if one.letter else f"{_NOTHING} {_why_not(one.point)}"
        )
        where.setdefault(name, []).append(_over(dial, one, first=number == 0, last=number == len(found) - 1))
    return [f"{name}: {', '.join(values)}." for name, values in where.items()]


def _over(dial: Dial, one: Stretch, *, first: bool, last: bool) -> str:
    """``up to 96``, ``96 to 128``, ``from 128``."""
    if first and last:
        return "at every value"
    low, high = short(dial, one.first), short(dial, one.last)
    if first:
        return f"up to {high}"
    if last:
        return f"from {low}" if one.first is not None else "without one"
    return f"{low} to {high}" if low != high else f"at {low}"


def answer_of(point: Point, catalog: Catalog) -> str:
    """``InfiniBand NDR 400 Gb/s at Voltage Park``; the network alone where nobody lets it."""
    if point.verdict == "no-network-needed":
        network = "no network"
    else:
        network = catalog.fabrics[point.fabric].name if point.fabric in catalog.fabrics else str(point.fabric)
    return f"{network} at {_provider(point.provider, catalog)}" if point.provider else network


def _why_not(point: Point) -> str:
    return "cannot be" if point.error else "nothing works"


def _provider(ident: str, catalog: Catalog) -> str:
    return catalog.providers[ident].name if ident in catalog.providers else ident


def _order(value: float | None) -> float:
    return float("inf") if value is None else value


# The answer at a value


def reading(dial: Dial, value: float | None, known: Known, width: int) -> list[Line]:
    """The answer where the dial stands, and how far it is from the plan."""
    point, plan = known.get(value), known.get(dial.now)
    if point is None:
        return _said("Working it out …", "quiet", width)
    if point.error or point.card is None:
        return _said(f"✗ {point.error or 'There is no answer here.'}", "doubt", width)
    card = point.card
    if point.fabric is None:
        return [*_said(f"✗ {card.do}", "doubt", width), *_said(card.changes_if, "", width)]
    sign, style = ("!", "doubt") if _dearer(point) else ("✓", "strong")
    against = _against(point, plan) if plan and value != dial.now else ""
    return [
        *_said(f"{sign} {card.do}", style, width, hanging=_INDENT),
        *_said(f"Cost: {card.cost}", "", width, hanging=_INDENT),
        *_said(card.finish, "", width),
        *_said(f"{_certain(point)}{against}", "", width, hanging=_INDENT),
    ]


def _certain(point: Point) -> str:
    """How certain the choice is, where the card says it too: among networks that have a price."""
    priced = point.verdict == "recommended" and point.chosen is not None and point.chosen.cost_usd is not None
    return f"Certainty: {point.certainty}. " if priced else ""


def _dearer(point: Point) -> bool:
    """Whether it is kept although another network would cost clearly less."""
    others = [one.median_cost for one in point.fabrics if one.fits and one.verdict not in ("impossible", "avoid")]
    cheapest = min(others, default=float("inf"))
    return point.kept and point.chosen is not None and cheapest < point.chosen.median_cost * (1 - _SAME)


def _against(point: Point, plan: Point) -> str:
    """``Against the plan: $18,000 less, 67 days sooner.``"""
    ours, theirs = point.chosen, plan.chosen
    if ours is None or theirs is None:
        return "The plan itself does not work." if theirs is None else ""
    parts = []
    if ours.cost_usd and theirs.cost_usd:
        more = ours.median_cost - theirs.median_cost
        far = abs(more) > _SAME * theirs.median_cost
        parts.append(
            f"{figures.usd(abs(more))} {'more' if more > 0 else 'less'}" if far else "the same cost within 1 %"
        )
    if ours.run_hours and theirs.run_hours and abs(ours.run_hours / theirs.run_hours - 1) > _SAME:
        later = ours.run_hours - theirs.run_hours
        parts.append(f"{figures.hours(abs(later))} {'later' if later > 0 else 'sooner'}")
    return f"Against the plan: {', '.join(parts)}." if parts else ""


def _said(text: str, style: str, width: int, hanging: int = 0) -> list[Line]:
    return [[(line, style)] for line in textwrap.wrap(safe(text), width, subsequent_indent=" " * hanging)]
