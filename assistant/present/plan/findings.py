"""Which of a plan's findings are told, and in which order; the sources are numbered along it."""

from assistant.vocabulary.plan import Candidate, Finding, Plan

from .. import limits

_STAGES = ("demand", "choose", "classify")  # what the job asks of a network, then what speaks for the choice


def told_for(plan: Plan) -> list[Finding]:
    """What speaks for the recommended network."""
    about = [f for f in plan.findings if f.fabric in (None, plan.recommendation.fabric)]
    return [f for stage in _STAGES for f in about if f.stage == stage][: limits.REASONS]


def told_in_short(plan: Plan) -> list[Finding]:
    """Of that, what decided, half of it at most, then what the job asks for."""
    said = told_for(plan)
    chose = [f for f in said if f.stage == "choose" and f.rule != "choose/coin-flip"]
    others = [f for stage in ("demand", "classify") for f in said if f.stage == stage]
    return [*chose[: limits.REASONS_IN_SHORT // 2], *others][: limits.REASONS_IN_SHORT]


def told_against(plan: Plan) -> list[Finding]:
    """What speaks against the others, each rule once."""
    told: dict[str, Finding] = {}
    for found in plan.candidates:
        finding = against(found, plan) if found.verdict != "recommended" else None
        if finding:
            told.setdefault(finding.rule, finding)
    return list(told.values())


def against(found: Candidate, plan: Plan) -> Finding | None:
    """The first finding that speaks against a network."""
    of_it = {f.rule: f for f in plan.findings if f.fabric == found.fabric}
    return next((of_it[rule] for rule in found.reasons if rule in of_it), None)
