"""Prices per unit: a GPU for an hour, what a network adds to it, a kilowatt-hour."""

from __future__ import annotations

import re

from .dollars import CENTS, MONEY, PRICE, dollars
from .numbers import plain
from .reading import Reading
from .technologies import TECHNOLOGY

_HOUR = (
    r"\s?(?:/|per|an?|each|for (?:an?|each|one|every))\s?(?:(?:gpu|card|[hab]\d{3})s?[\s\-/]*)?(?:and\s|an?\s|per\s)?(?:h|hr|hour)s?\b"
    r"(?:\s?(?:per|/|a|each)\s?(?:gpu|card)s?)?|\s?(?:/|per|a)\s?gpu[\s\-/]*(?:h|hr|hour)?s?\b|\s?hourly(?:\s(?:per|a|"
    r"for each)\s?gpu)?\b"
)
_HOURLY = re.compile(
    rf"(?:{MONEY}|{CENTS})(?:\s(?:more|extra|on top|additional|higher|premium|dearer|"
    rf"costlier))?(?:{_HOUR})(?!\s?(?:(?:per|/|a|each)\s?|for (?:the|a|an|each|"
    rf"every) (?:whole |entire |full )?)(?:node|instance|server|machine|box|cluster))|"
    rf"(?P<d>{PRICE})\s?(?:/|per|a)\s?(?:gpu[\s\-/]*)(?:h|hr|hour)s?\b|(?:@|\bat|\bfor|\bpay(?:ing)?|"
    rf"\bcosts?)\s?(?P<e>(?<![\w.])\d{{1,2}}\.\d{{1,2}})\s?(?:/|per|an?)\s?(?:h|hr|hour)\b"
)
_ELECTRICITY = re.compile(
    rf"(?:{MONEY}|{CENTS}|(?P<d>{PRICE}))\s?(?:/|per|an?|for (?:an?|each|one|every)|each)\s?(?:kwh|"
    rf"kilowatt[\s\-]?hours?|kw/?h)\b"
)
_LABELLED = re.compile(
    rf"\b(?:(?:price|cost|rate|charge)s?\s(?:per|of an?|for an?|for each)\s(?:gpu|card|[hab]\d{{3}})[\s\-]?(?:hours?|hr|"
    rf"h)|"
    rf"(?:gpu[\s\-](?:hour(?:ly)?|hr)|hourly(?:\sgpu)?)\s(?:price|cost|rate)|gpu[\s\-](?:price|rate)|base(?:[\s\-](?:price|rate|cost))?(?=\s?(?:is|of|at|:|=)\s)|"
    rf"gpu[\s\-]hours?(?=\s?[:=]?\s?\$?\d+\.\d)|gpu[\s\-]hours?\s(?:costs?|goes? for|"
    rf"comes? (?:at|to)|sells? (?:at|for)|runs?)(?:\s(?:us|me|you))?)(?:\s(?:we|they|i)(?:'ve)?\s\w+(?:\s(?:with|from|"
    rf"by)\s\w+)?)?\s?(?:(?:is|of|at|about|around|drops?|dropped|"
    rf"falls?|fell|rises?|rose|goes|went|up|down|to|was|were|becomes?|became|would|will|be|now)\b|[:=~\s])*"
    rf"(?:{MONEY}|(?P<d>\d+\.\d+))"
)
_PREMIUM = re.compile(
    r"premium|\+\s?\$?\s?[\d.]+|\b(?:option|upgrade)\b|\badd(?:s|er|ers|-?on)?\b|\bplus\s(?=\S{0,3}\d)|surcharge|uplift|up-?charge|supplement|"
    r"difference|delta|top-?up|\bextra\b|"
    r"\bmore (?:for|per|an?|each|every)\b|\bmore\W*$|on top|markup|\badditional(?:ly)?\b|\bdearer\b|\bmore\b.{0,24}\b(?:for|with) (?:infiniband|ib|"
    r"ndr|roce|the fabric)"
)
# An hour of a GPU, however the two words stand in the sentence; "for 100 hours" is a length of time.
_GPU = r"\b(?:gpus?|cards?|accelerators?|[hab]\d{3}s?|gb\d{3}s?|mi\d{3}x?s?)"
_OF_A_GPU = re.compile(rf"(?:\b(?:an?|one|1|each|every|per|single)\s)?(?={_GPU})")
_AN_HOUR = re.compile(
    r"(?:(?<=gpu)|(?<=gpus)|(?<=card)|(?<=[hab]\d{3}))[\s\-]?(?:hours?|hrs?|h)\b|"
    r"\b(?:(?:for|per|and|an?|one|each|every|the|by)\s)+(?:hour|hr|h)\b|\bhourly\b"
)
_BY_THE_NODE = re.compile(r"\b(?:nodes?|instances?|servers?|machines?|box(?:es)?|clusters?|racks?)\b")
_DEAREST_HOUR = 100.0  # dollars; what costs more is no hour of one GPU
_POWER = re.compile(r"\b(?:electric\w*|power|energy|juice|tariff|kwh|kilowatt[\s\-]?hours?)\b")
_MEGAWATT_HOUR = re.compile(r"\b(?:mwh|megawatt[\s\-]?hours?)\b")
_DEAREST_KWH = 1.0  # dollars; what costs more is no kilowatt-hour
_SOME_NETWORK = re.compile(
    r"\b(?:fabric|interconnect|rdma|(?:fast|faster|better|quick|good|premium|high[\s\-]speed|low[\s\-]latency)\s(?:network\w*|nics?|one))\b"
)
_BY_ANOTHER_UNIT = re.compile(
    r"\b(?:nodes?|instances?|servers?|machines?|box(?:es)?|racks?|ports?|cables?|links?|switch(?:es)?|nics?|tokens?|days?|months?|years?|"
    r"gb|gbps|kwh)\b"
)
_DEAREST_PREMIUM = 10.0  # dollars an hour of a GPU; what costs more on top is a total
_AMOUNT = re.compile(rf"{MONEY}|{CENTS}")


def read_unit_prices(reading: Reading) -> None:
    """Sets ``budget.gpu_hour_usd``, ``budget.fabric_premium_gpu_hour_usd`` and ``budget.electricity_usd_per_kwh``."""
    for match in reading.message.find(_ELECTRICITY):
        reading.set("budget.electricity_usd_per_kwh", plain(dollars(match)))
        reading.message.take_match(match)
    for match in reading.message.find(_HOURLY):
        _set_hourly(
            reading,
            match,
            reading.message.clause_before(match.start()) + match[0] + _after(reading.message.text, match.end()),
        )
    for match in reading.message.find(_LABELLED):
        _set_hourly(reading, match, "")
    for match in reading.message.find(_AMOUNT):
        _read_by_its_topic(reading, match)


def _after(text: str, end: int) -> str:
    """What the clause says shortly after a price."""
    return re.split(r"[,;]\s|\.\s|\s(?:and|plus|but|\+)\s(?=\D{0,16}\d)", text[end:])[0][:40]


def _set_hourly(reading: Reading, match: re.Match[str], clause: str) -> None:
    field = "budget.fabric_premium_gpu_hour_usd" if _PREMIUM.search(clause) else "budget.gpu_hour_usd"
    if (
        field in reading.fields
        and "premium" in field
        and reading.fields[field] != plain(dollars(match))
        and reading.intent != "change"
    ):
        del reading.fields[field]  # two networks, two premiums: left for the person to settle
        return
    reading.set(field, plain(dollars(match)))
    reading.message.take_match(match)


def _read_by_its_topic(reading: Reading, match: re.Match[str]) -> None:
    """An amount in a clause about power, or about an hour of a GPU, is the price of that, in whatever order it is said."""
    start, end = reading.message.clause_around(*match.span())
    clause, amount = reading.message.open[start:end], dollars(match)
    if _MEGAWATT_HOUR.search(clause):
        reading.set("budget.electricity_usd_per_kwh", plain(round(amount / 1000, 6)))
        _take_with(reading, match, _MEGAWATT_HOUR, start, end)
    elif _POWER.search(clause) and amount <= _DEAREST_KWH:
        reading.set("budget.electricity_usd_per_kwh", plain(amount))
        _take_with(reading, match, _POWER, start, end)
    elif _is_on_top_for_a_network(clause) and amount < _DEAREST_PREMIUM:
        _set_hourly(reading, match, clause)
    elif _is_an_hour_of_a_gpu(clause) and amount < _DEAREST_HOUR:
        _set_hourly(reading, match, clause)
        _take_with(reading, match, _AN_HOUR, start, end)
        of_a_gpu = _OF_A_GPU.search(reading.message.open, start, end)
        reading.message.take(*of_a_gpu.span()) if of_a_gpu else None


def _is_on_top_for_a_network(clause: str) -> bool:
    """ "IB adds 15 cents on top": so little for a network is by the hour of a GPU, said or not."""
    named = TECHNOLOGY.search(clause) or _SOME_NETWORK.search(clause)
    return named is not None and _PREMIUM.search(clause) is not None and _BY_ANOTHER_UNIT.search(clause) is None


def _is_an_hour_of_a_gpu(clause: str) -> bool:
    return (
        re.search(_GPU, clause) is not None
        and _AN_HOUR.search(clause) is not None
        and _BY_THE_NODE.search(clause) is None
    )


def _take_with(reading: Reading, match: re.Match[str], topic: re.Pattern[str], start: int, end: int) -> None:
    reading.message.take_match(match)
    for word in topic.finditer(reading.message.open, start, end):
        reading.message.take_match(word)
