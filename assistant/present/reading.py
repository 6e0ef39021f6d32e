"""How the figures of a plan are to be read: whose split, which middle, the probability of what."""

from __future__ import annotations

from assistant.vocabulary.plan import Candidate, Plan

from . import figures

_SHAPE = ("strategy", "tp", "pp", "cp", "ep")
MOST_SPLITS = 6
# Two figures for a step that are closer than this look the same to a reader.
SAME = 0.005


def is_given(plan: Plan) -> bool:
    """Whether the network was given, not chosen."""
    return (plan.questionnaire.get("cluster") or {}).get("fabric") == plan.recommendation.fabric


def verdict(candidate: Candidate, plan: Plan) -> str:
    """The verdict in a word; a network that was given is not recommended."""
    return "given" if candidate.verdict == "recommended" and is_given(plan) else candidate.verdict


def confidence(plan: Plan, *, why: bool = True) -> str:
    """How sure the answer is, and of what, in one sentence; without ``why`` a second time. Nothing where nothing works."""
    if plan.recommendation.verdict == "infeasible":
        return ""
    value = plan.recommendation.confidence
    if is_given(plan):
        return f"Chance that it is the cheapest as well: {value:.0%}."
    return f"Confidence {value:.0%}" + (
        ": the chance that it is the cheapest, or within a percent of it." if why else "."
    )


def limits(plan: Plan) -> str | None:
    """How the deadline and the budget that were said are kept, at the median and in the band."""
    chosen = next((c for c in plan.candidates if c.fabric == plan.recommendation.fabric), None)
    days, usd = (
        (plan.questionnaire.get("constraints") or {}).get("deadline_days"),
        (plan.questionnaire.get("budget") or {}).get("usd"),
    )
    if chosen is None or chosen.step_time_s is None or chosen.run_hours is None or chosen.cost_usd is None:
        return None
    said = []
    if days:
        slow = run_band(chosen)[1]
        said.append(
            f"Deadline of {days:g} days: {_kept(chosen.run_hours, slow, 24 * days)}, {figures.hours(chosen.run_hours)} (up to {figures.hours(slow)})."
        )
    if usd:
        said.append(
            f"Budget of {figures.usd(usd)}: {_kept(chosen.cost_usd.p50, chosen.cost_usd.p90, usd)}, {figures.usd_band(chosen.cost_usd)}."
        )
    return " ".join(said) or None


def _kept(median: float, worst: float, limit: float) -> str:
    if median > limit:
        return "not kept"
    return "kept" if worst <= limit else "kept in the median, not in the worst tenth of cases"


def run_band(candidate: Candidate) -> tuple[float, float]:
    """Hours of the run at the tenth and ninetieth percentile of its step."""
    hours, step = candidate.run_hours or 0.0, candidate.step_time_s
    return (hours, hours) if step is None else (hours * step.p10 / step.p50, hours * step.p90 / step.p50)


def splits(candidates: list[Candidate]) -> str | None:
    """Who runs on which split, where networks that fit do not share one; the recommended one's first."""
    by_shape: dict[tuple[object, ...], list[Candidate]] = {}
    for candidate in candidates:
        if candidate.fits is not False and candidate.parallelism:
            by_shape.setdefault(tuple(candidate.parallelism.get(key) or 1 for key in _SHAPE), []).append(candidate)
    if len(by_shape) < 2:
        return None
    told = [f"{', '.join(c.fabric for c in alike)}: {_shape(alike[0])}" for alike in by_shape.values()]
    more = f"; {len(told) - MOST_SPLITS} more" if len(told) > MOST_SPLITS else ""
    return f"Each network at its own best split. {'; '.join(told[:MOST_SPLITS])}{more}."


def _shape(candidate: Candidate) -> str:
    return figures.layout({key: candidate.parallelism.get(key) for key in (*_SHAPE, "dp")})


def middle(plan: Plan) -> str | None:
    """The step with every estimate at its middle, where that is not the median of the error band."""
    chosen = next((c for c in plan.candidates if c.fabric == plan.recommendation.fabric), None)
    if (
        chosen is None
        or chosen.breakdown_s is None
        or chosen.step_time_s is None
        or "inference" in str(plan.questionnaire.get("workload"))
    ):
        return None
    step = sum(chosen.breakdown_s.model_dump().values())
    if abs(step / chosen.step_time_s.p50 - 1) < SAME:
        return None
    return (
        f"Times and costs are medians of their error bands; weft predict and weft ask give the step with every estimate at its middle, "
        f"{figures.seconds(step)} on {chosen.fabric}."
    )
