"""The person's quotes side by side: what each comes to for this job, or without one what lists say beside it; what it
leaves open, and what to write back."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from math import log

from assistant.market import Freshness, Offered, amortized, monthly, offered_tiers
from assistant.vocabulary.catalog import Catalog, QuoteItem
from assistant.vocabulary.plan import QuotedOffer, RentalOffer, Verdict, Warning_
from assistant.vocabulary.quantities import in_months
from assistant.vocabulary.questionnaire import Quote, clauses

from .design import under_one_leaf
from .entry import Entry, band_of
from .headline import usd
from .limits import meets
from .offers import finishes_on, listed_row
from .pipeline import Decision
from .quotes import provider_of
from .resolve import Resolved

_NO_TERM = 0.25  # months: what is let by the hour is nearer to a week than to a reservation


def quoted_offers(made: Decision, published: Sequence[RentalOffer], catalog: Catalog) -> list[QuotedOffer]:
    """Every quote as it was given, with what it comes to. ``published``: what the catalog has for the same job."""
    by_number = _by_number(made)
    verdicts: dict[str, Verdict] = {entry.id: made.choice.verdict_on(entry) for entry in made.entries}
    able = [e for e in by_number.values() if e.run_cost is not None and e.usable and verdicts[e.id] == "acceptable"]
    able = [e for e in able if meets(e, made.job.questionnaire)] or able
    best = min((e.median_cost for e in able), default=None)
    quotes = made.job.questionnaire.budget.quotes
    today = made.today or datetime.date.today()
    rows = [
        _row(n, quote, by_number.get(n), verdicts, best, made.job, catalog, today) for n, quote in enumerate(quotes, 1)
    ]
    return [_beside(row, published) for row in rows]


def quotes_alone(
    quotes: Sequence[Quote], gpu: str | None, gpus: int | None, mode: str, catalog: Catalog, today: datetime.date
) -> list[QuotedOffer]:
    """Quotes to rent or to buy ``gpus`` of a GPU, where that is known, before anybody said what runs on them: the price
    of each beside the lists, what it leaves open, and what to write back. ``mode``: rent or buy."""
    freshness = Freshness.of(catalog.constants, today)
    listed = [
        listed_row(offered, fabric, freshness)
        for provider in catalog.providers.values()
        for offer in provider.offers
        if offer.gpu == gpu
        for offered in offered_tiers(provider, offer, catalog.constants, spot=False)
        for fabric in offer.fabrics
    ]
    what = f"{gpus:,} {catalog.gpus[gpu].name}" if gpu and gpus else catalog.gpus[gpu].name if gpu else "a cluster"
    rows = [_alone(number, quote, what, gpus, mode, catalog) for number, quote in enumerate(quotes, 1)]
    return [_beside(row, listed) for row in rows]


def unlisted(made: Decision, catalog: Catalog) -> list[Warning_]:
    """Which quotes are of a known provider with a kind of network that it lists with no machine of this GPU."""
    found, gpu = [], made.job.gpu
    for number, quote in enumerate(made.job.questionnaire.budget.quotes, 1):
        provider = provider_of(quote, catalog) if quote.provider else None
        offers = [offer for offer in provider.offers if offer.gpu == gpu.id] if provider else []
        listed = {id: catalog.fabrics[id] for offer in offers for id in offer.fabrics}
        kinds = {fabric.technology for fabric in listed.values()}
        if provider is None or quote.fabric is None or not kinds or catalog.fabrics[quote.fabric].technology in kinds:
            continue
        names = " and ".join(fabric.name for fabric in listed.values())
        found.append(
            Warning_(
                code="quoted-network-not-listed",
                message=f"Quote {number} is {catalog.fabrics[quote.fabric].name} at {provider.name}, which lists "
                f"{gpu.name} with {names} ({max(offer.date for offer in offers)}) and with nothing of that kind: ask "
                f"which network it is, or whose the price, before it is taken, and say it there.",
            )
        )
    return found


def warnings(made: Decision) -> list[Warning_]:
    """Of GPUs that were counted by their load: which quotes are a sum and do not say for how many GPUs."""
    if made.asked is None or "gpus" not in made.asked.sized_by_load:
        return []
    return [
        Warning_(
            code="quoted-for-how-many",
            message=f"Quote {number} is {usd(quote.usd)} and does not say for how many GPUs: it is taken for the "
            f"{made.job.gpus:,} that the load takes. Ask, and give budget.quotes.{number - 1}.gpus.",
        )
        for number, quote in enumerate(made.job.questionnaire.budget.quotes, 1)
        if quote.usd is not None and quote.gpus is None
    ]


def _by_number(made: Decision) -> dict[int, Entry]:
    """What each quote is of this job, as offers of the catalog are: the machines as they are where nothing crosses a
    network between them, the islands of each site, else the machines with the quoted network."""
    quoted = [e for e in made.variants if e.priced and e.price.offered]
    alone = [e for e in quoted if e.id == "none" and e.usable]
    islands = [e for e in quoted if e.inside]
    used = alone or islands or [e for e in quoted if e.id != "none"]
    return {e.price.offered.number: e for e in used if e.price.offered}


def rows_of_quotes(made: Decision, quotes: Sequence[QuotedOffer]) -> list[RentalOffer]:
    """The quotes as offers; those whose network is not known have no place among them."""
    by_number = _by_number(made)
    return [_as_offer(by_number[quote.number], quote, made.job) for quote in quotes if quote.number in by_number]


def _as_offer(entry: Entry, quote: QuotedOffer, job: Resolved) -> RentalOffer:
    offered, hourly = entry.price.offered, quote.usd_per_gpu_hour
    assert offered  # what ``by_number`` was made of
    return RentalOffer(
        provider=offered.provider,
        instance=offered.offer.name,
        gpu=job.gpu.id,
        fabric=(entry.inside or entry).id,
        gbps_per_gpu=offered.offer.gbps_per_gpu,
        tier="on-demand",
        usd_per_gpu_hour=hourly,
        usd_per_month=None if hourly is None else monthly(hourly, job.gpus),
        run_cost_usd=quote.run_cost_usd,
        finishes_days=quote.finishes_days,
        finishes_on=quote.finishes_on,
        date=None,
        source=f"budget.quotes.{quote.number}",
        stale=False,
        verdict=quote.verdict or "impossible",
        meets_limits=bool(quote.meets_limits),
        network_included=True,
        kind="quote",
    )


def _row(
    number: int,
    quote: Quote,
    entry: Entry | None,
    verdicts: dict[str, Verdict],
    best: float | None,
    job: Resolved,
    catalog: Catalog,
    today: datetime.date,
) -> QuotedOffer:
    offered = entry.price.offered if entry else None
    fabric, mode = offered.offer.fabrics[0] if offered else quote.fabric, job.questionnaire.budget.mode
    what, use = (
        f"{quote.gpus or job.gpus:,} {job.gpu.name}",
        f"It is for {job.model_name} {job.questionnaire.workload}. ",
    )
    row = _as_given(number, quote, fabric, mode, catalog, what, use)
    row = row.model_copy(update={"counted": _counted(quote, offered, job, catalog)})
    if entry is None or entry.run_cost is None:
        return row
    waiting, hourly = entry.estimate.exposed_percent, entry.price.gpu_total + entry.price.fabric_total
    paid_as_used = quote.months is None or entry.price.by_the_month
    dearer = best is not None and entry.median_cost > best and quote.usd is None and paid_as_used
    term = entry.median_cost * quote.months if quote.months and entry.price.by_the_month else None
    once = entry.price.once_usd
    to_win = hourly * (best - once) / (entry.median_cost - once) if dearer and best and best > once else None
    return row.model_copy(
        update={
            "usd_per_gpu_hour": hourly,
            "run_cost_usd": band_of(entry.cost),
            "term_usd": term,
            "finishes_days": round(entry.median_hours / 24, 6),
            "delivery_days": entry.price.delivery_days,
            "finishes_on": finishes_on(entry, today),
            "waiting_percent": waiting,
            "effective_usd_per_gpu_hour": hourly / (1 - waiting / 100) if waiting < 100 else None,
            "usd_per_gpu_hour_to_win": to_win,
            "verdict": verdicts[entry.id],
            "meets_limits": meets(entry, job.questionnaire),
        }
    )


def _as_given(
    number: int, quote: Quote, fabric: str | None, mode: str, catalog: Catalog, what: str, use: str
) -> QuotedOffer:
    """A quote as it was given; ``what`` it offers and what the ``use`` of that is go into the mail."""
    missing = _missing(quote, fabric, mode, catalog)
    if fabric is None:
        network = QuoteItem(id="network", name="network", modes=[], ask="Which network joins the nodes, at which rate?")
        missing = [network, *missing]
    provider, said = provider_of(quote, catalog), _said(quote, mode)
    network = f" with {catalog.fabrics[fabric].name}" if fabric else ""
    return QuotedOffer(
        number=number,
        provider=provider.id if provider else quote.provider,
        fabric=fabric,
        said=said,
        months=quote.months,
        includes=[catalog.quote_items[item].name for item in quote.includes],
        missing=[item.name for item in missing],
        note=quote.note,
        reply=_reply(f"Thank you for your offer of {what}{network} at {said}.", use, missing),
    )


def _alone(number: int, quote: Quote, what: str, gpus: int | None, mode: str, catalog: Catalog) -> QuotedOffer:
    """A quote, with what an hour of a GPU and a whole term of all of them come to where it says so."""
    months = quote.months or 1.0
    hourly = quote.gpu_hour_usd or (amortized(quote.usd or 0.0, months) / gpus if quote.months and gpus else None)
    row = _as_given(number, quote, quote.fabric, mode, catalog, what, "")
    term = months * monthly(hourly, gpus) + (quote.once_usd or 0.0) if hourly is not None and gpus else None
    return row.model_copy(update={"usd_per_gpu_hour": hourly, "term_usd": term, "delivery_days": quote.delivery_days})


def _beside(row: QuotedOffer, published: Sequence[RentalOffer]) -> QuotedOffer:
    """With the list price nearest to it: of its provider and network, else of its provider, else the lowest with its
    network, else the lowest; of these the one for its term, else the one on demand."""

    def apart(offer: RentalOffer) -> tuple[bool, bool, float, bool, float]:
        other = abs(log((offer.months or _NO_TERM) / (row.months or _NO_TERM)))
        tier, hourly = offer.tier != "on-demand", offer.usd_per_gpu_hour or 0.0
        return offer.provider != row.provider, offer.fabric != row.fabric, round(other, 1), tier, hourly

    nearest = min((o for o in published if o.usd_per_gpu_hour and o.tier != "spot"), key=apart, default=None)
    if nearest is None or not nearest.usd_per_gpu_hour or row.usd_per_gpu_hour is None:
        return row
    over = 100 * (row.usd_per_gpu_hour / nearest.usd_per_gpu_hour - 1)
    return row.model_copy(update={"published": nearest, "over_published_percent": over})


def _said(quote: Quote, mode: str) -> str:
    """The price as it was quoted."""
    term = f" for {quote.months:g} month{'s' * (quote.months != 1)}" if quote.months else ""
    term += f", at least {in_months(quote.minimum_days)}" if quote.minimum_days else ""
    term += f", and {usd(quote.once_usd)} once" if quote.once_usd else ""
    if quote.gpu_hour_usd is not None:
        return f"${quote.gpu_hour_usd:,.2f} per GPU-hour{term}"
    whole = term or (" for the run" if mode == "rent" else " to buy")
    return f"{usd(quote.usd or 0.0)}{whole}"


def _counted(quote: Quote, offered: Offered | None, job: Resolved, catalog: Catalog) -> str:
    """What it says of how its network is built, and whether the job feels it."""
    if offered is None:
        return ""
    said, offer = [], offered.offer
    if quote.oversubscription is not None:
        over, alone = quote.oversubscription, under_one_leaf(job, quote.oversubscription, catalog)
        felt = f", which {job.nodes} nodes on one leaf of each rail do not feel" if alone else ""
        said.append(f"{_in_its_words(quote.note, over)}{felt}" if over > 1 else "non-blocking")
    if quote.tells_adapters:
        said.append(f"{offer.nics_per_node} adapters of {offer.gbps_per_nic:g} Gb/s in a node")
    return "; ".join(said)


def _in_its_words(note: str, over: float) -> str:
    """``4:1 oversubscribed``, or as the note has it."""
    ratio = f"{over:g}:1"
    clause = next((said for said in clauses(note) if ratio in said), ratio)
    return f"{ratio} oversubscribed" if clause == ratio else clause


def _missing(quote: Quote, fabric: str | None, mode: str, catalog: Catalog) -> list[QuoteItem]:
    """What a quote leaves open, in the order of the catalog."""
    technology = catalog.fabrics[fabric].technology if fabric else None
    noted = frozenset(re.findall(r"[a-z]+", quote.note.lower()))
    return [
        item
        for item in catalog.quote_items.values()
        if mode in item.modes
        and (not item.technologies or technology in item.technologies)
        and item.id not in quote.includes
        and not noted.intersection(item.told)
        and not (item.answered_by and getattr(quote, item.answered_by) is not None)
    ]


def _reply(thanks: str, use: str, missing: list[QuoteItem]) -> str:
    """A mail that can be sent as it stands."""
    asked = (f"{number}. {item.ask}" for number, item in enumerate(missing, 1))
    return "\n".join([thanks, f"{use}Before we can decide, please tell us:", "", *asked])
