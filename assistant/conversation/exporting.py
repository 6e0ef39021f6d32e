"""The plan as a file: which format and where, and the writing itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, NamedTuple

from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.questionnaire import Questionnaire

Format = Literal["markdown", "json", "yaml", "html", "text"]
_SUFFIXES: dict[str, Format] = {".md": "markdown", ".markdown": "markdown", ".json": "json", ".yaml": "yaml", ".yml": "yaml",
                                ".html": "html", ".htm": "html", ".txt": "text"}
_NAMED = re.compile(r"\b(markdown|md|json|yaml|yml|html|text)\b", re.IGNORECASE)
_PATH = re.compile(r"""["'](?P<quoted>[^"']+)["']|"""
                   r"""(?P<plain>[^\s"']*[\w\-]\.(?:md|markdown|json|ya?ml|html?|txt))(?=[\s,;]|$)""", re.IGNORECASE)
_TO = re.compile(r"\b(?:to|in|into|as)\s+(?P<path>[~./][^\s,;]*)")


class Target(NamedTuple):
    """What to write where; ``replace`` when the person said that an existing file may go."""

    format: Format
    path: str
    replace: bool


def target_of(text: str) -> Target:
    """``export as json to plan.json`` → format and path. Without a path, ``weft-plan`` in the current folder."""
    found = _PATH.search(text) or _TO.search(text)
    path = next((p for p in found.groupdict().values() if p), None) if found else None
    outside = text.replace(path, " ") if path else text
    named = _NAMED.search(outside)
    by_suffix = _SUFFIXES.get(Path(path).suffix.lower()) if path else None
    wanted = named[1].lower() if named else None
    chosen: Format = by_suffix or {"md": "markdown", "yml": "yaml"}.get(wanted, wanted) or "markdown"
    suffix = {"markdown": ".md", "json": ".json", "yaml": ".yaml", "html": ".html", "text": ".txt"}[chosen]
    return Target(chosen, path or f"weft-plan{suffix}", re.search(r"\b(?:overwrite|replace)\b", text, re.IGNORECASE) is not None)


def write(plan: Plan, questionnaire: Questionnaire, target: Target) -> None:
    """Write the plan (as YAML: the questionnaire, to plan again). Raises :class:`InputError` when the file cannot be written."""
    path = Path(target.path).expanduser()
    if path.exists() and not target.replace:
        raise InputError(f"{target.path} is already there; name another file, or say: export to {target.path}, overwrite")
    text = _text(plan, questionnaire, target.format)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{target.path} cannot be written: {error.strerror or error}") from None


def _text(plan: Plan, questionnaire: Questionnaire, format: Format) -> str:
    if format == "json":
        return plan.model_dump_json(by_alias=True, indent=2) + "\n"
    if format == "yaml":
        import yaml

        return yaml.safe_dump(questionnaire.model_dump(exclude_unset=True), sort_keys=False, allow_unicode=True)
    if format == "text":
        from assistant.present.text import plan_lines

        return "\n".join(plan_lines(plan, 100)) + "\n"
    if format == "html":
        from assistant.present.page import plan_html

        return plan_html(plan)
    from assistant.present.markdown import plan_markdown

    return plan_markdown(plan)
