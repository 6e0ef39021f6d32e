"""From an understood question to a computed answer, or to none: a table from topic to function."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from assistant.library import Library
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.utterance import Utterance

from . import (
    bandwidth_needs,
    collective_times,
    electricity,
    expert_networks,
    jobs,
    memory_needs,
    model_sizes,
    nccl_settings,
    network_needs,
    offers_sold,
    plain_sums,
    prices_and_parts,
    purchases,
    run_costs,
    runs_compared,
    serving_loads,
    serving_networks,
    sizing,
    state_transfers,
    sums,
)
from .case import Case
from .left_out import left_out

TOPICS: dict[str, Callable[[Case], Computed | None]] = {
    "collective": collective_times.collective,
    "traffic": model_sizes.step_traffic,
    "memory": memory_needs.memory,
    "parameters": model_sizes.parameters,
    "kv-cache": model_sizes.kv_cache,
    "kv-transfer": state_transfers.kv_transfer,
    "checkpoint": state_transfers.checkpoint,
    "flops": model_sizes.flops,
    "break-even": prices_and_parts.break_even,
    "network": prices_and_parts.network_parts,
    "part-price": prices_and_parts.part_price,
    "purchase": purchases.purchase,
    "server-price": purchases.server,
    "rent-or-buy-for": purchases.rent_or_buy,
    "electricity": electricity.electricity,
    "price-judged": offers_sold.judged,
    "offers": offers_sold.offers,
    "offers-for-money": offers_sold.for_money,
    "offers-for-work": offers_sold.for_work,
    "nccl-settings": nccl_settings.nccl_settings,
    **dict.fromkeys(sums.ways(), sums.asked),
    "runs-compared": runs_compared.compared,
    "rent": plain_sums.rent,
    "write-off": plain_sums.write_off,
    "worth": plain_sums.worth,
    "step-time": jobs.step_time,
    "run-time": jobs.run_time,
    "slowdown": network_needs.slowdown,
    "prefill-decode": serving_networks.prefill_decode,
    "tensor-over-nodes": serving_networks.tensor_over_nodes,
    "experts-over-nodes": expert_networks.experts_over_nodes,
    "need": network_needs.need,
    "bandwidth": bandwidth_needs.bandwidth,
    "run-cost": run_costs.run_cost,
    "crossover": jobs.crossover,
    "deadline": sizing.deadline,
    "load": serving_loads.load,
    "request-rate": serving_loads.capacity,
    "serve-on": serving_loads.versus,
}
KINDS = tuple(TOPICS)
# Sums that are asked of runs side by side too: "is $0.80 more worth it for 12 days instead of 14?"
_OF_RUNS = frozenset("rent rent-and-premium price-of-time break-even write-off network two-sums per-gpu".split())


def compute(
    utterance: Utterance, library: Library, told: Mapping[str, Any], today: datetime.date | None
) -> Computed | None:
    """What the question asks for, where its facts allow; a job that cannot be is left to the search, and so is a sum
    that would leave out a number of the question."""
    found, missing = _computed(utterance, library, told, today)
    return None if missing else found


def not_summed(utterance: Utterance, library: Library) -> list[str]:
    """The numbers of a question for which no sum is told, as none of the sums that are known takes them."""
    return _computed(utterance, library, {}, None)[1]


def _computed(
    utterance: Utterance, library: Library, told: Mapping[str, Any], today: datetime.date | None
) -> tuple[Computed | None, list[str]]:
    """What is found, and the numbers of the question that it leaves out."""
    made = TOPICS.get(utterance.topic or "")
    if made is None:
        return None, []
    try:
        asked = Case.of(utterance, library, told, today)
        found = None
        if utterance.topic in _OF_RUNS:
            beside = replace(asked, utterance=replace(asked.utterance, topic="runs-compared"))
            found = runs_compared.compared(beside)
        found = found or made(asked)
    except InputError:
        return None, []
    return found, left_out(asked, found) if found else []
