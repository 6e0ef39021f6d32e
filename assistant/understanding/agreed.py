"""What the learned reading of quotes and the wordings say of the same offers, as one; what is not sure, or differs, is
told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant.vocabulary.utterance import Doubt, Quoted

from .counting import COUNTED
from .offer_message import UNNAMED, Message, one_of
from .offers import Found
from .reading import Reading
from .told_offers import Learned, Told

# How likely a price has to be one of an offer where the wordings find none; what is told where it is less; and a part
# of an offer that the wordings read too, where they say nothing of it, or another seller. By every fifth of the
# labelled messages, of which nothing was learned then: 29 of 32 prices, 13 of 15 parts, 6 of 9 sellers are right there.
_SURE_PRICE, _TELLS, _FILLS, _INSTEAD = 0.8, 0.9, {"provider": 0.8, "fabric": 0.5}, 0.5
_PROVIDER = "provider"
_CALLED = {"provider": "the seller", "fabric": "the network", "months": "the term"}
_CLOSE, _OTHER = 0.005, 0.5


def agreed(reading: Reading, learned: Learned, found: Found, message: Message) -> Found:
    """The offers as the wordings read them, with what is learned of each, and those that are learned alone."""
    pairs = [(one, _same(one, found)) for one in learned.offers]
    alone = [one for one, at in pairs if at is None and one.sure["price"] >= _SURE_PRICE and not _is_taken(one, found)]
    if not found.offers and not any(one.offer.provider for one in alone):
        alone = []  # "$3.20 per GPU per hour, premium for InfiniBand $0.40": what nobody asks is no quote
    if not found.offers and len(alone) == 1 and (alone[0].offer.usd or not alone[0].said.keys() - {_PROVIDER}):
        # "EFA on AWS or InfiniBand elsewhere, 1.8M USD": a budget; "provider: Lambda; price: $2.49 per GPU-hour": a
        # price at the provider of the job.
        alone = []
    if not alone and all(at is None for _, at in pairs):
        return found if message.beside_others else _without_others(reading, learned, found)
    made = Found(taken=set(found.taken), amounts=[*found.amounts])
    matched = {at: _unnamed(one, message, found.places[at]) for one, at in pairs if at is not None}
    counts = {one.offer.gpus for one in learned.offers if one.offer.gpus}
    places = []
    for at, (offer, place) in enumerate(zip(found.offers, found.places, strict=True)):
        one = matched.get(at)
        places.append((place, _with(reading, one, offer, several=len(counts) > 1) if one else offer, []))
        made.taken |= one.tokens if one else set()
    for one in alone:
        place = (min(one.tokens), max(one.tokens) + 1)
        places.append((place, _alone(reading, one, of_one=len(counts) == 1), one.amounts))
        made.taken |= one.tokens
    for place, offer, amounts in sorted(places, key=lambda each: each[0]):
        made.add(offer, place, amounts)
    return made


def _unnamed(one: Told, message: Message, place: tuple[int, int]) -> Told:
    """A learned offer without a seller where the wordings hear one without a name ("another provider"), or the one who
    signs the mail, and where it stands in another quote's part of the message."""
    part = message.section_of(one.price.start)
    outside = bool(part and part.own and _PROVIDER in one.said and not any(map(part.has, one.said[_PROVIDER].tokens)))
    settled = outside or one_of(message.providers, *place) == UNNAMED or any(map(message.signs, message.providers))
    return replace(one, offer=replace(one.offer, provider=None)) if settled else one


def _is_taken(one: Told, found: Found) -> bool:
    """Whether the wordings know an amount as one that is paid beside, or as that of another price."""
    return bool(found.offers) and not found.taken.isdisjoint(range(one.price.start, one.price.end))


def _without_others(reading: Reading, learned: Learned, found: Found) -> Found:
    """The offers of the wordings, unless every price of them is likely none of an offer: "AWS lists it at $55, but
    nobody quoted us anything"."""
    others = {at for one, said in learned.other if one.sure >= _OTHER for at in said.tokens}
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


def _same(one: Told, found: Found) -> int | None:
    """Which offer of the wordings has the price of a learned one, in the same place."""
    value = lambda offer: offer.gpu_hour_usd or offer.usd or 0.0
    close = lambda offer, other: abs(value(offer) - other) <= _CLOSE * value(offer)
    for at, (offer, (first, last)) in enumerate(zip(found.offers, found.places, strict=True)):
        if first <= one.price.start < last and (close(offer, value(one.offer)) or close(offer, float(one.price.value))):
            return at
    return None


def _with(reading: Reading, one: Told, theirs: Quoted, *, several: bool) -> Quoted:
    """An offer of the wordings with the seller and the network that are learned, where they say nothing, or another
    seller; and with its GPUs, where ``several`` numbers of them are told."""
    sure = lambda part: one.sure.get(part, 0.0)
    filled = {part: getattr(one.offer, part) for part, least in _FILLS.items()
              if getattr(theirs, part) is None and getattr(one.offer, part) and sure(part) >= least}  # fmt: skip
    ours, other = one.offer.provider, theirs.provider
    if ours and other and ours != other and not _within(ours, other) and sure("provider") >= _INSTEAD:
        filled["provider"] = ours
        _tell(reading, one, ["provider"])
    else:
        _tell(reading, one, [part for part in filled if sure(part) < _TELLS])
    gpus = one.offer.gpus if several and theirs.gpus is None else theirs.gpus
    return replace(theirs, **filled, gpus=gpus)


def _within(one: str, other: str) -> bool:
    return one.lower() in other.lower() or other.lower() in one.lower()


def _alone(reading: Reading, one: Told, *, of_one: bool) -> Quoted:
    """An offer that is learned alone: what is not sure of it, or could not be read, is told. ``of_one``: whether only
    one number of GPUs is told, which is that of the job."""
    price, offer = reading.text.typed(one.price.start, one.price.end), one.offer
    _tell(reading, one, [part for part in _CALLED if getattr(offer, part) and one.sure.get(part, 1.0) < _TELLS])
    lost = [(part, said) for part, said in one.unread.items() if getattr(offer, part) is None]
    reading.doubts += [
        Doubt(None, f'"{said}" was not understood as {_CALLED[part]} of the offer at {price}') for part, said in lost
    ]
    job = reading.fields.get(COUNTED) or reading.context.fields.get(COUNTED)
    return replace(offer, gpus=None) if offer.gpus == job or (of_one and offer.usd is None) else offer


def _tell(reading: Reading, one: Told, parts: Sequence[str]) -> None:
    price = reading.text.typed(one.price.start, one.price.end)
    for part in parts:
        reading.assumed.append(f'"{one.said[part].text}" is read as {_CALLED[part]} of the offer at {price}')
