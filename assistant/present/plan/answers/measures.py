"""A figure of the plan that is asked for by its name: of what is recommended, beside others that are named, before and
after a change, and against a limit that the question has.

Each is a function of a plan and one of its networks, its unit the one that ``text`` writes; what it is called, and
which sentences of the plan tell more of it, is ``measures`` of ``knowledge/language/measures.yaml``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from assistant.vocabulary.plan import Candidate, Plan

from ... import figures
from .. import reading

_WITHIN = 1e-9
_AT_WORST = "-at-worst"


@dataclass(frozen=True)
class Measure:
    """``of``: its value, ``None`` where the plan has none; ``limit``: the kind of amount of a message that it can be
    held against, ``scale`` how many of its units are one of those."""

    of: Callable[[Plan, Candidate], float | None]
    text: Callable[[float], str]
    limit: str = ""
    scale: float = 1.0


@dataclass(frozen=True)
class Beside:
    """What a figure is told of: a network of a plan, and what it is called among the others."""

    name: str
    plan: Plan
    found: Candidate


def _cost(plan: Plan, found: Candidate) -> float | None:
    return found.cost_usd.p50 if found.cost_usd else None


def _worst_cost(plan: Plan, found: Candidate) -> float | None:
    return found.cost_usd.p90 if found.cost_usd else None


def _per_gpu_hour(plan: Plan, found: Candidate) -> float | None:
    offer = plan.offers[found.offer] if found.offer is not None else None
    if offer is not None and offer.usd_per_gpu_hour:
        return offer.usd_per_gpu_hour
    return (found.gpu_usd_per_hour + (found.fabric_usd_per_gpu_hour or 0.0)) if found.gpu_usd_per_hour else None


def _hours(plan: Plan, found: Candidate) -> float | None:
    return found.run_hours if reading.ends(plan) else None


def _worst_hours(plan: Plan, found: Candidate) -> float | None:
    return reading.run_band(found)[1] if found.run_hours is not None and reading.ends(plan) else None


def _gpu_hours(plan: Plan, found: Candidate) -> float | None:
    hours = _hours(plan, found)
    return None if hours is None else hours * reading.gpus(plan)


def _throughput(plan: Plan, found: Candidate) -> float | None:
    return found.tokens_per_s_per_gpu and found.tokens_per_s_per_gpu * reading.gpus(plan)


def _memory(plan: Plan, found: Candidate) -> float | None:
    return reading.gib(found) or None


def _to_buy(plan: Plan, found: Candidate) -> float | None:
    bought = reading.to_buy(plan)
    return found.usd_to_buy or (bought.capital_usd if bought is not None else None)


def _power(plan: Plan, found: Candidate) -> float | None:
    return plan.power.site_kw if plan.power is not None else None


def _energy(plan: Plan, found: Candidate) -> float | None:
    return plan.power.run_kwh if plan.power is not None and reading.ends(plan) else None


def _month(plan: Plan, found: Candidate) -> float | None:
    return found.usd_per_month


_number = figures.significant
_percent: Callable[[float], str] = figures.percent
MEASURES: Mapping[str, Measure] = {
    "cost": Measure(_cost, figures.usd, "money"),
    "cost-at-worst": Measure(_worst_cost, figures.usd, "money"),
    "month": Measure(_month, figures.usd, "money"),
    "to-buy": Measure(_to_buy, figures.usd, "money"),
    "gpu-hour": Measure(_per_gpu_hour, figures.usd, "money"),
    "token-price": Measure(reading.usd_per_million_tokens, figures.usd, "money"),
    "time": Measure(_hours, figures.hours, "time", 24.0),
    "time-at-worst": Measure(_worst_hours, figures.hours, "time", 24.0),
    "gpu-hours": Measure(_gpu_hours, lambda v: f"{_number(v)} GPU-hours"),
    "step": Measure(lambda plan, found: found.step_time_s and found.step_time_s.p50, figures.seconds),
    "throughput": Measure(_throughput, lambda v: f"{_number(v)} tokens/s"),
    "mfu": Measure(lambda plan, found: found.mfu and 100 * found.mfu, _percent),
    "waiting": Measure(reading.waited, _percent, "percent"),
    "memory": Measure(_memory, lambda v: f"{v:,.0f} GiB", "memory"),
    "power": Measure(_power, lambda v: f"{_number(v)} kW", "power"),
    "energy": Measure(_energy, lambda v: f"{_number(v)} kWh"),
}  # fmt: skip


def told(name: str, called: str, of: Sequence[Beside]) -> str | None:
    """A figure of one, or of each of several: "Waiting: Spectrum-X 7.4 %, InfiniBand NDR 7.3 %."."""
    values = [(one.name, MEASURES[name].of(one.plan, one.found)) for one in of]
    if all(value is None for _, value in values):
        return None
    text = MEASURES[name].text
    if len(values) == 1:
        return f"{called}: {text(values[0][1] or 0.0)}."
    each = (f"{who} {text(value) if value is not None else 'not known'}" for who, value in values)
    return f"{called}: {', '.join(each)}."


def changed(name: str, called: str, before: Beside, after: Beside) -> str | None:
    """A figure before and after: "Memory: 79 GiB → 71 GiB."."""
    old, new = (MEASURES[name].of(one.plan, one.found) for one in (before, after))
    if new is None:
        return None
    text = MEASURES[name].text
    if old is None:
        return f"{called}: {text(new)}."
    stays = text(old) == text(new)
    return f"{called} stays: {text(new)}." if stays else f"{called}: {text(old)} → {text(new)}."


def held(name: str, called: str, one: Beside, limits: Iterable[float]) -> str | None:
    """Whether a figure keeps the limit that is named; ``limits`` in the unit of the amount."""
    measure, value = MEASURES[name], MEASURES[name].of(one.plan, one.found)
    limit = next((limit * measure.scale for limit in limits), None)
    if value is None or not limit:
        return None
    room = abs(limit - value)
    if value <= limit * (1 + _WITHIN):
        slow = MEASURES[f"{name}{_AT_WORST}"].of(one.plan, one.found) if f"{name}{_AT_WORST}" in MEASURES else None
        unless = f"; in one case of ten {measure.text(slow)}, which is more" if slow and slow > limit else ""
        return f"Yes: {called} {measure.text(value)} of {measure.text(limit)}, {measure.text(room)} to spare{unless}."
    return f"No: {called} {measure.text(value)}, {measure.text(room)} more than {measure.text(limit)}."
