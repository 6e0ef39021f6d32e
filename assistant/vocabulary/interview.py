"""A question of the interview as ``knowledge/interview.yaml`` holds it, where every key is described."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import Field

from .entry import Entry


def settles(names: Iterable[str], field: str) -> bool:
    """Whether a field is one of these or a part of one: ``parallelism.tp`` of ``parallelism``."""
    return any(field == name or field.startswith(f"{name}.") for name in names)


class OfferedAnswer(Entry):
    """A choice; ``sets``: dotted questionnaire path → value, nothing for "not decided"."""

    sets: dict[str, Any] = Field(default_factory=dict)
    id: str | None = None
    label: str | None = None


class Reply(Entry):
    """A plain word (regular expression) and what it means as an answer: a choice of the question it belongs to."""

    says: str
    means: str


class PlausibleAnswer(Entry):
    """What could be answered, and the probability of it: values, or a field (that of the question) ``times`` what is
    assumed."""

    weight: float = Field(gt=0, le=1)
    sets: dict[str, Any] = Field(default_factory=dict)
    field: str | None = None
    times: float | None = None
    must_work: bool = False


class Circumstances(Entry):
    """When a question matters. ``workload``: in this one alone. ``unless``: a field that was said ("any"), or said to
    be so."""

    across_nodes: bool = False
    mixture: bool = False  # the model has experts
    job: Literal["training", "serving"] | None = None
    workload: str | None = None
    known: str | None = None
    unless: dict[str, str] = Field(default_factory=dict)

    def met(self, fields: Mapping[str, Any], *, across_nodes: bool, serves: bool, mixture: bool = False) -> bool:
        """Whether they are those of a job with these fields."""
        said = {name: fields[name] for name in self.unless if name in fields}
        return (
            (across_nodes or not self.across_nodes)
            and (mixture or not self.mixture)
            and self.job in (None, "serving" if serves else "training")
            and self.workload in (None, fields.get("workload"))
            and (self.known is None or self.known in fields)
            and not any(self.unless[name] in ("any", value) for name, value in said.items())
        )


class InterviewQuestion(Entry):
    """What is asked, why, what is offered and what people are likely to answer."""

    field: str
    text: str
    why: str
    why_is_enough: bool = False  # it says already what the answer changes
    word: str = ""  # one word of it explained
    take: str | None = None  # what Weft would take, where the question cannot be left open
    called: str | None = None  # what is asked for, in a word or two; the name of the field where there is none
    settled_by: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    required: bool = False
    days: float | None = None  # in which a run shall end where neither its length nor this is said
    first: bool = False  # asked before those that are ranked by what they could change
    when: Circumstances = Circumstances()
    if_not_sure: str | None = None
    placeholder: str = ""
    choices: tuple[OfferedAnswer, ...] = ()
    computed: Literal["numbers-of-nodes", "networks-already-there"] | None = None
    replies: tuple[Reply, ...] = ()
    unasked: str | None = None  # the id of the choice that stands where nobody can be asked
    plausible: tuple[PlausibleAnswer, ...] = ()
    plausible_besides: tuple[PlausibleAnswer, ...] = ()

    @property
    def settling(self) -> tuple[str, ...]:
        """The fields of which any makes the question superfluous."""
        return self.settled_by or (self.field,)

    def settled(self, fields: Iterable[str]) -> list[str]:
        """Those of the fields that answer it."""
        return [field for field in fields if settles(self.settling, field)]

    def meant(self, said: str) -> str | None:
        """The id of the choice that a plain word such as "no" or "nobody" means as an answer to this question."""
        return meant(self.replies, said)


def meant(replies: Iterable[Reply], said: str) -> str | None:
    """What the first reply that the whole message is means."""
    found = (one for one in replies if re.fullmatch(rf"\W*(?:{one.says})\W*", said, re.IGNORECASE))
    return next((reply.means for reply in found), None)


class Interview(Entry):
    """Every question, in its order, and what may be said to any: ``why`` it is asked, what Weft would ``take``, its
    ``meaning``, ``yes`` and ``no``."""

    questions: tuple[InterviewQuestion, ...] = ()
    replies: tuple[Reply, ...] = ()
    earlier: tuple[str, ...] = ()  # ways back to a question by its name: regular expressions with one group

    def named(self, said: str) -> str:
        """The question to which the whole message goes back, as it is named there; nothing where it goes to none."""
        ways = (re.fullmatch(rf"\W*(?:{way})\W*", said, re.IGNORECASE) for way in self.earlier)
        return next((way[1] for way in ways if way), "")
