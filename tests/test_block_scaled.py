"""Training in MXFP8 and NVFP4: on Blackwell, as fast as published, with what is kept of the weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assistant import api, library
from assistant.model.validation import outcome
from assistant.validation.practice import as_published
from assistant.validation.runs import read_runs
from assistant.vocabulary.errors import InputError

CATALOG = library.load().catalog
FILE = Path(__file__).parents[1] / "knowledge" / "measurements" / "block_scaled.csv"


def _job(precision: str, gpu: str = "b200", **split: object) -> dict:
    return {
        "workload": "pretraining",
        "model": "llama-3.1-70b",
        "cluster": {"gpu": gpu, "gpus": 64, "fabric": "roce-v2-400"},
        "training": {"precision": precision, "framework": "megatron"},
        "parallelism": {"strategy": "zero1", "tp": 2, "pp": 4} | split,
    }


@pytest.mark.parametrize(
    ("said", "precision"),
    [
        ("pretrain llama 70b on 64 b200 in mxfp8", "mxfp8"),
        ("pretrain llama 70b on 64 b200 in nvfp4", "nvfp4"),
        ("70B pretraining on 72 gb300, NVFP4", "nvfp4"),
        ("training 8b in fp4 on 8 b200", "nvfp4"),
        ("finetune 70b with fp8 on 64 h100", "fp8"),
    ],
)
def test_a_training_precision_is_heard(said: str, precision: str) -> None:
    found = api.understand(said)
    assert found.fields["training.precision"] == precision
    assert not found.doubts


def test_a_sentence_in_nvfp4_is_planned() -> None:
    made = api.plan(_job("nvfp4"))
    assert made.recommendation.verdict == "recommended"
    assert made.questionnaire["training"]["precision"] == "nvfp4"


@pytest.mark.parametrize("precision", ["mxfp8", "nvfp4"])
@pytest.mark.parametrize("gpu", ["h100-sxm", "a100-sxm-80gb", "mi300x", "mi355x"])
def test_on_other_gpus_no_run_is_known_and_a_sentence_says_so(precision: str, gpu: str) -> None:
    with pytest.raises(InputError, match=f"no training run is known on {CATALOG.gpus[gpu].name}"):
        api.predict(_job(precision, gpu))


@pytest.mark.parametrize("gpu", ["b200", "b300", "gb200", "gb300", "rtx-pro-6000", "rtx-5090"])
def test_blackwell_can(gpu: str) -> None:
    assert CATALOG.gpus[gpu].scales_blocks


def test_a_card_on_which_no_such_run_is_known_is_less_sure_and_says_why() -> None:
    made = api.predict(_job("mxfp8", "rtx-5090"))
    assert any("of no training run on this GPU is anything known" in reason for reason in made.outside_calibration)


def test_four_bits_are_faster_than_eight_and_these_than_sixteen_and_less_sure() -> None:
    made = {one: api.predict(_job(one)) for one in ("bf16", "fp8", "mxfp8", "nvfp4")}
    step = {one: each.step_time_s for one, each in made.items()}
    spread = {one: each.step_time_p90_s / each.step_time_p10_s for one, each in made.items()}
    assert step["nvfp4"] < step["mxfp8"] < step["bf16"]
    # Published in NVFP4 against MXFP8, the same split: 1.25 to 1.55 times the tokens (Megatron-Bridge).
    assert 1.2 < step["mxfp8"] / step["nvfp4"] < 1.6
    assert spread["bf16"] < spread["mxfp8"] < spread["nvfp4"]


def test_scales_and_second_copies_of_the_weights_are_counted() -> None:
    fp8, mxfp8, nvfp4 = (api.predict(_job(one)).memory_gb_per_gpu for one in ("fp8", "mxfp8", "nvfp4"))
    a = CATALOG.models["llama-3.1-70b"]
    weights = (a.params.value - 2 * a.vocab * a.hidden) / 8 / 1e9  # of a rank's layers, in billions
    margin = 1.08  # blocks that the allocator cannot give out
    assert mxfp8 - fp8 == pytest.approx(margin * weights * 2 / 32, rel=0.02)
    assert nvfp4 - fp8 == pytest.approx(margin * weights * 2 * (0.5 + 1 / 16), rel=0.02)


def test_a_sharded_layer_keeps_no_copies() -> None:
    fp8, nvfp4 = (api.predict(_job(one, strategy="fsdp", tp=1, pp=1)).memory_gb_per_gpu for one in ("fp8", "nvfp4"))
    assert nvfp4 == pytest.approx(fp8, rel=1e-6)


@pytest.mark.parametrize(("precision", "use", "most"), [
    ("mxfp8", "calibration", 0.05), ("mxfp8", "validation", 0.07),
    ("nvfp4", "calibration", 0.12), ("nvfp4", "validation", 0.08),
])  # fmt: skip
def test_published_steps_are_met(precision: str, use: str, most: float) -> None:
    runs = [as_published(run) for run in read_runs(FILE, CATALOG)]
    found = [(run, outcome(run)) for run in runs if (run.job.precision, run.use) == (precision, use)]
    errors = [made.step_time_s / run.measured_s - 1 for run, made in found]
    assert len(errors) >= 8
    assert np.mean(np.abs(errors)) < most
    inside = [made.band.p10 <= run.measured_s <= made.band.p90 for run, made in found]
    assert np.mean(inside) >= 0.7
    if use == "calibration":  # the constants are what they were fitted to; MXFP8 is held at FP8's own efficiency
        assert abs(np.mean(np.log1p(errors))) < (0.03 if precision == "mxfp8" else 0.01)
