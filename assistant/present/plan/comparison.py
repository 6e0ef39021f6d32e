"""Two fabrics point by point: figures of the job first, then what the catalog says about the two."""

from collections.abc import Callable, Iterator
from typing import Any, Literal

from assistant.vocabulary.catalog import Catalog, Fabric
from assistant.vocabulary.plan import Candidate, Plan

from .. import figures
from ..blocks import Block, Compared, ComparisonRow, Paragraph, Table
from . import reading
from .standing import barred

_SKILLS = ("none", "some", "expert")
_MATURITY = ("proven", "shipping", "emerging", "announced")
_VENDORS = ("many vendors", "few vendors", "one vendor")


def compare(plan: Plan, left: str, right: str, catalog: Catalog) -> Compared:
    """Both must be candidates of the plan."""
    one, two = reading.candidate(plan, left), reading.candidate(plan, right)
    assert one and two
    unit = reading.unit_of_work(plan).lower()
    rows = (*_computed(one, two, unit, plan), *_known(catalog.fabrics[left], catalog.fabrics[right]))
    return Compared(left, right, tuple(row for row in rows if row), _summary(one, two, plan))


def blocks(compared: Compared, heads: tuple[str, str] | None = None) -> list[Block]:
    """The comparison to read; ``heads``: what the two are called, their ids unless given."""
    mark = lambda row, side: f"{getattr(row, side)}{' ✓' if row.better == side else ''}"
    rows = [[row.what, mark(row, "left"), mark(row, "right")] for row in compared.rows]
    table = Table(["", *(heads or (compared.left, compared.right))], rows, each_named=True)
    return [Paragraph(compared.summary, strong=True), table, Paragraph("✓ marks the better side.")]


def _row(what: str, left: Any, right: Any, text: Callable[[Any], str], lower: bool = True) -> ComparisonRow | None:
    """A row, with the better side where the two differ by more than rounding; ``None`` when neither is known."""
    if left is None and right is None:
        return None
    one, two = (figures.UNKNOWN if side is None else text(side) for side in (left, right))
    better: Literal["left", "right"] | None = None
    if left is not None and right is not None and one != two:
        better = "left" if (left < right) == lower else "right"
    return ComparisonRow(what, one, two, better)


def _computed(one: Candidate, two: Candidate, unit: str, plan: Plan) -> Iterator[ComparisonRow | None]:
    of_one = lambda get, c: None if c.fits is False else get(c)  # nobody can have its time, nor its cost
    of_both = lambda get: (of_one(get, one), of_one(get, two))
    median = lambda name: of_both(lambda c: getattr(getattr(c, name), "p50", None))
    known = lambda name: of_both(lambda c: getattr(c, name))
    yield ComparisonRow("verdict", one.standing, two.standing)
    yield _row(unit, *median("step_time_s"), figures.seconds)
    yield _row("waiting for the network", *of_both(lambda c: reading.waited(plan, c)), figures.percent)
    if reading.ends(plan):
        yield _row("length of the run", *known("run_hours"), figures.hours)
    yield _row(f"cost of {reading.bill(plan)}", *median("cost_usd"), figures.usd)
    yield _row(f"network{reading.with_upkeep(plan)}, per GPU-hour", *known("fabric_usd_per_gpu_hour"), figures.usd)
    yield _row("probability of being cheapest", *known("probability_best"), lambda v: f"{v:.0%}", lower=False)
    left, right = of_both(lambda c: figures.layout(c.parallelism))
    if left and right and left != right:
        yield ComparisonRow("best split", left, right)


def _known(one: Fabric, two: Fabric) -> Iterator[ComparisonRow | None]:
    of_both = lambda get: (get(one), get(two))
    rates = of_both(lambda f: f.line_rate.si * 8 / 1e9 if f.line_rate else None)
    largest = of_both(lambda f: f.largest_proven_gpus and f.largest_proven_gpus.value)
    yield _row("line rate per NIC", *rates, lambda v: f"{v:g} Gb/s", lower=False)
    yield _row("latency between nodes", *of_both(lambda f: f.latency.si if f.latency else None), figures.seconds)
    yield _ranked("skills to run it", *of_both(lambda f: f.skills), _SKILLS)
    yield _ranked("who sells it", *of_both(lambda f: f"{f.vendors} vendor{'s' * (f.vendors != 'one')}"), _VENDORS)
    yield _ranked("maturity", *of_both(lambda f: f.maturity), _MATURITY)
    yield _row("largest published run", *largest, lambda v: f"{v:,.0f} GPUs", lower=False)


def _ranked(what: str, left: str, right: str, best_first: tuple[str, ...]) -> ComparisonRow:
    order = best_first.index(left) - best_first.index(right)
    return ComparisonRow(what, left, right, None if order == 0 else "left" if order < 0 else "right")


def _summary(one: Candidate, two: Candidate, plan: Plan) -> str:
    """What speaks first: whether they can be had at all, then the money."""
    gone = [side for side in (one, two) if side.verdict == "impossible"]
    if not gone:
        return _apart(one, two, plan)
    if len(gone) == 2:
        why = dict.fromkeys(text for side in gone for text in barred(plan, side)[:1])
        return f"Neither {_will(gone)}. {' '.join(why)}"
    left = two if gone[0] is one else one
    return f"Only {left.fabric} {_will(gone)}. {' '.join(barred(plan, gone[0])[:1])}".rstrip()


def _will(gone: list[Candidate]) -> str:
    """What those that are out of the question do not: run the job, or have a seller and a price."""
    bars = any(side.barred in ("impossible", "does-not-fit") for side in gone)
    return "will do here" if bars else "can be had at a quoted price"


def _apart(one: Candidate, two: Candidate, plan: Plan) -> str:
    missing = next((side for side in (one, two) if side.run_hours is None), None)
    if missing:
        return f"Nothing could be computed for {missing.fabric}: it is {missing.standing} here."
    unpriced = [side.fabric for side in (one, two) if side.cost_usd is None]
    if unpriced:
        (long, other), of = (figures.hours(side.run_hours or 0.0) for side in (one, two)), " and ".join(unpriced)
        what = "a month's work" if reading.serves(plan) else "the run"
        return f"What {what} costs on {of} nobody tells; it takes {long} on {one.fabric} and {other} on {two.fabric}."
    cheap, dear = sorted((one, two), key=lambda c: c.median_cost)
    more = dear.median_cost - cheap.median_cost
    if more < reading.APART * cheap.median_cost:
        return f"Their costs cannot be told apart ({figures.usd(cheap.median_cost)})."
    return f"{cheap.fabric} costs {figures.usd(more)} less for {reading.bill(plan)} ({more / dear.median_cost:.0%})."
