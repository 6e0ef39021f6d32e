"""LoRA and QLoRA: what is trained and held, and how far time and memory are from measured runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from assistant import library as libraries
from assistant.model import (
    Adapters,
    Architecture,
    Job,
    Machine,
    architecture_of,
    machine_of,
    network_of,
    predict_training,
)
from assistant.model.adapters import NF4_BYTES
from assistant.model.memory import memory_of
from assistant.model.search import layouts_for
from assistant.model.traffic import traffic_of
from assistant.model.validation import step_time
from assistant.validation.adapters import adapter_report, adapter_runs
from assistant.vocabulary.questionnaire import Parallelism
from assistant.vocabulary.validation import AdapterReport

CATALOG = libraries.load().catalog
LLAMA_70B = architecture_of(CATALOG.models["llama-2-70b"])


@pytest.fixture(scope="module")
def report() -> AdapterReport:
    return adapter_report(adapter_runs(libraries.load().knowledge_folder / "measurements", CATALOG))


def h100(gpus: int) -> Machine:
    gpu = CATALOG.gpus["h100-sxm"]
    return machine_of(gpu, CATALOG.scale_ups[gpu.scale_up], gpus, 8, CATALOG.constants)


def lora_70b(gpus: int = 8, **adapters: object) -> Job:
    return Job(LLAMA_70B, gpus, "finetuning", 8192, gpus, precision="bf16", adapters=replace(Adapters(), **adapters))


def test_trained_parameters_are_those_that_peft_prints() -> None:
    small = architecture_of(CATALOG.models["llama-3.2-3b"])
    assert Adapters(16, "all-linear").params(LLAMA_70B) == 207_093_760
    assert Adapters(32, "all-linear").params(small) == 48_627_712


def test_adapters_of_a_mixture_stand_beside_every_expert() -> None:
    mixtral = architecture_of(CATALOG.models["mixtral-8x7b"])
    one = 2 * 16 * (4096 + 14336) + 16 * (14336 + 4096)
    assert Adapters(16).expert_params(mixtral) == 8 * one
    assert Adapters(16, "attention").expert_params(mixtral) == 0


def test_four_bits_have_their_constants() -> None:
    assert pytest.approx(4.127, abs=1e-3) == 8 * NF4_BYTES


def test_frozen_weights_cost_four_flops_per_token() -> None:
    job = lora_70b()
    full = job.with_(adapters=None)
    spared = 2.0 * LLAMA_70B.matmul_params - 6.0 * job.trained_params
    assert job.model_flops == pytest.approx(full.model_flops - job.tokens * spared)


def test_gradients_of_adapters_alone_are_exchanged_and_a_sharded_base_is_still_gathered() -> None:
    machine, job = h100(16), lora_70b(16)
    full = job.with_(adapters=None)

    def into_a_gpu(of: Job, strategy: Literal["ddp", "fsdp"]) -> float:
        layouts = layouts_for(of.with_(micro_batch=1, recompute="none"), machine, Parallelism(strategy=strategy))
        return float(traffic_of(of, machine, layouts).per_gpu["dp"][0])

    assert into_a_gpu(job, "ddp") == pytest.approx(into_a_gpu(full, "ddp") * job.trained_params / LLAMA_70B.params)
    assert 0.6 < into_a_gpu(job, "fsdp") / into_a_gpu(full, "fsdp") < 0.7  # two gathers of three passes


def test_a_base_in_four_bits_takes_a_quarter_of_its_layers_bytes() -> None:
    machine, split = h100(8), Parallelism(strategy="ddp")

    def weights(base: str) -> float:
        job = lora_70b(base=base).with_(micro_batch=1, recompute="full")
        layouts = layouts_for(job, machine, split)
        return float(memory_of(job, machine, machine.framework(None), layouts).weights[0])

    layers = LLAMA_70B.layers * LLAMA_70B.shared_layer_params
    assert weights("bf16") - weights("nf4") == pytest.approx(layers * (2.0 - NF4_BYTES))


def test_a_base_in_fp32_is_gathered_and_multiplied_in_16_bits() -> None:
    def gathered(base: str, gpus: int) -> float:
        job = lora_70b(gpus, base=base).with_(micro_batch=1, recompute="full")
        machine = h100(gpus)
        layouts = layouts_for(job, machine, Parallelism(strategy="fsdp"))
        return float(memory_of(job, machine, machine.framework("fsdp"), layouts).gathered[0])

    assert gathered("fp32", 8) == pytest.approx(gathered("bf16", 8))
    assert gathered("bf16", 1) == 0 < gathered("fp32", 1)  # narrower copies of what is there whole


def test_an_embedding_that_is_also_the_head_stays_whole_where_the_model_is_sharded() -> None:
    tied = architecture_of(CATALOG.models["qwen3-4b"])

    def gathered(architecture: Architecture) -> float:
        job = lora_70b().with_(architecture=architecture, micro_batch=1, recompute="full", loss_bytes=0.0)
        layouts = layouts_for(job, h100(8), Parallelism(strategy="fsdp"))
        return float(memory_of(job, h100(8), h100(8).framework("fsdp"), layouts).gathered[0])

    head = 2.0 * tied.embedding_params
    assert gathered(tied) == pytest.approx(gathered(replace(tied, tied=False)) + head)


def test_peaks_with_adapters_are_within_eight_percent_of_the_measured_ones(report: AdapterReport) -> None:
    for line in report.memory.sources:
        assert line.mean_absolute < 0.08, line.source


def test_lora_of_70b_fits_on_eight_h100_where_full_fine_tuning_does_not() -> None:
    machine = h100(8)
    network = network_of(CATALOG.fabrics["none"], None, machine)
    [lora] = predict_training(lora_70b(), machine, [network])
    [full] = predict_training(lora_70b().with_(adapters=None), machine, [network])
    assert lora.fits and not full.fits
    assert lora.step_time_s < full.step_time_s


def test_no_more_layers_are_recomputed_than_must_be() -> None:
    gpu = CATALOG.gpus["b200"]
    machine = machine_of(gpu, CATALOG.scale_ups[gpu.scale_up], 8, 8, CATALOG.constants)
    job = lora_70b(base="fp8", targets="attention").with_(precision="fp8", framework="megatron", micro_batch=1)
    network = network_of(CATALOG.fabrics["none"], None, machine)
    times = {}
    for recompute in (None, "full"):
        [one] = predict_training(job.with_(recompute=recompute), machine, [network], Parallelism(strategy="zero1"))
        times[recompute] = one
    assert times[None].parallelism["recomputed_layers_percent"] < 100
    assert times[None].step_time_s < times["full"].step_time_s


@pytest.mark.parametrize(("framework", "tried"), [("fsdp", {0.0, 2.0}), ("megatron", {0.0, 1.0, 2.0})])
def test_full_training_recomputes_in_all_layers_or_none_and_in_part_where_the_stack_can(framework, tried) -> None:
    layouts = layouts_for(lora_70b().with_(adapters=None, framework=framework), h100(8), None)
    assert (layouts.recomputed == 1.0).all()
    assert set(np.unique(layouts.recompute)) == tried


def test_every_measured_run_with_adapters_is_said_to_fit(report: AdapterReport) -> None:
    assert report.memory.ran == report.memory.fit


def test_steps_with_adapters_are_within_twelve_percent(report: AdapterReport) -> None:
    """Of each publisher's runs together, but for those whose fused attention of 64k decides."""
    for publisher in ("dgxc", "megatron-bridge", "mlperf", "nemo", "torchtune"):
        lines = [line for line in report.sources if line.source.startswith(f"{publisher}, ")]
        runs = sum(line.runs for line in lines)
        assert sum(line.mean_absolute * line.runs for line in lines) / runs < 0.12, publisher
    assert report.sources[-1].mean_absolute < 0.12  # of all publishers


def test_flash_attention_3_shortens_long_sequences_on_hopper_and_changes_nothing_elsewhere() -> None:
    def seconds(gpu: str, attention: str) -> float:
        one = CATALOG.gpus[gpu]
        machine = machine_of(one, CATALOG.scale_ups[one.scale_up], 8, 8, CATALOG.constants)
        run = replace(lora_70b(), sequence_length=65536, framework="megatron", attention=attention)
        return predict_training(run, machine, [network_of(CATALOG.fabrics["none"], None, machine)])[0].step_time_s

    assert 0.5 < seconds("h200-sxm", "flash-3") / seconds("h200-sxm", "flash") < 0.85
    assert seconds("b200", "flash-3") == seconds("b200", "flash")


def test_a_stack_said_to_multiply_all_experts_at_once_waits_for_none_of_them() -> None:
    runs = {run.id: run for run in adapter_runs(libraries.load().knowledge_folder / "measurements", CATALOG)}
    at_once = runs["ft-076"]
    one_by_one = replace(at_once, job=replace(at_once.job, expert_loop=True))
    assert step_time(at_once) < 0.6 * step_time(one_by_one)
