"""How a job may be split over GPUs: many layouts as columns of equal length.

A layout's *slice* is what fixes the shape of the matrices on one GPU (tp, cp, ep, micro-batch, sequence parallel), its
*placement* what fixes which ranks share gradients and state (tp, cp, ep, pp, dp, strategy), its *pipeline* what fixes
the schedule (slice, pp, dp, interleaving). Many layouts share each of them, so what depends on one alone is worked out
once for all of them and picked by its index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from .job import RECOMPUTE, STRATEGIES


@dataclass(frozen=True)
class Slices:
    """Columns of equal length (C,): the part of a layer's matrices one GPU works on."""

    tp: np.ndarray
    cp: np.ndarray
    ep: np.ndarray
    etp: np.ndarray  # ranks that share an expert
    micro_batch: np.ndarray
    sequence_parallel: np.ndarray  # 0 or 1

    def take(self, index: np.ndarray) -> Slices:
        """Some of the slices, in the order of ``index``."""
        return Slices(*(getattr(self, column.name)[index] for column in fields(Slices)))


@dataclass(frozen=True)
class Layouts:
    """Columns of equal length (L,). ``placement`` and ``pipeline`` are whole numbers, equal where these are the
    same."""

    slices: Slices
    slice_index: np.ndarray
    placement: np.ndarray
    pipeline: np.ndarray
    pp: np.ndarray
    dp: np.ndarray
    interleave: np.ndarray
    strategy: np.ndarray
    recompute: np.ndarray
    recomputed: np.ndarray  # share of the layers that full recompute is for
    shard_within_node: np.ndarray
    micro_batches: np.ndarray  # per data-parallel rank and optimizer step
    tp: np.ndarray
    cp: np.ndarray
    ep: np.ndarray
    etp: np.ndarray
    micro_batch: np.ndarray
    sequence_parallel: np.ndarray

    def __len__(self) -> int:
        return len(self.pp)

    @property
    def rounds(self) -> np.ndarray:
        """Times a step in which a stage ends a chunk's backward pass and so may scatter its gradients: after every
        micro-batch, or in interleaved pipelines, which take a chunk's micro-batches one after the other in rounds of
        the stages (2407.21783, 3.3.2), after every round."""
        return np.where(self.interleave > 1, np.ceil(self.micro_batches / self.pp), self.micro_batches)

    def rows(self, index: np.ndarray | slice) -> Layouts:
        """Some of the layouts, in the order of ``index``, all slices kept."""
        return Layouts(self.slices, *(getattr(self, name)[index] for name in _COLUMNS))

    def take(self, index: np.ndarray | slice) -> Layouts:
        """Some of the layouts, in the order of ``index``, and the slices they use."""
        found = self.rows(index)
        first, own = distinct(found.slice_index)
        slices = self.slices.take(found.slice_index[first])
        return Layouts(slices, own, *(getattr(found, name) for name in _COLUMNS[1:]))

    def one(self, index: int) -> dict[str, object]:
        """One layout in the questionnaire's words."""
        found: dict[str, object] = {
            "strategy": STRATEGIES[int(self.strategy[index])],
            "tp": int(self.tp[index]),
            "pp": int(self.pp[index]),
            "cp": int(self.cp[index]),
            "ep": int(self.ep[index]),
            "dp": int(self.dp[index]),
            "interleave": int(self.interleave[index]),
            "sequence_parallel": bool(self.sequence_parallel[index]),
            "shard_within_node": bool(self.shard_within_node[index]),
            "micro_batch": int(self.micro_batch[index]),
            "recompute": RECOMPUTE[int(self.recompute[index])],
        }
        if self.ep[index] > 1 and self.etp[index] > 1:
            found["etp"] = int(self.etp[index])
        share = float(self.recomputed[index])
        return found | ({"recomputed_layers_percent": 100.0 * share} if share < 1.0 else {})


_COLUMNS = tuple(field.name for field in fields(Layouts) if field.name != "slices")


def joined(parts: Sequence[Layouts]) -> Layouts:
    """Layouts one after the other."""
    starts = np.cumsum([0, *(len(part.slices.tp) for part in parts)])
    own = [part.slice_index + start for part, start in zip(parts, starts, strict=False)]
    slices = Slices(*(np.concatenate([getattr(p.slices, column.name) for p in parts]) for column in fields(Slices)))
    columns = (np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS[1:])
    return Layouts(slices, np.concatenate(own), *columns)


def layouts_of(slices: Slices, slice_index: np.ndarray, **columns: np.ndarray) -> Layouts:
    """Layouts with the slice columns spread out to one value per layout."""
    spread = slices.take(slice_index)
    return Layouts(slices=slices, slice_index=slice_index, **columns, **spread.__dict__)


def distinct(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``(one row of each different code, ascending by code; the index into them of every row)`` for codes of at least
    0.

    By a table as long as the range of codes where that is short, which takes a tenth of the time of sorting.
    """
    if not len(codes):
        return codes, codes
    low = codes.min()
    span = int(codes.max() - low) + 1
    if span > 16 * len(codes) + 1024:
        _, first, index = np.unique(codes, return_index=True, return_inverse=True)
        return first, index
    offset = codes - low
    table = np.full(span, -1)
    table[offset] = np.arange(len(codes))
    found = np.flatnonzero(table >= 0)
    first = table[found]
    table[found] = np.arange(len(found))
    return first, table[offset]
