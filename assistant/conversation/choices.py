"""What is offered as answers: the usual entries of the catalog, fitted to what is already known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assistant.vocabulary.catalog import Catalog

from .draft import Draft
from .events import Choice

Choices = Callable[[Draft, Catalog], tuple[Choice, ...]]


def nothing(draft: Draft, catalog: Catalog) -> tuple[Choice, ...]:
    """A question that only free text can answer."""
    return ()


def fixed(*choices: tuple[str, str, dict[str, Any]]) -> Choices:
    made = tuple(Choice(id=name, label=label, value=value) for name, label, value in choices)
    return lambda draft, catalog: made


def models(draft: Draft, catalog: Catalog) -> tuple[Choice, ...]:
    usual = ("llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b", "qwen2.5-7b", "mixtral-8x7b", "deepseek-v3")
    return tuple(Choice(id=m, label=catalog.models[m].name, value={"model": m}) for m in usual if m in catalog.models)


def gpus(draft: Draft, catalog: Catalog) -> tuple[Choice, ...]:
    usual = ("h100-sxm", "h200-sxm", "b200", "gb200", "a100-sxm-80gb", "mi300x")
    return tuple(Choice(id=g, label=catalog.gpus[g].name, value={"cluster.gpu": g}) for g in usual if g in catalog.gpus)


def gpu_counts(draft: Draft, catalog: Catalog) -> tuple[Choice, ...]:
    gpu = catalog.gpus.get(draft.fields.get("cluster.gpu"))
    node = max(gpu.gpus_per_node, gpu.scale_up_domain) if gpu else 8
    return tuple(
        Choice(
            id=f"gpus-{node * n}",
            label=f"{node * n} ({n} {'rack' if node > 16 else 'node'}{'s' if n > 1 else ''})",
            value={"cluster.gpus": node * n},
        )
        for n in (1, 2, 8, 32)
    )


def fabrics(draft: Draft, catalog: Catalog) -> tuple[Choice, ...]:
    """The usual speeds of each technology for this GPU, as "already there"; at a provider only what it sells."""
    sold = _sold(draft, catalog)
    gpu = catalog.gpus.get(draft.fields.get("cluster.gpu"))
    rate = gpu.usual_nic_line_rate.si if gpu else 50e9
    offered = []
    # Google's transports come with its machines: offered where that is where the job runs.
    for technology in ("infiniband", "roce", "spectrum-x", "tcp", "efa", *(() if sold is None else ("tcpxo", "tcpx"))):
        found = [
            f
            for f in catalog.fabrics.values()
            if f.technology == technology
            and (f.gpus is None or gpu is None or gpu.id in f.gpus)
            and (sold is None or f.id in sold)
        ]
        wanted = 12.5e9 if technology == "tcp" else rate
        near = min(found, key=lambda f: abs((f.line_rate.si if f.line_rate else wanted) - wanted), default=None)
        if near is not None:
            offered.append(Choice(id=near.id, label=f"{near.name} is already there", value={"cluster.fabric": near.id}))
    return (Choice(id="undecided", label="Nothing is decided yet"), *offered)


def _sold(draft: Draft, catalog: Catalog) -> set[str] | None:
    """The networks of the provider's offers with this GPU; ``None`` when no provider was named."""
    provider = catalog.providers.get(draft.fields.get("cluster.provider", ""))
    if provider is None:
        return None
    gpu = draft.fields.get("cluster.gpu")
    return {fabric for offer in provider.offers if gpu in (None, offer.gpu) for fabric in offer.fabrics}
