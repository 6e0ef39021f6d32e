"""What a message says, once it is understood: what is done with it, about what, and every fact, name and amount in
it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from .answers import Intent, Understanding

ScopeKind = Literal[
    "allowed", "relayed", "denied", "hedged", "others", "past", "present", "quoted", "question", "supposition"
]


@dataclass(frozen=True, slots=True)
class Entity:
    """A name of the catalog. ``kind``: model, gpu, provider, fabric, instance or technology; ``start:end`` in what was
    typed."""

    kind: str
    id: str
    start: int
    end: int
    denied: bool = False


@dataclass(frozen=True, slots=True)
class Amount:
    """A quantity with its dimension (``number``, ``time`` in days, ``rate`` in Gb/s, ``money`` in dollars, ``percent``,
    ``power`` in kW, ``memory`` in GB, ``date``); ``unit`` as it was said, of money what it is for; ``currency``: the
    code of ``money-other``."""

    kind: str
    value: Any
    unit: str
    start: int
    end: int
    currency: str = ""


@dataclass(frozen=True, slots=True)
class Scope:
    """Part of a message that states nothing of the job as it is planned, and why."""

    kind: ScopeKind
    start: int
    end: int


@dataclass(frozen=True)
class Doubt:
    """What cannot be taken as it was said: a sentence, and the values among which the person may choose; ``between``:
    the fields of which it may be one, each with its value, the likeliest first; ``unlikely``: the words around a value
    do not speak for it."""

    field: str | None
    sentence: str
    options: tuple[Any, ...] = ()
    between: tuple[tuple[str, Any], ...] = ()
    unlikely: bool = False

    @property
    def meanings(self) -> tuple[dict[str, Any], ...]:
        """What it may mean, the likeliest first: the fields that each meaning sets."""
        own = [{self.field: option} for option in self.options] if self.field else []
        return (*own, *({path: value} for path, value in self.between))


@dataclass(frozen=True)
class Quoted:
    """A price that somebody offers for a network: it belongs to the fabric and is no budget. As
    :class:`assistant.vocabulary.questionnaire.Quote`."""

    fabric: str | None
    provider: str | None
    gpu_hour_usd: float | None = None
    usd: float | None = None
    months: float | None = None
    oversubscription: float | None = None
    nics_per_node: int | None = None
    delivery_days: float | None = None
    minimum_days: float | None = None
    once_usd: float | None = None
    gpu: str | None = None
    gpus: int | None = None
    includes: tuple[str, ...] = ()
    note: str = ""
    unread: str = ""


@dataclass(frozen=True)
class Utterance:
    """One message, understood. Immutable; conversation, answering and ``weft ask`` dispatch on ``act`` and ``topic``.

    ``topic`` is asked of a job described, ``of_plan`` of the plan at hand where nothing else is said; ``roles`` tells
    which quantity plays which part in it; ``followup`` are the likeliest kinds of question about a plan
    (followups.yaml) and how likely each is, where something of a job is known; ``asks`` and ``tells``: how likely it is
    that something is asked, or told of the job, by what the message means. ``slips`` are words that were read as
    others.

    ``fields`` are facts of the job by dotted path; ``excluded`` fabrics that were ruled out; ``unset`` fields taken
    back without a new value; ``nodes`` counted nodes whose size is not known yet; ``assumed`` what was taken for
    granted with the facts, each as a sentence; ``rest`` what nobody understood, ``decisive`` the words of it that
    decide what a plan costs.
    """

    text: str
    act: Intent
    topic: str | None = None
    of_plan: str | None = None
    roles: Mapping[str, Any] = field(default_factory=dict)
    followup: tuple[tuple[str, float], ...] = ()
    asks: float = 0.0
    tells: float = 0.0
    slips: tuple[tuple[str, str], ...] = ()
    entities: tuple[Entity, ...] = ()
    amounts: tuple[Amount, ...] = ()
    scopes: tuple[Scope, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    fabrics: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    unset: tuple[str, ...] = ()
    offers: tuple[Quoted, ...] = ()
    nodes: int | None = None
    doubts: tuple[Doubt, ...] = ()
    assumed: tuple[str, ...] = ()
    rest: str = ""
    decisive: str = ""
    language: str = "english"

    def named(self, kind: str) -> list[str]:
        """The ids of a kind of name, in the order in which they stand, each once."""
        return list(dict.fromkeys(entity.id for entity in self.entities if entity.kind == kind and not entity.denied))

    def contract(self, id: str | None = None) -> Understanding:
        """The message as ``weft understand`` gives it."""
        return Understanding(
            id=id,
            intent=self.act,
            fields=dict(self.fields),
            quotes=[asdict(offer) | {"includes": list(offer.includes)} for offer in self.offers],
            fabrics=list(self.fabrics),
            excluded=list(self.excluded),
            unset=list(self.unset),
            nodes=self.nodes,
            rest=self.rest,
            doubts=[doubt.sentence for doubt in self.doubts],
            assumed=list(self.assumed),
        )
