"""Power: of the machines and the network of a candidate, and of a plan by machine, by rack, in all and for its run."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from assistant.market import Electricity, Machine, NetworkBill, machine_of, network_watts, supernic_watts
from assistant.vocabulary.added import added
from assistant.vocabulary.answers import FabricDesign
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import PowerUse, RackPower

from .design import Drawn, network_bill
from .entry import Entry
from .resolve import Resolved


def fill_in(entries: list[Entry], job: Resolved, catalog: Catalog, designs: dict[str, Drawn]) -> None:
    """Kilowatts of every candidate: machines at their makers' maximum, switches and optics of its own design."""
    for entry in entries:
        joined = entry.inside or entry
        drawn = designs.get(joined.id)
        machine = _machine(joined, job, catalog, drawn and drawn.design)
        entry.power_kw = added(_kilowatts(joined, job, machine, drawn and drawn.bill))


def _machine(entry: Entry, job: Resolved, catalog: Catalog, design: FabricDesign | None) -> Machine:
    """The job's machine with the adapters of the candidate in it: they draw there, and the network without them."""
    machine = machine_of(job.gpu, catalog, _per_machine(entry, job))
    extra = supernic_watts(machine, entry.considered.fabric, design.nics / design.gpus, catalog) if design else 0.0
    if not extra:
        return machine
    source = f"{machine.source}; {extra * machine.gpus:,.0f} W more for its {entry.considered.fabric.name} adapters"
    return replace(machine, watts=machine.watts + extra * machine.gpus, source=source)


def _per_machine(entry: Entry, job: Resolved) -> int | None:
    """GPUs of a machine: as was said; of one that is let, as its offer has it, which is rented whole."""
    offered = entry.priced and entry.priced.offered
    let = offered and offered.quote is None and job.questionnaire.budget.mode == "rent"
    said = job.questionnaire.cluster.gpus_per_node
    return offered.offer.gpus_per_node if offered and let and said is None else job.said_per_node


def _kilowatts(entry: Entry, job: Resolved, machine: Machine, bill: NetworkBill | None) -> tuple[float, float]:
    """Of all machines, and of switches and optics."""
    network = network_watts(entry.considered.fabric, bill)
    bought = job.questionnaire.budget.mode == "buy" and not job.questionnaire.shares_a_machine(machine.gpus)
    whole = bought and machine.watts * machine.count(job.gpus, job.sites)
    return (whole or machine.draws(job.gpus, job.sites)) / 1e3, network * job.gpus / 1e3


def power_use(chosen: Entry | None, job: Resolved, design: FabricDesign | None, catalog: Catalog) -> PowerUse | None:
    """What a plan tells of power; ``design``: of the network of its choice. ``None`` where nothing works."""
    if chosen is None:
        return None
    joined = chosen.inside or chosen
    machine = _machine(joined, job, catalog, design)
    machines_kw, network_kw = _kilowatts(joined, job, machine, network_bill(design) if design else None)
    it_kw, rack_kw = machines_kw + network_kw, catalog.constants["power-rack"].si / 1e3
    electricity = Electricity.of(job.questionnaire.budget, catalog)
    count, together = machine.count(job.gpus, job.sites), machine.in_rack(rack_kw * 1e3)
    what, standing = _of_machines(job, machine), ceil(count / together)
    if not machine.rack_scale and it_kw <= standing * rack_kw:
        racks = [_racks(f"{what}, with the switches" if network_kw else what, standing, it_kw)]
    else:
        racks = [
            _racks(what, standing, machines_kw),
            _racks("the network", ceil(network_kw / rack_kw), network_kw),
        ]
    return PowerUse(
        machines=count,
        gpus_per_machine=machine.gpus,
        machine_kw=machine.watts / 1e3,
        machine_source=machine.source,
        machines_kw=machines_kw,
        network_kw=network_kw,
        it_kw=it_kw,
        power_usage_effectiveness=electricity.effectiveness,
        site_kw=electricity.site_watts(it_kw),
        racks=[rack for rack in racks if rack.count],
        run_kwh=electricity.kwh(1e3 * it_kw, chosen.median_hours),
        usd_per_kwh=electricity.usd_per_kwh,
        run_usd=electricity.usd(1e3 * it_kw, chosen.median_hours),
    )


def _racks(what: str, count: int, kw: float) -> RackPower:
    return RackPower(what=what, count=count, kw=kw / max(count, 1))


def _of_machines(job: Resolved, machine: Machine) -> str:
    return f"{job.gpu.name} rack" if machine.rack_scale else f"servers of {machine.gpus} {job.gpu.name}"
