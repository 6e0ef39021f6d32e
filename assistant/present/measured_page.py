"""The handbook's page of all that was measured, group by group, and of famous runs."""

from collections.abc import Sequence

from assistant.vocabulary.shares import may_be
from assistant.vocabulary.validation import FamousRun, GroupAccuracy, PublicPractice, Validation

from .covered import covered_cell
from .markdown import escaped, table

_GROUP_HEAD = (
    *("group", "of", "use", "rows", "mean", "median", "P90", "bias", "geometric", "one constant", "in P10-P90"),
    *("ratio", "ranked"),
)
_FAMOUS_HEAD = ("run", "year", "GPUs", "figure", "published", "predicted", "P10-P90", "published time ÷ predicted")
_PRACTICE_HEAD = ("framework", "GPU", "years", "runs", "median", "fastest", "slowest", "in P10-P90")
_WORDS = {
    "step_s": "s per step",
    "tokens_per_s_per_gpu": "tokens/s per GPU",
    "gpu_hours": "GPU hours",
    "days": "days",
    "hardware_tflops": "hardware TFLOP/s",
    "model_tflops": "model TFLOP/s",
    "mfu_percent": "MFU, %",
}


def measured_page(made: Validation, template: str) -> str:
    """The page ``measured`` of the handbook; ``template`` carries the prose."""
    published = [run for run in made.famous if run.published is not None]
    return template.format(
        rows=f"{sum(group.rows for group in made.groups):,}",
        **_banded(made.groups),
        groups=_rows(_GROUP_HEAD, [_group_cells(group) for group in made.groups], 3),
        famous_count=len(made.famous),
        famous_inside=sum(run.inside for run in published),
        famous_published=len(published),
        famous_seen=sum(bool(run.seen) for run in published),
        famous=_rows(_FAMOUS_HEAD, [_famous_cells(run) for run in made.famous], 4),
        reasons=_reasons(published),
        assumed="\n".join(f"- {run.name}: {_said(run)}" for run in made.famous),
        practice=_rows(_PRACTICE_HEAD, [_practice_cells(line) for line in made.practices], 3),
    )


def _banded(groups: Sequence[GroupAccuracy]) -> dict[str, int]:
    """How many groups that judge have bands, and how many of those bands' shares are told from what is intended; the
    same of groups of whole steps of full training."""
    judging = [one for one in groups if one.use != "calibrated" and one.covered is not None]
    apart = [one for one in judging if not may_be(one.covered or 0.0, one.rows)]
    training = [one for one in judging if one.group.endswith((", dense", ", mixtures"))]
    return {
        "banded": len(judging),
        "apart": len(apart),
        "trained": len(training),
        "trained_apart": sum(one in apart for one in training),
    }


def _rows(head: Sequence[str], rows: list[list[str]], left: int) -> str:
    return table(list(head), rows, frozenset(range(left, len(head))))


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _group_cells(group: GroupAccuracy) -> list[str]:
    errors = (group.mean_absolute, group.median_absolute, group.p90_absolute)
    return [
        escaped(group.group),
        group.quantity,
        group.use,
        f"{group.rows:,}",
        *map(_percent, errors),
        f"{100 * group.bias:+.1f}",
        _percent(group.geometric),
        _percent(group.null_mean_absolute),
        covered_cell(group.covered, group.rows),
        f"{group.ratio:.2f}",
        "–" if group.ranked is None else f"{group.ranked:.2f}",
    ]


def _famous_cells(run: FamousRun) -> list[str]:
    times = "–" if run.published is None else f"{run.slower:.2f}" + ("" if run.inside else " *")
    return [
        escaped(run.name),
        str(run.year),
        f"{run.gpus:,} {run.gpu}",
        _WORDS[run.figure],
        "–" if run.published is None else _figure(run.published) + ("" if run.seen else " †"),
        _figure(run.predicted),
        f"{_figure(run.p10)}–{_figure(run.p90)}",
        times,
    ]


def _figure(value: float) -> str:
    """Three digits, thousands with commas."""
    return f"{float(f'{value:.3g}'):,.0f}" if value >= 1000 else f"{value:.3g}"


def _reasons(runs: Sequence[FamousRun]) -> str:
    outside = [run for run in runs if not run.inside]
    return "\n".join(f"- {run.name}: {run.reason or 'no reason is known'}." for run in outside) or "None."


def _said(run: FamousRun) -> str:
    seen = f" Read: {run.seen}." if run.seen else ""
    return f"{run.source}.{seen}" + (f" Assumed: {run.assumed}." if run.assumed else "")


def _practice_cells(line: PublicPractice) -> list[str]:
    years = str(line.first_year) if line.first_year == line.last_year else f"{line.first_year}-{line.last_year}"
    factors = [f"{value:.2f}" for value in (line.median, line.least, line.most)]
    return [line.framework, line.gpu, years, str(line.runs), *factors, f"{100 * line.inside:.0f} %"]
