"""``weft fabric``: the bill of a published cluster, its price against published totals, and what cannot be bought."""

from __future__ import annotations

import csv
import re
from xml.etree import ElementTree

import pytest

from assistant import library
from assistant.library import paths
from assistant.network import design
from assistant.present.design import written
from assistant.present.topology_drawing import drawing_lines, drawing_svg
from assistant.vocabulary.errors import InputError

CATALOG = library.load().catalog
FABRICS = CATALOG.fabrics
H100 = CATALOG.gpus["h100-sxm"]


def planned(
    fabric: str, gpus: int, gpu=H100, gpus_per_node: int | None = None, nics_per_node: int | None = None, **options
):
    return design(FABRICS[fabric], gpu, gpus, gpus_per_node, nics_per_node, CATALOG, **options)


def without_nics(found) -> float:
    """US dollars per GPU of switches, optics and cables, middle price."""
    return sum(item.usd * item.count for item in found.prices if not item.item.startswith("NIC")) / found.gpus


REFERENCES = paths.shipped("knowledge") / "measurements" / "reference_designs.csv"
SUPERPODS = [
    row
    for row in csv.DictReader(REFERENCES.read_text(encoding="utf-8").splitlines())
    if row["design"].startswith(("DGX H100", "DGX B300"))
]


@pytest.mark.parametrize("row", SUPERPODS, ids=lambda row: row["design"])
def test_the_catalogs_switches_give_the_published_superpods(row):
    kinds = {"H100": "infiniband-ndr-400", "Spectrum-X": "spectrum-x-800", "Quantum-X800": "infiniband-xdr-800"}
    fabric = next(fabric for word, fabric in kinds.items() if word in row["design"])
    found = planned(fabric, int(row["gpus"]), gpus_per_node=8, nics_per_node=8)
    assert (found.nodes, found.tiers, found.leaf, found.spine, found.core) == tuple(
        int(row[name]) for name in ("nodes", "tiers", "leaf", "spine", "core")
    )
    assert (found.cables.node_leaf, found.cables.leaf_spine, found.cables.spine_core) == tuple(
        int(row[name]) for name in ("node_leaf", "leaf_spine", "spine_core")
    )


def test_the_published_bill_of_127_nodes():
    found = planned("infiniband-ndr-400", 1016)
    assert (found.switches, found.nics, found.cables.node_leaf + found.cables.leaf_spine) == (48, 1016, 2040)
    assert found.optics == 1536 + 508
    assert found.power_w == pytest.approx(48 * 640 + 1536 * 17 + 508 * 17)


def test_adapters_with_a_cage_each_take_the_optics_of_the_order_for_256_h100():
    """Vitex: 256 single-port transceivers in the nodes, 128 twin-port ones at the leaves towards them."""
    found = planned("infiniband-ndr-400", 256)
    leaf_side, both_sides_of_spine = 128, 256
    assert found.optics == leaf_side + both_sides_of_spine + 256 // 2
    assert any(f"256 single ones, {leaf_side + both_sides_of_spine + 256} in all" in note for note in found.notes)


@pytest.mark.parametrize(
    ("fabric", "gpu", "share", "told"),
    [
        ("infiniband-ndr-400", "h100-sxm", 2, "2 adapters to a cage as in a DGX"),
        ("infiniband-ndr-400", "h100-pcie", 1, "not known"),
        ("roce-v2-400", "mi300x", 1, "not known"),
        ("infiniband-ndr-400", "gb200", 1, "not known"),
        ("infiniband-xdr-800", "b300", 1, "as this machine has it"),
    ],
)
def test_how_many_adapters_share_a_cage_is_the_machines_and_what_is_not_known_is_said(fabric, gpu, share, told):
    found = planned(fabric, 64, CATALOG.gpus[gpu])
    assert any(f"{found.nics // share} of the optics are in the nodes" in note and told in note for note in found.notes)


def test_the_twin_plane_design_needs_no_more_switches_than_the_published_one():
    found = planned("spectrum-x-800", 512, gpus_per_node=8, nics_per_node=8, planes=2, ports_per_nic=2)
    assert (found.planes, found.leaf, found.spine) == (2, 16, 8)


def test_rack_scale_machines_do_not_split_a_rack_between_leaves():
    found = planned("infiniband-ndr-400", 576, CATALOG.gpus["gb200"], 4, 4)
    assert (found.nodes, found.leaf, found.cables.node_leaf) == (144, 32, 576)


def test_switches_and_links_of_1024_gpus_cost_what_a_dated_sheet_says():
    """E. Cheah, August 2024: $4,247 per GPU without NICs, from switches at $36,000, the low price here."""
    found = planned("infiniband-ndr-400", 1024)
    switch, link = (next(item for item in found.prices if item.item.startswith(kind)) for kind in ("switch", "link"))
    assert (switch.usd_low * switch.count + link.usd * link.count) / 1024 == pytest.approx(4247, abs=1)
    assert without_nics(found) == pytest.approx(4247, rel=0.10)


@pytest.mark.parametrize(("endpoints", "usd"), [(2048, 4390), (65536, 7500)])
def test_two_and_three_tiers_cost_what_an_independent_estimate_says(endpoints, usd):
    """DeepSeek-V3 insights, table 3, by the Slim Fly cost method: within a tenth."""
    found = planned("infiniband-ndr-400", endpoints, gpus_per_node=1, nics_per_node=1)
    assert without_nics(found) == pytest.approx(usd, rel=0.10)


def test_the_catalogs_capital_cost_agrees_with_the_bill():
    stated = FABRICS["infiniband-ndr-400"].capex_per_gpu.value
    assert planned("infiniband-ndr-400", 1024).capex_usd.mid / 1024 == pytest.approx(stated, rel=0.10)


def test_the_total_is_the_sum_of_its_dated_items():
    for fabric in (
        "infiniband-ndr-400",
        "infiniband-xdr-800",
        "infiniband-hdr-200",
        "roce-v2-400",
        "spectrum-x-400",
        "ethernet-tcp-100",
    ):
        found = planned(fabric, 256, amortization_months=48)
        assert found.capex_usd.mid == pytest.approx(sum(item.usd * item.count for item in found.prices))
        assert 0 < found.capex_usd.low <= found.capex_usd.mid <= found.capex_usd.high
        assert found.usd_per_gpu_hour == pytest.approx(found.capex_usd.mid / (256 * 48 * 730))
        assert all(item.date and item.source for item in found.prices)


def test_a_price_nobody_published_says_what_it_was_derived_from():
    switch = planned("infiniband-xdr-800", 576, gpus_per_node=8).prices[0]
    assert "QM9700" in switch.derived and "by capacity" in switch.derived
    assert planned("infiniband-ndr-400", 576).prices[0].derived is None


def test_tcp_joins_one_nic_per_node_and_rdma_one_per_gpu():
    assert planned("ethernet-tcp-100", 64).nics == 8
    assert planned("roce-v2-400", 64).nics == 64
    assert planned("roce-v2-400", 64, nics_per_node=4).nics == 32


def test_breakout_doubles_the_radix():
    found = planned("roce-v2-400", 1024)
    assert found.tiers == 2 and found.leaf == 16
    assert any("radix 128" in note for note in found.notes)


@pytest.mark.parametrize(
    "fabric", ["aws-efa-v2", "aws-efa-v3", "gcp-tcpx", "gcp-tcpxo", "wan-low-communication", "none"]
)
def test_what_cannot_be_bought_costs_nothing_and_says_why(fabric):
    found = planned(fabric, 64)
    assert (found.switches, found.capex_usd.mid, found.usd_per_gpu_hour, found.prices) == (0, 0, 0, [])
    assert len(found.notes) == 1


def test_a_single_node_needs_no_network():
    found = planned("infiniband-ndr-400", 8)
    assert found.switches == 0 and "one node" in found.notes[0]


def test_every_fabric_of_the_catalog_has_a_design_at_every_size():
    for fabric in FABRICS:
        for gpus in (8, 16, 72, 1000, 20_000):
            found = planned(fabric, gpus)
            assert found.switches == found.leaf + found.spine + found.core


def test_a_network_beyond_three_tiers_becomes_planes_and_then_is_refused():
    found = planned("infiniband-ndr-400", 100_000)
    assert found.planes == 8 and "separate planes" in found.notes[0]
    with pytest.raises(InputError, match="gpus: expected at most 65,536 nodes"):
        planned("infiniband-ndr-400", 1_000_000)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"oversubscription": 0.5}, "oversubscription: expected a ratio from 1"),
        ({"planes": 3}, "planes: expected a divisor of the 8 NIC ports"),
        ({"nics_per_node": 0}, "nics_per_node: expected a whole number of at least 1, got 0"),
        ({"switch": "spectrum-4-sn5600"}, "switch: expected one of quantum-2-qm9700"),
        ({"amortization_months": 0}, "amortization_months: expected at least 1 month"),
        ({"topology": "ring"}, "topology: expected one of fat-tree, rail, rail-only, plane, got ring"),
        ({"topology": "rail-only", "planes": 2}, "planes: expected no number with rail-only"),
        ({"topology": "rail-only", "pair": True}, "pair: expected no pair with rail-only"),
        ({"topology": "plane", "planes": 1}, "planes: expected 2 or more that divide the 8 NICs of a node, got 1"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(options, sentence):
    with pytest.raises(InputError, match=sentence):
        planned("infiniband-ndr-400", 64, **options)


def test_oversubscription_and_single_switches_are_said():
    tapered = planned("infiniband-ndr-400", 1024, oversubscription=3)
    assert 1 < tapered.oversubscription <= 3
    assert tapered.capex_usd.mid < planned("infiniband-ndr-400", 1024).capex_usd.mid
    assert any("single point of failure" in note for note in planned("infiniband-ndr-400", 64).notes)
    pair = planned("infiniband-ndr-400", 64, pair=True)
    assert pair.leaf == 2 and any("join the switches of each pair" in note for note in pair.notes)
    assert "■═══■" in drawing_lines(pair)[1] and "■═■" not in "".join(drawing_lines(planned("infiniband-ndr-400", 512)))
    assert drawing_svg(pair).count('stroke="#D55E00"') == 2, "cables that are counted are drawn"


def test_a_wish_that_the_fabric_or_the_size_cannot_have_is_refused():
    with pytest.raises(InputError, match="switch: expected none: no switches are bought for AWS EFA"):
        planned("aws-efa-v2", 64, switch="spectrum-4-sn5600")
    with pytest.raises(InputError, match="pair: expected at most 8 nodes on a pair of switches, got 64"):
        planned("infiniband-ndr-400", 512, pair=True)


def test_rails_without_spines_save_what_their_paper_says():
    """Wang et al., arXiv 2307.12169: 38 to 77 % of the network's cost."""
    tree, rails = planned("infiniband-ndr-400", 512), planned("infiniband-ndr-400", 512, topology="rail-only")
    assert (tree.switches, rails.switches, rails.planes) == (24, 8, 8)
    assert 0.38 < 1 - without_nics(rails) / without_nics(tree) < 0.77


def test_planes_are_the_ports_of_a_nic_that_splits_and_else_the_nics_of_a_node():
    twin = planned("spectrum-x-800", 512, CATALOG.gpus["b300"], topology="plane")
    assert (twin.planes, twin.leaf, twin.spine, twin.cables.node_leaf) == (2, 16, 8, 1024)
    eight = planned("infiniband-ndr-400", 16_384, topology="plane")
    assert (eight.planes, eight.switches, eight.cables.leaf_spine) == (8, 768, 16_384)


def test_a_nic_that_splits_its_port_is_split_where_that_is_cheaper():
    """DGX B300 SuperPOD with Spectrum-X, 4,096 and 8,192 GPUs: two planes of G/64 leaves and G/128 spines each."""
    assert planned("spectrum-x-800", 512, CATALOG.gpus["b300"]).planes == 1
    for gpus in (4096, 8192):
        found = planned("spectrum-x-800", gpus, CATALOG.gpus["b300"])
        assert (found.tiers, found.planes, found.leaf, found.spine) == (2, 2, gpus // 32, gpus // 64)
        assert any("split over 2 planes" in note for note in found.notes)


def test_a_spine_more_is_taken_where_it_saves_dearer_links():
    found = planned("spectrum-x-400", 576)
    assert (found.leaf, found.spine, found.cables.leaf_spine) == (16, 6, 576), "5 spines would take 640 links"


def test_racks_of_which_any_nic_hangs_on_any_leaf_have_the_leaves_that_let_the_spines_come_out_even():
    found = planned("spectrum-x-400", 1152, CATALOG.gpus["gb200"], topology="fat-tree")
    assert (found.leaf, found.spine, found.cables.leaf_spine) == (20, 10, 1200), "18 leaves would take 16 spines"


def test_4608_gb300_take_100_switches_and_built_in_optics_save_305_kw():
    """Lambda, July 2026: 100 switches, 7.0 kW each with pluggable optics and 3.95 kW with optics inside."""
    plugged = planned("infiniband-xdr-800", 4608, CATALOG.gpus["gb300"])
    inside = planned("infiniband-xdr-800", 4608, CATALOG.gpus["gb300"], switch="quantum-x-photonics-q3450")
    assert plugged.switches == inside.switches == 100
    assert 100 * (plugged.switch.power_max_w - inside.switch.power_w) == pytest.approx(305_000)
    assert inside.optics < plugged.optics, "what is built in is not bought again"


def test_the_switch_is_the_one_with_which_the_network_costs_least():
    chosen = planned("roce-v2-400", 512)
    others = [planned("roce-v2-400", 512, switch=ident) for ident in ("spectrum-4-sn5600", "cisco-c9332d-h2r")]
    assert all(without_nics(chosen) < without_nics(other) for other in others)
    assert planned("roce-v2-400", 512, switch="cisco-c9364d-gx2a").switches == 24, "Cisco's design for 512 H200"


def test_sizes_that_fill_no_node_and_no_rack_are_counted_whole():
    odd = planned("infiniband-ndr-400", 100)
    assert (odd.nodes, odd.nics) == (13, 104) and any("4 of its 8 GPUs" in note for note in odd.notes)
    racks = planned("infiniband-ndr-400", 1000, CATALOG.gpus["gb200"])
    assert (racks.nodes, racks.leaf, racks.cables.node_leaf) == (250, 56, 1000)
    few = planned("infiniband-ndr-400", 100, CATALOG.gpus["gb200"])
    assert (few.tiers, few.switches, few.nics) == (1, 4, 100)


@pytest.mark.parametrize("options", [{}, {"topology": "rail-only"}, {"topology": "plane"}, {"topology": "fat-tree"}])
def test_a_network_is_drawn_with_the_numbers_of_its_bill(options):
    for fabric, gpus, gpu in (("infiniband-ndr-400", 4096, "h100-sxm"), ("infiniband-ndr-400", 4608, "gb200")):
        found = planned(fabric, gpus, CATALOG.gpus[gpu], **options)
        lines, picture = drawing_lines(found, 80), ElementTree.fromstring(drawing_svg(found))
        assert max(map(len, lines)) <= 80
        drawn = "\n".join(lines), " ".join(picture.itertext())
        for name in ("leaf", "spine", "core"):
            count = getattr(found, name)
            assert not count or (re.search(rf"{name} +{count:,} ", drawn[0]) and f"{count:,} {name}" in drawn[1])
        assert f"{found.cables.node_leaf:,} cables to {found.leaf:,} leaf" in drawn[1]


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html"])
def test_every_format_marks_the_prices_that_nobody_published(form):
    found = written(planned("infiniband-xdr-800", 576, gpus_per_node=8), form)
    assert "no price seen; QM9700" in found and ("(derived)" in found or form == "json")
    assert "(derived)" not in written(planned("infiniband-ndr-400", 576), form)
    assert ("<svg" in found) == (form == "html")


@pytest.mark.parametrize(("gpu", "card"), [("gb200", "ConnectX-7"), ("gb300", "ConnectX-8"), ("b300", "ConnectX-8")])
def test_adapters_on_the_board_are_those_that_are_counted(gpu, card):
    found = planned("spectrum-x-400", 144, CATALOG.gpus[gpu])
    assert any(item.item.startswith(f"NIC {card}") for item in found.prices)


# By hand. A link has a transceiver's share at both ends: 64 × 800G cages carry 4 links of 100 or 200, 2 of 400, one of
# 800 Gb/s; a QM9700 has 2 links of 400, a Q3400 2 of 800 to a cage, a QM8700 one of 200. In a node two adapters of 400
# Gb/s share a cage, as in a DGX; all others have one each. Two tiers have three ends in switches for each adapter's.
BY_HAND = {
    "roce-v2-100": {64: 64 + 64, 128: 32 + 128, 512: 3 * 128 + 512},  # 64: one switch of 64 × 100 Gb/s
    "roce-v2-200": {64: 16 + 64, 128: 32 + 128, 512: 3 * 128 + 512},
    "roce-v2-400": {64: 32 + 32, 128: 64 + 64, 512: 3 * 256 + 256},
    "roce-v2-800": {64: 64 + 64, 128: 2 * 64 + 128, 512: 3 * 512 + 512},  # 128: two planes of 2 × 400
    "infiniband-hdr-200": {64: 3 * 64 + 64, 128: 3 * 128 + 128, 512: 3 * 512 + 512},
    "infiniband-ndr-400": {64: 32 + 32, 128: 3 * 64 + 64, 512: 3 * 256 + 256},
    "infiniband-xdr-800": {64: 32 + 64, 128: 64 + 128, 512: 3 * 256 + 512},
}


@pytest.mark.parametrize("fabric", BY_HAND)
def test_transceivers_are_counted_by_the_links_of_a_cage_at_every_speed(fabric):
    found = {gpus: planned(fabric, gpus) for gpus in BY_HAND[fabric]}
    assert {gpus: one.optics for gpus, one in found.items()} == BY_HAND[fabric]
    assert {one.nics for one in found.values()} == {64, 128, 512}


@pytest.mark.parametrize(("gpus", "said"), [(512, "8 switches, one per rail"), (256, "4 switches, each for 2 rails")])
def test_what_would_do_without_spines_says_how_many_rails_a_switch_joins_and_is_drawn_so(gpus, said):
    """ "4 switches, one per rail" was said of nodes with 8 rails."""
    assert any(note.startswith(f"{said} and without spines") for note in planned("infiniband-ndr-400", gpus).notes)
    assert planned("infiniband-ndr-400", gpus, topology="rail-only").switches == int(said[0])


@pytest.mark.parametrize(("gbps", "ports"), [(1, 1), (2.5, 10), (5, 10), (10, 100), (40, 100), (50, 100), (60, 100)])
def test_slow_ethernet_of_a_few_machines_takes_a_switch_of_its_rate(gbps, ports):
    """At 40 Gb/s four machines were charged $129,000 for a router of 400, at 2.5 and 5 Gb/s no switch was found."""
    built = planned(f"ethernet-tcp-{gbps:g}", 32)
    assert built.switches == 1 and built.capex_usd.high < 20_000
    assert built.switch and CATALOG.devices[built.switch.id].port_rate.value == ports


@pytest.mark.parametrize(("gbps", "optics"), [(1, 0), (2.5, 0), (10, 0), (25, 4 + 1), (40, 4 + 4)])
def test_links_that_are_copper_are_not_counted_as_optics(gbps, optics):
    built = planned(f"ethernet-tcp-{gbps:g}", 32)
    assert built.optics == optics
    assert any("copper" in note for note in built.notes)
    assert not any("with optics" in item.item for item in built.prices if not optics)
