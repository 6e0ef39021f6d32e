"""What is found where nobody fixes a split: no split that may be fixed is faster, searched for at random."""

from __future__ import annotations

import datetime
import random
from dataclasses import dataclass

import numpy as np
import pytest

from assistant.library.questionnaires import from_value
from assistant.model import Adapters, Job, Machine, Network
from assistant.model.job import EXPERT_OVERLAPS
from assistant.model.search import divisors
from assistant.model.training import best_times
from assistant.planning.pipeline import CHOICE_ALONE, Pipeline
from assistant.planning.resolve import resolve
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.questionnaire import Parallelism
from tests.modelled import catalog, job, machine, network

DENSE = ["llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b", "gpt-3-175b", "qwen2.5-7b"]
MODELS = [*DENSE, "mixtral-8x7b", "qwen3-30b-a3b", "deepseek-v3", "gpt-oss-120b"]
GPUS = ["h100-sxm", "a100-sxm-80gb", "b200", "l40s", "mi300x", "h200-sxm", "gb200"]


@dataclass(frozen=True)
class Drawn:
    job: Job
    machine: Machine
    networks: list[Network]


def draw_job(rng: random.Random) -> Drawn:
    gpu, gpus = rng.choice(GPUS), rng.choice([2, 8, 16, 32, 64, 96, 128, 256, 512, 1024])
    per_node = min(gpus, catalog().gpus[gpu].gpus_per_node)
    on = machine(gpus, gpu, per_node)
    fabrics = [fabric.id for fabric in catalog().fabrics.values() if fabric.technology not in ("none", "wan")]
    run = job(
        rng.choice(MODELS),
        gpus,
        sequence_length=rng.choice([2048, 4096, 8192, 8192, 32768, 131072]),
        global_batch=rng.choice([16, 60, 64, 96, 256, 512, 960, 1024, 1536]),
        framework=rng.choice([None, "megatron", "fsdp", "deepspeed"]),
        precision=rng.choice(["bf16", "bf16", "fp8"]),
        adapters=rng.choice([None, None, None, Adapters()]),
        expert_overlap=rng.choice(EXPERT_OVERLAPS),
    )
    return Drawn(run, on, [network(fabric, on) for fabric in rng.sample(fabrics, 2)])


def draw_split(rng: random.Random, drawn: Drawn) -> tuple[Job, Parallelism]:
    """A split that a questionnaire may say for this job, and the job with the micro-batch that goes with it.

    FSDP over several stages is read as ZeRO-2; a batch that does not divide is refused; ``async`` and ``diloco`` change
    what is learned and are never chosen.
    """
    run, a = drawn.job, drawn.job.architecture
    while True:
        tp = rng.choice([d for d in divisors(run.gpus, 2 * drawn.machine.domain) if a.heads % d == 0])
        pp = rng.choice(divisors(run.gpus // tp, a.layers))  # layers need not divide
        cp = rng.choice([d for d in divisors(run.gpus // tp // pp, 16) if run.sequence_length % d == 0])
        dp = run.gpus // (tp * pp * cp)
        sizes = [size for size in divisors(run.global_batch, 16) if run.global_batch % (dp * size) == 0]
        if sizes:
            break
    size = rng.choice(sizes)
    rounds = pp > 1 and run.global_batch // (dp * size) % pp == 0 and run.framework != "deepspeed"
    ep = rng.choice([d for d in divisors(a.experts, dp * cp * tp) if dp * cp * tp % d == 0]) if a.experts else 1
    shared = run.gpus // pp % (ep * tp) == 0 and rng.random() < 0.3
    split = {
        "strategy": rng.choice(["ddp", "zero1", "zero2"] + ([] if pp > 1 else ["fsdp", "fsdp", "hsdp"])),
        "tp": tp,
        "pp": pp,
        "cp": cp,
        "ep": ep,
        **({"etp": tp} if a.experts and shared else {}),
        "interleave": rng.randint(1, a.layers // pp) if rounds else 1,
        "sequence_parallel": rng.random() < 0.7,
        "shard_within_node": rng.random() < 0.3,
    }
    return run.with_(micro_batch=size), Parallelism.model_validate(split)


def seconds(run: Job, drawn: Drawn, split: Parallelism | None) -> np.ndarray:
    """Step of each network, infinite where it does not fit."""
    try:
        found = best_times(run, drawn.machine, drawn.networks, split)
    except InputError:
        return np.full(len(drawn.networks), np.inf)
    return np.where(np.isfinite(found), found, np.inf)


@pytest.mark.parametrize("seed", range(40))
def test_no_split_that_may_be_fixed_is_faster_than_the_one_found(seed):
    rng = random.Random(seed)
    drawn = draw_job(rng)
    found = seconds(drawn.job, drawn, None)
    for _ in range(30):
        run, split = draw_split(rng, drawn)
        fixed = seconds(run, drawn, split)
        assert (found <= fixed * (1 + 1e-9)).all(), (run, split, found, fixed)


def test_the_published_split_of_llama_405b_may_be_given(library):
    """126 layers in 16 × 8 chunks: the embedding and the head are one each (2407.21783, 3.3.2). Without a batch one is
    taken whose micro-batches come in rounds of the stages."""
    split = {"strategy": "fsdp", "tp": 8, "pp": 16, "interleave": 8}
    value = {"workload": "pretraining", "model": "llama-3.1-405b", "cluster": {"gpu": "h100-sxm", "gpus": 16384}}
    job = resolve(from_value(value | {"parallelism": split}, library.catalog), library.catalog)
    assert job.global_batch % (16384 // (8 * 16) * 16) == 0


@pytest.mark.parametrize("gpus", [1, 3, 8, 24, 64, 100, 384, 1000, 1024, 1536])
def test_an_assumed_batch_divides_among_ranks_and_into_micro_batches(gpus, library):
    value = {"workload": "pretraining", "model": "llama-3.1-70b", "cluster": {"gpu": "h100-sxm", "gpus": gpus}}
    value |= {"training": {"sequence_length": 4096}}  # four million tokens are 977 sequences
    batch = resolve(from_value(value, library.catalog), library.catalog).global_batch
    assert abs(batch - 977) <= max(0.125 * 977, gpus / 2)
    assert any(
        batch % (gpus // split * size) == 0 for split in (1, 2, 4, 8, 16) for size in (2, 4) if gpus % split == 0
    )


@pytest.mark.parametrize(
    "job",
    [
        {"workload": "rlhf", "parallelism": {"strategy": "fsdp"}},
        {"workload": "rlhf", "parallelism": {"strategy": "zero1"}, "rl": {"algorithm": "ppo"}},
        {"workload": "rlhf", "parallelism": {"strategy": "fsdp"}, "rl": {"prompts_per_step": 64}},
        {"workload": "finetuning", "training": {"method": "qlora"}},
        {"workload": "pretraining", "training": {"method": "qlora", "sequence_length": 512}},
    ],
)
@pytest.mark.parametrize("gpus", [4096, 5344])
def test_a_batch_that_nobody_gave_is_never_what_a_job_is_refused_for(job, gpus, library):
    """More GPUs than a usual batch has sequences, of a method that says how they are split."""
    cluster = {"gpu": "h100-sxm", "gpus": gpus}
    asked = from_value({"model": "mistral-7b", "cluster": cluster, **job}, library.catalog)
    assert Pipeline(library, datetime.date(2026, 11, 20)).decide(asked, CHOICE_ALONE)
