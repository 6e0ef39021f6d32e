"""What releases of NCCL and of its network plugin take of the settings for some machines."""

from assistant.vocabulary.catalog import Gpu
from assistant.vocabulary.errors import InputError, Place

from .environments import Entry, Environment, Least, documents
from .host import Host, version, within

_NAMES = {"nccl": "NCCL", "plugin": "the network plugin"}


def _of(around: Environment, gpu: Gpu) -> list[Least]:
    return [each for each in around.least if not each.gpus or gpu.id in each.gpus]


def needed(around: Environment | None, gpu: Gpu) -> str:
    """What the machines need beside the settings, the oldest releases with it; empty where nothing is known of it."""
    if around is None:
        return ""
    least = [f"{_NAMES[each.of]} {each.version} or later ({each.why})" for each in _of(around, gpu)]
    return "; ".join([around.needs] * bool(around.needs) + least)


def new_enough(around: Environment | None, gpu: Gpu, host: Host) -> None:
    """Raises :class:`InputError` where a release that was named is too old for the machines, with what is missing."""
    for each in _of(around, gpu) if around else ():
        held = host.nccl if each.of == "nccl" else host.plugin
        if held is not None and within(held, None, each.version):
            raise InputError(
                f"expected {_NAMES[each.of]} {each.version} or later on {around.name if around else ''} with "
                f"{gpu.name} ({each.why}); got {held}",
                Place(field=f"--{each.of}"),
            )


def too_new(entries: tuple[Entry, ...], given: set[str], host: Host) -> str:
    """The lines that are left out as they are for newer releases than those that were named, in one sentence."""
    told = [
        f"{each.name}={each.value} is for {_NAMES[of]} {since} and later"
        for each in entries
        for of, held, since in (("nccl", host.nccl, each.since), ("plugin", host.plugin, each.plugin_since))
        if since and held and within(held, None, since) and each.name not in given
    ]
    return "; ".join(told)


def unread(name: str, nccl: str | None) -> str:
    """From which release on NCCL reads a variable, where the one that was named does not; else empty."""
    known = documents()["defaults.yaml"]["defaults"].get(name)
    since = next(iter(known["values"])) if known else "0"
    if nccl is None or since == "0" or (version(since) or ()) <= (version(nccl) or ()):
        return ""
    return since
