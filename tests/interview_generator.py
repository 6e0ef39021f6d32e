"""Jobs nobody picked by hand: the people of the interview drawn at random, the same ones for the same seed.

Every job is one that somebody could have: the model fits the cluster, the provider sells the GPU, the batch divides.
What people leave unsaid is left out as often as they would leave it out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from assistant.vocabulary.catalog import Catalog, Gpu

_WORKLOADS = {
    "pretraining": 50,
    "finetuning": 25,
    "rlhf": 8,
    "inference": 8,
    "disaggregated-inference": 5,
    "batch-inference": 4,
}
_GPUS = {
    "h100-sxm": 34,
    "h200-sxm": 16,
    "a100-sxm-80gb": 14,
    "b200": 10,
    "mi300x": 8,
    "gb200": 5,
    "b300": 4,
    "a100-sxm-40gb": 3,
    "h100-pcie": 3,
    "mi355x": 3,
}
_NODES = {1: 4, 2: 14, 3: 4, 4: 18, 6: 4, 8: 18, 12: 4, 16: 14, 32: 10, 64: 6, 128: 3, 256: 1}
_FABRICS = (
    "infiniband-ndr-400",
    "infiniband-hdr-200",
    "roce-v2-400",
    "roce-v2-200",
    "spectrum-x-400",
    "ethernet-tcp-100",
    "ethernet-tcp-25",
)
_BYTES_PER_PARAMETER = {
    "inference": 2.4,
    "disaggregated-inference": 2.4,
    "batch-inference": 2.4,
}  # else 18: weights and optimizer


def jobs(seed: int, count: int, catalog: Catalog, works: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """``count`` jobs as dotted fields; ``works`` says whether the planner takes a job at all."""
    found: list[dict[str, Any]] = []
    for job in _drawn(random.Random(seed), catalog):
        if works(job):
            found.append(job)
        if len(found) == count:
            return found
    return found


def _drawn(rng: random.Random, catalog: Catalog) -> Iterator[dict[str, Any]]:
    while True:
        workload, gpu = _one_of(rng, _WORKLOADS), catalog.gpus[_one_of(rng, _GPUS)]
        per_node = max(gpu.gpus_per_node, gpu.scale_up_domain)
        gpus = per_node * min(_one_of(rng, _NODES), 4096 // per_node)
        need = _BYTES_PER_PARAMETER.get(workload, 18.0)
        fitting = [
            m.id
            for m in catalog.models.values()
            if gpus * gpu.memory.si * 0.6 > need * m.params.si > gpus * gpu.memory.si / 4000
        ]
        if not fitting:
            continue
        job = {"workload": workload, "model": rng.choice(fitting), "cluster.gpu": gpu.id, "cluster.gpus": gpus}
        job |= {
            **_where(rng, gpu.id, gpus > per_node, catalog),
            **_constraints(rng, gpu),
            **(_load(rng) if need < 18 else _training(rng, gpus, workload)),
        }
        yield job | (
            {"budget.spot": False} if job.get("budget.mode") == "buy" else {}
        )  # nobody takes away what one owns


def _one_of(rng: random.Random, weights: dict[Any, int]) -> Any:
    return rng.choices(list(weights), list(weights.values()))[0]


def _where(rng: random.Random, gpu: str, crosses: bool, catalog: Catalog) -> dict[str, Any]:
    """Nobody with a single node has a network between nodes."""
    if rng.random() < 0.2 and crosses:
        return {"cluster.fabric": rng.choice(_FABRICS), "budget.mode": rng.choice(["rent", "buy"])}
    draw = rng.random()
    if draw < 0.4:
        return {"budget.mode": "rent"}
    if draw < 0.6:
        return {"budget.mode": "buy"}
    sold = [p.id for p in catalog.providers.values() if any(o.gpu == gpu for o in p.offers)]
    return {"budget.mode": "rent", **({"cluster.provider": rng.choice(sold)} if sold else {})}


def _constraints(rng: random.Random, gpu: Gpu) -> dict[str, Any]:
    said: dict[str, Any] = {
        "constraints.network_team": rng.choice(["none", "some", "some", "expert"]),
        "constraints.vendor_neutral": rng.random() < 0.15,
        "budget.spot": rng.random() < 0.12,
    }
    if rng.random() < 0.3 and gpu.hour_price:
        said["budget.gpu_hour_usd"] = round(gpu.hour_price.value * rng.uniform(0.5, 1.8), 2)
    return said


def _training(rng: random.Random, gpus: int, workload: str) -> dict[str, Any]:
    tokens = {"pretraining": (5e10, 3e12)}.get(workload, (2e8, 1e10))
    split = _one_of(rng, {"auto": 45, "fsdp": 35, "hsdp": 8, "zero1": 6, "ddp": 4, "": 6})
    said: dict[str, Any] = {
        "training.sequence_length": rng.choice([2048, 4096, 4096, 8192, 8192, 16384, 32768]),
        "training.global_batch": gpus * rng.choice([1, 2, 4, 8, 16]),
        "training.framework": rng.choice(["megatron", "megatron", "fsdp", "fsdp", "deepspeed", "jax"]),
        "training.tokens": float(f"{rng.uniform(*tokens):.2g}"),
    }
    for name in [n for n in list(said) if n != "training.tokens"]:
        if rng.random() < 0.15:
            del said[name]
    if split:
        said["parallelism" if split == "auto" else "parallelism.strategy"] = split
    if rng.random() < 0.12:
        said["constraints.deadline_days"] = float(rng.choice([7, 14, 30, 60, 120]))
    return said


def _load(rng: random.Random) -> dict[str, Any]:
    return {"inference.requests_per_s": float(rng.choice([2, 5, 10, 30, 100, 300]))} if rng.random() < 0.8 else {}
