"""Where the shipped data and the user's own files are."""

from __future__ import annotations

import os
from pathlib import Path

from assistant.vocabulary.errors import InputError, Place

PACKAGE = Path(__file__).resolve().parents[1]


def shipped(name: str) -> Path:
    """The folder ``rules`` or ``knowledge``: beside the package in a checkout, inside it in an installed wheel."""
    checkout = PACKAGE.parent / name
    if (PACKAGE.parent / "pyproject.toml").is_file() and checkout.is_dir():
        return checkout
    return PACKAGE / "shipped" / name


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
            return Path(named).expanduser()
        except RuntimeError:  # "~somebody": nobody of that name is known here
            raise InputError(f'expected a folder, got "{named}": there is no such user', Place(variable)) from None
    import platformdirs

    return Path(getattr(platformdirs, kind)("weft", appauthor=False))
