"""Where prices stand and how old they are, which of them decide, and what a list of others would change."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Sequence

from assistant.vocabulary.catalog import Catalog, ListPrice, Offer
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.prices import Dearer, PriceChange
from assistant.vocabulary.quantities import exact_usd

from . import figures
from .blocks import Block, Bullets, Heading, Paragraph, Table
from .plan import reading

_MOST_UNMATCHED = 8
_TO_ADD = (
    "To plan with such a machine write it into your own catalog file with what is missing here: weft handbook "
    "your-own-documents has an entry to start from."
)
_SIGNS = {"changed": "≠", "new": "+", "confirmed": "="}


def standing(catalog: Catalog, today: datetime.date, holds: float) -> list[Block]:
    """The list prices by provider: how many, how old, and how many are older than the ``holds`` days they hold."""
    rows = [
        _standing(one.name, one.offers, today, holds)
        for one in sorted(catalog.providers.values(), key=lambda one: _newest(one.offers), reverse=True)
    ]
    every = [offer for one in catalog.providers.values() for offer in one.offers]
    rows.append(_standing("all", every, today, holds))
    header = ["provider", "offers", "priced", "prices", f"older than {holds:g} days", "newest", "oldest", "age"]
    return [
        Heading(f"Where prices stand on {today}"),
        Table(header, rows, frozenset({1, 2, 3, 4, 7}), None, (1, 6)),
        Paragraph(
            "Age is in days, of the oldest price that is reckoned with (the newest of an offer's tier in its usual "
            "region). Each with its source: weft catalog offers --format json; all that is dated: weft doctor --all."
        ),
    ]


def _standing(name: str, offers: Sequence[Offer], today: datetime.date, holds: float) -> list[str]:
    prices = [price for offer in offers for price in _reckoned(offer)]
    dates = sorted(price.price.date for price in prices)
    old = sum((today - date).days > holds for date in dates)
    first, last = (str(dates[0]), str(dates[-1])) if dates else (figures.UNKNOWN, figures.UNKNOWN)
    age = str((today - dates[0]).days) if dates else figures.UNKNOWN
    count = sum(bool(offer.prices) for offer in offers)
    return [name, str(len(offers)), str(count), str(len(prices)), str(old), last, first, age]


def _reckoned(offer: Offer) -> list[ListPrice]:
    found = (offer.price(tier) for tier in ("on-demand", "reserved", "capacity-block", "spot"))
    return [price for price in found if price is not None]


def _newest(offers: Sequence[Offer]) -> datetime.date:
    return max((price.price.date for offer in offers for price in offer.prices), default=datetime.date.min)


def deciding(plans: Sequence[tuple[str, Plan, Dearer | None]], today: datetime.date) -> list[Block]:
    """What each plan rests on, and from which price of it on another offer would be taken."""
    rows = [_decides(name, plan, dearer, today) for name, plan, dearer in plans if dearer is not None]
    told = [
        f"{name}: {warning.message}"
        for name, plan, dearer in plans
        for warning in plan.warnings
        if warning.code == "stale-price-decides" and not _in_table(warning.message, plan, dearer)
    ]
    header = ["plan", "rests on", "per GPU-hour", "age", "turns at", "then taken"]
    blocks: list[Block] = [Heading("Which prices decide")]
    shorter = {n: [header[n], *(row[n].partition(":")[0] for row in rows)] for n in (1, 5)}
    blocks += [Table(header, rows, frozenset({2, 3, 4}), None, (), shorter)] if rows else []
    left = len(plans) - len(rows)
    note = f"{left} rest on no offer's price: bought, quoted, owned, or sold to nobody." if left else ""
    how = (
        "A plan turns where the price of the offer it rests on rises so far that another is taken: each was planned "
        "again at that price. Ages are in days."
    )
    return [*blocks, Paragraph(f"{how} {note}".strip()), *([Bullets(told)] if told else [])]


def _in_table(message: str, plan: Plan, dearer: Dearer | None) -> bool:
    """Whether it is of the price whose turn the table tells: there the plan was made again, and here two sums are set
    equal."""
    if dearer is None or dearer.usd is None:
        return False
    taken = plan.offers[plan.recommendation.offer or 0]
    return f" {taken.instance} at {taken.provider}" in message


def _decides(name: str, plan: Plan, dearer: Dearer, today: datetime.date) -> list[str]:
    taken = plan.offers[plan.recommendation.offer or 0]
    usd, age = taken.usd_per_gpu_hour or 0.0, (today - datetime.date.fromisoformat(taken.date or "")).days
    row = [name, f"{taken.provider}: {taken.instance}", figures.usd(usd), str(age)]
    if dearer.usd is None or dearer.then is None:
        return [*row, figures.UNKNOWN, _unturned(dearer)]
    return [*row, f"${exact_usd(dearer.usd)} ({100 * (dearer.usd / usd - 1):+.0f} %)", dearer.then]


def _unturned(dearer: Dearer) -> str:
    """What was tried where no price turns it."""
    if dearer.then is None:
        return "nothing tried, as no other offer " + ("costs more" if dearer.rivals else "runs it")
    if dearer.tried is None:
        return "nothing tried, as the next costs as much only above 10 times the price"
    return f"none at what was tried, up to ${exact_usd(dearer.tried)}"


def changes(found: Sequence[PriceChange], silent: int) -> list[Block]:
    """Offer by offer what a list changes, then what it leaves as it is, and what could not be matched."""
    taken = [one for one in found if one.outcome in _SIGNS]
    counts = Counter(one.outcome for one in found)
    words = {
        "changed": "changed",
        "new": "new",
        "confirmed": "the same on a later day",
        "kept": "not newer than ours",
        "absent": "of a machine that the catalog does not have",
        "unmatched": "that cannot be taken",
    }
    said = ", ".join(f"{counts[one]} {word}" for one, word in words.items() if counts[one])
    without = f"; {figures.counted(silent, 'line', 'lines')} without a price" if silent else ""
    first = f"{figures.counted(len(found), 'price', 'prices')}: {said or 'none'}{without}."
    blocks: list[Block] = [Paragraph(first, strong=True)]
    if taken:
        header = ["", "offer", "tier", "was", "of", "now", "of", "change"]
        order = sorted(taken, key=lambda one: (list(_SIGNS).index(one.outcome), one.provider or "", one.listed.line))
        blocks.append(Table(header, [_row(one) for one in order], frozenset({3, 5, 7}), None, (4, 6)))
    other = list(dict.fromkeys(one.found_by for one in taken if one.found_by))
    if other:
        more = [f"{len(other) - _MOST_UNMATCHED} more: --format json names each line"]
        listed = [*other[:_MOST_UNMATCHED], *(more if len(other) > _MOST_UNMATCHED else [])]
        blocks += [Paragraph("Found under another name than the list has:"), Bullets(listed)]
    apart = [one for one in found if one.outcome == "kept" and one.was and (one.why or "").startswith("ours is of the")]
    if apart:
        blocks += [Paragraph("Of the same day, and they disagree; ours stays:"), Bullets([_line(one) for one in apart])]
    told = {"absent": "Not in the catalog, and left alone:", "unmatched": "Not taken:"}
    for outcome, opening in told.items():
        left = [one for one in found if one.outcome == outcome]
        blocks += [Paragraph(opening), Bullets(_kinds(left))] if left else []
    if any(one.outcome == "absent" for one in found):
        blocks.append(Paragraph(_TO_ADD))
    return blocks


def replanned(plans: Sequence[tuple[str, Plan, Plan]]) -> list[Block]:
    """What a list makes of the plan of each job: the offer that is taken and what it comes to, before and after."""
    told = []
    for name, before, after in plans:
        was, now = _in_a_line(before), _in_a_line(after)
        told.append(f"{name}: {was}; the list does not change it" if was == now else f"{name}: {was} → {now}")
    return [Heading("What it makes of the plan"), Bullets([f"{line}." for line in told])]


def _in_a_line(plan: Plan) -> str:
    """The offer that a plan takes, and what the work costs on it."""
    taken, answer = plan.taken, plan.recommendation
    best = next((one for one in plan.candidates if one.fabric == answer.fabric), None)
    cost = f", {figures.usd(best.median_cost)} for {reading.bill(plan)}" if best and best.cost_usd else ""
    if taken is None:
        return f"{'nothing works as asked' if answer.verdict == 'infeasible' else f'no offer, {answer.fabric}'}{cost}"
    return f"{plan.names.get(taken.provider, taken.provider)}: {taken.instance}, {taken.fabric}{cost}"


def _kinds(left: Sequence[PriceChange]) -> list[str]:
    """What keeps prices from being taken, each kind once with its first line, the commonest first."""
    kinds = Counter(_kind(one) for one in left)
    first = {_kind(one): one.listed.line for one in reversed(left)}
    shown = [f"line {first[kind]}: {kind}" + (f" ({n} prices)" if n > 1 else "") for kind, n in kinds.most_common()]
    more = len(shown) - _MOST_UNMATCHED
    return [*shown[:_MOST_UNMATCHED], *([f"{more} more kinds: --format json names each line"] if more > 0 else [])]


def _kind(one: PriceChange) -> str:
    return f"{one.why}; missing: {', '.join(one.missing)}" if one.missing else one.why or ""


def _tier(one: PriceChange) -> str:
    term = f" {one.listed.months:g} months" if one.listed.months else ""
    return " ".join(filter(None, (one.listed.tier + term, one.listed.region)))


def _row(one: PriceChange) -> list[str]:
    was, now = one.was, one.listed
    moved = f"{100 * (now.usd / was.price.value - 1):+.1f} %" if was and was.price.value else ""
    before = [f"{was.price.value:.3f}", str(was.price.date)] if was else [figures.UNKNOWN, ""]
    after = [f"{now.usd:.3f}", str(now.date), moved if one.outcome == "changed" else ""]
    return [_SIGNS[one.outcome], f"{one.provider}: {one.offer}", _tier(one), *before, *after]


def _line(one: PriceChange) -> str:
    where = f"line {one.listed.line}, {one.provider}: {one.offer}, {_tier(one)}"
    return f"{where}: the list says {one.listed.usd:g}, {one.why}"
