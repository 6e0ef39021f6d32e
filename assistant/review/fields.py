"""What was said, of a questionnaire as a plan has it: every field of the contract, most of them empty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assistant.library.questionnaires import nested
from assistant.vocabulary.plan import Plan

_WHOLE = ("model", "parallelism")  # a name, or all of its parts together


def flat(value: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted fields that are not empty."""
    for name, content in value.items():
        if isinstance(content, Mapping) and (path or name not in _WHOLE):
            yield from flat(content, f"{path}{name}.")
        elif isinstance(content, Mapping):
            yield name, {part: one for part, one in content.items() if one is not None}
        elif content not in (None, []):
            yield f"{path}{name}", content


def said(plan: Plan) -> dict[str, Any]:
    """The questionnaire of a plan as a file has it."""
    return nested(dict(flat(plan.questionnaire)))
