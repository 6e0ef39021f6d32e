"""What machines of one's own cost per GPU-hour: the purchase written off, power and cooling, support, and engineers
where the network asks for more skill than the team has."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assistant.vocabulary.catalog import Catalog, Fabric, Gpu
from assistant.vocabulary.plan import Assumption
from assistant.vocabulary.quantities import HOURS_PER_YEAR
from assistant.vocabulary.questionnaire import Questionnaire

from . import arithmetic, fabric_price, gpu_price
from .electricity import Electricity
from .fabric_price import NetworkBill
from .machine_power import Machine, machine_of, network_watts, supernic_watts
from .priced import Freshness, Priced, constant

SKILLS = ("none", "some", "expert")
_ALWAYS_BUSY = (
    "bought machines are counted as busy in every hour of these months, without interest, racks, building or resale"
)
_SPOT_IS_RENTED = "spot is a way of renting and does not apply to machines that are bought: nobody takes them away"


@dataclass(frozen=True)
class Upkeep:
    """USD per GPU-hour on top of write-off and power; ``None`` where there is none."""

    gpu_support: Priced | None = None
    fabric_support: Priced | None = None
    staff: Priced | None = None

    @property
    def prices(self) -> tuple[Priced, ...]:
        """Those there are."""
        return tuple(part for part in (self.gpu_support, self.fabric_support, self.staff) if part is not None)


NO_UPKEEP = Upkeep()


@dataclass(frozen=True)
class Owned:
    """Prices of machines that are bought, each per GPU-hour."""

    gpu: Priced
    fabric: Priced
    gpu_power: Priced | None
    fabric_power: Priced | None
    upkeep: Upkeep
    months: float


def owned(
    questionnaire: Questionnaire,
    gpu: Gpu,
    fabric: Fabric,
    catalog: Catalog,
    freshness: Freshness,
    bill: NetworkBill | None,
    nodes: int,
    assumptions: list[Assumption],
) -> Owned:
    """What owning GPU and fabric costs; ``assumptions`` is filled with what it rests on.

    A quoted price of a GPU-hour or of the network is taken as it stands, power and upkeep and all.
    """
    budget, months = questionnaire.budget, questionnaire.budget.amortization_months
    if months is None:
        usual = constant(catalog.constants, "cost-amortization")
        months = usual.value
        _assume(assumptions, "budget.amortization_months", usual.value, usual.source)
    assumptions.append(Assumption(field="budget.mode", value="buy", why=_ALWAYS_BUSY))
    if budget.spot:
        assumptions.append(Assumption(field="budget.spot", value=False, why=_SPOT_IS_RENTED))
    of_gpu = gpu_price.buy(budget, gpu, catalog, freshness, months)
    of_fabric = fabric_price.buy(questionnaire, fabric, months, bill, catalog, freshness)
    gpus, sites = questionnaire.cluster.gpus, questionnaire.cluster.sites
    said = questionnaire.cluster.gpus_per_node or (-(-gpus // nodes) if gpu.nodes_vary else None)
    machine = machine_of(gpu, catalog, said)
    watts = 0.0
    if of_gpu.origin != "quoted":
        of_gpu = _whole(of_gpu, machine, gpus, sites)
        watts = machine.watts * machine.count(gpus, sites) / gpus
    network = 0.0
    if of_fabric.origin != "quoted":
        network = network_watts(fabric, bill)
        network += supernic_watts(machine, fabric, bill.nics, catalog) if bill else 0.0
    if watts:
        _assume(assumptions, f"kW of a machine of {machine.gpus} GPUs", machine.watts / 1e3, machine.source)
    electricity = _electricity(questionnaire, catalog, assumptions)
    return Owned(
        of_gpu,
        of_fabric,
        electricity.priced(f"power of {gpu.name}", watts, freshness) if watts else None,
        electricity.priced(f"power of {fabric.name}", network, freshness) if network else None,
        Upkeep(
            _support(of_gpu, months, catalog, assumptions),
            _support(of_fabric, months, catalog, assumptions),
            _staff(questionnaire, fabric, of_fabric, nodes, catalog, assumptions),
        ),
        months,
    )


def _whole(each: Priced, machine: Machine, gpus: int, sites: int) -> Priced:
    """The price of a GPU that works, where machines are sold whole and the last is not full."""
    bought = machine.gpus * machine.count(gpus, sites)
    if bought == gpus:
        return each
    idle = f"{bought:,} GPUs in whole {'racks' if machine.rack_scale else 'servers'} of {machine.gpus} for {gpus:,}"
    note = f"{idle} that work" + (f"; {each.note}" if each.note else "")
    return replace(each, value=each.value * bought / gpus, note=note)


def _electricity(questionnaire: Questionnaire, catalog: Catalog, assumptions: list[Assumption]) -> Electricity:
    """What it costs with cooling, and what of that was assumed."""
    found = Electricity.of(questionnaire.budget, catalog)
    _assume(assumptions, "power usage effectiveness", found.effectiveness.value, found.effectiveness.source)
    if found.listed is not None:
        _assume(assumptions, "budget.electricity_usd_per_kwh", found.listed.value, found.listed.source)
    return found


def _support(part: Priced, months: float, catalog: Catalog, assumptions: list[Assumption]) -> Priced | None:
    """A year's support in percent of the purchase, whatever it is written off over."""
    if part.origin in ("quoted", "included", "none") or not part.value:
        return None
    share = constant(catalog.constants, "cost-support")
    _assume(assumptions, "support a year, percent of the purchase", share.value, share.source)
    usd = arithmetic.capital(part.value, months) * share.si / HOURS_PER_YEAR
    return Priced(f"support of {part.what}", usd, "USD/GPU-h", "derived", share.source, share.date)


def engineers(fabric: Fabric, team: str, nodes: int, catalog: Catalog) -> float:
    """Network engineers to hire: for every step of skill that the team lacks one for so many nodes, a part of one at
    least."""
    steps = SKILLS.index(fabric.skills) - SKILLS.index(team)
    if steps <= 0 or nodes < 2:
        return 0.0
    each, least = (constant(catalog.constants, name).si for name in ("cost-nodes-per-engineer", "cost-engineer-least"))
    return steps * max(least, nodes / each)


def _staff(
    questionnaire: Questionnaire,
    fabric: Fabric,
    part: Priced,
    nodes: int,
    catalog: Catalog,
    assumptions: list[Assumption],
) -> Priced | None:
    team = questionnaire.constraints.network_team
    people = 0.0 if part.origin == "quoted" else engineers(fabric, team, nodes, catalog)
    if not people:
        return None
    salary = constant(catalog.constants, "cost-engineer")
    why = f"{fabric.name} asks for {_SKILL[fabric.skills]}, the team has {_SKILL[team]}: {salary.value:,.0f} USD a year"
    _assume(assumptions, "network engineers to hire", round(people, 2), f"{why} each, {salary.source}")
    usd = people * salary.si / HOURS_PER_YEAR / questionnaire.cluster.gpus
    note = f"{people:.2g} engineers"
    return Priced("staff for the network", usd, "USD/GPU-h", "derived", salary.source, salary.date, note=note)


_SKILL = {"none": "no network skill", "some": "some network skill", "expert": "expert network skill"}


def _assume(assumptions: list[Assumption], field: str, value: float, source: str) -> None:
    if all(taken.field != field for taken in assumptions):
        assumptions.append(Assumption(field=field, value=value, why=source.replace("derived: ", "")))
