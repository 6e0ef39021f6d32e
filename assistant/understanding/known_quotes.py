"""What is supposed of a known quote: "would CoreWeave at 1.80 win?", "what if CoreWeave asks only 2 months?"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assistant.vocabulary.quantities import DAYS_PER_MONTH
from assistant.vocabulary.utterance import Quoted

from .besides import Besides
from .offer_prices import hourly
from .reading import TIMES, Reading
from .templates import Quantity

_QUOTES = "budget.quotes"
_SUPPOSED = frozenset({"what-if", "change"})  # acts
_LEAST_TERM = 1.0  # days


def supposed(reading: Reading, besides: Besides) -> Quoted | None:
    """The known quote of the one seller that is named, at the price or for the term that is supposed; nothing where no
    such quote is known, or neither is told. A time is its term where somebody asks it, and not where we work so
    long."""
    named = {q.value for q in reading.named if q.kind == "provider"}
    known = [one for one in reading.context.fields.get(_QUOTES) or () if one.get("provider") in named]
    if len(known) != 1 or len(named) != 1 or reading.act not in _SUPPOSED:
        return None
    quote, tokens = known[0], reading.text.tokens
    asks = {at for at, token in enumerate(tokens) if besides.is_asking(token)}
    at = asks | {*tokens.places(besides.at)}
    prices = [q for q in reading.quantities if hourly(q) and q.start - 1 in at]
    times = [q for q in reading.quantities if q.kind == "time" and q.value >= _LEAST_TERM and asks]
    starts = {q.start for q in prices}
    if len(starts) > 1 or len(times) > 1 or not (starts or times):
        return None
    reading.taken |= {at for q in (*prices[:1], *times) for at in range(q.start, q.end)} | asks
    reading.fields = {path: v for path, v in reading.fields.items() if path not in TIMES | {"cluster.provider"}}
    reading.doubts = [doubt for doubt in reading.doubts if doubt.field not in TIMES]
    return _changed(quote, prices, times)


def _changed(quote: Mapping[str, Any], prices: list[Quantity], times: list[Quantity]) -> Quoted:
    """The quote with what is supposed of it: a time is its term where it has one, else the least that is paid for."""
    hour = float(prices[0].value) if prices else quote.get("gpu_hour_usd")
    days = times[0].value if times else None
    term = days is not None and quote.get("months") is not None
    return Quoted(
        quote.get("fabric"),
        quote.get("provider"),
        gpu_hour_usd=hour,
        usd=None if prices else quote.get("usd"),
        months=round(days / DAYS_PER_MONTH, 1) if term and days else quote.get("months"),
        minimum_days=days if days and not term else quote.get("minimum_days"),
    )
