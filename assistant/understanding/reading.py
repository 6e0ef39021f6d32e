"""A message while it is read: what every stage adds to, and what all of them ask of it."""

from __future__ import annotations

import datetime
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from assistant.vocabulary.answers import Intent
from assistant.vocabulary.catalog import Catalog, Gpu
from assistant.vocabulary.utterance import Doubt, Quoted

from .attach import Context, Fact
from .ignored import HIDDEN
from .networks import Mention
from .opinion import Opinion
from .scopes import Reach, kinds_at
from .templates import Quantity, Source
from .text import Text

NOT_OURS = frozenset({"others", "past", "quoted"})
ABOUT_A_PLAN = frozenset({"why", "why-not", "compare"})
SILENT_ACTS = frozenset({"undo", "help", "export"})
DEADLINE, LENGTH, TOKENS = "constraints.deadline_days", "training.days", "training.tokens"
TIMES = frozenset({DEADLINE, LENGTH})  # of a run whose work is told, a length is the time that there is for it
NAMES = {"gpu": "cluster.gpu", "model": "model", "provider": "cluster.provider"}


@dataclass
class Reading:
    """One message while it is read; every stage adds to it."""

    text: Text
    source: Source
    context: Context
    today: datetime.date
    quantities: list[Quantity]
    named: list[Quantity]
    mentions: list[Mention]
    scopes: list[Reach] = field(default_factory=list)
    act: Intent = "describe"
    opinion: Opinion | None = None  # what its meaning speaks for
    fields: dict[str, Any] = field(default_factory=dict)
    follows: dict[str, str] = field(default_factory=dict)  # fields that nobody named, and the one each follows from
    fabrics: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    unset: list[str] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)  # what was taken for granted with it, each as a sentence
    nodes: int | None = None
    waiting: list[Fact] = field(default_factory=list)
    offers: list[Quoted] = field(default_factory=list)
    learned: Any = None  # what the learned reading of quotes says of the message, and
    told: Sequence[Any] = ()  # the offers of it that are taken (told_offers)
    of_sellers: frozenset[int] = frozenset()  # tokens of clauses that tell of offers and nothing of the job
    taken: set[int] = field(default_factory=set)
    unread: frozenset[int] = frozenset()  # tokens that its meaning is judged without
    withheld: frozenset[int] = frozenset()  # tokens that state nothing, since a word beside them is not known
    quiet: frozenset[int] = frozenset()  # tokens that a wording knows to state nothing
    denied: set[int] = field(default_factory=set)  # what was denied and is nothing that could be taken back

    def again(self, act: Intent) -> Reading:
        """The message as it was before anything of it was understood, to be read as another act."""
        return Reading(self.text, self.source, self.context, self.today, self.quantities, self.named, self.mentions,
                       [*self.scopes], act, self.opinion, doubts=[*self.doubts])  # fmt: skip

    @property
    def spans(self) -> list[Quantity]:
        """Every amount and name, networks included."""
        return [*self.quantities, *(Quantity("network", m.technology, m.start, m.end) for m in self.mentions)]

    @property
    def states(self) -> bool:
        """Whether facts of the job are stated; its kind alone may follow from what is asked ("requests per second")."""
        return bool(self.fields.keys() - {"cluster.fabric", "workload"} or self.excluded)

    @property
    def may_ask(self) -> bool:
        """Whether an act other than a question may be one that is put without a question word."""
        return self.act in SILENT_ACTS | {"unclear"} or (self.act == "describe" and not self.states)

    def kinds(self, start: int, end: int) -> set[str]:
        """The kinds of scope in which the tokens ``start:end`` lie."""
        return kinds_at(self.scopes, start, end)

    def known(self, path: str) -> Any:
        """The value of a field, as said now or before."""
        return self.fields.get(path) or self.context.fields.get(path)

    def gpu(self, catalog: Catalog) -> Gpu | None:
        return catalog.gpus.get(self.known("cluster.gpu") or "")

    def per_node(self, catalog: Catalog) -> int | None:
        """The GPUs of a node, as said or as is usual for the GPU that is known, or the only one that is named."""
        coded = {q.value[1].gpus_per_node for q in self.named if q.kind == "instance"}
        if len(coded) == 1:
            return self.known("cluster.gpus_per_node") or coded.pop()
        named = {q.value for q in self.named if q.kind == "gpu"}
        gpu = self.gpu(catalog) or (catalog.gpus.get(*named) if len(named) == 1 else None)
        return self.known("cluster.gpus_per_node") or (gpu.gpus_per_node if gpu else None)

    def planned(self, facts: list[Fact]) -> list[Fact]:
        """What is planned, or what is there now where nothing else is planned; a wish gives way to what is so."""
        planned = [f for f in facts if "present" not in self.kinds(f.start, f.end)]
        firm = [f for f in planned if "wished" not in self.kinds(f.start, f.end)]
        planned = firm or planned
        return planned if planned or self.plans else facts

    @property
    def plans(self) -> bool:
        """Whether anything is planned: a plan of the past, or of others, is none."""
        return any(s.kind == "planned" and not self.kinds(min(s.cue), max(s.cue) + 1) & NOT_OURS for s in self.scopes)

    def says_nothing(self, at: int, filler: Set[str]) -> bool:
        """Whether a token is a filler word or a mark."""
        token = self.text.tokens[at]
        return token.text in filler or not (token.is_word or token.is_number or token.text == HIDDEN)
