"""Wordings as data: small templates over tokens and quantities, compiled once and matched in one pass.

``(a|b c)`` is one of several, ``[x]`` may be missing, ``<name>`` is a set of words of ``words.yaml``, ``{number}`` a
quantity of that kind (``{time|date}`` of either, ``{role:number}`` when several are in one template), ``..`` up to four
words in between, ``_`` any one word, ``^`` and ``$`` the beginning and the end of the message, ``+`` no space before
what follows. A word stands for all its forms (``gather``, ``gathers``); ``=word`` for this form alone; ``~word`` has to
stand there and is left to other readings. Hyphens, colons, quotes and words such as "about" between the parts are
passed over.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .text import Token, cut, stem

# What a slot may stand for: amounts by dimension, names by what they name.
KINDS = frozenset(
    "number decimal large share size sum date dates time rate percent power memory money money-other gpu unknown-gpu "
    "generation model provider instance network fabric product".split()
)
_PART = re.compile(r"[()\[\]|~]|\{[^}]*\}|<[^>]*>|\.\.|[^\s()\[\]|<>{}~]+")
_NO_WORD = "\0"
SOFT = frozenset("-_~\"':=(*`)")
_MOST_SOFT = 2
_WIDEST_GAP = 4
_LONGEST, _SPARE = 48, 4  # tokens: no template reaches farther, or so far beyond the end of a sentence
_STOPS = frozenset(".;!?\n")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A typed stretch of a message: a number, an amount with its unit, or a name. Places count tokens."""

    kind: str
    value: Any
    start: int
    end: int
    unit: str = ""
    currency: str = ""  # of money: its code
    low: float | None = None  # of "5 to 7 weeks", whose value is the high end: the low one


Bindings = dict[str, Quantity]
Way = tuple[
    int, Bindings, tuple[int, ...]
]  # a place, what the slots hold so far, the tokens that are words of the template


@dataclass
class Source:
    """What templates are matched against."""

    tokens: Sequence[Token]
    starting: Mapping[int, list[Quantity]]  # quantities by the token at which they begin
    hedges: frozenset[str] = frozenset()  # words that may stand before a quantity: about, only, at least
    inside: frozenset[int] = frozenset()  # tokens of a name: they are no words
    ways: dict[tuple[_Node, int], list[Way]] = field(default_factory=dict, repr=False)  # of the sets, by place

    def __post_init__(self) -> None:
        self.texts = [_NO_WORD if n in self.inside else token.text for n, token in enumerate(self.tokens)]
        self.stems = [_NO_WORD if n in self.inside else token.stem for n, token in enumerate(self.tokens)]
        self._hard = [self._past_soft(at) for at in range(len(self.tokens) + 1)]
        self._places = [self._found(at) for at in range(len(self.tokens) + 1)]

    def _past_soft(self, at: int) -> int:
        last = min(at + _MOST_SOFT, len(self.tokens))
        return next((n for n in range(at, last) if self.tokens[n].text not in SOFT), last)

    def skip_soft(self, at: int) -> int:
        """The next place that is no hyphen, quote or the like."""
        return self._hard[min(at, len(self.tokens))]

    def _found(self, at: int) -> tuple[int, ...]:
        """A colon leads to a quantity, not back from one to a word: "3B: hidden 2560"."""
        crossed = any(self.tokens[n].text in ":=" for n in range(at, self._hard[at]))
        return tuple(n for n in dict.fromkeys((at, at if crossed else self._hard[at])) if n < len(self.tokens))

    @cached_property
    def where(self) -> _Places:
        """Where the words and quantities stand that templates need."""
        return _Places(self)

    def places(self, at: int) -> tuple[int, ...]:
        """Where a word that is expected at ``at`` may stand: there, or behind hyphens and the like."""
        return self._places[at] if at < len(self._places) else ()


@dataclass(frozen=True)
class Hit:
    """Where a template matched, what its slots hold, and which tokens are words of its own."""

    key: Any
    start: int
    end: int
    slots: Bindings
    own: tuple[int, ...]

    @property
    def claimed(self) -> frozenset[int]:
        """The tokens that this reading takes: words of the template and quantities, not what stands in a gap."""
        return frozenset(self.own).union(*(range(q.start, q.end) for q in self.slots.values()))


class _Node:
    """A part of a template: yields every way to go on from a place."""

    def go(self, source: Source, at: int, slots: Bindings, own: tuple[int, ...]) -> Iterator[Way]:
        raise NotImplementedError

    def first(self) -> set[str] | None:
        """What it can begin with: stems, ``{kind}`` for quantities; ``None`` for anything."""
        raise NotImplementedError

    def may_be_empty(self) -> bool:
        return False

    def needs(self) -> list[frozenset[str]]:
        """What has to be in the text for a match: of every set one, written as in :meth:`first`, of a quantity with its
        unit where one is asked for (``{money/month}``)."""
        begin = self.first()
        return [frozenset(begin)] if begin else []


@dataclass
class _Word(_Node):
    text: str
    exact: bool
    stem: str = ""

    def __post_init__(self) -> None:
        self.stem = self.text if self.exact else stem(self.text)

    def go(self, source: Source, at: int, slots: Bindings, own: tuple[int, ...]) -> Iterator[Way]:
        for place in source.places(at):
            if source.texts[place] == self.text or (not self.exact and source.stems[place] == self.stem):
                yield place + 1, slots, (*own, place)

    def first(self) -> set[str] | None:
        return {self.text} if self.exact else {self.stem, self.text}


@dataclass
class _OneWord(_Node):
    """One of several words, looked up at once."""

    texts: frozenset[str]
    stems: frozenset[str]

    def go(self, source: Source, at: int, slots: Bindings, own: tuple[int, ...]) -> Iterator[Way]:
        for place in source.places(at):
            if source.texts[place] in self.texts or source.stems[place] in self.stems:
                yield place + 1, slots, (*own, place)

    def first(self) -> set[str] | None:
        return set(self.texts | self.stems)


@dataclass
class _Slot(_Node):
    role: str
    kind: str

    def go(self, source: Source, at: int, slots: Bindings, own: tuple[int, ...]) -> Iterator[Way]:
        at = source.skip_soft(at)
        for _ in range(4):
            for quantity in source.starting.get(at, ()):
                if any(fits(quantity, kind) for kind in self.kind.split("|")):
                    yield quantity.end, {**slots, self.role: quantity}, own
            if at < len(source.tokens) and source.tokens[at].text in source.hedges:
                at = source.skip_soft(at + 1)
            else:
                return

    def first(self) -> set[str] | None:
        return {"{" + kind.split("/")[0] + "}" for kind in self.kind.split("|")}

    def needs(self) -> list[frozenset[str]]:
        return [frozenset("{" + kind + "}" for kind in self.kind.split("|"))]


def fits(quantity: Quantity, kind: str) -> bool:
    """Whether a quantity is of a kind: ``money`` is any money, ``money/month`` money per month, ``money/`` money in
    all."""
    name, slash, unit = kind.partition("/")
    return quantity.kind == name and (not slash or quantity.unit == unit)


class _Any(_Node):
    """Any one word."""

    def go(self, source: Source, at: int, slots: Bindings, own: tuple[int, ...]) -> Iterator[Way]:
        if at < len(source.tokens) and source.tokens[at].text not in _STOPS:
            yield at + 1, slots, own

    def first(self) -> set[str] | None:
        return None


class _Gap(_Node):
    """Up to four words, not across the end of a sentence."""

    def go(self, source: Source, at: int, slots: Bindings, own: tuple[int, ...]) -> Iterator[Way]:
        for place in range(at, min(at + _WIDEST_GAP, len(source.tokens)) + 1):
            yield place, slots, own
            if place < len(source.tokens) and source.tokens[place].text in _STOPS:
                return

    def first(self) -> set[str] | None:
        return None

    def may_be_empty(self) -> bool:
        return True


class _Glued(_Node):
    """Nothing, not even a space, before what follows."""

    def go(self, source: Source, at: int, slots: Bindings, own: tuple[int, ...]) -> Iterator[Way]:
        if at < len(source.tokens) and source.tokens[at].glued:
            yield at, slots, own

    def first(self) -> set[str] | None:
        return set()

    def may_be_empty(self) -> bool:
        return True


@dataclass
class _Edge(_Node):
    """The beginning or the end of the message, marks aside."""

    begin: bool

    def go(self, source: Source, at: int, slots: Bindings, own: tuple[int, ...]) -> Iterator[Way]:
        rest = source.tokens[max(0, at - 3) : at] if self.begin else source.tokens[at : at + 4]
        if (at <= 3 if self.begin else len(source.tokens) - at <= 3) and not any(
            t.is_word or t.is_number for t in rest
        ):
            yield at, slots, own

    def first(self) -> set[str] | None:
        return set()

    def may_be_empty(self) -> bool:
        return True


@dataclass
class _Sequence(_Node):
    parts: list[_Node] = field(default_factory=list)

    def go(self, source: Source, at: int, slots: Bindings, own: tuple[int, ...]) -> Iterator[Way]:
        yield from self._from(0, source, at, slots, own)

    def _from(self, n: int, source: Source, at: int, slots: Bindings, own: tuple[int, ...]) -> Iterator[Way]:
        if n == len(self.parts):
            yield at, slots, own
            return
        for place, bound, seen in self.parts[n].go(source, at, slots, own):
            yield from self._from(n + 1, source, place, bound, seen)

    def first(self) -> set[str] | None:
        found: set[str] = set()
        for part in self.parts:
            begin = part.first()
            if begin is None:
                return None
            found |= begin
            if not part.may_be_empty():
                return found
        return found

    def needs(self) -> list[frozenset[str]]:
        return [need for part in self.parts for need in part.needs()]

    def may_be_empty(self) -> bool:
        return all(part.may_be_empty() for part in self.parts)


@dataclass
class _Choice(_Node):
    options: list[_Node]
    optional: bool = False

    def go(self, source: Source, at: int, slots: Bindings, own: tuple[int, ...]) -> Iterator[Way]:
        for option in self.options:
            yield from option.go(source, at, slots, own)
        if self.optional:
            yield at, slots, own

    def first(self) -> set[str] | None:
        begins = [option.first() for option in self.options]
        return None if any(begin is None for begin in begins) else set().union(*(b for b in begins if b is not None))

    def needs(self) -> list[frozenset[str]]:
        each = [min(option.needs(), key=len, default=frozenset()) for option in self.options]
        return [] if self.optional or not all(each) else [frozenset().union(*each)]

    def may_be_empty(self) -> bool:
        return self.optional or any(option.may_be_empty() for option in self.options)


@dataclass
class _Beside(_Node):
    """What has to stand there and belongs to another reading."""

    inner: _Node

    def go(self, source: Source, at: int, slots: Bindings, own: tuple[int, ...]) -> Iterator[Way]:
        for place, _, _ in self.inner.go(source, at, {}, ()):
            yield place, slots, own

    def first(self) -> set[str] | None:
        return self.inner.first()

    def needs(self) -> list[frozenset[str]]:
        return self.inner.needs()

    def may_be_empty(self) -> bool:
        return self.inner.may_be_empty()


class _Shared(_Node):
    """A set of words that many templates name: what it begins with and needs is worked out once, and so is, in a
    message, how it may go on from a place."""

    def __init__(self, inner: _Node) -> None:
        self._inner, self._first, self._needs = inner, inner.first(), inner.needs()
        self._empty = inner.may_be_empty()

    def go(self, source: Source, at: int, slots: Bindings, own: tuple[int, ...]) -> Iterator[Way]:
        ways = source.ways.get((self, at))
        if ways is None:
            ways = source.ways[self, at] = list(self._inner.go(source, at, {}, ()))
        for place, bound, seen in ways:
            yield place, {**slots, **bound} if bound else slots, own + seen

    def first(self) -> set[str] | None:
        return self._first

    def may_be_empty(self) -> bool:
        return self._empty

    def needs(self) -> list[frozenset[str]]:
        return self._needs


def _choice(options: list[_Sequence]) -> _Choice:
    """Alternatives of which those that are one word are looked up together."""
    words = [o.parts[0] for o in options if len(o.parts) == 1 and isinstance(o.parts[0], _Word)]
    if len(words) < 2:
        return _Choice(list(options))
    one = _OneWord(frozenset(w.text for w in words), frozenset(w.stem for w in words if not w.exact))
    others = [o for o in options if not (len(o.parts) == 1 and isinstance(o.parts[0], _Word))]
    return _Choice([one, *others])


class TemplateError(ValueError):
    """A template that cannot be read, with the sentence that says why."""


class Compiler:
    """Reads templates; ``sets`` are the words behind ``<name>``, themselves written as a template."""

    def __init__(self, sets: Mapping[str, str]) -> None:
        self._sets = sets
        self._compiled: dict[str, _Node] = {}
        self._leaves: dict[str, _Node] = {}  # the same few thousand words make all templates
        self.vocabulary: set[str] = set()  # every word of the templates that were read

    def read(self, template: str) -> _Node:
        parts = _PART.findall(template)
        node, after = self._sequence(parts, 0)
        if after != len(parts):
            raise TemplateError(f'"{template}": "{parts[after]}" closes nothing')
        return node

    def _sequence(self, parts: list[str], at: int) -> tuple[_Node, int]:
        options: list[_Sequence] = []
        sequence = _Sequence()
        while at < len(parts) and parts[at] not in (")", "]"):
            if parts[at] == "|":
                options.append(sequence)
                sequence, at = _Sequence(), at + 1
                continue
            node, at = self._part(parts, at)
            sequence.parts.append(node)
        return (_choice([*options, sequence]) if options else sequence), at

    def _part(self, parts: list[str], at: int) -> tuple[_Node, int]:
        part = parts[at]
        if part == "~":
            inner, end = self._part(parts, at + 1)
            return _Beside(inner), end
        if part in ("(", "["):
            inner, end = self._sequence(parts, at + 1)
            if end >= len(parts) or parts[end] != {"(": ")", "[": "]"}[part]:
                raise TemplateError(f'"{" ".join(parts)}": "{part}" is not closed')
            return (_Choice([inner], optional=True) if part == "[" else inner), end + 1
        if part not in self._leaves:
            self._leaves[part] = self._leaf(part)
        return self._leaves[part], at + 1

    def _leaf(self, part: str) -> _Node:
        if part.startswith("<"):
            return self._set(part[1:-1])
        if part.startswith("{"):
            role, _, kind = part[1:-1].rpartition(":")
            unknown = {one.split("/")[0] for one in kind.split("|")} - KINDS
            if unknown:
                named = ", ".join(sorted(KINDS))
                raise TemplateError(f"{{{kind}}} is no kind of quantity; known: {named}")
            return _Slot(role or kind, kind)
        if part in ("..", "_", "^", "$", "+"):
            return {"..": _Gap(), "_": _Any(), "^": _Edge(True), "$": _Edge(False), "+": _Glued()}[part]
        words = cut(part[1:] if part.startswith("=") else part)
        self.vocabulary |= {word.text for word in words if word.is_word}
        nodes: list[_Node] = [_Word(word.text, part.startswith("=")) for word in words]
        return nodes[0] if len(nodes) == 1 else _Sequence(nodes)

    def _set(self, name: str) -> _Node:
        if name not in self._sets:
            raise TemplateError(f"<{name}> is no set of words; known: {', '.join(sorted(self._sets))}")
        if name not in self._compiled:
            self._compiled[name] = _Shared(self.read(self._sets[name]))
        return self._compiled[name]


@dataclass(frozen=True)
class _Template:
    """One template: what a hit of it means, and what has to be near for one, its beginning aside."""

    key: Any
    node: _Node
    needs: tuple[frozenset[str], ...]


class _Places:
    """Where in a text the words and quantities stand that templates need: most templates are ruled out at a glance."""

    def __init__(self, source: Source) -> None:
        self.begins = [
            dict.fromkeys((token.text, token.stem, *("{" + q.kind + "}" for q in source.starting.get(at, ()))))
            for at, token in enumerate(source.tokens)
        ]
        self._at: dict[str, list[int]] = defaultdict(list)
        for at, keys in enumerate(self.begins):
            units = ("{" + q.kind + "/" + q.unit + "}" for q in source.starting.get(at, ()))
            for key in (*keys, *dict.fromkeys(units)):
                self._at[key].append(at)
        self._merged: dict[frozenset[str], list[int]] = {}
        ends = _sentence_ends(source.tokens)
        self._last = [min(end, at + _LONGEST) for at, end in enumerate(ends)]

    def possible(self, templates: Iterable[_Template]) -> list[_Template]:
        """The templates of which everything that they need is somewhere in the text."""
        return [t for t in templates if all(map(self._where, t.needs))]

    def near(self, needs: Iterable[frozenset[str]], at: int) -> bool:
        """Whether all that is needed stands between ``at`` and the end of the sentence."""
        last = self._last[at]
        for need in needs:
            places = self._where(need)
            following = bisect_left(places, at)
            if following == len(places) or places[following] > last:
                return False
        return True

    def _where(self, need: frozenset[str]) -> list[int]:
        places = self._merged.get(need)
        if places is None:
            places = self._merged[need] = sorted({p for key in need & self._at.keys() for p in self._at[key]})
        return places


def _sentence_ends(tokens: Sequence[Token]) -> list[int]:
    """For every token where its sentence ends, with some tokens to spare for marks inside of words."""
    ends, end = [0] * len(tokens), len(tokens)
    for at in range(len(tokens) - 1, -1, -1):
        if tokens[at].text in _STOPS and not (at + 1 < len(tokens) and tokens[at + 1].glued):
            end = at
        ends[at] = end + _SPARE
    return ends


class Matcher:
    """Many templates at once, found by what they begin with."""

    def __init__(self, compiler: Compiler, templates: Iterable[tuple[Hashable, str]]) -> None:
        self._by_first: dict[str, list[_Template]] = defaultdict(list)
        for key, template in templates:
            try:
                node = compiler.read(template)
            except TemplateError as error:
                raise TemplateError(f"{getattr(key, 'field', key)}: {error}") from None
            begins = node.first()
            if begins is None or node.may_be_empty():
                raise TemplateError(f'"{template}" must begin with a word or a quantity')
            needs = sorted(set(node.needs()), key=len)
            for begin in begins:
                after = tuple(need for need in needs if begin not in need)
                self._by_first[begin].append(_Template(key, node, after))

    def hits(self, source: Source) -> list[Hit]:
        """The longest match of every template at every place."""
        places = source.where
        possible = {
            begin: found
            for begin in dict.fromkeys(key for keys in places.begins for key in keys)
            if begin in self._by_first and (found := places.possible(self._by_first[begin]))
        }
        return [hit for at in range(len(source.tokens)) for hit in self._from(source, at, possible, places)]

    def at(self, source: Source, at: int) -> list[Hit]:
        """The longest match of every template that begins at one place."""
        return list(self._from(source, at, self._by_first, source.where)) if at < len(source.tokens) else []

    def _from(
        self, source: Source, at: int, templates: Mapping[str, Sequence[_Template]], places: _Places
    ) -> Iterator[Hit]:
        tried: set[int] = set()
        for begin in places.begins[at]:
            for template in templates.get(begin, ()):
                if id(template.node) not in tried and places.near(template.needs, at):
                    tried.add(id(template.node))
                    if hit := _longest(template.key, template.node, source, at):
                        yield hit


def _longest(key: Any, node: _Node, source: Source, at: int) -> Hit | None:
    best = max(node.go(source, at, {}, ()), key=lambda way: (way[0], len(way[2])), default=None)
    return Hit(key, at, best[0], best[1], best[2]) if best and best[0] > at else None
