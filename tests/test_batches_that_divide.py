"""A batch that was said and that the GPUs cannot share out well: what another one near it gains is computed."""

from __future__ import annotations

import re

import pytest

from assistant import api

from .program import weft

CODE = "batch-divides-better"


def _job(gpus: int, batch: int | None, **more: object) -> dict:
    return {
        "workload": "pretraining",
        "model": "llama-3.1-70b",
        "cluster": {"gpu": "h100-sxm", "gpus": gpus, "fabric": "infiniband-ndr-400"},
        "training": {} if batch is None else {"global_batch": batch},
    } | more


def _tips(job: dict) -> list[str]:
    return [one.message for one in api.plan(job).warnings if one.code == CODE]


def test_960_gpus_with_a_batch_of_1024_are_told_of_960_and_1920_with_the_gain_of_each() -> None:
    [tip] = _tips(_job(960, 1024))
    told = {int(batch.replace(",", "")): float(gain) for batch, gain in re.findall(r"([\d,]+) \((\d+) % more", tip)}
    assert set(told) == {960, 1920}
    speed = {batch: api.predict(_job(960, batch)).tokens_per_s_per_gpu for batch in (1024, *told)}
    for batch, gain in told.items():
        assert 100 * (speed[batch] / speed[1024] - 1) == pytest.approx(gain, abs=0.6)


@pytest.mark.parametrize("job", [
    _job(960, 1920), _job(960, None), _job(64, 512), _job(64, 16),
    _job(960, 1024, parallelism={"strategy": "zero1", "tp": 2, "pp": 15, "cp": 4}),
])  # fmt: skip
def test_nothing_is_told_where_the_batch_divides_was_not_said_or_the_split_is_fixed(job: dict) -> None:
    assert not _tips(job)


def test_a_gain_that_is_hardly_one_is_not_told() -> None:
    job = _job(64, 1000)
    speed = {batch: api.predict(_job(64, batch)).tokens_per_s_per_gpu for batch in (1000, 960, 1024)}
    assert bool(_tips(job)) == (max(speed[960], speed[1024]) >= 1.03 * speed[1000])


@pytest.mark.parametrize(
    ("said", "batch"),
    [
        ("3.7M tokens, sequence length 4096", 896),  # 903 and 925 halve not once: 2,048 GPUs would stand idle
        ("15.7M tokens, sequence length 4096", 3840),
        ("60M tokens, sequence length 4096", 15360),  # DeepSeek-V3's own
        ("4M tokens, sequence length 8192", 512),
        ("512k tokens, sequence length 4096", 128),
    ],
)
def test_a_batch_said_in_rounded_tokens_is_one_that_can_be_shared_out(said: str, batch: int) -> None:
    fields = api.understand(f"pretrain DeepSeek-V3 on 2048 H800, global batch of {said}").fields
    assert fields["training.global_batch"] == batch


def test_a_batch_in_tokens_without_a_length_is_not_dropped() -> None:
    [doubt] = api.understand("pretrain DeepSeek-V3 on 2048 H800 with a global batch of 3.7M tokens").doubts
    assert "448 of 8,192 tokens, 896 of 4,096 tokens" in doubt
    seen = weft("pretrain 8B on 64 H100 with a global batch of 3.7M tokens").out
    assert "global batch: 448 sequences (896 sequences may be meant instead)" in " ".join(seen.split())
