"""A fabric design has the switches and cables that published designs of the same size have, and a price one can
check."""

from __future__ import annotations

import csv

import pytest

from assistant.library import paths
from assistant.network.layout import largest, lay_out

REFERENCES = list(
    csv.DictReader((paths.shipped("knowledge") / "measurements" / "reference_designs.csv").open(encoding="utf-8"))
)
COUNTS = ("tiers", "leaf", "spine", "core", "switches", "node_leaf", "leaf_spine", "spine_core")


def laid_out(row: dict[str, str]):
    planes = int(row["planes"])
    plane = lay_out(
        int(row["nodes"]),
        int(row["links_per_node"]) // planes,
        int(row["radix"]),
        nodes_per_rack=int(row["nodes_per_rack"] or 0),
        pair=bool(row["pair"]),
    )
    return plane.times(planes)


@pytest.mark.parametrize("row", [row for row in REFERENCES if not row["differs"]], ids=lambda row: row["design"])
def test_every_published_count_follows_from_size_and_radix(row):
    layout = laid_out(row)
    published = {name: int(row[name]) for name in COUNTS if row[name]}
    assert published, "a row that prints no count proves nothing"
    assert {name: getattr(layout, name) for name in published} == published


def test_the_designs_that_do_not_follow_say_why():
    differing = [row for row in REFERENCES if row["differs"]]
    assert {row["design"] for row in differing} == {
        "DGX GB200 SuperPOD 1 SU",
        "Fire-Flyer 2 as built",
        "DGX-A100 three-layer comparison",
        "Slim Fly",
        "Dragonfly",
        "Juniper validated lab fabric",
    }
    assert all(len(row["note"]) > 10 for row in differing)


def test_what_follows_of_the_designs_that_differ_in_part():
    rows = {row["design"]: row for row in REFERENCES}
    gb200 = laid_out(rows["DGX GB200 SuperPOD 1 SU"])
    assert (gb200.leaf, gb200.node_leaf) == (32, 576), "a rack is not split between leaves"
    assert gb200.spine < 24
    assert (
        laid_out(rows["DGX-A100 three-layer comparison"]).leaf,
        laid_out(rows["DGX-A100 three-layer comparison"]).spine,
    ) == (500, 500)
    assert 2 * laid_out(rows["Fire-Flyer zone of 800"]).switches == int(rows["Fire-Flyer 2 as built"]["switches"]) - 2


def test_rows_carry_their_source():
    assert len(REFERENCES) == 37
    assert all(row["url"].startswith("https://") and row["publisher"] and row["date"] for row in REFERENCES)


@pytest.mark.parametrize(
    ("radix", "two_tiers", "three_tiers"), [(64, 2048, 65536), (144, 10368, 746496), (128, 8192, 524288)]
)
def test_the_radix_decides_the_tiers(radix, two_tiers, three_tiers):
    assert lay_out(radix, 1, radix).tiers == 1
    assert lay_out(two_tiers, 1, radix).tiers == 2
    assert lay_out(two_tiers + 1, 1, radix).tiers == 3
    assert lay_out(three_tiers, 1, radix).tiers == 3
    assert lay_out(three_tiers + 1, 1, radix) is None
    assert largest(radix) == three_tiers


@pytest.mark.parametrize("oversubscription", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("radix", [32, 40, 64, 144])
def test_a_design_can_be_wired(radix, oversubscription):
    """No switch has more links than ports, every node has its ports, and a leaf reaches every spine alike."""
    for nodes in (3, 7, 16, 31, 33, 95, 250, 700, 3000):
        for rails in (1, 2, 4, 8):
            layout = lay_out(nodes, rails, radix, oversubscription=oversubscription)
            if layout is None:
                continue
            assert layout.down + layout.up <= radix
            assert layout.leaf * layout.down >= nodes * rails
            assert layout.leaf_spine + layout.spine_core <= layout.spine * radix
            assert layout.spine_core <= layout.core * radix
            if layout.tiers == 2:
                assert layout.up % layout.spine == 0
                assert layout.oversubscription <= oversubscription


def test_oversubscription_buys_fewer_spines():
    spines = [lay_out(96, 8, 64, oversubscription=ratio).spine for ratio in (1, 2, 4)]
    assert spines[0] > spines[1] > spines[2]


def test_planes_save_a_tier():
    joined, planes = lay_out(1024, 8, 64), lay_out(1024, 1, 64).times(8)
    assert (joined.tiers, planes.tiers) == (3, 2)
    assert planes.switches < joined.switches
