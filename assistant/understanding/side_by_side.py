"""Offers that stand side by side in a message: whose, of which networks, and what of the message is theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import takewhile
from typing import Any

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.quantities import in_dollars
from assistant.vocabulary.utterance import Doubt, Quoted

from . import networks
from .agreed import agreed, left_over
from .attach import Candidate, Fact
from .clauses import Clauses
from .discounts import off_the_list
from .known_quotes import supposed
from .offer_message import UNNAMED, Cabled, Message, Priced
from .offer_prices import LEAST_SUM, as_quoted, asked_in_all, hourly, is_rate, is_sum, may_be_asked
from .offer_sizes import tell_sizes
from .offers import Apart, Found, Offers
from .quantities import MONEY_OTHER
from .reading import TIMES, Reading
from .sections import Section
from .sellers import OFFERED, clause_of
from .templates import Quantity
from .text import Token, in_question, stem
from .told_offers import ToldOffers

_POWER = "constraints.max_power_kw"
_PRICE = "budget.gpu_hour_usd"
_OF_AN_OFFER = frozenset({"cluster.fabric", "cluster.provider", _PRICE, "budget.fabric_premium_gpu_hour_usd"})
# What tells how a network is built, by the field of a quote that has it.
_BUILT = {"cluster.oversubscription": "oversubscription", "cluster.nics_per_node": "nics_per_node"}
_NOT_OFFERED = frozenset({"others", "past", "replaced", "present"})
_BY_THE_DAY = frozenset({"day", "week", "year"})  # by which no quote is reckoned
_OF_A_QUOTE = frozenset({"time", "date", "dates", "money", MONEY_OTHER})  # amounts that are no fact of the job there
_AMOUNTS = TIMES | {
    "budget.usd",
    "budget.usd_per_month",
    "budget.delivery_days",
    "budget.reserved_days",
}  # of an offer where one of its amounts stands there


class SideBySide:
    """The stage of offers; ``words``: those that some wording knows, which are no names of sellers."""

    def __init__(self, catalog: Catalog, offers: Offers, clauses: Clauses, told: ToldOffers, words: Set[str]) -> None:
        self._catalog, self._offers, self._clauses, self._words = catalog, offers, clauses, words
        self._told = told

    def _apart(self, reading: Reading) -> list[Apart]:
        """What is paid beside the machines, in whatever currency."""
        money = [q for q in reading.quantities if q.kind in ("money", MONEY_OTHER, "percent")]
        return list(self._offers.sellers.apart(reading.text.tokens, money))

    def sections(self, reading: Reading) -> list[Section]:
        """The parts of a message that are a quote each."""
        tokens, apart = reading.text.tokens, [span for *span, _ in self._apart(reading)]
        reading.job = self._job(reading)
        prices = [q for q in self._prices(reading) if not any(a <= q.start < b for a, b in apart)]
        return self._offers.sections.of(tokens, [q for q in prices if is_rate(q) or q.kind != "number"], reading.job)

    def _prices(self, reading: Reading) -> list[Quantity]:
        """What may be a price of machines, in whatever currency, and is not what we may spend."""
        tokens, ours = reading.text.tokens, self._offers.sellers.is_ours
        amounts = (q for q in reading.quantities if not reading.kinds(q.start, q.end) & _NOT_OFFERED)
        return [q for q in amounts if may_be_asked(q) and not ours(tokens, q)]

    def of_the_job(self, reading: Reading, found: Sequence[Candidate]) -> list[Candidate]:
        """The candidates without those in the part of a quote: its times, days and sums, and its GPUs where the job
        tells how many; nor is what is paid beside a price, such as a deposit, any sum of ours."""
        inside = lambda start: any(part.has(start) for part in reading.sections)
        theirs = {at for q in reading.quantities if q.kind in _OF_A_QUOTE and inside(q.start)
                  for at in range(q.start, q.end)}  # fmt: skip
        if any(is_rate(q) for q in reading.quantities):
            theirs |= {at for *_, amount in self._apart(reading) for at in range(amount.start, amount.end)}
        counted = any(one.fact.says.act == "count" and not inside(one.fact.start) for one in found)
        again = lambda fact: counted and fact.says.act == "count" and inside(fact.start)
        return [one for one in found if not (one.fact.claimed & theirs or again(one.fact))]

    def lay(self, reading: Reading, facts: Sequence[Fact]) -> None:
        """Offers side by side decide neither network nor provider nor price; those of the ``facts`` that tell how a
        network is built are of the offer that says them."""
        message = self._message(reading, facts)
        found = self._offers.read(message)
        learned = self._told.read(reading, message)
        found = agreed(reading, learned, found, message)
        if not found.offers:
            told = off_the_list(reading, facts, self._catalog) or supposed(reading, self._offers.sellers)
            reading.offers = [told] if told else []
            _ask_whose(reading)
            return
        if len(found.offers) == 1 and message.alone is not None:
            found.offers = [_with_names(found.offers[0], reading, message)]
        tell_sizes(reading, found, facts)
        words = {at for at, token in enumerate(message.tokens) if token.stem in OFFERED | {stem("term")}}
        words |= {at for one in message.providers for at in range(one.start, one.end)}
        spans = (one for one in (*reading.spans, *reading.named) if message.section_of(one.start))
        words |= {at for one in spans for at in range(one.start, one.end)}
        words |= {at for part in message.sections for at in self._offers.sections.head(message.tokens, part)}
        words |= {at for mention in reading.mentions for at in mention.claimed}
        prices = _prices(found)
        words |= {at for q in message.every if q.value in prices for at in _led_by(message.tokens, q)}
        found.offers = [self._called(reading, one, at) for one, at in zip(found.offers, found.places, strict=True)]
        reading.offers, reading.taken = found.offers, reading.taken | found.taken | words
        if self._sold(reading, message.every):  # in a mail of a seller every sum is his
            self._no_limit_of_power(reading, message)
            found.amounts += [q for q in message.money if not self._offers.sellers.is_ours(message.tokens, q)]
        told = {at for first, last in found.places for at in range(first, last)}
        reading.of_sellers = frozenset(told - message.job)
        self._tell_nearest(reading)
        lost = [reading.text.typed(q.start, q.end) for q in self._unread(reading, message, found, facts)]
        lost += [one for one in left_over(reading, learned, found) if not any(one in said for said in lost)]
        unread = ", ".join(dict.fromkeys(lost))
        reading.offers = [replace(one, unread=unread) for one in reading.offers]
        _take_back(reading, facts, found, message)

    def _unread(self, reading: Reading, message: Message, found: Found, facts: Sequence[Fact]) -> Iterator[Quantity]:
        """The prices beside those of the offers that are none of them, and nothing else that is stated either."""
        stated = {at for fact in facts if fact.says.act == "set" for at in fact.claimed}
        known = stated | found.taken | reading.job | {at for a, b, _ in self._apart(reading) for at in range(a, b)}
        sellers = self._offers.sellers
        for q in (q for q in reading.quantities if not known & set(range(q.start, q.end))):
            first, last = clause_of(message.tokens, q.start, q.end)
            named = any(first <= one.start < last for one in message.providers) or message.section_of(q.start)
            whole = q.kind in ("money", MONEY_OTHER) and not q.unit and q.value >= LEAST_SUM and named
            small = q.kind == "money" and hourly(q)
            planned = not reading.kinds(q.start, q.end) & _NOT_OFFERED and not sellers.is_ours(message.tokens, q)
            if planned and (is_rate(q) or (q.unit in _BY_THE_DAY and q.kind.startswith("money")) or small or whole):
                yield q

    def _called(self, reading: Reading, offer: Quoted, place: tuple[int, int]) -> Quoted:
        """A quote that has no name, called as it is headed: "Core42"; a number of its own ("Quote 1") is a name where
        nothing else tells which network it is."""
        part = next((one for one in reading.sections if one.own and one.has(place[0])), None)
        if part is None or offer.provider:
            return offer
        called = self._offers.sections.label(reading.text, part)
        numbered = reading.text.tokens[part.start].text in self._offers.sections.labels
        return offer if numbered and offer.fabric else replace(offer, provider=called or None)

    def _no_limit_of_power(self, reading: Reading, message: Message) -> None:
        """What the machines draw is no limit of ours; "we have at most 40 kW" is one."""
        ours = self._offers.sellers.is_ours
        if not any(q.kind == "power" and ours(message.tokens, q) for q in reading.quantities):
            reading.fields.pop(_POWER, None)
            reading.doubts = [doubt for doubt in reading.doubts if doubt.field != _POWER]

    def _message(self, reading: Reading, facts: Sequence[Fact]) -> Message:
        every, changed = self._as_quoted(reading)
        amounts = [q for q in every if not reading.kinds(q.start, q.end) & _NOT_OFFERED]
        fabrics = self._fabrics(reading)
        of_offers = any(token.stem in OFFERED for token in reading.text.tokens) or self._has_fee(reading, every)
        of_offers = of_offers or self._sold(reading, every) or _in_their_money(reading) or _heads(reading)
        apart = [span for *span, _ in self._offers.sellers.apart(reading.text.tokens, _money(every))]
        providers = [Priced(q.value, q.start, q.end) for q in reading.named if q.kind == "provider"]
        providers = [one for one in providers if not any(a <= one.start < b for a, b in apart)]  # "100 TB VAST"
        providers += [Priced(q.value[0], q.start, q.end) for q in reading.named if q.kind == "instance"]
        several = sum(hourly(q) and q.kind != "number" for q in amounts) > 1
        providers += (
            self._sellers(reading, providers, amounts, of_offers=of_offers)
            if fabrics or several or reading.sections
            else []
        )
        providers += self._strangers(reading, providers, amounts, of_offers=of_offers)
        return Message(
            reading.text.tokens,
            amounts,
            fabrics,
            providers,
            reading.scopes,
            [*_cabled(reading, facts, amounts), *self._of_all_adapters(reading)],
            of_offers,
            bool(reading.context.fields.get("budget.quotes")),
            self._alone(reading, providers, fabrics, amounts) if of_offers else None,
            every,
            lambda day: float(max(0, (day - reading.today).days)),
            reading.text.typed,
            changed,
            reading.sections,
            self._offers.sellers.closings(reading.text.tokens),
            reading.job,
        )

    def _job(self, reading: Reading) -> frozenset[int]:
        """The tokens of the clauses that are of the job."""
        amounts, prices = reading.quantities, {q.start for q in self._prices(reading)}
        sized = {at for q in amounts if _is_size(q) and q.start not in prices for at in range(q.start, q.end)}
        named = {at for q in reading.named if q.kind == "model" for at in range(q.start, q.end)}
        sellers = {q.start for q in reading.named if q.kind == "provider"}
        times = [q for q in amounts if q.kind == "time"]
        return self._clauses.of_the_job(reading.text.tokens, prices, sellers, sized | named, times)

    def _as_quoted(self, reading: Reading) -> tuple[list[Quantity], dict[int, str]]:
        """Every amount in dollars and for one GPU, and how those that were not became so."""
        amounts, changed = [], {}
        for amount in reading.quantities:
            ours = as_quoted(amount, self._catalog, reading.per_node(self._catalog))
            amounts.append(ours[0] if ours else amount)
            if ours:
                said = reading.text.typed(amount.start, amount.end)
                changed[amount.start] = f"{said} is {in_dollars(ours[0].value)}, at {ours[1]}"
        return amounts, changed

    def _sold(self, reading: Reading, amounts: Sequence[Quantity]) -> bool:
        """Whether a message with a price has the words of a seller, and asks nothing."""
        priced = any(q.kind == "money" for q in amounts)
        return priced and reading.act in ("describe", "change") and self._offers.sellers.sells(reading.text.tokens)

    def _alone(
        self, reading: Reading, providers: Sequence[Priced], fabrics: Sequence[Priced], amounts: Sequence[Quantity]
    ) -> float | None:
        """The price of the offer that is told alone; in a seller's mail the only one of a GPU-hour."""
        told = _quoted_alone(reading, providers, fabrics) or _of_a_month(reading, [*providers, *fabrics], amounts)
        hours = {q.value for q in amounts if hourly(q) and q.unit == "gpu-hour"}
        if told or not (self._sold(reading, amounts) and (fabrics or providers)):
            return told
        if hours or any(hourly(q) for q in amounts) or "model" in reading.fields:
            return hours.pop() if len(hours) == 1 else None
        sellers, tokens = self._offers.sellers, reading.text.tokens
        beside = {amount.start for _, _, amount in sellers.apart(tokens, _money(amounts))}
        bought = asked_in_all(tokens, [q for q in amounts if q.start not in beside], sellers.total)
        if bought:
            reading.fields["budget.mode"] = "buy"
        return bought

    def _fabrics(self, reading: Reading) -> list[Priced]:
        gpu = reading.gpu(self._catalog)
        offered = [m for m in reading.mentions if not self._is_missing(reading, m)]
        resolved = [(m, networks.resolve(m, self._catalog, gpu, m.links)[0]) for m in offered]
        resolved = [(m, fabric or networks.nearest(m, self._catalog)) for m, fabric in resolved]
        return [Priced(fabric, m.start, m.end) for m, fabric in resolved if fabric]

    def _tell_nearest(self, reading: Reading) -> None:
        """What a network with a rate that nobody sells was taken for."""
        gpu = reading.gpu(self._catalog)
        for mention in reading.mentions:
            near = networks.nearest(mention, self._catalog)
            if near and not networks.resolve(mention, self._catalog, gpu, mention.links)[0]:
                said, name = reading.text.typed(mention.start, mention.end), self._catalog.fabrics[near].name
                reading.doubts = [doubt for doubt in reading.doubts if doubt.field != "cluster.fabric"]
                reading.assumed.append(f'"{said}" is taken as {name}, the nearest that is sold')

    def _is_missing(self, reading: Reading, mention: networks.Mention) -> bool:
        """Whether a network is said not to be there, right before its name: "no InfiniBand", "without RDMA"."""
        before = reading.text.tokens[max(0, mention.start - 1) : mention.start]
        return any(token.text in self._offers.without for token in before)

    def _of_all_adapters(self, reading: Reading) -> Iterator[Cabled]:
        """The adapters of a node where the rate of all of them is said: "3200 Gb/s InfiniBand" is 8 of 400."""
        gpu = reading.gpu(self._catalog)
        for mention in (m for m in reading.mentions if m.of_all_adapters):
            fabric, _ = networks.resolve(mention, self._catalog, gpu, mention.links)
            rate = networks.line_rate(self._catalog.fabrics[fabric]) if fabric else 0.0
            adapters = (mention.gbps or 0.0) / rate if rate else 0.0
            if adapters > 1 and adapters.is_integer():
                yield Cabled("nics_per_node", int(adapters), mention.start, mention.end)

    def _has_fee(self, reading: Reading, amounts: Sequence[Quantity]) -> bool:
        """Whether something is to be paid once beside a price of a GPU-hour: nobody but a seller says so."""
        tokens, money = reading.text.tokens, [q for q in amounts if q.kind == "money"]
        fees = (q for _, _, q in self._offers.sellers.apart(tokens, money) if self._offers.sellers.is_once(tokens, q))
        return any(hourly(q) for q in money) and any(True for _ in fees)

    def _sellers(
        self, reading: Reading, known: Sequence[Priced], amounts: Sequence[Quantity], *, of_offers: bool
    ) -> list[Priced]:
        """Who makes an offer and is in no catalog, where the network is said: of a provider that nobody knows nothing
        else tells which it is."""
        named = {at for q in (*reading.quantities, *reading.named) for at in range(q.start, q.end)}
        named |= {at for m in reading.mentions for at in m.claimed}
        text, sellers = reading.text, self._offers.sellers
        sums = [q for q in amounts if is_sum(q) and of_offers and sellers.is_asked(text.tokens, q)]
        prices = sorted([*(q for q in amounts if hourly(q)), *sums], key=lambda q: q.start)
        places: list[tuple[int, int]] = []
        sender = None
        theirs = {at for one in known for at in range(one.start, one.end)}
        if of_offers or len(prices) > 1:
            places = sellers.beside(text.tokens, text.typed, prices, named, theirs, self._words)
        unnamed = [
            part for part in reading.sections if not any(part.has(at) for at in (*theirs, *(a for a, _ in places)))
        ]
        heads = (sellers.heading(text.tokens, text.typed, named, self._words, part) for part in unnamed)
        places += [place for place in heads if place]
        if not places and not known:
            place = sellers.signed(text.tokens, text.typed, named) or sellers.named(text.tokens, text.typed, named)
            mail = self._offers.sections.sender(text.tokens) if of_offers and not place else []
            heads = [sellers.heading(text.tokens, text.typed, named, self._words, part) for part in mail]
            place = place or next(filter(None, heads), None)
            sender = sellers.domain(text) if of_offers and not place else None
            places = [place] if place else []
        if sender:  # an address is in small letters, a name begins with capital ones
            return [Priced(text.typed(*sender).title(), *sender)]
        return [Priced(text.typed(*place), *place) for place in places]

    def _strangers(
        self, reading: Reading, known: Sequence[Priced], amounts: Sequence[Quantity], *, of_offers: bool
    ) -> Iterator[Priced]:
        """Who makes an offer beside those that are ``known`` and has no name."""
        prices = sorted((q for q in amounts if hourly(q)), key=lambda q: q.start)
        if known and (of_offers or len(prices) > 1):
            named = {at for q in (*reading.quantities, *reading.named) for at in range(q.start, q.end)}
            named |= {at for m in reading.mentions for at in m.claimed}
            theirs = {at for one in known for at in range(one.start, one.end)}
            strange = self._offers.sellers.strangers(reading.text.tokens, prices, named, theirs, self._words)
            yield from (Priced(UNNAMED, *place) for place in strange)


def _is_size(amount: Quantity) -> bool:
    """Whether an amount is said as the sizes of models are: "70B", "7 billion"."""
    return amount.kind == "size" and amount.unit in ("b", "bn", "billion")


def _prices(found: Found) -> list[float]:
    return [price for offer in found.offers for price in (offer.gpu_hour_usd, offer.usd) if price is not None]


def _led_by(tokens: Sequence[Token], price: Quantity) -> Iterator[int]:
    """The words of a list that lead to a price: "Price per hour:"."""
    if price.start and tokens[price.start - 1].text == ":":
        yield from takewhile(lambda at: tokens[at].is_word, range(price.start - 2, -1, -1))


def _money(amounts: Sequence[Quantity]) -> list[Quantity]:
    return [q for q in amounts if q.kind == "money"]


def _cabled(reading: Reading, facts: Sequence[Fact], amounts: Sequence[Quantity]) -> list[Cabled]:
    """What is said of how the networks are built."""
    told = [f for f in facts if f.says.act == "set" and f.says.field in _BUILT and "per_gpu" not in f.slots]
    cabled = [Cabled(_BUILT[f.says.field], f.value, f.start, f.end) for f in told]
    cabled += [Cabled("nics_per_node", m.links, m.start, m.end) for m in reading.mentions if m.links]
    for rate in (q for q in amounts if q.kind == "rate"):
        links = networks.links_of_a_node(reading.text.tokens, rate.start, rate.end)
        cabled += [Cabled("nics_per_node", links, rate.start - 2, rate.end + 2)] if links else []
    return cabled


def _in_their_money(reading: Reading) -> bool:
    """Whether a seller is named beside a rate in another currency: that is a quote, with the dollars that it is."""
    named = any(q.kind == "provider" for q in reading.named)
    return named and any(q.kind == MONEY_OTHER and is_rate(q) for q in reading.quantities)


def _heads(reading: Reading) -> bool:
    """Whether a seller heads what is told: "Nebius: 16 nodes … at $18,500"."""
    tokens = reading.text.tokens
    return any(q.kind == "provider" and q.end < len(tokens) and tokens[q.end].text == ":" for q in reading.named)


def _only(names: Sequence[Priced]) -> str | None:
    """The name where it is the only one."""
    found = {name.id for name in names}
    return found.pop() if len(found) == 1 else None


def _with_names(offer: Quoted, reading: Reading, message: Message) -> Quoted:
    """An offer that is told alone: its name and its network are what was read as the job's."""
    whose = _only(message.providers) or reading.fields.get("cluster.provider")
    whose = whose or next((one.id for one in message.providers), None)
    return replace(offer, provider=whose or None, fabric=reading.fields.get("cluster.fabric") or _only(message.fabrics))


def _quoted_alone(reading: Reading, providers: Sequence[Priced], fabrics: Sequence[Priced]) -> float | None:
    """The price of a GPU-hour that somebody quotes for what is rented with its network, where nothing is asked: one
    that is told without a name or a network, or to which that of the network is added, is a price and no quote."""
    told = reading.fields
    rates = [q for q in reading.quantities if is_rate(q) or hourly(q)]
    asked = any(in_question(reading.text.tokens, q.end) for q in rates)
    stated = reading.act in ("describe", "change") and not asked
    whose = told.get("cluster.provider") or told.get("cluster.fabric") or (_only(providers) and _only(fabrics))
    if not (stated and whose) or "budget.fabric_premium_gpu_hour_usd" in told or reading.known("budget.mode") == "buy":
        return None
    doubted = [doubt.options for doubt in reading.doubts if doubt.field == _PRICE]
    in_ours = doubted[0][0] if len(doubted) == 1 and len(doubted[0]) == 1 else None
    return told.get(_PRICE) or in_ours


def _of_a_month(reading: Reading, names: Sequence[Priced], amounts: Sequence[Quantity]) -> float | None:
    """The one sum a month that is called a quote beside a name, where none of an hour is told."""
    if reading.act not in ("describe", "change") or not any(token.stem in OFFERED for token in reading.text.tokens):
        return None
    prices = {q.value for q in amounts if is_rate(q) or (hourly(q) and q.kind == "money")}
    months = [q for q in amounts if q.kind == "money" and q.unit == "month" and q.value >= LEAST_SUM]
    return months[0].value if names and len(prices) == len(months) == 1 else None


def _ask_whose(reading: Reading) -> None:
    """A price beside several providers or GPUs is that of none of them until it is said."""
    several = any(d.field in ("cluster.provider", "cluster.gpu") and len(d.options) > 1 for d in reading.doubts)
    price = reading.fields.pop(_PRICE, None) if several else None
    if price is not None:
        reading.doubts.append(Doubt(_PRICE, f"whose price is ${price}?", (price,)))


def _take_back(reading: Reading, facts: Sequence[Fact], found: Found, message: Message) -> None:
    """What was read as the job's and is the offers' is no fact of it, and nothing to ask about; the same amount said of
    both, as a month of training and a seller's least term, is one."""
    amounts = {at for q in found.amounts for at in range(q.start, q.end)}
    ours = {fact.says.field for fact in facts if fact.says.act == "set" and not fact.claimed & amounts}
    one, theirs = len(found.offers) == 1, {q.value for q in found.amounts}
    theirs |= {offer.delivery_days for offer in found.offers if offer.delivery_days}
    settled: set[Any] = set() if one else set(_OF_AN_OFFER)
    settled |= {"constraints.deadline_days"} if any(q.kind == "date" for q in found.amounts) else set()
    settled |= {path for path in _AMOUNTS - ours if reading.fields.get(path) in theirs}
    settled |= {path for path, name in _BUILT.items() if any(getattr(offer, name) for offer in found.offers)}
    reading.fields = {path: value for path, value in reading.fields.items() if path not in settled}
    settled |= {doubt.field for doubt in reading.doubts if doubt.options and theirs.issuperset(doubt.options)}
    settled |= {"budget.delivery_days"} if any(offer.delivery_days for offer in found.offers) else frozenset()
    settled |= {"budget.usd", "budget.usd_per_month"} if any(offer.usd for offer in found.offers) else frozenset()
    settled |= {"cluster.fabric", "cluster.provider"} if message.alone is not None else frozenset()
    of_theirs = lambda doubt: bool(doubt.between) and theirs.issuperset(value for _, value in doubt.between)
    reading.doubts = [d for d in reading.doubts if d.field not in settled and not of_theirs(d)]
