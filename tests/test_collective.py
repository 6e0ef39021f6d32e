"""``weft collective``: how long one collective or transfer takes, alone or line by line of a batch."""

from __future__ import annotations

import json

import numpy as np
import pytest

from assistant import library
from assistant.model.cache_transfer import transfer_constants
from assistant.planning.collective import answers, query_of, timed
from assistant.validation.kv_transfers import fit, read_transfers
from assistant.vocabulary.errors import InputError, Place
from tests.program import weft

CATALOG = library.load().catalog
GIB = 2**30


def asked(kind: str, gpus: int = 64, gpu: str = "h100-sxm", fabric: str | None = "infiniband-ndr-400", **more):
    cluster = {"gpu": gpu, "gpus": gpus, "fabric": fabric, **more.pop("cluster", {})}
    return timed(query_of({"kind": kind, "cluster": cluster, **more}), CATALOG)


@pytest.mark.parametrize(
    ("kind", "factor"),
    [("all_reduce", 2 * 63 / 64), ("all_gather", 63 / 64), ("all_to_all", 63 / 64), ("send_recv", 1)],
)
def test_bandwidths_are_those_that_nccl_tests_prints(kind, factor):
    found = asked(kind, bytes="1GiB")
    assert found.algbw_gb_per_s == pytest.approx(GIB / found.time_s / 1e9)
    assert found.busbw_gb_per_s == pytest.approx(found.algbw_gb_per_s * factor)
    assert found.time_p10_s < found.time_s < found.time_p90_s


@pytest.mark.parametrize(("gpus", "gpus_per_node", "measured"), [(40, 4, 26.25), (80, 8, 15.23)])
def test_a_peer_in_a_large_communicator_gets_one_channel(gpus, gpus_per_node, measured):
    """sendrecv_perf on ten nodes (xxrjun/nccl-tests-cluster, 1 GiB), which nothing was fitted to."""
    found = asked("send_recv", gpus, bytes="1GiB", cluster={"gpus_per_node": gpus_per_node})
    assert found.busbw_gb_per_s == pytest.approx(measured, rel=0.2)


def test_the_algorithm_is_named():
    assert asked("all_reduce", bytes="1GiB", cluster={"in_network_reduction": True}).algorithm == "SHARP"
    assert asked("all_reduce", 8, fabric=None, bytes="1GiB").algorithm == "NVLS"
    assert asked("all_gather", bytes="1GiB").algorithm == "ring"


def test_without_a_fabric_the_fastest_that_anyone_can_buy_is_taken_and_said():
    found = asked("all_reduce", fabric=None, bytes="1GiB")
    assert found.fabric == "infiniband-ndr-400" and "no fabric was named" in found.assumptions[0]


def test_a_cache_moves_between_two_nodes_about_as_fast_as_was_measured():
    """Mooncake on a pair of p5en nodes, blocks of 1 MiB: 353 to 366 GB/s of writes (kv0020, kv0048, kv0054)."""
    found = asked("kv_transfer", 16, "h200-sxm", "aws-efa-v3", bytes="100GB")
    assert found.algbw_gb_per_s == pytest.approx(360, rel=0.1)


def test_dispatch_sends_a_token_once_to_every_node():
    """DeepEP's table: 64 H800, 4,096 tokens of 7,168 in FP8 to 8 experts on 4 nodes: 2.14 ms, 51 GB/s by its count of
    places."""
    experts = {"tokens_per_rank": 4096, "hidden": 7168, "topk": 8, "dtype": "fp8", "nodes_per_token": 4}
    found = asked("dispatch", gpu="h800", **experts)
    assert found.busbw_gb_per_s == pytest.approx(51, rel=0.1) and found.time_s == pytest.approx(2.137e-3, rel=0.1)
    assert asked("dispatch", gpu="h800", **{**experts, "nodes_per_token": None}).time_s > found.time_s
    assert asked("combine", gpu="h800", **{**experts, "dtype": "bf16"}).time_s > found.time_s


def test_weights_travel_by_a_method():
    slow = asked("weight_sync", bytes="140GB", method="disk")
    assert slow.time_s > asked("weight_sync", bytes="140GB", method="checkpoint-engine").time_s
    assert slow.algorithm == "disk"


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"kind": "all_reduce", "cluster": {"gpu": "h100-sxm", "gpus": 8}}, "bytes: is needed for all_reduce"),
        ({"kind": "dispatch", "cluster": {"gpu": "h100-sxm", "gpus": 8}}, "tokens_per_rank: is needed for dispatch"),
        (
            {"kind": "all_reduce", "bytes": "1Gx", "cluster": {"gpu": "h100-sxm", "gpus": 8}},
            "bytes: expected bytes such",
        ),
        (
            {"kind": "all_reduce", "bytes": 8, "cluster": {"gpu": "h100-sxm", "gpus": 1}},
            "cluster.gpus: expected at least",
        ),
        ({"kind": "all_reduce", "bytes": 8, "cluster": {"gpu": "h100-sxm", "gpus": 12}}, "expected whole nodes of 8"),
        (
            {"kind": "all_reduce", "bytes": 8, "cluster": {"gpu": "h100-sxm", "gpus": 16, "fabric": "none"}},
            "cluster.fabric: expected a fabric between them, got none",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(query, sentence):
    with pytest.raises(InputError, match=sentence):
        timed(query_of(query), CATALOG)


def test_a_bad_line_of_a_batch_does_not_stop_the_others(tmp_path):
    good = {"id": "a", "kind": "all_reduce", "bytes": GIB, "cluster": {"gpu": "h100-sxm", "gpus": 8}}
    bad = {**good, "id": "b", "kind": "allreduce"}
    found = list(
        answers(iter([(Place(line=n), one) for n, one in enumerate((good, bad, {**good, "id": "c"}), 1)]), CATALOG)
    )
    assert [one["id"] for one in found] == ["a", "b", "c"]
    assert found[1]["error"]["field"] == "kind" and "line 2" in found[1]["error"]["message"]
    file = tmp_path / "batch.jsonl"
    file.write_text(json.dumps(good) + "\nno JSON\n", encoding="utf-8")
    seen = weft("collective", "--batch", str(file), "--format", "jsonl")
    lines = [json.loads(line) for line in seen.out.splitlines()]
    assert seen.code == 2 and lines[0]["busbw_gb_per_s"] > 300 and "not valid JSON" in lines[1]["error"]["message"]


def test_the_command_says_time_band_and_bandwidth():
    seen = weft("collective", "all_reduce", "--size", "1GiB", "--gpu", "h100-sxm", "--gpus", "8")
    assert seen.code == 0 and "bus bandwidth" in seen.out and "in eight of ten cases" in seen.out


def test_caches_that_nothing_was_fitted_to_move_in_the_time_that_was_measured():
    """Another adapter generation, every second prompt of vLLM with Mooncake, and another library on MI300X."""
    transfers = read_transfers(library.load().knowledge_folder / "measurements", CATALOG)
    errors = [one.predicted() / one.seconds - 1.0 for one in transfers if one.use == "validation"]
    assert len(errors) == 15 and np.abs(errors).mean() < 0.1
    shipped, found = transfer_constants(CATALOG.constants), fit(transfers)
    assert [shipped.paged, shipped.blocks, shipped.start] == pytest.approx(
        [found.paged, found.blocks, found.start], rel=0.01
    )
