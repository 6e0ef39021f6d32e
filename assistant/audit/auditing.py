"""Every claim of the knowledge base with what its recomputation came to."""

from assistant.library import Library
from assistant.vocabulary.audit import Check, Result
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.knowledge import Claim, Computation

from .formulas import evaluate
from .verdicts import agreement_of, follows, gap_percent, reason_not_computed, together


def audit(library: Library, source: str | None = None) -> list[Result]:
    """One result per claim, of one source or of all. Raises :class:`KnowledgeError` for a computation that cannot
    run."""
    claims = (claim for claim in library.knowledge.claims.values() if source in (None, claim.source))
    return [result_of(claim, library.catalog) for claim in claims]


def result_of(claim: Claim, catalog: Catalog) -> Result:
    """The checks of one claim, and whether its verdict follows from them."""
    checks = [_check(claim, computation, catalog) for computation in claim.compute]
    agreement = together(checks) if checks else None
    predicted = bool(checks) and all(check.basis == "model" for check in checks)
    revised = claim.revised
    return Result(
        claim=claim.id,
        source=claim.source,
        **claim.model_dump(include={"statement", "type", "verdict"}),
        agreement=agreement,
        checks=checks,
        reason=None if checks else reason_not_computed(claim),
        predicted=predicted,
        follows=agreement is None or follows(claim, agreement),
        verdict_before=revised.before if revised else None,
        why_changed=revised.why if revised else None,
    )


def _check(claim: Claim, computation: Computation, catalog: Catalog) -> Check:
    stated = claim.figure.value if computation.states is None and claim.figure else computation.states
    if stated is None or isinstance(stated, str):
        raise KnowledgeError(f"knowledge/claims: {claim.id}: expected a number that is recomputed")
    where, unit = f"knowledge/claims: {claim.id}", computation.unit
    computed = evaluate(computation.formula, computation.inputs, unit, catalog, where)
    gap = gap_percent(stated, computed)
    return Check(
        **computation.model_dump(include={"formula", "inputs", "basis", "unit"}),
        stated=stated,
        computed=computed,
        gap_percent=gap,
        agreement=agreement_of(gap, computation.tolerance_percent),
    )
