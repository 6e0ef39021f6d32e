"""What to hold a supplier and a running cluster to: words for a tender, an acceptance test, figures to watch."""

from __future__ import annotations

from assistant.vocabulary.plan import Candidate

from ... import figures
from .. import reading
from .asked import Asked, slower, usable

_ACCEPTED, _ALARM = 0.9, 0.8  # of the bandwidth that the plan counts
_ALIKE = 5.0  # percent of a step
_RDMA = (
    "links that went down; on InfiniBand symbol errors and XmitWait, on RoCE PFC pauses, ECN marks and retransmissions"
)
_COUNTERS = {"infiniband": _RDMA, "roce": _RDMA, "spectrum-x": _RDMA, "tcp": "retransmitted segments and drops"}


def _line(asked: Asked, best: Candidate) -> tuple[int, float, float]:
    """Adapters of a node, Gb/s of each, and the GB/s of bus bandwidth that the plan counts for a large all-reduce."""
    fabric = asked.catalog.fabrics[best.fabric]
    per = reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    nics = reading.asked(asked.plan, "cluster.nics_per_node") or fabric.nics_per_node
    nics = nics or (1 if fabric.technology == "tcp" else per)
    reached = fabric.bandwidth_efficiency.si if fabric.bandwidth_efficiency else 1.0
    return nics, fabric.nic_rate * 8 / 1e9, nics * fabric.nic_rate / 1e9 * reached


def neutral_spec(asked: Asked) -> list[str]:
    """The network as what it must do, without a product."""
    best = asked.best
    if best is None:
        return []
    if best.fabric == "none":
        return [
            'Write: "Ethernet of 25 Gb/s or more per node for data, requests and management". No special network is '
            "needed between the nodes."
        ]
    nics, rate, bus = _line(asked, best)
    nodes = asked.plan.fabric_design.get("nodes") if asked.plan.fabric_design else None
    per = reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    ratio = reading.asked(asked.plan, "cluster.oversubscription")
    shape = f"at most {ratio:g}:1 oversubscribed" if ratio else "non-blocking (1:1)"
    between = f" between all {nodes:,} nodes" if nodes else " between all nodes"
    alike = [c for c in usable(asked) if c is not best and c.verdict == "acceptable" and slower(c, best) < _ALIKE]
    names = ", ".join(asked.name(c.fabric) for c in [best, *alike[:3]])
    return [
        f'Write what it must do: "at least {nics * rate / per:g} Gb/s per GPU into the network, RDMA straight from GPU '
        f'memory, {shape}{between}; switches, adapters, cables and set-up included".',
        f'And how it is proved: "all-reduce of nccl-tests on all nodes, at least '
        f'{figures.significant(_ACCEPTED * bus)} GB/s of bus bandwidth from 1 GB on".',
        f"That lets in {names}.",
    ]


def acceptance(asked: Asked) -> list[str]:
    """A test with thresholds that belongs into a contract."""
    best = asked.best
    if best is None or best.step_time_s is None:
        return []
    band, served = best.step_time_s, best.serving
    said = []
    if best.fabric != "none":
        _, _, bus = _line(asked, best)
        said.append(
            f"All-reduce of nccl-tests on all nodes for 30 minutes: at least {figures.significant(_ACCEPTED * bus)} "
            "GB/s of bus bandwidth from 1 GB on, the slowest repetition counts."
        )
    if served is not None:
        first = figures.seconds(served.ttft_s_p90)
        said.append(f"Your own prompts at the planned load for an hour: first token within {first}.")
        return said
    slow, middle = figures.seconds(band.p90), figures.seconds(band.p50)
    said.append(f"20 steps of your own job: at most {slow} each; planned are {middle}. Loss as on a reference node.")
    pairs = "each pair of nodes alone, " if best.fabric != "none" else ""
    return [*said, f"Then {pairs}a day of load. In the contract: the clock starts when all are passed."]


_FULL = 0.9  # of what fits: beyond, requests queue


def _watched(asked: Asked, field: str, planned: float, slow: float) -> str:
    """What is planned and what is an alarm: the target that was said, else the slow end of our own error."""
    target = reading.asked(asked.plan, f"inference.{field}")
    alarm = target / 1e3 if target else slow
    return f"{figures.seconds(planned)}, alarm above {figures.seconds(alarm)}{' (your target)' if target else ''}"


def monitor(asked: Asked) -> list[str]:
    """What to graph, each with the value of the plan and what is an alarm."""
    best = asked.best
    if best is None or best.step_time_s is None:
        return []
    band, served = best.step_time_s, best.serving
    if served is not None:
        first = _watched(asked, "ttft_ms", served.ttft_s, served.ttft_s_p90)
        each = _watched(asked, "tpot_ms", served.tpot_s, served.tpot_s_p90)
        said = [
            f"The slow twentieth of requests: first token {first}; each further {each}.",
            f"Requests in flight {served.concurrency:,}, alarm above {round(_FULL * served.max_concurrency):,}; KV "
            f"cache above {_FULL:.0%}; any queue that grows for a minute; share of errors above 1 %.",
            "Machines: Xid, ECC and NVLink errors, temperature, a failed health check.",
        ]
    else:
        mfu = f", MFU {best.mfu:.0%}" if best.mfu else ""
        each = (
            f"; {figures.significant(best.tokens_per_s_per_gpu)} tokens/s a GPU{mfu}"
            if best.tokens_per_s_per_gpu
            else ""
        )
        said = [f"A step: {figures.seconds(band.p50)}, alarm above {figures.seconds(band.p90)}{each}."]
    if best.fabric == "none":
        return said
    _, _, bus = _line(asked, best)
    counters = _COUNTERS.get(asked.catalog.fabrics[best.fabric].technology, "retransmissions and drops")
    waits = figures.percent(best.exposed_communication_percent)
    return [
        *said,
        f"Bus bandwidth of all-reduce: {figures.significant(bus)} GB/s, alarm below "
        f"{figures.significant(_ALARM * bus)}; {waits} of a step waits.",
        f"Per port: {counters}.",
    ]
