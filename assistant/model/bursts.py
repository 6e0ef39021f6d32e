"""Requests that all come at one moment: a batch that decays as its answers end, until the longest is written alone.

Of the lengths of answers a mean and a limit are known; the distribution that assumes nothing else is the one of most
entropy with this mean on [0, limit], an exponential cut off at the limit (falling for a mean below half of the limit,
rising above it: Jaynes 1957).
"""

from __future__ import annotations

import numpy as np

from .serving_time import Engined, Load, Served, decoded, prefilled

POINTS = 32  # ages of the batch that are added up: more change nothing by a percent


def unfinished(mean: float, longest: float, points: int = POINTS) -> tuple[np.ndarray, np.ndarray]:
    """``(tokens written, share of the answers that are longer)``, both (points,), at the middle of equal spans.

    The exponential cut off at ``longest`` with this mean; all answers as long as the limit where mean and limit agree.
    """
    at = (np.arange(points) + 0.5) / points
    share = min(max(mean / longest, 1e-3), 1.0)
    if share > 0.995:
        return at * longest, np.ones(points)
    if abs(share - 0.5) < 1e-4:
        return at * longest, 1.0 - at
    slope = _slope(share)
    # survival of exp(-slope·x) on [0, 1]; written so that no exponent is positive
    if slope > 0:
        left = (np.exp(-slope * at) - np.exp(-slope)) / (1.0 - np.exp(-slope))
    else:
        left = (1.0 - np.exp(slope * (1.0 - at))) / (1.0 - np.exp(slope))
    return at * longest, left


def _slope(share: float) -> float:
    """The rate of the cut-off exponential on [0, 1] whose mean is ``share``: bisection, the mean falls with the
    rate."""
    low, high = -1e3, 1e3
    for _ in range(60):
        middle = (low + high) / 2.0
        mean = 0.5 if abs(middle) < 1e-9 else 1.0 / middle - 1.0 / np.expm1(min(middle, 700.0))
        low, high = (middle, high) if mean > share else (low, middle)
    return (low + high) / 2.0


def all_at_once(engined: Engined, load: Load, *, varied: bool = False) -> Served:
    """All of ``load.concurrency`` requests at one moment and none after them: their prompts are worked on once, as many
    as ``load.held`` are answered together, and the batch decays to the longest answers alone. ``varied``: whether
    answers are of many lengths, as those of people are, and not all as long: of exponential ones the longest is the
    mean times the harmonic number of how many there are."""
    many, mean = float(load.concurrency), load.output_tokens
    batch = min(many, float(load.held))
    longest = mean * max(1.0, np.log(many) + np.euler_gamma) if varied else mean
    read = float(prefilled(engined, load, many / engined.split.dp))
    steady = float(decoded(engined, load, batch))
    tokens, left = unfinished(mean, longest)
    tail = float(np.sum(decoded(engined, load, np.maximum(left * batch, 1.0)))) * longest / len(tokens)
    queued = max(0.0, many - batch) * mean / batch * steady
    # tokens wait for the prompts of those who take the places of others
    beside = read * (1.0 - batch / many) / (queued / steady + mean)
    first = engined.engine.first + 0.5 * (read + queued)
    return Served(first, steady + beside, batch, many * mean / (read + queued + tail))
