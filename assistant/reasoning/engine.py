"""The seam to durable_rules: patterns and facts in, matches out. Nothing else in the project imports it.

The package is a C extension that nobody releases any more, with behaviour that its documentation leaves out. What a
caller could run into is made impossible here:

- Sessions that are never deleted end in a segmentation fault: every run deletes its own, also after an error.
- Hosts leak and hang: there is one per process, and a forked child starts its own. Its timer threads, which could take
  a session's rules away from the caller, are not started; calls from several threads wait for each other.
- A fact that no rule matches is an error there, and in a batch it can crash: every ruleset keeps every fact through a
  rule that never fires.
- Deleting a session in which nothing ever fired frees memory that was never set (``createStateNode`` leaves
  ``context.messages`` as it was): every session begins with a rule that fires and does nothing.
- Comparing a word with a number compares their spelling (``"unknown" >= 10`` holds), and ``1`` equals ``True``: numbers
  and words are kept under different property names, flags become words.
- Numbers with exponents, ``nan`` and infinity break its reader, in a batch without a word: they are refused or rounded
  before they get there.
- An exception inside an action is swallowed: it is kept and raised with the id of the rule.
- Building a ruleset changes the definition it is given: it is built from scratch here.
- One fact that makes a hundred rules fire is an error: a ruleset has at most :data:`LARGEST_RULESET` rules.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import durable_rules_engine
from durable.engine import Host, MessageNotHandledException, MessageObservedException

LARGEST_RULESET = 20
# durable_rules reads numbers without exponents, which is how Python writes them between these two.
SMALLEST_NUMBER, LARGEST_NUMBER = 1e-4, 1e15

Operator = Literal["is", "is not", "at_least", "at_most", "more_than", "less_than"]
Value = bool | int | float | str
Fact = Mapping[str, Value]

_OPERATORS = {"is not": "$neq", "at_least": "$gte", "at_most": "$lte", "more_than": "$gt", "less_than": "$lt"}
_RESERVED = {"id", "sid", "kind"}


class EngineError(RuntimeError):
    """The rules engine was given something it cannot work with, or failed; names the rule or the fact."""


@dataclass(frozen=True)
class Property:
    """A property of a fact compared with a value, or with any of several."""

    field: str
    operator: Operator
    value: Value | tuple[Value, ...]


@dataclass(frozen=True)
class Pattern:
    """One fact a rule needs; ``absent``: no such fact may be there when the session starts.

    ``same`` joins: each ``(field, pattern, field of that pattern)`` must be equal; that pattern stands earlier in the
    rule.
    """

    name: str
    kind: str
    tests: tuple[Property, ...] = ()
    same: tuple[tuple[str, str, str], ...] = ()
    absent: bool = False


@dataclass(frozen=True)
class Match:
    """A rule that fired and the ids of the facts it fired on, by pattern name."""

    rule: str
    facts: dict[str, str]


@dataclass(frozen=True)
class EngineRule:
    """A rule fires once for every combination of facts that its patterns match."""

    id: str
    patterns: tuple[Pattern, ...]


Then = Callable[[Match], Iterable[Fact]]


def _nothing(match: Match) -> Iterable[Fact]:
    return ()


class _QuietHost(Host):
    """A host without its two timer threads: nothing here uses timers, and they would run rules beside the caller."""

    def _run(self) -> None:
        pass


class _Process:
    """What this process shares: the host, a lock, the rulesets already built and the run in progress."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.host: Host | None = None
        self.built: set[str] = set()
        self.session = itertools.count()
        self.run: _Run | None = None

    def ensure(self, name: str, definition: Callable[[], dict[str, Any]]) -> Host:
        """The host, with this ruleset in it."""
        if self.host is None:
            self.host = _QuietHost()
        if name not in self.built:
            self.host.set_rulesets({name: definition()})
            self.built.add(name)
        return self.host


_process = _Process()


def _start_afresh() -> None:
    global _process
    _process = _Process()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)


class Ruleset:
    """Rules that are matched together. Equal rulesets are built once per process, however often they are made."""

    def __init__(self, rules: Sequence[EngineRule]) -> None:
        if len(rules) > LARGEST_RULESET:
            named = ", ".join(rule.id for rule in rules)
            raise EngineError(f"a ruleset holds at most {LARGEST_RULESET} rules, got {len(rules)}: {named}")
        if len({rule.id for rule in rules}) < len(rules):
            raise EngineError("two rules of a ruleset have the same id")
        self.rules = tuple(rules)
        self._conditions = [[_pattern(pattern) for pattern in rule.patterns] for rule in rules]
        self.name = "rules-" + hashlib.sha256(repr(self._conditions).encode()).hexdigest()[:16]

    def run(self, facts: Iterable[Fact], then: Then = _nothing) -> list[Match]:
        """Every match over these facts and those that ``then`` adds, in the order they fired.

        ``then`` is called at each match, while rules still fire, and returns facts to add: that is how rules chain.
        Facts are given in the order they are to be seen, what ``absent`` patterns ask for first. A fact needs ``kind``
        and a unique ``id``; an added fact that is already there is no news. Raises :class:`EngineError` for a fact that
        cannot be represented, and for an exception inside ``then`` with the id of the rule that fired.
        """
        with _process.lock:
            run = _Run(self, then, _process.ensure(self.name, self._definition), f"s{next(_process.session)}")
            outer, _process.run = _process.run, run
            try:
                return run.matches_of(facts)
            finally:
                _process.run = outer

    def _definition(self) -> dict[str, Any]:
        rules: dict[str, Any] = {}
        for index, conditions in enumerate(self._conditions):
            rules[f"r{index}"] = {"all": [dict(condition) for condition in conditions], "run": _action(index)}
        rules["begin"] = {"all": [{"session": {"kind": "session"}}], "run": lambda closure: None}
        # Matches every fact with one that never comes: facts no rule looks at are kept, and nothing fires.
        kept = [{"fact": {"$ex": {"kind": 1}}}, {"never": {"kind": "never"}}]
        rules["keep"] = {"all": kept, "run": lambda closure: None}
        return rules


def _action(index: int) -> Callable[[Any], None]:
    def fire(closure: Any) -> None:
        if _process.run is not None:
            _process.run.fired(index, closure)

    return fire


class _Run:
    """One session: its facts go in, its matches come out, and it is gone."""

    def __init__(self, ruleset: Ruleset, then: Then, host: Host, sid: str) -> None:
        self.ruleset, self.then, self.host, self.sid = ruleset, then, host, sid
        self.seen: set[str] = set()
        self.matches: list[Match] = []
        self.failure: EngineError | None = None

    def matches_of(self, facts: Iterable[Fact]) -> list[Match]:
        messages = [self._message(fact) for fact in facts]
        # The session exists from here on, so that it can be deleted whatever happens next.
        self.host.assert_fact(self.ruleset.name, {"kind": "session", "id": "session", "sid": self.sid})
        try:
            if messages:
                self.host.assert_facts(self.ruleset.name, messages)
            self._raise_failure()
        except (MessageNotHandledException, MessageObservedException) as error:
            raise EngineError(f"the rules engine refused a fact: {error.message[:300]}") from error
        except durable_rules_engine.error as error:
            raise EngineError(f"the rules engine failed: {error}") from error
        finally:
            self.host.delete_state(self.ruleset.name, self.sid)
        return self.matches

    def fired(self, index: int, closure: Any) -> None:
        rule = self.ruleset.rules[index]
        try:
            seen = (pattern.name for pattern in rule.patterns if not pattern.absent)
            match = Match(rule.id, {name: getattr(closure, name).id for name in seen})
            self.matches.append(match)
            for fact in self.then(match):
                if fact["id"] not in self.seen:
                    closure.assert_fact(self._message(fact))
        except Exception as error:
            if self.failure is None:
                self.failure = EngineError(f"rule {rule.id}: {error}")
                self.failure.__cause__ = error

    def _raise_failure(self) -> None:
        if self.failure is not None:
            raise self.failure
        exception = self.host.get_state(self.ruleset.name, self.sid).get("exception")
        if exception:
            raise EngineError(f"the rules engine failed: {exception}")

    def _message(self, fact: Fact) -> dict[str, Any]:
        identifier = fact["id"]
        if identifier in self.seen:
            raise EngineError(f"the fact {identifier} was given twice")
        self.seen.add(str(identifier))
        message: dict[str, Any] = {"kind": fact["kind"], "id": identifier, "sid": self.sid}
        for name, value in fact.items():
            if name not in _RESERVED:
                message.update([stored(name, value)])
        return message


def stored(name: str, value: Value) -> tuple[str, int | float | str]:
    """The property a value is kept under, ``name#`` for numbers, ``name`` for words and flags, and what is kept.

    Raises :class:`EngineError` for a number that durable_rules cannot read."""
    if isinstance(value, bool):
        return name, "true" if value else "false"
    if isinstance(value, str):
        return name, value.encode("utf-8", "replace").decode()
    try:
        return name + "#", _number(value)
    except (ValueError, TypeError):
        expected = f"a word, true, false or a number up to {LARGEST_NUMBER:.0e}"
        raise EngineError(f"{name}: expected {expected}, got {value!r}") from None


def _number(value: float) -> int | float:
    """A number as durable_rules can read and compare it: rounded to 1e-4, whole where it is whole. Raises
    ``ValueError`` outside its range."""
    number = float(value)
    if not -LARGEST_NUMBER <= number <= LARGEST_NUMBER:  # neither is what is not a number
        raise ValueError
    number = round(number, 4)
    return int(number) if number == int(number) else number


def _pattern(pattern: Pattern) -> dict[str, Any]:
    terms: list[dict[str, Any]] = [{"kind": pattern.kind}]
    for test in pattern.tests:
        terms.extend(_terms(test))
    for field, other, other_field in pattern.same:
        terms.append({field: {other: other_field}})
    return {pattern.name + ("$not" if pattern.absent else ""): {"$and": terms}}


def _terms(test: Property) -> list[dict[str, Any]]:
    values = test.value if isinstance(test.value, tuple) else (test.value,)
    pairs = [dict([stored(test.field, value)]) for value in values]
    if test.operator == "is":
        return [pairs[0] if len(pairs) == 1 else {"$or": pairs}]
    return [{_OPERATORS[test.operator]: pair} for pair in pairs]
