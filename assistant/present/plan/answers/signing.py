"""To who signs or doubts: the highest bill, what of it was named, a smaller sum, what ages, whose books, bargaining, a
seller that fails, what to have in writing, whom to call, a quote against the plan, a split of one's own."""

from __future__ import annotations

import datetime
import re
from math import floor

from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.quantities import DAYS_PER_YEAR, HOURS_PER_MONTH

from ... import figures
from .. import reading
from .asked import Asked, lasts, money, slower, usable
from .sellers import other_sellers

_LEAST_SUM = 10_000  # US dollars: what is smaller is no price of a cluster or its network
_NODES_TRIED = 4  # fewer and fewer, before it is given up
_SHORTER = 24.0  # months of write-off beside the plan's own
_DEAR = 1.15  # times the sum of the plan
_NAMED = 3  # other offers


def sum_named(asked: Asked) -> float | None:
    """The sum that the message names, in US dollars; ``None`` where there is none."""
    money_ = [
        float(a.value) for a in asked.said.amounts if a.kind.startswith("money") and isinstance(a.value, int | float)
    ]
    return next(iter([*money_, *(n for n in asked.amounts("sum", "number", "large") if n >= _LEAST_SUM)]), None)


def bill_most(asked: Asked) -> list[str]:
    """The most that may be billed in nine of ten cases, against plan and limit; and what drives it up."""
    best = asked.best
    if best is None or best.cost_usd is None:
        return []
    limit = reading.asked(asked.plan, "budget.usd")
    high = best.cost_usd.p90
    against = "" if not limit else f", {'within' if high <= limit else 'beyond'} your {figures.usd_limit(limit)}"
    bought = asked.plan.purchase
    if bought is not None:
        return [
            f"The purchase: {figures.usd(bought.capital_usd_high)} at list prices that are high, "
            f"{figures.usd(bought.capital_usd)} planned.",
            f"On top, not counted: {', '.join(bought.not_counted[:5])}.",
        ]
    return [
        f"At most {figures.usd(high)} in nine of ten cases, {money(best)} planned{against}. Nothing caps it.",
        "Up: a slower run, runs done again, the least term, machines left on; storage, data out, tax on top.",
    ]


def included_named(asked: Asked) -> str | None:
    """Which of the items that the message names are in the sum, and which are not."""
    kinds = asked.words.get("cost_items", {})
    bought = asked.plan.purchase
    holds = "bought" if bought is not None else "rented"
    named = [(name, item) for name, item in kinds.items() if any(word in asked.text for word in item["words"])]
    if not named:
        return None
    inside = [name for name, item in named if holds in item.get("counted", ())]
    outside = [name for name, item in named if holds not in item.get("counted", ())]
    told = [f"in it: {', '.join(inside)}"] if inside else []
    told += [f"not in it: {', '.join(outside)}"] if outside else []
    return f"Of what you name {'; '.join(told)}."


def less_money(asked: Asked) -> list[str]:
    """The job with the smaller sum that is named: whether it fits, what can go, and how many GPUs it pays for."""
    limit, best, bought = sum_named(asked), asked.best, asked.plan.purchase
    if limit is None or best is None:
        return []
    if bought is None:
        made = asked.tried({"budget.usd": limit})
        one = reading.chosen(made) if made else None
        if one is not None:
            return [f"{figures.usd_limit(limit)} is enough: {_offered(made, one.fabric, asked)}, {money(one)}."]
        return [f"{figures.usd_limit(limit)} is not enough: it costs {money(best)}.", *_fewer(asked, limit)]
    whole = bought.capital_usd
    if whole <= limit:
        return [f"{figures.usd_limit(limit)} is enough: the purchase costs {figures.usd(whole)}."]
    network = bought.network_usd
    alone = ", so no network at all would not do" if network and whole - network > limit else ""
    plain = f"; the network is {figures.usd(network)} of it{alone}" if network else ""
    said = [f"Not all of it: the purchase costs {figures.usd(whole)} against {figures.usd_limit(limit)}{plain}."]
    return [*said, *_fewer(asked, limit), *_rented(asked)]


def _offered(plan: Plan | None, fabric: str, asked: Asked) -> str:
    many = f"{reading.gpus(plan):,} GPUs" if plan else "it"
    return f"{many} with {asked.name(fabric)}"


def _fewer(asked: Asked, limit: float) -> list[str]:
    """What goes first: GPUs, as they are most of the sum; the most of them that it pays for in whole nodes."""
    gpus = reading.gpus(asked.plan)
    per = int(reading.asked(asked.plan, "cluster.gpus_per_node") or 8)
    bought = asked.plan.purchase
    now = bought.capital_usd if bought is not None else asked.best.median_cost if asked.best else 0.0
    first = floor(gpus * limit / now / per) * per if now else 0
    for size in range(first, max(0, first - _NODES_TRIED * per), -per):
        made = asked.tried({"cluster.gpus": size, "budget.usd": limit, "constraints.deadline_days": None})
        one = reading.chosen(made) if made else None
        if made is None or one is None or asked.best is None:
            continue
        sum_ = f"{figures.usd(made.purchase.capital_usd)} to buy" if made.purchase is not None else money(one)
        ends = reading.ends(made) and one.run_hours and asked.best.run_hours
        time = (
            f", a run in {figures.hours(one.run_hours)} instead of {figures.hours(asked.best.run_hours)}"
            if ends
            else ""
        )
        return [f"GPUs go first: {size:,} instead of {gpus:,} with {asked.name(one.fabric)}, {sum_}{time}."]
    return ["Fewer of these GPUs do not do it either: fewer tokens, a smaller model, or another GPU."]


def _rented(asked: Asked) -> list[str]:
    """The same run on machines that are let."""
    made = asked.tried({"budget.mode": "rent", "budget.usd": None, "budget.usd_per_month": None})
    one = reading.chosen(made) if made else None
    if one is None or one.cost_usd is None:
        return []
    return [f"Or rent: {money(one)} for {reading.bill(made) if made else 'the run'}, and no purchase."]


def ages(asked: Asked) -> list[str]:
    """What newer chips do to the plan: nothing is known of it, so what a shorter life would cost, and the hedge."""
    bought, best = asked.plan.purchase, asked.best
    if best is None:
        return []
    if bought is None:
        return [
            "Nothing of it is yours, so nothing can lose its worth: you rent, and may leave for the next chip.",
            "What that chip can do or costs nobody knows; a long term would tie you to this one.",
        ]
    said = [
        f"Maybe: nobody knows. No resale is counted: it is worth nothing after {bought.months:g} months in the plan."
    ]
    short = _SHORTER if bought.months > _SHORTER else bought.months / 2
    made = asked.tried({"budget.amortization_months": short})
    if made is not None and made.purchase is not None:
        said.append(f"If it is so after {short:g} months: {_a_month(made)} a month instead of {_a_month(asked.plan)}.")
    said.append(
        "Racks, power and fibre keep their use; GPUs lose theirs first, switches and adapters with the next rate."
    )
    return [*said, *_rented(asked)]


def _a_month(plan: Plan) -> str:
    """What a purchase costs a month, with its write-off, power and support."""
    best = reading.chosen(plan)
    return figures.usd(best.usd_per_month) if best is not None and best.usd_per_month else "unknown"


def books(asked: Asked) -> list[str]:
    """In which months money is spent, and what kind of spending it is; the rest is an accountant's."""
    best, bought = asked.best, asked.plan.purchase
    if best is None:
        return []
    said = ["That is your accountant's to say, not the plan's. What the plan knows:"]
    if bought is not None:
        return [
            *said,
            f"A purchase of {figures.usd(bought.capital_usd)}, as a rule an asset, counted here over {bought.months:g} "
            f"months from its delivery.",
        ]
    kind = "Rent, so as a rule a running expense of the months in which it is used."
    if not best.run_hours or not reading.ends(asked.plan):
        return [*said, kind, f"{money(best)} a month from the day it starts."]
    end = asked.today + datetime.timedelta(hours=best.run_hours)
    if end.year == asked.today.year:
        return [*said, f"Started today all of {money(best)} falls into {end.year}: {_span(asked.today, end)}.", kind]
    here = (datetime.date(asked.today.year + 1, 1, 1) - asked.today).days / max((end - asked.today).days, 1)
    split = (
        f"{figures.usd(here * best.median_cost)} in {asked.today.year}, "
        f"{figures.usd((1 - here) * best.median_cost)} after"
    )
    return [*said, f"Started today it runs {_span(asked.today, end)}: {split}.", kind]


def _span(first: datetime.date, last: datetime.date) -> str:
    return f"from {first.day} {first:%B} {first.year} to {last.day} {last:%B} {last.year}"


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
    if best is None or best.usd_per_month is None or number is None:
        return []
    offer = asked.plan.offers[number]
    year = DAYS_PER_YEAR * 24 * (best.usd_per_month / HOURS_PER_MONTH)
    free = offer.tier in ("on-demand", "spot")
    first = "The plan is without a term already" if free else f"The plan's price is {offer.tier}"
    limit = sum_named(asked) or reading.asked(asked.plan, "budget.usd")
    kept = f", {'within' if year <= limit else 'beyond'} {figures.usd_limit(limit)}" if limit else ""
    return [
        f"{first}: {figures.usd(best.usd_per_month)} a month, {figures.usd(year)} if it stays twelve months{kept}.",
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


def by_a_factor(asked: Asked) -> str | None:
    """Whether the time may be wrong by the factor that is named, by our own errors."""
    best, factor = asked.best, asked.times
    if best is None or factor is None or best.step_time_s is None or not reading.ends(asked.plan):
        return None
    up, down = best.step_time_s.p90 / best.step_time_s.p50, best.step_time_s.p50 / best.step_time_s.p10
    kept = "less than that" if max(up, down) < factor else "so much"
    return f"By {kept}, in eight of ten cases: {up:.2g} times as long at worst, {1 / down:.2g} at best."


def stopped_between(asked: Asked) -> list[str]:
    """What one failure costs with the checkpoints that the message names, and what slack there is."""
    best, price = asked.best, asked.best.gpu_usd_per_hour if asked.best else None
    hours = [24 * days for days in asked.amounts("time") if 24 * days <= _LONGEST_BETWEEN]
    if best is None or not hours or reading.serves(asked.plan):
        return []
    gap, gpus = min(hours), reading.gpus(asked.plan)
    usd = lambda lost: f", {figures.usd(lost * gpus * price)}" if price else ""
    mean, most = gap / 2 + _RESTART, gap + _RESTART
    said = [
        f"{figures.hours(most)} at worst, {figures.hours(mean)} on average with the restart: {most * gpus:,.0f} "
        f"GPU-hours{usd(most)} at worst, {mean * gpus:,.0f}{usd(mean)} on average."
    ]
    days = reading.asked(asked.plan, "constraints.deadline_days")
    if days and best.run_hours:
        spare = 24 * days - best.run_hours
        said.append(
            f"The deadline leaves {figures.hours(spare)}: "
            f"{'one failure does not endanger it' if spare > most else 'it is missed'}."
        )
    return said


_LONGEST_BETWEEN = 24.0  # hours between checkpoints
_RESTART = 1 / 6  # hours: what the plan counts for a restart


def untouched(asked: Asked) -> list[str]:
    """What runs without settings of one's own on the offer that is taken, and what nobody promises."""
    best, number = asked.best, asked.plan.recommendation.offer
    if best is None:
        return []
    if best.fabric == "none":
        return ["Yes: nothing crosses a network between nodes, so there is nothing of NCCL to set."]
    seller = "the provider" if number is None else (asked.plan.offers[number].provider_name or "the provider")
    flags = {
        "infiniband": "NCCL finds InfiniBand by itself, with no flag",
        "roce": "RoCE wants a flag or two (the GID index, the traffic class), which an image should have set",
        "efa": "EFA wants the provider's plugin (aws-ofi-nccl), which its image has",
    }
    kind = asked.catalog.fabrics[best.fabric].technology
    runs = flags.get(kind, "it wants the plugin and the image of who sells it")
    return [
        f"Mostly: {runs}; FSDP has no network flags of its own. Take {seller}'s image as it is.",
        "What nobody can promise is their set-up: before you pay run all_reduce_perf on two nodes, 10 minutes.",
        "If it is far below the planned bandwidth, it fell back to sockets: that is theirs to mend.",
    ]


def quantised(asked: Asked) -> list[str]:
    """Whether a service does on the GPUs that are named with weights of fewer bits."""
    gpus = asked.said.fields.get("cluster.gpus") or reading.gpus(asked.plan)
    if not reading.serves(asked.plan) or asked.best is None:
        return []
    load = reading.asked(asked.plan, "inference.requests_per_s")
    said = []
    for bits in ("fp8", "bf16"):
        try:
            made = asked.planned({"cluster.gpus": gpus, "inference.precision": bits})
        except InputError:
            made = None
        one = reading.chosen(made) if made and made.recommendation.verdict != "infeasible" else None
        if made is None or one is None or one.serving is None:
            said.append(f"{bits.upper()} on {gpus:,}: does not do.")
            continue
        carries = made.sizing.carries_requests_per_s if made.sizing else None
        able = f", carries {figures.significant(carries)} requests a second" if carries else ""
        said.append(
            f"{bits.upper()} on {gpus:,}: {figures.usd(one.usd_per_month)} a month, first token "
            f"{figures.seconds(one.serving.ttft_s)}"
            f"{able}."
        )
    known = (
        f"Your load is {load:g} a second."
        if load
        else "Whether that carries your peak hangs on requests a second, which nobody said: say them."
    )
    return [
        *said,
        known,
        "8 bits lose little quality with most models, 4 bits more; the plan does not count it: test your own answers.",
    ]


def own_split(asked: Asked) -> list[str]:
    """The sharding that the asker had in mind beside the one that was found, in time and cost."""
    best, kinds = asked.best, asked.words.get("strategies", {})
    wanted = next((value for word, value in kinds.items() if word in asked.text), None)
    if best is None or wanted is None:
        return []
    found = "The plan tried both, and many more, and took the quickest."
    experts = {"parallelism.ep": 1} if asked.mixture and reading.asked(asked.plan, "parallelism.ep") != 1 else {}
    alone = {"parallelism.strategy": wanted, "parallelism.tp": 1, "parallelism.pp": 1, "parallelism.cp": 1, **experts}
    made = asked.tried({**alone, "cluster.fabric": best.fabric}) or asked.tried({**alone})
    one = reading.candidate(made, best.fabric) if made else None
    name = figures.strategy(wanted)
    if one is None or one.step_time_s is None:
        return [found, f"{name} alone does not fit the memory or cannot be computed for this job."]
    waits = (
        f"{figures.percent(one.exposed_communication_percent)} of a step waits, not "
        f"{figures.percent(best.exposed_communication_percent)}"
    )
    time = (
        f", done in {figures.hours(one.run_hours)} instead of {figures.hours(best.run_hours)}"
        if reading.ends(asked.plan)
        else ""
    )
    more = (
        "It gathers every expert's weights though a token uses few; sending tokens to their experts moves less."
        if asked.mixture
        else ""
    )
    return [f"Plain {name}: a step takes {lasts(slower(one, best))}{time}; {waits}.", *([more] if more else []), found]


_WEEKS = re.compile(r"(?<![\d.])(\d{1,3}) ?\+? ?(?:weeks|wks)\b")


def lead_time(asked: Asked) -> str | None:
    """A delivery time that is named against the deadline and the run."""
    named, best = [days for days in asked.amounts("time") if days >= 14], asked.best
    named += [7.0 * int(weeks) for weeks in _WEEKS.findall(asked.text)]
    days = reading.asked(asked.plan, "constraints.deadline_days")
    if not named or best is None or asked.plan.purchase is None:
        return None
    said = f"No: delivery is not in the date. With {figures.hours(24 * named[0])} before it"
    run = (
        f" the run of {figures.hours(best.run_hours)} ends {figures.hours(24 * named[0] + best.run_hours)} "
        "from the order"
        if best.run_hours
        else ""
    )
    late = (
        f", {'beyond' if 24 * named[0] + (best.run_hours or 0) > 24 * days else 'within'} the "
        f"{figures.hours(24 * days)}"
        if days
        else ""
    )
    return f"{said}{run}{late}. Today's lead times the plan does not know."


def in_the_switch(asked: Asked) -> list[str]:
    """What reduction in the switches (SHARP) saves of a step on InfiniBand, computed with and without it."""
    best = asked.best
    if best is None:
        return []
    if best.fabric == "none":
        return ["Nothing of this job crosses a network between nodes, so it gains nothing."]
    able = [c for c in usable(asked) if asked.catalog.fabrics[c.fabric].technology == "infiniband"]
    fabric = best.fabric if any(c.fabric == best.fabric for c in able) else able[0].fabric if able else None
    if fabric is None:
        return ["It exists on InfiniBand alone, and no InfiniBand does for this job."]
    steps = {}
    for on in (True, False):
        made = asked.tried({"cluster.fabric": fabric, "cluster.in_network_reduction": on})
        one = reading.candidate(made, fabric) if made else None
        if one is not None and one.step_time_s is not None:
            steps[on] = one
    if len(steps) < 2:
        return [f"The plan cannot tell it apart on {asked.name(fabric)}: only a test with it on and off does."]
    less = 100 * (1 - steps[True].median_step / steps[False].median_step)
    felt = f"{less:.1f} % of a step" if less >= 0.1 else "next to nothing"
    return [
        f"Here {felt}: {figures.seconds(steps[True].median_step)} with it, "
        f"{figures.seconds(steps[False].median_step)} without, on {asked.name(fabric)}.",
        "It speeds all-reduce of few and large sums; sharded training gathers and scatters, mostly behind "
        "the computing.",
        "It is InfiniBand's; on Ethernet there is none. Do not pay for it before a test with it on and off.",
    ]
