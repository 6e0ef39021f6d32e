"""A calibration profile: how far a user's own measured runs are from the model, as at most two factors on time."""

from __future__ import annotations

import datetime
from typing import Annotated, Literal

from pydantic import Field

from .plan import Contract

# Beyond a factor of four a run measures something else than this model predicts.
Factor = Annotated[float, Field(ge=0.25, le=4.0, allow_inf_nan=False)]


class ComputeFactor(Contract):
    """Time of everything a GPU does by itself against the catalog's constants, on these GPU ids."""

    factor: Factor
    gpus: list[str] = Field(min_length=1)


class NetworkFactor(Contract):
    """Time of what crosses the network against the catalog's constants, on these fabric ids.

    ``others`` is what that measurement makes likely for every other fabric.
    """

    factor: Factor
    fabrics: list[str] = Field(min_length=1)
    others: Factor = 1.0


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
    errors: ProfileErrors
    runs: list[ProfileRun] = Field(min_length=1)
