"""Known failure lines: what they look like, what they mean, what to do.

Each comes from public threads or documents (issues of NVIDIA/nccl, NVIDIA/nccl-tests and aws-ofi-nccl, NCCL's troubleshooting
guide). A line that is normal in some situations carries the condition under which it counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True)
class Signature:
    """``hosts``: ``several`` counts only when the job spans hosts."""

    code: str
    severity: Severity
    pattern: re.Pattern[str]
    message: str
    fix: str
    hosts: Literal["any", "several"] = "any"


def _known(
    code: str, severity: Severity, pattern: str, message: str, fix: str, hosts: Literal["any", "several"] = "any"
) -> Signature:
    return Signature(code, severity, re.compile(pattern, re.I), message, fix, hosts)


SIGNATURES: tuple[Signature, ...] = (
    # Sockets where RDMA was expected
    _known(
        "libibverbs-missing",
        "error",
        r"Failed to open libibverbs\.so",
        "the RDMA user-space library is not in the image, so NCCL cannot see any adapter",
        "install rdma-core (libibverbs1) in the image",
    ),
    _known(
        "no-rdma-device",
        "error",
        r"NET/IB\S* ?: No device found",
        "NCCL found no usable RDMA device",
        "pass /dev/infiniband into the container, check ibv_devinfo on the host, and that NCCL_IB_HCA does not filter "
        "everything away",
        "several",
    ),
    _known(
        "plugin-not-found",
        "error",
        r"Could not find: \S+ libnccl-net-\S+|Error: network .* not found",
        "the network plugin that was asked for is not there",
        "load the module or install the plugin; NCCL_NET_PLUGIN names a file libnccl-net-NAME.so and wins over NCCL_NET: "
        "unset it when the plugin has another name",
    ),
    _known(
        "efa-provider-missing",
        "error",
        r"Could not find any optimal provider|Only EFA provider is supported",
        "libfabric found no EFA device",
        "attach EFA interfaces to the instance, install the EFA driver, and pass the device into the pod",
    ),
    # Setting up connections
    _known(
        "socket-interface-missing",
        "error",
        r"no socket interface found|No interface found",
        "no interface matches NCCL_SOCKET_IFNAME on this host",
        "name one that exists on every host: eth0 is a prefix, =eth0 exact, ^lo,docker0 excludes",
    ),
    _known(
        "no-route-to-host",
        "error",
        r"No route to host",
        "hosts reach each other, but the ports are rejected: a firewall in most cases",
        "open the ports between the nodes, or narrow net.ipv4.ip_local_port_range and open that range",
    ),
    _known(
        "connection-timed-out",
        "error",
        r"(?:socket|connect|bootstrap)\S*.*Connection timed out|Timeout waiting for (?:a )?connection",
        "a host did not answer while connections were set up",
        "check firewall and subnets, and that NCCL_SOCKET_IFNAME names the interface the hosts share",
    ),
    _known(
        "connection-refused",
        "error",
        r"connect\S*.*Connection refused",
        "the other side was not listening: it died earlier or another job used the port",
        "look at the first error of the other hosts",
    ),
    _known(
        "docker-interface",
        "error",
        r"172\.17\.\d+\.\d+.*Software caused connection abort|Software caused connection abort.*172\.17\.",
        "the container bridge was chosen as interface",
        "NCCL_SOCKET_IFNAME=^docker0,lo",
    ),
    _known(
        "mixed-builds",
        "error",
        r"address with family (?!1\b|2\b|10\b)\d+",
        "the two ends speak different versions",
        "install the same NCCL on every node",
    ),
    _known(
        "ungrouped-send",
        "error",
        r"address with family 1\b",
        "the program calls sends and receives outside a group",
        "put them between ncclGroupStart and ncclGroupEnd",
    ),
    _known(
        "incompatible-versions",
        "error",
        r"Incompatible NCCL versions|message truncated",
        "nodes, or headers and library, have different NCCL versions",
        "one version everywhere; rebuild nccl-tests against the library that is loaded",
    ),
    # RDMA verbs
    _known(
        "gid-invalid",
        "error",
        r"ibv_modify_qp failed with (?:(?:error )?(?:22|101)\b|.*errno (?:22|101)\b)",
        "the RoCE address (GID) of a connection is wrong or has no route",
        "leave NCCL_IB_GID_INDEX unset from NCCL 2.21 on; before, take the RoCE v2 IPv4 entry of show_gids",
    ),
    _known(
        "gid-empty",
        "error",
        r"ibv_modify_qp failed with (?:(?:error )?61\b|.*errno 61\b)",
        "the pinned GID entry is empty, as after a link that went down and up",
        "bounce the interface, or do not pin NCCL_IB_GID_INDEX",
    ),
    _known(
        "rail-unreachable",
        "error",
        r"ibv_modify_qp failed with (?:(?:error )?110\b|.*(?:errno 110\b|Connection timed out))",
        "no answer when resolving the address: the rails do not reach each other",
        "NCCL_CROSS_NIC=0 where rails are separate networks, and a current NCCL",
    ),
    _known(
        "locked-memory",
        "error",
        r"Call to ibv_(?:reg_mr|create_qp|create_cq) failed",
        "memory could not be registered with the adapter: usually the limit of locked memory",
        "ulimit -l unlimited for the batch system's daemon, and --ulimit memlock=-1 for the container",
    ),
    _known(
        "gpu-memory-not-registered",
        "error",
        r"ibv_reg_mr_iova2? failed|Unable to register memory \(type = 2\)",
        "GPU memory could not be registered with the adapter",
        "load nvidia-peermem, or give the container the driver libraries (libcuda) that libfabric needs",
    ),
    _known(
        "efa-handshake",
        "error",
        r"(?:EFA|OFI|Libfabric).*\b4126\b|EFA.*handshake failed",
        "an EFA peer is gone or the security group stops it",
        "allow all traffic of the security group to itself, and look at the peer's first error",
    ),
    # SHARP, NVLink switch, fabric manager
    _known(
        "sharp-unavailable",
        "warning",
        r"Cannot create SHARP job|Cannot initialize CollNet|Begin job id \S+ failed",
        "SHARP could not be used; the run goes on without it",
        "ask for a tree and quota in the aggregation manager (sharp_am), or unset NCCL_COLLNET_ENABLE",
    ),
    _known(
        "nvls-failed",
        "error",
        r"(?:NVLS|multicast).*(?:CUDA failure|failed\b|error)",
        "multicast over the NVLink switch could not be set up",
        "start nvidia-fabricmanager, on rack-scale machines the IMEX domain too; NCCL_NVLS_ENABLE=0 goes on without",
    ),
    _known(
        "fabric-manager",
        "error",
        r"system not yet initialized",
        "the fabric manager is not running or does not match the driver",
        "start nvidia-fabricmanager in the version of the driver",
    ),
    _known(
        "nvml-missing",
        "error",
        r"Failed to open libnvidia-ml\.so",
        "the driver's management library is not on the path",
        "give the container the driver libraries, or extend LD_LIBRARY_PATH",
    ),
    # Containers and processes
    _known(
        "shared-memory-full",
        "error",
        r"failed to extend /dev/shm|Error while creating shared memory segment|No space left on device.*nccl",
        "/dev/shm is too small",
        "--shm-size=1g or --ipc=host; in Kubernetes an emptyDir of medium Memory on /dev/shm",
    ),
    _known(
        "remote-died",
        "error",
        r"remote process exited or there was a network error",
        "a peer ended or its connection broke; this is seldom the first failure",
        "look for the first WARN of another host; test the pairs of nodes one by one when it is always the same ones",
    ),
    _known(
        "no-peer-to-peer",
        "info",
        r"Could not enable P2P",
        "the GPUs of a node cannot read each other's memory: data goes through host memory",
        "expected for cards without NVLink or driver support; else check ACS, IOMMU and the driver",
    ),
)

# Completion status of an RDMA work request, by number, or by its name from NCCL 2.29 on.
COMPLETION = re.compile(r"Got completion\b.*?with (?:error |status=)(?:IBV_WC_(\w+))?\(?(\d{1,6})?")
STATUS_OF_NAME = {
    "RETRY_EXC_ERR": 12,
    "WR_FLUSH_ERR": 5,
    "LOC_PROT_ERR": 4,
    "RNR_RETRY_EXC_ERR": 13,
    "REM_ACCESS_ERR": 10,
}

COMPLETIONS: dict[int, tuple[str, str, str]] = {
    12: (
        "retries-exhausted",
        "a peer never acknowledged (status 12)",
        "at once: wrong GID, unreachable rail or subnet, different MTU or partition key; later and under load: losses, "
        "then raise NCCL_IB_TIMEOUT and look at pause and discard counters",
    ),
    5: (
        "flushed",
        "a request was flushed (status 5): it follows from another error",
        "look at the first error of the peer",
    ),
    4: (
        "local-protection",
        "the adapter could not read or write the memory (status 4)",
        "check ACS and IOMMU (iommu=pt) in the PCIe path, and GPUDirect",
    ),
    13: (
        "receiver-not-ready",
        "the receiver was not ready (status 13): the peer died",
        "look at the first error of the peer",
    ),
    10: ("remote-access", "the peer's memory was gone (status 10)", "look at the first error of the peer"),
}
