"""A job that starts again and again from one step, whatever its lines name beside it, and starts that are none."""

from __future__ import annotations

import pytest

from assistant import library
from assistant.network.diagnosis import attempts, diagnose_text
from assistant.network.diagnosis.steps import Steps

CATALOG = library.load().catalog
STEPS = "".join(f"iteration {n} | loss 2.2 | elapsed time per iteration (ms): 6100.0\n" for n in range(1001, 1009))
ATTEMPT = "loading checkpoint from /ckpt/run at iteration 1000\n" + STEPS


def loop(text: str) -> str:
    found = diagnose_text(text, CATALOG).findings
    return next((each.message for each in found if each.code == "restart-loop" and each.severity != "info"), "")


def times(form: str) -> str:
    """Four attempts, each with another number."""
    return "".join(form.replace("{n}", str(n)) for n in range(4))


@pytest.mark.parametrize(
    "log",
    [
        times(f"resuming from checkpoint saved at step 1000\n{STEPS}"),
        times(f"saved model config to /out/config.yaml\n{ATTEMPT}"),
        times(f"{ATTEMPT}saved model config to /out/config.yaml\n"),
        times(f"{ATTEMPT}wrote crash state to /tmp/dump.json\n"),
        times(f"{ATTEMPT}saved checkpoint at iteration 1000\n"),
        times(f"{ATTEMPT}saved checkpoint metadata to /ckpt/run/meta.json\n"),
        times(f"{ATTEMPT}checkpoint 1500 could not be saved: no space left\n"),
        times(f"Checkpoints are written to /ckpt every 500 iterations\n{ATTEMPT}"),
        times(f"{ATTEMPT}saving checkpoint of step 1500: nothing was saved\n"),
        times(f"{ATTEMPT}failed to save checkpoint at iteration 1500, done\n"),
        times(f"{ATTEMPT}last checkpoint was saved 2 h ago\n"),
        times(f"{ATTEMPT}checkpoint at iteration 1500 will be written by the next step\n"),
        times(f"seed: 123{{n}}\n{ATTEMPT}"),
        times(f"Experiment: llama-20261130-120{{n}}\n{ATTEMPT}"),
        times(f"Experiment: run_2026-11-30_12-0{{n}}-03\n{ATTEMPT}"),
        times(f"==> train_{{n}}.log <==\n{ATTEMPT}"),
        times(f"=== slurm-4812{{n}}.out ===\n{ATTEMPT}"),
    ],
)
def test_a_job_that_starts_four_times_from_one_step_is_a_loop_whatever_else_it_prints(log: str) -> None:
    assert "4 times" in loop(log) and "step 1000" in loop(log)


@pytest.mark.parametrize(
    "saved",
    [
        "saved checkpoint at iteration 1500 (500 steps since the last)",
        "checkpoint-1500 saved, last loss 2.31",
        "checkpoint saved before the time limit",
        "[NeMo I] Async checkpoint save for step 1500 (/results/step_1500.ckpt) finalized successfully.",
        "successfully saved checkpoint from iteration    1500 to /ckpt/run",
        "model weights saved to /ckpt/run/step_1500.safetensors",
        "ckpt_1500.pt written (9.8 s)",
        "Saving checkpoint at step 1500 to /ckpt/run ... done",
        "Checkpoint saved at iteration 1,500",
        "[Checkpointer] persisted checkpoint at step 1500",
        "iteration 1500 | loss 2.1 | elapsed time per iteration (ms): 6100.0 | checkpoint saved",
    ],
)
def test_starts_after_each_of_which_something_newer_was_saved_are_none(saved: str) -> None:
    assert not loop(times(f"{ATTEMPT}{saved}\n"))


@pytest.mark.parametrize(
    "head",
    [
        "=== trial {n}: lr=0.0001 ===",
        "starting experiment sweep-{n}",
        "Experiment: llama-7b-{n}",
        "==> logs/worker-{n}.out <==",
        "=== gpu-0{n} ===",
        "fold {n} of 4",
    ],
)
def test_starts_of_other_trials_or_of_other_ranks_are_none(head: str) -> None:
    assert not loop(times(f"{head}\n{ATTEMPT}"))


def test_what_was_saved_before_a_start_hides_no_line_of_its_kind_behind_one() -> None:
    before = "".join(f"saved checkpoint at iteration {n}\n" for n in range(100, 1001, 100))
    assert not loop(before + times(f"{ATTEMPT}saved checkpoint at iteration 1500\n"))
    assert "4 times" in loop(before + times(ATTEMPT))


def test_a_job_that_came_to_its_last_step_was_started_anew() -> None:
    whole = ATTEMPT + "iteration 1008/1008 | loss 2.2 | elapsed time per iteration (ms): 6100.0\n"
    assert not loop(4 * whole)
    for end in ("training finished, exit code 0", "profile done, exiting", "exiting program at iteration 1008"):
        assert not loop(4 * (ATTEMPT + end + "\n"))


def test_an_end_that_is_printed_again_in_the_same_words_ends_each_job_of_a_long_log() -> None:
    other = "".join(f"worker-{n % 7} wrote shard {n} in {n % 90} ms\n" for n in range(20_500))
    ended = ATTEMPT + "training finished, exit code 0\n"
    assert not loop(other + 4 * ended)
    assert "4 times" in loop(other + 4 * ATTEMPT)


def test_who_tells_of_a_start_is_remembered_up_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "_MOST", 3)
    taken, steps = attempts.Attempts(), Steps()
    for number in range(1, 1000):
        line = "resuming from checkpoint at step 1000"
        taken.take(number, line, f"node-{number}: {line}", steps)
    assert len(taken._told) == 3


def test_many_lines_of_what_is_saved_without_a_start_are_counted_and_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[int]()
    take = attempts.Attempts.take
    monkeypatch.setattr(
        attempts.Attempts, "take", lambda self, number, *rest: (asked.append(number), take(self, number, *rest))[1]
    )
    log = "".join(f"uploaded part {n} of the report to the bucket\n" for n in range(30_000))
    assert not loop(log)
    assert len(asked) < 21_000  # the first ones are read for other readers
