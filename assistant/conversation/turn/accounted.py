"""An answer is printed as the answer to a question only where it tells what the question asks for: its noun, what is
wanted of it, and its figures. Where it does not, another kind of answer that does is told, else what was heard, that
the plan does not tell it, and what it does answer near it.

What answers account for is declared beside them: the words of their own sentences, the questions from which a kind is
learned (``says`` of ``knowledge/language/followups.yaml``) and ``knowledge/language/asked_for.yaml``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from assistant.understanding.demand import Counted, Demand, Demands, Thing, printed
from assistant.understanding.followups import ELSEWHERE
from assistant.vocabulary.quantities import DAYS_PER_MONTH
from assistant.vocabulary.utterance import Utterance

from ..draft import QUOTES
from ..events import Event, Note, Question, VariationShown
from ..heard import bare_numbers
from ..state import State
from ..wording import lines
from . import asked, followup
from .near import nearest
from .parts import Parts

_WIDE = 400  # characters: an answer is looked at in whole sentences
_NAMED_BY = 2  # questions of a kind that name a noun: fewer name it in passing
_AS_PRINTED = 0.006  # of a figure: what rounding for the eye takes
_ABOUT = 0.1  # of a round figure: what is printed exactly instead
_OWN_FIGURE = 100  # a bare number from which on it is a figure and no count in passing
_AGAIN = ("what if ", "with ")  # lines that say what was asked and end in a colon
_BESIDE = ("supposed so far", "the plan stays as it is", "the card stays")  # lines that answer nothing
_FAR = 0.15  # how likely a kind is at least that is tried in the place of one that does not tell what is asked
_UNITS_OF_TIME = (1 / 24, 7, DAYS_PER_MONTH, 365)  # days
_SENTENCE = re.compile(r"\S.*?(?:[?!.;](?=\s)|$)", re.DOTALL)
_Other = tuple[Callable[[], list[Event]], bool]  # an answer, and whether it is declared to tell what is missing


@dataclass(frozen=True)
class Missing:
    """What is asked for and not told: ``what`` in the words of the question, ``thing`` where it is a known one."""

    what: str
    thing: Thing | None = None
    supposed: bool = False  # a figure that the question supposes


def accounted(parts: Parts, said: Utterance, answer: Callable[[], list[Event]]) -> list[Event]:
    """The answer where it tells what is asked; what else tells it; else that the plan does not, and what it does."""
    before, parts.kinds = parts.state, []
    events = answer()
    if not _is_held(parts, said, events) or parts.state.draft != before.draft:
        return events
    demand = _demanded(parts, said)
    missing = _missing(parts, said, demand, events, named=True)
    if not missing:
        return events
    beside = _besides(parts, said, events, missing)
    if beside is not None:
        return beside
    after, more = parts.state, parts.more
    if found := _told_otherwise(parts, said, demand, missing, before):
        return found
    parts.state, parts.more = after, more
    if found is not None:
        return events
    parts.state, parts.more = before, None
    return refused(parts, said, missing)


def _told_otherwise(
    parts: Parts, said: Utterance, demand: Demand, missing: Sequence[Missing], before: State
) -> list[Event] | None:
    """What else tells what is asked; empty where all that is missing is a figure that the plan has already."""
    for other, declared in _others(parts, said, missing):
        parts.state, parts.kinds = before, []
        found = other()
        if found and asked.changes_nothing(found):
            if all(one.supposed for one in missing):
                return []
        elif found and _is_held(parts, said, found) and not _missing(parts, said, demand, found, named=declared):
            return found
    return None


def refused(parts: Parts, said: Utterance, missing: Sequence[Missing]) -> list[Event]:
    """What was heard, what of it the plan does not tell, and what it answers near it."""
    first = missing[0]
    lacks = first.thing.lacks if first.thing else ""
    why = f"the plan does not know {lacks}" if lacks else "no answer of the plan tells that as you ask it"
    near = nearest(parts, said, [one.thing for one in missing if one.thing])
    ask = " or ".join(f'"{one}"' for one in near)
    at = said.text.lower().find(first.what)
    what = said.text[at : at + len(first.what)] if at >= 0 else first.what  # as it was typed
    told = f'I heard "{what}": {why}.'
    return parts.answered(Note(text=told, items=(f"What it does answer: {ask}.",) if ask else ()))


def _besides(parts: Parts, said: Utterance, events: list[Event], missing: Sequence[Missing]) -> list[Event] | None:
    """What is tried as the question supposes it, with what it asks besides and is not told by it."""
    tried = next((event for event in events if isinstance(event, VariationShown)), None)
    if tried is None or any(one.supposed or one.thing is None or one.thing.lacks for one in missing):
        return None
    near = nearest(parts, said, [one.thing for one in missing if one.thing])
    ask = f'; ask "{near[0]}"' if near else ""
    line = f'Not told by it: "{missing[0].what}"{ask}.'
    told = tried.model_copy(update={"card": (*tried.card, line)})
    return [told if event is tried else event for event in events]


def _demands(parts: Parts) -> Demands:
    return Demands.of_data(parts.library.language["asked_for"])


def _is_held(parts: Parts, said: Utterance, events: Sequence[Event]) -> bool:
    """Whether it is an answer in words to a question about a plan; what is looked up, refused or asked back is not."""
    told = [event for event in events if not isinstance(event, Question)]
    in_words = bool(told) and all(isinstance(event, Note | VariationShown) for event in told)
    return parts.state.plan is not None and in_words and said.language == "english" and followup.asks(parts, said)


def _demanded(parts: Parts, said: Utterance) -> Demand:
    """What the first sentence of a message that asks asks for, by its noun what its first clause does: further
    questions are told as far as there is room, and what leads to them asks nothing."""
    opens = tuple(f"{one} " for one in parts.library.language["followups"]["opens"])
    found = [(one.start(), one.group().strip()) for one in _SENTENCE.finditer(said.text)]
    asks = lambda text: text.endswith("?") or text.lower().startswith(opens)
    start, text = next(((at, text) for at, text in found if asks(text)), (0, said.text))
    clauses = [one for one in followup.questions_in(text) if asks(one)]
    within = [one for one in said.amounts if start <= one.start and one.end <= start + len(text)]
    return _demands(parts).of(text, clauses[0] if clauses else text, within, said.text)


def _answer_of(events: Iterable[Event], *, again: bool = False) -> str:
    """The words of an answer, without those that say ``again`` what was asked."""
    told = [line.strip(" -") for event in events if not isinstance(event, Question) for line in lines(event, _WIDE)]
    echo = lambda line: not again and line.endswith(":") and line.lower().startswith(_AGAIN)
    return " ".join(line for line in told if not echo(line) and not line.lower().startswith(_BESIDE)).lower()


def _missing(
    parts: Parts, said: Utterance, demand: Demand, events: Sequence[Event], *, named: bool = False
) -> list[Missing]:
    """What a question asks for and its answer does not tell. ``named``: what the questions of its kind name is told by
    it, in whatever words."""
    demands, answer = _demands(parts), _answer_of(events)
    text, tried = demand.text.lower(), next((event for event in events if isinstance(event, VariationShown)), None)
    every = parts.library.language["followups"]["kinds"]
    kinds = [one for one in every if named and one["kind"] in parts.kinds]
    found = [
        Missing(one.in_words(text) or one.name, one)
        for one in demand.things
        if not one.told.search(answer if tried is None else _answer_of([tried], again=True))
        and not set(one.told_by) & set(parts.kinds)
    ]
    found.sort(key=lambda one: not (one.thing and one.thing.lacks))
    of_quotes = tried is not None and any(one.field == QUOTES for one in tried.fields)  # what its seller may ask
    found += [Missing(name) for name in _sellers(parts, said) if name not in answer and not of_quotes]
    noun = demand.head[-1] if demand.head else ""
    sure = named and followup.is_sure(said, parts.kinds)
    is_name = sure or any(noun in said.text[one.start : one.end].lower() for one in said.entities)
    if noun and not is_name and not demands.tells(answer, noun) and not _names(kinds, demands, noun):
        found.append(Missing(" ".join(demand.head)))
    for want in () if sure else demand.wants:
        if not demands.wanted(answer, want) and not any(
            want in demands.wants_of(question) for kind in kinds for question in kind["says"]
        ):
            found.append(Missing(" ".join(said.text.split()).rstrip("?. ")))
    if tried is not None:
        return found  # its figures are those that are tried
    return found + _figures(parts, said, demand, [value for value, _ in printed(answer)])


def _is_figure(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _supposed(parts: Parts, said: Utterance) -> dict[str, float]:
    """The figures of the job that a question supposes, of fields that its words are about: "6,000 at peak" is no
    budget."""
    new, bare, text = followup.new_facts(parts, said), bare_numbers(said), said.text.lower()
    figures = {path: float(value) for path, value in said.fields.items() if path in new and _is_figure(value)}
    about = {path: [w for at, w in parts.words["of_field"].items() if path.startswith(at)] for path in figures}
    named = lambda path: not about[path] or any(word in text for words in about[path] for word in words)
    return {path: value for path, value in figures.items() if said.fields[path] not in bare or named(path)}


def _sellers(parts: Parts, said: Utterance) -> list[str]:
    """The sellers of quotes that a question names."""
    plan, text = parts.state.plan, said.text.lower()
    quoted = [quote.provider.lower().removeprefix("a ") for quote in (plan.quotes if plan else ()) if quote.provider]
    return [name for name in quoted if re.search(rf"(?<![a-z]){re.escape(name)}(?![a-z])", text)]


def _names(kinds: Sequence[Mapping[str, Any]], demands: Demands, word: str) -> bool:
    """Whether questions of the kinds that answered name a word."""
    return any(sum(demands.tells(question.lower(), word) for question in kind["says"]) >= _NAMED_BY for kind in kinds)


def _figures(parts: Parts, said: Utterance, demand: Demand, told: Sequence[float]) -> list[Missing]:
    """The figures of a question that an answer neither has nor could have from the plan."""
    has = lambda value: any(abs(value - one) <= _AS_PRINTED * abs(value) for one in told)
    own = {float(v) for v in parts.state.draft.fields.values() if _is_figure(v)}
    supposed = set(_supposed(parts, said).values())
    scaled = any(word in demand.text.lower() for word in parts.words["times"])  # "double to 6,000"
    found = []
    for one in demand.numbers:
        values = _forms(one)
        if any(has(value) or value in own for value in values):
            continue
        about = any(abs(value - near) <= _ABOUT * value for value in values for near in told)  # "worth 40k", of 42,600
        is_figure = (
            not scaled
            and not about
            and one.kind in ("number", "sum", "money")
            and float(one.amount.value) >= _OWN_FIGURE
        )
        is_other = one.of.endswith("s") and not _demands(parts).knows(one.of) and one.kind == "number"
        if values & supposed or is_figure or is_other:
            found.append(Missing(f"{one.text} {one.of}".strip(), supposed=bool(values & supposed)))
    return found


def _forms(one: Counted) -> set[float]:
    """A figure as it was typed and in the units that an answer may have it in."""
    value = float(one.amount.value)
    typed = {float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", one.text)}
    times = {round(value / unit, 3) for unit in _UNITS_OF_TIME} if one.kind == "time" else set[float]()
    return {value, *typed, *times}


def _others(parts: Parts, said: Utterance, missing: Sequence[Missing]) -> Iterable[_Other]:
    """What else may be the answer: the kinds that tell what is missing, as is declared of them, those that are less
    likely meant, and what is supposed tried."""
    kinds = {one["kind"]: one for one in parts.library.language["followups"]["kinds"]}
    told = [name for one in missing if one.thing for name in one.thing.told_by]
    near = [name for name, share in said.followup if name != ELSEWHERE and share >= _FAR]
    for name in dict.fromkeys([*told, *near]):
        if name in kinds:
            yield partial(followup.of_kind, parts, said, kinds[name]), name in told
    if _supposed(parts, said):
        yield partial(asked.what_if, parts, said), False
