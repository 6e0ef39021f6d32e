"""A question in, an answer out: computed, or from claims; then the passages."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from assistant import retrieval
from assistant.library import Library
from assistant.retrieval.words import shown, written_out
from assistant.vocabulary.answers import Answer, Computed

from . import asked, disagreement
from .computing import compute, compute_as
from .definitions import defined, definition_line
from .disagreement import PASSAGES_READ
from .settled import settled, settled_line

LONGEST = 1_000  # characters; a question for a number is short, and what is longer is searched
_BESIDE_A_DEFINITION = 2  # statements that still stand behind it
Passages = Callable[[], "retrieval.Index"]


_OF_A_RUN = ("workload", "model", "cluster.", "training.", "parallelism")  # what the speed of a run depends on
_TO_BE_FOUND = ("cluster.gpus", "cluster.provider", "training.days")


def computed_answer(
    question: str,
    library: Library,
    understand: asked.Understand,
    *,
    told: Mapping[str, Any] | None = None,
    today: datetime.date | None = None,
    id: str | None = None,
    top: int = 5,
) -> Answer | None:
    """The answer to a question that asks for a number the model knows how to compute, else ``None``.

    ``told``: questionnaire fields a conversation knows already. The passages beside it are those of the sources that give
    figures for the same thing, then those that share the question's words. Loads no embedding model.
    """
    if not isinstance(question, str) or not 0 < len(question) <= LONGEST:
        return None
    read = asked.read(question, understand, library.catalog, told)
    found = compute(read, library, today)
    return _with_passages(found, read.text, question, library, id, top) if found else None


def gpus_for_days(
    days: float, job: Mapping[str, Any], question: str, library: Library, today: datetime.date | None = None
) -> Answer | None:
    """How many GPUs end the run of a job, given by its questionnaire fields, in so many days; what was asked is ``question``."""
    told = {name: value for name, value in job.items() if name.startswith(_OF_A_RUN) and name not in _TO_BE_FOUND}
    fabrics = (told["cluster.fabric"],) if told.get("cluster.fabric") in library.catalog.fabrics else ()
    read = asked.Asked(asked.plain(question), told | {"constraints.deadline_days": days}, fabrics, told=told)
    found = compute_as("deadline", read, library, today)
    return _with_passages(found, read.text, question, library) if found else None


def _with_passages(
    found: Computed, text: str, question: str, library: Library, id: str | None = None, top: int = 5
) -> Answer:
    conflicts = disagreement.of_computed(found, library.knowledge)
    sides = [side.claim for conflict in conflicts for side in conflict.sides]
    return Answer(
        id=id,
        question=shown(question).strip(),
        answered=True,
        computed=found,
        conflicts=conflicts,
        passages=retrieval.passages_by_words(text, library, sides, top),
    )


def answer(question: str, library: Library, index: retrieval.Index, top: int = 5, id: str | None = None) -> Answer:
    """The answer from the knowledge base. Raises :class:`InputError` when there is nothing to ask or ``top`` < 1."""
    return _with_claims(retrieval.ask(question, library, index, _read(top), id), library, index, top)


def answer_many(
    questions: Iterable[tuple[str | None, str]],
    library: Library,
    understand: asked.Understand,
    index: Passages,
    top: int = 5,
) -> list[Answer]:
    """One answer for each ``(id, question)``, in their order; ``index`` is opened only when one must be searched."""
    asked_ = list(questions)
    found = [computed_answer(text, library, understand, id=name, top=top) for name, text in asked_]
    rest = [pair for pair, computed in zip(asked_, found, strict=True) if computed is None]
    if rest:
        opened = index()
        searched = iter(retrieval.ask_many(rest, library, opened, _read(top)))
        found = [computed or _with_claims(next(searched), library, opened, top) for computed in found]
    return found


def _read(top: int) -> int:
    """The direct answer is the same however many passages are shown; below 1 is for the search to refuse."""
    return max(top, PASSAGES_READ) if top >= 1 else top


def _with_claims(found: Answer, library: Library, index: retrieval.Index, top: int) -> Answer:
    """The answer with its direct lines and the disagreements they touch, and the ``top`` passages."""
    term, reply = defined(found.question, library), settled(found.question, library)
    if term is None and reply is None and not found.answered:
        return found.model_copy(update={"passages": found.passages[:top]})
    from .from_claims import direct_lines

    vector = index.embedder.embed([index.spelling.corrected_text(written_out(found.question))])[0]
    direct = direct_lines(vector, found.passages, library, index, top) if found.answered else []
    if term is not None:
        direct = [definition_line(term, library), *direct[:_BESIDE_A_DEFINITION]]
    if reply is not None:
        direct = [settled_line(reply, library), *direct[:_BESIDE_A_DEFINITION]]
    claims = [claim for line in direct for claim in line.claims]
    conflicts = disagreement.of_claims(
        claims, found.passages, library.knowledge, disagreement.nearness(vector, library.knowledge, index)
    )
    return found.model_copy(
        update={"answered": True, "direct": direct, "conflicts": conflicts, "passages": found.passages[:top]}
    )
