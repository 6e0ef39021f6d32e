"""What the words around an amount or a name speak for, whatever the wordings say: a second, learned opinion.

Wordings say what they were written for; a sentence that nobody thought of is claimed by the wrong one, or by none. The
judge weighs the words around every amount and name (``knowledge/language/spans.json``, learned from the labelled
messages). A fact that it holds to be none is asked about; an amount that no wording claimed is asked about, and taken
where hardly anything else is possible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.vocabulary.questionnaire import FIELDS
from assistant.vocabulary.utterance import Doubt

from . import attach
from .attach import Fact
from .counting import Scale
from .learned import Learned
from .reading import NAMES, Reading
from .scopes import denial_of
from .templates import Quantity
from .text import ENGLISH, Token, ends_sentence

NETWORK, FABRIC = "network", "cluster.fabric"
NONE, NODES, GPUS, PER_NODE = "none", "nodes", "cluster.gpus", "cluster.gpus_per_node"
_COUNTS = frozenset({GPUS, NODES, PER_NODE})
# Of 517 amounts and names of 220 messages kept out of the learning: below 0.05 lay 4 % of what was claimed rightly
# and two fifths of what was claimed wrongly; from 0.65 on seven of ten proposals were right, from 0.95 on all.
_DOUBTED, _ASKED, _TAKEN = 0.05, 0.65, 0.95
_ELSE = 0.9  # that it is something else, or nothing: a number of which nothing is sure stays as it was claimed
_NEAR = 8  # tokens on either side
_COMPUTED_FROM = frozenset(
    {"tokens", "per_gpu", "epochs", "links", "over"}
)  # roles of what is not the value as it stands
_PLAIN_ROLES = frozenset({"gpus", "nodes", "per_node", "them", "gpu", "instance", "old"})  # what is labelled: no racks
_STATED_IN = frozenset({"describe", "change", "what-if"})  # a question works with what it supposes
_NOT_OF_OFFERS = frozenset({"cluster.provider", "budget.gpu_hour_usd", "budget.usd", "budget.usd_per_month"})
_UNREAD = frozenset({"product", "fabric", "length"})


@dataclass(frozen=True)
class Stretch:
    """An amount or a name with every reading of it: ``quantities`` begin at one token, the longest first."""

    quantities: Sequence[Quantity]

    @property
    def start(self) -> int:
        return self.quantities[0].start

    @property
    def end(self) -> int:
        return self.quantities[0].end


def stretches(reading: Reading) -> list[Stretch]:
    """Every amount and name of a message, in order; what lies within the name of a network goes with it."""
    inside = {at for mention in reading.mentions for at in mention.claimed}
    starting = {m.start: [Quantity(NETWORK, m.technology, m.start, m.end)] for m in reading.mentions}
    for quantity in (q for q in reading.quantities if q.start not in inside):
        if quantity.kind not in _UNREAD:
            starting.setdefault(quantity.start, []).append(quantity)
    plain = ("sum", "large", "decimal", "size")
    return [Stretch(sorted(found, key=lambda q: (-q.end, q.kind in plain))) for _, found in sorted(starting.items())]


def features(reading: Reading, stretch: Stretch) -> list[str]:
    """What a stretch is and what stands around it: the three words on each side, all near it, those of the message."""
    longest = stretch.quantities[0]
    kinds = {q.start: "_" + q.kind for q in reversed(reading.spans)}
    before = _words(reading.text.tokens, range(stretch.start - 1, -1, -1), kinds)
    behind = _words(reading.text.tokens, range(stretch.end, len(reading.text.tokens)), kinds)
    found = {f"K:{q.kind}:{q.unit}" for q in stretch.quantities} | {f"k:{longest.kind}"}
    found |= {f"m:{longest.kind}{_magnitude(longest.value)}", f"ba:{before[0]} {behind[0]}"}
    found |= {f"b{n}:{word}" for n, word in enumerate(before[:3])} | {
        f"a{n}:{word}" for n, word in enumerate(behind[:3])
    }
    found |= {"bb:" + " ".join(before[1::-1]), "aa:" + " ".join(behind[:2])}
    found |= {f"C:{word}" for word in (*before, *behind)}
    found |= {f"S:{token.stem}" for token in reading.text.tokens if token.is_word}
    found |= {f"asked:{reading.context.asked}", f"w:{reading.context.fields.get('workload')}", f"act:{reading.act}"}
    found |= {f"scope:{kind}" for kind in reading.kinds(stretch.start, stretch.end)}
    return sorted(found)


def _words(tokens: Sequence[Token], places: range, kinds: Mapping[int, str]) -> list[str]:
    """The words on one side up to the end of the sentence, amounts and names as their kind."""
    found: list[str] = []
    for at in places[:_NEAR]:
        if ends_sentence(tokens, at):
            break
        found.append(kinds.get(at, tokens[at].stem))
    return found if len(found) == _NEAR else [*found, "_end"]


def _magnitude(value: Any) -> str:
    """The digits before the point; of a power of two besides, as lengths and counts are."""
    if not isinstance(value, (int, float)):
        return ""
    whole = int(abs(value))
    return f"{len(str(whole)) if whole else 0}{'p' if whole == value and whole and whole & (whole - 1) == 0 else ''}"


class Judge:
    """The stage behind the facts: doubts what is likely none, proposes what nobody claimed."""

    def __init__(self, learned: Learned) -> None:
        self._learned = learned

    def settle(self, reading: Reading, live: Sequence[Fact]) -> None:
        """Asks about facts of ``live`` that the words around them do not speak for, and about amounts left over."""
        if reading.act not in _STATED_IN or reading.text.language != ENGLISH:
            return
        found = {one.start: one for one in stretches(reading)}
        likely = {at: self._learned.likely(features(reading, one)) for at, one in found.items()}
        counts = [fact for fact in live if fact.says.act == "count"]
        for fact in (*reading.planned(counts), *(fact for fact in live if fact.says.act != "count")):
            if not _said_twice(fact, counts):
                self._doubt(reading, fact, likely)
        self._doubt_network(reading, [each for at, each in likely.items() if found[at].quantities[0].kind == NETWORK])
        claimed = {at for fact in live for at in fact.claimed} | reading.quiet
        for at, one in found.items():
            if at not in claimed and one.quantities[0].kind != NETWORK:
                self._propose(reading, one, likely[at])

    def _doubt(self, reading: Reading, fact: Fact, likely: Mapping[int, Mapping[str, float]]) -> None:
        places = {q.start for q in fact.slots.values()} | {fact.start}
        weighed = [likely[at] for at in places if at in likely and "old" not in fact.slots]  # "not 8 servers but 6"
        strange = reading.act == "describe" and "uncertain" in reading.kinds(fact.start, fact.end)
        for path in _fields_of(fact):
            classes = _COUNTS if path in _COUNTS else {path}
            classes = {NAMES["gpu"]} if any(q.kind == "instance" for q in fact.slots.values()) else classes
            known = path in reading.fields and path != reading.context.asked
            none = path in self._learned.classes and _is_none_of(classes, weighed)
            if known and (strange or none) and _says(fact, path, reading.fields[path]):
                said = reading.text.typed(fact.start, fact.end)
                reading.doubts.append(_question(path, reading.fields.pop(path), said))
                for other in [other for other, cause in reading.follows.items() if cause == path]:
                    reading.fields.pop(other, None)

    def _doubt_network(self, reading: Reading, weighed: Sequence[Mapping[str, float]]) -> None:
        fabric = reading.fields.get(FABRIC)
        if fabric is None or reading.context.asked == FABRIC or not _is_none_of({FABRIC}, weighed):
            return
        del reading.fields[FABRIC]
        reading.doubts.append(Doubt(FABRIC, "is that network what connects the machines?", (fabric,)))

    def _propose(self, reading: Reading, stretch: Stretch, likely: Mapping[str, float]) -> None:
        path = max(likely, key=lambda one: likely[one])
        if path == NONE or likely[path] < _ASKED:
            return
        path, value = _value(reading, stretch, path)
        settled = {*reading.fields, *reading.unset, *(doubt.field for doubt in reading.doubts)}
        settled |= _NOT_OF_OFFERS if reading.offers else set()
        if value is None or path in settled or reading.context.fields.get(path) == value:
            return
        span = range(stretch.start, stretch.end)
        meant = not reading.kinds(stretch.start, stretch.end) and not denial_of(
            reading.scopes, stretch.start, stretch.end, frozenset()
        )
        reading.taken |= set(span)
        if meant and likely[path] >= _TAKEN:
            reading.fields[path] = value
        else:
            reading.doubts.append(_question(path, value, reading.text.typed(stretch.start, stretch.end)))


def _is_none_of(classes: Collection[str], weighed: Sequence[Mapping[str, float]]) -> bool:
    """Whether each of some stretches is almost surely something else than these classes."""
    rest = lambda each: max((odds for one, odds in each.items() if one not in classes), default=0.0)
    said = lambda each: sum(each.get(one, 0.0) for one in classes)
    return bool(weighed) and all(said(each) < _DOUBTED and rest(each) >= _ELSE for each in weighed)


def _said_twice(fact: Fact, counts: Sequence[Fact]) -> bool:
    """Whether another count of the message comes to as many GPUs: "512 H100 (64 nodes of 8)" leaves nothing to ask."""
    totals = [
        (other, _multiplied(other.value) or other.value.gpus) for other in counts if isinstance(other.value, Scale)
    ]
    mine = next((total for other, total in totals if other is fact), None)
    return mine is not None and any(total == mine and other.start != fact.start for other, total in totals)


def _multiplied(scale: Scale) -> float | None:
    return scale.nodes * scale.per_node if scale.nodes and scale.per_node else None


def _fields_of(fact: Fact) -> Iterator[str]:
    """The fields that a fact states; GPUs per node follow from a count and go with it."""
    if fact.says.act == "count" and not (fact.says.value or fact.slots.keys() - _PLAIN_ROLES):
        yield from (GPUS, PER_NODE, NAMES["gpu"], *(("cluster.provider",) if "instance" in fact.slots else ()))
    elif fact.says.act == "set" and not (fact.says.how or fact.slots.keys() & _COMPUTED_FROM):
        yield fact.says.field


def _says(fact: Fact, path: str, value: Any) -> bool:
    """Whether the value of a field comes from this fact: of a count all of it does, but for a name."""
    if fact.says.act == "count":
        names = {q.kind: q.value for q in fact.slots.values()}
        return path in _COUNTS or "instance" in names or names.get("gpu") == value
    return fact.value == value


def _value(reading: Reading, stretch: Stretch, path: str) -> tuple[str, Any]:
    """The field that a class stands for and what the stretch would be there; nothing where it can be none."""
    if path == NODES:
        each = reading.known(PER_NODE)
        number = next((q.value for q in stretch.quantities if q.kind == "number"), None)
        return GPUS, number * each if number and each else None
    if path in NAMES.values():
        return path, next((q.value for q in stretch.quantities if NAMES.get(q.kind) == path), None)
    return path, next((v for q in stretch.quantities if (v := attach.sensible(FIELDS[path], q, reading.today))), None)


def _question(path: str, value: Any, said: str) -> Doubt:
    about = FIELDS[path].about
    return Doubt(path, f'"{" ".join(said.split())}": is that meant as {about.label}?', (value,))
