"""Work that interruptions cost: spot machines taken away, and machines that fail in a large job.

Sources: J. W. Young, "A first order approximation to the optimum checkpoint interval", CACM 17(9), 1974;
J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", FGCS 22(3), 2006.
Both assume interruptions that come independently at a constant rate, and that one interrupted node stops the job.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_NO_TIME = 1e-9  # of the time between two interruptions: an interval of which nothing is lost
HOPELESS = 1e6  # a job that is interrupted faster than it restarts: kept finite so that it can be written and compared


def mean_time_between(rate_per_node: Any, nodes: Any) -> Any:
    """Seconds between interruptions of a job of ``nodes`` nodes, each interrupted ``rate_per_node`` times per
    second."""
    total = np.asarray(rate_per_node, dtype=float) * nodes
    with np.errstate(divide="ignore"):
        return np.where(total > 0, 1.0 / np.where(total > 0, total, 1.0), np.inf)


def best_interval(mean_time: Any, checkpoint: Any) -> Any:
    """Seconds of work between checkpoints that waste least: Daly's higher-order optimum, whose first term is Young's
    √(2·δ·M).

    ``mean_time``: seconds between interruptions (M); ``checkpoint``: seconds that writing one stops the work (δ).
    """
    mean_time, checkpoint = np.broadcast_arrays(np.asarray(mean_time, dtype=float), np.asarray(checkpoint, dtype=float))
    finite = np.where(np.isfinite(mean_time), mean_time, 1.0)
    half = checkpoint / (2.0 * finite)
    refined = np.sqrt(2.0 * checkpoint * finite) * (1.0 + np.sqrt(half) / 3.0 + half / 9.0) - checkpoint
    interval = np.where(checkpoint < 2.0 * finite, refined, finite)
    return np.where(np.isfinite(mean_time), interval, np.inf)


def time_factor(mean_time: Any, checkpoint: Any, restart: Any, interval: Any | None = None) -> Any:
    """Expected time of a run ÷ its time without interruptions and checkpoints, at least 1 (Daly 2006, the complete
    model).

    T/T₀ = (M/τ)·e^(R/M)·(e^((τ+δ)/M) − 1) with R seconds to restart and τ seconds between checkpoints
    (``interval``; ``None``: the best; where nothing has to be written all is kept, τ → 0, and e^(R/M) is left). A job
    that is interrupted much faster than it restarts gets :data:`HOPELESS`.
    """
    mean_time = np.asarray(mean_time, dtype=float)
    spaced = np.asarray(best_interval(mean_time, checkpoint) if interval is None else interval, dtype=float)
    calm = ~np.isfinite(mean_time)
    mean = np.where(calm, 1.0, mean_time)
    spacing = np.maximum(np.where(np.isfinite(spaced), spaced, 1.0), _NO_TIME * mean)
    with np.errstate(over="ignore"):
        factor = mean / spacing * np.exp(restart / mean) * np.expm1((spacing + checkpoint) / mean)
    undisturbed = np.where(np.isfinite(spaced), 1.0 + checkpoint / spacing, 1.0)
    return np.minimum(np.where(calm, undisturbed, factor), HOPELESS)
