"""Why: what rules concluded, what sources say, where they disagree, and from which size on networks differ."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ..knowledge import Grade
from .parts import Contract


class Finding(Contract):
    """A conclusion a rule drew, with the facts it saw and what it rests on."""

    rule: str
    conclusion: str
    because: str
    facts: dict[str, Any] = Field(default_factory=dict)
    evidence: list[str] = Field(default_factory=list)
    fabric: str | None = None
    stage: str | None = None
    from_findings: list[str] = Field(default_factory=list)  # rules whose conclusions this one used


class Evidence(Contract):
    """A passage or claim of a source, with its grade, verdict and date. ``title``: of the source."""

    id: str
    source: str
    title: str = ""
    section: str
    text: str
    grade: Grade
    verdict: str
    date: str
    score: float
    correction: str | None = None


class PlanConflictSide(Contract):
    claim: str
    says: str


class PlanConflict(Contract):
    """A disagreement between sources that this plan touches."""

    topic: str
    sides: list[PlanConflictSide]
    resolution: str


class CrossoverPoint(Contract):
    """This job on one number of GPUs: the cheapest fabric, and the cheapest of each kind; ``None`` where there is
    none."""

    gpus: int
    fabric: str
    tcp: str | None = None
    ethernet_rdma: str | None = None
    infiniband: str | None = None
    usd_per_billion_tokens: dict[str, float]


class SourceNumber(Contract):
    """A source's number of GPUs, and what this job would take there; ``None`` where it cannot run on so few."""

    claim: str
    says: str
    gpus: int
    fabric: str | None


class Crossover(Contract):
    """From how many GPUs on this job asks for another kind of fabric; ``None``: not up to the largest size tried.

    ``topic`` is the disagreement between sources that it answers, ``compared`` the kinds that can be had at all,
    ``gpus_per_domain`` how many GPUs need no network.
    """

    topic: str
    rdma_from: int | None
    infiniband_from: int | None
    compared: list[str]
    gpus_per_domain: int
    points: list[CrossoverPoint]
    sources: list[SourceNumber]
