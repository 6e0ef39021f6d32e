"""How many switches and cables join so many NICs: the arithmetic of folded Clos networks, without devices or prices.

A *rail* is the set of the n-th NICs of all nodes. A rail-optimised leaf switch serves one rail (or a few
whole ones), so that the GPUs with the same number talk through one switch. A *group* is a set of leaf switches with
spines of their own; in three tiers the core joins the groups.

Sources: DGX H100 SuperPOD reference architecture RA-11333-001 V11 (tables 3, 4, 7, 8) for the leaf and spine
counts, DGX GB200 SuperPOD RA-11338-001 V01 for racks; the fat-tree capacities R²/2 (two tiers) and R³/4 (three) are
those of any folded Clos with radix R. ``tests/test_fabric_design.py`` reproduces the published designs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil

# Racks that share one group of spines: a scalable unit of the DGX GB200 SuperPOD has 8 (RA-11338-001 V01: per rail
# 8 leaves, one in each rack, with 18 uplinks to 6 spines).
RACKS_PER_GROUP = 8


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
    groups: int = 1  # of leaves with their own spines, in one plane
    rail_groups: bool = False  # a group serves one rail of some racks, not all rails of some nodes

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


@lru_cache(maxsize=4096)
def lay_out(
    nodes: int,
    rails: int,
    radix: int,
    *,
    oversubscription: float = 1.0,
    nodes_per_rack: int = 0,
    pair: bool = False,
    by_rail: bool = True,
    cable: float = 0.0,
) -> Layout | None:
    """The tree that costs least for ``nodes`` × ``rails`` endpoints; ``None`` when three tiers are not enough.

    ``oversubscription``: node-facing ÷ spine-facing ports of a leaf. ``nodes_per_rack``: racks that must not be
    split between leaves (rack-scale machines); 0: none. ``pair``: two switches where one would do, so that a
    broken switch does not stop every node. ``by_rail``: a leaf serves whole rails; else any NIC hangs on any leaf.
    ``cable``: what a link costs, in switches; 0 has as few switches as will do.
    """
    endpoints, capacity = nodes * rails, _ports_down(radix, oversubscription)
    if endpoints <= radix:
        return _one_tier(endpoints, pair)
    if by_rail and nodes_per_rack and rails > 1 and capacity // nodes_per_rack == 1:
        return _rack_rails(nodes, rails, radix, oversubscription, nodes_per_rack)
    leaf, down = _leaves(nodes, rails, capacity, nodes_per_rack, by_rail)
    spare = radix - capacity
    if leaf <= radix:
        # With more leaves the spines may come out even; racks that are not split leave no choice.
        fewest = capacity if nodes_per_rack and by_rail else capacity * 7 // 8 + 1
        ports = range(fewest, capacity + 1)
        ways = {_leaves(nodes, rails, used, nodes_per_rack, by_rail) for used in ports}
        return min(
            (_two_tiers(endpoints, *way, spare, radix, oversubscription, cable) for way in ways if way[0] <= radix),
            key=lambda one: (one.switches + cable * one.cables, one.leaf),
        )
    if leaf > radix * (radix // 2):
        return None
    spine, up, groups = min(_three_tiers(leaf, ceil(down / oversubscription), spare, radix))
    links = leaf * up
    return Layout(3, 1, leaf, spine, ceil(links / radix), endpoints, links, links, 0, down, up, groups)


def rails_alone(
    nodes: int, rails: int, radix: int, *, oversubscription: float = 1.0, nodes_per_rack: int = 0
) -> Layout | None:
    """Every rail a network of its own, without a spine between rails; as many whole rails on one switch as fit."""
    if nodes <= radix:
        together = radix // nodes
        switches = ceil(rails / together)
        return Layout(1, switches, switches, 0, 0, nodes * rails, 0, 0, 0, nodes * min(together, rails), 0)
    plane = lay_out(nodes, 1, radix, oversubscription=oversubscription, nodes_per_rack=nodes_per_rack)
    return plane and plane.times(rails)


def _one_tier(endpoints: int, pair: bool) -> Layout:
    # A pair is joined by as many links as one half may send to the other: the 48, 40 and 32 of NVIDIA's enterprise
    # designs are half the GPU links of the largest size that one pair joins.
    between = ceil(endpoints / 2) if pair else 0
    switches = 2 if pair else 1
    return Layout(1, 1, switches, 0, 0, endpoints, 0, 0, between, ceil(endpoints / switches), 0)


def _ports_down(radix: int, oversubscription: float) -> int:
    return int(radix * oversubscription / (1 + oversubscription))


def _leaves(nodes: int, rails: int, capacity: int, nodes_per_rack: int, by_rail: bool) -> tuple[int, int]:
    """Leaf switches, and node-facing ports in use on the fullest one."""
    if not by_rail:
        leaves = ceil(nodes * rails / capacity)
        return leaves, ceil(nodes * rails / leaves)
    racks = capacity // nodes_per_rack if nodes_per_rack else 0
    nodes_per_leaf = racks * nodes_per_rack or capacity
    if nodes <= nodes_per_leaf:  # several whole rails fit on one leaf
        leaves = ceil(rails / max(1, capacity // nodes))
        return leaves, nodes * ceil(rails / leaves)
    per_rail = ceil(nodes / nodes_per_leaf)
    return rails * per_rail, nodes_per_leaf if racks else ceil(nodes / per_rail)


def _two_tiers(
    endpoints: int, leaf: int, down: int, spare: int, radix: int, oversubscription: float, cable: float
) -> Layout:
    up, spine = _uplinks(leaf, down, spare, radix, oversubscription, cable)
    return Layout(2, 1, leaf, spine, 0, endpoints, leaf * up, 0, 0, down, up)


def _uplinks(leaf: int, down: int, spare: int, radix: int, oversubscription: float, cable: float) -> tuple[int, int]:
    """Uplinks per leaf and spine switches that cost least, of equal ones those with the fewest spines.

    Every leaf has the same number of links to every spine, so the spines are a divisor of the uplinks per leaf
    that offers enough ports: why the published 3-SU design has 16 spines and not 768/64 = 12.
    """
    least = ceil(down / oversubscription)
    ways = ((_spines(leaf, up, radix), up) for up in range(least, max(least, spare) + 1))
    spine, up = min(ways, key=lambda way: (way[0] + cable * leaf * way[1], way))
    return up, spine


def _spines(leaf: int, up: int, ports: int) -> int:
    """The fewest spines of ``ports`` ports toward ``leaf`` leaves that divide their ``up`` uplinks evenly."""
    return next(n for n in range(ceil(leaf * up / ports), up + 1) if up % n == 0)


def _three_tiers(leaf: int, least: int, spare: int, radix: int) -> Iterator[tuple[int, int, int]]:
    """Ways to group the leaves of three tiers: spine switches, uplinks per leaf, groups.

    A leaf has the same number of links to every spine of its group; a spine turns half its ports to the core.
    """
    for up in range(least, max(least, spare) + 1):
        for links in (n for n in range(1, min(up, radix // 2) + 1) if up % n == 0):
            groups = ceil(leaf / (radix // 2 // links))
            if groups <= radix:  # a core switch has a port for each
                yield groups * up // links, up, groups


def _rack_rails(nodes: int, rails: int, radix: int, oversubscription: float, nodes_per_rack: int) -> Layout | None:
    """One leaf per rack and rail with as many uplinks as it has nodes; spines by groups of racks and per rail.

    A spine keeps half its ports for a core, also where there is only one group and no core yet: what the published
    scalable unit of 8 racks has, 4 × (8 leaves + 6 spines). As many racks as fit on one leaf per rail need no spine.
    """
    racks, up = ceil(nodes / nodes_per_rack), ceil(nodes_per_rack / oversubscription)
    leaf, half = rails * racks, radix // 2
    if nodes <= radix:
        return Layout(1, rails, rails, 0, 0, nodes * rails, 0, 0, 0, nodes, 0)
    full, rest = divmod(racks, RACKS_PER_GROUP)
    spine = rails * (full * _spines(RACKS_PER_GROUP, up, half) + (_spines(rest, up, half) if rest else 0))
    links, groups = leaf * up, rails * (full + bool(rest))
    if groups == rails:  # each rail is a tree of its own
        return Layout(2, rails, leaf, spine, 0, nodes * rails, links, 0, 0, nodes_per_rack, up)
    if links > radix * radix * half // 2:
        return None
    core = ceil(links / radix)
    return Layout(3, 1, leaf, spine, core, nodes * rails, links, links, 0, nodes_per_rack, up, groups, rail_groups=True)
