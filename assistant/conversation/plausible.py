"""What a person could plausibly answer to each question, and how likely: a small set of values per field.

The weights are what one would expect of people in general before anything is known of this one; what is left to one is an
answer that stays with what is assumed. They order questions, they never enter a cost or a recommendation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assistant.vocabulary.catalog import Catalog

from .choices import fabrics
from .draft import Draft

if TYPE_CHECKING:
    from .trials import Tried


@dataclass(frozen=True)
class Plausible:
    """One answer: dotted fields and its probability. ``must_work``: nobody chooses it where the job cannot run with it."""

    fields: dict[str, Any]
    weight: float
    must_work: bool = False


Answers = Callable[[Draft, "Tried", Catalog], list[Plausible]]
OWNED = {"infiniband": 0.15, "roce": 0.1, "tcp": 0.1}  # what is already there, by technology
FACTORS = {0.25: 0.2, 4.0: 0.2, 16.0: 0.05}  # of the usual batch
CLOUDS, OTHERS = {"aws": 0.2, "gcp": 0.1, "azure": 0.15}, 0.15  # who rents out the machines; the others together
SEQUENCES = {2048: 0.2, 8192: 0.35, 32768: 0.2}
PRICES = {0.5: 0.15, 0.7: 0.2, 1.3: 0.15, 1.8: 0.1}  # of the usual price
FRAMEWORKS = {"megatron": 0.3, "fsdp": 0.3, "deepspeed": 0.15, "jax": 0.1}
DEADLINE = 0.9  # of the time the run would take
LATEST_DAYS = 365  # nobody names a deadline further away
LOADS = {2.0: 0.25, 20.0: 0.3, 200.0: 0.2, 1000.0: 0.1}


def _fabric(draft: Draft, now: Tried, catalog: Catalog) -> list[Plausible]:
    offered = [(c.value, catalog.fabrics[c.id].technology) for c in fabrics(draft, catalog) if c.value]
    return [Plausible(value, OWNED[technology], must_work=True) for value, technology in offered if technology in OWNED]


def _provider(draft: Draft, now: Tried, catalog: Catalog) -> list[Plausible]:
    """Machines that are bought, or those of a provider: the large clouds, and one for each choice of networks among the others.

    Whoever would go to a cloud that does not have this GPU goes to one of the others.
    """
    sold = _sold(now.job.gpu.id, catalog)
    clouds = {name: weight for name, weight in CLOUDS.items() if name in sold}
    elsewhere = OTHERS + sum(CLOUDS.values()) - sum(clouds.values())
    alike: dict[frozenset[str], list[str]] = {}
    for name in sold.keys() - clouds.keys():
        alike.setdefault(sold[name], []).append(name)
    others = {min(names): elsewhere * len(names) / (len(sold) - len(clouds)) for names in alike.values()}
    return [
        Plausible({"budget.mode": "buy"}, 0.2),
        *(
            Plausible({"cluster.provider": name, "budget.mode": "rent"}, weight, must_work=True)
            for name, weight in sorted({**clouds, **others}.items())
        ),
    ]


def _sold(gpu: str, catalog: Catalog) -> dict[str, frozenset[str]]:
    """The networks between the nodes that each provider sells with a GPU; plain TCP counts where there is nothing else."""
    found: dict[str, frozenset[str]] = {}
    for provider in catalog.providers.values():
        fabrics = {name for offer in provider.offers if offer.gpu == gpu for name in offer.fabrics} - {"none"}
        fast = frozenset(name for name in fabrics if catalog.fabrics[name].transport != "tcp")
        if fabrics:
            found[provider.id] = fast or frozenset(fabrics)
    return found


def _parallelism(draft: Draft, now: Tried, catalog: Catalog) -> list[Plausible]:
    return [
        Plausible({"parallelism.strategy": name}, weight)
        for name, weight in (("fsdp", 0.35), ("hsdp", 0.1), ("zero1", 0.1), ("ddp", 0.05))
    ]


def _batch(draft: Draft, now: Tried, catalog: Catalog) -> list[Plausible]:
    """The question asks for the batch and the length together, and together they decide how much a step computes."""
    assumed = now.job.global_batch
    sizes = {max(1, int(assumed * factor)): weight for factor, weight in FACTORS.items()}
    sizes[assumed] = 1.0 - sum(weight for size, weight in sizes.items() if size != assumed)
    lengths = (
        {}
        if "training.sequence_length" in draft.fields
        else {n: w for n, w in SEQUENCES.items() if n != now.job.sequence_length}
    )
    said = [({"training.sequence_length": n}, w) for n, w in lengths.items()] + [({}, 1.0 - sum(lengths.values()))]
    return [
        Plausible(fields | ({"training.global_batch": size} if size != assumed else {}), weight * share)
        for size, weight in sizes.items()
        for fields, share in said
        if fields or size != assumed
    ]


def _sequence(draft: Draft, now: Tried, catalog: Catalog) -> list[Plausible]:
    return [
        Plausible({"training.sequence_length": length}, weight)
        for length, weight in SEQUENCES.items()
        if length != now.job.sequence_length
    ]


def _framework(draft: Draft, now: Tried, catalog: Catalog) -> list[Plausible]:
    return [Plausible({"training.framework": name}, weight) for name, weight in FRAMEWORKS.items()]


def _load(draft: Draft, now: Tried, catalog: Catalog) -> list[Plausible]:
    return [Plausible({"inference.requests_per_s": load}, weight) for load, weight in LOADS.items()]


def _length(draft: Draft, now: Tried, catalog: Catalog) -> list[Plausible]:
    """A longer run costs more on every fabric alike; it can only miss a deadline or exceed a budget."""
    return [Plausible({"training.tokens": 4 * now.job.tokens}, 0.3)] if now.job.tokens else []


def _price(draft: Draft, now: Tried, catalog: Catalog) -> list[Plausible]:
    usual = now.job.gpu.hour_price
    return (
        [Plausible({"budget.gpu_hour_usd": round(usual.value * f, 2)}, w) for f, w in PRICES.items()] if usual else []
    )


def _deadline(draft: Draft, now: Tried, catalog: Catalog) -> list[Plausible]:
    """A deadline that the recommended fabric misses and another one meets; one that nothing meets would be no plan."""
    days = now.hours.get(now.fabric or "", 0.0) / 24
    deadline = float(f"{days * DEADLINE:.3g}")
    return [Plausible({"constraints.deadline_days": deadline}, 0.2, must_work=True)] if 0 < days <= LATEST_DAYS else []


def _fixed(field: str, **weights: float) -> Answers:
    values = {"yes": True, "no": False}
    return lambda draft, now, catalog: [
        Plausible({field: values.get(name, name)}, weight) for name, weight in weights.items()
    ]


ANSWERS: dict[str, Answers] = {
    "cluster.fabric": _fabric,
    "cluster.provider": _provider,
    "parallelism": _parallelism,
    "training.global_batch": _batch,
    "training.sequence_length": _sequence,
    "training.framework": _framework,
    "inference.requests_per_s": _load,
    "training.tokens": _length,
    "budget.usd": _price,
    "constraints.deadline_days": _deadline,
    "constraints.network_team": _fixed("constraints.network_team", none=0.25, expert=0.25),
    "constraints.vendor_neutral": _fixed("constraints.vendor_neutral", yes=0.15),
    "budget.spot": _fixed("budget.spot", yes=0.15),
}
