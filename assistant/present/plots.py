"""A plan as three plots of text: where a step's time goes, what the run costs, how slowdown grows with the cluster.

Every sign means something without its colour. A line is pieces of text, each with the name of a style: ``title``,
``quiet``, ``good``, ``doubt``, ``work`` (GPUs compute), ``wait`` (they wait for each other) and ``network`` (they wait
for data).
"""

import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace

from assistant.vocabulary.added import added
from assistant.vocabulary.plan import Band, Breakdown, Candidate, Plan
from assistant.vocabulary.sweep import Point, Sweep, SweptFabric

from . import figures
from .plan import reading
from .plan.candidates import SIGNS
from .sweep import sentences
from .sweep_plot import LEAST_SLOT, text_plot
from .sweep_series import Panel, panels
from .text import safe

Piece = tuple[str, str]
Line = list[Piece]

MOST_FABRICS = 12  # rows of the cost plot
MOST_SERIES = 8  # letters of the slowdown plot
SCALE_ROWS = 11
SCALE_MARGIN = 10  # characters of the axis on its left
SAME = 0.01  # slowdowns that are all below are told in a sentence, not drawn
LEAST_WIDTH = 36
LEAST_SHARE = 0.005  # parts of a step below half a percent are not named
PARTS = (
    ("compute", "compute", "█", "work"),
    ("generation", "answers", "▇", "work"),
    ("training", "training", "▅", "work"),
    ("logprob", "log-probabilities", "▃", "work"),
    ("reference", "reference model", "▂", "work"),
    ("judges", "critic and reward", "▁", "work"),
    ("recompute", "recompute", "▓", "work"),
    ("optimizer", "optimizer", "▒", "work"),
    ("other", "other", "░", "wait"),
    ("waiting", "waiting for answers", "┄", "wait"),
    ("pp_bubble", "pipeline bubble", "·", "wait"),
    ("weight_sync", "weights to the engine", "→", "network"),
    ("tp", "tensor parallel", "═", "network"),
    ("cp", "context parallel", "≈", "network"),
    ("ep", "expert parallel", "╳", "network"),
    ("pp_p2p", "pipeline sends", "»", "network"),
    ("dp", "data parallel", "╱", "network"),
)
_SIGN_STYLES = {"recommended": "good", "avoid": "doubt", "impossible": "doubt"}


def plot_lines(plan: Plan, scale: Sweep | None, width: int = 80) -> list[str]:
    """All three plots as plain text of at most ``width`` characters a line."""
    return plain(plots(plan, scale, width))


def plain(lines: Iterable[Line]) -> list[str]:
    """Lines without their styles."""
    return ["".join(text for text, _ in line).rstrip() for line in lines]


def plots(plan: Plan, scale: Sweep | None, width: int, *, computing: bool = False) -> list[Line]:
    """All three plots; ``scale`` is the job at other numbers of GPUs (``None``: there is none, or ``computing``: not
    yet)."""
    width = max(LEAST_WIDTH, width)
    views = (step_view(plan, width), cost_view(plan, width), scale_view(plan, scale, width, computing))
    return [line for number, view in enumerate(views) for line in [*([[]] if number else []), *view]]


# -- where the time of a step goes


def step_view(plan: Plan, width: int) -> list[Line]:
    """One full bar for the recommended fabric, the runner-up and the slowest: the parts of a step as shares of it."""
    title = f"Where the time of one {'token' if reading.serves(plan) else 'step'} goes"
    about = "Shares of each fabric's own time, at its best parallel split; communication is what nothing hides."
    lines = _titled(title, about, width)
    shown = told_apart(plan)
    if not shown:
        return [*lines, *_said("Nothing could be timed for this job.", "quiet", width)]
    fastest = shown[0][0].median_step  # type: ignore[union-attr]
    for candidate, role in shown:
        lines += _step_bar(candidate, role, fastest, width, reading.name(plan, candidate.fabric))
    return lines


def told_apart(plan: Plan) -> list[tuple[Candidate, str]]:
    """The recommended fabric, the runner-up and the slowest that could be used, each once."""
    timed = [c for c in plan.candidates if c.step_time_s and c.breakdown_s and c.fits is not False]
    usable = [c for c in timed if c.verdict != "impossible"] or timed
    if not usable:
        return []
    by_name = {c.fabric: c for c in usable}
    slowest = max(usable, key=lambda c: c.median_step)
    answer, cheapest = plan.recommendation, min(usable, key=lambda c: c.median_cost)
    first = (cheapest.fabric, "cheapest") if answer.verdict == "infeasible" else (answer.fabric, "recommended")
    roles = (first, (answer.runner_up, "runner-up"), (slowest.fabric, "slowest"))
    found: dict[str, str] = {}
    for name, role in roles:
        if name in by_name:
            found.setdefault(name, role)
    return [(by_name[name], role) for name, role in found.items()]


def _step_bar(candidate: Candidate, role: str, first: float, width: int, called: str) -> list[Line]:
    step, parts = candidate.median_step, _shares(candidate.breakdown_s) if candidate.breakdown_s else []
    times = f", {figures.significant(step / first, 2)}×" if step > 1.05 * first else ""
    right = f"{figures.seconds(step)}{times}"
    whole = f"{right} as long"
    right = whole if times and len(called) + len(role) + len(whole) + 6 <= width else right
    sign, style = f"{SIGNS[candidate.standing]} ", _SIGN_STYLES.get(candidate.verdict, "")
    name = called[: max(4, width - len(right) - len(role) - 6)]
    gap = " " * max(1, width - len(sign) - len(name) - len(role) - 2 - len(right))
    head: Line = [(sign, style), (safe(name), "strong"), (f"  {role}", "quiet"), (gap, ""), (right, "")]
    cells = _apportioned([share for _, share, _, _ in parts], width - 2)
    filled = [(fill * count, tint) for (_, _, fill, tint), count in zip(parts, cells, strict=True) if count]
    drawn = [part for part, count in zip(parts, cells, strict=True) if count]
    return [[], head, [("  ", ""), *filled], *_legend(drawn, width)]


def _shares(breakdown: Breakdown) -> list[tuple[str, float, str, str]]:
    """``(name, share, fill, style)`` of every part that is not nothing; the shares add up to one."""
    seconds = [(name, getattr(breakdown, field), fill, style) for field, name, fill, style in PARTS]
    total = added(value for _, value, _, _ in seconds)
    return [(name, value / total, fill, style) for name, value, fill, style in seconds if value > 0]


def _apportioned(shares: Sequence[float], cells: int) -> list[int]:
    """Whole cells for shares of one, by largest remainders: they add up, and none is off by a cell."""
    exact = [share * cells for share in shares]
    given = [int(value) for value in exact]
    by_remainder = sorted(range(len(exact)), key=lambda i: given[i] - exact[i])
    for i in by_remainder[: cells - sum(given)]:
        given[i] += 1
    return given


def _legend(parts: Iterable[tuple[str, float, str, str]], width: int) -> list[Line]:
    """``█ compute 85 %`` and so on, as many beside each other as there is room for."""
    lines: list[Line] = []
    room = 0
    for name, share, fill, style in parts:
        if share < LEAST_SHARE:
            continue
        text = f" {name} {figures.percent(100 * share)}"
        if room < len(text) + 3:
            lines.append([(" ", "")])
            room = width - 1
        lines[-1] += [(" ", ""), (fill, style), (text, "quiet"), (" ", "")]
        room -= len(text) + 3
    return lines


# -- what the run costs


def cost_view(plan: Plan, width: int) -> list[Line]:
    """For each usable fabric the cost's tenth, fiftieth and ninetieth percentile on one logarithmic axis, cheapest
    first."""
    about = "├──●──┤ from P10 over P50 to P90, on a logarithmic axis; ! is advised against."
    lines = _titled(f"What {reading.bill(plan)} costs", about, width)
    usable = [c for c in plan.candidates if c.cost_usd and c.fits is not False and c.verdict != "impossible"]
    priced = sorted(usable, key=lambda c: c.median_cost)
    if not priced:
        return [*lines, *_said(f"No fabric has a cost for {reading.bill(plan)} here.", "quiet", width)]
    shown, more = _first_and_recommended(priced), len(priced) - MOST_FABRICS
    low, high = _bounds([c.cost_usd for c in shown if c.cost_usd])
    named = [reading.name(plan, c.fabric) for c in shown]
    name_room = min(max(map(len, named)), width // 2 - 5)
    label_room = max(len(figures.usd(c.median_cost)) for c in shown)
    cells = width - name_room - label_room - 6
    lines += [
        [],
        *(_cost_row(c, name, (low, high), name_room, label_room, cells) for c, name in zip(shown, named, strict=True)),
    ]
    left, right = figures.usd(low), figures.usd(high)
    lines.append([(f"{'':{name_room + 4}}{left}{'':{max(1, cells - len(left) - len(right))}}{right}", "quiet")])
    if more > 0:
        dearer = figures.usd(shown[-1].median_cost)
        lines += _said(f"{more} more {'costs' if more == 1 else 'cost'} more than {dearer}.", "quiet", width)
    return lines


def _first_and_recommended(priced: list[Candidate]) -> list[Candidate]:
    first = priced[:MOST_FABRICS]
    rest = [c for c in priced[MOST_FABRICS:] if c.verdict == "recommended"]
    return [*first[: MOST_FABRICS - len(rest)], *rest]


def _bounds(bands: Iterable[Band]) -> tuple[float, float]:
    bands = list(bands)
    low, high = min(band.p10 for band in bands), max(band.p90 for band in bands)
    low = max(low, high / 1e6, 1e-9)
    return (low, high) if high > low * 1.001 else (low / 1.05, high * 1.05)


def _cost_row(
    candidate: Candidate, called: str, bounds: tuple[float, float], name_room: int, label_room: int, cells: int
) -> Line:
    band, (low, high) = candidate.cost_usd or Band(p10=0.0, p50=0.0, p90=0.0), bounds
    style = _SIGN_STYLES.get(candidate.verdict, "")
    start, middle, end = (_cell(value, low, high, cells) for value in (band.p10, band.p50, band.p90))
    drawn = [" "] * cells
    drawn[start : end + 1] = "─" * (end + 1 - start)
    drawn[start], drawn[end] = "├", "┤"
    drawn[middle] = "●"
    text, tint = "".join(drawn), "good" if candidate.verdict == "recommended" else "bar"
    name = safe(called)[:name_room].ljust(name_room)
    named = (f"{name}  ", "strong" if style == "good" else "")
    return [
        (f"{SIGNS[candidate.standing]} ", style),
        named,
        (text, tint),
        (f"  {figures.usd(band.p50):>{label_room}}", ""),
    ]


def _cell(value: float, low: float, high: float, cells: int) -> int:
    share = math.log(max(value, low) / low) / math.log(high / low)
    return min(cells - 1, max(0, round(share * (cells - 1))))


# -- slowdown against scale


def scale_view(plan: Plan, scale: Sweep | None, width: int, computing: bool = False) -> list[Line]:
    """How many times the fastest fabric's step each fabric takes, over the number of GPUs; a letter stands for a
    fabric."""
    sizes = f"on {reading.gpus(plan):,} GPUs and other numbers of them"
    about = (
        f"Step time as a multiple of the fastest fabric's, {sizes}; the row “plan” names what a plan would take there."
    )
    lines = _titled("Slowdown against scale", about, width)
    if scale is None:
        text = "Computing this job at other sizes …" if computing else "At no other size can this job be computed."
        return [*lines, [], *_said(text, "quiet", width)]
    drawn = panels(scale, "slowdown")
    if not drawn:
        return [*lines, [], *_said("The fabrics cannot be timed beside each other at any size.", "quiet", width)]
    panel = _fewer(drawn[0], _worth_drawing(plan, scale), reading.gpus(plan), width - SCALE_MARGIN)
    if panel.bounds[1] < 1 + SAME:
        text = f"At every size tried, up to {panel.ticks[-1]:,} GPUs, these take the same time within a percent: "
        return [*lines, [], *_said(text + ", ".join(one.fabric for one in panel.series) + ".", "", width)]
    lines += [[], *(_plot_line(line) for line in text_plot(panel, width, SCALE_ROWS)), []]
    return lines + [line for sentence in sentences(scale) for line in _said(sentence, "", width)]


def _worth_drawing(plan: Plan, scale: Sweep) -> list[str]:
    """What a plan takes at any size, the runner-up, and where the job itself stands the slowest and the quickest of
    each kind."""
    here = _point_of(plan, scale)
    able = [one for one in here.fabrics if one.step_time_s and one.fits and one.verdict != "impossible"]
    usable = sorted(able, key=lambda one: one.median_step)
    quickest: dict[str, SweptFabric] = {}
    for one in usable:
        quickest.setdefault(one.kind, one)
    answer = plan.recommendation
    told = [*usable[-1:], *scale.points, *quickest.values()]
    names = [answer.fabric, answer.runner_up, *(one.fabric for one in told)]
    return list(dict.fromkeys(name for name in names if name))[:MOST_SERIES]


def _point_of(plan: Plan, scale: Sweep) -> Point:
    """The point of the sweep at the job's own size, or the nearest above at which several fabrics stand."""
    told = [point for point in scale.points if point.fabrics and len([f for f in point.fabrics if f.step_time_s]) > 1]
    later = [point for point in told if point.values["cluster.gpus"] >= reading.gpus(plan)]
    return (later or told[-1:] or scale.points)[0]


def _fewer(panel: Panel, names: list[str], own: int, room: int) -> Panel:
    """The panel with these fabrics alone (the first few when it has none of them), and the sizes at which they have a
    value.

    Where ``room`` (characters) is short, the sizes farthest from ``own`` give way.
    """
    kept = [one for one in panel.series if one.fabric in names] or panel.series[:MOST_SERIES]
    places = [place for place in range(len(panel.ticks)) if any(one.values[place] is not None for one in kept)]
    places = _with_room(places, panel.ticks, own, room)
    at = lambda values: [values[i] for i in places]
    series = [replace(one, values=at(one.values), chosen=at(one.chosen)) for one in kept]
    return replace(panel, ticks=[panel.ticks[i] for i in places], series=series)


def _with_room(places: list[int], ticks: list[int], own: int, room: int) -> list[int]:
    while len(places) > 1 and len(places) * max(LEAST_SLOT, max(len(f"{ticks[i]:,}") for i in places) + 1) > room:
        places = places[1:] if own / ticks[places[0]] > ticks[places[-1]] / own else places[:-1]
    return places


def _plot_line(line: str) -> Line:
    margin, bar, rest = line.partition("|")
    return [(f"{margin}{bar}", "quiet"), (rest, "strong")] if bar else [(line, "quiet")]


# -- words


def _titled(title: str, about: str, width: int) -> list[Line]:
    return [[(title, "title")], *_said(about, "quiet", width)]


def _said(text: str, style: str, width: int) -> list[Line]:
    return [[(line, style)] for line in textwrap.wrap(safe(text), width)]
