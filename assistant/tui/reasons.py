"""What the proof panel shows for a plan: the answer, every other fabric, what follows from the answer."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.conversation import explaining
from assistant.conversation.events import Reason
from assistant.vocabulary.plan import Plan


def reasons(plan: Plan) -> list[Reason]:
    """Trees of reasons: why the recommended fabric, why not each of the others, and the advice."""
    chosen = plan.recommendation.fabric
    others = tuple(explaining.why_fabric(plan, c.fabric).tree for c in plan.candidates if c.fabric != chosen)
    advised = tuple(_advice(plan))
    return [explaining.why(plan).tree, *_group("Why not the others", others), *_group("What follows from it", advised)]


def _group(title: str, children: tuple[Reason, ...]) -> list[Reason]:
    return [Reason(kind="conclusion", text=title, children=children)] if children else []


def _advice(plan: Plan) -> Iterator[Reason]:
    for rule in dict.fromkeys(finding.rule for finding in plan.findings if finding.stage == "advise"):
        proof = explaining.why_finding(plan, rule)
        if proof is not None:
            yield proof.tree
