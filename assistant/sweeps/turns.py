"""From which value of a sweep on InfiniBand is chosen, and from which it costs less than the others."""

from collections.abc import Callable, Sequence
from typing import Any

from assistant.vocabulary.catalog import FabricKind
from assistant.vocabulary.plan import TIE_PERCENT
from assistant.vocabulary.sweep import Axis, Point, Turn, axis_along, rows_along


def turns_of(axes: Sequence[Axis], points: Sequence[Point]) -> list[Turn]:
    """The turns along the numeric axis, for each combination of the other axes; none without a numeric axis."""
    along = axis_along(axes)
    if along is None:
        return []
    return [turn for where, row in rows_along(along, points) for turn in _turns(along.path, where, row)]


def _turns(along: str, where: dict[str, Any], row: list[Point]) -> list[Turn]:
    questions = {
        "chosen": _chosen,
        "cheaper-than-ethernet-rdma": _cheaper_than("ethernet-rdma"),
        "cheaper-than-tcp": _cheaper_than("tcp"),
    }
    return [_turn(question, answers, along, where, row) for question, answers in questions.items()]


def _turn(
    question: Any, answers: Callable[[Point], bool | None], along: str, where: dict[str, Any], row: list[Point]
) -> Turn:
    said = [(point.values[along], answers(point)) for point in row]
    known = [(value, answer) for value, answer in said if answer is not None]
    first = next((value for value, answer in known if answer), None)
    return Turn(
        question=question,
        along=along,
        where=where,
        compared=bool(known),
        first=first,
        throughout=first is not None and all(answer for value, answer in known if value >= first),
        kept=any(point.kept for point in row),
        largest=known[-1][0] if known else None,
    )


def _chosen(point: Point) -> bool | None:
    if point.error or point.kept:
        return None
    return point.chosen is not None and point.chosen.kind == "infiniband"


def _cheaper_than(other: FabricKind) -> Callable[[Point], bool | None]:
    def answer(point: Point) -> bool | None:
        if point.chosen is None:  # nothing works there
            return None
        ours, theirs = _cost(point, "infiniband"), _cost(point, other)
        return None if ours is None or theirs is None else ours < theirs * (1 - TIE_PERCENT / 100)

    return answer


def _cost(point: Point, kind: FabricKind) -> float | None:
    """Median cost of the cheapest fabric of a kind that can be had and fits; of one ruled unwise only where there is no
    other."""
    priced = [one for one in point.fabrics if one.kind == kind and one.cost_usd is not None and one.fits]
    can = [one for one in priced if one.verdict != "impossible"]
    wise = [one for one in can if one.verdict != "avoid"]
    return min((one.median_cost for one in wise or can), default=None)
