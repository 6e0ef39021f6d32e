"""Reads ``knowledge/`` (sources, claims, passages, conflicts, terms) and checks that every reference holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.knowledge import Claim, Conflict, Knowledge, Passage, Source, Term

from . import shipped


def read(folder: Path) -> Knowledge:
    """The knowledge base of a ``knowledge/`` folder. Raises :class:`KnowledgeError` naming file, line and key."""
    sources = {source.id: source for source in _whole(folder / "sources", Source)}
    claims = _listed(folder / "claims", "claims", Claim)
    passages = _listed(folder / "passages", "passages", Passage)
    conflicts = {c.id: c for c in _listed_in(folder, "conflicts.yaml", "conflicts", Conflict)}
    terms = [term for term in _listed_in(folder / "glossary", "terms.yaml", "terms", Term)]
    knowledge = Knowledge(
        sources=sources, claims=_by_id(claims), passages=_by_id(passages), conflicts=conflicts, terms=terms
    )
    _check_references(knowledge)
    return knowledge


def _whole(folder: Path, model: type[Any]) -> list[Any]:
    return [
        shipped.validated(model, value, folder / name, ())
        for name, value in shipped.documents("sources", folder).items()
    ]


def _listed(folder: Path, key: str, model: type[Any]) -> list[Any]:
    return [
        shipped.validated(model, value, folder / name, (key, str(i)))
        for name, content in shipped.documents(key, folder).items()
        for i, value in enumerate((content or {}).get(key) or [])
    ]


def _listed_in(folder: Path, file: str, key: str, model: type[Any]) -> list[Any]:
    content = shipped.documents(key, folder, file).get(file) or {}
    return [
        shipped.validated(model, value, folder / file, (key, str(i))) for i, value in enumerate(content.get(key) or [])
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
        if source is None:
            raise KnowledgeError(
                f"knowledge/: {entry.id} names the source {entry.source}, which is not in knowledge/sources"
            )
        if not any(entry.section in path for path in source.sections):
            raise KnowledgeError(
                f"knowledge/: {entry.id} names the section {entry.section!r}, which {source.id} does not have"
            )
    for passage in knowledge.passages.values():
        _known(passage.id, passage.claims, knowledge)
    for conflict in knowledge.conflicts.values():
        _known(f"conflict {conflict.id}", [side.claim for side in conflict.sides], knowledge)


def _known(where: str, claims: list[str], knowledge: Knowledge) -> None:
    for claim in claims:
        if claim not in knowledge.claims:
            raise KnowledgeError(f"knowledge/: {where} names the claim {claim}, which is not in knowledge/claims")
