"""Who sells what at which price: from the offers of the catalog, never from articles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.market import Freshness, Offered
from assistant.present.figures import usd
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.catalog import ListPrice, Tier

from .case import Case

MOST_LISTED = 4
_TIERS: tuple[Tier, ...] = ("on-demand", "reserved", "capacity-block", "spot")
_VARIANTS = ("sxm", "pcie", "nvl", "40", "80")  # what tells the kinds of one GPU apart
_NAMES = {"infiniband": "InfiniBand", "roce": "RoCE", "spectrum-x": "Spectrum-X", "tcp": "Ethernet"}
_ALIKE = {"spectrum-x": "roce"}  # sold as RoCE of one vendor
_CAVEAT = (
    "List prices per GPU-hour in the provider's usual region; what a contract says is often less. All tiers, regions "
    "and sources: weft catalog offers{}. Ages: weft prices."
)


@dataclass(frozen=True)
class _Asked:
    """What offers are asked for: ids of GPUs and providers, none where any will do; technologies of networks."""

    gpus: tuple[str, ...]
    providers: tuple[str, ...]
    technologies: frozenset[str]
    tier: Tier | None

    def has(self, offered: Offered, case: Case) -> bool:
        offer = offered.offer
        if self.gpus and offer.gpu not in self.gpus:
            return False
        if self.providers and offered.provider not in self.providers:
            return False
        of = {_kind(case, name) for name in offer.fabrics}
        return not self.technologies or bool(of & self.technologies)

    def usual(self, offered: Offered) -> ListPrice | None:
        """The price the offer is compared by: of the tier asked for, else the first there is."""
        found = (offered.offer.price(tier) for tier in ((self.tier,) if self.tier else _TIERS))
        return next((price for price in found if price is not None), None)


def offers(case: Case) -> Computed | None:
    """The offers with the GPU, the network and the provider in question, cheapest first; what is not there is said."""
    asked = _asked(case)
    case.told = {} if case.utterance.named("gpu") else {k: v for k, v in case.told.items() if k == "cluster.gpu"}
    market = [
        Offered(provider.id, provider.name, offer)
        for provider in case.catalog.providers.values()
        for offer in provider.offers
    ]
    if not (asked.gpus or asked.providers):
        return None
    found = [one for one in market if asked.has(one, case)]
    known = any(asked.usual(one) for one in found)
    nearest = [] if known else [one for one in _nearest(asked, market, case) if one not in found]
    priced = sorted((o for o in (*found, *nearest) if asked.usual(o)), key=lambda o: _price(asked, o))
    for offered in priced[:MOST_LISTED]:
        _figure(case, asked, offered)
    if not case.found:
        case.figure("offers", len(found), "offers", "counted in the catalog; none of them has a price")
    said = (_opening(case, asked, found), _unpriced(asked, found), _lead(bool(nearest), priced))
    text = " ".join(filter(None, said))
    one = f" --gpu {asked.gpus[0]}" if asked.gpus else f" --provider {asked.providers[0]}"
    return case.answer(
        text, _CAVEAT.format(one), gpus=list(asked.gpus), providers=list(asked.providers), fabrics=list(case.fabrics)
    )


def _asked(case: Case) -> _Asked:
    said = case.utterance
    gpus = said.named("gpu") or [case.fields[gpu] for gpu in ("cluster.gpu",) if gpu in case.fields]
    typed = said.text.lower()
    if gpus and not any(kind in typed for kind in _VARIANTS):
        family = gpus[0].split("-")[0]
        gpus = [*gpus, *(g for g in case.catalog.gpus if g.split("-")[0] == family and g not in gpus)]
    kinds = frozenset(_kind(case, name) for name in said.fabrics)
    tier: Tier | None = "spot" if said.fields.get("budget.spot") else None
    return _Asked(tuple(gpus), tuple(said.named("provider")), kinds, tier)


def _kind(case: Case, fabric: str) -> str:
    technology = case.catalog.fabrics[fabric].technology
    return _ALIKE.get(technology, technology)


def _price(asked: _Asked, offered: Offered) -> tuple[bool, float]:
    """What offers are sorted by: those on demand first, as nobody takes these machines away."""
    price = asked.usual(offered)
    return (price.tier != "on-demand", price.price.si) if price else (True, float("inf"))


def _nearest(asked: _Asked, market: Sequence[Offered], case: Case) -> list[Offered]:
    """What comes near where nobody sells what is asked: another network of the same seller, else other sellers."""
    looser = [
        _Asked(asked.gpus, asked.providers, frozenset(), asked.tier),
        _Asked(asked.gpus, (), asked.technologies, asked.tier),
        _Asked((), asked.providers, asked.technologies, asked.tier),
        _Asked(asked.gpus, (), frozenset(), asked.tier),
    ]
    every = (
        [one for one in market if near.has(one, case)]
        for near in looser
        if near != asked and (near.gpus or near.providers)
    )
    return next((some for some in every if some), [])


def _opening(case: Case, asked: _Asked, found: list[Offered]) -> str:
    what = _what(case, asked)
    names = ", ".join(case.catalog.providers[one].name for one in asked.providers)
    if not found:
        no = "No: " if case.says("yes_or_no") else ""
        return f"{no}{names} sells no {what} in the catalog." if names else f"Nobody sells {what} in the catalog."
    yes = "Yes: " if case.says("yes_or_no") else ""
    if names:
        gpus = "" if asked.gpus else f" with {', '.join(dict.fromkeys(one.offer.gpu for one in found))}"
        return f"{yes}{names} sells {what}{gpus}."
    sellers = dict.fromkeys(one.provider_name for one in found)
    count = f"{len(sellers)} provider{'s' * (len(sellers) != 1)}"
    cheapest = min((one for one in found if asked.usual(one)), key=lambda one: _price(asked, one), default=None)
    least = f", from {usd(_price(asked, cheapest)[1])} per GPU-hour at {cheapest.provider_name}" if cheapest else ""
    named = f": {', '.join(sellers)}" if len(sellers) <= MOST_LISTED or case.says("who_sells") else ""
    return f"{yes}{what} is sold by {count}{named}{least}."


def _what(case: Case, asked: _Asked) -> str:
    networks = " or ".join(dict.fromkeys(_network_name(case, name) for name in case.utterance.fabrics))
    gpu = case.catalog.gpus[asked.gpus[0]].name if len(asked.gpus) == 1 else ""
    gpu = gpu or "".join(dict.fromkeys(one.split("-")[0].upper() for one in asked.gpus))
    spot = " on the spot market" if asked.tier == "spot" else ""
    return f"{gpu} with {networks}{spot}" if gpu and networks else f"{gpu or networks or 'machines'}{spot}"


def _unpriced(asked: _Asked, found: list[Offered]) -> str:
    """Who sells it at a price that nobody told: it is said, and none is borrowed from another."""
    names = [one.name for one in found if asked.usual(one) is None]
    if not names:
        return ""
    tier = f"{asked.tier} " if asked.tier else ""
    of = ", ".join(names) if len(names) < MOST_LISTED else f"{len(names)} offers"
    return f"No {tier}price was read of {of}: ask for a quote."


def _lead(near: bool, priced: list[Offered]) -> str:
    """What stands before the list: whether it is what was asked for, and how many more there are."""
    shown = f"the {MOST_LISTED} cheapest of {len(priced)} with a price" if len(priced) > MOST_LISTED else ""
    if near and priced:
        return f"What comes nearest{', ' if shown else ''}{shown}:"
    return f"{shown[:1].upper()}{shown[1:]}:" if shown else ""


def _figure(case: Case, asked: _Asked, offered: Offered) -> None:
    """One offer: the price compared, then the other tiers, the network, the list's date, source and trust."""
    price, offer = asked.usual(offered), offered.offer
    assert price is not None
    listed = Freshness.of(case.catalog.constants, case.today).priced(offered.name, price.price)
    others = [(tier, found) for tier in _TIERS if tier != price.tier and (found := offer.price(tier))]
    tiers = [_tier(price), *(f"{_tier(found)} {usd(found.price.si)}" for _, found in others)]
    old = f" ({listed.age_days} days old)" if listed.stale else ""
    source = price.price.source.partition("#")[0].partition(":")[0]
    told = (*tiers, _network(case, offered), f"{price.price.date}{old}", source, f"{price.trust} trust")
    several = f", {offer.gpu}" if len(asked.gpus) != 1 and offer.gpu.split("-")[0] not in offer.name.lower() else ""
    case.figure(f"{offered.name}{several}", price.price.si, "USD/GPU-h", "; ".join(told))


def _tier(price: ListPrice) -> str:
    return price.tier.replace("-", " ") + (f" {price.months:g} months" if price.months else "")


def _network(case: Case, offered: Offered) -> str:
    offer = offered.offer
    if offer.fabrics[0] == "none":
        return "no network between machines"
    rate = f" {offer.gbps_per_gpu:g} Gb/s per GPU" if offer.gbps_per_gpu else ""
    return f"{_network_name(case, offer.fabrics[0])}{rate}"


def _network_name(case: Case, fabric: str) -> str:
    technology = case.catalog.fabrics[fabric].technology
    return _NAMES.get(technology, technology.upper())
