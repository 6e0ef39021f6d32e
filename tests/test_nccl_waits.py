"""Ranks that wait for others and never get on, and waits that a later line says to be over: by whom, and of whom."""

from __future__ import annotations

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text

CATALOG = library.load().catalog
STEPS = "".join(
    f" iteration {n:8d}/ 5000 | elapsed time per iteration (ms): 2110.{n} | lm loss: 2.{n} |\n" for n in range(10, 40)
)
WAIT = "".join(f"[rank3] still waiting for rank 0 in barrier ({n} s)\n" for n in (1210, 2000))


def stalled(text: str) -> bool:
    found = diagnose_text(text, CATALOG).findings
    return "no-progress" in {each.code for each in found if each.severity == "error"}


@pytest.mark.parametrize(
    "line",
    [
        "hang_monitor: no progress for over 30 min",
        "[rank7] stuck for over 2000 s",
        "waiting for rank 3 over NCCL, 1800 s",
        "stalled for 1900 s: lock was not released by rank 3",
        "waiting for rank 3, whose process ended, 1800 s",
        "no step for 2400 s (time-out 3600 s)",
        "rank 2 stalled: 2400 s passed since the last step",
        "all ranks waiting for rank 3, 1900 s, continuing to wait",
        "stalled for 2000 s: send queue of mlx5_0 is full",
        "stuck in all_reduce, not recovered after 1900 s",
        "[rank3] waiting until the barrier is released by rank 0, 1900 s",
        "heartbeat lost: rank 5 silent since 1900s",
        "last heartbeat of rank 12 1812 s ago",
        "monitor: last step 11 was 00:45:12 ago",
        "training appears hung (no log output in 45m)",
        "rank 5: still in all_reduce after 1900.2 s (others: done)",
        "step 12 not reached after 2700 seconds",
        "still at step 7 after 30 minutes",
        "[rank 5] blocked in ncclAllReduce for 1800s",
    ],
)
def test_a_job_that_stands_still_is_told_whatever_else_its_line_says(line: str) -> None:
    assert stalled(STEPS + line + "\n")
    assert not stalled(STEPS + line + "\n" + STEPS), "it went on"


@pytest.mark.parametrize(
    "line",
    [
        "stalled reads recovered after 1200 s",
        "hang of rank 3 resolved after 40 min",
        "barrier: all ranks arrived, released after 2060 s",
        "rank 3 was stuck for 1900 s, going on",
        "waiting for ranks to join, time-out 1800 s",
        "waiting up to 30 min for all ranks",
        "job waits in the queue for 3 h: other ranks of it run",
        "Job has been pending for 3 h (Priority)",
        "hang threshold 1800 s, last progress 3 s ago",
        "hang detector armed: 1800 s",
        "last heartbeat 2 s ago, last evaluation 3600 s ago",
        "no pending tasks for 1800 s, scaling down",
        "no rank stuck, longest wait for peers 3 s in the last 3600 s",
        "3 stalls, longest stalled 1200 s at step 4000",
        "time waiting on collectives: 2130 s of 86400 s (2.4%)",
        "no update of best val loss since 1800 s",
        "waiting for peers, 2000 s since last request",
        "barrier wait 12 s, stalled 0 s, uptime 7200 s",
        "rank 0 still at step 29, eta 1 h",
    ],
)
def test_a_line_that_says_itself_that_it_is_over_or_how_long_one_may_wait_is_no_stall(line: str) -> None:
    assert not stalled(STEPS + line + "\n")


@pytest.mark.parametrize(
    "line",
    [
        "barrier not complete",
        "barrier was not reached by all ranks",
        "barrier: 31 of 32 ranks complete",
        "stall not resolved",
        "[rank3] rank 3 not done waiting",
        "training not resumed",
        "heartbeat: rank 3 waited 2060 s",
        "[rank5] passed the barrier of dataloader",
        "[rank5] waited 3 s for rank 1 in barrier, going on",
        "waiting until the barrier is released",
        "[rank3] failed to leave: barrier of rank 0 released late?",
        "prefetch: finished waiting for shard 12",
    ],
)
def test_a_wait_lasts_where_a_line_says_that_it_is_not_over_or_that_another_ranks_is(line: str) -> None:
    assert stalled(STEPS + WAIT + line + "\n")


@pytest.mark.parametrize(
    "line",
    [
        "[rank3] passed the barrier after 2060 s",
        "[rank0] barrier complete, all ranks arrived",
        "[rank3] done waiting for rank 0",
        "[rank3] is no longer waiting",
        "[rank3] not stuck any more",
        "barrier reached by all ranks",
        "barrier: 32 of 32 ranks complete",
        "rank 3 waited 2060 s for rank 0 in barrier, going on",
        "[rank0] all ranks reached the barrier",
        "[rank3] wait at barrier took 2060 s",
        "[rank3] leaving the barrier",
        "stall resolved, training resumed",
    ],
)
def test_a_wait_is_over_where_the_rank_that_waited_or_all_are_said_to_have_got_on(line: str) -> None:
    assert not stalled(STEPS + WAIT + line + "\n")
    assert stalled(STEPS + line + "\n" + WAIT)


def test_of_several_ranks_that_wait_each_must_get_on() -> None:
    waits = WAIT + WAIT.replace("rank3", "rank5")
    assert stalled(STEPS + waits + "[rank5] passed the barrier after 2060 s\n")
    assert not stalled(STEPS + waits + "[rank5] passed the barrier\n[rank3] passed the barrier\n")
    assert not stalled(STEPS + waits + "barrier passed by all ranks\n")
