"""One step of reinforcement learning: answers are written, judged, learned from, and the new weights sent back.

GRPO and its kin, PPO (2203.02155), and DPO (2305.18290), which writes no answers. A step's phases, after the HybridFlow
paper (2409.19256) and NeMo-RL:

- generation by an engine (:mod:`generation`), on the trainer's GPUs in turns, or on GPUs of its own;
- forward passes over all answers: log-probabilities of the policy, the reference, the critic's values, the reward;
- training: as many optimizer steps as the batch goes into the answers; of the critic too;
- the new weights to the engine (:mod:`weight_sync`).

Synchronous phases add up. With GPUs of their own the two halves can work on different steps (asynchronous): then a step
takes as long as the longer half, and the sync for which both stop. One step off, the engine still waits for its longest
answer; further off, the next prompts follow at once and its batches stay full.

Not modelled: tools and environments that answer between tokens, reward models behind a network, answers that are cut
off and taken up again, GPUs that change sides within a step, what staleness does to learning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from assistant.vocabulary.added import added
from assistant.vocabulary.catalog import Fact
from assistant.vocabulary.plan import Breakdown
from assistant.vocabulary.questionnaire import Parallelism

from .architecture import Architecture
from .fitted import from_catalog
from .generation import Generated, Rollouts, generate
from .job import Job
from .machine import Machine
from .network import Network, Networks
from .training import COMMUNICATION, Outcome, predict_training
from .uncertainty import normal_draws, quantiles
from .weight_sync import METHODS, RESHARD, SPREAD, WeightSync, into_domain, sync_seconds, tensors_of

# Standard deviations of the logarithm: of generation, and of a whole step, whose software changes by a fifth from
# release to release (NeMo-RL v0.4 to v0.5, the same job). With them four of five steps that judge lie within the band.
GENERATION_SPREAD, STEP_SPREAD = 0.22, 0.12
# of a whole step with DeepSpeed, beside the spread of its training
HYBRID_SPREAD = 0.15
BALANCING_STEPS = 4  # splits tried for two halves at once, each from the one before
STATES = 18.0  # bytes per parameter of a critic in training: weights, gradients and Adam's states in mixed precision


@dataclass(frozen=True)
class LoopConstants:
    """``training``: time of training and forward passes against pretraining of as many tokens (answers of all lengths
    in one micro-batch, log-probabilities of every token in FP32, models that change places). ``overhead``: seconds of a
    step outside of its phases (rewards by rule, advantages, engine asleep and awake). ``hybrid``: times the whole step
    for a stack that generates with its training kernels (DeepSpeed-Chat)."""

    training: float = 1.4
    overhead: float = 2.0
    hybrid: float = 3.0


def loop_constants(constants: Mapping[str, Fact] | None) -> LoopConstants:
    """The constants of the catalog (``rl-training`` and so on) over those above."""
    return from_catalog(LoopConstants(), "rl", constants)


@dataclass(frozen=True)
class Loop:
    """A step beside its optimizer steps, which the job has. Lengths in tokens.

    ``rollout_gpus``: GPUs that only generate, of the machine's; ``None``: all of them take turns. ``steps_off``: by how
    many steps answers may be older than the weights, 0 where phases wait for each other. ``weight_sync``: a method, or
    ``None`` for the one that is usual for the placement. ``generates``: not so in DPO.
    """

    answers: int
    prompts: int
    prompt_tokens: float
    mean_answer: float
    longest_answer: float
    rollout_gpus: int | None = None
    rollout_split: int | None = None
    rollout_precision: str = "bf16"
    steps_off: int = 0
    weight_sync: str = RESHARD
    reference: bool = True
    critic: Architecture | None = None
    reward: Architecture | None = None
    generates: bool = True

    @property
    def apart(self) -> bool:
        """Whether generation has GPUs of its own."""
        return self.rollout_gpus is not None

    def rollouts(self, architecture: Architecture) -> Rollouts:
        """What the engine writes in a step."""
        return Rollouts(
            architecture,
            self.answers,
            self.prompts,
            self.prompt_tokens,
            self.mean_answer,
            self.longest_answer,
            self.rollout_precision,
            self.rollout_split,
            shared=not self.apart,
        )


@dataclass(frozen=True)
class StepOutcome:
    """One network. ``outcome`` is of the whole step: seconds, draws and memory of the fullest phase.

    ``training``: one optimizer step by itself. ``generated``: ``None`` without generation. ``memory``: bytes of the
    fullest GPU by phase. ``generation_s`` is all of it, hidden or not; ``sync_s``: seconds of each method on this
    network; ``sync_bytes``: into one scale-up domain by the method in use.
    """

    outcome: Outcome
    training: Outcome
    generated: Generated | None
    memory: dict[str, float]
    generation_s: float
    training_side_s: float
    sync_s: dict[str, float]
    sync_bytes: float


def predict_reinforcement(
    loop: Loop, job: Job, machine: Machine, networks: Sequence[Network], parallelism: Parallelism | None = None
) -> list[StepOutcome]:
    """One outcome per network, in their order. ``job``: one optimizer step on the trainer's GPUs, all of the machine's
    or those that ``loop.rollout_gpus`` leaves; sequences as long as a mean prompt with its answer.

    Raises :class:`InputError` when the job cannot be split over its GPUs.
    """
    judges = _judges_bytes(loop, job)
    trainer = replace(machine, gpus=job.gpus, memory=max(machine.memory - judges, machine.memory / 100.0))
    outcomes = predict_training(job, trainer, networks, parallelism)
    engine = replace(machine, gpus=loop.rollout_gpus) if loop.rollout_gpus else machine
    alike = _generated(loop, job, engine, networks[0]) if networks else None
    crosses = alike is not None and alike.crosses
    made = [_generated(loop, job, engine, network) if crosses else alike for network in networks]
    syncs = _synced(loop, job, machine, Networks(networks), outcomes, made)
    return [
        _outcome(loop, job, machine, outcome, generated, sync, seconds)
        for outcome, generated, (sync, seconds) in zip(outcomes, made, syncs, strict=True)
    ]


def _synced(
    loop: Loop,
    job: Job,
    machine: Machine,
    columns: Networks,
    outcomes: Sequence[Outcome],
    made: Sequence[Generated | None],
) -> list[tuple[WeightSync | None, dict[str, float]]]:
    """What is sent over each network, and how long each method takes; worked out once for all networks that send
    alike."""
    each = [_sync(loop, job, machine, one, generated) for one, generated in zip(outcomes, made, strict=True)]
    times = {
        sync: {method: sync_seconds(sync, method, machine, columns) for method in METHODS}
        for sync in dict.fromkeys(each)
        if sync is not None
    }
    return [
        (sync, {method: float(seconds[at]) for method, seconds in times[sync].items()} if sync else {})
        for at, sync in enumerate(each)
    ]


def _generated(loop: Loop, job: Job, engine: Machine, network: Network) -> Generated | None:
    return generate(loop.rollouts(job.architecture), engine, network) if loop.generates else None


def balanced_rollout_gpus(loop: Loop, job: Job, machine: Machine, networks: Sequence[Network]) -> int:
    """GPUs that generate where two halves work at the same time and neither should wait long: in whole nodes, or in
    powers of two of a single one; of a single GPU that one, and none trains. Looked for on the first network, from the
    work of each half at the split before."""
    if machine.gpus < 2:
        return 1
    tried: dict[int, float] = {}
    wanted = _rounded(machine.gpus / 2.0, machine)
    while wanted not in tried and len(tried) < BALANCING_STEPS:
        part = replace(loop, rollout_gpus=wanted)
        [made] = predict_reinforcement(part, job.with_(gpus=machine.gpus - wanted), machine, networks[:1])
        writing, learning = made.generation_s, made.training_side_s
        tried[wanted] = max(writing, learning)
        work = wanted * writing
        wanted = _rounded(machine.gpus * work / (work + (machine.gpus - wanted) * learning), machine)
    return min(tried, key=tried.__getitem__)


def _rounded(gpus: float, machine: Machine) -> int:
    """Whole nodes that leave one for training, or a power of two inside of one node."""
    unit = machine.gpus_per_node
    if machine.gpus > unit:
        return max(unit, min(round(gpus / unit) * unit, machine.gpus - unit))
    return max(1, min(1 << round(np.log2(max(gpus, 1.0))), machine.gpus // 2))


def _forward_s(outcome: Outcome, slower: float) -> float:
    """Seconds of one pass forward without gradients over the batch of an optimizer step, of which ``slower`` stretches
    all but the waits for sharded weights.

    A third of the arithmetic and of those waits, half of what the passes exchange in between.
    """
    parts = outcome.breakdown
    between = (parts.tp + parts.cp + parts.ep + parts.pp_p2p) / 2.0
    return slower * ((parts.compute + parts.pp_bubble) / 3.0 + between) + outcome.gathers / 3.0


@dataclass(frozen=True)
class _Passes:
    """Seconds of the trainer's phases."""

    logprob: float
    reference: float
    judges: float  # the critic's values and the reward model
    training: float

    @property
    def total(self) -> float:
        return self.logprob + self.reference + self.judges + self.training


def _passes(loop: Loop, job: Job, outcome: Outcome, slower: float, hybrid: float) -> _Passes:
    """Other models take their share of the policy's FLOPs. What trainers do more than pretraining does makes their own
    work ``slower``, and not the bytes of gradients and weights on the network; ``hybrid`` was fitted to whole steps."""
    updates = hybrid * ceil(loop.answers / job.global_batch)
    waits = outcome.breakdown.dp
    training = updates * (slower * (outcome.step_time_s - waits) + waits)
    forward = updates * _forward_s(outcome, slower)
    own = float(job.architecture.train_flops(job.sequence_length))
    critic = float(loop.critic.train_flops(job.sequence_length)) / own if loop.critic else 0.0
    reward = float(loop.reward.train_flops(job.sequence_length)) / own if loop.reward else 0.0
    return _Passes(
        logprob=forward if loop.generates else 0.0,  # DPO has the policy's in its training pass
        reference=forward if loop.reference else 0.0,
        judges=forward * (critic + reward),
        training=training * (1.0 + critic),
    )


def _held(layout: Mapping[str, object], machine: Machine) -> float:
    """Share of the weights that the trainers of one scale-up domain hold together: stages lie one after another, FSDP's
    shards over all ranks (Megatron's order tp-cp-ep-dp-pp)."""
    if machine.domains == 1 or layout["strategy"] == "hsdp":
        return 1.0
    stages = int(str(layout["pp"]))
    of_stage = machine.gpus / stages
    held = max(1.0, machine.domain / of_stage) / stages
    ranks = max(int(str(layout["ep"])), of_stage if layout["strategy"] == "fsdp" else 1.0)
    return min(1.0, held * min(1.0, machine.domain / ranks))


def _outcome(
    loop: Loop,
    job: Job,
    machine: Machine,
    trained: Outcome,
    generated: Generated | None,
    sync: WeightSync | None,
    methods: dict[str, float],
) -> StepOutcome:
    constants = loop_constants(machine.constants)
    slower, hybrid = constants.training, constants.hybrid if job.framework == "deepspeed" else 1.0
    passes = _passes(loop, job, trained, slower, hybrid)
    seconds = _generation(loop, generated) * hybrid
    synced = methods.get(loop.weight_sync, 0.0)
    spread = HYBRID_SPREAD if hybrid != 1.0 else STEP_SPREAD
    trainer = passes.total * trained.draws / trained.step_time_s
    draws = _draws(loop, trainer, seconds, synced, constants.overhead, spread)
    at_once = loop.apart and loop.steps_off > 0
    waiting = max(0.0, seconds - passes.total) if at_once else 0.0
    parts = Breakdown(
        generation=0.0 if at_once else seconds,
        logprob=passes.logprob,
        reference=passes.reference,
        judges=passes.judges,
        training=passes.training,
        weight_sync=synced,
        waiting=waiting,
        other=constants.overhead,
    )
    memory = _memory(loop, job, trained, generated, sync)
    moved = into_domain(sync, loop.weight_sync, machine) if sync else 0.0
    whole = _whole(loop, job, machine, trained, parts, draws, waiting, moved)
    fits = trained.fits and (generated is None or generated.fits) and max(memory.values()) <= machine.memory
    layout = {**trained.parallelism, **_placed(loop, generated)}
    outcome = replace(whole, parallelism=layout, memory_bytes=max(memory.values()), fits=fits)
    return StepOutcome(outcome, trained, generated, memory, seconds, passes.total, methods, moved)


def _generation(loop: Loop, generated: Generated | None) -> float:
    """Seconds of generation: until the last answer, or with batches that stay full where new prompts follow at once."""
    if generated is None:
        return 0.0
    return generated.steady_s if loop.apart and loop.steps_off > 1 else generated.seconds


def _sync(loop: Loop, job: Job, machine: Machine, trained: Outcome, generated: Generated | None) -> WeightSync | None:
    if generated is None:
        return None
    a = job.architecture
    shards = generated.tensor_parallel * generated.pipeline_parallel
    held = 1.0 if loop.apart else _held(trained.parallelism, machine)
    if job.adapters is not None:  # the engine has the frozen model, and loads the adapters beside it
        return WeightSync(2.0 * job.adapters.params(a), 2.0 * tensors_of(a), shards, loop.apart, held)
    return WeightSync(a.bytes(loop.rollout_precision), tensors_of(a), shards, loop.apart, held)


def _draws(
    loop: Loop, trainer: np.ndarray, seconds: float, synced: float, overhead: float, spread: float
) -> np.ndarray:
    """Seconds of the step in every world: the halves err apart, and the step as a whole."""
    generation = seconds * np.exp(GENERATION_SPREAD * normal_draws("generation"))
    sync = synced * np.exp(SPREAD * normal_draws("weight sync"))
    both = np.maximum(trainer, generation) if loop.apart and loop.steps_off else trainer + generation
    return (both + sync + overhead) * np.exp(spread * normal_draws("reinforcement"))


def _judges_bytes(loop: Loop, job: Job) -> float:
    """Bytes that a critic's states and a reward model's weights take on each GPU that trains, shared out evenly."""
    critic = STATES * loop.critic.params if loop.critic else 0.0
    return (critic + (2.0 * loop.reward.params if loop.reward else 0.0)) / job.gpus


def _memory(
    loop: Loop, job: Job, trained: Outcome, generated: Generated | None, sync: WeightSync | None
) -> dict[str, float]:
    """Bytes of the fullest GPU by phase. In turns a trainer's states wait in the host's memory while answers are
    written, and an engine's weights and cache are given back while the trainer works; both have weights at the sync."""
    found = {"training": trained.memory_bytes + _judges_bytes(loop, job)}
    if generated is not None and sync is not None:
        found["generation"] = generated.memory_bytes
        own = job.weight_bytes * job.architecture.params / (1.0 if loop.apart else job.gpus)
        found["weight_sync"] = sync.weights / sync.shards + (0.0 if loop.apart else own)
    return found


def _placed(loop: Loop, generated: Generated | None) -> dict[str, object]:
    if generated is None:
        return {}
    return {
        "rollout_gpus": loop.rollout_gpus,
        "rollout_tensor_parallel": generated.tensor_parallel,
        "rollout_copies": generated.copies,
        "rollout_batch": generated.batch,
        "weight_sync": loop.weight_sync,
    }


def _whole(
    loop: Loop,
    job: Job,
    machine: Machine,
    trained: Outcome,
    parts: Breakdown,
    draws: np.ndarray,
    waiting: float,
    moved: float,
) -> Outcome:
    """The training step's outcome made into the whole step's."""
    total = added(parts.model_dump().values())
    band = quantiles(draws)
    updates = ceil(loop.answers / job.global_batch)
    step = trained.breakdown.model_dump()
    comm = added(step[name] for name in COMMUNICATION) / trained.step_time_s * parts.training
    exposed = parts.weight_sync + (0.0 if waiting > 0.0 else comm)
    tokens = loop.answers * (loop.prompt_tokens + loop.mean_answer)
    flops = updates * job.model_flops / (total * machine.gpus)
    traffic = {name: updates * bytes_ for name, bytes_ in trained.traffic_into_node.items()}
    return replace(
        trained,
        step_time_s=total,
        draws=draws,
        band=trained.band.model_copy(update={"p10": float(band[0]), "p50": float(band[1]), "p90": float(band[2])}),
        tokens_per_s_per_gpu=tokens / (total * machine.gpus),
        tflops_per_gpu=flops / 1e12,
        mfu=flops / machine.peak[job.precision],
        exposed_communication_percent=100.0 * exposed / total,
        breakdown=parts,
        traffic_into_node=traffic | {"weight_sync": moved},
        collectives=updates * trained.collectives,
    )
