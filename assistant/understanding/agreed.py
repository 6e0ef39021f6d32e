"""What the learned reading of quotes and the wordings say of the same offers, as one: where it is sure it decides, where
it is not and they differ what is taken is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from assistant.vocabulary.utterance import Doubt, Quoted

from .counting import COUNTED
from .offers import Found
from .reading import Reading
from .told_offers import Learned, Told, tokens_of

# How likely a price has to be one of an offer where the wordings find none, and a part what it is taken for where they
# differ, by every fifth of the labelled messages, of which nothing was learned then.
_SURE = {"price": 0.75, "provider": 0.8, "fabric": 0.8, "months": 0.8}
_CALLED = {"provider": "the seller", "fabric": "the network", "months": "the term"}
_ADDED = ("oversubscription", "nics_per_node", "once_usd", "delivery_days", "minimum_days")
_CLOSE, _OTHER = 0.005, 0.5


def agreed(reading: Reading, learned: Learned, found: Found) -> Found:
    """The offers as they are learned, with what the wordings add to each; those of the wordings where nothing is."""
    kept = [one for one in learned.offers if one.sure["price"] >= _SURE["price"] or _same(one, found) is not None]
    if not kept or (len(kept) == 1 and not found.offers and not _is_quote(kept[0])):
        return _without_others(reading, learned, found)
    counts = {one.offer.gpus for one in kept if one.offer.gpus}
    job = reading.fields.get(COUNTED) or reading.context.fields.get(COUNTED)
    made = Found(taken=set(found.taken), amounts=[*found.amounts])
    for one in kept:
        own = sorted(one.tokens)
        offer = _joined(reading, one, _same(one, found))
        if offer.gpus in (job, None) or (len(counts) == 1 and offer.usd is None):
            offer = replace(offer, gpus=None)
        made.add(offer, (own[0], own[-1] + 1), one.amounts)
        made.taken |= one.tokens
        price = reading.text.typed(one.price.start, one.price.end)
        lost = [f'"{said}" was not understood as {_CALLED[part]} of the offer at {price}' for part, said in one.unread.items()]
        reading.doubts += [Doubt(None, said) for said in lost]
    return made


def _without_others(reading: Reading, learned: Learned, found: Found) -> Found:
    """The offers of the wordings, unless every price of them is surely none of an offer: "AWS lists it at $55, but nobody
    quoted us anything"."""
    others = {at for one in learned.other if one.sure >= _OTHER for at in tokens_of(reading.text, one)}
    prices = [q for q in found.amounts if q.kind.startswith(("money", "number", "decimal"))]
    if not (found.offers and prices and all(others & {*range(q.start, q.end)} for q in prices)):
        return found
    said = ", ".join(reading.text.typed(q.start, q.end) for q in prices)
    reading.doubts.append(Doubt(None, f"{said}: not taken as an offer; say who offers it if it is one"))
    return Found()


def left_over(reading: Reading, learned: Learned, made: Found) -> Iterator[str]:
    """The prices that sound like one of an offer, and are of none that was read (as typed)."""
    yield from learned.unread
    yield from (reading.text.typed(one.price.start, one.price.end) for one in learned.offers
                if not made.taken & {*range(one.price.start, one.price.end)})  # fmt: skip


def _is_quote(one: Told) -> bool:
    """Whether a price alone is a quote: somebody asks it, or it has a network."""
    return one.sure["price"] >= _SURE["price"] and bool(one.offer.provider or one.offer.fabric)


def _same(one: Told, found: Found) -> Quoted | None:
    """The offer of the wordings that has the price of a learned one, in the same place."""
    value = lambda offer: offer.gpu_hour_usd or offer.usd or 0.0
    alike = [
        offer
        for offer, (first, last) in zip(found.offers, found.places, strict=True)
        if first <= one.price.start < last
        and (
            abs(value(offer) - value(one.offer)) <= _CLOSE * value(one.offer) or abs(value(offer) - float(one.price.value)) <= _CLOSE * value(offer)
        )
    ]
    return alike[0] if alike else None


def _joined(reading: Reading, one: Told, theirs: Quoted | None) -> Quoted:
    offer = one.offer
    if theirs is None:
        _tell(reading, one, [part for part in _CALLED if getattr(offer, part) and one.sure.get(part, 1.0) < _SURE[part]])
        return offer
    differ = [part for part in _CALLED if getattr(offer, part) != getattr(theirs, part)]
    _tell(reading, one, [part for part in differ if getattr(offer, part) and one.sure.get(part, 1.0) < _SURE[part]])
    more: dict[str, Any] = {part: getattr(theirs, part) for part in _ADDED if getattr(offer, part) is None}
    note = "; ".join(dict.fromkeys(said for said in (offer.note, theirs.note) if said))
    return replace(offer, includes=theirs.includes, note=note, **more)


def _tell(reading: Reading, one: Told, parts: Sequence[str]) -> None:
    price = reading.text.typed(one.price.start, one.price.end)
    for part in parts:
        reading.assumed.append(f'"{one.said[part]}" is read as {_CALLED[part]} of the offer at {price}')
