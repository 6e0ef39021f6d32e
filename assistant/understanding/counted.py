"""How many GPUs a message counts, by what its numbers mean: "6 p5en, 8 H200 each", "48 of the 128 do the rollouts"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .counting import SIZES_OF_NODES

GPUS, NODES, PER_NODE = "cluster.gpus", "nodes", "cluster.gpus_per_node"
COUNTS = (GPUS, NODES, PER_NODE)
_SURE = 0.9  # of nodes that the GPUs are shared out over
_LEAST = 0.1  # a number that is hardly likely to count anything is none


@dataclass(frozen=True)
class Counted:
    """So many GPUs, in nodes of so many where that is said, and how likely that is; ``twice``: the number is said, and
    so are its parts."""

    gpus: int
    per_node: int | None
    odds: float
    twice: bool = False


def counted(numbers: Iterable[tuple[float, Mapping[str, float]]], per_node: float | None) -> list[Counted]:
    """Every total that some numbers may come to, the likeliest first: a number of GPUs, or nodes by the GPUs of one.
    ``per_node`` is what is known of a node where no number says it. A total that is stated and that its parts come to
    is as likely as the likelier of both."""
    meant: dict[str, dict[float, float]] = {name: {} for name in COUNTS}
    for value, likely in numbers:
        for name in COUNTS:
            if likely.get(name, 0.0) >= _LEAST and value == int(value):
                meant[name][value] = max(likely[name], meant[name].get(value, 0.0))
    gpus, nodes, each = (meant[name] for name in COUNTS)
    found = [Counted(int(n), None, odds) for n, odds in gpus.items()]
    found += [Counted(int(n * m), int(m), min(nodes[n], odds)) for n in nodes for m, odds in each.items()]
    found += [Counted(int(n * per_node), None, odds) for n, odds in nodes.items() if per_node and not each]
    sizes = [(n, m) for n in gpus for m in nodes if not each and n / m in SIZES_OF_NODES]
    found += [Counted(int(n), int(n / m), min(gpus[n], nodes[m])) for n, m in sizes if nodes[m] >= _SURE]
    best: dict[int, Counted] = {}
    for one in found:
        other = best.get(one.gpus)
        parts = one if other is None or (one.per_node or 0, one.odds) >= (other.per_node or 0, other.odds) else other
        odds = max(one.odds, other.odds if other else 0.0)
        best[one.gpus] = Counted(one.gpus, parts.per_node, odds, twice=bool(parts.per_node and one.gpus in gpus))
    return sorted(best.values(), key=lambda one: -one.odds)
