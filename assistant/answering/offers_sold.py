"""Who sells what at which price: from the offers of the catalog, never from articles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assistant.market import Freshness, Offered, run_cost
from assistant.present.fields import technology_text
from assistant.present.figures import significant, usd
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.catalog import ListPrice, Offer, Tier
from assistant.vocabulary.counted import counted
from assistant.vocabulary.quantities import HOURS_PER_MONTH

from .case import Case
from .plain_sums import hourly_price
from .run_terms import DEAREST_HOUR

MOST_LISTED = 4
_TIERS: tuple[Tier, ...] = ("on-demand", "reserved", "capacity-block", "spot")
_CAVEAT = (
    "List prices per GPU-hour in the provider's usual region; what a contract says is often less. All tiers, regions "
    "and sources: weft catalog offers{}. Ages: weft prices."
)
_WHOLE = "Machines are let whole: an hour of one with 8 GPUs is 8 GPU-hours, used or not."


@dataclass(frozen=True)
class _Asked:
    """What offers are asked for: ids of GPUs and providers, none where any will do; technologies of networks; how many
    GPUs at once and for how many days, ``None`` where that is not said. ``markup``: what is paid ÷ what a
    marketplace's cheapest host asks."""

    gpus: tuple[str, ...]
    providers: tuple[str, ...]
    technologies: frozenset[str]
    tier: Tier | None
    count: int | None = None
    markup: float = 1.0
    days: float | None = None

    def has(self, offered: Offered, case: Case) -> bool:
        return self.is_of(offered, case) and self.joins(offered)

    def joins(self, offered: Offered) -> bool:
        """Whether so many are let at once, and joined where they are of several machines."""
        offer, count = offered.offer, self.count or 1
        alone = count > offer.gpus_per_node and offer.fabrics[0] == "none"
        return not alone and count <= (offer.largest_gpus or count)

    def is_of(self, offered: Offered, case: Case) -> bool:
        """Whether it has the GPU, the seller and the network, however many are let."""
        offer = offered.offer
        if self.gpus and offer.gpu not in self.gpus:
            return False
        if self.providers and offered.provider not in self.providers:
            return False
        of = {_kind(case, name) for name in offer.fabrics}
        return not self.technologies or bool(of & self.technologies)

    def usual(self, offered: Offered) -> ListPrice | None:
        """The price the offer is compared by: of the tier asked for, else the first there is."""
        found = (offered.offer.price(tier) for tier in ((self.tier,) if self.tier else _TIERS))
        return next((price for price in found if price is not None), None)

    def hourly(self, offered: Offered) -> float | None:
        """US dollars per hour of a GPU that is used: whole machines and smallest orders are paid for, at what is paid
        where the list tells a cheapest host."""
        price, count = self.usual(offered), self.count
        return price and self.paid(price) * (offered.paid(count) / count if count else 1)

    def rent(self, offered: Offered) -> float | None:
        """US dollars of so many GPUs for so many days at the price compared, every machine paid for as a whole."""
        price = self.usual(offered)
        if price is None or self.count is None or self.days is None:
            return None
        return run_cost(24 * self.days, offered.paid(self.count), self.paid(price))

    def paid(self, price: ListPrice) -> float:
        """US dollars that are paid for a GPU-hour at a list price."""
        return price.price.si * (self.markup if price.of_the_cheapest else 1.0)


def offers(case: Case) -> Computed | None:
    """The offers with the GPU, the network and the provider in question, cheapest first; what is not there is said."""
    asked = _asked(case)
    of_job = () if case.utterance.named("gpu") else ("cluster.gpu", "cluster.gpus")
    case.told = {name: value for name, value in case.told.items() if name in of_job}
    market = _every(case)
    if not (asked.gpus or asked.providers):
        return None
    found = [one for one in market if asked.has(one, case)]
    known = any(asked.usual(one) for one in found)
    nearest = [] if known else [one for one in _nearest(asked, market, case) if one not in found]
    priced = sorted((o for o in (*found, *nearest) if asked.usual(o)), key=lambda o: _price(asked, o))
    for offered in priced[:MOST_LISTED]:
        _figure(case, asked, offered)
    if not case.found:
        case.figure("offers", len(found), "offers", "counted in the catalog; none of them has a price")
    said = (
        _opening(case, asked, found), _in_all(case, asked, priced), _too_few(case, asked, market),
        _unpriced(asked, found),
        _namesakes(case, asked, market) if found and not asked.providers else "", _lead(bool(nearest), priced),
    )  # fmt: skip
    text = " ".join(filter(None, said))
    one = f" --gpu {asked.gpus[0]}" if asked.gpus else f" --provider {asked.providers[0]}"
    return case.answer(
        text, _CAVEAT.format(one), gpus=list(asked.gpus), providers=list(asked.providers), fabrics=list(case.fabrics),
        count=asked.count, days=asked.days,
    )  # fmt: skip


def judged(case: Case) -> Computed | None:
    """Whether a price that is paid or asked, of a GPU-hour or a month of all GPUs, is much: against the lists of those
    who let so many, with the network that is named, whoever is paid."""
    asked, price = replace(_asked(case), providers=()), _price_named(case)
    if price is None or not asked.gpus:
        return None
    hourly, how = price
    case.told = {name: value for name, value in case.told.items() if name in ("cluster.gpu", "cluster.gpus")}
    found = [(p, one) for one in _every(case) if asked.has(one, case) and (p := asked.hourly(one))]
    listed = sorted([one for one in found if not _price(asked, one[1])[0]], key=lambda one: one[0])
    if not listed:
        return None
    case.figure("named", hourly, "USD/GPU-h", how)
    for paid, offered in listed[:MOST_LISTED]:
        case.figure(offered.name, paid, "USD/GPU-h", f"{_network(case, offered)}; on demand; {_date(asked, offered)}")
    dearer = sum(paid > hourly for paid, _ in listed)
    least, cheapest = listed[0]
    apart = 100 * (hourly / least - 1)
    verdict = "No list is lower" if dearer == len(listed) else f"{counted(len(listed) - dearer, 'list price')} lower"
    beside = f"{significant(abs(apart))} % {'above' if apart > 0 else 'below'} the cheapest, {cheapest.provider_name}"
    text = (
        f"{usd(hourly)} per GPU-hour for {_what(case, asked)}{_sum_told(how)}: {verdict}, "
        f"{dearer:,} of {len(listed):,} higher; {beside} at {usd(least)}."
    )
    if asked.count and apart > 0:
        text = f"{text} There {asked.count:,} cost {usd(least * asked.count * HOURS_PER_MONTH)} a month."
    return case.answer(text, _CAVEAT.format(f" --gpu {asked.gpus[0]}"), gpus=list(asked.gpus), usd_per_gpu_hour=hourly)


def _date(asked: _Asked, offered: Offered) -> str:
    price = asked.usual(offered)
    return str(price.price.date) if price else ""


def _sum_told(how: str) -> str:
    return f" ({how})" if "÷" in how else ""


def _price_named(case: Case) -> tuple[float, str] | None:
    """US dollars of a GPU-hour that are named, or that a month of all GPUs comes to, and how."""
    gpus = case.fields.get("cluster.gpus") or case.utterance.roles.get("so_many")
    amounts = [one for one in case.utterance.amounts if one.kind in ("money", "sum", "decimal", "large")]
    month = next((one for one in amounts if one.unit == "month" and one.value > DEAREST_HOUR), None)
    if month is not None and gpus:
        return float(month.value) / (gpus * HOURS_PER_MONTH), f"${month.value:,.0f} a month ÷ {gpus:,} ÷ 730 h"
    hour = next((float(one.value) for one in amounts if 0 < one.value <= DEAREST_HOUR and one.unit in _BY_HOUR), None)
    return None if hour is None else (hour, "as named")


_BY_HOUR = ("", "gpu-hour", "hour")


def for_money(case: Case) -> Computed | None:
    """How many GPUs a sum a month, week, day, year or hour, or one for so many days, rents at each seller in whole
    machines. A sum for one GPU or node is none of these."""
    asked = replace(_asked(case), count=None)
    if case.says("on_spot"):
        asked = replace(asked, tier="spot")
    money = next((one for one in case.utterance.amounts if one.kind == "money"), None)
    hours = _hours_paid(money.unit, asked.days) if money else None
    if money is None or hours is None:
        return None
    usd_an_hour, case.told = float(money.value) / hours, {}
    lots = [lot for one in _every(case) if asked.has(one, case) and (lot := _Lot.of(asked, one, usd_an_hour))]
    lots.sort(key=lambda lot: (-lot.gpus, lot.paid))
    for lot in lots[:MOST_LISTED]:
        case.figure(lot.offered.name, lot.gpus, "GPUs", lot.told(case, hours))
    if not lots:
        return None
    period = f" a {money.unit}" if money.unit else f" for {significant(asked.days or 0)} days"
    most, what, sum_of = lots[0], _what(case, asked), f"${float(money.value):,.2f}{period}"
    text = f"{sum_of} rents no {what} at a list price in the least order that is let."
    if most.gpus:
        at = f"{most.offered.name}, {hourly_price(most.paid)} per GPU-hour"
        text = f"{sum_of} rents {most.gpus:,} {what} at once: at {at}."
        if most.let > most.gpus:
            text = f"{text} It would pay for {most.let:,} there; more than {most.gpus:,} are not let together."
    caveat = _CAVEAT.format(f" --gpu {asked.gpus[0]}" if asked.gpus else "")
    return case.answer(text, caveat, gpus=list(asked.gpus), usd=float(money.value), hours=hours)


def for_work(case: Case) -> Computed | None:
    """What so many GPU-hours come to at the list prices of those who sell the GPU, cheapest first."""
    hours, asked = case.utterance.roles["work"], replace(_asked(case), count=None, days=None)
    case.told = {}
    found = [one for one in _every(case) if asked.has(one, case)]
    priced = sorted((one for one in found if asked.usual(one)), key=lambda one: _price(asked, one))
    for offered in priced[:MOST_LISTED]:
        price = asked.usual(offered)
        assert price is not None
        each = asked.paid(price)
        how = f"{hours:,g} GPU-hours × {hourly_price(each)}"
        host = [f"{asked.markup:g} times what the cheapest host asks"] if price.of_the_cheapest else []
        about = (how, *host, _tier(price), _network(case, offered), str(price.price.date), f"{price.trust} trust")
        case.figure(offered.name, round(hours * each, 2), "USD in all", "; ".join(about))
    if not priced:
        return None
    [first, *_], what = priced, _what(case, asked)
    price = asked.usual(first)
    assert price is not None
    text = (
        f"{hours:,g} GPU-hours of {what} cost ${case.found[0].value:,.2f} at {first.provider_name} by the list of "
        f"{price.price.date}: {hourly_price(asked.paid(price))} per GPU-hour ({first.name}, {_tier(price)})."
    )
    return case.answer(
        text, f"{_WHOLE} {_CAVEAT.format(f' --gpu {asked.gpus[0]}')}", gpus=list(asked.gpus),
        providers=list(asked.providers), gpu_hours=hours,
    )  # fmt: skip


_HOURS = {"hour": 1.0, "day": 24.0, "week": 168.0, "month": HOURS_PER_MONTH, "year": 12 * HOURS_PER_MONTH}


def _hours_paid(unit: str, days: float | None) -> float | None:
    """The hours that a sum is to pay for; ``None`` for one of something else than a time."""
    return _HOURS.get(unit) if unit else 24 * days if days else None


@dataclass(frozen=True)
class _Lot:
    """The GPUs of an offer that a sum rents, none where it is less than the least order (``least``); ``paid``: US
    dollars of a GPU-hour, ``let``: as many as it would pay for, were more let together."""

    offered: Offered
    price: ListPrice
    paid: float
    gpus: int
    let: int
    least: int

    @classmethod
    def of(cls, asked: _Asked, offered: Offered, usd_an_hour: float) -> _Lot | None:
        """As many whole machines as may be had for so much an hour, and as are let together."""
        price, each = asked.usual(offered), offered.offer.gpus_per_node
        if price is None:
            return None
        paid, largest, least = asked.paid(price), offered.offer.largest_gpus, offered.paid(each)
        let = int(usd_an_hour / (paid * each)) * each
        gpus = min(let, largest) if largest else let
        fits = gpus and offered.paid(gpus) * paid <= usd_an_hour
        return cls(offered, price, paid, gpus if fits else 0, let if fits else 0, least)

    def told(self, case: Case, hours: float) -> str:
        """The sum, and what the offer is."""
        gpus = self.gpus or self.least
        total = f"{hours:,g} h × {hourly_price(self.paid)} × {counted(gpus, 'GPU')} = ${hours * self.paid * gpus:,.2f}"
        what = total if self.gpus else f"the least that is let is {total}"
        more = [f"no more are let together, it pays for {self.let:,}"] if self.let > self.gpus else []
        about = (
            _tier(self.price),
            _network(case, self.offered),
            str(self.price.price.date),
            f"{self.price.trust} trust",
        )
        return "; ".join((what, *more, *about))


def _every(case: Case) -> list[Offered]:
    """What every seller of the catalog lets."""
    sellers = case.catalog.providers.values()
    return [Offered(provider.id, provider.name, offer) for provider in sellers for offer in provider.offers]


def _asked(case: Case) -> _Asked:
    said = case.utterance
    gpus = said.named("gpu") or [case.fields[gpu] for gpu in ("cluster.gpu",) if gpu in case.fields]
    kinds = frozenset(_kind(case, name) for name in said.fabrics)
    spot = said.fields.get("budget.spot") or (case.says("on_spot") and not case.says("on_demand"))
    tier: Tier | None = "spot" if spot else None
    told = None if said.named("gpu") else case.told.get("cluster.gpus")
    count = said.fields.get("cluster.gpus") or said.roles.get("so_many") or told
    markup = case.catalog.constants["market-paid-over-cheapest"].si
    days = next(iter(case.lengths()), None)
    providers = tuple(said.named("provider"))
    return _Asked(tuple(gpus), providers, kinds, tier, round(count) if count else None, markup, days)


def _kind(case: Case, fabric: str) -> str:
    """InfiniBand, or RDMA over Ethernet of whichever vendor; what is a cloud's own by its technology."""
    found = case.catalog.fabrics[fabric]
    return found.kind if found.transport == "rdma" else found.technology


def _price(asked: _Asked, offered: Offered) -> tuple[bool, float]:
    """What offers are sorted by: those on demand first, as nobody takes these machines away."""
    price, hourly = asked.usual(offered), asked.hourly(offered)
    return (price.tier != "on-demand", hourly) if price and hourly else (True, float("inf"))


def _nearest(asked: _Asked, market: Sequence[Offered], case: Case) -> list[Offered]:
    """What comes near where nobody sells what is asked: another network of the same seller, else other sellers."""
    kinds, same = frozenset[str](), tuple(one for gpu in asked.gpus for one in _same_name(case, gpu))
    looser = [
        replace(asked, technologies=kinds),
        replace(asked, gpus=same or asked.gpus),
        replace(asked, providers=()),
        replace(asked, gpus=()),
        replace(asked, providers=(), technologies=kinds),
        replace(asked, count=None),
    ]
    every = (
        [one for one in market if near.has(one, case)]
        for near in looser
        if near != asked and (near.gpus or near.providers)
    )
    return next((some for some in every if some), [])


def _opening(case: Case, asked: _Asked, found: list[Offered]) -> str:
    what = _what(case, asked)
    names = ", ".join(case.catalog.providers[one].name for one in asked.providers)
    if not found:
        what += f" {asked.count:,} at once" if asked.count else ""
        no = "No: " if case.says("yes_or_no") else ""
        return f"{no}{names} sells no {what} in the catalog." if names else f"Nobody sells {what} in the catalog."
    yes = "Yes: " if case.says("yes_or_no") else ""
    if names:
        gpus = "" if asked.gpus else f" with {', '.join(dict.fromkeys(one.offer.gpu for one in found))}"
        return f"{yes}{names} sells {what}{gpus}."
    # Who tells no spot price is not known to let any machines so.
    sellers = dict.fromkeys(one.provider_name for one in found if asked.tier is None or asked.usual(one))
    if not sellers:
        return f"Nobody in the catalog tells a price of {what}."
    count = counted(len(sellers), "provider")
    cheapest = min((one for one in found if asked.usual(one)), key=lambda one: _price(asked, one), default=None)
    least = ""
    if cheapest:
        paid = f" of the {asked.count:,} used" if asked.count else ""
        least = f", from {usd(_price(asked, cheapest)[1])} per GPU-hour{paid} at {cheapest.provider_name}"
    named = f": {', '.join(sellers)}" if len(sellers) <= MOST_LISTED or case.says("who_sells") else ""
    return f"{yes}{what} is sold by {count}{named}{least}."


def _in_all(case: Case, asked: _Asked, priced: list[Offered]) -> str:
    """What the first of the offers comes to for so many days, where both are said: it is the answer's figure."""
    first = next(iter(priced), None)
    total, price = first and asked.rent(first), first and asked.usual(first)
    if first is None or price is None or total is None:
        return ""
    hours, paid = 24 * (asked.days or 0), first.paid(asked.count or 0)
    sum_of = f"{hours:,g} h × {paid:,} GPUs × {hourly_price(asked.paid(price))}"
    let = f"{asked.count:,} GPUs for {significant(asked.days or 0)} days"
    case.figure(f"{let}, {first.name}", round(total, 2), "USD in all", f"{sum_of}, {_tier(price)}", first=True)
    return f"{let} cost ${total:,.2f} at {first.provider_name} by the list ({_tier(price)})."


def _what(case: Case, asked: _Asked) -> str:
    networks = " or ".join(dict.fromkeys(_network_name(case, name) for name in case.utterance.fabrics))
    gpu = " or ".join(case.catalog.gpus[one].name for one in asked.gpus)
    spot = " on the spot market" if asked.tier == "spot" else ""
    return f"{gpu} with {networks}{spot}" if gpu and networks else f"{gpu or networks or 'machines'}{spot}"


def _too_few(case: Case, asked: _Asked, market: Sequence[Offered]) -> str:
    """Offers that would be meant, were fewer GPUs asked for."""
    left = [one for one in market if asked.is_of(one, case) and not asked.joins(one)]
    if not left:
        return ""
    those = f"{len(left)} offers that let" if len(left) > 1 else f"{left[0].name}, which lets"
    return f"Left out: {those} fewer than {asked.count:,} at once, or machines that nothing joins."


def _namesakes(case: Case, asked: _Asked, market: Sequence[Offered]) -> str:
    """GPUs that the name as it was typed may mean too: each is another machine at another price."""
    told = []
    for gpu in dict.fromkeys(other for one in asked.gpus for other in _same_name(case, one)):
        other = replace(asked, gpus=(gpu,))
        cheapest = min((o for o in market if other.has(o, case) and other.usual(o)),
                       key=lambda o: _price(other, o), default=None)  # fmt: skip
        if cheapest:
            told.append(f"{case.catalog.gpus[gpu].name} from {usd(_price(other, cheapest)[1])}")
    return f"Other GPUs of that name: {', '.join(told)}." if told else ""


def _same_name(case: Case, gpu: str) -> list[str]:
    """Other GPUs whose names have all the words by which one was named: "A100" may be one with 40 GB."""
    said = next((one for one in case.utterance.entities if (one.kind, one.id) == ("gpu", gpu)), None)
    if said is None:
        return []
    words = set(case.utterance.text[said.start : said.end].lower().split())
    named = case.utterance.named("gpu")
    return [
        one.id for one in case.catalog.gpus.values() if one.id not in named and words <= set(one.name.lower().split())
    ]


def _unpriced(asked: _Asked, found: list[Offered]) -> str:
    """Who sells it at a price that nobody told: it is said, and none is borrowed from another."""
    names = [one.name for one in found if asked.usual(one) is None]
    if not names:
        return ""
    tier = f"{asked.tier} " if asked.tier else ""
    of = ", ".join(names) if len(names) < MOST_LISTED else f"{len(names)} offers"
    return f"No {tier}price was read of {of}: ask for a quote."


def _lead(near: bool, priced: list[Offered]) -> str:
    """What stands before the list: whether it is what was asked for, and how many more there are."""
    shown = f"the {MOST_LISTED} cheapest of {len(priced)} with a price" if len(priced) > MOST_LISTED else ""
    if near and priced:
        return f"What comes nearest{', ' if shown else ''}{shown}:"
    return f"{shown[:1].upper()}{shown[1:]}:" if shown else ""


def _figure(case: Case, asked: _Asked, offered: Offered) -> None:
    """One offer: the price compared, then the other tiers, the network, the list's date, source and trust."""
    price, offer = asked.usual(offered), offered.offer
    assert price is not None
    listed = Freshness.of(case.catalog.constants, case.today).priced(offered.name, price.price)
    others = [(tier, found) for tier in _TIERS if tier != price.tier and (found := offer.price(tier))]
    cheapest = f"from: what its cheapest host asks, {asked.markup:g} times that is counted"
    own = [_tier(price), *_elsewhere(offer, price), *([cheapest] if price.of_the_cheapest else [])]
    tiers = [*own, *(f"{_tier(found)} {_from(found)}{usd(found.price.si)}" for _, found in others)]
    old = f" ({listed.age_days} days old)" if listed.stale else ""
    source = price.price.source.partition("#")[0].partition(":")[0]
    told = (
        *tiers, *_order(asked, offered), _network(case, offered), f"{price.price.date}{old}", source,
        f"{price.trust} trust",
    )  # fmt: skip
    several = f", {case.catalog.gpus[offer.gpu].name}" if len(asked.gpus) != 1 else ""
    case.figure(f"{offered.name}{several}", price.price.si, "USD/GPU-h", "; ".join(told))


def _elsewhere(offer: Offer, price: ListPrice) -> list[str]:
    """Of a price of one region that it is, and the lowest that another has."""
    others = (one for one in offer.prices if (one.tier, one.months) == (price.tier, price.months))
    others = (one for one in others if not one.mean and one.trust != "low")
    least = min(others, key=lambda one: one.price.si, default=price)
    if price.region is None or least.region is None or least.price.si >= price.price.si:
        return []
    return [f"in {price.region}", f"{usd(least.price.si)} in {least.region} ({least.price.date})"]


def _order(asked: _Asked, offered: Offered) -> list[str]:
    """What an order of so many is: the GPUs that are paid for, and whether anybody says that so many are let."""
    count, price = asked.count, asked.usual(offered)
    if not count or price is None:
        return []
    paid, known = offered.paid(count), offered.offer.largest_gpus or count <= offered.offer.gpus_per_node
    total = asked.rent(offered)
    in_all = f", ${total:,.2f} for {significant(asked.days or 0)} days" if total else ""
    sum_of = f"{paid:,} GPUs {usd(paid * asked.paid(price))} per hour{in_all}"
    return [sum_of, *([] if known else ["how many are let at once is not said"])]


def _from(price: ListPrice) -> str:
    return "from " if price.of_the_cheapest else ""


def _tier(price: ListPrice) -> str:
    return price.tier.replace("-", " ") + (f" {price.months:g} months" if price.months else "")


def _network(case: Case, offered: Offered) -> str:
    offer = offered.offer
    if offer.fabrics[0] == "none":
        return "no network between machines"
    rate = f" {offer.gbps_per_gpu:g} Gb/s per GPU" if offer.gbps_per_gpu else ""
    return f"{_network_name(case, offer.fabrics[0])}{rate}"


def _network_name(case: Case, fabric: str) -> str:
    return technology_text(case.catalog.fabrics[fabric].technology)
