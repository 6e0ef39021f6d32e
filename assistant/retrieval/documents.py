"""What is embedded: each passage as a whole, under its heading, sentence by sentence, and the claims it rests on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.library import shipped
from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.knowledge import Claim, Knowledge, Passage, Term

from . import notation

if TYPE_CHECKING:
    from assistant.library import Library

KINDS = ("text", "headed", "heading", "sentence", "claim", "asked")
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
        for line in self.passage.asked:
            yield Piece(position, "asked", line)


def documents(knowledge: Knowledge) -> list[Document]:
    """Every passage of the knowledge base, in its order."""
    paths = {(source.id, path[-1]): tuple(path) for source in knowledge.sources.values() for path in source.sections}
    return [
        Document(
            passage,
            paths.get((passage.source, passage.section), (passage.section,)),
            knowledge.sources[passage.source].title,
            tuple(knowledge.claims[name] for name in passage.claims),
        )
        for passage in knowledge.passages.values()
    ]


def sentences(text: str) -> list[str]:
    """The sentences of a passage; a passage of one sentence has none beside itself."""
    found = [part.strip() for part in _SENTENCE_END.split(text) if len(part.strip()) >= _SHORTEST_SENTENCE]
    return found if len(found) > 1 else []


def look_ups(rules: Iterable[Any]) -> list[str]:
    """What the rules ask the search for, each once, in order of the rules."""
    asked = (branch.look_up for rule in rules for branch in rule.branches)
    return list(dict.fromkeys(query for query in asked if query))


class Content:
    """Everything an index is made of: documents, what the rules look up, the field's terms, topics that are not
    covered.

    ``everyday``: pairs of what people say and the field's word for it.
    ``beside``: texts no passage is found by, whose vectors are kept too, such as the topics that sources disagree
    about.
    """

    def __init__(
        self,
        found: Iterable[Document],
        queries: Iterable[str] = (),
        terms: Iterable[Term] = (),
        outside: Iterable[str] = (),
        beside: Iterable[str] = (),
        everyday: Iterable[tuple[str, str]] = (),
    ) -> None:
        self.documents, self.queries, self.terms, self.outside = list(found), list(queries), list(terms), list(outside)
        self.beside = list(beside)
        self.everyday = notation.Everyday(everyday)
        self.initialisms = notation.Initialisms(self.terms)
        self.names = notation.names_pattern(self.terms)
        self.pieces = [piece for position, document in enumerate(self.documents) for piece in document.pieces(position)]
        asked = (notation.written_out(query, self.initialisms) for query in self.queries)
        texts = dict.fromkeys((*(piece.text for piece in self.pieces), *asked, *self.outside, *self.beside))
        self.row_of = {text: row for row, text in enumerate(texts)}  # of the vectors; each text is embedded once

    @classmethod
    def of(cls, library: Library) -> Content:
        """The content of a library."""
        return cls(
            documents(library.knowledge),
            look_ups(library.rules.values()),
            library.knowledge.terms,
            outside(library.knowledge_folder),
            (conflict.topic for conflict in library.knowledge.conflicts.values()),
            everyday(library.knowledge_folder),
        )


def outside(folder: Path) -> list[str]:
    """What people ask beside the topic, from ``outside.yaml`` in the knowledge folder. Raises
    :class:`KnowledgeError`."""
    topics = shipped.listed("outside", folder, "outside.yaml", "topics")["outside.yaml"]
    if not all(isinstance(topic, str) for topic in topics):
        raise KnowledgeError(f"{folder / 'outside.yaml'}: topics: expected a list of texts")
    return topics


def everyday(folder: Path) -> list[tuple[str, str]]:
    """What people say and the field's word for it, from ``everyday.yaml``. Raises :class:`KnowledgeError`."""
    entries = shipped.listed("everyday", folder, "everyday.yaml", "words")["everyday.yaml"]
    try:
        return [(str(said), str(entry["means"])) for entry in entries for said in entry["said"]]
    except (TypeError, KeyError):
        raise KnowledgeError(
            f"{folder / 'everyday.yaml'}: words: expected a list of {{said: [text, ...], means: text}}"
        ) from None
