"""Which fabrics come into question: what exists for this GPU, what is sold with it, how many NICs a node has."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from operator import is_

from assistant.market import Offered, offered_tiers
from assistant.vocabulary.catalog import Catalog, Fabric, Offer

from .quotes import as_offers
from .resolve import Resolved

# A NIC may be a little faster than the link that feeds it. Line rates double as PCIe does, so a NIC of its own
# generation is slower than the link (50 of 63 GB/s) and the next one 1.6 times as fast: any number between decides
# alike.
LINK_SLACK = 1.25


@dataclass(frozen=True)
class Considered:
    """One fabric of the catalog seen from one job, with one number of NICs in a node and one oversubscription.

    ``offers``: what is sold with it to this job. ``sold``: whether that can be had at a price, ``None`` where it is no
    question: of machines that are bought, of a rent that was quoted, of a network that is there. ``suffices``: that no
    network is, and that none is needed: the GPUs share one scale-up domain, and nothing crosses whatever joins it.
    """

    fabric: Fabric
    exists: bool
    sold: bool | None
    nics_per_node: int | None
    offers: tuple[Offered, ...]
    owned: bool
    oversubscription: float = 1.0  # node-facing ÷ spine-facing bandwidth of a leaf
    suffices: bool = False

    @property
    def computable(self) -> bool:
        """Worth computing: it can be had at all for this GPU."""
        return self.exists

    def charging(self, other: Callable[[Offered], Offered]) -> Considered:
        """Itself with its offers at other prices."""
        charged = tuple(offered.charging(other) for offered in self.offers)
        return self if all(map(is_, charged, self.offers)) else replace(self, offers=charged)

    def on_each_terms(self) -> Iterator[Considered]:
        """Itself with the offers of the same terms (:attr:`Offered.terms`) at a time."""
        alike: dict[Hashable, list[Offered]] = {}
        for offered in self.offers:
            alike.setdefault(offered.terms, []).append(offered)
        some_priced = any(offered.price for offered in self.offers)
        if len(alike) < 2:
            yield self
            return
        for offers in alike.values():
            at_a_price = not some_priced or any(offered.price for offered in offers)
            yield replace(self, offers=tuple(offers), sold=self.sold if at_a_price else False)


def considered(job: Resolved, catalog: Catalog, today: datetime.date | None = None) -> list[Considered]:
    """Every fabric of the catalog that was not ruled out, in the catalog's order; one that is sold with several numbers
    of NICs stands there once with each. ``today`` dates the quotes."""
    excluded = job.questionnaire.constraints.excluded_fabrics
    market = on_the_market(job, catalog, today)
    fabrics = [fabric for fabric in _named_and_listed(job, catalog) if fabric.id not in excluded]
    joined = tuple(offered for offered in market if _joins_enough(offered.offer, job))
    return [one for fabric in fabrics for one in _considered(fabric, job, market, joined)]


def _named_and_listed(job: Resolved, catalog: Catalog) -> Iterator[Fabric]:
    """The catalog's networks; before them those at rates of their own that the cluster or a quote names."""
    said = (job.questionnaire.cluster.fabric, *(quote.fabric for quote in job.questionnaire.budget.quotes))
    listed = dict(catalog.fabrics)
    yield from (catalog.fabrics[name] for name in dict.fromkeys(said) if name and name not in listed)
    yield from listed.values()


def rented_openly(job: Resolved) -> bool:
    """Whether the job is rented from whoever is cheapest: no provider is named and no rent was quoted, be it for this
    plan or in the user's own catalog. Of several quotes the cheapest is taken whatever else was said."""
    if job.questionnaire.budget.quotes:
        return job.questionnaire.budget.mode == "rent"
    return job.questionnaire.budget.mode == "rent" and job.provider is None and not job.quoted_rent


def on_the_market(job: Resolved, catalog: Catalog, today: datetime.date | None = None) -> tuple[Offered, ...]:
    """What was quoted to this job; without a quote the offers of the provider that was named, else of all, in each
    tier, with machines that the job can run on."""
    if job.questionnaire.budget.quotes:
        return as_offers(job, catalog, today or datetime.date.today())
    providers = [job.provider] if job.provider else catalog.providers.values()
    in_a_block = catalog.constants["capacity-block-machines"].value
    return tuple(
        offered
        for provider in providers
        for offer in provider.offers
        if offer.gpu == job.gpu.id
        and offer.gpus_per_node >= job.gpus_per_node
        and (_joins_enough(offer, job) or job.serves)
        for offered in offered_tiers(provider, offer, catalog.constants, spot=job.questionnaire.budget.on_spot)
        if offered.tier != "capacity-block" or (job.nodes // job.sites <= in_a_block and not _endless(job))
    )


def _endless(job: Resolved) -> bool:
    """Whether it goes on without an end, for which nobody books a block that has one."""
    return job.questionnaire.open_ended


def sizes_let(job: Resolved, catalog: Catalog) -> list[int]:
    """Fewer GPUs than were asked for that somebody lets together, or that one scale-up domain has, at each site, the
    most first: worth trying where nobody lets all of them. Nothing where the number was fixed by what else was said."""
    asked = job.questionnaire
    fixed = asked.parallelism != "auto" or (asked.rl is not None and asked.rl.rollout_gpus is not None)
    if asked.budget.mode == "buy" or asked.budget.quotes or job.quoted_rent or job.serves or fixed:
        return []
    offers = (o for p in ([job.provider] if job.provider else catalog.providers.values()) for o in p.offers)
    let = {
        most * job.sites
        for o in offers
        if o.gpu == job.gpu.id
        for most in (o.largest_gpus, o.gpus_per_node, job.domain)
        if most
    }
    halves = {job.gpus >> power for power in range(1, job.gpus.bit_length())}
    nodes = job.gpus_per_node * job.sites
    whole = {most // nodes * nodes for most in let | halves if let}
    return sorted((most for most in whole if 0 < most < job.gpus and most <= max(let)), reverse=True)


def _joins_enough(offer: Offer, job: Resolved) -> bool:
    """Whether as many GPUs are let together as have to be joined. Copies of a model that is served need not be: their
    machines are had one by one, on no network."""
    return offer.largest_gpus is None or job.gpus // job.sites <= offer.largest_gpus


def _considered(
    fabric: Fabric, job: Resolved, market: tuple[Offered, ...], joined: tuple[Offered, ...]
) -> list[Considered]:
    offers = _with_fabric(fabric, job, market, joined)
    exists, owned = _exists(fabric, job), job.questionnaire.cluster.fabric == fabric.id
    alike: dict[tuple[int | None, float], list[Offered]] = {}
    for offered in offers:
        alike.setdefault((_nics(fabric, job, offered), _oversubscription(job, offered)), []).append(offered)
    silent = not any(offered.price for offered in market)
    enough = fabric.technology == "none" and job.domains == 1
    return [
        Considered(
            *(fabric, exists, _sold(fabric, job, some, market, silent=silent), nics, tuple(some), owned, over),
            suffices=enough,
        )
        for (nics, over), some in (alike or {(_nics(fabric, job, None), _oversubscription(job, None)): []}).items()
    ]


def _oversubscription(job: Resolved, offered: Offered | None) -> float:
    """As quoted, else as said of the cluster."""
    quoted = offered.quote.oversubscription if offered and offered.quote else None
    return quoted or job.questionnaire.cluster.oversubscription or 1.0


def _sold(
    fabric: Fabric, job: Resolved, offers: list[Offered], market: tuple[Offered, ...], *, silent: bool
) -> bool | None:
    """Whether it can be had at a price that somebody quotes; of a provider that was named and quotes none for these
    GPUs (``silent``), whether it is sold at all."""
    priced = any(offered.price for offered in offers)
    if job.questionnaire.budget.quotes and fabric.technology not in ("none", "wan"):
        return priced
    if fabric.providers is not None and job.questionnaire.budget.mode == "buy":
        return False  # it exists inside its cloud alone
    there = job.provider is None and job.questionnaire.cluster.fabric == fabric.id
    if fabric.technology == "wan" or (there and not priced):
        return None
    if fabric.technology == "none" and (job.provider is not None or rented_openly(job)):
        # Who lets them without a price can be asked, nobody cannot; of machines whose network was named somebody knows.
        known = offers or (job.provider is None and job.domains == 1 and job.questionnaire.cluster.fabric)
        return priced or (None if known else False)
    if fabric.technology == "none" and job.quoted_rent:
        return None  # whoever asks that rent lets the machines
    if job.provider is None:
        let_by_one = fabric.providers is not None and job.questionnaire.budget.mode == "rent"
        if rented_openly(job) or let_by_one:
            return priced
        # Of a rent without a name it is not known who asks for it: machines as somebody lets them, if anybody does.
        # What an hour of machines of one's own is said to cost says nothing of who lets them.
        let = job.quoted_rent and job.questionnaire.budget.mode == "rent"
        networks = {name for offered in market for name in offered.offer.fabrics} if let else set()
        return fabric.id in networks if networks else None
    return bool(offers) if silent or job.quoted_rent or job.questionnaire.budget.mode == "buy" else priced


def _exists(fabric: Fabric, job: Resolved) -> bool:
    if fabric.technology == "none":  # of a site that is one scale-up domain it is all that its inside takes
        return job.at_one_site().domains == 1 or job.serves
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


def _with_fabric(
    fabric: Fabric, job: Resolved, market: tuple[Offered, ...], joined: tuple[Offered, ...]
) -> list[Offered]:
    """What is sold with a fabric; every offer is sold without a need for one, and those that let enough GPUs ``joined``
    with it. Of a quoted rent only a cloud's own network has offers: the quote says nothing of that cloud's price."""
    if fabric.technology == "none":
        return list(market) if job.provider or rented_openly(job) or job.questionnaire.budget.quotes else []
    own = [offered for offered in joined if fabric.id in offered.offer.fabrics]
    if job.questionnaire.budget.quotes:
        return own
    if job.provider is None and not rented_openly(job):
        own = [offered for offered in own if offered.provider in (fabric.providers or ())]
    return own


def _nics(fabric: Fabric, job: Resolved, offered: Offered | None) -> int | None:
    """As quoted, as said, as the offer has it, or what the fabric fixes; ``None`` leaves the usual number."""
    if offered and offered.quote and offered.quote.tells_adapters:
        return offered.offer.nics_on(fabric)
    said = job.questionnaire.cluster.nics_per_node
    named = job.questionnaire.cluster.fabric
    if said is not None and (named is None or named == fabric.id) and fabric.transport != "tcp":
        return said
    if said is not None and fabric.transport == "tcp" and named == fabric.id:
        return said
    return (offered.offer.nics_on(fabric) if offered else None) or fabric.nics_per_node
