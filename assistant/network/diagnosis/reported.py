"""Tables of GPUs, adapters and hosts with a headline of their own (health checks, exports of monitoring, burn-in
reports), kept as they stand while a log is read."""

import re
from dataclasses import dataclass, field

from .columns import NAMES, Headline, cells_of, headlines_in, meaning_of
from .kinds import Kind

_MOST = 20_000  # rows of a log that are kept: 3 MB
_SHEETS, _KINDS = 1000, 20_000  # tables that are kept, and kinds of rows of which is remembered whether they fit
_FEWEST = 2  # rows of a table
_MISSED = 2  # lines in a row within a table that are none of it
_WIDE = 4096  # bytes of a row
_PREFIX = re.compile(r"([A-Za-z][\w.-]{0,62}): ")  # as pdsh and clush put it before every line
_DRAWN = b"-=+|_ \t\r*~"


@dataclass
class Sheet:
    """One table: its headline, and the rows that fit it, each with the number of its line."""

    line: int
    ways: list[Headline]  # in which the headline may be read, until a row tells
    raw: str
    prefixed: bool = False  # a launcher names the host before it
    rows: list[tuple[int, bytes]] = field(default_factory=list)

    @property
    def headline(self) -> Headline:
        """The headline as it is read."""
        return self.ways[0]

    @property
    def names_parts(self) -> bool:
        """Whether a column says which host or device a row is of."""
        return any(each is not None and each.what in NAMES for each in self.headline.meanings)

    def fits(self, raw: bytes) -> bool:
        """Whether a line has as many cells as the headline has names; the first row tells how the headline is read."""
        line = as_text(raw).strip()
        line = without_prefix(line)[1] if self.prefixed else line
        fitting = [each for each in self.ways if len(cells_of(line, each.split)) == len(each.names)]
        if fitting and not self.rows:
            self.ways = fitting[:1]
        return bool(fitting)


def as_text(raw: bytes) -> str:
    """Lines as text, with the bars that some tools draw between cells as plain ones."""
    return raw.decode("utf-8", errors="replace").replace("│", "|").replace("┃", "|")


def without_prefix(line: str) -> tuple[str, str]:
    """The host that a launcher names before a line, empty without one, and the rest of it."""
    before = _PREFIX.match(line)
    return (before[1], line[before.end() :]) if before else ("", line)


@dataclass
class Reported:
    """Takes the lines of a log that may be headlines and, where a table is under way, all others."""

    sheets: list[Sheet] = field(default_factory=list)
    left: bool = False  # whether there were more rows than are kept
    open: bool = False  # whether the next line may be a row
    _open: Sheet | None = None
    _kept: int = 0
    _missed: int = 0
    _fits: dict[bytes, bool] = field(default_factory=dict)

    def take(self, number: int, raw: bytes, key: bytes, kind: Kind) -> None:
        """Read a line; ``key``: the same for all lines that differ in numbers alone, as their ``kind`` is."""
        if kind.heads:
            if self._headed(number, raw):
                return
            kind.heads_none()
        if self._open is None:
            return
        fits = self._fits.get(key)
        if fits is None:
            if not raw.strip(_DRAWN) or (key.lstrip()[:1] == b"#" and b"0" not in key):  # drawn, or the units
                return
            fits = len(raw) < _WIDE and self._open.fits(raw)
            if len(self._fits) < _KINDS:
                self._fits[key] = fits
        if fits:
            self._missed = 0
            if self._kept < _MOST:
                self._open.rows.append((number, raw))
                self._kept += 1
            else:
                self.left = True
                self.close()
        else:
            self._missed += 1
            if self._missed > _MISSED:
                self.close()

    def _headed(self, number: int, raw: bytes) -> bool:
        """Whether a line is a headline; one that comes again belongs to the table under way."""
        host, line = without_prefix(as_text(raw[:_WIDE]).strip())
        if self._open is not None and self._open.raw == line:
            return True
        ways = headlines_in(line)
        if not ways:
            return False
        self.close()
        if len(self.sheets) < _SHEETS and not self.left:
            self._open = Sheet(number, ways, line, prefixed=bool(host))
            self.open = True
        return True

    def close(self) -> None:
        """End the table under way."""
        if self._open is not None and len(self._open.rows) >= _FEWEST:
            self.sheets.append(self._open)
        self._open, self.open, self._missed = None, False, 0
        self._fits.clear()

    @property
    def monitored(self) -> tuple[int, str] | None:
        """The line of the first table that tells of GPUs, adapters or hosts, and its known columns; ``None`` without
        one."""
        for sheet in self.sheets:
            known = [name for name in sheet.headline.names if meaning_of(name) is not None]
            if any(told.what not in (*NAMES, "time", "model") for told in sheet.headline.meanings if told):
                return sheet.line, ", ".join(known[:6])
        return None
