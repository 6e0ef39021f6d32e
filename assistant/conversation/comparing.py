"""Two fabrics point by point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from assistant.present import figures
from assistant.vocabulary.catalog import Catalog, Fabric
from assistant.vocabulary.plan import Candidate, Plan

from .changes import candidate, unit_of_work
from .events import Comparison, ComparisonRow
from .explaining import barred

Side = Literal["left", "right"]
_SKILLS = {"none": 0, "some": 1, "expert": 2}
_MATURITY = {"proven": 0, "shipping": 1, "emerging": 2, "announced": 3}
_VENDORS = {"many": 0, "few": 1, "one": 2}


def compare(plan: Plan, left: str, right: str, catalog: Catalog) -> Comparison:
    """Figures of this job first, then what the catalog says about the two. Both must be candidates of the plan."""
    one, two = candidate(plan, left), candidate(plan, right)
    rows = [*_computed(one, two, unit_of_work(plan)), *_known(catalog.fabrics[left], catalog.fabrics[right])]
    return Comparison(left=left, right=right, rows=tuple(rows), summary=_summary(one, two, plan))


def _row(what: str, left: Any, right: Any, text: Callable[[Any], str], lower: bool = True) -> ComparisonRow | None:
    """A row, with the better side where the two differ by more than rounding; ``None`` when neither is known."""
    if left is None and right is None:
        return None
    better: Side | None = None
    if left is not None and right is not None and text(left) != text(right):
        better = "left" if (left < right) == lower else "right"
    return ComparisonRow(
        what=what,
        left=text(left) if left is not None else figures.UNKNOWN,
        right=text(right) if right is not None else figures.UNKNOWN,
        better=better,
    )


def _computed(one: Candidate, two: Candidate, unit: str) -> list[ComparisonRow]:
    p50 = lambda c, name: getattr(getattr(c, name), "p50", None)
    rows = [
        ComparisonRow(what="verdict", left=one.verdict, right=two.verdict),
        _row(unit.lower(), p50(one, "step_time_s"), p50(two, "step_time_s"), figures.seconds),
        _row(
            "waiting for the network",
            one.exposed_communication_percent,
            two.exposed_communication_percent,
            figures.percent,
        ),
        _row("length of the run", one.run_hours, two.run_hours, figures.hours),
        _row("cost of the run", p50(one, "cost_usd"), p50(two, "cost_usd"), figures.usd),
        _row("network, per GPU-hour", one.fabric_usd_per_gpu_hour, two.fabric_usd_per_gpu_hour, figures.usd),
        _row(
            "probability of being cheapest",
            one.probability_best,
            two.probability_best,
            lambda v: f"{v:.0%}",
            lower=False,
        ),
    ]
    layouts = (figures.layout(one.parallelism), figures.layout(two.parallelism))
    if layouts[0] != layouts[1]:
        rows.append(ComparisonRow(what="best split", left=layouts[0], right=layouts[1]))
    return [row for row in rows if row is not None]


def _known(one: Fabric, two: Fabric) -> list[ComparisonRow]:
    gbps = lambda f: f.line_rate.si * 8 / 1e9 if f.line_rate else None
    latency = lambda f: f.latency.si if f.latency else None
    rows = [
        _row("line rate per NIC", gbps(one), gbps(two), lambda v: f"{v:g} Gb/s", lower=False),
        _row("latency between nodes", latency(one), latency(two), figures.seconds),
        _ranked("skills to run it", one.skills, two.skills, _SKILLS),
        _ranked("who sells it", one.vendors, two.vendors, _VENDORS),
        _ranked("maturity", one.maturity, two.maturity, _MATURITY),
        _row(
            "largest published run",
            one.largest_proven_gpus and one.largest_proven_gpus.value,
            two.largest_proven_gpus and two.largest_proven_gpus.value,
            lambda v: f"{v:,.0f} GPUs",
            lower=False,
        ),
    ]
    return [row for row in rows if row is not None]


def _ranked(what: str, left: str, right: str, order: dict[str, int]) -> ComparisonRow:
    names = {"one": "one vendor", "few": "few vendors", "many": "many vendors"}
    better: Side | None = None if left == right else "left" if order[left] < order[right] else "right"
    return ComparisonRow(what=what, left=names.get(left, left), right=names.get(right, right), better=better)


def _summary(one: Candidate, two: Candidate, plan: Plan) -> str:
    """What speaks first: whether they can be had at all, then the money."""
    gone = [side for side in (one, two) if side.verdict == "impossible"]
    if not gone:
        return _apart(one, two)
    if len(gone) == 2:
        return (
            f"Neither will do here. {' '.join(dict.fromkeys(text for side in gone for text in barred(plan, side)[:1]))}"
        )
    left = two if gone[0] is one else one
    return f"Only {left.fabric} will do here. {' '.join(barred(plan, gone[0])[:1])}".rstrip()


def _apart(one: Candidate, two: Candidate) -> str:
    if one.cost_usd is None or two.cost_usd is None:
        missing = one.fabric if one.cost_usd is None else two.fabric
        return f"Nothing could be computed for {missing}: it is {(one if one.cost_usd is None else two).verdict} here."
    cheap, dear = sorted((one, two), key=lambda c: c.cost_usd.p50)
    more = dear.cost_usd.p50 - cheap.cost_usd.p50
    if more < 0.01 * cheap.cost_usd.p50:
        return f"Their costs cannot be told apart ({figures.usd(cheap.cost_usd.p50)})."
    return f"{cheap.fabric} costs {figures.usd(more)} less for the run ({more / dear.cost_usd.p50:.0%})."
