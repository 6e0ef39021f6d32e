"""What of the money of a message its offers do not account for, and what of an offer is not sure: whoever pasted it is
asked whose it is, and for what, and no plan is sure before that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from assistant.vocabulary.catalog import Catalog, Gpu
from assistant.vocabulary.quantities import HOURS_PER_MONTH
from assistant.vocabulary.utterance import Quoted

from .attach import Fact
from .besides import Besides
from .counting import COUNTED
from .offer_prices import LEAST_SUM, hourly, is_rate, listed_prices
from .quantities import MONEY_OTHER
from .reading import Reading
from .templates import Quantity
from .told_offers import Learned, Told

_PRICE = "budget.gpu_hour_usd"
_NOT_OFFERED = frozenset({"others", "past", "replaced", "present"})
_BY_THE_DAY = frozenset({"day", "week", "year"})  # by which no quote is reckoned
_FAR_OFF = 4.0  # times, or a share of, what is usual: the price of something else, such as of a node
# How likely a part has to be one of its offer, by quotes_fresh, quotes_c and quotes_mails: of 17 terms below 5 were of
# another, or none, of 51 above 1; of 17 sellers below 3, of 115 above 5, most of them with half a name.
_SURE = {"months": 0.5, "provider": 0.35}
_BEHIND = 3  # tokens between a price and what it is of
_LONGEST = 300  # characters


class Accounts:
    """``others``: what else a price is of than of machines (``not_machines``)."""

    def __init__(self, catalog: Catalog, besides: Besides, others: str) -> None:
        self._catalog, self._besides, self._others = catalog, besides, frozenset(others.split())

    def open(
        self, reading: Reading, facts: Sequence[Fact], own: Set[int], learned: Learned, told: Sequence[Told]
    ) -> str:
        """What is to be asked about, as typed: amounts that are of no offer (whose tokens are ``own``), prices far off
        what anybody asks, and parts that are hardly of their offer."""
        typed = reading.text.typed
        lost = [typed(q.start, q.end) for q in (*self._lost(reading, facts, own, learned), *learned.unread)]
        pairs = list(zip(told, reading.offers, strict=True))
        off = [typed(one.price.start, one.price.end) for one, offer in pairs if self._is_far_off(reading, offer)]
        unsure = [said for one, offer in pairs for said in self._unsure(one, offer)]
        every = [one.replace("\n", " ").strip() for one in (*lost, *off, *unsure)]
        return ", ".join(dict.fromkeys(every))[:_LONGEST]

    def _lost(self, reading: Reading, facts: Sequence[Fact], own: Set[int], learned: Learned) -> Iterator[Quantity]:
        """The prices beside those of the offers that are none of them, and nothing else that is stated either."""
        tokens = reading.text.tokens
        stated = (f for f in facts if f.says.act == "set" and f.says.field != _PRICE)
        known = own | learned.job | {at for fact in stated for at in fact.claimed}
        for q in (q for q in reading.quantities if not known & set(range(q.start, q.end))):
            money = q.kind in ("money", MONEY_OTHER)
            price = is_rate(q) or (money and (q.unit in _BY_THE_DAY or hourly(q) or q.value >= LEAST_SUM))
            planned = not reading.kinds(q.start, q.end) & _NOT_OFFERED
            else_ = self._besides.is_ours(tokens, q) or tokens.has(self._others, q.start, q.end + _BEHIND)
            written = any(token.is_number for token in tokens[q.start : q.end]) or tokens[q.start].is_word
            if price and planned and q.value and written and not else_:
                yield q

    def _unsure(self, one: Told, offer: Quoted) -> Iterator[str]:
        """The parts of an offer that are hardly its own, as typed."""
        taken = {"months": offer.months or offer.minimum_days, "provider": offer.provider}
        for part, least in _SURE.items():
            hardly = one.sure.get(part, 1.0) < least and taken[part] not in self._catalog.providers
            if part in one.said and taken[part] and hardly:
                yield one.said[part].typed

    def _is_far_off(self, reading: Reading, offer: Quoted) -> bool:
        """Whether a price is a multiple, or a fraction, of what its GPU is let for, or sold."""
        gpu = self._catalog.gpus.get(offer.gpu or "") or reading.gpu(self._catalog) or self._only(reading)
        gpus = offer.gpus or reading.known(COUNTED)
        if gpu is None or (offer.usd is not None and not gpus):
            return False
        if offer.usd is not None and not offer.months:
            bought = gpu.purchase_price or self._catalog.constants.get(f"cost-purchase-price-{gpu.id}")
            return bought is not None and offer.usd / gpus > _FAR_OFF * bought.si
        hour = offer.gpu_hour_usd or (offer.usd or 0.0) / gpus / (offer.months or 1.0) / HOURS_PER_MONTH
        listed = listed_prices(self._catalog, gpu.id)
        usual = gpu.hour_price.si if gpu.hour_price else listed[len(listed) // 2] if listed else None
        if usual is None:
            return False
        low, high = (min(*listed, usual), max(*listed, usual)) if listed else (usual, usual)
        return not min(low, usual / _FAR_OFF) <= hour <= max(high, usual * _FAR_OFF)

    def _only(self, reading: Reading) -> Gpu | None:
        """The GPU of a message that names one."""
        named = {q.value for q in reading.named if q.kind == "gpu"}
        return self._catalog.gpus.get(*named) if len(named) == 1 else None
