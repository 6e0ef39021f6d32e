"""What the recomputation of a claim came to."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from pydantic import Field

from .entry import Entry
from .knowledge import ClaimType, Verdict

Agreement = Literal["agrees", "approximately", "disagrees"]
Reason = Literal[
    "opinion", "rule without inputs", "needs a price list", "needs a measurement", "vendor statement", "specification"
]


class Check(Entry):
    """One figure recomputed. ``stated`` and ``computed`` in ``unit``; ``gap_percent``: stated over computed, less
    one."""

    formula: str
    inputs: dict[str, float | str]
    basis: Literal["stated", "known", "model"]
    stated: float | tuple[float, float]
    computed: float
    unit: str
    gap_percent: float
    agreement: Agreement


class Result(Entry):
    """One claim: what its checks came to together, or why nothing can be computed (``agreement`` is then ``None``).

    ``predicted``: nothing but the model's prediction stands beside the claim. ``follows``: the recorded verdict is one
    that this agreement allows.
    """

    claim: str
    source: str
    statement: str
    type: ClaimType
    verdict: Verdict
    agreement: Agreement | None
    checks: list[Check] = Field(default_factory=list)
    reason: Reason | None = None
    predicted: bool = False
    follows: bool = True
    verdict_before: Verdict | None = None
    why_changed: str | None = None


class Tally(Entry):
    """Counts of an audit: claims decided by arithmetic, measured claims beside which only a prediction stands, the
    rest."""

    claims: int
    computed: int
    predicted: int
    figures: int
    agreements: dict[Agreement, int]
    predictions: dict[Agreement, int]
    not_computed: dict[Reason, int]
    changed: int
    not_following: int


def tally(results: list[Result]) -> Tally:
    """The counts of some results."""
    computed = [r for r in results if r.agreement is not None and not r.predicted]
    predicted = [r for r in results if r.predicted]
    reasons: list[Reason] = [r.reason for r in results if r.reason is not None]
    return Tally(
        claims=len(results),
        computed=len(computed),
        predicted=len(predicted),
        figures=sum(len(r.checks) for r in results),
        agreements=_agreements(computed),
        predictions=_agreements(predicted),
        not_computed=dict(sorted(Counter(reasons).items())),
        changed=sum(r.verdict_before is not None for r in results),
        not_following=sum(not r.follows for r in results),
    )


def _agreements(results: list[Result]) -> dict[Agreement, int]:
    found = [r.agreement for r in results]
    return {one: found.count(one) for one in ("agrees", "approximately", "disagrees")}
