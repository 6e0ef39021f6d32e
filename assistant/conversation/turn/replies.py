"""Short replies: a greeting, thanks, what is known so far, where a file was written."""

from __future__ import annotations

import datetime

from assistant.present.fields import field_text
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.utterance import Utterance

from .. import exporting
from ..events import Copied, Event, Exported, Failure, Note, Plots
from .parts import Parts


def facts(parts: Parts) -> list[Event]:
    """What is known so far."""
    items = tuple(field_text(name, value, parts.catalog) for name, value in parts.state.draft.told.items())
    text = "So far I know:" if items else "So far I know nothing about the job."
    return parts.answered(Note(text=text, items=items))


def hello(parts: Parts) -> list[Event]:
    """A greeting returned."""
    first = "Hello. Tell me what you want to train or serve, and on which GPUs."
    return parts.answered(Note(text=first if parts.state.plan is None else "Hello again."))


def thanks(parts: Parts) -> list[Event]:
    """Thanks returned."""
    more = ' Ask on, or take the plan with you: "export as markdown".' if parts.state.plan is not None else ""
    return parts.answered(Note(text=f"Gladly.{more}"))


def goodbye(parts: Parts) -> list[Event]:
    """The person leaves."""
    parts.is_over = True
    return [Note(text="Everything said is kept in the transcript." if parts.turns.record else "Goodbye.")]


def plots(parts: Parts) -> list[Event]:
    """The plots of the plan."""
    return parts.with_plan_in_view(lambda plan: [Plots(plan=plan, scale=parts.scaling.of(plan))])


def export(parts: Parts, said: Utterance) -> list[Event]:
    """The plan, its card or the conversation, written to a file."""
    try:
        target = exporting.target_of(said.text, parts.library.language["commands"]["other_formats"])
        if target.what == "conversation":
            return [_saved(parts, _conversation(parts, target.format), target)]
        return parts.with_plan(lambda plan: [_saved(parts, _of_plan(parts, plan, target), target)])
    except InputError as error:
        return [Failure(text=f"{error}.")]


def copy(parts: Parts, what: str, name: str, form: exporting.Format) -> list[Event]:
    """The plan, its card (``what``) or the conversation in a format, for the clipboard; ``name`` is what it is
    called."""
    if what == "conversation":
        return [Copied(what=name, text=_conversation(parts, form))]
    target = exporting.Target(form, "", False, "card" if what == "card" else "plan")
    return parts.with_plan(lambda plan: [Copied(what=name, text=_of_plan(parts, plan, target).rstrip("\n"))])


def _of_plan(parts: Parts, plan: Plan, target: exporting.Target) -> str:
    if target.what == "card":
        return exporting.card_written(plan, target.format)
    return exporting.written(plan, parts.state.draft.questionnaire(parts.catalog), target.format)


def _conversation(parts: Parts, form: str) -> str:
    from ..transcript.document import written

    return written(parts.turns.ended, parts.library, parts.today or datetime.date.today(), form)


def _saved(parts: Parts, text: str, target: exporting.Target) -> Event:
    return Exported(path=parts.exporter(text, target) or target.path, format=target.format, what=target.what)
