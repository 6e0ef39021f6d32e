"""Money: how much, how sure, of what budget, with what in it, and where less would do."""

from __future__ import annotations

from assistant.vocabulary.plan import Candidate, QuotedOffer, RentalOffer
from assistant.vocabulary.quantities import HOURS_PER_MONTH, LEAST_BUDGET, exact_usd, outward

from ... import figures
from ...blocks import sentences
from .. import purchase, quotes, reading
from .asked import Asked, lasts, money, slower, usable

_MONTHS = 12
_MOST_BUDGET = 1e10  # US dollars: what is more in a question is no budget
_OF_RENT = "storage, data transfer out of the cloud, tax and staff"


def price_short(asked: Asked) -> str | None:
    """A month and the whole."""
    found = asked.plan.recommendation.card
    return found.cost if found and found.cost else "Nothing works as asked, so there is no sum."


def year(asked: Asked) -> str | None:
    """Twelve months of it, where it lasts as long."""
    best = asked.best
    if best is None or best.usd_per_month is None or best.cost_usd is None:
        return None
    if not reading.ends(asked.plan):
        return f"A year: {figures.usd(_MONTHS * best.usd_per_month)} at the same price and load."
    if asked.plan.purchase is not None:
        return f"A year of owning: {figures.usd(_MONTHS * best.usd_per_month)}, {_kept_how(asked)}."
    return f"All of it: {figures.usd(best.cost_usd.p50)} for {figures.hours(best.run_hours)}; nothing after that."


def _kept_how(asked: Asked) -> str:
    return "written off and run" if reading.to_buy(asked.plan) else "to run what is there"


def month_and_total(asked: Asked) -> list[str]:
    """Why the cost of a month and of the run are not the same: the one is a rate, the other what its hours cost."""
    best, offer, what = asked.best, _taken(asked), asked.plan.recommendation.card
    if best is None or best.run_hours is None or best.usd_per_month is None or what is None:
        return []
    if not reading.ends(asked.plan):
        return [f"A service has no end: {figures.usd(best.usd_per_month)} a month is all that it costs."]
    gpus, hourly = reading.gpus(asked.plan), best.median_cost / best.run_hours
    rate = offer.usd_per_gpu_hour if offer is not None else None
    sum_ = f"{gpus:,} GPUs × {best.run_hours:,.3g} h" + (f" × {figures.usd(rate)} = " if rate else ": ")
    return [
        f"Neither is wrong: {figures.usd(hourly * HOURS_PER_MONTH)} a month is the rate of all GPUs for "
        f"{HOURS_PER_MONTH:g} h; the run takes {figures.hours(best.run_hours)} of it.",
        f"The run: {sum_}{money(best)}.",
        f"Put {sum_of_run(what.cost)} into the budget; ask for the least term that is billed.",
    ]


def sum_of_run(cost: str) -> str:
    """The sum of a run that is paid, in whole hours where that is told beside the sum to the minute."""
    paid = next((part for part in cost.split(", ") if "in whole hours" in part), cost).partition(";")[0]
    return paid.rstrip(".").removesuffix(" for the run")


def money_range(asked: Asked) -> str | None:
    """Between which sums it lies, and which is safe."""
    best = asked.best
    if best is None or best.step_time_s is None:
        return None
    if best.cost_usd is None:
        low, high = map(figures.hours, reading.run_band(best))
        return f"No price is known; the run takes {low} to {high} in eight of ten cases."
    band, what = best.cost_usd, reading.bill(asked.plan)
    bought = reading.to_buy(asked.plan)
    if bought is not None:
        low, high = figures.usd(bought.capital_usd_low), figures.usd(bought.capital_usd_high)
        return (
            f"The purchase: {figures.usd(bought.capital_usd)}, between {low} and {high} as the parts' prices differ; "
            f"safe for a budget: {high}."
        )
    middle = f"{figures.usd(band.p50)} for {what}" if what != "a month" else f"{figures.usd(band.p50)} a month"
    low, high = figures.usd(band.p10), figures.usd(band.p90)
    limit = reading.asked(asked.plan, "budget.usd") if what != "a month" else None
    over = f", {'over' if band.p90 > limit else 'within'} your {figures.usd_limit(limit)}" if limit else ""
    return f"{middle}; in eight of ten cases between {low} and {high}. Safe for a budget: {high}{over}."


def drives(asked: Asked) -> str | None:
    """What makes the range as wide as it is."""
    best = asked.best
    if best is None or best.step_time_s is None:
        return None
    unit = "an answer" if reading.serves(asked.plan) else "a step"
    offer = _taken(asked)
    rate = f", on the price, {_priced(offer)}" if offer and offer.usd_per_gpu_hour else ""
    again = "" if reading.serves(asked.plan) else ", and on repeats"
    return f"It hangs on how fast {unit} is (measure it){rate}{again}."


def _taken(asked: Asked) -> RentalOffer | None:
    return asked.plan.taken


def _seller(asked: Asked, offer: RentalOffer) -> str:
    """Who lets it, of quotes the one that is meant."""
    if offer.kind != "quote":
        return offer.provider_name or offer.provider
    same = [q for q in asked.plan.quotes if q.fabric == offer.fabric and q.usd_per_gpu_hour == offer.usd_per_gpu_hour]
    return letter(same[0]) if same else "your quote"


def _priced(offer: RentalOffer) -> str:
    kind = "your quote" if offer.kind == "quote" else f"a published list price of {offer.date}"
    return f"{figures.usd(offer.usd_per_gpu_hour)} per GPU-hour, {kind}"


def budget(asked: Asked) -> str | None:
    """Whether the budget holds, and by how much."""
    limit, best = _limit(asked), asked.best
    if best is None:
        return asked.plan.recommendation.smallest_change or "Nothing works within what was asked."
    bought = reading.to_buy(asked.plan)
    sum_ = bought.capital_usd if bought else best.cost_usd.p50 if best.cost_usd else None
    if sum_ is None:
        return "No price of it was read, so no budget can be held against it: ask for a quote."
    if limit is None:
        monthly = reading.asked(asked.plan, "budget.usd_per_month")
        if monthly and best.usd_per_month:
            kept = "Yes" if best.usd_per_month <= monthly else "No"
            month = figures.usd_against(best.usd_per_month, monthly)
            return f"{kept}: {month} a month against {figures.usd_limit(monthly)}."
        in_time = (reading.limits_in_short(asked.plan) or "").rstrip(".")
        costs = f"it costs {figures.usd(sum_)}, you named no budget: name a sum and I hold it against that"
        told = f"{in_time}; {costs}" if in_time else costs
        return f"{told[:1].upper()}{told[1:]}."
    spare, costs = limit - sum_, figures.usd_against(sum_, limit)
    if spare >= 0:
        return f"It stays within {figures.usd_limit(limit)}: it costs {costs}, which leaves {figures.usd(spare)}."
    return f"It breaks the {figures.usd_limit(limit)}: it costs {costs}, {figures.usd(-spare)} too much."


def price_room(asked: Asked) -> str | None:
    """By how much the price may rise until the budget is reached, where that is asked."""
    limit, best = _limit(asked), asked.best
    bought = reading.to_buy(asked.plan)
    sum_ = bought.capital_usd if bought else best.cost_usd.p50 if best and best.cost_usd else None
    if not asked.says("rises") or not limit or not sum_ or limit <= sum_:
        return None
    rate = best.gpu_usd_per_hour if best and not bought else None
    each = f", {figures.usd(rate * limit / sum_)} per GPU-hour instead of {figures.usd(rate)}" if rate else ""
    return (
        f"So the price may rise by {100 * (limit / sum_ - 1):.0f} % until {figures.usd_limit(limit)} is reached{each}."
    )


def _limit(asked: Asked) -> float | None:
    """The sum in the question, else the budget of the plan."""
    named = (usd for usd in asked.amounts("money", "large") if LEAST_BUDGET <= usd <= _MOST_BUDGET)
    return next(named, None) or reading.asked(asked.plan, "budget.usd")


def budget_risk(asked: Asked) -> str | None:
    """What could push it over."""
    best, limit = asked.best, _limit(asked)
    if best is None:
        return None
    bought = reading.to_buy(asked.plan)
    high = bought.capital_usd_high if bought else best.cost_usd.p90 if best.cost_usd else None
    if high is None:
        return None
    extra = "racks, building and staff" if bought else _OF_RENT
    over = f"; that breaks {figures.usd(limit)}" if limit and high > limit else "; still within" if limit else ""
    return f"One case in ten costs {figures.usd(high)} or more{over}. Not counted: {extra}."


def price_source(asked: Asked) -> str | None:
    """Where the price of the answer is from."""
    offer, bought = _taken(asked), asked.plan.purchase
    if len(asked.compared) > 1 and not asked.buys:
        return None  # each of them is told
    if offer is not None:
        listed = "Your quote" if offer.kind == "quote" else "A published list price"
        where = offer.provider_name or offer.provider
        trust = f", trust {offer.trust}" if offer.trust and offer.kind != "quote" else ""
        return (
            f"{listed}, no street price: {where} {offer.instance}, {figures.usd(offer.usd_per_gpu_hour)} per GPU-hour "
            f"{offer.tier}{trust}."
        )
    if bought is not None:
        machines = bought.items[0]
        if not machines.usd:
            return "The machines are there already, at no price. Network parts: published shop and survey prices."
        kind = "derived, not a quote" if machines.note else "a list"
        return f"Machines at {figures.usd(machines.usd)} each: {kind}. Network parts: published shop and survey prices."
    why = next((a.why for a in asked.plan.assumptions if a.field == "budget.gpu_hour_usd"), None)
    return f"Price: {why}." if why else "No price of it was read."


def price_age(asked: Asked) -> str | None:
    """How old it is."""
    offer, bought = _taken(asked), asked.plan.purchase
    if offer is not None and offer.date:
        return f"Read on {offer.date}{', which is old: ask again' if offer.stale else ''}."
    if bought is not None:
        dates = sorted({i.date for i in bought.items if i.date})
        return (
            f"Prices of {dates[0]} to {dates[-1]}, which move by tens of percent a year: for a file or an order have "
            "dated written quotes."
            if dates
            else None
        )
    return None


def price_quote(asked: Asked) -> str | None:
    if asked.plan.purchase is not None:
        return "It sizes the budget and orders the options; for the order have written quotes."
    offer = _taken(asked)
    if offer is None or offer.kind == "quote":
        return None
    months = f"Term: {offer.months:g} months, paid whole. " if offer.months else "By the hour, no term. "
    return f"{months}Larger or longer orders are often let for less: ask, and tell me the quote."


def included(asked: Asked) -> str | None:
    """What is in the sum."""
    bought = asked.plan.purchase
    if bought is not None:
        names = {"power": "power with cooling", "support": "support", "staff": "network staff"}
        parts = ", ".join(f"{names[k]} {figures.usd(v)}" for k, v in bought.monthly_usd.items() if k in names and v)
        if not bought.capital_usd:
            return f"Nothing is bought. A month of use is {parts}."
        return f"The purchase alone is hardware. The sum a month has it all: write-off, and {parts} a month."
    offer = _taken(asked)
    network = {True: "the network between nodes", None: "probably the network (ask)", False: ""}
    has = network[offer.network_included] if offer else "the network"
    return f"Rented: the machines with power, cooling and their upkeep{f', and {has}' if has else ''} are in the price."


def included_items(asked: Asked) -> str | None:
    """The parts that a purchase counts, each with its sum."""
    bought = asked.plan.purchase
    if bought is None or not bought.capital_usd:
        return None
    parts = [f"{one.count:,} × {one.item} {figures.usd(one.count * one.usd)}" for one in bought.items if one.usd]
    return f"In it: {'; '.join(parts[:_PARTS])}." if parts else None


_PARTS = 6  # of a purchase, in a sentence


def not_included(asked: Asked) -> str | None:
    bought = asked.plan.purchase
    if bought is None:
        offer = _taken(asked)
        network = "the network (an extra there), " if offer and offer.network_included is False else ""
        return f"Not in it: {network}{_OF_RENT}; premium support where it costs extra. Ask for each of them."
    return f"Not counted: {', '.join(bought.not_counted)}."


def cut(asked: Asked) -> str | None:
    """The saving that costs least time: another network, fewer adapters, another seller."""
    best = asked.best
    if best is None:
        return asked.plan.recommendation.smallest_change or "Nothing works as asked, so there is nothing to cut yet."
    if best.cost_usd is None:
        return "No price of it is known, so no saving can be counted: say what you are quoted."
    cheaper = [c for c in usable(asked) if c is not best and _less(c, best)]
    near = [c for c in cheaper if slower(c, best) < 10]
    if near:
        one = min(near, key=lambda c: c.usd_per_month or c.median_cost)
        saves = (best.usd_per_month or 0.0) - (one.usd_per_month or 0.0)
        advice = "" if one.verdict == "acceptable" else ", though the rules advise against it"
        return (
            f"The network: {asked.name(one.fabric)} instead of {asked.name(best.fabric)} saves {figures.usd(saves)} a "
            f"month, each step {lasts(slower(one, best))}{advice}."
        )
    bought = asked.plan.purchase
    optics = purchase.optics(bought) if bought else []
    if optics:
        return optics[0]
    fewer = _fewer_tokens(asked)
    return fewer or "No network saves without costing more time than it is worth: this is the cheapest that works."


def _less(one: Candidate, other: Candidate) -> bool:
    return bool(one.usd_per_month and other.usd_per_month and one.usd_per_month < 0.995 * other.usd_per_month)


def _fewer_tokens(asked: Asked) -> str | None:
    best = asked.best
    if best is None or not best.cost_usd or not reading.ends(asked.plan) or reading.serves(asked.plan):
        return None
    tenth = figures.usd(best.cost_usd.p50 / 10)
    if not asked.buys:
        fewer = "A tenth fewer of them, by work or by letting idle ones go, saves"
        return f"It is all GPU hours: {money(best)}. {fewer} {tenth}."
    return f"Only the work itself: the networks are at their cheapest, and a tenth fewer tokens saves {tenth}."


def cut_not(asked: Asked) -> str | None:
    """What must stay."""
    best = asked.best
    if best is None or best.fabric == "none":
        return None
    slow = [c for c in asked.plan.candidates if c.step_time_s and c.fabric.startswith("ethernet-tcp")]
    worst = min(slow, key=lambda c: c.median_step, default=None)
    if worst is None or worst is best or slower(worst, best) < 10:
        return None
    tied = next((c for c in slow if c.fabric in asked.plan.recommendation.tied), None)
    if tied is not None:
        longer = f"a step takes {lasts(slower(tied, best))}"
        return f"RDMA only where time presses: {asked.name(tied.fabric)} ties in cost, in full use, though {longer}."
    return f"Not to be cut: RDMA. On {asked.name(worst.fabric)} a step takes {lasts(slower(worst, best))}."


def cheapest_named(asked: Asked) -> str | None:
    """The cheapest that works, and whether it is what is recommended."""
    best, able = asked.best, [c for c in usable(asked) if c.cost_usd]
    if best is None or not able:
        return price_source(asked)
    offer, least = _taken(asked), able[0]
    if dearer := _named_dearer(asked, best):
        return dearer
    if best.cost_usd is None or least.median_cost >= 0.995 * best.median_cost:
        where = f"{_seller(asked, offer)}, " if offer else ""
        how = "It can be taken: the cheapest is the one recommended"
        return f"{how}, {where}{asked.name(best.fabric)}, {money(best)} for {reading.bill(asked.plan)}."
    less = figures.usd(best.median_cost - least.median_cost)
    return (
        f"The cheapest is {asked.name(least.fabric)} at {money(least)}, {less} less, each step "
        f"{lasts(slower(least, best))}."
    )


def _named_dearer(asked: Asked, best: Candidate) -> str | None:
    """Of a kind of network that is named as the cheaper one and is none: what it costs beside the choice."""
    kind = lambda fabric: asked.catalog.fabrics[fabric].technology if fabric in asked.catalog.fabrics else ""
    named = {kind(f) for f in asked.fabrics}
    wanted = {"tcp", "roce", "spectrum-x"} if "tcp" in named and "ethernet" in asked.text else named
    if best.cost_usd is None or not wanted or kind(best.fabric) in wanted:
        return None
    able = [c for c in asked.plan.candidates if c.cost_usd and c.step_time_s and kind(c.fabric) in wanted]
    other = min(able, key=lambda c: c.median_cost, default=None)
    if other is None or other.median_cost <= best.median_cost:
        return None
    ends = ""
    if reading.ends(asked.plan) and other.run_hours and best.run_hours:
        apart = other.run_hours - best.run_hours
        same = abs(apart) < 0.01 * best.run_hours
        ends = (
            " and is done no sooner"
            if same
            else f" and is done {figures.hours(abs(apart))} {'later' if apart > 0 else 'sooner'}"
        )
    more = figures.usd(other.median_cost - best.median_cost)
    return (
        f"There is no cheaper one of that kind: {asked.name(other.fabric)} costs {more} more ({money(other)} "
        f"instead of "
        f"{money(best)} for {reading.bill(asked.plan)}){ends}, so we take {asked.name(best.fabric)}."
    )


def cheapest_catch(asked: Asked) -> str | None:
    """What speaks against it."""
    best, able = asked.best, [c for c in usable(asked) if c.cost_usd]
    least = able[0] if able else None
    if best is None or least is None or _named_dearer(asked, best):
        return None
    if least is not best and best.cost_usd:
        if reading.is_given(asked.plan):
            return "It is not taken because you said which network is there; say so if that is open."
        against = [f.because for f in asked.plan.findings if f.fabric == least.fabric and f.conclusion == "avoid"]
        return f"Against it: {against[0]}" if against else "The two tie within the error; the rules prefer the other."
    offer = _taken(asked)
    if offer is None:
        return next((f"The catch: {w.message}" for w in asked.plan.warnings if "price" not in w.code), None)
    if offer.kind == "quote":
        return (
            "The catch is in what the quote leaves open: term, delivery, what is included, and a test of the network."
        )
    trust = {"low": "low: the price was not seen at the seller itself", "medium": "medium", "high": "high"}
    rated = f"trust in that price is {trust[offer.trust]}, " if offer.trust else ""
    term = f"{offer.months:g} months are paid whole" if offer.months else "no term, but no promise of stock either"
    spot = "; the machines can be taken away" if offer.tier == "spot" else ""
    return f"The catch: {rated}read on {offer.date}; {term}{spot}."


def cheapest_check(asked: Asked) -> str | None:
    """What the next one costs, and what to ask first."""
    offer, won = _taken(asked), asked.best
    if offer is None or won is None:
        return None
    others = [o for o in asked.plan.offers if o.run_cost_usd and o.provider != offer.provider]
    safer = next((o for o in others if o.trust == "high" and o.fabric == offer.fabric), None) or next(
        iter(others), None
    )
    ask = asked.plan.questions_for_provider
    first = f" Ask first: {ask[0]}" if ask else ""
    if safer is None or safer.run_cost_usd is None:
        return first.strip() or None
    name = safer.provider_name or safer.provider
    return f"The next to fall back on: {name}, {figures.usd(safer.run_cost_usd.p50)}.{first}"


def cheapest_line(asked: Asked) -> str | None:
    """The cheapest that works, in a line."""
    best, offer = asked.best, _taken(asked)
    if best is None:
        return asked.plan.recommendation.smallest_change
    where = f" at {_seller(asked, offer)}" if offer else ""
    gpu = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]].name
    able = [c for c in usable(asked) if c.cost_usd]
    least = able[0] if able and reading.is_given(asked.plan) else best
    done = f", done in {figures.hours(least.run_hours)}" if reading.ends(asked.plan) else " a month"
    if asked.says("only"):
        done = "" if reading.ends(asked.plan) else done
    return f"{reading.gpus(asked.plan):,} {gpu}{where}, {asked.name(least.fabric)}: {money(least)}{done}."


def cheapest_given_up(asked: Asked) -> str | None:
    """What is given up with the cheapest against the recommended and the fastest."""
    best, able = asked.best, usable(asked)
    if best is None or not able or asked.says("only"):
        return None
    quickest = min(able, key=lambda c: c.median_step)
    if slower(best, quickest) < _FELT:
        return "It is the one recommended; nothing is given up in time, no other network is faster by more than 2 %."
    cost = f" and costs {money(quickest)}" if quickest.cost_usd else ""
    return f"Given up is time: on {asked.name(quickest.fabric)} each step is {lasts(slower(quickest, best))}{cost}."


_FELT = 2.0  # percent of a step


def idle(asked: Asked) -> str | None:
    """Whether hours without work are paid."""
    best = asked.best
    if best is None or best.cost_usd is None:
        return None
    if asked.plan.purchase is not None and asked.plan.purchase.gpus_there:
        return f"Support is paid day and night, power only while they work: {price_short(asked)}"
    if asked.buys:
        return f"Bought machines cost the same day and night: {price_short(asked)}"
    if not reading.ends(asked.plan):
        return f"Yes: {money(best)} a month is for all {reading.gpus(asked.plan):,} GPUs around the clock."
    return f"You pay for every hour of the run, {figures.hours(best.run_hours)} without a pause, and nothing after it."


def idle_save(asked: Asked) -> str | None:
    """What switching off saves."""
    best = asked.best
    if best is None or best.cost_usd is None or asked.buys or reading.ends(asked.plan):
        return None
    served = best.serving
    copies = served.copies if served else 1
    if copies < 2:
        return "It is one copy: switching it off at night means no answers then; eight hours off save a third."
    half = figures.usd(best.cost_usd.p50 / 6)
    offer = _taken(asked)
    terms = "which a rent by the hour allows" if offer is None or not offer.months else "which a reservation forbids"
    return (
        f"Half of the {copies} copies off for 8 hours a night saves about {half} a month, {terms}; the load at night "
        "must be half or less, and a copy needs minutes to load."
    )


def quoted(asked: Asked) -> list[str]:
    """Which quote wins, each with its sum and its day."""
    able = sorted((q for q in asked.plan.quotes if q.run_cost_usd), key=lambda q: q.run_cost_usd.p50)  # type: ignore[union-attr]
    fits = [q for q in able if q.meets_limits is not False and q.verdict != "impossible"]
    if not fits:
        return [text for block in quotes.answer(asked.plan) for text in sentences(block)]
    won = next((q for q in fits if q.fabric == asked.plan.recommendation.fabric), fits[0])
    offer, published = _taken(asked), [o for o in asked.plan.offers if o.kind == "published" and o.run_cost_usd]
    cheaper = next((o for o in published if o.meets_limits and o.ranked_usd < won.run_cost_usd.p50), None)  # type: ignore[union-attr]
    said = [f"{letter(won)} wins: {_of(won)}.", *(f"{letter(q)}: {_of(q)}." for q in able if q is not won)]
    if cheaper is not None and offer is not None:
        who = cheaper.provider_name or cheaper.provider
        than = {1: "it", 2: "both"}.get(len(asked.plan.quotes), "any of them")
        said.append(f"Cheaper than {than} is published: {who}, {figures.usd(cheaper.ranked_usd)}.")
    return said


def _of(quote: QuotedOffer) -> str:
    days = figures.hours(24 * (quote.finishes_days or 0.0))
    rate = f"{figures.usd(quote.usd_per_gpu_hour)} per GPU-hour, " if quote.usd_per_gpu_hour else ""
    waits = f", waits {figures.percent(quote.waiting_percent)}" if quote.waiting_percent is not None else ""
    return f"{quote.fabric}, {rate}{figures.usd(quote.run_cost_usd and quote.run_cost_usd.p50)}, done in {days}{waits}"


def quote_even(asked: Asked) -> list[str]:
    """The price of each other quote at which its run costs as much as the best of them."""
    able = sorted((q for q in asked.plan.quotes if q.run_cost_usd), key=lambda q: q.run_cost_usd.p50)  # type: ignore[union-attr]
    if len(able) < 2:
        return ["There is no second quote with a sum to compare with."]
    won, said = able[0], []
    for quote in able[1:]:
        if quote.usd_per_gpu_hour is None or quote.run_cost_usd is None or won.run_cost_usd is None:
            continue
        at = even_price(quote, won)
        if at is None:
            continue
        now, theirs = figures.usd(quote.usd_per_gpu_hour), figures.usd(won.usd_per_gpu_hour)
        wins = f"{letter(quote)} wins below ${exact_usd(at)} per GPU-hour"
        said.append(f"{wins}; it asks {now} and {letter(won)} {theirs}.")
    return said


def even_price(other: QuotedOffer, won: QuotedOffer) -> float | None:
    """USD per GPU-hour up to which the run on another quote costs no more than on the best, in digits as told."""
    if other.usd_per_gpu_hour is None or other.run_cost_usd is None or won.run_cost_usd is None:
        return None
    at = other.usd_per_gpu_hour_to_win or other.usd_per_gpu_hour * won.run_cost_usd.p50 / other.run_cost_usd.p50
    return outward(at, up=False)


def letter(quote: QuotedOffer) -> str:
    """``Quote B (Lambda)``, as people name what lies before them."""
    named = f" ({quote.provider})" if quote.provider else ""
    return f"Quote {chr(ord('A') + quote.number - 1)}{named}"
