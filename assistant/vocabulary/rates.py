"""The networks of the catalog by id; of the kinds that exist at any rate, also at rates that it does not list."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .catalog import Fabric, Fact

_RATED = re.compile(r"(?P<kind>[a-z0-9-]+)-(?P<gbps>\d+(?:\.\d+)?)")
_RATE = r"(?<![\d.]){rate:g}(?![\d.])"


class Fabrics(dict[str, "Fabric"]):
    """Networks by id. ``ethernet-tcp-1`` and ``ethernet-tcp-0.1`` are known beside those that are listed: a network
    whose entry says for which rates it stands (:attr:`Fabric.stands_for`) is that at its own line rate, and what was
    measured of it as a share of its rate holds there too, unless slower links were measured by themselves. Only
    what is listed is gone through as a candidate."""

    def __missing__(self, ident: str) -> Fabric:
        made = self._at_rate(ident)
        if made is None:
            raise KeyError(ident)
        return made

    def __contains__(self, ident: object) -> bool:
        return super().__contains__(ident) or (isinstance(ident, str) and self._at_rate(ident) is not None)

    def get(self, ident: str, default: Any = None, /) -> Any:
        """The network of that id, listed or at its own rate."""
        try:
            return self[ident]
        except KeyError:
            return default

    def spelled(self, name: str) -> str | None:
        """The id of what is called as another rate of a network is: ``1GbE`` as ``10GbE`` is, and ``GbE``, which is one
        of it."""
        called = [name] if re.search(r"\d", name) else [f"1{name}", f"1 {name}"]
        for one in self.values():
            if one.stands_for is None or one.line_rate is None:
                continue
            for said in filter(None, (re.search(r"\d+(?:\.\d+)?", each) for each in called)):
                as_listed = f"{said.string[: said.start()]}{one.line_rate.value:g}{said.string[said.end() :]}"
                ident = f"{_kind(one.id)}-{float(said[0]):g}"
                if as_listed.lower() in one.aliases and ident in self:
                    return ident
        return None

    def _at_rate(self, ident: str) -> Fabric | None:
        read = _RATED.fullmatch(ident)
        gbps = float(read["gbps"]) if read else 0.0
        if read is None or f"{gbps:g}" != read["gbps"]:
            return None
        base = next((one for one in _alike(self.values(), read["kind"]) if one.stands(gbps)), None)
        return _at(base, ident, gbps) if base else None


class Names(dict[str, str]):
    """How people call what has an id; a network that is not listed, as it is known at its own rate."""

    def __init__(self, fabrics: Mapping[str, Fabric], called: Mapping[str, str]) -> None:
        super().__init__(called)
        self._fabrics = fabrics

    def get(self, ident: str, default: Any = None, /) -> Any:
        """The name of that id."""
        if ident in self:
            return self[ident]
        network = self._fabrics.get(ident) if isinstance(ident, str) and ident != "none" else None
        return network.label if network else default


def at_rate(fabrics: Mapping[str, Fabric], technology: str, gbps: float) -> str | None:
    """The id of plain networks of a kind at ``gbps`` Gb/s an adapter; ``None`` where it exists at some rates only."""
    alike = [one for one in fabrics.values() if one.technology == technology and one.line_rate is not None]
    idents = dict.fromkeys(f"{kind}-{gbps:g}" for one in alike if (kind := _kind(one.id)))
    return next((ident for ident in idents if ident in fabrics), None)


def _kind(ident: str) -> str | None:
    read = _RATED.fullmatch(ident)
    return read["kind"] if read else None


def _alike(fabrics: Iterable[Fabric], kind: str) -> Iterable[Fabric]:
    return (one for one in fabrics if one.stands_for is not None and _kind(one.id) == kind)


def _at(base: Fabric, ident: str, gbps: float) -> Fabric:
    """``base`` at another line rate; a bus bandwidth that was measured at its own is left out."""
    if base.line_rate is None:
        raise ValueError(f"{base.id}: expected a line rate of what stands for others")
    rate = _RATE.format(rate=base.line_rate.value)
    spoken = f"{gbps:g} Gb/s" if gbps >= 1 else f"{gbps * 1000:g} Mb/s"
    fact = base.line_rate.model_copy(update={"value": gbps, "source": "derived: in the name: the rate that was said"})
    told = {
        "id": ident,
        "name": re.sub(f"{rate} Gb/s", spoken, base.name),
        "short": re.sub(rate, f"{gbps:g}" if gbps >= 1 else spoken, base.label),
        "line_rate": fact,
        "bandwidth_efficiency": _share_at(base, gbps),
        "all_reduce_bus_bandwidth": {},
        "aliases": [],
        "summary": f"Counted like {base.name}, at {spoken}: as a share of the line rate.",
    }
    return base.model_copy(update=told)


def _share_at(base: Fabric, gbps: float) -> Fact | None:
    """What large messages get of ``gbps`` Gb/s: along a line in log(rate) between the slower links that were measured
    by themselves, below the slowest what it gives, above the fastest what the entry says."""
    rates = sorted(base.slower_links)
    above = next((rate for rate in rates if rate >= gbps), None)
    if above is None or base.bandwidth_efficiency is None:
        return base.bandwidth_efficiency
    below = max((rate for rate in rates if rate <= gbps), default=above)
    upper, lower = base.slower_links[above], base.slower_links[below]
    way = 0.0 if above == below else math.log(gbps / below) / math.log(above / below)
    return upper.model_copy(update={"value": round(lower.value + way * (upper.value - lower.value), 3)})
