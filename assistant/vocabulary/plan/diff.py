"""What is different between two plans, and what did it: the contract of ``weft diff``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ..catalog import Tier
from .parts import Contract, Verdict
from .recommendation import Outcome
from .whole import MadeWith


class Side(Contract):
    """The answer of one plan; ``cost_usd`` and ``run_hours`` are medians of the recommended network."""

    name: str | None = None
    date: str | None = None
    made_with: MadeWith | None = None
    fabric: str
    verdict: Outcome
    do: str
    cost_usd: float | None = None
    run_hours: float | None = None
    step_time_s: float | None = None


class InputChange(Contract):
    """A field that was said otherwise; ``None``: not said."""

    field: str
    was: Any
    now: Any


class OfferPrice(Contract):
    """A list price, US dollars per GPU-hour; ``None`` where one of the plans has no such offer, or no price of it."""

    provider: str
    instance: str
    tier: Tier
    months: float | None = None
    was: float | None
    now: float | None


class ConstantChange(Contract):
    """A figure of the catalog that the plans were computed with, with its unit; ``None`` where a plan has none."""

    name: str
    was: str | None
    now: str | None


class RuleChange(Contract):
    """A rule that speaks of a job, or of a network, in one of the plans only."""

    rule: str
    fabric: str | None = None
    because: str
    now: Literal["speaks", "silent"]


class NetworkChange(Contract):
    """A network whose verdict or whose time of a step, in seconds at the median, is another."""

    fabric: str
    verdict_was: Verdict | None
    verdict_now: Verdict | None
    step_was: float | None
    step_now: float | None


Kind = Literal["known", "constant", "price", "day", "input"]


class Cause(Contract):
    """One thing that changed, and the answer once it has: US dollars of the run at the median. In turn they lead from
    the one plan to the other: what is known (rules, the program, and constants where the plan before keeps none), each
    constant, each price, the day, each input."""

    kind: Kind
    what: str
    fabric_was: str | None
    fabric: str | None
    cost_was_usd: float | None
    cost_usd: float | None


class PlanDiff(Contract):
    """``same_answer``: the same network is recommended. ``changed_with``: the parts of ``made_with`` that are others.
    ``causes`` is empty where the plans cannot be computed again here, and ``not_computed`` says why."""

    names: dict[str, str] = Field(default_factory=dict)  # as people call what is here by its id
    before: Side
    after: Side
    same_answer: bool
    changed_with: list[str] = Field(default_factory=list)
    causes: list[Cause] = Field(default_factory=list)
    not_computed: str | None = None
    inputs: list[InputChange] = Field(default_factory=list)
    prices: list[OfferPrice] = Field(default_factory=list)
    constants: list[ConstantChange] = Field(default_factory=list)
    rules: list[RuleChange] = Field(default_factory=list)
    networks: list[NetworkChange] = Field(default_factory=list)
