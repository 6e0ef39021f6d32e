"""How the switches are joined: how far leaf uplinks are oversubscribed, and whether packets choose their path by load."""

from __future__ import annotations

import re

from .numbers import DECIMAL, NUMBER, value
from .reading import Reading

_LEAST, _MOST = 1.0, 32.0  # what a leaf's uplinks can be; other ratios are of something else
_OVER = (
    r"(?:over[\s\-]?subscri(?:bed|ption|be)|over[\s\-]?sub(?:s|bed)?|over[\s\-]?booked|contention|blocking|convergence|taper(?:ed|"
    r"ing)?|"
    r"subscription|over[\s\-]?commit(?:ted|ment)?|osr?(?=\s?[:=]?\s?\d[\d.]*\s?:\s?1\b))"
)
_NUMBER = rf"(?:{NUMBER}|(?<![\w.]){DECIMAL})"
_RATIO = rf"(?P<n>{_NUMBER})\s?(?::|to|to-|/|-to-|in)\s?(?:1|one)\b(?!\d)"
_TIMES = r"(?:x|times|fold|-fold)\b"
_IS = (
    r"(?:[\s\-:=,]|factor|ratio|rate|level|of|is|are|was|at|by|to|the|a|about|around|roughly|with|network|fabric|leaf|spine|"
    r"leaf-spine|tree|uplinks?|tiers?|only|now){0,6}?"
)
_SAID = re.compile(
    rf"{_RATIO}(?:[\s\-](?:\w+[\s\-]){{0,2}}?{_OVER}(?:[\s\-](?:ratio|factor))?)?|"
    rf"(?P<n_>{_NUMBER})\s?{_TIMES}[\s\-]?{_OVER}|"
    rf"\b{_OVER}{_IS}\b(?P<n__>{_NUMBER})(?:\s?{_TIMES}|(?:\s?(?::|to)\s?(?:1|one)\b))?(?!\s?(?:%|percent|gpus?|nodes?|switch))|"
    rf"\b{_OVER}\s(?:by\s)?(?:a\sfactor\sof\s)(?P<n___>{_NUMBER})"
)
_TOPIC = re.compile(rf"\b{_OVER}\b|\b(?:uplinks?|downlinks?|leafs?|leaves|spines?|fat[\s\-]?tree|clos|tapered|tor)\b")
_NONE = re.compile(
    r"\b(?:non|un)[\s\-]?blocking\b|\b(?:no|zero|without(?: any)?|not|never|isn't|aren't|free of)\s(?:\w+\s)?"
    r"(?:over[\s\-]?subscri(?:bed|ption)|over[\s\-]?sub(?:s|bed)?|blocking|taper(?:ed|ing)?)\b|"
    r"\bfull(?:y)?[\s\-](?:bi[\s\-]?section(?:al)?|cross[\s\-]?section(?:al)?|provisioned|non-blocking)(?:\s(?:bandwidth|bw))?\b|"
    r"\bfull\s(?:fat[\s\-]?tree|clos)\b|\bfat[\s\-]tree at full (?:bandwidth|bisection)\b|\brearrangeably non-?blocking\b"
)
_HALF = re.compile(r"\bhalf[\s\-](?:the\s)?(?:bi[\s\-]?section(?:al)?)(?:\s(?:bandwidth|bw))?\b")

_ROUTING = re.compile(
    r"\badaptive(?:ly)?[\s\-](?:rout(?:ing|ed)|load[\s\-]balanc(?:ing|ed)|ecmp)\b(?:\s(?:function\w*|feature|mode|support|option))?|"
    r"\bpacket[\s\-](?:spray(?:ing|ed)?|level load[\s\-]balancing)|"
    r"\b(?:dynamic|per[\s\-]packet)[\s\-](?:load[\s\-]balancing|routing|spraying|ecmp)|\bspray(?:s|ed|ing)?\s(?:of\s|the\s)*packets\b|"
    r"\b(?:ar|dlb)\b(?=\s(?:is|are|was|on|off|enabled|disabled|turned|switched|active|works?|not)\b|\s?[=:]\s?\w)|"
    r"(?<=\bno )(?:ar|dlb)\b|(?<=\bwith )(?:ar|dlb)\b(?! glasses)|(?<=\bwithout )(?:ar|dlb)\b"
)
_STATIC = re.compile(
    r"\bstatic(?:ally)?[\s\-](?:ecmp|rout(?:ing|es|ed)|hash(?:ing|ed)?|load[\s\-]balancing|paths?|hash[\s\-]based ecmp)\b|"
    r"\b(?:ecmp|rout(?:ing|es)|paths?)\s?(?:is|are|was|were|be|,|:|=|stays?|remains?)?\s?static\b|\b(?:plain|vanilla|ordinary|only|just|"
    r"standard|simple|basic|classic|"
    r"regular|hash[\s\-]based|flow[\s\-](?:hash(?:ed)?|based|level))\s(?:hash[\s\-]based\s|flow[\s\-]\w+\s)?ecmp\b|\becmp (?:only|hashing|"
    r"by hash)\b|"
    r"\bflow[\s\-]hash(?:ing|ed)?\b|\bdeterministic routing\b"
)
_OFF = re.compile(
    r"^[\s\-:=]*(?:(?:is|are|was|were|be|would be|has been|stays?|remains?|currently|turned|switched|still|set to|we|"
    r"have)\s)*"
    r"(?:off|disabled|inactive|not\b|false|no\b|missing|unavailable|unsupported|deactivated|isn't|aren't|doesn't)(?: (?:on|"
    r"enabled|active|supported|"
    r"available|possible|used|there|turned on|in use|configured))?"
)
_ON = re.compile(
    r"^[\s\-:=]*(?:(?:is|are|was|were|be|would be|has been|turned|switched|currently|already|everywhere|fully|now|set to)\s)*"
    r"(?:on|enabled|active|activated|true|yes|in use|used|works?|working|available|supported|configured|everywhere)\b"
)
_TURNED_OFF = re.compile(r"\b(?:(?:turn|switch)(?:ed|ing|es|s)? off|(?:disabl|deactivat)\w+)\s(?:the |our )?$")


def read_cabling(reading: Reading) -> None:
    """Sets ``cluster.oversubscription`` (down ÷ up, 1 is non-blocking) and ``cluster.adaptive_routing``."""
    _read_oversubscription(reading)
    _read_routing(reading)


def _read_oversubscription(reading: Reading) -> None:
    asked = reading.context is not None and reading.context.asked == "cluster.oversubscription"
    topic = asked or _TOPIC.search(reading.message.text) is not None
    for match in reading.message.find(_SAID):
        number = value(next(text for name, text in match.groupdict().items() if text))
        if not topic or not _LEAST <= number <= _MOST or reading.message.negation(match.start(), match.end()):
            continue
        _set_ratio(reading, number, match)
    for pattern, number in ((_NONE, 1.0), (_HALF, 2.0)):
        for match in reading.message.find(pattern):
            if "cluster.oversubscription" not in reading.fields:
                _set_ratio(reading, number, match)
            reading.message.take_match(match)


def _set_ratio(reading: Reading, number: float, match: re.Match[str]) -> None:
    reading.set("cluster.oversubscription", int(number) if number == int(number) else number)
    reading.message.take_match(match)


def _read_routing(reading: Reading) -> None:
    for match in reading.message.find(_STATIC):
        denial = reading.message.negation(match.start(), match.end())
        reading.set("cluster.adaptive_routing", denial is not None)
        reading.message.take(denial.start if denial else match.start(), denial.end if denial else match.end())
    for match in reading.message.find(_ROUTING):
        denial = reading.message.negation(match.start(), match.end())
        before = _TURNED_OFF.search(reading.message.open[: match.start()])
        after = reading.message.open[match.end() :]
        state = _OFF.match(after) or _ON.match(after)
        end = match.end() + (state.end() if state else 0)
        reading.set("cluster.adaptive_routing", denial is None and before is None and _OFF.match(after) is None)
        reading.message.take(
            denial.start if denial else before.start() if before else match.start(),
            max(end, denial.end if denial else end),
        )
