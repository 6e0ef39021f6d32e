"""Keeps the thread of the interview: which question is open, which came before, when it ends."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assistant.library import Library
from assistant.present.fields import field_name, field_text, value_text
from assistant.vocabulary.interview import InterviewQuestion
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.utterance import Doubt

from ..draft import Draft
from ..events import Choice, Event, Finished, Note, Question
from ..trials import Trials
from .choices import choices
from .next_question import Next, next_question

_YES = frozenset(
    {"yes", "y", "yep", "yeah", "right", "correct", "exactly", "yes please", "that is right", "that's right"}
)


class Thread(NamedTuple):
    """Where an interview is: the open question, whether it is about what was said, the fields asked for so far, and
    whether it was said that nothing is left to ask."""

    question: Question | None
    doubting: bool
    asked: tuple[str, ...]
    finished: bool


class Interviewer:
    """Asks what :func:`next_question` says is next. ``question`` is the open one; ``is_due``: whether the next one has
    yet to be worked out."""

    def __init__(self, library: Library, today: datetime.date | None = None) -> None:
        self.question: Question | None = None
        self.is_due = False
        self.doubting = False  # whether the open question is about what was said, not about what is missing
        self._library, self._trials = library, Trials(library, today)
        self._asked: list[str] = []
        self._finished = False

    @property
    def thread(self) -> Thread:
        """Where the interview is."""
        return Thread(self.question, self.doubting, tuple(self._asked), self._finished)

    @thread.setter
    def thread(self, thread: Thread) -> None:
        self.question, self.doubting, self._finished = thread.question, thread.doubting, thread.finished
        self._asked = list(thread.asked)

    @property
    def asked(self) -> InterviewQuestion | None:
        """The definition of the open question."""
        return self._definition(self.question.field, self.question.text) if self.question else None

    def _definition(self, field: str, text: str = "") -> InterviewQuestion | None:
        """The question for a field; of several, for different jobs, the one that is worded so."""
        found = [one for one in self._library.interview if one.field == field]
        return next((one for one in found if one.text == text), found[0] if found else None)

    def next(self, draft: Draft, plan: Plan | None) -> list[Event]:
        """The next question, or, once, that there is none left to ask."""
        self.doubting = False
        following = next_question(self._library.interview, draft, plan, self._trials)
        if following.asked is not None:
            self._finished = False
            again = self.question is not None and self.question.field == following.asked.field
            return [self._ask(following.asked, draft, changes=following.why, again=again)]
        self.question = None
        said_before, self._finished = self._finished, True
        return [] if said_before else [_finished(plan, draft, following)]

    def _ask(
        self,
        asked: InterviewQuestion,
        draft: Draft,
        *,
        changes: str = "",
        previous: str | None = None,
        again: bool = False,
    ) -> Question:
        self.question = Question(
            field=asked.field,
            text=asked.text,
            why_asked=f"{asked.why} {changes}".strip(),
            choices=choices(asked, draft, self._library.catalog),
            not_sure=not asked.required,
            if_not_sure=asked.if_not_sure,
            placeholder=asked.placeholder,
            previous=previous,
            again=again,
            settled_by=asked.settling,
        )
        self._asked = [field for field in self._asked if field != asked.field] + [asked.field]
        return self.question

    def ask_back(self, doubt: Doubt) -> Question:
        """A question about what was said and cannot be taken as it stands, with what may be meant to choose from."""
        field, several = doubt.field or "", len(doubt.options) != 1
        why = f"{'It could be read in more than one way, so nothing' if several else 'Nothing'} was taken over for it."
        names = [f"meant-{n}" if several else "meant" for n in range(1, len(doubt.options) + 1)]
        offered = [self._choice(name, {field: option}) for name, option in zip(names, doubt.options, strict=True)]
        offered += [self._as(path, value) for path, value in doubt.between]
        return self._of_the_said(field, f"{field_name(field)}: {doubt.sentence}", why, offered, "it stays as it was")

    def _choice(self, name: str, said: Mapping[str, Any]) -> Choice:
        value = {field: given for field, given in said.items() if given is not None}
        label = ", ".join(value_text(field, given, self._library.catalog) for field, given in value.items())
        return Choice(id=name, label=label, value=value)

    def _as(self, field: str, value: Any) -> Choice:
        """What was said taken as one of several fields, which it names."""
        return Choice(id=field, label=field_text(field, value, self._library.catalog), value={field: value})

    def _of_the_said(self, field: str, text: str, why: str, offered: Sequence[Choice], otherwise: str) -> Question:
        """Open a question about what was said."""
        settling = dict.fromkeys((field, *(name for choice in offered for name in choice.value)))
        told = {"field": field, "text": text, "why_asked": why, "settled_by": tuple(settling)}
        self.question = Question(**told, choices=tuple(offered), if_not_sure=otherwise)
        self.doubting, self.is_due = True, False
        return self.question

    def repeat(self) -> list[Event]:
        """The open question once more, in short."""
        return [self.question.model_copy(update={"again": True})] if self.question else []

    def back(self, draft: Draft) -> list[Event]:
        """The question before the open one, with the answer it was given."""
        current = self.question.field if self.question else None
        earlier = [field for field in self._asked if field != current]
        asked = self._definition(earlier[-1]) if earlier else None
        if asked is None:
            return [Note(text="This is the first question."), *self.repeat()]
        self._asked, self._finished = earlier, False
        return [self._ask(asked, draft, previous=self._answer_to(asked, draft))]

    def _answer_to(self, asked: InterviewQuestion, draft: Draft) -> str | None:
        catalog = self._library.catalog
        answers = [field_text(name, draft.fields[name], catalog) for name in asked.settled(draft.fields)]
        return ", ".join(answers) or ("not sure" if asked.field in draft.left_open else None)

    def restart(self) -> None:
        """Begin again: nothing was asked."""
        self.question, self._asked, self._finished = None, [], False

    def choice(self, choice_id: str) -> Choice | None:
        """The choice of the open question with this id."""
        return next((c for c in self.question.choices if c.id == choice_id), None) if self.question else None

    @property
    def likeliest(self) -> Choice | None:
        """What is taken for the answer to the open question where nobody can be asked; of several that may be meant,
        the first."""
        if self.doubting:
            return next(iter(self.question.choices), None) if self.question else None
        return self.choice(self.asked.unasked) if self.asked and self.asked.unasked else None

    def choice_typed(self, said: str) -> Choice | None:
        """The choice whose label or id was typed in full; "yes" is the only one that something said may mean."""
        wanted = said.casefold().rstrip(".!")
        offered = self.question.choices if self.question else ()
        if self.doubting and len(offered) == 1 and wanted in _YES:
            return offered[0]
        return next((c for c in offered if wanted in (c.id.casefold(), c.label.casefold())), None)

    def choice_meant(self, said: str) -> Choice | None:
        """The choice that a plain word such as "nobody" or "no" means here."""
        meant = self.asked.meant(said) if self.asked else None
        return self.choice(meant) if meant else None


def _finished(plan: Plan | None, draft: Draft, following: Next) -> Finished:
    """Why no further question is asked."""
    verdict = plan.recommendation.verdict if plan is not None else None
    if verdict == "no-network-needed":
        text = "No open question could change the network: nothing of the job has to cross between nodes."
    elif verdict == "infeasible":
        text = "Nothing works as asked, and no open question could change that. Change what was said, or ask what if."
    else:
        refined = f" Say {_listed(following.refines)} to refine the cost." if following.refines else ""
        then = "Ask why, why not, what if, or export the plan."
        text = f"Nothing you could still say would change this network.{refined} {then}"
    return Finished(text=text, left_open=tuple(field_name(name) for name in draft.left_open))


def _listed(names: tuple[str, ...]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last
