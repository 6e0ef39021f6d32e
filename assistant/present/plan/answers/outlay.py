"""Money as who signs for it asks: years in all, resale, the network's share, waiting for prices, credits, payback."""

from __future__ import annotations

import re

from assistant.vocabulary.added import added
from assistant.vocabulary.plan import Candidate, Plan, Purchase
from assistant.vocabulary.quantities import DAYS_PER_YEAR, HOURS_PER_MONTH

from ... import figures
from .. import reading
from .asked import Asked, lasts, money, slower, usable
from .sums import budget

_YEARS, _YEAR = 3.0, 12
_QUARTER, _FALL = 3, 0.1  # months; of a price
_WEEK, _WEEK_DAYS = 168.0, 7.0  # hours; days
_MILLION, _THOUSAND = 1e6, 1e3
_LIFTED = ("budget.usd", "budget.usd_per_month")
_ALIKE = 0.02  # of a sum
_SHORT = re.compile(r"(?<![\d.,])(\d+(?:[.,]\d+)?) ?(k|mio|mn|million|m)\b")  # "3.5 m", "900k"
_SIZES = {"k": 1e3, "m": 1e6}


def bought_instead(asked: Asked, fabric: str | None = None) -> tuple[Plan, Purchase] | None:
    """The job on machines of one's own, over a network where one is named."""
    if asked.plan.purchase is not None and fabric in (None, asked.plan.recommendation.fabric):
        return asked.plan, asked.plan.purchase
    change = {"budget.mode": "buy", "cluster.provider": None, **dict.fromkeys(_LIFTED)}
    made = asked.tried(change | ({"cluster.fabric": fabric} if fabric else {}))
    return (made, made.purchase) if made is not None and made.purchase is not None else None


def _running(bought: Purchase, *parts: str) -> float:
    """US dollars a month beside the write-off."""
    return added(usd for part, usd in bought.monthly_usd.items() if part in (parts or ("power", "support", "staff")))


def _years(asked: Asked) -> float:
    named = [days / DAYS_PER_YEAR for days in asked.amounts("time") if days >= DAYS_PER_YEAR - 1]
    return named[0] if named else _YEARS


def years_total(asked: Asked) -> list[str]:
    """Purchase, power and support of several years, of the recommended network and of the next ones."""
    years = _years(asked)
    best = asked.best
    named = [f for f in asked.fabrics if reading.candidate(asked.plan, f)]
    others = [c.fabric for c in usable(asked) if c.verdict == "acceptable" and c is not best]
    kinds = {asked.catalog.fabrics[f].technology: f for f in reversed(others) if f not in named}
    first = [best.fabric] if best is not None else []
    wanted: list[str] = list(dict.fromkeys([*first, *named, *reversed(kinds.values())]))[:3]
    sums: list[tuple[float, str]] = []
    for fabric in wanted:
        found = bought_instead(asked, fabric)
        if found is not None:
            whole = found[1].capital_usd + _YEAR * years * _running(found[1])
            buy, run = figures.usd(found[1].capital_usd), figures.usd(_YEAR * years * _running(found[1]))
            sums.append((whole, f"{asked.name(fabric)}: {figures.usd(whole)} ({buy} to buy, {run} power and support)"))
    if not sums:
        return ["The plan knows no price to buy it, so no sum over years: ask for quotes with support for all of them."]
    least, most = min(sums)[0], max(sums)[0]
    tie = len(sums) > 1 and most < (1 + _ALIKE) * least
    name = min(sums)[1].partition(":")[0]
    verdict = f"Over {years:g} years they tie" if tie else f"Over {years:g} years {name} costs least"
    if len(sums) == 1:
        verdict = f"Over {years:g} years"
    return [
        f"{verdict}.",
        *(f"{text}." for _, text in sums),
        "Not in it: racks, building, interest and resale; support is a share of the purchase, not a quote.",
    ]


def purchase_budget(asked: Asked) -> list[str]:
    """Whether a sum is enough for the purchase with its network and the support of some years."""
    found = bought_instead(asked)
    limit = _sum(asked)
    if found is None or limit is None:
        return [text] if (text := budget(asked)) else []
    bought = found[1]
    years = _years(asked) if asked.amounts("time") else 0.0
    support = _YEAR * years * _running(bought, "support")
    whole = bought.capital_usd + support
    spare = limit - whole
    network = "network included" if bought.network_usd is None else f"{figures.usd(bought.network_usd)} of it network"
    held = f" and {figures.usd(support)} support for {years:g} years" if support else ""
    parts = f"{figures.usd(bought.capital_usd)} to buy, {network},{held}".rstrip(",")
    verdict = "Yes" if spare >= 0 else "No"
    far = f"{figures.usd(abs(spare))} {'to spare' if spare >= 0 else 'too much'}"
    costs = figures.usd_against(whole, limit)
    euro = asked.catalog.constants["currency-eur"]
    power = figures.usd(_YEAR * (years or 1.0) * _running(bought, "power"))
    return [
        f"{verdict}: {costs} of {figures.usd_limit(limit)}, {far}: {parts}.",
        f"As euro the limit is {figures.usd_limit(limit * euro.value)} (rate of {euro.date}). Power, {power} in that "
        "time, tax, racks and storage are not in it.",
    ]


def _sum(asked: Asked) -> float | None:
    """The sum that is named, else the budget of the plan."""
    short = _SHORT.search(asked.text)
    if short:
        return float(short[1].replace(",", ".")) * _SIZES[short[2][0]]
    money_ = [
        float(a.value) for a in asked.said.amounts if a.kind.startswith("money") and isinstance(a.value, int | float)
    ]
    large = [n for n in asked.amounts("size", "number", "large", "sum") if _LEAST_BARE <= n < _MOST_BARE]
    return next(iter([*money_, *large]), None) or reading.asked(asked.plan, "budget.usd")


# Dollars without a sign: less is a number of things, more the size of a model ("30B").
_LEAST_BARE, _MOST_BARE = 1e4, 1e9
_HALF_LEFT = 0.5  # of the price, to show what a resale would be worth where none is named


def residual(asked: Asked) -> list[str]:
    """The resale value that is counted, which is none, and what the one that is named would make of it."""
    found = bought_instead(asked)
    if found is None:
        return ["None: nothing is bought here, and the plan knows no price to buy it."]
    bought = found[1]
    said = [f"None: bought machines are written off to nothing over {bought.months:g} months; no resale is counted."]
    share = next((s for s in asked.amounts("percent", "share") if 0 < s < 100), 0.0) / 100
    example = ""
    if not share and any(d >= 28 for d in asked.amounts("time")):
        share, example = _HALF_LEFT, " for example"
        said = [f"{said[0]} What they fetch nobody knows; a price for them used is no part of the plan."]
    if not share:
        rent = _rent(asked, bought.months)
        whole = bought.capital_usd + bought.months * _running(bought)
        if rent:
            cheaper = "owning is the cheaper one even so" if whole < rent else "renting is the cheaper one"
            sums = f"{figures.usd(whole)} with power and support; rented as long, in full use, {figures.usd(rent)}"
            said.append(f"With nothing left of them they come to {sums}: {cheaper}.")
        return said
    months = next((d / DAYS_PER_YEAR * _YEAR for d in asked.amounts("time") if d >= 28), _YEAR)
    months = _YEAR if "year" in asked.text and months < _YEAR else months
    lost = (1 - share) * bought.capital_usd
    whole = lost + months * _running(bought)
    sums = f"{figures.usd(lost)} of {figures.usd(bought.capital_usd)} lost, with power and support {figures.usd(whole)}"
    said.append(f"With {share:.0%} left{example} after {months:.0f} months: {sums}.")
    rent = _rent(asked, months)
    if rent:
        verdict = "buying is the cheaper one then" if whole < rent else "renting stays the cheaper one"
        said.append(f"Rented for as long, in full use: {figures.usd(rent)}, so with {share:.0%} left {verdict}.")
    return said


def _rent(asked: Asked, months: float) -> float | None:
    """US dollars of so many months of renting the machines, in full use."""
    rented = asked.plan if not asked.buys else asked.tried({"budget.mode": "rent"})
    best = reading.chosen(rented) if rented else None
    if rented is None or best is None or not best.gpu_usd_per_hour:
        return None
    return best.gpu_usd_per_hour * reading.gpus(rented) * HOURS_PER_MONTH * months


def network_share(asked: Asked) -> list[str]:
    """The network's part of the bill, and what a plainer one makes of it."""
    best = asked.best
    if best is None:
        return []
    said = []
    named = next((p for p in asked.amounts("percent", "share", "number") if 0 < p < 100), None)
    own = bought_instead(asked)
    share = own[1].network_percent if own else None
    if asked.buys and own is not None and share is None:
        said.append(f"That is not told: machines and network are quoted in one sum, {figures.usd(own[1].capital_usd)}.")
    elif asked.buys and share is not None:
        near = " as you say" if named and abs(named - share) < _APART else f", not {named:g} %" if named else ""
        said.append(f"It is {figures.percent(share)} of the purchase{near}: {_part(own)}.")
        if named and abs(named - share) >= _APART:
            why = "optics, spares, a faster network, years of support" if named > share else "optics, adapters, support"
            said.append(
                f"{'More' if named > share else 'Less'} may be {why}: have him show each line before you judge."
            )
    else:
        nothing = "nothing on top" if not best.fabric_usd_per_gpu_hour else "a part of the price"
        not_so = f"Not {named:g} % here: rented" if named else "Rented"
        said.append(f"{not_so}, the network is in the price of the machines, {nothing}.")
        if own is not None and share:
            said.append(f"Bought it would be {figures.percent(share)} of the purchase, {_part(own)}.")
    plainer = [
        c for c in asked.plan.candidates if c.step_time_s and asked.catalog.fabrics[c.fabric].technology == "tcp"
    ]
    plain = min(plainer, key=lambda c: c.median_step, default=None)
    if plain is not None and plain is not best:
        more = slower(plain, best)
        cost = ""
        if plain.cost_usd and best.cost_usd:
            less = best.median_cost - plain.median_cost
            cost = f", {figures.usd(abs(less))} {'less' if less > 0 else 'more'} for {reading.bill(asked.plan)}"
        gold = "so it is no gold plating" if more > _FELT else "so a plain one would nearly do"
        less = bought_instead(asked, plain.fabric) if asked.buys and own is not None else None
        if less is not None and own is not None and less[1].capital_usd < own[1].capital_usd:
            cost = f", {figures.usd(own[1].capital_usd - less[1].capital_usd)} less to buy{cost}"
        said.append(f"On {asked.name(plain.fabric)} a step takes {lasts(more)}{cost}: {gold}.")
    return said


_APART = 1.5  # percent of the purchase
_FELT = 5.0  # percent of a step


def _part(found: tuple[Plan, Purchase] | None) -> str:
    assert found is not None
    whole = found[1].capital_usd
    return f"{figures.usd(found[1].network_usd)} of {figures.usd(whole)}"


def wait_for_prices(asked: Asked) -> list[str]:
    """Whether to decide now: no forecast, what a fall would save, what waiting costs."""
    best = asked.best
    if best is None or best.cost_usd is None:
        return []
    offer = asked.plan.taken
    drift = asked.catalog.constants["freshness-price-drift"]
    said = []
    if asked.buys:
        waits = asked.plan.purchase
        said.append(
            "Have the quotes now, and order when the job is ready: bought is bought, prices since then are not."
        )
        if waits is not None:
            month = figures.usd(added(waits.monthly_usd.values()))
            said.append(f"Machines that stand idle cost {month} a month, so do not order before you can use them.")
    elif offer is not None and offer.months:
        said.append(f"Waiting pays only if the price falls: this offer binds for {offer.months:g} months.")
    else:
        said.append("You need not decide for long: rent by the hour or month now and move when prices fall.")
    saved = figures.usd(_FALL * best.median_cost)
    said.append(
        f"There is no forecast in the plan: one provider's price went up 16 % and another down 19 % within six weeks. "
        f"A fall of {_FALL:.0%} saves {saved}, a rise costs as much."
        if drift.value
        else f"A fall of {_FALL:.0%} saves {saved}."
    )
    later = _later(asked, offer.date if offer else None)
    if later.startswith("Begun"):
        pays = f"any fall pays, {_FALL:.0%} is {saved}, a rise costs as much; the plan has no forecast"
        return [f"Only if nobody needs it sooner: {pays}.", later]
    return [*said, later]


def _later(asked: Asked, read: str | None) -> str:
    run, best = asked.run, asked.best
    days = next((d for d in asked.amounts("time") if d >= _WEEK_DAYS), None)
    limit = reading.asked(asked.plan, "constraints.deadline_days")
    if days and limit and best is not None and best.run_hours:
        slow = reading.run_band(best)[1] / 24
        spare = limit - days - best.run_hours / 24
        kept = "still in time" if spare >= 0 else "too late"
        sure = (
            ", in nine of ten cases too"
            if limit - days - slow >= 0
            else ""
            if spare < 0
            else ", in one of ten cases not"
        )
        far = f"{abs(spare):.0f} days {'to spare' if spare >= 0 else 'over'}"
        return f"Begun {days:.0f} days later it is {kept}: {far}{sure}."
    when = f" The price was read on {read}." if read else ""
    ends = f" and the run of {run[0]} ends as much later" if run else ""
    return f"A quarter of waiting is {_QUARTER} months without results{ends}.{when}"


def credits(asked: Asked) -> list[str]:
    """Credits beside cash: what they cover, and what going elsewhere would cost in cash."""
    best = asked.best
    if best is None or best.cost_usd is None:
        return []
    limit, cost = _sum(asked), best.median_cost
    own = reading.asked(asked.plan, "cluster.provider")
    where = reading.seller(asked.plan, own) if own else "the plan's seller"
    said = ["No: every sum is at list prices, in money; credits count like cash up to your limit."]
    if limit:
        covered = cost <= limit
        rest = f"and leave {figures.usd(limit - cost)}" if covered else f"and {figures.usd(cost - limit)} is cash"
        said = [
            f"Counted as a limit of {figures.usd(limit)}, at list prices: they pay for the run at {where}, "
            f"{figures.usd(cost)}, {rest}."
        ]
    other = asked.tried({"cluster.provider": None, "cluster.fabric": None, **dict.fromkeys(_LIFTED)})
    one = reading.chosen(other) if other else None
    if other is None or one is None or one.cost_usd is None:
        return said
    offer = other.taken
    there = (offer.provider_name or offer.provider) if offer else "elsewhere"
    cash = max(0.0, cost - (limit or cost))
    verdict = "use them" if one.median_cost > cash else f"{there} is cheaper even so"
    said.append(f"Cash: {figures.usd(cash)} with credits, {figures.usd(one.median_cost)} at {there}: {verdict}.")
    return [*said, "Ask whether they hold for these instances and capacity blocks, and until which day."]


def payback(asked: Asked) -> list[str]:
    """Months of full use after which the network has saved what it cost, against a plainer one."""
    best, other = asked.best, _plain(asked)
    found = bought_instead(asked)
    if best is None or other is None or found is None or best.fabric == "none":
        return ["There is nothing to pay back: no network is bought between the nodes."] if best else []
    price = found[1].network_usd
    if price is None:
        return ["That cannot be said: the network is quoted in one sum with the machines. Ask for its part of it."]
    less = _month(asked, best) * (other.median_step / best.median_step - 1)
    names = f"{asked.name(best.fabric)} against {asked.name(other.fabric)}"
    if less <= 0:
        return [f"Never: {names} saves no time."]
    months = price / less
    return [
        f"{figures.significant(months, 2)} months in full use: {names}.",
        f"It costs {figures.usd(price)} and does a month's work in {best.median_step / other.median_step:.0%} of the "
        f"time: that is {figures.usd(less)} a month of machines that are not needed besides.",
        "Half as busy, it takes twice as long to pay back.",
    ]


def _month(asked: Asked, best: Candidate) -> float:
    """US dollars of a month of the machines."""
    found = bought_instead(asked)
    if found is not None:
        return added(found[1].monthly_usd.values())
    return best.usd_per_month or 0.0


def _plain(asked: Asked) -> Candidate | None:
    """The network that is named beside the recommended, else the quickest plain Ethernet."""
    best = asked.best
    named = (reading.candidate(asked.plan, f) for f in asked.fabrics)
    found = next((c for c in named if c is not None and c.step_time_s and c is not best), None)
    plain = [c for c in asked.plan.candidates if c.step_time_s and asked.catalog.fabrics[c.fabric].technology == "tcp"]
    plain = [c for c in plain if c is not best]
    return found or min(plain, key=lambda c: (c.fabric != "ethernet-tcp-100", c.median_step), default=None)


def runs_per_week(asked: Asked) -> list[str]:
    """How many such runs a week holds on the recommended network, and on a plainer one."""
    best, other = asked.best, _plain(asked)
    if best is None or not best.run_hours or not reading.ends(asked.plan):
        return []
    many = _WEEK / best.run_hours
    said = f"{asked.name(best.fabric)}: {figures.significant(many)} runs a week, {figures.hours(best.run_hours)} each"
    named = [c for f in asked.fabrics if (c := reading.candidate(asked.plan, f)) and c.run_hours and c is not best]
    beside = [c for c in dict.fromkeys([c.fabric for c in [*named, *([other] if other else [])]])]
    found = [c for f in beside if (c := reading.candidate(asked.plan, f)) and c.run_hours]
    if not found:
        return [f"{said}."]
    least = max(found, key=lambda c: c.run_hours or 0.0)
    more = many - _WEEK / (least.run_hours or 1.0)
    rest = [f"{asked.name(c.fabric)}: {figures.significant(_WEEK / (c.run_hours or 1.0))} a week." for c in found[:2]]
    return [
        f"{figures.significant(more, 2)} more a week than on {asked.name(least.fabric)}, one after the other.",
        f"{said}.",
        *rest,
    ]


def per_unit(asked: Asked) -> list[str]:
    """The job's cost by a million requests, documents or tokens."""
    best = asked.best
    if len(asked.compared) > 1 and asked.says("of_each"):
        return []  # each of them is told
    many, words = reading.asked(asked.plan, "inference.requests"), asked.text
    if best is None or best.cost_usd is None:
        return []
    if many:
        each = best.median_cost / many * _MILLION
        name = next((w for w in ("documents", "pages", "tickets", "requests") if w.rstrip("s") in words), "requests")
        low, high = (usd / many * _MILLION for usd in (best.cost_usd.p10, best.cost_usd.p90))
        return [
            f"{figures.usd(each)} per million {name}, {figures.usd(low)} to {figures.usd(high)} in eight of ten cases: "
            f"{money(best)} for {many / _MILLION:,.0f} million."
        ]
    load = reading.asked(asked.plan, "inference.requests_per_s")
    if load and best.usd_per_month and reading.serves(asked.plan):
        busy = load * HOURS_PER_MONTH * 3600
        each = best.usd_per_month / busy * _THOUSAND
        return [
            f"{figures.usd(each)} per 1,000 requests at {figures.significant(load)} a second day and night, "
            f"{figures.usd(5 * each)} at a fifth "
            "of that on average; a chat of several turns is as many requests.",
            f"That is {figures.usd(best.usd_per_month)} a month over {busy / _MILLION:,.0f} million requests.",
        ]
    found = asked.plan.sizing
    if found is not None and found.usd_per_million_output_tokens:
        return [f"{figures.usd(found.usd_per_million_output_tokens)} per million output tokens."]
    tokens = reading.usd_per_million_tokens(asked.plan, best)
    return [f"{figures.usd(tokens)} per million tokens."] if tokens else []
