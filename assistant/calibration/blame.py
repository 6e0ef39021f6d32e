"""Whether it is the GPUs or the network that makes a cluster slower than predicted, and by how many seconds."""

from collections.abc import Sequence
from typing import Literal

from assistant.model.validation import Run
from assistant.vocabulary.added import added
from assistant.vocabulary.profile import Blame

from .fit import ROW_SPREAD, Factors, crosses, predicted

# Shares of what is unexpected from which one cause alone is named, and two are; assumed.
MOST, SOME = 0.5, 0.25
# Share of the predicted step from which a cause is named however much more another takes: GPUs of one kind differ by a
# tenth.
FOR_ITSELF = 0.1
Verdict = Literal["network", "compute", "both", "neither", "unexplained"]


def blame_of(runs: Sequence[Run], factors: Factors) -> Blame:
    """The mean step of the runs on several nodes (or on one, where there are no others), taken apart."""
    several = [run for run in runs if crosses(run)]
    seen = several or list(runs)
    slow_gpus = Factors(factors.compute)
    measured, before, gpus, both = (
        added(seconds) / len(seen)
        for seconds in (
            [run.measured_s for run in seen],
            *([predicted(run, which) for run in seen] for which in (Factors(), slow_gpus, factors)),
        )
    )
    parts = {"compute": gpus - before, "network": both - gpus, "unexplained": measured - both}
    return Blame(
        verdict=_verdict(measured / before - 1.0, {name: part / before for name, part in parts.items()}),
        nodes="several" if several else "one",
        single_node_runs=len(runs) - len(several),
        measured_s=_seconds(measured),
        predicted_s=_seconds(before),
        **{f"{name}_s": _seconds(part) for name, part in parts.items()},
    )


def _verdict(unexpected: float, parts: dict[str, float]) -> Verdict:
    """Who is named, by shares of what is ``unexpected`` (fractions of the predicted step)."""
    if abs(unexpected) <= ROW_SPREAD:
        return "neither"
    share = {name: part / unexpected for name, part in parts.items()}
    if share["unexplained"] >= MOST:
        return "unexplained"
    least = min(("compute", "network"), key=lambda name: share[name])
    if share[least] >= SOME or (share[least] > 0.0 and parts[least] >= FOR_ITSELF):
        return "both"
    return "compute" if share["compute"] > share["network"] else "network"


def _seconds(value: float) -> float:
    return float(f"{value:.4g}")
