"""A calibration profile: how far a user's own measured runs are from the model, as at most two factors on time."""

from __future__ import annotations

import datetime
from typing import Annotated, Literal

from pydantic import Field

from .plan import Contract

# Beyond a factor of four a GPU runs something else than this model predicts; a network that is set up wrong, sockets in
# the place of RDMA, is a hundred times slower than it should be.
Factor = Annotated[float, Field(ge=0.25, le=4.0, allow_inf_nan=False)]
AnyFactor = Annotated[float, Field(ge=0.25, le=128.0, allow_inf_nan=False)]


class ComputeFactor(Contract):
    """Time of everything a GPU does by itself against the catalog's constants, on these GPU ids."""

    factor: Factor
    gpus: list[str] = Field(min_length=1)


class NetworkFactor(Contract):
    """Time of what crosses the network against the catalog's constants, on these fabric ids.

    ``factor``: their geometric mean where ``by_fabric`` has one for each. ``others`` is what the measurement makes
    likely for every other fabric.
    """

    factor: AnyFactor
    fabrics: list[str] = Field(min_length=1)
    others: Factor = 1.0
    by_fabric: dict[str, AnyFactor] = Field(default_factory=dict)

    def of(self, fabric: str) -> float:
        """The factor of a fabric that was measured."""
        return self.by_fabric.get(fabric, self.factor)


class Blame(Contract):
    """Who makes the runs of several nodes slower (or faster) than predicted, in mean seconds per step.

    ``predicted_s`` + ``compute_s`` + ``network_s`` + ``unexplained_s`` = ``measured_s``. ``neither``: they take what
    was predicted, within the scatter of runs; ``unexplained``: something that slows neither GPUs on one node nor the
    network. Without runs on several nodes it speaks of those on one.
    """

    verdict: Literal["network", "compute", "both", "neither", "unexplained"]
    nodes: Literal["one", "several"]
    single_node_runs: int
    measured_s: float
    predicted_s: float
    compute_s: float
    network_s: float
    unexplained_s: float


class ProfileRun(Contract):
    """One measured run: seconds per step as measured, as predicted before and after, and by a fit without this row."""

    id: str
    gpu: str
    gpus: int
    fabric: str
    measured_s: float
    before_s: float
    after_s: float
    left_out_s: float | None = None  # with fewer than three rows nothing is left out


class ProfileErrors(Contract):
    """Mean absolute error of the step time in percent: uncalibrated, fitted, each row predicted by a fit without it."""

    before_percent: float
    after_percent: float
    left_out_percent: float | None = None


class Profile(Contract):
    """What ``weft calibrate`` writes and ``--profile`` takes; ``network`` is absent where no run crossed a network."""

    schema_: Literal["weft/profile/1"] = Field(
        default="weft/profile/1", validation_alias="schema", serialization_alias="schema"
    )
    date: datetime.date
    weft: str  # the version that made it
    measured_in: str  # the file of the runs
    compute: ComputeFactor
    network: NetworkFactor | None = None
    blame: Blame | None = None
    errors: ProfileErrors
    runs: list[ProfileRun] = Field(min_length=1)
