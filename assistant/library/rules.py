"""Reads ``rules/``: one file per decision, in the folder of its stage."""

from __future__ import annotations

from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any

from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.quantities import shown
from assistant.vocabulary.rules import Rule

from . import shipped


def read_rules(folder: Path) -> list[Rule]:
    """Every rule below a folder, ordered by id. Raises :class:`KnowledgeError` naming file, line and key."""
    return [_rule(folder / name, name, value) for name, value in sorted(shipped.documents("rules", folder).items())]


def check_claims(rules: Iterable[Rule], claims: Container[str], folder: Path) -> None:
    """Raise :class:`KnowledgeError` for the first rule that rests on a claim the knowledge base does not have."""
    for rule in rules:
        for i, claim in enumerate(rule.claims):
            if claim not in claims:
                _refuse(
                    folder / f"{rule.id}.yaml",
                    ("claims", str(i)),
                    f"the claim {shown(claim)} is not in knowledge/claims",
                )


def _rule(path: Path, name: str, value: Any) -> Rule:
    if not isinstance(value, dict):
        _refuse(
            path,
            (),
            "expected one rule: a mapping with id, title, when, then, because, claims, look_up, grade and examples",
        )
    rule: Rule = shipped.validated(Rule, value, path, ())
    if name != f"{rule.id}.yaml":
        _refuse(path, ("id",), f"expected {name.removesuffix('.yaml')}, as the file is called, got {shown(rule.id)}")
    return rule


def _refuse(path: Path, key: tuple[str, ...], message: str) -> None:
    place = f"{path}:{shipped.line_of(path, key)} {'.'.join(key)}".rstrip()
    raise KnowledgeError(f"{place}: {message}")
