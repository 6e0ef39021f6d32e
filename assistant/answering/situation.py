"""The machine and the networks a question is about; what it does not say is assumed and said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assistant.model import Architecture, Machine, Network, architecture_of, machine_of, network_of
from assistant.planning import profile
from assistant.planning.resolve import Assumptions
from assistant.vocabulary.catalog import Catalog, Fabric, Gpu
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.questionnaire import ModelShape

from .asked import USUAL_GPU, Asked

USUAL_NODES = 8
_FASTEST_PLAIN = 100.0  # Gb/s; what is faster and between GPU nodes is sold for RDMA


@dataclass(frozen=True)
class Situation:
    """GPUs in nodes, as the model knows them."""

    gpu: Gpu
    gpus: int
    gpus_per_node: int
    machine: Machine

    @property
    def domains(self) -> int:
        """Nodes, or racks where the scale-up link joins a whole rack."""
        return self.machine.domains

    @property
    def where(self) -> str:
        """``8 nodes of 8 × NVIDIA H100 SXM``."""
        if self.domains == 1:
            return f"{self.gpus} {self.gpu.name} of one {self.unit}"
        return f"{self.domains} {self.unit}s of {min(self.machine.domain, self.gpus)} {self.gpu.name}"

    @property
    def unit(self) -> str:
        return "rack" if self.machine.domain > self.gpus_per_node else "node"


def gpu_of(asked: Asked, catalog: Catalog, taken: Assumptions) -> Gpu:
    """The GPU named, else an H100."""
    named = asked.fields.get("cluster.gpu")
    return catalog.gpus[named or taken.take("cluster.gpu", USUAL_GPU, "not said")]


def situation(asked: Asked, catalog: Catalog, taken: Assumptions) -> Situation:
    """The cluster a question names; without a size, eight usual nodes."""
    gpu = gpu_of(asked, catalog, taken)
    per_node = asked.fields.get("cluster.gpus_per_node")
    gpus = asked.fields.get("cluster.gpus")
    if gpus is None:
        gpus = taken.take(
            "cluster.gpus", USUAL_NODES * (per_node or gpu.gpus_per_node), f"not said: {USUAL_NODES} nodes"
        )
    if per_node is None:
        usual = min(gpu.gpus_per_node, gpus)
        per_node = next(n for n in range(usual, 0, -1) if gpus % n == 0)
        taken.take("cluster.gpus_per_node", per_node, f"the usual node of {gpu.name} has {gpu.gpus_per_node}")
    if gpus < 1 or per_node < 1 or gpus > 1_000_000:
        raise InputError(f"expected 1 to 1,000,000 GPUs, got {gpus}")
    machine = profile.on_machine(machine_of(gpu, catalog.scale_ups[gpu.scale_up], gpus, per_node, catalog.constants))
    return Situation(gpu, gpus, per_node, machine)


def fabrics(asked: Asked, catalog: Catalog, taken: Assumptions, gpu: Gpu) -> list[Fabric]:
    """The networks named, those a bare speed stands for, else InfiniBand at the GPU's usual speed."""
    found = [catalog.fabrics[name] for name in asked.fabrics if name in catalog.fabrics]
    for speed in asked.speeds:
        meant = _at_speed(speed, catalog)
        if meant is not None and meant not in found:
            taken.take("cluster.fabric", meant.id, f"{speed:g} Gb/s is taken as {meant.name}")
            found.append(meant)
    if found:
        return [fabric for fabric in found if fabric.line_rate is not None] or found
    usual = gpu.usual_nic_line_rate.si * 8 / 1e9
    meant = _at_speed(max(usual, 200.0), catalog) or catalog.fabrics["infiniband-ndr-400"]
    taken.take("cluster.fabric", meant.id, f"no network named: InfiniBand at the usual speed of {gpu.name}")
    return [meant]


def _at_speed(gbps: float, catalog: Catalog) -> Fabric | None:
    technology = "tcp" if gbps <= _FASTEST_PLAIN else "infiniband"
    return next(
        (
            f
            for f in catalog.fabrics.values()
            if f.technology == technology and f.line_rate and abs(f.line_rate.si * 8 / 1e9 - gbps) < 0.5
        ),
        None,
    )


def over(fabric: Fabric) -> str:
    """``over RoCE v2 400 Gb/s ``, and nothing where no network is crossed."""
    return "" if fabric.technology == "none" else f"over {fabric.name} "


def nics(fabric: Fabric, asked: Asked, at: Situation, taken: Assumptions) -> int:
    """NICs per node, as said, as the instance has them, else one per GPU for RDMA and one for TCP."""
    said = asked.fields.get("cluster.nics_per_node")
    if said is not None:
        return said
    if fabric.nics_per_node is not None:
        return taken.take("cluster.nics_per_node", fabric.nics_per_node, f"what an instance with {fabric.name} has")
    if fabric.transport in ("tcp", "wan"):
        return taken.take("cluster.nics_per_node", 1, f"one per node is usual for {fabric.name}")
    count = (
        min(at.gpu.nics_per_node, at.gpus_per_node) if at.gpus_per_node < at.gpu.gpus_per_node else at.gpu.nics_per_node
    )
    return taken.take("cluster.nics_per_node", count, f"one per GPU is usual for {fabric.name}")


def network(fabric: Fabric, count: int, at: Situation) -> Network:
    """The fabric as the collectives see it, with a user's own calibration where there is one."""
    return profile.on_network(network_of(fabric, count, at.machine), at.machine)


def model_of(asked: Asked, catalog: Catalog) -> tuple[str, Architecture] | None:
    """Name and architecture of the model in question; ``None`` when none is named, or none of that size can be."""
    named = asked.fields.get("model")
    if isinstance(named, str):
        return catalog.models[named].name, architecture_of(catalog.models[named])
    shape = {name.removeprefix("model."): value for name, value in asked.fields.items() if name.startswith("model.")}
    if shape.get("params") is None:
        return None
    try:
        return f"{_size(shape['params'])} model", architecture_of(ModelShape(params=shape["params"]))
    except ValueError:  # pydantic's, of a size beyond any model's
        return None


def params_of(asked: Asked, architecture: Architecture) -> float:
    """Parameters as said ("70B"), else summed from the model's dimensions."""
    return float(asked.fields.get("model.params") or architecture.params)


def _size(params: float) -> str:
    return f"{params / 1e12:.3g}T" if params >= 0.9995e12 else f"{params / 1e9:.3g}B"


def questionnaire(asked: Asked, **more: Any) -> dict[str, Any]:
    """The question's facts about the job as a nested questionnaire; ``more`` are dotted paths with ``__`` for the dot."""
    kept = {
        name: value
        for name, value in asked.fields.items()
        if name.split(".")[0] in ("workload", "model", "cluster", "training", "parallelism")
        and name != "cluster.fabric"
    }
    nested: dict[str, Any] = {}
    for path, value in (kept | {name.replace("__", "."): value for name, value in more.items()}).items():
        *parents, last = path.split(".")
        place = nested
        for name in parents:
            place = place.setdefault(name, {})
        place[last] = value
    return nested
