"""Whose the machines are, by the meaning of a message in which no wording says it.

There is no end to the ways of saying that machines are there ("they came in March", "a gift of the alumni"), and a plan
that rents what somebody has is worth nothing. What the opinion holds to be so is taken, and said to be taken; where it
is not sure it is asked, so that nothing that may be theirs is rented in silence.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from assistant.vocabulary.utterance import Doubt

from .offer_prices import hourly, is_rate
from .opinion import Opinion
from .reading import Reading

OWNED, MODE, RENTED = "budget.owned", "budget.mode", "budget.gpu_hour_usd"  # what words speak for (decisive)
# How likely each has to be, by the messages of owned, each fifth of which was left out of learning once, and by those
# of learn_c, learn_n, learn_p, learn_q and fresh_o to fresh_t that speak of GPUs. From 0.7 on theirs is right (56 of 62
# and 9 of 10); from 0.2 on nearly all that is theirs or bought sounds so (141 of 160, 39 of 43), and 7 of 58 that are
# rented do. What is theirs sounds bought as well, half as likely theirs is still likelier than a purchase.
_TAKEN, _BOUGHT, _ASKED, _NOT = 0.7, 0.9, 0.2, 0.5
_LIKELY = 0.5  # theirs or bought, together: below it rented is likelier
_SURELY = 0.98  # beside a wording of buying: "we are buying 512 H100, which network?" sounds theirs at 0.93 to 0.96
_HARDLY = 0.1  # at most this likely theirs, or rented, is what is taken to be bought
_OF_MACHINES = frozenset({"cluster.gpu", "cluster.gpus", "budget.usd"})
_STATES = frozenset({"describe", "change"})  # a question that speaks of buying may be about that
_NAMED = frozenset({"gpu", "unknown-gpu", "generation", "instance"})
_SAID = {
    "machines": 'the machines are taken to be yours: say "we rent them" or "we buy them" if they are not',
    "everything": 'the machines and their network are taken to be yours: say "we rent them" if they are not',
    "buy": 'the machines are taken to be bought: say "we rent them", or "they are ours", if that is so',
}
_ASKS = "whose are the machines: yours already, to be bought, or rented?"


def settle(reading: Reading, opinion: Opinion, spoken_of: Set[str]) -> None:
    """Takes whose the machines are, or asks, where a message tells of machines and neither it nor what was said before
    says it in so many words. ``opinion``: of the message alone. Where owning or buying is ``spoken_of``, by their
    fields, it is asked, however unlikely it sounds."""
    odds, said = opinion.stated, reading.fields.get(MODE)
    there = {one: odds.get(f"{OWNED}={one}", 0.0) for one in ("machines", "everything")}
    best = max(there, key=lambda one: there[one])
    theirs = 1 - (1 - there["machines"]) * (1 - there["everything"])
    bought = 1.0 if said == "buy" else odds.get(f"{MODE}=buy", 0.0)
    rented = 1.0 if said == "rent" else odds.get(f"{MODE}=rent", 0.0)
    not_rented = 1 - (1 - theirs) * (1 - bought)
    if {MODE, RENTED} <= spoken_of:
        return  # "is it cheaper to buy than to rent?"
    # What a wording says to be bought is, unless it is surely theirs: "we are buying 64 H100 for our own hall".
    if (rented > not_rented and rented >= _HARDLY) or (said == "buy" and theirs < _SURELY):
        return
    if theirs >= _TAKEN and rented < _NOT:
        _take(reading, OWNED, best)
    elif _is_surely_bought(theirs, bought, rented) and OWNED not in spoken_of and reading.act in _STATES:
        _take(reading, MODE, "buy")
    elif not_rented >= _ASKED or spoken_of & {OWNED, MODE}:
        first = "there" if theirs >= bought / 2 or OWNED in spoken_of else "bought"
        _ask(reading, best, "rented" if not_rented < _LIKELY and not spoken_of & {OWNED, MODE} else first)


def _is_surely_bought(theirs: float, bought: float, rented: float) -> bool:
    return theirs < _HARDLY and bought >= _BOUGHT and rented < _HARDLY


def is_told(reading: Reading) -> bool:
    """Whether a message tells of machines whose owner nobody has named so far."""
    named = any(one.kind in _NAMED for one in reading.named)
    return not is_proposed(reading) and bool(named or reading.fields.keys() & _OF_MACHINES or reading.nodes)


def is_proposed(reading: Reading) -> bool:
    """Whether what a message sounds like is taken or asked by itself: where whose they are was said or asked before."""
    known = reading.context.fields
    return OWNED in known or MODE in known or reading.context.asked in (OWNED, MODE)


def is_open(reading: Reading) -> bool:
    """Whether neither a wording nor what is offered says whose the machines are that a message tells of."""
    settled = OWNED in reading.fields or {OWNED, MODE} & {*reading.unset}
    undecided = any(doubt.field == MODE and len(doubt.options) > 1 for doubt in reading.doubts)
    let = any(offer.gpu_hour_usd for offer in reading.offers) or any(
        is_rate(q) or hourly(q) for q in reading.quantities
    )
    return is_told(reading) and not (settled or undecided or let)


def _take(reading: Reading, path: str, value: Any) -> None:
    _clear(reading)
    reading.fields[path] = value
    reading.assumed.append(_SAID[value])


def _ask(reading: Reading, there: str, likeliest: str) -> None:
    """Asks whose they are, the likeliest first: it is what is taken where nobody can be asked. ``there``: what is, if
    they are theirs; ``likeliest``: there, bought or rented."""
    _clear(reading)
    reading.fields.pop(MODE, None)
    ways = {"there": (OWNED, there), "bought": (MODE, "buy"), "rented": (MODE, "rent")}
    reading.doubts.append(Doubt(OWNED, _ASKS, between=(ways.pop(likeliest), *ways.values())))


def _clear(reading: Reading) -> None:
    """What else was asked of it, which this settles."""
    reading.doubts = [doubt for doubt in reading.doubts if doubt.field not in (OWNED, MODE)]
