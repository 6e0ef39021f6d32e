"""What is known of one of NCCL's variables: what it means (``knowledge/nccl/variables.yaml``), its default by version,
and what each provider, or the list that holds in general, sets or leaves alone."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from .environments import Checked, Entry, Environment, documents, environments
from .settings import default_of

How = Literal["set", "left-alone", "by-script", "in-tests"]
# A variable of NCCL, RCCL, or of what they load; known ones are found in small letters too.
_NAME = re.compile(r"\b(?:NCCL|RCCL|OFI_NCCL|FI|UCX|SHARP_COLL|RDMAV|HSA|MPICH)_[A-Z0-9]+(?:_[A-Z0-9]+)*\b")
_KNOWN_PREFIX = re.compile(r"^(?:NCCL|RCCL)_(?:IB_)?")
_RELEASES = ("NCCL {} and later", "NCCL before {} only", "plugin {} and later", "plugin before {} only")


@dataclass(frozen=True)
class Told:
    """What one list says of a variable. ``around``: the machines, ``None`` of what holds in general, then on networks
    of these ``technologies`` (empty: any)."""

    name: str
    how: How
    value: str
    reason: str
    around: Environment | None = None
    technologies: tuple[str, ...] = ()
    source: str | None = None
    claim: str | None = None
    checked: Checked = "documented"
    older: bool = False  # for releases before a current one alone


def told_of(name: str, form: str = "host") -> list[Told]:
    """What is said of a variable, of providers first; ``form``: what starts the job, for values that depend on it."""
    found: list[Told] = []
    for around in environments():
        found += _entries(name, "set", around.set, form, around) + _entries(
            name, "left-alone", around.leave, form, around
        )
        found += _assigned(name, "by-script", around.script_sets, around)
        found += _assigned(name, "in-tests", around.tests_add, around)
    general = documents()["settings.yaml"]
    found += _entries(name, "set", [Entry(**one) for one in general["set"]], form, None)
    return found + _entries(name, "left-alone", [Entry(**one) for one in general["leave_alone"]], form, None)


def _entries(name: str, how: How, entries: Iterable[Entry], form: str, around: Environment | None) -> list[Told]:
    return [_told(one, how, form, around) for one in entries if one.name == name]


def _assigned(name: str, how: How, assigned: Iterable[str], around: Environment) -> list[Told]:
    """Of ``NAME=value`` those of the variable."""
    parted = (one.partition("=") for one in assigned)
    return [Told(name, how, value, "", around, source=around.source) for named, _, value in parted if named == name]


def _told(entry: Entry, how: How, form: str, around: Environment | None) -> Told:
    value = entry.value if isinstance(entry.value, str) else entry.value.get(form, entry.value["host"])
    ports = ",".join(around.adapters) if around and around.adapters else "<adapters>"
    source = entry.source or (around.source if around else None)
    words = documents()["settings.yaml"]["conditions"]
    conditions = [
        *(word.format(one) for word, one in zip(_RELEASES, (entry.since, entry.before, entry.plugin_since,
                                                            entry.plugin_before), strict=True) if one),
        *(words[each] for each in entry.when),
        *(f"not {words[each]}" for each in entry.unless),
    ]  # fmt: skip
    reason = entry.reason + (f" ({', '.join(conditions)})" if conditions else "")
    value = value.replace("{adapters}", ports)
    older = bool(entry.before or entry.plugin_before)
    return Told(entry.name, how, value, reason, around, entry.technologies, source, entry.claim, entry.checked, older)


def meaning(name: str) -> dict[str, Any]:
    """``means``, ``advice`` and what they rest on; empty where nothing is known."""
    return documents()["variables.yaml"].get(name, {})


def defaults_told(name: str, nccl: str | None = None) -> str:
    """The default in the version that was named, else all of them by the version since which they hold; empty where it
    is not known."""
    known = documents()["defaults.yaml"]["defaults"].get(name)
    if known is None:
        return ""
    values: dict[str, str] = known["values"]
    newest = [*values.values()][-1]
    meant = f" ({known['meaning']})" if "meaning" in known else ""
    if nccl is not None:
        value = default_of(name, nccl)
        if value is None:
            return f"NCCL {nccl} does not read it: it came with {next(iter(values))}"
        return f"the default of NCCL {nccl} is {value}{meant if value == newest else ''}"
    told = [f"{value}{meant if value == newest else ''}" + (f" since {since}" if since != "0" else "")
            for since, value in values.items()]  # fmt: skip
    return f"the default: {'; '.join(told)}"


def variables_in(text: str) -> list[tuple[str, int, int]]:
    """The variables that a text names, with where they stand: known ones however they are written, others in
    capitals."""
    found = {
        one.span(): one[0]
        for one in _NAME.finditer(text.upper())
        if one[0] in known() or text[one.start() : one.end()] == one[0]
    }
    return [(name, start, end) for (start, end), name in sorted(found.items())]


def variables_worded(text: str) -> list[str]:
    """The variables that a text has other words for: ``traffic class``, or the end of the name in words."""
    small = f" {re.sub(r'[^a-z0-9]+', ' ', text.lower())} "
    found = [name for name, words in _worded().items() if any(f" {word} " in small for word in words)]
    return [name for name in found if not any(name != other and name in other for other in found)]


@lru_cache(maxsize=1)
def known() -> frozenset[str]:
    """Every variable of which something is known."""
    of = (e.name for around in environments() for e in (*around.set, *around.leave))
    listed = (e.partition("=")[0] for around in environments() for e in (*around.script_sets, *around.tests_add))
    general = (one["name"] for part in ("set", "leave_alone") for one in documents()["settings.yaml"][part])
    pinned = (about["setting"] for about in documents()["pinned.yaml"].values())
    defaults = documents()["defaults.yaml"]["defaults"]
    return frozenset((*of, *listed, *general, *pinned, *defaults, *documents()["variables.yaml"]))


@lru_cache(maxsize=1)
def _worded() -> dict[str, tuple[str, ...]]:
    """By variable its words, two at least: one alone (``net``, ``debug``) means too much."""
    return {name: tuple(word for word in _words(name) if word) for name in sorted(known())}


def _words(name: str) -> Iterator[str]:
    yield from (re.sub(r"[^a-z0-9]+", " ", said.lower()) for said in meaning(name).get("says", ()))
    end = _KNOWN_PREFIX.sub("", name)
    if end != name and "_" in end:
        yield end.lower().replace("_", " ")
