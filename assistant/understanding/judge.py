"""What the words around an amount or a name speak for, whatever the wordings say: a second, learned opinion.

Wordings say what they were written for; a sentence that nobody thought of is claimed by the wrong one, or by none. The
judge weighs the words around every amount and name (``knowledge/language/spans.json``, learned from the labelled
messages). A fact that it holds to be none is asked about; an amount that no wording claimed is asked about, and taken
where hardly anything else is possible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.vocabulary.questionnaire import FIELDS
from assistant.vocabulary.utterance import Doubt

from . import attach
from .attach import Fact
from .learned import Learned
from .reading import NAMES, Reading
from .scopes import denial_of
from .templates import Quantity
from .text import ENGLISH, Token, ends_sentence

NETWORK, FABRIC = "network", "cluster.fabric"
NONE, NODES, GPUS, PER_NODE = "none", "nodes", "cluster.gpus", "cluster.gpus_per_node"
# Of what no wording claimed in 220 messages kept out of the learning, from 0.65 on seven of ten proposals were right,
# from 0.95 on all.
_ASKED, _TAKEN = 0.65, 0.95
_NEAR = 8  # tokens on either side
_STATED_IN = frozenset({"describe", "change", "what-if"})  # a question works with what it supposes
_NOT_OF_OFFERS = frozenset({"cluster.provider", "budget.gpu_hour_usd", "budget.usd", "budget.usd_per_month"})
_UNREAD = frozenset({"product", "fabric", "length"})

Odds = Mapping[str, float]  # the probability of every field of the learned weights


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

    def weighed(self, reading: Reading) -> list[tuple[Stretch, Odds]]:
        """Every amount and name, and how likely it is a value of every field."""
        return [(one, self._learned.likely(features(reading, one))) for one in stretches(reading)]

    def settle(self, reading: Reading, live: Sequence[Fact]) -> None:
        """Takes or asks about what no wording claimed."""
        if reading.act not in _STATED_IN or reading.text.language != ENGLISH:
            return
        claimed = {at for fact in live for at in fact.claimed} | reading.quiet
        for one, likely in self.weighed(reading):
            if one.start not in claimed and one.quantities[0].kind != NETWORK:
                self._propose(reading, one, likely)

    def _propose(self, reading: Reading, stretch: Stretch, likely: Odds) -> None:
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
