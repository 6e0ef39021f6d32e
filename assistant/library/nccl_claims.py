"""Claims that the data on NCCL (``knowledge/nccl``) makes: a provider's settings, and what lines of a log mean. Each
entry there that names its source is a claim, so that what the program sets or says can be looked up, graded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.knowledge import Claim, Grade, Source, Verdict

_MACHINES = "environments/"
_LOGS = ("failures/", "findings", "completions", "pinned")
_FILLED_IN = re.compile(r"\{[^}]{0,40}\}")
_CONDITIONS = {"sample": "in a sample job, in no template", "memory": "from memory, not read again"}
# How sure an entry says it is, as a claim's verdict and grade.
_SURE: dict[str, tuple[Verdict, Grade]] = {
    "confirmed": ("confirmed", "vendor"),
    "reported": ("consistent", "rule-of-thumb"),
    "inferred": ("unverifiable", "opinion"),
}


def of_setting(source: str, name: str, *, left_alone: bool = False) -> str:
    """The id of the claim on a variable that a source sets, or that is better left alone there."""
    return f"{source}/{name.lower().replace('_', '-')}{'-left-alone' if left_alone else ''}"


def of_failure(source: str, code: str) -> str:
    """The id of the claim on what is wrong."""
    return f"{source}/{code}"


def claims(documents: Mapping[str, Any], sources: Mapping[str, Source]) -> list[Claim]:
    """All of them, once each."""
    found: dict[str, Claim] = {}
    for name, document in documents.items():
        made = _settings(document, sources) if name.startswith(_MACHINES) else ()
        made = _failures(document, sources) if name.startswith(_LOGS) else made
        for claim in made:
            found.setdefault(claim.id, claim)
    return list(found.values())


def _settings(document: dict[str, Any], sources: Mapping[str, Source]) -> Iterator[Claim]:
    said: dict[tuple[str, str, bool], dict[tuple[str, str, str], list[str]]] = {}
    for source, machines, ports, entry, left in _entries(document):
        value = entry["value"] if isinstance(entry["value"], str) else " or ".join(entry["value"].values())
        value = value.replace("{adapters}", ports)
        by_value = said.setdefault((source, entry["name"], left), {})
        machine = by_value.setdefault((value, entry["reason"], entry.get("checked", "documented")), [])
        machine += [machines] if machines and machines not in machine else []
    for (source, name, left), by_value in said.items():
        checked = {each for _, _, each in by_value}
        told = [
            f"{name}={value}{f' on {_listed(on)}' if on else ''}: {why}" for (value, why, _), on in by_value.items()
        ]
        yield Claim(
            id=of_setting(source, name, left_alone=left),
            section=_section(source, sources),
            statement=("Better left alone: " if left else "") + "; ".join(told) + ".",
            type="configuration",
            grade="vendor",
            conditions="; ".join(why for each, why in _CONDITIONS.items() if each in checked) or None,
            verdict="unverifiable" if checked == {"memory"} else "confirmed",
        )


def _entries(document: dict[str, Any]) -> Iterator[tuple[str, str, str, dict[str, Any], bool]]:
    """Source, machines, their RDMA ports, entry, and whether it is one that is better left alone."""
    common = document.get("source")
    for each in document["environments"]:
        source = each.get("source", common)
        for key in ("set", "leave"):
            for entry in each.get(key, []):
                if of := entry.get("source", source):
                    yield of, each["name"], ",".join(each.get("adapters", ["<adapters>"])), entry, key == "leave"
    for entry in document.get("leave", []):
        if of := entry.get("source", common):
            yield of, "", "<adapters>", entry, True


def _failures(document: dict[str, Any], sources: Mapping[str, Source]) -> Iterator[Claim]:
    for name, entry in document.items():
        if source := entry.get("source"):
            verdict, grade = _SURE[entry.get("sure", "inferred")]
            yield Claim(
                id=of_failure(source, entry.get("code", name)),
                section=_section(source, sources),
                statement=_plain(f"{entry['message']}. What to do: {entry['fix']}."),
                type="configuration",
                grade=grade,
                conditions=entry.get("rests"),
                verdict=verdict,
            )


def _plain(text: str) -> str:
    """A sentence of a finding without what a log fills in."""
    return text[0].upper() + _FILLED_IN.sub("…", text[1:]) if text[0].islower() else _FILLED_IN.sub("…", text)


def _section(source: str, sources: Mapping[str, Source]) -> str:
    if source not in sources:
        raise KnowledgeError(f"knowledge/nccl names the source {source}, which is not in knowledge/sources")
    return sources[source].sections[-1][-1]


def _listed(names: list[str]) -> str:
    return ", ".join(names)
