"""The handbook's page on accuracy: tables and a plot of predicted against measured steps."""

from __future__ import annotations

import math

from assistant.vocabulary.validation import (
    CollectiveAccuracy,
    MeasuredRun,
    MemoryReport,
    Slowdown,
    SourceAccuracy,
    Validation,
)

from . import memory_report
from .validation import SLOWDOWN_HEAD, slowdown_cells

# Goals of the project in percent: the mean error of vTrain's runs that nothing was calibrated on, the median error of every
# other source, the share of runs within P10-P90, and the slowdown of one job on a slower fabric.
VTRAIN_GOAL, MEDIAN_GOAL, BAND_GOAL, SLOWDOWN_GOAL = 6.0, 12.0, (75.0, 88.0), 15.0
# The same of collectives: of the time of messages up to 1 MiB, and of the bus bandwidth of larger ones.
COLLECTIVE_GOALS = {"small": 30.0, "large": 15.0}
_INTRODUCTION = """# How accurate the model is

`weft validate` compares the predicted time of an optimizer step with {runs} measured, published runs; this page is what it
says, and is made by `python -m assistant.validation.page`. {excluded} more rows of `knowledge/measurements/training.csv` are
excluded, each with its reason in the column `reason`. Errors are predicted ÷ measured − 1 in percent: mean and median of
their size, the size that nine of ten rows stay below, and the mean with its sign. Beside them the mean error of the simplest
model, time proportional to FLOPs, with the one constant that is best for these very rows, and the share of measured steps
that fall within P10-P90. Your own runs: `weft validate FILE.csv`.

![Predicted against measured seconds per step](accuracy.svg)

Points on the line are right; the shaded band is 20 % to either side."""
_SPLIT = """Rows are split by series: what one publisher measured with models of one width on one GPU generation stays on
one side, and every other width is for calibration, from the widest on. NVIDIA's three tables count as one publisher. vTrain
has two widths only: there width and tensor-parallel degree together, the matrices a GPU multiplies, make a series. That split
suits the model: with 2,048 wide models to calibrate and 1,024 wide ones to judge, the rule until 20 November 2026, the mean error
of vTrain is 7 %, with the two halves exchanged 10 %; the table of sources predicted without any of their rows depends on no split.
NVIDIA's guide and vTrain's rows gave the factor for unaligned matrices, which BigScience's runs had shown before. Azure and
Kempner are never calibrated on; BigScience was not until 22 November 2026, and since then gives what DeepSpeed takes
longer, and with it what others than its makers take longer with Megatron (`framework-megatron-practice`): rows of the
publishers that Megatron's factors come from are predicted without it, plans and your own runs with it. The constants are in `knowledge/catalog/gpus.yaml` (blocks `calibration`),
`knowledge/catalog/constants/kernels.yaml` and `framework.yaml`, each with the rows it comes from; `python -m
assistant.validation.calibration` fits them again."""
_LEFT_OUT = """All constants are fitted again without any row of the source, and all its rows predicted. A training stack that
has no other rows takes the factors of eager PyTorch. Sources without calibration rows stand in the first table. Bands are as
wide as the shipped ones, around these predictions; how wide was chosen by these very errors of vTrain, dgxc, NeMo, Megatron-Bridge,
llm-foundry and Ultrascale, so their shares say how well the width fits. BigScience, Azure, Kempner and OneFlow had no part in it.
Megatron rows are predicted as published here too, without `framework-megatron-practice`."""

_COLLECTIVES = """The times of NCCL's collectives are compared on their own, with {rows} rows of
`knowledge/measurements/collectives_compared.csv`; {excluded} more are excluded there with their reasons. Messages up to 1 MiB
are small: latency decides. Errors are the median, the size that nine of ten rows stay below, and the median with its sign, in
percent of the measured time; the last column is the median error of the bus bandwidth.

What one publisher measured of one collective on one fabric, GPU and number of ranks stays on one side, and series that a fact
of the catalog was read off are for calibration. `python -m assistant.validation.collectives` fits the shared constants
(`knowledge/catalog/constants/collectives.yaml`) and the latency of those fabrics for which nobody publishes one; other figures
are NCCL's own. ml-engineering times one call at a time from PyTorch, so that its launch is in the small messages; those rows
are kept."""


_MEMORY = """The predicted peak of one GPU beside the measured one, with the rows of `knowledge/measurements/memory.csv`; errors
in percent of the measured one. 'Within margin': rows whose measured peak is at most the predicted one and {margin:.0f} %,
the margin for fragmentation, which is chosen on the Ultrascale rows for calibration. A plan says that a layout fits when
the sum with margin, CUDA context and what the driver withholds is within the GPU's memory. Ultrascale's pipeline runs look
like two versions of its software, with and without keeping the gathered inputs of tensor-parallel products."""
_PAIRS = """What decides between fabrics is the ratio: how many times longer the step is on the slower one. No constant is fitted
on Azure's corrected runs over TCP and InfiniBand, but they are not a blind test either: three habits of FSDP were written into
the model after looking at them. Recomputing gathers weights again where checkpoints lie around FSDP's units (column
`regathered`, derived from the models' shapes and the threshold of 100M parameters per unit); nothing hides these gathers; a
loop over experts keeps the host from gathering ahead. The 72B model's steps over InfiniBand grow by a fifth from 16 to 64 GPUs,
which no part of the model explains."""
_PLANNED = """A plan does not expect to be as fast as the publishers whom Megatron's factors come from. The same rows of theirs
as in the first table, predicted as a plan or your own file would be: with `framework-megatron-practice`."""
_FITTED = "These errors say how well the constants fit, not how well they predict."


def accuracy_page(made: Validation) -> str:
    """The page ``accuracy`` of the handbook; ``made`` carries the lines of the sources left out."""
    parts = [_INTRODUCTION.format(runs=len(made.runs), excluded=made.excluded)]
    for use, title, note in (
        ("validation", "Rows that nothing was calibrated on", _SPLIT),
        ("planned", "The same rows as a plan would expect them", _PLANNED),
        ("left out", "Each source predicted without it", _LEFT_OUT),
        ("calibration", "Rows the constants were calibrated on", _FITTED),
    ):
        parts += [f"## {title}", note, _table([line for line in made.sources if line.use == use])]
    if made.slowdowns:
        parts += ["## The same job on two fabrics", _PAIRS, _pairs(made.slowdowns)]
    if made.memory is not None:
        parts += _memory(made.memory)
    if made.collectives:
        parts += [
            "## Collectives",
            _COLLECTIVES.format(
                rows=sum(line.rows for line in made.collectives if not line.source), excluded=made.collectives_excluded
            ),
        ]
        for use, title in (("validation", "Not fitted to"), ("calibration", "Fitted to")):
            parts += [f"### {title}", _collective_table([line for line in made.collectives if line.use == use])]
    parts += ["## Where it misses what we want", _misses(made)]
    return "\n\n".join(parts) + "\n"


def _memory(memory: MemoryReport) -> list[str]:
    """Errors of the peak of memory, and what 'fits' was worth."""
    parts = ["## Memory", _MEMORY.format(margin=100 * memory.margin)]
    for use, title in (
        ("validation", "Memory nothing was chosen by"),
        ("calibration", "Memory that habits and margin were chosen by"),
    ):
        lines = [f"| {' | '.join(memory_report.cells(line))} |" for line in memory.sources if line.use == use]
        parts += [
            f"### {title}",
            "\n".join([f"| {' | '.join(memory_report.HEAD)} |", "| --- |" + " ---: |" * 6, *lines]),
        ]
    refused = "\n".join(f"- {line}" for line in memory_report.refusals(memory))
    verdicts = "\n".join(memory_report.verdicts(memory))
    return [*parts, f"{verdicts} Refused:\n\n{refused}" if refused else verdicts]


def _pairs(lines: list[Slowdown]) -> str:
    rows = [f"| {' | '.join(cells)} |" for cells in (SLOWDOWN_HEAD, *map(slowdown_cells, lines))]
    return "\n".join([rows[0], "| --- | ---: | --- | --- | ---: | ---: | ---: |", *rows[1:]])


def _table(lines: list[SourceAccuracy]) -> str:
    rows = [
        "| source | runs | mean | median | P90 | bias | one constant | in P10-P90 |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for line in lines:
        covered = "–" if line.covered is None else f"{100 * line.covered:.0f}"
        numbers = (f"{100 * value:.1f}" for value in (line.mean_absolute, line.median_absolute, line.p90_absolute))
        rows.append(
            f"| {line.source or '**all**'} | {line.runs} | {' | '.join(numbers)} | {100 * line.bias:+.1f} | "
            f"{100 * line.null_mean_absolute:.1f} | {covered} |"
        )
    return "\n".join(rows)


def _collective_table(lines: list[CollectiveAccuracy]) -> str:
    rows = [
        "| source | messages | fabrics | rows | median | P90 | bias | bandwidth |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for line in lines:
        rows.append(
            f"| {line.source or '**all**'} | {line.messages} | {line.where} | {line.rows} | "
            f"{100 * line.median_absolute:.1f} | {100 * line.p90_absolute:.1f} | {100 * line.bias:+.1f} | "
            f"{100 * line.median_bandwidth:.1f} |"
        )
    return "\n".join(rows)


def _misses(made: Validation) -> str:
    judged = _judged(made.sources)
    low, high = BAND_GOAL
    found = [
        f"- {line.source}: mean error {100 * line.mean_absolute:.1f} %, wanted at most {VTRAIN_GOAL:.0f} %."
        for line in made.sources
        if line.source == "vtrain" and line.use == "validation" and 100 * line.mean_absolute > VTRAIN_GOAL
    ]
    found += [
        f"- {line.source}: median error {100 * line.median_absolute:.1f} %, wanted at most {MEDIAN_GOAL:.0f} %."
        for line in judged
        if 100 * line.median_absolute > MEDIAN_GOAL
    ]
    found += [
        f"- {line.source}: one constant would do better, with a mean error of {100 * line.null_mean_absolute:.1f} % against "
        f"{100 * line.mean_absolute:.1f} %."
        for line in judged
        if line.null_mean_absolute < line.mean_absolute
    ]
    found += [
        f"- slowdown of {line.id} ({line.fabric} against {line.fastest}, {line.gpus} GPUs): off by {100 * line.error:+.0f} %, wanted "
        f"within {SLOWDOWN_GOAL:.0f} %."
        for line in made.slowdowns
        if 100 * abs(line.error) > SLOWDOWN_GOAL
    ]
    found += [
        f"- {line.source or 'all that nothing was calibrated on'}: {100 * line.covered:.0f} % of the runs are within P10-P90, wanted "
        f"{low:.0f} to {high:.0f} %."
        for line in [*judged, *(one for one in made.sources if one.use == "validation" and not one.source)]
        if line.covered is not None and not low <= round(100 * line.covered) <= high
    ]
    return "\n".join(found + _missed_collectives(made)) or "Every source is within its goal."


def _judged(lines: list[SourceAccuracy]) -> list[SourceAccuracy]:
    """One line for each source: predicted without any of its rows, where it has rows for calibration."""
    refitted = {line.source.split(",")[0] for line in lines if line.use == "left out"}
    return [
        line
        for line in lines
        if line.source and (line.use == "left out" or line.use == "validation" and line.source not in refitted)
    ]


def _missed_collectives(made: Validation) -> list[str]:
    found = []
    for line in made.collectives:
        goal = COLLECTIVE_GOALS[line.messages]
        value = 100 * (line.median_absolute if line.messages == "small" else line.median_bandwidth)
        if line.use == "validation" and not line.source and value > goal:
            found.append(f"- {line.messages} collectives: median error {value:.1f} %, wanted at most {goal:.0f} %.")
    return found


def accuracy_plot(runs: list[MeasuredRun], side: int = 560) -> str:
    """Predicted against measured seconds as SVG, both axes logarithmic; validation rows dark, calibration rows light."""
    shown = [run for run in runs if run.measured_s > 0 and run.predicted_s > 0]
    low = math.floor(min(math.log10(min(run.measured_s, run.predicted_s)) for run in shown))
    high = math.ceil(max(math.log10(max(run.measured_s, run.predicted_s)) for run in shown))
    edge, unit = 48, (side - 64) / (high - low)

    def x(value: float) -> float:
        return edge + (math.log10(value) - low) * unit

    def y(value: float) -> float:
        return side - edge - (math.log10(value) - low) * unit

    def points(use: str) -> str:
        return "".join(f"M{x(run.measured_s):.1f} {y(run.predicted_s):.1f}h0" for run in shown if run.use == use)

    first, last = 10.0**low, 10.0**high
    ticks = "".join(
        f'<text x="{x(10.0**power):.0f}" y="{side - edge + 16}" text-anchor="middle">{10.0**power:g}</text>'
        f'<text x="{edge - 6}" y="{y(10.0**power) + 4:.0f}" text-anchor="end">{10.0**power:g}</text>'
        for power in range(low, high + 1)
    )
    corners = [(first, first * 1.2), (last, last * 1.2), (last, last / 1.2), (first, first / 1.2)]
    band = "M" + "L".join(f"{x(across):.1f} {y(up):.1f}" for across, up in corners) + "Z"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" font-family="sans-serif" font-size="11">\n'
        f"<title>Predicted against measured seconds per optimizer step, {len(shown)} published runs</title>\n"
        f'<rect width="{side}" height="{side}" fill="#fff"/>\n<path d="{band}" fill="#e8eef7"/>\n'
        f'<path d="M{x(first):.1f} {y(first):.1f}L{x(last):.1f} {y(last):.1f}" stroke="#888"/>\n'
        f'<g stroke-linecap="round" stroke-width="3.2" fill="none">\n<path stroke="#b9b9b9" d="{points("calibration")}"/>\n'
        f'<path stroke="#1f4e9c" stroke-opacity="0.6" d="{points("validation")}"/>\n</g>\n<g fill="#333">{ticks}\n'
        f'<text x="{side / 2:.0f}" y="{side - 10}" text-anchor="middle">measured seconds per step</text>\n'
        f'<text transform="translate(14 {side / 2:.0f}) rotate(-90)" text-anchor="middle">predicted seconds per step</text>\n'
        f'<text x="{edge + 10}" y="20" fill="#1f4e9c">● not calibrated on</text>'
        f'<text x="{edge + 130}" y="20" fill="#777">● calibrated on</text></g>\n</svg>\n'
    )
