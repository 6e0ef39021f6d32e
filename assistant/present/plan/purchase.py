"""Machines of one's own: what is bought, what it costs a month, what it draws, and from when on it beats renting."""

from collections.abc import Sequence

from assistant.vocabulary.added import added
from assistant.vocabulary.counted import counted
from assistant.vocabulary.plan import Plan, PowerUse, Purchase, PurchaseItem, RackPower, RentOrBuy
from assistant.vocabulary.quantities import DAYS_PER_MONTH, HOURS_PER_MONTH, in_months

from .. import figures
from ..blocks import Block, Bullets, Heading, Table, titled, told
from . import reading

_PARTS = {
    **{"hours_there": "the hours of the GPUs that are there", "write_off": "write-off", "power": "power and cooling"},
    **{"support": "support", "staff": "network engineers"},
}
_SUPPORTED = "Support of what was quoted is in the quote and not counted again: ask for how many years."


def section(plan: Plan) -> list[Block]:
    """The bill and the sums."""
    bought = plan.purchase
    if bought is None:
        return []
    return [Heading(_title(bought)), *([_bill(bought)] if bought.capital_usd else []), Bullets(_sums(bought, plan))]


def in_short(plan: Plan) -> list[Block]:
    """The sums alone."""
    bought = plan.purchase
    return titled(_title(bought), Bullets(_sums(bought, plan))) if bought else []


def _title(bought: Purchase) -> str:
    return "What is bought" if bought.capital_usd else "What it costs to keep"


def first_page(plan: Plan) -> list[Block]:
    """What it comes to and what is not in it, without how each price was read; how the budget is kept stands above."""
    bought = plan.purchase
    if bought is None:
        return []
    how = ("The budget of", "Optics and cables", "* derived price", *(f"{item.item}: " for item in bought.items))
    return titled(_title(bought), Bullets([said for said in _sums(bought, plan) if not said.startswith(how)]))


def power(plan: Plan) -> list[Block]:
    """What machines and network draw, and whose bill it is."""
    if plan.power is None:
        return []
    return titled("Power", Bullets(_power(plan.power, reading.bill(plan), rented=_rented(plan))))


def power_in_short(plan: Plan) -> list[Block]:
    """The same where it is the reader's own affair: the machines are theirs, or what they draw is limited."""
    theirs = _rented(plan) and reading.asked(plan, "constraints.max_power_kw") is None
    return [] if theirs else power(plan)


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
        rows.append(
            [
                f"{i.count:,}",
                i.item,
                usd(i.usd) + mark,
                usd(i.count * i.usd) + mark,
                i.date or ("quoted" if i.usd else "there"),
            ]
        )
    return Table(["", "what", "each", "together", "price of"], rows, frozenset({0, 2, 3, 4}), None, (4, 2))


def _derived(item: PurchaseItem, bought: Purchase) -> bool:
    """Whether nobody published or quoted a price of the part itself."""
    return item is not bought.items[0] and bool(item.note) and item.date is not None


def _sums(bought: Purchase, plan: Plan) -> list[str]:
    usd, monthly, machines = figures.usd, bought.monthly_usd, bought.items[0]
    band = f" ({usd(bought.capital_usd_low)}–{usd(bought.capital_usd_high)} as the parts' prices differ)"
    budget = plan.questionnaire["budget"].get("usd")
    whole = figures.usd_against(bought.capital_usd, budget)
    over = f" over {bought.months:g} months" if bought.capital_usd else " of use"
    said = [
        *_there(bought, plan),
        *_kept_or_replaced(bought, plan),
        f"About {whole} to buy{band if bought.capital_usd_low < bought.capital_usd_high else ''}, "
        f"{usd(bought.usd_per_gpu)} per GPU{_missing(bought)}; {_networks_part(bought)}."
        if bought.capital_usd
        else "Nothing has to be bought.",
        f"{usd(added(monthly.values()))} a month{over}: {month(bought)}. In full use that is "
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
        _SUPPORTED if bought.support_quoted else "",
        _delivery(bought),
        f"Not counted: {', '.join(bought.not_counted)}.",
    ]
    if budget and bought.capital_usd:
        over = bought.capital_usd > budget
        said.insert(
            1, f"The budget of {figures.usd_limit(budget)} is {'exceeded' if over else 'kept'} by the purchase."
        )
    return [one for one in said if one]


def month(bought: Purchase) -> str:
    """What a month of owning it is made of."""
    paid = bought.monthly_usd
    return ", ".join(f"{figures.usd(paid[name])} {what}" for name, what in _parts(bought).items() if paid.get(name))


def answer_parts(plan: Plan) -> list[Block]:
    """What the purchase consists of, asked for."""
    bought = plan.purchase
    if bought is None or not bought.capital_usd:
        return told("Nothing is bought in this plan.")
    usd = figures.usd
    items = (f"{i.count:,} × {i.item}: {usd(i.count * i.usd)}, {usd(i.usd)} each." for i in bought.items if i.usd)
    monthly = f"{usd(added(bought.monthly_usd.values()))} a month over {bought.months:g} months: {month(bought)}."
    return told(f"{usd(bought.capital_usd)} to buy.", *items, monthly, f"Not counted: {', '.join(bought.not_counted)}.")


def _networks_part(bought: Purchase) -> str:
    if bought.network_percent is None:
        return "the network is in that sum, and which part of it is not told"
    if not bought.network_percent:
        return "no network is bought"
    return f"{figures.percent(bought.network_percent)} of it is the network"


def _there(bought: Purchase, plan: Plan) -> list[str]:
    """What nothing is paid for, and what is taken to be missing."""
    if not bought.gpus_there:
        return []
    network = " and the network" if bought.network_there else ""
    _, nics = _nics(bought) if not bought.network_there else (0, 0.0)
    counted_in = f" Adapters are counted as bought, {figures.usd(nics)}: leave out those that are in the machines."
    adapters = counted_in if nics else ""
    are, them = ("are", "them") if network or bought.gpus_there > 1 else ("is", "it")
    usd = bought.monthly_usd.get("hours_there", 0.0) / HOURS_PER_MONTH / bought.gpus_there
    paid = (
        f"nothing is paid to have {them}, and an hour of a GPU is counted at {figures.usd(usd)}, its power and support "
    )
    paid = f"{paid}in it, as was said." if usd else f"nothing is paid for {them}."
    named = plan.questionnaire["budget"].get("owned") != "everything" or plan.questionnaire["cluster"].get("fabric")
    said = [f"{counted(bought.gpus_there, 'GPU')}{network} {are} there already: {paid}{adapters}"]
    which = "Which network is there too was not said: name it (cluster.fabric), and what is there of it is not bought."
    return said if named or not bought.capital_usd else [*said, which]


def _nics(bought: Purchase) -> tuple[int, float]:
    """How many adapters are bought, and for how many US dollars."""
    nics = [i for i in bought.items if i.kind == "nic"]
    return sum(i.count for i in nics), added(i.count * i.usd for i in nics)


def answer_adapters(plan: Plan) -> list[Block] | None:
    """What adapters that are in the machines leave of the sum; ``None`` where none are bought."""
    bought = plan.purchase
    count, usd = _nics(bought) if bought is not None else (0, 0.0)
    if bought is None or not count:
        return None
    names = ", ".join(i.item.removeprefix("NIC ") for i in bought.items if i.kind == "nic")
    left = figures.usd(bought.capital_usd - usd)
    return told(
        f"The plan does not know them and counts {counted(count, 'adapter')} as bought, {figures.usd(usd)} of "
        f"{figures.usd(bought.capital_usd)}: where those in the machines do, {left} is left to buy.",
        f"They do if they have the ports and the line rate of {names}; slower ones make the network as slow.",
        "Tell me what the rest is quoted at, and the plan counts with it.",
    )


def _parts(bought: Purchase) -> dict[str, str]:
    """The words for the parts of a month; where an hour of the machines was priced their power is in it."""
    return _PARTS | ({"power": "power of the network"} if bought.monthly_usd.get("hours_there") else {})


def _missing(bought: Purchase) -> str:
    """What the sum per GPU is shared by, where some are there already and others are bought."""
    return " that is missing" if bought.gpus_there and bought.items[0].usd else ""


def _kept_or_replaced(bought: Purchase, plan: Plan) -> list[str]:
    """What the run costs on the network that is there, and on the cheapest that could be bought in its place."""
    best = reading.chosen(plan)
    others = [c for c in plan.candidates if c.cost_usd and c.fits is not False and c.verdict != "impossible"]
    other = min((c for c in others if c is not best), key=lambda c: c.median_cost, default=None)
    if not bought.network_there or other is None or best is None or best.cost_usd is None:
        return []
    kept, replaced = figures.usd(best.median_cost), figures.usd(other.median_cost)
    return [
        f"On the network that is there {reading.bill(plan)} costs {kept}; with {other.fabric} in its place {replaced}, "
        f"of its purchase what {bought.months:g} months of full use leave to it."
    ]


def _delivery(bought: Purchase) -> str:
    if not bought.capital_usd:
        return ""
    return (
        "Delivery: nobody said how long it takes; ask, and give it (budget.delivery_days), for the deadline counts it."
        if bought.delivery_days is None
        else f"Delivery: {figures.hours(24 * bought.delivery_days)} from the order, counted in the day it is done."
    )


def optics(bought: Purchase) -> list[str]:
    """By which price optics and cables are counted: the same rule for every network."""
    links = [i for i in bought.items if i.kind == "link" and i.usd_low < i.usd]
    return [
        f"Optics and cables at {figures.usd(i.usd)} a link, whatever the network; from a third party they are offered "
        f"at {figures.usd(i.usd_low)}, which takes {figures.usd(i.count * (i.usd - i.usd_low))} off."
        for i in links
    ]


def _power(drawn: PowerUse, work: str, *, rented: bool) -> list[str]:
    kw = lambda value: f"{figures.significant(value)} kW"
    machines = f"{counted(drawn.machines, 'machine')} of {drawn.gpus_per_machine} GPUs"
    used = round(drawn.machines_kw / drawn.machine_kw * drawn.gpus_per_machine)
    if used < drawn.machines * drawn.gpus_per_machine:  # the rest of the last one is left to others
        machines = f"the share of {counted(used, 'GPU')} in {machines}"
    network = f", and {kw(drawn.network_kw)} for the network" if drawn.network_kw > 0 else ""
    run = f"{work[0].upper()}{work[1:]} takes {figures.significant(drawn.run_kwh)} kWh"
    price = f"{figures.usd(drawn.run_usd)} at {figures.usd_per_kwh(drawn.usd_per_kwh)} per kWh"
    return [
        f"{kw(drawn.it_kw)}: {machines} at most {kw(drawn.machine_kw)} each{network} ({drawn.machine_source}).",
        f"{kw(drawn.site_kw)} with cooling, at a power usage effectiveness of {drawn.power_usage_effectiveness:g}.",
        f"By rack: {by_rack(drawn.racks)}.",
        f"{run}, {price}{': the provider pays it, and it is in the rent' if rented else ''}.",
    ]


def by_rack(racks: Sequence[RackPower]) -> str:
    """How many racks of what, and the kW of each: ``6 racks of servers of 8 NVIDIA H100, 28.8 kW each``."""
    return "; ".join(f"{_racks_of(r)}, {figures.significant(r.kw)} kW{' each' if r.count > 1 else ''}" for r in racks)


def _racks_of(rack: RackPower) -> str:
    if rack.what.endswith(" rack"):  # machines that are a rack
        return counted(rack.count, rack.what)
    return f"{counted(rack.count, 'rack')} {'for' if rack.what.startswith('the ') else 'of'} {rack.what}"


def _over(fabric: str) -> str:
    return "" if fabric == "none" else f" ({fabric})"


def over(found: RentOrBuy) -> str:
    """Which of both is the cheaper where the machines are used all the time until they are written off."""
    rent, buy = found.rent_usd_per_gpu_hour, found.buy_usd_per_gpu_hour
    hour = f"a GPU-hour is {figures.usd(rent)} rented and {figures.usd(buy)} of one's own"
    if found.certainty != "clear":
        apart = figures.percent(100 * (max(rent, buy) / min(rent, buy) - 1))
        close = f"{'A toss-up' if found.certainty == 'toss-up' else 'Close'} between buying and renting"
        return f"{close}, for {found.months:g} months of full use: {hour}, {apart} apart, which prices are off by too."
    return f"{'Buy' if buy < rent else 'Rent'}, for {found.months:g} months of full use: {hour}."


def turns(found: RentOrBuy) -> list[str]:
    """What both cost, then from when on buying is the cheaper."""
    usd = figures.usd
    work = "a month of it" if found.run_months is None else "the run"
    if found.term_months:
        work = f"{term_of(found)}, in full use,"
    rented = f"Rented at its best, {found.offer}{_over(found.rent_fabric)}, {work} costs {usd(found.rent_run_usd)}; "
    if found.there:
        return _with_ones_own(found, f"{rented}on the machines that are there{_over(found.buy_fabric)}")
    both = (
        f"{rented}of machines of one's own{_over(found.buy_fabric)}, {usd(found.capital_usd)} to buy, its share is "
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
    what = "term" if found.term_months else "run"
    alone = f"buying pays already for this {what}"
    if found.run_months < found.break_even_months:
        alone = f"for this {what} alone rent; buy if so much other work follows"
    return [both, turn, f"The {what} takes {figures.hours(found.run_months * HOURS_PER_MONTH)}: {alone}."]


def term_of(found: RentOrBuy) -> str:
    """The term that a rent is paid for."""
    return f"the term of {in_months((found.term_months or 0.0) * DAYS_PER_MONTH)}"


def _with_ones_own(found: RentOrBuy, both: str) -> list[str]:
    """As :func:`turns`, of machines that are there: what keeps them against a rent, and what is missing against it."""
    capital = f", with {figures.usd(found.capital_usd)} to buy" if found.capital_usd else ""
    said = f"{both} {figures.usd(found.buy_run_usd)}{capital}."
    worth = " and what you say it is worth" if found.there_usd_per_gpu_hour else ""
    if found.break_even_months is None:
        own = f"power and upkeep of one's own{worth}"
        return [said, f"Renting is the cheaper for ever: an hour of it costs less than {own}."]
    if not found.capital_usd:
        alone = "power and upkeep alone" if not worth else f"power and upkeep{worth}"
        return [said, f"An hour of one's own costs {alone}: nothing that is rented is cheaper."]
    return [said, f"What is bought pays after {found.break_even_months:.3g} months of full use."]
