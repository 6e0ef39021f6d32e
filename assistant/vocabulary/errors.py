"""Errors a user can act on: one sentence, with the place and the next step."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass, field

_LONGEST, _ENDS = 300, 100  # characters of a path or a field that are shown whole, and of a longer one at each end


def _short(name: str) -> str:
    """A sentence that was taken for a file, or a key of a million letters, is not told whole."""
    return name if len(name) <= _LONGEST else f"{name[:_ENDS]}…{name[-_ENDS:]}"


@dataclass(frozen=True)
class Place:
    """Where a value came from: a file, a line in it, a dotted field path."""

    file: str | None = None
    line: int | None = None
    field: str | None = None

    def __str__(self) -> str:
        where = _short(self.file or "")
        if self.line is not None:
            where = f"{where}:{self.line}" if where else f"line {self.line}"
        return f"{where} {_short(self.field)}".strip() if self.field else where


@dataclass
class InputError(ValueError):
    """The input is wrong; the program ends with exit code 2 and this sentence.

    ``message`` says what was given and what would be accepted, e.g.
    ``expected a whole number of at least 1, got "many"``.
    """

    message: str
    place: Place = field(default_factory=Place)

    def __str__(self) -> str:
        place = str(self.place)
        return f"{place}: {self.message}" if place else self.message

    def located(self, *, file: str | None = None, line: int | None = None, field: str | None = None) -> InputError:
        """The same error with the parts of its place filled in that were not known where it arose."""
        place = Place(self.place.file or file, self.place.line or line, self.place.field or field)
        return InputError(self.message, place)


def of_a_row(error: Exception, done: str) -> InputError:
    """The error of one row of many: a mistake of ours in it must not cost the others their answers. ``done``: what was
    to become of it, as in "planned"."""
    if isinstance(error, InputError):
        return error
    return InputError(f"could not be {done}, which is a fault of this program: {type(error).__name__}: {error}")


class KnowledgeError(ValueError):
    """A file of ``rules/`` or ``knowledge/`` is wrong: the message names file, line and key."""


_BEGINNING, _BEGUN = 4, 3  # letters that tell of what begins with them, and how many of these are named


def did_you_mean(given: str, known: Iterable[str], otherwise: str = "", *, most: int = 1, like: float = 0.5) -> str:
    """The end of a sentence about a word that is not ``known``: ``; did you mean …?`` with those that begin with it,
    else at least ``like`` it, else ``otherwise``."""
    near = _nearest(given, tuple(known), most, like)
    hint = f"did you mean {' or '.join(near)}?" if near else otherwise
    return f"; {hint}" if hint else ""


@functools.lru_cache(maxsize=64)  # a column that is misspelt is misspelt in every row
def _nearest(given: str, names: tuple[str, ...], most: int, like: float) -> list[str]:
    import difflib

    begun = [one for one in names if one.startswith(given)] if len(given) >= _BEGINNING else []
    return begun[:_BEGUN] or difflib.get_close_matches(given, names, n=most, cutoff=like)
