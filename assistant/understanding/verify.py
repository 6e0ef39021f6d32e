"""Whether what was heard is so: how likely each fact of a message is wrong, told by what stands around it.

How a reading goes wrong is learned from first readings (``knowledge/language/facts.json``): what was heard in sets of
messages before anything was mended by them. What speaks against a fact is, above all, that the words around its amount
speak for something else, that words beside it were understood by nobody, and that another amount could be meant. A fact
that is likely enough to be wrong is asked about, never taken in silence.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assistant.vocabulary.catalog import Fabric
from assistant.vocabulary.fields import NUMERIC
from assistant.vocabulary.questionnaire import FIELDS
from assistant.vocabulary.utterance import Doubt

from . import attach
from .judge import FABRIC, GPUS, NETWORK, NODES, NONE, PER_NODE, Odds, Stretch
from .learned import Learned
from .reading import NAMES, Reading
from .templates import Quantity
from .text import Text, Token, ends_sentence

WRONG = "wrong"
COUNTS = frozenset({GPUS, PER_NODE, NODES})
# Of 2,513 facts of eleven sets as they were first read, 229 of them wrong, every set by what the others teach: from
# here on lie 8 % of the facts and 40 % of the wrong ones; of the last three sets (753 facts, 44 wrong) 6 % and 52 %,
# which leaves 97.0 % right. From 0.12 on it would be 98 %, at 16 % of the facts, three of four asked about for nothing.
DOUBTED = 0.3
_STEPS = (0.01, 0.03, 0.1, 0.3, 0.6, 0.85, 0.97)  # of a probability: as many features as are passed
_WORDS, _NUMBERS = (1, 2, 3, 4, 6, 10), (1, 2)  # that nobody understood in the sentence
_BESIDE = ((1, "0"), (3, "1"), (6, "2"))  # tokens to the nearest of them
_RIVAL = 0.3  # probability from which on another amount is offered beside the one that is asked about
_NEAR = 4  # tokens on either side of which the words that nobody understood are told by name
_SAME = 0.011  # of a value: as near as rounding leaves it


@dataclass(frozen=True)
class Heard:
    """A reading with what it came to: ``odds`` of every amount and name, ``rest`` what nobody understood."""

    reading: Reading
    fields: Mapping[str, Any]
    rest: str
    odds: Sequence[tuple[Stretch, Odds]]
    fabrics: Mapping[str, Fabric]
    unread: frozenset[int] = field(init=False)
    sentences: Sequence[int] = field(init=False)

    def __post_init__(self) -> None:
        tokens = self.reading.text.tokens
        object.__setattr__(self, "unread", frozenset(_places(self.reading.text, self.rest)))
        object.__setattr__(self, "sentences", list(_sentences(tokens)))

    def places(self, path: str) -> list[int]:
        """Which of the amounts and names may be the value of a field."""
        value = self.fields[path]
        found = [n for n, (one, _) in enumerate(self.odds) if self._is_said(path, value, one)]
        if found or path not in COUNTS:
            return found
        part = [n for n, (one, _) in enumerate(self.odds) if any(q.value == value for q in _numbers(one))]
        of_it = lambda q: q.value > 1 and value % q.value == 0  # nodes, GPUs of each, racks, sites
        return part or [n for n, (one, _) in enumerate(self.odds) if path == GPUS and any(map(of_it, _numbers(one)))]

    def _is_said(self, path: str, value: Any, stretch: Stretch) -> bool:
        today, fabric = self.reading.today, self.fabrics.get(str(value)) if path == FABRIC else None
        if path == FABRIC:
            return fabric is not None and any(q.kind == NETWORK and is_of(fabric, q) for q in stretch.quantities)
        return any(is_near(v, value) for q in stretch.quantities for v in values(path, q, today))


class Verifier:
    """The last stage: of every fact whether it is so. What first readings tell nothing of is taken as it was heard."""

    def __init__(self, learned: Learned) -> None:
        self._learned = learned

    def settle(self, heard: Heard) -> None:
        """Asks about the facts that are likely wrong; the answer to the open question is taken as it is."""
        reading = heard.reading
        keyed = lambda path: path == reading.context.asked or path in reading.text.original  # "cluster.sites: 2"
        firm = lambda path: keyed(path) or path in reading.follows or (path == FABRIC and _is_decided(heard))
        told = [path for path in reading.fields if not firm(path)]
        for path in (path for path in told if _of(path) in self._learned.weights):
            if path in reading.fields and self._learned.likely(features(heard, path))[WRONG] >= DOUBTED:
                reading.doubts.append(_question(heard, path))
                for other in (path, *(other for other, cause in reading.follows.items() if cause == path)):
                    reading.fields.pop(other, None)


def features(heard: Heard, path: str) -> list[str]:
    """What speaks for and against one fact of a message."""
    reading, value = heard.reading, heard.fields[path]
    where = heard.places(path)
    found = {_of(path), f"of:{path.split('.')[0]}", f"act:{reading.act}", f"said:{min(len(where), 2)}"}
    found |= {f"scope:{scope.kind}" for scope in reading.scopes} | {f"doubts:{min(len(reading.doubts), 2)}"}
    tokens, sentences = reading.text.tokens, heard.sentences
    ours = {sentences[heard.odds[n][0].start] for n in where} or set(sentences)
    unread = [n for n in heard.unread if sentences[n] in ours]
    found |= {f"words>={n}" for n in _WORDS if sum(tokens[at].is_word for at in unread) >= n}
    found |= {f"numbers>={n}" for n in _NUMBERS if sum(tokens[at].is_number for at in unread) >= n}
    found |= {f"unread:{tokens[at].stem}" for at in unread if tokens[at].is_word}
    found |= {f"length:{min(len(tokens) // 15, 5)}", f"sentences:{min(len(set(sentences)) - 1, 4)}"}
    if path in reading.context.fields:
        found |= {"known", f"same:{is_near(value, reading.context.fields[path])}"}
    found |= _at_its_place(heard, path, where) if where else {f"unsaid:{path}={value}" if _is_choice(value) else "none"}
    return sorted(found)


def _at_its_place(heard: Heard, path: str, where: Sequence[int]) -> set[str]:
    """What stands around the amount or the name, and which others could be meant."""
    classes = COUNTS if path in COUNTS else {path}
    for_it = [sum(odds.get(one, 0.0) for one in classes) for _, odds in heard.odds]
    best = max(where, key=lambda n: for_it[n])
    stretch, odds = heard.odds[best]
    tokens, kinds = heard.reading.text.tokens, {q.kind for q in stretch.quantities}
    found = {f"odds>={step}" for step in _STEPS if for_it[best] >= step} if classes & odds.keys() else {"odds:none"}
    found |= {f"nothing>={step}" for step in _STEPS if odds.get(NONE, 0.0) >= step}
    others = [n for n in range(len(heard.odds)) if n not in where]
    alike = [n for n in others if kinds & {q.kind for q in heard.odds[n][0].quantities}]
    rival = max((for_it[n] for n in others), default=0.0)
    found |= {f"rival>={step}" for step in _STEPS if rival >= step} | {f"better:{rival > for_it[best]}"}
    found |= {f"alike:{min(len(alike), 3)}"}
    found |= {f"unread alike:{min(sum(heard.odds[n][0].start in heard.unread for n in alike), 2)}"}
    away = min((abs(heard.odds[n][0].start - at) for n in where for at in heard.unread), default=99)
    found |= {f"away:{next((name for most, name in _BESIDE if away <= most), '3')}"}
    near = heard.unread.intersection(range(stretch.start - _NEAR, stretch.end + _NEAR))
    found |= {f"beside:{tokens[at].stem}" for at in near if tokens[at].is_word}
    return found | {f"in:{s.kind}" for s in heard.reading.scopes if s.start <= stretch.start < s.end}


def _is_decided(heard: Heard) -> bool:
    """Whether the words say that the network is there: "we do have InfiniBand after all"."""
    said = [heard.odds[n][0] for n in heard.places(FABRIC)]
    return any("decided" in heard.reading.kinds(one.start, one.end) for one in said)


def _of(path: str) -> str:
    return f"path:{path}"


def _question(heard: Heard, path: str) -> Doubt:
    """Asks for the value, with others that could be meant."""
    about, value, where = FIELDS[path].about, heard.fields[path], heard.places(path)
    options = tuple(dict.fromkeys((value, *_rivals(heard, path, where))))
    if len(options) > 1 or not where:
        told = " or ".join(str(one) if _is_choice(one) else about.unit.format(f"{one:,}") for one in options)
        return Doubt(path, f"is {told} meant as {about.label}?", options)
    stretch = heard.odds[where[0]][0]
    said = " ".join(heard.reading.text.typed(stretch.start, stretch.end).split())
    return Doubt(path, f'"{said}": is that meant as {about.label}?', options)


def _rivals(heard: Heard, path: str, where: Sequence[int]) -> Iterator[Any]:
    """What else in the message the words around it speak for as the value of a field."""
    for n, (one, odds) in enumerate(heard.odds):
        if n not in where and odds.get(path, 0.0) >= _RIVAL:
            each = [v for q in one.quantities for v in values(path, q, heard.reading.today)]
            yield from (each or [int(q.value) for q in _numbers(one) if path in COUNTS])[:1]


def _places(text: Text, rest: str) -> Iterator[int]:
    """The tokens of what nobody understood."""
    tokens, at, n = text.tokens, 0, 0
    for word in rest.replace(" … ", " ").split():
        start = text.original.find(word, at)
        if start < 0:
            continue
        at = start + len(word)
        while n < len(tokens) and tokens[n].end <= at:
            if tokens[n].start >= start:
                yield n
            n += 1


def _sentences(tokens: Sequence[Token]) -> Iterator[int]:
    """For every token the number of its sentence."""
    number = 0
    for at in range(len(tokens)):
        yield number
        number += ends_sentence(tokens, at)


def _numbers(stretch: Stretch) -> Iterable[Quantity]:
    return (q for q in stretch.quantities if q.kind == "number")


def _is_choice(value: Any) -> bool:
    return isinstance(value, (str, bool))


def values(path: str, quantity: Quantity, today: datetime.date) -> list[Any]:
    """What a quantity would be as the value of a field; counts of GPUs are told apart by :func:`of_count`."""
    if quantity.kind == "instance":
        return [quantity.value[1].gpu] if path == "cluster.gpu" else []
    if quantity.kind in NAMES:
        return [quantity.value] if NAMES[quantity.kind] == path else []
    if path in COUNTS or path not in FIELDS or FIELDS[path].about.kind not in NUMERIC:
        return []
    each = [attach.computed("1000/", quantity)] if path == "inference.tpot_ms" and quantity.kind == "number" else []
    plain = [quantity] if quantity.kind == "number" else []
    found = [attach.converted(FIELDS[path], q, today) for q in plain] + [q.value for q in each]
    return [v for v in (*found, attach.sensible(FIELDS[path], quantity, today)) if v is not None]


def is_of(fabric: Fabric, named: Quantity) -> bool:
    """Whether a network that was named is this fabric; Ethernet of 400 Gb/s and more is RoCE."""
    return fabric.technology in (named.value, {"tcp": "roce"}.get(named.value))


def is_near(value: Any, wanted: Any) -> bool:
    """Whether two values are the same, numbers but for rounding."""
    if not isinstance(value, (int, float)) or not isinstance(wanted, (int, float)):
        return value == wanted
    return abs(value - wanted) <= _SAME * abs(wanted)
