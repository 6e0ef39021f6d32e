"""From figures to agreement, and from agreement to the verdicts it allows."""

from collections.abc import Iterable
from math import copysign

from assistant.vocabulary.audit import Agreement, Check, Reason
from assistant.vocabulary.knowledge import Claim, ClaimType, Verdict

# Beyond this a figure is not approximately right any more: a quarter is what separates 80 from 100 Gb/s.
APPROXIMATE_PERCENT = 25.0
_ORDER: tuple[Agreement, ...] = ("agrees", "approximately", "disagrees")
# What a verdict that rests on arithmetic may be. A verdict that rests on something else (another source, the author's
# withdrawal, the lack of any source) stands whatever the arithmetic says.
ALLOWED: dict[Agreement, frozenset[Verdict]] = {
    "agrees": frozenset({"confirmed", "consistent"}),
    "approximately": frozenset({"approximate", "consistent"}),
    "disagrees": frozenset({"wrong", "inconsistent", "implausible"}),
}
NOT_OF_ARITHMETIC: frozenset[Verdict] = frozenset({"contradicted", "withdrawn", "unverifiable"})
# A measurement is confirmed by who measured it; a formula that comes near does not take that back.
MEASURED: frozenset[ClaimType] = frozenset({"measured", "vendor"})

_REASONS: dict[ClaimType, Reason] = {
    "opinion": "opinion",
    "rule-of-thumb": "rule without inputs",
    "arithmetic": "rule without inputs",
    "price": "needs a price list",
    "measured": "needs a measurement",
    "vendor": "vendor statement",
    "specification": "specification",
    "configuration": "specification",
}


def gap_percent(stated: float | tuple[float, float], computed: float) -> float:
    """Stated over computed, less one, in percent; of a range the nearer end counts, zero inside it.

    Where nothing was computed (a difference that is zero) the whole of what is stated is gap: 100 %.
    """
    low, high = stated if isinstance(stated, tuple) else (stated, stated)
    if low <= computed <= high:
        return 0.0
    nearest = low if computed < low else high
    nothing = abs(computed) < 1e-9 * abs(nearest)
    return copysign(100.0, nearest) if nothing else 100.0 * (nearest / computed - 1.0)


def agreement_of(gap: float, tolerance_percent: float) -> Agreement:
    """``agrees`` within the claim's tolerance, ``approximately`` within a quarter."""
    if abs(gap) <= tolerance_percent:
        return "agrees"
    return "approximately" if abs(gap) <= APPROXIMATE_PERCENT else "disagrees"


def together(checks: Iterable[Check]) -> Agreement:
    """What several figures of a claim come to.

    Figures recomputed from the source's own inputs decide first. Right there but not with the inputs that are known
    to hold is approximately right; not quite right there and wrong with the known inputs is wrong. What the model
    predicts counts only where nothing else was computed.
    """
    worst: dict[str, Agreement] = {}
    for check in checks:
        before = worst.get(check.basis, "agrees")
        worst[check.basis] = _ORDER[max(_ORDER.index(before), _ORDER.index(check.agreement))]
    stated, known = worst.get("stated"), worst.get("known")
    if stated is None or known is None:
        return stated or known or worst["model"]
    if stated == "disagrees" or (stated, known) == ("approximately", "disagrees"):
        return "disagrees"
    return "agrees" if stated == known == "agrees" else "approximately"


def follows(claim: Claim, agreement: Agreement) -> bool:
    """Whether the recorded verdict is one that this agreement allows.

    A prediction decides no verdict: where it is far from a measurement, the model is what is off.
    """
    if claim.verdict in NOT_OF_ARITHMETIC or all(c.basis == "model" for c in claim.compute):
        return True
    if claim.type in MEASURED and agreement == "approximately" and claim.verdict == "confirmed":
        return True
    return claim.verdict in ALLOWED[agreement]


def reason_not_computed(claim: Claim) -> Reason:
    """Why no figure of a claim is recomputed."""
    return _REASONS[claim.type]
