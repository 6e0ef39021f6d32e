"""What the conversation says, as data: a screen, the line mode and a transcript are readers of it.

The surface (see :mod:`assistant.conversation`)::

    conversation = Conversation(library)
    conversation.start() -> list[Event]          # a welcome Note and the first Question
    conversation.say("64 H100s") -> list[Event]  # free text, also "back", "undo", "not sure", "keep it"
    conversation.choose(choice_id) -> list[Event]  # a Choice of the question that is open
    conversation.hear(text) -> list[Event]       # "say" up to the new plan; also pick(choice_id) for "choose"
    conversation.go_on() -> list[Event]          # the rest of it: the next question, where one is due
    conversation.question -> Question | None     # the open question
    conversation.plan -> Plan | None             # the newest plan of the accepted draft
    conversation.variation -> VariationShown | None  # a what-if that "keep it" would accept
    conversation.draft.fields -> dict            # dotted questionnaire path → value
    conversation.turns -> list[Turn]             # everything so far

Events are frozen; texts are plain text without markup, and never contain control characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Field

from assistant.present.blocks import ComparisonRow, Reason
from assistant.vocabulary.answers import Answer as SearchAnswer
from assistant.vocabulary.dial import Dial
from assistant.vocabulary.entry import Entry
from assistant.vocabulary.interview import settles
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.sweep import Point, Sweep


class Choice(Entry):
    """One offered answer. ``value`` is what it sets: dotted questionnaire path → value; empty for "not decided"."""

    id: str
    label: str
    value: dict[str, Any] = Field(default_factory=dict)


class Question(Entry):
    """What Weft asks next and why. ``word``: one word of it explained, for who has not said much by himself;
    ``previous`` is the answer given before, when the user came back to it; ``settled_by`` are the fields that answer
    it; ``unlikely``: what it asks about is hardly likely to be meant."""

    kind: Literal["question"] = "question"
    field: str
    text: str
    why_asked: str
    word: str = ""
    choices: tuple[Choice, ...] = ()
    not_sure: bool = True
    if_not_sure: str | None = None
    placeholder: str = ""
    previous: str | None = None
    again: bool = False  # the same question is still open: it was asked in full before
    settled_by: tuple[str, ...] = ()
    unlikely: bool = False

    @property
    def offers_unsure(self) -> bool:
        """Whether "not sure" is an offer of its own beside the choices: one that decides nothing stands for it."""
        return self.not_sure and all(choice.value for choice in self.choices)

    def answered_by(self, events: Iterable[Event]) -> bool:
        """Whether what came back took the answer to this question, "not sure" included."""
        taken = [event for event in events if event.kind == "understood"]
        return any(not one.fields or any(settles(self.settled_by, f.field) for f in one.fields) for one in taken)


class UnderstoodField(Entry):
    """One value taken from what was said. ``before`` is the text of the value it replaces."""

    field: str
    value: Any
    text: str
    before: str | None = None


class Understood(Entry):
    """What was taken from a message, so that it can be corrected; ``rest`` is what was not understood."""

    kind: Literal["understood"] = "understood"
    fields: tuple[UnderstoodField, ...] = ()
    assumed: tuple[str, ...] = ()
    rest: str = ""


class PlanShown(Entry):
    """The plan moved. ``changes`` are sentences about what is new since the plan before; ``turned``: the answer itself
    is new."""

    kind: Literal["plan"] = "plan"
    plan: Plan
    headline: str
    changes: tuple[str, ...] = ()
    turned: bool = False


class VariationShown(Entry):
    """A what-if: a plan beside the accepted one. Saying "keep it" makes it the accepted one. ``card`` are the lines of
    the card that differ, before → now; ``changes`` everything that is new."""

    kind: Literal["variation"] = "variation"
    what_if: str
    fields: tuple[UnderstoodField, ...]
    plan: Plan
    headline: str
    changes: tuple[str, ...] = ()
    card: tuple[str, ...] = ()


class PlanDetails(Entry):
    """The whole plan was asked for ("show the plan")."""

    kind: Literal["details"] = "details"
    plan: Plan


class Plots(Entry):
    """The plots were asked for ("plot"). ``scale`` is the planned job at other numbers of GPUs; ``None`` where there is
    none."""

    kind: Literal["plots"] = "plots"
    plan: Plan
    scale: Sweep | None = None


class Dialled(Entry):
    """A dial was asked for ("dial gpus"): the answer at every value, in the order of the values; ``lines`` draw it."""

    kind: Literal["dial"] = "dial"
    name: str
    dial: Dial
    points: tuple[Point, ...]
    lines: tuple[str, ...]


class Answer(Entry):
    """Passages that answer a question about the field; ``answer`` is null when nothing could be searched."""

    kind: Literal["answer"] = "answer"
    question: str
    answer: SearchAnswer | None
    note: str | None = None


class Explanation(Entry):
    """Why, or why not: a tree from the conclusion down to its sources."""

    kind: Literal["explanation"] = "explanation"
    about: str
    tree: Reason


class Comparison(Entry):
    kind: Literal["comparison"] = "comparison"
    left: str
    right: str
    heads: tuple[str, str] | None = None  # the names of both; null: their ids
    rows: tuple[ComparisonRow, ...]
    summary: str


class Note(Entry):
    """Something said that is no question and no plan; ``items`` is a list under it."""

    kind: Literal["note"] = "note"
    text: str
    items: tuple[str, ...] = ()


class Copied(Entry):
    """``text`` is for the clipboard, where there is one: ``what`` of the plan, in words."""

    kind: Literal["copied"] = "copied"
    what: str
    text: str


class Exported(Entry):
    """The plan, its card or the conversation was written to ``path``."""

    kind: Literal["exported"] = "exported"
    what: Literal["plan", "card", "conversation"] = "plan"
    path: str
    format: Literal["markdown", "json", "yaml", "html", "text"]


class Recalled(Entry):
    """What was answered before the conversation was gone on with, as the transcript has it: Markdown."""

    kind: Literal["recalled"] = "recalled"
    text: str


class Failure(Entry):
    """What was asked for cannot be done: one sentence with the next step. Nothing was changed."""

    kind: Literal["failure"] = "failure"
    text: str
    field: str | None = None


class Finished(Entry):
    """No open question can change the answer, and what was ``assumed`` for it where nobody said; the conversation stays
    open for questions about the plan."""

    kind: Literal["finished"] = "finished"
    text: str
    assumed: tuple[str, ...] = ()


_OfThePlan = PlanShown | VariationShown | PlanDetails | Plots | Dialled | Explanation | Comparison
_Said = Question | Understood | Answer | Note | Exported | Copied | Recalled | Failure | Finished
Event = Annotated[_OfThePlan | _Said, Field(discriminator="kind")]


class Turn(Entry):
    """One exchange: what the user said (``None`` for the welcome) and what came back."""

    said: str | None
    events: tuple[Event, ...]
