"""How far predicted steps are from measured ones: what ``weft validate`` says."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .entry import Entry

# planned: validation rows with what others take longer
Use = Literal["calibration", "validation", "left out", "planned"]


class MeasuredRun(Entry):
    """One measured run beside its prediction; seconds per optimizer step."""

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


class SourceAccuracy(Entry):
    """Errors of one source's runs as fractions of the measured step; ``source`` is empty for the total of a use.

    ``null_mean_absolute``: the error of "time is proportional to FLOPs" with the best constant for these very runs.
    ``covered``: share of measured steps within P10-P90, null where no band was drawn.
    """

    source: str
    use: Use
    runs: int
    mean_absolute: float
    median_absolute: float
    p90_absolute: float
    bias: float
    null_mean_absolute: float
    covered: float | None = None


class LoopAccuracy(SourceAccuracy):
    """The same of steps of reinforcement learning or of weight syncs; ``ratio``: geometric mean of predicted over
    measured seconds."""

    ratio: float


class ReinforcementReport(Entry):
    """Measured steps of reinforcement learning and weight syncs beside their predictions, and how many rows are left
    away."""

    steps: list[LoopAccuracy]
    syncs: list[LoopAccuracy]
    excluded: int
    excluded_syncs: int


class Slowdown(Entry):
    """One job measured on two fabrics: its step on ``fabric`` over that on the ``fastest`` one, measured and
    predicted."""

    source: str
    use: Use
    id: str
    against: str
    gpus: int
    fabric: str
    fastest: str
    measured: float
    predicted: float

    @property
    def error(self) -> float:
        """Predicted ÷ measured slowdown − 1."""
        return self.predicted / self.measured - 1.0


class CollectiveAccuracy(Entry):
    """Errors of the predicted time of one source's collectives as fractions of the measured time, small or large
    messages.

    ``source`` is empty for the total of a use. ``median_bandwidth``: the same of the predicted bus bandwidth, which is
    bytes over time. ``bias``: the median with its sign.
    """

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


class MemoryAccuracy(Entry):
    """Errors of the predicted peak of one source's GPUs as fractions of the measured one.

    ``within_margin``: share of rows whose measured peak is at most the predicted one with the margin for fragmentation.
    """

    source: str
    use: Use
    rows: int
    mean_absolute: float
    median_absolute: float
    p90_absolute: float
    bias: float
    within_margin: float


class Refused(Entry):
    """A run that took place and of which the model says that it does not fit; bytes of one GPU."""

    id: str
    source: str
    needed_bytes: float
    gpu_bytes: float
    reason: str


class MemoryReport(Entry):
    """Measured peaks beside predicted ones, and how often 'fits' is right.

    ``fit``: of the ``ran`` layouts that took place, those said to fit; ``fit_recomputing``: those said to fit only when
    something is recomputed, of sources that do not say what they recompute; ``fit_closely``: those said to fit, as
    splits that are given, without the margin. ``wrongly_fit``: layouts known to run out of memory that are said to fit.
    ``margin``: of the allocated bytes, for fragmentation; ``surplus``: what a refusal takes off them.
    """

    sources: list[MemoryAccuracy]
    margin: float
    surplus: float = 0.0
    ran: int
    fit: int
    fit_recomputing: int
    fit_closely: int = 0
    refused: list[Refused]
    out_of_memory: int
    wrongly_fit: list[str]


class AdapterReport(Entry):
    """Measured fine-tuning with adapters beside its prediction: steps by source and GPU, memory, rows left away."""

    sources: list[SourceAccuracy]
    memory: MemoryReport
    excluded: int


class Errors(Entry):
    """Errors of the predictions of some rows, of predicted ÷ measured − 1.

    ``geometric``: exp(mean of |ln(predicted ÷ measured)|) − 1, which a prediction that is too fast cannot flatter.
    ``null_mean_absolute``: the error of a model of one constant, the best for these very rows.
    """

    rows: int
    mean_absolute: float
    median_absolute: float
    p90_absolute: float
    bias: float
    geometric: float
    null_mean_absolute: float


class DispatchAccuracy(Errors):
    """Errors of the predicted time of one source's expert dispatches and combines on one GPU, as fractions of the
    measured time.

    ``source`` is empty for the total of a use. ``many``: tokens as in training, where bandwidth decides. The model of
    one constant has seconds proportional to bytes.
    """

    source: str
    gpu: str
    use: Use
    many: bool
    covered: float


class GroupAccuracy(Errors):
    """Errors of one group of measured rows as fractions of what was measured, in whatever unit its rows have.

    ``use``: whether a constant was fitted to rows of the group, or chosen after they had been looked at. ``covered``:
    share of measured values within P10-P90, null where no band was drawn. ``ratio``: geometric mean of predicted over
    measured. ``ranked``: rank correlation of layouts and loads that differ in nothing else, null without such rows.
    """

    group: str
    quantity: str
    use: Literal["calibrated", "seen", "kept out"]
    covered: float | None = None
    ratio: float
    ranked: float | None = None


class FamousRun(Entry):
    """A published run beside what the planner says of it, in the unit of the published ``figure``.

    ``published`` is null where no speed was printed. ``slower_is_more``: whether the figure grows with time.
    ``seen``: where the figure was read; empty where it is quoted from memory. ``assumed``: what the source does not
    say; ``reason``: why the published figure lies outside the band.
    """

    name: str
    year: int
    source: str
    gpu: str
    gpus: int
    framework: str | None
    mixture: bool
    figure: str
    published: float | None
    predicted: float
    p10: float
    p90: float
    slower_is_more: bool
    seen: str = ""
    assumed: str = ""
    reason: str = ""

    @property
    def inside(self) -> bool:
        """Whether the published figure lies within P10-P90."""
        return self.published is not None and self.p10 <= self.published <= self.p90

    @property
    def slower(self) -> float:
        """Published ÷ predicted time; 1 where nothing was published."""
        ratio = self.published / self.predicted if self.published is not None else 1.0
        return ratio if self.slower_is_more else 1.0 / ratio


class PublicPractice(Entry):
    """Published ÷ predicted time of one framework's runs on one generation of GPUs."""

    framework: str
    gpu: str
    first_year: int
    last_year: int
    runs: int
    median: float
    least: float
    most: float
    inside: float


class Validation(Entry):
    """The errors of a file of measured runs."""

    file: str
    excluded: int
    sources: list[SourceAccuracy]
    runs: list[MeasuredRun]
    slowdowns: list[Slowdown] = Field(default_factory=list)
    collectives: list[CollectiveAccuracy] = Field(default_factory=list)
    collectives_excluded: int = 0
    memory: MemoryReport | None = None
    adapters: AdapterReport | None = None
    dispatches: list[DispatchAccuracy] = Field(default_factory=list)
    groups: list[GroupAccuracy] = Field(default_factory=list)
    famous: list[FamousRun] = Field(default_factory=list)
    practices: list[PublicPractice] = Field(default_factory=list)
    reinforcement: ReinforcementReport | None = None


class ReproducedDesign(Entry):
    """A published cluster network: the counts it prints, and those that follow from its size and its switch."""

    design: str
    publisher: str
    url: str
    note: str
    published: dict[str, int]
    computed: dict[str, int]
    unsaid: str | None = None  # what is missing in print where nothing can be compared

    @property
    def differing(self) -> list[str]:
        """The counts that are printed and do not follow."""
        return [name for name, value in self.published.items() if self.computed.get(name) != value]

    @property
    def verdict(self) -> str:
        """``exact``, ``differs`` for a reason that the note names, or why there is nothing to compare."""
        return self.unsaid or ("differs" if self.differing else "exact")
