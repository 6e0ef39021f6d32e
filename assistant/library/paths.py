"""Where the shipped data and the user's own files are."""

from __future__ import annotations

import errno
import os
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

from assistant.vocabulary.errors import InputError, KnowledgeError, Place
from assistant.vocabulary.quantities import shown

PACKAGE = Path(__file__).resolve().parents[1]
FILES = "files.txt"  # in rules/ and knowledge/: what has to be there, a name a line
_NOT_LISTED = ("handbook", "vectors")  # documentation, and what is made anew where it is gone: no answer hangs on them


@lru_cache(maxsize=2)
def shipped(name: str) -> Path:
    """The folder ``rules`` or ``knowledge``: beside the package in a checkout, inside it in an installed wheel. Raises
    :class:`KnowledgeError` where it is not :func:`whole`."""
    checkout = PACKAGE.parent / name
    if not ((PACKAGE.parent / "pyproject.toml").is_file() and checkout.is_dir()):
        checkout = PACKAGE / "shipped" / name
    if not (checkout / FILES).is_file():
        raise KnowledgeError(f"{checkout / FILES}: there is nothing to read, and nobody can say what else is missing")
    return whole(checkout)


def whole(folder: Path) -> Path:
    """The folder. Raises :class:`KnowledgeError` for the first file that it lists in :data:`FILES` and that is not
    there, or empty: without it an answer would be another one; so is the list itself. A folder without one has what it
    has."""
    listed = folder / FILES
    names = listed.read_text(encoding="utf-8").splitlines() if listed.is_file() else None
    if names == []:
        raise KnowledgeError(f"{listed}:1: there is nothing in it, and without it nobody knows what has to be there")
    for line, name in enumerate(names or (), start=1):
        path = folder / name
        if not path.is_file():
            gone = next(
                above for above in (*reversed(path.relative_to(folder).parents), path) if not (folder / above).exists()
            )
            meant = f"Bring it back, or, where it is meant to be gone, take it out of {listed}:{line}"
            raise KnowledgeError(
                f"{folder / gone}: there is nothing to read, and without it answers would be others. {meant}"
            )
        if not path.stat().st_size:
            raise KnowledgeError(f"{path}:1: there is nothing in it, and without it answers would be others")
    return folder


def listing(folder: Path) -> str:
    """What :data:`FILES` has to say of a folder that is whole."""
    return "".join(f"{name}\n" for name in answering(folder))


def answering(folder: Path, but: Collection[str] = ()) -> list[str]:
    """The files of a folder that an answer can hang on, in order of name; without those below the folders ``but``."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    kept = (one.as_posix() for one in found if one.parts[0] not in (*_NOT_LISTED, FILES, *but))
    return [name for name in sorted(kept) if not any(part.startswith(".") for part in name.split("/"))]


def cache_dir() -> Path:
    """Where compiled data and the embedding index are kept; ``WEFT_CACHE`` names another place."""
    return _user_dir("WEFT_CACHE", "user_cache_dir")


def data_dir() -> Path:
    """Where transcripts and the user's own catalog are kept; ``WEFT_HOME`` names another place."""
    return _user_dir("WEFT_HOME", "user_data_dir")


def _user_dir(variable: str, kind: str) -> Path:
    named = os.environ.get(variable)
    if named:
        try:
            folder = Path(named).expanduser()
            folder.exists()
        except RuntimeError:  # "~somebody": nobody of that name is known here
            why = "there is no such user"
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:  # what is not there, or not ours, is told where it is needed
                return folder
            why = "no folder can have a name as long as that"
        else:
            return folder
        raise InputError(f"expected a folder, got {shown(named)}: {why}", Place(variable))
    import platformdirs

    return Path(getattr(platformdirs, kind)("weft", appauthor=False))
