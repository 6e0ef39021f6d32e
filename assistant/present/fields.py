"""The questionnaire's fields in words: how a value is read back to the person."""

from __future__ import annotations

import re
from typing import Any

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Assumption

from .figures import significant

_NAMES = {
    "workload": "workload",
    "model": "model",
    "model.params": "parameters",
    "cluster.gpu": "GPU",
    "cluster.gpus": "GPUs",
    "cluster.nodes": "nodes",
    "cluster.gpus_per_node": "GPUs per node",
    "cluster.nics_per_node": "NICs per node",
    "cluster.fabric": "network",
    "cluster.provider": "provider",
    "cluster.sites": "sites",
    "cluster.oversubscription": "oversubscription",
    "cluster.adaptive_routing": "adaptive routing",
    "cluster.wan_gbps": "link between sites",
    "training.sequence_length": "sequence length",
    "training.global_batch": "global batch",
    "training.micro_batch": "micro-batch",
    "training.precision": "precision",
    "inference.precision": "precision",
    "training.recompute": "recomputation",
    "training.attention": "attention",
    "training.framework": "framework",
    "training.tokens": "tokens of the run",
    "training.days": "length of the run",
    "parallelism": "parallelism",
    "parallelism.strategy": "data parallelism",
    "parallelism.tp": "tensor parallel",
    "parallelism.pp": "pipeline parallel",
    "parallelism.cp": "context parallel",
    "parallelism.ep": "expert parallel",
    "parallelism.dp": "data parallel",
    "parallelism.interleave": "interleaving",
    "parallelism.sequence_parallel": "sequence parallelism",
    "parallelism.shard_within_node": "sharding within the node",
    "inference.tensor_parallel": "tensor parallel",
    "inference.prompt_tokens": "prompt length",
    "inference.output_tokens": "answer length",
    "inference.requests_per_s": "load",
    "budget.mode": "machines",
    "budget.usd": "budget",
    "budget.gpu_hour_usd": "price",
    "budget.fabric_premium_gpu_hour_usd": "price of the network",
    "budget.amortization_months": "amortisation",
    "budget.electricity_usd_per_kwh": "electricity",
    "budget.spot": "spot instances",
    "constraints.max_slowdown_percent": "slowdown accepted",
    "constraints.deadline_days": "deadline",
    "constraints.vendor_neutral": "vendor neutral",
    "constraints.network_team": "network team",
    "constraints.excluded_fabrics": "ruled out",
}
_UNITS = {
    "cluster.wan_gbps": "{} Gb/s",
    "cluster.oversubscription": "{}:1",
    "training.sequence_length": "{} tokens",
    "training.global_batch": "{} sequences",
    "training.days": "{} days",
    "inference.prompt_tokens": "{} tokens",
    "inference.output_tokens": "{} tokens",
    "inference.requests_per_s": "{} requests per second",
    "budget.usd": "${}",
    "budget.gpu_hour_usd": "${} per GPU-hour",
    "budget.fabric_premium_gpu_hour_usd": "${} per GPU-hour",
    "budget.electricity_usd_per_kwh": "${} per kWh",
    "budget.amortization_months": "{} months",
    "constraints.max_slowdown_percent": "{} %",
    "constraints.deadline_days": "{} days",
}
_WORDS = {("budget.mode", "rent"): "rented", ("budget.mode", "buy"): "bought", ("parallelism", "auto"): "searched"}
_TECHNOLOGIES = {
    "infiniband": "InfiniBand",
    "roce": "RoCE",
    "spectrum-x": "Spectrum-X",
    "efa": "EFA",
    "tcpx": "TCPX",
    "tcpxo": "TCPXO",
    "tcp": "Ethernet with TCP",
    "ultra-ethernet": "Ultra Ethernet",
    "wan": "a wide-area link",
}
_STRATEGIES = {"zero1": "ZeRO-1", "zero2": "ZeRO-2", "diloco": "DiLoCo", "async": "asynchronous"}
_PREMIUM = re.compile(r"fabrics\.(.+)\.premium")
_PROFILE = {
    "model.practice": "time of compute against the published runs of this software",
    "profile.compute": "your factor on the time of compute",
    "profile.network": "your factor on the time of the network",
    "profile.network_others": "your factor on the time of other networks",
}
_IN_DAYS, SHORT_DAYS = ("training.days", "constraints.deadline_days"), 2  # what is shorter is told in hours
_PLAIN_INTEGERS = ("training.sequence_length", "training.global_batch", "training.micro_batch")


def field_name(name: str) -> str:
    """``cluster.gpus`` → ``GPUs``; a path without a name of its own reads as its last part."""
    return _NAMES.get(name, name.split(".")[-1].replace("_", " "))


def value_text(name: str, value: Any, catalog: Catalog | None = None) -> str:
    """A value with its unit: ``$2.10 per GPU-hour``, ``2 trillion``, ``H100 SXM``."""
    if isinstance(value, str) and (name, value) in _WORDS:
        return _WORDS[name, value]
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(_grouped(list(value), catalog)) or "nothing"
    if name in _IN_DAYS and value and abs(value) < SHORT_DAYS:
        return f"{significant(24 * value)} hours"
    if isinstance(value, (int, float)):
        return _UNITS.get(name, "{}").format(_number(name, value))
    named = _catalog_name(name, value, catalog) if catalog else None
    return named or (_STRATEGIES.get(value, value.upper()) if name == "parallelism.strategy" else str(value))


def field_text(name: str, value: Any, catalog: Catalog | None = None) -> str:
    """``GPUs: 64``."""
    return f"{field_name(name)}: {value_text(name, value, catalog)}"


def assumed_text(assumption: Assumption, catalog: Catalog | None = None) -> str:
    """What was assumed, in words: ``GPUs per node: 8``, ``price of roce-v2-400 on top of the GPU: $0.147 per GPU-hour``."""
    name, value = assumption.field, assumption.value
    premium = _PREMIUM.fullmatch(name)
    if premium:
        return f"price of {premium[1]} on top of the GPU: ${significant(value)} per GPU-hour"
    words = "your catalog" if name.startswith("catalog.") else _PROFILE.get(name) or field_name(name)
    return f"{words}: {'open' if value is None else value_text(name, value, catalog)}"


def _grouped(fabrics: list[str], catalog: Catalog | None) -> list[str]:
    """All speeds of a technology together are that technology: "InfiniBand", not three ids."""
    if catalog is None:
        return fabrics
    said: list[str] = []
    for fabric in fabrics:
        technology = catalog.fabrics[fabric].technology
        family = [f.id for f in catalog.fabrics.values() if f.technology == technology]
        text = (
            _TECHNOLOGIES.get(technology, technology) if set(family) <= set(fabrics) else catalog.fabrics[fabric].name
        )
        said += [text] if text not in said else []
    return said


def _catalog_name(name: str, value: str, catalog: Catalog) -> str | None:
    shelf = {
        "model": catalog.models,
        "cluster.gpu": catalog.gpus,
        "cluster.fabric": catalog.fabrics,
        "cluster.provider": catalog.providers,
    }.get(name, {})
    return shelf[value].name if value in shelf else None


def _number(name: str, value: float) -> str:
    if name in ("training.tokens", "model.params") and value >= 1e6:
        for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
            if value >= size:
                return f"{significant(value / size, 4)} {word}"
    if name == "budget.usd":
        return f"{value:,.0f}"
    if name.startswith("budget.") and name.endswith(("hour_usd", "kwh")):
        return f"{value:.2f}" if round(value, 2) == value else f"{value:g}"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value) if name in _PLAIN_INTEGERS else f"{value:,}"
