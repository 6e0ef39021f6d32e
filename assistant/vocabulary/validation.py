"""How far predicted steps are from measured ones: what ``weft validate`` says."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Use = Literal["calibration", "validation", "left out"]


class MeasuredRun(BaseModel):
    """One measured run beside its prediction; seconds per optimizer step."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    source: str
    use: Use
    gpu: str
    gpus: int
    fabric: str
    measured_s: float
    predicted_s: float
    p10_s: float
    p90_s: float

    @property
    def error(self) -> float:
        """Predicted ÷ measured − 1."""
        return self.predicted_s / self.measured_s - 1.0


class SourceAccuracy(BaseModel):
    """Errors of one source's runs as fractions of the measured step; ``source`` is empty for the total of a use.

    ``null_mean_absolute``: the error of "time is proportional to FLOPs" with the best constant for these very runs.
    ``covered``: share of measured steps within P10-P90, null where no band was drawn.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str
    use: Use
    runs: int
    mean_absolute: float
    median_absolute: float
    p90_absolute: float
    bias: float
    null_mean_absolute: float
    covered: float | None = None


class CollectiveAccuracy(BaseModel):
    """Errors of the predicted time of one source's collectives as fractions of the measured time, small or large messages.

    ``source`` is empty for the total of a use. ``median_bandwidth``: the same of the predicted bus bandwidth, which is
    bytes over time. ``bias``: the median with its sign.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str
    use: Use
    fabrics: list[str]
    messages: Literal["small", "large"]
    rows: int
    median_absolute: float
    p90_absolute: float
    bias: float
    median_bandwidth: float

    @property
    def where(self) -> str:
        """The fabrics in words."""
        return ", ".join("inside a node" if fabric == "none" else fabric for fabric in self.fabrics)


class Validation(BaseModel):
    """The errors of a file of measured runs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str
    excluded: int
    sources: list[SourceAccuracy]
    runs: list[MeasuredRun]
    collectives: list[CollectiveAccuracy] = Field(default_factory=list)
    collectives_excluded: int = 0
