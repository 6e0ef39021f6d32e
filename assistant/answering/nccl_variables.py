"""A question that names one of NCCL's variables is answered from what is known of that one: its meaning, its default by
version, who sets it on which machines and who leaves it alone; never by a statement on another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.library import Library, nccl_claims
from assistant.network.nccl import documents, other_names, runtimes
from assistant.network.nccl.environments import Environment, environments
from assistant.network.nccl.machines import instance_of
from assistant.network.nccl.variables import Told, defaults_told, meaning, told_of, variables_in, variables_worded
from assistant.vocabulary.answers import DirectLine
from assistant.vocabulary.knowledge import Claim
from assistant.vocabulary.utterance import Utterance

from .from_claims import line_of

_MOST_VARIABLES, _MOST_OF_ONE, _MOST_CLAIMS = 3, 5, 2
_VERSION = re.compile(r"(?<![\d.=])v?(2\.\d{1,2}(?:\.\d{1,2})?)(?![\d.])")
_VALUE = re.compile(r"\s*(?:=|\bto\b|\bis\b|\bof\b)\s*[\"']?(\^?=?[\w.,:^-]{1,64})")
_ABOUT_NCCL = re.compile(r"\b(?:nccl|rccl)\b", re.IGNORECASE)
_MEMORY = ", from memory, not checked against documentation"
_CHECKED = {"documented": "", "sample": ", from a sample job", "memory": _MEMORY}
_HOW = {
    "set": "set {assigned}",
    "left-alone": "better not {assigned}",
    "by-script": "the provider's own script or file sets {assigned}: leave it to that",
    "in-tests": "the provider's own tests set {assigned}, a job needs no such line",
}
_ORDER = {"set": 0, "by-script": 1, "left-alone": 2, "in-tests": 3}
_SOURCE = "nccl-settings"  # of a line that only says where to look


@dataclass(frozen=True)
class Place:
    """The machines that a question names, as far as it does."""

    provider: str | None
    instance: str | None
    gpu: str | None
    fabrics: tuple[str, ...]  # ids
    technologies: frozenset[str]
    other: str | None  # a network that is not in the catalog

    @property
    def named(self) -> bool:
        return bool(self.provider or self.other or self.fabrics)

    @classmethod
    def of(cls, said: Utterance, library: Library, variables: Sequence[tuple[str, int, int]]) -> Place:
        """Names that stand inside a variable's (``IB`` of ``NCCL_IB_TC``) are none."""
        outside = [
            one for one in said.entities
            if not one.denied and not any(start <= one.start < end for _, start, end in variables)
        ]  # fmt: skip
        ids = {
            kind: [one.id for one in outside if one.kind == kind] for kind in ("provider", "instance", "gpu", "fabric")
        }
        provider = next(iter(ids["provider"]), said.fields.get("cluster.provider"))
        instance = next(iter(ids["instance"]), None)
        if instance:
            provider, instance, _ = instance_of(instance, provider, library.catalog)
        gpu = next(iter(ids["gpu"]), said.fields.get("cluster.gpu"))
        fabrics = [library.catalog.fabrics[one] for one in ids["fabric"]]
        other = next((word for word in other_names() if word in said.text.lower()), None)
        technologies = frozenset(one.technology for one in fabrics)
        return cls(provider, instance, gpu, tuple(one.id for one in fabrics), technologies, other)

    def has(self, around: Environment) -> bool:
        """Whether a provider's document is about these machines."""
        if self.other or around.word:
            return around.word == self.other
        if self.provider != around.provider and (self.provider or around.provider is None):
            return self.provider is None and not self.technologies.isdisjoint(around.technologies)
        if self.instance and around.instances:
            return self.instance in around.instances
        if self.gpu and around.gpus and self.gpu not in around.gpus:
            return False
        on = self.technologies.isdisjoint(around.technologies) and not {*self.fabrics} & {*around.fabrics}
        return not (self.technologies and (around.technologies or around.fabrics) and on and not self.provider)

    def takes(self, told: Told) -> bool:
        """Whether what a list says is about these machines."""
        if told.around is not None:
            return not self.named or self.has(told.around)
        return not (self.provider or self.other) and not (
            self.technologies and told.technologies and self.technologies.isdisjoint(told.technologies)
        )


def about_variables(said: Utterance) -> list[tuple[str, int, int]]:
    """The variables that a question is about, with where they stand: by name, else in words where it is about NCCL or
    names machines and asks for something."""
    if found := variables_in(said.text):
        return found[:_MOST_VARIABLES]
    if said.act != "ask" or not (_ABOUT_NCCL.search(said.text) or said.named("provider") or said.named("instance")):
        return []
    return [(name, 0, 0) for name in variables_worded(said.text)[:_MOST_VARIABLES]]


def variable_lines(
    said: Utterance, library: Library, variables: Sequence[tuple[str, int, int]]
) -> tuple[list[DirectLine], list[str]]:
    """What is known of the variables, and the names of those of which nothing is."""
    place = Place.of(said, library, variables)
    lines, unknown = list[DirectLine](), list[str]()
    for name, _, end in variables:
        found = list(_of_one(name, said, end, place, library))
        lines += found
        if not found:
            unknown.append(name)
    return [*lines, *[_pointer(place)] * bool(lines)], unknown


def value_after(text: str, end: int) -> str:
    """The value that a text gives a variable whose name ends there, empty where it gives none."""
    value = _VALUE.match(text, end)
    return value[1].rstrip(".,:-?") if value else ""


def _of_one(name: str, said: Utterance, end: int, place: Place, library: Library) -> Iterator[DirectLine]:
    version = _VERSION.search(said.text)
    opening = _meaning(name, version[1] if version else None)
    told = told_of(name, runtimes().named_in(said.text) or "host")
    asked = value_after(said.text, end).lower() if end else ""
    here = _grouped([one for one in told if place.takes(one)])
    here.sort(key=lambda group: (group[0].older, group[0].value.lower() != asked, _ORDER[group[0].how]))
    lines = [_line(group, library) for group in here[:_MOST_OF_ONE]]
    if rest := [group for group in here[_MOST_OF_ONE:] if group[0].how != "left-alone"]:
        values = "; ".join(f"{group[0].value} ({_where(group, library)})" for group in rest)
        lines.append(DirectLine(text=f"Elsewhere: {values}.", source=rest[0][0].source or _SOURCE))
    if not here and (opening or told) and (place.provider or place.other):
        lines.append(_nothing_there(name, place, library))
    first = [opening] if opening else []
    # Of named machines what holds there goes first.
    lines = [*lines, *first] if place.named else [*first, *lines]
    yield from lines
    if place.named and here:  # what other sources say in general is not about these machines
        return
    yield from _claims(name, {one.claim for one in told if one.claim}, library, failures=not lines)


def _meaning(name: str, version: str | None) -> DirectLine | None:
    known, default = meaning(name), defaults_told(name, version)
    if not known and not default:
        return None
    what = f"{known['means']}" if known else ""
    parts = [part for part in (what, default) if part]
    advice = f" When: {known['advice']}." if known else ""
    claim, source = known.get("claim"), known.get("source")
    rests = claim or source or ("" if known else documents()["defaults.yaml"]["source"])
    memory = " Meaning and advice from memory, not checked against documentation." if "checked" in known else ""
    of_default = documents()["defaults.yaml"]["source"]
    cited = ", ".join(dict.fromkeys([*[rests] * bool(rests), *[of_default] * bool(default)]))
    told = ". ".join(part[0].upper() + part[1:] for part in parts)
    text = f"{name}: {told}.{advice}{memory}{f' [{cited}]' if cited else ''}"
    return DirectLine(text=text, claims=[claim] if claim else [], source=(rests or of_default).partition("/")[0])


def _grouped(told: list[Told]) -> list[list[Told]]:
    """Those that say the same thing, together."""
    groups: dict[tuple[str, str, str, str | None], list[Told]] = {}
    for one in told:
        groups.setdefault((one.how, one.value, one.reason, one.source), []).append(one)
    return list(groups.values())


def _where(group: Sequence[Told], library: Library) -> str:
    """``Oracle Cloud Infrastructure (BM.GPU4.8, BM.GPU.H100.8)``."""
    named = list(dict.fromkeys(one.around.name for one in group if one.around))
    provider = next((one.around.provider for one in group if one.around and one.around.provider), None)
    if named:
        return f"{library.catalog.providers[provider].name} ({', '.join(named)})" if provider else ", ".join(named)
    on = sorted({each for one in group for each in one.technologies})
    return f"In general on {', '.join(on)}" if on else "In general"


def _line(group: Sequence[Told], library: Library) -> DirectLine:
    one = group[0]
    how = _HOW[one.how].format(assigned=f"{one.name}={one.value}")
    ports = one.value.count(",") + 1 if one.name == "NCCL_IB_HCA" and "," in one.value else 0
    reason = f": {one.reason}" if one.reason else ""
    claim = one.claim or (
        nccl_claims.of_setting(one.source, one.name, left_alone=one.how == "left-alone") if one.source else None
    )
    claim = claim if claim in library.knowledge.claims else None
    rests = claim or one.source
    cited = f" [{rests}{_CHECKED[one.checked]}]" if rests else _CHECKED[one.checked]
    text = f"{_where(group, library)}: {how}{f' ({ports} RDMA ports)' if ports else ''}{reason}.{cited}"
    return DirectLine(
        text=text, claims=[claim] if claim else [], source=one.source or (claim or _SOURCE).partition("/")[0]
    )


def _nothing_there(name: str, place: Place, library: Library) -> DirectLine:
    around = [one for one in environments() if place.has(one)]
    provider = library.catalog.providers[place.provider].name if place.provider else place.other
    if not around:
        return DirectLine(text=f"What {provider} sets of {name} is not known here.", source=_SOURCE)
    names = ", ".join(one.name for one in around)
    text = (
        f"Nothing that was read of {provider} ({names}) sets {name}, or speaks against it: without a reason leave it "
        "unset there."
    )
    return DirectLine(text=text, source=around[0].source or _SOURCE)


def _claims(name: str, told: set[str], library: Library, *, failures: bool) -> Iterator[DirectLine]:
    """Statements of other sources that name the variable, those that hold first; of what a failure's cure names only
    where nothing else is known."""
    exact, found = re.compile(rf"\b{name}\b"), list[Claim]()
    from_data = {one.id for one in nccl_claims.claims(documents(), library.knowledge.sources)}
    for claim in library.knowledge.claims.values():
        if claim.id in told or (claim.id in from_data and not failures):
            continue
        if exact.search(claim.statement) or (claim.correction and exact.search(claim.correction)):
            found.append(claim)
    found.sort(key=lambda claim: (claim.doubtful, not exact.search(claim.statement)))
    yield from (line_of(claim, library) for claim in found[:_MOST_CLAIMS])


def _pointer(place: Place) -> DirectLine:
    """Where all settings of the machines stand."""
    options = {"provider": place.provider, "instance": place.instance}
    asked = "".join(f" --{name} {each}" for name, each in options.items() if each)
    fabric = place.other or (next(iter(place.fabrics), None) if not place.provider else None)
    asked += f" --fabric {fabric}" if fabric else ""
    text = (
        f"All settings of the machines, each with its reason: weft nccl env{asked or ' --fabric ID, or --provider ID'}"
    )
    return DirectLine(text=text, source=_SOURCE)
