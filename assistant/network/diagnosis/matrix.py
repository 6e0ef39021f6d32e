"""The matrix of ``nvidia-smi topo -m``: what joins the GPUs of a host with each other and with its adapters."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from assistant.vocabulary.answers import DiagnosisFinding

from .signatures import finding

# From near to far, as nvidia-smi's legend has them: one bridge, several, the host bridge, a NUMA node, between sockets.
_FAR = {"PIX": 0, "PXB": 1, "PHB": 2, "NODE": 3, "SYS": 4}
_NEAR = _FAR["NODE"]
_LINKS: dict[str, Literal["nvlink", "xgmi"]] = {"NV": "nvlink", "XGMI": "xgmi"}  # how rocm-smi calls AMD's
_HEAD = re.compile(r"(?:GPU|NIC)\d{1,2}\Z|mlx5_\w{1,12}\Z")
_ITSELF = frozenset({"X", "XGMI", "PCIE"})  # one is in each row: rocm-smi has 0 for a GPU and itself
_MOST = 64  # rows
_SHOWN = 4


@dataclass
class Matrix:
    """Reads the lines of such matrices."""

    _heads: list[str] = field(default_factory=list)
    _rows: dict[str, tuple[list[str], int]] = field(default_factory=dict)
    _begun: bool = False  # whether a row of the last headline was read: rocm-smi's tables of weights and hops have none
    under_way: bool = False  # whether the next line may be a row

    def take(self, number: int, line: str) -> None:
        """Read one cleaned line."""
        words = line.split()
        if words[0] == "GPU0" and words[1:2] == ["GPU1"]:
            self._heads, self._begun, self.under_way = [word for word in words if _HEAD.match(word)], False, True
        elif self._heads and words[0] in self._heads and not _ITSELF.isdisjoint(words) and len(self._rows) < _MOST:
            self._rows, self._begun = self._rows if self._begun else {}, True
            self._rows[words[0]] = (words[1 : len(self._heads) + 1], number)
        else:
            self.under_way = False

    def _cells(self, kinds: tuple[str, ...]) -> Iterator[tuple[str, list[tuple[str, str]], int]]:
        """By GPU what joins it to the others of a kind, and its line."""
        for gpu, (cells, line) in self._rows.items():
            if gpu.startswith("GPU"):
                its = [(head, cell) for head, cell in zip(self._heads, cells, strict=False) if head.startswith(kinds)]
                yield gpu, [(head, cell) for head, cell in its if cell not in ("X", "0")], line

    @property
    def linked(self) -> bool:
        """Whether the matrix shows NVLink between all GPUs of the host."""
        rows = [its for _, its, _ in self._cells(("GPU",))]
        return len(rows) > 1 and all(its and all(cell.startswith("NV") for _, cell in its) for its in rows)

    @property
    def joins(self) -> Literal["nvlink", "xgmi", "pcie"] | None:
        """The best that joins two GPUs of the host; ``None`` without a matrix of several."""
        cells = {cell for _, its, _ in self._cells(("GPU",)) for _, cell in its}
        for begins, link in _LINKS.items():
            if any(cell.startswith(begins) for cell in cells):
                return link
        return "pcie" if cells & {*_FAR, "PCIE"} else None

    @property
    def adapters(self) -> int:
        """How many adapters the matrix of a host has."""
        return sum(not head.startswith("GPU") for head in self._heads) if self._rows else 0

    def findings(self, *, slow: bool) -> Iterator[DiagnosisFinding]:
        """GPUs that NVLink joins to most others and not to all; in a ``slow`` job, GPUs without an adapter near them
        where others have one."""
        yield from self._unlinked()
        if slow:
            yield from self._far()

    def _unlinked(self) -> Iterator[DiagnosisFinding]:
        rows = list(self._cells(("GPU",)))
        usual, count = Counter(cell for _, its, _ in rows for _, cell in its).most_common(1)[0] if rows else ("", 0)
        if len(rows) < _SHOWN or not usual.startswith("NV") or count < sum(len(its) for _, its, _ in rows) / 2:
            return
        odd = [(gpu, other, cell, line) for gpu, its, line in rows for other, cell in its if cell != usual]
        if odd:
            said = ", ".join(f"{gpu} and {other}: {cell}" for gpu, other, cell, _ in odd[:_SHOWN])
            yield finding("nvlink-uneven", odd[0][3], said=said, usual=usual)

    def _far(self) -> Iterator[DiagnosisFinding]:
        nearest = {
            gpu: (min(_FAR.get(cell, len(_FAR)) for _, cell in its), line)
            for gpu, its, line in self._cells(("NIC", "mlx5_"))
            if its
        }
        far = {gpu: line for gpu, (distance, line) in nearest.items() if _NEAR < distance < len(_FAR)}
        if far and len(far) < len(nearest):
            yield finding("adapters-far", min(far.values()), gpus=", ".join([*far][:8]))
