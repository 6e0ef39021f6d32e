"""Where sources disagree about what was asked: each side with what we think of it, and what holds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import islice

import numpy as np

from assistant.retrieval import Embedder, Index
from assistant.vocabulary.answers import AnswerConflict, AnswerConflictSide, Computed, FoundPassage
from assistant.vocabulary.knowledge import Conflict, Knowledge

_MOST = 2
_SIDE = 0.06  # of cosine: what one side among the statements counts
_TOUCHED = 0.62  # of cosine and sides together, from which a disagreement is told
_BEHIND = 0.08  # the second is told when it is hardly further away
PASSAGES_READ = 3  # the best passages: their statements answer, and touch disagreements
# What a computed answer is about, in the words of conflicts.yaml.
_TOPICS = {
    "break-even": ("premium",),
    "worth": ("premium",),
    "crossover": ("threshold",),
    "slowdown": ("withdrawn-ethernet",),
}


def of_computed(computed: Computed, knowledge: Knowledge) -> list[AnswerConflict]:
    """The disagreements about the very figure that was computed."""
    topics = set(_TOPICS.get(computed.kind, ()))
    if computed.inputs.get("collective") == "all_reduce" and computed.inputs["bytes"] >= 1e11:
        topics.add("allreduce-time")
    if computed.kind == "slowdown" and not any("tcp" in fabric for fabric in computed.inputs["fabrics"]):
        topics = {"roce-vs-infiniband"}
    found = (one for one in knowledge.conflicts.values() if one.touches and one.touches[0] in topics)
    return [_told(conflict, knowledge) for conflict in islice(found, _MOST)]


def nearness(vector: np.ndarray, knowledge: Knowledge, index: Index) -> dict[str, float]:
    """Cosine of a question's ``vector`` with the topic of each disagreement, by its id."""
    topics = _topics(index.embedder, tuple(conflict.topic for conflict in knowledge.conflicts.values()))
    return dict(zip(knowledge.conflicts, (topics @ vector).tolist(), strict=True))


@lru_cache(maxsize=4)
def _topics(embedder: Embedder, topics: tuple[str, ...]) -> np.ndarray:
    return embedder.embed(list(topics))


def of_claims(
    direct: Collection[str], passages: Sequence[FoundPassage], knowledge: Knowledge, near: Mapping[str, float]
) -> list[AnswerConflict]:
    """The disagreements a question touches: by their topic, and by the statements of the direct answer and the best
    passages."""
    beside = {claim["id"] for passage in passages[:PASSAGES_READ] for claim in passage.claims}
    weights = {one.id: near[one.id] + _SIDE * _sides(one, set(direct), beside) for one in knowledge.conflicts.values()}
    ordered = sorted(knowledge.conflicts.values(), key=lambda one: -weights[one.id])[:_MOST]
    least = max(_TOUCHED, max(weights.values(), default=0.0) - _BEHIND)
    return [_told(one, knowledge) for one in ordered if weights[one.id] >= least]


def _sides(conflict: Conflict, direct: set[str], beside: set[str]) -> float:
    """Sides among the statements: one that answers counts twice, one that stands near once; more than four tell nothing
    new."""
    sides = {side.claim for side in conflict.sides}
    return min(2.0 * len(sides & direct) + len(sides & (beside - direct)), 4.0)


def _told(conflict: Conflict, knowledge: Knowledge) -> AnswerConflict:
    sides = []
    for side in conflict.sides:
        claim = knowledge.claims[side.claim]
        told = {"source": claim.source, "verdict": claim.verdict, "date": knowledge.day_of(claim)}
        sides.append(AnswerConflictSide(claim=claim.id, says=side.says, **told))
    return AnswerConflict(id=conflict.id, topic=conflict.topic, sides=sides, resolution=conflict.resolution)
