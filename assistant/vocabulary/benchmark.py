"""What ``weft benchmark`` measured on this machine."""

from __future__ import annotations

import statistics
from typing import Literal

from pydantic import Field

from .plan import Contract

Part = Literal["startup", "plan", "search", "batch", "kinds", "space", "screen"]


class Peer(Contract):
    """What another program reaches: work per second, and where the figure comes from."""

    name: str
    rate: float
    of: str
    source: str


class Measurement(Contract):
    """One thing measured several times: ``values`` in ``unit`` (seconds or MiB) in the order of measuring.

    ``work``: how many of ``of`` one run did, so that there is a rate. ``against``: the measurement of the same part
    that this one is compared with. ``peers``: other programs that do the same ``work``. ``notes``: what a reader has to
    know.
    """

    part: Part
    what: str
    unit: Literal["s", "MiB"] = "s"
    values: list[float] = Field(min_length=1)
    work: int | None = None
    of: str | None = None
    against: str | None = None
    peers: list[Peer] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)

    @property
    def least(self) -> float:
        """The smallest value: what the machine can do when nothing disturbs it."""
        return min(self.values)

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def rate(self) -> float | None:
        """Work per second at the median."""
        return self.work / self.median if self.work else None


class Benchmark(Contract):
    """All that was measured, and on what."""

    schema_: Literal["weft/benchmark/1"] = Field(
        default="weft/benchmark/1", validation_alias="schema", serialization_alias="schema"
    )
    weft: str
    python: str
    machine: str
    processors: int
    load: float | None  # processes that waited for a processor in the minute before; None where the system does not say
    measurements: list[Measurement]

    def ratio(self, one: Measurement) -> float | None:
        """How many times the other measurement this one takes for the same work, medians compared."""
        other = next((m for m in self.measurements if m.part == one.part and m.what == one.against), None)
        return None if other is None else (one.median / (one.work or 1)) / (other.median / (other.work or 1))
