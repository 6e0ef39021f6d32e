"""How often a pattern of ``re`` can read the same text in different ways, which is what makes it slow.

Python tries one way after the other. Where a loop can go round in two ways over the same characters, their number grows
exponentially; where two loops one after the other can share the same characters, it grows by one power for each such
pair (Weber and Seidl 1991, "On the degree of ambiguity of finite automata"). Both are properties of the automaton of a
pattern and are decided here on it, not by timing. Looks around and anchors are taken as always fulfilled, which can
only find more ways than there are.
"""

from __future__ import annotations

import importlib
import itertools
import pkgutil
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]

_MANY = 64  # from so many repetitions on a bounded loop counts as one without an end
_COPIES = 2  # of what is repeated less often
_SAMPLES = "\t\n\r !\"#$%&'()*+,-./0189:;<=>?@AFZ[\\]^_`afkxz{|}~\u00a0²éß٣漢\U0001f600"
_LOOPS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)
# Matched for themselves, once: what is inside is looked at apart.
_APART = (_constants.ATOMIC_GROUP, _constants.POSSESSIVE_REPEAT, _constants.ASSERT, _constants.ASSERT_NOT)
_NOTHING = (_constants.AT, _constants.GROUPREF, _constants.GROUPREF_EXISTS)  # read nothing, or what was read before


@dataclass
class _Part:
    """A piece of a pattern: in how many ways it can be empty, and begin and end with each place."""

    empty: int = 1
    first: Counter[int] = field(default_factory=Counter)
    last: Counter[int] = field(default_factory=Counter)


def _ways(times: int, ends: Counter[int]) -> Counter[int]:
    return Counter({place: ways * times for place, ways in ends.items() if times})


@dataclass
class Automaton:
    """The places of a pattern (Glushkov 1961): what each reads, as a bit for each sample, and what may follow it, by
    how many ways."""

    reads: list[int] = field(default_factory=list)
    follow: list[Counter[int]] = field(default_factory=list)
    apart: list[object] = field(default_factory=list)  # what is matched for itself: looks around, atomic groups


def degree(pattern: str, flags: int = 0) -> float:
    """The power of the length by which the number of ways grows, at one beginning: 0 where it is bounded, infinite
    where it grows exponentially."""
    todo, worst = [_parser.parse(pattern, flags)], 0.0
    while todo:
        automaton = _Building(todo.pop(), flags).automaton
        worst = max(worst, _degree(automaton))
        todo += automaton.apart
    return worst


class _Building:
    """An automaton while it is built from a parsed pattern."""

    def __init__(self, tree, flags: int) -> None:
        self.automaton = Automaton()
        self._state, self._flags = tree.state, flags | tree.state.flags & ~re.VERBOSE
        self._samples = sorted({*_SAMPLES, *_literals(tree)})
        self._masks: dict[str, int] = {}
        self.sequence(tree)

    def sequence(self, items) -> _Part:
        whole = _Part()
        for item in items:
            whole = self._joined(whole, self._of(*item))
        return whole

    def _of(self, kind, value) -> _Part:
        if kind in _LOOPS:
            return self._repeated(*value)
        if kind is _constants.SUBPATTERN:
            return self.sequence(value[-1])
        if kind is _constants.BRANCH:
            return self._either([self.sequence(branch) for branch in value[1]])
        if kind in _APART:
            self.automaton.apart.append(value if kind is _constants.ATOMIC_GROUP else value[-1])
            return _Part()
        return _Part() if kind in _NOTHING else self._place(kind, value)

    def _place(self, kind, value) -> _Part:
        self.automaton.reads.append(self._mask(kind, value))
        self.automaton.follow.append(Counter())
        here = Counter({len(self.automaton.reads) - 1: 1})
        return _Part(0, here, here)

    def _mask(self, kind, value) -> int:
        written = repr((kind, value))
        if written not in self._masks:
            matches = _compiler.compile(_parser.SubPattern(self._state, [(kind, value)]), self._flags).fullmatch
            self._masks[written] = sum(1 << at for at, sample in enumerate(self._samples) if matches(sample))
        return self._masks[written]

    def _either(self, parts: list[_Part]) -> _Part:
        first, last = (sum((getattr(part, end) for part in parts), Counter()) for end in ("first", "last"))
        return _Part(sum(part.empty for part in parts), first, last)

    def _joined(self, one: _Part, other: _Part) -> _Part:
        for end, ways in one.last.items():
            for begin, more in other.first.items():
                self.automaton.follow[end][begin] += ways * more
        first = one.first + _ways(one.empty, other.first)
        last = other.last + _ways(other.empty, one.last)
        return _Part(one.empty * other.empty, first, last)

    def _repeated(self, low: int, high: int, body) -> _Part:
        if high >= _MANY:
            part = self.sequence(body)
            self._joined(part, part)
            return _Part(part.empty + (low == 0), part.first, part.last)
        whole = _Part()
        for copy in range(min(high, max(low, _COPIES))):
            part = self.sequence(body)
            whole = self._joined(whole, _Part(part.empty + (copy >= low), part.first, part.last))
        return whole


def _literals(items) -> set[str]:
    """A character of each literal and the ends of each range, with their neighbours, in small and capital letters."""
    found: set[int] = set()

    def look(value: object) -> None:
        if isinstance(value, tuple) and len(value) == 2 and value[0] in (_constants.LITERAL, _constants.NOT_LITERAL):
            found.add(value[1])
        elif isinstance(value, tuple) and len(value) == 2 and value[0] is _constants.RANGE:
            found.update((*value[1], value[1][0] - 1, value[1][1] + 1))
        elif isinstance(value, (tuple, list, _parser.SubPattern)):
            for one in value:
                look(one)

    look(items)
    return {form for one in found if 0 <= one < 0x110000 for form in (chr(one), chr(one).lower(), chr(one).upper())}


def _degree(automaton: Automaton) -> float:
    circles = _circles([list(follow) for follow in automaton.follow])
    loops = [at for at, circle in circles.items() if circle]
    if any(_two_ways(automaton, circles, at) for at in loops):
        return float("inf")
    after = {
        (one, other)
        for one, other in itertools.permutations(loops, 2)
        if circles[one] != circles[other] and _shared(automaton, circles, one, other)
    }

    @cache
    def longest(loop: frozenset[int]) -> int:
        return max((1 + longest(circles[other]) for one, other in after if one in loop), default=0)

    return max((longest(circles[loop]) for loop in loops), default=0)


def _circles(follow: list[list[int]]) -> dict[int, frozenset[int]]:
    """The places that each one can go to and come back from; none for one that is in no loop."""
    reach = [_reachable(follow, at) for at in range(len(follow))]
    return {at: frozenset(one for one in reach[at] if at in reach[one]) for at in range(len(follow))}


def _reachable(follow: list[list[int]], at: int) -> set[int]:
    seen: set[int] = set()
    todo = list(follow[at])
    while todo:
        if (one := todo.pop()) not in seen:
            seen.add(one)
            todo += follow[one]
    return seen


def _two_ways(automaton: Automaton, circles: dict[int, frozenset[int]], start: int) -> bool:
    """Whether two ways lead from a place back to it over the same characters."""
    circle, seen, todo = circles[start], set(), [(start, start, False)]
    while todo:
        one, other, parted = todo.pop()
        for left, ways in automaton.follow[one].items():
            for right in automaton.follow[other]:
                if not {left, right} <= circle or not automaton.reads[left] & automaton.reads[right]:
                    continue
                now = parted or left != right or ways > 1
                if now and left == right == start:
                    return True
                if (left, right, now) not in seen:
                    seen.add((left, right, now))
                    todo.append((left, right, now))
    return False


def _shared(automaton: Automaton, circles: dict[int, frozenset[int]], one: int, other: int) -> bool:
    """Whether the same characters lead round the first loop, from it to the second, and round the second."""
    seen, todo = set(), [(one, one, other)]
    while todo:
        first, between, second = todo.pop()
        for a, b, c in itertools.product(
            circles[one] & automaton.follow[first].keys(),
            automaton.follow[between],
            circles[other] & automaton.follow[second].keys(),
        ):
            if not automaton.reads[a] & automaton.reads[b] & automaton.reads[c]:
                continue
            if (a, b, c) == (one, other, other):
                return True
            if (a, b, c) not in seen:
                seen.add((a, b, c))
                todo.append((a, b, c))
    return False


def compiled_by_the_program() -> dict[tuple[str, int], str]:
    """Every pattern that is compiled while all modules are imported and a message is heard, and where. For a process
    of its own: what was imported before is not seen."""
    seen: dict[tuple[str, int], str] = {}
    compiled = _compiler.compile

    def noted(pattern, flags=0):
        frame = sys._getframe(1)
        while frame.f_globals.get("__name__", "").partition(".")[0] in ("re", "functools"):
            frame = frame.f_back
        if isinstance(pattern, str) and frame.f_globals.get("__name__", "").startswith("assistant."):
            seen.setdefault((pattern, int(flags)), f"{frame.f_globals['__name__']}:{frame.f_lineno}")
        return compiled(pattern, flags)

    _compiler.compile = noted
    import assistant

    for module in pkgutil.walk_packages(assistant.__path__, "assistant."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    from assistant.library import load
    from assistant.understanding import Listener

    library = load()
    Listener._anew(library.language, library.catalog).hear("64 H100 with 400 Gb/s InfiniBand for $3 per hour")
    return seen


if __name__ == "__main__":
    found = compiled_by_the_program()
    print(len(found))
    for (pattern, flags), where in sorted(found.items(), key=lambda one: one[1]):
        if power := degree(pattern, flags):
            print(f"{where}: grows with power {power:g}: {pattern}")
