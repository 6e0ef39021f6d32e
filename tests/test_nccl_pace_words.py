"""Which values by rank tell of the pace of a job: by whole words, by units that are alike, by how work is shared."""

from __future__ import annotations

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text

CATALOG = library.load().catalog
STEPS = "".join(
    f" iteration {n:8d}/ 5000 | elapsed time per iteration (ms): 2110.{n} | lm loss: 2.{n} |\n" for n in range(10, 40)
)


def alarms(text: str) -> list[str]:
    return [each.code for each in diagnose_text(text, CATALOG).findings if each.severity != "info"]


def column(label: str, slow: float = 410.0, ranks: int = 16, behind: range = range(5, 6), above: str = "") -> str:
    rows = "".join(f"{n:5d}  {slow if n in behind else 203.0:.1f}\n" for n in range(ranks))
    return f"{above}rank   {label}\n{rows}"


@pytest.mark.parametrize(
    "said",
    [
        "slowest rank 3: 1.02 s, median 998 ms",
        "slowest rank 12: 1815 ms (mean power 650 W)",
        "slowest rank 3: 2.1 s, avg loss 1.1",
        "slowest rank 3: 2110 ms at step 41, average over 50 steps 2100 ms",
        "slowest rank 3: 2.1 s (average of 1.1 tokens dropped)",
        "slowest rank 3: 2110 ms, fastest rank 7: 2.05 s",
    ],
)
def test_a_slowest_rank_is_not_compared_with_what_is_another_thing_or_of_another_unit(said: str) -> None:
    assert alarms("FSDP full shard\n" + STEPS + f"{said}\n" * 5) == []


@pytest.mark.parametrize(
    "said",
    [
        "slowest rank 3: 2.02 s, median 998 ms",
        "slowest rank 12: 1815 ms (mean power 650 W), median step time 810 ms",
        "slowest rank 3: 4110 ms at step 41, average over 50 steps 2100 ms",
        "slowest rank 3 took 4110 ms, mean of all ranks: 2.1 s",
        "slowest rank 3: 4.1 s, fastest rank 7: 2050 ms",
    ],
)
def test_a_slowest_rank_is_told_whatever_unit_the_others_have(said: str) -> None:
    assert alarms("FSDP full shard\n" + STEPS + f"{said}\n" * 5) == ["slow-rank"]


@pytest.mark.parametrize("behind", [range(56, 64), range(8), range(16, 24)])
def test_ranks_of_exactly_one_host_that_are_behind_are_an_alarm_where_no_line_tells_of_stages(behind: range) -> None:
    slow = column("step_ms", ranks=64, behind=behind)
    assert set(alarms(STEPS + slow)) == {"slow-rank"}
    assert alarms("--pipeline-model-parallel-size 8\n" + STEPS + slow) == []


@pytest.mark.parametrize("way", ["FSDP full shard", "wrapped in DistributedDataParallel", "ZeRO-3", "zero_stage: 3"])
def test_ranks_that_share_the_work_evenly_have_no_stages(way: str) -> None:
    slow = column("step_ms", ranks=64, behind=range(60, 64))
    assert set(alarms(f"{way}\n{STEPS}{slow}")) == {"slow-rank"}
    assert alarms(STEPS + slow) == []
    assert alarms(f"{way}\nTP=2 PP=16\n{STEPS}{slow}") == []
    assert alarms(f"fsdp: false, ddp_bucket_size .... None\n{STEPS}{slow}") == []


@pytest.mark.parametrize(
    "said",
    [
        "--pp-size 4",
        '{"pp_size": 4, "tp_size": 2}',
        "torchrun pretrain_gpt.py " + "--an-option-of-many 1 " * 30 + "--pipeline-model-parallel-size 4 --bf16",
    ],
    ids=["an option", "a record", "a long command"],
)
def test_the_stages_of_a_pipeline_are_read_where_they_are_said(said: str) -> None:
    last = column("step_ms", ranks=16, behind=range(12, 16)) + "slowest rank 15 of 16: 3.1 s, median 2.0 s\n" * 4
    assert alarms(f"{said}\n{STEPS}{last}") == []
    assert set(alarms(said.replace("4", "1") + f"\n{STEPS}{last}")) == {"slow-rank"}


@pytest.mark.parametrize(
    "label",
    ["attention_heads", "compute_capability", "kernel_launches", "train_files", "optical_rx", "pause_frames/s",
     "items/s", "sync_files", "step", "agents", "kernel_version"],
)  # fmt: skip
def test_a_column_whose_name_begins_like_one_of_a_pace_is_none(label: str) -> None:
    slow = 90.0 if "/s" in label else 410.0
    assert alarms(STEPS + column(label, slow)) == []


@pytest.mark.parametrize(
    "label",
    ["logits_ms", "data_parallel_allreduce_ms", "readytime_ms", "attention_ms", "compute (ms)", "step time", "fwd (ms)",
     "iteration_time_s", "optimizer_ms"],
)  # fmt: skip
def test_a_column_of_a_pace_is_one_whatever_else_begins_like_it(label: str) -> None:
    slow = 60.0 if "allreduce" in label else 410.0
    assert set(alarms(STEPS + column(label, slow))) == {"slow-rank"}


def test_a_plain_word_names_a_pace_below_a_headline_of_steps_alone() -> None:
    assert set(alarms(STEPS + column("mean (ms)", above="step 400, times by rank:\n"))) == {"slow-rank"}
    assert alarms(STEPS + column("mean (ms)", above="checkpoint of step 400, times by rank:\n")) == []
