"""A direct answer from claims: each line composed from the fields of one claim, never written freely."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assistant.audit.auditing import result_of
from assistant.library import Library
from assistant.present.figures import significant
from assistant.retrieval import Index
from assistant.retrieval.documents import sentences
from assistant.vocabulary.answers import DirectLine, FoundPassage
from assistant.vocabulary.audit import Check
from assistant.vocabulary.knowledge import Claim, Source

from .disagreement import PASSAGES_READ

_MOST_LINES = 3
_NEAR = 0.10  # of cosine: statements less than this behind the nearest are worth a line too
_CLEARER = 0.10  # of cosine: a passage that says it so much more nearly than its own claims speaks for itself
_RANK = 0.04  # of cosine: what a place further down costs a passage's statements
_HOLDS = frozenset({"confirmed", "consistent"})
_NOTHING = 1e-9  # what is left of two equal numbers that were subtracted
_GAINS = re.compile(r"\b(?:sells?|rents?|gains?|paid|promotes?)\b")
_GAINS_NOT = re.compile(r"nobody|gains nothing|sells nothing|sells no\b|sells models|no fabric|nothing")


@dataclass(frozen=True)
class _Candidate:
    """A claim of the passage with this number (from 1), or a sentence of one that rests on none, and how near it is."""

    claim: Claim | None
    sentence: str
    passage: int
    nearness: float


def direct_lines(
    vector: np.ndarray, passages: Sequence[FoundPassage], library: Library, index: Index, shown: int
) -> list[DirectLine]:
    """For the ``vector`` of a question: what the best passages say to it by their claims, doubtful ones last.

    A passage that rests on no claim, as of a user's own document, says it by its nearest sentence. ``shown``: how many
    passages stand below, so that a line names no number that is not there.
    """
    candidates = list(_candidates(passages, vector, library, index))
    chosen = sorted(_nearest(candidates), key=lambda found: (_is_doubtful(found, library), -found.nearness))
    chosen = [*_speaks_for_itself(candidates, passages, vector, index), *chosen][:_MOST_LINES]
    firsts = {found.claim.source: found for found in reversed(chosen) if found.claim}  # who gains is said once
    return [
        _line(found, found.claim, library, firsts[found.claim.source] is found, shown, leads=place == 0)
        if found.claim
        else _told(found.sentence, passages[found.passage - 1], found.passage, shown)
        for place, found in enumerate(chosen)
    ]


def line_of(claim: Claim, library: Library) -> DirectLine:
    """A claim as a line by itself, beside no passage."""
    return _line(_Candidate(claim, "", 1, 1.0), claim, library, True, 0, leads=True)


def _candidates(
    passages: Sequence[FoundPassage], vector: np.ndarray, library: Library, index: Index
) -> Iterator[_Candidate]:
    seen: set[str] = set()
    for number, passage in enumerate(passages[:PASSAGES_READ], start=1):
        further = _RANK * (number - 1)
        if not passage.claims:
            best, near = _best_sentence(passage, vector, index)
            yield _Candidate(None, _reply(passage.text) if best.endswith("?") else best, number, near - further)
        for told in passage.claims:
            claim = library.knowledge.claims.get(told["id"])
            if claim is not None and claim.id not in seen:
                seen.add(claim.id)
                yield _Candidate(claim, "", number, float(_vector(claim.statement, index) @ vector) - further)


def _speaks_for_itself(
    candidates: Sequence[_Candidate], passages: Sequence[FoundPassage], vector: np.ndarray, index: Index
) -> list[_Candidate]:
    """The best passage in its own words, when they are much nearer to the question than any statement it rests on."""
    if not passages or not passages[0].claims or passages[0].status != "current":
        return []
    _, near = _best_sentence(passages[0], vector, index)
    statements = [one.nearness for one in candidates if one.claim is not None and one.passage == 1]
    clearer = near > max(statements, default=-1.0) + _CLEARER
    return [_Candidate(None, _reply(passages[0].text), 1, near)] if clearer else []


def _best_sentence(passage: FoundPassage, vector: np.ndarray, index: Index) -> tuple[str, float]:
    near = {text: float(_vector(text, index) @ vector) for text in sentences(passage.text) or [passage.text]}
    best = max(near, key=near.__getitem__)
    return best, near[best]


def _reply(text: str) -> str:
    """A passage without the question it may begin with."""
    question, mark, rest = text.partition("? ")
    return rest if mark and "." not in question and rest else text


def _vector(text: str, index: Index) -> np.ndarray:
    try:
        return index.vector(text)
    except KeyError:
        return index.embedder.embed([text])[0]


def _nearest(found: list[_Candidate]) -> list[_Candidate]:
    if not found:
        return []
    ordered = sorted(found, key=lambda one: -one.nearness)[:_MOST_LINES]
    return [one for one in ordered if one.nearness >= ordered[0].nearness - _NEAR]


def _is_doubtful(found: _Candidate, library: Library) -> bool:
    """Whether it is a statement that does not hold."""
    return found.claim is not None and (found.claim.doubtful or _is_withdrawn(found.claim, library))


def _is_withdrawn(claim: Claim, library: Library) -> bool:
    return claim.verdict == "withdrawn" or library.knowledge.sources[claim.source].status == "withdrawn"


def _line(
    found: _Candidate, claim: Claim, library: Library, names_interest: bool, shown: int, *, leads: bool
) -> DirectLine:
    """One claim with its conditions, source and verdict; a doubtful one that ``leads`` is opened by what holds."""
    source, told = library.knowledge.sources[claim.source], library.knowledge.day_of(claim)
    number = found.passage if found.passage <= shown else None
    place = f" [{number}]" if number else f" ({claim.id})"
    withdrawn = _is_withdrawn(claim, library)
    holds = [f"What holds: {_ended(claim.correction)}"] if claim.correction else []
    opened = holds if leads and _is_doubtful(found, library) else []
    marked = "WITHDRAWN: " if withdrawn else f"{claim.verdict.upper()}: " if claim.doubtful else ""
    parts = [
        *opened,
        f"{marked}{claim.statement}",
        *_figure(claim),
        *([f"Conditions: {_ended(claim.conditions)}"] if claim.conditions else []),
        f"{_who(source)}, {told or 'undated'}{place}, {claim.evidence_grade}.",
        *_judged(claim, library, [] if opened else holds),
        *(_interest(source) if names_interest else []),
    ]
    return DirectLine(
        text=" ".join(parts), claims=[claim.id], source=claim.source, verdict=claim.verdict, date=told, passage=number
    )


def _who(source: Source) -> str:
    return ", ".join(name for name in (source.author, source.publisher) if name) or source.title


def _figure(claim: Claim) -> list[str]:
    """The figure, where the statement does not say it already."""
    if claim.figure is None or not isinstance(claim.figure.value, (int, float)) or re.search(r"\d", claim.statement):
        return []
    return [f"Figure: {significant(float(claim.figure.value))} {claim.figure.unit}."]


def _judged(claim: Claim, library: Library, holds: list[str]) -> list[str]:
    """Our verdict, with what we compute instead and what ``holds`` where it is not simply right."""
    verdict = f"Our verdict: {claim.verdict}."
    if claim.verdict in _HOLDS:
        return [verdict]
    checks = [check for check in result_of(claim, library.catalog).checks if check.agreement != "agrees"]
    return [verdict, *([_recomputed(checks[0])] if checks else []), *holds]


def _recomputed(check: Check) -> str:
    stated = check.stated if isinstance(check.stated, (tuple, list)) else (check.stated,)
    theirs = " to ".join(significant(one) for one in stated)
    ours = 0.0 if abs(check.computed) < _NOTHING else check.computed
    return f"Recomputed: {significant(ours)} {check.unit} against {theirs} stated."


def _interest(source: Source) -> list[str]:
    """Who gains by what is said, where somebody does."""
    gains = _GAINS.search(source.interest) and not _GAINS_NOT.search(source.interest.lower())
    return [f"Interest: {_ended(source.interest)}"] if gains else []


def _ended(text: str) -> str:
    return text if text.rstrip().endswith((".", "!", "?")) else f"{text.rstrip()}."


def _told(sentence: str, passage: FoundPassage, number: int, shown: int) -> DirectLine:
    """A sentence of a passage, with where it stands."""
    place = f" [{number}]" if number <= shown else ""
    yours = ", yours, unchecked" if passage.status == "yours" else ""
    text = f"{sentence} {passage.source}, {passage.date or 'undated'}{place}{yours}."
    if passage.correction:
        text = f"{passage.status.upper()}: {text} What holds: {_ended(passage.correction)}"
    return DirectLine(
        text=text, source=passage.source, verdict=None, date=passage.date, passage=number if number <= shown else None
    )
