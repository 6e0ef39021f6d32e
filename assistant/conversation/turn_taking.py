"""How a turn goes: heard, answered up to the new plan, finished with the next question, and ended whatever happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from assistant.vocabulary.plan import Plan

from .draft import Draft
from .events import Event, Question, Turn, VariationShown
from .history import History
from .interviewer import Interviewer
from .turns import Record, Turns, or_sentence

if TYPE_CHECKING:
    from assistant.planning import Begun


class TurnTaking:
    """What is known and planned so far, and the two steps in which a turn changes it: :meth:`_begin` and :meth:`go_on`."""

    def __init__(self, interviewer: Interviewer, record: Record | None) -> None:
        self.plan: Plan | None = None
        self.variation: VariationShown | None = None
        self._interviewer = interviewer
        self._turns = Turns(record)
        self._history = History()
        self._varied: Draft | None = None
        self._adopted: Plan | None = None  # as it was when it was adopted, perhaps unfinished
        self._question_is_due = False
        self._unfinished: Begun | None = None

    @property
    def draft(self) -> Draft:
        """What has been said so far."""
        return self._history.draft

    @property
    def question(self) -> Question | None:
        """The question that is open."""
        return self._interviewer.question

    @property
    def turns(self) -> list[Turn]:
        """Everything so far; a turn of which :meth:`go_on` still has the rest is not among them."""
        return self._turns.ended

    @property
    def silent(self) -> bool:
        """Whether nobody has said anything yet."""
        return self._turns.silent

    @property
    def record(self) -> Record | None:
        """What is given every turn."""
        return self._turns.record

    @record.setter
    def record(self, record: Record | None) -> None:
        self._turns.record = record

    @property
    def has_more(self) -> bool:
        """Whether :meth:`go_on` has something to work out for what was heard."""
        return self._question_is_due or self._unfinished is not None

    def go_on(self) -> list[Event]:
        """The rest of a turn: the plan is finished, and the next question asked where one is due. Ends the turn, which is
        recorded.

        What cannot be worked out is a :class:`Failure` among the events: the plan that was shown first stays then.
        """
        if not self._turns.open:
            return []
        rest: list[Event] = []
        try:
            rest += or_sentence(self._finish, "Where this plan would turn")
            rest += or_sentence(self._next_question, "The next question")
        finally:
            self._question_is_due, self._unfinished = False, None
            self._turns.end(rest)
        return rest

    def _begin(self, said: str | None, answer: Callable[[], list[Event]]) -> list[Event]:
        """Open a turn with what ``answer`` brings; when that fails, nothing was said and nothing is changed."""
        before = self._history.copy(), self.plan, self.variation, self._varied, self._adopted
        try:
            events = answer()
            self._turns.begin(said, events)
        except BaseException:
            self._history, self.plan, self.variation, self._varied, self._adopted = before
            self._question_is_due, self._unfinished = False, None
            raise
        return events

    def _finish(self) -> list[Event]:
        """Put the finished plan in the place of the one that was shown first."""
        if self._unfinished is not None:
            first, whole = self._unfinished.plan, self._unfinished.finished()
            if self.plan is first:
                self.plan = whole
            if self.variation is not None and self.variation.plan is first:
                self.variation = self.variation.model_copy(update={"plan": whole})
            self._turns.put(whole, first)
        return []

    def _next_question(self) -> list[Event]:
        if not self._question_is_due:
            return []
        events = self._interviewer.next(self.draft, self.plan)
        self._history.ask(self.question.field if self.question else None)
        return events

    def _whole(self) -> list[Event]:
        self.go_on()
        return list(self.turns[-1].events)

    def _ask_next(self) -> list[Event]:
        """Nothing yet: the next question ends the turn, see :meth:`go_on`."""
        self._question_is_due = True
        return []
