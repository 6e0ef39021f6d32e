"""One rank that is slower than the others, as trainers, profilers and detectors print it by rank, and ranks that differ
in what is no time, or by design."""

from __future__ import annotations

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text
from tests.nccl_logs import H100_NAME, table

CATALOG = library.load().catalog
STEPS = "".join(
    f" iteration {n:8d}/ 5000 | elapsed time per iteration (ms): 2110.{n} | lm loss: 2.{n} |\n" for n in range(10, 40)
)


def alarms(text: str) -> list[tuple[str, str]]:
    found = diagnose_text(text, CATALOG).findings
    return [(each.code, each.message) for each in found if each.severity != "info"]


def megatron(slowest: float, rank: int) -> str:
    """A line of Megatron-LM's straggler detector (``--log-straggler``)."""
    least = 388.2 * 132.4 / slowest
    return (
        f"MnRtt/Rnk: 132.40ms/11 | MxRtt/Rnk: {slowest:.2f}ms/{rank} | MnPwr/Rnk: 512.30W/5 | MxPwr/Rnk: 690.10W/2 | "
        f"MnTmp/Rnk: 44.00C/5 | MxTmp/Rnk: 61.00C/3 | MnClk/Rnk: 1410.00MHz/5 | MxClk/Rnk: 1980.00MHz/0 | "
        f"MnEtpt/Rnk: {least:.2f}TF/{rank} | MxEtpt/Rnk: 388.20TF/11\n"
    )


def aligned(slow: float, rank: int, ranks: int = 16) -> str:
    rows = (f"{n:5d}  {101 * f:8.1f}  {203 * f:8.1f}" for n in range(ranks) for f in (slow if n == rank else 1.0,))
    return "\n".join(("rank   fwd (ms)   bwd (ms)", *rows)) + "\n"


def piped(slow: float, rank: int) -> str:
    rows = (
        f"| {n:4d} | {305 * f:8.1f} | {330 - 305 * (f - 1):8.1f} |"
        for n in range(8)
        for f in (slow if n == rank else 1.0,)
    )
    return (
        "\n".join(("| Rank | Compute (ms) | Comm wait (ms) |", "|------|--------------|----------------|", *rows))
        + "\n"
    )


def comma(slow: float, rank: int) -> str:
    rows = (f"{n},node{n // 8},{203 * (slow if n == rank else 1):.1f}" for n in range(16))
    return "\n".join(("rank,hostname,compute_ms", *rows)) + "\n"


def listed(slow: float, rank: int) -> str:
    rows = (f"     rank {n:2d}: {4201.5 * (slow if n == rank else 1):.2f}" for n in range(16))
    return "\n".join(("times across ranks (ms):", "  forward-backward:", *rows)) + "\n"


def scored(slow: float, rank: int) -> str:
    rows = (f" Rank={n} Node=node{n // 8:02d} Score={(1 / slow if n == rank else 0.97):.2f}" for n in range(16))
    return "\n".join(("GPU relative performance:", *rows)) + "\n"


def in_a_line(slow: float, rank: int) -> str:
    return (
        "step 120 per-rank step time (s): ["
        + ", ".join(f"{1.01 * (slow if n == rank else 1):.2f}" for n in range(8))
        + "]\n"
    )


def profiled(slow: float, rank: int) -> str:
    times = [610.0 * (slow if n == rank else 1) for n in range(8)]
    return "".join(
        f"--- rank {n} ---\nName                 Self CUDA   CUDA total   # of Calls\n"
        f"aten::mm             {took:.3f}ms    {took:.3f}ms     1200\n"
        for n, took in enumerate(times)
    )


def recorded(slow: float, rank: int) -> str:
    return "".join(f"rank={n} fwd_bwd={855.1 * (slow if n == rank else 1):.1f}ms opt=44.0ms\n" for n in range(16))


def with_an_arrow(slow: float, rank: int) -> str:
    rows = (f"[timing]   rank {n:02d} -> {855.1 * (slow if n == rank else 1):.1f} ms" for n in range(8))
    return "\n".join(("[timing] per-rank iteration time", *rows)) + "\n"


@pytest.mark.parametrize(
    "printed",
    [aligned, piped, comma, listed, scored, in_a_line, profiled, recorded, with_an_arrow],
    ids=lambda f: f.__name__,
)
def test_a_rank_that_takes_twice_as_long_is_named_and_one_that_takes_a_little_longer_is_not(printed):
    ((code, message), *_) = alarms(STEPS + printed(2.0, 5))
    assert code == "slow-rank" and message.startswith("rank 5:")
    assert alarms(STEPS + printed(1.05, 5)) == []


@pytest.mark.parametrize(
    "printed",
    [
        "".join(f"[rank {n}] step {s} took {4.2 if n == 5 else 2.1} s\n" for s in range(4) for n in range(8)),
        "step times, per rank:\nrank  mean (ms)\n" + "".join(f"{n}  {420 if n == 5 else 210}.3\n" for n in range(8)),
        "rank  tokens/s\n" + "".join(f"{n}  {1050 if n == 5 else 2100}.3\n" for n in range(8)),
        "rank  allreduce_wait_ms\n" + "".join(f"{n}  {10 if n == 5 else 210}.3\n" for n in range(8)),
        "".join(f"rank {n}: mfu: {0.2 if n == 5 else 0.41}\n" for n in range(8)),
    ],
    ids=["sentences", "a column below a headline", "tokens a second", "waits", "mfu"],
)
def test_times_of_steps_waits_and_rates_name_a_slow_rank(printed):
    ((code, message), *_) = alarms(STEPS + printed)
    assert code == "slow-rank" and message.startswith("rank 5:") and "/s of mfu" not in message


def test_a_host_that_a_table_shows_to_take_twice_as_long_is_named():
    rows = (f"gpu-{n:02d}    {1630 if n == 4 else 815}.{n}" for n in range(8))
    ((code, message), *_) = alarms(STEPS + "\n".join(("host      step_ms", *rows)) + "\n")
    assert code == "slow-host" and "gpu-04" in message


ONE_STAGE = "  pipeline_model_parallel_size .................... 1\n"
FOUR_STAGES = "  pipeline_model_parallel_size .................... 4\n"


def test_megatrons_detector_names_the_slowest_rank_where_ranks_do_equal_work():
    ((code, message), *_) = alarms(ONE_STAGE + STEPS + megatron(268.9, 5))
    assert code == "slow-rank" and message.startswith("rank 5:")
    assert alarms(ONE_STAGE + STEPS + megatron(138.9, 5)) == []


@pytest.mark.parametrize("stages", ["", FOUR_STAGES], ids=["not told", "four stages"])
def test_the_slowest_rank_of_megatrons_detector_is_a_note_where_stages_may_differ(stages):
    found = diagnose_text(stages + STEPS + megatron(268.9, 5) * 4, CATALOG).findings
    assert {each.severity for each in found} == {"info"}
    assert any(each.code == "slow-rank-of-a-stage" and "rank 5" in each.message for each in found)


def test_a_rank_that_was_like_the_others_and_is_not_any_more_is_named_whatever_the_stages():
    later = STEPS + megatron(138.9, 11) * 4 + megatron(268.9, 5) * 4
    ((code, message),) = alarms(FOUR_STAGES + later)
    assert code == "slow-rank" and message.startswith("rank 5:")
    assert alarms(FOUR_STAGES + STEPS + megatron(138.9, 11) * 4 + megatron(268.9, 5)) == []  # once is chance


def test_ranks_of_a_last_stage_that_take_longer_by_design_are_no_alarm():
    rows = "".join(f"{n:5d}  {310 if n >= 12 else 203}.4\n" for n in range(16))
    assert alarms("TP=2 PP=4 DP=2\n" + STEPS + "rank   step_ms\n" + rows) == []
    assert alarms(STEPS + "rank   step_ms\n" + rows) == []


def test_one_rank_of_a_stage_that_is_behind_the_others_of_it_is_named():
    rows = "".join(f"{n:5d}  {410 if n == 13 else 203}.4\n" for n in range(16))
    ((code, message),) = alarms("TP=2 PP=4 DP=2\n" + STEPS + "rank   step_ms\n" + rows)
    assert code == "slow-rank" and message.startswith("rank 13:")


@pytest.mark.parametrize(
    "printed",
    [
        "rank  mem_gb  step_ms\n" + "".join(f"{n}  {70 if n == 0 else 31}.5  802.{n}\n" for n in range(8)),
        "rank  tokens_routed  expert_load\n" + "".join(f"{n}  8192  {3 if n == 2 else 1}.0\n" for n in range(8)),
        "".join(f"[rank {n}] init_process_group took {31 if n == 0 else 4}.1 s\n" for n in range(8)),
        "".join(
            f"[rank {n}] step {s} fwd 101 ms bwd 203 ms log {12 if n == 0 else 1} ms\n"
            for s in range(5)
            for n in range(8)
        ),
        "host  image_pull_s  init_s\n" + "".join(f"gpu-{n:02d}  {181 if n == 2 else 31}  12\n" for n in range(6)),
        "[ckpt] slowest rank 0 took 31.2 s, median 12.1 s (rank 0 writes metadata)\n",
        "rank to host map:\n" + "".join(f"rank {n}: {9 * n}\n" for n in range(8)),
        "rank  cpu_cores\n" + "".join(f"{n}  {8 if n == 3 else 16}\n" for n in range(8)),
        "rank  dropped_pkts\n" + "".join(f"{n}  {912 if n == 3 else 40}\n" for n in range(8)),
        "cores bound by rank:\n" + "".join(f"rank {n}: {48 if n == 3 else 16}\n" for n in range(8)),
        "".join(f"[rank {n}] eval score: {0.5 if n == 3 else 0.91}\n" for _ in range(4) for n in range(8)),
        "".join(f"rank={n} score={0.5 if n == 3 else 0.91}\n" for n in range(8)),
        "rank  shard_tokens\n" + "".join(f"{n}  {90112 if n == 3 else 45056}\n" for n in range(8)),
        "".join(f"rank {n} dropped 912/s\n" if n == 3 else f"rank {n} dropped 40/s\n" for n in range(8)) * 4,
        "rank  dropped/s\n" + "".join(f"{n}  {9 if n == 3 else 40}\n" for n in range(8)),
        "listening, by rank:\n" + "".join(f"rank {n}: {40003 if n == 3 else 20000 + n}\n" for n in range(8)),
        "".join(f"[rank {n}] step 9 validation took {31 if n == 3 else 12}.2 s\n" for _ in range(4) for n in range(8)),
        "rank  time_s\n" + "".join(f"{n}  {90 if n == 3 else 31}.1\n" for n in range(8)),
        "".join(
            f"[rank {n}] step {s} dataloader wait {3 if n == 3 else 300} ms\n" for s in range(5) for n in range(8)
        ),
        "times across ranks (ms):\n  optimizer:\n"
        + "".join(f"     rank {n:2d}: {12.6 if n == 0 else 4.2}\n" for n in range(16))
        + "  forward-backward:\n"
        + "".join(f"     rank {n:2d}: 4201.50\n" for n in range(16)),
        "rank  tokenize_time_s\n" + "".join(f"{n}  {31 if n == 3 else 12}.2\n" for n in range(8)),
    ],
    ids=["memory", "load of experts", "start", "a small part of the step", "images of hosts", "a checkpoint", "a map",
         "cores", "packets", "cores in a list", "scores of an evaluation", "scores in records", "tokens of a shard",
         "packets in sentences", "packets a second", "ports", "validation", "time of nothing that is named",
         "waits for data", "a small part in a list", "text made to tokens"],
)  # fmt: skip
def test_ranks_that_differ_in_what_holds_nobody_up_are_no_alarm(printed):
    assert alarms(STEPS + printed) == []


@pytest.mark.parametrize(
    ("said", "peak", "alarm"),
    [
        ("nodes have a single ConnectX-5 100GbE", 10.9, False),
        ("nodes have a single ConnectX-5 100GbE", 2.9, True),
        ("hardware: 2 hosts, 8x H100 SXM, one 200 GbE ConnectX-7 per host", 21.5, False),
        ("each server has 1x HDR100 InfiniBand HCA (100 Gb/s)", 10.8, False),
        ("HGX nodes with 8x NDR 400 Gb/s per node, plus one 100GbE NIC for storage", 11.0, True),
        ("nodes with one 400G NIC per GPU", 42.0, True),
        ("nodes: management 2x 25GbE, compute 8x 400G", 42.0, True),
        ("nodes: management 2x 25GbE, compute 8x 400G", 370.0, False),
        ("nodes: compute 1x 200G HDR, management 2x 25GbE", 21.5, False),
        ("node inventory: 2x 25GbE, compute fabric one 100GbE", 10.9, False),
        ("each node has 2x 25GbE for management and storage", 6.0, True),
        ("each node has one 100GbE", 42.0, True),
        ("compute nodes: 2x 25GbE, 8x NDR 400 Gb/s InfiniBand", 5.0, True),
        ("compute nodes: 2x 25GbE, 8x NDR 400 Gb/s InfiniBand", 370.0, False),
        ("GPU compute node: 1x 100GbE, 8x 400G", 10.0, True),
        ("GPU compute node: 1x 100GbE, 8x 400G", 370.0, False),
        ("nodes: 8x 100GbE, RDMA 1x 100G", 10.9, False),
        ("mlx5_3 on node-2 came up at 100 Gb/s instead of 400, one of eight, others fine on all nodes", 45.0, True),
    ],
)
def test_the_adapters_that_somebodys_words_give_a_node_are_what_is_expected_of_it(said, peak, alarm):
    assert bool(alarms(f"{said}\n" + table(peak, hosts=4, device=H100_NAME))) is alarm


@pytest.mark.parametrize(
    "line",
    [
        "slowest rank 12 (gpu-04) 815 ms, median 810 ms",
        "slowest rank 7 of 64: 2.1 s, median 2.0 s",
        "weight-hash iteration 900: 3/8 ranks reported, waiting for rank 4",
        "hash check 7/8 ranks done, next rank 7",
        "weight hash: 3/8 ranks reported (rank 0, rank 1, rank 2)",
        "hash check: got 3/8 replicas so far, rank 3 pending",
        "parameter checksum in sync: 7/8 ranks collected, rank 7 outstanding",
        "stalled reads recovered after 1200 s",
        "Job has been pending for 3 h (Priority)",
        "epoch 2: sampler starting from batch 0\nstep 5 loss 2.1",
    ],
)
def test_what_a_monitor_says_of_a_job_that_is_well_is_no_alarm(line: str) -> None:
    assert not alarms(STEPS + (line + "\n") * 5 + STEPS)


@pytest.mark.parametrize(
    "line",
    [
        "[rank3] passed the barrier after 2060 s",
        "[rank3] done waiting for rank 0",
        "barrier: all ranks arrived, released after 2060 s",
        "rank 3 waited 2060 s for rank 0 in barrier, going on",
    ],
)
def test_a_wait_that_was_over_is_not_the_end_of_the_job(line: str) -> None:
    waits = "".join(f"[rank3] still waiting for rank 0 in barrier ({n} s)\n" for n in (1210, 2000))
    assert "no-progress" not in dict(alarms(STEPS + waits + line + "\n"))
    assert "no-progress" in dict(alarms(STEPS + line + "\n" + waits))
    assert "no-progress" in dict(alarms(STEPS + "[rank3] has waited 2000 s for rank 0 in barrier\n"))


def test_the_slowest_rank_is_the_number_behind_the_word_rank() -> None:
    for said in ("slowest rank 12 (gpu-04) 1815 ms, median 810 ms\n", "slowest rank 12 of 64: 1815 ms, mean 810 ms\n"):
        [(code, message)] = alarms(STEPS + said * 4)
        assert code == "slow-rank" and message.startswith("rank 12: 1815 ")
    fastest = "fastest rank 3 (gpu-01) 810 ms, slowest rank 12 (gpu-04) 1815 ms\n" * 4
    assert alarms(STEPS + fastest) == []
    assert [code for code, _ in alarms(ONE_STAGE + STEPS + fastest)] == ["slow-rank"]


def test_a_slowest_rank_among_many_is_told_with_its_own_time() -> None:
    [(code, said)] = alarms("slowest rank 7 of 64: 4.1 s, median 2.0 s\n" * 5)
    assert code == "slow-rank" and "rank 7: 4.1" in said


def test_of_several_slow_ranks_all_are_told_and_those_of_one_host_together() -> None:
    def table_of(*slow: int) -> str:
        return "rank  step_time_ms\n" + "".join(f"{n}  {900 if n in slow else 500}\n" for n in range(32))

    [(code, said)] = alarms(table_of(3, 9))
    assert code == "slow-rank" and said.startswith("ranks 3, 9: 900 ms of step_time_ms")
    [(_, said)] = alarms(table_of(*range(8, 16)))
    assert said.startswith("ranks 8-15, all those of one host:")


@pytest.mark.parametrize("before", ["loss 2.3 |", "lr 1e-4 |", "[rank 0][gpu 0] step 1 time 0.71s;", "tok/s 21000"])
def test_a_slowest_rank_is_told_whatever_figures_stand_before_it_in_the_line(before: str) -> None:
    [(code, said)] = alarms(f"step 3 {before} slowest rank 17 712ms | median 402ms\n" * 5)
    assert code == "slow-rank" and said.startswith("rank 17: 712 ")
    assert not alarms("step 3: checkpoint of 12 GB saved, slowest rank 17 712ms | median 402ms\n" * 5)


def test_the_rank_whose_weights_differ_is_told_and_not_the_one_that_it_is_compared_with() -> None:
    [(code, said)] = alarms("[rank 17] parameter checksum mismatch vs rank 0: 0x81aa != 0x3fa9\n")
    assert code == "replicas-diverged" and "(rank 17)" in said
