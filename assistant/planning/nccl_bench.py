"""The test with which a network is judged before it is paid for: which collectives of nccl-tests the job uses, at which
sizes, the bus bandwidth to expect of each on this network and at this size, and what would be an alarm.

What is expected comes from the same model as the plan (:mod:`assistant.planning.collective`); its band is that of
measured collectives against it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log, log2

from assistant.library import Library
from assistant.model.job import FSDP, HSDP, STRATEGIES
from assistant.network.diagnosis import Large, large_messages
from assistant.vocabulary.answers import BenchedSize, NcclBench, NcclTest
from assistant.vocabulary.catalog import Catalog, Fabric
from assistant.vocabulary.collective import CollectiveQuery, CollectiveTime
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.large_messages import HUNDREDTH, alarm_share, share_of_a_pair
from assistant.vocabulary.quantities import NINETIETH
from assistant.vocabulary.questionnaire import Cluster, Questionnaire

from .candidates import Considered
from .collective import timed
from .entry import Entry
from .planner import decide
from .resolve import Resolved

MIB, GIB = 2**20, 2**30
PROGRAMS = {
    "all_reduce": "all_reduce_perf",
    "all_gather": "all_gather_perf",
    "reduce_scatter": "reduce_scatter_perf",
    "all_to_all": "alltoall_perf",
    "send_recv": "sendrecv_perf",
}
DDP_BUCKET = 25 * MIB  # bytes that PyTorch's DistributedDataParallel sends at a time (bucket_cap_mb)
LARGEST = 8 * GIB
_LOGGED = {"all_to_all": "alltoall", "send_recv": "sendrecv"}  # as nccl-tests names its programs


def bench(questionnaire: Questionnaire, library: Library) -> NcclBench:
    """The tests of a job's cluster. Raises :class:`InputError` where no network joins its GPUs."""
    made = decide(questionnaire, library)
    chosen = made.choice.chosen
    joined = chosen and (chosen.inside or chosen)
    if joined is None:
        raise InputError("no network was found that runs this job: weft plan says why, and what would")
    job, fabric = made.job, joined.considered.fabric
    nodes = job.nodes // job.sites
    if fabric.technology in ("none", "wan") or nodes < 2:
        raise InputError(
            f"no network joins the nodes of this job ({job.gpus} GPUs): there is nothing to test between them"
        )
    tests = [
        NcclTest(
            collective=kind,
            program=PROGRAMS[kind],
            why=why,
            message_bytes=round(message),
            sizes=_sizes(kind, message, job, joined.considered, library.catalog),
        )
        for kind, message, why in _used(job, joined)
    ]
    return NcclBench(
        fabric=fabric.id,
        fabric_name=fabric.name,
        gpu=job.gpu.id,
        gpu_name=job.gpu.name,
        nodes=nodes,
        gpus_per_node=job.gpus_per_node,
        provider=job.provider.id if job.provider else _provider(chosen),
        suite="rccl-tests" if job.gpu.vendor == "amd" else "nccl-tests",
        tests=tests,
    )


def _provider(chosen: Entry | None) -> str | None:
    offered = chosen.priced.offered if chosen and chosen.priced else None
    return offered.provider if offered else None


def _used(job: Resolved, chosen: Entry) -> list[tuple[str, float, str]]:
    """(collective, bytes of a message, why), those that cross the network, the largest volume first."""
    layout = chosen.estimate.parallelism
    tp, pp, cp, ep = (int(layout.get(name) or 1) for name in ("tp", "pp", "cp", "ep"))
    a = job.architecture
    tokens = (layout.get("micro_batch") or 1) * job.sequence_length / cp
    activation = tokens * a.hidden * 2.0
    found: list[tuple[str, float, str]] = []
    if job.serves:
        if tp > job.domain:
            found.append(("all_reduce", 64 * a.hidden * 2.0, "tensor parallelism sums activations across nodes"))
        if job.questionnaire.workload == "disaggregated-inference":
            found.append(("send_recv", 256 * MIB, "prompts' caches move from prefill to decode"))
    else:
        found += _of_data(job, str(layout.get("strategy") or "ddp"), tp, pp)
        if tp > job.domain:
            found.append(("all_reduce", activation, "tensor parallelism sums activations across nodes"))
        if pp > 1:
            found.append(("send_recv", activation / tp, "pipeline stages hand activations on"))
    if ep > 1 and a.experts:
        sent = 64 * a.hidden * a.experts_per_token * 2.0 if job.serves else activation / tp * a.experts_per_token
        found.append(("all_to_all", sent, "tokens travel to their experts and back"))
    return found or [("all_reduce", float(GIB), "the common measure of a network")]


def _of_data(job: Resolved, strategy: str, tp: int, pp: int) -> list[tuple[str, float, str]]:
    number = STRATEGIES.index(strategy) if strategy in STRATEGIES else 0
    share = job.params / tp * 2.0
    if number in (FSDP, HSDP):
        layer = share / max(1, job.architecture.layers)
        return [
            ("all_gather", layer, "FSDP gathers the weights of each layer"),
            ("reduce_scatter", layer, "FSDP scatters the gradients of each layer"),
        ]
    if strategy == "ddp":
        return [("all_reduce", float(DDP_BUCKET), "data parallelism sums gradients, a bucket at a time")]
    return [
        ("reduce_scatter", share / pp, "the gradients of a step are summed and scattered"),
        ("all_gather", share / pp, "the updated weights are gathered"),
    ]


def _sizes(kind: str, message: float, job: Resolved, on: Considered, catalog: Catalog) -> list[BenchedSize]:
    """Powers of two about the job's message and up to where a network shows what it can do."""
    own = 2 ** round(log2(min(max(message, 64 * 1024), LARGEST)))
    sizes = sorted({own, *(MIB * 4**step for step in range(7)), LARGEST})
    nodes = job.nodes // job.sites
    cluster = job.questionnaire.cluster.model_copy(
        update={
            "fabric": on.fabric.id,
            "nics_per_node": on.nics_per_node,
            "gpu": job.gpu.id,
            "gpus": nodes * job.gpus_per_node,  # also where the job leaves some of them idle
            "gpus_per_node": job.gpus_per_node,
            "sites": 1,
            "wan_gbps": None,
        }
    )
    of_size = expected_at(kind, cluster, nodes, catalog)
    return [of_size(size).model_copy(update={"job": size == own}) for size in sizes]


def expected_at(kind: str, cluster: Cluster, nodes: int, catalog: Catalog) -> Callable[[int], BenchedSize]:
    """What to expect of a message of so many bytes on a cluster with a named fabric: of large ones what a diagnosis of
    their log expects, as measured collectives go before the model; smaller ones follow the model's curve."""
    whole = _modelled(kind, LARGEST, cluster, catalog)
    fabric, large = catalog.fabrics[whole.fabric], large_of(kind, cluster, nodes, catalog)
    share, scaled = alarm_share(fabric.transport), 1.0
    if large is not None and _alike(cluster, fabric, catalog):
        scaled, share = large.expected / whole.busbw_gb_per_s, large.alarm / large.expected
    elif large is not None:
        share = min(share, large.alarm / whole.busbw_gb_per_s)

    def at(size: int) -> BenchedSize:
        found = _modelled(kind, size, cluster, catalog)
        spread = log(found.time_p90_s / found.time_s) / NINETIETH
        bus = found.busbw_gb_per_s * scaled
        high = bus * exp(NINETIETH * spread)
        if kind == "send_recv":  # as many channels as fill an adapter, which newer releases open
            high = max(high, bus / share_of_a_pair(cluster.gpus or 2, catalog.constants["collective-send-share"].si))
        return BenchedSize(
            bytes=size,
            busbw_gb_per_s=bus,
            low_gb_per_s=bus * exp(-NINETIETH * spread),
            high_gb_per_s=high,
            alarm_gb_per_s=bus * min(share, exp(-HUNDREDTH * spread)),
        )

    return at


def _modelled(kind: str, size: int, cluster: Cluster, catalog: Catalog) -> CollectiveTime:
    return timed(CollectiveQuery.model_construct(kind=kind, bytes=float(size), cluster=cluster), catalog)


def large_of(kind: str, cluster: Cluster, nodes: int, catalog: Catalog) -> Large | None:
    """What a diagnosis expects of large messages on a cluster with a named fabric; ``None`` where it cannot say."""
    fabric, gpu, ranks = catalog.fabrics[cluster.fabric or ""], catalog.gpus[cluster.gpu or ""], cluster.gpus or 0
    adapters = cluster.nics_per_node or fabric.usual_nics(gpu.nics_in(ranks // nodes))
    return large_messages(_LOGGED.get(kind, kind), ranks, nodes, gpu, fabric, adapters, catalog)


def _alike(cluster: Cluster, fabric: Fabric, catalog: Catalog) -> bool:
    """Whether a diagnosis knows of these machines what the model does: not of racks, whose rings cross the network less
    often than nodes do, nor of the few flows that a pair of ranks has over sockets."""
    return (
        catalog.gpus[cluster.gpu or ""].scale_up_domain <= (cluster.gpus_per_node or 0) and fabric.technology != "tcp"
    )
