"""What completes a word while it is typed: names of the catalog, the user's own among them, and commands."""

from __future__ import annotations

from assistant.library import Library

from . import slash
from .slash import SIGN

_LEAST = 3  # letters of a word before it is completed: fewer begin too many names
_WORDS = 4  # of a name, before which nobody looks


class Completer:
    """Completes what is typed, for one library: some hundred names are looked through in less than a millisecond."""

    def __init__(self, library: Library) -> None:
        self.commands = slash.commands(library)
        self._names = {name.lower(): name for name in _names(library)}

    def rest(self, typed: str) -> str:
        """What is missing of the name or the command that the text ends with; nothing where none begins so."""
        if typed.startswith(SIGN):
            return next(iter(self.offered(typed)), typed)[len(typed) :]
        words = typed.lower().split(" ")
        for count in range(min(_WORDS, len(words)), 0, -1):
            begun = " ".join(words[-count:])
            if len(begun) >= _LEAST and begun[-1].isalnum():
                name = next((name for low, name in self._names.items() if low.startswith(begun)), None)
                if name is not None:
                    return name[len(begun) :]
        return ""

    def offered(self, typed: str) -> dict[str, str]:
        """What a text that begins with the sign may become, each with what it is about: the names of commands, then
        what one takes."""
        name, gap, rest = typed.removeprefix(SIGN).partition(" ")
        if not typed.startswith(SIGN):
            return {}
        if not gap:
            return {f"{SIGN}{one.name}": one.about for one in self.commands if one.name.startswith(name)}
        takes = next((one.takes for one in self.commands if one.name == name), ())
        return {f"{SIGN}{name} {one}": "" for one in takes if one.startswith(rest)}

    def lines(self, typed: str) -> list[str]:
        """The whole lines that what is typed may become."""
        rest = self.rest(typed)
        return list(self.offered(typed)) or ([typed + rest] if rest else [])

    def goes_on(self, chosen: str) -> bool:
        """Whether something has to follow a command that was chosen."""
        return any(chosen == f"{SIGN}{one.name}" and (one.takes or one.needs) for one in self.commands)


def _names(library: Library) -> list[str]:
    """Names and ids, those that the interview offers first."""
    catalog = library.catalog
    offered = [str(v) for one in library.interview.questions for choice in one.choices for v in choice.sets.values()]
    kinds = (catalog.models, catalog.gpus, catalog.providers, catalog.fabrics)
    usual = [kind[ident] for ident in offered for kind in kinds if ident in kind]
    every = [entry for kind in kinds for entry in kind.values()]
    return list(dict.fromkeys(text for entry in (*usual, *every) for text in (entry.name, entry.id)))
