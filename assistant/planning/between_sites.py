"""What the link between sites carries, in words: how often islands can meet over it, what a step in unison would ask of
it, and what reinforcement learning and serving send."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assistant.model.low_communication import (
    WAITING,
    WAN_GOODPUT,
    link_for_every_step,
    one_stream,
    one_stream_with_losses,
    sustained_steps,
    synchronise,
)
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Warning_
from assistant.vocabulary.quantities import NINETIETH
from assistant.vocabulary.questionnaire import RARELY

from .entry import Entry
from .estimate import last_backward_s
from .facts import strategy_said
from .pipeline import Decision
from .resolve import Resolved

_KM_PER_S = 200_000  # of light in fibre
BYTES_PER_TOKEN = 4.0  # of a prompt or an answer on the wire: a whole number, or four letters


def between_sites(made: Decision, catalog: Catalog) -> Iterator[Warning_]:
    """One message where the job stands at several sites."""
    job, chosen = made.job, made.choice.chosen
    if job.sites == 1 or not job.wan_gbps:
        return
    if job.serves:
        said = _served(job)
    elif job.questionnaire.workload == "rlhf":
        said = _reinforced(job)
    elif chosen is not None and chosen.estimated is not None:
        said = _trained(made, chosen)
    else:
        return
    yield Warning_(code="between-sites", message=f"{said} {_sustained(_link(job), catalog)}")


def _sustained(link: float, catalog: Catalog) -> str:
    """What the times take a line of ``link`` bytes/s to carry, what far ones need for it, and how sure that is."""
    known, wide = catalog.constants, catalog.fabrics["wan-low-communication"].latency
    round_trip = 2.0 * wide.si if wide else 0.0
    longer = math.exp(NINETIETH * known["wan-spread"].si)
    said = (
        f"These times have {WAN_GOODPUT:.0%} of the rate, the most that TCP leaves; one in ten is "
        f"{longer:.2g} times as long or longer, as shared lines were: measure yours."
    )
    stream = one_stream(known["wan-window"].si, round_trip) if round_trip else link
    streams = math.ceil(link * WAN_GOODPUT / stream)
    if streams < 2:
        return said
    loss, far = known["wan-loss"].si, f"{1e3 * round_trip:.0f} ms ({_KM_PER_S * round_trip / 2:,.0f} km)"
    lossy = one_stream_with_losses(loss, round_trip)
    return (
        f"{said} A stream of TCP carries its window once per round trip: {known['wan-window'].si / 2**20:.0f} MiB, "
        f"what Linux gives unasked, are {_rate(stream * 8 / 1e9)} at {far}, so a line as long takes {streams} streams "
        f"or larger windows; one lost packet in {1 / loss:,.0f} leaves a stream {_rate(lossy * 8 / 1e9)}."
    )


def _link(job: Resolved) -> float:
    """Bytes/s of the line between sites, one direction."""
    return (job.wan_gbps or 0.0) * 1e9 / 8


def _trained(made: Decision, chosen: Entry) -> str:
    job, sent = made.job, made.job.trained_params * 2.0
    server = job.averaging == "fedavg"
    once = synchronise(sent, job.sites, _link(job), job.inner_steps, through_server=server, goodput=WAN_GOODPUT)
    apart = bool(chosen.estimate.parallelism.get("inner_steps"))
    every_step = synchronise(sent, job.sites, _link(job), 1, goodput=WAN_GOODPUT)
    sequences = job.global_batch if apart else job.global_batch // job.sites  # islands are counted together
    hidden = last_backward_s(chosen.estimate.breakdown.compute, chosen.estimate.parallelism, sequences)
    alone = chosen.step - (once.per_step if apart else max(0.0, every_step.per_step - hidden))
    fewest = sustained_steps(once.seconds, alone)
    share = 100.0 * once.per_step / (alone + once.per_step)
    needed = link_for_every_step(sent, job.sites, hidden) * 8 / 1e9
    return (
        f"Between the sites {once.bytes_ / 1e9:.3g} GB enter each for every exchange, {_time(once.seconds)} over "
        f"{job.wan_gbps:g} Gb/s. Every {_steps(job.inner_steps)} that takes {share:.2g} % of the time; the link "
        f"sustains an exchange every {_steps(fewest)} or more for {100 * WAITING:.0f} %. In unison, every step, it "
        f"would take {_rate(needed)}. The price of the line is not in these costs.{_not_taken(made, chosen)}"
    )


def _not_taken(made: Decision, chosen: Entry) -> str:
    """What meeting rarely would be worth, where a method in unison was given and is kept."""
    rarely = next((e for e in made.entries if e.considered.fabric.technology == "wan" and e.estimated), None)
    given = strategy_said(made.job.questionnaire.parallelism)
    if rarely is None or given in (*RARELY, "none") or rarely.step >= chosen.step:
        return ""
    return (
        f" Strategy {given} was given, so every step waits: {_time(chosen.step)}. With sites that meet every "
        f"{made.job.inner_steps:,} steps (DiLoCo) a step takes {_time(rarely.step)}; that trains another way, so it "
        "was not put in its place."
    )


def _reinforced(job: Resolved) -> str:
    """Weights go to the generating sites after every update; answers come back and are small."""
    sent = job.params * 2.0
    seconds = sent / (_link(job) * WAN_GOODPUT)
    return (
        f"Between the sites reinforcement learning sends the weights, {sent / 1e9:.3g} GB to each site after every "
        f"update, {_time(seconds)} over {job.wan_gbps:g} Gb/s, and gets back answers of some bytes a token. With "
        "training at one site and generation at the others that is hidden where generation runs two steps behind or "
        "more (INTELLECT-2 spread 62 GB in 14 minutes so); gradients of every step are not to cross."
    )


def _served(job: Resolved) -> str:
    inference = job.served
    asked = BYTES_PER_TOKEN * (inference.prompt_tokens + inference.output_tokens)
    requests = _link(job) * WAN_GOODPUT / asked
    said = (
        f"Between the sites serving sends prompts and answers, {asked / 1e3:.3g} kB a request: {job.wan_gbps:g} Gb/s "
        f"carry {requests:,.0f} requests a second. Each site serves with copies of its own; no copy may span sites."
    )
    if job.questionnaire.workload != "disaggregated-inference":
        return said
    cache = job.architecture.kv_bytes_per_token() * inference.prompt_tokens
    return (
        f"{said} With prefill at one site and decode at the other {cache / 1e9:.2g} GB of KV cache cross for a prompt, "
        f"{_time(cache / (_link(job) * WAN_GOODPUT))} each: keep both sides of a request at one site."
    )


def _steps(number: int) -> str:
    return "step" if number == 1 else f"{number:,} steps"


def _time(seconds: float) -> str:
    for limit, scale, unit in ((1.0, 1e-3, "ms"), (120.0, 1.0, "s"), (7200.0, 60.0, "minutes")):
        if seconds < limit:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 3600:.3g} hours"


def _rate(gbps: float) -> str:
    return f"{gbps / 1e3:.2g} Tb/s" if gbps >= 1e3 else f"{gbps:.3g} Gb/s"
