"""Commands by a short name (``/undo``), as ``knowledge/language/commands.yaml`` lists them."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from assistant.library import Library
from assistant.vocabulary.entry import Entry
from assistant.vocabulary.errors import InputError

SIGN = "/"


class Slash(Entry):
    """``/name``: it says ``says``, with what follows in the place of ``{}``, one of ``takes`` where there are such;
    ``needs`` is what has to follow. One without ``says`` is done by the screen, and ``here`` is said elsewhere."""

    name: str
    about: str
    says: str | None = None
    takes: tuple[str, ...] = ()
    needs: str | None = None
    here: str = ""

    def said(self, rest: str) -> str:
        """What it stands for. Raises :class:`InputError` where something is missing, or there is nothing to say."""
        if self.says is None:
            raise InputError(self.here)
        if self.needs and not rest:
            raise InputError(f"{SIGN}{self.name} needs {self.needs}.")
        if not self.takes:
            return self.says.replace("{}", rest).strip()
        first, _, more = (rest or self.takes[0]).partition(" ")
        if first.lower() not in self.takes:
            raise InputError(f"{SIGN}{self.name} takes {', '.join(self.takes)}; got {first}.")
        return f"{self.says.replace('{}', first.lower())} {more}".strip()


class _Commands(Entry):
    slash: tuple[Slash, ...] = Field(min_length=1)


def commands(library: Library) -> tuple[Slash, ...]:
    """Every command, in the order in which they are listed."""
    told: dict[str, Any] = {"slash": library.language["commands"]["slash"]}
    return _Commands.model_validate(told).slash


def spoken(text: str, library: Library) -> str:
    """What a message that begins with the sign stands for. Raises :class:`InputError` with what there is."""
    name, _, rest = text.removeprefix(SIGN).partition(" ")
    every = commands(library)
    meant = [one for one in every if one.name == name.lower()] or [one for one in every if one.name.startswith(name)]
    if not name or len(meant) != 1:
        names = " ".join(f"{SIGN}{one.name}" for one in (meant if name and meant else every))
        raise InputError(f"Which command? {names}")
    return meant[0].said(rest.strip())
