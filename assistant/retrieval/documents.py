"""What is embedded: each passage as a whole, under its heading, sentence by sentence, and the claims it rests on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assistant.vocabulary.knowledge import Claim, Knowledge, Passage

from . import words

if TYPE_CHECKING:
    from assistant.library import Library

KINDS = ("text", "headed", "heading", "sentence", "claim")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"“])")
_SHORTEST_SENTENCE = 25  # characters; less is a fragment such as "See below."


@dataclass(frozen=True)
class Piece:
    """A text that stands for a passage: ``passage`` is its position among all passages."""

    passage: int
    kind: str
    text: str


@dataclass(frozen=True)
class Document:
    """A passage with what surrounds it: the headings above it, the title of its source, the statements it rests on."""

    passage: Passage
    headings: tuple[str, ...]
    title: str
    claims: tuple[Claim, ...]

    @property
    def heading(self) -> str:
        """Where the passage stands, readable: source, then headings from the outermost."""
        return ": ".join(dict.fromkeys((self.title, *self.headings)))

    @property
    def place(self) -> tuple[str, str]:
        """Source id and heading: passages of one place belong together."""
        return self.passage.source, self.passage.section

    def pieces(self, position: int) -> Iterator[Piece]:
        """The texts to embed for this passage."""
        text = self.passage.text
        yield Piece(position, "text", text)
        yield Piece(position, "headed", f"{self.headings[-1]}. {text}")
        yield Piece(position, "heading", self.heading)
        for sentence in sentences(text):
            yield Piece(position, "sentence", sentence)
        for claim in self.claims:
            yield Piece(position, "claim", claim.statement)


def documents(knowledge: Knowledge) -> list[Document]:
    """Every passage of the knowledge base, in its order."""
    paths = {(source.id, path[-1]): tuple(path) for source in knowledge.sources.values() for path in source.sections}
    return [Document(passage, paths.get((passage.source, passage.section), (passage.section,)),
                     knowledge.sources[passage.source].title, tuple(knowledge.claims[name] for name in passage.claims))
            for passage in knowledge.passages.values()]


def sentences(text: str) -> list[str]:
    """The sentences of a passage; a passage of one sentence has none beside itself."""
    found = [part.strip() for part in _SENTENCE_END.split(text) if len(part.strip()) >= _SHORTEST_SENTENCE]
    return found if len(found) > 1 else []


def look_ups(rules: Iterable[Any]) -> list[str]:
    """What the rules ask the search for, each once, in order of the rules."""
    asked = (rule.look_up for rule in rules)
    return list(dict.fromkeys(query for query in asked if query))


class Content:
    """Everything an index is made of: documents, queries of the rules, other names of the field's terms."""

    def __init__(self, found: Iterable[Document], queries: Iterable[str] = (), terms: Iterable[Any] = ()) -> None:
        self.documents = list(found)
        self.queries = list(queries)
        self.terms = list(terms)
        self.names = words.Initialisms(self.terms)
        self.pieces = [piece for position, document in enumerate(self.documents) for piece in document.pieces(position)]
        asked = (words.written_out(query, self.names) for query in self.queries)
        self.row_of = {text: row for row, text in enumerate(dict.fromkeys((*(piece.text for piece in self.pieces), *asked)))}

    @classmethod
    def of(cls, library: Library) -> Content:
        return cls(documents(library.knowledge), look_ups(library.rules.values()), library.knowledge.terms)

    @property
    def texts(self) -> list[str]:
        """Each text to embed once, in the order of the vectors."""
        return list(self.row_of)
