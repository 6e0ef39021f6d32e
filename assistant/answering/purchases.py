"""What machines cost to buy with their network: the bill of materials that a plan to buy them has."""

from __future__ import annotations

from typing import Any

from assistant.library.questionnaires import from_value
from assistant.planning import plan
from assistant.present.figures import usd
from assistant.present.plan import purchase as told
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.plan import Purchase
from assistant.vocabulary.quantities import DAYS_PER_MONTH, HOURS_PER_MONTH

from .case import Case

_ANY_MODEL = "llama-3.1-8b"  # it fits one GPU: of a network that is named the bill does not ask what runs on it
_RESALE = "What the machines are worth at the end, interest and staff are not counted."
_OF_A_BILL = ("amortization_months", "electricity_usd_per_kwh")


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
    wanted = {f"fabrics.{made.recommendation.fabric}.", "budget.", "cluster.", "catalog."}
    case.take_over([a for a in made.assumptions if a.field.startswith(tuple(wanted))])
    monthly = sum(bought.monthly_usd.values())
    case.figure("to buy", bought.capital_usd, "USD", " + ".join(f"{i.count:,} × {usd(i.usd)}" for i in bought.items))
    case.figure("a month", monthly, "USD", f"over {bought.months:g} months: {told.month(bought)}")
    of_network = bought.network_percent
    if of_network is not None:
        case.figure("network", bought.capital_usd * of_network / 100, "USD", "all but the machines")
    name = made.recommendation.fabric
    text = _text(bought, f"{gpus:,} {case.gpu.name}", case.catalog.fabrics[name].name)
    return case.answer(text, f"Not counted: {', '.join(bought.not_counted)}.", gpus=gpus, fabrics=[name])


def rent_or_buy(case: Case) -> Computed | None:
    """Whether so many GPUs are rented or bought for the time that is named, and from when on buying is the cheaper."""
    gpus, days = case.fields.get("cluster.gpus"), case.lengths()
    if not gpus or not days:
        return None
    case.fields["budget.amortization_months"] = months = max(1, round(days[0] / DAYS_PER_MONTH))
    made = plan(from_value(_facts(case), case.catalog), case.library, index=None, today=case.today)
    found = made.rent_or_buy
    if found is None:
        return None
    hours = months * HOURS_PER_MONTH * gpus
    each = (("rented", found.rent_usd_per_gpu_hour, found.offer), ("bought", found.buy_usd_per_gpu_hour, "with power"))
    for name, hourly, how in each:
        case.figure(
            name, hours * hourly, "USD", f"{months} months × {HOURS_PER_MONTH:g} h × {gpus:,} × {usd(hourly)}, {how}"
        )
    if found.break_even_months is not None:
        case.figure("buying pays after", found.break_even_months, "months", "of full use")
    _, *turns = told.turns(found.model_copy(update={"run_months": None}))
    sums = ", ".join(f"{one.name} {usd(one.value)}" for one in case.found[:2])
    text = f"{told.over(found)} {gpus:,} {case.gpu.name} in all: {sums}. {' '.join(turns)}"
    name = made.recommendation.fabric
    return case.answer(text, f"Every GPU busy all the time. {_RESALE}", gpus=gpus, months=months, fabrics=[name])


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
    together = usd(sum(part.count * part.usd for part in parts))
    return (
        f"{what} with {network} cost about {usd(bought.capital_usd)} to buy ({whole}): machines "
        f"{usd(machines.count * machines.usd)} ({machines.count:,} × {machines.item}), network {together}. "
        f"A month over {bought.months:g} months is {usd(sum(bought.monthly_usd.values()))}: {told.month(bought)}."
    )
