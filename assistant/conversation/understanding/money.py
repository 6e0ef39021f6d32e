"""Money and time: ``~50k usd``, ``$2.10/hr``, ``two weeks``; other currencies and dates are not guessed at."""

from __future__ import annotations

import re

from .fabrics import TECHNOLOGY
from .numbers import AMOUNT, NUMBER, plain, value, whole
from .reading import Reading

_PRICE = rf"(?:{AMOUNT}|(?<![\w.])\.\d+)"
_DOLLARS = r"(?:us\s?dollars?|usd|dollars?|bucks|us\$|\$)"
_MONEY = (rf"(?:(?:us\s?)?\$\s?(?P<a>{_PRICE})\s?{_DOLLARS}?|(?:usd\s?)(?P<b>{_PRICE})|"
          rf"(?P<grand>{NUMBER})\sgrand\b|"
          rf"(?P<c>{_PRICE})\s?{_DOLLARS}(?:\s(?:and\s)?(?P<and_cents>{NUMBER})(?:\scents?\b)?(?=\s?(?:/|per\b|an?\b)|\scents?\b))?)")
_CENTS = rf"(?P<cents>{_PRICE})\s?(?:ct|cents?|¢)"
_HOUR = (r"\s?(?:/|per|an?|each|for (?:an?|each|one|every))\s?(?:(?:gpu|card|[hab]\d{3})s?[\s\-/]*)?(?:and\s|an?\s|per\s)?(?:h|hr|hour)s?\b"
         r"(?:\s?(?:per|/|a|each)\s?(?:gpu|card)s?)?|\s?(?:/|per|a)\s?gpu[\s\-/]*(?:h|hr|hour)?s?\b|\s?hourly(?:\s(?:per|a|"
         r"for each)\s?gpu)?\b")
_HOURLY = re.compile(rf"(?:{_MONEY}|{_CENTS})(?:\s(?:more|extra|on top|additional|higher|premium|dearer|"
                     rf"costlier))?(?:{_HOUR})(?!\s?(?:(?:per|/|a|each)\s?|for (?:the|a|an|each|"
                     rf"every) (?:whole |entire |full )?)(?:node|instance|server|machine|box|cluster))|"
                     rf"(?P<d>{_PRICE})\s?(?:/|per|a)\s?(?:gpu[\s\-/]*)(?:h|hr|hour)s?\b|(?:@|\bat|\bfor|\bpay(?:ing)?|"
                     rf"\bcosts?)\s?(?P<e>(?<![\w.])\d{{1,2}}\.\d{{1,2}})\s?(?:/|per|an?)\s?(?:h|hr|hour)\b")
_ELECTRICITY = re.compile(rf"(?:{_MONEY}|{_CENTS}|(?P<d>{_PRICE}))\s?(?:/|per|an?|for (?:an?|each|one|every)|each)\s?(?:kwh|"
                          rf"kilowatt[\s\-]?hours?|kw/?h)\b")
# A budget of something else than money: "token budget", "power budget".
_OTHER_BUDGET = re.compile(r"\b(?:tokens?|toks?|power|time|memory|latency|error|compute|energy|thermal|cooling|watt\w*|loss|link|space|"
                           r"flops?|gpu[\s\-]hours?|cable|rack|vram|"
                           r"communication|bandwidth|slowdown)[\s\-](?:budget|limit|cap|cost)\w*\s?(?:(?:is|of|:|=|at|up to|about|around|"
                           r"to|was)\s?)*\S+")
_BUDGET = re.compile(rf"(?:budget|spend|limit|cap|afford|cost)\w*\s?(?:(?:is|of|:|=|to|at|up to|about|around|no more than|"
                     rf"not more than|at most|~)\s?)*(?P<d>{_PRICE})(?![\s\-]?(?:%|percent|gpu|node|day|week|month|h100|"
                     rf"tokens?|params?|rps|qps|req\w*|queries|g\b|gbps|gb|tb|kw|mw|w\b|ms|racks?|sites?|hours?|hrs?|min\w*|years?|/))")
_BUDGET_AFTER = re.compile(rf"(?P<d>{_PRICE})\s(?:budget|cap\b|limit\b|ceiling|maximum budget|to spend|(?:of |in )?(?:funding|funds|"
                           rf"spending)|max(?:imum)? spend)(?:\s(?:on|for) (?:the )?(?:spending|costs?|budget|it|this))?")
_TOTAL = re.compile(rf"(?:~|about\s|around\s)?{_MONEY}(?!\s?(?:/|per\b|a\s(?:month|year|week|day|hour|gpu|"
                    rf"node)))(?:\s(?:total|budget|in total|all in|overall))?")
_PERIODIC = re.compile(rf"{_MONEY}\s?(?:/|per|an?)\s?(?:month|mo\b|year|yr|week|day|node|instance|server)")
_LABELLED = re.compile(rf"\b(?:(?:price|cost|rate|charge)s?\s(?:per|of an?|for an?|for each)\s(?:gpu|card|[hab]\d{{3}})[\s\-]?(?:hours?|hr|"
                       rf"h)|"
                       rf"(?:gpu[\s\-](?:hour(?:ly)?|hr)|hourly(?:\sgpu)?)\s(?:price|cost|rate)|gpu[\s\-]hours?\s(?:costs?|goes? for|"
                       rf"comes? (?:at|to)|sells? (?:at|for)|runs?)(?:\s(?:us|me|you))?)(?:\s(?:we|they|i)(?:'ve)?\s\w+(?:\s(?:with|from|"
                       rf"by)\s\w+)?)?\s?(?:(?:is|of|at|about|around|drops?|dropped|"
                       rf"falls?|fell|rises?|rose|goes|went|up|down|to|was|were|becomes?|became|would|will|be|now)\b|[:=~\s])*"
                       rf"(?:{_MONEY}|(?P<d>\d+\.\d+))")
_PREMIUM = re.compile(r"premium|\badd(?:s|er|ers|-?on)?\b|surcharge|uplift|up-?charge|supplement|difference|delta|top-?up|\bextra\b|"
                      r"\bmore (?:for|per)|on top|markup|\badditional(?:ly)?\b|\bdearer\b|\bmore\b.{0,24}\b(?:for|with) (?:infiniband|ib|"
                      r"ndr|roce|the fabric)")
_OTHER_MONEY = re.compile(r"[€£¥]\s?[\d.,]+\s?[kmb]?|[\d.,]+\s?(?:k|m)?\s?(?:[€£¥]|euros?|eur|gbp|pounds|yen|chf|francs)\b")
_SPOT = re.compile(r"\b(?:spot|preemptible|interruptible)(?:[\s\-](?:instances?|capacity|market|pric(?:es?|ing)|gpus?|vms?|"
                   r"nodes?))?\b")
_ON_DEMAND = re.compile(r"\b(?:on[\s\-]demand|reserved)(?:[\s\-](?:instances?|capacity|pric(?:es?|ing)|gpus?))?\b")
_BUY = re.compile(r"\b(?:buy(?:s|ing)?|bought|purchas(?:es?|ed|ing)|on[\s\-]?prem(?:ises?)?|capex|procur(?:e|ing|ement)|"
                  r"build(?:ing)? our own|(?:our|my|their|your) own (?:hardware|machines|servers|metal|gpus|cluster|racks|equipment)|"
                  r"in[\s\-]house|(?:we|i|they) (?:already |fully )?own(?:ed)? (?:the |our |all )?(?:the )?(?:hardware|machines|servers|"
                  r"gpus|nodes|boxes|racks|metal)|(?:hardware|machines|servers|gpus|nodes|boxes|racks)\b[^.;,]{0,12} (?:stands?|sits?|"
                  r"lives?|are|is) in our(?: own)?(?: \w+)?|own data ?cent(?:er|re)|(?:hardware|machines|servers|gpus|nodes|boxes|racks|"
                  r"cluster) (?:are|is|belongs? to) (?:ours|us)|colo(?:cation)?)\b(?:\s(?:the\s)?(?:hardware|cluster|"
                  r"machines))?")
_RENT = re.compile(r"\b(?:rent(?:al|ing|ed)?|leas(?:e|ing)|(?:in|on|to|into) (?:the|a|any)(?: public)? cloud|(?<=no )cloud|"
                   r"(?<=use )(?:the |a |any )?(?:public )?cloud|cloud[\s\-](?:gpus?|instances?|based|provider|please|only|resources|"
                   r"capacity)|public cloud|opex)\b")
_AMORTIZE = re.compile(rf"\b(?:amorti[sz]\w*|depreciat\w*|writ(?:e|es|ten|ing)[\s\-]?(?:it |them |that |this |everything |the \w+ |down |"
                       rf"all )?off|lifetime)\D{{0,12}}?(?P<n>{NUMBER}|"
                       rf"\d\.5)[\s\-]?(?P<unit>months?|years?|yrs?)")

_UNIT_DAYS = {"h": 1 / 24, "hr": 1 / 24, "hour": 1 / 24, "day": 1.0, "d": 1.0, "week": 7.0, "wk": 7.0, "fortnight": 14.0,
              "month": 30.4375, "quarter": 91.3125, "year": 365.25, "yr": 365.25}
_TIME = re.compile(rf"(?<!days in )(?<!hours in )(?P<n>{NUMBER}|(?<!\d )\b(?:an?|half an?|one and a half|a couple of)\b|"
                   rf"\d+\.\d+)[\s\-]?(?P<unit>hours?|hrs?|h|days?|d|weeks?|wks?|fortnights?|months?|quarters?|years?|"
                   rf"yrs?)(?![a-z0-9])(?!\s?parallel|\s(?:slower|faster|longer)\b|\sof an?\b|\s(?:ago|old|later|in an?\b|of experience))")
# "A three-year commitment" is what a price rests on, not how long the run takes.
_CONTRACT = re.compile(r"[\s\-]*(?:reserved?|reservation|commit\w*|contracts?|lease|terms?|agreement|warranty|support|depreciation)\b")
_DEADLINE_BEFORE = re.compile(r"\b(?:within|in|deadlines?|must|need\w*|have|has|got|at most|(?:no|not) (?:more|longer|later) than|"
                              r"max(?:imum)?|under|less than|fewer than|before|finish\w*|done|"
                              r"complete\w*|ready|only|limit|up to|below)\b[^.;]{0,28}$")
_NO_LONGER_THAN = re.compile(r"(?:\bnot|n't|\bnever|\bcannot) (?:\w+ ){0,2}(?:longer|later|more) than\b[^.;]{0,10}$")
_DEADLINE_AFTER = re.compile(r"\s?(?:deadline|at (?:the latest|most)|from (?:now|today)|max(?:imum)?\b|or less|time limit|tops)")
# How long something has been there is not how long the run takes.
_PAST = re.compile(r"\b(?:after|every)\s$|\b(?:been|in (?:production|use|place|operation|service)|installed|deployed|have had|has had|"
                   r"owned|(?:have|has|'ve|'s) (?:run|operated|used|worked)|ran|operated|worked)\b[^.;]{0,40}\bfor\s(?:(?:the|over|"
                   r"more than|about|almost|nearly|last|past|roughly|some)\s)*$")
_RUN_BEFORE = re.compile(r"\b(?:for|run(?:s|ning)?|train(?:s|ing)?|lasts?|takes?|rent(?:ing)?|over|days\s?[=:])\b[^.;,]{0,24}$")


def _money(match: re.Match[str]) -> float:
    said = {name: text for name, text in match.groupdict().items() if text}
    if "cents" in said or "grand" in said:
        return round(value(said["cents"]) / 100, 6) if "cents" in said else value(said["grand"]) * 1000
    return value(next(said[name] for name in ("a", "b", "c", "d", "e") if name in said)) + value(said.get("and_cents", "0")) / 100


def read_money(reading: Reading) -> None:
    """Sets ``budget.*``. Amounts per month, per node and in other currencies stay in the rest."""
    blocked = [m.span() for p in (_OTHER_MONEY, _PERIODIC, _OTHER_BUDGET) for m in reading.message.find(p)]
    for match in reading.message.find(_ELECTRICITY):
        reading.set("budget.electricity_usd_per_kwh", plain(_money(match)))
        reading.message.take_match(match)
    for match in reading.message.find(_HOURLY):
        clause = reading.message.clause_before(match.start()) + match[0] + re.split(r"[,;]\s|\.\s",
                                                                                    reading.message.text[match.end():])[0][:40]
        field = "budget.fabric_premium_gpu_hour_usd" if _PREMIUM.search(clause) else "budget.gpu_hour_usd"
        reading.set(field, plain(_money(match)))
        reading.message.take_match(match)
    for match in reading.message.find(_LABELLED):
        reading.set("budget.gpu_hour_usd", plain(_money(match)))
        reading.message.take_match(match)
    for pattern in (_TOTAL, _BUDGET, _BUDGET_AFTER):
        for match in reading.message.find(pattern):
            if any(a < match.end() and match.start() < b for a, b in blocked):
                continue
            _take_total(reading, match)
    _read_mode(reading)


def _take_total(reading: Reading, match: re.Match[str]) -> None:
    """A total, unless it is so small that it can only be an hourly price ("H100s at $2.10")."""
    amount = _money(match)
    if amount >= 100:
        reading.set("budget.usd", plain(amount))
    elif re.search(r"(?:@|\bat|for|price\w*|pay\w*|costs?|quote\w*|rate\w*)\W{0,3}(?:is\s|of\s)?$",
                   reading.message.text[:match.start()]):
        reading.set("budget.gpu_hour_usd", plain(amount))
    else:
        return
    reading.message.take_match(match)


def _read_mode(reading: Reading) -> None:
    for match in reading.message.find(_AMORTIZE):
        months = value(match["n"]) * (1 if match["unit"].startswith("m") else 12)
        reading.set("budget.amortization_months", plain(months))
        reading.message.take_match(match)
    for pattern, field, chosen in ((_SPOT, "budget.spot", True), (_ON_DEMAND, "budget.spot", False),
                                   (_BUY, "budget.mode", "buy"), (_RENT, "budget.mode", "rent")):
        for match in reading.message.find(pattern):
            denial = reading.message.negation(match.start(), match.end())
            if pattern is _BUY and _is_about_a_network(reading, match):
                continue
            if denial:
                opposite = {"buy": "rent", "rent": "buy", True: False, False: True}
                if field not in reading.fields:
                    reading.set(field, opposite[chosen])
                reading.message.take(denial.start, denial.end)
            elif field not in reading.fields or pattern is _SPOT:
                reading.set(field, chosen)
                reading.message.take_match(match)


def _is_about_a_network(reading: Reading, match: re.Match[str]) -> bool:
    """"We cannot buy InfiniBand", "which would you buy, RoCE or EFA": not the machines are bought."""
    before, after = reading.message.clause_before(match.start()), reading.message.text[match.end():match.end() + 40]
    near = re.match(r"(?:\s(?:any|an|the|into|more))*\s", after)
    follows = TECHNOLOGY.match(after, near.end()) if near else None
    leads = TECHNOLOGY.match(before.lstrip())
    return bool(follows) or bool(leads and len(before.split()) <= 6)


def read_time(reading: Reading) -> None:
    """A stretch of time is a deadline when it limits, else the length of the run; a date ("by Friday") is not guessed."""
    for match in reading.message.find(_TIME):
        text = match["n"].strip()
        if text == "a couple of" or reading.message.negation(match.start(), match.end()):
            continue
        number = {"a": 1.0, "an": 1.0, "half a": 0.5, "half an": 0.5, "one and a half": 1.5}.get(text) or value(text)
        days = plain(round(number * _UNIT_DAYS[match["unit"].rstrip("s") or "h"], 6))
        if days <= 0 or _CONTRACT.match(reading.message.text, match.end()) or _PAST.search(reading.message.text[:match.start()]):
            continue
        reading.set(_time_field(reading, match), days)
        reading.message.take_match(match)


def _time_field(reading: Reading, match: re.Match[str]) -> str:
    before = reading.message.text[:match.start()]
    last = reading.context.changed[-1:] if reading.context and reading.intent in ("change", "what-if") else ()
    of_that = re.search(r"\b(?:it|that|this)\b|^\W*(?:no|sorry|actually)\b", before)
    if of_that and last and last[0] in ("training.days", "constraints.deadline_days"):
        return last[0]
    if reading.context and reading.context.asked in ("training.days", "constraints.deadline_days"):
        return reading.context.asked
    limits = _DEADLINE_AFTER.match(reading.message.text, match.end()) or _DEADLINE_BEFORE.search(before)
    runs = _RUN_BEFORE.search(before)
    if _NO_LONGER_THAN.search(before):
        return "constraints.deadline_days"
    if reading.serves or "training.tokens" in reading.fields or (limits and not runs):
        return "constraints.deadline_days"
    if limits and runs and limits.start() >= runs.start():
        return "constraints.deadline_days"
    return "training.days"
