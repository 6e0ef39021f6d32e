"""Messages that are a command as a whole, by the phrases of ``knowledge/language/commands.yaml``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from assistant.library import Library
from assistant.understanding.templates import Compiler, Matcher, Source
from assistant.understanding.text import Token, cut

from ..events import Failure

_LONGEST = 120  # characters: whoever says more says more than a command


@dataclass(frozen=True)
class Phrases:
    """Whole messages by what they mean; ``lead`` and ``tail`` are words around them that change nothing."""

    matcher: Matcher
    order: tuple[str, ...]
    lead: frozenset[str]
    tail: frozenset[str]

    def meaning(self, text: str) -> str | None:
        """The first of the meanings that the whole text has: "back" is one, "back to 64 GPUs" is not."""
        if len(text) > _LONGEST:
            return None
        source, start, found = Source(cut(text), {}), 0, set()
        while start < len(source.tokens):
            hits = self.matcher.at(source, start)
            found |= {hit.key for hit in hits if all(_idle(token, self.tail) for token in source.tokens[hit.end :])}
            if not _idle(source.tokens[start], self.lead):
                break
            start += 1
        return min(found, key=self.order.index, default=None)


def _idle(token: Token, words: frozenset[str]) -> bool:
    return token.text in words or not token.text[0].isalnum()


@lru_cache(maxsize=4)
def _phrases(library: Library) -> tuple[Phrases, Phrases, Phrases]:
    """The commands, what takes back a fact that is needed, and the way to a branch by its number."""
    told: dict[str, Any] = library.language["commands"]
    compiler = Compiler(library.language["words"]["sets"])
    before, after = (told["taken_back"][part] for part in ("before", "after"))
    commands = [(name, template) for name, says in told["commands"].items() for template in says]
    needed = [(name, f"{before} ({one}) {after}") for name, field in told["needed"].items() for one in field["says"]]
    lead, tail = frozenset(told["lead"]), frozenset(told["tail"])
    branch = [("branch", template) for template in told["branch"]]
    made = (Phrases(Matcher(compiler, pairs), tuple(dict(pairs)), lead, tail) for pairs in (commands, needed, branch))
    return next(made), next(made), next(made)


def command_of(text: str, library: Library) -> str | None:
    """The command a whole message is, or ``None``."""
    return _phrases(library)[0].meaning(text)


def not_without(text: str, library: Library) -> Failure | None:
    """The answer to a whole message that takes back what every plan needs: "forget the number of nodes"."""
    field = _phrases(library)[1].meaning(text)
    if field is None:
        return None
    needed = library.language["commands"]["needed"][field]
    how = f"Say the new value, as in {needed['as_in']}. Nothing was changed."
    return Failure(text=f"{needed['called']} is needed: without it nothing can be planned. {how}", field=field)


def branch_of(text: str, library: Library) -> int | None:
    """The number in "branch 2"."""
    numbers = [token.text for token in cut(text[:_LONGEST]) if token.text.isdigit()]
    return int(numbers[0]) if len(numbers) == 1 and _phrases(library)[2].meaning(text) else None
