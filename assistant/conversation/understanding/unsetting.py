"""Facts that are taken back without a new value: "no deadline", "forget the budget", "money is no object"."""

from __future__ import annotations

import re

from .reading import Reading

_LIMIT = r"(?:limits?|limitations?|caps?|constraints?|restrictions?|ceilings?|requirements?|bounds?|maximum|targets?)"
# Limits by what people call them; "no …" takes these back. A bare "no budget" may as well mean no money: it is not among them.
_LIMITS = {
    "constraints.deadline_days": rf"(?:hard |strict |fixed |real |particular |specific )?(?:deadlines?|due dates?|(?:time|date) {_LIMIT}|"
    rf"time pressure|rush|hurry|cut-?off(?: date)?)",
    "budget.usd": rf"(?:hard |strict |fixed |real |particular |specific |set )?(?:(?:budget|spending|cost|price|money|financial|"
    rf"budgetary) {_LIMIT}|{_LIMIT} (?:on|to|for) (?:the |our )?(?:budget|spending|costs?|money))",
    "constraints.max_slowdown_percent": rf"(?:max(?:imum)? )?(?:slow[\s\-]?down|overhead|performance loss) {_LIMIT}|{_LIMIT} (?:on|to|"
    rf"for) (?:the )?(?:slow[\s\-]?down|overhead)",
}
_NOUNS = {
    **_LIMITS,
    "budget.usd": rf"{_LIMITS['budget.usd']}|budget",
    "constraints.max_slowdown_percent": rf"{_LIMITS['constraints.max_slowdown_percent']}|"
    rf"slow[\s\-]?down",
    "cluster.provider": r"(?:cloud )?provider|cloud|vendor choice",
    "cluster.fabric": r"(?:fixed |given )?(?:network|fabric|interconnect)",
    "constraints.vendor_neutral": r"vendor[\s\-]neutral(?:ity)?(?: requirement)?|lock-?in(?: requirement)?",
    "budget.gpu_hour_usd": r"(?:gpu |hourly |quoted )?(?:price|rate|quote)",
    "training.tokens": r"(?:number of )?tokens|token count",
    "training.days": r"(?:run )?duration|length of the run",
    "training.sequence_length": r"sequence length|context length",
    "training.global_batch": r"(?:global )?batch(?: size)?",
    "training.framework": r"framework",
    "parallelism.strategy": r"(?:sharding|parallelism) strategy",
}
_VERB = (
    r"(?:forget(?: about)?|drop(?:ped|s)?|remove[ds]?|delete[ds]?|clear(?:ed)?|unset|lift(?:ed|s)?|cancel(?:l?ed|s)?|ignore|"
    r"disregard|erased?|g(?:e|o)t rid of|"
    r"t(?:ake|ook) (?:away|out|off)|waive[ds]?|withdr[ae]w|"
    r"(?:cross|strike|crossed|struck) out|wipe|retract(?:ed)?|scrap(?:ped)?|lose|leave out|never ?mind(?: about)?|"
    r"abandon(?:ed)?|g(?:ive|ave|iving) up(?: on)?|without|reset|kill|axe|nuke|strike|scratch|skip|relax(?:ed)?|"
    r"do away with|dispense with|eliminate|rip out|let go of|undo|"
    r"ditch|dump|bin|toss(?: out)?)"
)
_THE = r"(?:(?:the|my|our|that|this|any|a|an|all|previous|old|of)\s)*"
_ENDS = r"(?![\w\-])(?!\s(?:to|by|of|is|at|was|down|under|below|in|than|from|per|team|costs?|and half)\b)(?!\s?[\d:=$])"
_ANY_MORE = r"(?:\s(?:any ?more|at all|any longer|whatsoever|entirely|altogether|completely|again|please|for now|now))*"
_TAKEN_BACK = {
    field: re.compile(
        rf"\b{_VERB}\s{_THE}(?:{noun}){_ENDS}{_ANY_MORE}|"
        rf"\b(?:take|took|taken|throw|threw) {_THE}(?:{noun})\s(?:away|off|out)\b|"
        rf"\b(?:{noun}) (?:(?:is|was|has|have|been|got|now|just|since)\s)+(?:lifted|removed|dropped|cancell?ed|waived|"
        rf"scrapped|withdrawn|deleted)\b"
    )
    for field, noun in _NOUNS.items()
}
_HAS_NONE = {
    field: re.compile(
        rf"\b(?:there(?:'s| is| are) )?(?:(?:we|i|it|they)(?:'ve| have| has)? )?(?:no more|no longer (?:have|has|face|need|under)?|no|without|"
        rf"(?:do|does|did|have|has|is|are)(?:n't|"
        rf" not)(?: (?:really |actually )?(?:have|got|need|be|face))?|not under|free of|never any|(?:do|does|will|would|shall)(?:n't|"
        rf" not) need|won't need|need no)\s{_THE}(?:{noun}){_ENDS}{_ANY_MORE}|"
        rf"\b(?:the |our |that |this )?(?:{noun})(?: (?:is|are|was|were|has|have|had|got|been|now|just|since|meanwhile))*(?: (?:gone|removed|"
        rf"lifted|taken (?:away|off|back)|scrapped|relaxed|abandoned|withdrawn|fallen away|fell away|void|history|over|dropped|cancelled|"
        rf"canceled|removed|waived|off the table|"
        rf"obsolete|no longer (?:valid|applies|there)|not fixed|open))(?![\w])"
    )
    for field, noun in _LIMITS.items()
}
_DOES_NOT_COUNT = (
    r"(?:no longer (?:matters?|counts?|appl(?:y|ies)|exists?|holds?|binds?)|(?:does|do|did|is|are|will)(?:n't|"
    r" not) (?:really )?(?:matter|count|apply|exist|bind|play a role|limited|fixed|an issue|"
    r"a (?:problem|constraint|concern|limit)|important|relevant)|"
    r"(?:is|are) (?:no (?:object|issue|problem|concern|constraint|limit|factor)|unlimited|irrelevant|open(?:[\s\-]ended)?|"
    r"unconstrained|unimportant))"
)
_NO_LIMIT = {
    field: re.compile(rf"\bno {_THE}(?:{noun})\s(?:{_LIMIT}|preferences?){_ENDS}{_ANY_MORE}")
    for field, noun in _NOUNS.items()
}
_INDIFFERENT = {
    "budget.usd": re.compile(
        rf"\b(?:(?:the |our )?(?:money|budgets?|costs?|expenses?|price)\s{_DOES_NOT_COUNT}|unlimited (?:budget|"
        rf"money|funds)|(?:budget|money) unlimited|cost no object|whatever it costs)\b"
    ),
    "constraints.deadline_days": re.compile(
        rf"\b(?:(?:the |our )?(?:time|deadlines?)\s{_DOES_NOT_COUNT}|unlimited time|take (?:all the|"
        rf"as much) time (?:as )?(?:you|it) (?:want|need)s?|as long as it takes|no matter how long)\b"
    ),
    "constraints.max_slowdown_percent": re.compile(rf"\b(?:the )?slow[\s\-]?down\s{_DOES_NOT_COUNT}"),
    "cluster.provider": re.compile(rf"\b(?:the )?(?:cloud |provider|cloud provider)\s{_DOES_NOT_COUNT}"),
}


_NO_LIMIT_AT_ALL = re.compile(
    rf"^\W*(?:well,? |oh,? )?(?:there(?:'s| is) |we have |i have )?(?:no|without(?: an?)?|none|"
    rf"not any)(?: (?:fixed|hard|upper|real|such|strict))* "
    rf"{_LIMIT}{_ANY_MORE}\W*$"
)


def read_unset(reading: Reading) -> None:
    """Notes the fields that are taken back in ``reading.unset``; a new value in the same message stands."""
    asked = reading.context.asked if reading.context else None
    if asked in _LIMITS and _NO_LIMIT_AT_ALL.match(reading.message.open):
        reading.unset.append(asked)
        reading.message.take(0, len(reading.message.open))
    for table in (_HAS_NONE, _NO_LIMIT, _INDIFFERENT, _TAKEN_BACK):
        for field, pattern in table.items():
            for match in reading.message.find(pattern):
                reading.unset += [field] if field not in reading.unset else []
                reading.message.take_match(match)
