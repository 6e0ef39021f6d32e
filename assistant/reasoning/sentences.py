"""Sentences with fields in them, taken apart once and filled in many times."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from assistant.vocabulary.counted import counted
from assistant.vocabulary.facts import UNKNOWN
from assistant.vocabulary.quantities import COMPARISONS, compared

Scopes = Mapping[str, Mapping[str, Any]]
Sentence = Callable[[Scopes], str]


def sentence(template: str, names: Mapping[str, str] = MappingProxyType({})) -> Sentence:
    """A function that fills in ``{scope.field:format}``, of a number of things
    ``{scope.field:#thing}``, of percents that something is more than another
    by one of the comparisons, ``{scope.field:longer than}``; ids read as
    their ``names``, an unknown fact reads ``unknown``, whatever its format."""
    parts: list[tuple[str, str, str, str]] = []
    for literal, expression, spec, _ in string.Formatter().parse(template):
        scope, _, name = (expression or "").partition(".")
        parts.append((literal, scope, name, spec or ""))

    def fill(scopes: Scopes) -> str:
        text = []
        for literal, scope, name, spec in parts:
            text.append(literal)
            if scope:
                text.append(_shown(scopes.get(scope, {}).get(name, UNKNOWN), spec, names))
        return "".join(text)

    return fill


def _shown(value: Any, spec: str, names: Mapping[str, str]) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)) and spec.startswith("#"):
        return counted(round(value), spec[1:])
    if isinstance(value, (int, float)) and spec in COMPARISONS:
        return compared((0 if spec == "of" else 1) + value / 100, spec)
    if isinstance(value, (int, float)):
        return format(value, spec or ("g" if isinstance(value, float) else ""))
    return "".join(c if c.isprintable() else "�" for c in names.get(str(value), str(value)))
