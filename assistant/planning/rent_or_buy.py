"""Whether to rent or to buy: the best rent of the same work beside the purchase, and where they cost the same."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.market import amortized
from assistant.vocabulary.added import added
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import CLOSE_PERCENT, TIE_PERCENT, RentOrBuy
from assistant.vocabulary.quantities import HOURS_PER_MONTH

from .entry import Entry
from .pipeline import CHOICE_ALONE, Decision, Pipeline

_FILLED = 1.01  # times the run: of a longer term some is paid and not used


def rent_or_buy(made: Decision, pipeline: Pipeline) -> RentOrBuy | None:
    """Both ways for the job of a decision, each with its own best network; ``None`` where one of them cannot be."""
    asked = made.job.questionnaire.budget.mode
    rent, buy = (
        made.choice.chosen if mode == asked and made.choice.chosen else _chosen(made, pipeline, mode)
        for mode in ("rent", "buy")
    )
    if rent is None or buy is None or (rent.price.offered is None and rent.price.gpu_usd_per_hour.origin != "quoted"):
        return None
    there = made.job.questionnaire.budget.owned != "nothing"
    return compared(rent, buy, serves=made.job.serves, there=there)


def compared(rent: Entry, buy: Entry, *, serves: bool = False, there: bool = False) -> RentOrBuy | None:
    """The sums of :func:`rent_or_buy`; ``None`` where neither a purchase has capital nor anything is there.

    With capital C, months m of write-off, upkeep u and power p of an hour in use, and rent r of an hour of the same
    work: u is paid whether or not the machines are used, p and r only for the hours of use. After T months of full use
    C + T·730·(u + p) = T·730·r; over all m months at a share x of use C + m·730·(u + x·p) = m·730·x·r. What an hour
    of machines that are there is worth is paid like power, for the hours of use. A term that is paid whole, however
    short the run, is set against as many runs as fill it.
    """
    term = rent.price.least_hours if not serves and rent.price.least_hours > _FILLED * rent.median_hours else None
    runs = term / rent.median_hours if term else 1.0
    hourly = rent.median_cost / (runs * buy.median_hours * buy.price.gpus)
    offered = rent.price.offered
    offer = offered.name if offered else "the rent that was quoted"
    let = _Rent(offer, rent.id, hourly, rent.median_cost, runs, term)
    return _beside(buy, let, serves=serves, there=there)


def against_rent(made: Decision, usd_per_gpu_hour: float) -> RentOrBuy | None:
    """What a decision buys beside a rent that is named, in US dollars of a GPU-hour with its network, on machines that
    do the work as fast; ``None`` where nothing is bought."""
    buy, asked = made.choice.chosen, made.job.questionnaire.budget
    if buy is None or asked.mode != "buy":
        return None
    run = usd_per_gpu_hour * buy.median_hours * buy.price.gpus
    let = _Rent("the rent that is named", buy.id, usd_per_gpu_hour, run)
    return _beside(buy, let, serves=made.job.serves, there=asked.owned != "nothing")


@dataclass(frozen=True)
class _Rent:
    """A rent: US dollars of a GPU-hour of the bought cluster's work, and of the run. So many ``runs`` fill the ``term``
    that is paid for, in hours, where it is longer than the run."""

    offer: str
    fabric: str
    hourly: float
    run_usd: float
    runs: float = 1.0
    term: float | None = None


def _beside(buy: Entry, rent: _Rent, *, serves: bool, there: bool) -> RentOrBuy | None:
    """The arithmetic of :func:`compared`."""
    price, months = buy.price, buy.price.months
    capital = price.capital_usd
    if capital is None or months is None or not (capital or there):
        return None
    each = capital / price.gpus
    upkeep = added(part.value for part in price.upkeep.prices)
    power = added(part.value for part in (price.gpu_power_usd_per_hour, price.fabric_power_usd_per_hour) if part)
    power += price.sunk
    hours, hourly, term = rent.runs * buy.median_hours, rent.hourly, rent.term
    saved = hourly - upkeep - power
    after = amortized(each, 1.0) / saved if saved > 0 else None
    used = (amortized(each, months) + upkeep) / (hourly - power) if hourly > power else None
    own = price.gpu_total + price.fabric_total
    apart = 100 * (max(hourly, own) / min(hourly, own) - 1) if min(hourly, own) > 0 else CLOSE_PERCENT + 1
    return RentOrBuy(
        offer=rent.offer,
        rent_fabric=rent.fabric,
        buy_fabric=buy.id,
        rent_run_usd=rent.run_usd,
        buy_run_usd=rent.runs * buy.median_cost,
        rent_usd_per_gpu_hour=hourly,
        buy_usd_per_gpu_hour=own,
        capital_usd=capital,
        there=there,
        there_usd_per_gpu_hour=price.sunk,
        months=months,
        run_months=None if serves else hours / HOURS_PER_MONTH,
        term_months=term and term / HOURS_PER_MONTH,
        break_even_months=after,
        break_even_utilization_percent=100 * used if used is not None and used <= 1 else None,
        certainty="toss-up" if apart <= TIE_PERCENT else "close" if apart <= CLOSE_PERCENT else "clear",
    )


def _chosen(made: Decision, pipeline: Pipeline, mode: str) -> Entry | None:
    """The best way to do the job rented or bought, without limits of money: these are what is asked about. A quote for
    the one says nothing of the other."""
    asked = made.job.questionnaire
    free = {"mode": mode, "usd": None, "usd_per_month": None, "spot": False}
    if mode != asked.budget.mode:
        free |= {"gpu_hour_usd": None, "fabric_premium_gpu_hour_usd": None, "quotes": []}
    budget = asked.budget.model_copy(update=free)
    # Of what is let the network is no decision of one's own.
    cluster = asked.cluster.model_copy(update={"fabric": None}) if mode == "rent" else asked.cluster
    try:
        there = asked.model_copy(update={"budget": budget, "cluster": cluster})
        return pipeline.decide(there, CHOICE_ALONE, work=made.work).choice.chosen
    except InputError:
        return None
