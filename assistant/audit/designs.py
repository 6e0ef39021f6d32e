"""Published cluster networks, counted anew from their size and their switch."""

from __future__ import annotations

import csv
from pathlib import Path

from assistant.network.layout import Layout, largest, lay_out
from assistant.vocabulary.validation import ReproducedDesign

COUNTS = (
    *("tiers", "leaf", "spine", "core", "switches"),
    *("node_leaf", "leaf_spine", "spine_core", "between_switches"),
)


def reproduced(knowledge_folder: Path) -> list[ReproducedDesign]:
    """Every row of ``measurements/reference_designs.csv``."""
    path = knowledge_folder / "measurements" / "reference_designs.csv"
    with path.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return [_beside(row) for row in rows]


def _beside(row: dict[str, str]) -> ReproducedDesign:
    kind = row["kind"]
    where = {"design": row["design"], "publisher": row["publisher"], "url": row["url"], "note": row["note"]}
    unsaid = f"prints {kind}" if kind in ("no counts", "no size") else None
    return ReproducedDesign(**where, published=_published(row), computed=_computed(row), unsaid=unsaid)


def _published(row: dict[str, str]) -> dict[str, int]:
    counts = {name: int(row[name]) for name in COUNTS if row[name]}
    return {"endpoints": int(row["gpus"])} if row["kind"] == "limit" else counts


def _computed(row: dict[str, str]) -> dict[str, int]:
    match row["kind"]:
        case "tree":
            return counts_of(laid_out(row))
        case "zones":  # each a tree for as many endpoints as two tiers join
            radix = int(row["radix"])
            zone = lay_out(radix * radix // 2, 1, radix)
            return {"tiers": zone.tiers, "switches": 2 * zone.switches} if zone else {}
        case "limit":
            return {"endpoints": largest(int(row["radix"]))}
        case "slim fly":
            return _slim_fly(28)
        case "dragonfly":
            return _dragonfly(endpoints=16, groups=511)
    return {}


def laid_out(row: dict[str, str]) -> Layout:
    """The network of a row of kind ``tree``. Raises :class:`ValueError` where three tiers are not enough."""
    planes, endpoints = int(row["planes"]), int(row["links_per_node"])
    options = {"nodes_per_rack": int(row["nodes_per_rack"] or 0), "pair": bool(row["pair"])}
    plane = lay_out(int(row["nodes"]), endpoints // planes, int(row["radix"]), **options)
    if plane is None:
        raise ValueError(f"three tiers do not join {row['design']}")
    return plane.times(planes)


def counts_of(layout: Layout) -> dict[str, int]:
    """The counts that publications print."""
    between = {"between_switches": layout.leaf_spine + layout.spine_core}
    return {name: getattr(layout, name) for name in COUNTS if name not in between} | between


def _slim_fly(q: int) -> dict[str, int]:
    """2q² switches with 3q/2 links to others each, for q a multiple of 4 (Besta and Hoefler, SC'14)."""
    return {"switches": 2 * q * q, "between_switches": 2 * q * q * (3 * q // 2) // 2}


def _dragonfly(endpoints: int, groups: int) -> dict[str, int]:
    """A balanced dragonfly: groups of 2 × ``endpoints`` switches, all joined, and as many global links per switch as
    endpoints (Kim et al., ISCA'08)."""
    each = 2 * endpoints
    links = groups * each * (each - 1) // 2 + groups * each * endpoints // 2
    return {"switches": groups * each, "between_switches": links}
