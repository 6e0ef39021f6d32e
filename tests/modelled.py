"""Jobs and machines from the real catalog, for the tests of the model."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from assistant.library import load
from assistant.model import Job, Machine, Network, architecture_of, machine_of, network_of
from assistant.vocabulary.catalog import Catalog


@lru_cache
def catalog() -> Catalog:
    return load().catalog


def machine(gpus: int, gpu: str = "h100-sxm", gpus_per_node: int | None = None) -> Machine:
    entry = catalog().gpus[gpu]
    return machine_of(
        entry, catalog().scale_ups[entry.scale_up], gpus, gpus_per_node or entry.gpus_per_node, catalog().constants
    )


def network(fabric: str, on: Machine, nics: int | None = None) -> Network:
    return network_of(catalog().fabrics[fabric], nics, on)


def azure_sockets(on: Machine) -> Network:
    """TCP as it was on the corrected Azure runs: an adapter of 80 Gb/s of which NCCL reached 3.19 GB/s."""
    tcp = network("ethernet-tcp-100", on)
    return replace(tcp, gpu_rate=3.19e9 / on.gpus_per_node, nic_rate=3.19e9)


def job(model: str, gpus: int, **changes) -> Job:
    return Job(architecture_of(catalog().models[model]), gpus, **changes)
