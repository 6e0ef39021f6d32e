"""How many switches and cables join so many NICs: the arithmetic of rail-optimised fat trees, without devices or
prices.

A *rail* is the set of the n-th NICs of all nodes. A rail-optimised leaf switch serves one rail (or a few
whole ones), so that the GPUs with the same number talk through one switch.

Sources: DGX H100 SuperPOD reference architecture RA-11333-001 V11 (tables 3, 4, 7, 8) for the leaf and spine
counts; the fat-tree capacities R²/2 (two tiers) and R³/4 (three) are those of any folded Clos with radix R.
``tests/test_fabric_design.py`` reproduces the published designs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil


@dataclass(frozen=True)
class Layout:
    """Switches and cables of a network of ``planes`` equal planes; the counts are totals over all planes."""

    tiers: int
    planes: int
    leaf: int
    spine: int
    core: int
    node_leaf: int  # cables
    leaf_spine: int
    spine_core: int
    leaf_leaf: int  # cables between two switches that share one tier
    down: int  # ports of the fullest leaf that go to nodes
    up: int  # ports of a leaf that go to spines

    @property
    def switches(self) -> int:
        return self.leaf + self.spine + self.core

    @property
    def cables(self) -> int:
        return self.node_leaf + self.leaf_spine + self.spine_core + self.leaf_leaf

    @property
    def oversubscription(self) -> float:
        """What the nodes of a leaf can send at most ÷ what its uplinks carry; 1.0 is non-blocking."""
        return max(1.0, self.down / self.up) if self.up else 1.0

    def times(self, planes: int) -> Layout:
        """The same plane ``planes`` times, side by side and not joined."""
        totals = {
            name: getattr(self, name) * planes
            for name in ("leaf", "spine", "core", "node_leaf", "leaf_spine", "spine_core", "leaf_leaf")
        }
        return replace(self, planes=self.planes * planes, **totals)


def largest(radix: int, oversubscription: float = 1.0) -> int:
    """Endpoints that three tiers of ``radix``-port switches can join: R³/4 without oversubscription."""
    return radix * (radix // 2) * _ports_down(radix, oversubscription)


def lay_out(
    nodes: int, rails: int, radix: int, *, oversubscription: float = 1.0, nodes_per_rack: int = 0, pair: bool = False
) -> Layout | None:
    """The smallest tree for ``nodes`` × ``rails`` endpoints; ``None`` when three tiers are not enough.

    ``oversubscription``: node-facing ÷ spine-facing ports of a leaf. ``nodes_per_rack``: racks that must not be
    split between leaves (rack-scale machines); 0: none. ``pair``: two switches where one would do, so that a
    broken switch does not stop every node.
    """
    endpoints = nodes * rails
    if endpoints <= radix:
        return _one_tier(endpoints, pair)
    leaf, down = _leaves(nodes, rails, _ports_down(radix, oversubscription), nodes_per_rack)
    spare = radix - _ports_down(radix, oversubscription)
    if leaf <= radix:
        up, spine = _uplinks(leaf, down, spare, radix, oversubscription)
        return Layout(2, 1, leaf, spine, 0, endpoints, leaf * up, 0, 0, down, up)
    if leaf > radix * (radix // 2):
        return None
    links = leaf * spare
    spine = ceil(links / (radix // 2))
    return Layout(3, 1, leaf, spine, ceil(links / radix), endpoints, links, links, 0, down, spare)


def _one_tier(endpoints: int, pair: bool) -> Layout:
    # A pair is joined by as many links as one half may send to the other.
    between = ceil(endpoints / 2) if pair else 0
    switches = 2 if pair else 1
    return Layout(1, 1, switches, 0, 0, endpoints, 0, 0, between, ceil(endpoints / switches), 0)


def _ports_down(radix: int, oversubscription: float) -> int:
    return int(radix * oversubscription / (1 + oversubscription))


def _leaves(nodes: int, rails: int, capacity: int, nodes_per_rack: int) -> tuple[int, int]:
    """Leaf switches, and node-facing ports in use on the fullest one."""
    racks = capacity // nodes_per_rack if nodes_per_rack else 0
    nodes_per_leaf = racks * nodes_per_rack or capacity
    if nodes <= nodes_per_leaf:  # several whole rails fit on one leaf
        together = max(n for n in range(1, rails + 1) if rails % n == 0 and n * nodes <= max(capacity, nodes))
        return rails // together, nodes * together
    per_rail = ceil(nodes / nodes_per_leaf)
    return rails * per_rail, nodes_per_leaf if racks else ceil(nodes / per_rail)


def _uplinks(leaf: int, down: int, spare: int, radix: int, oversubscription: float) -> tuple[int, int]:
    """Uplinks per leaf and spine switches: the fewest spines, then the fewest cables.

    Every leaf has the same number of links to every spine, so the spines are a divisor of the uplinks per leaf
    that offers enough ports: why the published 3-SU design has 16 spines and not 768/64 = 12.
    """
    choices = []
    for up in range(ceil(down / oversubscription), spare + 1):
        spine = next(n for n in range(ceil(leaf * up / radix), up + 1) if up % n == 0)
        choices.append((spine, up))
    spine, up = min(choices)
    return up, spine
