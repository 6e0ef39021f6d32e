"""Keeps the thread of the interview: which question is open, which came before, when it ends."""

from __future__ import annotations

import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from assistant.library import Library
from assistant.present.fields import field_name, field_text
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.questionnaire import Questionnaire

from . import interview
from .draft import Draft
from .events import Choice, Event, Finished, Note, Question
from .interview import Next
from .questions import Asked

if TYPE_CHECKING:
    from .trials import Trials, Tried


class _Trials:
    """The trials of a library, begun with the first one: a first question need not load the planner."""

    def __init__(self, library: Library, today: datetime.date | None) -> None:
        self.catalog, self._library, self._today = library.catalog, library, today

    def tried(self, questionnaire: Questionnaire) -> Tried:
        """What would be recommended: see :meth:`assistant.conversation.trials.Trials.tried`."""
        return self._begun.tried(questionnaire)

    @cached_property
    def _begun(self) -> Trials:
        from .trials import Trials

        return Trials(self._library, self._today)


class Interviewer:
    """Asks what :func:`interview.next_question` says is next. ``question`` is the open one."""

    def __init__(self, library: Library, today: datetime.date | None = None) -> None:
        self.question: Question | None = None
        self._trials, self._catalog = _Trials(library, today), library.catalog
        self._asked: list[str] = []
        self._finished = False

    @property
    def asked(self) -> Asked | None:
        """The definition of the open question."""
        return interview.asked_about(self.question.field) if self.question else None

    def next(self, draft: Draft, plan: Plan | None) -> list[Event]:
        """The next question, or, once, that there is none left to ask."""
        following = interview.next_question(draft, plan, self._trials)
        if following.asked is not None:
            self._finished = False
            again = self.question is not None and self.question.field == following.asked.field
            return [self._ask(following.asked, draft, changes=following.why, again=again)]
        self.question = None
        said_before, self._finished = self._finished, True
        return [] if said_before else [_finished(plan, draft, following)]

    def _ask(
        self, asked: Asked, draft: Draft, *, changes: str = "", previous: str | None = None, again: bool = False
    ) -> Question:
        self.question = asked.question(draft, self._catalog, changes=changes, previous=previous, again=again)
        self._asked = [f for f in self._asked if f != asked.field] + [asked.field]
        return self.question

    def repeat(self) -> list[Event]:
        """The open question once more, in short."""
        return [self.question.model_copy(update={"again": True})] if self.question else []

    def back(self, draft: Draft) -> list[Event]:
        """The question before the open one, with the answer it was given."""
        current = self.question.field if self.question else None
        earlier = [f for f in self._asked if f != current]
        if not earlier:
            return [Note(text="This is the first question."), *self.repeat()]
        self._asked, self._finished = earlier, False
        asked = interview.asked_about(earlier[-1])
        return [self._ask(asked, draft, previous=self._answer_to(asked, draft))]

    def _answer_to(self, asked: Asked, draft: Draft) -> str | None:
        answers = [field_text(n, draft.fields[n], self._catalog) for n in draft.fields if asked.settles(n)]
        return ", ".join(answers) or ("not sure" if asked.field in draft.left_open else None)

    def restart(self) -> None:
        self.question, self._asked, self._finished = None, [], False

    def choice(self, choice_id: str) -> Choice | None:
        """The choice of the open question with this id."""
        return next((c for c in self.question.choices if c.id == choice_id), None) if self.question else None

    def choice_typed(self, said: str) -> Choice | None:
        """The choice whose label or id was typed in full."""
        wanted = said.casefold().rstrip(".!")
        choices = self.question.choices if self.question else ()
        return next((c for c in choices if wanted in (c.id.casefold(), c.label.casefold())), None)

    def choice_meant(self, said: str) -> Choice | None:
        """The choice that a plain word such as "nobody" or "no" means here."""
        meant = self.asked.meant(said) if self.asked else None
        return self.choice(meant) if meant else None


def _finished(plan: Plan | None, draft: Draft, following: Next) -> Finished:
    """Why no further question is asked."""
    left_open = tuple(field_name(name) for name in draft.left_open)
    verdict = plan.recommendation.verdict if plan is not None else None
    if verdict == "no-network-needed":
        return Finished(
            text="No open question could change this: nothing of the job has to cross between nodes.",
            left_open=left_open,
        )
    if verdict == "infeasible":
        return Finished(
            text="Nothing works as asked, and no open question could change that. Change what was said, or ask "
            "what if.",
            left_open=left_open,
        )
    refined = f" Say {_listed(following.refines)} to refine the cost." if following.refines else ""
    return Finished(
        text=f"Nothing you could still say would change this network.{refined} Ask why, why not, what if, or export "
        f"the plan.",
        left_open=left_open,
    )


def _listed(names: tuple[str, ...]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last
