"""Whether a provider has the machines that a settings file is asked for, and with which GPUs."""

from assistant.vocabulary.catalog import Catalog, Fabric, Gpu, Offer
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.quantities import shown

from .environments import environments
from .host import Host

USUAL = "h100-sxm"  # of an unnamed provider


def gpu_of(fabric: Fabric | str, gpu: str | None, host: Host, catalog: Catalog) -> Gpu:
    """The GPU that was named, else the provider's on this network, else H100 SXM.

    Raises :class:`InputError` for a network that the provider does not let with this GPU, or at all, or an instance
    that has another GPU or network.
    """
    if isinstance(fabric, str):
        return catalog.gpus[gpu or USUAL]
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


def _offers(provider: str, host: Host, catalog: Catalog) -> list[Offer]:
    offers = catalog.providers[provider].offers
    return [each for each in offers if host.instance is None or host.instance.lower() in _names(each)]


def _names(offer: Offer) -> tuple[str, ...]:
    """``a3-megagpu-8g (A3 Mega)`` goes by both."""
    first, _, rest = offer.name.lower().partition(" (")
    return offer.name.lower(), first, rest.rstrip(")")


def instance_of(instance: str, provider: str | None, catalog: Catalog) -> str:
    """The provider's own name of an instance. Raises :class:`InputError` for one that nobody here has."""
    if provider is None:
        raise InputError("expected --provider beside --instance", Place(field="--instance"))
    documented = [name for each in environments() if each.provider == provider for name in each.instances]
    offers = catalog.providers[provider].offers
    for name in documented:
        if name.lower() == instance.lower():
            return name
    for offer in offers:
        if instance.lower() in _names(offer):
            return offer.name.partition(" (")[0]
    known = dict.fromkeys([*documented, *(offer.name.partition(" (")[0] for offer in offers)])
    raise InputError(f"expected one of {', '.join(known)}, got {shown(instance)}", Place(field="--instance"))
