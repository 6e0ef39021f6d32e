"""A service at its limits: what gives out first, a copy that is lost, from how many to how many GPUs, both sides."""

from __future__ import annotations

import re
from math import ceil

from assistant.vocabulary.plan import Candidate, Plan, ServedOver
from assistant.vocabulary.quantities import HOURS_PER_MONTH

from ... import figures
from .. import reading
from .asked import Asked, money

_RATE = "inference.requests_per_s"
_OF_THE_MOST = 0.9  # of what is carried: a load that holds
_FULL = 90.0  # percent of what a link carries: as good as full
_SPLITS = ((1, 2), (2, 1), (1, 1))


def gpus_range(asked: Asked) -> list[str]:
    """From how many to how many GPUs the load may take, by the error of the time of a token."""
    best, found, load = asked.best, asked.plan.sizing, reading.asked(asked.plan, _RATE)
    if best is None or best.serving is None or found is None or not load:
        return []
    served = best.serving
    each = found.carries_requests_per_s / (found.could_be_had or reading.gpus(asked.plan))
    size, step = served.gpus_per_copy, served.tpot_s
    many = lambda tpot: size * ceil(load * tpot / step / (each * size) - 1e-9)
    low, middle, high = (many(tpot) for tpot in (served.tpot_s_p10, step, served.tpot_s_p90))
    own = reading.gpus(asked.plan)
    middle = max(middle, own) if found.could_be_had in (None, own) else middle
    said = found.could_be_had or reading.asked(asked.plan, "cluster.gpus")
    safe = (
        f"; the {said:,} you named carry {figures.significant(said * each)} at the middle"
        if said and said != own
        else ""
    )
    return [
        f"{low:,} to {max(high, middle):,} GPUs in eight of ten cases, {middle:,} at the middle: take "
        f"{max(high, middle):,} "
        f"to be safe{safe}.",
        f"Each carries {figures.significant(each)} requests a second of your {load:g}; a token takes "
        f"{figures.seconds(served.tpot_s_p10)} to {figures.seconds(served.tpot_s_p90)}: that error makes the range.",
        "Peaks above the load and a spare copy come on top; one copy on a rented GPU for an hour settles it.",
    ]


def saturates(asked: Asked) -> list[str]:
    """What gives out first as the load rises, and at how many requests a second."""
    best, found, load = asked.best, asked.plan.sizing, reading.asked(asked.plan, _RATE)
    of_targets = any(word in asked.text for word in ("ttft", "tpot", "token"))
    if best is None or best.serving is None or found is None or not load or of_targets:
        return []
    served, most = best.serving, found.carries_requests_per_s
    over = _over(asked.plan, best)
    link = over.kv_link_percent if over is not None else None
    at_link = load * 100 / link if link else None
    apart = served.prefill_workers is not None
    memory = served.concurrency / served.max_concurrency if served.max_concurrency else 0.0
    first = "writing answers: memory and its bandwidth on the decode side" if apart else "memory and its bandwidth"
    if at_link is not None and at_link < most:
        first = f"the caches between prefill and decode on {asked.name(best.fabric)}"
    told = [
        f"{first[:1].upper()}{first[1:]}, at about {figures.significant(min(most, at_link or most))} requests a "
        f"second: "
        f"{times_of(most, load)} the {load:g} of now."
    ]
    if at_link is not None:
        told.append(
            f"The network comes later: the caches take {figures.percent(link)} of the links, full at "
            f"{figures.significant(at_link)} requests a second."
        )
    elif best.fabric == "none":
        told.append("No network is in it: each copy stays in its node.")
    if memory:
        told.append(
            f"{min(1.0, memory):.0%} of the requests that fit in memory are in flight now; each token takes "
            f"longer with more."
        )
    return told


def times_of(most: float, load: float) -> str:
    return f"{most / load:.2g} times"


def _over(plan: Plan, best: Candidate) -> ServedOver | None:
    crossing = plan.crossing
    if crossing is None:
        return None
    return next((one for one in crossing.networks if one.fabric == best.fabric), None)


def cache_moves(asked: Asked) -> list[str]:
    """How much of a prompt's cache moves, how fast, and what half the line makes of it."""
    best, load = asked.best, reading.asked(asked.plan, _RATE)
    crossing = asked.plan.crossing
    if best is None or crossing is None or not crossing.kv_gb_per_request or not asked.says("of_caches"):
        return []
    over = _over(asked.plan, best)
    if over is None or over.kv_transfer_s is None or not load:
        return []
    cache = crossing.kv_gb_per_request
    per = reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    rate = asked.catalog.fabrics[best.fabric].nic_rate * 8 / 1e9
    named = next((r for r in asked.amounts("rate") if 0 < r < rate), rate / 2)
    share = over.kv_link_percent or 0.0
    slow = figures.seconds(over.kv_transfer_s * rate / named)
    does = "Yes" if share * rate / named < _FULL else "No"
    return [
        f"{does}, {named:g} Gb/s for the caches: {figures.bytes_text(1e9 * cache)} a prompt, "
        f"{8 * cache * load:,.0f} Gb/s "
        f"in all, {figures.percent(share * rate / named)} of the links.",
        f"One moves in {slow} instead of {figures.seconds(over.kv_transfer_s)}, of "
        f"{figures.seconds(over.ttft_s)} to the "
        "first token.",
        *_experts_over(asked, over, rate, per),
    ]


def _experts_over(asked: Asked, over: ServedOver, rate: float, per: int) -> list[str]:
    """What else crosses: the tokens on the way to their experts, which wait."""
    if not asked.mixture:
        return []
    gbps = figures.significant(8 * over.network_gb_per_s_per_node / per)
    waits = figures.percent(over.network_wait_percent)
    slower = next((c for c in asked.plan.candidates if c.cost_usd and 0 < _gbps(asked, c) < rate and c.serving), None)
    cost = f"; {asked.name(slower.fabric)}: {money(slower)}" if slower is not None else ""
    now = f" ({money(asked.best)}{cost})" if asked.best is not None else ""
    return [f"The {rate:g} are for the experts' traffic, {gbps} Gb/s per GPU: {waits} of a request waits for it{now}."]


def _gbps(asked: Asked, found: Candidate) -> float:
    made = asked.catalog.fabrics.get(found.fabric)
    return made.nic_rate * 8 / 1e9 if made is not None and made.technology != "tcp" else 0.0


def replica_lost(asked: Asked) -> list[str]:
    """The service with one copy less at its load, and with one more to spare."""
    best, found, load = asked.best, asked.plan.sizing, reading.asked(asked.plan, _RATE)
    named = any(word in asked.text for word in ("replica", "copy", "copies", "instance"))
    if not named or best is None or best.serving is None or found is None or not load:
        return []
    served, gpus = best.serving, reading.gpus(asked.plan)
    copies, size = served.copies, served.gpus_per_copy
    left = found.carries_requests_per_s * (copies - 1) / copies
    holds = left >= load
    target = reading.asked(asked.plan, "inference.ttft_ms")
    within = f" within {figures.seconds(target / 1000)} to the first token" if target else ""
    whole = best.usd_per_month or 0.0
    then = figures.usd(whole * (gpus + size) / gpus)
    more = f"{gpus + size:,} GPUs, about {then} a month instead of {figures.usd(whole)}"
    return [
        f"{'Yes' if holds else 'No'}: {copies - 1:,} of {copies:,} copies carry about "
        f"{figures.significant(left)} of the "
        f"{load:g} requests a second{within}; {100 * load / left:.0f} % of what they can." if left else
        "No: it is the only copy, and without it nothing is served.",
        f"One more copy of {size} GPUs holds it: {more}.",
        "What the lost copy was answering is asked again; that minute is not in the figures, and the times are of the "
        "mean request, no p99.",
    ]  # fmt: skip


def both_sides(asked: Asked) -> list[str]:
    """Prompts and answers apart: the split that carries most beside the one that is asked about."""
    best, load = asked.best, reading.asked(asked.plan, _RATE)
    sized = asked.plan.sizing
    if best is None and load and sized is not None and sized.carries_requests_per_s and asked.says("of_sides"):
        least = {_RATE: _OF_THE_MOST * sized.carries_requests_per_s}
        made = asked.tried(least)
        if made is not None:
            most = figures.significant(sized.carries_requests_per_s)
            first = f"No split of {reading.gpus(asked.plan):,} GPUs holds {load:g} requests a second, at best {most}."
            return [first, *both_sides(asked.instead(least, made))]
    served = best.serving if best else None
    if best is None or served is None or not served.prefill_workers or not served.decode_workers:
        return []
    if not asked.says("of_sides"):
        return []
    reads = served.prefill_workers * (served.prefill_gpus or 1)
    writes = served.decode_workers * (served.decode_gpus or 1)
    now = f"{reads} GPUs read prompts and {writes} write answers"
    said = [
        f"{_of_ratio(asked, reads, writes)} {now}, 1:{writes / reads:.2g}: it carries "
        f"{_carries(asked.plan, best)} requests a "
        f"second, first token {figures.seconds(served.ttft_s)}, each further {figures.seconds(served.tpot_s)}."
    ]
    size = max(served.prefill_gpus or 1, served.decode_gpus or 1)
    units = reading.gpus(asked.plan) // size
    for one, other in _SPLITS:
        part = round(units * one / (one + other))
        if not 0 < part < units or part * size == reads:
            continue
        fields = {
            "inference.prefill_gpus": size, "inference.decode_gpus": size,
            "inference.prefill_workers": part, "inference.decode_workers": units - part,
        }  # fmt: skip
        made = asked.tried(fields)
        found = reading.candidate(made, best.fabric) if made else None
        split = f"{part * size} to read and {(units - part) * size} to write ({one}:{other})"
        if made is None or found is None or found.serving is None:
            said.append(f"{split}: does not carry the {load:g} requests a second.")
            continue
        said.append(
            f"{split}: {_carries(made, found)} requests a second, first token {figures.seconds(found.serving.ttft_s)}, "
            f"each further {figures.seconds(found.serving.tpot_s)}."
        )
    return said


def _carries(plan: Plan, found: Candidate) -> str:
    most = plan.sizing.carries_requests_per_s if plan.sizing else 0.0
    served = found.serving
    return figures.significant(most or (served.carries_requests_per_s if served else 0.0))


def runs_alone(asked: Asked) -> list[str]:
    """Many runs one to a node, with nothing between them, beside one after the other over all."""
    best = asked.best
    per = reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    gpus = reading.gpus(asked.plan)
    if best is None or best.run_hours is None or per >= gpus or not reading.ends(asked.plan):
        return []
    made = asked.tried({"cluster.gpus": per, "cluster.fabric": None, "cluster.provider": None})
    one = reading.chosen(made) if made else None
    if one is None or one.run_hours is None:
        return [f"A run does not fit one node of {per}, so the nodes need a network between them."]
    nodes = gpus // per
    each, together = one.run_hours / nodes, best.run_hours
    better = each <= together * 1.02
    days = reading.asked(asked.plan, "constraints.deadline_days")
    many = f"; in {days:g} days that is {int(24 * days / one.run_hours) * nodes:,} runs" if days else ""
    cost = f", {money(one)} a run instead of {money(best)}" if one.cost_usd and best.cost_usd else ""
    return [
        f"{'Yes' if better else 'Nearly' if each < 1.2 * together else 'No'}: {nodes} nodes with a run each finish one "
        f"every {figures.hours(each)}, all {gpus:,} on one run every {figures.hours(together)}{many}.",
        f"One run takes {figures.hours(one.run_hours)} on its node, with no network between nodes{cost}.",
        "A network is needed once a run is too large or too slow for one node.",
    ]


_MEAN = "inference.mean_requests_per_s"


def peak_or_mean(asked: Asked) -> list[str]:
    """The service sized for its peak, for its mean load, and scaled between both."""
    best, load = asked.best, reading.asked(asked.plan, _RATE)
    if best is None or not load or not reading.serves(asked.plan):
        return []
    mean = reading.asked(asked.plan, _MEAN)
    low = mean or load / 4
    made = asked.tried({_RATE: low})
    one = reading.chosen(made) if made else None
    if made is None or one is None or one.usd_per_month is None or best.usd_per_month is None:
        return []
    kind = lambda plan: asked.catalog.gpus[plan.questionnaire["cluster"]["gpu"]].name
    named = "the mean" if mean else "a quarter of it, as you named no mean,"
    mixed = one.usd_per_month + (best.usd_per_month - one.usd_per_month) * min(1.0, low / load)
    target = reading.asked(asked.plan, "inference.ttft_ms")
    late = f"{figures.seconds(target / 1000)} are not held meanwhile" if target else "requests wait meanwhile"
    return [
        f"For the peak of {load:g}: {reading.gpus(asked.plan):,} {kind(asked.plan)}, {money(best)} a month; for "
        f"{named} "
        f"{low:g}: {reading.gpus(made):,} {kind(made)}, {money(one)}.",
        f"Scaled by the hour between both about {figures.usd(mixed)} a month.",
        f"But a new copy loads its weights for minutes, and {late}: bursts of seconds need the peak.",
    ]


def api_beside(asked: Asked) -> list[str]:
    """A price of a million tokens of an API beside one's own, at the mean load where it was said, and the load at which
    both are equal."""
    best, load = asked.best, reading.asked(asked.plan, _RATE)
    price = next((usd for usd in asked.amounts("money") if 0 < usd < 200), None)
    if (
        price is None
        or not asked.says("of_apis")
        or best is None
        or best.usd_per_month is None
        or not load
        or not reading.serves(asked.plan)
    ):
        return []
    prompt, answer = reading.lengths(asked.plan)
    mean = reading.asked(asked.plan, _MEAN) or load
    busy = mean * HOURS_PER_MONTH * 3600
    both = 1e6 * best.usd_per_month / (busy * (prompt + answer))
    written = 1e6 * best.usd_per_month / (busy * answer)
    even = best.usd_per_month / (price * (prompt + answer) * HOURS_PER_MONTH * 3600 / 1e6)
    less = both < price
    at = f"at {mean:g} requests a second on average"
    return [
        f"{'Less' if less else 'More'}: {figures.usd(both)} per million tokens in and out against "
        f"{figures.usd(price)}, {at}; "
        f"{figures.usd(written)} if only answers are counted.",
        f"Equal at {figures.significant(even)} requests a second on average, {100 * even / load:.0f} % of the "
        f"{load:g} it is "
        f"sized for: below that the API is the cheaper one.",
        f"It is {figures.usd(best.usd_per_month)} a month whatever comes. Ask which tokens the "
        f"{figures.usd(price)} is of: "
        "an API charges prompts less than answers.",
    ]


def _of_ratio(asked: Asked, reads: int, writes: int) -> str:
    """Whether a ratio that is named is the one that is planned, which was found to be the best."""
    found = _RATIO.search(asked.text)
    same = found is not None and int(found[1]) * writes == int(found[2]) * reads
    return "Yes, as planned:" if same else "Planned, as the best of what was tried:"


_RATIO = re.compile(r"\b(\d{1,2}) ?: ?(\d{1,2})\b")
