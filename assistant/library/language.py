"""Reads ``knowledge/language/``: wordings of fields and the words behind units, numbers, names and scopes, with the
weights that were learned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.language import Language, OtherLanguage, Wording
from assistant.vocabulary.questionnaire import FIELDS

from . import shipped


def read(folder: Path) -> Language:
    """The language data of a folder. Raises :class:`KnowledgeError` naming file, line and key."""
    fields: dict[str, Wording] = {}
    others: dict[str, OtherLanguage] = {}
    learned = {"weights": "acts.json", "asked_of_plans": "followups.json"}
    parts = {name: _learned(folder / file) for name, file in learned.items()}
    parts["opinion"] = folder / "opinion.npz"
    for name, content in shipped.documents("language", folder).items():
        if name.startswith("languages/"):
            others[Path(name).stem] = shipped.validated(OtherLanguage, content, folder / name, ())
            continue
        if not name.startswith("fields/"):
            parts[name.removesuffix(".yaml")] = content
            continue
        wording = shipped.validated(Wording, content, folder / name, ())
        if wording.field not in FIELDS:
            raise KnowledgeError(f"{folder / name}:1 field: {wording.field} is no field of the questionnaire")
        if wording.field in fields:
            raise KnowledgeError(f"{folder / name}:1 field: the wordings of {wording.field} stand in two files")
        fields[wording.field] = wording
    for part, found in (("fields", fields), ("languages", others)):
        if not found:
            raise KnowledgeError(f"{folder / part}: there is nothing to read")
    return Language(fields, others, parts)


def _learned(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except OSError:
        raise KnowledgeError(f"{path}: there is nothing to read") from None
    except ValueError as error:
        raise KnowledgeError(f"{path}: not valid JSON: {error}") from None
