"""Generation in reinforcement learning: how long an engine's copies take to write all answers of a step.

A step's answers are all asked for at once and there are no others behind them, so the batch of a copy decays: it is
large while most answers are being written and ends with the few longest alone, each token of which takes as long as the
weights take to read. Of the lengths a mean and a limit are known; the distribution that assumes nothing else is the one
of most entropy with this mean on [0, limit], an exponential cut off at the limit (falling for a mean below half of the
limit, rising above it: Jaynes 1957). Seconds of one decoded token are those of serving (:mod:`serving_time`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assistant.vocabulary.catalog import Fact

from .architecture import Architecture
from .bursts import unfinished
from .collectives import Wires
from .fitted import from_catalog
from .inference import Serving
from .machine import Machine
from .network import Network, Networks
from .serving_constants import engine_of, serving_constants
from .serving_memory import USABLE_MEMORY, memory_used, requests_held
from .serving_network import pass_communication
from .serving_time import Engined, Load, Shape, Split, prefilled

ENGINE = "vllm"  # what NeMo-RL and verl generate with unless told otherwise
LARGEST_BATCH = 256  # answers a copy writes at once: vLLM's default (max_num_seqs)
# of a GPU's memory an engine gets that takes turns with a trainer: what recipes of NeMo-RL and verl set, 0.5 to 0.6
SHARED_MEMORY = 0.6


@dataclass(frozen=True)
class EngineConstants:
    """What an engine inside a training loop takes beside a served model's time, in seconds of a decoded token.

    ``host``: scheduling and sampling of one step of the batch. ``answer``: per answer in the batch (log-probabilities,
    stop conditions, detokenising). ``routed``: per answer in the batch of a mixture besides: few tokens for each expert
    fill their tiles badly.
    """

    host: float = 6e-3
    answer: float = 10e-6
    routed: float = 60e-6


def engine_constants(constants: Mapping[str, Fact] | None) -> EngineConstants:
    """The constants of the catalog (``rollout-host`` and so on) over those above."""
    return from_catalog(EngineConstants(), "rollout", constants)


@dataclass(frozen=True)
class Rollouts:
    """The answers of one step. ``answers``: all of them; ``prompts`` of them have a prompt of their own, whose cache
    the others share. ``mean`` and ``longest`` tokens of an answer. ``split`` fixes the GPUs of a copy; ``shared``:
    whether the engine takes turns with a trainer on its GPUs."""

    architecture: Architecture
    answers: int
    prompts: int
    prompt_tokens: float
    mean: float
    longest: float
    precision: str = "bf16"
    split: int | None = None
    shared: bool = True

    def serving(self, gpus: int) -> Serving:
        """The engine as the serving model sees it, answers half written on average."""
        return Serving(
            self.architecture, gpus, self.precision, round(self.prompt_tokens), max(1, round(self.mean)), offline=True
        )

    @property
    def formats(self) -> tuple[str, str]:
        """Of weights and cache."""
        return self.precision, "bf16"

    @property
    def lengths(self) -> tuple[float, float]:
        """Tokens of prompt and answer of which half is written on average: a batch waits until its answers are there,
        and holds them whole."""
        return self.prompt_tokens, 2.0 * self.mean

    @property
    def usable(self) -> float:
        """Share of a GPU's memory for weights and cache."""
        return SHARED_MEMORY if self.shared else USABLE_MEMORY


@dataclass(frozen=True)
class Generated:
    """Generation on some GPUs. Seconds; bytes of one GPU.

    ``seconds``: until the last answer of all copies is there. ``steady_s``: the same answers where others follow at
    once, so that every batch stays full. ``alone_s``: the part of ``seconds`` in which fewer than a tenth of the
    answers are still being written. ``crosses``: whether a copy spans scale-up domains.
    """

    tensor_parallel: int
    pipeline_parallel: int
    copies: int
    batch: int
    seconds: float
    steady_s: float
    alone_s: float
    memory_bytes: float
    fits: bool
    crosses: bool


def generate(rollouts: Rollouts, machine: Machine, network: Network) -> Generated:
    """The answers on all GPUs of ``machine``, with the copies that write them soonest, or those of the least memory
    where none fits."""
    wires, ages = Wires(machine, Networks([network])), unfinished(rollouts.mean, rollouts.longest)
    tried = [_with(rollouts, wires, ages, split) for split in _splits(rollouts, machine)]
    return min(tried, key=lambda one: (not one.fits, one.seconds if one.fits else one.memory_bytes))


def _splits(rollouts: Rollouts, machine: Machine) -> Sequence[Split]:
    """Powers of two inside a domain, and several domains one after another where one does not hold the model."""
    most = min(machine.domain, machine.gpus)
    inside = [1 << d for d in range(int(np.log2(most)) + 1) if rollouts.architecture.heads % (1 << d) == 0]
    inside = [rollouts.split] if rollouts.split else inside
    fitting = [Split(tp) for tp in inside if _held(rollouts, machine, Split(tp)) >= 1]
    if fitting:
        return fitting
    stages = 2
    while stages * inside[-1] < machine.gpus and _held(rollouts, machine, Split(inside[-1], stages)) < 1:
        stages += 1
    return [Split(inside[-1], stages)]


def _held(rollouts: Rollouts, machine: Machine, split: Split) -> float:
    """Answers that a copy holds, by the same accounting as a served model's."""
    return requests_held(rollouts.architecture, machine, split, rollouts.formats, rollouts.lengths, rollouts.usable)


def _with(rollouts: Rollouts, wires: Wires, ages: tuple[np.ndarray, np.ndarray], split: Split) -> Generated:
    """``ages``: tokens behind an answer, and the share of answers that are longer."""
    machine, (tokens, left) = wires.machine, ages
    serving = rollouts.serving(machine.gpus)
    copies = machine.gpus // split.gpus
    most = min(int(_held(rollouts, machine, split)), LARGEST_BATCH)
    per_copy = -(-rollouts.answers // max(copies, 1))
    batch = max(1, min(per_copy, most))
    token = _Token(serving, wires, split)
    going = np.maximum(left * batch, 1.0)
    # Copies finish apart: the step waits for the longest answer of all, which is beyond an age with this probability.
    waited = 1.0 - (1.0 - left) ** max(rollouts.answers, 1)
    each = token.seconds(going, rollouts.prompt_tokens + tokens) * waited * (rollouts.longest / len(tokens))
    middle = float(token.seconds(np.array([float(batch)]), np.array([rollouts.prompt_tokens + rollouts.mean / 2]))[0])
    queued = max(0, per_copy - batch) * rollouts.mean / batch * middle
    prefill = token.prompts(rollouts.prompts / max(copies, 1), rollouts.prompt_tokens)
    return Generated(
        tensor_parallel=split.tp,
        pipeline_parallel=split.pp,
        copies=copies,
        batch=batch,
        seconds=float(each.sum()) + queued + prefill,
        steady_s=per_copy * rollouts.mean / batch * middle + prefill,
        alone_s=float(each[left < 0.1].sum()),
        memory_bytes=memory_used(
            rollouts.architecture,
            split,
            (rollouts.precision, "bf16"),
            (rollouts.prompt_tokens, 2.0 * rollouts.mean),
            batch,
        ),
        fits=copies >= 1 and most >= 1,
        crosses=split.gpus > machine.domain,
    )


class _Token:
    """Seconds of one decoded token of a copy, and of its prompts."""

    def __init__(self, serving: Serving, wires: Wires, split: Split) -> None:
        machine = wires.machine
        self._wires, self._split = wires, split
        constants, engine = serving_constants(machine.constants), engine_of(ENGINE, machine.constants)
        formats = serving.precision, "bf16"
        self._engined = Engined(serving.architecture, machine, split, *formats, constants, engine, streamed=False)
        training = engine_constants(machine.constants)
        self._host = training.host
        self._answer = training.answer + (training.routed if serving.architecture.experts else 0.0)

    def seconds(self, batch: np.ndarray, context: np.ndarray) -> np.ndarray:
        """For batches of so many answers with so many tokens behind them, (points,)."""
        own = self._engined.step(Shape(batch, context))
        return own + self._communication(batch) + self._host + self._answer * batch

    def prompts(self, many: float, tokens: float) -> float:
        """Of so many prompts of a length, on stages that work at once."""
        load = Load(tokens, 1.0, many, many)
        return float(prefilled(self._engined, load, many)) / self._split.pp if many else 0.0

    def _communication(self, batch: np.ndarray) -> np.ndarray:
        """Across scale-up domains, worked out at the largest and the smallest batch, straight in between."""
        architecture, low, high = self._engined.architecture, float(batch.min()), float(batch.max())
        if self._split.gpus <= self._wires.machine.domain:
            return np.zeros(len(batch))
        times = [
            float(
                np.ravel(pass_communication(self._wires, architecture, self._split, size * 2.0 * architecture.hidden))[
                    0
                ]
            )
            for size in sorted({low, high})
        ]
        return np.interp(batch, [low, high], times) if high > low else np.full(len(batch), times[0])
