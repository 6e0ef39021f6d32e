"""The conversation: words in, events out. It is composed of its parts and draws nothing.

What a message brings about is decided in :mod:`turn.dispatch`; here a turn is begun, finished and recorded.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assistant.library import Library
from assistant.understanding.text import clean, in_one_line
from assistant.vocabulary.dial import Dial
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.sweep import Point, Sweep

from . import exporting
from .answers.about_plan import AboutPlan
from .dials import words
from .draft import Draft
from .events import Event, Failure, Note, Question, Turn, VariationShown
from .exporting import Exporter
from .interview.interviewer import Interviewer
from .planner import Planner, plan_now
from .scaling import Scaling
from .searching import Searcher, understood
from .state import State
from .turn.dialling import take as take_dial
from .turn.dispatch import respond
from .turn.followup import answer_to
from .turn.parts import Parts
from .turn.steps import change, still_in_doubt, take
from .turn.turns import Record, Turns, or_sentence

LONGEST_MESSAGE = 4000
_WELCOME = (
    "Tell me about the job, in your own words or answer by answer; a plan appears as soon as it can. "
    'Say "help" for what else you can say.'
)


class Conversation:
    """One interview. ``searcher`` answers free questions; ``record`` is given every turn as it ends, and where it has a
    ``heard``, that is given what was said before any of the answer is returned.

    ``fields`` starts from what is already known (dotted paths). All methods return the events of one turn and never
    raise for what a person types; after an error inside (of the planner) everything is as it was before. A disk that
    takes no more is told, and what is said from then on is not kept.
    ``say`` and ``choose`` bring a turn in one piece; who draws the new plan before the next question is worked out
    takes it in two, with ``hear`` or ``pick`` and then ``go_on``.
    """

    def __init__(
        self,
        library: Library,
        *,
        planner: Planner | None = None,
        searcher: Searcher | None = None,
        exporter: Exporter = exporting.write,
        record: Record | None = None,
        fields: Mapping[str, Any] | None = None,
        today: datetime.date | None = None,
    ) -> None:
        self.library = library
        self.parts = Parts(
            library,
            Interviewer(library, today),
            AboutPlan(library.catalog),
            Turns(record),
            Scaling(library, today),
            planner or plan_now,
            searcher,
            exporter,
            today,
        )
        self._start_fields = dict(fields or {})

    @property
    def draft(self) -> Draft:
        """What has been said so far."""
        return self.parts.state.draft

    @property
    def plan(self) -> Plan | None:
        """The newest plan of the accepted draft."""
        return self.parts.state.plan

    @property
    def variation(self) -> VariationShown | None:
        """What is tried beside the plan."""
        return self.parts.state.variation

    @property
    def question(self) -> Question | None:
        """The question that is open."""
        return self.parts.interviewer.question

    @property
    def answered_with_job(self) -> list[Event]:
        """The answer of the first plan to what was asked with the job."""
        return self.parts.answered_with_job

    @property
    def turns(self) -> list[Turn]:
        """Everything so far; a turn of which :meth:`go_on` still has the rest is not among them."""
        return self.parts.turns.ended

    @property
    def record(self) -> Record | None:
        """What is given every turn."""
        return self.parts.turns.record

    @record.setter
    def record(self, record: Record | None) -> None:
        self.parts.turns.record = record

    @property
    def transcript_path(self) -> Path | None:
        """Where it is kept, if it is."""
        return getattr(self.record, "path", None)

    @property
    def silent(self) -> bool:
        """Whether nobody has said anything yet."""
        return self.parts.turns.silent

    @property
    def is_over(self) -> bool:
        """Whether the person has said goodbye."""
        return self.parts.is_over

    @property
    def has_more(self) -> bool:
        """Whether :meth:`go_on` has something to work out for what was heard."""
        answers = bool(self.parts.asked_with_job) and self.plan is not None
        return self.parts.interviewer.is_due or self.parts.state.unfinished is not None or answers

    def start(self) -> list[Event]:
        """The welcome and the first question; with ``fields`` given, what is known and the first plan."""

        def welcome() -> list[Event]:
            self.parts.interviewer.is_due = True
            return [Note(text=_WELCOME), *(change(self.parts, self._start_fields) if self._start_fields else ())]

        self._begin(None, welcome)
        return self._whole()

    def say(self, text: str) -> list[Event]:
        """What a message brings about."""
        self.hear(text)
        return self._whole()

    def choose(self, choice_id: str) -> list[Event]:
        """Take a choice of the open question."""
        self.pick(choice_id)
        return self._whole()

    def hear(self, text: str) -> list[Event]:
        """What a message brings about, up to the new plan."""
        self.go_on()
        said = clean(in_one_line(text)).strip()
        if len(said) <= LONGEST_MESSAGE:
            return self._begin(said, lambda: respond(self.parts, said))
        read = f"up to {LONGEST_MESSAGE:,} are read. Say the facts of the job only."
        too_long = Failure(text=f"That message has {len(said):,} characters; {read}")
        return self._begin(said[:80] + "…", lambda: [too_long])

    def pick(self, choice_id: str) -> list[Event]:
        """What a choice of the open question brings about, up to the new plan."""
        self.go_on()
        choice = self.parts.interviewer.choice(choice_id)
        if choice is not None:
            return self._begin(choice.label, lambda: take(self.parts, choice))
        wrong = Failure(text="That choice does not belong to the open question.")
        return self._begin(choice_id, lambda: self.parts.answered(wrong))

    def scaled(self, plan: Plan) -> Sweep | None:
        """The plan's job at other numbers of GPUs; ``None`` where it can be computed at none."""
        return self.parts.scaling.of(plan)

    def dials(self) -> list[Dial]:
        """What can be turned on the plan; nothing where there is none."""
        return list(self.parts.dials.of(self.draft, self.plan).values()) if self.plan is not None else []

    def dialled(self, dial: Dial, value: float | None) -> Point:
        """The answer with a dial at a value. Nothing is changed, and it may be asked from another thread."""
        return self.parts.dials.at(self.draft, dial, value)

    def turn(self, dial: Dial, value: float | None) -> list[Event]:
        """What taking the value of a dial brings about, up to the new plan: it is said in the words it is read back
        in."""
        self.go_on()
        return self._begin(words(dial, value, self.library), lambda: take_dial(self.parts, dial, value))

    def warm(self, progress: Callable[[int, int], object] | None = None) -> None:
        """Load what understanding and the search need before the first message waits for it; where an index has to be
        built, ``progress`` is told how many of how many texts it has."""
        asked = understood("what is an interconnect?", self.library)
        if self.parts.searcher is not None:
            from assistant.retrieval import shown_by

            with shown_by(progress):
                self.parts.searcher(asked)

    def go_on(self) -> list[Event]:
        """The rest of a turn: the plan is finished, and the next question asked where one is due. Ends the turn, which
        is recorded.

        What cannot be worked out is a :class:`Failure` among the events: the plan that was shown first stays then.
        """
        turns = self.parts.turns
        if not turns.open:
            return []
        rest: list[Event] = []
        try:
            rest += or_sentence(self._finish, "Where this plan would turn")
            rest += or_sentence(self._answer_of_the_plan, "The answer of the plan")
            rest += or_sentence(self._next_question, "The next question")
        finally:
            self._back_to(self.parts.state.settled())
            turns.end(rest)
        return rest

    def finish(self) -> list[Event]:
        """The rest of a turn after which nothing is asked."""
        self.parts.interviewer.is_due = False
        return self.go_on()

    def _begin(self, said: str | None, answer: Callable[[], list[Event]]) -> list[Event]:
        """Open a turn with what ``answer`` brings; when that fails, nothing is changed: what was said stands unanswered
        where it is recorded."""
        before, self.parts.is_over = self.parts.state, False
        try:
            events = self.parts.turns.begin(said, answer)
        except BaseException:
            self._back_to(before)
            raise
        return events

    def _back_to(self, state: State) -> None:
        """A state in which nothing has yet to be worked out."""
        self.parts.state, self.parts.interviewer.is_due = state, False

    def _finish(self) -> list[Event]:
        """Put the finished plan in the place of the one that was shown first."""
        unfinished = self.parts.state.unfinished
        if unfinished is not None:
            first, whole = unfinished.plan, unfinished.finished()
            self.parts.state = self.parts.state.finished(whole)
            self.parts.turns.put(whole, first)
        return []

    def _answer_of_the_plan(self) -> list[Event]:
        """The answer to what was asked with the job, as soon as there is a plan."""
        parts = self.parts
        if not (parts.asked_with_job and parts.state.plan):
            return []
        question, parts.asked_with_job = parts.asked_with_job, ""
        parts.answered_with_job = answer_to(parts, question) or []
        return parts.answered_with_job

    def _next_question(self) -> list[Event]:
        if not self.parts.interviewer.is_due:
            return []
        in_doubt = still_in_doubt(self.parts)
        if in_doubt:
            return in_doubt
        events = self.parts.interviewer.next(self.draft, self.plan)
        self.parts.state = self.parts.state.asking(self.question.field if self.question else None)
        return events

    def _whole(self) -> list[Event]:
        self.go_on()
        return list(self.turns[-1].events)


def replay(conversation: Conversation, answers: Iterable[str]) -> Iterator[Event]:
    """Every event of a conversation in which ``answers`` are said one after the other."""
    yield from conversation.start()
    for answer in answers:
        yield from conversation.say(answer)
