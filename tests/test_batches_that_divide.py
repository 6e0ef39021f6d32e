"""A batch that was said and that the GPUs cannot share out well: what another one near it gains is computed."""

from __future__ import annotations

import re

import pytest

from assistant import api

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
