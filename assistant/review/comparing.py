"""Two plans side by side: the answers, then everything that either plan tells and the other tells otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assistant.library import Library
from assistant.library.figures import CONSTANTS
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Candidate, Plan
from assistant.vocabulary.plan.diff import (
    ConstantChange,
    InputChange,
    NetworkChange,
    OfferPrice,
    PlanDiff,
    RuleChange,
    Side,
)

from .causes import Walk
from .fields import flat
from .prices import Key, list_prices, prices_of

# Where these differ, others sell, and a price that only one plan has is no news.
_DECIDES_WHO_SELLS = (
    "cluster.gpus",
    "cluster.provider",
    "cluster.fabric",
    "cluster.sites",
    "budget.mode",
    "budget.spot",
)
_FELT = 0.005  # of a time of a step: less is rounding of what is measured


def compared(before: Plan, after: Plan, library: Library) -> PlanDiff:
    """What is different, and where ``after`` was made with what is installed here, what did it."""
    why_not = _not_computable(after, library)
    listed = list_prices(library.catalog) if why_not is None else None
    found = PlanDiff(
        before=_side(before),
        after=_side(after),
        same_answer=_answer(before) == _answer(after),
        names={**before.names, **after.names},
        changed_with=_made_otherwise(before, after),
        inputs=list(_inputs(before, after)),
        prices=list(_prices(before, after, listed)),
        constants=list(_constants(before, after)),
        rules=list(_rules(before, after)),
        networks=list(_networks(before, after)),
    )
    if why_not is None:
        try:
            found.causes = Walk(before, after, library).causes(found)
        except InputError as error:
            why_not = f"the plan before cannot be computed again here: {error}"
    found.not_computed = why_not
    return found


def _answer(plan: Plan) -> tuple[str, str]:
    return plan.recommendation.fabric, plan.recommendation.verdict


def _side(plan: Plan) -> Side:
    answer = plan.recommendation
    chosen = next((one for one in plan.candidates if one.fabric == answer.fabric), None)
    return Side(
        name=plan.questionnaire.get("name"),
        date=plan.date,
        made_with=plan.made_with,
        fabric=answer.fabric,
        verdict=answer.verdict,
        do=answer.card.do if answer.card else answer.headline,
        cost_usd=chosen.cost_usd.p50 if chosen and chosen.cost_usd else None,
        run_hours=chosen.run_hours if chosen else None,
        step_time_s=_step(chosen),
    )


def _step(candidate: Candidate | None) -> float | None:
    return candidate.step_time_s.p50 if candidate and candidate.step_time_s else None


def _made_otherwise(before: Plan, after: Plan) -> list[str]:
    if before.made_with is None or after.made_with is None:
        return []
    was, now = before.made_with.model_dump(), after.made_with.model_dump()
    return [part for part in was if part != "constants" and was[part] != now[part]]


def _not_computable(after: Plan, library: Library) -> str | None:
    """Why the way from one plan to the other cannot be gone again."""
    made = after.made_with
    if made is None or any(getattr(made, part) != digest for part, digest in library.digests.items()):
        return "the later plan was made with other rules, facts or prices than are installed here"
    return None


def _inputs(before: Plan, after: Plan) -> Iterator[InputChange]:
    was, now = dict(flat(before.questionnaire)), dict(flat(after.questionnaire))
    for field in dict.fromkeys([*was, *now]):
        if field != "name" and was.get(field) != now.get(field):
            yield InputChange(field=field, was=was.get(field), now=now.get(field))


def _prices(before: Plan, after: Plan, listed: Mapping[Key, float] | None) -> Iterator[OfferPrice]:
    """Prices of what the plan before could take; ``listed``: those of today, where ``after`` was made with them."""
    was, now = prices_of(before), prices_of(after)
    asked = [dict(flat(plan.questionnaire)) for plan in (before, after)]
    if asked[0].get("cluster.gpu") != asked[1].get("cluster.gpu"):
        return  # of another GPU everything costs something else
    if listed is not None:
        now = {key: listed[key] for key in was if key in listed} | {k: usd for k, usd in now.items() if k not in was}
    same = all(asked[0].get(field) == asked[1].get(field) for field in _DECIDES_WHO_SELLS)
    for key in dict.fromkeys([*was, *(now if same else ())]):
        old, new = was.get(key), now.get(key)
        if old != new:
            provider, instance, tier, months = key
            yield OfferPrice(provider=provider, instance=instance, tier=tier, months=months, was=old, now=new)


def _constants(before: Plan, after: Plan) -> Iterator[ConstantChange]:
    """Of what both plans were computed with: of another GPU or another network there are others."""
    was, now = (plan.made_with.constants if plan.made_with else {} for plan in (before, after))
    for name in dict.fromkeys([*was, *now]) if was and now else ():
        always = name.startswith(f"{CONSTANTS}.")
        if was.get(name) != now.get(name) and (always or (name in was and name in now)):
            yield ConstantChange(name=name, was=was.get(name), now=now.get(name))


def _rules(before: Plan, after: Plan) -> Iterator[RuleChange]:
    was = {(one.rule, one.fabric): one.because for one in before.findings}
    now = {(one.rule, one.fabric): one.because for one in after.findings}
    for (rule, fabric), because in was.items():
        if (rule, fabric) not in now:
            yield RuleChange(rule=rule, fabric=fabric, because=because, now="silent")
    for (rule, fabric), because in now.items():
        if (rule, fabric) not in was:
            yield RuleChange(rule=rule, fabric=fabric, because=because, now="speaks")


def _networks(before: Plan, after: Plan) -> Iterator[NetworkChange]:
    was = {one.fabric: one for one in before.candidates}
    now = {one.fabric: one for one in after.candidates}
    for fabric in dict.fromkeys([*was, *now]):
        old, new = was.get(fabric), now.get(fabric)
        found = NetworkChange(
            fabric=fabric,
            verdict_was=old.verdict if old else None,
            verdict_now=new.verdict if new else None,
            step_was=_step(old),
            step_now=_step(new),
        )
        if found.verdict_was != found.verdict_now or _moved(found.step_was, found.step_now):
            yield found


def _moved(was: float | None, now: float | None) -> bool:
    if was is None or now is None:
        return was is not now
    return abs(now / was - 1) > _FELT
