"""A sweep as a reader wants it: the answer in a sentence, what is chosen where, every fabric at every point."""

from typing import Any

from assistant.vocabulary.sweep import Point, Sweep, SweptFabric, Turn

from . import figures
from .blocks import Bullets, Heading, Paragraph, Table, titled
from .fields import field_name, unit_of, value_text
from .plan.candidates import SIGNS
from .sweep_plot import text_plot
from .sweep_series import Panel, figure, named, panels
from .text import lines_of, safe

_RIVALS = {"cheaper-than-ethernet-rdma": "RDMA over Ethernet (RoCE, Spectrum-X, EFA)", "cheaper-than-tcp": "plain TCP"}

_DEARER = (
    "Where the choice costs more than the next, the two lie within the error of each other and the rules decide; the "
    "plan of that point says which."
)


def sweep_lines(sweep: Sweep, width: int = 80, metric: str | None = None) -> list[str]:
    """The whole sweep as lines; with ``metric`` (cost, slowdown or step-time) the plot comes before the details."""
    said = [Paragraph(sentence) for sentence in sentences(sweep)]
    bad = [f"{named(point.values)}: {point.error or point.says}" for point in sweep.points if point.fabric is None]
    chosen = [*said, Heading("What a plan chooses"), _chosen(sweep), *_dearer(sweep)]
    chosen += titled("Where nothing is chosen", Bullets(bad))
    drawn = [line for panel in (panels(sweep, metric) if metric else []) for line in _plotted(panel, width)]
    every = [Heading("Every fabric at every point"), _every(sweep)]
    return [*lines_of(chosen, width), *drawn, *lines_of(every, width)]


def _plotted(panel: Panel, width: int) -> list[str]:
    where = f", {named(panel.where)}" if panel.where else ""
    title = f"{panel.metric.title}, over {field_name(panel.axis.path)}{where}"
    return ["", safe(title.upper()), "", *(safe(line) for line in text_plot(panel, width))]


def sentences(sweep: Sweep) -> list[str]:
    """At which size InfiniBand begins to pay, one sentence for each combination of the other fields."""
    grouped: dict[str, list[Turn]] = {}
    for turn in sweep.turns:
        grouped.setdefault(repr(turn.where), []).append(turn)
    return [_sentence(turns) for turns in grouped.values()]


def _sentence(turns: list[Turn]) -> str:
    where = f"With {named(turns[0].where)}: " if turns[0].where else ""
    said = [text for turn in turns if (text := _clause(turn))]
    if _is_a_tie(turns):
        said = [_tie(turns), *said[2:]]
    if not said:
        return f"{where}nothing to say about InfiniBand: it and another fabric stand side by side at no point."
    text = f"{where}{'; '.join(said)}."
    return text if where else text[0].upper() + text[1:]


def _is_a_tie(turns: list[Turn]) -> bool:
    """Whether InfiniBand is chosen here and there among its rivals only because the costs cannot be told apart."""
    chosen, rival = turns[:2]
    return chosen.first is not None and not chosen.throughout and rival.compared and rival.first is None


def _tie(turns: list[Turn]) -> str:
    chosen, rival = turns[:2]
    return (
        f"from {amount(chosen.along, chosen.first)} on InfiniBand and {_RIVALS[rival.question]} lie within the error "
        "of each other, so that a plan takes now one, now the other; InfiniBand never costs clearly less up to "
        f"{amount(rival.along, rival.largest)}"
    )


def _clause(turn: Turn) -> str | None:
    if turn.question == "chosen" and turn.kept:
        return "the network is given as decided, so a plan takes it"
    if not turn.compared:
        return None
    chosen = turn.question == "chosen"
    if turn.first is None:
        never = (
            "InfiniBand is never chosen"
            if chosen
            else f"InfiniBand never costs clearly less than {_RIVALS[turn.question]}"
        )
        return f"{never} up to {amount(turn.along, turn.largest)}"
    what = "InfiniBand is chosen" if chosen else f"InfiniBand costs less than {_RIVALS[turn.question]}"
    if turn.throughout:
        return f"{what} from {amount(turn.along, turn.first)} on"
    return f"{what} at {amount(turn.along, turn.first)} first, but not at every larger value"


def amount(path: str, value: Any) -> str:
    """A value with what it counts: ``128 GPUs``, ``8192 tokens``, ``micro-batch 4``."""
    if unit_of(path) != "{}":
        return value_text(path, value)
    name = field_name(path)
    return f"{figure(value)} {name}" if name.endswith("s") else f"{name} {figure(value)}"


def _chosen(sweep: Sweep) -> Table:
    header = [*(field_name(axis.path) for axis in sweep.axes), "network", "step", "cost", "next", "its cost"]
    rows = [[*_cells(sweep, point), *_chosen_cells(point, sweep.names)] for point in sweep.points]
    first = len(sweep.axes)
    return Table(header, rows, frozenset({*_numeric(sweep), first + 1, first + 2, first + 4}))


def _chosen_cells(point: Point, names: dict[str, str]) -> list[str]:
    one = point.chosen
    if one is None:
        return ["cannot be" if point.error else "none works", *[figures.UNKNOWN] * 4]
    second = _second(point)
    following = [names.get(second.fabric, second.fabric), _cost(second)] if second else [figures.UNKNOWN] * 2
    called = names.get(one.fabric, one.fabric) + (" (given)" if point.kept else "")
    return [called, _step(one), _cost(one), *following]


def _second(point: Point) -> SweptFabric | None:
    """The cheapest of the others that would do."""
    others = [other for other in point.fabrics if other is not point.chosen and other.cost_usd]
    rest = [other for other in others if other.verdict == "acceptable"]
    return min(rest, key=lambda other: other.median_cost, default=None)


def _dearer(sweep: Sweep) -> list[Paragraph]:
    """Why a choice may cost more than the next."""
    pairs = [(point.chosen, _second(point)) for point in sweep.points if point.chosen is not None and not point.kept]
    if not any(one.cost_usd and second and second.median_cost < one.median_cost for one, second in pairs):
        return []
    return [Paragraph(_DEARER)]


def _every(sweep: Sweep) -> Table:
    header = [*(field_name(axis.path) for axis in sweep.axes), "", "network", "step", "slowdown", "cost", "verdict"]
    rows = []
    for point in sweep.points:
        cells = _cells(sweep, point)
        computed = [one for one in point.fabrics if one.step_time_s is not None]
        if len(computed) > 1 and all(one.fits is False for one in computed):
            each = f"each of the {len(computed)}"
            rows.append([*cells, SIGNS[computed[0].standing], each, *[figures.UNKNOWN] * 3, computed[0].standing])
            continue
        for one in point.fabrics:
            if one.step_time_s is not None:
                times = [_step(one), figures.slowdown(one.slowdown_percent), _cost(one)]
                times = times if one.fits is not False else [figures.UNKNOWN] * 3  # nobody can have that time
                name = sweep.names.get(one.fabric, one.fabric)
                rows.append([*cells, SIGNS[one.standing], name, *times, one.standing])
                cells = [""] * len(cells)
    first = len(sweep.axes)
    return Table(header, rows, frozenset({*_numeric(sweep), first + 2, first + 3, first + 4}))


def _cells(sweep: Sweep, point: Point) -> list[str]:
    return [figure(point.values[axis.path]) for axis in sweep.axes]


def _numeric(sweep: Sweep) -> set[int]:
    return {i for i, axis in enumerate(sweep.axes) if axis.numeric}


def _step(one: SweptFabric) -> str:
    return figures.seconds(one.median_step if one.step_time_s else None)


def _cost(one: SweptFabric) -> str:
    return figures.usd(one.median_cost if one.cost_usd else None)
