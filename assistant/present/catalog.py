"""What the catalog knows: the ids a questionnaire may name, with what tells them apart, and what is sold at what
price."""

from collections.abc import Callable
from typing import Any

from assistant.vocabulary.catalog import Catalog, Fabric, Gpu, Model, Provider

from . import figures
from .blocks import Block, Heading, Paragraph, Table
from .offers import OFFERS, listed_offers, offer_blocks
from .text import lines_of

Cells = dict[str, str]
_VENDORS = {"one": "one vendor", "few": "few vendors", "many": "many vendors"}


def _model(model: Model, catalog: Catalog) -> Cells:
    active = model.active_params.si if model.active_params else None
    return {
        "name": model.name,
        "parameters": _count(model.params.si) + (f", {_count(active)} active" if active else ""),
        "layers": str(model.layers),
        "context": f"{model.context:,} tokens",
    }


def _gpu(gpu: Gpu, catalog: Catalog) -> Cells:
    return {
        "name": gpu.name,
        "memory": f"{gpu.memory.si / 2**30:.0f} GiB",
        "peak BF16": f"{gpu.peak_bf16.si / 1e12:,.0f} TFLOP/s",
        "inside the node": _inside(gpu, catalog),
        "per GPU-hour": figures.usd(gpu.hour_price.value if gpu.hour_price else None),
    }


def _inside(gpu: Gpu, catalog: Catalog) -> str:
    bridge = f"; {catalog.scale_ups[gpu.bridge].name}, {gpu.bridged_gpus} GPUs" if gpu.bridge else ""
    if gpu.scale_up_domain == 1:
        return "one GPU"
    return f"{catalog.scale_ups[gpu.scale_up].name}, {gpu.scale_up_domain} GPUs{bridge}"


def _fabric(fabric: Fabric, catalog: Catalog) -> Cells:
    return {
        "name": fabric.name,
        "line rate": f"{fabric.line_rate.si * 8 / 1e9:g} Gb/s" if fabric.line_rate else figures.UNKNOWN,
        "latency": figures.seconds(fabric.latency.si if fabric.latency else None),
        "sold by": _VENDORS[fabric.vendors],
        "skills": fabric.skills,
        "maturity": fabric.maturity,
    }


def _provider(provider: Provider, catalog: Catalog) -> Cells:
    gpus = dict.fromkeys(offer.gpu for offer in provider.offers)
    fabrics = dict.fromkeys(name for offer in provider.offers for name in offer.fabrics if name != "none")
    return {"name": provider.name, "GPUs": ", ".join(gpus), "networks": ", ".join(fabrics) or figures.UNKNOWN}


# What can be listed, and how an entry of it is told.
PARTS: dict[str, Callable[[Any, Catalog], Cells]] = {
    "models": _model,
    "gpus": _gpu,
    "fabrics": _fabric,
    "providers": _provider,
}
_TITLES = {"models": "Models", "gpus": "GPUs", "fabrics": "Networks between the nodes", "providers": "Providers"}
_NUMBERS = frozenset(("parameters", "layers", "context", "memory", "peak BF16", "per GPU-hour", "line rate", "latency"))


def listed(catalog: Catalog, part: str, provider: str | None = None, gpu: str | None = None) -> list[dict[str, Any]]:
    """The entries of a part of :data:`PARTS`: ``id``, what tells it apart, ``aliases`` that are understood as well.

    Of ``offers`` every figure and price, of one provider or GPU where one is given.
    """
    if part == OFFERS:
        return listed_offers(catalog, provider, gpu)
    return [
        {"id": ident, **PARTS[part](entry, catalog), "aliases": list(entry.aliases)}
        for ident, entry in getattr(catalog, part).items()
    ]


def catalog_lines(
    catalog: Catalog, parts: list[str], width: int = 80, provider: str | None = None, gpu: str | None = None
) -> list[str]:
    """The parts as tables; names and prices stand in the JSON in full where a terminal has no room."""
    blocks: list[Block] = []
    for part in parts:
        if part == OFFERS:
            blocks += offer_blocks(catalog, provider, gpu, width)
        else:
            blocks += [Heading(_TITLES[part]), _table(listed(catalog, part))]
    if parts != [OFFERS]:
        blocks.append(
            Paragraph(
                "The first column is what a questionnaire may name; the conversation understands the names as well. "
                "Prices are dated figures of the catalog; weft catalog --format json has the other names of each."
            )
        )
    return lines_of(blocks, width)


def _table(entries: list[dict[str, Any]]) -> Table:
    names = [name for name in entries[0] if name not in ("id", "aliases")]
    rows = [[entry["id"], *(entry[name] for name in names)] for entry in entries]
    right = frozenset(number for number, name in enumerate(names, start=1) if name in _NUMBERS)
    return Table(["id", *names], rows, right, first_to_go=(1,))


def _count(number: float) -> str:
    """``70.6B``, ``1.02T``."""
    size, letter = (1e12, "T") if number >= 1e12 else (1e9, "B") if number >= 1e9 else (1e6, "M")
    return f"{figures.significant(number / size)}{letter}"
