"""What machines cost to buy with their network: the bill of materials that a plan to buy them has."""

from __future__ import annotations

from typing import Any

from assistant.library.questionnaires import from_value
from assistant.planning import against_rent, begun, plan
from assistant.present.figures import usd
from assistant.present.plan import purchase as told
from assistant.vocabulary.added import added
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.plan import Plan, Purchase, RentOrBuy
from assistant.vocabulary.quantities import DAYS_PER_MONTH, HOURS_PER_MONTH
from assistant.vocabulary.utterance import Amount

from .case import Case
from .plain_sums import hourly_price
from .run_terms import DEAREST_HOUR

_ANY_MODEL = "llama-3.1-8b"  # it fits one GPU: of a network that is named the bill does not ask what runs on it
_RESALE = "What the machines are worth at the end, interest and staff are not counted."
_OF_AN_HOUR = ("", "gpu-hour", "hour", "gpu")  # how the price of a GPU-hour is told
_OF_A_BILL = ("amortization_months", "electricity_usd_per_kwh", "power_usage_effectiveness")


def purchase(case: Case) -> Computed | None:
    """US dollars for machines and network, and for a month of owning them; the network named, else the one that the
    job in question would be given, else InfiniBand."""
    gpus = case.fields.get("cluster.gpus")
    if not gpus:
        return None
    made = plan(from_value(_facts(case), case.catalog), case.library, index=None, today=case.today)
    bought = made.purchase
    if bought is None or not bought.capital_usd:
        return None
    _take_over(case, made)
    monthly = added(bought.monthly_usd.values())
    case.figure("to buy", bought.capital_usd, "USD", " + ".join(f"{i.count:,} × {usd(i.usd)}" for i in bought.items))
    case.figure("a month", monthly, "USD", f"over {bought.months:g} months: {told.month(bought)}")
    of_network = bought.network_percent
    if of_network is not None:
        case.figure("network", bought.capital_usd * of_network / 100, "USD", "all but the machines")
    name = made.recommendation.fabric
    text = _text(bought, f"{gpus:,} {case.gpu.name}", case.catalog.fabrics[name].name)
    return case.answer(text, f"Not counted: {', '.join(bought.not_counted)}.", gpus=gpus, fabrics=[name])


def server(case: Case) -> Computed | None:
    """US dollars for a machine with the GPU that is named, or for several, without a network between them."""
    each = case.fields.get("cluster.gpus_per_node") or case.gpu.gpus_per_node
    many = case.utterance.nodes or max(1, round((case.fields.get("cluster.gpus") or each) / each))
    case.fields |= {"cluster.gpus": each, "cluster.gpus_per_node": each}
    made = plan(from_value(_facts(case), case.catalog), case.library, index=None, today=case.today)
    bought = made.purchase
    item = bought.items[0] if bought is not None else None
    if item is None or item.kind != "machine" or not item.usd:
        return None
    between = f", {usd(item.usd_low)} to {usd(item.usd_high)}" if item.usd_low < item.usd_high else ""
    case.figure("to buy", many * item.usd, "USD", f"{many:,} × {usd(item.usd)}, {item.source}, {item.date}")
    text = f"A server of {each} {case.gpu.name} costs about {usd(item.usd)} to buy{between}."
    if many > 1:
        text = f"{text} {many:,} of them: {usd(many * item.usd)}."
    note = f" {item.note}." if item.note else ""
    return case.answer(
        f"{text} Rented it is an hourly price per GPU: ask what {case.gpu.name} costs per hour.",
        f"Machines alone: a network between several, power, support and tax are not counted.{note}",
        gpus=many * each, machines=many,
    )  # fmt: skip


def rent_or_buy(case: Case) -> Computed | None:
    """Whether so many GPUs are rented or bought for the time that is named, and from when on buying is the cheaper;
    where no time is named first that, and both sums of the usual write-off. A rent that is named is the one compared;
    else the best that is let. Of a run whose work is told what it alone speaks for."""
    roles, days = case.utterance.roles, case.lengths()
    gpus = case.fields.get("cluster.gpus") or roles.get("so_many")
    rents, sums = _rents(case), _sums_named(case)
    if sums and rents:
        return _machines_quoted(case, sums[0], rents[0], days)
    if not gpus or sums or len(rents) > 1:  # another sum than the one price of a GPU-hour
        return None
    named = {"cluster.gpus": gpus, "cluster.gpu": roles.get("gpu_named")}  # what a comparison does not state
    case.fields |= {path: value for path, value in named.items() if value and path not in case.utterance.fields}
    if days:
        case.fields["budget.amortization_months"] = max(1, round(days[0] / DAYS_PER_MONTH))
    begins = begun(from_value(_facts(case), case.catalog), case.library, index=None, today=case.today)
    made = begins.plan
    found = against_rent(begins.made, rents[0]) if rents else made.rent_or_buy
    if found is None:
        return None
    _take_over(case, made)
    _sums(case, found, gpus)
    run_months = found.run_months if "training.tokens" in case.fields else None
    _, *turns = told.turns(found.model_copy(update={"run_months": run_months}))
    sums = f"rented {usd(case.found[0].value)}, bought {usd(case.found[1].value)}"
    over, turn = f"{told.over(found)} {gpus:,} {case.gpu.name} in all: {sums}.", " ".join(turns)
    if rents:
        over = f"To buy is {usd(found.capital_usd)}. {over}"
    name, let = made.recommendation.fabric, case.catalog.fabrics.get(found.rent_fabric)
    theirs = let.name if let and case.names_network and let.id != name else None
    brings = f"What is rented at its best brings {theirs}, not the network that is named. " if theirs else ""
    if rents:
        brings = "The rent that is named is taken as that of machines with their network, as fast as those bought. "
    return case.answer(
        f"{over} {turn}" if days else f"{turn} {over}",
        f"{brings}Every GPU busy all the time. {_RESALE}", gpus=gpus, months=found.months, fabrics=[name],
    )  # fmt: skip


def _rents(case: Case) -> list[float]:
    """US dollars of a GPU-hour that are named."""
    said = case.utterance.fields.get("budget.gpu_hour_usd")
    money = [float(one.value) for one in case.utterance.amounts if one.kind == "money" and one.unit in _OF_AN_HOUR]
    return [usd for usd in money if 0 < usd <= DEAREST_HOUR] or ([float(said)] if said else [])


def _sums_named(case: Case) -> list[Amount]:
    """The sums of a purchase that are named, larger than any price of an hour; each once."""
    large = [one for one in case.utterance.amounts if one.kind in ("money", "large") and one.value > DEAREST_HOUR]
    return list({one.start: one for one in large}.values())


def _machines_quoted(case: Case, quoted: Amount, rent: float, days: list[float]) -> Computed | None:
    """Machines at a price that is named, each or all of them, against a rent that is named: with a network, power and
    support by the plan's rules."""
    each = case.fields.get("cluster.gpus_per_node") or case.gpu.gpus_per_node
    roles, by_each = case.utterance.roles, quoted.unit in _OF_A_MACHINE
    many = case.utterance.nodes or (roles.get("so_many") if case.says("counts_machines") else None)
    gpus = many * each if many else case.fields.get("cluster.gpus") or roles.get("so_many")
    if not gpus or gpus % each or not 0 < gpus <= _MOST_GPUS:
        return None
    many = int(gpus // each)
    case.fields |= {"cluster.gpus": int(gpus), "cluster.gpus_per_node": each}
    if days:
        case.fields["budget.amortization_months"] = max(1, round(days[0] / DAYS_PER_MONTH))
    made = plan(from_value(_facts(case), case.catalog), case.library, index=None, today=case.today)
    bought = made.purchase
    if bought is None or not bought.capital_usd:
        return None
    _take_over(case, made)
    by_each = by_each or case.says("each_said")
    machines = float(quoted.value) * (many if by_each else 1)
    at = f" at {usd(float(quoted.value))}" if by_each else ""
    network, months = bought.network_usd or 0.0, bought.months
    capital = machines + network
    month = bought.monthly_usd.get("support", 0.0) / bought.capital_usd * capital + bought.monthly_usd.get("power", 0.0)
    rented = rent * HOURS_PER_MONTH * gpus
    own = capital + months * month
    case.figure("rented", rented * months, "USD in all", f"{months:g} months × 730 h × {gpus:,} × {hourly_price(rent)}")
    case.figure("bought", own, "USD in all", f"{usd(machines)} + {usd(network)} network + {months:g} × {usd(month)}")
    cheaper = "Buy" if own < months * rented else "Rent"
    pays = "Renting is the cheaper for ever: it costs less than power and support of one's own."
    if rented > month:
        after = capital / (rented - month)
        case.figure("buying pays after", after, "months", f"{usd(capital)} ÷ ({usd(rented)} − {usd(month)} a month)")
        pays = f"Buying pays after {after:.3g} months of full use."
    text = (
        f"{pays} {cheaper}, for {months:g} months of full use: {gpus:,} GPUs rented {usd(months * rented)}, bought "
        f"{usd(own)}: {many:,} machines{at}: {usd(machines)}, their network {usd(network)}, power and support "
        f"{usd(month)} a month."
    )
    priced = f"the network ({made.recommendation.fabric}), power and support are not in your numbers: they are ours"
    return case.answer(text, f"{priced[0].upper()}{priced[1:]}. {_RESALE}", gpus=int(gpus), months=months, usd=machines)


_OF_A_MACHINE = ("node", "gpu")  # "at 280k each" is of what was counted
_MOST_GPUS = 100_000


def _sums(case: Case, found: RentOrBuy, gpus: int) -> None:
    """Both sums, and from when on buying is the cheaper, each of the numbers that are printed beside it."""
    hours = found.months * HOURS_PER_MONTH * gpus
    each = (
        ("rented", found.rent_usd_per_gpu_hour, found.offer),
        ("bought", found.buy_usd_per_gpu_hour, "with power and support"),
    )
    for name, hourly, what in each:
        price = float(f"{hourly:.6g}")  # as it is printed, so that the sum closes
        how = f"{found.months:g} months × {HOURS_PER_MONTH:g} h × {gpus:,} × {hourly_price(price)}, {what}"
        case.figure(name, round(hours * price, 2), "USD in all", how)
    if found.break_even_months is not None and found.capital_usd:
        capital, rent = found.capital_usd, HOURS_PER_MONTH * gpus * found.rent_usd_per_gpu_hour
        spared = capital / found.break_even_months
        case.figure(
            "buying pays after", found.break_even_months, "months",
            f"${capital:,.0f} to buy ÷ (${rent:,.0f} rent a month − ${rent - spared:,.0f} power and upkeep a month)",
        )  # fmt: skip
    if found.break_even_utilization_percent is not None:
        case.figure(
            "in use", found.break_even_utilization_percent, "%", f"of {found.months:g} months, where both cost the same"
        )


def _take_over(case: Case, made: Plan) -> None:
    """What the plan assumed of machines, network and money, with the age of its prices."""
    wanted = (f"fabrics.{made.recommendation.fabric}.", "budget.", "cluster.", "catalog.")
    case.take_over([one for one in made.assumptions if one.field.startswith(wanted)])


def _facts(case: Case) -> dict[str, Any]:
    """The job in question, bought; without a model any, on one network."""
    said = {name: case.fields[f"budget.{name}"] for name in _OF_A_BILL if f"budget.{name}" in case.fields}
    named = case.names_network or "cluster.fabric" in case.told
    if any_model := case.model is None:
        case.fields |= {"model": _ANY_MODEL, "workload": "pretraining"}
    given = {"cluster__fabric": case.networks()[0].id} if named or any_model else {}
    facts = case.questionnaire(cluster__gpu=case.gpu.id, **given, **case.workload())
    return facts | {"budget": {"mode": "buy", **said}}


def _text(bought: Purchase, what: str, network: str) -> str:
    machines, *parts = bought.items
    whole = f"{usd(bought.capital_usd_low)} to {usd(bought.capital_usd_high)}"
    together = usd(added(part.count * part.usd for part in parts))
    return (
        f"{what} with {network} cost about {usd(bought.capital_usd)} to buy ({whole}): machines "
        f"{usd(machines.count * machines.usd)} ({machines.count:,} × {machines.item}), network {together}. "
        f"A month over {bought.months:g} months is {usd(added(bought.monthly_usd.values()))}: {told.month(bought)}."
    )
