"""Reads ``rules/``: one file per decision, in the folder of its stage or a folder there."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.knowledge import Knowledge
from assistant.vocabulary.quantities import shown
from assistant.vocabulary.rules import Rule

from . import shipped


def read_rules(folder: Path) -> list[Rule]:
    """Every rule below a folder, ordered by id. Raises :class:`KnowledgeError` naming file, line and key."""
    found = sorted(shipped.documents("rules", folder, each="one rule").items())
    return [_rule(folder / name, name, value) for name, value in found]


def check_references(rules: Iterable[Rule], knowledge: Knowledge, folder: Path) -> None:
    """Raise :class:`KnowledgeError` for the first rule that names a claim or a tag of a disagreement that nobody
    wrote."""
    tags = {tag for conflict in knowledge.conflicts.values() for tag in conflict.touches}
    known = (("claims", knowledge.claims, "claim", "knowledge/claims"), ("touches", tags, "tag", "conflicts.yaml"))
    for rule in rules:
        parts = [((), rule), *((("cases", name), case) for name, case in rule.cases.items())]
        for (place, part), (key, there, kind, where) in itertools.product(parts, known):
            for i, name in enumerate(getattr(part, key)):
                if name not in there:
                    problem = f"the {kind} {shown(name)} is not in {where}"
                    _refuse(folder / f"{rule.id}.yaml", (*place, key, str(i)), problem)


def _rule(path: Path, name: str, value: Any) -> Rule:
    if not isinstance(value, dict):
        _refuse(
            path, (), "expected one rule: a mapping with id, title, when, then, because, claims, grade and examples"
        )
    rule: Rule = shipped.validated(Rule, value, path, ())
    if name != f"{rule.id}.yaml":
        _refuse(path, ("id",), f"expected {name.removesuffix('.yaml')}, as the file is called, got {shown(rule.id)}")
    return rule


def _refuse(path: Path, key: tuple[str, ...], message: str) -> None:
    place = f"{path}:{shipped.line_of(path, key)} {'.'.join(key)}".rstrip()
    raise KnowledgeError(f"{place}: {message}")
