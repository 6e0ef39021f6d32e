"""Reads a dated list of prices.

A list is a CSV with a line for each price. Its columns may be named as in any of the tables that go round: our own
(``usd_per_gpu_hour``, ``region_scope``), collections of prices (``price_usd_per_gpu_hour``), and the public SkyPilot
catalog, a file per cloud whose prices are those of a whole machine (``InstanceType``, ``AcceleratorName``,
``AcceleratorCount``, ``Price``, ``SpotPrice``, ``Region``).
"""

from __future__ import annotations

import contextlib
import csv
import datetime
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import get_args

from assistant.vocabulary.catalog import Tier, Trust
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.prices import Listed, PriceChange
from assistant.vocabulary.quantities import DAYS_PER_MONTH, shown

from .files import check_columns, checked, content_of, marked

# Our word for a column, and those that a header may have for it.
COLUMNS: dict[str, tuple[str, ...]] = {
    "provider": ("provider", "cloud", "vendor", "seller"),
    "instance": ("instance", "instancetype", "instance_type"),
    "gpu": ("gpu", "acceleratorname"),
    "gpus": ("gpus", "acceleratorcount", "gpus_per_node", "number of gpus", "gpu count"),
    "fabric": ("fabric", "network", "interconnect"),
    "tier": ("tier",),
    "months": ("months",),
    "region": ("region", "region_scope"),
    "gpu_hour": ("usd_per_gpu_hour", "price_usd_per_gpu_hour", "gpu price", "gpu rate", "rate per gpu hour"),
    "machine_hour": ("price_usd_per_hour", "price per hour", "price", "price per machine hour", "price per node hour"),
    "spot_gpu_hour": ("spot_usd_per_gpu_hour",),
    "spot_machine_hour": ("spotprice",),
    "date": ("date", "day", "as of"),
    "source": ("source",),
    "trust": ("trust",),
}
_SAYS_NO_MORE = frozenset({"per", "usd", "us", "in", "dollars", "the", "of", "a"})  # words of a heading
_SHORT_FOR: dict[str, str] = {"h": "hour", "hr": "hour", "hours": "hour"}
_PRICED = ("gpu_hour", "machine_hour", "spot_gpu_hour", "spot_machine_hour")
# What lists call the tiers; (tier, months of the term).
_TIERS: dict[str, tuple[Tier, float | None]] = {
    **{word: ("on-demand", None) for word in ("", "on-demand", "on demand", "ondemand", "secure", "community")},
    **{word: ("on-demand", None) for word in ("marketplace", "production", "prototyping")},
    **{word: ("on-demand", None) for word in ("pay-as-you-go", "payg", "hourly", "list", "on-demand and spot")},
    **{word: ("spot", None) for word in ("spot", "preemptible", "interruptible")},
    **{"reserved": ("reserved", None), "capacity-block": ("capacity-block", None)},
}
# "reserved-3m", "reserved 1 year", "6-month commitment": a number, the unit of time behind it, words that say no more.
_PARTS_OF_A_TERM = re.compile(r"[a-z]+|\d+(?:\.\d+)?")
_OF_A_TERM = frozenset({"reserved", "reservation", "commitment", "committed", "commit", "contract", "term"})
_MONTHS = {
    **dict.fromkeys(("y", "yr", "yrs", "year", "years"), 12.0),
    **dict.fromkeys(("m", "mo", "month", "months"), 1.0),
    **dict.fromkeys(("w", "week", "weeks"), 7 / DAYS_PER_MONTH),
}
# Regions that are none: several of them, or a continent.
_EVERYWHERE = re.compile(
    r"|all.*|global|several|any|most regions|unknown|(one|lowest) (region|zone)|[^,(]*[,(].*"
    r"|us|eu|ca|asia|europe|.*america"
)
_DOLLARS = re.compile(r"(?i)(?:\bus)?\$|\busd\b|/ ?(?:gpu[ -]?)?h(?:ou)?r?\b")
_DEAREST = 1000.0  # US dollars: no GPU-hour costs as much, so the price is another's
_DATE = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?(?!\d)")  # "2026-10", "2026 (edition 9)": the first day of it
_FILES_OF_CLOUDS = ("vms", "catalog", "prices")  # names of files that say nothing; then their folder is the cloud
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# Tiers and names of what nobody sells: models, mixtures, averages.
_NO_PRICES = re.compile(r"estimate|mixed| and |average|median|index|blended", re.IGNORECASE)


_OF_DAYS = re.compile(r"(\d{1,2})([/.])(\d{1,2})\2(\d{4})")  # "20/11/2026"; with points the day comes first
_THOUSANDS = re.compile(r"\d{1,3},\d{3}")  # "1,234": of thousands, or a decimal comma
_CURRENCY = re.compile(r"[€£¥₹]|\b[A-Z]{3}\b")


@dataclass(frozen=True)
class PriceList:
    """What was read: the prices, how many lines have none, and a sentence for each line that cannot be used."""

    prices: tuple[Listed, ...]
    silent: int
    left_out: tuple[PriceChange, ...]
    bad: tuple[InputError, ...]


def read(
    path: Path,
    *,
    provider: str | None = None,
    date: datetime.date | None = None,
    today: datetime.date | None = None,
) -> PriceList:
    """The prices of a list. ``provider`` and ``date`` hold where it has no such column.

    A line that is wrong is told in :attr:`PriceList.bad`; raises :class:`InputError` for a file that is no such list.
    """
    rows = _rows(marked(content_of(path), str(path)), str(path))
    header = [checked(name.strip(), str(path)) for name in next(rows, (1, []))[1]]
    check_columns(header, str(path))
    columns = _columns(header)
    reader = _Reader(path, header, columns, provider, date, today or datetime.date.today())
    reader.check_header()
    prices, left_out, bad, silent = [], [], [], 0
    for line, row in rows:
        try:
            checked("\0".join(row), str(path), line)
            found = list(reader.prices(line, row)) if any(map(str.strip, row)) else []
        except InputError as error:
            bad.append(error)
            continue
        silent += not found and any(map(str.strip, row))
        told = reader.no_list_price(row)
        left_out += [PriceChange(one, "unmatched", why=told) for one in found] if told else []
        prices += [] if told else found
    return PriceList(tuple(_once(prices)), silent, tuple(left_out), tuple(bad))


def _columns(header: list[str]) -> dict[str, int]:
    """Where each of our columns is, by its heading as it stands, else by the words that it says it with."""
    exact = {ours: at for ours, names in COLUMNS.items() for at, name in enumerate(header) if name.lower() in names}
    for at, name in enumerate(header):
        ours = _ours_by_heading().get(_heading(name))
        if ours is not None and at not in exact.values():
            exact.setdefault(ours, at)
    return exact


@lru_cache(maxsize=1)
def _ours_by_heading() -> dict[tuple[str, ...], str]:
    """Our word for a column by the words of a heading; of two that are alike the first."""
    return {_heading(name): ours for ours, names in reversed(COLUMNS.items()) for name in names}


def _heading(name: str) -> tuple[str, ...]:
    """The words of a heading that tell what it is: "Price ($/GPU-hour)" is a price of a GPU-hour."""
    found: list[str] = re.findall(r"[a-z]+", name.lower())
    words = [_SHORT_FOR.get(word, word) for word in found if word not in _SAYS_NO_MORE]
    return tuple(words[1:] if words[:1] == ["price"] and words[1:] else words)


def _rows(text: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """The lines of a CSV, each with the number it begins at."""
    first = text.partition("\n")[0]
    parted_by = ";" if first.count(";") > first.count(",") else ","
    reader, start = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=parted_by), 1
    try:
        for cells in reader:
            yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        problem = f"not valid CSV: {error}. Is a quotation mark of this line not closed?"
        raise InputError(problem, Place(file, start)) from None


@dataclass(frozen=True)
class _Reader:
    path: Path
    header: list[str]
    columns: Mapping[str, int]
    provider: str | None
    date: datetime.date | None
    today: datetime.date

    def check_header(self) -> None:
        got = f"got {shown('; '.join(self.header))}"
        if not self.columns.keys() & set(_PRICED):
            raise self._wrong(1, None, f'expected a heading such as "price per GPU-hour" over the prices, {got}')
        if "instance" not in self.columns and "gpu" not in self.columns:
            raise self._wrong(1, None, f'expected a heading "GPU" or "instance" over what is priced, {got}')
        if "date" not in self.columns and self.date is None:
            raise self._wrong(1, "date", "the list has no column of dates: say of which day it is with --date")

    def prices(self, line: int, row: list[str]) -> Iterator[Listed]:
        """The prices of a line: none where the fields are empty."""
        self._check_printable(line, row)
        tier, months = self._tier(line, row)
        for name, spot in (
            ("gpu_hour", False),
            ("machine_hour", False),
            ("spot_gpu_hour", True),
            ("spot_machine_hour", True),
        ):
            text = self.text(row, name)
            known = self._number(line, name, text) if text else None
            if known is None or (name == "machine_hour" and self.text(row, "gpu_hour")):
                continue
            gpus = self._gpus(line, row)
            if not spot and self._is_floor(name, known, gpus, row):
                continue
            if name.endswith("machine_hour") and not gpus:
                if self.text(row, "gpu"):
                    raise self._wrong(line, "gpus", "a price of the machine needs the number of its GPUs")
                continue  # a machine without GPUs
            usd = known / gpus if gpus and name.endswith("machine_hour") else known
            if usd > _DEAREST:
                raise self._wrong(
                    line, name, f"expected US dollars per hour, at most {_DEAREST:g} for a GPU, got {shown(text)}"
                )
            of = ("spot", None) if spot else (tier, months)
            yield Listed(
                line, self._provider(line, row), self.text(row, "instance"), self.text(row, "gpu"), gpus,
                self.text(row, "fabric") or None, *of, self._region(row), usd, self._date(line, row),
                self._source(row), self._trust(line, row),
            )  # fmt: skip

    def _is_floor(self, name: str, usd: float, gpus: int | None, row: list[str]) -> bool:
        """Whether a price is that of spot machines written twice: the lowest of a market, which nobody guarantees."""
        each = usd / (gpus or 1) if name == "machine_hour" else usd
        spots = ((self.text(row, "spot_gpu_hour"), 1), (self.text(row, "spot_machine_hour"), gpus or 1))
        return any(_is_number(text) and math.isclose(each, float(text) / of) for text, of in spots)

    def _check_printable(self, line: int, row: list[str]) -> None:
        for name in self.columns:
            if _CONTROL.search(self.text(row, name)):
                raise self._wrong(line, name, f"expected printable text, got {shown(self.text(row, name))}")

    def no_list_price(self, row: list[str]) -> str | None:
        """Why a line's prices are those of no list: an estimate, an average, or tiers that are mixed."""
        tier = self.text(row, "tier")
        named = ("" if tier.lower() in _TIERS else tier, self.text(row, "instance"))
        share = self.text(row, "gpus")
        if _is_number(share) and 0 < float(share) < 1:
            return f"{share} of a GPU is no machine of the catalog"
        return next((f'"{name}" is no list price of one offer' for name in named if _NO_PRICES.search(name)), None)

    def text(self, row: list[str], name: str) -> str:
        at = self.columns.get(name)
        return row[at].strip() if at is not None and at < len(row) else ""

    def _tier(self, line: int, row: list[str]) -> tuple[Tier, float | None]:
        given = self.text(row, "tier").lower()
        if given not in _TIERS and _NO_PRICES.search(given):
            return "on-demand", None  # told as no list price
        told = _months(given)
        if given not in _TIERS and told is None:
            known = ", ".join(word for word in _TIERS if word)
            problem = f"expected one of {known}, or a term such as reserved-3m or reserved-1y, got {shown(given)}"
            raise self._wrong(line, "tier", problem)
        tier, months = ("reserved", told) if told else _TIERS[given]
        term = self.text(row, "months")
        return (tier, self._number(line, "months", term)) if term and tier == "reserved" else (tier, months)

    def _number(self, line: int, name: str, text: str) -> float:
        amount = _DOLLARS.sub("", text).strip()
        if "hour" in name and (other := _CURRENCY.search(amount)):
            raise self._wrong(line, name, f"expected US dollars, got {shown(text)}: put {shown(other[0])} into dollars")
        if _THOUSANDS.fullmatch(amount):
            said = f"{amount.replace(',', '')} or {amount.replace(',', '.')}"
            raise self._wrong(line, name, f"{shown(text)} is {said}: write it without a comma")
        value = _as_number(amount)
        if not math.isfinite(value) or value <= 0:
            raise self._wrong(line, name, f"expected a number above 0, got {shown(text)}")
        return value

    def _gpus(self, line: int, row: list[str]) -> int | None:
        text = self.text(row, "gpus")
        if not text or text == "0":
            return None
        return max(1, round(self._number(line, "gpus", text)))  # a share of one is told as no list price

    def _provider(self, line: int, row: list[str]) -> str:
        stem = self.path.stem if self.path.stem not in _FILES_OF_CLOUDS else self.path.parent.name
        found = self.text(row, "provider") or self.provider or ("" if "provider" in self.columns else stem)
        if not found:
            raise self._wrong(line, "provider", "expected the name of a provider, got nothing")
        return found

    def _region(self, row: list[str]) -> str | None:
        text = self.text(row, "region").removesuffix(" (typical)")
        return None if _EVERYWHERE.fullmatch(text.lower()) else text

    def _date(self, line: int, row: list[str]) -> datetime.date:
        text = self.text(row, "date")
        if not text and self.date is not None:
            return self.date
        found = _days_of(text)
        if len(found) > 1:
            days = " or ".join(f"{day:%-d %B %Y}" for day in found)
            raise self._wrong(line, "date", f"{shown(text)} is {days}: expected a day such as {found[0]}")
        found = found[0] if found else None
        if found is None:
            raise self._wrong(line, "date", f"expected a day such as 2026-11-02, got {shown(text)}")
        if found > self.today:
            raise self._wrong(line, "date", f"expected a day that is past, got {found}: today is {self.today}")
        return found

    def _source(self, row: list[str]) -> str:
        return self.text(row, "source") or self.path.name

    def _trust(self, line: int, row: list[str]) -> Trust:
        market = self.text(row, "tier").lower() == "marketplace"  # its lowest price is a floor
        text = self.text(row, "trust").lower() or ("low" if market else "medium")
        for known in get_args(Trust):
            if text == known:
                return known
        raise self._wrong(line, "trust", f"expected one of {', '.join(get_args(Trust))}, got {shown(text)}")

    def _wrong(self, line: int, name: str | None, message: str) -> InputError:
        column = self.header[self.columns[name]] if name and name in self.columns else name
        return InputError(message, Place(str(self.path), line, column))


def _months(tier: str) -> float | None:
    """The term that a tier's name tells, in months; ``None`` where it tells none."""
    parts = _PARTS_OF_A_TERM.findall(tier)
    at = next((n for n, part in enumerate(parts) if part[0].isdigit()), len(parts))
    unit = parts[at + 1] if at + 1 < len(parts) else ""
    others = {*parts[:at], *parts[at + 2 :]}
    return float(parts[at]) * _MONTHS[unit] or None if unit in _MONTHS and others <= _OF_A_TERM else None


def _as_number(text: str) -> float:
    """A number with a decimal point or a decimal comma, whichever stands last; not a number where it is none."""
    if text.rfind(",") > text.rfind("."):
        text = text.replace(".", "").replace(",", ".") if text.count(",") == 1 else text
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return math.nan


def _days_of(text: str) -> list[datetime.date]:
    """The days that a date may be: two of "04/05/2026", one of "20/11/2026"."""
    if parts := _DATE.match(text):
        told = [tuple(int(part or 1) for part in parts.groups())]
    elif parts := _OF_DAYS.fullmatch(text):
        first, between, second, year = parts.groups()
        told = [(int(year), int(second), int(first))]
        told += [(int(year), int(first), int(second))] if between == "/" else []
    else:
        return []
    found = []
    for year, month, day in dict.fromkeys(told):
        with contextlib.suppress(ValueError):
            found.append(datetime.date(year, month, day))
    return found


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _once(prices: Iterable[Listed]) -> list[Listed]:
    """Of several zones of a region the cheapest."""
    best: dict[tuple[object, ...], Listed] = {}
    for one in prices:
        key = (one.provider, one.instance, one.gpu, one.gpus, one.fabric, one.tier, one.months, one.region, one.date)
        if key not in best or one.usd < best[key].usd:
            best[key] = one
    return list(best.values())
