"""Sums of money from numbers that are named: a rent, a purchase written off, what a faster network may cost. Where a
source does the same sum, what we think of it stands beside."""

from __future__ import annotations

from assistant.market import amortized, monthly, run_cost
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.quantities import DAYS_PER_MONTH, HOURS_PER_MONTH

from .case import Case
from .prices_and_parts import designed, not_counted
from .run_terms import DEAREST_HOUR

RENT = "Nothing but the rent: storage, traffic, failures, restarts and people come on top."
_WRITTEN_OFF = (
    f"Straight line over months of {HOURS_PER_MONTH:g} hours in which every GPU is busy, no interest and nothing "
    "left at the end. Power, support, spares and staff are not counted."
)


def rent(case: Case) -> Computed | None:
    """Dollars of so many GPUs for so many days at so much."""
    gpus, days, prices = case.fields.get("cluster.gpus"), case.lengths(), _hourly(case)
    if not gpus or len(days) != 1 or len(prices) != 1:
        return None
    [length], [price] = days, prices
    cost = run_cost(24 * length, gpus, price)
    said = f"{length:g} days at {hourly_price(price)}"
    formula = f"{length:g} days × 24 h × {gpus} GPUs × {hourly_price(price)}"
    case.figure(said, round(cost, 2), "USD in all", formula)
    beside = in_sources(case, "run_cost", days=length, gpus=gpus, gpu_usd_per_hour=price)
    case.told = {}
    caveat = " ".join([RENT, *dict.fromkeys(beside)])
    return case.answer(
        f"{gpus} GPUs: {said} cost {cents(cost)}.", caveat, gpus=gpus, days=days, usd_per_gpu_hour=prices
    )


def write_off(case: Case) -> Computed | None:
    """A purchase as dollars per GPU and hour, and per GPU and month; of a network whose price is not named that of its
    parts."""
    gpus, months, capital = case.fields.get("cluster.gpus") or 0, _months(case), _capital(case)
    if not months or (not gpus and not (capital and all(each for _, each in capital))):
        return None
    if not capital:
        return _network_written_off(case, gpus, months)
    beside, hourly, told = [], [], []
    for usd, each in capital:
        hourly.append(amortized(usd, months) / (1 if each else gpus))
        name = f"${usd:,.0f}{' per GPU' if each else ''}"
        told.append(f"{name} is {_per_hour(case, name, each or gpus, months, hourly[-1])}")
        beside += [] if each else in_sources(case, "capital_per_gpu_hour", usd=usd, gpus=gpus, months=months)
    of = "" if all(each for _, each in capital) else f" on {gpus} GPUs"
    text = f"Over {months:g} months{of} {'; '.join(told)}."
    if len(capital) > 1:
        between = max(hourly) - min(hourly)
        case.figure("difference", round(between, 4), "USD/GPU-h", f"${max(hourly):.4f} − ${min(hourly):.4f}")
        text += f" From the dearest to the cheapest it is ${between:.3f} per GPU-hour."
    case.told = {}
    caveat = " ".join([_WRITTEN_OFF, *dict.fromkeys(beside)])
    return case.answer(text, caveat, gpus=gpus, usd=[usd for usd, _ in capital], months=months)


def _months(case: Case) -> float | None:
    days = case.amounts("time")
    return case.fields.get("budget.amortization_months") or (round(days[0] / DAYS_PER_MONTH) if days else None)


def _capital(case: Case) -> list[tuple[float, bool]]:
    """US dollars of what is bought, and whether it is for each GPU."""
    for kind in ("money", "large"):  # "2.61 million over 36 months" names no currency
        found = [one for one in case.utterance.amounts if one.kind == kind and one.value > DEAREST_HOUR]
        if found:
            return [(float(one.value), one.unit == "gpu") for one in found]
    return []


def _per_hour(case: Case, name: str, gpus: float | bool, months: float, hourly: float) -> str:
    """Both figures of a sum written off on so many GPUs (``True``: it is for each), and how they are told."""
    each = f"{name.removesuffix(' per GPU')} ÷ {months:g} months{'' if gpus is True else f' ÷ {gpus} GPUs'}"
    case.figure(f"{name} per GPU-hour", round(hourly, 4), "USD/GPU-h", f"{each} ÷ {HOURS_PER_MONTH:g} h")
    case.figure(f"{name} per GPU and month", round(monthly(hourly, 1), 2), "USD per month", each)
    return f"${hourly:.3f} per GPU-hour, {cents(monthly(hourly, 1))} per GPU and month"


def _network_written_off(case: Case, gpus: int, months: float) -> Computed | None:
    found = designed(case) if case.names_network else None
    if found is None or not found[2].capex_usd.mid:
        return None
    at, fabric, made = found
    low, usd, high = (getattr(made.capex_usd, of) for of in ("low", "mid", "high"))
    bounds = " to ".join(f"${amortized(of, months) / gpus:.3f}" for of in (low, high))
    told = _per_hour(case, f"${usd:,.0f}", gpus, months, amortized(usd, months) / gpus)
    text = (
        f"Over {months:g} months on {gpus} GPUs {fabric.name} is {told}: its parts cost about ${usd:,.0f}, "
        f"${low:,.0f} to ${high:,.0f}, that is {bounds} per GPU-hour."
    )
    return case.answer(text, f"{_WRITTEN_OFF} {not_counted(made)}", gpus=at.gpus, fabric=fabric.id, months=months)


def worth(case: Case) -> Computed | None:
    """Dollars per GPU-hour that a faster network may cost more, for each slowdown that it takes away."""
    shares, prices = case.amounts("percent"), _hourly(case)
    if not shares or len(prices) != 1:
        return None
    [price] = prices
    for share in shares:
        premium = share / 100 * price
        case.figure(f"{share:g} % slower", round(premium, 4), "USD/GPU-h", f"{share:g} % × ${price:.2f}")
    told = ", ".join(f"${share / 100 * price:.3f} for {share:g} %" for share in shares)
    text = (
        f"On ${price:.2f} per GPU-hour a network that takes the slowdown away may cost up to {told} more per GPU-hour."
    )
    caveat = (
        "Money only: a deadline and the people who run the network are not counted. The length of the run cancels out."
    )
    case.told = {}
    return case.answer(text, caveat, percent=shares, gpu_usd_per_hour=price)


def _hourly(case: Case) -> list[float]:
    """The prices of a GPU-hour that are named; "at 1.80 an hour" and "at 2.15" name one without its currency."""
    said = case.fields.get("budget.gpu_hour_usd")
    named = [usd for usd in case.amounts("money") if 0 < usd <= DEAREST_HOUR] or ([said] if said else [])
    return named or [usd for usd in case.amounts("decimal") if 0 < usd <= DEAREST_HOUR]


def hourly_price(usd: float) -> str:
    """The price of a GPU-hour as it was told or listed, so that the sum beside it closes."""
    return f"${usd:.2f}" if round(usd, 2) == usd else f"${usd:.6g}"


def cents(usd: float) -> str:
    """US dollars to the cent."""
    return f"${usd:,.2f}"


def in_sources(case: Case, formula: str, **inputs: float) -> list[str]:
    """A sentence for each statement of a source that is this very sum, with what we think of it."""
    found = []
    for claim in case.library.knowledge.claims.values():
        for one in claim.compute:
            given = {name: value for name, value in one.inputs.items() if isinstance(value, (int, float))}
            if formula == "run_cost":
                given["gpu_usd_per_hour"] = given.get("gpu_usd_per_hour", 0) + given.pop("fabric_usd_per_hour", 0)
            if one.formula == formula and given == inputs:
                found.append(case.beside(claim))
    return found
