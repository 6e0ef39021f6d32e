"""What is sold to this job: every offer with what it comes to, the cheapest first."""

from assistant.vocabulary.plan import Plan, RentalOffer
from assistant.vocabulary.quantities import HOURS_PER_MONTH

from .. import figures, limits
from ..blocks import Block, Heading, Paragraph, Table, told
from ..fields import SHORT_DAYS
from . import reading
from .candidates import SIGNS

_LOW = ", low trust"
_BESIDE = {
    "reserved": "term not stated",
    "capacity-block": "low trust",
    "on-demand": "mean of several",
}  # why no sum is made of such a price
_INCLUDED = {True: "", False: "network extra", None: "network in the price? ask"}


def section(plan: Plan) -> list[Block]:
    """All of them, each machine on the network on which its run costs least; those without a price last; quotes
    have a section of their own."""
    listed = [o for o in plan.offers if o.kind == "published"]
    if not listed:
        return []
    shown = _each_once(listed, plan.taken)
    priced, beside, silent = _split(shown)
    of = "the whole run" if not reading.serves(plan) else reading.bill(plan)
    notes = [f"Prices are lists, with the day on which they were read; the sum is that of {of}."]
    if any(o.months for o in priced):
        after = (
            ": renewed after each, or kept on demand for the rest where that costs less" if reading.ends(plan) else ""
        )
        notes.append(f"A reservation is paid in whole terms{after}; a month is {HOURS_PER_MONTH:g} hours.")
    spot = next((o for o in priced if o.expected_cost_usd is not None), None)
    notes += _more_than_used(plan, priced)
    block = next((o for o in priced if o.whole_days_up_to), None)
    if block is not None:
        weeks = f"in whole weeks beyond {block.whole_days_up_to:g} days"
        notes.append(f"Capacity blocks are booked and paid ahead, in whole days, and {weeks}.")
    endless = next((o for o in priced if o.unfinished_percent), None)
    if endless is not None:
        notes.append(
            f"Of runs on the spot machines of {endless.provider} {endless.unfinished_percent:.0f} in 100 do not "
            "finish: they are interrupted faster than they restart; so they have no average cost, and stand last."
        )
    cheapest_host = next((o for o in priced if o.paid_over_listed > 1), None)
    if cheapest_host is not None:
        notes.append(
            f"From: what the cheapest host of {cheapest_host.provider} asks; the sum counts "
            f"{cheapest_host.paid_over_listed:g} times that, which is what is commonly paid there."
        )
    if spot is not None:
        notes.append(
            "Spot machines stand where their average cost, in brackets, puts them: the sum before it is the middle "
            f"one, and one run in ten at {_seller(spot)} costs "
            f"{figures.usd(spot.run_cost_usd and spot.run_cost_usd.p90)} or more, interrupted as often as it may be. "
            "The average counts that one gives up once as much is spent as the same machines cost on demand, and "
            "begins anew on these."
        )
    notes += filter(None, [spot_left(plan)])
    if any(map(_doubted, priced)):
        doubt = "Low trust, in short *: read at second hand, or derived from another machine's price"
        notes.append(f"{doubt}; it counts all the same.")
    if beside:
        notes.append(
            "A reservation whose term the list does not tell, a capacity block whose price is of low trust, and a mean "
            "of several listings have no sum and do not compete: ask for the term, and for the price."
        )
    if silent:
        notes.append("?: no price of it was read, and none is borrowed, so it has no sum: ask for a quote.")
    if len(shown) < len(listed):
        notes.append(
            "A machine with several networks stands once, with the one that costs least, and with the one that is "
            "taken."
        )
    return [
        _heading(plan),
        _table(plan, [*priced, *beside, *silent], dated=True),
        *_tied(_without_risk(priced)),
        Paragraph(" ".join(notes)),
    ]


def _more_than_used(plan: Plan, priced: list[RentalOffer]) -> list[str]:
    """Whose sums are of more GPUs than the job takes, as no fewer are let there."""
    used = reading.gpus(plan)
    more = {_seller(o): o.gpus_paid for o in priced if o.gpus_paid and o.gpus_paid > used}
    if not more:
        return []
    least = ", ".join(f"{seller} {paid:,}" for seller, paid in more.items())
    return [f"The fewest GPUs that are let, where that is more than the {used:,} of the job, are paid for: {least}."]


def _split(offers: list[RentalOffer]) -> tuple[list[RentalOffer], list[RentalOffer], list[RentalOffer]]:
    """Those with a sum, those whose price is of a term that nobody told, those without a price."""
    unsummed = [o for o in offers if o.run_cost_usd is None and not o.unfinished_percent]
    return (
        [o for o in offers if o not in unsummed],
        [o for o in unsummed if o.usd_per_gpu_hour is not None],
        [o for o in unsummed if o.usd_per_gpu_hour is None],
    )


def _each_once(offers: list[RentalOffer], taken: RentalOffer | None) -> list[RentalOffer]:
    """The first of each offer in each tier, which costs least, as they are sorted; and the one that is taken."""
    key = lambda o: (o.provider, o.instance, o.tier, o.months, *([o.fabric] if o.usd_per_gpu_hour is None else []))
    first = {key(o): o for o in reversed(offers)}
    return [o for o in offers if o is taken or o is first[key(o)]]


def _without_risk(priced: list[RentalOffer]) -> list[RentalOffer]:
    """Those that cost about as much on average as in the middle: no spot machines that stand behind dearer ones."""
    most = max((o.run_cost_usd.p90 for o in priced[:1] if o.run_cost_usd), default=0.0)
    return [o for o in priced if o.ranked_usd <= most]


def _tied(priced: list[RentalOffer]) -> list[Block]:
    """Which offers cost the same as the cheapest as far as their prices tell."""
    alike = [o for o in priced if o.tied]
    if len(alike) < 2:
        return []
    names = ", ".join(dict.fromkeys(map(_seller, alike)))
    return [
        Paragraph(
            f"No difference that counts between the first {len(alike)} ({names}): what is agreed differs from a list "
            "by as much."
        )
    ]


def spot_left(plan: Plan) -> str:
    """Why spot machines that were allowed, and cost less in the middle than what is taken, are left; empty where there
    are none."""
    taken = plan.taken
    if taken is None or taken.run_cost_usd is None or taken.tier == "spot":
        return ""
    least = taken.run_cost_usd.p50
    left = [o for o in plan.offers if o.tier == "spot" and o.run_cost_usd and o.meets_limits and o.verdict != "avoid"]
    cheaper = sorted((o for o in left if o.run_cost_usd and o.run_cost_usd.p50 < least), key=lambda o: o.ranked_usd)
    if not cheaper:
        return ""
    told = list(map(_on_average, cheaper[:_SPOT_TOLD]))
    more = f"; {len(cheaper) - len(told)} more likewise" if len(cheaper) > len(told) else ""
    ends = " or do not finish where they are taken away often" if any(o.unfinished_percent for o in cheaper) else ""
    return (
        f"Spot machines that cost less than {figures.usd(least)} in the middle are not taken, as they cost more on "
        f"average{ends}: {'; '.join(told)}{more}. How often they are taken away is published by few and guessed for "
        "the others: where you know that it is seldom, take them. The average counts that one goes over to the same "
        "machines on demand once as much is spent as these cost."
    )


_SPOT_TOLD = 2  # of the spot machines that are left, those that cost least on average


def _on_average(offer: RentalOffer) -> str:
    """``Crusoe, InfiniBand NDR, at $1.60: $11,200 in the middle, $41,200 on average, $22,700 or more in a tenth``."""
    band, mean = offer.run_cost_usd, offer.expected_cost_usd
    mean_told = "not all runs finish" if mean is None else f"{figures.usd(mean)} on average"
    return (
        f"{_joined(offer)}, at {figures.usd(offer.usd_per_gpu_hour)}: {figures.usd(band and band.p50)} in the middle, "
        f"{mean_told}, {figures.usd(band and band.p90)} or more in one of ten"
    )


def _heading(plan: Plan) -> Heading:
    return Heading("Published offers" if plan.quotes else "Offers")


def _joined(offer: RentalOffer) -> str:
    """Who lets it, and the network that joins its machines where one is needed."""
    return _seller(offer) if offer.fabric == "none" else f"{_seller(offer)}, {offer.fabric}"


def _silent(offers: list[RentalOffer]) -> list[Block]:
    names = ", ".join(dict.fromkeys(f"{o.instance} ({_joined(o)})" for o in offers))
    return [Paragraph(f"Sold without a price that was read, so without a sum: {names}.")] if names else []


def in_short(plan: Plan) -> list[Block]:
    """The cheapest, and the cheapest with each other network; the others are counted."""
    listed = [o for o in plan.offers if o.kind == "published"]
    priced, _, unpriced = _split(listed)
    if not priced:
        silent = _silent(unpriced)
        return [_heading(plan), *silent] if silent else []
    taken = plan.taken
    priced = [o for o in priced if o.verdict != "avoid" or o is taken] or priced
    first = {o.fabric: n for n, o in reversed(list(enumerate(priced)))}
    shown = sorted({*range(min(limits.CHEAPEST_IN_SHORT, len(priced))), *first.values()})[: limits.OFFERS_IN_SHORT]
    shown += [n for n, o in enumerate(priced) if o is taken and n not in shown]
    gone = len(listed) - len(shown)
    more = [Paragraph(f"{gone} more: {_REST}")] if gone else []
    left = spot_left(plan)
    return [_heading(plan), _table(plan, [priced[n] for n in shown]), *more, *([Paragraph(left)] if left else [])]


def answer(plan: Plan) -> list[Block]:
    """The cheapest offers, each in a line, and the cheapest with each other network."""
    priced, beside, unpriced = _split(plan.offers)
    if not priced:
        return told("No offer is part of this plan: it is priced by what was quoted, or by what is bought.")
    first = {o.fabric: n for n, o in reversed(list(enumerate(priced)))}
    shown = sorted({*range(min(limits.OFFERS_IN_TALK, len(priced))), *first.values()})
    more = f" {len(beside)} more are reservations whose term is not stated." if beside else ""
    more += f" {len(unpriced)} more are sold without a price that was read." if unpriced else ""
    named = f"{len(priced)} priced offers run this job.{more} The cheapest, and the cheapest with each other network:"
    return told(named, *(_line(priced[n], serves=not reading.ends(plan)) for n in shown))


def _line(offer: RentalOffer, *, serves: bool) -> str:
    row = _row(offer, False)
    late = "" if offer.meets_limits else "; not within what was asked"
    done = " a month" if serves else f", done in {row['time']}"
    joined = "no network" if offer.fabric == "none" else offer.fabric
    price = f"{row['price']} per GPU-hour: {row['cost']}{done} (price of {row['dated']})"
    return f"{row['offer']}, {joined}, {price}{late}."


_REST = "dearer with the same network, of another network, not advised, or without a sum."
_COLUMNS = {
    "sign": "",
    "offer": "offer",
    "network": "network",
    "rate": "Gb/s per GPU",
    "price": "per GPU-hour",
    "cost": "cost",
    "time": "done in",
    "day": "done by",
    "dated": "price of",
}
_WORDS = ("sign", "offer", "network")  # the columns that hold no number
_OF_A_RUN = ("time", "day")  # a service is never done


def _table(plan: Plan, shown: list[RentalOffer], *, dated: bool = False) -> Table:
    """``dated``: the day of a price stays however little room there is."""
    taken, ends, warned = plan.taken, reading.ends(plan), not _least_bad(plan)
    rows = [_row(o, o is taken, warned=warned) for o in shown]
    bill = reading.bill(plan) if ends else "a month"
    shorter = {
        "offer": ["of", *map(_provider, shown)],
        "price": ["hourly", *(figures.UNKNOWN if o.usd_per_gpu_hour is None else _hourly(o) for o in shown)],
        "cost": ["cost" if ends else "a month", *(row["cost"] for row in rows)],
    }
    titles, gone = _COLUMNS | {"cost": f"cost of {bill}"}, ["rate"]
    if ends:  # in little room of a run of days the day on which it ends is told, of one of hours how long it takes
        in_days = max((o.finishes_days or 0.0 for o in shown), default=0.0) >= SHORT_DAYS
        gone += ["dated", "time"] if in_days else ["day", "dated"]
    # What spot machines cost on average, by which they are ranked, stands beside the cost in the middle.
    beside = [f" ({figures.usd(o.expected_cost_usd)})" if o.expected_cost_usd is not None else "" for o in shown]
    if any(beside):
        titles["cost"] += " (on average)"
        shorter["cost"] = [f"{shorter['cost'][0]} (mean)"]
        for row, mean in zip(rows, beside, strict=True):
            row["cost"] += mean
            shorter["cost"].append(row["cost"])
        gone += [column for column in _OF_A_RUN if ends and column not in gone]
    columns = [column for column in _COLUMNS if ends or column not in _OF_A_RUN]
    at = columns.index
    return Table(
        [titles[column] for column in columns],
        [[row[column] for column in columns] for row in rows],
        frozenset(at(column) for column in columns if column not in _WORDS and (dated or column != "dated")),
        next((n for n, o in enumerate(shown) if o is taken), None),
        tuple(at(column) for column in gone if not (dated and column == "dated")),
        {at(column): cells for column, cells in shorter.items()},
    )


def _least_bad(plan: Plan) -> bool:
    """Whether what is taken is advised against, and no saving makes up for it: then the others of its kind are warned
    of no more than it is."""
    against = any(f.fabric == plan.recommendation.fabric and f.conclusion == "avoid" for f in plan.findings)
    return against and all(warning.code != "advised-against-and-cheaper" for warning in plan.warnings)


def _seller(offer: RentalOffer) -> str:
    return offer.provider_name or offer.provider


def _provider(offer: RentalOffer) -> str:
    """The provider, with what tells two offers of it apart, where there is little room."""
    tier = {"on-demand": "", "capacity-block": "blocks"}.get(offer.tier, offer.tier)
    untold = _untold(offer)
    term = f"{offer.months:g} months" if offer.months else f"{tier}{'' if untold == _LOW else untold}"
    said = ", ".join(filter(None, (_seller(offer), term.strip(", "), "" if offer.network_included else "network?")))
    return f"{said} *" if _doubted(offer) or untold == _LOW else said


def _doubted(offer: RentalOffer) -> str:
    """That a price that counts is a secondary note, or derived."""
    return "low trust" if offer.trust == "low" and offer.run_cost_usd is not None else ""


def _untold(offer: RentalOffer) -> str:
    if offer.run_cost_usd is not None or offer.usd_per_gpu_hour is None or offer.tier not in _BESIDE:
        return ""
    return f", {_BESIDE[offer.tier]}"


def _terms(offer: RentalOffer) -> list[str]:
    """What is worth knowing of the price: its tier and term, and what it may not hold."""
    term = f"{offer.tier} {offer.months:g} months" if offer.months else f"{offer.tier}{_untold(offer)}"
    said = _untold(offer).strip(", ") if offer.tier == "on-demand" else term
    return [note for note in (said, _doubted(offer), _INCLUDED[offer.network_included]) if note]


def _row(offer: RentalOffer, taken: bool, *, warned: bool = True) -> dict[str, str]:
    """The cells of an offer by their columns."""
    verdict = "acceptable" if offer.verdict == "avoid" and not warned else offer.verdict
    sign = "✓" if taken else SIGNS[verdict] if offer.meets_limits else "✗"
    terms = _terms(offer)
    cost = (
        "does not finish"
        if offer.unfinished_percent and offer.run_cost_usd is None
        else figures.usd(offer.run_cost_usd and offer.run_cost_usd.p50)
    )
    dated = f"{offer.date}{', old' if offer.stale else ''}" if offer.date else figures.UNKNOWN
    return {
        "sign": "?" if offer.usd_per_gpu_hour is None else sign,
        "offer": f"{_seller(offer)}: {offer.instance}" + (f" ({', '.join(terms)})" if terms else ""),
        "network": offer.fabric,
        "rate": figures.UNKNOWN if offer.gbps_per_gpu is None else figures.significant(offer.gbps_per_gpu),
        "price": _hourly(offer),
        "cost": cost,
        "time": figures.hours(None if offer.finishes_days is None else 24 * offer.finishes_days),
        "day": offer.finishes_on or figures.UNKNOWN,
        "dated": "quoted" if offer.kind == "quote" else dated,
    }


def _hourly(offer: RentalOffer) -> str:
    if offer.usd_per_gpu_hour is None:
        return "no price"
    return f"{'from ' if offer.paid_over_listed > 1 else ''}{figures.usd(offer.usd_per_gpu_hour)}"
