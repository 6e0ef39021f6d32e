"""The contract of ``weft sweep``: a grid of questionnaires, what every fabric comes to and which the plan would
choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from .catalog import FabricKind
from .plan import Band, Barred, Card, Certainty, Contract, Medians, Outcome, Verdict


class Axis(Contract):
    """One varied field of the questionnaire: its dotted path and its values in order. ``numeric``: they are all
    numbers."""

    path: str
    values: list[Any]
    numeric: bool


class SweptFabric(Medians):
    """One fabric at one point, at its own best parallelism unless that is fixed; ``None`` where nothing was
    computed."""

    fabric: str
    kind: FabricKind
    verdict: Verdict
    barred: Barred | None = None
    fits: bool | None = None
    step_time_s: Band | None = None
    slowdown_percent: float | None = None
    exposed_communication_percent: float | None = None
    run_hours: float | None = None
    cost_usd: Band | None = None


class Point(Contract):
    """One point of the grid: ``values`` by path, and the answer there, or in ``error`` why there is none.

    ``fabric`` is the one a plan recommends; ``None`` with the verdict ``infeasible`` where nothing works. ``kept``: it
    is kept because the questionnaire says that it is already there. ``provider``: who lets it, where somebody does.
    """

    values: dict[str, Any]
    fabric: str | None = None
    verdict: Outcome | None = None
    kept: bool = False
    says: str | None = None  # the plan's headline there
    provider: str | None = None
    certainty: Certainty | None = None
    tied: list[str] = Field(default_factory=list)
    card: Card | None = None  # without what would change it: that is looked for at no point
    fabrics: list[SweptFabric] = Field(default_factory=list)
    error: str | None = None

    @property
    def chosen(self) -> SweptFabric | None:
        """The figures of the fabric that is chosen."""
        return next((one for one in self.fabrics if one.fabric == self.fabric), None)


class Turn(Contract):
    """Along ``along``, with the other fields at ``where``: from which value on InfiniBand does something.

    ``first`` is the first value at which it does, ``throughout`` whether it does at every larger value too; ``None``:
    never. ``compared`` is false where there was nothing to compare at any point.
    """

    question: Literal["chosen", "cheaper-than-ethernet-rdma", "cheaper-than-tcp"]
    along: str
    where: dict[str, Any]
    compared: bool
    first: Any | None = None
    throughout: bool = False
    kept: bool = False  # the fabric was given as decided, so nothing was chosen
    largest: Any | None = None


class Sweep(Contract):
    """A grid over fields of one questionnaire, in the order of the axes, the last one running fastest."""

    schema_: Literal["weft/sweep/1"] = Field(
        default="weft/sweep/1", validation_alias="schema", serialization_alias="schema"
    )
    name: str | None
    names: dict[str, str] = Field(default_factory=dict)  # of fabrics, as people call them
    axes: list[Axis]
    points: list[Point]
    turns: list[Turn]


def axis_along(axes: Sequence[Axis]) -> Axis | None:
    """The axis that a size is read from: the number of GPUs where it is varied, else the first numeric one."""
    numeric = [axis for axis in axes if axis.numeric and len(axis.values) > 1]
    return next((axis for axis in numeric if axis.path == "cluster.gpus"), numeric[0] if numeric else None)


def rows_along(along: Axis, points: Sequence[Point]) -> list[tuple[dict[str, Any], list[Point]]]:
    """``(values of the other axes, points in ascending order)`` for each combination of the other axes."""
    rows: dict[str, tuple[dict[str, Any], list[Point]]] = {}
    for point in points:
        where = {path: value for path, value in point.values.items() if path != along.path}
        rows.setdefault(repr(where), (where, []))[1].append(point)
    return [(where, sorted(row, key=lambda point: point.values[along.path])) for where, row in rows.values()]
