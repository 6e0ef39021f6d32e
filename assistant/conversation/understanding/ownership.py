"""Whether the machines are bought or rented, over how long they are written off, and whether they may be interrupted."""

from __future__ import annotations

import re

from .numbers import NUMBER, plain, value
from .reading import Reading
from .technologies import TECHNOLOGY

_SPOT = re.compile(
    r"\b(?:spot|pre-?empt(?:ible|able)|interruptible)(?:[\s\-](?:instances?|capacity|market|pric(?:es?|ing)|gpus?|vms?|"
    r"nodes?))?\b"
)
_ON_DEMAND = re.compile(
    r"\b(?:on[\s\-]demand|(?:guaranteed|dedicated) (?:capacity|instances|availability)|"
    r"(?<!\bi )(?<!\bwe )(?<!\bwe\'ve )(?<!\bhave )reserved)(?:[\s\-](?:instances?|capacity|pric(?:es?|ing)|gpus?))?\b"
)
# A purchasing office and its policy buy nothing yet.
_OF_THE_OFFICE = (
    r"(?! (?:polic\w+|rules?|departments?|teams?|guidelines?|office|process\w*|law|people|regulations?|officers?|colleagues|"
    r"says?|insists?|wants?|demands?|requires?|forbids?|bans?|allows?|permits?|won't|will|does|has|is)\b)"
)
_MACHINES = r"(?:hardware|machines|servers|gpus|nodes|boxes|racks|metal|cluster)"
_ALL_OF_IT = rf"(?:{_MACHINES}|everything|all of it)"
IN_OUR_PLACE = (
    r"\bin our(?: own)?(?: \w+){0,2}? (?:data ?cent(?:er|re)s?|dc|basement|cellar|buildings?|racks?|(?:server |machine |computer )?"
    r"rooms?|sites?|labs?|laborator(?:y|ies)|offices?|campus|halls?|premises|cages?|closets?|facilit(?:y|ies)|garage|floor|"
    r"comput(?:ing|er) cent(?:er|re)|house|factory|plant|warehouse|bunker)\b"
)
_BUY = re.compile(
    rf"\b(?:buy(?:s|ing)?|bought|purchas(?:es?|ed)|procure[sd]?|(?:(?:we|i|they)(?:'ve| have)?|is|are|was|were|been|be|have|has)(?: already| just| recently)? ordered(?! by\b)|ordered(?= (?:from|at|already|last|this|yesterday|in|for delivery)\b)|(?:purchasing|procuring|procurement){_OF_THE_OFFICE}|on[\s\-]?prem(?:ises?)?|"
    r"capex|capital (?:expenditure|purchase|investment)|acquir(?:e|es|ed|ing)|acquisition|build(?:ing)? our own|"
    r"(?<!know-how )(?<!expertise )(?<!experience )(?<!skills )(?<!team )(?<!engineers )(?<!knowledge )(?<!people )in[\s\-]house|"
    rf"own data ?cent(?:er|re)|colo(?:cation)?{_OF_THE_OFFICE}|(?:we|i|they)(?:'ve| have)? paid for (?:it|them|the \w+)|"
    rf"{_MACHINES} (?:are|is) (?:all |already |fully )*paid (?:off|for)|"
    rf"(?:our|my|their|your) own (?:equipment|floor|premises|basement|site|{_MACHINES})|"
    r"(?:we|i|they)(?:'ll|'d)? (?:will |would |shall |want to |plan to |already |fully )*own(?:ed)? (?:(?!the (?:racks|building|"
    r"power))(?:the|our|all|of|these|those) )*"
    rf"(?:{_ALL_OF_IT}|them(?=\W*$)|it all)|{_MACHINES}\b[^.;,]{{0,12}} (?:stands?|sits?|lives?|are|is) {IN_OUR_PLACE}|"
    rf"(?:{_ALL_OF_IT} (?:are|is|belongs? to)|it(?:'s| is| belongs to))(?: all)? (?:ours|us)(?! (?:for|until|till|from)\b)|"
    rf"{_ALL_OF_IT} belongs? to (?:the|our) \w+)\b(?:\s(?:the\s)?(?:hardware|cluster|machines))?"
)
_NOT_YET = re.compile(
    r"\b(?:nothing|not|n't) (?:\w+ )?(?:is |has been |been )?(?:bought|purchased|acquired|procured|ordered) (?:yet|so far)\b"
)
_RENT = re.compile(
    r"\b(?:rent(?:al|s|ing|ed)?|leas(?:e[ds]?|ing)\b(?! lines?)|pay[\s\-]as[\s\-](?:you|we)[\s\-]go|"
    r"(?:hire|hiring|paid|billed|charged) (?:the \w+ )?by the hour|(?:in|on|to|into|from) (?:the|a|any)(?: public)? cloud|(?<=no )cloud|"
    r"(?<=use )(?:the |a |any )?(?:public )?cloud|cloud[\s\-](?:gpus?|instances?|based|provider|please|only|resources|capacity)|"
    r"public clouds?|opex)\b"
)
_AMORTIZE = re.compile(
    rf"\b(?:amorti[sz]\w*|depreciat\w*|straight[\s\-]line|(?:useful|service|economic|working) life|pay[\s\-]?back|"
    rf"writ(?:e|es|ten|ing) (?:it |them |that )?down|"
    rf"writ(?:e|es|ten|ing)[\s\-]?(?:it |them |that |this |everything |the \w+ |down |"
    rf"all )?off|lifetime)\D{{0,12}}?(?P<n>{NUMBER}|"
    rf"\d\.5)[\s\-]?(?P<unit>months?|years?|yrs?)|"
    rf"(?P<n_>{NUMBER})[\s\-]?(?P<unit_>months?|years?|yrs?)[\s\-](?:of |for |for the )?(?:write[\s\-]?offs?|"
    rf"depreciation|amorti[sz]ation|straight[\s\-]line|"
    rf"useful life|service life|lifetime|life(?:span)?)\b"
)
_INTERRUPTION = re.compile(r"\b(?:interrupt(?:ed|ions?|s)|pre-?empt(?:ed|ions?)|evict(?:ed|ions?)|reclaim(?:ed|s)?)\b")
# What happened says nothing about what may happen.
_HAPPENED = re.compile(
    r"\b(?:was|were|wasn't|weren't|had|'d had|did|didn't|got|happened|suffered|yesterday|(?<!would )(?<!could )(?:has|have|'ve)"
    r"(?: \w+)? been|last (?:week|month|year|night|time|run|spring|summer|autumn|fall|winter)|ago)\b"
)
_BEING = re.compile(
    r"(?:\b(?:be|being|is|are|am|get|gets|getting)|'(?:re|s|m))(?: (?:\w+)){0,2} $|^\W*(?:(?:so|if|when|and|even|being) )*$"
)
_OF_A_LINE = re.compile(r"\b(?:network|links?|power|nccl|service|internet|business)\b")
_NOT_MINDED = re.compile(
    r"(?:\b(?:not|no|never)|n't) (?:\w+ ){0,2}?(?:problems?|issue|mind|matter|hurt|care|bother\w*|harm|drama|deal|"
    r"disaster)\b"
)
_PUT_UP_WITH = re.compile(
    r"\b(?:accept\w*|tolera\w*|live with|fine|ok(?:ay)?|happy|surviv\w*|willing|ready|cope|handle|acceptable|"
    r"possible|allowed|"
    r"all ?right|welcome|expect\w*|prepared|afford|robust|resilient)\b"
)
_DENIED = re.compile(
    r"\b(?:no|not|never|without|cannot|none|nobody|avoid\w*|unacceptable|intolerable|fatal|kill\w*|impossible|ruin\w*|"
    r"hate|"
    r"forbidden|disaster|nightmare|catastroph\w+)\b|n't\b"
)


def read_ownership(reading: Reading) -> None:
    """Sets ``budget.mode``, ``budget.amortization_months`` and ``budget.spot``."""
    for match in reading.message.find(_AMORTIZE):
        months = value(match["n"] or match["n_"]) * (1 if (match["unit"] or match["unit_"]).startswith("m") else 12)
        reading.set("budget.amortization_months", plain(months))
        reading.message.take_match(match)
    for pattern, field, chosen, opposite in (
        (_SPOT, "budget.spot", True, False),
        (_ON_DEMAND, "budget.spot", False, True),
        (_BUY, "budget.mode", "buy", "rent"),
        (_RENT, "budget.mode", "rent", "buy"),
    ):
        for match in reading.message.find(pattern):
            if not (pattern is _BUY and (_is_about_a_network(reading, match) or _NOT_YET.search(reading.message.text))):
                _choose(reading, match, field, chosen, opposite)
    _read_interruptions(reading)


def _choose(reading: Reading, match: re.Match[str], field: str, chosen: str | bool, opposite: str | bool) -> None:
    """What is named first stands, except that spot machines named anywhere are meant; a denial means the opposite."""
    denial = reading.message.negation(match.start(), match.end())
    if denial:
        reading.fields.setdefault(field, opposite)
        reading.message.take(denial.start, denial.end)
    elif field not in reading.fields or match.re is _SPOT:
        reading.set(field, chosen)
        reading.message.take_match(match)


def _read_interruptions(reading: Reading) -> None:
    """ "Interruptions don't hurt us", "we cannot live with preemption": spot machines, without the word."""
    if "budget.spot" in reading.fields or reading.intent == "ask":
        return
    for match in reading.message.find(_INTERRUPTION):
        start, end = reading.message.clause_around(*match.span())
        if not _is_foreseen(reading.message.text[start:end], match, start):
            continue
        clause = reading.message.text[start:end] + re.split(r"[;!?\n]|\.(?=\s|$)", reading.message.text[end:])[0]
        unminded = _NOT_MINDED.search(clause)
        denied, borne = _DENIED.search(clause), _PUT_UP_WITH.search(clause)
        if _OF_A_LINE.search(clause) or not (unminded or denied or borne):
            continue
        reading.set("budget.spot", unminded is not None or denied is None)
        reading.message.take(start, end)


def _is_foreseen(clause: str, match: re.Match[str], start: int) -> bool:
    """Whether an interruption is spoken of as what is or may be, not as what was: "was interrupted last week", "AWS evicted us"."""
    takes_place = not match[0].endswith("ed") or _BEING.search(clause[: match.start() - start]) is not None
    return takes_place and _HAPPENED.search(clause) is None


def _is_about_a_network(reading: Reading, match: re.Match[str]) -> bool:
    """ "We cannot buy InfiniBand", "which would you buy, RoCE or EFA": not the machines are bought."""
    before, after = reading.message.clause_before(match.start()), reading.message.text[match.end() : match.end() + 40]
    near = re.match(r"(?:\s(?:any|an|the|into|more))*\s", after)
    follows = TECHNOLOGY.match(after, near.end()) if near else None
    leads = TECHNOLOGY.match(before.lstrip())
    return bool(follows) or bool(leads and len(before.split()) <= 6)
