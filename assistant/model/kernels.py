"""What GPU kernels cost beyond the family's efficiencies: constants that all families share.

Those in use are the catalog's (``knowledge/catalog/constants/kernels.yaml``, with the rows they were calibrated on);
what stands here is where the calibration starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log, sqrt

from assistant.vocabulary.catalog import Fact
from assistant.vocabulary.questionnaire import NARROW

from .fitted import from_catalog

NODE = 8.0  # GPUs


@dataclass(frozen=True)
class KernelConstants:
    """Shared constants of kernels and launches; times of the host are against those of one layer's forward pass.

    ``fp8_efficiency``: of their doubled peak, FP8 matrices against BF16 ones. ``mxfp8_share``,
    ``nvfp4_share``: what block-scaled products reach of that share (of four bits' own peak). ``fp8_casts``: bytes per
    element to make an FP8 operand of it. ``fp8_launch``: host time of a layer in FP8 against BF16 (scales, casts,
    transposes).
    ``tile``: rows and columns of the output tile whose last wave runs half full. ``depth``: steps along k that filling
    and emptying a tile's pipeline costs. ``backward_launch``: host time of a layer's backward pass. ``tp_launch``:
    extra host time per layer and doubling of tensor parallelism. ``tp_wait``: seconds by which a tensor-parallel
    collective holds up the GPU besides its own time (launch behind the products, the last of its ranks).
    ``attention_depth``: keys that a tile of queries takes the time of besides twice its own, in flash attention.
    ``newest_attention``: of Hopper's flash attention, whose efficiency is FlashAttention-2's, over FlashAttention-3's.
    ``unfused_softmax``: extra host time when Megatron's fused softmax cannot be used. ``score_passes``: times the score
    matrix is written or read forward when attention is not fused. ``outer_launch``: host time of a micro-batch outside
    the layers (batch, embedding, head, loss), while the GPU waits. ``loss_traffic``: bytes per logit of softmax, loss
    and gradient. ``grouped``: time of products grouped by expert against one dense product of the same FLOPs.
    ``permute_passes``: times a mixture layer reads or writes each token's copies (sort, scatter, gather, weighted sum).
    ``mixture_launch``: host time of a mixture layer against a dense one (router, sorting, counts that the host waits
    for). ``expert_traffic``: bytes that a micro-batch moves for each weight of the experts on a rank, beside which
    products of few tokens per expert have little to do; counted, in 16 bits and gradients in 32, it is read twice and
    its gradient read and written, 12. ``slowest``: standard deviation of the speed of GPUs of one kind, by which a
    synchronous step, that goes at the pace of the slowest of them, grows with their number.
    """

    fp8_efficiency: float = 0.9
    mxfp8_share: float = 1.0
    nvfp4_share: float = 0.8
    fp8_casts: float = 4.0
    fp8_launch: float = 1.5
    tile: float = 100.0
    depth: float = 100.0
    backward_launch: float = 0.8
    tp_launch: float = 0.1
    tp_wait: float = 50e-6
    unfused_softmax: float = 0.3
    score_passes: float = 6.5
    attention_depth: float = 200.0
    newest_attention: float = 1.65
    outer_launch: float = 1.0
    loss_traffic: float = 40.0
    grouped: float = 1.05
    permute_passes: float = 6.0
    mixture_launch: float = 2.0
    expert_traffic: float = 12.0
    slowest: float = 0.009

    def pace(self, gpus: int) -> float:
        """Time of the slowest of many GPUs against that of the slowest in a node of eight, where efficiencies were
        measured: the expected largest of n normal spreads is about √(2·ln n) of one."""
        return 1.0 + self.slowest * sqrt(2.0 * log(max(gpus / NODE, 1.0)))

    def of_peak(self, precision: str) -> float:
        """Share of the peak of its own width that products reach, against that of BF16 products of theirs."""
        block = {"mxfp8": self.mxfp8_share, "nvfp4": self.nvfp4_share}.get(precision, 1.0)
        return self.fp8_efficiency * block if precision in NARROW else 1.0


def kernels_from(constants: Mapping[str, Fact] | None) -> KernelConstants:
    """The constants of the catalog (``kernel-tp-launch`` and so on) over those above."""
    return from_catalog(KernelConstants(), "kernel", constants)
