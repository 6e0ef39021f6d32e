"""The axes of a sweep as people write them: ``cluster.gpus=8..1024``, ``budget.gpu_hour_usd=2..4:0.5``,
``model=a,b``."""

import difflib
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.quantities import count, shown
from assistant.vocabulary.questionnaire import (
    Budget,
    Cluster,
    Constraints,
    Inference,
    ModelShape,
    Parallelism,
    Questionnaire,
    Reinforcement,
    Training,
)
from assistant.vocabulary.sweep import Axis

MOST_POINTS = 10_000
_SECTIONS = {
    "model": ModelShape,
    "cluster": Cluster,
    "training": Training,
    "parallelism": Parallelism,
    "rl": Reinforcement,
    "inference": Inference,
    "budget": Budget,
    "constraints": Constraints,
}
_WHOLE = ("workload", "model", "parallelism")  # fields that are not parts of a section
PATHS = (*_WHOLE, *(f"{section}.{name}" for section, kind in _SECTIONS.items() for name in kind.model_fields))


def axes_of(varied: Sequence[str], fabrics: Sequence[str]) -> list[Axis]:
    """One axis for each ``PATH=VALUES``. ``fabrics`` is what ``cluster.fabric=all`` stands for.

    Raises :class:`InputError` for an unknown field, values that cannot be read, a field given twice or too large a
    grid.
    """
    axes = [_axis(text, fabrics) for text in varied]
    if not axes:
        raise InputError("expected at least one field to vary, such as --vary cluster.gpus=8..1024")
    paths = [axis.path for axis in axes]
    for path in paths:
        if paths.count(path) > 1:
            _refuse(f"{path} is varied twice: give all its values at once, separated by commas")
        if any(other.startswith(f"{path}.") for other in paths):
            _refuse(f"{path} is varied both as a whole and in parts")
    points = math.prod(len(axis.values) for axis in axes)
    if points > MOST_POINTS:
        _refuse(f"expected a grid of at most {MOST_POINTS:,} points, got {points:,}")
    return axes


def combinations(axes: Sequence[Axis]) -> Iterator[dict[str, Any]]:
    """The values of every point, the last axis running fastest."""
    for values in itertools.product(*(axis.values for axis in axes)):
        yield {axis.path: value for axis, value in zip(axes, values, strict=True)}


def changed(questionnaire: Questionnaire, values: dict[str, Any]) -> dict[str, Any]:
    """The questionnaire as its file would say it with other values; what nobody gave stays unsaid. Of other GPUs no
    more are there already than the file says."""
    given = questionnaire.said()
    there = questionnaire.budget.owned_gpus or questionnaire.cluster.gpus
    if questionnaire.budget.owned != "nothing" and values.get("cluster.gpus", there) != there:
        given["budget"]["owned_gpus"] = there
    if values.get("cluster.gpu", questionnaire.cluster.gpu) != questionnaire.cluster.gpu:
        given["budget"] = {k: v for k, v in given.get("budget", {}).items() if k not in ("owned", "owned_gpus")}
    for path, value in values.items():
        section, _, name = path.partition(".")
        if not name:
            given[section] = value
        else:
            part = given.get(section)
            given[section] = {**(part if isinstance(part, dict) else {}), name: value}
    return given


def _refuse(message: str) -> None:
    raise InputError(message, Place(field="--vary"))


def _axis(text: str, fabrics: Sequence[str]) -> Axis:
    path, equals, written = (part.strip() for part in text.partition("="))
    if not equals or not path or not written:
        _refuse(f"expected PATH=VALUES such as cluster.gpus=8..1024, got {shown(text)}")
    if path not in PATHS:
        near = difflib.get_close_matches(path, PATHS, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(PATHS)}"
        _refuse(f"expected a field of the questionnaire, got {shown(path)}; {hint}")
    values = list(fabrics) if path == "cluster.fabric" and written == "all" else _values(path, written)
    numeric = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
    return Axis(path=path, values=values, numeric=numeric)


def _values(path: str, written: str) -> list[Any]:
    first, dots, rest = written.partition("..")
    last, stepped, step = rest.partition(":")
    if dots and ":" not in first:
        low, high = _number(path, first), _number(path, last)
        if high < low:
            _refuse(f"{path}: expected a range from low to high, got {shown(written)}")
        return _steps(path, low, high, step) if stepped else _doublings(path, low, high)
    values = [_scalar(cell.strip()) for cell in written.split(",")]
    if "" in values:
        _refuse(f"{path}: expected values between the commas, got {shown(written)}")
    if any(value in values[:i] for i, value in enumerate(values)):
        _refuse(f"{path}: a value stands twice in {shown(written)}")
    return values


def _doublings(path: str, low: float, high: float) -> list[int | float]:
    if low <= 0:
        steps = f"for equal steps write {low:g}..{high:g}:STEP"
        _refuse(f"{path}: expected doublings to start above 0, got {low:g}; {steps}")
    return [_plain(low * 2**i) for i in range(int(math.log2(high / low) + 1e-9) + 1)]


def _steps(path: str, low: float, high: float, written: str) -> list[int | float]:
    step = _number(path, written)
    if step <= 0:
        _refuse(f"{path}: expected a step above 0, got {shown(written)}")
    amount = int((high - low) / step + 1e-9) + 1
    if amount > MOST_POINTS:
        _refuse(f"{path}: expected at most {MOST_POINTS:,} values, got {amount:,}")
    return [_plain(low + i * step) for i in range(amount)]


def _number(path: str, written: str) -> float:
    try:
        return count(written.strip().lstrip("$"))
    except ValueError as error:
        raise InputError(f"{path}: {error}", Place(field="--vary")) from None


def _plain(value: float) -> int | float:
    """Whole numbers without a point, others without the noise of adding."""
    return int(value) if value == int(value) else round(value, 10)


def _scalar(cell: str) -> Any:
    """A value of a list: a number where it is one, ``null`` for nothing, else the text, which the field itself
    reads."""
    if cell in ("null", "~"):
        return None
    if cell in ("true", "false"):
        return cell == "true"
    try:
        return _plain(count(cell))
    except ValueError:
        return cell
