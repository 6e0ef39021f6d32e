"""What several parts of a contract are made of."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class Contract(BaseModel):
    """A JSON contract: fields may be added, none renamed."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=(), populate_by_name=True)


class Band(Contract):
    """Tenth, fiftieth and ninetieth percentile."""

    p10: float
    p50: float
    p90: float


class Assumption(Contract):
    """A value nobody gave, and why it was taken."""

    field: str
    value: Any
    why: str


Verdict = Literal["recommended", "acceptable", "avoid", "impossible"]
# How clear it is which network costs least, of those that keep what was asked and are not advised against. ``toss-up``:
# something else costs the same within TIE_PERCENT, or is as often the cheaper one; ``close``: something else costs the
# same within CLOSE_PERCENT, or is the cheaper one in more than a fifth of the drawn worlds; ``clear``: neither. Of a
# network that was given ``clear`` is said too where it is another that clearly costs less.
# Where a price was told with the quotes and is in none of them nobody knows which costs least: a ``toss-up``.
Certainty = Literal["clear", "close", "toss-up"]
TIE_PERCENT = 1.0  # what prices are rounded by
# What costs no more than this on top is no clear second, whatever the worlds say, which have most of their error in
# common: about half of the published steps are off by more (in the median 3.6 % of 1,089 that nothing was fitted to and
# 4.1 % of 1,207 that constants were: knowledge/handbook/accuracy.md).
CLOSE_PERCENT = 4.0
# Warnings by which something of a quote is still to be asked: no choice among quotes is clear before.
QUOTE_WARNINGS = frozenset({"quoted-network-not-listed", "quoted-for-how-many"})


# Why a network is out of the question: it cannot be, or nobody lets it, or nobody tells a price
Barred = Literal["impossible", "does-not-fit", "not-sold", "not-quoted", "no-price-quoted"]


class Warning_(Contract):
    """Something the reader must know."""

    code: str
    message: str
