"""A fabric design has the switches and cables that published designs of the same size have, and a price one can
check."""

from __future__ import annotations

import json

import pytest

from assistant.audit.designs import reproduced
from assistant.library import paths
from assistant.network.layout import largest, lay_out
from assistant.present.designs_page import designs_page
from tests.program import weft

DESIGNS = {found.design: found for found in reproduced(paths.shipped("knowledge"))}


DIFFERING = {  # what is printed and does not follow
    "Fire-Flyer 2 as built": {"switches": (122, 120)},
    "DGX-A100 three-layer comparison": {"core": (320, 250), "switches": (1320, 1250)},
}
NO_COUNTS = ["Meta RoCE cluster of 24576", "Meta InfiniBand cluster of 24576", "Alibaba HPN 7.0 pod", "MegaScale",
             "Rail-only network", "OCI Zettascale10", "xAI Colossus initial"]  # fmt: skip
NO_SIZE = ["Juniper validated lab fabric"]


@pytest.mark.parametrize("name", [name for name in DESIGNS if name not in (*NO_COUNTS, *NO_SIZE)])
def test_every_published_count_follows_from_size_and_radix_but_for_three(name):
    found = DESIGNS[name]
    assert found.published, "a row that prints no count proves nothing"
    differing = {count: (told, found.computed.get(count)) for count, told in found.published.items()}
    assert {count: both for count, both in differing.items() if both[0] != both[1]} == DIFFERING.get(name, {})


def test_the_designs_that_do_not_follow_say_why():
    assert [name for name, found in DESIGNS.items() if found.verdict == "prints no counts"] == NO_COUNTS
    assert [name for name, found in DESIGNS.items() if found.verdict == "prints no size"] == NO_SIZE
    assert all(len(DESIGNS[name].note) > 10 for name in (*DIFFERING, *NO_COUNTS, *NO_SIZE))


def test_all_45_published_designs_are_in_the_table_with_their_source():
    assert len(DESIGNS) == 45 and len({*DIFFERING, *NO_COUNTS, *NO_SIZE} & {*DESIGNS}) == 10
    assert all(found.url.startswith("https://") and found.publisher for found in DESIGNS.values())


def test_the_handbooks_page_is_that_of_the_table():
    folder = paths.shipped("knowledge") / "handbook"
    template = (folder / "templates" / "networks.md").read_text(encoding="utf-8")
    assert (folder / "networks.md").read_text(encoding="utf-8") == designs_page([*DESIGNS.values()], template)


def test_racks_of_18_trays_have_18_uplinks_and_4608_gb200_need_520_switches():
    layout = lay_out(1152, 4, 64, nodes_per_rack=18)
    assert (layout.leaf, layout.spine, layout.core, layout.up) == (256, 192, 72, 18)
    assert (layout.leaf_spine, layout.spine_core) == (4608, 4608)


@pytest.mark.parametrize(("nodes", "links", "joining"), [(12, 8, 48), (20, 4, 40), (32, 2, 32)])
def test_a_pair_is_joined_by_the_links_of_nvidias_enterprise_designs(nodes, links, joining):
    """The links that the wire maps of enterprise-ras draw between both switches: half the GPU links of the largest."""
    assert lay_out(nodes, links, 128, pair=True).leaf_leaf == joining


def test_rails_share_a_leaf_where_they_do_not_fill_it():
    """10 nodes: three rails of 64-port switches on each leaf, at 7 and at 8 rails three leaves."""
    assert [lay_out(10, rails, 64).leaf for rails in (7, 8)] == [3, 3]


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


@pytest.mark.parametrize("options", [{}, {"by_rail": False}, {"nodes_per_rack": 18}])
@pytest.mark.parametrize("radix", [64, 128])
def test_more_nodes_never_need_fewer_switches(radix, options):
    counts = [lay_out(nodes, 8, radix, **options).switches for nodes in range(2, 400)]
    assert counts == sorted(counts)


def test_oversubscription_buys_fewer_spines():
    spines = [lay_out(96, 8, 64, oversubscription=ratio).spine for ratio in (1, 2, 4)]
    assert spines[0] > spines[1] > spines[2]


def test_planes_save_a_tier():
    joined, planes = lay_out(1024, 8, 64), lay_out(1024, 1, 64).times(8)
    assert (joined.tiers, planes.tiers) == (3, 2)
    assert planes.switches < joined.switches


@pytest.mark.parametrize("gpus", [400, 1000, 1024])
def test_a_cable_of_one_link_has_one_transceiver_at_each_end(gpus: int) -> None:
    told = json.loads(
        weft("fabric", "infiniband-hdr-200", "--gpus", str(gpus), "--gpu", "a100-sxm-80gb", "--format", "json").out
    )
    assert told["optics"] == 2 * sum(told["cables"].values())
