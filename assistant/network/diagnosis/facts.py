"""What lines say of a run of nccl-tests beside its results (variables, releases, adapters and how these are used), and
what of it differs between two runs. What is looked for is ``knowledge/nccl/facts.yaml``."""

import re
from collections.abc import Iterable
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from .runs import Run
from .signatures import Pattern, one_in, read

# A name and a value that lines give; of a variable its own name.
Facts = frozenset[tuple[str, str]]
_SETTING = re.compile(r"(NCCL_\w{1,40})(?:=| set (?:by environment )?to )[\"']?([^\s\"';]{1,80})")
VARIABLE = "NCCL_"
_SHOWN = 40  # characters of a value


class _Fact(BaseModel):
    """What is compared: its name in sentences, the words of which one is in every line that says it, the pattern with
    the group ``value``; what to do where it differs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    has: tuple[str, ...]
    pattern: Pattern
    fix: str
    by: tuple[str, ...] = ()  # variables of which it follows


class _Compared(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    facts: tuple[_Fact, ...]
    adapters_by: tuple[str, ...]
    aside: tuple[str, ...]


@lru_cache(maxsize=1)
def _compared() -> _Compared:
    return _Compared.model_validate(read("facts"))


@lru_cache(maxsize=1)
def words() -> tuple[str, ...]:
    """One of these is in every line that says a fact other than a variable."""
    return tuple({word for fact in _compared().facts for word in fact.has})


def facts_in(line: str) -> Facts:
    """What a line says of a run."""
    variables = _SETTING.findall(line) if VARIABLE in line else []
    found = {(name, value.rstrip(".")) for name, value in variables if name not in _compared().aside}
    if one_in(line, words()):
        found |= {
            (fact.name, told["value"].strip()[:_SHOWN])
            for fact in _compared().facts
            if one_in(line, fact.has) and (told := fact.pattern.search(line))
        }
    return frozenset(found)


class Difference(BaseModel):
    """What differs between runs: its name, the values before and after (empty where none was given), what to do."""

    model_config = ConfigDict(frozen=True)

    name: str
    before: str
    after: str
    fix: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.after or 'not set'} in place of {self.before or 'none'}"


def differences(before: Iterable[Run], after: Iterable[Run]) -> list[Difference]:
    """What the lines of some runs say otherwise than those of others, in the order of the file, variables last. Of what
    only one side speaks nothing follows, but for variables where the other side speaks at all."""
    old, new = _of(before), _of(after)
    fixes = {fact.name: fact.fix for fact in _compared().facts}
    names = [*fixes, _ADAPTERS, *sorted(name for name in old.keys() | new.keys() if name.startswith(VARIABLE))]
    speak = all(any(not name.startswith(VARIABLE) for name in side) for side in (old, new))
    found = list[Difference]()
    for name in names:
        one, other = old.get(name, set[str]()), new.get(name, set[str]())
        variable = name.startswith(VARIABLE) and (speak or name in _given([*before, *after]))
        if one.isdisjoint(other) and ((one and other) or ((one or other) and variable)):
            found.append(Difference(name=name, before=_said(one), after=_said(other), fix=fixes.get(name, "")))
    return found


_ADAPTERS = "adapters"


def _of(runs: Iterable[Run]) -> dict[str, set[str]]:
    values = dict[str, set[str]]()
    for run in runs:
        for name, value in run.facts:
            values.setdefault(name, set()).add(value)
        if run.adapters:
            values.setdefault(_ADAPTERS, set()).add(f"{len(run.adapters)} ({', '.join(run.adapters)})")
    return values


def _given(runs: Iterable[Run]) -> frozenset[str]:
    return frozenset[str]().union(*(run.given for run in runs))


def tried(found: list[Difference], runs: list[Run]) -> bool:
    """Whether somebody tried it: all that differs are variables that commands in the log give, with what follows from
    these, or of which the runs have one value after the other."""
    given, values = _given(runs), _of(runs)
    differing = {each.name for each in found}
    follow = {fact.name for fact in _compared().facts if differing & given & {*fact.by}}
    follow |= {_ADAPTERS} if differing & given & {*_compared().adapters_by} else set()
    return bool(found) and all(
        each.name in given | follow or (each.name.startswith(VARIABLE) and len(values[each.name]) > 2) for each in found
    )


def _said(values: set[str]) -> str:
    return " and ".join(sorted(values)[:2])[: 2 * _SHOWN]
