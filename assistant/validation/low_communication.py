"""DiLoCo and local SGD over links that were slowed on purpose, beside what the exchange is said to take.

Four islands of one L40S each train a model of 31M parameters; ``low_communication.csv`` has the mean seconds of a step.
The compute of a step is the same in all rows and is read off the longest series (128 steps between exchanges over 5
Gb/s, 24.8 ms): what is predicted is the exchange. Islands send FP32 there, in one room.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from assistant.model.low_communication import WAN_GOODPUT, synchronise
from assistant.vocabulary.large_messages import NETWORK_SPREAD
from assistant.vocabulary.quantities import NINETIETH

from .groups import Group, Observed

COMPUTE_S = 0.0248
_FP32 = 4.0


def low_communication_groups(measurements: Path) -> Iterator[Group]:
    """Mean seconds of a step with the exchange spread over it, by how fast the link is."""
    slow, fast = [], []
    with (measurements / "low_communication.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            (fast if float(row["link_gbps"]) > 0.5 else slow).append(_observed(row))
    yield Group("islands over 1 and 5 Gb/s, shaped", "step with exchange", "kept out", tuple(fast))
    yield Group("islands over 50 and 200 Mb/s, shaped", "step with exchange", "kept out", tuple(slow))


def _observed(row: dict[str, str]) -> Observed:
    sent = _FP32 * float(row["params_b"]) * 1e9
    rate = float(row["link_gbps"]) * 1e9 / 8
    once = synchronise(sent, int(row["islands"]), rate, int(row["inner_steps"]), latency=0.0, goodput=WAN_GOODPUT)
    away = np.exp(NINETIETH * NETWORK_SPREAD["wan"])
    band = (COMPUTE_S + once.per_step / away, COMPUTE_S + once.per_step * away)
    return Observed(float(row["step_s"]), COMPUTE_S + once.per_step, band)
