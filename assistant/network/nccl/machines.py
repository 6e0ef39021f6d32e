"""Whether a provider has the machines that a settings file is asked for, and with which GPUs."""

from difflib import get_close_matches

from assistant.vocabulary.catalog import Catalog, Fabric, Gpu, Offer
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.quantities import shown

from .environments import environments, named
from .host import Host, within

_NEAREST, _NEAR = 4, 0.6  # names that are offered for one that is not known, and how like they are (0 to 1)
USUAL, USUAL_OF_AMD = "h100-sxm", "mi300x"  # of an unnamed provider
SHARP_SINCE = "2.7.3"  # NVIDIA, documentation of the NCCL-RDMA-SHARP plugins of HPC-X


def gpu_of(fabric: Fabric | str, gpu: str | None, host: Host, catalog: Catalog) -> Gpu:
    """The GPU that was named, else the provider's on this network, else H100 SXM.

    Raises :class:`InputError` for a network that the provider does not let with this GPU, or at all, or an instance
    that has another GPU or network.
    """
    if isinstance(fabric, str):
        return _gpu_of_vendor(fabric, gpu, catalog)
    provider = host.provider or (fabric.providers[0] if fabric.providers else None)
    if fabric.providers and provider not in fabric.providers:
        raise InputError(f"expected a provider that has {fabric.name}: {', '.join(fabric.providers)}, "
                         f"got {provider}", Place(field="--provider"))  # fmt: skip
    if provider is None or fabric.technology == "none":
        return catalog.gpus[gpu or USUAL]
    offers = _offers(provider, host, catalog)
    with_it = [each for each in offers if fabric.id in each.fabrics or fabric.technology == "tcp"]
    if offers and not with_it:
        sold = sorted({f for each in offers for f in each.fabrics[:1]})
        where = f"{catalog.providers[provider].name}{f' on {host.instance}' if host.instance else ''}"
        raise InputError(f"expected a network that {where} has: {', '.join(sold)}; got {fabric.id}",
                         Place(field="--fabric"))  # fmt: skip
    sold = list(dict.fromkeys(each.gpu for each in with_it))
    if gpu is None:
        return catalog.gpus[USUAL if USUAL in sold or not sold else sold[0]]
    if sold and gpu not in sold:
        raise InputError(
            f"expected a GPU that {catalog.providers[provider].name} lets with {fabric.id}: "
            f"{', '.join(sold)}; got {gpu}",
            Place(field="--gpu"),
        )
    return catalog.gpus[gpu]


def _gpu_of_vendor(word: str, gpu: str | None, catalog: Catalog) -> Gpu:
    """The GPU that was named, else the usual one, of the maker whose GPUs alone a network's settings are for."""
    of = named(word)
    vendor = of.vendor if of else None
    fitting = [each for each in catalog.gpus.values() if vendor in (None, each.vendor)]
    if gpu is not None and catalog.gpus[gpu] not in fitting:
        choices = ", ".join(each.id for each in fitting)
        raise InputError(f"expected a GPU that goes with {word}: {choices}; got {gpu}", Place(field="--gpu"))
    usual = next((each for each in fitting if each.id in (USUAL, USUAL_OF_AMD)), fitting[0])
    return catalog.gpus[gpu] if gpu else usual


def sharp_fits(fabric: Fabric | str, gpu: Gpu, host: Host) -> None:
    """Raises :class:`InputError` where ``host`` says that switches add up what they cannot: on a network without such
    switches, with another maker's GPUs, or by a library from before it could."""
    if not host.sharp:
        return
    why = ""
    if isinstance(fabric, str) or not fabric.in_network_reduction:
        why = (
            f"switches of InfiniBand from HDR on, which add up; got {fabric if isinstance(fabric, str) else fabric.id}"
        )
    elif gpu.vendor != "nvidia":
        why = f"GPUs of NVIDIA, whose plugin it is; got {gpu.id}"
    elif within(host.nccl, None, SHARP_SINCE):
        why = f"NCCL {SHARP_SINCE} or later; got {host.nccl}" if host.nccl else ""
    if why:
        raise InputError(f"expected {why}", Place(field="--sharp"))


def network_of(provider: str, gpu: str | None, catalog: Catalog) -> str:
    """The one network that a provider joins its machines with, those with a GPU where one is named.

    Raises :class:`InputError` with the choices where there are several, or where it joins none.
    """
    by_network: dict[str, list[str]] = {}
    for offer in catalog.providers[provider].offers:
        for ident in offer.fabrics[:1] if gpu in (None, offer.gpu) else ():
            by_network.setdefault(ident, []).append(offer.name.partition(" (")[0])
    joined = {ident: names for ident, names in by_network.items() if ident != "none"}
    if len(joined) == 1:
        return next(iter(joined))
    name, of = catalog.providers[provider].name, f" with {gpu}" if gpu else ""
    if not joined:
        raise InputError(
            f"expected a provider that joins machines{of} by a network, got {name}", Place(field="--provider")
        )
    choices = "; ".join(f"{ident} ({', '.join(dict.fromkeys(names))})" for ident, names in joined.items())
    raise InputError(
        f"expected one of the networks of {name}{of}, or --instance with one of its machines: {choices}",
        Place(field="--fabric"),
    )


def _offers(provider: str, host: Host, catalog: Catalog) -> list[Offer]:
    offers = catalog.providers[provider].offers
    return [each for each in offers if host.instance is None or _bare(host.instance) in _names(each)]


def _names(offer: Offer) -> set[str]:
    """``a3-megagpu-8g (A3 Mega)`` goes by both, ``p5.48xlarge`` by its family, ``Standard_ND96isr_H100_v5`` without its
    first word; compared without regard to case and signs."""
    first, _, rest = offer.name.partition(" (")
    family = first.partition(".")[0] if first.endswith("xlarge") else ""
    return {_bare(name) for name in (offer.name, first, rest, family, first.removeprefix("Standard_"))} - {""}


def _bare(name: str) -> str:
    return "".join(sign for sign in name.lower() if sign.isalnum())


def instance_of(instance: str, provider: str | None, catalog: Catalog) -> tuple[str, str, Offer | None]:
    """The provider that has an instance, its own name of it, and its offer where the catalog has one.

    Raises :class:`InputError` for one that nobody here has, with the names that are nearest to it.
    """
    among, known = [provider] if provider else list(catalog.providers), list[str]()
    for each in among:
        documented = _documented(each)
        offers = catalog.providers[each].offers
        name = next((name for said, name in documented.items() if _bare(said) == _bare(instance)), None)
        offer = next((offer for offer in offers if _bare(name or instance) in _names(offer)), None)
        if name or offer:
            return each, name or (offer.name.partition(" (")[0] if offer else ""), offer
        known += dict.fromkeys([*documented, *(offer.name.partition(" (")[0] for offer in offers)])
    if provider:
        raise InputError(f"expected one of {', '.join(known)}, got {shown(instance)}", Place(field="--instance"))
    by_bare = {_bare(part): name for name in known for part in (name, name.partition(".")[0]) if "×" not in name}
    near = get_close_matches(_bare(instance), by_bare, n=_NEAREST, cutoff=_NEAR)
    names = ", ".join(dict.fromkeys(by_bare[bare] for bare in near))
    like = f" such as {names}" if names else ", in its own name for it"
    raise InputError(
        f"expected an instance of a provider{like} (weft catalog offers lists all), got {shown(instance)}",
        Place(field="--instance"),
    )


def _documented(provider: str) -> dict[str, str]:
    """What the instances of a provider's documents are called, and their names."""
    of = [one for one in environments() if one.provider == provider]
    return {name: name for one in of for name in one.instances} | {k: v for one in of for k, v in one.called.items()}
