"""The functions that formulas call, by their names in ``knowledge/formulas.yaml``; SI units in and out."""

from collections.abc import Callable
from dataclasses import replace
from math import log2, prod

from assistant.market import amortized, break_even_slowdown, run_cost
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
    synchronise,
)
from assistant.model.architecture import Architecture
from assistant.model.search import layouts_for
from assistant.model.traffic import traffic_of
from assistant.network import design
from assistant.vocabulary.answers import FabricDesign
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.questionnaire import Parallelism

Function = Callable[..., float]
PLAIN: dict[str, Function] = {
    "product": prod,
    "total": sum,
    "log2": log2,
    "run_cost": run_cost,
    "amortized": amortized,
    "break_even_slowdown": break_even_slowdown,
    "collective_volume": lambda kind, bytes, members: bus_bandwidth(kind, bytes, 1.0, int(members)),
    "exchange_per_step": lambda bytes, sites, link, every: (
        synchronise(bytes, int(sites), link, int(every), latency=0.0).per_step
    ),
}


def of_catalog(catalog: Catalog) -> dict[str, Function]:
    """The functions that take ids of a catalog."""

    def shape(model: str) -> Architecture:
        return architecture_of(catalog.models[model])

    def network(fabric: str, gpus: float) -> FabricDesign:
        return design(catalog.fabrics[fabric], catalog.gpus["h100-sxm"], int(gpus), None, None, catalog)

    return {
        "parameters_of": lambda model: shape(model).params,
        "bytes_of": lambda model, precision: shape(model).bytes(precision),
        "layer_parameters_of": lambda model: shape(model).shared_layer_params + shape(model).expert_layer_params,
        "peak_bf16_of": lambda gpu: catalog.gpus[gpu].peak_bf16.si,
        "bytes_into_node_fsdp": lambda *job: _bytes_into_node(catalog, "fsdp", *job),
        "bytes_into_node_ddp": lambda *job: _bytes_into_node(catalog, "ddp", *job),
        "all_reduce_bus_bandwidth": lambda *job: _bus_bandwidth(catalog, *job),
        "tokens_per_s_of_gpu": lambda *job: _outcome(catalog, *job).tokens_per_s_per_gpu,
        "utilization": lambda *job: _outcome(catalog, *job).mfu,
        "switches": lambda fabric, gpus: network(fabric, gpus).switches,
        "cables": lambda fabric, gpus: sum(network(fabric, gpus).cables.model_dump().values()),
    }


def _bytes_into_node(catalog: Catalog, strategy: str, model: str, gpus: float, global_batch: float) -> float:
    """Bytes into one node of eight H100 per optimizer step, one sequence per GPU where the batch has as many."""
    gpu, batch = catalog.gpus["h100-sxm"], int(global_batch)
    machine = machine_of(gpu, catalog.scale_ups[gpu.scale_up], int(gpus), 8)
    shape, each = architecture_of(catalog.models[model]), batch // int(gpus)
    job = Job(shape, int(gpus), sequence_length=2048, global_batch=batch, micro_batch=each, recompute="none")
    layouts = layouts_for(job, machine, Parallelism.model_validate({"strategy": strategy}))
    return float(traffic_of(job, machine, layouts).into_domain["dp"][0])


def _machine(catalog: Catalog, gpu: str, gpus: int) -> Machine:
    entry = catalog.gpus[gpu]
    per_node = min(gpus, entry.gpus_per_node)
    link, bridge = catalog.scale_up_of(entry, gpus, per_node), catalog.bridge_of(entry)
    return machine_of(entry, link, gpus, per_node, catalog.constants, bridge)


def _bus_bandwidth(catalog: Catalog, fabric: str, gpu: str, nodes: float, message: float, switches_add: str) -> float:
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
    batch: float,
    micro: float,
    strategy: str,
    framework: str,
) -> Outcome:
    """The outcome of one split, or of the fastest one (``auto``); a micro-batch of 0 is left to the model."""
    machine, shape = _machine(catalog, gpu, int(gpus)), architecture_of(catalog.models[model])
    sizes = {"sequence_length": int(sequence), "global_batch": int(batch), "micro_batch": int(micro) or None}
    split = None if strategy == "auto" else Parallelism.model_validate({"strategy": strategy})
    networks = [network_of(catalog.fabrics[fabric], None, machine)]
    return predict_training(Job(shape, int(gpus), framework=framework, **sizes), machine, networks, split)[0]
