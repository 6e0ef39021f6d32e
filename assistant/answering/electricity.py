"""What the electricity of machines costs for a time: their makers' power, of a part of a machine its share, what the
site takes besides, and the price of a kWh."""

from __future__ import annotations

from assistant.market import Electricity, machine_of
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.questionnaire import Budget

from .case import Case

_CAVEAT = (
    "At the makers' maximum all the time. Switches and optics come on top: a plan to buy (weft plan) has them. Who "
    "rents pays none of it apart."
)


def electricity(case: Case) -> Computed | None:
    """US dollars and kWh of so many GPUs for so many days, the site's cooling and losses among them."""
    gpus, days = case.fields.get("cluster.gpus") or case.utterance.roles.get("so_many"), case.lengths()
    if not gpus or not days:
        return None
    price = "budget.electricity_usd_per_kwh"
    told = next((float(one.value) for one in case.utterance.amounts if one.kind == "money" and one.unit == "kwh"), None)
    own = case.fields.get(price) if told is None else told
    budget = Budget.model_validate({"mode": "buy", "electricity_usd_per_kwh": own})
    machine = machine_of(case.gpu, case.catalog, case.fields.get("cluster.gpus_per_node"))
    paid, hours = Electricity.of(budget, case.catalog), 24 * days[0]
    watts, more = machine.draws(gpus), paid.effectiveness
    of_machine = f"kW of {'a rack' if machine.rack_scale else 'a machine'} of {machine.gpus} GPUs"
    case.take(of_machine, machine.watts / 1e3, machine.source)
    case.take("power usage effectiveness", more.value, more.source)
    if paid.listed is not None:
        case.take(price, paid.listed.value, f"{paid.listed.source}, {paid.listed.date}")
    kw, kwh, usd = watts / 1e3, paid.kwh(watts, hours), paid.usd(watts, hours)
    drawn = f"{kw:.6g} kW × {more.value:g}"
    case.figure("electricity", round(usd, 2), "USD in all", f"{kwh:,.0f} kWh × ${paid.usd_per_kwh:g}")
    case.figure("energy", kwh, "kWh", f"{drawn} × {days[0]:.6g} days × 24 h")
    case.figure(
        *("power", paid.site_watts(kw), "kW"),
        f"{drawn} (power usage effectiveness): machines and the site for them, without switches and optics",
    )
    text = (
        f"The electricity of {gpus:,} {case.gpu.name} for {days[0]:,.3g} days costs about ${usd:,.0f}: {kwh:,.0f} kWh "
        f"at ${paid.usd_per_kwh:g}, ${usd / hours / gpus:.3f} per GPU-hour."
    )
    return case.answer(text, _CAVEAT, gpus=gpus, days=days[0], usd_per_kwh=paid.usd_per_kwh)
