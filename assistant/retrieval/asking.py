"""A question in, ranked passages with their sources out: nothing doubtful is shown without its correction."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assistant.library import Library
from assistant.vocabulary.answers import Answer, FoundPassage
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.knowledge import Claim, Knowledge, Source
from assistant.vocabulary.own_documents import OwnPassage
from assistant.vocabulary.printing import printable

from .documents import Document
from .index import Index, Ranked
from .notation import written_out
from .progress import say_loading

# The embedding model reads 256 word pieces, about this many words; of a longer text the beginning and the end are read,
# because that is where people put their question.
MOST_WORDS = 160
_SHOWN_CHARACTERS = 2_000
_LONGEST_WORD = 40  # characters of a word that are read, in a text longer than any question


def ask(question: str, library: Library, index: Index, top: int = 5, id: str | None = None) -> Answer:
    """The ``top`` passages for a question, best first. Raises :class:`InputError` when there is nothing to ask or
    ``top`` < 1."""
    if not isinstance(question, str) or not written_out(question):
        raise InputError("expected a question, got an empty text")
    return ask_many([(id, question)], library, index, top)[0]


def ask_many(questions: Iterable[tuple[str | None, str]], library: Library, index: Index, top: int = 5) -> list[Answer]:
    """One answer for each ``(id, question)``, in their order, embedded together; an empty question is answered with a
    note."""
    if top < 1:
        raise InputError(f"expected a number of passages of at least 1, got {top}")
    asked = list(questions)
    read = [_words(question) for _, question in asked]
    if asked and not index.embedder.loaded:
        say_loading()
    ranked = index.rank([" ".join(_both_ends(found)) for found, _ in read])
    return [
        _answer(name, question, length, result, library, index, top)
        for (name, question), (_, length), result in zip(asked, read, ranked, strict=True)
    ]


def _words(question: str) -> tuple[list[str], int]:
    """The words of a question, of a long one those of both its ends, and how many it has."""
    if len(question) <= _SHOWN_CHARACTERS:
        found = written_out(question).split()
        return found, len(found)
    every = question.split()
    return written_out(" ".join(word[:_LONGEST_WORD] for word in _both_ends(every))).split(), len(every)


def _both_ends(found: list[str]) -> list[str]:
    return found if len(found) <= MOST_WORDS else found[: MOST_WORDS // 2] + found[-MOST_WORDS // 2 :]


def _answer(
    id: str | None, question: str, length: int, ranked: Ranked, library: Library, index: Index, top: int
) -> Answer:
    echo = printable(question).strip()
    if len(echo) > _SHOWN_CHARACTERS:
        echo = echo[: _SHOWN_CHARACTERS - 1] + "…"
    if not length:
        return Answer(id=id, question=echo, answered=False, passages=[], note="The question is empty.")
    note = None
    if length > MOST_WORDS:
        note = f"Of {length} words the first {MOST_WORDS // 2} and the last {MOST_WORDS // 2} were read."
    passages = [
        found_passage(index.content.documents[position], float(ranked.scores[position]), library)
        for position in ranked.order[:top]
    ]
    return Answer(id=id, question=echo, answered=ranked.answered, passages=passages, note=note)


def found_passage(document: Document, score: float, library: Library) -> FoundPassage:
    """A passage as an answer shows it, with its standing and the claims it rests on.

    One of the user's documents nobody has checked; it says where it stands.
    """
    passage = document.passage
    told: dict[str, Any] = {"id": passage.id, "source": passage.source, "section": passage.section}
    told |= {"text": passage.text, "score": round(score, 4)}
    if isinstance(passage, OwnPassage):
        return FoundPassage(**told, status="yours", date=passage.date, place=passage.place)
    source = library.knowledge.sources[passage.source]
    status, correction = _standing(document, source)
    claims = [_claim(claim, library.knowledge) for claim in document.claims]
    date = source.date.isoformat() if source.date else None
    return FoundPassage(**told, claims=claims, status=status, correction=correction, date=date)


def _standing(document: Document, source: Source) -> tuple[str, str | None]:
    """Status and correction: the passage's own, else its source's, else those of the statements it rests on."""
    passage = document.passage
    if passage.status != "current":
        return passage.status, passage.correction
    if source.status == "withdrawn":
        return "withdrawn", source.status_note or f"{source.title} was withdrawn."
    doubtful = dict.fromkeys(claim.correction for claim in document.claims if claim.doubtful and claim.correction)
    return ("disputed", " ".join(doubtful)) if doubtful else ("current", passage.correction)


def _claim(claim: Claim, knowledge: Knowledge) -> dict[str, Any]:
    return claim.model_dump(include={"id", "statement", "verdict", "correction"}) | {"date": knowledge.day_of(claim)}
