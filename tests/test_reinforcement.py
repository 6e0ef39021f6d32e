"""Reinforcement learning: a step is a whole step, and what each of its phases asks of GPUs and network."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pytest

from assistant import api
from assistant import library as libraries
from assistant.conversation import Conversation
from assistant.conversation.planner import dated_planner
from assistant.library.checks import check
from assistant.model import architecture_of, machine_of, network_of
from assistant.model.generation import Rollouts, generate, unfinished
from assistant.model.low_communication import WAN_GOODPUT
from assistant.model.network import Networks
from assistant.model.weight_sync import METHODS, WeightSync, sync_seconds, tensors_of
from assistant.planning import plan
from assistant.planning.prediction import predict
from assistant.planning.predictor import Predictor
from assistant.planning.resolve import resolve
from assistant.present.plan.phases import section
from assistant.understanding import Listener
from assistant.validation.reinforcement import reinforcement_report
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Prediction
from assistant.vocabulary.questionnaire import Questionnaire

LIBRARY = libraries.load()
CATALOG = LIBRARY.catalog
QWEN = architecture_of(CATALOG.models["qwen3-30b-a3b"])


def asked(
    gpus: int = 64, model: str = "qwen2.5-32b", fabric: str | None = "infiniband-ndr-400", **rl: Any
) -> Questionnaire:
    given = {
        "workload": "rlhf",
        "model": model,
        "cluster": {"gpu": "h100-sxm", "gpus": gpus, "fabric": fabric},
        "training": {"framework": "megatron"},
        "rl": rl,
    }
    found = Questionnaire.model_validate(given)
    check(found, CATALOG)
    return found


def step(
    gpus: int = 64, model: str = "qwen2.5-32b", fabric: str | None = "infiniband-ndr-400", **rl: Any
) -> Prediction:
    return predict(asked(gpus, model, fabric, **rl), CATALOG)


def h100(gpus: int):
    gpu = CATALOG.gpus["h100-sxm"]
    return machine_of(gpu, CATALOG.scale_ups[gpu.scale_up], gpus, 8, CATALOG.constants)


def test_steps_that_nothing_was_fitted_to_are_within_a_fifth() -> None:
    report = reinforcement_report(LIBRARY.knowledge_folder / "measurements", CATALOG)
    [judged] = [line for line in report.steps if line.use == "validation" and not line.source]
    assert judged.mean_absolute < 0.20 and judged.mean_absolute < judged.null_mean_absolute
    assert 0.85 < judged.ratio < 1.15
    publishers = {line.source.split(",")[0] for line in report.steps if line.use == "validation" and line.source}
    assert publishers == {"deepspeed-chat", "nemo-rl", "verl"}


def test_the_breakdown_has_the_phases_and_adds_up() -> None:
    made = step()
    parts = made.breakdown_s.model_dump()
    assert set(parts) >= {"generation", "logprob", "reference", "training", "weight_sync", "waiting", "other"}
    assert "compute" not in parts
    assert sum(parts.values()) == pytest.approx(made.step_time_s)
    assert made.step_time_p10_s < made.step_time_s < made.step_time_p90_s


def test_generation_is_a_third_to_two_thirds_of_a_synchronous_step() -> None:
    made = step()
    assert 0.3 < made.breakdown_s.generation / made.step_time_s < 0.75


@pytest.mark.parametrize(("mean", "longest"), [(500, 8192), (2000, 4096), (3500, 4096), (4096, 4096)])
def test_lengths_have_the_mean_that_was_said_and_end_at_the_limit(mean: float, longest: float) -> None:
    tokens, left = unfinished(mean, longest, 4000)
    assert left.mean() * longest == pytest.approx(mean, rel=0.01)
    assert tokens.max() <= longest and (np.diff(left) <= 1e-12).all()


def test_a_longer_limit_costs_time_at_the_same_mean() -> None:
    """The batch decays: the longest answers are written alone."""
    machine = h100(16)
    network = network_of(CATALOG.fabrics["infiniband-ndr-400"], None, machine)
    short, long = (
        generate(Rollouts(QWEN, 1024, 64, 512, 2048, most, split=2), machine, network) for most in (4096, 32768)
    )
    assert long.seconds > 1.5 * short.seconds
    assert long.alone_s > short.alone_s
    assert long.steady_s == pytest.approx(short.steady_s, rel=0.01)


def test_two_halves_at_once_take_as_long_as_the_longer() -> None:
    made = step(rollout_gpus=32, asynchronous=True)
    learning = made.learning
    assert learning is not None and learning.at_once
    longer = max(learning.generation_s, learning.training_side_s)
    assert made.step_time_s == pytest.approx(longer + made.breakdown_s.weight_sync + made.breakdown_s.other)
    together = step(rollout_gpus=32, asynchronous=False)
    assert together.step_time_s > made.step_time_s


def test_batches_stay_full_further_off_policy() -> None:
    one, eight = (step(rollout_gpus=32, asynchronous=True, staleness=off) for off in (1, 8))
    assert eight.learning and one.learning and eight.learning.generation_s < one.learning.generation_s


def test_gpus_are_divided_so_that_neither_half_waits_long() -> None:
    made = step(asynchronous=True)
    assert made.learning is not None and made.learning.rollout_gpus
    halves = made.learning.generation_s, made.learning.training_side_s
    assert max(halves) / min(halves) < 2.0
    assert any(a.field == "rl.rollout_gpus" for a in made.assumptions)


def test_a_critic_and_a_reward_model_take_time_and_memory() -> None:
    plain, judged = step(algorithm="grpo"), step(algorithm="grpo", critic="7B", reward_model="7B")
    assert judged.breakdown_s.judges > 0 == plain.breakdown_s.judges
    assert judged.step_time_s > plain.step_time_s
    assert judged.learning and plain.learning
    assert judged.learning.memory_gb["training"] > plain.learning.memory_gb["training"]


def test_ppo_has_a_critic_as_large_as_the_policy() -> None:
    made = step(model="llama-3.1-8b", algorithm="ppo")
    assert made.breakdown_s.judges > 0
    assert any(a.field == "rl.critic" for a in made.assumptions)


def test_dpo_writes_no_answers() -> None:
    made = step(model="llama-3.1-8b", algorithm="dpo")
    assert made.breakdown_s.generation == made.breakdown_s.weight_sync == 0
    assert made.breakdown_s.reference > 0


def test_memory_is_that_of_the_fullest_phase() -> None:
    made = step()
    assert made.learning is not None
    assert set(made.learning.memory_gb) == {"training", "generation", "weight_sync"}
    assert made.memory_gb_per_gpu == pytest.approx(max(made.learning.memory_gb.values()))


def test_the_method_of_the_sync_decides_before_the_network_does() -> None:
    machine = h100(64)
    columns = Networks([network_of(CATALOG.fabrics[f], None, machine) for f in ("infiniband-ndr-400", "roce-v2-200")])
    sync = WeightSync(QWEN.bytes("bf16"), tensors_of(QWEN), 8, apart=True)
    seconds = {method: sync_seconds(sync, method, machine, columns) for method in METHODS}
    for method in METHODS:
        fast, slow = seconds[method]
        assert slow < 2.1 * fast
    first = {method: float(times[0]) for method, times in seconds.items()}
    assert first["disk"] > 3 * first["broadcast"] > 9 * first["checkpoint-engine"]


def test_methods_cross_between_a_fast_and_a_slow_network() -> None:
    """In buckets every node takes the whole model, by shards each GPU its own part: software limits the first on a fast
    network, bytes both on a slow one."""
    machine = h100(64)
    fabrics = ("infiniband-ndr-400", "ethernet-tcp-25")
    columns = Networks([network_of(CATALOG.fabrics[fabric], None, machine) for fabric in fabrics])

    def soonest(shards: int) -> list[str]:
        sync = WeightSync(140e9, 700, shards, apart=True)
        seconds = {method: sync_seconds(sync, method, machine, columns) for method in METHODS}
        return [min(seconds, key=lambda method: seconds[method][at]) for at in range(len(fabrics))]

    assert soonest(2) == ["checkpoint-engine", "broadcast"]  # a slow link is full with one sender
    assert soonest(12) == ["checkpoint-engine", "reshard"]
    assert soonest(32) == ["reshard", "reshard"]


def test_a_mixture_is_sent_tensor_by_tensor_for_seconds_on_any_network() -> None:
    assert tensors_of(QWEN) == pytest.approx(18_867, rel=0.02)
    fast = step(model="qwen3-30b-a3b", rollout_gpus=32, weight_sync="broadcast")
    packed = step(model="qwen3-30b-a3b", rollout_gpus=32, weight_sync="checkpoint-engine")
    assert fast.breakdown_s.weight_sync > 8 > 3 > packed.breakdown_s.weight_sync


def test_a_slow_network_costs_less_than_it_costs_pretraining() -> None:
    """Generation sends nothing, so the whole step feels the network less than its training does."""
    fast, slow = (step(fabric=fabric) for fabric in ("infiniband-ndr-400", "ethernet-tcp-100"))
    training = slow.breakdown_s.training / fast.breakdown_s.training
    assert 1.0 < slow.step_time_s / fast.step_time_s < training
    assert slow.breakdown_s.generation == pytest.approx(fast.breakdown_s.generation)


def test_what_nobody_said_is_assumed_and_listed() -> None:
    made = step()
    listed = {a.field for a in made.assumptions}
    fields = (
        "algorithm prompts_per_step samples_per_prompt prompt_tokens response_tokens max_response_tokens asynchronous"
    )
    assert {f"rl.{name}" for name in f"{fields} rollout_gpus weight_sync reference_model".split()} <= listed
    assert not any("generation between updates" in reason for reason in made.outside_calibration)


def test_nothing_that_was_said_is_listed_as_assumed() -> None:
    said = {
        "algorithm": "grpo",
        "prompts_per_step": 128,
        "samples_per_prompt": 8,
        "prompt_tokens": 300,
        "response_tokens": 1500,
        "max_response_tokens": 6000,
        "asynchronous": False,
        "reference_model": False,
        "weight_sync": "reshard",
    }
    assert not {a.field for a in step(**said).assumptions} & {f"rl.{name}" for name in said}


@pytest.mark.parametrize(
    ("rl", "message"),
    [
        ({"rollout_gpus": 64}, "below cluster.gpus"),
        ({"response_tokens": 9000, "max_response_tokens": 8000}, "at most max_response_tokens"),
        ({"algorithm": "dpo", "asynchronous": True}, "writes no answers"),
        ({"asynchronous": False, "staleness": 2}, "expected asynchronous"),
    ],
)
def test_what_cannot_be_is_refused(rl: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        asked(**rl)


def test_a_reward_model_that_nobody_knows_is_refused_with_what_would_do() -> None:
    with pytest.raises(InputError, match=r"rl\.reward_model|number of parameters"):
        step(reward_model="no-such-model")


def test_other_jobs_have_no_such_section() -> None:
    with pytest.raises(ValueError, match="no rl section"):
        Questionnaire.model_validate(
            {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": 8}, "rl": {}}
        )


def test_a_plan_says_what_weights_ask_of_the_network_and_what_answers_do_not() -> None:
    made = plan(asked(fabric=None), LIBRARY, index=None)
    text = " ".join(str(block) for block in section(made))
    assert "Writing answers asks nothing of the network" in text
    assert "new weights" in text and "checkpoint-engine" in text and "GiB" in text
    best = made.candidates[0]
    assert best.run_hours is not None and best.step_time_s is not None and best.learning is not None
    tokens = 1024 * (512 + 2048)
    assert best.run_hours == pytest.approx(1e9 / tokens * best.step_time_s.p50 / 3600, rel=0.05)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("48 H100 for rollouts and 16 for the trainer", {"cluster.gpus": 64, "rl.rollout_gpus": 48}),
        ("8 nodes for training and 4 for rollouts, all 8-way H100", {"cluster.gpus": 96, "rl.rollout_gpus": 32}),
        ("asynchronous RL with 16 samples per prompt", {"rl.asynchronous": True, "rl.samples_per_prompt": 16}),
        ("PPO on qwen3 8b, responses up to 16k tokens", {"rl.algorithm": "ppo", "rl.max_response_tokens": 16384}),
        ("weights are synced with checkpoint-engine", {"rl.weight_sync": "checkpoint-engine"}),
        ("GRPO without a reference model", {"workload": "rlhf", "rl.reference_model": False}),
    ],
)
def test_a_loop_is_told_in_words(text: str, fields: dict[str, Any]) -> None:
    found = Listener.of(LIBRARY.language, CATALOG).hear(text).fields
    assert fields.items() <= found.items()


def test_the_length_of_answers_is_that_of_what_is_learned_from() -> None:
    conversation = Conversation(LIBRARY, planner=dated_planner(datetime.date(2026, 11, 20), searched=False))
    conversation.start()
    conversation.say("GRPO on qwen3 8b with 16 H100, answers of 3000 tokens")
    assert conversation.draft.fields["rl.response_tokens"] == 3000
    conversation.say("fine-tuning instead, 8 H100")
    assert not any(name.startswith("rl.") for name in conversation.draft.fields)


def test_between_sites_weights_cross_once_a_step_and_gradients_every_update() -> None:
    def between(gbps: float, **rl: Any) -> Prediction:
        given = asked(fabric=None, **rl).model_dump(exclude_unset=True)
        given["cluster"] |= {"sites": 2, "wan_gbps": gbps}
        return predict(Questionnaire.model_validate(given), CATALOG)

    weights = 65.5e9 * 8 / (WAN_GOODPUT * 10e9)  # seconds of a copy of the model over 10 Gb/s
    in_turns = between(10, rollout_gpus=32, asynchronous=False)
    assert in_turns.breakdown_s.weight_sync == pytest.approx(weights, rel=0.1)
    one_off = between(10, rollout_gpus=32, asynchronous=True, staleness=1)
    assert one_off.learning and in_turns.learning
    spare = max(0.0, one_off.learning.training_side_s - one_off.learning.generation_s)
    assert one_off.breakdown_s.weight_sync == pytest.approx(max(0.0, weights - spare), abs=4.0)
    unsaid = between(10, rollout_gpus=32, asynchronous=True)
    assert unsaid.breakdown_s.weight_sync < 5  # two steps off policy: beside the next step
    slow, fast = between(1), between(100)
    assert slow.breakdown_s.training > fast.breakdown_s.training + 500
    further = between(10, rollout_gpus=32, asynchronous=True, staleness=4)
    assert further.breakdown_s.weight_sync < 5


def test_of_adapters_alone_little_is_sent() -> None:
    whole = asked(rollout_gpus=32, weight_sync="reshard")
    training = whole.training.model_copy(update={"method": "lora"}) if whole.training else None
    full, lora = predict(whole, CATALOG), predict(whole.model_copy(update={"training": training}), CATALOG)
    assert full.learning and lora.learning and lora.learning.weight_sync_gb < 0.02 * full.learning.weight_sync_gb


def test_half_the_gpus_keep_half_the_rollouts() -> None:
    """A plan tries its job at other sizes: the share that generates stays, and somebody always trains."""
    made = plan(asked(fabric=None, rollout_gpus=48, asynchronous=True), LIBRARY, index=None)
    assert made.recommendation.verdict == "recommended"
    job = resolve(asked(rollout_gpus=48), CATALOG)
    smaller = Predictor(CATALOG).varied(job, "cluster.gpus", 32)
    assert smaller.loop is not None and smaller.loop.rollout_gpus == 24


def test_a_plan_says_with_how_many_writers_neither_half_would_wait() -> None:
    def said(rollout_gpus: int | None) -> str:
        made = plan(asked(rollout_gpus=rollout_gpus, asynchronous=True), LIBRARY, index=None)
        return " ".join(str(block) for block in section(made))

    assert "neither would wait long" in said(8)
    assert "neither would wait long" not in said(None)


def test_a_slow_network_carries_the_gradients_once_and_no_forward_pass() -> None:
    made = {
        fabric: api.predict(
            {
                "workload": "rlhf",
                "model": "llama-3.1-8b",
                "cluster": {"gpu": "h100-sxm", "gpus": 16, "fabric": fabric},
                "parallelism": {"strategy": "hsdp", "shard_within_node": True},
            }
        ).breakdown_s
        for fabric in ("infiniband-ndr-400", "ethernet-tcp-1")
    }
    fast, slow = made["infiniband-ndr-400"], made["ethernet-tcp-1"]
    assert slow.logprob == pytest.approx(fast.logprob, rel=0.05)
    gradients_s = 2 * (2 - 1) / 2 * 2 * 8.03e9 / (0.94 * 1e9 / 8)
    assert slow.training - fast.training == pytest.approx(gradients_s, rel=0.1)
