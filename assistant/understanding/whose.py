"""Whose the machines are, by the meaning of a message in which no wording says it.

There is no end to the ways of saying that machines are there ("they came in March", "a gift of the alumni"), and a plan
that rents what somebody has is worth nothing. What the opinion holds to be so is taken, and said to be taken; where it
is not sure it is asked, so that nothing that may be theirs is rented in silence.
"""

from __future__ import annotations

from typing import Any

from assistant.vocabulary.utterance import Doubt

from .reading import Reading

OWNED, MODE = "budget.owned", "budget.mode"
# How likely each has to be, by the messages of learn_c, learn_n, learn_p and learn_q, and by those of owned, each fifth
# of which was left out once. Theirs is right for 55 of 58 of owned from 0.8 on, and half of what is theirs is below that;
# what sounds neither rented nor like nothing, from 0.5 on, is nearly all of it.
_TAKEN, _BOUGHT, _RENTED, _ASKED = 0.8, 0.9, 0.9, 0.5
_HARDLY = 0.1  # at most this likely theirs is what is taken to be bought
_OF_MACHINES = frozenset({"cluster.gpu", "cluster.gpus"})
_SAID = {
    "machines": 'the machines are taken to be yours: say "we rent them" or "we buy them" if they are not',
    "everything": 'the machines and their network are taken to be yours: say "we rent them" if they are not',
    "buy": 'the machines are taken to be bought: say "we rent them", or "they are ours", if that is so',
}
_ASKS = "whose are the machines: yours already, to be bought, or rented?"


def settle(reading: Reading, *, spoken_of: bool) -> None:
    """Takes whose the machines are, or asks, where a message tells of machines and neither it nor what was said before
    says it in so many words. Where owning or buying is ``spoken_of`` it is asked, however unlikely it sounds."""
    if reading.opinion is None or not _is_open(reading):
        return
    odds, said = reading.opinion.stated, reading.fields.get(MODE)
    there = {one: odds.get(f"{OWNED}={one}", 0.0) for one in ("machines", "everything")}
    best = max(there, key=lambda one: there[one])
    theirs = 1 - (1 - there["machines"]) * (1 - there["everything"])
    bought = 1.0 if said == "buy" else odds.get(f"{MODE}=buy", 0.0)
    rented = 1.0 if said == "rent" else odds.get(f"{MODE}=rent", 0.0)
    not_rented = 1 - (1 - theirs) * (1 - bought)
    if (rented > not_rented and rented >= _HARDLY) or (said == "buy" and theirs < _HARDLY):
        if said is None and rented >= _RENTED:
            _take(reading, MODE, "rent")
    elif theirs >= _TAKEN and rented < _ASKED:
        _take(reading, OWNED, best)
    elif theirs < _HARDLY and bought >= _BOUGHT and rented < _HARDLY:
        _take(reading, MODE, "buy")
    elif not_rented >= _ASKED or (spoken_of and rented < _ASKED):
        _ask(reading, best, theirs_first=theirs >= min(bought, _ASKED))


def is_told(reading: Reading) -> bool:
    """Whether a message tells of machines whose owner nobody has named so far."""
    known = reading.context.fields
    told = OWNED in known or MODE in known or reading.context.asked in (OWNED, MODE)
    return not told and bool(reading.fields.keys() & _OF_MACHINES or reading.nodes)


def _is_open(reading: Reading) -> bool:
    settled = OWNED in reading.fields or {OWNED, MODE} & {*reading.unset}
    undecided = any(doubt.field == MODE and len(doubt.options) > 1 for doubt in reading.doubts)
    by_the_hour = any(offer.gpu_hour_usd for offer in reading.offers)  # what is let
    return is_told(reading) and not (settled or undecided or by_the_hour)


def _take(reading: Reading, path: str, value: Any) -> None:
    _clear(reading)
    reading.fields[path] = value
    if value in _SAID:
        reading.assumed.append(_SAID[value])


def _ask(reading: Reading, there: str, *, theirs_first: bool) -> None:
    """Asks whose they are; what is likelier is offered first."""
    _clear(reading)
    reading.fields.pop(MODE, None)
    theirs, bought = (OWNED, there), (MODE, "buy")
    likelier = (theirs, bought) if theirs_first else (bought, theirs)
    reading.doubts.append(Doubt(OWNED, _ASKS, between=(*likelier, (MODE, "rent"))))


def _clear(reading: Reading) -> None:
    """What else was asked of it, which this settles."""
    reading.doubts = [doubt for doubt in reading.doubts if doubt.field not in (OWNED, MODE)]
