"""Sequences that fit only where something is done to save memory: it is tried, shown and listed as assumed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant import api, library
from assistant.model import Job, architecture_of, machine_of, network_of, predict_training
from assistant.model.job import SAVINGS
from assistant.model.quickest import fitting

CATALOG = library.load().catalog
LLAMA = architecture_of(CATALOG.models["llama-3.1-8b"])


def _machine(gpus: int = 8):
    gpu = CATALOG.gpus["h100-sxm"]
    return machine_of(gpu, CATALOG.scale_up_of(gpu, gpus, 8), gpus, 8, CATALOG.constants)


def _job(length: int, **more) -> Job:
    return Job(LLAMA, 8, "finetuning", sequence_length=length, global_batch=1, **more)


def _predicted(length: int):
    machine = _machine()
    return predict_training(_job(length), machine, [network_of(CATALOG.fabrics["none"], None, machine)])[0]


def test_8b_at_a_million_tokens_on_8_h100_is_planned_and_what_is_assumed_is_listed() -> None:
    job = {"workload": "finetuning", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": 8},
           "training": {"sequence_length": 1048576, "global_batch": 1, "method": "full"}}  # fmt: skip
    made = api.plan(job)
    assert made.recommendation.verdict == "no-network-needed"
    [saved] = [one for one in made.assumptions if one.field == "memory saving"]
    assert "does not fit without" in saved.why and "chunk by chunk" in saved.why
    assert "loss in chunks" in made.written()
    chosen = next(one for one in made.candidates if one.fabric == made.recommendation.fabric)
    assert chosen.fits and (chosen.memory_gb_per_gpu or 0.0) < 80 * 1.0737
    assert chosen.parallelism["recompute"] == "full" and chosen.parallelism["cp"] == 8


def test_a_fixed_split_that_does_not_fit_is_told_what_fits_on_the_gpus_that_are_there() -> None:
    made = api.plan({"workload": "pretraining", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": 8},
                     "training": {"sequence_length": 1048576, "global_batch": 1},
                     "parallelism": {"strategy": "fsdp", "cp": 8}})  # fmt: skip
    told = made.recommendation.smallest_change
    assert told and "with this split it fits on these 8 GPUs where the loss is computed chunk by chunk" in told


@pytest.mark.parametrize(
    "said",
    [
        "full finetuning of llama 8b at 1M tokens of sequence on 8 H100",
        "8B at 1M sequence length on 8 H100",
        "train 8B with sequences of 1M tokens on 8 H100",
        "train 8B at 1M tokens on 8 H100",
        "train 8B on 8 H100 at 1M-token context",
        "continued pretraining to extend Llama 3.1 8B to 1M tokens, 64 H100",
        "how much memory does Llama 3.1 8B need per GPU at 1M context on 64 H100?",
    ],
)
def test_a_million_is_heard_as_the_length_of_a_sequence(said: str) -> None:
    found = api.understand(said)
    assert found.fields["training.sequence_length"] == 1_048_576
    assert "training.tokens" not in found.fields


def test_at_so_many_tokens_is_no_length_where_it_is_a_batch_a_rate_or_a_whole_run() -> None:
    for said in ("at 4M tokens per step", "at 1 million tokens per second", "at 15T tokens", "on 1M tokens"):
        fields = api.understand(f"pretrain 8B on 64 H100 {said}").fields
        assert "training.sequence_length" not in fields, said


def test_a_copy_for_a_million_tokens_says_how_its_gpus_share_it() -> None:
    told = str(api.ask("how many H200 to serve Llama 3.1 405B at 1M context?").computed)
    assert "24 for a copy" in told and "8 ranks of tensor parallelism × 3 stages" in told


@pytest.mark.parametrize(("length", "saving"), [(131072, None), (1048576, "chunked-loss"), (3_670_016, "tiled-mlp")])
def test_no_more_is_done_than_must_be(length: int, saving: str | None) -> None:
    # Arctic Long Sequence Training (2506.13996) trains Llama 8B at 3.7M tokens on 8 H100 with all of it.
    found = _predicted(length)
    assert found.fits
    assert found.parallelism.get("saving") == saving


def test_ten_million_tokens_fit_in_no_way() -> None:
    found = _predicted(10_485_760)
    assert not found.fits and "saving" not in found.parallelism


def test_each_way_takes_less_memory_than_the_one_before() -> None:
    machine = _machine()
    network = network_of(CATALOG.fabrics["none"], None, machine)
    most = [max(_longest(machine, saving), 1) for saving in SAVINGS]
    assert most == sorted(most) and len(set(most)) == len(most)
    assert network.possible


def _longest(machine, saving: str) -> int:
    """Tokens, in powers of two of 16,384, up to which a sequence fits."""
    length = 16384
    while fitting(_job(2 * length, saving=saving), machine)[1]:
        length *= 2
    return length


def test_what_fits_as_it_is_saves_nothing_and_a_fixed_split_is_taken_as_it_is() -> None:
    job = {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": 64}}
    assert not [one for one in api.plan(job).assumptions if one.field == "memory saving"]
    fixed = job | {
        "training": {"sequence_length": 1048576, "global_batch": 8},
        "parallelism": {"strategy": "fsdp", "cp": 8},
    }
    assert not api.predict(fixed).fits


def test_a_slow_link_to_the_host_is_waited_for() -> None:
    machine = _machine()
    network = network_of(CATALOG.fabrics["none"], None, machine)
    seconds = []
    for link in (50e9, 1e6):
        made = predict_training(_job(1048576, saving="offload"), replace(machine, host_link=link), [network])[0]
        seconds.append(made.step_time_s)
    assert seconds[0] < seconds[1]


def test_what_waits_in_the_host_is_held_against_the_ram_of_a_node() -> None:
    """8B in sequences of 3.7M tokens keeps 962 GB of inputs in a host of 2 TB; the RAM of others is not known."""

    def told(gpu: str, length: int) -> tuple[str, list[str]]:
        made = api.plan({"workload": "finetuning", "model": "llama-3.1-8b", "cluster": {"gpu": gpu, "gpus": 8},
                         "training": {"sequence_length": length, "global_batch": 1, "method": "full"}})  # fmt: skip
        why = " ".join(one.why for one in made.assumptions if one.field == "memory saving")
        return why, [one.message for one in made.warnings if one.code == "host-memory"]

    why, warned = told("h100-sxm", 3_670_016)
    assert "962 GB of each node's 2,040 GB, as a usual one has" in why and not warned
    assert "whose RAM the catalog does not know" in told("a100-sxm-80gb", 3_670_016)[0]
