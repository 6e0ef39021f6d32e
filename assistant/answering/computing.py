"""From a question to a computed answer, or to none."""

from __future__ import annotations

import datetime
from collections.abc import Callable

from assistant.library import Library
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.errors import InputError

from . import bandwidth_needs, jobs, model_sizes, network_needs, prices_and_parts, run_costs, sizing, state_transfers
from .asked import Asked
from .collective_times import collective
from .memory_needs import memory
from .recognition import kinds_of

_Compute = Callable[[Asked, Library], Computed | None]
_BY_ARITHMETIC: dict[str, _Compute] = {
    "collective": collective,
    "traffic": model_sizes.step_traffic,
    "memory": memory,
    "parameters": model_sizes.parameters,
    "kv-cache": model_sizes.kv_cache,
    "kv-transfer": state_transfers.kv_transfer,
    "checkpoint": state_transfers.checkpoint,
    "flops": model_sizes.flops,
    "break-even": prices_and_parts.break_even,
    "network": prices_and_parts.network_parts,
}
_BY_PREDICTION = {
    "step-time": jobs.step_time,
    "run-time": jobs.run_time,
    "slowdown": network_needs.slowdown,
    "need": network_needs.need,
    "bandwidth": bandwidth_needs.bandwidth,
    "run-cost": run_costs.run_cost,
    "crossover": jobs.crossover,
    "deadline": sizing.deadline,
    "load": sizing.load,
}
KINDS = (*_BY_ARITHMETIC, *_BY_PREDICTION)


def compute(asked: Asked, library: Library, today: datetime.date | None = None) -> Computed | None:
    """The first computation the question asks for that its facts allow; a job that cannot be is left to the search."""
    return next((found for kind in kinds_of(asked) if (found := compute_as(kind, asked, library, today))), None)


def compute_as(kind: str, asked: Asked, library: Library, today: datetime.date | None = None) -> Computed | None:
    """What one computation of :data:`KINDS` gives; ``None`` where the facts do not allow it or the job cannot be."""
    exact = _BY_ARITHMETIC.get(kind)
    try:
        return exact(asked, library) if exact else _BY_PREDICTION[kind](asked, library, today)
    except InputError:
        return None
