"""Machines of one's own: what is bought, what it costs a month, what it draws, and from when on it beats renting."""

from assistant.vocabulary.counted import counted
from assistant.vocabulary.plan import Plan, PowerUse, Purchase, PurchaseItem, RentOrBuy
from assistant.vocabulary.quantities import HOURS_PER_MONTH

from .. import figures
from ..blocks import Block, Bullets, Heading, Table, titled, told
from . import reading

_PARTS = {"write_off": "write-off", "power": "power and cooling", "support": "support", "staff": "network engineers"}


def section(plan: Plan) -> list[Block]:
    """The bill and the sums."""
    bought = plan.purchase
    if bought is None:
        return []
    return [Heading("What is bought"), _bill(bought), Bullets(_sums(bought, plan))]


def in_short(plan: Plan) -> list[Block]:
    """The sums alone."""
    bought = plan.purchase
    return titled("What is bought", Bullets(_sums(bought, plan))) if bought else []


def first_page(plan: Plan) -> list[Block]:
    """What it comes to and what is not in it, without how each price was read; how the budget is kept stands above."""
    bought = plan.purchase
    if bought is None:
        return []
    how = ("The budget of", "Optics and cables", "* derived price", *(f"{item.item}: " for item in bought.items))
    return titled("What is bought", Bullets([said for said in _sums(bought, plan) if not said.startswith(how)]))


def power(plan: Plan) -> list[Block]:
    """What machines and network draw, where that is the reader's own affair."""
    theirs = _rented(plan) and reading.asked(plan, "constraints.max_power_kw") is None
    return (
        []
        if plan.power is None or theirs
        else titled("Power", Bullets(_power(plan.power, reading.bill(plan), rented=_rented(plan))))
    )


def answer_power(plan: Plan) -> list[Block]:
    """What machines and network draw, asked for."""
    if plan.power is None:
        return told("Nothing works as asked, so nothing draws power.")
    return told(*_power(plan.power, reading.bill(plan), rented=_rented(plan)))


def _rented(plan: Plan) -> bool:
    return plan.questionnaire["budget"]["mode"] == "rent"


def rent_or_buy(plan: Plan) -> list[Block]:
    """Where renting and buying cost the same."""
    return titled("Rent or buy", Bullets(turns(plan.rent_or_buy))) if plan.rent_or_buy else []


def answer(found: RentOrBuy | None) -> list[Block]:
    """Rent or buy, asked for."""
    if found is None:
        return told("Renting and buying cannot be compared here: one of them has no price, or nothing works.")
    first, *others = turns(found)
    return told(others[0], first, *others[1:])


def _bill(bought: Purchase) -> Table:
    usd = figures.usd
    rows = []
    for i in bought.items:
        mark = " *" if _derived(i, bought) else ""
        rows.append([f"{i.count:,}", i.item, usd(i.usd) + mark, usd(i.count * i.usd) + mark, i.date or "quoted"])
    return Table(["", "what", "each", "together", "price of"], rows, frozenset({0, 2, 3, 4}), None, (4, 2))


def _derived(item: PurchaseItem, bought: Purchase) -> bool:
    """Whether nobody published a price of the part itself."""
    return item is not bought.items[0] and bool(item.note)


def _sums(bought: Purchase, plan: Plan) -> list[str]:
    usd, monthly, machines = figures.usd, bought.monthly_usd, bought.items[0]
    parts = ", ".join(f"{usd(monthly[name])} {what}" for name, what in _PARTS.items() if monthly.get(name))
    band = f" ({usd(bought.capital_usd_low)}–{usd(bought.capital_usd_high)} as the parts' prices differ)"
    said = [
        f"About {usd(bought.capital_usd)} to buy{band if bought.capital_usd_low < bought.capital_usd_high else ''}, "
        f"{usd(bought.usd_per_gpu)} per GPU; {figures.percent(bought.network_percent)} of it is the network.",
        f"{usd(sum(monthly.values()))} a month over {bought.months:g} months: {parts}. In full use that is "
        f"{usd(bought.usd_per_gpu_hour)} per GPU-hour.",
        *(
            [f"{spare:,} of the GPUs in them stay idle: machines are sold whole."]
            if (spare := bought.spare_gpus)
            else []
        ),
        *optics(bought),
        *dict.fromkeys(
            f"{'* derived price, ' if _derived(i, bought) else ''}{i.item}: {i.note}."
            for i in bought.items
            if i.note and (i is not machines or not i.date)
        ),
        "Delivery: nobody said how long it takes; ask, and give it (budget.delivery_days), for the deadline counts it."
        if bought.delivery_days is None
        else f"Delivery: {figures.hours(24 * bought.delivery_days)} from the order, counted in the day it is done.",
        f"Not counted: {', '.join(bought.not_counted)}.",
    ]
    budget = plan.questionnaire["budget"].get("usd")
    if budget:
        over = bought.capital_usd > budget
        said.insert(1, f"The budget of {usd(budget)} is {'exceeded' if over else 'kept'} by the purchase.")
    return said


def optics(bought: Purchase) -> list[str]:
    """By which price optics and cables are counted: the same rule for every network."""
    links = [i for i in bought.items if i.item.startswith("link:") and i.usd_low < i.usd]
    return [
        f"Optics and cables at {figures.usd(i.usd)} a link, whatever the network; from a third party they are offered "
        f"at {figures.usd(i.usd_low)}, which takes {figures.usd(i.count * (i.usd - i.usd_low))} off."
        for i in links
    ]


def _power(drawn: PowerUse, work: str, *, rented: bool) -> list[str]:
    kw = lambda value: f"{figures.significant(value)} kW"
    racks = "; ".join(f"{r.count:,} × {r.what} at {kw(r.kw)}" for r in drawn.racks)
    machines = f"{counted(drawn.machines, 'machine')} of {drawn.gpus_per_machine} GPUs"
    network = f", and {kw(drawn.network_kw)} for the network" if drawn.network_kw > 0 else ""
    run = f"{work[0].upper()}{work[1:]} takes {figures.significant(drawn.run_kwh)} kWh"
    price = f"{figures.usd(drawn.run_usd)} at ${_cents(drawn.usd_per_kwh)} per kWh"
    return [
        f"{kw(drawn.it_kw)}: {machines} at most {kw(drawn.machine_kw)} each{network} ({drawn.machine_source}).",
        f"{kw(drawn.site_kw)} with cooling, at a power usage effectiveness of {drawn.power_usage_effectiveness:g}.",
        f"By rack: {racks}.",
        f"{run}, {price}{': the provider pays it, and it is in the rent' if rented else ''}.",
    ]


def _cents(usd: float) -> str:
    return f"{usd:.2f}" if round(usd, 2) == usd else f"{usd:g}"


def _over(fabric: str) -> str:
    return "" if fabric == "none" else f" ({fabric})"


def turns(found: RentOrBuy) -> list[str]:
    """What both cost, then from when on buying is the cheaper."""
    usd = figures.usd
    work = "a month of it" if found.run_months is None else "the run"
    both = (
        f"Rented at its best, {found.offer}{_over(found.rent_fabric)}, {work} costs {usd(found.rent_run_usd)}; of "
        f"machines of one's own{_over(found.buy_fabric)}, {usd(found.capital_usd)} to buy, its share is "
        f"{usd(found.buy_run_usd)}."
    )
    if found.break_even_months is None:
        return [both, "Renting is the cheaper for ever: an hour of it costs less than power and upkeep of one's own."]
    pays = f"Buying pays after {found.break_even_months:.3g} months of full use"
    if found.break_even_utilization_percent is None:
        return [both, f"{pays}, longer than the {found.months:g} over which it is written off: rent."]
    used = f"{found.break_even_utilization_percent:.0f} %"
    turn = f"{pays}, and over the {found.months:g} months of write-off if the machines are in use {used} of the time."
    if found.run_months is None:
        return [both, turn]
    alone = "buying pays already for this run"
    if found.run_months < found.break_even_months:
        alone = "for this run alone rent; buy if so much other work follows"
    return [both, turn, f"The run takes {figures.hours(found.run_months * HOURS_PER_MONTH)}: {alone}."]
