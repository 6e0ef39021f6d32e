"""A question of a plan as a query: which figures are asked for, of whom, and which of its words that explains.

The words and the figures are ``knowledge/language/queries.yaml``: words stand for concepts, and a figure is asked for
where all concepts of one of its rows are there. A row that another one contains gives way to it: "cost" to "cost" and
"month".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from assistant.vocabulary.utterance import Query

from .templates import Quantity
from .text import Text, Token, cut

_LONGEST = 5  # words in a row that stand for a concept
_QUOTES = "ABCDEF"
_BEFORE = frozenset({"quote", "offer", "option", "bid", "vendor", "supplier", "proposal"})
_SIGN = re.compile(r"[^\w%$]+")
_OF_FILLER = "filler"


@dataclass(frozen=True)
class Queries:
    """``concepts`` of words in a row, as they are written; ``rows``: sets of concepts, each with the figure that it
    asks for; ``barring``: the concepts beside which a figure is not asked for; ``beside``: those that need be no part
    of one, ``never``: those beside which none is asked for."""

    concepts: Mapping[tuple[str, ...], frozenset[str]]
    rows: Sequence[tuple[frozenset[str], str]]
    barring: Mapping[str, frozenset[str]]
    beside: frozenset[str]
    never: frozenset[str]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Queries:
        """From the file as it is read."""
        rows = [(frozenset(row.split()), name) for name, told in data["figures"].items() for row in told["asked"]]
        found: dict[tuple[str, ...], set[str]] = {}
        for concept, words in data["concepts"].items():
            for word in words.split():
                found.setdefault(tuple(token.text for token in cut(word.replace("_", " "))), set()).add(concept)
        barring = {name: frozenset(str(told.get("without", "")).split()) for name, told in data["figures"].items()}
        every = {words: frozenset(names) for words, names in found.items()}
        return cls(every, rows, barring, *(frozenset(data[name].split()) for name in ("beside", "never")))

    def read(self, text: Text, networks: Set[int], facts: Set[int], amounts: Sequence[Quantity]) -> Query:
        """What a message asks for, by the places of its networks and facts; an amount stands for the concept of its
        kind, ``said-money``."""
        quotes = _quotes(text)
        named = set(quotes) | {at for one in amounts for at in range(one.start, one.end)}
        taken, found = networks | facts | named, self._concepts(text.tokens, named)
        places = {f"said-{one.kind}": one.start for one in amounts}
        places |= {"said-network": 0} if networks else {}
        places |= {concept: at for at, concepts in reversed(list(found.items())) for concept in concepts}
        told = frozenset(places)
        rows = [(row, name) for row, name in self.rows if row <= told and not self.barring[name] & told]
        kept = [(row, name) for row, name in rows if not any(row < other for other, _ in rows)]
        kept.sort(key=lambda one: (min(places[concept] for concept in one[0]), -len(one[0])))
        if (told & self.never).difference(*(row for row, _ in kept)):
            return Query()
        known = self.beside.union(*(row for row, _ in kept))
        told_of = taken | {n for n, concepts in found.items() if concepts & known}
        unread = [t.text for n, t in enumerate(text.tokens) if n not in told_of and _says(t)]
        named = tuple(dict.fromkeys(quotes.values()))
        names, deep = tuple(dict.fromkeys(name for _, name in kept)), max((len(row) for row, _ in kept), default=0)
        return Query(names, told - {_OF_FILLER}, deep, named, tuple(unread))

    def _concepts(self, tokens: Sequence[Token], taken: Set[int]) -> dict[int, frozenset[str]]:
        """The concepts of the words by place, of words in a row those of the longest row."""
        found: dict[int, frozenset[str]] = {}
        at = 0
        while at < len(tokens):
            for size in range(min(_LONGEST, len(tokens) - at), 0, -1):
                concepts = self.concepts.get(tuple(token.text for token in tokens[at : at + size]))
                if concepts is not None and not (size == 1 and at in taken):
                    found |= dict.fromkeys(range(at, at + size), concepts)
                    at += size
                    break
            else:
                at += 1
        return found


def _says(token: Token) -> bool:
    return not _SIGN.fullmatch(token.text) and len(token.text) > 1


def _quotes(text: Text) -> dict[int, int]:
    """The quotes that are named by their letters, by place: "quote B", "A or B"; an A that begins a sentence is none
    unless B stands beside it."""
    typed = [text.original[t.start : t.end] for t in text.tokens]
    lettered = {n: _QUOTES.index(word) + 1 for n, word in enumerate(typed) if word in _QUOTES and len(word) == 1}
    several = len(set(lettered.values())) > 1
    behind = lambda n: n > 0 and typed[n - 1].lower() in _BEFORE
    found = {n: number for n, number in lettered.items() if number > 1 or several or n > 0 or behind(n)}
    small = {n: ord(word) - ord("a") + 1 for n, word in enumerate(typed) if behind(n) and word in ("a", "b", "c", "d")}
    numbered = {n: int(word) for n, word in enumerate(typed) if behind(n) and word in ("1", "2", "3", "4")}
    return found | small | numbered
