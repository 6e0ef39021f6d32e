"""What may be spent in all; other currencies and amounts per month are not guessed at."""

from __future__ import annotations

import re

from .dollars import MONEY, PRICE, dollars
from .numbers import plain
from .ownership import read_ownership
from .reading import Reading
from .unit_prices import read_unit_prices

# A budget of something else than money: "token budget", "power budget".
_OTHER_BUDGET = re.compile(
    r"\b(?:tokens?|toks?|power|time|memory|latency|error|compute|energy|thermal|cooling|watt\w*|loss|link|space|"
    r"flops?|gpu[\s\-]hours?|cable|rack|vram|"
    r"communication|bandwidth|slowdown)[\s\-](?:budget|limit|cap|cost)\w*\s?(?:(?:is|of|:|=|at|up to|about|around|"
    r"to|was)\s?)*\S+"
)
_BUDGET = re.compile(
    rf"(?:budget|spend|limit|cap(?!ex)|afford|cost|(?:dollar|cent|penny|buck)s? (?:more|over|above)(?: than)?)\w*\s?(?:(?:is|was|were|would|should|be|been|gets?|got|has|had|only|"
    rf"just|now|really|roughly|approximately|cut|capped|reduced|raised|limited|grew|shrank|went|down|up|actually|maybe|probably|"
    rf"of|:|=|to|at|up to|about|around|no more than|over|above|beyond|more than|under|below|within|less than|lower than|must|may|can|cannot|not|never|stays?|remains?|kept|keep|exceeds?|"
    rf"not more than|at most|~)\s?)*(?P<d>{PRICE})(?![\s\-]?(?:%|percent|gpu|node|day|week|month|h100|"
    rf"tokens?|params?|rps|qps|req\w*|queries|g\b|gbps|gb|tb|kw|mw|w\b|ms|racks?|sites?|hours?|hrs?|min\w*|years?|/))"
)
_BUDGET_AFTER = re.compile(
    rf"(?P<d>{PRICE})\s(?:budget|cap\b|limit\b|ceiling|maximum budget|to spend|(?:of |in )?(?:funding|funds|"
    rf"spending)|(?:max(?:imum)?|total|overall) (?:spend|outlay|expenditure)|spend\b)(?:\s(?:on|for) (?:the )?(?:spending|costs?|budget|it|this))?"
)
# "The CFO just cut us to 300k", "the board approved 2 million": who holds the money, and a number with no other unit.
_HOLDS_MONEY = (
    r"(?:cfo|ceo|cto|finance|controlling|controller|accounting|boss|board|management|investors?|procurement|treasury|treasurer|dean|"
    r"funding|funder|sponsor|grant|foundation|headquarters|hq|leadership|director|head)"
)
_GIVEN = re.compile(
    rf"\b{_HOLDS_MONEY}\b[^.;?\n]{{0,24}}?\b(?P<verb>cuts?|trim(?:s|med)|cap(?:s|ped)|limit(?:s|ed)|slash(?:es|ed)|reduc(?:es|ed)|"
    rf"rais(?:es|ed)|increas(?:es|ed)|gave|gives?|grants|granted|approv(?:es|ed)|allow(?:s|ed)|releas(?:es|ed)|allot(?:s|ted)|"
    rf"allocat(?:es|ed)|sign(?:s|ed) off|pays?|put(?:s)? up|is|was|of)\b(?:\s(?:us|me|it|them|that|this|our \w+|the \w+|down|back|up|on|to|"
    rf"at|only|just|about|around|no more than|not more than|at most|~|a|total|of)){{0,5}}\s(?P<d>(?<![\w.])\d[\d.,]*\s?(?:[km]|thousand|"
    rf"mn|mio|million|grand)\b)(?!\s?(?:tokens?|params?|parameters|context|sequences?|gpus?|nodes?|h100|users?|requests?|docs|documents|"
    rf"samples|euros?|eur|\u20ac|gbp|pounds|chf|francs))"
)
# "No more than 2M", "we cannot exceed 300k": a bound without a unit is of money.
_CAP = re.compile(
    r"(?:\b(?:no|not|never)\s(?:a\s(?:cent|penny|dollar)\s)?(?:more|higher|over|above|beyond)(?:\sthan)?|(?:\b(?:cannot|never|not)|n't)\s(?:\w+\s){0,2}?(?:exceed|"
    r"(?:go|get|be|pay)\s(?:over|past|above|beyond|more than))|\b(?:max(?:imum|imal)?|at most)\b:?)\s(?P<d>(?<![\w.])(?:\d[\d.,]*\s?(?:m|mn|mio|million|thousand)|\d{2,}k|\d{2,3},\d{3}|"
    r"half a million|a million))(?=\W*$|[,;.!](?:\s|$)|\s(?:for|on|in|and|all|overall)\b)"
)
_OF_OTHER_THINGS = re.compile(
    r"\b(?:tokens?|seq\w*|context|ctx|windows?|length|batch\w*|gpus?|nodes?|param\w*|requests?|users?|latency|prompts?|outputs?|power|vocab\w*)\b"
)
_PUT_ANEW = ("cut", "trim", "cap", "limit", "slash", "reduc", "rais", "increas")
_TOTAL = re.compile(
    rf"(?:~|about\s|around\s)?{MONEY}(?!\s?(?:/|per\b|a\s(?:month|year|week|day|hour|gpu|"
    rf"node)))(?:\s(?:total|budget|in total|all in|overall))?"
)
_PERIODIC = re.compile(rf"{MONEY}\s?(?:/|per|an?)\s?(?:month|mo\b|year|yr|week|day|node|instance|server)")
_OF_A_PRICE = re.compile(r"\b(?:price|rate|quote)\b")
_OTHER_MONEY = re.compile(
    r"[€£¥]\s?[\d.,]+\s?[kmb]?|[\d.,]+\s?(?:k|m|bn?|thousand|million|billion|mio|crores?|lakhs?)?\s?(?:[€£¥₹](?!\w)|"
    r"(?:(?:swiss\s)?francs|euros?|eur|gbp|pounds|yen|jpy|chf|"
    r"yuan|rmb|cny|rupees?|inr|sek|kronor|nok|dkk|sgd|zloty|pln|(?:canadian|australian|singapore|hong kong) dollars|"
    r"crores?|lakhs?)\b)"
)


def read_money(reading: Reading) -> None:
    """Sets ``budget.*``. Amounts per month, per node and in other currencies stay in the rest."""
    blocked = [m.span() for p in (_OTHER_MONEY, _PERIODIC, _OTHER_BUDGET) for m in reading.message.find(p)]
    read_unit_prices(reading)
    for pattern in (_TOTAL, _BUDGET, _BUDGET_AFTER):
        for match in reading.message.find(pattern):
            if not any(a < match.end() and match.start() < b for a, b in blocked):
                _take_total(reading, match)
    for match in reading.message.find(_GIVEN):
        if "budget.usd" not in reading.fields and not any(a < match.end() and match.start() < b for a, b in blocked):
            _take_total(reading, match)
            anew = match["verb"].startswith(_PUT_ANEW) and reading.intent == "describe"
            reading.intent = "change" if anew else reading.intent
    if reading.context is None or reading.context.asked in (None, "budget.usd"):
        _read_cap(reading, blocked)
    read_ownership(reading)


def _read_cap(reading: Reading, blocked: list[tuple[int, int]]) -> None:
    for match in reading.message.find(_CAP):
        of_other = _OF_OTHER_THINGS.search(reading.message.clause_before(match.start()))
        if (
            "budget.usd" not in reading.fields
            and not of_other
            and not any(a < match.end() and match.start() < b for a, b in blocked)
        ):
            _take_total(reading, match)


def _take_total(reading: Reading, match: re.Match[str]) -> None:
    """A total, unless it is so small that it can only be an hourly price ("H100s at $2.10")."""
    amount = dollars(match)
    if amount >= 100:
        reading.set("budget.usd", plain(amount))
    elif (reading.intent == "change" and _OF_A_PRICE.search(reading.message.text)) or re.search(
        r"(?:@|\bat|for|price\w*|pay\w*|costs?|"
        r"quote\w*|rate\w*)\W{0,3}(?:is\s|of\s)?$",
        reading.message.text[: match.start()],
    ):
        reading.set("budget.gpu_hour_usd", plain(amount))
    else:
        return
    reading.message.take_match(match)
