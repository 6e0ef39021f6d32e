"""Reinforcement learning: what was said of the answers of a step, and what is assumed of them.

What is not said is taken from published practice: verl's and NeMo-RL's recipes for GRPO write 16 to 32 answers to each
of 64 to 512 prompts and let an answer be some four times as long as the mean.
"""

from __future__ import annotations

from dataclasses import dataclass

from assistant.library.checks import model_named
from assistant.model import Architecture, architecture_of
from assistant.model.reinforcement import Loop
from assistant.model.weight_sync import CHECKPOINT_ENGINE, RESHARD
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.questionnaire import NARROW, Questionnaire, Reinforcement, Training

from .assumptions import Assumptions
from .batch_sizes import least

ALGORITHM, ANSWERS, SAMPLES, PROMPT, MEAN_ANSWER = "grpo", 1024, 16, 512, 2048
BALANCED = 0  # GPUs that generate: to be worked out
LONGEST_TO_MEAN = 4  # 8,192 tokens at a mean of 2,048
_NEAR_THE_LIMIT = 2  # times the mean, where only the limit is said


@dataclass(frozen=True)
class Answers:
    """The answers of one step, and how many of them an optimizer step learns from."""

    loop: Loop
    sequence_length: int  # of a mean prompt with its answer
    global_batch: int


def answers(
    questionnaire: Questionnaire, architecture: Architecture, precision: str, catalog: Catalog, taken: Assumptions
) -> Answers | None:
    """What a step of reinforcement learning writes and learns; ``None`` for every other job.

    Raises :class:`InputError` for a critic or reward model that nobody knows, or GPUs that cannot be divided.
    """
    if questionnaire.workload != "rlhf":
        return None
    rl, training = questionnaire.rl or Reinforcement(), questionnaire.training or Training()
    algorithm = rl.algorithm or taken.take("rl.algorithm", ALGORITHM, "taken unless PPO, DAPO, RLOO or DPO is said")
    generates = algorithm != "dpo"
    fewest = least(architecture, questionnaire, 1)
    prompts, samples = _counts(rl, training, algorithm, fewest, taken)
    prompt, mean, longest = _lengths(rl, training, taken)
    apart, steps_off = _placement(questionnaire, rl, generates, taken)
    batch = training.global_batch or taken.take(
        "training.global_batch", prompts * samples, "not said: one optimizer step for all answers of a step"
    )
    loop = Loop(
        answers=prompts * samples,
        prompts=prompts,
        prompt_tokens=prompt,
        mean_answer=mean,
        longest_answer=longest,
        rollout_gpus=apart,
        rollout_split=rl.rollout_tensor_parallel,
        rollout_precision=rl.rollout_precision or ("fp8" if precision in NARROW else "bf16"),
        steps_off=steps_off,
        weight_sync=_sync(rl, apart is not None, generates, taken),
        reference=_reference(rl, algorithm, taken),
        critic=_critic(rl, algorithm, architecture, catalog, taken),
        reward=_named("rl.reward_model", rl.reward_model, catalog),
        generates=generates,
    )
    return Answers(loop, prompt + mean, batch)


def with_rollouts_for(questionnaire: Questionnaire, before: int) -> Questionnaire:
    """The questionnaire with as large a share of its GPUs for generation as it had of ``before`` GPUs."""
    rl, gpus = questionnaire.rl, questionnaire.cluster.gpus
    if rl is None or rl.rollout_gpus is None:
        return questionnaire
    kept = min(max(1, round(rl.rollout_gpus * gpus / before)), gpus - 1)
    return questionnaire.model_copy(update={"rl": rl.model_copy(update={"rollout_gpus": max(1, kept)})})


def _counts(rl: Reinforcement, training: Training, algorithm: str, fewest: int, taken: Assumptions) -> tuple[int, int]:
    """Prompts of a step and answers to each; both from the batch where only that is said, else ``fewest`` answers or
    more."""
    usual = {"ppo": 1, "dpo": 2}.get(algorithm, SAMPLES)
    each, at_once = rl.samples_per_prompt, fewest * (training.micro_batch or 1)
    if each is None:
        why = {"ppo": "PPO has a critic, and one answer is enough", "dpo": "a chosen and a rejected answer"}
        batch = training.global_batch if rl.prompts_per_step is None else None
        known = usual if batch is None or batch % usual == 0 else 1
        reason = why.get(algorithm, "not said: a usual group of GRPO")
        at_least = -(-at_once // (rl.prompts_per_step or at_once))
        if training.global_batch is None and known < at_least and algorithm != "dpo":
            known, reason = at_least, "not said: a usual group has too few answers to share out among the ranks"
        each = taken.take("rl.samples_per_prompt", known, reason)
    if rl.prompts_per_step is not None:
        return rl.prompts_per_step, each
    if training.global_batch is not None:
        prompts = max(1, training.global_batch // each)
        why = "as many as the global batch holds: one optimizer step for each step of generation"
        return taken.take("rl.prompts_per_step", prompts, why), each
    prompts, why = max(1, ANSWERS // each), f"not said: {ANSWERS:,} answers, a usual step"
    if prompts * each < at_once:
        prompts = -(-at_once // each)
        why = f"not said: {ANSWERS:,} answers, a usual step, are too few to share out among the data-parallel ranks"
    return taken.take("rl.prompts_per_step", prompts, why), each


def _lengths(rl: Reinforcement, training: Training, taken: Assumptions) -> tuple[int, int, int]:
    """Tokens of a prompt, of a mean answer and of the longest; a sequence length is the limit of both together."""
    room = training.sequence_length
    prompt = rl.prompt_tokens
    if prompt is None:
        usual = PROMPT if room is None else min(PROMPT, max(1, room // 4))
        prompt = taken.take("rl.prompt_tokens", usual, "not said: a usual prompt")
    longest, mean = rl.max_response_tokens, rl.response_tokens
    if longest is None and room is not None:
        longest = max(mean or 1, room - prompt)
        taken.take("rl.max_response_tokens", longest, "what the sequence length leaves beside the prompt")
    if mean is None:
        usual = MEAN_ANSWER if longest is None else max(1, min(MEAN_ANSWER, longest // _NEAR_THE_LIMIT))
        why = "not said: mean answers of reasoning jobs; twice as long, generation and training take twice as long"
        mean = taken.take("rl.response_tokens", usual, why)
    if longest is None:
        why = "not said: a limit of four times the mean; the longest answer is what a synchronous step waits for"
        longest = taken.take("rl.max_response_tokens", LONGEST_TO_MEAN * mean, why)
    return prompt, mean, longest


_ONE_OFF = 1, "not said: one step off policy, what verl and NeMo-RL start with"
_TWO_OFF = (
    2,
    "not said: two steps off policy, so that the weights cross beside a step, as INTELLECT-2 had it (2505.07291)",
)


def _placement(
    questionnaire: Questionnaire, rl: Reinforcement, generates: bool, taken: Assumptions
) -> tuple[int | None, int]:
    """GPUs that only generate (0: to be balanced), and by how many steps answers may be older than the weights."""
    if not generates:
        return None, 0
    at_once = rl.asynchronous if rl.asynchronous is not None else bool(rl.staleness)
    if rl.asynchronous is None and not rl.staleness:
        why = "not said: training waits for the answers, and they for the new weights"
        taken.take("rl.asynchronous", False, why)
    if not at_once:
        if rl.rollout_gpus is None:
            taken.take("rl.rollout_gpus", "all in turns", "not said: the same GPUs write answers and train")
        return rl.rollout_gpus, 0
    off = rl.staleness
    if off is None:
        off = taken.take("rl.staleness", *(_ONE_OFF if questionnaire.cluster.sites == 1 else _TWO_OFF))
    if questionnaire.cluster.gpus == 1:
        raise InputError("expected at least 2 GPUs for two halves at once, got 1", Place(field="rl.asynchronous"))
    if rl.rollout_gpus is None:
        why = "not said: so many that neither half waits long for the other; the split of the plan says how many"
        taken.take("rl.rollout_gpus", "balanced", why)
    return rl.rollout_gpus or BALANCED, max(1, off)


def _sync(rl: Reinforcement, apart: bool, generates: bool, taken: Assumptions) -> str:
    if rl.weight_sync is not None or not generates:
        return rl.weight_sync or RESHARD
    if apart:
        why = "not said: packed into buckets that every node sends, as NeMo-RL does; one rank alone takes longer"
        return taken.take("rl.weight_sync", CHECKPOINT_ENGINE, why)
    return taken.take("rl.weight_sync", RESHARD, "not said: handed over inside the GPUs that take turns")


def _reference(rl: Reinforcement, algorithm: str, taken: Assumptions) -> bool:
    if rl.reference_model is not None:
        return rl.reference_model
    if algorithm == "dapo":
        why = "DAPO has no penalty for leaving the first policy (2503.14476)"
        return taken.take("rl.reference_model", False, why)
    return taken.take("rl.reference_model", True, "not said: its pass over all answers is in the step")


def _critic(
    rl: Reinforcement, algorithm: str, policy: Architecture, catalog: Catalog, taken: Assumptions
) -> Architecture | None:
    if rl.critic is None and algorithm == "ppo":
        taken.take("rl.critic", None, "not said: PPO's critic is taken to be as large as the policy")
        return policy
    return _named("rl.critic", rl.critic, catalog)


def _named(field: str, given: str | None, catalog: Catalog) -> Architecture | None:
    """The architecture of a catalog's id or of a number of parameters."""
    if given is None:
        return None
    return architecture_of(model_named(field, given, catalog))
