"""A question between values: "64 or 128 GPUs?", "H100 or H200?", "should we rent or buy?". Each is planned, none is
taken."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from assistant.present import figures
from assistant.present.fields import field_text
from assistant.present.plan.answers.other_gpus import chips
from assistant.present.plan.purchase import over, turns
from assistant.present.plan.reading import APART, chosen
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Candidate, Plan
from assistant.vocabulary.quantities import DAYS_PER_MONTH
from assistant.vocabulary.utterance import Utterance

from ..events import Note

_LIFTED = dict.fromkeys(("budget.usd", "budget.usd_per_month", "constraints.deadline_days"))
_BUYS, _RENTS, _WRITTEN_OFF = {"budget.mode": "buy"}, {"budget.mode": "rent"}, "budget.amortization_months"
_PROVIDER = "cluster.provider"
_PRICE = "budget.gpu_hour_usd"
_LEAST_PERIOD = 180.0  # days: for less nobody buys
_ODDS = re.compile(r"\b(\d{1,2})/(\d{1,2})\b")
MOST = 4  # values that are weighed against each other

# Plans the draft with some fields changed; raises InputError where that cannot be.
Planned = Callable[[Mapping[str, Any]], "Plan | None"]


def alternatives(said: Utterance) -> list[dict[str, Any]]:
    """The fields of each value that is asked about, in the order named; empty where the message is no such question.

    Networks are left to the comparison, which knows more of them.
    """
    if said.act not in ("ask", "compare", "what-if") and "?" not in said.text:
        return []
    if any(int(one) + int(other) == 100 for one, other in _ODDS.findall(said.text)):  # "is that 60/40"
        return []
    doubts = [
        doubt for doubt in said.doubts if doubt.field and doubt.field != "cluster.fabric" and len(doubt.options) > 1
    ]
    found = [{str(doubts[0].field): option} for option in doubts[0].options[:MOST]] if len(doubts) == 1 else []
    months = _period(said)
    return [one | ({_WRITTEN_OFF: months} if months and one == _BUYS else {}) for one in found]


def _period(said: Utterance) -> int | None:
    """The months that are named as those over which renting and buying are compared: "for three years"."""
    named = [one.value for one in said.amounts if one.kind == "time" and one.value >= _LEAST_PERIOD]
    return round(max(named) / DAYS_PER_MONTH) if named else None


def weighed(
    found: list[dict[str, Any]], planned: Planned, catalog: Catalog, serving: bool
) -> tuple[Note, list[dict[str, Any]]]:
    """Each value's plan in a line, and which costs least and is done soonest; with the values that can be taken."""
    asked = found
    lines, ranked, plans = [], [], []
    found, rented = _as_rents(found, planned)
    able = list[dict[str, Any]]()
    for said, fields in zip(asked, found, strict=True):
        name = "; ".join(field_text(field, value, catalog) for field, value in fields.items())
        plan = _plan_with(fields, planned)
        plans += [plan] if isinstance(plan, Plan) else []
        if fields.get("budget.mode") == "buy" and isinstance(plan, Plan) and plan.purchase and plan.purchase.gpus_there:
            name = "on what is there"
        best = chosen(plan) if isinstance(plan, Plan) and plan.recommendation.verdict != "infeasible" else None
        if best is None or best.cost_usd is None or best.run_hours is None or best.step_time_s is None:
            unlimited = _plan_with({**fields, **_LIFTED}, planned)
            none = plan if isinstance(plan, str) else plan.recommendation.headline
            lines.append(f"{name}: {_beyond(fields, unlimited) or none}")
            continue
        ranked.append((name, best))
        able.append(said)
        length = f"{figures.seconds(best.median_step)}, {figures.hours(best.run_hours)}"
        lines.append(f"{name}: {best.fabric}, {length}, {figures.usd_band(best.cost_usd)}{_by_hour(fields, plan)}.")
    assumed = {one.field: one for plan in plans if plan.purchase for one in plan.assumptions}
    months = assumed[_WRITTEN_OFF].value if _WRITTEN_OFF in assumed else None
    counted = [f"Bought machines are counted over {months:g} months in which they are always busy."] if months else []
    counted += [f"{assumed[_PRICE].why}."] if _PRICE in assumed else []
    both = next((plan.rent_or_buy for plan in plans if plan.rent_or_buy), None)
    chips_of = [str(fields["cluster.gpu"]) for fields in found if "cluster.gpu" in fields]
    counted += [chips(catalog, chips_of)] if len(chips_of) > 1 else []
    period = any(_WRITTEN_OFF in fields for fields in found)
    told = (
        _verdict(ranked, serving) if both is None else " ".join([*([over(both)] if period else []), *turns(both)[1:]])
    )
    return Note(text=told, items=(*lines, *counted, *rented, "Nothing was changed.")), able


def _as_rents(found: list[dict[str, Any]], planned: Planned) -> tuple[list[dict[str, Any]], list[str]]:
    """Providers beside machines that are bought: what they let, with a line that says so, for none is bought from."""
    plan = _plan_with(found[0], planned) if any(_PROVIDER in fields for fields in found) else None
    if not isinstance(plan, Plan) or plan.purchase is None:
        return found, []
    told = "Providers let machines: these are rents. The plan buys its own, and that sum does not hang on a provider."
    return [_RENTS | fields for fields in found], [told]


def _beyond(fields: Mapping[str, Any], plan: Plan | str) -> str | None:
    """What a value comes to that does not keep a limit: the sum and the time that it takes."""
    best = chosen(plan) if isinstance(plan, Plan) and plan.recommendation.verdict != "infeasible" else None
    if best is None or best.cost_usd is None or best.run_hours is None:
        return None
    sum_ = f"{figures.usd(best.cost_usd.p50)}{_by_hour(fields, plan)}"
    return f"beyond what you allow: {best.fabric}, {figures.hours(best.run_hours)}, {sum_}."


def _by_hour(fields: Mapping[str, Any], plan: Plan | str) -> str:
    """The price of the GPU-hour, where it is providers that are weighed."""
    offer = plan.taken if isinstance(plan, Plan) else None
    if offer is None or not offer.usd_per_gpu_hour or _PROVIDER not in fields:
        return ""
    return f" at {figures.usd(offer.usd_per_gpu_hour)} per GPU-hour {offer.tier}"


def _plan_with(fields: Mapping[str, Any], planned: Planned) -> Plan | str:
    """The plan, or the sentence that says why there is none."""
    try:
        made = planned(fields)
    except InputError as error:
        return f"{error.message}."
    return made if made is not None else "more is needed before that can be planned."


def _verdict(ranked: list[tuple[str, Candidate]], serving: bool) -> str:
    if not ranked:
        return "None of these can be done as asked."
    if len(ranked) == 1:
        return f"Only {ranked[0][0]} can be done as asked."
    cost = {name: best.cost_usd.p50 for name, best in ranked if best.cost_usd}
    time = {name: best.median_step if serving else best.run_hours or 0.0 for name, best in ranked}
    cheap, soon = min(cost, key=cost.__getitem__), min(time, key=time.__getitem__)
    sooner = "answers sooner" if serving else "is done sooner"
    if max(cost.values()) < (1 + APART) * cost[cheap] and max(time.values()) < (1 + APART) * time[soon]:
        return "They cannot be told apart."
    if time[cheap] < (1 + APART) * time[soon]:
        apart = time[cheap] * (1 + APART) < max(time.values())
        return f"{cheap} costs less" + (f" and {sooner}." if apart else "; the times differ by less than a percent.")
    if cost[soon] < (1 + APART) * cost[cheap]:
        return f"{soon} {sooner}, at the same cost, within the error."
    return f"{cheap} costs less; {soon} {sooner}, for {cost[soon] / cost[cheap] - 1:.0%} more."
