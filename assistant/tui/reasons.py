"""What the proof panel shows for a plan: the answer, every other fabric, what follows from the answer."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.conversation import explaining
from assistant.conversation.events import Reason
from assistant.vocabulary.plan import Plan


def reasons(plan: Plan) -> list[Reason]:
    """Trees of reasons: why the recommended fabric, why not each of the others, and the advice."""
    chosen = plan.recommendation.fabric
    others = (explaining.why_fabric(plan, candidate.fabric).tree for candidate in plan.candidates if candidate.fabric != chosen)
    return [explaining.why(plan).tree, *others, *_advice(plan)]


def _advice(plan: Plan) -> Iterator[Reason]:
    rules = dict.fromkeys(finding.rule for finding in plan.findings if finding.stage == "advise")
    trees = tuple(proof.tree for rule in rules if (proof := explaining.why_finding(plan, rule)))
    if trees:
        yield Reason(kind="conclusion", text="What follows from it", children=trees)
