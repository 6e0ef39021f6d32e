"""The search index. A built one needs NumPy only, also for what the rules look up; a question in free text is
embedded."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import SupportsFloat

import numpy as np

from assistant.vocabulary.added import added

from . import ranking
from .asked_for import focus, lacks_kind
from .documents import KINDS, Content, Document
from .embedder import Embedder
from .lexical import Spelling, WordIndex
from .notation import written_out
from .query import Reading, read
from .store import Arrays
from .tokens import plain_words, tokens
from .word_likeness import WordLikeness

# A line that is asked for a passage speaks for it like one of its sentences.
_SENTENCE, _ASKED = KINDS.index("sentence"), KINDS.index("asked")
_FIRST = 5  # passages in which what a question calls by name is looked for
_MOST_NAMES = 2  # names that are missing there; more of them say no more
_FIRST_FEW = 3  # passages in which the kind of thing asked for is looked for
_TOLD = 0.9  # how like a word of a passage a word of the question must be to count as told there
_ALIKE = ("text", "heading", "asked")  # fields whose words a question's words are compared with

Bags = list[dict[str, list[str]]]

# What a word counts in each field of a passage.
FIELDS = {"text": 1.0, "heading": 0.7, "claims": 0.4}


@dataclass(frozen=True)
class Hit:
    """A passage found: its id and how likely it answers, 0 to 1."""

    passage: str
    score: float


@dataclass(frozen=True)
class Ranked:
    """All passages in order of their likelihood: positions and scores, and whether the best one answers."""

    order: np.ndarray
    scores: np.ndarray
    answered: bool


def packed(found: Bags | list[str]) -> np.ndarray:
    """Words as an array of bytes: reading those of passages is ten times as fast as stemming them again."""
    return np.frombuffer(json.dumps(found).encode(), np.uint8)


class Index:
    """Passages ranked for a question; :func:`assistant.retrieval.open_index` reads or builds one."""

    def __init__(self, content: Content, arrays: Arrays, embedder: Embedder) -> None:
        self.content, self.embedder = content, embedder
        self.vectors = arrays["vectors"]
        self._packed_bags = arrays.get("bags")
        self.word_vectors = arrays.get("word_vectors", np.zeros((0, self.vectors.shape[-1]), np.float32))
        self._packed_words = arrays.get("words")
        self._text_digests, self._word_digests = arrays.get("digests", ()), arrays.get("word_digests", ())
        self._hits, self._hit_scores = arrays.get("hits"), arrays.get("hit_scores")
        embedder.know({text: self.vectors[content.row_of[text]] for text in content.beside})
        self._last: tuple[Reading | None, np.ndarray] = (None, self.vectors[:0])
        self._query_row = {query: row for row, query in enumerate(content.queries)}

    def document(self, passage: str) -> Document:
        """The passage with this id. Raises :class:`KeyError`."""
        return self.content.documents[self._position[passage]]

    def vector(self, text: str) -> np.ndarray:
        """The unit vector of a text the index holds. Raises :class:`KeyError`."""
        return self.vectors[self.content.row_of[text]]

    def by_digest(self) -> dict[bytes, np.ndarray]:
        """The unit vector of every text and word that is held, by the digest of the text."""
        texts = zip(self._text_digests, self.vectors, strict=True)
        words = zip(self._word_digests, self.word_vectors, strict=True)
        return {digest.tobytes(): vector for digest, vector in (*texts, *words)}

    def preload(self) -> None:
        """Make the first question as fast as the next: load the model, count the words. For a thread."""
        self.embedder.preload()
        _ = self._words, self._section_words, self._alike  # each is worked out when it is first asked for
        self.spelling.corrected_text("warm")

    def for_query(self, look_up: str, k: int = 5) -> list[Hit]:
        """The best passages for what a rule looks up; needs no model for the queries the index was built with."""
        row = self._query_row.get(look_up)
        if row is None or self._hits is None or self._hit_scores is None or k > self._hits.shape[1]:
            return self.search([look_up], k)[0]
        passages, scores = self._hits[row, :k], self._hit_scores[row, :k]
        return [self._hit(position, score) for position, score in zip(passages, scores, strict=True)]

    def search(self, questions: Sequence[str], k: int = 5) -> list[list[Hit]]:
        """The best passages for each question; all questions are embedded at once."""
        hits = lambda ranked: [self._hit(position, ranked.scores[position]) for position in ranked.order[:k]]
        return [hits(ranked) for ranked in self.rank(questions)]

    def rank(self, questions: Sequence[str]) -> list[Ranked]:
        """All passages in order for each question, misspelt words corrected."""
        readings = read(questions, self.content, self.spelling, self.embedder, self.known_words)
        return [self.rank_reading(reading) for reading in readings]

    def rank_reading(self, reading: Reading) -> Ranked:
        """All passages in order for one question."""
        relevances = ranking.relevance(self.signals(reading))
        order = np.argsort(-relevances, kind="stable")
        scores = ranking.probability(relevances, self.evidence(reading, relevances))
        return Ranked(order, scores, bool(len(order)) and bool(scores[order[0]] >= ranking.THRESHOLD))

    def evidence(self, reading: Reading, relevances: np.ndarray) -> ranking.Evidence:
        """What speaks for and against an answer in the collection, beside the passages' ``relevances``."""
        order = np.argsort(-relevances, kind="stable")[:_FIRST]
        asked = list(dict.fromkeys(tokens(reading.texts[0])))
        few = [self.content.documents[position].passage.text for position in order[:_FIRST_FEW]]
        near = self._cosines(reading)[self._rows[self._kinds != KINDS.index("heading")]]
        outside = self.vectors[self._outside] @ np.column_stack((reading.vectors[0], reading.nameless))
        held = {token for position in order for field in self.bags[position].values() for token in field}
        missing = sum(held.isdisjoint(tokens(name)) for name in reading.names)
        likeness = self._alike.likeness(asked, reading.words)[:, order]
        in_few = dict(zip(asked, likeness[:, :_FIRST_FEW].max(axis=1, initial=0.0).tolist(), strict=True))
        information = {token: self._words.information(token) for token in asked}
        lost = added(information[token] * (1 - like) for token, like in in_few.items())
        by_name = 1 - float(reading.nameless @ reading.vectors[0])
        return ranking.Evidence(
            cosine=float(near.max(initial=-1.0)),
            outside=float(outside.max(initial=0.0)),
            named=min(missing, _MOST_NAMES),
            said=float(likeness.max(axis=1, initial=0.0) @ self._shares(asked)),
            told=added(information[token] for token, like in in_few.items() if like > _TOLD),
            lost=lost,
            lost_of_named=by_name * lost,
            off_focus=by_name * (1 - min((in_few.get(token, 1.0) for token in focus(reading.texts[0])), default=1.0)),
            ahead=float(-np.diff(relevances[order[:2]]).sum()),
            kind=lacks_kind(reading.texts[0], few),
            least=float(likeness[:, :1].min(initial=1.0)),
            length=math.log1p(len(asked)),
        )

    def signals(self, reading: Reading) -> np.ndarray:
        """What speaks for each passage, the mean of both readings, shape ``(passages, len(ranking.SIGNALS))``."""
        asked, said = reading.texts
        cosines = self._cosines(reading)
        found = self._signals(tokens(asked), cosines[:, 0], reading)
        return found if said == asked else (found + self._signals(tokens(said), cosines[:, 1], reading)) / 2

    def _cosines(self, reading: Reading) -> np.ndarray:
        """Of all texts with both readings, shape ``(texts, 2)``; the last question's are kept, because each is asked
        for twice."""
        last, cosines = self._last
        if last is not reading:
            cosines = self.vectors @ reading.vectors.T
            self._last = reading, cosines
        return cosines

    def _signals(self, asked: Sequence[str], of_texts: np.ndarray, reading: Reading) -> np.ndarray:
        cosines = of_texts[self._rows]
        best = np.full((len(self.content.documents), len(KINDS)), -1.0, np.float32)
        np.maximum.at(best, (self._passages, self._kinds), cosines)
        # No sentence or claim of its own: the whole passage stands for it.
        best = np.where(best < -0.99, best[:, :1], best)
        best[:, _SENTENCE] = np.maximum(best[:, _SENTENCE], best[:, _ASKED])
        by_words = self._words.scores(asked)
        by_section = self._section_words.scores(asked)[self._section_of]
        in_like_words = self._said(asked, reading).sum(axis=0)
        return np.column_stack((np.delete(best, _ASKED, axis=1), by_words, by_section, in_like_words))

    def _said(self, asked: Sequence[str], reading: Reading) -> np.ndarray:
        """The share of a question's information each of its words has, times how like it is to a word of each
        passage."""
        tokens = list(dict.fromkeys(asked))
        return self._shares(tokens)[:, None] * self._alike.likeness(tokens, reading.words)

    def _shares(self, tokens: Sequence[str]) -> np.ndarray:
        """The share of their information that each of the tokens has."""
        information = np.array([self._words.information(token) for token in tokens], np.float32)
        return information / max(float(information.sum()), 1e-9)

    def _hit(self, position: int, score: SupportsFloat) -> Hit:
        return Hit(self.content.documents[position].passage.id, round(float(score), 4))

    @cached_property
    def _position(self) -> dict[str, int]:
        return {document.passage.id: position for position, document in enumerate(self.content.documents)}

    @cached_property
    def _rows(self) -> np.ndarray:
        return np.array([self.content.row_of[piece.text] for piece in self.content.pieces], np.int64)

    @cached_property
    def _outside(self) -> np.ndarray:
        return np.array([self.content.row_of[topic] for topic in self.content.outside], np.int64)

    @cached_property
    def _passages(self) -> np.ndarray:
        return np.array([piece.passage for piece in self.content.pieces], np.int64)

    @cached_property
    def _kinds(self) -> np.ndarray:
        return np.array([KINDS.index(piece.kind) for piece in self.content.pieces], np.int64)

    @cached_property
    def bags(self) -> Bags:
        """The words of each passage by field."""
        if self._packed_bags is not None:
            return json.loads(self._packed_bags.tobytes())
        return [self.bag_of(document) for document in self.content.documents]

    def bag_of(self, document: Document) -> dict[str, list[str]]:
        """The words of a passage by field, those of its claims and of the questions it answers among them."""
        return {
            "text": self._tokens(document.passage.text),
            "heading": self._tokens(document.heading),
            "claims": [token for claim in document.claims for token in self._tokens(claim.statement)],
            "asked": [token for line in document.passage.asked for token in self._tokens(line)],
        }

    @cached_property
    def known_words(self) -> dict[str, None]:
        """The tokens that ``word_vectors`` stand for, in that order."""
        return dict.fromkeys(json.loads(self._packed_words.tobytes()) if self._packed_words is not None else ())

    @cached_property
    def _alike(self) -> WordLikeness:
        held = [[token for field in _ALIKE for token in bag.get(field, ())] for bag in self.bags]
        return WordLikeness(held, list(self.known_words), self.word_vectors)

    def _tokens(self, text: str) -> list[str]:
        return tokens(written_out(text, self.content.initialisms))

    @cached_property
    def _words(self) -> WordIndex:
        return WordIndex(self.bags, FIELDS)

    @cached_property
    def _section_of(self) -> np.ndarray:
        places = [document.place for document in self.content.documents]
        rows = {place: row for row, place in enumerate(dict.fromkeys(places))}
        return np.array([rows[place] for place in places], np.int64)

    @cached_property
    def _section_words(self) -> WordIndex:
        bags: Bags = [{} for _ in range(int(self._section_of.max(initial=-1)) + 1)]
        for section, bag in zip(self._section_of, self.bags, strict=True):
            for field, found in bag.items():
                bags[section].setdefault(field, []).extend(found)
        return WordIndex(bags, FIELDS)

    @cached_property
    def spelling(self) -> Spelling:
        texts = [piece.text for piece in self.content.pieces]
        texts += [name for term in self.content.terms for name in (term.term, *term.aliases)]
        return Spelling((word for text in texts for word in plain_words(text)), self.embedder.language)
