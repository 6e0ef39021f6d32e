"""To who signs: bargaining, a seller that fails, what to have in writing, whom to call, a quote against the plan, a
second source."""

from __future__ import annotations

from assistant.vocabulary.quantities import DAYS_PER_YEAR, HOURS_PER_MONTH

from ... import figures
from .. import reading
from .asked import Asked, lasts, money, slower, usable
from .sellers import other_sellers
from .spending import sum_named

_DEAR = 1.15  # times the sum of the plan
_NAMED = 3  # other offers


def negotiable(asked: Asked) -> list[str]:
    """Which parts of the bill are bargained about, and which not; what of it the plan knows."""
    best = asked.best
    if best is None:
        return []
    tenth = f"a tenth off is {figures.usd(0.1 * best.median_cost)} of {money(best)}" if best.cost_usd else ""
    if asked.plan.purchase is not None:
        usd = asked.plan.purchase.capital_usd
        return [
            f"The price of each line, optics and cables most; a tenth off all is {figures.usd(usd / 10)}.",
            "Also: support and its years, spares on the shelf, delivery with a penalty, payment after acceptance.",
            "Hardly: power, tax, the maker's list. What a seller gives nobody publishes: have three bids.",
        ]
    return [
        f"First the price per GPU-hour, for a longer or larger order: {tenth}.",
        "Also: term and notice, prepayment, storage, data out, support, outage credits.",
        "Hardly: tax. What they give off nobody publishes: have two quotes.",
    ]


def seller_fails(asked: Asked) -> list[str]:
    """What is lost when the provider ends its business, what guards against it, and where to go."""
    best = asked.best
    if best is None:
        return []
    if asked.plan.purchase is not None:
        return [
            "The machines are yours; lost are support, spare parts and what was prepaid. The plan cannot "
            "judge solvency.",
            "Guard: pay on delivery, spares on the shelf, parts that other makers sell as well.",
        ]
    serves = reading.serves(asked.plan)
    lost = "the service stands until it runs elsewhere" if serves else "the run stands, back to the last checkpoint"
    return [
        f"Lost: what is prepaid, and time: {lost}. Whether they are solvent the plan cannot judge.",
        "Guard: pay by the month, keep weights, data and set-up elsewhere, try the next.",
        *other_sellers(asked)[:_NAMED],
    ]


def in_writing(asked: Asked) -> list[str]:
    """What a seller of hardware has to write down before it is ordered."""
    best, bought = asked.best, asked.plan.purchase
    if best is None or bought is None:
        return []
    slow = f", a step of your job in {figures.seconds(best.step_time_s.p90)} at most" if best.step_time_s else ""
    return [
        "1. Every line with count and price: switches, adapters, optics, cables, licences, support "
        f"({figures.usd(bought.capital_usd)} in the plan).",
        "2. Delivery date with a penalty; the clock of payment starts at acceptance.",
        f"3. Acceptance: all-reduce on all nodes{slow}; firmware, drivers and optics that go together.",
        "4. Spares, replacement time, years of support, power and cooling drawn.",
    ]


def call_first(asked: Asked) -> list[str]:
    """Whom to call and what to ask for."""
    best, plan = asked.best, asked.plan
    number = plan.recommendation.offer
    if best is None:
        return []
    many = f"{reading.gpus(plan):,} {asked.catalog.gpus[reading.asked(plan, 'cluster.gpu')].name}"
    network = "" if best.fabric == "none" else f" on {asked.name(best.fabric)}"
    if number is None or plan.purchase is not None:
        return [f"Two or three integrators, with the same list: {many}{network}. The plan has no contacts."]
    offer = plan.offers[number]
    time = f", for {figures.hours(best.run_hours)}" if reading.ends(plan) and best.run_hours else ""
    return [
        f"The sales desk of {offer.provider_name or offer.provider}; the plan has no phone numbers and no stock.",
        f"Ask for {many}{network}, all at once and next to each other{time}, the first day, the least term.",
        "Before you pay: the all-reduce test, and 20 steps of your job.",
    ]


def turns_plain(asked: Asked) -> list[str]:
    """What would change the answer, in words for who knows none of the field."""
    best, found = asked.best, asked.plan.recommendation.card
    if best is None:
        return []
    if best.fabric == "none":
        return [
            "The advice holds as long as one copy of the model fits into one machine, as it does now.",
            "With a much larger model, or prompts so long that it needs two, the machines must talk to "
            "each other: then "
            "you pay for a fast network as well.",
            "Fewer or more users change how many GPUs you rent, not that.",
        ]
    changes = found.changes_if if found is not None else None
    plain = [f"The advice stands until this happens: {changes.rstrip('.')}."] if changes else []
    return [*plain, "Then another network, or another provider, is the cheaper way to the same result."]


def without_term(asked: Asked) -> list[str]:
    """Month by month against a term: what a year costs so, and from which stay a lower price with a term pays."""
    best, number = asked.best, asked.plan.recommendation.offer
    if best is None or number is None:
        return []
    offer = asked.plan.offers[number]
    month = offer.usd_per_month  # of the run itself a month is no more than it lasts
    if month is None:
        return []
    year = DAYS_PER_YEAR * 24 * (month / HOURS_PER_MONTH)
    free = offer.tier in ("on-demand", "spot")
    first = "The plan is without a term already" if free else f"The plan's price is {offer.tier}"
    limit = sum_named(asked) or reading.asked(asked.plan, "budget.usd")
    kept = f", {'within' if year <= limit else 'beyond'} {figures.usd_limit(limit)}" if limit else ""
    return [
        f"{first}: {figures.usd(month)} a month, {figures.usd(year)} if it stays twelve months{kept}.",
        "A year's term pays if you stay long enough: at 20 % off beyond 9.6 months, at 30 % beyond 8.4. "
        "Ask for theirs.",
        "The price of freedom: nobody promises stock or the same price next month.",
    ]


def quote_of_network(asked: Asked) -> list[str]:
    """A sum that was quoted for the purchase against the plan's own, and what explains the difference."""
    quoted, bought = sum_named(asked), asked.plan.purchase
    if quoted is None or bought is None:
        return []
    owned = reading.adds_to_what_is_there(asked.plan) or reading.is_owned(asked.plan)
    network = bought.network_usd
    own = network if network and (owned or quoted < 0.5 * bought.capital_usd) else bought.capital_usd
    name = asked.name(asked.plan.recommendation.fabric)
    if quoted > _DEAR * own:
        verdict = f"The plan is the lower one: {figures.usd(own)} for {name}, they ask {figures.usd(quoted)}"
        why = "More in the quote is a faster network, support for years, spares, installation or margin: have each line"
    elif quoted * _DEAR < own:
        verdict = f"They are lower: {figures.usd(quoted)} against {figures.usd(own)} of the plan for {name}"
        why = "Less may be missing: optics, adapters, support, or full width in the upper switches. Have each line"
    else:
        verdict = f"They agree: {figures.usd(quoted)} quoted, {figures.usd(own)} in the plan for {name}"
        why = "Compare the lines all the same: optics, adapters, support"
    said = [f"{verdict}.", f"{why}."]
    for_it = [c for c in usable(asked) if c.fabric != asked.plan.recommendation.fabric][:1]
    more = (
        f" A step on {asked.name(for_it[0].fabric)} takes {lasts(slower(for_it[0], asked.best))}."
        if for_it and asked.best
        else ""
    )
    return [*said, f"A written quote beats our estimate where it covers the same.{more}"]


def second_source(asked: Asked) -> list[str]:
    """The next networks of another technology, with what each costs and takes, and whose they are."""
    best = asked.best
    if best is None or best.fabric == "none":
        return []
    fabrics = asked.catalog.fabrics
    kind = lambda fabric: fabrics[fabric].technology
    others: dict[str, str] = {}
    for one in usable(asked):
        if one is not best and one.verdict == "acceptable" and one.fabric not in others.values():
            others.setdefault(kind(one.fabric), one.fabric)
    said = []
    for fabric in list(others.values())[:2]:
        one = reading.candidate(asked.plan, fabric)
        if one is None:
            continue
        cost = one.median_cost - best.median_cost
        differs = (
            f"{figures.usd(abs(cost))} {'more' if cost > 0 else 'less'}"
            if one.cost_usd and best.cost_usd
            else "price unknown"
        )
        makers = "one maker alone" if fabrics[fabric].vendors == "one" else "several makers"
        said.append(f"{asked.name(fabric)}, from {makers}: a step takes {lasts(slower(one, best))}, {differs}.")
    if not said:
        return ["No other network of this plan keeps what you asked for."]
    own = "one maker alone" if fabrics[best.fabric].vendors == "one" else "several makers"
    return [
        *said,
        f"Now: {asked.name(best.fabric)}, from {own}. You would lose what your team knows and tests of yours on it.",
    ]
