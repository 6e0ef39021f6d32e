"""What machines of one's own cost per GPU-hour: the purchase written off, power and cooling, support, and engineers
where the network asks for more skill than the team has."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assistant.vocabulary.added import added
from assistant.vocabulary.catalog import Catalog, Fabric, Gpu
from assistant.vocabulary.plan import Assumption
from assistant.vocabulary.quantities import HOURS_PER_YEAR
from assistant.vocabulary.questionnaire import Questionnaire

from . import arithmetic, fabric_price, gpu_price
from .bought_quote import SUPPORT, bought_as_quoted
from .electricity import Electricity
from .fabric_price import NetworkBill
from .machine_power import Machine, machine_of, network_watts, supernic_watts
from .offered import Offered
from .priced import Freshness, Priced, assumed, constant, nothing

SKILLS = ("none", "some", "expert")
_ALWAYS_BUSY = (
    "bought machines are counted as busy in every hour of these months, without interest, racks, building or resale"
)
_THERE = "there already: nothing is paid for it"
_SUNK = (
    "of what is there already power, cooling, support and people are counted; what was paid for it is spent whatever "
    "is done, and what else it could do in that time is not counted (give budget.gpu_hour_usd to count it)"
)
_WORTH = (
    "what was paid for what is there already is spent whatever is done; an hour of its GPUs is counted at "
    "budget.gpu_hour_usd, their power, cooling and support in it"
)
_NAMED = "; the network that was named is counted as bought: everything says that it is there too"
_WHICH_NETWORK = "everything was said to be there, but not which network (cluster.fabric): each is counted as bought"
_SPOT_IS_RENTED = "spot is a way of renting and does not apply to machines that are bought: nobody takes them away"


@dataclass(frozen=True)
class Upkeep:
    """USD per GPU-hour on top of write-off and power; ``None`` where there is none. ``of_quote``: what of it moves with
    the sum of a quote."""

    gpu_support: Priced | None = None
    fabric_support: Priced | None = None
    staff: Priced | None = None
    of_quote: float = 0.0

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
    sunk: float = 0.0  # of the price of the GPU, USD per GPU-hour for machines that nobody buys any more


def owned(
    questionnaire: Questionnaire,
    gpu: Gpu,
    fabric: Fabric,
    catalog: Catalog,
    freshness: Freshness,
    bill: NetworkBill | None,
    nodes: int,
    taken: Offered | None,
    assumptions: list[Assumption],
) -> Owned:
    """What owning GPU and fabric costs; ``assumptions`` is filled with what it rests on.

    A price of a GPU-hour or of the network that was said is taken as it stands, power and upkeep and all; ``taken`` is
    a quote of what is bought, which is kept like all else that is: with power, and with support of its own sum.
    """
    months = questionnaire.budget.amortization_months
    if months is None:
        usual = constant(catalog.constants, "cost-amortization")
        months = usual.value
        _assume(assumptions, "budget.amortization_months", usual.value, usual.source)
    assumptions += _of_what_is_there(questionnaire)
    if questionnaire.budget.spot:
        assumptions.append(Assumption(field="budget.spot", value=False, why=_SPOT_IS_RENTED))
    machine = _machine(questionnaire, gpu, catalog, nodes)
    machines = _machines(
        questionnaire, gpu, machine, gpu_price.buy(questionnaire.budget, gpu, catalog, freshness, months)
    )
    new = fabric_price.buy(questionnaire, fabric, months, bill, catalog, freshness)
    network = _network(questionnaire, fabric, machine, new, bill, catalog)
    if taken is not None:
        paid = bought_as_quoted(machines.left, network.left, taken, questionnaire, months, catalog)
        of_it = taken.quote is not None and SUPPORT in taken.quote.includes
        machines, network = (p.paid(one, of_it) for p, one in zip((machines, network), paid, strict=True))
    if machines.watts:
        _assume(assumptions, f"kW of a machine of {machine.gpus} GPUs", machine.watts / 1e3, machine.source)
    electricity = _electricity(questionnaire, catalog, assumptions)
    of_machines, of_network = (_support(part, months, catalog, assumptions) for part in (machines, network))
    power = lambda part, name: electricity.priced(f"power of {name}", part.watts, freshness) if part.watts else None
    return Owned(
        machines.left,
        network.left,
        power(machines, gpu.name),
        power(network, fabric.name),
        Upkeep(
            of_machines,
            of_network,
            _staff(questionnaire, fabric, network.new, nodes, catalog, assumptions),
            added(s.value * p.of_quote for s, p in ((of_machines, machines), (of_network, network)) if s),
        ),
        months,
        machines.sunk,
    )


@dataclass(frozen=True)
class _Part:
    """The machines or the network, each per GPU: the price as ``new``, what is ``left`` to buy, the watts it draws;
    ``sunk``: USD per GPU-hour of ``left`` that buy nothing. ``supported``: USD per GPU-hour of the price on which
    support is counted, whoever paid it, and ``of_quote`` the share of that which was quoted; ``in_quote``: that support
    is part of a sum that was quoted."""

    new: Priced
    left: Priced
    watts: float
    sunk: float = 0.0
    supported: float = 0.0
    of_quote: float = 0.0
    in_quote: bool = False

    @classmethod
    def listed(cls, new: Priced, left: Priced, watts: float) -> _Part:
        return cls(new, left, watts, supported=new.value)

    def paid(self, price: Priced, with_support: bool) -> _Part:
        """With the ``price`` of a quote, ``with_support`` or without; support of what is there stays."""
        if price is self.left:
            return self
        there = max(0.0, self.supported - self.left.value)
        covered = with_support and price.value > 0
        quoted = 0.0 if covered else price.value
        whole = there + quoted
        return replace(self, left=price, supported=whole, of_quote=quoted / whole if whole else 0.0, in_quote=covered)


def _machine(questionnaire: Questionnaire, gpu: Gpu, catalog: Catalog, nodes: int) -> Machine:
    """The server or rack that is bought: as many GPUs in it as were said, else as usual."""
    cluster = questionnaire.cluster
    return machine_of(gpu, catalog, cluster.gpus_per_node or (-(-cluster.gpus // nodes) if gpu.nodes_vary else None))


def _machines(questionnaire: Questionnaire, gpu: Gpu, machine: Machine, each: Priced) -> _Part:
    """Whole machines, but where some of one are left to others; a quoted price is that of everything in them."""
    gpus, sites = questionnaire.cluster.gpus, questionnaire.cluster.sites
    if each.origin == "quoted":
        return _Part(each, each, 0.0, each.value * questionnaire.owned_gpus / gpus)
    if questionnaire.shares_a_machine(machine.gpus):
        watts = machine.watts / machine.gpus
    else:
        each = _whole(each, machine, gpus, sites)
        watts = machine.watts * machine.count(gpus, sites) / gpus
    return _Part.listed(each, _left_to_buy(each, gpu, machine, questionnaire), watts)


def _network(
    questionnaire: Questionnaire,
    fabric: Fabric,
    machine: Machine,
    each: Priced,
    bill: NetworkBill | None,
    catalog: Catalog,
) -> _Part:
    """The network as drawn, with what its adapters draw; one that is there is not bought."""
    if each.origin == "quoted":
        return _Part(each, each, 0.0)
    watts = network_watts(fabric, bill) + (supernic_watts(machine, fabric, bill.nics, catalog) if bill else 0.0)
    there = questionnaire.budget.network_there and fabric.id == questionnaire.cluster.fabric
    return _Part.listed(each, _joined_already(each, fabric, questionnaire) if there else each, watts)


def _of_what_is_there(questionnaire: Questionnaire) -> list[Assumption]:
    """What is counted of machines and network that are there, and how much what is bought is in use."""
    budget, named = questionnaire.budget, questionnaire.cluster.fabric is not None
    if not questionnaire.owned_gpus:
        return [assumed("budget.mode", "buy", _ALWAYS_BUSY)]
    of_it = _SUNK if budget.gpu_hour_usd is None else _WORTH
    why = f"{of_it}{_NAMED if named and not budget.network_there else ''}; {_ALWAYS_BUSY}"
    unnamed = budget.network_there and not named
    told = [Assumption(field="budget.owned", value="machines" if unnamed else budget.owned, why=why)]
    if unnamed:
        told.append(Assumption(field="cluster.fabric", value="not said", why=_WHICH_NETWORK))
    return told


def _whole(each: Priced, machine: Machine, gpus: int, sites: int) -> Priced:
    """The price of a GPU that works, where machines are sold whole and the last is not full."""
    bought = machine.gpus * machine.count(gpus, sites)
    if bought == gpus:
        return each
    idle = f"{bought:,} GPUs in whole {'racks' if machine.rack_scale else 'servers'} of {machine.gpus} for {gpus:,}"
    note = f"{idle} that work"
    return _counted(each, bought / gpus, note)


def _left_to_buy(each: Priced, gpu: Gpu, machine: Machine, questionnaire: Questionnaire) -> Priced:
    """The price of a GPU that works, of which only what is not there is paid for, in whole machines."""
    there, cluster = questionnaire.owned_gpus, questionnaire.cluster
    whole = machine.count(cluster.gpus, cluster.sites)
    bought = max(0, whole - -(-there // machine.gpus))
    if not there or bought == whole:
        return each
    if not bought:
        return nothing(gpu.name, _THERE)
    note = f"{bought:,} of {whole:,} machines, the others are there already"
    return _counted(each, bought / whole, note)


def _joined_already(each: Priced, fabric: Fabric, questionnaire: Questionnaire) -> Priced:
    """The price of a network that joins the GPUs that are there, of which the others' share is paid for."""
    there, gpus = questionnaire.owned_gpus, questionnaire.cluster.gpus
    if there == gpus or not each.value:
        return nothing(fabric.name, _THERE)
    note = f"the share of {gpus - there:,} of {gpus:,} GPUs, the others are joined already"
    return _counted(each, (gpus - there) / gpus, note)


def _counted(each: Priced, share: float, why: str) -> Priced:
    """So much of a price as is paid for each GPU that works."""
    note = why + (f"; {each.note}" if each.note else "")
    return replace(each, value=each.value * share, share=each.share * share, note=note)


def _electricity(questionnaire: Questionnaire, catalog: Catalog, assumptions: list[Assumption]) -> Electricity:
    """What it costs with cooling, and what of that was assumed."""
    found = Electricity.of(questionnaire.budget, catalog)
    if found.usual is not None:
        _assume(assumptions, "power usage effectiveness", found.usual.value, found.usual.source)
    if found.listed is not None:
        _assume(assumptions, "budget.electricity_usd_per_kwh", found.listed.value, found.listed.source)
    return found


def _support(part: _Part, months: float, catalog: Catalog, assumptions: list[Assumption]) -> Priced | None:
    """A year's support in percent of the purchase, whatever it is written off over."""
    what = f"support of {part.new.what}"
    if not part.supported:
        return nothing(what, "in the quote", "included") if part.in_quote else None
    share = constant(catalog.constants, "cost-support")
    _assume(assumptions, "support a year, percent of the purchase", share.value, share.source)
    usd = arithmetic.capital(part.supported, months) * share.si / HOURS_PER_YEAR
    return Priced(what, usd, "USD/GPU-h", "derived", share.source, share.date)


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
        assumptions.append(assumed(field, value, source.replace("derived: ", "")))
