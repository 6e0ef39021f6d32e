"""How fast GPUs of a host copy to each other, as nvbandwidth and CUDA's p2pBandwidthLatencyTest print it: a matrix with
a row for each GPU."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median

from assistant.vocabulary.answers import DiagnosisFinding

from .signatures import finding

# In small letters: one is in every headline. What is copied without peer access goes through the host's memory.
HEADS = ("device_to_device_", "p2p=enabled bandwidth", "p2p=enabled bidirectional bandwidth")
_HEAD = re.compile(r"\b(?:device_to_device_\w{1,40}|P2P=Enabled (?:Bidirectional )?Bandwidth)\b", re.IGNORECASE)
_ROW = re.compile(r"\d{1,2}(?:\s+(?:N/A|\d{1,5}\.\d{1,3}))+\Z")
_ACROSS = re.compile(r"(?:D\\D\s+)?0(?:\s+\d{1,2})+\Z|memcpy .{0,80}")
_SLOT = 64.0  # GB/s one way: sixteen lanes of PCIe 5 (PCI-SIG), the fastest slot of these GPUs
_HALF, _MOST, _SHOWN = 0.5, 64, 4
_NAMED, _KEPT = 80, 20_000  # characters of a headline, and pairs


@dataclass
class Copies:
    """Reads the lines of such matrices: GB/s by pair of GPUs, with the line."""

    _pairs: dict[tuple[str, int, int], tuple[float, int]] = field(default_factory=dict)
    _named: str = ""  # the test of which the rows are
    _ways: int = 1
    under_way: bool = False  # whether the next line may be a row

    def take(self, number: int, line: str) -> bool:
        """Read one cleaned line; whether it was of such a matrix."""
        if _HEAD.search(line):
            self._named, self.under_way = line[:_NAMED], "SUM" not in line
            self._ways = 2 if "bidirectional" in line.lower() else 1
        elif self.under_way and _ROW.match(line) and not _ACROSS.match(line):
            row, *cells = line.split()
            for column, cell in enumerate(cells[:_MOST]):
                if cell != "N/A" and column != int(row) and len(self._pairs) < _KEPT:
                    self._pairs[self._named, int(row), column] = float(cell) / self._ways, number
        elif self.under_way:
            self.under_way = not line or _ACROSS.match(line) is not None
            return self.under_way
        else:
            return False
        return True

    @property
    def linked(self) -> bool:
        """Whether most pairs copy faster than a slot of PCIe lets them: what joins them is no slot."""
        return bool(self._pairs) and median(value for value, _ in self._pairs.values()) > _SLOT

    @property
    def seen(self) -> bool:
        """Whether a pair was measured."""
        return bool(self._pairs)

    def findings(self) -> Iterator[DiagnosisFinding]:
        """Pairs that reach less than half of what most do, where these are joined by more than slots."""
        usual = median(value for value, _ in self._pairs.values()) if self._pairs else 0.0
        low = {pair: each for pair, each in self._pairs.items() if each[0] < _HALF * usual}
        if self.linked and low:
            value, line = min(low.values())
            said = ", ".join(dict.fromkeys(f"GPU{min(a, b)} and GPU{max(a, b)}" for _, a, b in low))
            pairs = ", ".join(said.split(", ")[:_SHOWN])
            yield finding("copies-uneven", line, said=pairs, rate=value * self._ways, usual=usual * self._ways)
