"""Keeps the thread of the interview: which question is open, which came before, when it ends."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assistant.library import Library
from assistant.present.fields import field_name, field_text, value_text
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.interview import InterviewQuestion, meant
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.utterance import Doubt

from ..draft import Draft
from ..events import Choice, Event, Finished, Note, Question
from ..trials import Trials
from .choices import choices
from .in_words import outcomes
from .next_question import Next, next_question
from .open_questions import called, open_questions
from .value import value_of

_PROVIDER = "cluster.provider"
_YES = frozenset(
    {"yes", "y", "yep", "yeah", "right", "correct", "exactly", "yes please", "that is right", "that's right"}
)
_IDLE = frozenset({"the", "a", "of", "my", "our", "question", "about", "one", "answer"})
MUCH_AT_ONCE = 7  # facts: who says so many in one message is not told what the words mean
MOST_ASSUMED = 3  # named at the end; "assumptions" has all


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
        self._outcomes: tuple[str, ...] = ()  # what the answers to the open question would make of it
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
        found = [one for one in self._library.interview.questions if one.field == field]
        return next((one for one in found if one.text == text), found[0] if found else None)

    def next(self, draft: Draft, plan: Plan | None) -> list[Event]:
        """The next question, or, once, that there is none left to ask."""
        self.doubting = False
        following = next_question(self._library.interview.questions, draft, self._trials)
        if following.asked is not None:
            self._finished = False
            again = self.question is not None and self.question.field == following.asked.field
            return [self._ask(following, following.asked, draft, again=again)]
        self.question = None
        said_before, self._finished = self._finished, True
        return [] if said_before else [self._end(plan, draft, following)]

    def _ask(
        self,
        following: Next,
        asked: InterviewQuestion,
        draft: Draft,
        *,
        previous: str | None = None,
        again: bool = False,
    ) -> Question:
        self._outcomes = following.outcomes
        self.question = Question(
            field=asked.field,
            text=asked.text,
            why_asked=following.decides or asked.why,
            word="" if _says_much(draft) else asked.word,
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
        fields = [path for path, _ in doubt.between]
        offered += [
            self._as(path, value, name=path if fields.count(path) == 1 else f"{path}-{n}")
            for n, (path, value) in enumerate(doubt.between, start=1)
        ]
        asked = self._of_the_said(field, f"{field_name(field)}: {doubt.sentence}", why, offered, "it stays as it was")
        self.question = asked.model_copy(update={"unlikely": doubt.unlikely})
        return self.question

    def ask_which(self, values: Sequence[Mapping[str, Any]]) -> Question:
        """A question about values that were weighed against each other: which of them is to be taken."""
        offered = [self._choice(f"taken-{n}", said) for n, said in enumerate(values, start=1)]
        why = "Each was planned, none is taken yet."
        return self._of_the_said(
            next(iter(values[0])), "Which of them is it to be?", why, offered, "it stays as it was"
        )

    def _choice(self, name: str, said: Mapping[str, Any]) -> Choice:
        value = {field: given for field, given in said.items() if given is not None}
        label = ", ".join(value_text(field, given, self._library.catalog) for field, given in value.items())
        return Choice(id=name, label=label, value=value)

    def _as(self, field: str, value: Any, *, name: str) -> Choice:
        """What was said taken as one of several fields, which it names."""
        return Choice(id=name, label=field_text(field, value, self._library.catalog), value={field: value})

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

    def back(self, draft: Draft, to: InterviewQuestion | None = None) -> list[Event]:
        """The question before the open one, or an earlier one, with the answer it was given."""
        current = self.question.field if self.question else None
        earlier = [field for field in self._asked if field != current]
        asked = to or (self._definition(earlier[-1]) if earlier else None)
        if asked is None:
            return [Note(text="This is the first question."), *self.repeat()]
        self._asked, self._finished = earlier, False
        return [self._ask(Next(asked), asked, draft, previous=self._answer_to(asked, draft))]

    def earlier(self, said: str, draft: Draft) -> InterviewQuestion | None:
        """The question of this job to which a whole message such as "back to the budget" goes back."""
        words = _words(self._library.interview.named(said)) - _IDLE
        questions = self._library.interview.questions
        fitting = [one for one in questions if words and words <= _words(f"{called(one)} {field_name(one.field)}")]
        return next((one for one in fitting if one.when.job in (None, "serving" if draft.serves else "training")), None)

    def meaning(self, said: str) -> str | None:
        """What a whole message means as an answer to any question: ``why``, ``take``, ``meaning``, ``yes``, ``no``."""
        return self.reply(said) if self.question else None

    def reply(self, said: str) -> str | None:
        """What it means as such an answer, whether or not a question is open."""
        return meant(self._library.interview.replies, said)

    def _would_be(self, asked: InterviewQuestion, draft: Draft) -> tuple[str, ...]:
        """What which answer would make of the plan: known already where the question was picked for it."""
        if self._outcomes or not draft.complete:
            return self._outcomes
        try:
            now = self._trials.tried(draft.questionnaire(self._library.catalog))
        except InputError:
            return ()
        return outcomes(value_of(asked, draft, now, self._trials), self._library.catalog)

    def explained(self, wanted: str, draft: Draft) -> Note:
        """Why the open question is asked, what Weft would take, or what it means."""
        asked = self.asked
        if asked is None or self.doubting:
            return Note(text=self.question.why_asked if self.question else "No question is open.")
        if wanted == "why":
            return Note(text=asked.why, items=tuple(f"It would be {one}." for one in self._would_be(asked, draft)))
        if wanted == "take":
            skip = "" if asked.required else ' "skip" does that.'
            return Note(text=f"I would go on with this: {asked.take or asked.if_not_sure}.{skip}")
        return Note(text=f"{asked.word} {asked.why}".strip())

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

    def likeliest(self, draft: Draft) -> Choice | None:
        """What is taken for the answer to the open question where nobody can be asked; of several that may be meant,
        the first, and of several providers the one at which the job costs least."""
        if self.doubting:
            choices = self.question.choices if self.question else ()
            if self.question and self.question.field == _PROVIDER:
                choices = sorted(choices, key=lambda choice: self._cost(draft, choice))
            return next(iter(choices), None)
        return self.choice(self.asked.unasked) if self.asked and self.asked.unasked else None

    def _cost(self, draft: Draft, choice: Choice) -> float:
        """US dollars of the job with this choice, infinite where it cannot be done so."""
        catalog = self._library.catalog
        try:
            tried = self._trials.tried(draft.with_fields(choice.value, catalog).draft.questionnaire(catalog))
        except InputError:
            return math.inf
        return tried.cost or math.inf

    def choice_typed(self, said: str) -> Choice | None:
        """The choice whose label or id was typed in full; "yes" is the only one that something said may mean."""
        wanted = said.casefold().rstrip(".!")
        offered = self.question.choices if self.question else ()
        if self.doubting and len(offered) == 1 and wanted in _YES:
            return offered[0]
        return next((c for c in offered if wanted in (c.id.casefold(), c.label.casefold())), None)

    def _end(self, plan: Plan | None, draft: Draft, following: Next) -> Finished:
        """Why no further question is asked, and what was assumed for those that were left open or never asked."""
        verdict = plan.recommendation.verdict if plan is not None else None
        refined = f", only its cost: {_listed(following.refines)}" if following.refines else ""
        text = f"Nothing you could still say would change this answer{refined}."
        if verdict == "infeasible":
            text = "No open question makes this fit. Change what was said, or take one of the ways above."
        questions = self._library.interview.questions
        left = [one for one in questions if one.field in draft.left_open]
        unasked = open_questions(questions, draft, self._library.catalog)
        named = lambda one: f"{called(one).removeprefix('the ')}: {one.if_not_sure}"
        assumed = [named(one) for one in (*left, *unasked) if one.if_not_sure]
        return Finished(text=text, assumed=tuple(assumed[:MOST_ASSUMED]))

    def choice_meant(self, said: str) -> Choice | None:
        """The choice that a plain word such as "nobody" or "no" means here."""
        meant = self.asked.meant(said) if self.asked else None
        return self.choice(meant) if meant else None


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text.casefold()))


def _says_much(draft: Draft) -> bool:
    """Whether somebody has said many facts in one message."""
    step: Draft | None = draft
    while step is not None:
        if len(step.fields) - (len(step.parent.fields) if step.parent else 0) >= MUCH_AT_ONCE:
            return True
        step = step.parent
    return False


def _listed(names: tuple[str, ...]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last
