"""Figures in dollars."""

from __future__ import annotations

from functools import partial

from assistant.vocabulary.plan import Band
from assistant.vocabulary.quantities import DAYS_PER_YEAR, HOURS_PER_MONTH

from ... import figures
from .. import reading
from .figure import Figure, Subject
from .times import lost_by_a_failure, steps

_HOURS_PER_DAY = 24.0
_MONTHS = 12.0
_SECONDS = 3600.0
_AGREES = 0.03


def hourly(of: Subject) -> float | None:
    """US dollars per GPU-hour, its network counted."""
    each = (of.found.gpu_usd_per_hour or 0.0) + (of.found.fabric_usd_per_gpu_hour or 0.0)
    return each or None


def cost(of: Subject) -> Figure | None:
    """Of the run, the job in bulk, or a month of a service."""
    return Figure.of(of.found.cost_usd, "usd", *_product(of))


def _product(of: Subject) -> list[str]:
    rate, hours, band = hourly(of), of.found.run_hours, of.found.cost_usd
    if not rate or not hours or band is None or abs(of.gpus * rate * hours / band.p50 - 1) > _AGREES:
        return []
    return [f"That is {of.gpus:,} GPUs × {figures.hours(hours)} × {figures.usd(rate)} per GPU-hour."]


def month(of: Subject) -> Figure | None:
    usd = of.found.usd_per_month
    if usd is None:
        return None
    short = reading.ends(of.plan) and (of.found.run_hours or 0.0) < HOURS_PER_MONTH and of.plan.purchase is None
    how = [f"The run ends before: it takes {figures.hours(of.found.run_hours)}."] if short else _split(of)
    return Figure(usd, "usd", how=tuple(how))


def _split(of: Subject) -> list[str]:
    """What a month of machines of one's own is made of."""
    bought = of.plan.purchase
    parts = {name.replace("_", "-"): usd for name, usd in bought.monthly_usd.items() if usd} if bought else {}
    if not parts or not of.is_best:
        return _product(of) if not reading.ends(of.plan) else []
    return [f"That is {', '.join(f'{name} {figures.usd(usd)}' for name, usd in parts.items())}."]


def _of_months(of: Subject, months: float) -> Figure | None:
    usd, hours = of.found.usd_per_month, of.found.run_hours
    if usd is None:
        return None
    if reading.ends(of.plan) and of.plan.purchase is None and hours and hours < months * HOURS_PER_MONTH:
        return Figure.of(of.found.cost_usd, "usd", f"The run takes {figures.hours(hours)}; nothing is paid after it.")
    return Figure(months * usd, "usd", how=(f"{months:g} months at {figures.usd(usd)}.",))


def years(of: Subject) -> Figure | None:
    """Of as many years as are named, three where none is."""
    named = next((days / DAYS_PER_YEAR for days in of.asked.amounts("time") if days >= DAYS_PER_YEAR / _MONTHS), 3.0)
    months, bought, each = round(_MONTHS * named), of.plan.purchase, of.found.usd_per_month
    if bought is None or each is None:
        return _of_months(of, months)
    capital = of.found.usd_to_buy or 0.0
    running = months * (each - capital / bought.months)  # a month is written off and run
    how = f"{figures.usd(capital)} to buy and {figures.usd(running)} of power and support."
    return Figure(capital + running, "usd", how=(how,))


def day(of: Subject) -> Figure | None:
    rate = hourly(of)
    return Figure(rate * of.gpus * _HOURS_PER_DAY, "usd", how=_rated(of)) if rate else None


def hour(of: Subject) -> Figure | None:
    rate = hourly(of)
    return Figure(rate * of.gpus, "usd/h", how=_rated(of)) if rate else None


def gpu_hour(of: Subject) -> Figure | None:
    rate, network = hourly(of), of.found.fabric_usd_per_gpu_hour
    part = (f"{figures.usd(network)} of it is the network.",) if network else ()
    return Figure(rate, "usd/h", how=part) if rate else None


def _rated(of: Subject) -> tuple[str, ...]:
    return (f"At {figures.usd(hourly(of))} per GPU-hour, {of.gpus:,} GPUs.",)


def gpu_day(of: Subject) -> Figure | None:
    rate = hourly(of)
    return Figure(_HOURS_PER_DAY * rate, "usd", how=(f"24 hours at {figures.usd(rate)}.",)) if rate else None


def gpu_month(of: Subject) -> Figure | None:
    rate = hourly(of)
    return Figure(HOURS_PER_MONTH * rate, "usd", how=(f"730 hours at {figures.usd(rate)}.",)) if rate else None


def gpu(of: Subject) -> Figure | None:
    """A GPU's part of what it costs."""
    return Figure.of(of.found.cost_usd, "usd", f"A part in {of.gpus:,}.", times=1 / of.gpus)


def node_hour(of: Subject) -> Figure | None:
    rate, per = hourly(of), per_node(of)
    return Figure(rate * per, "usd/h", how=(f"{per:g} GPUs at {figures.usd(rate)}.",)) if rate else None


def node_day(of: Subject) -> Figure | None:
    rate = node_hour(of)
    return Figure(_HOURS_PER_DAY * rate.value, "usd", how=rate.how) if rate else None


def per_node(of: Subject) -> float:
    """GPUs of a machine."""
    said = reading.asked(of.plan, "cluster.gpus_per_node")
    assumed = next((a.value for a in of.plan.assumptions if a.field == "cluster.gpus_per_node"), None)
    return float(said or assumed or 8)


def step(of: Subject) -> Figure | None:
    many = steps(of)
    return Figure.of(of.found.cost_usd, "usd", f"A part in {many.written()}.", times=1 / many.value) if many else None


def request(of: Subject) -> Figure | None:
    """A request of a service at its load."""
    load, usd = reading.asked(of.plan, "inference.requests_per_s"), of.found.usd_per_month
    if not load or usd is None or not reading.serves(of.plan):
        return None
    many = load * _SECONDS * HOURS_PER_MONTH
    how = f"{figures.usd(usd)} a month ÷ {figures.significant(many / 1e6)} million requests at {load:g} a second."
    return Figure(usd / many, "usd/one", how=(how, f"A thousand requests: {figures.usd(1e3 * usd / many)}."))


def million_tokens(of: Subject) -> Figure | None:
    each = reading.usd_per_million_tokens(of.plan, of.found)
    sized = of.plan.sizing
    if reading.serves(of.plan) and of.is_best and sized and sized.usd_per_million_output_tokens:
        every = f"With those of the prompts: {figures.usd(sized.usd_per_million_tokens)}."
        return Figure(sized.usd_per_million_output_tokens, "usd/h", how=(every,))
    return Figure(each, "usd/h") if each else None


def billion_tokens(of: Subject) -> Figure | None:
    each = reading.usd_per_million_tokens(of.plan, of.found)
    return Figure(1e3 * each, "usd") if each else None


def failure(of: Subject) -> Figure | None:
    """What a failure costs: half the time between checkpoints is done again, and all GPUs wait for the restart."""
    hours, rate = lost_by_a_failure(of), hourly(of)
    if hours is None or not rate:
        return None
    usd = hours.value * rate * of.gpus
    return Figure(usd, "usd", how=(f"{hours.written()} of all {of.gpus:,} GPUs: {hours.how[0]}", *hours.how[1:]))


def lost_to_failures(of: Subject) -> Figure | None:
    """What failures and checkpoints cost in the run."""
    kept, usd = of.found.effective_time_percent, of.found.cost_usd
    if kept is None or usd is None:
        return None
    return Figure((1 - kept.p50 / 100) * usd.p50, "usd", how=("It is in the sum of the run.",))


def waiting(of: Subject) -> Figure | None:
    """What is paid for GPUs that wait for the network."""
    share, usd = reading.waited(of.plan, of.found), of.found.cost_usd
    if share is None or usd is None:
        return None
    how = f"{figures.percent(share)} of {figures.usd(usd.p50)} for {reading.bill(of.plan)}."
    return Figure(share / 100 * usd.p50, "usd", how=(how,))


def network(of: Subject) -> Figure | None:
    """The network's part of what is paid."""
    each, hours = of.found.fabric_usd_per_gpu_hour, of.found.run_hours
    if not each or not hours:
        return None
    return Figure(each * of.gpus * hours, "usd", how=(f"{figures.usd(each)} per GPU-hour on top of the GPU.",))


def network_to_buy(of: Subject) -> Figure | None:
    """Switches, adapters, cables and optics."""
    capex = of.plan.fabric_design.get("capex_usd") if of.is_best else None
    if not capex or of.plan.purchase is None:
        return network(of)
    return Figure(
        capex["mid"], "usd", how=(f"With adapters, cables and optics. {_between(capex['low'], capex['high'])}",)
    )


def _between(low: float, high: float) -> str:
    return f"Between {figures.usd(low)} and {figures.usd(high)} as the parts' prices differ."


def network_gpu(of: Subject) -> Figure | None:
    whole = network_to_buy(of)
    how = (f"{whole.written()} for {of.gpus:,} GPUs.",) if whole else ()
    return Figure(whole.value / of.gpus, "usd", how=how) if whole else None


def parts_to_buy(of: Subject, words: tuple[str, ...]) -> Figure | None:
    """The lines of the design that have one of the words."""
    priced = of.plan.fabric_design.get("prices") if of.is_best and of.plan.purchase is not None else None
    lines = [line for line in priced or () if any(word in line["item"].lower() for word in words)]
    if not lines:
        return None
    low, high = (sum(line["count"] * line[f"usd_{end}"] for line in lines) for end in ("low", "high"))
    how = [f"{line['count']:,} × {line['item']} at {figures.usd(line['usd'])}." for line in lines]
    return Figure(sum(line["count"] * line["usd"] for line in lines), "usd", how=(*how, _between(low, high)))


def to_buy(of: Subject) -> Figure | None:
    bought = of.plan.purchase
    if bought is not None and of.is_best:
        how = _between(bought.capital_usd_low, bought.capital_usd_high)
        return Figure(bought.capital_usd, "usd", how=(how,))
    return Figure(of.found.usd_to_buy, "usd") if of.found.usd_to_buy else None


def upkeep(of: Subject, part: str, months: float) -> Figure | None:
    """A part of what machines of one's own cost a month: power, support, staff."""
    bought = of.plan.purchase
    usd = bought.monthly_usd.get(part) if bought else None
    if not usd or not of.is_best:
        return None
    return Figure(months * usd, "usd", how=(f"{figures.usd(usd)} a month.",) if months != 1 else ())


def electricity(of: Subject) -> Figure | None:
    """Of the run: it is the owner's, of rented machines the seller's."""
    used = of.plan.power
    if used is None or not of.is_best:
        return None
    how = f"{figures.significant(used.run_kwh)} kWh at {figures.usd(used.usd_per_kwh)} each, cooling counted."
    mine = () if of.plan.purchase else ("Rented machines have it in their price.",)
    return Figure(used.run_usd, "usd", how=(how, *mine))


def left(of: Subject) -> Figure | None:
    """What is left of the budget: below nothing where it is not enough."""
    named = next((usd for usd in of.asked.amounts("money", "large") if usd >= 1e3), None)
    limit = named or reading.asked(of.plan, "budget.usd")
    band = of.found.cost_usd
    bought = reading.to_buy(of.plan)
    paid = Band(p10=bought.capital_usd_low, p50=bought.capital_usd, p90=bought.capital_usd_high) if bought else band
    if not limit or paid is None:
        return None
    how = f"{figures.usd(limit)} less {figures.usd(paid.p50)}."
    return Figure(limit - paid.p50, "usd", limit - paid.p90, limit - paid.p10, (how,))


def over_list(of: Subject) -> Figure | None:
    """By how much a quote is above the list price nearest to it, percent."""
    quote = next((q for q in of.plan.quotes if q.number == of.quote), None)
    if quote is None or quote.published is None or quote.over_published_percent is None:
        return None
    listed, where = quote.published.usd_per_gpu_hour, quote.published.provider_name or quote.published.provider
    how = f"{figures.usd(quote.usd_per_gpu_hour)} against {figures.usd(listed)} per GPU-hour at {where}."
    return Figure(quote.over_published_percent, "percent", how=(how,))


SUMS = {
    "over-list": over_list,
    "cost": cost,
    "month": month,
    "year": partial(_of_months, months=_MONTHS),
    "years": years,
    "day": day,
    "hour": hour,
    "gpu-hour": gpu_hour,
    "gpu-day": gpu_day,
    "gpu-month": gpu_month,
    "gpu": gpu,
    "node-hour": node_hour,
    "node-day": node_day,
    "step-cost": step,
    "request": request,
    "million-tokens": million_tokens,
    "billion-tokens": billion_tokens,
    "failure-cost": failure,
    "failures-cost": lost_to_failures,
    "paid-waiting": waiting,
    "network-cost": network_to_buy,
    "network-gpu": network_gpu,
    "switch-cost": partial(parts_to_buy, words=("switch",)),
    "optics-cost": partial(parts_to_buy, words=("optic", "transceiver", "link")),
    "nic-cost": partial(parts_to_buy, words=("nic", "adapter")),
    "purchase": to_buy,
    "electricity-month": partial(upkeep, part="power", months=1.0),
    "electricity-year": partial(upkeep, part="power", months=_MONTHS),
    "electricity-run": electricity,
    "support-month": partial(upkeep, part="support", months=1.0),
    "support-year": partial(upkeep, part="support", months=_MONTHS),
    "staff-month": partial(upkeep, part="staff", months=1.0),
    "left": left,
}
