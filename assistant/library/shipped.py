"""Shipped YAML, read with the C loader and kept compiled in the user's cache by content hash.

A start must not parse a megabyte of YAML: the parsed documents of one part (``catalog``, ``knowledge``,
``rules``) are kept as one JSON file whose name carries the hash of all files it was made from, and its first line that
of its content.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from assistant.vocabulary.errors import InputError, KnowledgeError

from . import paths
from .files import content_of, replacing

if TYPE_CHECKING:
    from pydantic import BaseModel

FORMAT = "1"
M = TypeVar("M", bound="BaseModel")


def documents(part: str, folder: Path, pattern: str = "**/*.yaml", *, each: str = "something") -> dict[str, Any]:
    """Parsed documents of a folder by their path relative to it, in order of name; from the cache when nothing
    changed. Raises :class:`KnowledgeError` where there is none, or one is empty (``each``: what is expected in one):
    without it an answer would be another one."""
    files = sorted(path for path in folder.glob(pattern) if path.is_file())
    if not files:
        raise KnowledgeError(f"{folder / ('' if '*' in pattern else pattern)}: there is nothing to read")
    texts = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    cached = paths.cache_dir() / "compiled" / f"{part}-{digest(texts)}.json"
    with contextlib.suppress(OSError, ValueError):
        said, _, content = content_of(cached).partition(b"\n")
        if said == _digest_of(content):
            return json.loads(content)
    parsed = {name: _parse(folder / name, text) for name, text in texts.items()}
    if empty := [name for name, content in parsed.items() if not content]:
        raise KnowledgeError(f"{folder / empty[0]}:1: expected {each}, there is nothing in it")
    _keep(cached, parsed, part)
    return parsed


def listed(part: str, folder: Path, pattern: str, key: str) -> dict[str, list[Any]]:
    """The list under ``key`` of each file of :func:`documents`, by the file's name. Raises :class:`KnowledgeError`
    where a file has none, or nothing in it."""
    found = documents(part, folder, pattern, each=f"{key}: a list")
    for name, content in found.items():
        if not isinstance(content, dict) or not isinstance(content.get(key), list) or not content[key]:
            raise KnowledgeError(
                f"{folder / name}:{line_of(folder / name, (key,))} {key}: expected a list with entries"
            )
    return {name: content[key] for name, content in found.items()}


def digest(texts: dict[str, bytes]) -> str:
    """Content hash of named texts, 16 hexadecimal digits."""
    state = hashlib.blake2b(FORMAT.encode(), digest_size=8)
    for name, text in sorted(texts.items()):
        state.update(name.encode() + b"\0" + len(text).to_bytes(8, "big") + text)
    return state.hexdigest()


def _digest_of(content: bytes) -> bytes:
    """The first line of a file of the cache: one that was damaged, or changed by hand, is made again."""
    return hashlib.blake2b(content, digest_size=16).hexdigest().encode()


def folder_digest(*folders: Path) -> str:
    """Content hash of every YAML file below some folders; a file stands for itself."""
    texts = {
        f"{folder.name}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for folder in folders
        for path in ([folder] if folder.is_file() else sorted(folder.glob("**/*.yaml")))
    }
    return digest(texts)


def _parse(path: Path, text: bytes) -> Any:
    import yaml

    try:
        return json.loads(json.dumps(yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)), default=_plain))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise KnowledgeError(f"{path}:{line}: not valid YAML: {error.problem}") from None
    except (yaml.YAMLError, TypeError) as error:
        raise KnowledgeError(f"{path}: not valid YAML: {error}") from None


def _plain(value: Any) -> str:
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    raise TypeError(f"unexpected {type(value).__name__}")


def _keep(cached: Path, parsed: dict[str, Any], part: str) -> None:
    """A cache that cannot be written costs time, nothing else."""
    with contextlib.suppress(OSError):
        with replacing(cached) as file:
            content = json.dumps(parsed, ensure_ascii=False).encode()
            file.write(_digest_of(content) + b"\n" + content)
        for old in cached.parent.glob(f"{part}-*.json"):
            if old != cached:
                old.unlink(missing_ok=True)


def validated(model: type[M], value: object, path: Path, key: tuple[str, ...]) -> M:
    """``model.model_validate(value)`` whose error names file, line and key."""
    from pydantic import ValidationError

    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = (*key, *(str(part) for part in first["loc"]))
        said = first["msg"].removeprefix("Value error, ")
        raise KnowledgeError(f"{path}:{line_of(path, where)} {'.'.join(where)}: {said}") from None


def line_of(path: Path, key: tuple[str, ...]) -> int:
    """The line of a key in a file, or of its nearest parent there; 1 when the file cannot be read."""
    from .yaml_text import documents as numbered

    try:
        return next(iter(numbered(path.read_text(encoding="utf-8"), str(path)))).line_of(key)
    except (OSError, StopIteration, InputError):
        return 1
