"""From what was heard to the handler that answers it: a choice, a command or an act, each looked up in a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from assistant.present.plan import quotes
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.questionnaire import FIELDS
from assistant.vocabulary.utterance import Utterance

from ..answers.about_plan import PARTS
from ..answers.plan_answers import note
from ..draft import QUOTES, Draft
from ..events import Event, Failure, Note, Understood
from ..heard import confirmed, fields_set, heard
from ..quotes import alone
from ..slash import SIGN, spoken
from . import asked, followup, replies, steps
from .accounted import accounted
from .commands import branch_of, command_of, not_without
from .dialling import SAID, dial
from .measured import logs_named, measured
from .parts import Parts
from .several import with_values
from .supposing import supposed
from .to_question import to_question

_OF_A_JOB = frozenset({"workload", "model", "cluster.gpu", "cluster.gpus"})
_ENOUGH = 3  # facts of a job beside a question
_NO_JOB = frozenset({"help", "undo", "export"})  # acts that nobody does beside a job, whatever question it ends with


def respond(parts: Parts, text: str) -> list[Event]:
    """What a message brings about: nothing, a choice, a command, or something about the job."""
    if not text:
        return parts.answered()
    if text.startswith(SIGN):
        try:
            text = spoken(text, parts.library)
        except InputError as error:
            return parts.answered(Note(text=str(error)) if text == SIGN else Failure(text=str(error)))
    choice = parts.interviewer.choice_typed(text)
    if choice is not None:
        return steps.take(parts, choice)
    if logs := logs_named(text):
        return measured(parts, logs)
    branch, command = branch_of(text, parts.library), command_of(text, parts.library)
    if branch is not None:
        return steps.go_to_branch(parts, branch)
    if command is not None:
        return _commanded(parts, command)
    parts.more = None
    other = _announced(parts, text)
    if other is not None:
        return other
    of_the_question = to_question(parts, text)
    if of_the_question is not None:
        return of_the_question
    refused = not_without(text, parts.library)
    if refused is not None:
        return parts.answered(refused)
    said = heard(text, parts.state.draft, parts.library, parts.today)
    if (found := _supposing(parts, said)) is not None:
        return with_values(parts, said, found)
    return accounted(parts, said, lambda: with_values(parts, said, _act(parts, said)))


def _commanded(parts: Parts, command: str) -> list[Event]:
    """What a command brings; of a plan of which something is still open, with what is likeliest."""
    found = supposed(parts) if command in PARTS and parts.state.plan is None else None
    if found is None:
        return COMMANDS[command](parts)
    told, parts.state = parts.state, found.state
    try:
        return [Note(text=found.line), *COMMANDS[command](parts)]
    finally:
        parts.state = told


def _supposing(parts: Parts, said: Utterance) -> list[Event] | None:
    """The answer to a question of a plan of which something is in doubt, or not said yet: nothing is taken."""
    found = supposed(parts) if followup.asks(parts, said) else None
    if found is None:
        return None
    told, parts.state, parts.beside = parts.state, found.state, tuple(filter(None, [found.line]))
    try:
        again = heard(said.text, found.state.draft, parts.library, parts.today)
        tells = lambda: _act(parts, again)
        clear = followup.is_clear(again) or not found.of_any_model
        events = accounted(parts, again, tells) if clear and followup.asks(parts, again) else None
        after = parts.state
    finally:
        parts.state, parts.beside = told, ()
    tried = found.of_any_model and after.variation is not found.state.variation
    if events is None or tried or after.draft != found.state.draft:
        return None
    parts.state = replace(told, variation=after.variation, varied=after.varied)
    said_so = not found.line or any(isinstance(event, Note) and found.line in event.items for event in events)
    return events if said_so else [Note(text=found.line), *events]


def _announced(parts: Parts, text: str) -> list[Event] | None:
    """A message that says it tells of another job than the one that stands."""
    words = re.match(parts.library.language["commands"]["another_job"], text, re.IGNORECASE)
    if words is None or not parts.state.draft.fields:
        return None
    told = heard(text[words.end() :], Draft(), parts.library, parts.today)
    return _another_job(parts, text[words.end() :]) if _OF_A_JOB & set(told.fields) and not told.doubts else None


def _another_job(parts: Parts, text: str) -> list[Event]:
    begun = steps.begin_another(parts, parts.library.language["commands"]["carried_over"])
    return [*begun, *describe(parts, heard(text, parts.state.draft, parts.library, parts.today))]


def _is_another(parts: Parts, fields: Mapping[str, object]) -> bool:
    """Whether a whole job was told beside the one that is planned: another model for another purpose."""
    before = parts.state.draft.fields
    differs = all(fields.get(name) != before.get(name) for name in ("workload", "model"))
    return parts.state.plan is not None and set(fields) >= _OF_A_JOB and differs


def _act(parts: Parts, said: Utterance) -> list[Event]:
    told = bool(said.offers) and said.act == "describe"  # a mail with quotes asks nothing by its words
    beside = None if told else followup.beside_the_plan(parts, said)
    if beside is not None:
        return beside
    of_it = "network-share" in dict(said.followup[:1])  # whose answer has the purchase in it
    of_purchase = None if of_it else asked.of_purchase(parts, said)
    if of_purchase is not None:
        job = parts.state.plan is None and said.act == "describe" and _tells_of_a_job(said, answered=True)
        return describe(parts, said) if job else of_purchase  # "…, budget 1.1M: which network do we buy?"
    followed = None if told else followup.answered(parts, said, first=True)
    figure = asked.figure_asked(parts, said) if followed is None and not told else None
    if parts.state.plan is None and _tells_of_a_job(said, answered=figure is not None):
        return _with_its_question(parts, said, figure or [])  # "… on 128 H100: which network?"
    if figure is not None and said.act == "describe" and said.topic == "offers":
        return [*figure, *describe(parts, said)]  # "rent 128 H100 for 2 weeks" tells of the job and has its price
    if figure is None and not told:
        followed = followed or followup.answered(parts, said, first=False)
    if followed is not None:
        return followed
    if figure is not None:
        figure = followup.in_short(parts, said, figure)
    elif not told and followup.is_tried(parts, said):
        return followup.besides(parts, said, _what_if(parts, said))
    elif followup.saves_money(parts, said) or (said.act == "what-if" and said.rest and not asked.varied(parts, said)):
        figure = followup.likeliest(parts, said)
    if figure is None and said.act == "ask":
        figure = followup.unsure(parts, said)
    if figure is None and said.act == "change" and not followup.new_facts(parts, said) and not said.excluded:
        figure = followup.answered(parts, replace(said, act="ask"), first=False)  # "again in three sentences"
    if figure is None and said.act in ("ask", "unclear") and parts.state.plan is not None:
        known = asked.looked_up(parts, said)
        figure = followup.with_the_plans(parts, said, known) if known else followup.likeliest(parts, said)
    events = ACTS.get(said.act, describe)(parts, said) if figure is None else figure
    events = (
        followup.besides(parts, said, followup.without_the_proof(parts, said, events)) if figure is None else events
    )
    return [*events, *_in_english_please(said)] if said.act in ACTS else events


def _what_if(parts: Parts, said: Utterance) -> list[Event]:
    """What is supposed tried; a limit that is asked about is asked of the plan as it is, where it changes nothing or
    nothing keeps it."""
    before = parts.state
    events = asked.what_if(parts, said)
    variation = parts.state.variation if parts.state is not before else None
    breaks = variation is not None and variation.plan.recommendation.verdict == "infeasible"
    if not (asked.changes_nothing(events) or breaks) or _says_if(parts, said):
        return events
    tried, parts.state = parts.state, before
    told = followup.of_limit(parts, said)
    parts.state = before if told else tried
    return told or events


def _says_if(parts: Parts, said: Utterance) -> bool:
    """Whether what is supposed is said to be: "what if the limit were 5 %"."""
    return not {*parts.library.language["words"]["supposing"].split()}.isdisjoint(said.text.lower().split())


def _with_its_question(parts: Parts, said: Utterance, figure: list[Event]) -> list[Event]:
    """A job and what was asked with it, which its plan answers where it can, else the ``figure`` that was computed of
    the question alone."""
    question = "" if said.of_plan == "summary" else followup.question_of(parts, said.text)
    events = describe(parts, _for_the_plan(said))
    answers = bool(question and parts.state.plan and followup.answer_to(parts, question))
    parts.asked_with_job = question if answers or not figure else ""
    if not answers:
        return [*figure, *events]
    within = [(said.text.rfind(question), len(said.text))]
    read = lambda event: event.model_copy(update={"rest": _without(event.rest, said.text, within)})
    return [read(event) if isinstance(event, Understood) else event for event in events]


def _tells_of_a_job(said: Utterance, *, answered: bool) -> bool:
    """Whether a question comes with the job that it is asked for, or a job with a question; one for the plan itself
    with a part of it: "we own 16 A100, which network do we buy?"."""
    told = {"model" if path.startswith("model") else path for path in said.fields} & _OF_A_JOB
    ours = "budget.owned" in said.fields and said.of_plan is not None
    if said.act == "what-if" and not ours:
        return False
    in_part = not answered and (ours or said.of_plan == "summary")
    return said.act not in _NO_JOB and len(told) >= (_ENOUGH - 1 if in_part else _ENOUGH)


def _for_the_plan(said: Utterance) -> Utterance:
    """The facts of a question that the plan answers, or a sum beside it: its own words are no fact that was missed, but
    for those that decide what it costs."""
    if said.of_plan == "summary":
        return replace(said, rest=said.decisive)
    if said.topic != "price-judged":
        return said
    asked = [*said.roles.get("places", {}).get("a_verdict", ()), *((one.start, one.end) for one in said.amounts)]
    return replace(said, rest=_without(said.rest, said.text, asked))


_LEFT_OUT = " … "  # between what was not understood


def _without(rest: str, text: str, spans: Sequence[tuple[int, int]]) -> str:
    """What was not understood of a text but for what lies in some places of it."""
    missed = [one for one in rest.split(_LEFT_OUT) if not _is_within(text.find(one), len(one), spans)]
    return _LEFT_OUT.join(missed)


def _is_within(start: int, length: int, spans: Iterable[tuple[int, int]]) -> bool:
    """Whether words of a message share a place with one of the spans."""
    return start >= 0 and any(start < end and begin < start + length for begin, end in spans)


def _in_english_please(said: Utterance) -> list[Event]:
    """What a question in another language asks may be more than was read of it."""
    missing = [doubt for doubt in said.doubts if doubt.field is None] if said.language != "english" else []
    return [Note(text=f"{doubt.sentence}.") for doubt in missing]


def describe(parts: Parts, said: Utterance) -> list[Event]:
    """Facts of the job are taken over; what says none may still name a network."""
    fields = fields_set(said, parts.state.draft)
    kinds = said.named("gpu")
    if len(kinds) > 1 and not said.offers:
        parts.state = replace(parts.state, compared=tuple(kinds))
    if said.fabrics and not said.offers:
        parts.state = replace(parts.state, networks=said.fabrics)
    if said.doubts:
        return steps.ask_back(parts, fields, said)
    if fields and _is_another(parts, fields):
        return _another_job(parts, said.text)
    if fields:
        return steps.change(parts, fields, said.rest, () if fields.get(QUOTES) else said.fabrics, said.assumed)
    true = confirmed(said, parts.state.draft)
    if true:
        told = ", ".join(f"{FIELDS[path].about.label} {value:,}" for path, value in true.items())
        return parts.answered(Note(text=f"So it is, as published: {told}. Nothing changes."))
    if not said.fabrics:
        return parts.answered(Failure(text=_not_understood(said)))
    named, how = ", ".join(said.fabrics), 'say "we have it" with the name when it is there already.'
    every = f"Every network that exists for the job is compared; {how}"
    return parts.answered(Note(text=f"{named}: noted as named, not as decided. {every}"))


def _not_understood(said: Utterance) -> str:
    if said.act == "change":
        belongs = f'"{said.rest}" alone does not say which fact it belongs to.'
        return f"What should change? {belongs if said.rest else 'Name the fact and its new value.'}"
    return f'I did not understand "{said.rest}".' if said.rest else "There was no fact about the job in that."


def _part(command: str, parts: Parts) -> list[Event]:
    offered = alone(parts.state.draft, parts.library, parts.today) if parts.state.plan is None else []
    if offered and command == "reply":  # there are quotes before anybody said what runs on the machines
        return parts.answered(note(quotes.written(offered, parts.catalog.names)))
    return parts.with_plan_in_view(lambda plan: parts.about.part(plan, command))


def _dial(name: str, parts: Parts) -> list[Event]:
    return dial(parts, name)


# What a message does; an act that is not here describes the job.
ACTS: dict[str, Callable[[Parts, Utterance], list[Event]]] = {
    **dict.fromkeys(("why", "why-not", "compare"), asked.about_plan),
    "what-if": _what_if,
    "ask": asked.look_up,
    "export": replies.export,
    "help": lambda parts, said: [parts.about.help()],
    "undo": lambda parts, said: steps.undo(parts),
}
# What a whole message is as one of the phrases of :mod:`commands`.
COMMANDS: dict[str, Callable[[Parts], list[Event]]] = {
    **{command: partial(_part, command) for command in PARTS},
    "plots": replies.plots,
    "dials": dial,
    **{f"dial-{name}": partial(_dial, name) for name in SAID},
    "back": steps.back,
    "redo": steps.redo,
    "restart": steps.restart,
    "not-sure": steps.leave_open,
    "keep": steps.keep,
    "discard": steps.discard,
    "more": followup.more,
    "branches": steps.list_branches,
    "hello": replies.hello,
    "thanks": replies.thanks,
    "facts": replies.facts,
    "quit": replies.goodbye,
    "copy-card": partial(replies.copy, what="card", name="The card", form="text"),
    "copy-plan": partial(replies.copy, what="plan", name="The plan", form="text"),
    "copy-markdown": partial(replies.copy, what="plan", name="The plan as Markdown", form="markdown"),
    "copy-html": partial(replies.copy, what="plan", name="The plan as HTML", form="html"),
    "copy-json": partial(replies.copy, what="plan", name="The plan as JSON", form="json"),
    "copy-yaml": partial(replies.copy, what="plan", name="The questionnaire as YAML", form="yaml"),
    "copy-conversation": partial(replies.copy, what="conversation", name="The conversation", form="markdown"),
}
