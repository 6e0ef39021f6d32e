"""The plan, its card or the conversation as a file: which format and where, and the writing itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from assistant.library.files import write_whole
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.printing import in_json
from assistant.vocabulary.questionnaire import Questionnaire

Format = Literal["markdown", "json", "yaml", "html", "text"]
# The first is taken where none is named; they are names of the format as well.
_ENDINGS: dict[Format, tuple[str, ...]] = {
    "markdown": (".md", ".markdown"),
    "json": (".json",),
    "yaml": (".yaml", ".yml"),
    "html": (".html", ".htm"),
    "text": (".txt", ".text"),
}
_FORMATS: dict[str, Format] = {ending: name for name, endings in _ENDINGS.items() for ending in endings}
_NAMED = re.compile(r"\b(markdown|md|json|yaml|yml|html|text)\b", re.IGNORECASE)
_PATH = re.compile(
    r"""["'](?P<quoted>[^"']+)["']|"""
    r"""(?P<plain>[^\s"']*[\w\-]\.(?:md|markdown|json|ya?ml|html?|txt))(?=[\s,;]|$)""",
    re.IGNORECASE,
)
_REPLACE = re.compile(r"\b(?:overwrite|replace)\b", re.IGNORECASE)
_TO = re.compile(r"\b(?:to|in|into|as)\s+(?P<path>[~./][^\s,;]*)")

What = Literal["plan", "card", "conversation"]
_WHAT: dict[What, re.Pattern[str]] = {
    "conversation": re.compile(
        r"\b(?:conversation|transcript|chat|dialog(?:ue)?|(?:this|our|the whole) talk|what we said)\b", re.IGNORECASE
    ),
    "card": re.compile(r"\b(?:the|this|that|a) card\b", re.IGNORECASE),
}
_QUESTIONNAIRE = re.compile(r"\bquestionnaire\b", re.IGNORECASE)
_WRITTEN_AS: dict[What, tuple[Format, ...]] = {
    "plan": tuple(_ENDINGS),
    "card": ("markdown", "html", "json", "text"),
    "conversation": ("markdown", "html"),
}


class Target(NamedTuple):
    """What to write where; ``replace`` when the person said that an existing file may go."""

    format: Format
    path: str
    replace: bool
    what: What = "plan"

    @property
    def called(self) -> str:
        """The words that a request to export it needs."""
        return "" if self.what == "plan" else f"the {self.what} "


# Writes a text; returns under which name the person finds the file, when that is not what they asked for.
Exporter = Callable[[str, Target], "str | None"]


def target_of(text: str, other_formats: Mapping[str, str] = {}) -> Target:
    """``export as json to plan.json`` → format and path. Without a path, ``weft-plan`` in the current folder.

    Raises :class:`InputError` for a format in which this is not written; ``other_formats``: of those that people ask
    for, what to do instead, by a word for them.
    """
    found = _PATH.search(text) or _TO.search(text)
    path = next((p for p in found.groupdict().values() if p), None) if found else None
    outside = text.replace(path, " ") if path else text
    named = _NAMED.search(outside)
    what = _what(outside)
    chosen = _FORMATS.get(Path(path).suffix.lower()) if path else None
    chosen = chosen or (_FORMATS[f".{named[1].lower()}"] if named else None)
    if chosen is None:
        _refuse_others(f"{outside} {Path(path or '').suffix}", other_formats)
        chosen = "yaml" if _QUESTIONNAIRE.search(outside) else "markdown"
    if chosen not in _WRITTEN_AS[what]:
        *most, last = _WRITTEN_AS[what]
        raise InputError(f"expected {', '.join(most)} or {last} for a {what}, got {chosen}")
    return Target(chosen, path or f"weft-{what}{_ENDINGS[chosen][0]}", _REPLACE.search(text) is not None, what)


def _what(text: str) -> What:
    for what, words in _WHAT.items():
        if words.search(text):
            return what
    return "plan"


def _refuse_others(text: str, other_formats: Mapping[str, str]) -> None:
    words = re.findall(r"\w+", text.lower())
    instead = next((other_formats[word] for word in words if word in other_formats), None)
    if instead is not None:
        raise InputError(instead)


def written(plan: Plan, questionnaire: Questionnaire, format: Format) -> str:
    """The plan in a format; as YAML the questionnaire, to plan again."""
    if format == "yaml":
        import yaml

        return yaml.safe_dump(questionnaire.said(), sort_keys=False, allow_unicode=True)
    from assistant.present.plan import formats

    return formats.written(plan, format, width=80)


def card_written(plan: Plan, format: Format) -> str:
    """The card of a plan alone."""
    from assistant.present.plan import card, formats

    told = plan.recommendation.card
    if format == "json" and told is not None:
        return in_json(told.model_dump_json(indent=2)) + "\n"
    return formats.blocks_written(card.section(plan), format)


def write(text: str, target: Target) -> None:
    """Write a file. Raises :class:`InputError` when one is there already or it cannot be written."""
    path = Path(target.path).expanduser()
    if path.exists() and not target.replace:
        how = f"name another file, or say: export {target.called}to {target.path}, overwrite"
        raise InputError(f"{target.path} is already there; {how}")
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise InputError(f"{target.path} cannot be written: {error.strerror or error}") from None
