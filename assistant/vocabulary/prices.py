"""A dated list of prices of somebody else's, and what it would change in the catalog."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Literal

from .catalog import ListPrice, Tier, Trust

# What a line of a list does to the catalog: another price, a price in a tier or region that had none, the same price of
# a later day, nothing as ours is as new, nothing as it is of a machine that the catalog does not have, nothing as it is
# no list price, or may be of several offers.
Outcome = Literal["changed", "new", "confirmed", "kept", "absent", "unmatched"]


@dataclass(frozen=True)
class Listed:
    """One price of a list: ``usd`` per GPU-hour, ``months`` the term of a reservation. ``provider`` and ``gpu`` are as
    they are written there; ``gpus`` are those of the machine."""

    line: int
    provider: str
    instance: str
    gpu: str
    gpus: int | None
    fabric: str | None
    tier: Tier
    months: float | None
    region: str | None
    usd: float
    date: datetime.date
    source: str
    trust: Trust


@dataclass(frozen=True)
class PriceChange:
    """A price of a list beside ours: ``provider`` and ``offer`` are the catalog's, ``was`` the price it has there.
    ``why`` tells what keeps it from being taken; of a machine that is absent, ``missing`` what an entry of one's own
    needs that the line does not say; ``found_by``: by what the offer was found, where not by the name on the line."""

    listed: Listed
    outcome: Outcome
    provider: str | None = None
    offer: str | None = None
    was: ListPrice | None = None
    why: str | None = None
    missing: tuple[str, ...] = ()
    found_by: str | None = None


@dataclass(frozen=True)
class Dearer:
    """From ``usd`` per GPU-hour on the offer ``then`` is taken: the job was planned again at that price. ``usd`` is
    ``None`` where no dearer price that was tried turns it; ``tried``: the highest of these, ``None`` where none was, as
    ``then`` costs as much only at more than ten times the price, or is ``None``: no offer that runs the job costs more.
    ``rivals``: the other offers that run it."""

    usd: float | None
    then: str | None
    tried: float | None = None
    rivals: int = 0
