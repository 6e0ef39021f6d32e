"""What to set to begin with: variables of NCCL and of the network that is meant, the engine of a service, the steps of
the first day."""

from __future__ import annotations

from math import ceil
from typing import Any

from assistant.vocabulary.plan import Candidate, Plan

from ... import figures
from .. import reading
from .asked import Asked, money
from .operations import doubts_the_settings, is_yes_or_no, nodes

_SWITCHES = {
    "roce": "Switches and NICs: PFC on one lossless class, ECN with DCQCN, the same DSCP trusted all the way; "
    "thresholds are the switch maker's: his defaults, tested under load.",
    "efa": "One placement group, a security group open to itself both ways, the aws-ofi-nccl plugin in the image; it "
    "sets FI_PROVIDER itself.",
    "infiniband": "Adaptive routing on, GPUDirect RDMA loaded (nvidia-peermem); lossless by itself: no PFC, no ECN.",
}
_OF_FAMILY = {"spectrum-x": "roce", "ultra-ethernet": "roce"}
_ENGINES = {
    # Names as in vllm/engine/arg_utils.py of 0.33 and sglang/srt/server_args.py (knowledge/launch/frameworks).
    "vllm": {"tp": "--tensor-parallel-size", "ep": "--enable-expert-parallel", "long": "--max-model-len",
             "many": "--max-num-seqs", "memory": "--gpu-memory-utilization 0.90", "chunks": "--enable-chunked-prefill"},
    "sglang": {"tp": "--tp-size", "ep": "--ep-size", "long": "--context-length", "many": "--max-running-requests",
               "memory": "--mem-fraction-static 0.85", "chunks": "--chunked-prefill-size 8192"},
}  # fmt: skip
_HEADROOM = 1.3  # times the planned requests in flight and the mean length: peaks are above the mean


def variables(asked: Asked) -> list[str]:
    """The variables of the network that is meant, each with what it is for in a word, and what the network itself
    needs."""
    other = reading.serves(asked.plan) or is_yes_or_no(asked) or doubts_the_settings(asked)
    plan = None if other else _meant(asked)
    best = reading.chosen(plan) if plan else None
    if plan is None or best is None or best.fabric == "none":
        return []
    kind = asked.catalog.fabrics[best.fabric].technology
    told = [f"{one['name']}={one['value'].removeprefix('=')}" for one in plan.nccl.get("settings", ())]
    leave = [f"{one['name']}" for one in plan.nccl.get("leave_alone", ()) if _is_of(kind, one)]
    unset = f" Leave unset: {', '.join(leave[:4])}." if leave else ""
    seen = plan.nccl.get("using_network")
    check = (
        f'First run: the log must say "Using network {seen}"' if seen else "First run: look which network NCCL names"
    )
    around = _SWITCHES.get(_OF_FAMILY.get(kind, kind))
    return [
        f"{asked.name(best.fabric)}: {', '.join(told)}.{unset}",
        *([around] if around else []),
        f"{check}; then test an all-reduce on all nodes.",
    ]


def _is_of(kind: str, one: dict[str, Any]) -> bool:
    """Whether a setting that is better left alone is one that people look for on this network."""
    return {"roce": "GID", "efa": "FI_", "infiniband": "IB_HCA"}.get(_OF_FAMILY.get(kind, kind), "-") in one["name"]


def _meant(asked: Asked) -> Plan | None:
    """The plan on the network that is named, else the plan."""
    best = asked.best
    own = {asked.catalog.fabrics[best.fabric].technology} if best is not None else set()
    other = next((f for f in asked.fabrics if asked.catalog.fabrics[f].technology not in own), None)
    lifted = dict.fromkeys(("cluster.provider", "budget.usd", "budget.usd_per_month", "constraints.deadline_days"))
    return asked.tried({**lifted, "cluster.fabric": other}) if other else asked.plan


def engine(asked: Asked) -> list[str]:
    """The arguments of the engine of a service, from the plan's own split and load."""
    best = asked.best
    if best is None or best.serving is None:
        return []
    named = next((name for name in _ENGINES if name in asked.text), None)
    name = named or reading.asked(asked.plan, "inference.engine")
    names = _ENGINES.get(str(name), _ENGINES["vllm"])
    title = {"sglang": "SGLang"}.get(str(name), "vLLM")
    return [
        f"{title}, one per copy: {' '.join(_arguments(asked, best, names, title))}",
        f"Behind a load balancer with a health check on each of the {best.serving.copies:,} "
        f"{'copy' if best.serving.copies == 1 else 'copies'}. Then a load test with your own prompts: raise the "
        "requests in flight until a target is missed, and stay a fifth below.",
    ]


def _arguments(asked: Asked, best: Candidate, names: dict[str, str], title: str) -> list[str]:
    served = best.serving
    assert served is not None
    value = lambda field: (
        reading.asked(asked.plan, f"inference.{field}")
        or next((a.value for a in asked.plan.assumptions if a.field == f"inference.{field}"), 0)
    )
    longest = ceil(_HEADROOM * (float(value("prompt_tokens") or 0) + float(value("output_tokens") or 0)) / 256) * 256
    wide = served.gpus_per_copy
    told = [f"{names['tp']} {wide}"]
    spread = best.parallelism.get("ep") or 1
    if spread > 1:
        told.append(names["ep"] if title == "vLLM" else f"{names['ep']} {spread}")
    flight = max(1, ceil(_HEADROOM * served.concurrency / served.copies))
    return [*told, f"{names['long']} {longest}", f"{names['many']} {flight}", names["memory"], names["chunks"]]


def first_day(asked: Asked) -> list[str]:
    """The first steps in their order, with what the plan expects of each."""
    best, plan = asked.best, asked.plan
    if best is None or best.step_time_s is None or reading.serves(plan) or not asked.says("in-order"):
        return []
    price = best.gpu_usd_per_hour
    hour = f" for an hour ({figures.usd(price * reading.gpus(plan))})" if price and not asked.buys else ""
    limit, step = figures.seconds(best.step_time_s.p90), figures.seconds(best.median_step)
    few = "" if nodes(plan) <= 1 else "all-reduce test, "
    cost = f", {money(best)}" if best.cost_usd else ""
    return [
        "1. Before anything is paid: tokenise the data, run the code on one GPU.",
        f"2. The machines{hour}: {few}50 steps. Planned {step} each; above {limit} stop.",
        f"3. Days and sum anew from that; planned {figures.hours(best.run_hours)}{cost}.",
        "4. Start, a checkpoint every 30 minutes off the machines; shut down at the end.",
    ]


def lost_at_a_stop(asked: Asked) -> str | None:
    """What a run that stops halfway loses in money."""
    best = asked.best
    price = best.gpu_usd_per_hour if best is not None else None
    lost = asked.says("of_money") or "lose" in asked.text or "money" in asked.text
    if best is None or reading.serves(asked.plan) or asked.buys or not price or not lost:
        return None
    hour = price * reading.gpus(asked.plan)
    return (
        f"Not the money, only the work since the last checkpoint: every 30 minutes to storage that outlives the "
        f"machines, {figures.usd(hour / 2)} at most."
    )
