"""Answers in words to the question that was asked: yes and no in all their forms, and who runs the network."""

from __future__ import annotations

import re

from .ownership import IN_OUR_PLACE
from .reading import Reading

YES_OR_NO = ("constraints.vendor_neutral", "budget.spot", "cluster.adaptive_routing")
TEAM = "constraints.network_team"
_LEAD = (
    r"^\W*(?:(?:well|oh|hm+|uh|um|i (?:think|guess|suppose|would say|believe|mean)(?! so\b)|thanks|honestly|actually|frankly|ok|"
    r"(?:right )?now(?= )|currently|at (?:the moment|present)|for now)\b[\s,.:]*)*"
)
# An answer ends its clause; only a reason, a condition or another sentence may follow.
_END = r"(?=\W*$|\s*[,;.:!()]|\s+-\s|\s(?:because|since|as|so|and|but|if|though|although|unless|when|while|given|provided|due)\b)"
_FOR_US = r"(?:\s(?:please|thanks|thank you|indeed|really|then|again|at all|here|now|for now|(?:for|with|by) (?:me|us|now|that)))*"
_IT = r"(?:it|that|this|they|we|i|you|he|she|there)"
_SURE = r"(?:yes|yep|yup|yeah|ya|sure|absolutely|definitely|certainly|of course)"
_BEAR = r"(?:want|need|like|accept|tolerate|afford|risk|do|allow|have|use|support|require|take|live with|cope with|handle|manage|work with)"
_THAT = r"(?:(?: (?:it|that|this|so|those|them|to|any of (?:it|that)|the risk|that risk)){1,2})?"
_YES_IDIOM = r"(?:no (?:problem|objections?|worries)|not a problem|why not|by all means|please do|go ahead)"
_YES_ITSELF = (
    rf"(?:{_SURE}|{_YES_IDIOM}|correct|true|right|y|exactly|indeed|gladly|always|ideally|preferably|"
    r"(?:(?:that|it)(?:'s| is|'d be| would be| works?| would work| will do| would do) ?)(?:(?:very |quite |perfectly |totally )*"
    r"(?:fine|ok(?:ay)?|all ?right|possible|acceptable|good|right|important|correct|true))?|fine|ok(?:ay)?|all ?right|possible|acceptable|"
    r"(?:(?:it's|that's|it is|that is) )?(?:an? )?(?:(?:absolute|hard|clear) )?(?:must(?:[\s\-]have)?|required|mandatory|essential|requirement)|"
    r"(?:very )?important|i (?:think|guess|believe|suppose) so|"
    rf"(?:we|i) (?:can|could|do|would|are)(?: (?:gladly|easily|certainly|probably|surely))?(?: {_BEAR})?{_THAT})"
)
_DONT = (
    r"(?:i|we) (?:don't|do not|can't|can not|cannot|won't|will not|couldn't|could not|wouldn't|would not|aren't|are not|must not|mustn't)"
    rf"(?: really| ever)?(?: {_BEAR}{_THAT}| (?:think|believe) so)?"
)
_NO_ITSELF = (
    rf"(?:no(?: way| chance| need| thanks| sir)?|nope|nah|none|never(?: ever)?|false|n|not|{_DONT}|(?:please )?(?:don't|do not)|"
    r"not (?:really|at all|possible|acceptable|ok(?:ay)?|for us|allowed|an option|here|now|yet|important|necessary|needed|in our case)|"
    r"(?:rather|better|certainly|definitely|absolutely|of course|ideally|probably|preferably|please) not|"
    r"(?:i|we)(?:'d| would)? (?:rather|prefer|like) not(?: to)?|"
    r"(?:that|it)(?:'s| is| would be) (?:out|a no|not (?:an option|possible|acceptable|allowed|ok(?:ay)?|important|necessary|needed|for us))|"
    r"(?:that|it) (?:isn't|doesn't|won't|wouldn't|must not|mustn't|cannot|can't|hasn't|is not|does not|has not)|"
    r"(?:it|they|that|we) (?:must not|mustn't|cannot|can't)(?: ever)?(?: be)? (?:stop|stopped|break|pause|paused|halted|die|fail)|"
    r"impossible|(?:that(?:'s| is) |it(?:'s| is) )?(?:out of the question|(?:far |much |way )?too (?:risky|dangerous|much)))"
)
# "Yes, it may", "no we have none": after a clear word the clause may go on about it.
_YES = re.compile(
    rf"{_LEAD}(?:{_YES_ITSELF}{_FOR_US}{_END}|{_SURE}[\s,]+(?:{_YES_IDIOM}|please){_END}|{_SURE} {_IT}\b)"
)
_NO = re.compile(rf"{_LEAD}(?:{_NO_ITSELF}{_FOR_US}{_END}|(?:no|nope|nah) {_IT}\b)")
_YES_AGAIN, _NO_AGAIN = (
    re.compile(rf"(?:^|[,;.!]|\bbut\b)\s*{itself}{_FOR_US}{_END}") for itself in (_YES_ITSELF, _NO_ITSELF)
)
_REASON = re.compile(r"\b(?:because|since)\b.*")
_BOTHERS_NOBODY = re.compile(
    rf"{_YES_IDIOM}|(?:\b(?:not|never|no)|n't) (?:really )?(?:mind|care|hurt|bother|matter|an? (?:issue|problem))\b"
)
_DENIED = re.compile(
    r"\b(?:not|no|never|without|cannot|none|nobody|avoid\w*|unacceptable|hate|forbid\w*|forbidden)\b|n't\b"
)
_UNDECIDED = re.compile(
    r"\b(?:unsure|not sure|unclear|maybe|perhaps|depends?|question|(?:have|need|want) to (?:ask|check|think|find out)|"
    r"(?:don't|do not|not) know|no (?:idea|clue|preference)|undecided|confused?|what|which)\b"
)
_YET = re.compile(
    r"\b(?:but|although|though|however|unless|except)\b.*\b(?:yes|fine|ok(?:ay)?|can|could|acceptable|possible|may|might|allowed|"
    r"happy)\b(?! not\b)"
)
_PLAIN_NO = re.compile(
    r"^\W*(?:no|nope|nah|none)\b[\s,.]*(?:(?:we|i|there)\b|nothing|none|not|sorry|n't|so far|yet)[^?]*$|^\W*(?:no|nope|nah|none)\W*$"
)
# "No, 128 GPUs" puts a number right; it answers no yes-or-no.
_PUTS_RIGHT = re.compile(r"\d|\b(?:i meant?|make|wait|change|instead|undo|back)\b|\?\s*$")
_MANY = (
    r"(?:an?|the|our|my|own|one|two|three|four|five|six|seven|eight|nine|ten|\d+|some|somewhat|few|couple|of|several|handful|very|quite|"
    r"pretty|highly|rather|really|good|great|strong|small|tiny|little|big|large|whole|full|bit|dedicated|external|internal|local|"
    r"in-house|part[\s-]time|full[\s-]time|senior|junior|experienced|skilled|trained|seasoned|certified|network(?:ing)?|linux|it|ops|"
    r"devops|system|cisco|university|all|both|mostly|just|only|about|around|at|least|most|lots|plenty|bunch|team|pair|kind|sort|"
    r"basic\w*|professional|outsourced)"
)
_STAFF = (
    r"(?:nobody|no one|no-one|none|nope|no|not really|not at all|zero|me(?: alone)?|us|myself|yes|yep|yeah|definitely|experts?|plenty|lots|"
    r"strong|dedicated|professionals?|experienced|skilled|specialists?|seasoned|veterans?|senior|certified|ccies?|full[\s-]time|"
    r"part[\s-]time|some|somewhat|one|two|three|a (?:bit|little|few)|(?:kind|sort) of|basic\w*|someone|somebody|sys-?admins?|admins?|it|"
    r"ops|devops|contractors?|consultants?|freelancers?|interns?|students?|colleagues?|friends?|outsourc\w*|externals?|people|persons?|"
    r"guys?|folks|teams?|departments?|groups?|staff|engineers?|technicians?|crew)"
)
_KNOW_HOW = r"(?: (?:people|persons?|experience|knowledge|know-how|skills?|help|support|basics|staff|team|department|engineers?|guys?|stuff))?"
_THERE = (
    r"(?:(?:we|i|they|there|it|that|he|she)(?:'ve|'s|'re|'m| have| has| had| are| is| am| do| got| use| hired| employ)?(?: got| all| would be)* |"
    r"(?:have|got|using) )?"
)
# The whole clause says who there is; what those people say, know or did belongs to something else.
_WHO_THERE_IS = re.compile(
    rf"^\W*(?:(?:well|oh|hm+|uh|um|i (?:think|guess|suppose)|honestly|actually|frankly|ok)\b[\s,]*)*{_THERE}(?:{_MANY}\s)*?{_STAFF}{_KNOW_HOW}"
    r"(?:\s(?:who|with|for|from|of|on|in|at|to|here|really|yet|and|or|plus|only|that|this|thanks|please|part|full|"
    r"helps?|do(?:es)? (?:it|that|this)|runs? (?:it|that)|takes? care|handles?|looks? after|manages?)\b.*)?\W*$"
)
_CLAUSE_ENDS = re.compile(r"[,;.!:]\s|\bbut\b|\s-\s")
_WHO = {
    "none": re.compile(
        r"\b(?:nobody|no one|no-one|none|nope|no|not really|not at all|zero|(?:just|only) (?:me|us)\b|me alone|myself)\b"
        r"(?: really| here| yet| at all)*"
    ),
    "expert": re.compile(
        r"\b(?:experts?|plenty|lots|strong|dedicated|professionals?|a (?:whole|full|big|large) \w+|very (?:good|"
        r"experienced|skilled)|experienced|specialists?|definitely|seasoned|veterans?|senior|certified|ccies?|"
        r"for (?:many )?years|"
        r"full[\s\-]time)\b"
    ),
    "some": re.compile(
        r"\b(?:yes|yep|yeah|some|somewhat|a (?:bit|little|few)|one|two|three|kind of|sort of|basic\w*|part[\s-]time|someone|"
        r"somebody|sys-?admins?|admins?|(?:it|ops|devops)(?: (?:team|guy|person|people|department|staff))?(?=\W|$)(?<!\bit)|"
        r"contractors?|consultants?|freelancers?|interns?|students?|"
        r"colleagues?|friend|outsourc\w*|external\w*|people|persons?|guys?)\b"
    ),
}


MODE = "budget.mode"
_MODES = {
    "rent": re.compile(r"\b(?:clouds?|provider|hyperscaler|hosted|as a service|hourly|monthly|subscription)\b"),
    "buy": re.compile(r"\b(?:own(?:ed)?|ours|hardware(?! (?:is|are)\b)|on site)\b|" + IN_OUR_PLACE),
}


def is_yes_or_no(text: str, asked: str | None) -> bool:
    """Whether ``text`` (lower case) answers the yes-or-no question that was asked, however it goes on."""
    return asked in YES_OR_NO and _PUTS_RIGHT.search(text) is None and _yes_or_no(text) is not None


def is_a_plain_no(text: str) -> bool:
    """Whether ``text`` only denies what was asked: "nope, nothing there yet"."""
    return _PLAIN_NO.match(text) is not None and _PUTS_RIGHT.search(text) is None


def _yes_or_no(text: str) -> tuple[re.Match[str], bool] | None:
    """The words that answer and what they answer; ``None`` where the rest takes them back or leaves it open."""
    if _UNDECIDED.search(text):
        return None
    yes = _YES.match(text)
    match = yes or _NO.match(text)
    if match is None:
        return None
    goes_on = _REASON.sub("", text[match.end() :])
    if yes:
        contradicted = _DENIED.search(_BOTHERS_NOBODY.sub("", goes_on))
    else:
        contradicted = _YES_AGAIN.search(goes_on) or _BOTHERS_NOBODY.search(goes_on) or _YET.search(goes_on)
    return None if contradicted else (match, yes is not None)


def read_answer(reading: Reading, field: str) -> None:
    """Sets the yes-or-no field, the network team or "rent or buy", whichever was asked for."""
    if field in YES_OR_NO:
        _read_yes_no(reading, field)
    elif field == MODE and field not in reading.fields:
        _read_mode(reading)
    elif field == TEAM and field not in reading.fields:
        _read_how_many(reading)


def _read_yes_no(reading: Reading, field: str) -> None:
    if _PUTS_RIGHT.search(reading.message.open):
        return
    found = _yes_or_no(reading.message.open)
    if found:
        reading.set(field, found[1])
        reading.message.take_match(found[0])


def _read_mode(reading: Reading) -> None:
    """ "A cloud", "ours": where the machines come from, when that was asked; a denial says nothing sure."""
    found = [
        (mode, match)
        for mode, pattern in _MODES.items()
        for match in reading.message.find(pattern)
        if not reading.message.negation(*match.span())
    ]
    if len({mode for mode, _ in found}) == 1:
        reading.set(MODE, found[0][0])
        reading.message.take_match(found[0][1])


def _read_how_many(reading: Reading) -> None:
    """ "Nobody really", "just me", "a whole department": who runs the network, when that was asked."""
    text = reading.message.open
    ends = [0, *(end.end() for end in _CLAUSE_ENDS.finditer(text)), len(text)]
    clauses = [(start, end) for start, end in zip(ends, ends[1:], strict=False) if text[start:end].strip()]
    if text.rstrip().endswith("?") or not all(
        _WHO_THERE_IS.match(_CLAUSE_ENDS.sub("", text[start:end])) for start, end in clauses
    ):
        return
    for level, pattern in _WHO.items():
        match = pattern.search(text)
        if match:
            reading.set(TEAM, level)
            reading.message.take_match(match)
            return
