"""Where sources disagree on what a plan touches, what holds, and from how many GPUs on it really turns."""

from assistant.vocabulary.plan import Crossover, Plan, PlanConflict, SourceNumber

from .. import limits
from ..blocks import Block, Paragraph, Table, Tree, titled, told


def section(plan: Plan) -> list[Block]:
    """Every disagreement, what holds before what is said, and the computed crossover beneath."""
    lines = tuple(line for conflict in plan.conflicts for line in _lines(conflict))
    crossover = _crossover(plan.crossover) if plan.crossover else []
    return titled("Where the sources disagree", Tree(lines), *crossover) if lines else []


def answer(plan: Plan) -> list[Block]:
    """The disagreements, asked for; of many sides the first few."""
    if not plan.conflicts:
        return told("On what this plan rests, the sources do not contradict each other.")
    items = [_sentence(conflict, limits.SIDES) for conflict in plan.conflicts]
    return told("Where the sources disagree on what this plan touches:", *items)


def _lines(conflict: PlanConflict) -> list[tuple[int, str]]:
    said = [(1, f"{side.says.rstrip('.')} ({side.claim.split('/')[0]}).") for side in conflict.sides]
    return [(0, conflict.topic), (1, f"What holds: {conflict.resolution}"), *said]


def _sentence(conflict: PlanConflict, most: int) -> str:
    sides = "; ".join(f"{s.says.rstrip('.')} ({s.claim.split('/')[0]})" for s in conflict.sides[:most])
    more = f" (and {len(conflict.sides) - most} more)" if len(conflict.sides) > most else ""
    return f"{conflict.topic} {sides}{more}. What holds: {conflict.resolution}"


def _crossover(found: Crossover) -> list[Block]:
    """Each source's number of GPUs beside what this job would take there, then where it really turns."""
    by_size: dict[int, list[SourceNumber]] = {}
    for number in sorted(found.sources, key=lambda number: number.gpus):
        by_size.setdefault(number.gpus, []).append(number)
    rows = [
        [f"{gpus:,}", ", ".join(dict.fromkeys(n.claim.split("/")[0] for n in numbers)), _cheapest_there(numbers[0])]
        for gpus, numbers in by_size.items()
    ]
    header = ["GPUs", "named by", "cheapest for this job there"]
    table: list[Block] = [Table(header, rows, frozenset({0}))] if rows else []
    said = []
    if {"tcp"} < set(found.compared):
        said.append(_turn("a fabric with RDMA", "plain TCP", found.rdma_from, found))
    if {"ethernet_rdma", "infiniband"} <= set(found.compared):
        said.append(_turn("InfiniBand", "RDMA over Ethernet", found.infiniband_from, found))
    opening = "Computed for this job at other sizes, by cost at this plan's prices."
    return [*table, Paragraph(" ".join([opening, *(f"{one[0].upper()}{one[1:]}" for one in said)]))] if said else table


def _cheapest_there(number: SourceNumber) -> str:
    if number.fabric == "none":
        return "none: nothing crosses nodes"
    return number.fabric or "it cannot run there"


def _turn(kind: str, other: str, at: int | None, found: Crossover) -> str:
    if at is None:
        largest = f"up to {found.points[-1].gpus:,} GPUs, the largest size tried"
        return f"No size {largest}, is one from which on {kind} stays clearly cheaper than {other}."
    if at == found.points[0].gpus:
        leaves, smallest = "as soon as it leaves one scale-up link", "on the smallest size it runs on"
        few = leaves if at <= 2 * found.gpus_per_domain else smallest
        return f"{kind} is clearly cheaper than {other} {few}, {at:,} GPUs, and on every larger size tried."
    before = max(point.gpus for point in found.points if point.gpus < at)
    return f"{kind} is clearly cheaper than {other} from {at:,} GPUs on; on {before:,} it is not."
