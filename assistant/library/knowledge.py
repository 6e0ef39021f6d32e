"""Reads ``knowledge/`` (sources, claims, passages, conflicts, terms, and the claims of the data on NCCL) and checks
that every reference holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.knowledge import Claim, Conflict, Knowledge, Passage, Source, Term

from . import nccl_claims, shipped


def read(folder: Path) -> Knowledge:
    """The knowledge base of a ``knowledge/`` folder. Raises :class:`KnowledgeError` naming file, line and key."""
    sources, found = folder / "sources", shipped.documents("sources", folder / "sources")
    known = _by_id([shipped.validated(Source, value, sources / name, ()) for name, value in found.items()])
    told = nccl_claims.claims(shipped.documents("nccl", folder / "nccl"), known)
    knowledge = Knowledge(
        sources=known,
        claims=_by_id([*_listed(folder / "claims", "claims", Claim), *told]),
        passages=_by_id(_listed(folder / "passages", "passages", Passage)),
        conflicts=_by_id(_listed(folder, "conflicts", Conflict, "conflicts.yaml")),
        terms=_listed(folder / "glossary", "terms", Term),
    )
    _check_references(knowledge)
    return knowledge


def _listed(folder: Path, key: str, model: type[Any], files: str = "**/*.yaml") -> list[Any]:
    return [
        shipped.validated(model, value, folder / name, (key, str(i)))
        for name, entries in shipped.listed(key, folder, files, key).items()
        for i, value in enumerate(entries)
    ]


def _by_id(entries: list[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for entry in entries:
        if entry.id in found:
            raise KnowledgeError(f"knowledge/: the id {entry.id} stands twice")
        found[entry.id] = entry
    return found


def _check_references(knowledge: Knowledge) -> None:
    for entry in (*knowledge.claims.values(), *knowledge.passages.values()):
        source = knowledge.sources.get(entry.source)
        names = f"knowledge/: {entry.id} names the"
        if source is None:
            raise KnowledgeError(f"{names} source {entry.source}, which is not in knowledge/sources")
        if not any(entry.section in path for path in source.sections):
            raise KnowledgeError(f"{names} section {entry.section!r}, which {source.id} does not have")
    for passage in knowledge.passages.values():
        _known(passage.id, passage.claims, knowledge)
    for conflict in knowledge.conflicts.values():
        _known(f"conflict {conflict.id}", [side.claim for side in conflict.sides], knowledge)


def _known(where: str, claims: list[str], knowledge: Knowledge) -> None:
    for claim in claims:
        if claim not in knowledge.claims:
            raise KnowledgeError(f"knowledge/: {where} names the claim {claim}, which is not in knowledge/claims")
