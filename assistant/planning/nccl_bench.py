"""The test with which a network is judged before it is paid for: which collectives of nccl-tests the job uses, at which
sizes, the bus bandwidth to expect of each on this network and at this size, and what would be an alarm.

What is expected comes from the same model as the plan (:mod:`assistant.planning.collective`); its band is that of
measured collectives against it.
"""

from __future__ import annotations

from math import exp, log, log2

from assistant.library import Library
from assistant.model.job import FSDP, HSDP, STRATEGIES
from assistant.vocabulary.answers import BenchedSize, NcclBench, NcclTest
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.collective import CollectiveQuery
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.quantities import NINETIETH
from assistant.vocabulary.questionnaire import Questionnaire

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
# A healthy network in a hundred is slower than this many standard deviations (of the logarithm) below what is expected.
HUNDREDTH = 2.326
DDP_BUCKET = 25 * MIB  # bytes that PyTorch's DistributedDataParallel sends at a time (bucket_cap_mb)
LARGEST = 8 * GIB


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
    return [_expected(kind, size, job, on, catalog, own=size == own) for size in sizes]


def _expected(kind: str, size: int, job: Resolved, on: Considered, catalog: Catalog, *, own: bool) -> BenchedSize:
    asked = job.questionnaire.cluster
    cluster = asked.model_copy(
        update={
            "fabric": on.fabric.id,
            "nics_per_node": on.nics_per_node,
            "gpu": job.gpu.id,
            "gpus": job.nodes // job.sites * job.gpus_per_node,  # also where the job leaves some of them idle
            "gpus_per_node": job.gpus_per_node,
            "sites": 1,
            "wan_gbps": None,
        }
    )
    found = timed(CollectiveQuery.model_construct(kind=kind, bytes=float(size), cluster=cluster), catalog)
    spread = log(found.time_p90_s / found.time_s) / NINETIETH
    bus = found.busbw_gb_per_s
    return BenchedSize(
        bytes=size,
        busbw_gb_per_s=bus,
        low_gb_per_s=bus * exp(-NINETIETH * spread),
        high_gb_per_s=bus * exp(NINETIETH * spread),
        alarm_gb_per_s=bus * exp(-HUNDREDTH * spread),
        job=own,
    )
