"""What is known and tried: facts taken over, variations beside them, undo and branches, and the plan that follows from each."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from assistant.library import Library
from assistant.present.fields import field_name
from assistant.present.plan.changes import changes, turned
from assistant.vocabulary.answers import Understanding
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.questionnaire import Questionnaire

from .draft import Draft
from .events import Event, Failure, Note, PlanShown, Understood, VariationShown
from .interviewer import Interviewer
from .taken import difference, in_words, taken
from .turn_taking import TurnTaking
from .turns import Record

if TYPE_CHECKING:
    from assistant.planning import Begun

# Returns the plan, or one that has yet to be finished: what is still missing then comes with the next question.
Planner = Callable[[Questionnaire, Library], "Plan | Begun"]


def _plan(questionnaire: Questionnaire, library: Library) -> Begun:
    from assistant.planning import begun

    return begun(questionnaire, library)


class Drafting(TurnTaking):
    """The draft and its plan. Whatever cannot be planned changes nothing, and the sentence says why."""

    def __init__(
        self, library: Library, planner: Planner | None, record: Record | None, today: datetime.date | None
    ) -> None:
        super().__init__(Interviewer(library, today), record)
        self.library = library
        self._planner = planner or _plan

    def _change(self, fields: Mapping[str, Any], said: str, rest: str = "", named: Iterable[str] = ()) -> list[Event]:
        """Take the fields over; when they cannot be, nothing changes and the sentence says why."""
        before = self.draft
        try:
            change = before.with_fields(fields, said, self.library.catalog)
            plan = self._planned(change.draft)
        except InputError as error:
            return [self._failure(error), *self._repeat()]
        understood = taken(before, change, fields, self.library.catalog, said=said, rest=rest, named=named)
        self._history.advance(change.draft)
        return [understood, *self._adopt(plan)]

    def _planned(self, draft: Draft) -> Plan | None:
        if not draft.complete:
            return None
        made = self._planner(draft.questionnaire(self.library.catalog), self.library)
        if isinstance(made, Plan):
            return made
        self._unfinished = made
        return made.plan

    def _with_fields_planned(self, fields: Mapping[str, Any]) -> Plan | None:
        """The plan in view with some fields changed, which are not taken. Raises :class:`InputError` where there can be none."""
        made, self._unfinished = (
            self._planned((self._varied or self.draft).with_fields(fields, "", self.library.catalog).draft),
            None,
        )
        return made

    def _adopt(self, plan: Plan | None) -> list[Event]:
        """Take the plan of the draft that is current now, and say what is new about it."""
        events: list[Event] = []
        before, self.plan = self.plan, plan
        self.variation = self._varied = None
        adopted, self._adopted = self._adopted, plan
        if plan is not None and plan not in (before, adopted):
            events.append(
                PlanShown(
                    plan=plan,
                    headline=plan.recommendation.headline,
                    changes=changes(before, plan),
                    turned=turned(before, plan),
                )
            )
        return events + self._ask_next()

    def _failure(self, error: InputError) -> Failure:
        field = error.place.field
        name = f"{field_name(field)}: " if field else ""
        return Failure(text=f"{name}{error.message}. Nothing was changed.", field=field)

    # -- questions ---------------------------------------------------------------------------------------

    def _repeat(self) -> list[Event]:
        return self._interviewer.repeat()

    def _back(self) -> list[Event]:
        events = self._interviewer.back(self.draft)
        self._history.ask(self.question.field if self.question else None)
        return events

    def _leave_open(self) -> list[Event]:
        asked = self._interviewer.asked
        if asked is None:
            return [Note(text="No question is open.")]
        if asked.required:
            return [
                Note(text="Without it nothing can be planned. Your best guess will do: it can be changed at any time."),
                *self._repeat(),
            ]
        self._history.advance(self.draft.leave_open(asked.field))
        return [
            Understood(assumed=(f"left open; until it is known: {asked.if_not_sure}",) if asked.if_not_sure else ()),
            *self._ask_next(),
        ]

    # -- variations, undo, branches ----------------------------------------------------------------------

    def _vary(self, plan: Plan, fields: Mapping[str, Any], said: str, rest: str) -> Event:
        try:
            change = self.draft.with_fields(fields, said, self.library.catalog)
            varied = self._planned(change.draft)
        except InputError as error:
            return self._failure(error)
        understood = taken(self.draft, change, fields, self.library.catalog, rest=rest)
        self._varied = change.draft
        self.variation = VariationShown(
            what_if=said,
            fields=understood.fields,
            plan=varied,
            headline=varied.recommendation.headline,
            changes=changes(plan, varied),
        )
        return self.variation

    def _keep(self) -> list[Event]:
        if self._varied is None or self.variation is None:
            return [Note(text="There is no variation to keep. Try one: what if we had 128 GPUs?"), *self._repeat()]
        kept = self.variation
        self._history.advance(self._varied)
        return [Understood(fields=kept.fields), *self._adopt(kept.plan)]

    def _discard(self) -> list[Event]:
        if self.variation is None:
            return [Note(text="There is no variation to drop."), *self._repeat()]
        dropped, self.variation, self._varied = self.variation, None, None
        return [Note(text=f"No longer tried: {in_words(dropped)}. The plan stays as it was."), *self._repeat()]

    def _undo(self, reading: Understanding | None = None, said: str = "") -> list[Event]:
        """The last thing that was done: a variation that is being tried, else the last fact that was said."""
        if self.variation is not None:
            return self._discard()
        undone = self._history.undo()
        if undone is None:
            return [Note(text="There is nothing to take back."), *self._repeat()]
        return [
            Note(text=f"Taken back: {self._difference(self.draft, undone)}."),
            *self._adopt(self._planned(self.draft)),
        ]

    def _redo(self) -> list[Event]:
        before = self.draft
        again = self._history.redo()
        if again is None:
            return [Note(text="Nothing was taken back."), *self._repeat()]
        return [Note(text=f"Again: {self._difference(before, again)}."), *self._adopt(self._planned(again))]

    def _difference(self, before: Draft, after: Draft) -> str:
        return difference(before, after, self.library.catalog)

    def _list_branches(self) -> list[Event]:
        branches = self._history.branches
        if not branches:
            return [Note(text="There is one line of answers only; a branch appears when you undo and go another way.")]
        items = tuple(
            f"branch {i}: {self._difference(self.draft, branch)}" for i, branch in enumerate(branches, start=1)
        )
        return [Note(text='Say "branch 1" to go there. The line you leave is kept as a branch too.', items=items)]

    def _go_to_branch(self, number: int) -> list[Event]:
        branch = self._history.switch(number)
        if branch is None:
            return [
                Failure(text=f'There is no branch {number}; say "branches" to see which there are.'),
                *self._repeat(),
            ]
        return [Note(text=f"Back on branch {number}."), *self._adopt(self._planned(branch))]

    def _restart(self) -> list[Event]:
        self._history.restart()
        self._interviewer.restart()
        self.plan = self.variation = self._varied = None
        return [Note(text="From the start. What you said before is kept as a branch."), *self._ask_next()]
