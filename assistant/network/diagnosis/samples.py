"""Of lines that differ in numbers alone, and of which many were read, a sample is read for its numbers: the more there
are the thinner, and the last ones. Every other line is read, and counters of adapters are read where they stand last.
"""

from collections import deque
from collections.abc import Callable, Iterator

from .kinds import Family, Kind
from .tools import Tools

_WHOLE = 2000  # lines of a kind that are all read; of n behind these about _WHOLE / n in turn
_LAST = 256  # of each kind, read at the end of a log: pace.py compares as many steps
_PRIME, _SPREAD = 2654435761, 1 << 32  # Knuth's multiplicative hash: no stride that ranks or hosts in turn may have
_CELLS = 100_000  # counters of adapters that are remembered
_DIGITS, _VALUES = b"0123456789", (b":", b"=", b".", b" ")

Left = tuple[int, bytes, Kind]  # a line's number, the line as it stands in the log, its kind
_Cell = tuple[str, str, bytes]  # host and device as the lines before say, and all of a line but its value


class Samples:
    """Decides which lines of which kinds are read, and keeps the last of the others."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self.open = list[Family]()  # of which lines were left since the last other line
        self._counters: dict[_Cell, Left] = {}
        self._placed: dict[bytes, tuple[str, str]] = {}  # by what stands before a value: of which device it is
        self.met = self.left = 0  # lines of kinds of which a sample is read, and how many of them are not

    def read(self, raw: bytes, kind: Kind, *, telling: bool) -> None:
        """A line was read whole; ``telling``: whether it told of what is looked for in every line."""
        family = kind.family
        kept = self._tools.kept if family.asks_tools else ""
        if family.thinned:
            family.thinned = not telling
            return
        family.whole += 1
        family.telling = family.telling or telling or kept == "other" or not family.kept
        family.counters += kept == "counter"
        family.devices += kept == "device"
        if kept == "device" and len(self._placed) < _CELLS:
            self._placed[_before_value(raw)] = self._tools.placed
        self._thin(family)

    def counted(self, kind: Kind) -> None:
        """A line was looked at for its numbers alone."""
        kind.family.whole += 1
        self._thin(kind.family)

    @staticmethod
    def _thin(family: Family) -> None:
        if family.whole >= _WHOLE and not family.telling and {family.counters, family.devices} <= {0, family.whole}:
            family.thinned = True
            family.next = family.whole + 1 + _hashed(family.whole) % max(1, 2 * family.whole // _WHOLE)

    def leaves(self, number: int, raw: bytes, kind: Kind) -> bool:
        """Whether a line of a thinned family is left."""
        family = kind.family
        family.whole += 1
        self.met += 1
        if family.counters:
            family.counters += 1
            cell = (*self._tools.place, _before_value(raw))
            if cell in self._counters or len(self._counters) < _CELLS:
                self._counters[cell] = number, raw, kind
                self.left += 1
                return True
            return False
        if family.devices:
            family.devices += 1
            if placed := self._placed.get(_before_value(raw)):
                self._tools.again(placed)
                self.left += 1
            return placed is not None
        if family.whole >= family.next:
            family.next = family.whole + 1 + _hashed(family.whole) % (2 * family.whole // _WHOLE)
            return False
        if family.last_left is None:
            family.last_left = deque(maxlen=_LAST)
        if not family.left:
            self.open.append(family)
        family.left += 1
        family.last_left.append((number, raw, kind))
        self.left += 1
        return True

    def before(self) -> Iterator[Left]:
        """The last line that was left of each kind, as another line follows that is read."""
        yield from self._taken(1)

    def at_the_end(self, cleaned: Callable[[bytes], str]) -> Iterator[Left]:
        """The last lines of each kind; counters are told as they stood last."""
        yield from self._taken(_LAST)
        for (host, device, _), (number, raw, _) in self._counters.items():
            self._tools.stand(host, device)
            self._tools.take(number, cleaned(raw))
        self._counters.clear()

    def _taken(self, most: int) -> Iterator[Left]:
        lines = list[Left]()
        for family in self.open:
            left = family.last_left or deque[Left]()
            its = [*left][-most:]
            family.passed += family.left - len(its)
            self.left -= len(its)
            family.left = 0
            left.clear()
            lines += its
        self.open.clear()
        yield from sorted(lines, key=lambda left: left[0])


def _before_value(raw: bytes) -> bytes:
    """A line without the number that ends it, where a sign stands before that."""
    before = raw.rstrip(_DIGITS)
    return before if before[-1:] in _VALUES else raw


def _hashed(number: int) -> int:
    return number * _PRIME % _SPREAD >> 8
