"""A price against another: what is paid an hour, discounts, a threat to go, a sum that is there, a hosted API."""

from __future__ import annotations

from assistant.vocabulary.plan import RentalOffer
from assistant.vocabulary.quantities import HOURS_PER_MONTH, exact_usd, times

from ... import figures
from .. import reading
from .asked import Asked, lasts, money, slower
from .bandwidth import one_alone
from .other_gpus import rented_runs
from .sums import even_price, letter

_MOST_PER_HOUR = 50.0  # US dollars
_NEAR = 0.05  # of the cost
_TWENTIETH = 0.05
_SECONDS = 3600.0


def per_hour(asked: Asked) -> str | None:
    """What a GPU-hour of the plan costs, and where."""
    best, offer = asked.best, _offer(asked)
    if best is None:
        return asked.plan.recommendation.smallest_change
    if set(asked.fabrics) - {best.fabric} and _rate(asked) is not None:
        return None  # what is told of the other network's price stands beside it
    if offer is not None and offer.usd_per_gpu_hour:
        network = {True: ", its network included", False: ", the network on top", None: ""}[offer.network_included]
        where = "your quote" if offer.kind == "quote" else f"{offer.provider_name or offer.provider}, {offer.tier}"
        gpus, each = reading.gpus(asked.plan), offer.usd_per_gpu_hour
        all_ = (
            f" All {gpus:,} together are {figures.usd(gpus * each)} an hour, {money(best)} for "
            f"{reading.bill(asked.plan)}."
        )
        return f"{figures.usd(each)} per GPU-hour: {where}{network}.{all_ if gpus > 1 and best.cost_usd else ''}"
    if best.usd_per_month is None:
        return None
    hourly = best.usd_per_month / (reading.gpus(asked.plan) * HOURS_PER_MONTH)
    return f"{figures.usd(hourly)} per GPU-hour, written off with power and support, if they are busy all the time."


def per_node(asked: Asked) -> str | None:
    """The price of a node's hour, and the sum that the hours make."""
    best, offer = asked.best, _offer(asked)
    rate = offer.usd_per_gpu_hour if offer is not None else None
    per = reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    if best is None or not rate or _rate(asked) is not None or not any(f"per {w}" in asked.text for w in _MACHINES):
        return None
    gpus = reading.gpus(asked.plan)
    hours = best.run_hours if reading.ends(asked.plan) else HOURS_PER_MONTH
    month = f", {figures.usd(rate * gpus * HOURS_PER_MONTH)} a month of {HOURS_PER_MONTH:g} h"
    run = f"{figures.usd(rate * gpus * hours)} for {figures.significant(hours)} h" if hours else ""
    sums = run + month if reading.ends(asked.plan) and run else month[2:]
    return (
        f"It is per GPU: a server of {per} is {figures.usd(per * rate)} an hour. {figures.usd(rate)} × {gpus:,} GPUs: "
        f"{sums}."
    )


_MACHINES = ("server", "node", "machine", "box")


def bid_even(asked: Asked) -> str | None:
    """How much slower the other network may be before a lower price of the hour saves nothing."""
    best, rate = asked.best, _rate(asked)
    if best is None or rate is None or not best.cost_usd or not best.run_hours or not asked.fabrics:
        return None
    own = best.median_cost / (reading.gpus(asked.plan) * best.run_hours)
    longer = own / rate - 1
    if longer <= _NEAR / 5:
        return f"The plan's own price is {figures.usd(own)}: {figures.usd(rate)} pays for no slowdown at all."
    return f"It breaks even at {figures.usd(own)} ÷ {figures.usd(rate)}: steps {100 * longer:.0f} % longer, no more."


def _offer(asked: Asked) -> RentalOffer | None:
    return asked.plan.taken


def bid(asked: Asked) -> str | None:
    """A price of the GPU-hour, with a network where one is named, held against the plan."""
    best, rate = asked.best, _rate(asked)
    found = next((c for f in asked.fabrics if (c := reading.candidate(asked.plan, f)) and c.run_hours), best)
    if best is None or found is None or not found.run_hours or rate is None:
        return None
    sum_ = rate * reading.gpus(asked.plan) * found.run_hours
    name, what = asked.name(found.fabric), reading.bill(asked.plan)
    theirs = f"at {figures.usd(rate)} with {name} it is {figures.usd(sum_)} for {what}"
    if best.cost_usd is None:
        return f"There is nothing to hold it against: {theirs}, and no price of the plan's own is known."
    less = best.median_cost - sum_
    verdict = "Yes" if less > 0 else "No"
    near = ", which is within what prices differ by" if abs(less) < _NEAR * best.median_cost else ""
    how = f"{figures.usd(abs(less))} {'less' if less > 0 else 'more'} than {money(best)}"
    step = lasts(slower(found, best))
    return f"{verdict}: {theirs}, {how} ({100 * abs(less) / best.median_cost:.0f} %){near}; each step {step}."


def _rate(asked: Asked) -> float | None:
    """The price of a GPU-hour that is named."""
    said = asked.said.fields.get("budget.gpu_hour_usd")
    if isinstance(said, int | float):
        return float(said)
    gpus = reading.gpus(asked.plan)
    return next(
        (n for n in asked.amounts("money", "decimal", "number") if 0.1 < n < _MOST_PER_HOUR and n != gpus), None
    )


def bid_check(asked: Asked) -> str | None:
    """What makes two prices of an hour comparable."""
    if _rate(asked) is None:
        return None
    return (
        "Compare like with like: network, storage and traffic out in the price, term, start, nodes next to each other."
    )


def unit_cost(asked: Asked) -> list[str]:
    """The cost of a part of the work: of so many tokens, a day, several runs; how many a sum pays."""
    best = asked.best
    if best is None or best.cost_usd is None:
        return [asked.plan.recommendation.smallest_change or "No price of it is known, so of no part of it either."]
    each, days = reading.usd_per_million_tokens(asked.plan, best), (best.run_hours or 0.0) / 24
    if reading.serves(asked.plan) and not reading.ends(asked.plan):
        return _served_unit(asked, each)
    said = [f"{figures.usd(each)} per million tokens; a billion: {figures.usd(1e3 * each)}."] if each else []
    said += [f"A day of it: {figures.usd(best.cost_usd.p50 / days)}."] if days > 1 else []
    runs = next((n for n in asked.amounts("number") if 2 <= n <= _MOST_RUNS and n == int(n)), None) or asked.times
    if runs and asked.says("again"):
        many = f"{runs:g} runs one after the other: {figures.usd(runs * best.cost_usd.p50)}"
        said = [f"{many}, {figures.hours(runs * (best.run_hours or 0.0))}.", *said]
    limit = next((usd for usd in asked.amounts("money", "large") if usd > best.cost_usd.p50), None)
    limit = limit or (reading.asked(asked.plan, "budget.usd") if asked.says("again") and not runs else None)
    if limit:
        fits = f"{int(limit / best.cost_usd.p50):,} in the middle, {int(limit / best.cost_usd.p90):,} if they go badly"
        said = [f"{figures.usd(limit)} pay for {fits}, at {money(best)} a run.", *said]
    return [*said, f"The whole run: {money(best)}."]


_MOST_RUNS = 1000


def _served_unit(asked: Asked, each: float | None) -> list[str]:
    """A million tokens and a thousand requests of a service at its load, and what a price of one's own leaves."""
    best, load = asked.best, reading.asked(asked.plan, "inference.requests_per_s")
    if best is None or best.usd_per_month is None or not each:
        return []
    unit = each
    if load:
        unit = 1e6 * best.usd_per_month / (load * reading.lengths(asked.plan)[1] * HOURS_PER_MONTH * _SECONDS)
    said = [f"{figures.usd(unit)} per million output tokens, if the load is there all month."]
    found = asked.plan.sizing
    if not load and found is not None and found.carries_requests_per_s:
        prompt, answer = reading.lengths(asked.plan)
        gpus, most = reading.gpus(asked.plan), figures.significant(found.carries_requests_per_s)
        said = [
            f"{figures.usd(unit)} per million output tokens: {money(best)} a month over what {gpus:,} GPUs carry when "
            f"always busy, {most} requests a second of {prompt:,.0f} tokens in and {answer:,.0f} out.",
            f"Busy half of the time it is {figures.usd(2 * unit)}, a fifth {figures.usd(5 * unit)}: the bill stays.",
        ]
    users = reading.asked(asked.plan, "inference.concurrency")
    if users and asked.says("per-user"):
        return [
            f"{figures.usd(best.usd_per_month / users)} a month for each of {users:,} users at the same time.",
            "That is of those who are on at once: of all who have an account each costs less.",
            *said,
        ]
    if load:
        thousand = 1e3 * best.usd_per_month / (load * HOURS_PER_MONTH * _SECONDS)
        said.append(f"A thousand requests: {figures.usd(thousand)}; at half the load on average twice as much.")
    price = next((usd for usd in asked.amounts("money") if 0 < usd < _MOST_PER_HOUR), None)
    if price and not asked.says("of_apis"):
        left = f"{100 * (price - unit) / price:.0f} % are left over the machines' cost"
        held = left if price > unit else f"the machines cost {100 * (unit / price - 1):.0f} % more than that"
        said.insert(0, f"At {figures.usd(price)} per million output tokens {held}.")
    return said


def discount(asked: Asked) -> list[str]:
    """That no discount is known, what the price is, and what some percent of it are."""
    best, bought, offer = asked.best, asked.plan.purchase, _offer(asked)
    if best is None:
        return []
    if named := _held_against(asked):
        return named
    sum_ = bought.capital_usd if bought is not None else best.cost_usd.p50 if best.cost_usd else None
    said = ["The plan knows no discounts: hardly anybody publishes them, so it names no percentage."]
    if sum_ is None:
        return said
    said.append(f"Every 5 % off are {figures.usd(_TWENTIETH * sum_)} of {figures.usd(sum_)}.")
    if bought is not None:
        low, high = figures.usd(bought.capital_usd_low), figures.usd(bought.capital_usd_high)
        kind = "derived, no list price" if bought.items[0].note else "a list price"
        return [*said, f"Published parts leave {low} to {high}; the machines are {kind}. Two written quotes tell more."]
    others = [o.usd_per_gpu_hour for o in asked.plan.offers if o.usd_per_gpu_hour and o.kind == "published"]
    if offer is not None and others:
        asks = f"{figures.usd(min(others))} to {figures.usd(max(others))}"
        said.append(f"Its {figures.usd(offer.usd_per_gpu_hour)} stands beside lists of {asks} per GPU-hour: use these.")
    return said


_AS_A_PRICE = 2.0  # times the published prices: what is farther from them is no price of the hour


def _held_against(asked: Asked) -> list[str]:
    """A price of the hour that is asked of us beside those that are published: with what to open, where to end."""
    rate, offer, best = _rate(asked), _offer(asked), asked.best
    listed = sorted(o.usd_per_gpu_hour for o in asked.plan.offers if o.usd_per_gpu_hour and o.kind == "published")
    if rate is None or not listed or best is None or asked.plan.purchase is not None:
        return []
    if not listed[0] / _AS_A_PRICE < rate < listed[-1] * _AS_A_PRICE or (
        rate == int(rate) and not asked.amounts("money")
    ):
        return []  # a number of something else
    least = offer.usd_per_gpu_hour if offer is not None and offer.usd_per_gpu_hour else listed[0]
    who = offer.provider_name or offer.provider if offer is not None else "the cheapest"
    below = sum(one < rate for one in listed)
    far = f"{abs(rate / least - 1):.0%} {'above' if rate > least else 'below'}"
    said = [
        f"{figures.usd(rate)} per GPU-hour is {far} {who}'s {figures.usd(least)}, the plan's; {below} of {len(listed)} "
        f"published prices for this job are below it ({figures.usd(listed[0])} to {figures.usd(listed[-1])}).",
    ]
    if rate <= least:
        return [
            *said,
            f"It beats every list that does the job: ask what is not in it, and take it below {figures.usd(least)}.",
        ]
    if best.cost_usd:
        more = best.median_cost * (rate / least - 1)
        said.append(f"As quoted it is {figures.usd(more)} more for {reading.bill(asked.plan)}, if as fast.")
    return [
        *said,
        f"Open at {figures.usd(least)}, which is real; above it only terms, support or place speak for them. A "
        "discount "
        "that they give the plan does not know.",
    ]


def haggle(asked: Asked) -> list[str]:
    """Whether a price that is aimed at would decide, and what may truly be said for it."""
    able = [q for q in asked.plan.quotes if q.usd_per_gpu_hour and q.run_cost_usd]
    if len(able) < 2:
        return discount(asked)
    won = min(able, key=lambda q: q.run_cost_usd.p50 if q.run_cost_usd else 0.0)
    meant = next((q for q in able if q is not won and f" {letter(q)[6].lower()} " in f" {asked.text} "), None)
    other = meant or next(q for q in able if q is not won)
    even, aim = even_price(other, won), _rate(asked)
    said = [f"Ask, without a bluff: {letter(won)} at {figures.usd(won.usd_per_gpu_hour)} is real, so name it."]
    if aim is not None and other.usd_per_gpu_hour and other.run_cost_usd and won.run_cost_usd:
        sum_ = other.run_cost_usd.p50 * aim / other.usd_per_gpu_hour
        more = sum_ - won.run_cost_usd.p50
        how = f"{figures.usd(abs(more))} {'more' if more > 0 else 'less'} than {letter(won)}"
        said.append(f"At {figures.usd(aim)} {letter(other)} is {figures.usd(sum_)}, still {how}." if more > 0 else
                    f"At {figures.usd(aim)} {letter(other)} is {figures.usd(sum_)}, {how}: take it then.")  # fmt: skip
    if even is not None:
        said.append(f"It comes first at ${exact_usd(even)} or less; above that only its terms or people speak for it.")
    return said


def rent_for(asked: Asked) -> list[str]:
    """Whether a sum rents machines that do the whole job, and which."""
    sum_ = next((usd for usd in asked.amounts("money", "money-other", "number") if usd >= 1), None)
    if reading.serves(asked.plan):
        return []
    found = rented_runs(asked)
    if not found:
        return ["No machines with a published price run this job as asked."]
    least = found[0]
    if sum_ is None:
        return [f"Rented: {text}" for _, text in found[:3]]
    able = [text for cost, text in found if cost <= sum_]
    if not able:
        return [f"No: the cheapest that was found costs {figures.usd(least[0])}. {least[1]}"]
    spare = f", {times(sum_ / least[0])} over" if sum_ >= 2 * least[0] else ""
    return [f"Yes{spare}: {able[0]}", *(f"Or {text}" for text in able[1:2]), _RENT_FOR]


_RENT_FOR = "By published list prices; storage, set-up and failed tries come on top, so keep some back."


def for_the_sum(asked: Asked) -> list[str]:
    """What a sum that is named buys for the job: the plan, one machine that is there, or rented ones."""
    sum_ = next((usd for usd in asked.amounts("money", "money-other", "large", "number") if usd >= 1), None)
    bought, best = asked.plan.purchase, asked.best
    if bought is None or best is None or sum_ is None or reading.serves(asked.plan):
        return rent_for(asked)
    what = "its network" if bought.gpus_there else "it"
    able = bought.capital_usd <= sum_
    first = f"{'Yes' if able else 'No'}: {what} costs {figures.usd(bought.capital_usd)} to buy as planned"
    first += f", which leaves {figures.usd(sum_ - bought.capital_usd)}." if able else ", more than that."
    own = one_alone(asked) if bought.gpus_there else ""
    rented = next((text for cost, text in rented_runs(asked) if cost <= sum_), None)
    said = [first, *([f"So buy nothing.{own}"] if own and not able else [])]
    return [*said, *([f"Or rent: {rented}"] if rented else [])]


def _of_output(asked: Asked) -> str:
    found = asked.plan.sizing
    usd = found.usd_per_million_output_tokens if found is not None else None
    return f", {figures.usd(usd)} per million output tokens," if usd else ""


def hosted_api(asked: Asked) -> list[str]:
    """From which price of a million tokens one's own GPUs are the cheaper ones, at full load and at a part of it."""
    best, load = asked.best, reading.asked(asked.plan, "inference.requests_per_s")
    found = asked.plan.sizing
    if (
        best is not None
        and best.usd_per_month
        and not load
        and found is not None
        and found.usd_per_million_output_tokens
    ):
        full = found.usd_per_million_output_tokens
        return [
            f"Own: {figures.usd(best.usd_per_month)} a month whatever the use, {figures.usd(full)} per "
            "million tokens of "
            f"answers if always busy, {figures.usd(5 * full)} if busy a fifth of the time.",
            "An API is cheaper below that; its prices are not in the plan. Say your requests per second, "
            "and it is exact.",
            "For an API: nothing idles, nothing to run. For your own: your data stays, the speed is yours.",
        ]
    if best is None or best.usd_per_month is None or not load or not reading.serves(asked.plan):
        return [
            "The plan has no prices of hosted APIs; for a job that is no service of a stated load it cannot compare."
        ]
    prompt, output = reading.lengths(asked.plan)
    tokens = load * (prompt + output) * HOURS_PER_MONTH * _SECONDS
    full = 1e6 * best.usd_per_month / tokens
    gpus = f"{reading.gpus(asked.plan):,} GPUs"
    own = f"{gpus}, {figures.usd(best.usd_per_month)} a month"
    return [
        f"Own ({own}): {figures.usd(full)} per million tokens in and out{_of_output(asked)} at {load:g} "
        "requests a second all month, "
        f"{figures.usd(5 * full)} at a fifth of that on average.",
        "An API is cheaper below that. Its prices are not in the plan: hold theirs for your mix against these.",
    ]
