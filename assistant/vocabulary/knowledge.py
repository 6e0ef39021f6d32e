"""What the knowledge base holds: sources, claims with our verdict, passages, conflicts, terms."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, model_validator

from .entry import Entry

Grade = Literal["measured", "vendor", "derived", "rule-of-thumb", "opinion"]
SourceKind = Literal[
    "vendor-blog", "engineering-blog", "vendor-documentation", "paper", "dataset", "standard", "press",
    "independent-measurement"
]  # fmt: skip
ClaimType = Literal[
    "measured", "vendor", "arithmetic", "rule-of-thumb", "price", "specification", "configuration", "opinion"
]
Doubt = Literal["wrong", "contradicted", "inconsistent", "implausible", "withdrawn"]
Verdict = Literal["confirmed", "approximate", "consistent", "unverifiable", Doubt]
DOUBTFUL: frozenset[str] = frozenset(get_args(Doubt))

# Of the types of claim that are no grade themselves.
_GRADE_OF_TYPE = {"arithmetic": "derived", "price": "vendor", "specification": "vendor", "configuration": "vendor"}


class Source(Entry):
    """A publication: who says it, when, and who gains from it."""

    id: str
    title: str
    publisher: str | None
    author: str | None = None
    date: datetime.date | None
    date_note: str | None = None
    kind: SourceKind
    interest: str
    status: Literal["current", "partly-withdrawn", "withdrawn", "superseded"] = "current"
    status_note: str | None = None
    url: str | None = None
    sections: list[list[str]]


class Figure(Entry):
    """The main number of a claim."""

    value: float | str
    unit: str


class Computation(Entry):
    """How a figure of a claim is recomputed: a named formula (:mod:`assistant.audit`) with inputs written as people do.

    ``states``: what the claim says, in ``unit``, when that is not its main figure, or the range (two numbers) in which
    the result must lie for the claim to be true. ``basis``:
    with the inputs the source gives, with those that are known to hold, or as the quantitative model predicts it. The
    figure agrees within ``tolerance_percent``.
    """

    formula: str
    inputs: dict[str, float | str]
    unit: str
    states: float | tuple[float, float] | None = None
    basis: Literal["stated", "known", "model"] = "stated"
    tolerance_percent: float = Field(2.0, gt=0)


class Revision(Entry):
    """A verdict that is no longer the first audit's, and why."""

    before: Verdict
    why: str


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, dict) else value


class Claim(Entry):
    """One checkable statement of a source, in our words, with our verdict."""

    id: str
    audit: str | None = None
    section: str
    statement: str
    type: ClaimType
    grade: Grade | None = None
    figure: Figure | None = None
    conditions: str | None = None
    recomputation: str | None = None
    compute: Annotated[list[Computation], BeforeValidator(_listed)] = Field(default_factory=list)
    verdict: Verdict
    revised: Revision | None = None
    correction: str | None = None
    authority: str | None = None
    date: datetime.date | None = None

    @property
    def source(self) -> str:
        return self.id.split("/", 1)[0]

    @property
    def evidence_grade(self) -> Grade:
        """How strong a support it is: given for authorities, else what its type is worth."""
        return self.grade or _GRADE_OF_TYPE.get(self.type) or self.type  # type: ignore[return-value]

    @property
    def doubtful(self) -> bool:
        """Never shown without its correction."""
        return self.verdict in DOUBTFUL

    @model_validator(mode="after")
    def _corrected(self) -> Claim:
        if self.doubtful and not self.correction:
            raise ValueError(f"claim {self.id} has the verdict {self.verdict} and needs a correction")
        if any(c.states is None for c in self.compute) and not (
            self.figure and isinstance(self.figure.value, (int, float))
        ):
            raise ValueError(f"claim {self.id} has no figure in numbers, so its computations need what it states")
        return self


class Passage(Entry):
    """A few sentences of ours under the heading of the source that says it.

    ``asked``: what people ask it for who do not know the field's words; only the search reads that.
    """

    id: str
    section: str
    text: str
    asked: list[str] = Field(default_factory=list)
    claims: list[str] = Field(default_factory=list)
    status: Literal["current", "disputed", "withdrawn"] = "current"
    correction: str | None = None

    @property
    def source(self) -> str:
        return self.id.split("/", 1)[0]

    @model_validator(mode="after")
    def _corrected(self) -> Passage:
        if self.status != "current" and not self.correction:
            raise ValueError(f"passage {self.id} is {self.status} and needs a correction")
        return self


class ConflictSide(Entry):
    """One side of a disagreement."""

    claim: str
    says: str


class Conflict(Entry):
    """A group of statements that disagree, and what to tell the user."""

    id: str
    audit: str | None = None
    topic: str
    touches: list[str]
    of: Literal["training"] | None = None  # the kind of job that it is about alone
    sides: list[ConflictSide]
    better_supported: str
    resolution: str


class Term(Entry):
    """A word of the field and what it means for choosing a fabric."""

    term: str
    aliases: list[str] = Field(default_factory=list)
    kind: Literal[
        "mechanism", "method", "software", "setting", "hardware", "organisation", "infrastructure", "model-concept"
    ]
    says: str
    see: list[str] = Field(default_factory=list)


class Knowledge(Entry):
    """All of ``knowledge/`` but the catalog and the measurements."""

    sources: dict[str, Source]
    claims: dict[str, Claim]
    passages: dict[str, Passage]
    conflicts: dict[str, Conflict]
    terms: list[Term]

    def day_of(self, claim: Claim) -> str | None:
        """When a claim was made, else its source; ISO 8601."""
        date = claim.date or self.sources[claim.source].date
        return date.isoformat() if date else None
