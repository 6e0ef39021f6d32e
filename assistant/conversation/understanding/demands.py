"""What must hold whatever the price: how much slower it may be, and from how many vendors it must be had."""

from __future__ import annotations

import re

from .message import TAKEN
from .numbers import NUMBER, plain, value
from .reading import Reading

_NEUTRAL = re.compile(
    r"vendor[\s\-]?(?:neutral(?:ity)?|agnostic|independen(?:t|ce))|multi[\s\-]?vendors?|"
    r"open (?:ethernet |network(?:ing)? )?standards?(?:\sonly)?|"
    r"(?:no|without|avoid(?:ing)?|against|not want|don't want|prevent)\s(?:any\s|a\s|"
    r"to be\s)?(?:single[\s\-])?(?:vendor[\s\-]?)?lock(?:ed)?[\s\-]?in(?:to \w+)?|"
    r"(?:not|don't want to be|never|isn't|mustn't be|can't be|avoid being)\s?(?:be\s)?(?:locked in(?:to)?|tied to|"
    r"dependent on|depend on)\s(?:a single vendor|one vendor|one supplier|nvidia|a vendor|any vendor)|"
    r"(?:no|not a|not one|avoid a|without a)\s(?:single|sole)[\s\-](?:vendor|supplier|source)|"
    r"second source|(?:not|n't)\s(?:want(?:ed)?\s|wish\s|like\s|to\s|be\s)*(?:depend(?:ent)?|rely|reliant)\son\s(?:a\s|one\s|"
    r"any\s|only one\s)?(?:single\s)?(?:vendor|supplier)"
)
_VENDOR = r"(?:vendors?|suppliers?|manufacturers?|makers?|brands?|sources?|provider|company|nvidia|mellanox|broadcom|cisco|arista)"
# Ways to be in one vendor's hands; together with a word of dislike they ask for neutrality.
_BOUND = re.compile(
    rf"\b(?:married|wedded|tied|bound|chained|shackled|handcuffed|locked(?:[\s\-]in)?|lock(?:ed)?[\s\-]?in|dependent|depend(?:s|ing|ence)?|"
    rf"rely(?:ing)?|reliant|reliance|committed|beholden|hostage|stuck|captive|captured|exclusive\w*|"
    rf"betting?|bet everything|put(?:ting)? all (?:our )?eggs|at the mercy|married up)\b(?:\s(?:down|up|forever|permanently|too much|"
    rf"too strongly|solely|only))?\s?(?:to|on|in|into|with|of|by)?\s(?:the\s)?"
    rf"(?:a |one |any |only |just |single |sole |particular |specific |certain |same |basket of )*(?:\w+'s )?{_VENDOR}\b|\b(?:vendor|"
    rf"supplier)[\s\-](?:lock[\s\-]?in|dependen\w+)|\block-?in\b|\b(?:vendor|supplier)[\s\-]lock\w*|\b(?:nvidia|mellanox|broadcom|cisco|"
    rf"arista|vendor)[\s\-]only\b(?: (?:network\w*|fabrics?|gear|switches|solutions?))?|\bproprietary(?: (?:network\w*|"
    rf"fabrics?|hardware|gear|technology|solutions?|protocols?|interconnects?|stuff|things?))?|\b(?:single|sole|one)[\s\-](?:sourc\w+|"
    rf"vendor|supplier)\b"
)
_DISLIKE = re.compile(
    r"\b(?:not|no|never|n't|\w+n't|without|refuse\w*|avoid\w*|hate\w*|against|unacceptable|bad|risk\w*|afraid|fear\w*|"
    r"worr\w+|rather not|dislike\w*|prevent\w*|free|escape|allergic|wary|danger\w*|"
    r"reluctan\w+|concern\w*|out of the question|no-?go|minimi[sz]e|reduce|problem|issue|forbid\w*|forbade|prohibit\w*|"
    r"disallow\w*|banned|rules? out|ruled out|veto\w*|unwilling|exclud\w+)\b|n't\b"
)
# "Not a concern", "no problem", "doesn't worry us": what is not minded is no demand.
_NO_MATTER = re.compile(
    r"(?:\b(?:not|no|never|without|hardly|nothing)|n't)\s(?:[\w\-]+\s){0,3}?(?:problems?|concern\w*|issues?|worr\w+|mind\w*|afraid|"
    r"fear\w*|bad|danger\w*|risk\w*|objections?|"
    r"against|trouble\w*|care|matter\w*|bother\w*|important|priority|requirement|required|necessary|need\w*|scare\w*|hurt\w*)\b"
)
_WANTED = re.compile(
    r"\b(?:want\w*|need\w*|must|keep\w*|prefer\w*|should|shall|requir\w*|insist\w*|ha(?:ve|s) to|like to|wish\w*|"
    r"important|policy|demand\w*|mandat\w*|only|"
    r"able|free|freedom|options?|open|possible|please|matter\w*|rule|ensure|guarantee\w*|allow\w*)\b|'d like\b"
)
_OFFERED = re.compile(
    r"\b(?:quot\w+|offer\w*|call\w*|visit\w*|pitch\w*|sold|sent|told|came|asked|claim\w*|electricity|power)\b"
)
_TERSE = 4  # words
_SEVERAL = re.compile(
    rf"(?P<vendors>\b(?:several|multiple|two or more|at least two|different|various|more than one|many|mixed|competing|a choice of|"
    rf"a second|"
    rf"alternative|diverse|two)\s(?:network |switch |hardware |independent |different )?(?:vendors|suppliers|manufacturers|makers|sources|"
    rf"vendor\b(?! price)|supplier)\b)|"
    rf"\bindependen(?:t|ce|cy)\s(?:of|from)\s(?:a |one |any |all |single |our |the |particular )*{_VENDOR}\b|\b(?:vendor|"
    rf"supplier)[\s\-]?(?:freedom|choice|diversity|independence|independent)\b|\b(?:dual|multi|second)[\s\-]?sourc(?:e|ed|ing)\b|"
    rf"\b(?:interoperat\w+|interoperable|compatible|compatibility) (?:across|between|with|of) (?:\w+ )?(?:vendors|suppliers|manufacturers|"
    rf"brands)\b|"
    rf"\bmix and match\b|\b(?:mix|combine|mixing|combining) (?:\w+ )?(?:vendors|suppliers|brands|manufacturers)\b|"
    rf"\b(?:only|just) (?:one|a single) (?:company|vendor|supplier|manufacturer|firm) (?:makes|sells|builds|offers|supplies|supports|"
    rf"produces)\b|\b(?:free|freedom|able|possible) to (?:choose|switch|change|replace|swap) (?:\w+ ){{0,3}}?{_VENDOR}\b|"
    rf"\bswitch {_VENDOR} (?:later|"
    rf"any time|anytime|at will)\b|\bopen (?:source|ecosystem|hardware|standard)(?: (?:networking|network|fabric))? only\b|"
    rf"\bnon-?proprietary\b|\b(?:no|nothing) proprietary\b"
)
_PERCENT = rf"(?P<n>{NUMBER}|\d+\.\d+)\s?(?:%|percent|pct|per cent)"
_SLOWDOWN = re.compile(
    rf"(?:(?:max(?:imum|imal)?|at most|no more than|not more than|up to|less than|under|below|within|tolerat\w*|accept\w*|"
    rf"allow\w*|can live with|fine with|ok with|<=?)\s(?:a\s|of\s|about\s)?)+{_PERCENT}(?:\s(?:\w+\s)?(?:slow(?:er|"
    rf"[\s\-]?down)?\b|overhead|loss|penalty|performance (?:loss|hit)|communication overhead)(?:\s(?:at most|max|is (?:ok|fine|"
    rf"acceptable)))?)?|"
    rf"(?:slow[\s\-]?down|overhead|performance (?:loss|hit)|communication overhead)\s?(?:\w+\s){{0,4}}?(?:of|is|<=?|=|:|under|"
    rf"below|than|at most|to)\s?{_PERCENT.replace('(?P<n>', '(?P<n_>')}|"
    rf"{_PERCENT.replace('(?P<n>', '(?P<n__>')}\s(?:max(?:imum)?\s)?(?:slow(?:er|[\s\-]?down)|overhead|performance (?:loss|hit|penalty)|"
    rf"loss)(?:\s(?:at most|max|"
    rf"(?:is|are|would be) (?:ok(?:ay)?|fine|acceptable|tolerable|no problem)))?"
)
_MOST_SLOWDOWN = re.compile(
    rf"\b(?:max(?:imum|imal)?|largest|highest|allowed|permitted|tolerable|acceptable)\.?\s(?:slow[\s\-]?down|"
    rf"overhead|loss)\s?(?:of|is|:|=)?\s?{_PERCENT}"
)
_SHARES = {"tenth": 10, "fifth": 20, "quarter": 25, "third": 33, "half": 50}
_SHARE_SLOWER = re.compile(
    r"\b(?:an?|one)\s(?P<share>tenth|fifth|quarter|third|half)\s(?:slower|longer|of (?:a )?slow[\s\-]?down)\b|"
    r"\b(?:slow[\s\-]?down|overhead|loss|penalty) of (?:an?|one)\s(?P<share_>tenth|fifth|quarter|third|half)\b"
)
_TOLERATED = re.compile(
    r"\b(?:matter|ok(?:ay)?|fine|acceptable|accept\w*|tolera\w*|live with|at most|max\w*|up to|(?:no|not) more than|"
    r"less than|allow\w*|problem)\b"
)


_SLOWER = re.compile(
    r"\b(?:slow\w*|overhead|loss(?:es)?|los(?:e|ing|t)|penalt(?:y|ies)|performance|speed|throughput|longer|hit|degrad\w*|"
    r"worse|waiting|wait|communication|efficiency|step time|sacrific\w*|give up|drop|hurt)\b"
)
_NOT_SLOWER = re.compile(
    r"\b(?:packets?|(?:training|validation|test) loss|of (?:the )?(?:theoretical )?peak|gain\w*|higher|better|"
    r"improve\w*|more (?:throughput|performance|speed)|speed-?ups?|utili[sz]ation|mfu|cheaper|discount|confiden\w*|"
    r"faster|probab\w*|chance|likely|budget|price|(?<!may )(?<!might )(?<!can )(?<!could )cost|off\b|"
    r"raise|more expensive|of the (?:time|gpus|nodes)|interest|accuracy)\b"
)
_ANY_PERCENT = re.compile(rf"(?:{NUMBER}\s?(?:-|to|or)\s?)?{_PERCENT}")


# A slowdown that would be put up with, a bound on one, and one that was only seen.
_ACCEPTED = re.compile(
    r"\b(?:accept\w*|tolera\w*|allow\w*|permit\w*|live with|(?:am|are|is|be|'s|'m|'re|would be|) ?(?:fine|ok|okay|happy|alright|all right)|"
    r"no (?:problem|issue|big deal|drama)|(?:not|n't) (?:mind|matter|hurt|care|a problem|an issue)|willing|prepared|ready to|afford|"
    r"put up with|"
    r"(?:may|might|can|could) (?:also |well |even )?(?:cost|lose|be|drop|take|run|go|sacrifice|give up|waste|spend|get)|good enough|"
    r"bearable|agree\w*)\b"
)
_BOUNDED = re.compile(
    r"\b(?:at (?:the )?most|max\w*|up to|(?:no|not|nothing|n't|never) (?:\w+ ){0,4}?than|less than|under|below|within|limit\w*|"
    r"cap(?:ped)?|ceiling|tops|"
    r"threshold|(?:not|n't|never) (?:\w+ )?(?:exceed|lose|cost)|sacrific\w*|give up|stay\w*|keep\w*|more than)\b|<|\u2264"
)
_SEEN = re.compile(
    r"\b(?:was|were|had|saw|seen|got|took|gained|measured|observed|noticed|went|dropped|fell|grew|improved|reported|showed|used to|lost|"
    r"last|previous(?:ly)?|"
    r"old|yesterday|ago|today|currently|already|see|seeing|experienc\w*|suffer\w*)\b"
)


# "At least 90% of the speed InfiniBand gives": a bound on what is lost against the best network.
_AT_LEAST = (
    r"(?:at least|no less than|not less than|(?:not|never|n't) (?:\w+ )?(?:below|under|beneath|less than)|minimum(?: of)?|min\.?|"
    r"above|>=?|"
    r"more than|or more|or better)"
)
_OF_FULL_SPEED = (
    r"\s?of (?:(?:the|what|its|a|an|that|those|full|maximum|possible|best|ideal|theoretical(?! peak)|achievable)\s)*(?:speed|"
    r"throughput|performance|ideal|optimum|pace|fastest|best|efficiency|(?:a )?perfect|infini-?band|ib\b|ndr|xdr|hdr|roce|"
    r"spectrum-x|(?:single[\s\-]node|linear) (?:speed|scaling|performance))"
)
_KEPT_SPEED = re.compile(rf"{_AT_LEAST}\s(?:about |around )?{_PERCENT}(?={_OF_FULL_SPEED})")
_KEEPS_MOST = 50  # percent; a bound below that says something else


def _is_put_up_with(around: str, *, named: bool) -> bool:
    """Whether a sentence says how much slower it may be; one that names a "10% slowdown" does unless it tells what was seen."""
    if _NOT_SLOWER.search(around):
        return False
    return _ACCEPTED.search(around) is not None or (
        _SEEN.search(around) is None and (named or _BOUNDED.search(around) is not None)
    )


def read_demands(reading: Reading) -> None:
    """Sets ``constraints.vendor_neutral`` and ``constraints.max_slowdown_percent``."""
    for pattern in (_NEUTRAL, _SEVERAL):
        for match in reading.message.find(pattern):
            if _is_wanted(reading.message.text, match, counted=bool(match.groupdict().get("vendors"))):
                reading.set("constraints.vendor_neutral", True)
                reading.message.take_match(match)
            elif _is_no_matter(reading, match):
                reading.fields.setdefault("constraints.vendor_neutral", False)
                reading.message.take(*reading.message.clause_around(*match.span()))
    _read_bound(reading)
    _read_kept_speed(reading)
    for match in reading.message.find(_MOST_SLOWDOWN):
        reading.set("constraints.max_slowdown_percent", plain(value(match["n"])))
        reading.message.take_match(match)
    for match in reading.message.find(_SLOWDOWN):
        if "constraints.max_slowdown_percent" in reading.fields or not _is_put_up_with(
            _clause(reading.message.text, match.start(), match.end()), named=True
        ):
            continue
        text = next(t for n, t in match.groupdict().items() if n.startswith("n") and t)
        number = value(text)
        reading.set("constraints.max_slowdown_percent", int(number) if number == int(number) else number)
        reading.message.take_match(match)
    for match in reading.message.find(_SHARE_SLOWER):
        if _TOLERATED.search(reading.message.text):
            reading.set("constraints.max_slowdown_percent", _SHARES[match["share"] or match["share_"]])
            reading.message.take_match(match)
    _read_slower(reading)


def _is_no_matter(reading: Reading, match: re.Match[str]) -> bool:
    """ "Vendor neutrality isn't a concern"."""
    return (
        reading.intent in ("describe", "change", "what-if")
        and _NO_MATTER.search(_part(reading.message.text, *match.span())) is not None
    )


def _is_wanted(text: str, match: re.Match[str], *, counted: bool) -> bool:
    """Whether neutrality is asked for where it is named; several vendors must be wanted: two may just have quoted."""
    part = _part(text, match.start(), match.end())
    if _NO_MATTER.search(part) and not _NO_MATTER.search(match[0]):
        return False
    if not counted or match[0].startswith(("at least", "more than", "two or more")):
        return True
    wanted = _WANTED.search(_clause(text, match.start(), match.end())) is not None and _OFFERED.search(part) is None
    return wanted or len(part.split()) <= _TERSE


def _read_kept_speed(reading: Reading) -> None:
    """Sets the slowdown that is left when so much of the speed of another network must be reached; that one is only spoken of."""
    for match in reading.message.find(_KEPT_SPEED):
        kept = value(match["n"])
        if _KEEPS_MOST <= kept < 100:
            left = 100 - kept
            reading.set("constraints.max_slowdown_percent", int(left) if left == int(left) else left)
            reading.spoken_of.append(reading.message.clause_around(*match.span()))
            reading.message.take_match(match)


def _read_bound(reading: Reading) -> None:
    """ "Not married to one supplier", "tied to Nvidia would be bad": being bound, and a word that dislikes it."""
    for match in reading.message.find(_BOUND):
        around = _clause(reading.message.text, match.start(), match.end())
        if _NO_MATTER.search(around):
            around = _NO_MATTER.sub(" ", _part(reading.message.text, match.start(), match.end()))
        if _DISLIKE.search(around):
            reading.set("constraints.vendor_neutral", True)
            reading.message.take_match(match)


def _read_slower(reading: Reading) -> None:
    """A percentage in a sentence about being slower, however it is put: "we accept to lose 5% of speed"."""
    if "constraints.max_slowdown_percent" in reading.fields or reading.intent == "ask":
        return
    for match in reading.message.find(_ANY_PERCENT):
        around = _clause(reading.message.open.replace(TAKEN, " "), match.start(), match.end())
        if _SLOWER.search(around) and _is_put_up_with(around, named=False):
            number = value(match["n"])
            reading.set("constraints.max_slowdown_percent", int(number) if number == int(number) else number)
            reading.message.take_match(match)
            for word in reading.message.find(_SLOWER):
                reading.message.take_match(word)


def _part(text: str, start: int, end: int) -> str:
    """The part of a sentence around ``start:end``, between commas and "but"."""
    before = re.split(r"[;,!?\n]|\.(?=\s)|\bbut\b", text[:start])[-1]
    return before + text[start:end] + re.split(r"[;,!?\n]|\.(?=\s|$)|\bbut\b", text[end:])[0]


def _clause(text: str, start: int, end: int) -> str:
    """The sentence around ``start:end``."""
    before = re.split(r"[;!?\n]|\.(?=\s)", text[:start])[-1]
    return before + text[start:end] + re.split(r"[;!?\n]|\.(?=\s|$)", text[end:])[0]
