"""``weft nccl diagnose`` on the steps and checkpoints of jobs: two jobs in one log, and storage that holds a job up."""

from __future__ import annotations

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text

CATALOG = library.load().catalog
LFS = """$ lfs df -h /fsx
UUID                       bytes        Used   Available Use% Mounted on
zx-MDT0000_UUID           548.0G       41.2G      506.7G   8% /fsx[MDT:0]
zx-OST0000_UUID             4.4T        2.2T        2.2T  50% /fsx[OST:0]
zx-OST0007_UUID             4.4T        {}  {}% /fsx[OST:7]
"""
FULL, HALF = ("4.4T      212.0M", "100"), ("2.3T        2.1T", " 53")


def alarms(text: str) -> list[tuple[str, int | None]]:
    return [(each.code, each.line) for each in diagnose_text(text, CATALOG).findings if each.severity != "info"]


def said(text: str, code: str) -> str:
    return next(each.message for each in diagnose_text(text, CATALOG).findings if each.code == code)


def megatron(n: int, of: int, ms: float, tag: str = "") -> str:
    time = f"[2024-12-01 19:{n // 10:02d}:24]"
    return f"{tag} {time} iteration {n:8d}/{of:8d} | elapsed time per iteration (ms): {ms} | lm loss: 3.1 |\n"


def side_by_side(first: list[float], second: list[float], tags: tuple[str, str], totals: tuple[int, int]) -> str:
    """Two jobs that print to one log by turns, the second one for longer."""
    made = [megatron(10 * n, totals[0], ms, tags[0]) for n, ms in enumerate(first, 1)]
    other = [megatron(10 * n, totals[1], ms, tags[1]) for n, ms in enumerate(second, 1)]
    both = [line for pair in zip(made, other, strict=False) for line in pair]
    return "".join(both + other[len(made) :])


@pytest.mark.parametrize(
    ("tags", "totals"),
    [(("[A 9001]", "[B 9007]"), (5000, 90000)), (("", ""), (5000, 90000)), (("job-1:", "job-2:"), (9000, 9000))],
)
def test_steps_of_two_jobs_are_not_compared_with_each_other(tags, totals):
    assert not alarms(side_by_side([1210.0] * 8, [2480.0] * 20, tags, totals))
    slower = side_by_side([1210.0] * 8, [2480.0] * 10 + [4100.0] * 10, tags, totals)
    assert [code for code, _ in alarms(slower)] == ["steps-slower"]
    assert "4100" in said(slower, "steps-slower") and "2480" in said(slower, "steps-slower")


def test_a_job_that_was_started_again_with_another_total_is_one_job():
    text = "".join(megatron(10 * n, 5000, 1210.0) for n in range(1, 9))
    text += "".join(megatron(10 * n, 9000, 2400.0) for n in range(9, 19))
    assert [code for code, _ in alarms(text)] == ["steps-slower"]


STEP = "step {n} loss 2.1 step_time {t}\n"


def stepped(times: list[float], form: str = STEP) -> str:
    return "".join(form.format(n=n, t=t, rate=1000 / t, slow=t > 1.5, sum=n * t) for n, t in enumerate(times, 1))


FAST, SLOW = [1.01, 1.03, 1.02, 1.04] * 3, [2.11, 2.14, 2.12, 2.13] * 3


@pytest.mark.parametrize(
    ("between", "form"),
    [
        ("$ python train.py --model gpt2-xl\n", STEP),
        ("Training complete.\n", "step {n}/5000 loss 2.3 step_time {t}s\n"),
        ("=== llama-7b bs=16 ===\n", "step {n}/12 loss 2.3 step_time {t}\n"),
    ],
)
def test_a_job_that_begins_its_steps_anew_is_another_one(between, form):
    assert not alarms(stepped(FAST, form) + between + stepped(SLOW, form))
    assert alarms(stepped(FAST, form) + between + stepped(FAST + SLOW, form))


def test_steps_that_are_counted_anew_with_each_epoch_are_those_of_one_job():
    assert alarms("Epoch 1/2\n" + stepped(FAST) + "Epoch 2/2\n" + stepped(SLOW))


def test_another_total_is_another_job():
    sft = "SFT step {n}/100 loss 2.1 step_time {t}\n"
    assert not alarms(stepped(FAST, "Pretrain step {n}/500 loss 2.1 step_time {t}\n") + stepped(SLOW, sft))


@pytest.mark.parametrize(
    "form",
    [
        "iter {n}: loss 2.31, time {t}ms, mfu 41.20%\n",
        "step {n}/18865 | loss 4.2 (+1.2z)| norm 0.3 | lr 6.0e-04 | {t} ms | 54.2% bf16 MFU | {rate:.0f} tok/s\n",
        "completed step: {n}, seconds: {t}, TFLOP/s/device: 179.808, Tokens/s/device: {rate:.1f}, loss: 9.0\n",
        "trainer.py:600] step {n}: loss 2.1 steps_per_sec {rate:.3f}\n",
        "epoch=0/micro_step={n}0/global_step={n}0, RunningAvgSamplesPerSec=41.2, CurrSamplesPerSec={rate:.2f}\n",
        "Training:  1%|##        | {n}/100 [00:30<01:00,  {rate:.2f}it/s, loss=2.1]\n",
        "[step {n}] loss=2.1 took {t}s\n",
    ],
    ids=["nanoGPT", "llm.c", "MaxText", "T5X", "DeepSpeed", "tqdm", "took"],
)
def test_steps_that_take_longer_are_told_in_the_formats_of_usual_trainers(form):
    assert not alarms(stepped(FAST * 2, form))
    assert "steps-slower" in [code for code, _ in alarms(stepped(FAST + SLOW, form))]


@pytest.mark.parametrize(
    "form",
    [
        "step {n} loss 2.1 time {sum:.1f}s\n",
        "step {n} loss 2.1 elapsed {sum:.1f} s\n",
        "step {n}0: loss 2.1, checkpoint saved, took {t}s\n",
        "step {n}0 eval loss 2.1 took {t}s\n",
        "step {n} | reward 0.41 | kl 0.02 | lr 1e-6 | time {t}s\n",
        "iter {n}: loss 2.31, batch_size {slow:d}1, time {t}ms\n",
        "step {n} | loss 4.2 | lr 6.0e-04 | {t} ms | 512000 tok/s\n",
        "Evaluating:  1%|##        | {n}/100 [00:30<01:00,  {rate:.2f}it/s, loss=2.1]\n",
        "Loading checkpoint shards:  1%|##        | {n}/100 [00:30<01:00,  {rate:.2f}it/s]\n",
    ],
    ids=["clock", "elapsed", "save", "evaluation", "rollout", "batch", "as much a second", "eval bar", "other bar"],
)
def test_what_takes_longer_by_design_or_is_no_step_is_none_that_got_slow(form):
    assert not alarms(stepped(FAST + SLOW, form))


def test_a_compilation_at_the_start_evaluations_and_saves_between_steps_are_no_slowdown():
    form = "iter {n}: loss 2.31, time {t}ms, mfu 41.20%\n"
    assert not alarms(stepped([61200.0, *FAST, 9.0, *FAST, 12.0, 12.5, *FAST, 30.0], form))


def saving(
    *seconds: float, form: str = "  successfully saved checkpoint from iteration {n:7d} to /fsx/ckpt ({s} s)\n"
) -> str:
    """A job that saves after every three steps, which all take as long."""
    made = list[str]()
    for n, took in enumerate(seconds):
        made += [megatron(30 * n + 10 * k, 80000, 2204.0 + k) for k in range(1, 4)]
        made.append(form.format(n=30 * n + 30, s=took))
    return "".join(made)


GROWN = (34.8, 35.2, 35.0, 212.7, 888.1, 1390.6)
FORMS = [
    "  successfully saved checkpoint from iteration {n:7d} to /fsx/ckpt ({s} s)\n",
    "INFO: Saved checkpoint step-{n} in {s}s\n",
    "[rank0] checkpoint written to /mnt/ckpt/{n} took {s} seconds\n",
    "ckpt_save_time: {s} step={n}\n",
    "Saving checkpoint at step {n}\n  done ({s} s)\n",
]


@pytest.mark.parametrize("form", FORMS)
def test_checkpoints_that_take_longer_and_longer_are_told_while_steps_stay_as_fast(form):
    assert [code for code, _ in alarms(saving(*GROWN, form=form))] == ["checkpoints-slower"]
    told = said(saving(*GROWN, form=form), "checkpoints-slower")
    assert "1391 s where they took 35 s" in told and "steps between them take as long as before" in told
    assert not alarms(saving(34.8, 35.2, 35.0, 36.1, 34.0, 41.0, form=form))


def test_one_long_checkpoint_and_short_ones_that_scatter_are_no_alarm():
    assert not alarms(saving(34.8, 35.2, 35.0, 34.9, 35.1, 240.0))
    assert not alarms(saving(0.3, 0.2, 0.3, 0.9, 1.9, 2.1))
    loads = "loaded checkpoint shard saved at {n} in {s} s\n"
    assert not alarms(saving(*GROWN, form=loads))


def test_a_full_target_is_a_cause_and_stands_before_what_follows():
    text = saving(*GROWN) + LFS.format(*FULL)
    assert [code for code, _ in alarms(text)] == ["storage-target-full", "checkpoints-slower"]
    assert "OST0007" in said(text, "storage-target-full")
    assert not alarms(saving(*[35.0] * 5) + LFS.format(*HALF))


@pytest.mark.parametrize(
    ("mount", "full"),
    [
        ("nas01:/export/ckpt  100T  100T  0 100% /mnt/ckpt", True),
        ("nas01:/export/ckpt  100T  61T  39T 61% /mnt/ckpt", False),
        ("/dev/loop3  64M  64M  0 100% /snap/core20", False),
        ("/dev/loop9  64M  64M  0 100% /data/image", False),
    ],
)
def test_a_full_mount_is_told_beside_checkpoints_that_got_slower(mount, full):
    codes = [code for code, _ in alarms(saving(*GROWN) + f"$ df -h\n{mount}\n")]
    assert codes == (["storage-mount-full"] if full else []) + ["checkpoints-slower"]
    assert not alarms(saving(*[35.0] * 5) + f"$ df -h\n{mount}\n")
