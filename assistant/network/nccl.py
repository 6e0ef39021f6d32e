"""NCCL settings for a fabric: few, each with its reason, and what is better left alone.

AMD's RCCL reads the same ``NCCL_`` variables, so one list serves both.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

from assistant.vocabulary.catalog import Fabric, Gpu
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.quantities import shown

GUIDE = "nvidia-nccl-user-guide"
FAST_SOCKET = 100e9 / 8  # bytes per second from which one socket per connection does not fill the line
ADAPTIVE_ROUTING_PAYS = (
    16  # nodes from which it won on Azure: 309 against 275 GB/s; at 8 nodes it lost, 351 against 374
)


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

    ``interface``: for TCP and for setting up connections. ``adapters``: the RDMA NICs to use, where not all of them are.
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


def settings(fabric: Fabric, gpu: Gpu, nodes: int, host: Host = Host()) -> list[Setting]:
    """What to set for a job on ``nodes`` nodes; nothing but the debug line when the job stays on one."""
    found = [] if nodes <= 1 or fabric.technology == "none" else _by_technology(fabric, nodes, host)
    what = "RCCL" if gpu.vendor == "amd" else "NCCL"
    found.append(
        Setting(
            "NCCL_DEBUG",
            "INFO",
            f'first run only: the line "Using network" says what {what} really uses; then take it out',
            f"{GUIDE}/debug-info-shows-network",
        )
    )
    return found


def _by_technology(fabric: Fabric, nodes: int, host: Host) -> list[Setting]:
    ways = {
        "infiniband": _infiniband,
        "roce": _roce,
        "spectrum-x": _roce,
        "ultra-ethernet": _roce,
        "efa": _efa,
        "tcpx": _tcpx,
        "tcpxo": _tcpxo,
        "tcp": _tcp,
        "wan": _tcp,
    }
    return ways[fabric.technology](fabric, nodes, host)


def _infiniband(fabric: Fabric, nodes: int, host: Host) -> list[Setting]:
    found = [*_adapters(host), _bootstrap(host), *_rails(host)]
    if host.sharp and fabric.in_network_reduction:
        found.append(
            Setting(
                "NCCL_COLLNET_ENABLE",
                "1",
                "lets switches add up all-reduces (SHARP); off "
                "by default, and without its plugin and a running sharp_am NCCL goes on "
                "without it",
                f"{GUIDE}/collnet-default-off",
            )
        )
    if host.provider == "azure" and nodes >= ADAPTIVE_ROUTING_PAYS:
        found.append(
            Setting(
                "NCCL_IB_SL",
                "2",
                "the service level with adaptive routing on this cloud: 284 against 243 "
                "GB/s on 32 nodes; elsewhere ask which level has it, a wrong one ends in timeouts",
                "azure-nccl-scaling-undated/adaptive-routing-recovers",
            )
        )
    return found


def _roce(fabric: Fabric, nodes: int, host: Host) -> list[Setting]:
    traffic_class = Setting(
        "NCCL_IB_TC",
        "<traffic class>",
        "must be the class that the switches protect from loss; the number is the DSCP × "
        "4, the default 0 is ordinary traffic; the network team or the provider knows it",
    )
    return [*_adapters(host), _bootstrap(host), traffic_class, *_rails(host)]


def _tcp(fabric: Fabric, nodes: int, host: Host) -> list[Setting]:
    found = [
        Setting(
            "NCCL_NET",
            "Socket",
            "TCP whatever plugins the image loads; NCCL_IB_DISABLE alone does not do it",
            f"{GUIDE}/net-socket-forces-tcp",
        ),
        Setting(
            "NCCL_SOCKET_IFNAME",
            f"={host.interface or '<interface>'}",
            "the second = makes the name exact; without it interfaces starting with ib come first, and TCP would "
            "ride on InfiniBand",
            f"{GUIDE}/socket-ifname-prefers-ib",
        ),
    ]
    if fabric.technology == "tcp" and fabric.line_rate is not None and fabric.line_rate.si >= FAST_SOCKET:
        found += [
            Setting(
                "NCCL_SOCKET_NTHREADS",
                "4",
                "one socket per connection does not fill 100 Gb/s; at most 64 as a product",
                f"{GUIDE}/socket-threads-100g",
            ),
            Setting("NCCL_NSOCKS_PERTHREAD", "4", "goes with the line above", f"{GUIDE}/socket-threads-100g"),
        ]
    return found


def _efa(fabric: Fabric, nodes: int, host: Host) -> list[Setting]:
    return [
        Setting(
            "FI_PROVIDER",
            "efa",
            "libfabric takes EFA or fails, in place of falling back to TCP; the aws-ofi-nccl "
            "plugin must be in the image",
            "aws-efa-docs/efa-srd-not-infiniband",
        ),
        Setting(
            "NCCL_SOCKET_IFNAME",
            host.interface and f"={host.interface}" or "^lo,docker,veth",
            "for setting up connections only: any interface but the container's own",
            f"{GUIDE}/socket-ifname-prefers-ib",
        ),
    ]


def _tcpx(fabric: Fabric, nodes: int, host: Host) -> list[Setting]:
    return [
        _google_bootstrap(host),
        Setting(
            "NCCL_GPUDIRECTTCPX_CTRL_DEV",
            host.interface or "eth0",
            "the same interface, for the plugin's control traffic",
        ),
        Setting(
            "NCCL_GPUDIRECTTCPX_SOCKET_IFNAME",
            "eth1,eth2,eth3,eth4",
            "the four NICs that "
            "carry GPU data; the plugin's container and NCCL's TCPX library must be there, or "
            "NCCL uses plain TCP",
            "google-gpu-networking/a3-high-tcpx",
        ),
    ]


def _tcpxo(fabric: Fabric, nodes: int, host: Host) -> list[Setting]:
    return [
        _google_bootstrap(host),
        Setting(
            "NCCL_FASTRAK_CTRL_DEV", host.interface or "eth0", "the same interface, for the plugin's control traffic"
        ),
        Setting(
            "NCCL_FASTRAK_IFNAME",
            ",".join(f"eth{n}" for n in range(1, 9)),
            "the eight NICs that carry GPU data; "
            "load the profile script that comes with the plugin first: without the plugin it is plain TCP, about 4 "
            "in place of 340 GB/s",
            "nvidia-aicr-tcpxo/tcpxo-340-vs-tcp-4",
        ),
    ]


def _google_bootstrap(host: Host) -> Setting:
    return Setting(
        "NCCL_SOCKET_IFNAME",
        host.interface or "eth0",
        "for setting up connections: the ordinary interface, not one of the GPU NICs",
        f"{GUIDE}/socket-ifname-prefers-ib",
    )


def _adapters(host: Host) -> list[Setting]:
    if not host.adapters:
        return []
    return [
        Setting(
            "NCCL_IB_HCA",
            "=" + ",".join(host.adapters),
            "exactly these adapters; without the = each name is a prefix and mlx5_1 also takes mlx5_10",
            f"{GUIDE}/ib-hca-is-a-filter",
        )
    ]


def _bootstrap(host: Host) -> Setting:
    return Setting(
        "NCCL_SOCKET_IFNAME",
        f"={host.interface or '<interface>'}",
        "for setting up connections only; the data goes by RDMA",
        f"{GUIDE}/socket-ifname-prefers-ib",
    )


def _rails(host: Host) -> list[Setting]:
    if not host.separate_rails:
        return []
    return [Setting("NCCL_CROSS_NIC", "0", "the rails are separate networks: a ring must stay on its rail")]


def leave_alone(fabric: Fabric, gpu: Gpu, nodes: int, host: Host = Host()) -> list[Setting]:
    """Settings that are often advised and better not set here; ``value`` is the advised one."""
    rdma = fabric.technology in ("infiniband", "roce", "spectrum-x", "ultra-ethernet")
    found = []
    if rdma and not host.adapters:
        found.append(
            Setting(
                "NCCL_IB_HCA",
                "mlx5_0",
                "one adapter of eight carries an eighth of the bandwidth; unset takes all of them",
                "spheron-multinode-2026/nccl-ib-hca-mlx5-0",
            )
        )
    if fabric.technology in ("roce", "spectrum-x", "ultra-ethernet"):
        found.append(
            Setting(
                "NCCL_IB_GID_INDEX",
                "3",
                "chosen automatically since NCCL 2.21; with an older one look it up with show_gids",
                f"{GUIDE}/gid-index-automatic",
            )
        )
    if fabric.in_network_reduction and not host.sharp:
        found.append(
            Setting(
                "NCCL_COLLNET_ENABLE",
                "1",
                "only when the SHARP plugin is loaded and sharp_am runs; it helps "
                "all-reduce above all, and FSDP uses none",
                f"{GUIDE}/collnet-default-off",
            )
        )
    if rdma:
        found.append(
            Setting(
                "NCCL_NET_GDR_LEVEL",
                "5",
                "NCCL picks the distance; if it must be forced, give it as a word such as PXB or SYS",
                f"{GUIDE}/gdr-level-strings",
            )
        )
    return found + [
        Setting(
            "NCCL_IB_DISABLE",
            "1",
            "stops only the built-in transport: a plugin in the image still uses InfiniBand; "
            "NCCL_NET=Socket forces TCP",
            "nccl-ibext-threads/ibext-ignores-ib-disable",
        ),
        Setting("NCCL_BUFFSIZE", "4194304", "is the default", f"{GUIDE}/buffsize-default"),
        Setting("NCCL_NTHREADS", "512", "is the default", "spheron-networking-guide-2026/nthreads-512"),
        Setting("NCCL_TIMEOUT", "300", "no variable of NCCL: it does nothing", "azure-fsdp-2026/nccl-timeout-variable"),
    ]


def expected_network(fabric: Fabric) -> str:
    """What the line "Using network" of the first run must say."""
    names = {
        "infiniband": "IB or IBext",
        "roce": "IB or IBext",
        "spectrum-x": "IB or IBext",
        "ultra-ethernet": "IB or the NIC vendor's plugin",
        "efa": "AWS Libfabric or Libfabric",
        "tcpx": "GPUDirectTCPX",
        "tcpxo": "FasTrak",
        "tcp": "Socket",
        "wan": "Socket",
    }
    return names.get(fabric.technology, "nothing that matters: the GPUs of one node talk over the scale-up link")


def advice(fabric: Fabric, gpu: Gpu, nodes: int, host: Host = Host()) -> dict[str, Any]:
    """Settings, what to leave alone and what the first run must show, as plain data for a plan."""
    return {
        "fabric": fabric.id,
        "nodes": nodes,
        "settings": [asdict(setting) for setting in settings(fabric, gpu, nodes, host)],
        "leave_alone": [asdict(setting) for setting in leave_alone(fabric, gpu, nodes, host)],
        "using_network": expected_network(fabric),
    }


def as_env_file(fabric: Fabric, gpu: Gpu, nodes: int, host: Host = Host()) -> str:
    """The settings as ``NAME=value`` lines, each below its reason; for ``--env-file`` or ``set -a; . FILE``.

    Lines with a value to fill in are commented out, so that the file never sets a placeholder.
    """
    lines = [
        f"# {fabric.name}, {nodes} node(s) of {gpu.name}",
        f"# The first run must print: Using network {expected_network(fabric)}",
    ]
    for setting in settings(fabric, gpu, nodes, host):
        source = f" [{setting.claim}]" if setting.claim else ""
        lines += [
            "",
            f"# {setting.reason}{source}",
            f"{'# fill in: ' if setting.open else ''}{setting.name}={setting.value}",
        ]
    lines += ["", "# Left alone:"]
    lines += [f"#   {setting.name}: {setting.reason}" for setting in leave_alone(fabric, gpu, nodes, host)]
    return "\n".join(lines) + "\n"
