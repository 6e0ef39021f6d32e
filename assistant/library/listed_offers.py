"""Finds the offer of the catalog that a line of a list of prices is about."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

from assistant.vocabulary.catalog import Catalog, Offer, Provider
from assistant.vocabulary.prices import Listed, PriceChange

# Words of an instance's name that tell its size or what any machine is, and nothing of which machine it is.
_OF_ANY = re.compile(
    r"\d*x?|x\d+|\d+gpus?|\d+v?cpus?|\d+gi?b|gpus?|pods?|nodes?|instances?|single|price|nvidia|amd|rtx|sxm\d?"
)
_DENIED = re.compile(r"(?i)\b(?:without|w/o|no|non|not|excl\.?|excluding)[ _-]+(?:an?[ ]+|any[ ]+)?([a-z]+)")
BY = "by its GPU, their number and the network"


@dataclass(frozen=True)
class Finder:
    """Finds the offer that a line of a list is about, by its name; where the line has none, by what it is."""

    catalog: Catalog

    @cached_property
    def _providers(self) -> dict[str, Provider]:
        return {
            plain(name): one for one in self.catalog.providers.values() for name in (one.id, one.name, *one.aliases)
        }

    @cached_property
    def _gpus(self) -> dict[str, str]:
        return {
            _plain_gpu(name): one.id for one in self.catalog.gpus.values() for name in (*one.aliases, one.name, one.id)
        }

    def offer(self, listed: Listed) -> tuple[Provider, Offer] | PriceChange:
        """The provider and its offer, or the price with what keeps it from being taken."""
        provider, gpu = self._providers.get(plain(listed.provider)), self._gpu(listed)
        if provider is None:
            return self._absent(listed, gpu, f"no provider {listed.provider} in the catalog")
        named = [one for one in provider.offers if listed.instance and plain(listed.instance) in names_of(one)]
        if len(named) == 1 and gpu is not None and not _alike(gpu, named[0].gpu):
            return _refused(listed, f"{named[0].name} has {named[0].gpu} in the catalog, the list says {listed.gpu}")
        if not named and gpu is None:
            what = listed.instance or listed.gpu
            return self._absent(listed, gpu, f"no offer {what} of {provider.name} in the catalog")
        alike = named or self._like(listed, gpu, provider)
        if len(alike) == 1:
            return provider, alike[0]
        if not alike and (denied := self._without(listed.instance)) and not listed.fabric:
            no = f'"{listed.instance}" says "{denied}", not which network it has: expected a column fabric'
            return self._absent(listed, gpu, no)
        if not alike and listed.instance:
            no = f"{provider.name} has no offer of the name {listed.instance} in the catalog"
            return self._absent(listed, gpu, no)
        what = f"{listed.gpus or ''} × {gpu or listed.gpu} ({listed.instance})".removeprefix(" × ").removesuffix(" ()")
        if not alike:
            why = self._other_network(listed, gpu, provider)
            return self._absent(listed, gpu, why or f"no offer of {what} at {provider.name} in the catalog")
        several = ", ".join(offer.name for offer in alike[:3])
        return _refused(listed, f"{what} may be {several}: name the one in a column instance")

    def _like(self, listed: Listed, gpu: str | None, provider: Provider) -> list[Offer]:
        """The offers that a line is about by what it says of the machine; the words of its name must fit."""
        told = _words(f"{listed.provider} {provider.name} {listed.gpu} {gpu} {listed.tier}")
        whole = replace(listed, gpus=None)  # a price of one GPU, where the name can be of one machine alone
        alike = [
            offer
            for offer in provider.offers
            if self._is(offer, gpu, listed)
            or (listed.gpus == 1 and self._is(offer, gpu, whole) and _says_all(listed.instance, offer, told))
        ]
        if not listed.instance:
            return alike
        near = _nearest(listed.instance, [offer for offer in alike if _names_nothing(listed.instance, offer, told)])
        # Of one machine alone with this GPU, number of them and network another name is but another name.
        told_apart = listed.gpus and self._network(listed) and len(alike) == 1
        return near or (alike if told_apart else [])

    def _network(self, listed: Listed) -> str | None:
        """What a line says of its network: in a column, else in the name of the machine ("H100 InfiniBand")."""
        if listed.fabric or self._without(listed.instance):
            return listed.fabric or None
        return " ".join(sorted(_words(listed.instance) & self._technologies)) or None

    @cached_property
    def _technologies(self) -> set[str]:
        return {one.technology for one in self.catalog.fabrics.values()} - {"none"}

    def _without(self, instance: str) -> str | None:
        """What the name of a machine says that it has not ("8x H100 without InfiniBand"): which it has nobody tells."""
        found = (m for m in _DENIED.finditer(instance) if m[1].lower() in self._technologies | {"ib", "rdma"})
        return next((m[0] for m in found), None)

    def _fabrics(self, named: str) -> set[str]:
        """The networks that a name may mean: "InfiniBand" is any, "InfiniBand NDR" that of its generation."""
        said = _network_words(named)
        every = self.catalog.fabrics.values()
        return {one.id for one in every if said and said <= _network_words(f"{one.id} {one.name} {one.technology}")}

    def _other_network(self, listed: Listed, gpu: str | None, provider: Provider) -> str | None:
        """That it is the network of a line by which it is no offer of the provider's, and which would be."""
        own = dict.fromkeys(one.fabrics[0] for one in provider.offers if self._is_machine(one, gpu, listed))
        if not own:
            return None
        names = " or ".join(self.catalog.fabrics[one].name for one in own)
        said = f'"{listed.fabric}" is no network of' if listed.fabric else "the network is not said of"
        return f"{said} {gpu} at {provider.name} in the catalog: expected {names}"

    def _gpu(self, listed: Listed) -> str | None:
        """The GPU by its name in the catalog; of one that is made with two memories that which the line names."""
        name = _plain_gpu(listed.gpu)
        found = self._gpus.get(name) or self._gpus.get(name.removesuffix("sxm"))
        if found is None or _same_memory(found, listed):
            return found
        other = found.removesuffix("80gb") + "40gb" if found.endswith("80gb") else found.removesuffix("40gb") + "80gb"
        return other if other in self.catalog.gpus else found

    def _absent(self, listed: Listed, gpu: str | None, why: str) -> PriceChange:
        """What the catalog does not have, and what an entry of one's own needs beside what the line says."""
        lacks = {"its GPU in the catalog": gpu, "GPUs per machine": listed.gpus, "its network": listed.fabric}
        return PriceChange(listed, "absent", why=why, missing=tuple(name for name, said in lacks.items() if not said))

    def _is_machine(self, offer: Offer, gpu: str | None, listed: Listed) -> bool:
        """Whether an offer is of the GPU of a line, and of a machine with so many."""
        least = min(offer.min_gpus or offer.gpus_per_node, offer.gpus_per_node)
        return (
            offer.gpu == gpu
            and _same_memory(offer.gpu, listed)
            and least <= (listed.gpus or least) <= offer.gpus_per_node
        )

    def _is(self, offer: Offer, gpu: str | None, listed: Listed) -> bool:
        if not self._is_machine(offer, gpu, listed):
            return False
        # Without its name or its network a machine is taken for none that has one: no price is borrowed.
        network = self._network(listed)
        if network is None:
            return offer.fabrics[0] == "none"
        return bool(self._fabrics(network) & set(offer.fabrics))


def _refused(listed: Listed, why: str) -> PriceChange:
    return PriceChange(listed, "unmatched", why=why)


def _names_nothing(instance: str, offer: Offer, told: set[str]) -> bool:
    """Whether an instance's name only says again what the line says elsewhere, or the offer's words: collections make
    such names up (``verda-h100-sxm-spot``). Any other is the name of a machine, and of no other one."""
    own = told | _words(offer.name.partition("(")[0])
    return all(word in own or _OF_ANY.fullmatch(word) for word in _words(instance))


def _says_all(instance: str, offer: Offer, told: set[str]) -> bool:
    """Whether an instance's name has every word that tells the offer from others with this GPU."""
    own = {word for word in _words(offer.name.partition("(")[0]) - told if not _OF_ANY.fullmatch(word)}
    return bool(own) and own <= _words(instance)


def _nearest(instance: str, offers: list[Offer]) -> list[Offer]:
    """Of several offers those whose name has the most words of the instance's, and the fewest others."""
    words = _words(instance)
    scores = [(len(words & _words(offer.name)), -len(_words(offer.name))) for offer in offers]
    return [offer for offer, score in zip(offers, scores, strict=True) if score == max(scores)]


def _words(name: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", name.lower()))


def _network_words(name: str) -> set[str]:
    """The words of a network's name, its rate as a number: "400G" is 400."""
    return {re.sub(r"(?<=\d)g\w*$", "", word) for word in _words(name)} - {"gb", "s", "gbps", "gbit"}


def plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _plain_gpu(name: str) -> str:
    bare = re.sub(r"\b(nvidia|amd|tesla|instinct)\b", "", name.lower().replace("_", " "))
    return re.sub(r"(?<=\d)gb|(?<=sxm)\d(?!\d)|^hgx", "", plain(bare))


def _alike(gpu: str, other: str) -> bool:
    """Whether a list may mean the one by the other: it often leaves out memory and form."""
    return gpu.split("-")[0] == other.split("-")[0]


def _same_memory(gpu: str, listed: Listed) -> bool:
    """Whether the list does not name the other memory of a GPU that is made with two."""
    said = set(re.findall(r"(?<!\d)(?:40|80)(?= ?gb)", f"{listed.instance} {listed.gpu}".lower()))
    own = re.search(r"(40|80)(?=gb$)", gpu)
    return not said or own is None or own[0] in said


def names_of(offer: Offer) -> set[str]:
    """An offer's name, its two halves where one stands in parentheses, and the names that lists have for it."""
    outside, _, inside = offer.name.partition("(")
    found = {plain(name) for name in (offer.name, outside, inside, *offer.aliases)}
    return (found | {name.removeprefix("standard") for name in found}) - {""}  # Azure's sizes, as lists shorten them
