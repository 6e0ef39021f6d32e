"""The search for the price at which an answer turns: from where two costs are equal on, planned again at every step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log

from assistant.vocabulary.quantities import outward

# Where costs are equal the rules may hold the answer a while: so far beyond it is tried, as a share of the price.
BEYOND = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4)
CENT, EXACT = 0.01, 0.005  # US dollars, and a share of the price: to the nearer of both it is found where it turns
FARTHEST = 10.0  # times the price as it is, either way

_OTHER = "other"

Tried = Callable[[float], str | None]  # what is recommended at a value; none where nothing works


@dataclass(frozen=True)
class Even:
    """A price that would make two candidates cost the same: of an input, as it is, as it would be, and whether the
    answer turns above it. Where the rules chose what is not the cheapest, it lies on the other side of the price as it
    is. ``undated``: what is recommended at a price that is as old as it is now. ``leaves``: where it turns by the costs
    alone, if that is known."""

    path: str
    now: float
    at: float
    tried: Tried
    up: bool
    undated: Tried | None = None
    leaves: Callable[[], float] | None = None

    @property
    def begin(self) -> float:
        """From where on the answer may turn."""
        return max(self.at, self.now) if self.up else min(self.at, self.now)

    @property
    def far(self) -> float:
        return distance(self.begin, self.now) if self.now > 0 else self.begin

    @property
    def near(self) -> bool:
        """Whether that is worth a search: farther away the turn is that of another market."""
        return self.now == 0 or self.far <= log(FARTHEST)


def turn(even: Even, chosen: str) -> tuple[float, str] | None:
    """The price at which planning again first ends elsewhere than at ``chosen``, and where it ends.

    Where the costs say when it turns, the search is gone through as they have it, and only the two prices between
    which it ends are tried. What they say otherwise is searched for price by price."""
    if even.leaves is not None:
        held, turned = _as_costs_have_it(even, even.leaves())
        if turned is None:
            if even.tried(_beyond(even, BEYOND[-1])) in (None, chosen):
                return None
        elif turned != even.now:
            to = even.tried(turned)
            if to not in (None, chosen) and (held == even.now or even.tried(held) in (None, chosen)):
                return turned, to
    _, turned, to = _searched(even, chosen)
    return None if turned is None or to is None or turned == even.now else (turned, to)


def _as_costs_have_it(even: Even, leaves: float) -> tuple[float, float | None]:
    """The prices between which the search would end, in its own steps, if the answer turned at ``leaves``."""
    turned = (lambda price: price > leaves) if even.up else (lambda price: price < leaves)
    held, at, _ = _searched(replace(even, tried=lambda price: _OTHER if turned(price) else ""), "")
    return held, at


def _beyond(even: Even, share: float) -> float:
    return outward(even.begin * (1 + share if even.up else 1 - share), up=even.up)


def _searched(even: Even, chosen: str) -> tuple[float, float | None, str | None]:
    """The last price at which the answer held, the first at which it had turned, and to what."""
    up = even.up
    held, turned, to = even.now, None, None
    for share in BEYOND:
        price = _beyond(even, share)
        to = even.tried(price)
        if to is None:  # nothing works any more: no turn
            return held, None, None
        if to != chosen:
            turned = price
            break
        held = price
    if turned is not None and turned == _beyond(even, BEYOND[0]):
        held = _beside(even, chosen, turned) or held
    while turned is not None and abs(turned - held) > _apart(turned):
        middle = outward((held + turned) / 2, up=up)
        if middle in (held, turned):
            break
        there = even.tried(middle)
        if there is None or there == chosen:
            held = middle
        else:
            turned, to = middle, there
    return held, turned, to


def _apart(turned: float) -> float:
    """How near the price before is found, in dollars."""
    return min(CENT, EXACT * turned)


def _beside(even: Even, chosen: str, turned: float) -> float | None:
    """The price beside the one at which costs are equal, on the side of the one that is, where the answer still holds
    there: mostly it turns where costs are equal and nowhere before. ``None`` where it has turned there already."""
    price = turned + _apart(turned) * (-1 if even.up else 1)
    before = price > even.now if even.up else price < even.now
    return price if before and even.tried(price) in (None, chosen) else None


def distance(at: float, now: float) -> float:
    """How far two values are apart, as the logarithm of their ratio."""
    return abs(log(max(at, 1e-6) / now))
