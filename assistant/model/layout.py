"""How a job may be split over GPUs: many layouts as columns of equal length.

A layout's *slice* is what fixes the shape of the matrices on one GPU (tp, cp, ep, micro-batch, sequence parallel). Many
layouts share a slice, so compute times are worked out once per slice and picked by ``slice_index``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .job import RECOMPUTE, STRATEGIES


@dataclass(frozen=True)
class Slices:
    """Columns of equal length (C,): the part of a layer's matrices one GPU works on."""

    tp: np.ndarray
    cp: np.ndarray
    ep: np.ndarray
    micro_batch: np.ndarray
    sequence_parallel: np.ndarray  # 0 or 1


@dataclass(frozen=True)
class Layouts:
    """Columns of equal length (L,). ``shard``: ranks that share one copy of the optimizer state (1 without ZeRO)."""

    slices: Slices
    slice_index: np.ndarray
    pp: np.ndarray
    dp: np.ndarray
    interleave: np.ndarray
    strategy: np.ndarray
    recompute: np.ndarray
    shard_within_node: np.ndarray
    micro_batches: np.ndarray  # per data-parallel rank and optimizer step
    tp: np.ndarray
    cp: np.ndarray
    ep: np.ndarray
    micro_batch: np.ndarray
    sequence_parallel: np.ndarray

    def __len__(self) -> int:
        return len(self.pp)

    def take(self, index: np.ndarray) -> Layouts:
        """Some of the layouts, in the order of ``index``."""
        columns = {name: value[index] for name, value in self.__dict__.items() if name != "slices"}
        return Layouts(slices=self.slices, **columns)

    def one(self, index: int) -> dict[str, object]:
        """One layout in the questionnaire's words."""
        return {
            "strategy": STRATEGIES[int(self.strategy[index])], "tp": int(self.tp[index]), "pp": int(self.pp[index]),
            "cp": int(self.cp[index]), "ep": int(self.ep[index]), "dp": int(self.dp[index]),
            "interleave": int(self.interleave[index]), "sequence_parallel": bool(self.sequence_parallel[index]),
            "shard_within_node": bool(self.shard_within_node[index]), "micro_batch": int(self.micro_batch[index]),
            "recompute": RECOMPUTE[int(self.recompute[index])],
        }


def layouts_of(slices: Slices, slice_index: np.ndarray, **columns: np.ndarray) -> Layouts:
    """Layouts with the slice columns spread out to one value per layout."""
    spread = {name: getattr(slices, name)[slice_index] for name in Slices.__dataclass_fields__}
    return Layouts(slices=slices, slice_index=slice_index, **columns, **spread)
