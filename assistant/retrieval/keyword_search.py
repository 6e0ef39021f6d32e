"""Passages by their words alone, those that rest on given statements first: what stands beside a computed answer. No
model."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from assistant.library import Library
from assistant.vocabulary.answers import FoundPassage

from .asking import found_passage
from .documents import Document, documents
from .index import FIELDS
from .lexical import WordIndex
from .notation import written_out
from .tokens import tokens


def passages_by_words(
    question: str, library: Library, claims: Collection[str] = (), top: int = 5
) -> list[FoundPassage]:
    """The ``top`` passages that share most of the question's words; those that rest on one of ``claims`` come before
    others.

    ``score`` is the share of the question's information that the passage's words carry, 0 to 1.
    """
    if not library.knowledge.passages:
        return []
    found, index = _indexed(library)
    scores = index.scores(tokens(written_out(question)))
    wanted = set(claims)
    order = sorted(range(len(found)), key=lambda row: (not wanted & set(found[row].passage.claims), -scores[row]))
    return [found_passage(found[row], float(min(scores[row], 1.0)), library) for row in order[:top]]


@lru_cache(maxsize=4)
def _indexed(library: Library) -> tuple[list[Document], WordIndex]:
    found = documents(library.knowledge)
    return found, WordIndex([_bag(document) for document in found], FIELDS)


def _bag(document: Document) -> dict[str, list[str]]:
    claims = " ".join(claim.statement for claim in document.claims)
    texts = {"text": document.passage.text, "heading": document.heading, "claims": claims}
    return {field: tokens(written_out(text)) for field, text in texts.items()}
