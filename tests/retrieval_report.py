"""How well the search finds the right section: ``python -m tests.retrieval_report``.

Measures the labelled questions of ``questions.yaml``, each half on its own, and those of the sets written later, beside
plain keyword search and plain embedding search. ``--fit`` fits the weights of :mod:`assistant.retrieval.ranking` on the
sets that are for developing and prints them; ``--half`` measures one set only, ``--missed`` lists what goes wrong in
it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from assistant.library import load
from assistant.retrieval import Index, open_index
from assistant.retrieval.lexical import WordIndex
from assistant.retrieval.tokens import plain_words
from tests.labels import labels

QUESTIONS = tuple(
    Path(__file__).with_name(name)
    for name in (
        "questions.yaml",
        "questions_fresh.yaml",
        "questions_a.yaml",
        "questions_b.yaml",
        "questions_c.yaml",
        "questions_d.yaml",
    )
)
HALVES = ("tuning", "fresh", "a", "b", "c", "d-open", "d", "final")
FITTED_ON = ("tuning", "fresh", "a", "b")
FIRST = 5  # passages shown to a user


@dataclass(frozen=True)
class Question:
    """A labelled question; ``accept`` holds (source, heading) pairs and is empty when nothing answers."""

    id: str
    half: str
    way: str
    text: str
    accept: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Figures:
    """Recall in the first five, mean reciprocal rank in the first ten, refusals right and wrong (None: never
    refuses)."""

    recall: float
    mrr: float
    caught: float | None = None
    refused: float | None = None


def questions(half: str | None = None) -> list[Question]:
    """The labelled questions, of one half (or the fresh set) or all."""
    return [question for question in _all_questions() if half in (None, question.half)]


@cache
def _all_questions() -> list[Question]:
    rows = [row for path in QUESTIONS for row in labels(path)["questions"]]
    return [
        Question(row["id"], row["half"], row["way"], row["text"], frozenset(map(tuple, row.get("accept", ()))))
        for row in rows
    ]


def reciprocal_rank(order: Iterable[int], index: Index, question: Question) -> float:
    """One over the place of the first passage from an accepted section, 0 beyond the tenth."""
    for place, position in enumerate(list(order)[:10], 1):
        if index.content.documents[position].place in question.accept:
            return 1 / place
    return 0.0


def ranked_figures(orders: Sequence[np.ndarray], index: Index, asked: Sequence[Question]) -> tuple[float, float]:
    """Recall in the first five and mean reciprocal rank over the questions that have an answer."""
    ranks = [
        reciprocal_rank(order, index, question)
        for order, question in zip(orders, asked, strict=True)
        if question.accept
    ]
    return float(np.mean([rank >= 1 / FIRST for rank in ranks])), float(np.mean(ranks))


def search_figures(index: Index, asked: Sequence[Question]) -> Figures:
    """Our search, its refusals included."""
    ranked = index.rank([question.text for question in asked])
    recall, mrr = ranked_figures([result.order for result in ranked], index, asked)
    refusals = {
        answerable: [
            not result.answered
            for result, question in zip(ranked, asked, strict=True)
            if bool(question.accept) is answerable
        ]
        for answerable in (True, False)
    }
    return Figures(recall, mrr, float(np.mean(refusals[False])), float(np.mean(refusals[True])))


def keyword_figures(index: Index, asked: Sequence[Question]) -> Figures:
    """Plain keyword search: BM25 over the passages' lower-case words."""
    plain = WordIndex(
        [{"text": plain_words(document.passage.text)} for document in index.content.documents], {"text": 1.0}
    )
    orders = [np.argsort(-plain.scores(plain_words(question.text)), kind="stable") for question in asked]
    return Figures(*ranked_figures(orders, index, asked))


def embedding_figures(index: Index, asked: Sequence[Question]) -> Figures:
    """Plain embedding search: the cosine of question and passage, both as they stand."""
    passages = np.stack([index.vector(document.passage.text) for document in index.content.documents])
    cosines = index.embedder.embed([question.text for question in asked]) @ passages.T
    return Figures(*ranked_figures([np.argsort(-row, kind="stable") for row in cosines], index, asked))


RANKERS: dict[str, Callable[[Index, Sequence[Question]], Figures]] = {
    "search": search_figures,
    "plain keywords": keyword_figures,
    "plain embedding": embedding_figures,
}


def table(index: Index, halves: Sequence[str] = HALVES) -> str:
    """Each half, ours and the baselines, then our search by way of asking."""
    lines = [f"{'half':7} {'ranked by':16} {'recall@5':>8} {'MRR@10':>7} {'caught':>7} {'refused':>8}"]
    for half in halves:
        for name, figures_of in RANKERS.items():
            lines.append(_line(half, name, figures_of(index, questions(half))))
    for half in halves:
        if half != "tuning":
            lines += _by_way(index, half)
    return "\n".join(lines)


def _by_way(index: Index, half: str) -> list[str]:
    asked, lines = questions(half), []
    for way in dict.fromkeys(question.way for question in asked if question.accept):
        chosen = [question for question in asked if question.way == way]
        ranked = index.rank([question.text for question in chosen])
        lines.append(_line(half, way, Figures(*ranked_figures([result.order for result in ranked], index, chosen))))
    for way in dict.fromkeys(question.way for question in asked if not question.accept):
        chosen = [question for question in asked if question.way == way]
        caught = sum(not result.answered for result in index.rank([question.text for question in chosen]))
        lines.append(f"{half:7} {way:16} {caught} of {len(chosen)} caught")
    return lines


def _line(half: str, name: str, figures: Figures) -> str:
    percent = ["" if share is None else f"{share:.1%}" for share in (figures.caught, figures.refused)]
    return f"{half:7} {name:16} {figures.recall:8.3f} {figures.mrr:7.3f} {percent[0]:>7} {percent[1]:>8}"


def missed(index: Index, half: str) -> str:
    """The questions of a half that go wrong, with what was found instead."""
    asked, lines = questions(half), []
    for question, result in zip(asked, index.rank([question.text for question in asked]), strict=True):
        first = index.content.documents[result.order[0]]
        rank = reciprocal_rank(result.order, index, question)
        wrong = result.answered if not question.accept else (rank < 1 / FIRST or not result.answered)
        if wrong:
            lines.append(
                f"{question.id} {question.way:12} {question.text[:80]!r} rank {rank:.2f} score "
                f"{result.scores[result.order[0]]:.2f} found {first.passage.id}"
            )
    return "\n".join(lines)


def main() -> None:
    """Print the table; ``--missed`` lists what goes wrong in a half for developing, ``--fit`` fits the weights on
    them."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--missed", action="store_true")
    parser.add_argument("--half", choices=HALVES)
    chosen = parser.parse_args()
    index = open_index(load())
    if chosen.fit:
        from tests.retrieval_fit import fitted

        print(fitted(index, [question for half in FITTED_ON for question in questions(half)]))
    print(
        missed(index, chosen.half or "tuning")
        if chosen.missed
        else table(index, (chosen.half,) if chosen.half else HALVES)
    )


if __name__ == "__main__":
    main()
