"""A job that starts again and again from one step, whatever its lines name beside it, and starts that are none."""

from __future__ import annotations

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text

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
