"""The handbook's page on accuracy: tables and a plot of predicted against measured steps."""

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from string import Template
from typing import Any

from assistant.vocabulary.shares import INTENDED, may_be
from assistant.vocabulary.validation import (
    AdapterReport,
    CollectiveAccuracy,
    DispatchAccuracy,
    LoopAccuracy,
    MeasuredRun,
    MemoryReport,
    ReinforcementReport,
    SourceAccuracy,
    Validation,
)

from . import memory_report
from .covered import covered_cell
from .markdown import table
from .validation import SLOWDOWN_HEAD, SOURCE_HEAD, collective_cells, slowdown_cells, source_cells

# Goals of the project in percent: the mean error of vTrain's runs that nothing was calibrated on, the median error of
# every other source, the share of runs within P10-P90, and the slowdown of one job on a slower fabric.
VTRAIN_GOAL, MEDIAN_GOAL, SLOWDOWN_GOAL = 6.0, 12.0, 15.0
# The same of collectives: of the time of messages up to 1 MiB, and of the bus bandwidth of larger ones.
COLLECTIVE_GOALS = {"small": 30.0, "large": 15.0}
_USES = ("validation", "planned", "left out", "calibration")


def accuracy_page(made: Validation, template: str) -> str:
    """The page ``accuracy`` of the handbook; ``made`` carries the lines of the sources left out, ``template`` the
    prose."""
    uses = {use.replace(" ", "_"): _table(_of(use, made.sources)) for use in _USES}
    return template.format(
        runs=len(made.runs),
        excluded=made.excluded,
        **uses,
        pairs=_rows(SLOWDOWN_HEAD, map(slowdown_cells, made.slowdowns), {1, 4, 5, 6}),
        **(_memory(made.memory) if made.memory else {}),
        **(_adapters(made.adapters) if made.adapters else {}),
        dispatch_validation=_dispatches(_of("validation", made.dispatches)),
        dispatch_calibration=_dispatches(_of("calibration", made.dispatches)),
        **(_reinforcement(made.reinforcement) if made.reinforcement else {}),
        collectives=sum(line.rows for line in made.collectives if not line.source),
        collectives_excluded=made.collectives_excluded,
        collectives_validation=_collectives(_of("validation", made.collectives)),
        collectives_calibration=_collectives(_of("calibration", made.collectives)),
        misses=_misses(made),
    )


def _of(use: str, lines: Iterable[Any]) -> list[Any]:
    return [line for line in lines if line.use == use]


def _memory(memory: MemoryReport) -> dict[str, str | float]:
    """Errors of the peak of memory, and what 'fits' was worth."""
    refused = "\n".join(f"- {line}" for line in memory_report.refusals(memory))
    verdicts = "\n".join(memory_report.verdicts(memory))
    tables = {use: map(memory_report.cells, _of(use, memory.sources)) for use in ("validation", "calibration")}
    return {
        "margin": 100 * memory.margin,
        "surplus": 100 * memory.surplus,
        **{f"memory_{use}": _rows(memory_report.HEAD, cells, set(range(1, 7))) for use, cells in tables.items()},
        "memory_verdicts": f"{verdicts} Refused:\n\n{refused}" if refused else verdicts,
    }


def _adapters(found: AdapterReport) -> dict[str, str | int]:
    """Errors of fine-tuning with adapters: steps, peaks of memory, and what 'fits' was worth."""
    refused = [f"- {line}" for line in memory_report.refusals(found.memory)]
    cells = map(memory_report.cells, found.memory.sources)
    return {
        "adapter_excluded": found.excluded,
        "adapter_steps": _table(found.sources),
        "adapter_memory": _rows(memory_report.HEAD, cells, set(range(1, 7))),
        "adapter_verdicts": "\n".join([*memory_report.verdicts(found.memory), *refused]),
    }


def _reinforcement(found: ReinforcementReport) -> dict[str, str | int]:
    """Errors of steps of reinforcement learning and of weight syncs, those that judge and those fitted to."""
    return {
        "rl_excluded": found.excluded,
        "rl_steps_validation": _loops(_of("validation", found.steps)),
        "rl_steps_calibration": _loops(_of("calibration", found.steps)),
        "rl_excluded_syncs": found.excluded_syncs,
        "rl_syncs_validation": _loops(_of("validation", found.syncs)),
        "rl_syncs_calibration": _loops(_of("calibration", found.syncs)),
    }


def _loops(lines: list[LoopAccuracy]) -> str:
    """With the geometric mean of predicted over measured, which a few long steps do not decide."""
    head = ("source", "rows", "mean", "median", "P90", "bias", "predicted ÷ measured", "one constant", "P10–P90")

    def cells(line: LoopAccuracy) -> list[str]:
        errors = (line.mean_absolute, line.median_absolute, line.p90_absolute)
        shares = [f"{100 * value:.1f}" for value in errors]
        covered = covered_cell(line.covered, line.runs)
        constant = "–" if line.runs == 1 else f"{100 * line.null_mean_absolute:.1f}"
        own = [line.source or "**all**", str(line.runs), *shares, f"{100 * line.bias:+.1f}", f"{line.ratio:.2f}"]
        return [*own, constant, covered]

    return _rows(head, map(cells, lines), set(range(1, 9)))


def _table(lines: list[SourceAccuracy]) -> str:
    def cells(line: SourceAccuracy) -> list[str]:
        return [line.source or "**all**", *source_cells(line)[1:-1], covered_cell(line.covered, line.runs)]

    return _rows(SOURCE_HEAD, map(cells, lines), set(range(1, 8)))


def _collectives(lines: list[CollectiveAccuracy]) -> str:
    head = ("source", "messages", "fabrics", "rows", "median", "P90", "bias", "bandwidth")
    cells = ([line.source or "**all**", line.messages, line.where, *collective_cells(line)[2:]] for line in lines)
    return _rows(head, cells, set(range(3, 8)))


def _dispatches(lines: list[DispatchAccuracy]) -> str:
    head = (
        "source",
        "GPU",
        "tokens",
        "rows",
        "mean",
        "median",
        "P90",
        "bias",
        "geometric",
        "one constant",
        "in P10-P90",
    )

    def cells(line: DispatchAccuracy) -> list[str]:
        shares = (line.mean_absolute, line.median_absolute, line.p90_absolute)
        return [
            line.source or "**all**",
            line.gpu,
            "many" if line.many else "few",
            str(line.rows),
            *(f"{100 * share:.1f}" for share in shares),
            f"{100 * line.bias:+.1f}",
            f"{100 * line.geometric:.1f}",
            f"{100 * line.null_mean_absolute:.1f}",
            covered_cell(line.covered, line.rows),
        ]

    return _rows(head, map(cells, lines), set(range(3, 11)))


def _rows(head: Sequence[str], rows: Iterable[Sequence[str]], right: set[int]) -> str:
    return table(list(head), [list(row) for row in rows], frozenset(right))


def _misses(made: Validation) -> str:
    judged = _judged(made.sources)
    low, high = (100 * share for share in INTENDED)
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
        f"- {line.source}: one constant would do better, with a mean error of {100 * line.null_mean_absolute:.1f} % "
        f"against {100 * line.mean_absolute:.1f} %."
        for line in judged
        if line.null_mean_absolute < line.mean_absolute
    ]
    found += [
        f"- slowdown of {line.id} ({line.fabric} against {line.fastest}, {line.gpus} GPUs): off by "
        f"{100 * line.error:+.0f} %, wanted within {SLOWDOWN_GOAL:.0f} %."
        for line in made.slowdowns
        if 100 * abs(line.error) > SLOWDOWN_GOAL
    ]
    out = [
        (name, line)
        for name, line in _banded(made.sources, judged)
        if line.covered is not None and not low <= round(100 * line.covered) <= high
    ]
    found += [
        f"- {name}: {100 * (line.covered or 0.0):.0f} % of the runs are within P10-P90, wanted {low:.0f} to "
        f"{high:.0f} %."
        for name, line in out
        if not _may_be_right(line)
    ]
    few = [f"{name} ({100 * (one.covered or 0.0):.0f} % of {one.runs})" for name, one in out if _may_be_right(one)]
    if few:
        found.append(f"- not {low:.0f} to {high:.0f} %, but of too few runs to tell it from them: {', '.join(few)}.")
    return "\n".join(found + _missed_collectives(made)) or "Every source is within its goal."


def _banded(lines: Sequence[SourceAccuracy], judged: Sequence[SourceAccuracy]) -> Iterator[tuple[str, SourceAccuracy]]:
    """Every line whose band is judged, by name: without the source, and its kept-out rows with all others."""
    without = {line.source for line in judged if line.use == "left out"}
    for line in judged:
        yield f"{line.source} without its rows" if line.use == "left out" else line.source, line
    for line in lines:
        if line.use == "validation" and (line.source in without or not line.source):
            yield line.source or "all that nothing was calibrated on", line


def _may_be_right(line: SourceAccuracy) -> bool:
    return line.covered is not None and may_be(line.covered, line.runs)


def _judged(lines: list[SourceAccuracy]) -> list[SourceAccuracy]:
    """One line for each source: predicted without any of its rows, where it has rows for calibration."""
    refitted = {line.source.split(",")[0] for line in lines if line.use == "left out"}
    return [
        line
        for line in lines
        if line.source and (line.use == "left out" or (line.use == "validation" and line.source not in refitted))
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
    """Predicted against measured seconds as SVG, both axes logarithmic; validation rows dark, calibration rows
    light."""
    shown = [run for run in runs if run.measured_s > 0 and run.predicted_s > 0]
    low = math.floor(min(math.log10(min(run.measured_s, run.predicted_s)) for run in shown))
    high = math.ceil(max(math.log10(max(run.measured_s, run.predicted_s)) for run in shown))
    edge, unit = 48, (side - 64) / (high - low)
    frame = Template(Path(__file__).with_name("accuracy_plot.svg").read_text(encoding="utf-8"))

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
    diagonal = f"M{x(first):.1f} {y(first):.1f}L{x(last):.1f} {y(last):.1f}"
    drawn = {"band": band, "diagonal": diagonal, "calibration": points("calibration"), "ticks": ticks}
    places = {"side": side, "middle": f"{side / 2:.0f}", "below": side - 10}
    return frame.substitute(drawn, **places, runs=len(shown), validation=points("validation"))
