"""How a job ended: what a person or the batch system ended while its steps went on is no fault, nor is what follows
from that; where the steps had stopped long before, or something failed before, that stays."""

from __future__ import annotations

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text
from assistant.network.diagnosis.clock import seconds_between
from assistant.vocabulary.answers import DiagnosisFinding
from tests.nccl_logs import DEVICES, channels, debug
from tests.program import weft

CATALOG = library.load().catalog
SOUND = debug(DEVICES, "Using network IB", *channels("IB"), "Init COMPLETE", per_host=8)
SAVED = (
    "[sigusr1] received signal 10 180 s before end of allocation: saving and exiting\n"
    "[2026-03-11 05:25:06,991] [INFO] [Rank 0] [Torch] Checkpoint global_step200 is about to be saved!\n"
    "resubmitted as job 90412 (afterany:90377)\n"
)
SHUT = "srun: Job step aborted: Waiting up to 32 seconds.\nsrun: error: n-31: tasks 8-15: Terminated\n"
CLOSED = (
    "node-0:5131:6240 [3] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by remote peer node-1<51882>\n"
    "node-0:5131:6240 [3] proxy.cc:1521 NCCL WARN [Proxy Service 0] Failed to execute operation Close from rank 0\n"
)
CTRL_C = (
    "^CW0610 13:29:02.551000 14022 torch/distributed/elastic/agent/server/api.py:741] Received Signals.SIGINT death "
    "signal, shutting down workers\nTraceback (most recent call last):\n    loss.backward()\nKeyboardInterrupt\n"
)
TIMED_OUT = (
    "[rank0]:[E1 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9, "
    "OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600032 milliseconds\n"
)
SIGTERM = (
    "W0202 15:44:10.2 22433 torch/distributed/elastic/agent/server/api.py:719] Received Signals.SIGTERM death signal\n"
)


def deepspeed(minutes: int) -> str:
    """A line of steps every minute from five o'clock on; what is printed before it ends in the time of the day."""
    return "".join(
        f"[2026-03-11 05:{n:02d}:34,455] [INFO] [log_dist] [Rank 0] step={10 * n}, skipped=0, lr=[2.0e-06]\n"
        for n in range(1, minutes + 1)
    )


def at_limit(moment: str, why: str = " DUE TO TIME LIMIT") -> str:
    return f"slurmstepd: error: *** JOB 90377 ON node-0 CANCELLED AT 2026-03-11T{moment}{why} ***\n"


def found(text: str) -> dict[str, DiagnosisFinding]:
    return {each.code: each for each in diagnose_text(SOUND + text, CATALOG).findings}


def alarms(text: str) -> set[str]:
    return {code for code, each in found(text).items() if each.severity != "info"}


@pytest.mark.parametrize(
    "end",
    [
        at_limit("05:25:04") + SHUT,
        at_limit("05:28:59") + SIGTERM + CLOSED,
        SAVED + at_limit("06:28:04") + SHUT,
        SAVED + at_limit("05:28:04", " DUE TO JOB REQUEUE"),
        "=>> PBS: job killed: walltime 14435 exceeded limit 14400\n",
        at_limit("05:25:04", "") + SIGTERM + SHUT,
        SIGTERM + at_limit("05:25:04", "") + CLOSED,
        "user@login:~$ scancel 90377\n" + SIGTERM,
    ],
    ids=["limit", "limit and echo", "saved", "requeued", "walltime", "cancelled", "cancelled, told late", "scancel"],
)
def test_a_job_that_stepped_until_it_was_ended_is_no_fault(end):
    assert not alarms(deepspeed(24) + end)


def test_the_note_says_how_long_the_last_step_was_ago():
    told = found(deepspeed(24) + SAVED + at_limit("05:28:04") + SHUT)["ended-by-scheduler"]
    assert told.severity == "info" and "its steps went on until then, 210 s after the last one" in told.message
    assert "no line tells" in found(deepspeed(24) + "PBS: walltime 9 exceeded limit 8\n")["ended-by-scheduler"].message


TRAINER_STOPPED = (
    "[NeMo I 2025-02-08 11:44:58 nemo_logging:381] PTLTimeLimit/StatelessTimer: time limit 00:11:45:00 reached, "
    "signalling Trainer to stop\n`Trainer.fit` stopped: `max_time=00:11:45:00` reached.\n"
)


@pytest.mark.parametrize("before", ["", TRAINER_STOPPED], ids=["end of a log", "the trainer stopped itself"])
def test_a_time_limit_at_the_end_of_a_log_that_shows_no_failure_is_a_note_that_says_what_is_not_known(before):
    text = before + at_limit("12:00:04") + SIGTERM + CLOSED
    told = {each.code: each for each in diagnose_text(text, CATALOG).findings}
    assert not {each.code for each in told.values() if each.severity != "info"}
    assert "nothing here shows that it hung or failed" in told["ended-by-scheduler"].message
    failed = diagnose_text(TIMED_OUT + text, CATALOG).findings
    assert "collective-timeout" in {each.code for each in failed if each.severity != "info"}


@pytest.mark.parametrize(
    ("log", "code", "said"),
    [
        (deepspeed(24) + at_limit("09:24:40"), "ended-by-scheduler", "its last step was 4 h before"),
        (deepspeed(24) + at_limit("05:40:00", ""), "cancelled-by-hand", "its last step was 15 min before"),
        (SAVED + deepspeed(24) + at_limit("09:24:40"), "ended-by-scheduler", "4 h before"),
        (deepspeed(24) + TIMED_OUT + at_limit("05:35:00"), "collective-timeout", ""),
        (deepspeed(24) + SIGTERM, "ended-from-outside", ""),
    ],
    ids=["hung", "hung, cancelled", "an earlier job saved", "timed out", "who knows"],
)
def test_a_job_whose_steps_had_stopped_or_that_nobody_meant_to_end_is_told_as_before(log, code, said):
    assert code in alarms(log) and said in found(log)[code].message


LOST = "its steps after the checkpoint of line"


@pytest.mark.parametrize(
    ("log", "code", "said"),
    [
        (at_limit("05:28:04"), "ended-by-scheduler", "nor how far it had come"),
        (deepspeed(24) + at_limit("05:25:00", " DUE TO PREEMPTION"), "ended-by-scheduler", "may have to be done again"),
        (SAVED + deepspeed(24) + "EC2 Spot Instance interruption notice: i-0abc\n", "preempted", LOST),
        (deepspeed(24) + "The spot instance was preempted by the cloud, host a\n", "preempted", "done again"),
        (deepspeed(24) + "job 7 was stopped by the operator, the budget is used up\n" + CLOSED, "ended-on-purpose", ""),
        ("job 7 cancelled by user kim\n" + SHUT, "ended-by-orchestrator", ""),
    ],
    ids=["no steps", "preempted", "preempted after a checkpoint", "a spot machine", "a budget", "cancelled"],
)
def test_who_was_ended_by_a_person_the_scheduler_or_the_cloud_failed_in_nothing(log, code, said):
    """No network and no machine is at fault, also where work is lost, which is said."""
    assert not alarms(log)
    assert said in found(log)[code].message


def test_what_follows_from_ctrl_c_is_a_note_and_what_came_before_it_or_in_a_later_run_is_not():
    assert not alarms(deepspeed(24) + CTRL_C + CLOSED)
    assert not alarms(deepspeed(24) + "^CTraceback (most recent call last):\nKeyboardInterrupt\n" + CLOSED)
    assert "collective-timeout" in alarms(deepspeed(24) + TIMED_OUT + CTRL_C + CLOSED)
    again = "node-0:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.2<45678> with status=12 opcode=1 len=7\n"
    assert {"retries-exhausted", "peer-closed"} <= alarms(deepspeed(24) + CTRL_C + SOUND + again + CLOSED)


@pytest.mark.parametrize(
    ("before", "after", "took"),
    [
        (b"[2026-03-11 05:24:39,537] step", b"JOB 1 CANCELLED AT 2026-03-12T05:28:04 DUE", 86605.0),
        (b"W0610 23:59:50.1 step", b"00:00:10 end", 20.0),
        (b"[2026-03-11 05:24:39] step", b"Mar 11 05:24:38 node kernel: end", 0.0),
        (b"2026-03-11 05:24:39 step", b"2026-03-11 03:24:39 end", None),
        (b"2026-02-31 05:24:39 step", b"2026-03-11 03:24:39 end", None),
        (b"100/300 [01:03:20<02:00:00, 4 s/it]", b"2026-03-11 03:24:39 end", None),
    ],
)
def test_the_time_between_two_lines_is_read_from_them(before, after, took):
    assert seconds_between(before, after) == took


def test_a_log_that_cannot_be_read_hides_none_of_the_others(tmp_path):
    log = tmp_path / "job.log"
    log.write_text(debug(DEVICES, "Using network IB", *channels("IB"), "Init COMPLETE", per_host=8), encoding="utf-8")
    seen = weft("nccl", "diagnose", str(tmp_path / "gone.log"), str(log), str(tmp_path))
    assert seen.code == 2 and "over InfiniBand" in seen.out
    assert "gone.log: no such file" in seen.err and "got a folder" in seen.err
