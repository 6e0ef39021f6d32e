"""What the quantitative model says of one job on one network."""

from __future__ import annotations

from typing import Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from ..counted import instances_told
from .parts import Assumption, Band, Contract

PHASES = ("generation", "logprob", "reference", "judges", "training", "weight_sync", "waiting")


class Breakdown(Contract):
    """Where the seconds of one step go; the parts add up to the step time. Communication parts are the exposed time.

    Of reinforcement learning the phases of a whole step, as its trainer sees them: ``judges`` are critic and reward
    model, ``waiting`` is for answers that are written at the same time on other GPUs. Written out are the phases of
    such a step or the parts of an optimizer step, never both.
    """

    compute: float = 0.0
    recompute: float = 0.0
    tp: float = 0.0
    cp: float = 0.0
    ep: float = 0.0
    pp_bubble: float = 0.0
    pp_p2p: float = 0.0
    dp: float = 0.0
    optimizer: float = 0.0
    generation: float = 0.0
    logprob: float = 0.0
    reference: float = 0.0
    judges: float = 0.0
    training: float = 0.0
    weight_sync: float = 0.0
    waiting: float = 0.0
    other: float = 0.0

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler) -> dict[str, float]:
        phases = any(getattr(self, name) for name in PHASES)
        return {name: seconds for name, seconds in write(self).items() if name == "other" or (name in PHASES) is phases}


class LearningStep(Contract):
    """Of a step of reinforcement learning what its breakdown does not say.

    ``generation_s`` and ``training_side_s`` are the two halves, whether or not they run ``at_once``; ``alone_s`` the
    part of generation in which fewer than a tenth of the answers are still being written. ``weight_sync_s``: seconds of
    each method on this network, ``weight_sync_gb`` what enters a node by the method in use. ``memory_gb``: of the
    fullest GPU by phase.
    """

    generation_s: float
    training_side_s: float
    at_once: bool
    alone_s: float
    generation_crosses_nodes: bool
    rollout_gpus: int | None
    weight_sync: str | None
    weight_sync_s: dict[str, float]
    weight_sync_gb: float
    memory_gb: dict[str, float]


class ServingFigures(Contract):
    """What all GPUs together serve at the load that was said, or as fully used as is usual; times in seconds.
    ``carries_requests_per_s``: at most, within the targets; 0 where not even one request is answered in time."""

    ttft_s: float
    ttft_s_p10: float
    ttft_s_p90: float
    tpot_s: float
    tpot_s_p10: float
    tpot_s_p90: float
    concurrency: int
    max_concurrency: int
    output_tokens_per_s: float
    output_tokens_per_s_p10: float
    output_tokens_per_s_p90: float
    total_tokens_per_s: float
    total_tokens_per_s_p10: float
    total_tokens_per_s_p90: float
    output_tokens_per_s_per_gpu: float
    output_tokens_per_s_per_gpu_p10: float
    output_tokens_per_s_per_gpu_p90: float
    requests_per_s: float
    requests_per_s_p10: float
    requests_per_s_p90: float
    copies: int
    gpus_per_copy: int
    kv_gb_per_request: float
    network_gb_per_s_per_node: float
    carries_requests_per_s: float = 0.0
    meets_targets: bool | None = None
    # Prompts and answers apart: instances of each side and GPUs of one; how long a prompt's cache moves, which share of
    # the network between them that takes, and which it would take were the network never in the way
    prefill_workers: int | None = None
    prefill_gpus: int | None = None
    decode_workers: int | None = None
    decode_gpus: int | None = None
    kv_transfer_s: float | None = None
    kv_link_percent: float | None = None
    kv_link_wanted_percent: float | None = None

    @property
    def tpot_band(self) -> Band:
        """Seconds of each further token."""
        return Band(p10=self.tpot_s_p10, p50=self.tpot_s, p90=self.tpot_s_p90)

    @property
    def gpus_at_work(self) -> int:
        """Of all copies, or of the instances of both sides."""
        if self.prefill_workers is None:
            return self.copies * self.gpus_per_copy
        sides = (self.prefill_workers, self.prefill_gpus), (self.decode_workers, self.decode_gpus)
        return sum((workers or 0) * (gpus or 0) for workers, gpus in sides)

    @property
    def instances(self) -> str:
        """``3 copies of 8 GPUs``, or what reads prompts and what writes answers."""
        apart = {} if self.prefill_workers is None else self.model_dump(include=_SIDES)
        return instances_told(apart, self.copies, self.gpus_per_copy)


_SIDES = {"prefill_workers", "prefill_gpus", "decode_workers", "decode_gpus"}


class Prediction(Contract):
    """The quantitative model's answer for one questionnaire on one fabric.

    ``step_time_s`` has every estimate at its middle and is the sum of ``breakdown_s``; ``step_time_p50_s`` is the
    median of the error band, the step that a plan names.
    """

    id: str | None
    step_time_s: float
    step_time_p10_s: float
    step_time_p90_s: float
    tokens_per_s_per_gpu: float
    tflops_per_gpu: float
    mfu: float
    memory_gb_per_gpu: float
    fits: bool
    exposed_communication_percent: float
    parallelism: dict[str, Any]
    breakdown_s: Breakdown
    fabric: str | None = None
    step_time_p50_s: float | None = None
    # training: a step that is longer than 99 in 100 of the run
    step_time_p99_s: float | None = None
    # training: what failures and checkpoints leave of the time
    effective_time_percent: Band | None = None
    learning: LearningStep | None = None
    serving: ServingFigures | None = None
    outside_calibration: list[str] = Field(default_factory=list)
    assumptions: list[Assumption] = Field(default_factory=list)
