"""Bytes, FLOPs and traffic of a model, from its architecture."""

from __future__ import annotations

from assistant.model import Job, architecture_of, machine_of
from assistant.model.search import layouts_for
from assistant.model.traffic import traffic_of
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.questionnaire import Parallelism

from .registry import formula

GPUS_PER_NODE = 8


@formula
def parameter_bytes(parameters: float, bytes_per_parameter: float) -> float:
    """parameters · bytes per parameter"""
    return parameters * bytes_per_parameter


@formula
def parameters_of(catalog: Catalog, model: str) -> float:
    """parameters summed from the model's dimensions"""
    return architecture_of(catalog.models[model]).params


@formula
def model_bytes(catalog: Catalog, model: str, precision: str) -> float:
    """parameters summed from the model's dimensions · bytes of the precision"""
    return architecture_of(catalog.models[model]).bytes(precision)


@formula
def layer_bytes(catalog: Catalog, model: str) -> float:
    """parameters of one layer, summed from the model's dimensions · 2 bytes"""
    architecture = architecture_of(catalog.models[model])
    return 2.0 * (architecture.shared_layer_params + architecture.expert_layer_params)


@formula
def state_per_gpu(parameters: float, bytes_per_parameter: float, gpus: float) -> float:
    """parameters · bytes per parameter ÷ GPUs that share them"""
    return parameters * bytes_per_parameter / gpus


@formula
def model_state_per_gpu(catalog: Catalog, model: str, bytes_per_parameter: float, gpus: float) -> float:
    """parameters summed from the model's dimensions · bytes per parameter ÷ GPUs"""
    return architecture_of(catalog.models[model]).params * bytes_per_parameter / gpus


@formula
def step_flops(catalog: Catalog, model: str, tokens: float) -> float:
    """6 · parameters · tokens"""
    return 6.0 * architecture_of(catalog.models[model]).params * tokens


@formula
def model_flops_utilization(catalog: Catalog, model: str, tokens_per_s: float, gpu: str) -> float:
    """6 · parameters · tokens/s of one GPU ÷ its dense BF16 peak"""
    return 6.0 * architecture_of(catalog.models[model]).params * tokens_per_s / catalog.gpus[gpu].peak_bf16.si


@formula
def step_time(tokens: float, tokens_per_s: float, parts: float = 1) -> float:
    """tokens of one GPU's step ÷ its tokens/s, ÷ parts"""
    return tokens / tokens_per_s / parts


@formula
def extra_step_time(tokens: float, tokens_per_s: float, slower_tokens_per_s: float) -> float:
    """tokens ÷ slower tokens/s − tokens ÷ tokens/s, of one GPU"""
    return tokens / slower_tokens_per_s - tokens / tokens_per_s


def _into_node(catalog: Catalog, model: str, gpus: float, strategy: str, global_batch: float | None = None) -> float:
    """Bytes into one H100 node per optimizer step with one sequence per GPU unless ``global_batch`` says otherwise."""
    gpu = catalog.gpus["h100-sxm"]
    machine = machine_of(gpu, catalog.scale_ups[gpu.scale_up], int(gpus), GPUS_PER_NODE)
    job = Job(
        architecture_of(catalog.models[model]),
        int(gpus),
        sequence_length=2048,
        global_batch=int(global_batch or gpus),
        micro_batch=int(global_batch or gpus) // int(gpus),
        recompute="none",
    )
    return float(
        traffic_of(
            job, machine, layouts_for(job, machine, Parallelism.model_validate({"strategy": strategy}))
        ).into_domain["dp"][0]
    )


@formula
def sharded_over_data_parallel(catalog: Catalog, model: str, gpus: float) -> float:
    """bytes into a node of FSDP ÷ those of plain data parallelism"""
    return _into_node(catalog, model, gpus, "fsdp") / _into_node(catalog, model, gpus, "ddp")


@formula
def gradient_traffic_ratio(catalog: Catalog, model: str, gpus: float, batch: float, larger_batch: float) -> float:
    """bytes into a node of plain data parallelism with the larger global batch ÷ those with the smaller"""
    return _into_node(catalog, model, gpus, "ddp", larger_batch) / _into_node(catalog, model, gpus, "ddp", batch)


@formula
def rate_needed(catalog: Catalog, model: str, nodes: float, step: float) -> float:
    """least bytes into a node per FSDP micro-step, 3 · 2P · (n−1)/n, ÷ the time of the step"""
    return 3.0 * architecture_of(catalog.models[model]).bytes("bf16") * (nodes - 1.0) / nodes / step


@formula
def sharded_tokens_per_s(catalog: Catalog, model: str, gpus: float, tokens_per_gpu: float, node_rate: float) -> float:
    """GPUs · tokens of one GPU ÷ (3 · 2P · (N−1)/N bytes into a node per FSDP micro-step ÷ rate into the node)"""
    return gpus * tokens_per_gpu * node_rate / _into_node(catalog, model, gpus, "fsdp")


@formula
def data_parallel_slowdown(
    catalog: Catalog, model: str, nodes: float, tokens: float, gpu_flops: float, rate: float, reference_rate: float
) -> float:
    """(time of 2(n−1)/n · 2P at the rate − at the reference rate) ÷ time of 6P · tokens; nothing overlapped"""
    architecture = architecture_of(catalog.models[model])
    compute = 6.0 * architecture.params * tokens / (nodes * GPUS_PER_NODE * gpu_flops)
    moved = 2.0 * (nodes - 1.0) / nodes * architecture.bytes("bf16")
    slow, fast = moved / rate, moved / reference_rate
    return (slow - fast) / (compute + fast)
