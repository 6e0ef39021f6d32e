"""The questionnaire's fields in words: how a value is read back to the person, by the labels and units of the
registry."""

import re
from collections.abc import Mapping
from typing import Any

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Assumption
from assistant.vocabulary.quantities import exact_usd, in_months
from assistant.vocabulary.questionnaire import FIELDS

from .figures import significant, strategy

_WORDS = {
    ("budget.mode", "rent"): "rented",
    ("budget.mode", "buy"): "bought",
    ("budget.owned", "machines"): "the machines",
    ("budget.owned", "everything"): "the machines and the network",
    ("parallelism", "auto"): "searched",
    ("training.method", "lora"): "LoRA",
    ("training.method", "qlora"): "QLoRA",
}
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
_PREMIUM = re.compile(r"fabrics\.(.+)\.(premium|write_off)")
_LIST_PRICE = re.compile(r"providers\.(.+)\.gpu_hour_usd")
_QUOTED = re.compile(r"budget\.quotes\.(\d+)\.(gpu_hour_usd|usd)")
_PROFILE = {
    "model.rl-training": "time of training on answers against pretraining",
    "model.rl-hybrid": "time of a step against one with an engine of its own",
    "model.practice": "time of compute against the published runs of this software",
    "profile.compute": "your factor on the time of compute",
    "profile.network": "your factor on the time of the network",
    "profile.network_others": "your factor on the time of other networks",
}
_IN_DAYS, SHORT_DAYS = ("training.days", "constraints.deadline_days"), 2  # what is shorter is told in hours
_IN_CAPITALS = ("rl.algorithm", "training.precision", "inference.precision", "inference.kv_precision")
_LARGE = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))


def field_name(name: str) -> str:
    """``cluster.gpus`` → ``GPUs``; a path without a name of its own reads as its last part."""
    listed = _LIST_PRICE.fullmatch(name)
    if listed:
        return f"price at {listed[1]}"
    if quoted := _QUOTED.fullmatch(name):
        return f"price of quote {int(quoted[1]) + 1}"
    return FIELDS[name].about.label if name in FIELDS else name.split(".")[-1].replace("_", " ")


def unit_of(name: str) -> str:
    """How a value of a field is written: ``{} tokens``."""
    name = _priced(name)
    return FIELDS[name].about.unit if name in FIELDS else "{}"


def _priced(name: str) -> str:
    """The field that a price of somebody stands in for."""
    quoted = _QUOTED.fullmatch(name)
    return "budget.gpu_hour_usd" if _LIST_PRICE.fullmatch(name) else f"budget.{quoted[2]}" if quoted else name


def value_text(name: str, value: object, catalog: Catalog | None = None) -> str:
    """A value with its unit: ``$2.10 per GPU-hour``, ``2 trillion``, ``H100 SXM``."""
    if isinstance(value, str) and (name, value) in _WORDS:
        return _WORDS[name, value]
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "budget.quotes" and isinstance(value, (list, tuple)):
        return "; ".join(_quote_text(quote, catalog) for quote in value) or "none"
    if isinstance(value, (list, tuple)):
        return ", ".join(_grouped(list(value), catalog)) or "nothing"
    if name in _IN_DAYS and isinstance(value, (int, float)) and value and abs(value) < SHORT_DAYS:
        return f"{significant(24 * value)} hours"
    if name in _IN_DAYS and isinstance(value, float) and not value.is_integer() and "month" in in_months(value):
        return in_months(value)
    if isinstance(value, (int, float)):
        return unit_of(name).format(_number(_priced(name), value))
    text = str(value).upper() if name in _IN_CAPITALS else str(value)
    named = _catalog_name(name, text, catalog) if catalog else None
    return named or (strategy(text) if name == "parallelism.strategy" else text)


def field_text(name: str, value: object, catalog: Catalog | None = None) -> str:
    """``GPUs: 64``."""
    return f"{field_name(name)}: {value_text(name, value, catalog)}"


def assumed_text(assumption: Assumption, catalog: Catalog | None = None) -> str:
    """What was assumed, in words: ``GPUs per node: 8``, ``price of roce-v2-400 on top of the GPU: $0.147 per
    GPU-hour``."""
    name, value = assumption.field, assumption.value
    premium = _PREMIUM.fullmatch(name)
    if premium:
        whose = (catalog and _catalog_name("cluster.fabric", premium[1], catalog)) or premium[1]
        what = f"price of {whose} on top of the GPU" if premium[2] == "premium" else f"write-off of {whose}"
        return f"{what}: ${significant(value)} per GPU-hour"
    if name.startswith("budget.") and isinstance(value, float) and value >= 1:
        value = round(value, 2)  # what was worked out has no more digits than what is paid
    if name == "budget.spot":  # what was allowed is no assumption that it is not
        return f"{field_name(name)}: allowed, and not taken"
    words = "your catalog" if name.startswith("catalog.") else _PROFILE.get(name) or field_name(name)
    return f"{words}: {'open' if value is None else value_text(name, value, catalog)}"


def _quote_text(quote: Mapping[str, Any], catalog: Catalog | None) -> str:
    """``CoreWeave, InfiniBand NDR 400 Gb/s, $2.20 per GPU-hour``."""
    who = [_catalog_name(f"cluster.{part}", str(quote.get(part)), catalog) if catalog else None
           for part in ("provider", "fabric")]  # fmt: skip
    said = [name or quote.get(part) for part, name in zip(("provider", "fabric"), who, strict=True)]
    hourly, term = quote.get("gpu_hour_usd"), quote.get("months")
    price = value_text("budget.gpu_hour_usd", hourly) if hourly else value_text("budget.usd", quote.get("usd"))
    over, nics = quote.get("oversubscription"), quote.get("nics_per_node")
    days, once, gpus = quote.get("minimum_days"), quote.get("once_usd"), quote.get("gpus")
    least = f"at least {in_months(days)}" if days else None
    built = f"{over:g}:1 oversubscribed" if over and over > 1 else "non-blocking" if over else None
    said += [
        f"{price} for {gpus:,} GPUs" if gpus else price,
        f"{term:g} month{'s' * (term != 1)}" if term else None,
        least,
        f"{value_text('budget.usd', once)} once" if once else None,
        built,
        f"{nics} adapters in a node" if nics else None,
    ]
    said += [quote.get("note")]
    return ", ".join(str(part) for part in said if part)


def technology_text(technology: str) -> str:
    """A technology of networks as it is written: "InfiniBand"."""
    return _TECHNOLOGIES.get(technology, technology)


def _grouped(fabrics: list[str], catalog: Catalog | None) -> list[str]:
    """All speeds of a technology together are that technology: "InfiniBand", not three ids."""
    if catalog is None:
        return fabrics
    said: list[str] = []
    for fabric in fabrics:
        technology = catalog.fabrics[fabric].technology
        family = [f.id for f in catalog.fabrics.values() if f.technology == technology]
        known = technology != "other" and set(family) <= set(fabrics)
        text = technology_text(technology) if known else catalog.fabrics[fabric].name
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
    about = FIELDS[name].about if name in FIELDS else None
    if about and about.kind == "amount" and value >= 1e6:
        size, word = next(large for large in _LARGE if value >= large[0])
        return f"{significant(value / size, 4)} {word}"
    if name == "budget.usd":
        return f"{value:,.0f}" if value == round(value) else exact_usd(value)
    if name.startswith("budget.") and name.endswith(("hour_usd", "kwh")):
        return f"{value:.2f}" if round(value, 2) == value else f"{value:.4g}" if value < 1 else f"{value:.3f}"
    if isinstance(value, float) and about is None and abs(value) < 1e4:
        return f"{value:.3g}" if abs(value) < 1e3 else significant(value)
    if isinstance(value, float):
        return (
            f"{value:,.0f}"
            if value.is_integer() and abs(value) >= 1e4
            else f"{value:g}"
            if round(value, 2) == value
            else f"{value:.3g}"
        )
    return str(value) if about and about.plain else f"{value:,}"
