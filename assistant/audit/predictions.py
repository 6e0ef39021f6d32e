"""What the quantitative model says of a measured figure: bus bandwidth, throughput, utilisation, and the size of a
network."""

from __future__ import annotations

from dataclasses import replace

from assistant.model import (
    Job,
    Machine,
    Outcome,
    all_reduce_time,
    architecture_of,
    bus_bandwidth,
    machine_of,
    network_of,
    predict_training,
)
from assistant.network.topology import design
from assistant.vocabulary.answers import FabricDesign
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.questionnaire import Parallelism

from .registry import formula


def _machine(catalog: Catalog, gpu: str, gpus: int) -> Machine:
    entry = catalog.gpus[gpu]
    return machine_of(entry, catalog.scale_ups[entry.scale_up], gpus, min(gpus, entry.gpus_per_node), catalog.constants)


@formula
def predicted_bus_bandwidth(
    catalog: Catalog, fabric: str, gpu: str, nodes: float, message: float, switches_add: str = "yes"
) -> float:
    """the model's all-reduce over so many usual nodes, as nccl-tests prints it; switches_add: with SHARP where there is
    any"""
    gpus = int(nodes) * catalog.gpus[gpu].gpus_per_node
    machine = _machine(catalog, gpu, gpus)
    network = network_of(catalog.fabrics[fabric], None, machine)
    network = replace(network, in_network_reduction=network.in_network_reduction and switches_add == "yes")
    return bus_bandwidth("all_reduce", message, all_reduce_time(network, machine, message), gpus)


def _outcome(
    catalog: Catalog,
    model: str,
    gpu: str,
    gpus: float,
    fabric: str,
    sequence: float,
    global_batch: float,
    micro_batch: float,
    strategy: str,
    framework: str,
) -> Outcome:
    """The outcome of one split, or of the fastest one (``auto``); a micro-batch of 0 is left to the model."""
    machine = _machine(catalog, gpu, int(gpus))
    job = Job(
        architecture_of(catalog.models[model]),
        int(gpus),
        sequence_length=int(sequence),
        global_batch=int(global_batch),
        micro_batch=int(micro_batch) or None,
        framework=framework,
    )
    split = None if strategy == "auto" else Parallelism.model_validate({"strategy": strategy})
    return predict_training(job, machine, [network_of(catalog.fabrics[fabric], None, machine)], split)[0]


@formula
def predicted_tokens_per_s(
    catalog: Catalog,
    model: str,
    gpu: str,
    gpus: float,
    fabric: str,
    sequence: float,
    global_batch: float,
    micro_batch: float = 0,
    strategy: str = "fsdp",
    framework: str = "fsdp",
) -> float:
    """the model's training throughput of all GPUs"""
    found = _outcome(catalog, model, gpu, gpus, fabric, sequence, global_batch, micro_batch, strategy, framework)
    return gpus * found.tokens_per_s_per_gpu


@formula
def predicted_utilization(
    catalog: Catalog,
    model: str,
    gpu: str,
    gpus: float,
    fabric: str,
    sequence: float,
    global_batch: float,
    micro_batch: float = 0,
    strategy: str = "fsdp",
    framework: str = "fsdp",
) -> float:
    """the model's FLOPs utilisation of a training step"""
    return _outcome(catalog, model, gpu, gpus, fabric, sequence, global_batch, micro_batch, strategy, framework).mfu


def _design(catalog: Catalog, fabric: str, gpus: float) -> FabricDesign:
    return design(catalog.fabrics[fabric], catalog.gpus["h100-sxm"], int(gpus), None, None, catalog)


@formula
def switches_needed(catalog: Catalog, fabric: str, gpus: float) -> float:
    """switches of the non-blocking network the planner draws for so many H100"""
    return _design(catalog, fabric, gpus).switches


@formula
def cables_needed(catalog: Catalog, fabric: str, gpus: float) -> float:
    """cables of the non-blocking network the planner draws for so many H100"""
    cables = _design(catalog, fabric, gpus).cables
    return cables.node_leaf + cables.leaf_spine + cables.spine_core


@formula
def largest_two_tier_network(switch_ports: float) -> float:
    """ports² ÷ 2: end points of a non-blocking network of two tiers"""
    return switch_ports**2 / 2.0
