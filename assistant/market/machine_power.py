"""What machines draw: the maximum their makers state, and how many stand in a rack."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from assistant.vocabulary.catalog import Catalog, Fabric, Fact, Gpu

from .fabric_price import NetworkBill
from .priced import constant

SHARED_CARD = 400e9 / 8  # up to this line rate Spectrum-X is joined by BlueField-3, beyond by ConnectX-8


@dataclass(frozen=True)
class Machine:
    """A node, or a rack whose GPUs share one scale-up domain: its GPUs, and its watts with processors and adapters."""

    gpus: int
    watts: float
    source: str
    rack_scale: bool

    def count(self, gpus: int, sites: int = 1) -> int:
        """Whole machines for so many GPUs, alike at every site."""
        return sites * ceil(gpus / sites / self.gpus)

    def draws(self, gpus: int, sites: int = 1) -> float:
        """Watts of the machines of so many GPUs, all they hold; of a part of a single machine its share."""
        return self.watts * (self.count(gpus, sites) if gpus >= self.gpus else gpus / self.gpus)

    def in_rack(self, rack_watts: float) -> int:
        """How many of them stand in one rack, one at least."""
        return 1 if self.rack_scale else max(1, int(rack_watts // self.watts))


def machine_of(gpu: Gpu, catalog: Catalog, per_node: int | None = None) -> Machine:
    """The machine of a GPU as it is usually sold, or of ``per_node`` GPUs; where nobody states its power, its GPUs' in
    the ratio of one that is known."""
    rack_scale = gpu.scale_up_domain > gpu.gpus_per_node
    usual = gpu.scale_up_domain if rack_scale else gpu.gpus_per_node
    gpus = usual if rack_scale or per_node is None else per_node
    known = catalog.constants.get(f"power-machine-{gpu.id}")
    if known is not None:
        return Machine(gpus, known.si * gpus / usual, _told(known), rack_scale)
    over = constant(catalog.constants, "power-machine-over-gpus")
    source = f"{over.value:g} times its GPUs' {gpu.power.value:g} W, as of a DGX H100: no figure of this machine"
    return Machine(gpus, over.si * gpus * gpu.power.si, source, rack_scale)


def supernic_watts(machine: Machine, fabric: Fabric, nics_per_gpu: float, catalog: Catalog) -> float:
    """Watts per GPU by which adapters in a machine draw more than those its figure contains; that of a whole rack is
    of the rack as it is sold."""
    if machine.rack_scale or fabric.technology != "spectrum-x" or fabric.nic_rate > SHARED_CARD:
        return 0.0
    return nics_per_gpu * constant(catalog.constants, "power-supernic-extra").si


def network_watts(fabric: Fabric, bill: NetworkBill | None) -> float:
    """Watts per GPU of switches and optics: by the network's own bill, else by the catalog."""
    if bill is not None:
        return bill.watts
    return fabric.power_per_gpu.si if fabric.power_per_gpu is not None else 0.0


def _told(fact: Fact) -> str:
    return fact.source.removeprefix("derived: ")
