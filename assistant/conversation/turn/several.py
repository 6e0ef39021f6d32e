"""Several questions in one message: each is answered by itself, the first lines of every answer, and what one of them
supposes holds for those that are asked with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from assistant.understanding.followups import ELSEWHERE
from assistant.vocabulary.utterance import Utterance

from ..events import (
    Answer,
    Comparison,
    Event,
    Explanation,
    Failure,
    Note,
    PlanShown,
    Question,
    Understood,
    VariationShown,
)
from ..heard import heard
from . import asked, by_parts
from .followup import LINES, fitted, is_question, lines_of, new_facts, pieces
from .parts import Parts
from .steps import vary

Act = Callable[[Parts, Utterance], list[Event]]
_LEAST = 3  # words of a question
# How likely a kind of question is that a part of a message asks by itself, and one that the whole of it asks.
_SURE, _SURELY_ONE = 0.45, 0.6


@dataclass(frozen=True)
class Asked:
    """A question of a message as it is heard alone, and in which sentence it stands."""

    said: Utterance
    sentence: int


def each(parts: Parts, said: Utterance, act: Act) -> list[Event]:
    """What ``act`` brings for each question of the message, told together in a few lines; of one question as it is, and
    of a message that tells facts as well."""
    questions = _questions(parts, said) if parts.state.plan is not None and not said.offers else []
    apart = len({one.sentence for one in questions}) > 1 or any("value" in one.said.roles for one in questions)
    if len(questions) < 2 or (_likeliest(said) >= _SURELY_ONE and not apart):
        return act(parts, said)
    before, answers = parts.state, dict[int, list[Event]]()
    supposes = [bool(new_facts(parts, one.said)) for one in questions]
    for at in sorted(range(len(questions)), key=lambda at: not _is_of_others(questions, supposes, at)):
        parts.of_trial = parts.state.variation is not before.variation and not supposes[at]
        try:
            answers[at] = _answered(parts, questions[at].said, act, supposes=supposes[at])
        finally:
            parts.of_trial = False
        if any(isinstance(event, Understood | PlanShown) for event in answers[at]):
            parts.state = before
            return act(parts, said)
    found = _together(questions, [answers[at] for at in range(len(questions))])
    if not any(isinstance(event, VariationShown) for event in found):
        parts.state = before
    return found or act(parts, said)


def _is_of_others(questions: Sequence[Asked], supposes: Sequence[bool], at: int) -> bool:
    """Whether a question supposes what holds for others of its sentence, also those before it: "how long and how much
    if we had 256"."""
    same = [supposes[n] for n, one in enumerate(questions) if one.sentence == questions[at].sentence]
    return supposes[at] and sum(same) == 1 and len(same) > 1 and "if" in questions[at].said.text.lower().split()


def _answered(parts: Parts, said: Utterance, act: Act, *, supposes: bool) -> list[Event]:
    """The answer to one of them; what it supposes is tried, so that the next is asked of that: "would 64 do, and the
    price then"."""
    events, plan = act(parts, said), parts.state.plan
    fields = asked.varied(parts, said) if supposes else {}
    if fields and plan is not None and not any(isinstance(event, VariationShown) for event in events):
        vary(parts, plan, fields, said.text, "")
    return events


def _questions(parts: Parts, said: Utterance) -> list[Asked]:
    """The questions of a message; what asks nothing goes with the next that does, or with the last."""
    told = pieces(said.text)
    found, waiting = list[Asked](), ""
    for number, piece in told if len(told) > 1 else ():
        alone = _heard(parts, piece) if len(piece.split()) >= _LEAST else None
        if alone is not None and _stands_alone(parts, alone):
            found.append(Asked(_heard(parts, f"{waiting} {piece}") if waiting else alone, number))
            waiting = ""
        else:
            waiting = f"{waiting} {piece}".strip()
    if waiting and len(found) > 1:
        found[-1] = Asked(_heard(parts, f"{found[-1].said.text} {waiting}"), found[-1].sentence)
    return found


def _stands_alone(parts: Parts, said: Utterance) -> bool:
    """Whether a part of a message asks something that is known without the rest: "where does it come from" does not."""
    named = (said.entities or said.fabrics) and dict(said.followup).get(ELSEWHERE, 0.0) < _SURE
    knows = _likeliest(said) >= _SURE or by_parts.measures(said) or named or "value" in said.roles
    return is_question(parts, said) and bool(knows or new_facts(parts, said))


def _likeliest(said: Utterance) -> float:
    """How likely the likeliest kind of question is."""
    return max((share for name, share in said.followup if name != ELSEWHERE), default=0.0)


def _heard(parts: Parts, text: str) -> Utterance:
    return heard(text, parts.state.in_view, parts.library, parts.today)


def _together(questions: Sequence[Asked], answers: Sequence[list[Event]]) -> list[Event]:
    """The answers as one: beside what is tried the first line of each other, else as many lines of each as there
    is room for."""
    tried = [event for events in answers for event in events if isinstance(event, VariationShown)]
    told = [[line for event in events for line in _lines(event)] for events in answers]
    told = [
        lines or [f'The plan has no answer to "{one.said.text}".'] for one, lines in zip(questions, told, strict=True)
    ]
    still = [event for events in answers for event in events if isinstance(event, Question)][-1:]
    if tried:
        others = [n for n, events in enumerate(answers) if tried[-1] not in events and not _in_the_card(questions[n])]
        first = [line for n in others for line in told[n][:1] if line not in tried[-1].card]
        return [tried[-1].model_copy(update={"card": (*first, *tried[-1].card)}), *still]
    kept = [line for lines in _shared(told) for line in lines]
    return [fitted(kept), *still] if kept else []


def _in_the_card(one: Asked) -> bool:
    """Whether a question asks for what is told of everything that is tried."""
    names = by_parts.measures(one.said)
    return bool(names) and by_parts.OF_THE_CARD.issuperset(names)


def _shared(told: Sequence[Sequence[str]]) -> list[list[str]]:
    """The first line of each, then the second of each, as long as there is room."""
    kept: list[list[str]] = [[] for _ in told]
    for row in zip_longest(*told):
        for at, line in enumerate(row):
            said = [one for lines in kept for one in lines]
            if line and line not in said and (not kept[at] or lines_of([*said, line]) <= LINES):
                kept[at].append(line)
    return kept


def _lines(event: Event) -> list[str]:
    """What an answer says, a line each; a lead alone says nothing."""
    match event:
        case Note(text=text, items=items):
            return [*([] if text.endswith(":") else [text]), *items]
        case Failure(text=text):
            return [text]
        case Comparison(summary=text):
            return [text]
        case Explanation(tree=tree):
            return [tree.text, *(child.text for child in tree.children)]
        case Answer(answer=found) if found is not None and found.answered:
            return [found.computed.text] if found.computed is not None else [line.text for line in found.direct]
        case _:
            return []
