"""What is offered as answers: those of the question, and the usual entries of the catalog fitted to what is already
known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.interview import InterviewQuestion, OfferedAnswer

from ..draft import Draft
from ..events import Choice

_ENTRIES = {"model": "models", "cluster.gpu": "gpus"}
_TCP_LINE_RATE, _USUAL_LINE_RATE = 12.5e9, 50e9  # bytes per second: 100 Gb/s, and 400 Gb/s where no GPU is known
_NODES_OFFERED = (1, 2, 8, 32)
# Google's transports come with its machines: offered where that is where the job runs.
_TECHNOLOGIES, _SOLD_TECHNOLOGIES = ("infiniband", "roce", "spectrum-x", "tcp", "efa"), ("tcpxo", "tcpx")


def choices(question: InterviewQuestion, draft: Draft, catalog: Catalog) -> tuple[Choice, ...]:
    """The choices of a question in their order, what decides nothing last; empty for one that only free text can
    answer."""
    written = (_choice(offered, catalog) for offered in question.choices)
    computed = {None: _none, "numbers-of-nodes": _numbers_of_nodes, "networks-already-there": networks_there}
    found = [*(one for one in written if one is not None), *computed[question.computed](draft, catalog)]
    return tuple(sorted(found, key=lambda choice: not choice.value))


def _choice(offered: OfferedAnswer, catalog: Catalog) -> Choice | None:
    """``None`` for an entry that the catalog does not have."""
    field, value = next(iter(offered.sets.items()), ("", ""))
    label = offered.label
    if label is None:
        entry = getattr(catalog, _ENTRIES[field]).get(value)
        label = entry and entry.name
    return Choice(id=offered.id or str(value), label=label, value=offered.sets) if label else None


def _none(draft: Draft, catalog: Catalog) -> Iterator[Choice]:
    return iter(())


def _numbers_of_nodes(draft: Draft, catalog: Catalog) -> Iterator[Choice]:
    gpu = catalog.gpus.get(draft.fields.get("cluster.gpu", ""))
    node = max(gpu.gpus_per_node, gpu.scale_up_domain) if gpu else 8
    kind = "rack" if node > 16 else "node"
    for n in _NODES_OFFERED:
        label = f"{node * n} ({n} {kind}{'s' if n > 1 else ''})"
        yield Choice(id=f"gpus-{node * n}", label=label, value={"cluster.gpus": node * n})


def networks_there(draft: Draft, catalog: Catalog) -> Iterator[Choice]:
    """The usual speed of each technology for this GPU; at a provider only what it sells."""
    sold = _sold(draft, catalog)
    gpu: Any = catalog.gpus.get(draft.fields.get("cluster.gpu", ""))
    able = [
        fabric
        for fabric in catalog.fabrics.values()
        if (fabric.gpus is None or gpu is None or gpu.id in fabric.gpus) and (sold is None or fabric.id in sold)
    ]
    usual = gpu.usual_nic_line_rate.si if gpu else _USUAL_LINE_RATE
    for technology in (*_TECHNOLOGIES, *(() if sold is None else _SOLD_TECHNOLOGIES)):
        wanted = _TCP_LINE_RATE if technology == "tcp" else usual
        found = [fabric for fabric in able if fabric.technology == technology]
        near = min(found, key=lambda f: abs((f.line_rate.si if f.line_rate else wanted) - wanted), default=None)
        if near is not None:
            yield Choice(id=near.id, label=near.name, value={"cluster.fabric": near.id})


def _sold(draft: Draft, catalog: Catalog) -> set[str] | None:
    """The networks of the provider's offers with this GPU; ``None`` when no provider was named."""
    provider = catalog.providers.get(draft.fields.get("cluster.provider", ""))
    gpu = draft.fields.get("cluster.gpu")
    return provider and {f for offer in provider.offers if gpu in (None, offer.gpu) for f in offer.fabrics}
