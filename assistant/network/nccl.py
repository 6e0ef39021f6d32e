"""NCCL settings for a fabric: few, each with its reason, and what is better left alone
(``knowledge/nccl/settings.yaml``).

AMD's RCCL reads the same ``NCCL_`` variables, so one list serves both.
"""

import re
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from assistant.library import paths, shipped
from assistant.vocabulary.catalog import Fabric, Gpu
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.quantities import shown


@dataclass(frozen=True)
class Setting:
    """One environment variable. A value in angle brackets is for the person to fill in. ``claim``: what it rests on."""

    name: str
    value: str
    reason: str
    claim: str | None = None

    @property
    def open(self) -> bool:
        """Whether the value still has to be filled in."""
        return "<" in self.value


@dataclass(frozen=True)
class Host:
    """What is known of the machines.

    ``interface``: for TCP and for setting up connections. ``adapters``: the RDMA NICs to use, where not all of them
    are.
    """

    interface: str | None = None
    adapters: tuple[str, ...] = ()
    provider: str | None = None
    sharp: bool = False  # the SHARP plugin is loaded and an aggregation manager runs
    separate_rails: bool = False  # rails are networks of their own, without spines between them

    def __post_init__(self) -> None:
        if self.interface is not None:
            _named(self.interface, "interface", "eth0", most=15)
        for adapter in self.adapters:
            _named(adapter, "adapters", "mlx5_0", most=64)


def _named(name: str, field: str, example: str, most: int) -> None:
    if not re.fullmatch(rf"[A-Za-z0-9_.:-]{{1,{most}}}", name):
        raise InputError(f"expected the name of a device such as {example}, got {shown(name)}", Place(field=field))


@dataclass(frozen=True)
class Entry(Setting):
    """One entry of ``knowledge/nccl/settings.yaml``: a setting and where it applies."""

    technologies: tuple[str, ...] = ()  # empty: any
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    nodes_at_least: int = 0
    gbps_at_least: float = 0.0
    unnamed: str = ""  # the value where no interface was named

    def applies(self, fabric: Fabric, nodes: int, host: Host) -> bool:
        known = {
            "adapters": bool(host.adapters),
            "sharp": host.sharp,
            "reduces": fabric.in_network_reduction,
            "rails": host.separate_rails,
            "azure": host.provider == "azure",
        }
        rate = fabric.line_rate.si * 8 / 1e9 if fabric.line_rate else 0.0
        large = nodes >= self.nodes_at_least and rate >= self.gbps_at_least
        here = not self.technologies or fabric.technology in self.technologies
        wanted = all(known[word] for word in self.when) and not any(known[word] for word in self.unless)
        return here and large and wanted

    def setting(self, host: Host) -> Setting:
        known = self.unnamed and not host.interface
        value = self.unnamed if known else self.value.format(interface=host.interface, adapters=",".join(host.adapters))
        return Setting(self.name, value, self.reason, self.claim)


# Who reads these variables; Gaudi and Trainium come with libraries of their own (HCCL, Neuron) that do not.
_LIBRARIES = {"nvidia": "NCCL", "amd": "RCCL"}


@lru_cache(maxsize=1)
def _file() -> dict[str, Any]:
    return shipped.documents("nccl", paths.shipped("knowledge") / "nccl")["settings.yaml"]


@lru_cache(maxsize=2)
def _entries(part: str) -> list[Entry]:
    """``set`` or ``leave_alone``, in the order of the file."""
    return [Entry(**one) for one in _file()[part]]


def _chosen(part: str, fabric: Fabric, nodes: int, host: Host) -> list[Setting]:
    return [entry.setting(host) for entry in _entries(part) if entry.applies(fabric, nodes, host)]


def settings(fabric: Fabric, gpu: Gpu, nodes: int, host: Host = Host()) -> list[Setting]:
    """What to set for a job on ``nodes`` nodes; nothing but the debug line when the job stays on one, and nothing at
    all for GPUs whose libraries read none of it."""
    found = [] if nodes <= 1 or fabric.technology == "none" else _chosen("set", fabric, nodes, host)
    what = _LIBRARIES.get(gpu.vendor)
    if what is None:
        return []
    reason = f'first run only: the line "Using network" says what {what} really uses; then take it out'
    return [*found, Setting("NCCL_DEBUG", "INFO", reason, "nvidia-nccl-user-guide/debug-info-shows-network")]


def leave_alone(fabric: Fabric, gpu: Gpu, nodes: int, host: Host = Host()) -> list[Setting]:
    """Settings that are often advised and better not set here; ``value`` is the advised one."""
    return _chosen("leave_alone", fabric, nodes, host) if gpu.vendor in _LIBRARIES else []


def expected_network(fabric: Fabric) -> str:
    """What the line "Using network" of the first run must say."""
    return _file()["using_network"][fabric.technology]


def advice(fabric: Fabric, gpu: Gpu, nodes: int, host: Host = Host()) -> dict[str, Any]:
    """Settings, what to leave alone and what the first run must show, as plain data for a plan."""
    return {
        "fabric": fabric.id,
        "nodes": nodes,
        "settings": [asdict(setting) for setting in settings(fabric, gpu, nodes, host)],
        "leave_alone": [asdict(setting) for setting in leave_alone(fabric, gpu, nodes, host)],
        "using_network": expected_network(fabric) if gpu.vendor in _LIBRARIES else _not_read(gpu),
    }


def _not_read(gpu: Gpu) -> str:
    return f"{gpu.name} comes with a library of its own, which reads none of NCCL's variables: see its maker's manual"


def as_env_file(fabric: Fabric, gpu: Gpu, nodes: int, host: Host = Host()) -> str:
    """The settings as ``NAME=value`` lines, each below its reason; for ``--env-file`` or ``set -a; . FILE``.

    Lines with a value to fill in are commented out, so that the file never sets a placeholder.
    """
    if gpu.vendor not in _LIBRARIES:
        return f"# {_not_read(gpu)}\n"
    lines = [
        f"# {fabric.name}, {nodes} node(s) of {gpu.name}",
        f"# The first run must print: Using network {expected_network(fabric)}",
    ]
    for setting in settings(fabric, gpu, nodes, host):
        source = f" [{setting.claim}]" if setting.claim else ""
        left_open = "# fill in: " if setting.open else ""
        lines += ["", f"# {setting.reason}{source}", f"{left_open}{setting.name}={setting.value}"]
    lines += ["", "# Left alone:"]
    lines += [f"#   {setting.name}: {setting.reason}" for setting in leave_alone(fabric, gpu, nodes, host)]
    return "\n".join(lines) + "\n"
