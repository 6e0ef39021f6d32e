"""Whose the machines are, by the meaning of a message in which no wording says it.

There is no end to the ways of saying that machines are there ("they came in March", "a gift of the alumni"), and a plan
that rents what somebody has is worth nothing. What the opinion holds to be so is taken, and said to be taken; where it
is not sure it is asked, and so nothing that may be theirs is rented in silence.
"""

from __future__ import annotations

from typing import Any

from assistant.vocabulary.utterance import Doubt

from .reading import Reading

OWNED, MODE = "budget.owned", "budget.mode"
# How likely each has to be, by the messages of learn_c, learn_n, learn_p and learn_q and those of owned while they were
# left out (opinion_fit --head): see there what is right from which odds on.
_TAKEN = {"theirs": 0.8, "buy": 0.8, "rent": 0.8}
_ASKED = {"theirs": 0.4, "buy": 0.4}
_DENIED = 0.1  # a rental that a wording heard is theirs for all that only where hardly anything speaks for it
_OF_MACHINES = frozenset({"cluster.gpu", "cluster.gpus"})
_SAID = {
    "machines": "the machines are taken to be yours: say that you rent or buy them if they are not",
    "everything": "machines and network are taken to be yours: say which of it is not",
    "buy": "the machines are taken to be bought: say that you rent them, or that they are yours, if they are",
}


def settle(reading: Reading) -> None:
    """Takes whose the machines are, or asks, where a message tells of machines and neither it nor what was said before
    says it in so many words."""
    if reading.opinion is None or not _is_open(reading):
        return
    odds = reading.opinion.stated
    there = {one: odds.get(f"{OWNED}={one}", 0.0) for one in ("machines", "everything")}
    best = max(there, key=lambda one: there[one])
    theirs = 1 - (1 - there["machines"]) * (1 - there["everything"])
    said = reading.fields.get(MODE)
    rented = said == "rent" or odds.get(f"{MODE}=rent", 0.0) > theirs
    if theirs >= _TAKEN["theirs"] and not rented:
        _take(reading, OWNED, best)
    elif theirs >= _ASKED["theirs"] and not rented:
        _ask(reading, OWNED, best)
    elif said is None:
        _settle_mode(reading, odds.get(f"{MODE}=buy", 0.0), odds.get(f"{MODE}=rent", 0.0))


def _settle_mode(reading: Reading, buy: float, rent: float) -> None:
    if rent >= _TAKEN["rent"] > buy:
        reading.fields[MODE] = "rent"
    elif buy >= _TAKEN["buy"] and buy > rent:
        _take(reading, MODE, "buy")
    elif buy >= _ASKED["buy"] and buy > rent:
        _ask(reading, MODE, "buy")


def is_told(reading: Reading) -> bool:
    """Whether a message tells of machines whose owner nobody has named so far."""
    known = reading.context.fields
    told = OWNED in known or MODE in known or reading.context.asked in (OWNED, MODE)
    return not told and bool(reading.fields.keys() & _OF_MACHINES or reading.nodes)


def _is_open(reading: Reading) -> bool:
    settled = OWNED in reading.fields or OWNED in reading.unset or MODE in reading.unset
    undecided = any(doubt.field in (OWNED, MODE) and len(doubt.options) > 1 for doubt in reading.doubts)
    by_the_hour = any(offer.gpu_hour_usd for offer in reading.offers)  # what is let
    return is_told(reading) and not (settled or undecided or by_the_hour)


def _take(reading: Reading, path: str, value: Any) -> None:
    _clear(reading)
    reading.fields[path] = value
    reading.assumed.append(_SAID[value])


def _ask(reading: Reading, path: str, value: Any) -> None:
    _clear(reading)
    reading.doubts.append(Doubt(path, _ASKS[value], (value, *_OTHERWISE[value])))


def _clear(reading: Reading) -> None:
    """What else was asked of it, which this settles."""
    reading.doubts = [doubt for doubt in reading.doubts if doubt.field not in (OWNED, MODE)]


_ASKS = {
    "machines": "are the machines yours already? It sounds like it",
    "everything": "are the machines and their network yours already? It sounds like it",
    "buy": "are the machines to be bought? It sounds like it",
}
_OTHERWISE: dict[str, tuple[str, ...]] = {"machines": ("nothing",), "everything": ("nothing",), "buy": ("rent",)}
