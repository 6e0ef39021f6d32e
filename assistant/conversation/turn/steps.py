"""Steps of the draft: facts taken over, a question left open, variations, undo and branches, and the plan that follows.

Whatever cannot be planned changes nothing, and the sentence says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from assistant.present.fields import field_name, field_text
from assistant.present.plan.changes import changes, of_the_card, turned
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.interview import InterviewQuestion
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.utterance import Doubt, Utterance

from ..draft import Change, Draft
from ..events import Choice, Event, Failure, Note, PlanShown, Question, Understood, VariationShown
from ..state import Made, State
from . import open_count
from .parts import Parts
from .readback import difference, in_words, read_back


def change(
    parts: Parts,
    fields: Mapping[str, Any],
    rest: str = "",
    named: Iterable[str] = (),
    granted: Iterable[str] = (),
) -> list[Event]:
    """Take the fields over. ``named``: networks that were spoken of; ``granted``: what was taken for granted."""
    before = parts.state
    try:
        step = before.draft.with_fields(fields, parts.catalog)
        step, counted = _with_count(parts, step, fields)
        made = parts.planned(step.draft)
    except InputError as error:
        return _without_the_clash(parts, fields, error, rest, named, granted)
    understood = read_back(before.draft, step, fields, parts.catalog, rest=rest, named=named, granted=granted)
    return [understood, *counted, *_adopt(parts, before.advanced(step.draft), made)]


def _without_the_clash(
    parts: Parts, fields: Mapping[str, Any], error: InputError, rest: str, named: Iterable[str], granted: Iterable[str]
) -> list[Event]:
    """Of a job that is told all but the one fact that clashes is taken, and it is said which; a fact by itself that
    cannot be changes nothing."""
    clashing = error.place.field or ""
    if clashing not in fields or len(fields) < _A_JOB or parts.state.plan is not None:
        return parts.answered(_refused(error))
    left = {name: value for name, value in fields.items() if name != clashing}
    told = f"Not taken: {field_name(clashing)}: {error.message}."
    return [Note(text=told), *change(parts, left, rest, named, granted)]


_A_JOB = 3  # facts of a job that is told


def _with_count(parts: Parts, step: Change, fields: Mapping[str, Any]) -> tuple[Change, list[Event]]:
    """The step with a number of GPUs where that was left open and nothing else is missing."""
    left = step.draft.left_open
    found = open_count.taken(parts, step.draft) if open_count.GPUS in left else None
    if found is None:
        return step, []
    gpus, note = found
    draft = step.draft.with_fields({open_count.GPUS: gpus}, parts.catalog).draft
    return replace(step, draft=replace(draft, parent=step.draft.parent)), [note]


def ask_back(parts: Parts, fields: Mapping[str, Any], said: Utterance) -> list[Event]:
    """Take what was clear and ask about what was not, one after the other: never a guess, and nothing that was clear is
    lost."""
    taken = change(parts, fields, said.rest, said.fabrics, said.assumed) if fields else []
    doubt = next((doubt for doubt in said.doubts if doubt.field), None)
    parts.state = replace(parts.state, draft=parts.state.draft.doubting(said.doubts))
    later = [one.doubt for one in parts.state.draft.in_doubt if one.waits]
    told: list[Event] = [Note(text=f"{d.sentence}.") for d in said.doubts if d is not doubt and d not in later]
    if doubt is None or any(isinstance(event, Failure) for event in taken):
        refused = [Failure(text=f"{d.sentence}. Nothing was changed.") for d in said.doubts[:1]]
        return [*taken, *told] if fields else parts.answered(*refused)
    return [*taken, *told, _ask_about(parts, doubt)]


def still_in_doubt(parts: Parts) -> list[Event]:
    """The question about what was said, is not taken yet and was not asked about."""
    found = next((one.doubt for one in parts.state.draft.in_doubt if one.waits), None)
    return [_ask_about(parts, found)] if found is not None else []


def _ask_about(parts: Parts, doubt: Doubt) -> Question:
    question = parts.interviewer.ask_back(doubt)
    parts.state = replace(parts.state, draft=parts.state.draft.asking_about(doubt))
    return question


def take(parts: Parts, choice: Choice) -> list[Event]:
    """A choice of the open question was taken."""
    return change(parts, choice.value) if choice.value else leave_open(parts)


def _adopt(parts: Parts, state: State, made: Made) -> list[Event]:
    """Take the plan of a state's draft, and say what is new about it; the next question is due."""
    before, plan = parts.state, made.plan
    parts.state = state.with_plan(made)
    parts.interviewer.is_due = True
    if plan is None or plan in (before.plan, before.adopted):
        return []
    headline, new = plan.recommendation.headline, turned(before.plan, plan)
    return [PlanShown(plan=plan, headline=headline, changes=changes(before.plan, plan, carded=new), turned=new)]


def _refused(error: InputError) -> Failure:
    field = error.place.field
    name = f"{field_name(field)}: " if field else ""
    return Failure(text=f"{name}{error.message}. Nothing was changed.", field=field)


def back(parts: Parts, to: InterviewQuestion | None = None) -> list[Event]:
    """The question before the open one, or an earlier one."""
    events = parts.interviewer.back(parts.state.draft, to)
    question = parts.interviewer.question
    parts.state = parts.state.asking(question.field if question else None)
    return events


def leave_open(parts: Parts) -> list[Event]:
    """The open question is answered with "not sure"."""
    asked = parts.interviewer.asked
    if asked is None and parts.interviewer.question is None:
        return [Note(text="No question is open.")]
    if asked is None or parts.interviewer.doubting:
        parts.interviewer.is_due = True
        return [Note(text="Then it is left as it was.")]
    if asked.required:
        if asked.field == open_count.GPUS and open_count.taken(parts, parts.state.draft) is not None:
            return change(parts, {open_count.GPUS: None})
        needed = "Without it nothing can be planned. Your best guess will do: it can be changed at any time."
        return parts.answered(Note(text=needed))
    parts.state = parts.state.advanced(parts.state.draft.leave_open(asked.field))
    parts.interviewer.is_due = True
    return [Understood(assumed=(f"assumed until you know: {asked.if_not_sure}",) if asked.if_not_sure else ())]


def vary(parts: Parts, plan: Plan, fields: Mapping[str, Any], said: str, rest: str) -> Event:
    """Try the fields beside the plan."""
    before = parts.state.draft
    try:
        step = before.trial(fields, parts.catalog)
        made = parts.planned(step.draft)
        if made.plan is None:
            raise InputError("expected a job that can still be planned; this takes away what a plan needs")
    except InputError as error:
        return _refused(error)
    shown, understood = made.plan, read_back(before, step, fields, parts.catalog, rest=rest)
    told = {"headline": shown.recommendation.headline, "changes": changes(plan, shown)}
    told |= {"card": of_the_card(plan, shown)}
    other = tuple(one for one in understood.fields if before.fields.get(one.field) != one.value)
    tried = VariationShown(what_if=said, fields=other or understood.fields, plan=shown, **told)
    parts.state = parts.state.trying(tried, step.draft, made)
    parts.more = lambda: [Note(text=tried.headline, items=tried.changes)]
    return tried


def keep(parts: Parts) -> list[Event]:
    """Accept what is tried."""
    state = parts.state
    if state.varied is None or state.variation is None:
        return parts.answered(Note(text="There is no variation to keep. Try one: what if we had 128 GPUs?"))
    kept = state.variation
    return [Understood(fields=kept.fields), *_adopt(parts, state.advanced(state.varied), Made(kept.plan))]


def discard(parts: Parts) -> list[Event]:
    """Drop what is tried."""
    dropped = parts.state.variation
    if dropped is None:
        return parts.answered(Note(text="There is no variation to drop."))
    parts.state = parts.state.trying(None)
    what = f": {in_words(dropped)}" if dropped.fields else ""
    return parts.answered(Note(text=f"No longer tried{what}. The plan stays as it was."))


def undo(parts: Parts) -> list[Event]:
    """Take back the last thing that was done: a variation that is being tried, else the last fact that was said."""
    if parts.state.variation is not None:
        return discard(parts)
    return _to(parts, parts.state.undo(), "There is nothing to take back.", "Taken back: {undone}.")


def redo(parts: Parts) -> list[Event]:
    """Restore what was taken back last."""
    return _to(parts, parts.state.redo(), "Nothing was taken back.", "Again: {new}.")


def _to(parts: Parts, state: State | None, otherwise: str, text: str) -> list[Event]:
    """Another state of the answers, with its plan; ``text`` may name what is ``undone`` or ``new`` with it."""
    if state is None:
        return parts.answered(Note(text=otherwise))
    before, after = parts.state.draft, state.draft
    undone, new = difference(after, before, parts.catalog), difference(before, after, parts.catalog)
    return [Note(text=text.format(undone=undone, new=new)), *_adopt(parts, state, parts.planned(after))]


def list_branches(parts: Parts) -> list[Event]:
    """The lines of answers that were left."""
    state = parts.state
    if not state.branches:
        return [Note(text="There is one line of answers only; a branch appears when you undo and go another way.")]
    items = tuple(
        f"branch {number}: {difference(state.draft, branch, parts.catalog)}"
        for number, branch in enumerate(state.branches, start=1)
    )
    return [Note(text='Say "branch 1" to go there. The line you leave is kept as a branch too.', items=items)]


def go_to_branch(parts: Parts, number: int) -> list[Event]:
    """Go on with another line of answers."""
    state = parts.state.on_branch(number)
    if state is None:
        return parts.answered(Failure(text=f'There is no branch {number}; say "branches" to see which there are.'))
    return [Note(text=f"Back on branch {number}."), *_adopt(parts, state, parts.planned(state.draft))]


def begin_another(parts: Parts, kept: Iterable[str]) -> list[Event]:
    """A new job: of the one before, which becomes a branch, only the fields in ``kept`` carry over."""
    carried = {name: value for name, value in parts.state.draft.fields.items() if name in set(kept)}
    restart(parts)
    parts.state = replace(parts.state, draft=Draft().with_fields(carried, parts.catalog).draft)
    told = "; ".join(field_text(name, value, parts.catalog) for name, value in carried.items())
    over = f"Carried over: {told}." if told else "Nothing carries over."
    return [Note(text=f'A new job; the one before is kept as a branch ("branches"). {over}')]


def restart(parts: Parts) -> list[Event]:
    """Begin again."""
    parts.state = parts.state.restarted()
    parts.interviewer.restart()
    parts.interviewer.is_due = True
    return [Note(text="From the start. What you said before is kept as a branch.")]
