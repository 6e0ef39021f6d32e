"""The whole plan."""

from __future__ import annotations

import datetime
from typing import Any, Literal

from pydantic import Field, field_validator

from .evidence import Crossover, Evidence, Finding, PlanConflict
from .measured import MeasuredNetwork
from .offers import QuotedOffer, RentalOffer
from .parts import Assumption, Contract, Warning_
from .purchase import PowerUse, Purchase, RentOrBuy
from .recommendation import Candidate, Mover, Recommendation
from .serving import Crossing, Sizing


class MadeWith(Contract):
    """What a plan was made with: the version of the program, and content hashes of what it read. Two plans of one
    questionnaire and day that differ differ here. ``constants``: what of the catalog it was computed with, value and
    unit by dotted path (``constants.kernel-tile``, ``fabrics.roce-v2-400.latency``); empty in plans made before they
    were kept."""

    program: str
    rules: str
    knowledge: str
    catalog: str
    prices: str
    constants: dict[str, str] = Field(default_factory=dict)


class Plan(Contract):
    """Questionnaire in, plan out. ``schema`` names the contract."""

    schema_: Literal["weft/plan/1"] = Field(
        default="weft/plan/1", validation_alias="schema", serialization_alias="schema"
    )
    date: str | None = None  # the day on which it was made, by which prices are as old as they are
    made_with: MadeWith | None = None
    names: dict[str, str] = Field(default_factory=dict)  # as people call what the plan has by its id
    questionnaire: dict[str, Any]
    recommendation: Recommendation
    candidates: list[Candidate]
    # renting: what is sold to this job, cheapest run first; quotes come before what is published
    offers: list[RentalOffer] = Field(default_factory=list)
    quotes: list[QuotedOffer] = Field(default_factory=list)  # the person's own, as they were given
    findings: list[Finding]
    evidence: list[Evidence]
    conflicts: list[PlanConflict]
    crossover: Crossover | None = None  # computed where a person reads the plan, not in a batch
    purchase: Purchase | None = None  # buying
    power: PowerUse | None = None
    rent_or_buy: RentOrBuy | None = None  # buying, and where it is asked for
    sizing: Sizing | None = None  # serving
    crossing: Crossing | None = None  # serving of which something crosses nodes
    movers: list[Mover] = Field(default_factory=list)  # of the cost, where there is one
    measured: MeasuredNetwork | None = None  # the network as nccl-tests found it
    fabric_design: dict[str, Any]
    nccl: dict[str, Any]
    warnings: list[Warning_]
    assumptions: list[Assumption]
    volunteered: str | None = None  # one line that nobody asked for: what was planned again and is worth knowing
    questions_for_provider: list[str] = Field(default_factory=list)
    measure_first: list[str] = Field(default_factory=list)

    @field_validator("date")
    @classmethod
    def _a_day(cls, date: str | None) -> str | None:
        if date is not None:
            datetime.date.fromisoformat(date)
        return date

    @property
    def taken(self) -> RentalOffer | None:
        """The offer that is recommended; ``None`` where machines are bought or there already, or none is."""
        number = self.recommendation.offer
        return None if number is None else self.offers[number]
