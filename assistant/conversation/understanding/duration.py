"""Stretches of time: when it must be done, or how long it runs; dates are not guessed at."""

from __future__ import annotations

import re

from .numbers import NUMBER, plain, value
from .reading import Reading

UNIT_DAYS = {
    "h": 1 / 24,
    "hr": 1 / 24,
    "hour": 1 / 24,
    "day": 1.0,
    "d": 1.0,
    "week": 7.0,
    "wk": 7.0,
    "fortnight": 14.0,
    "month": 30.4375,
    "quarter": 91.3125,
    "year": 365.25,
    "yr": 365.25,
}
_TIME = re.compile(
    rf"(?<!days in )(?<!hours in )(?P<n>{NUMBER}|(?<!\d )\b(?:an?|half an?|one and a half|a couple of)\b|"
    rf"\d+\.\d+)[\s\-]?(?P<unit>hours?|hrs?|h|days?|d|weeks?|wks?|fortnights?|months?|quarters?|years?|"
    rf"yrs?)(?![a-z0-9]|-[a-z]+\b(?<!-long))(?!\s?parallel|\s(?:slower|faster|longer)\b|\sof an?\b|\s(?:ago|old|later|"
    rf"in an?\b|of experience))"
)
# "A three-year commitment" is what a price rests on, not how long the run takes.
_CONTRACT_BEFORE = re.compile(
    r"\b(?:reserv(?:e|ed|ing|ation)|commit\w*|contract\w*|sign(?:ed|ing)?|locked in)\b(?: \w+){0,2}? (?:for|over|of) $"
)
_CONTRACT = re.compile(
    r"[\s\-]*(?:reserved?|reservation|commit\w*|contracts?|lease|terms?|agreement|warranty|support|depreciation)\b"
)
_DEADLINE_BEFORE = re.compile(
    r"\b(?:within|in|due|time (?:budget|window|frame|available)|turn-?around|hard stop|over after|done after|"
    r"finished after|latest|completion|deadlines?|must|need\w*|have|has|got|at most|(?:no|not) (?:more|longer|"
    r"later) than|"
    r"max(?:imum)?|under|less than|fewer than|before|finish\w*|done|"
    r"complete\w*|ready|ships?|delivered?|only|limit|up to|below)\b[^.;]{0,28}$"
)
_NO_LONGER_THAN = re.compile(r"(?:\bnot|n't|\bnever|\bcannot) (?:\w+ ){0,2}(?:longer|later|more) than\b[^.;]{0,10}$")
_DEADLINE_AFTER = re.compile(
    r"\s?(?:deadline|(?:at )?(?:the )?latest\b|the longest\b|at (?:the (?:very )?(?:latest|most)|most)|from (?:now|today)|max(?:imum)?\b|or less|"
    r"time limit|tops|left\b|remaining\b|(?:,? ?(?:that|this|it|which)(?:'s| is)|is)"
    r" (?:all (?:the time |that )?(?:we|i|you)|(?:the|our|my) (?:deadline|limit|cut-?off|time))|is what (?:we|"
    r"i) have)"
)
# "900 euros a month" is a rate.
_PER = re.compile(
    r"(?:[$\u20ac\u00a3]\s?\S+|euros?|eur|dollars?|usd|bucks|pounds|francs|cents|requests|users|times|tickets|grand|\dk)\s$"
)
# How long something takes to arrive is not how long the run takes.
_DELIVERY_BEFORE = re.compile(
    r"\b(?:(?:rental |lease |service )?contract(?: term)? (?:over|of|for|runs)|lead[\s\-]times?|deliver(?:y|ies|"
    r"ed|s)|ships?|shipping|shipment|arrives?|wait(?:ing)?(?: times?|"
    r" list)?|back-?order\w*|"
    r"warrant\w+|guarantee)\b[^.;]{0,24}$"
)
# The model ships when it is trained.
_OF_OURS = re.compile(
    r"\b(?:model|product|release|checkpoint|paper|weights|we|it)\b[^.;,]{0,16}\b(?:ships?|deliver\w*)\b[^.;]{0,12}$"
)
_DELIVERY_AFTER = re.compile(
    r"\s?(?:of )?(?:lead[\s\-]time|delivery|to (?:deliver|ship|arrive)|waiting time|for delivery|to get (?:it|"
    r"them|one))\b"
)
# How long something has been there is not how long the run takes.
_PAST = re.compile(
    r"(?<!stop )(?<!end )(?<!ends )(?<!over )(?<!done )(?<!finished )\b(?:after|every)\s$|\b(?:been|in (?:production|use|"
    r"place|operation|service)|installed|deployed|have had|has had|"
    r"owned|(?:have|has|'ve|'s) (?:done so|done it|done that|been at it|run|operated|used|worked)|ran|operated|"
    r"worked)\b[^.;]{0,40}\bfor\s(?:(?:the|over|"
    r"more than|about|almost|nearly|last|past|roughly|some)\s)*$"
)
_RUN_BEFORE = re.compile(
    r"\b(?:for|run(?:s|ning)?|train(?:s|ing)?|lasts?|takes?|rent(?:ing)?|over|days\s?[=:])\b[^.;,]{0,24}$"
)


# "8 hours a day" is how long something is in use, not how long it takes.
_OF_EACH = re.compile(r"\s?(?:a|per|each|every|/)\s?(?:day|night|week|month|year)\b")


_SO_MUCH_A = re.compile(r"\b(?:hours?|hrs?|minutes?|mins?|times)\s$")


def read_time(reading: Reading) -> None:
    """A stretch of time is a deadline when it limits, else the length of the run; a date ("by Friday") is not guessed."""
    for match in reading.message.find(_TIME):
        text = match["n"].strip()
        if _OF_EACH.match(reading.message.text, match.end()) or (
            text in ("a", "an") and _SO_MUCH_A.search(reading.message.text[: match.start()])
        ):
            continue
        if text == "a couple of" or reading.message.negation(match.start(), match.end()):
            continue
        number = {"a": 1.0, "an": 1.0, "half a": 0.5, "half an": 0.5, "one and a half": 1.5}.get(text) or value(text)
        days = plain(round(number * UNIT_DAYS[match["unit"].rstrip("s") or "h"], 6))
        if (
            _DELIVERY_BEFORE.search(reading.message.text[: match.start()])
            and not _OF_OURS.search(reading.message.text[: match.start()])
        ) or _DELIVERY_AFTER.match(reading.message.text, match.end()):
            continue
        if match["unit"][0] in "yq" and _CONTRACT_BEFORE.search(reading.message.text[: match.start()]):
            continue
        if text in ("a", "an") and _PER.search(reading.message.text[: match.start()]):
            continue
        if (
            days <= 0
            or _CONTRACT.match(reading.message.text, match.end())
            or _PAST.search(reading.message.text[: match.start()])
        ):
            continue
        reading.set(_time_field(reading, match), days)
        reading.message.take_match(match)


def _time_field(reading: Reading, match: re.Match[str]) -> str:
    before = reading.message.text[: match.start()]
    last = reading.context.changed[-1:] if reading.context and reading.intent in ("change", "what-if") else ()
    of_that = re.search(r"\b(?:it|that|this)\b|^\W*(?:no|sorry|actually)\b", before)
    if of_that and last and last[0] in ("training.days", "constraints.deadline_days"):
        return last[0]
    if reading.context and reading.context.asked in ("training.days", "constraints.deadline_days"):
        return reading.context.asked
    limits = _DEADLINE_AFTER.match(reading.message.text, match.end()) or _DEADLINE_BEFORE.search(before)
    runs = _RUN_BEFORE.search(before)
    if not limits and not runs and last and last[0] in ("training.days", "constraints.deadline_days"):
        return last[0]
    if _NO_LONGER_THAN.search(before):
        return "constraints.deadline_days"
    if reading.serves or "training.tokens" in reading.fields or (limits and not runs):
        return "constraints.deadline_days"
    if limits and runs and limits.start() >= runs.start():
        return "constraints.deadline_days"
    return "training.days"
