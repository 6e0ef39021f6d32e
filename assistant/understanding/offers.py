"""Several offers in one message, or in a pasted mail: what each network, or each provider, would cost, and what it
includes. They are prices of fabrics, not the budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, NamedTuple

from assistant.vocabulary.added import added
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.quantities import DAYS_PER_MONTH, in_dollars
from assistant.vocabulary.questionnaire import FIELDS
from assistant.vocabulary.utterance import Doubt, Quoted

from . import networks
from .accounts import Accounts
from .attach import Candidate, Fact, converted
from .besides import OFFERED, Besides
from .counting import COUNTED, Scale
from .discounts import off_the_list
from .known_quotes import supposed
from .offer_prices import as_quoted, is_rate
from .piece_values import Said, amounts_at
from .quantities import MONEY_OTHER
from .reading import DEADLINE, LENGTH, TIMES, TOKENS, Reading
from .scopes import denial_of
from .templates import Quantity
from .text import Tokens, clause_of, clauses, cut, in_question, sentences, stem
from .told_offers import Learned, Marked, Told, ToldOffers

_POWER, PARAMS = "constraints.max_power_kw", "model.params"
_PRICE = "budget.gpu_hour_usd"
_PREMIUM = "budget.fabric_premium_gpu_hour_usd"
_OF_AN_OFFER = frozenset({"cluster.fabric", "cluster.provider", _PRICE, _PREMIUM})
# What tells how a network is built, by the field of a quote that has it.
_BUILT = {"cluster.oversubscription": "oversubscription", "cluster.nics_per_node": "nics_per_node"}
_ANSWERED = frozenset({"oversubscription", "term", "lead-time"})  # told by a field of the quote
_MONEY = ("money", MONEY_OTHER, "decimal")
_AMOUNTS = TIMES | {
    "budget.usd",
    "budget.usd_per_month",
    "budget.delivery_days",
    "budget.reserved_days",
}  # of an offer where one of its amounts stands there
_SUPPOSING = frozenset({"what-if", "why", "why-not"})
_LONGEST_BESIDES = 400  # characters of what is said besides
_SURELY = 0.8  # how likely the only price has to be one of an offer where nobody is said to offer
_TELLS = 0.9  # a part that is less likely one of its offer is told
_CALLED = {"provider": "the seller", "fabric": "the network", "months": "the term"}


class _Beside(NamedTuple):
    """What stands beside the prices of a message: clauses with an amount that is paid apart, and those with none."""

    paid: Sequence[tuple[int, int, Quantity]]
    said: Sequence[tuple[int, int]]


class Offers:
    """The stage of offers; ``words``: those that say what comes beside a price; ``devices``: names of switches, which
    are told as they are written."""

    def __init__(self, catalog: Catalog, words: Mapping[str, Any], devices: Iterable[str], told: ToldOffers) -> None:
        self._catalog, self._told = catalog, told
        self._beside = frozenset(words["beside"].split())
        self._bound = frozenset(words["terms_said"].split())
        self._without = frozenset(words["without"].split())
        self._of_all = [tuple(said.split()) for said in words["of_all"]]
        self._items = [
            (id, tuple(t.stem for t in cut(word) if t.text != "-"))
            for id, item in catalog.quote_items.items()
            for word in item.words
        ]
        self._rented = frozenset(id for id, item in catalog.quote_items.items() if "rent" in item.modes)
        self._besides = Besides(words, devices, [stems for _, stems in self._items])
        self._accounts = Accounts(catalog, self._besides, words["not_machines"])

    def of_the_job(self, reading: Reading, found: Sequence[Candidate]) -> list[Candidate]:
        """The candidates without those that tell of offers: their prices, terms and days, and their GPUs where the job
        tells how many; nor is what is paid beside a price, such as a deposit, any sum of ours."""
        apart = {at for *_, q in self._apart(reading) for at in range(q.start, q.end)}
        added = [q for q in reading.quantities if self._besides.is_added(reading.text.tokens, q)]
        apart |= {at for q in added for at in range(q.start, q.end)}
        learned = self._told.read(reading, self._fabrics(reading), apart)
        stated = {(one.fact.says.field, one.fact.value) for one in found if one.fact.says.act == "set"}
        reading.learned, reading.told = learned, self._accepted(reading, self._signed(reading, learned.offers), stated)
        marked = self._told.marked(reading) if reading.told else Marked()
        theirs = set(marked.timed | (marked.priced if len(reading.told) > 1 else frozenset()))
        if theirs or any(is_rate(q) for q in reading.quantities):
            theirs |= apart
        counts = [one for one in found if one.fact.says.act == "count"]
        many = lambda scale: isinstance(scale, Scale) and bool(scale.gpus or scale.them)
        offered = {at for one in counts if one.fact.claimed & marked.counted for at in one.fact.claimed}
        told_apart = any(many(one.fact.value) and not one.fact.claimed & offered for one in counts)
        again = lambda fact: told_apart and fact.says.act == "count" and fact.claimed & marked.counted
        return [one for one in found if not (one.fact.claimed & theirs or again(one.fact))]

    def lay(self, reading: Reading, facts: Sequence[Fact]) -> None:
        """Offers side by side decide neither network nor provider nor price; those of the ``facts`` that tell how a
        network is built are of the offer that says them."""
        learned, told = reading.learned, reading.told
        beside = _Beside(self._apart(reading), list(self._besides.besides(reading.text.tokens)))
        apart = {at for *_, q in beside.paid for at in range(q.start, q.end)}
        if not told:
            quote = off_the_list(reading, facts, self._catalog) or supposed(reading, self._besides)
            reading.offers = [quote] if quote else []
            _ask_whose(reading)
            return
        whose = _whose(reading.text.tokens, told, self._of_all, learned.job - apart, apart, heads=bool(learned.heads))
        amounts = [q for one in told for q in one.amounts]
        reading.offers = _of_one_network(
            _sized(reading, told), self._has_none(told), self._fabrics(reading), learned.job
        )
        reading.offers = [
            self._whole(reading, facts, offer, frozenset(at for at, of in enumerate(whose) if n in of), amounts, beside)
            for n, offer in enumerate(reading.offers)
        ]
        for one, offer in zip(told, reading.offers, strict=True):
            _tell(reading, one, offer)
        self._take(reading, facts, told, learned, whose, amounts)

    def _accepted(self, reading: Reading, told: list[Told], stated: Set[tuple[str, Any]]) -> list[Told]:
        """The offers that are told: several of anybody, one of somebody, or on a network; ``stated``: what wordings may
        say, and its value."""
        tokens, whole = reading.text.tokens, [one for one in told if one.offer.usd is not None]
        fees = (self._besides.is_once(tokens, amount) for *_, amount in self._apart(reading))
        quoted = any(token.stem in OFFERED for token in tokens)
        foreign = any(one.price.kind == MONEY_OTHER and one.offer.usd is None for one in told)
        offered = quoted or foreign or self._besides.sells(tokens) or any(fees)
        added = _PREMIUM in {field for field, _ in stated}  # "$2.50 plus $1.00 for InfiniBand"
        several = quoted and len(told) > 1  # "two offers, one at $2.10 for 3 months and one at $2.30 for a month"
        if not several and not any(one.offer.provider or (one.offer.fabric and not added) for one in told):
            return []
        if len(told) != 1 or reading.context.fields.get("budget.quotes"):
            told = [one for one in told if one.said.keys() & _CALLED.keys()]  # of another price nobody says anything
            return told if offered or all(one.offer.provider for one in whole) else []
        [one] = told
        if one.proved and (one.offer.provider or one.offer.fabric):  # nobody adds up a budget of his own so
            return told
        asked = in_question(tokens, one.price.end) or reading.act in _SUPPOSING
        let = one.offer.provider and one.offer.months
        bought = not (whole or let) and (("budget.mode", "buy") in stated or reading.known("budget.mode") == "buy")
        if (asked and reading.context.fields) or bought:
            return []
        if quoted or (offered and one.price.kind != "number"):
            return told if not whole or one.offer.provider else []
        if asked and not one.offer.provider:
            return []
        says = any(map(self._besides.is_asking, tokens)) and one.sure["price"] >= _TELLS
        money = one.price.kind != "number" or one.offer.provider in self._catalog.providers or says
        # A sum for the whole that nobody offers, and for no time, may be a budget: "EFA on AWS or Lambda, 1.8M USD".
        if not reading.context.fields and money and (not whole or (let and one.sure["price"] >= _TELLS)):
            return told  # "Lambda wants 2.49"
        sure = one.sure["price"] >= _SURELY and one.price.kind in ("money", "decimal")
        return told if sure and not whole and one.offer.provider and one.said.keys() - {"provider"} else []

    def _has_none(self, told: Sequence[Told]) -> list[bool]:
        """Of each offer whether it is said that it has no network."""
        said = [cut(one.said["fabric"].text) if "fabric" in one.said else () for one in told]
        return [not self._without.isdisjoint(token.text for token in some) for some in said]

    def _signed(self, reading: Reading, told: Sequence[Told]) -> list[Told]:
        """The offers: who signs the mail makes all that have no other seller, and of whom it is said that they are
        others ("a reseller") has no name."""
        tokens, typed = reading.text.tokens, reading.text.typed
        named = [q for q in reading.quantities if q.kind != "provider"]
        known = {at for one in (*named, *reading.mentions) for at in range(one.start, one.end)}
        since, closing, place = self._besides.signed(tokens, typed, known)
        found, before = [], 0
        sellers = {one.offer.provider for one in told} - {None}
        prices = [one.price.start for one in told]
        apart = [one.said["provider"].tokens for one in told if "provider" in one.said and one.offer.provider]
        bounds = [
            (first, end) for first, end in sentences(tokens) if any(min(own) in range(first, end) for own in apart)
        ]
        of_all = len(sellers) == 1 and not any(first <= price < end for first, end in bounds for price in prices)
        for one in told:
            place_ = one.said["provider"].tokens if "provider" in one.said else ()
            provider = one.offer.provider
            if (
                place
                and one.price.start > since
                and (not place_ or min(place_) > closing or one.sure["provider"] < _TELLS)
            ):
                provider = next((q.value for q in reading.named if q.kind == "provider" and q.start in range(*place)),
                                typed(*place))  # fmt: skip
            elif (
                place_
                and (max(place_) < before or min(place_) >= one.price.end)
                and self._besides.stranger(tokens, before, one.price)
            ):
                provider = None
            elif of_all and not provider:
                provider = next(iter(sellers))
            found.append(replace(one, offer=replace(one.offer, provider=provider)))
            before = one.price.end
        return found

    def _whole(
        self, reading: Reading, facts: Sequence[Fact], offer: Quoted, own: Set[int], amounts: list[Quantity],
        apart: _Beside,
    ) -> Quoted:  # fmt: skip
        """An offer with what is said besides in the clauses that are of it (``own``, tokens); ``amounts``: of offers,
        to which those are added that tell of this; ``apart``: of all offers."""
        tokens, besides = reading.text.tokens, self._besides
        beside = {at for first, last, _ in apart.paid for at in range(first, last)}
        said = self._said(reading, own - beside)
        if offer.usd is None:  # by the hour: what belongs to a purchase is part of what is let
            said = {id: span for id, span in said.items() if id in self._rented}
        built = {field: value for field, value, at in self._built(reading, facts) if at in own}
        if "oversubscription" in said:
            built.setdefault("oversubscription", 1.0)
        taken = {q.start for q in amounts}
        times = [q for q in reading.quantities if q.kind == "time" and q.start in own and q.start not in taken]
        dates = [q for q in reading.quantities if q.kind == "date" and q.start in own]
        bound = lambda q: (
            tokens.has(self._bound, *clause_of(tokens, q.start, q.end)) and not besides.is_least(tokens, q)
        )
        term = None if offer.months or offer.usd else next(filter(bound, times), None)
        offer = replace(offer, months=round(term.value / DAYS_PER_MONTH, 1)) if term else offer
        times = [q for q in times if q is not term]
        every = [q for q in reading.quantities if q.kind == "time" and q.start in own]
        least, there = besides.least_time(tokens, every), besides.there_in(tokens, times, own)
        since, window = besides.there_from(tokens, dates), besides.lasting(dates)
        if window and least is None:  # let for these days, and paid for as long
            since = since or window[0]
            least = replace(window[1], kind="time", value=float((window[1].value - window[0].value).days))
        once, note = self._paid_apart(reading, own, apart)
        amounts += [q for q in (least, there, since, term) if q]
        days = float(max(0, (since.value - reading.today).days)) if since else there and float(there.value)
        beyond = least is not None and least.value > DAYS_PER_MONTH * (offer.months or 0.0)
        delivery = offer.delivery_days if offer.delivery_days is not None else days
        told = {"oversubscription"} | ({"lead-time"} if delivery is not None else set())
        told |= {"term"} if offer.months else set()
        return replace(
            offer,
            delivery_days=delivery,
            minimum_days=offer.minimum_days or (float(least.value) if least and beyond else None),
            includes=tuple(item for item in said if item not in told),
            once_usd=once,
            note=_joined(
                offer.note,
                note,
                f"smallest term said: {reading.text.typed(least.start, least.end)}, each price counted for its own term"
                if least and not beyond
                else "",
            ),
            **built,
        )

    def _take(
        self, reading: Reading, facts: Sequence[Fact], told: Sequence[Told], learned: Learned,
        whose: Sequence[Set[int]], amounts: Sequence[Quantity],
    ) -> None:  # fmt: skip
        """What of a message the offers tell is no fact of the job, and prices that nobody understood are told."""
        tokens, ours = reading.text.tokens, self._besides.is_ours
        own = {at for one in told for at in one.tokens} | {at for q in amounts for at in range(q.start, q.end)}
        own |= {at for first, last, _ in self._apart(reading) for at in range(first, last)}
        own |= {at for span in self._besides.besides(tokens) for at in range(*span)}
        offered = {at for at, of in enumerate(whose) if of}
        own |= {at for span in self._said(reading, offered).values() for at in range(*span)}
        own |= {at for *_, at in self._built(reading, facts) if whose[at]}
        own |= learned.heads | learned.lines | self._besides.strangers(tokens)
        own |= {at for at, token in enumerate(tokens) if token.stem in OFFERED | {stem("term")}}
        own |= {at for mention in reading.mentions for at in mention.claimed}
        money = {
            at for q in reading.quantities if q.kind in _MONEY for at in range(q.start, q.end)
        }  # "185,000 a month"
        plain = [q for q in (*reading.spans, *reading.named) if q.kind not in _MONEY and q.start not in money]
        own |= {at for q in plain if whose[q.start] for at in range(q.start, q.end)}
        reading.taken |= own
        reading.of_sellers = frozenset(offered) - learned.job
        if self._besides.sells(tokens):  # in a mail of a seller every sum is his
            if not any(q.kind == "power" and ours(tokens, q) for q in reading.quantities):  # what machines draw
                reading.fields.pop(_POWER, None)
                reading.doubts = [doubt for doubt in reading.doubts if doubt.field != _POWER]
            amounts = [*amounts, *(q for q in reading.quantities if q.kind == "money" and not ours(tokens, q))]
        self._tell_nearest(reading)
        unread = self._accounts.open(reading, facts, own, learned, told)
        reading.offers = [replace(one, unread=unread) for one in reading.offers]
        _take_back(reading, facts, amounts)

    def _apart(self, reading: Reading) -> list[tuple[int, int, Quantity]]:
        """The clauses with what is paid beside the machines, in whatever currency, and the amount."""
        money = [q for q in reading.quantities if q.kind in ("money", MONEY_OTHER, "percent")]
        return list(self._besides.apart(reading.text.tokens, money))

    def _paid_apart(self, reading: Reading, own: Set[int], beside: _Beside) -> tuple[float | None, str]:
        """What is paid once beside the price, in dollars, and a note of what is in no sum, or is said besides."""
        tokens, typed = reading.text.tokens, reading.text.typed
        apart = [one for one in beside.paid if one[2].start in own]
        once, rest, changed = [], [], []
        for first, last, amount in apart:
            if not self._besides.is_once(tokens, amount):
                rest.append((first, last))
                continue
            ours = as_quoted(amount, self._catalog, None)
            once.append(float((ours[0] if ours else amount).value))
            if ours:
                said = typed(amount.start, amount.end)
                changed.append(f"{said} is {in_dollars(ours[0].value)}, at {ours[1]}")
        told = lambda span: any(first <= span[0] and span[1] <= last for first, last, _ in apart)
        more = [span for span in beside.said if span[0] in own and not told(span)]
        texts = lambda spans: ", ".join(dict.fromkeys(typed(*span).strip(" ,;:-*\n") for span in spans))
        return added(once) or None, _joined(
            f"not in the sum: {texts(rest)}" if rest else "",
            f"said besides: {texts(more)}"[:_LONGEST_BESIDES] if more else "",
            *changed,
        )

    def _said(self, reading: Reading, own: Set[int]) -> dict[str, tuple[int, int]]:
        """What is said to be in a price, and where, in some tokens."""
        tokens = reading.text.tokens
        places = [at for at in sorted(own) if tokens[at].text != "-"]
        stems = [tokens[at].stem for at in places]
        begins: dict[str, list[int]] = {}
        for n, stem_there in enumerate(stems):
            begins.setdefault(stem_there, []).append(n)
        found: dict[str, tuple[int, int]] = {}
        for id, words in self._items:
            for n in begins.get(words[0], ()):
                if tuple(stems[n : n + len(words)]) != words:
                    continue
                at, end = places[n], places[n + len(words) - 1] + 1
                apart = {token.text for token in tokens[end : end + 2]} & self._beside
                if not apart and denial_of(reading.scopes, at, end, frozenset(range(at, end))) is None:
                    found.setdefault(id, (at, end))
        return found

    def _built(self, reading: Reading, facts: Sequence[Fact]) -> Iterator[tuple[str, float, int]]:
        """What is said of how networks are built: the field of a quote, its value, and where."""
        for fact in facts:
            if fact.says.act == "set" and fact.says.field in _BUILT and "per_gpu" not in fact.slots:
                yield _BUILT[fact.says.field], fact.value, fact.start
        gpu = reading.gpu(self._catalog)
        for one in reading.mentions:
            if one.links:
                yield "nics_per_node", one.links, one.start
            fabric, _ = networks.resolve(one, self._catalog, gpu, one.links)
            rate = networks.line_rate(self._catalog.fabrics[fabric]) if fabric and one.of_all_adapters else 0.0
            adapters = (one.gbps or 0.0) / rate if rate else 0.0
            if adapters > 1 and adapters.is_integer():  # "3200 Gb/s InfiniBand" is 8 of 400
                yield "nics_per_node", int(adapters), one.start
        for rate in (q for q in reading.quantities if q.kind == "rate"):
            links = networks.links_of_a_node(reading.text.tokens, rate.start, rate.end)
            if links:
                yield "nics_per_node", links, rate.start

    def _fabrics(self, reading: Reading) -> dict[int, str]:
        """The networks that are named, by the tokens of their names; one that is said not to be there is none."""
        named = {q.value for q in reading.named if q.kind == "gpu"}
        gpu = reading.gpu(self._catalog) or (self._catalog.gpus.get(*named) if len(named) == 1 else None)
        tokens, found = reading.text.tokens, {}
        for one in reading.mentions:
            missing = one.start and tokens[one.start - 1].text in self._without  # "no InfiniBand", "without RDMA"
            fabric = networks.resolve(one, self._catalog, gpu, one.links)[0] or networks.nearest(one, self._catalog)
            if fabric and not missing:
                found |= dict.fromkeys(range(one.start, one.end), fabric)
        return found

    def tell_job(self, reading: Reading) -> None:
        """What is told of the job beside prices and no wording read: the time that there is for it, its size and its
        tokens."""
        _ask_for_whom(reading)
        said = self._told.of_job(reading) if reading.offers else {}
        for kind, path, kinds in (("model", PARAMS, ("size",)), ("tokens", TOKENS, ("size", "large"))):
            amount = next(amounts_at(reading.quantities, said[kind], kinds), None) if kind in said else None
            if amount and path not in reading.fields and "model" not in reading.fields.keys() & {path.split(".")[0]}:
                _settle(reading, path, amount, said[kind])
        time = next(amounts_at(reading.quantities, said["time"], ("time", "date")), None) if "time" in said else None
        told = TIMES & ({*reading.fields} | {path for doubt in reading.doubts for path, _ in doubt.between})
        if time and not told:
            work = TOKENS in reading.fields or time.kind == "date"
            _settle(reading, DEADLINE if work else LENGTH, time, said["time"])

    def _tell_nearest(self, reading: Reading) -> None:
        """What a network with a rate that nobody sells was taken for."""
        gpu = reading.gpu(self._catalog)
        for mention in reading.mentions:
            near = networks.nearest(mention, self._catalog)
            if near and not networks.resolve(mention, self._catalog, gpu, mention.links)[0]:
                said, name = reading.text.typed(mention.start, mention.end), self._catalog.fabrics[near].name
                reading.doubts = [doubt for doubt in reading.doubts if doubt.field != "cluster.fabric"]
                reading.assumed.append(f'"{said}" is taken as {name}, the nearest that is sold')


def _whose(
    tokens: Tokens,
    told: Sequence[Told],
    of_all: Iterable[Sequence[str]],
    job: Set[int],
    apart: Set[int],
    *,
    heads: bool,
) -> list[Set[int]]:
    """Of which offers each token tells, by their numbers: a clause of those whose words it has, else of those of the
    clause, or of the sentence, before it; what stands before any, or in a sentence of "both" or "all", is of all. What
    tells of the ``job`` is of none; what is paid ``apart`` tells nothing by itself."""
    every: Set[int] = frozenset(range(len(told)))
    found: list[Set[int]] = [frozenset() for _ in tokens]
    before = every
    first_price, last_price = min(one.price.start for one in told), max(one.price.end for one in told)
    of_one = len({one.offer.provider for one in told}) == 1
    for first, end in sentences(tokens):
        shared = any(tokens.says(said, first, end) for said in of_all)
        closes = of_one and all(first <= one.price.start < end for one in told)  # "…, each with a setup fee of $4,000"
        here, whole, of_all_before = before, set(), first > last_price and before == every
        for start, last in clauses(tokens, first, end):
            clause = range(start, last)
            own = frozenset(n for n, one in enumerate(told) if one.price.start in clause)
            if not own and apart.isdisjoint(clause) and not of_all_before:
                own = frozenset(n for n, one in enumerate(told) if not one.tokens.isdisjoint(clause))
            if of_one and (last <= first_price or (first > last_price and not heads)) and job.isdisjoint(clause):
                own = every  # of the list of one seller it is the head, or what closes it
            if not own and not job.isdisjoint(clause):
                here = frozenset()  # of the job, and so is what follows, until something of an offer is told
            elif shared or (closes and not own and start >= last_price and here):
                here = every
            else:
                here = own or here
            whole |= here
            for at in range(start, last):
                found[at] = frozenset() if at in job else here
        before = every if shared else frozenset(whole)
    return found


def _sized(reading: Reading, told: Sequence[Told]) -> list[Quoted]:
    """The offers; those that are for as many GPUs as the job has say none."""
    counts = {one.offer.gpus for one in told if one.offer.gpus}
    job = reading.fields.get(COUNTED) or reading.context.fields.get(COUNTED)
    open_ = {gpus for doubt in reading.doubts if doubt.field == COUNTED for gpus in doubt.options}
    nodes = lambda offer: (offer.gpus or 0) * (reading.known("cluster.gpus_per_node") or 1)  # "8 x Dell XE9680"
    same = lambda offer: (
        offer.gpus == job or nodes(offer) == job or (bool(job) and len(counts) == 1 and offer.usd is None)
    )
    the_jobs = lambda offer: same(offer) or (offer.usd is not None and len(told) == 1 and offer.gpus in open_)
    return [replace(one.offer, gpus=None) if the_jobs(one.offer) else one.offer for one in told]


def _of_one_network(
    offers: list[Quoted], without: Sequence[bool], fabrics: Mapping[int, str], job: Set[int]
) -> list[Quoted]:
    """Where no offer has a network of its own, or one seller makes them all, the only one that is told is that of all:
    above a list; but for those ``without`` any."""
    named, sellers = {fabric for at, fabric in fabrics.items() if at not in job}, {one.provider for one in offers}
    of_one = len(sellers) == 1 and None not in sellers
    if len(named) != 1 or not (of_one or not any(one.fabric for one in offers)):
        return offers
    [network] = named
    return [one if no else replace(one, fabric=network) for one, no in zip(offers, without, strict=True)]


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


def _tell(reading: Reading, one: Told, offer: Quoted) -> None:
    """What is not sure of an offer, or could not be read of it."""
    price = reading.text.typed(one.price.start, one.price.end)
    named = lambda said: any(mention.technology in said.lower() for mention in reading.mentions)
    for part, called in _CALLED.items():
        if part in one.said and getattr(offer, part) and one.sure[part] < _TELLS:
            reading.assumed.append(f'"{one.said[part].text}" is read as {called} of the offer at {price}')
    reading.doubts += [
        Doubt(None, f'"{said}" was not understood as {_CALLED[part]} of the offer at {price}')
        for part, said in one.unread.items()
        if getattr(offer, part) is None and not (part == "fabric" and named(said))
    ]


def _settle(reading: Reading, path: str, amount: Quantity, said: Said) -> None:
    value = converted(FIELDS[path], amount, reading.today)
    if value is None or path in reading.unset:
        return
    reading.fields[path] = value
    reading.taken |= said.tokens
    reading.doubts = [doubt for doubt in reading.doubts if doubt.field != path]
    reading.assumed.append(f'"{said.typed}" is taken as {FIELDS[path].about.label} of the job')


def _ask_whose(reading: Reading) -> None:
    """A price beside several providers or GPUs is that of none of them until it is said."""
    several = any(d.field in ("cluster.provider", "cluster.gpu") and len(d.options) > 1 for d in reading.doubts)
    price = reading.fields.pop(_PRICE, None) if several else None
    if price is not None:
        reading.doubts.append(Doubt(_PRICE, f"whose price is ${price}?", (price,)))


def _ask_for_whom(reading: Reading) -> None:
    """A sum that sounds like somebody's price of a piece, or follows from other prices, is no budget until it is
    said."""
    learned = reading.learned or Learned()
    prices = {q.value: q for q in learned.unread}
    prices |= {q.value: q for q in reading.quantities if q.kind == "money" and q.start in learned.lines}
    for path in ("budget.usd", "budget.usd_per_month"):
        price = prices.get(reading.fields.get(path))
        if price is not None and price.kind == "money":
            del reading.fields[path]
            said = reading.text.typed(price.start, price.end)
            reading.doubts.append(Doubt(path, f'whose is "{said}": what you may spend, or a price?', (price.value,)))


def _take_back(reading: Reading, facts: Sequence[Fact], amounts: Sequence[Quantity]) -> None:
    """What was read as the job's and is the offers' is no fact of it, and nothing to ask about; the same amount said of
    both, as a month of training and a seller's least term, is one."""
    offers, places = reading.offers, {at for q in amounts for at in range(q.start, q.end)}
    ours = {fact.says.field for fact in facts if fact.says.act == "set" and not fact.claimed & places}
    theirs = {q.value for q in amounts} | {offer.delivery_days for offer in offers if offer.delivery_days}
    theirs |= {price for offer in offers for price in (offer.gpu_hour_usd, offer.usd) if price}  # in dollars
    settled: set[Any] = set(_OF_AN_OFFER) if len(offers) > 1 else set()
    settled |= {"constraints.deadline_days"} if any(q.kind == "date" for q in amounts) else set()
    settled |= {path for path in _AMOUNTS - ours if reading.fields.get(path) in theirs}
    settled |= {path for path, name in _BUILT.items() if any(getattr(offer, name) for offer in offers)}
    reading.fields = {path: value for path, value in reading.fields.items() if path not in settled}
    settled |= {doubt.field for doubt in reading.doubts if doubt.options and theirs.issuperset(doubt.options)}
    settled |= {"budget.delivery_days"} if any(offer.delivery_days for offer in offers) else frozenset()
    settled |= {"budget.usd", "budget.usd_per_month"} if any(offer.usd for offer in offers) else frozenset()
    settled |= {"cluster.fabric", "cluster.provider"}
    of_theirs = lambda doubt: bool(doubt.between) and theirs.issuperset(value for _, value in doubt.between)
    reading.doubts = [d for d in reading.doubts if d.field not in settled and not of_theirs(d)]
