"""The kinds of GPU that the job names one beside another: what a unit of the work costs on each, whose price each has,
and one of them at a lower price."""

from __future__ import annotations

from assistant.vocabulary.plan import Candidate, Plan

from ... import figures
from .. import reading
from .asked import Asked, money
from .choice import FORM
from .other_gpus import on_another

_FEWEST, _MOST = 2, 4  # kinds that are told side by side
_LIFTED = dict.fromkeys(("budget.usd", "budget.usd_per_month"))


def _each(asked: Asked) -> list[tuple[str, Plan, Candidate]]:
    """The plan on every kind that the job names, on which it runs."""
    own = asked.plan.questionnaire["cluster"]["gpu"]
    found: list[tuple[str, Plan, Candidate]] = []
    for gpu in asked.compared[:_MOST]:
        made = asked.plan if gpu == own and asked.best is not None else asked.tried(on_another(asked, gpu))
        best = reading.chosen(made) if made is not None else None
        if made is not None and best is not None:
            found.append((gpu, made, best))
    return found


def _short(asked: Asked, gpu: str) -> str:
    name = FORM.sub("", asked.catalog.gpus[gpu].name)
    return name.removeprefix("NVIDIA ").removeprefix("AMD Instinct ").removeprefix("Intel ")


def unit_of_each(asked: Asked) -> list[str]:
    """What a million tokens cost on each kind of GPU, the cheapest first, with the GPUs it takes."""
    if len(asked.compared) < _FEWEST or not asked.says("of_each"):
        return []
    told: list[tuple[float, str]] = []
    for gpu, made, best in _each(asked):
        usd = made.sizing.usd_per_million_output_tokens if made.sizing else reading.usd_per_million_tokens(made, best)
        if usd:
            month = f", {figures.usd(best.usd_per_month)} a month" if best.usd_per_month else ""
            told.append((usd, f"{_short(asked, gpu)}: {figures.usd(usd)}, {reading.gpus(made):,} GPUs{month}."))
    if len(told) < _FEWEST:
        return []
    left = [_short(asked, gpu) for gpu in asked.compared if all(_short(asked, gpu) not in text for _, text in told)]
    of = "output tokens" if reading.serves(asked.plan) else "tokens"
    beside = f"; {', '.join(left)}: not at this load or at no known price" if left else ""
    same = "same load; " if reading.serves(asked.plan) else ""
    return [
        f"Per million {of}, {same}each computed{_spread(asked)}{beside}:",
        *(text for _, text in sorted(told)),
    ]


def _spread(asked: Asked) -> str:
    best = asked.best
    band = best.step_time_s if best is not None else None
    if band is None:
        return ""
    return f", {100 * (1 - band.p10 / band.p50):.0f} % less to {100 * (band.p90 / band.p50 - 1):.0f} % more"


def price_of_each(asked: Asked) -> list[str]:
    """Whose price each kind of GPU is counted with, and of which day; the sum that it makes."""
    if len(asked.compared) < _FEWEST:
        return []
    told = []
    for gpu, made, best in _each(asked):
        number = made.recommendation.offer
        offer = made.offers[number] if number is not None else None
        if offer is None or not offer.usd_per_gpu_hour:
            told.append(f"{_short(asked, gpu)}: {'no price was read' if best.cost_usd is None else money(best)}.")
            continue
        listed = "your quote" if offer.kind == "quote" else "list"
        seller = offer.provider_name or offer.provider
        sums = money(best) if reading.ends(made) else f"{money(best)} a month"
        told.append(
            f"{_short(asked, gpu)}: {listed}, {figures.usd(offer.usd_per_gpu_hour)} at {seller}, {offer.date}"
            f"{' (old)' if offer.stale else ''}: {sums}."
        )
    return told if len(told) > 1 else []


def gpu_at_less(asked: Asked) -> list[str]:
    """A kind of GPU that is named at so many percent less, beside the cheapest of the others, and where it ties."""
    percent = next((share for share in asked.amounts("percent", "share") if 0 < share < 100), None)
    named = next(iter(asked.said.named("gpu")), None)
    others = [g for g in dict.fromkeys([*asked.compared, asked.plan.questionnaire["cluster"]["gpu"]]) if g != named]
    if percent is None or named is None or not others:
        return []
    made = asked.tried(on_another(asked, named) | _LIFTED)
    sums = [(sum_, g) for g in others if (sum_ := _sum(asked.tried(on_another(asked, g) | _LIFTED)))]
    whole = _sum(made)
    if made is None or whole is None:
        return [f"{_short(asked, named)}: does not do here, or at no known price, so a discount changes nothing."]
    if not sums:
        return []
    least, other = min(sums)
    bought = reading.to_buy(made)
    what = " to buy" if bought is not None else " a month" if not reading.ends(made) else " for the run"
    part = bought.capital_usd - (bought.network_usd or 0.0) if bought is not None else whole
    then = whole - percent / 100 * part
    apart, even = then - least, 100 * (whole - least) / part
    verdict = "less: it would win" if apart < 0 else "more: it would not win"
    tie = f"It ties at {even:.0f} % off." if 0 < even < 100 else "It is the cheaper one already at its list price."
    best = reading.chosen(made)
    unit = f", {figures.seconds(best.median_step)} a token" if best is not None and reading.serves(made) else ""
    return [
        f"{_short(asked, named)} at {percent:g} % less: {figures.usd(then)}{what}, {figures.usd(abs(apart))} "
        f"({abs(apart) / least:.0%}) {verdict}.",
        f"Listed it is {figures.usd(whole)} for {reading.gpus(made):,} GPUs{unit}; {_short(asked, other)}, the "
        f"cheapest of the others, {figures.usd(least)}.",
        tie,
    ]


def _sum(plan: Plan | None) -> float | None:
    """What a plan comes to: to buy, a month, or for the run, US dollars."""
    best = reading.chosen(plan) if plan is not None else None
    if plan is None or best is None:
        return None
    bought = reading.to_buy(plan)
    if bought is not None:
        return bought.capital_usd
    return best.median_cost if best.cost_usd else None
