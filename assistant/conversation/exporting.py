"""The plan or the conversation as a file: which format and where, and the writing itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan
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


_CONVERSATION = re.compile(
    r"\b(?:conversation|transcript|chat|dialog(?:ue)?|(?:this|our|the whole) talk|what we said)\b", re.IGNORECASE
)
_OF_A_CONVERSATION = ("markdown", "html")


class Target(NamedTuple):
    """What to write where; ``replace`` when the person said that an existing file may go."""

    format: Format
    path: str
    replace: bool
    conversation: bool = False

    @property
    def what(self) -> str:
        """The word that a request to export it needs."""
        return "the conversation " if self.conversation else ""


# Writes a text; returns under which name the person finds the file, when that is not what they asked for.
Exporter = Callable[[str, Target], "str | None"]


def target_of(text: str) -> Target:
    """``export as json to plan.json`` → format and path. Without a path, ``weft-plan`` in the current folder.

    Raises :class:`InputError` for a conversation in a format that holds plans only.
    """
    found = _PATH.search(text) or _TO.search(text)
    path = next((p for p in found.groupdict().values() if p), None) if found else None
    outside = text.replace(path, " ") if path else text
    named, conversation = _NAMED.search(outside), _CONVERSATION.search(outside) is not None
    chosen = _FORMATS.get(Path(path).suffix.lower()) if path else None
    chosen = chosen or (_FORMATS[f".{named[1].lower()}"] if named else "markdown")
    if conversation and chosen not in _OF_A_CONVERSATION:
        raise InputError(f"expected markdown or html for a conversation, got {chosen}")
    usual = f"weft-{'conversation' if conversation else 'plan'}{_ENDINGS[chosen][0]}"
    return Target(chosen, path or usual, _REPLACE.search(text) is not None, conversation)


def written(plan: Plan, questionnaire: Questionnaire, format: Format) -> str:
    """The plan in a format; as YAML the questionnaire, to plan again."""
    if format == "yaml":
        import yaml

        return yaml.safe_dump(questionnaire.model_dump(exclude_unset=True), sort_keys=False, allow_unicode=True)
    from assistant.present.plan import formats

    return formats.written(plan, format)


def write(text: str, target: Target) -> None:
    """Write a file. Raises :class:`InputError` when one is there already or it cannot be written."""
    path = Path(target.path).expanduser()
    if path.exists() and not target.replace:
        how = f"name another file, or say: export {target.what}to {target.path}, overwrite"
        raise InputError(f"{target.path} is already there; {how}")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{target.path} cannot be written: {error.strerror or error}") from None
