"""What a contract makes of it: a run that ends before its term, and a lower rate that costs more."""

from __future__ import annotations

from assistant.vocabulary.plan import QuotedOffer, RentalOffer
from assistant.vocabulary.quantities import HOURS_PER_MONTH

from ... import figures
from .. import reading
from .asked import Asked, money
from .sums import letter, price_source


def quote_includes(asked: Asked) -> str | None:
    """Which quotes have what is named in their price, as they say, and which say nothing of it."""
    quotes = asked.plan.quotes
    named = asked.words.get("cost_items", {})
    wanted = {name for name, one in named.items() if any(word in asked.text for word in one["words"])}
    every = dict.fromkeys(one for quote in quotes for one in quote.includes)
    items = [item for item in every if item in asked.text or item in wanted]
    if not items:
        return None
    has = [quote for quote in quotes if set(items) <= set(quote.includes)]
    silent = [quote for quote in quotes if quote not in has]
    what = " and ".join(items)
    if not has:
        return f"None of them has {what} in it, as far as they say."
    rest = (
        f"; {', '.join(map(letter, silent))} {'say' if len(silent) > 1 else 'says'} nothing of it: ask"
        if silent
        else ""
    )
    return f"{', '.join(map(letter, has))} {'have' if len(has) > 1 else 'has'} {what} in it{rest}."


def pay_early(asked: Asked) -> str | None:
    """Whether time is paid in which nothing runs any more."""
    best = asked.best
    if best is None or best.run_hours is None:
        return asked.plan.recommendation.smallest_change
    if asked.plan.purchase is not None:
        if asked.plan.purchase.gpus_there:
            return "What is there costs no less for a shorter run: what is left over is time for the next job."
        return "Bought machines are paid whole, however short the run: what is left over is time for the next job."
    if not reading.ends(asked.plan):
        return "A service has no end; ask for the notice to quit, by the hour or by the month."
    takes = figures.hours(best.run_hours)
    months = _term(asked)
    if months is None:
        return f"Not as it is counted: the hours of the run, {takes}, and nothing after. A contract may say else: ask."
    if best.run_hours >= HOURS_PER_MONTH * months:
        more = " Renewed for another term, that one is paid whole too." if _offer(asked) else ""
        of = figures.hours(HOURS_PER_MONTH * months)
        return f"Of the first term nothing is left over: the run takes {takes}, the term is {of}.{more}"
    return f"Yes: a term is paid whole, {figures.hours(HOURS_PER_MONTH * months)}, though the run takes {takes}."


def _offer(asked: Asked) -> RentalOffer | None:
    return asked.plan.taken


def _term(asked: Asked) -> float | None:
    """Months that are paid whole: of the offer, or days that are reserved."""
    offer, reserved = _offer(asked), reading.asked(asked.plan, "budget.reserved_days")
    if offer is not None and offer.months:
        return offer.months
    return 24 * reserved / HOURS_PER_MONTH if reserved else None


def pay_early_sum(asked: Asked) -> str | None:
    """What the time that was named comes to beside the run."""
    best, offer = asked.best, _offer(asked)
    if best is None or best.run_hours is None or asked.plan.purchase is not None or not reading.ends(asked.plan):
        return None
    rate = offer.usd_per_gpu_hour if offer else best.gpu_usd_per_hour
    if not rate or best.cost_usd is None:
        return None
    days = next((days for days in asked.amounts("time") if days > 1), None)
    hours = HOURS_PER_MONTH * (_term(asked) or 0.0) or 24 * (days or 0.0)
    if hours <= best.run_hours:
        return None
    whole = rate * reading.gpus(asked.plan) * hours
    named = figures.hours(hours)
    return (
        f"Were all {named} to be paid: {figures.usd(whole)}, {figures.usd(whole - best.cost_usd.p50)} more than the "
        "run needs; have it in writing."
    )


def quote_why(asked: Asked) -> list[str]:
    """Why the lower price an hour need not be the lower sum."""
    able = sorted((q for q in asked.plan.quotes if q.run_cost_usd), key=lambda q: q.run_cost_usd.p50)  # type: ignore[union-attr]
    if len(able) < 2:
        return []
    won = able[0]
    lower = min(able, key=lambda q: q.usd_per_gpu_hour or float("inf"))
    if lower is won:
        return [f"It is the cheaper one: {letter(won)}, {_sum(won)}; {letter(able[1])}, {_sum(able[1])}."]
    waits = [
        f"{letter(q)} waits {figures.percent(q.waiting_percent)} of the time" for q in (lower, won) if q.waiting_percent
    ]
    why = f" Its GPUs wait for the network: {', '.join(waits)}." if len(waits) == 2 else ""
    return [
        f"An hour of {letter(lower)} costs less, but it needs more of them: {_sum(lower)}; {letter(won)}: {_sum(won)}.",
        *([why.strip()] if why else []),
    ]


def _sum(quote: QuotedOffer) -> str:
    days = figures.hours(24 * (quote.finishes_days or 0.0))
    rate = figures.usd(quote.usd_per_gpu_hour)
    return f"{days} at {rate} is {figures.usd(quote.run_cost_usd and quote.run_cost_usd.p50)}"


def price_doubted(asked: Asked) -> str | None:
    """Where the price is from, where it is asked how sure it is and not what another would do."""
    return price_source(asked) if asked.says("of_doubt") and not asked.amounts("percent", "money", "number") else None


def price_off(asked: Asked) -> str | None:
    """What is paid where the price an hour is another than was read."""
    best, offer = asked.best, _offer(asked)
    if best is None or best.cost_usd is None or offer is None or not offer.usd_per_gpu_hour:
        return None
    rate, what = offer.usd_per_gpu_hour, reading.bill(asked.plan)
    if told := _of_another(asked, rate):
        return told
    shares = [share for share in asked.amounts("percent", "share") if 0 < share < _WHOLE]
    less = any(word in asked.text for word in ("less", "lower", "cheaper", "down", "drop"))
    factor = 1 + (-1 if less else 1) * shares[0] / _WHOLE if shares else 1 + _TENTH
    rates = [usd for usd in asked.amounts("money", "number") if rate / _APART < usd < _APART * rate]
    factor = rates[0] / rate if rates else factor
    factor = next((named for word, named in _FACTORS.items() if word in asked.text), factor)
    sums = f"{figures.usd(factor * best.cost_usd.p50)} instead of {figures.usd(best.cost_usd.p50)} for {what}"
    return f"At {figures.usd(factor * rate)} instead of {figures.usd(rate)} per GPU-hour it costs {sums}."


def _of_another(asked: Asked, own: float) -> str | None:
    """What is paid at another provider that is named, were its price an hour the one that is named."""
    best, offer = asked.best, _offer(asked)
    other = next((one for one in asked.sellers if offer is None or one != offer.provider), None)
    rate = next((usd for usd in asked.amounts("money", "number") if _is_rate(usd, own)), None)
    if other is None or rate is None or best is None or best.cost_usd is None or offer is None:
        return None
    lifted = dict.fromkeys(("budget.usd", "budget.usd_per_month", "cluster.fabric"))
    made = asked.tried({"cluster.provider": other, "budget.mode": "rent", **lifted})
    there, let = reading.chosen(made) if made else None, made.taken if made else None
    name = asked.catalog.names[other]
    if there is None or there.cost_usd is None or let is None or not let.usd_per_gpu_hour:
        return f"{name}: no price was read at which this job runs there, so none can be held against {rate:g}."
    sum_ = there.median_cost * rate / let.usd_per_gpu_hour
    even = let.usd_per_gpu_hour * best.median_cost / there.median_cost
    mine = offer.provider_name or offer.provider
    less = sum_ < (1 - reading.APART) * best.median_cost
    ties = not less and sum_ <= (1 + reading.APART) * best.median_cost
    verdict = "Yes, then it comes first" if less else "Then they tie" if ties else f"No, {mine} stays first"
    return (
        f"{verdict}: {name} at {figures.usd(rate)} instead of {figures.usd(let.usd_per_gpu_hour)} is "
        f"{figures.usd(sum_)} for {reading.bill(asked.plan)}, {mine} {money(best)}. It turns at "
        f"{figures.usd(even)} per GPU-hour."
    )


_TENTH, _WHOLE = 0.1, 100.0
_APART = 3.0  # times the price: what is farther from it is no price of the hour
_FACTORS = {"half": 0.5, "double": 2.0, "twice": 2.0, "triple": 3.0}


def _is_rate(usd: float, rate: float) -> bool:
    """Whether a number may be a price of the hour, beside the one that was read."""
    return rate / _APART < usd < _APART * rate


def price_off_turn(asked: Asked) -> str | None:
    """Up to which price it stays the choice, and what comes next."""
    offer = _offer(asked)
    if asked.best is None or offer is None or offer.run_cost_usd is None or not offer.usd_per_gpu_hour:
        return None
    anywhere = asked.tried({"cluster.provider": None}) if reading.asked(asked.plan, "cluster.provider") else None
    offers = (anywhere or asked.plan).offers
    others = [o for o in offers if o.provider != offer.provider and o.run_cost_usd and o.meets_limits]
    rival = min(others, key=lambda o: o.ranked_usd, default=None)
    if rival is None or rival.run_cost_usd is None:
        return "Nobody else lets it at a price that was read."
    even = offer.usd_per_gpu_hour * rival.ranked_usd / offer.ranked_usd
    who = rival.provider_name or rival.provider
    named = next((usd for usd in asked.amounts("money", "number") if _is_rate(usd, offer.usd_per_gpu_hour)), None)
    if named is not None:
        then = offer.ranked_usd * named / offer.usd_per_gpu_hour
        sums = f"{who} lets it for {figures.usd(rival.ranked_usd)}"
        if abs(then - rival.ranked_usd) <= reading.APART * rival.ranked_usd:
            return f"It ties then: {sums}."
        return f"It is the cheapest then: {sums}." if then < rival.ranked_usd else f"Still not the cheapest: {sums}."
    if rival.ranked_usd < offer.ranked_usd:
        return f"Cheaper already is what is published: {who}, {figures.usd(rival.ranked_usd)}."
    return f"Up to {figures.usd(even)} it stays the cheapest; beyond, {who} is, at {figures.usd(rival.ranked_usd)}."
