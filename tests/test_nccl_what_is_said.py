"""What ``weft nccl diagnose`` says of a fault fits the network and the log that it is found in."""

from __future__ import annotations

from assistant.library import load
from assistant.network.diagnosis import diagnose_text

from .nccl_logs import channels, debug, table

CATALOG = load().catalog
ENDED = """# Collective test starting: {name}_perf
# nThread 1 nGpus 1 minBytes 33554432 maxBytes 17179869184 step: 2(factor) warmup iters: 5 iters: 20 validation: 1
#  Rank  0 Group  0 Pid 535 on node-1 device  0 [0000:9d:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid 500 on node-2 device  0 [0000:9d:00] NVIDIA H100 80GB HBM3
node-1: Test NCCL failure common.cu:1279 'remote process exited or there was a network error / '
 .. node-1 pid 535: Test failure common.cu:1100
"""


def found(text: str) -> dict[str, str]:
    return {each.code: f"{each.message}; {each.fix}" for each in diagnose_text(text, CATALOG).findings}


def test_shared_memory_that_is_full_is_no_pod_that_does_not_run():
    """ "a pod of the job does not run (allocate failed : No space left on device)": the call is posix_fallocate."""
    text = debug("include/shmutils.h:59 NCCL WARN Call to posix_fallocate failed : No space left on device",
                 "misc/shmutils.cc:72 NCCL WARN Error: failed to extend /dev/shm/nccl-Zk3aQd to 33030532 bytes, error: "
                 "No space left on device (28)")  # fmt: skip
    assert "shared-memory-full" in found(text) and "pod-not-started" not in found(text)
    kubelet = "Warning  UnexpectedAdmissionError  kubelet  Allocate failed due to no devices of type nvidia.com/gpu\n"
    assert "pod-not-started" in found(kubelet), "the same words of Kubernetes are one"


def test_a_test_that_stopped_is_told_once_and_by_what_is_known_of_it():
    """ "no entry of the known failures explains this", right before the entry that does; "peaks: alltoall 0"."""
    text = ENDED.format(name="alltoall") + ENDED.format(name="sendrecv")
    assert "remote-died" in found(text) and "said-by-the-log" not in found(text)
    assert "alltoall no row, sendrecv no row" in found(text)["several-runs"]
    assert "the speed against what is usual" not in diagnose_text(text, CATALOG).checked


def test_half_of_the_adapters_of_efa_are_not_looked_for_by_variables_of_infiniband():
    text = debug("NET/OFI Selected provider is efa, fabric is efa-direct (found 8 nics)", "Using network Libfabric",
                 *channels("Libfabric", 8)) + table(164.0, "all_gather")  # fmt: skip
    said = found(text)["half-of-the-adapters"]
    assert diagnose_text(text, CATALOG).transport == "efa"
    assert "NCCL_IB_HCA" not in said and "NET/IB" not in said and "fi_info -p efa" in said


def test_a_plugin_of_aws_that_could_not_start_is_why_sockets_are_used():
    """ "see the other findings for why", and there were none: NET/OFI aws-ofi-nccl initialization failed."""
    text = debug("NET/OFI Initializing aws-ofi-nccl 1.14.0", "NET/OFI Failed to initialize rdma protocol",
                 "NET/OFI aws-ofi-nccl initialization failed",
                 "NET/OFI Unable to find a protocol that worked.  Failing initialization.",
                 "Using network Socket", *channels("Socket", suffix="")) + table(6.1)  # fmt: skip
    assert list(found(text))[:2] == ["plugin-failed", "tcp-sockets"]


def test_addresses_of_ipv4_in_a_failed_queue_pair_are_those_of_roce():
    line = ("misc/ibvwrap.cc:262 NCCL WARN Call to ibv_modify_qp failed with error Connection timed out errno 110, on "
            "dev mlx5_2:1, curr state INIT, next state RTR, local GID index 3, local GID {0}10.1.3.4, remote GID "
            "{0}10.1.4.4")  # fmt: skip
    for prefix, transport in (("::ffff:", "roce"), ("fe80::", "infiniband")):
        log = f"node-1:77:90 [0] {line.format(prefix)}\nnode-1:77:90 [0] NCCL INFO Using network IB\n"
        assert diagnose_text(log, CATALOG).transport == transport
