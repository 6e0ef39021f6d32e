"""What providers document for their machines (``knowledge/nccl/environments``), and the entries of settings' files."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from assistant.library import nccl_claims, paths, shipped
from assistant.vocabulary.catalog import Fabric, Gpu

from .host import Host, Runtimes, within

Checked = Literal["documented", "sample", "memory"]


@dataclass(frozen=True)
class Setting:
    """One environment variable. A value in angle brackets is for the person to fill in.

    ``claim``: what of the knowledge it rests on; ``source``: whose file or page says so; ``checked``: whether that was
    read in a document or template, in a sample job only, or could not be.
    """

    name: str
    value: str
    reason: str
    claim: str | None = None
    source: str | None = None
    checked: Checked = "documented"

    @property
    def open(self) -> bool:
        """Whether the value still has to be filled in."""
        return "<" in self.value


@dataclass(frozen=True)
class Entry:
    """A setting and where it applies; ``value``: one, or one for each form of file, ``host`` for those not named."""

    name: str
    value: str | dict[str, str]
    reason: str
    claim: str | None = None
    source: str | None = None
    checked: Checked = "documented"
    technologies: tuple[str, ...] = ()  # empty: any
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    runtimes: tuple[str, ...] = ()
    since: str | None = None
    before: str | None = None
    plugin_since: str | None = None
    plugin_before: str | None = None
    gbps_at_least: float = 0.0
    interface: bool = False  # gives way to the interface that was named
    find: str = ""  # where the person looks a value up that is open
    beside: str = ""  # only where this NAME=value is set too
    not_beside: str = ""
    vendors: tuple[str, ...] = ()  # makers of the GPUs; empty: any
    everywhere: bool = False  # holds also where a provider's own script or file owns the values

    def applies(self, fabric: Fabric | str, host: Host) -> bool:
        """Whether it holds on these machines. ``fabric``: of the catalog, or the word of an environment that is not in
        it, whose entries ask for no technology or rate."""
        of = None if isinstance(fabric, str) else fabric
        known = {
            "adapters": bool(host.adapters),
            "sharp": host.sharp,
            "reduces": bool(of and of.in_network_reduction),
            "rails": host.separate_rails,
            "own-sockets": host.provider in _OWN_SOCKETS,
        }
        rate = of.line_rate.si * 8 / 1e9 if of and of.line_rate else 0.0
        here = not self.technologies or (of is not None and of.technology in self.technologies)
        return (
            here
            and rate >= self.gbps_at_least
            and all(known[word] for word in self.when)
            and not any(known[word] for word in self.unless)
            and (not self.runtimes or host.form in self.runtimes)
            and within(host.nccl, self.since, self.before)
            and within(host.plugin, self.plugin_since, self.plugin_before)
        )

    def goes_with(self, given: Collection[str], gpu: Gpu) -> bool:
        """Whether it holds beside the settings that are ``given``, as ``NAME=value``, with GPUs of this maker."""
        beside = not self.beside or self.beside in given
        return beside and self.not_beside not in given and (not self.vendors or gpu.vendor in self.vendors)

    def setting(
        self, host: Host, adapters: tuple[str, ...], source: str | None, *, left_alone: bool = False
    ) -> Setting:
        value = self.value if isinstance(self.value, str) else self.value.get(host.form, self.value["host"])
        if self.interface and host.interface:
            value = f"={host.interface}" if value[0] in "=^" else host.interface
        value = value.replace("{adapters}", ",".join(host.adapters or adapters))
        reason = f"{self.reason}; {self.find}" if self.find and "<" in value else self.reason
        of = self.source or source
        claim = self.claim or (nccl_claims.of_setting(of, self.name, left_alone=left_alone) if of else None)
        return Setting(self.name, value, reason, claim, of, self.checked)


@dataclass(frozen=True)
class Least:
    """The oldest release with which the settings work. ``of``: ``nccl`` or ``plugin``; ``gpus``: of the machines that
    need it, empty where all do; ``why``: what is missing before."""

    of: str
    version: str
    why: str
    gpus: tuple[str, ...] = ()


# Clouds whose adapters NCCL knows and gives threads and sockets of its own (src/transport/net_socket.cc).
_OWN_SOCKETS = ("aws", "gcp")


@dataclass(frozen=True)
class Environment:
    """What one provider, or the maker of a network, documents for some machines."""

    name: str
    source: str | None = None
    provider: str | None = None
    vendor: str | None = None
    word: str | None = None  # how a network that is not in the catalog is asked for
    instances: tuple[str, ...] = ()
    gpus: tuple[str, ...] = ()  # empty: any
    fabrics: tuple[str, ...] = ()
    technologies: tuple[str, ...] = ()
    adapters: tuple[str, ...] = ()
    called: dict[str, str] = field(default_factory=dict[str, str])  # what people call an instance, and its name
    needs: str = ""
    least: tuple[Least, ...] = ()
    script: dict[str, list[str]] = field(default_factory=dict[str, list[str]])  # by form, see :meth:`first`
    script_sets: tuple[str, ...] = ()
    tests_add: tuple[str, ...] = ()  # NAME=value: in the provider's own tests, in no file of its machines
    set: tuple[Entry, ...] = ()
    leave: tuple[Entry, ...] = ()
    using_network: str = ""
    seen: str = ""

    def first(self, form: str) -> tuple[str, ...]:
        """The shell lines that come first: the provider's own script, where it lies for what starts the job."""
        return tuple(self.script.get(form, self.script.get("host", ())))

    @property
    def says(self) -> frozenset[str]:
        """The variables that the provider's script or tests set, which advice that holds in general leaves to it."""
        return names_of((*self.script_sets, *self.tests_add))

    def fits(self, fabric: Fabric, gpu: Gpu, host: Host) -> bool:
        """Whether it is about these machines."""
        if self.word or (self.provider and self.provider not in (host.provider, *(fabric.providers or ()))):
            return False
        if self.vendor and self.vendor != gpu.vendor:
            return False
        if host.instance and self.instances and host.instance not in self.instances:
            return False
        of_gpu = not self.gpus or gpu.id in self.gpus
        of_fabric = fabric.id in self.fabrics or fabric.technology in self.technologies
        return of_gpu and (of_fabric or not (self.fabrics or self.technologies))


@lru_cache(maxsize=1)
def documents() -> dict[str, Any]:
    """Every file below ``knowledge/nccl``."""
    return shipped.documents("nccl", paths.shipped("knowledge") / "nccl")


@lru_cache(maxsize=1)
def runtimes() -> Runtimes:
    """How people name what starts a job."""
    return Runtimes.model_validate(documents()["settings.yaml"]["runtimes"])


@lru_cache(maxsize=1)
def environments() -> list[Environment]:
    """Those of a provider first; of one provider in the order of its file."""
    found = []
    for name, file in documents().items():
        if name.startswith("environments/"):
            common = {key: file[key] for key in ("source", "provider", "vendor", "technologies") if key in file}
            found += [_environment({**common, **one}, file.get("leave", [])) for one in file["environments"]]
    return sorted(found, key=lambda each: each.provider is None)


def _environment(said: dict[str, Any], leave: list[dict[str, Any]]) -> Environment:
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in said.items()}
    fields["least"] = tuple(Least(**(one | {"gpus": tuple(one.get("gpus", ()))})) for one in said.get("least", []))
    fields["set"] = tuple(Entry(**one) for one in said.get("set", []))
    fields["leave"] = tuple(Entry(**one) for one in [*said.get("leave", []), *leave])
    return Environment(**fields)


def environment_of(fabric: Fabric, gpu: Gpu, host: Host) -> Environment | None:
    """What is documented for these machines, the nearest first; ``None`` where only what holds in general is known."""
    return next((each for each in environments() if each.fits(fabric, gpu, host)), None)


def named(word: str) -> Environment | None:
    """The environment of a network that is not in the catalog, such as ``slingshot``."""
    return next((each for each in environments() if each.word == word), None)


def other_names() -> tuple[str, ...]:
    """Words for networks that are not in the catalog."""
    return tuple(each.word for each in environments() if each.word)


def _files_of(gpu: Gpu) -> list[dict[str, Any]]:
    """What the makers of networks and GPUs document, of the maker of this one."""
    known = documents().items()
    return [file for name, file in known if name.startswith("environments/") and file.get("vendor") == gpu.vendor]


def leave_of_vendor(gpu: Gpu) -> tuple[Entry, ...]:
    """What is better left alone with the GPUs of one maker, whatever joins them."""
    return tuple(Entry(**one, source=file.get("source")) for file in _files_of(gpu) for one in file.get("leave", []))


def recipes_of_vendor(gpu: Gpu) -> frozenset[str]:
    """The variables that the maker's own recipes set, against which no advice is given."""
    return names_of(one for file in _files_of(gpu) for one in file.get("recipes_set", []))


def names_of(assigned: Iterable[str]) -> frozenset[str]:
    """The variables of ``NAME=value``."""
    return frozenset(each.partition("=")[0] for each in assigned)
