"""Which fabrics come into question: what exists for this GPU, what the provider sells, how many NICs a node has."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.vocabulary.catalog import Catalog, Fabric, Offer

from .resolve import Resolved

# A NIC may be a little faster than the link that feeds it. Line rates double as PCIe does, so a NIC of its own
# generation is slower than the link (50 of 63 GB/s) and the next one 1.6 times as fast: any number between decides
# alike.
LINK_SLACK = 1.25


@dataclass(frozen=True)
class Considered:
    """One fabric of the catalog seen from one job. ``sold`` is None when no provider was named."""

    fabric: Fabric
    exists: bool
    sold: bool | None
    nics_per_node: int | None
    offers: tuple[Offer, ...]
    owned: bool
    power_kw: float = 0.0  # GPUs, switches and optics at their rated power; hosts and cooling are not in it

    @property
    def computable(self) -> bool:
        """Worth computing: it can be had at all for this GPU."""
        return self.exists


def considered(job: Resolved, catalog: Catalog) -> list[Considered]:
    """Every fabric of the catalog that was not ruled out, in the catalog's order."""
    excluded = job.questionnaire.constraints.excluded_fabrics
    return [_considered(fabric, job, catalog) for fabric in catalog.fabrics.values() if fabric.id not in excluded]


def _considered(fabric: Fabric, job: Resolved, catalog: Catalog) -> Considered:
    cluster = job.questionnaire.cluster
    offers = _offers(fabric, job, catalog)
    sold = None if job.provider is None or fabric.technology in ("none", "wan") else bool(offers)
    owned, nics = cluster.fabric == fabric.id, _nics(fabric, job, offers)
    return Considered(fabric, _exists(fabric, job), sold, nics, offers, owned, _power_kw(fabric, job))


def _power_kw(fabric: Fabric, job: Resolved) -> float:
    network = fabric.power_per_gpu.si if fabric.power_per_gpu else 0.0
    return job.gpus * (job.gpu.power.si + network) / 1000


def _exists(fabric: Fabric, job: Resolved) -> bool:
    if fabric.technology == "none":
        return job.domains == 1 or job.serves
    if fabric.technology == "wan":
        return job.sites > 1
    if fabric.id == job.questionnaire.cluster.fabric:
        return True
    if fabric.gpus is not None and job.gpu.id not in fabric.gpus:
        return False
    if (
        job.gpu.host_link is not None
        and fabric.line_rate is not None
        and fabric.line_rate.si > LINK_SLACK * job.gpu.host_link.si
    ):
        return False
    elsewhere = fabric.providers is not None and job.provider is not None and job.provider.id not in fabric.providers
    return job.gpu.vendor in fabric.gpu_vendors and not elsewhere


def _offers(fabric: Fabric, job: Resolved, catalog: Catalog) -> tuple[Offer, ...]:
    """Offers of the provider that was named, else of the only ones that have this fabric: their price is then the
    GPU's."""
    named = [job.provider] if job.provider else [catalog.providers[p] for p in fabric.providers or ()]
    same_gpu = [o for provider in named for o in provider.offers if o.gpu == job.gpu.id]
    own = tuple(o for o in same_gpu if fabric.id in o.fabrics)
    if own and not any(o.hour_price for o in own):
        own += tuple(_stand_in(o, fabric) for o in same_gpu if o.hour_price)
    return own


def _stand_in(offer: Offer, fabric: Fabric) -> Offer:
    """Another instance of the provider with the same GPU, for its price, where the one with this fabric has none
    published."""
    note = f"no price published with {fabric.id}: that of {offer.name}, the same GPU at the same provider"
    return offer.model_copy(update={"fabrics": [fabric.id], "nics_per_node": None, "note": note})


def _nics(fabric: Fabric, job: Resolved, offers: tuple[Offer, ...]) -> int | None:
    """As said, else as the provider's offer has it, else what the fabric fixes; ``None`` leaves the usual number."""
    said = job.questionnaire.cluster.nics_per_node
    named = job.questionnaire.cluster.fabric
    if said is not None and (named is None or named == fabric.id) and fabric.transport != "tcp":
        return said
    if said is not None and fabric.transport == "tcp" and named == fabric.id:
        return said
    return next((nics for o in offers if (nics := o.nics_on(fabric))), fabric.nics_per_node)
