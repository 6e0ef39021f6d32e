"""What is sold to this job: every offer with what it comes to, the cheapest first."""

from assistant.vocabulary.plan import Plan, RentalOffer

from .. import figures, limits
from ..blocks import Block, Heading, Paragraph, Table, told
from .candidates import SIGNS

_INCLUDED = {True: "", False: "network extra", None: "network in the price? ask"}


def section(plan: Plan) -> list[Block]:
    """All of them; quotes have a section of their own."""
    listed = [o for o in plan.offers if o.kind == "published"]
    priced = [o for o in listed if o.run_cost_usd is not None]
    silent = [o for o in listed if o.run_cost_usd is None]
    if not listed:
        return []
    notes = [Paragraph("Prices are lists, with the date on which they were read; the sum is that of the whole run.")]
    return [_heading(plan), *([_table(plan, priced), *notes] if priced else []), *_silent(silent)]


def _heading(plan: Plan) -> Heading:
    return Heading("Published offers" if plan.quotes else "Offers")


def _silent(offers: list[RentalOffer]) -> list[Block]:
    names = ", ".join(dict.fromkeys(f"{o.instance} ({o.provider}, {o.fabric})" for o in offers))
    return [Paragraph(f"Sold without a price that was read, so without a sum: {names}.")] if names else []


def in_short(plan: Plan) -> list[Block]:
    """The cheapest, and the cheapest with each other network; the others are counted."""
    listed = [o for o in plan.offers if o.kind == "published"]
    priced = [o for o in listed if o.run_cost_usd is not None]
    if not priced:
        silent = _silent(listed)
        return [_heading(plan), *silent] if silent else []
    priced = [o for o in priced if o.verdict != "avoid"] or priced
    first = {o.fabric: n for n, o in reversed(list(enumerate(priced)))}
    shown = sorted({*range(min(limits.CHEAPEST_IN_SHORT, len(priced))), *first.values()})[: limits.OFFERS_IN_SHORT]
    gone = len(listed) - len(shown)
    more = [Paragraph(f"{gone} more: dearer, not advised, or without a price.")] if gone else []
    return [_heading(plan), _table(plan, [priced[n] for n in shown]), *more]


def answer(plan: Plan) -> list[Block]:
    """The cheapest offers, each in a line, and the cheapest with each other network."""
    priced = [o for o in plan.offers if o.run_cost_usd is not None]
    if not priced:
        return told("No offer is part of this plan: it is priced by what was quoted, or by what is bought.")
    first = {o.fabric: n for n, o in reversed(list(enumerate(priced)))}
    shown = sorted({*range(min(limits.OFFERS_IN_TALK, len(priced))), *first.values()})
    silent = len(plan.offers) - len(priced)
    more = f" {silent} more are sold without a price that was read." if silent else ""
    named = f"{len(priced)} priced offers run this job.{more} The cheapest, and the cheapest with each other network:"
    return told(named, *(_line(priced[n]) for n in shown))


def _line(offer: RentalOffer) -> str:
    row = _row(offer, False)
    late = "" if offer.meets_limits else "; not within what was asked"
    return f"{row[1]}, {offer.fabric}, {row[4]} per GPU-hour: {row[5]}, done in {row[6]} (price of {row[7]}){late}."


def _table(plan: Plan, shown: list[RentalOffer]) -> Table:
    taken = plan.offers[plan.recommendation.offer] if plan.recommendation.offer is not None else None
    header = ["", "offer", "network", "Gb/s per GPU", "per GPU-hour", "cost of the run", "done in", "price of"]
    rows = [_row(o, o is taken) for o in shown]
    won = next((n for n, o in enumerate(shown) if o is taken), None)
    shorter = {1: ["of", *(o.provider for o in shown)], 5: ["cost", *(row[5] for row in rows)]}
    return Table(header, rows, frozenset({3, 4, 5, 6}), won, (3, 7), shorter)


def _row(offer: RentalOffer, taken: bool) -> list[str]:
    sign = "✓" if taken else SIGNS[offer.verdict] if offer.meets_limits else "✗"
    extra = [
        note for note in ("" if offer.tier == "on-demand" else offer.tier, _INCLUDED[offer.network_included]) if note
    ]
    name = f"{offer.provider}: {offer.instance}" + (f" ({', '.join(extra)})" if extra else "")
    rate = figures.UNKNOWN if offer.gbps_per_gpu is None else figures.significant(offer.gbps_per_gpu)
    cost = offer.run_cost_usd and offer.run_cost_usd.p50
    days = None if offer.finishes_days is None else 24 * offer.finishes_days
    dated = f"{offer.date}{', old' if offer.stale else ''}" if offer.date else figures.UNKNOWN
    dated = "quoted" if offer.kind == "quote" else dated
    return [
        *(sign, name, offer.fabric, rate, figures.usd(offer.usd_per_gpu_hour)),
        *(figures.usd(cost), figures.hours(days), dated),
    ]
