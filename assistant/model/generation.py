"""Generation in reinforcement learning: how long an engine's copies take to write all answers of a step.

A step's answers are all asked for at once and there are no others behind them, so the batch of a copy decays: it is
large while most answers are being written and ends with the few longest alone, each token of which takes as long as the
weights take to read. Of the lengths a mean and a limit are known; the distribution that assumes nothing else is the one
of most entropy with this mean on [0, limit], an exponential cut off at the limit (falling for a mean below half of the
limit, rising above it: Jaynes 1957). Seconds of one decoded token are those of serving (:mod:`inference`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assistant.vocabulary.catalog import Fact

from .architecture import Architecture, element_bytes
from .collectives import Wires
from .fitted import from_catalog
from .inference import Serving
from .machine import Machine
from .network import Network, Networks
from .serving_memory import USABLE_MEMORY
from .serving_network import pass_communication
from .serving_time import Split

POINTS = 32  # ages of the batch that are added up: more change nothing by a percent
LAYER_LAUNCH = 12e-6  # seconds per decoded layer that graphs do not hide: a dozen kernels of about a microsecond each
DECODED = 9  # of them those at which a decoded token is worked out, straight in between
LARGEST_BATCH = 256  # answers a copy writes at once: vLLM's default (max_num_seqs)
# of a GPU's memory an engine gets that takes turns with a trainer: what recipes of NeMo-RL and verl set, 0.5 to 0.6
SHARED_MEMORY = 0.6


@dataclass(frozen=True)
class EngineConstants:
    """What an engine inside a training loop takes beside a served model's kernels, in seconds of a decoded token.

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


def unfinished(mean: float, longest: float, points: int = POINTS) -> tuple[np.ndarray, np.ndarray]:
    """``(tokens written, share of the answers that are longer)``, both (points,), at the middle of equal spans.

    The exponential cut off at ``longest`` with this mean; all answers as long as the limit where mean and limit agree.
    """
    at = (np.arange(points) + 0.5) / points
    share = min(max(mean / longest, 1e-3), 1.0)
    if share > 0.995:
        return at * longest, np.ones(points)
    if abs(share - 0.5) < 1e-4:
        return at * longest, 1.0 - at
    slope = _slope(share)
    # survival of exp(-slope·x) on [0, 1]; written so that no exponent is positive
    if slope > 0:
        left = (np.exp(-slope * at) - np.exp(-slope)) / (1.0 - np.exp(-slope))
    else:
        left = (1.0 - np.exp(slope * (1.0 - at))) / (1.0 - np.exp(slope))
    return at * longest, left


def _slope(share: float) -> float:
    """The rate of the cut-off exponential on [0, 1] whose mean is ``share``: bisection, the mean falls with the
    rate."""
    low, high = -1e3, 1e3
    for _ in range(60):
        middle = (low + high) / 2.0
        mean = 0.5 if abs(middle) < 1e-9 else 1.0 / middle - 1.0 / np.expm1(min(middle, 700.0))
        low, high = (middle, high) if mean > share else (low, middle)
    return (low + high) / 2.0


def generate(rollouts: Rollouts, machine: Machine, network: Network) -> Generated:
    """The answers on all GPUs of ``machine``, with the copies that write them soonest, or those of the least memory
    where none fits."""
    tried = [_with(rollouts, machine, network, split) for split in _splits(rollouts, machine)]
    return min(tried, key=lambda one: (not one.fits, one.seconds if one.fits else one.memory_bytes))


def _splits(rollouts: Rollouts, machine: Machine) -> Sequence[Split]:
    """Powers of two inside a domain, and several domains one after another where one does not hold the model."""
    room = machine.memory * rollouts.usable
    needed = rollouts.serving(machine.gpus).weight_bytes * 1.03 / room
    if rollouts.split:
        return [Split(rollouts.split, max(1, -(-int(np.ceil(needed)) // rollouts.split)))]
    most = min(machine.domain, machine.gpus)
    inside = [1 << d for d in range(int(np.log2(most)) + 1) if rollouts.architecture.heads % (1 << d) == 0]
    fitting = [Split(tp, 1) for tp in inside if tp > needed]
    return fitting or [Split(inside[-1], int(np.ceil(needed / inside[-1])))]


def _with(rollouts: Rollouts, machine: Machine, network: Network, split: Split) -> Generated:
    serving = rollouts.serving(machine.gpus)
    copies = machine.gpus // split.gpus
    weights = serving.weight_bytes * 1.03
    room = split.gpus * machine.memory * rollouts.usable - weights
    cache = kv_per_token(serving) * (rollouts.prompt_tokens + rollouts.mean)
    most = min(int(max(room, 0.0) / max(cache, 1.0)), LARGEST_BATCH)
    per_copy = -(-rollouts.answers // max(copies, 1))
    batch = max(1, min(per_copy, most))
    token = _Token(serving, machine, Networks([network]), split)
    tokens, left = unfinished(rollouts.mean, rollouts.longest)
    going = np.maximum(left * batch, 1.0)
    # Copies finish apart: the step waits for the longest answer of all, which is beyond an age with this probability.
    waited = 1.0 - (1.0 - left) ** max(rollouts.answers, 1)
    each = token.seconds(going, rollouts.prompt_tokens + tokens) * waited * (rollouts.longest / len(tokens))
    middle = float(token.seconds(np.array([float(batch)]), np.array([rollouts.prompt_tokens + rollouts.mean / 2]))[0])
    queued = max(0, per_copy - batch) * rollouts.mean / batch * middle
    prefill = prefill_compute(serving, machine, split) / split.pp * rollouts.prompts / max(copies, 1)
    return Generated(
        tensor_parallel=split.tp,
        pipeline_parallel=split.pp,
        copies=copies,
        batch=batch,
        seconds=float(each.sum()) + queued + prefill,
        steady_s=per_copy * rollouts.mean / batch * middle + prefill,
        alone_s=float(each[left < 0.1].sum()),
        memory_bytes=(weights + batch * cache) / split.gpus,
        fits=copies >= 1 and most >= 1,
        crosses=split.gpus > machine.domain,
    )


class _Token:
    """Seconds of one decoded token of a copy."""

    def __init__(self, serving: Serving, machine: Machine, networks: Networks, split: Split) -> None:
        self._serving, self._machine, self._split = serving, machine, split
        self._wires = Wires(machine, networks)
        engine = engine_constants(machine.constants)
        self._host = engine.host
        self._answer = engine.answer + (engine.routed if serving.architecture.experts else 0.0)

    def seconds(self, batch: np.ndarray, context: np.ndarray) -> np.ndarray:
        """For batches of so many answers with so many tokens behind them, (points,)."""
        at = np.unique(np.linspace(0, len(batch) - 1, DECODED).round().astype(int))
        sizes = np.maximum(1, np.round(batch[at])).astype(int).tolist()
        own = [
            decode_compute(
                replace(self._serving, prompt_tokens=int(length), output_tokens=0), self._machine, self._split, size
            )
            for size, length in zip(sizes, context[at], strict=True)
        ]
        seconds = np.interp(np.arange(len(batch)), at, own)
        return seconds + self._communication(batch) + self._host + self._answer * batch

    def _communication(self, batch: np.ndarray) -> np.ndarray:
        """Worked out at the largest and the smallest batch, straight in between."""
        if self._split.gpus == 1:
            return np.zeros(len(batch))
        hidden = 2.0 * self._serving.architecture.hidden
        low, high = float(batch.min()), float(batch.max())
        times = [
            float(np.ravel(pass_communication(self._wires, self._serving.architecture, self._split, size * hidden))[0])
            for size in (low, high)
        ]
        return np.interp(batch, [low, high], times) if high > low else np.full(len(batch), times[0])


def decode_compute(serving: Serving, machine: Machine, split: Split, batch: int) -> float:
    """Seconds of one decoded token for ``batch`` requests: the larger of reading and arithmetic, stage after stage."""
    a = serving.architecture
    touched = 1.0 - (1.0 - a.experts_per_token / a.experts) ** batch if a.experts else 1.0
    params = a.layers * (a.shared_layer_params + a.expert_layer_params * touched) + a.embedding_params
    weights = params * element_bytes(serving.precision)
    cache = batch * kv_per_token(serving) * (serving.prompt_tokens + serving.output_tokens / 2)
    read = (weights + cache) / (split.tp * machine.memory_bandwidth * machine.memory_efficiency)
    arithmetic = 2.0 * a.matmul_params * batch / (split.tp * machine.peak[serving.precision] * machine.gemm_efficiency)
    return max(read, arithmetic) + a.layers * LAYER_LAUNCH


def prefill_compute(serving: Serving, machine: Machine, split: Split) -> float:
    """Seconds of arithmetic for one prompt (causal half of attention)."""
    a, s = serving.architecture, serving.prompt_tokens
    products = 2.0 * a.matmul_params * s / (machine.peak[serving.precision] * machine.gemm_efficiency)
    attention = float(a.attention_flops(s)) * s / (machine.peak["bf16"] * machine.attention_efficiency)
    return (products + attention) / split.tp + a.layers * LAYER_LAUNCH


def kv_per_token(serving: Serving) -> float:
    """Cache bytes of one token."""
    return serving.architecture.kv_bytes_per_token("bf16")
