"""Power: of the machines and the network of a candidate, and of a plan by machine, by rack, in all and for its run."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from assistant.market import Machine, machine_of, supernic_watts
from assistant.vocabulary.answers import FabricDesign
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import PowerUse, RackPower

from .entry import Entry
from .resolve import Resolved


def fill_in(entries: list[Entry], job: Resolved, catalog: Catalog, designs: dict[str, FabricDesign]) -> None:
    """Kilowatts of every candidate: machines at their makers' maximum, switches and optics of its own design."""
    for entry in entries:
        joined = entry.inside or entry
        drawn = designs.get(joined.id)
        machines = _machine(joined, job, catalog, drawn).watts_per_gpu * job.gpus
        entry.power_kw = (machines + _network_watts(joined, job, drawn)) / 1e3


def _machine(entry: Entry, job: Resolved, catalog: Catalog, design: FabricDesign | None) -> Machine:
    """The job's machine with the adapters of the candidate in it: they draw there, and the network without them."""
    machine = machine_of(job.gpu, catalog)
    extra = supernic_watts(machine, entry.considered.fabric, design.nics / design.gpus, catalog) if design else 0.0
    if not extra:
        return machine
    source = f"{machine.source}; {extra * machine.gpus:,.0f} W more for its {entry.considered.fabric.name} adapters"
    return replace(machine, watts=machine.watts + extra * machine.gpus, source=source)


def _network_watts(entry: Entry, job: Resolved, design: FabricDesign | None) -> float:
    """Of switches and optics."""
    fabric = entry.considered.fabric
    if design is None:
        return job.gpus * fabric.power_per_gpu.si if fabric.power_per_gpu else 0.0
    return job.sites * design.power_w


def power_use(chosen: Entry | None, job: Resolved, design: FabricDesign | None, catalog: Catalog) -> PowerUse | None:
    """What a plan tells of power; ``design``: of the network of its choice. ``None`` where nothing works."""
    if chosen is None:
        return None
    joined = chosen.inside or chosen
    machine = _machine(joined, job, catalog, design)
    machines_kw, rack_kw = machine.watts_per_gpu * job.gpus / 1e3, catalog.constants["power-rack"].si / 1e3
    network_kw = _network_watts(joined, job, design) / 1e3
    it_kw = machines_kw + network_kw
    effectiveness = catalog.constants["cost-power-usage-effectiveness"].value
    said = job.questionnaire.budget.electricity_usd_per_kwh
    each = catalog.constants["cost-electricity"].value if said is None else said
    kwh = it_kw * effectiveness * chosen.median_hours
    count, together = machine.count(job.gpus), machine.in_rack(rack_kw * 1e3)
    what, standing = _of_machines(job, machine.rack_scale), ceil(count / together)
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
        power_usage_effectiveness=effectiveness,
        site_kw=it_kw * effectiveness,
        racks=[rack for rack in racks if rack.count],
        run_kwh=kwh,
        usd_per_kwh=each,
        run_usd=kwh * each,
    )


def _racks(what: str, count: int, kw: float) -> RackPower:
    return RackPower(what=what, count=count, kw=kw / max(count, 1))


def _of_machines(job: Resolved, rack_scale: bool) -> str:
    return f"{job.gpu.name} rack" if rack_scale else f"servers of {job.gpus_per_node} {job.gpu.name}"
