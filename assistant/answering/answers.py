"""A question in, an answer out: computed, or from claims; then the passages."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from assistant import retrieval
from assistant.library import Library
from assistant.retrieval.notation import written_out
from assistant.vocabulary.answers import Answer, Computed, DirectLine
from assistant.vocabulary.printing import printable
from assistant.vocabulary.questionnaire import SERVING
from assistant.vocabulary.utterance import Utterance

from . import disagreement
from .computing import compute, not_summed
from .definitions import defined, definition_line
from .disagreement import PASSAGES_READ
from .nccl_questions import NcclAnswer, nccl_answer, where_else
from .settled import settled, settled_line

LONGEST = 1_000  # characters; a question for a number is short, and what is longer is searched
_BESIDE_A_DEFINITION = 2  # statements that still stand behind it
_OF_A_RUN = ("workload", "model", "cluster.", "training.", "parallelism")  # what the speed of a run depends on
_TO_BE_FOUND = ("cluster.gpus", "cluster.provider", "training.days")
_LOADS = frozenset({"inference.requests_per_s", "inference.tokens_per_s", "inference.concurrency"})
_OF_COSTS = frozenset({"money", "time", "percent"})  # amounts of which a sum is made
_ABOUT_MONEY = frozenset({"costs", "worth", "pays", "hourly", "a_money", "compared", "parts"})
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
Passages = Callable[[], "retrieval.Index"]


def computed_answer(
    utterance: Utterance,
    library: Library,
    *,
    told: Mapping[str, Any] | None = None,
    today: datetime.date | None = None,
    id: str | None = None,
    top: int = 5,
) -> Answer | None:
    """The answer to a question that asks for a number the model knows how to compute, else ``None``.

    ``told``: questionnaire fields a conversation knows already. The passages beside it are those of the sources that
    give figures for the same thing, then those that share the question's words. Loads no embedding model.
    """
    if not 0 < len(utterance.text) <= LONGEST:
        return None
    found = compute(utterance, library, told or {}, today)
    return _with_passages(found, utterance.text, library, id, top) if found else None


def gpus_for_days(
    days: float, job: Mapping[str, Any], question: str, library: Library, today: datetime.date | None = None
) -> Answer | None:
    """How many GPUs end the run of a job, given by its questionnaire fields, in so many days; what was asked is
    ``question``."""
    told = {name: value for name, value in job.items() if name.startswith(_OF_A_RUN) and name not in _TO_BE_FOUND}
    asked = Utterance(question, "ask", topic="deadline", fields={"constraints.deadline_days": days})
    return computed_answer(asked, library, told=told, today=today)


def _with_passages(found: Computed, text: str, library: Library, id: str | None, top: int) -> Answer:
    asked = printable(text).strip()
    if found.kind == "offers":  # of the catalog: no article knows better what a list says
        return Answer(id=id, question=asked, answered=True, computed=found, passages=[])
    conflicts = disagreement.of_computed(found, library.knowledge)
    sides = [side.claim for conflict in conflicts for side in conflict.sides]
    near = retrieval.passages_by_words(text, library, sides, top)
    return Answer(id=id, question=asked, answered=True, computed=found, conflicts=conflicts, passages=near)


def answer(
    utterance: Utterance, library: Library, index: retrieval.Index, top: int = 5, id: str | None = None
) -> Answer:
    """The answer from the knowledge base. Raises :class:`InputError` when there is nothing to ask or ``top`` < 1."""
    found = retrieval.ask(utterance.text, library, index, _read(top), id)
    return _with_claims(utterance, found, library, index, top)


def answer_many(
    utterances: Iterable[tuple[str | None, Utterance]], library: Library, index: Passages, top: int = 5
) -> list[Answer]:
    """One answer for each ``(id, utterance)``, in their order; ``index`` is opened only when one must be searched."""
    asked = [(name, _asking(said)) for name, said in utterances]
    found = [computed_answer(said, library, id=name, top=top) for name, said in asked]
    rest = [(name, said) for (name, said), computed in zip(asked, found, strict=True) if computed is None]
    if not rest:
        return [computed for computed in found if computed]
    opened = index()
    searched = retrieval.ask_many([(name, said.text) for name, said in rest], library, opened, _read(top))
    told = iter([_with_claims(said, one, library, opened, top) for (_, said), one in zip(rest, searched, strict=True)])
    return [computed or next(told) for computed in found]


def _asking(said: Utterance) -> Utterance:
    """What is put as a question and states no more than machines, a time and their price asks what that comes to; with
    a network and no price, what that is in an hour. A model that is to be served and its load ask how many GPUs carry
    it."""
    signs = said.roles["signs"].keys()
    if said.topic is None and _states_a_load(said):
        return replace(said, topic="load")
    if said.topic is not None or not {"so_many", "so_long"} <= signs or any(f.startswith("model") for f in said.fields):
        return said
    if any(one.unit == "gpu-hour" for one in said.amounts):
        return replace(said, topic="rent")
    return replace(said, topic="write-off") if {"hourly", "network_word"} <= signs else said


def _states_a_load(said: Utterance) -> bool:
    """Whether nothing is asked, and a model with requests to be served is described."""
    serves = said.fields.get("workload", "inference") in SERVING
    named = any(path == "model" or path.startswith("model.") for path in said.fields)
    return said.act == "describe" and serves and named and not _LOADS.isdisjoint(said.fields)


def _read(top: int) -> int:
    """The direct answer is the same however many passages are shown; below 1 is for the search to refuse."""
    return max(top, PASSAGES_READ) if top >= 1 else top


def _with_claims(utterance: Utterance, found: Answer, library: Library, index: retrieval.Index, top: int) -> Answer:
    """The answer with its direct lines and the disagreements they touch, and the ``top`` passages."""
    term, reply = defined(utterance, library), settled(utterance, library)
    if reply is None and (of_nccl := nccl_answer(utterance, library)) is not None:
        return _of_nccl(of_nccl, found, top)
    unsummed = _without(not_summed(utterance, library))
    if term is None and reply is None and not found.answered:
        note = unsummed or found.note or where_else(utterance)
        return found.model_copy(update={"passages": found.passages[:top], "note": note})
    from .from_claims import direct_lines

    vector = index.embedder.embed([index.spelling.corrected_text(written_out(found.question))])[0]
    direct = direct_lines(vector, found.passages, library, index, top) if found.answered else []
    opening = [settled_line(reply, library)] if reply else [definition_line(term, library)] if term else []
    if opening:
        direct = [*opening, *direct[:_BESIDE_A_DEFINITION]]
    near = disagreement.nearness(vector, library.knowledge, index)
    claims = [claim for line in direct for claim in line.claims]
    conflicts = disagreement.of_claims(claims, found.passages, library.knowledge, near)
    shown = found.passages[:top]
    note = unsummed or _of_other_numbers(utterance, direct, library) or found.note
    told = {"answered": True, "direct": direct, "conflicts": conflicts, "passages": shown, "note": note}
    return found.model_copy(update=told)


def _of_nccl(told: NcclAnswer, found: Answer, top: int) -> Answer:
    """The answer from what is known of NCCL's variables and logs; beside it passages only that are about them."""
    shown = [one for one in found.passages if told.keeps(one)][:top] if found.answered else []
    known = {"answered": bool(told.lines), "direct": told.lines, "passages": shown, "note": told.note}
    return found.model_copy(update=known)


def _without(numbers: list[str]) -> str | None:
    """That no sum is told, as the one that is known passes over some of the question's numbers."""
    return f"No sum is told: the one that is known here leaves out {' and '.join(numbers)}." if numbers else None


def _of_other_numbers(said: Utterance, direct: list[DirectLine], library: Library) -> str | None:
    """What stands before a source's figure where money is asked after with other numbers than its own."""
    signs, counted = said.roles.get("signs", {}), said.roles.get("places", {}).get("{so_many}", ())
    own = [one for one in said.amounts if one.kind in _OF_COSTS or (one.start, one.end) in counted]
    money = [one for one in own if one.kind == "money"]
    if not own or not direct or not _ABOUT_MONEY & signs.keys():
        return None
    stated = [library.knowledge.claims[claim].statement for claim in direct[0].claims] or [direct[0].text]
    told = {float(number.replace(",", "")) for one in stated for number in _NUMBER.findall(one)}
    if not told or any(float(one.value) in told for one in money or own if one.kind != "time"):
        return None
    text = {one: said.text[one.start : one.end] for one in own}
    yours = ", ".join(f"{typed} GPUs" if one.kind == "number" else typed for one, typed in text.items())
    return (
        f"Not computed with your numbers ({yours}): what follows is told of others. For a sum name of each run its "
        "days, its dollars per GPU-hour and how many GPUs it has."
    )
