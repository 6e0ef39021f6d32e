"""Several offers in one message, or in a pasted mail: what each network, or each provider, would cost, and what it
includes. They are prices of fabrics, not the budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

from assistant.vocabulary.added import added
from assistant.vocabulary.catalog import QuoteItem
from assistant.vocabulary.quantities import DAYS_PER_MONTH
from assistant.vocabulary.utterance import Quoted

from .offer_message import UNNAMED, Message, built_of, gpu_of, one_of, parted
from .offer_prices import MOST_PER_HOUR, prices_of
from .scopes import denial_of
from .sections import Sections
from .sellers import Sellers, clause_of
from .templates import Quantity
from .text import Token, Tokens, cut, sentences

_OF_ALL = frozenset({",", ".", ";", ":", "both", "all", "each", "either"})  # before a term that is that of every offer
_EVERY = frozenset({"all", "both", "each", "either"})
_SHARED = frozenset({"both", "all", "either", "same", "identical"})  # beside a term, or a network, of another offer too
_LEADS_TO = frozenset({":", "-", "=", "@", "at", "for"})  # between the term and the price of one line of a list
_OF_ONE = ("fabric", "provider", "oversubscription", "nics_per_node")
_ANSWERED = frozenset({"oversubscription", "term", "lead-time"})  # told by a field of the quote
_ADDS = frozenset({"plus", "+", "and"})  # what follows comes on top of what stands before
_LONGEST_BESIDES = 400  # characters of what is said besides
_TERM_DAYS = (27.0, 2000.0)  # what is shorter or longer is no term of a rental

Apart = tuple[int, int, Quantity]  # a clause with an amount that is paid beside the machines: its tokens, the amount


@dataclass
class Found:
    """The offers of a message, where each is told, the tokens that tell of them, and the amounts that are theirs."""

    offers: list[Quoted] = field(default_factory=list)
    places: list[tuple[int, int]] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)
    amounts: list[Quantity] = field(default_factory=list)

    def add(self, offer: Quoted, place: tuple[int, int], told: Sequence[Quantity]) -> None:
        self.offers.append(offer)
        self.places.append(place)
        self.take(told)

    def leave(self, price: Quantity) -> None:
        """A price of which nothing is known that would make it an offer."""
        self.amounts = [one for one in self.amounts if one is not price]
        self.taken -= set(range(price.start, price.end))

    def take(self, told: Sequence[Quantity]) -> None:
        """Amounts that tell of the offers."""
        self.amounts += told
        self.taken |= {at for one in told for at in range(one.start, one.end)}


class Offers:
    """Reads offers; ``items``: what one may include, with the words for it; ``words``: those by which an amount is no
    offer (``on_top``, ``paid`` without ``might``), or an item is not in its price (``beside``); ``devices``: names of
    switches, which are told as they are written."""

    def __init__(self, items: Mapping[str, QuoteItem], words: Mapping[str, Any], devices: Iterable[str]) -> None:
        self._on_top, self._paid, self._might, self._beside = (
            frozenset(words[name].split()) for name in ("on_top", "paid", "might", "beside")
        )
        self.without = frozenset(words["without"].split())
        self._of_all_quotes = [tuple(said.split()) for said in words["of_all"]]
        self._items = [
            (id, tuple(t.stem for t in cut(word) if t.text != "-")) for id, item in items.items() for word in item.words
        ]
        self.sellers = Sellers(words, devices, [stems for _, stems in self._items])
        self.sections = Sections(words)
        self._rented = frozenset(id for id, item in items.items() if "rent" in item.modes)

    def read(self, message: Message) -> Found:
        """The offers of a message; none where there are fewer than two different ones, but for one more beside those
        that are known."""
        apart = list(self.sellers.apart(message.tokens, message.payable))
        prices = prices_of(message, list(self._usable(message, apart)))
        one_more = message.beside_others and len(prices) == len({p.id for p in message.providers}) == 1
        one_more = one_more or [price.value for price in prices] == [message.alone]
        if len(prices) < 2 and not one_more:
            return Found()
        found = Found()
        found.take(prices)
        found.taken |= {at for one in message.cabled for at in range(one.start, one.end)}
        untold = {at for first, last, _ in apart for at in range(first, last)}
        places = parted(message, prices)
        places[-1] = self._without_the_job(message, prices[-1], *places[-1])
        for price, place in zip(prices, places, strict=True):
            self._add(found, message, price, place, untold, last=price is prices[-1])
        several = len({(one.fabric, one.provider, one.months, one.gpu) for one in found.offers}) > 1
        headed = len(found.offers) > 1 and message.sections and all(part.own for part in message.sections)
        prices_told = {one.gpu_hour_usd or one.usd for one in found.offers}  # "offers at 2.10 and 2.40, both with NDR"
        offered = message.of_offers and len(prices_told) > 1 and all(one.fabric or one.provider for one in found.offers)
        if not (several or headed or offered or one_more):
            return Found()
        self._say_besides(found, message, apart)
        besides = self.sellers.besides(message.tokens, 0, len(message.tokens)) if message.of_offers else ()
        found.taken |= {at for span in besides for at in range(*span)}
        return found

    def _without_the_job(self, message: Message, price: Quantity, first: int, last: int) -> tuple[int, int]:
        """The stretch of the last price up to where the job is told again, and no name of an offer follows."""
        end = next((at for at in range(price.end, last) if at in message.job), last)
        named = any(end <= name.start < last for name in (*message.fabrics, *message.providers))
        return first, last if named else end

    def _usable(self, message: Message, apart: Sequence[Apart]) -> Iterator[Quantity]:
        """The amounts that may be prices of an offer."""
        beside = {amount.start for _, _, amount in apart}
        return (q for q in message.quantities if q.start not in beside and not self._no_offer(q, message.tokens))

    def _add(
        self, found: Found, message: Message, price: Quantity, place: tuple[int, int], untold: set[int], *, last: bool
    ) -> None:
        """The offer of one price. ``untold``: tokens of what is paid beside; ``last``: whether no price follows."""
        said = {id: span for id, span in self._said(message, *place).items() if span[0] not in untold}
        if price.value <= MOST_PER_HOUR:  # by the hour: what belongs to a purchase is part of what is let
            said = {id: span for id, span in said.items() if id in self._rented}
        bought = price.value > MOST_PER_HOUR and price.value == message.alone and price.unit != "month"
        term = None if bought else self._term(message, price, *place, said)  # "3 years warranty" is none
        if term and last and _is_of_all(message.tokens, term):
            found.offers = [
                one if one.months or one.usd else replace(one, months=_months(term)) for one in found.offers
            ]
        part = message.section_of(price.start)
        unnamed = all(one_of(names, *place) is None for names in (message.fabrics, message.providers))
        if found.offers and unnamed and not (part and part.own):
            self._on_another_term(found, message, price, place, term, said)
            return
        own = None if term is None or _before_all(message, term, price, place[0]) else term
        delivery = self._delivery(message, place, said)
        offer = _offer(message, price, place, own, delivery, said)
        if found.offers and offer.fabric is None and (same := _the_same(message, *place)):
            offer = replace(offer, fabric=found.offers[-1].fabric)
            found.taken |= same
        found.add(offer, place, [one for one in (own, delivery) if one])
        found.taken |= {at for span in said.values() for at in range(*span)}
        if own and last and message.tokens[own.start - 1].text in _OF_ALL:
            found.offers = [one if one.months or one.usd else replace(one, months=offer.months) for one in found.offers]

    def _on_another_term(
        self, found: Found, message: Message, price: Quantity, place: tuple[int, int], term: Quantity | None,
        said: Mapping[str, tuple[int, int]],
    ) -> None:  # fmt: skip
        """ "$2.35 on one month, $2.09 on three": what was offered before at the price of another term; when it is there
        holds for both."""
        months = term and _months(term)
        found.leave(price)
        if found.offers and (term or "term" in said) and months != found.offers[-1].months:
            note = message.changed.get(price.start, "")
            before, delivery = found.offers[-1], self._delivery(message, place, said)
            days = delivery.value if delivery else before.delivery_days
            found.offers[-1] = replace(
                before, delivery_days=days if before.delivery_days is None else before.delivery_days
            )
            includes = tuple(dict.fromkeys((*before.includes, *(id for id in said if id not in _ANSWERED))))
            again = replace(
                found.offers[-1], gpu_hour_usd=float(price.value), usd=None, months=months, delivery_days=days,
                includes=includes, note=note,
            )  # fmt: skip
            found.add(again, place, [one for one in (price, term, delivery) if one])
            found.taken |= {at for span in said.values() for at in range(*span)}

    def _say_besides(self, found: Found, message: Message, apart: Sequence[Apart]) -> None:
        """What is said beside the prices: once for all that one seller offers, or by each of them."""
        found.offers = _of_one_seller(message, found, self.sellers.closing(message.tokens))
        found.offers = _on_one_network(message, found.offers)
        same, sellers = _on_terms(message, found.offers), {offer.provider for offer in found.offers}
        several = same is found.offers and (len(sellers) > 1 or None in sellers)
        if len(found.offers) > 1 and (several or message.sections):
            found.offers = same
            found.offers = list(self._of_each(message, found, apart))
        else:
            found.offers = self._of_all(found, message, same, apart)
        found.taken |= {at for first, last, _ in apart for at in range(first, last)}
        found.amounts += [amount for _, _, amount in apart]

    def _of_all(self, found: Found, message: Message, same: list[Quoted], apart: Sequence[Apart]) -> list[Quoted]:
        """The offers of one seller with what is said once for all of them: the least time, the day from which on, what
        is paid apart."""
        least = self.sellers.least_time(message.tokens, message.times, 0, len(message.tokens))
        window = self.sellers.lasting(message.dates)
        since = self.sellers.there_from(message.tokens, message.dates) or (window and window[0])
        if window and least is None:  # let for these days, and paid for as long
            least = replace(window[1], kind="time", value=float((window[1].value - window[0].value).days))
        once, note = self._apart(message, apart, (0, len(message.tokens)))
        beyond = lambda one: least is not None and least.value > DAYS_PER_MONTH * (one.months or 0.0)
        if least and not all(map(beyond, same)):
            told = f"smallest term said: {message.typed(least.start, least.end)}, each price counted for its own term"
            note = "; ".join(text for text in (note, told) if text)
        found.take([one for one in (least, since) if one])
        days = message.days_until(since.value) if since else _delivery_of_all(message, found)
        return [
            replace(
                one,
                note=_joined(one.note, note),
                minimum_days=float(least.value) if least and beyond(one) else None,
                delivery_days=one.delivery_days if days is None else days,
                once_usd=once,
            )
            for one in same
        ]

    def _of_each(self, message: Message, found: Found, apart: Sequence[Apart]) -> Iterator[Quoted]:
        """The offers, each with what is said, and paid apart, of it alone and of all."""
        shared = list(self._shared(message, found))
        for offer, place in zip(found.offers, found.places, strict=True):
            spans = [place, *shared]
            within = lambda q, spans=spans: any(start <= q.start < end for start, end in spans)
            once, note = self._apart(message, [one for one in apart if within(one[2])], *spans)
            times = [self.sellers.least_time(message.tokens, message.times, *span) for span in spans]
            least = next(filter(None, times), None)
            since = self.sellers.there_from(message.tokens, [q for q in message.dates if within(q)])
            delivery = [self.sellers.there_in(message.tokens, message.times, *span) for span in spans[1:]]
            later = next((one.value for one in delivery if one), None)
            found.take([one for one in (least, since, *delivery) if one])
            days = later if offer.delivery_days is None else offer.delivery_days
            more = [id for span in shared for id in self._said(message, *span) if id in self._rented - _ANSWERED]
            yield replace(
                offer,
                fabric=offer.fabric or next(filter(None, (one_of(message.fabrics, *span) for span in shared)), None),
                includes=tuple(dict.fromkeys((*offer.includes, *more))),
                once_usd=once,
                note=_joined(offer.note, note),
                minimum_days=float(least.value)
                if least and least.value > DAYS_PER_MONTH * (offer.months or 0)
                else None,
                delivery_days=message.days_until(since.value) if since else days,
            )

    def _shared(self, message: Message, found: Found) -> Iterator[tuple[int, int]]:
        """What is said of every quote where each has a part of its own: before the first, in a sentence of both or all,
        and of one seller whatever stands beside the parts."""
        if not message.sections:
            yield from _said_of_all(message, found)
            return
        edges = [0, *(at for part in message.sections for at in (part.start, part.end)), len(message.tokens)]
        outside = [(first, last) for first, last in zip(edges[::2], edges[1::2], strict=True) if first < last]
        of_a_list = not any(part.own for part in message.sections)
        of_one = len({offer.provider for offer in found.offers}) == 1 and (found.offers[0].provider or of_a_list)
        yield from outside if of_one else outside[: message.sections[0].start > 0]
        goes_on = None  # the part in which a sentence was of all: what follows there is so as well
        for first, last in sentences(message.tokens):
            told = [token.text for token in message.tokens[first:last]]
            of_all = any(
                tuple(told[n : n + len(said)]) == said for said in self._of_all_quotes for n in range(len(told))
            )
            part = message.section_of(first)
            if of_all or (part and part is goes_on):
                yield first, last
            goes_on = part if of_all else goes_on

    def _apart(self, message: Message, apart: Sequence[Apart], *spans: tuple[int, int]) -> tuple[float | None, str]:
        """What is paid once beside the price, in dollars, and a note of what is in no sum, or is said besides in
        ``spans``."""
        once = {q.start: float(q.value) for _, _, q in apart if self.sellers.is_once(message.tokens, q)}
        rest = [span for *span, amount in apart if amount.start not in once]
        notes = dict.fromkeys(message.typed(first, last).strip(" ,;:-*\n") for first, last in rest)
        changed = (message.changed[start] for start in once if start in message.changed)
        told = [span for *span, _ in apart]
        said = (one for span in spans for one in self.sellers.besides(message.tokens, *span))
        more = [span for span in said if not _within(span, told)]
        besides = dict.fromkeys(message.typed(*span).strip(" ,;:-*\n") for span in more) if message.of_offers else {}
        return added(once.values()) or None, _joined(
            f"not in the sum: {', '.join(notes)}" if notes else "",
            f"said besides: {', '.join(besides)}"[:_LONGEST_BESIDES] if besides else "",
            *changed,
        )

    def _delivery(
        self, message: Message, place: tuple[int, int], said: Mapping[str, tuple[int, int]]
    ) -> Quantity | None:
        """After how long the machines of a stretch are there."""
        told = self._lead_time(message, said.get("lead-time"))
        return told or self.sellers.there_in(message.tokens, message.times, *place)

    def _lead_time(self, message: Message, said: tuple[int, int] | None) -> Quantity | None:
        """The time that stands right after what is said, or before it, in its clause: "lead time 6 weeks", "6 weeks
        lead time"."""
        if said is None:
            return None
        start, end = clause_of(message.tokens, *said)
        times = [q for q in message.times if start <= q.start and q.end <= end]
        times = [q for q in times if not self.sellers.is_least(message.tokens, q)]
        after = (q for q in times if said[1] <= q.start <= said[1] + 2)
        return next(after, None) or next((q for q in times if said[0] - 1 <= q.end <= said[0]), None)

    def _no_offer(self, quantity: Quantity, tokens: Sequence[Token]) -> bool:
        """Whether an amount comes on top of a price, as in "8 cents more an hour", or is what is paid already."""
        near = [*tokens[max(0, quantity.start - 2) : quantity.end], *self._behind(quantity, tokens)]
        before = [token.text for token in tokens[max(0, quantity.start - 4) : quantity.end]]
        paid = not self._paid.isdisjoint(before) and self._might.isdisjoint(before)  # "they would pay 2.10 at Together"
        return paid or any(token.text in self._on_top for token in near)

    def _behind(self, quantity: Quantity, tokens: Sequence[Token]) -> Sequence[Token]:
        """The two tokens behind an amount, as far as nothing is added to it: "95,000 EUR plus VAT", "2.45, plus a setup
        fee" are prices."""
        behind = tokens[quantity.end : quantity.end + 2]
        return list(takewhile(lambda token: token.text not in _ADDS, behind))

    def _said(self, message: Message, first: int, last: int) -> dict[str, tuple[int, int]]:
        """What is said to be in the price, and where."""
        places = [at for at in range(first, last) if message.tokens[at].text != "-"]
        stems = [message.tokens[at].stem for at in places]
        found: dict[str, tuple[int, int]] = {}
        for id, words in self._items:
            for n in range(len(places) - len(words) + 1):
                if tuple(stems[n : n + len(words)]) != words:
                    continue
                at, end = places[n], places[n + len(words) - 1] + 1
                if {token.text for token in message.tokens[end : end + 2]} & self._beside:
                    continue
                if denial_of(message.denials, at, end, frozenset(range(at, end))) is None:
                    found.setdefault(id, (at, end))
        return found

    def _term(
        self, message: Message, price: Quantity, first: int, last: int, said: Mapping[str, tuple[int, int]]
    ) -> Quantity | None:
        """The time for which it is rented, rather than the one that the job takes; a time beside what else is said,
        such as a lead time, is that."""
        spans = ((span, clause_of(message.tokens, *span)[1]) for id, span in said.items() if id != "term")
        after = {at for (start, end), last in spans for at in range(start, min(end + 3, last))}
        shortest, longest = _TERM_DAYS
        times = (q for q in message.times if first <= q.start and q.end <= last)
        times = (q for q in times if not _is_period(message.tokens, q))
        times = (q for q in times if not self.sellers.is_least(message.tokens, q))
        times = (q for q in times if self.sellers.there_in(message.tokens, [q], first, last) is not q)
        clause = lambda q: clause_of(message.tokens, q.start, q.end)
        beside = lambda q: not clause(q)[0] <= price.start < clause(q)[1]  # "2.00 USD for 3 months prepaid" is a term
        besides = lambda q: beside(q) and self.sellers.is_besides(message.tokens, *clause(q))
        times = (q for q in times if not besides(q))  # "12 % off for 3 months upfront"
        terms = [q for q in times if shortest <= q.value <= longest and q.start not in after]
        own = (q for q in terms if not _before_all(message, q, price, first))
        return next(own, terms[0] if terms else None)


def _is_period(tokens: Sequence[Token], time: Quantity) -> bool:
    """Whether a time is that by which a number before it is paid: "storage extra at 500 a month"."""
    return time.start > 0 and tokens[time.start - 1].is_number and tokens[time.start].text in ("a", "per", "each")


def _the_same(message: Message, first: int, last: int) -> set[int]:
    """Where a stretch says that it offers what was offered before: "and Lambda wants $95,000 a month for the same"."""
    return {at for at in range(first, last) if message.tokens[at].text == "same" and at not in message.job}


def _months(term: Quantity) -> float:
    return round(term.value / DAYS_PER_MONTH, 1)


def _said_of_all(message: Message, found: Found) -> Iterator[tuple[int, int]]:
    """What follows the last price from "all" or "both" on, up to the end of its sentence: "…, all with InfiniBand"."""
    last = max((q.end for q in found.amounts if q.kind != "time"), default=len(message.tokens))
    for first, end in sentences(message.tokens):
        at = next((n for n in range(max(first, last), end) if message.tokens[n].text in _EVERY), end)
        if at < end and at not in message.job:
            yield at, end


def _is_of_all(tokens: Tokens, term: Quantity) -> bool:
    """Whether a clause says that its time is that of every offer: "same term of 4 months"."""
    return tokens.has(_SHARED, *clause_of(tokens, term.start, term.end))


def _within(span: Sequence[int], told: Sequence[Sequence[int]]) -> bool:
    return any(first <= span[0] and span[1] <= last for first, last in told)


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


def _offer(
    message: Message,
    price: Quantity,
    place: tuple[int, int],
    term: Quantity | None,
    delivery: Quantity | None,
    said: Mapping[str, tuple[int, int]],
) -> Quoted:
    """The offer at a price, with its term, its delivery and what is ``said`` to be in it. A sum is that of its term, of
    so much a month that of all its months."""
    built = built_of(message, price, *place)
    if "oversubscription" in said:
        built.setdefault("oversubscription", 1.0)
    whole, months = price.value > MOST_PER_HOUR, term and _months(term)
    monthly = 1.0 if whole and price.unit == "month" else None
    told = {"oversubscription"} | ({"lead-time"} if delivery else set()) | ({"term"} if term else set())
    return Quoted(
        one_of(message.fabrics, *place),
        one_of(message.providers, *place) or None,
        gpu_hour_usd=None if whole else float(price.value),
        usd=float(price.value) * (months or 1.0 if monthly else 1.0) if whole else None,
        months=months or monthly,
        delivery_days=delivery and delivery.value,
        includes=tuple(item for item in said if item not in told),
        note=message.changed.get(price.start, ""),
        gpu=gpu_of(message, price, *place),
        **built,
    )


def _before_all(message: Message, term: Quantity, price: Quantity, first: int) -> bool:
    """Whether a time stands in a clause before the offers and so is of none of them: "rents for three months, has two
    quotes: A 2.35 …"; not in a list: "1 month: $2.85"."""
    named = any(first <= name.start < term.start for name in (*message.fabrics, *message.providers))
    between = message.tokens[term.end : price.start]
    listed = all(token.text in _LEADS_TO for token in between)
    return not (named or listed) and term.end <= price.start and any(token.text in ",.;:" for token in between)


def _of_one_seller(message: Message, found: Found, closing: int | None) -> list[Quoted]:
    """Who is named before the first price, or signs behind ``closing``, and alone, makes every offer: "Lambda offers
    InfiniBand at 2.49 or RoCE at 2.20"; in a part of its own it makes that one."""
    sellers, first = {name.id for name in message.providers}, min(q.start for q in found.amounts)
    before_all = all(name.end <= first or (closing is not None and name.start > closing) for name in message.providers)
    if len(sellers) != 1 or UNNAMED in sellers or message.names_apart or not (before_all or message.sections):
        return found.offers
    return [replace(offer, provider=offer.provider or next(iter(sellers))) for offer in found.offers]


def _delivery_of_all(message: Message, found: Found) -> float | None:
    """The days of a delivery that is said in a clause of its own behind the last price, and nowhere else."""
    *others, last = (offer.delivery_days for offer in found.offers)
    price = max(q.end for q in found.amounts if q.kind != "time")
    _, end = clause_of(message.tokens, price - 1, price)
    own = any(q.value == last and q.start >= end for q in message.times)
    return last if own and not any(others) else None


def _on_one_network(message: Message, found: list[Quoted]) -> list[Quoted]:
    """Where no offer has a network of its own, the only one that is told beside them is that of all: above a list."""
    named = {one.id for one in message.fabrics if one.start not in message.job}
    if len(named) != 1 or any(one.fabric for one in found):
        return found
    return [replace(one, fabric=next(iter(named))) for one in found]


def _on_terms(message: Message, found: list[Quoted]) -> list[Quoted]:
    """One seller's prices for several terms are of the same machines: what is told once is told of all."""
    if not message.of_one or message.names_apart or len({one.months for one in found}) < len(found):
        return found
    told: dict[str, Any] = {part: next(filter(None, (getattr(one, part) for one in found)), None) for part in _OF_ONE}
    told["includes"] = tuple(dict.fromkeys(item for one in found for item in one.includes))
    return [replace(one, **told) for one in found]
