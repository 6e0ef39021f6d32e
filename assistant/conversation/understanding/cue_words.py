"""Tables of words by meaning, of which the cues are made: what retracts, what hands over, what justifies, what rules out.

A cue is a verb, a noun or a question form with what usually goes with it. The weight says how much it tells; the intent
whose cues weigh most is meant. A group named ``thing`` is what is spoken about: it stays to be read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LEAD_IN = (
    r"(?:(?:ok(?:ay)?|and|so|but|hm+|well|please|hey|hi|hello|now|also|then|cool|great|thanks|alright|oops|oh|uh|uhm?|whoops|ouch|"
    r"argh|ugh|ah|aha|damn|darn|dang|shoot|crap|yikes|gosh|ach|my god|jeez|yo|good (?:morning|evening|afternoon|day)|thank you|"
    r"bruh|bro|dude|man|mate|dear (?:all|team|sir|madam)|"
    r"(?:no|nah|nope|yes|yeah|right|fine|wait|sorry|wrong|that's (?:not (?:it|right|what i \w+)|wrong))(?=[\s,.:]))\b[\s,.:]*)*"
)
POLITE = (
    r"(?:(?:(?:can|could|would|will|may|should|shall) (?:you|i|we|one)|please|kindly|just|simply|quickly|i(?:'d| would)? (?:like|"
    r"want|need|wish|love)(?: you)? to|"
    r"let(?:'s| me| us)|i(?:'ll|'d| will| would)?|we(?:'ll|'d| will| would)?|how (?:can|do|could) (?:i|you|we)|help me(?: to)?|"
    r"is it possible to|you can|we should|better)\s)*"
)
START = rf"^\W*{LEAD_IN}"
# The start of any clause of the message.
CLAUSE = rf"(?:^|[.;!?,:]\s*|\s-+\s*|\b(?:and|but|so|then)\s)\W*{LEAD_IN}{POLITE}"
ENDS = r"(?=\W*$|[.,;!]|\s(?:please|pls|again|now|then|completely|altogether|for now)\b)"

RETRACT = (
    r"(?:un-?do|unsay|revert|cancel|remove|discard|delete|erase|drop|forget(?: about)?|ignore|disregard|scratch|scrap|strike|"
    r"withdraw|"
    r"retract|reverse|nix|rescind|take back|roll ?back|throw (?:away|out)|back out|turn back|put back|wipe|reset|rewind|clear|"
    r"dismiss|skip|un-?say|void|pull back|annul)"
)
SAID = r"(?:said|wrote|typed|told you|entered|answered|gave you|asked)"
JUST_SAID = (
    rf"(?:(?:the |my |our |that |this |your )?(?:very )?(?:last|previous|latest|most recent|recent|preceding|prior)\b(?: (?:\d|"
    rf"one|two|three|few|couple of) )?"
    rf"(?:\s?(?:message|answer|step|change|input|entry|statement|thing|one|line|edit|reply|part|bit|remark|turn|action|question|"
    rf"setting|version|state|value|configuration|"
    rf"fact|correction|update)s?\b)?(?: (?:that )?i (?:just )?{SAID})?|"
    rf"(?:all |everything )?(?:what|that|the thing) i(?:'ve)? (?:have )?(?:just )?{SAID}(?: (?:last|just now|before|earlier|"
    rf"a moment ago))?|(?:that|this) (?:message|answer|step|change|input|entry|edit|update|correction|setting|remark|line|"
    rf"statement|reply)|that(?: one)?|this|it)"
)
KIND = (
    r"(?:markdown|summary|write-?up|memo|hand-?out|slides?|table|printout|md|json|ya?ml|html?|pdf|csv|txt|excel|word|file|report|"
    r"document|spreadsheet|copy|print-?out|web ?page|text file|questionnaire file|writing)"
)
PATH = r"\S+\.(?:md|json|ya?ml|html?|txt|csv|pdf)\b"
HAND_OVER = (
    r"(?:give|send|get|print|show|produce|create|generate|make|write|put|save|store|dump|download|export|output|share|hand|want|"
    r"need|"
    r"have|like|convert|turn|render|keep|e?mail|provide|deliver)"
)

JUSTIFICATION = (
    r"(?:reasons?|reasoning|rationale|justification|evidence|proof|explanation|logic|grounds|derivation|arguments?|thinking|"
    r"motives?|motivation|"
    r"basis|thought process|calculations?|working|math|reason why)"
)
LAY_OPEN = (
    r"(?:motivate|furnish|supply|state|set out|detail|disclose|clarify|list|name|show|give|tell|explain|(?:walk|take|talk|guide|"
    r"run|lead) (?:me|us) through|lay out|present|break down|elaborate(?: on)?|justify|"
    r"defend|share|provide|spell out|describe|outline|see|understand|know|go (?:through|over))(?: (?:better|more clearly|"
    r"in detail|briefly|again))?"
)
CONCLUDE = (
    r"(?:know|get|got|comes?|came|arrived?|concluded?|calculated?|computed?|figured?|reach(?:ed)?|decided?|choose|chose|"
    r"pick(?:ed)?|"
    r"derived?|work(?:ed)? (?:that|it|this) out|land(?:ed)?|end(?:ed)? up|settled?|determined?|tell|so (?:sure|certain)|"
    r"justif\w+)"
)
RULED_OUT = (
    r"(?:reject(?:ed|ing)?|dismiss(?:ed|ing)?|exclud(?:e|ed|ing)|rul(?:e|ed|ing) (?:\w+ )?out|avoid(?:ed|ing)?|discard(?:ed|"
    r"ing)?|"
    r"eliminat(?:e|ed|ing)|disqualif\w+|turn(?:ed|ing)? (?:\w+ )?down|left out|leav(?:e|ing) (?:\w+ )?out|omit(?:ted|ting)?|"
    r"skip(?:ped|ping)?|"
    r"overlook(?:ed)?|steer(?:ed|ing)? (?:clear|away)|advis(?:e|ed) against|(?<!i )(?:drop(?:ped)|refus(?:e|ed)))"
)
DRAWBACK = (
    r"(?:problem|matter|issue|catch|trouble|downside|disadvantage|drawback|weakness|weakness|objection|snag|flaw|shortcoming|"
    r"con)(?:e?s)?"
)
PAYS = (
    r"(?:pays? (?:off|for)|\bpays?\b|worth|break[\s\-]?even|makes? sense|wins?\b|beats?\b|flips?\b|enough|suffic\w*|sufficient|better|"
    r"cheaper|necessary|needed|"
    r"required|mandatory|hurts?\b|bites?\b|limits?\b|gets? (?:critical|painful|tight|bad|risky|problematic)|starts? to \w+|"
    r"begins? to \w+|(?:the )?bottleneck|breaks?\b(?: down)?|tips?\b|stops?\b|no longer|becomes?|matters?|overtakes?|loses?\b|"
    r"justif\w+|"
    r"holds? up|fine|ok(?:ay)?\b|acceptable|feasible|viable|practical|need(?:ed)?(?= (?:an? )?(?:infini|ib\b|ro?ce|rdma|efa\b|"
    r"ethernet|spectrum|tcp|ultra|[nhx]dr|faster))|saturat\w+|pulls? ahead|collapses?|recommend\w*|change your mind|worthwhile|"
    r"gives? up|(?:falls?|lags?|stays?|drops?|gets? left) behind|keeps? up|catch(?:es)? up|runs? out)"
)
SIZE_ASKED = (
    r"(?:(?:at|from|beyond|above|below|until|till|up to|starting (?:at|from|with)|past|under|over|for|after|with) (?:what|which|"
    r"how (?:many|much|large|big|few))\b|"
    r"how (?:many|big|large|small|few|far|high|low|much (?:more )?(?:gpus?|nodes?|data|money|scale|bandwidth))\b|where(?:'s| is|"
    r" does| do| would| will)\b|"
    r"(?:since |until |till )?when\b(?! did)|(?:what|which) (?:number|size|scale|price|cluster size|point|node count|"
    r"gpu count)|is there a (?:point|size|scale))"
)
MISTAKE = (
    r"(?:my (?:mistake|bad|fault|error|apologies)|(?:a )?typo|(?:i(?:'ve| have| had)? |we(?:'ve| have)? )?mis(?:typed|spoke|spoken|"
    r"read|heard|calculated|counted|remembered|quoted|understood|stated|judged|placed|took|taken|labell?ed)|(?:i|we) (?:confused|"
    r"forgot|overlooked|mixed up)|(?:oops|whoops|pardon(?: me)?|apologies|beg your pardon)|"
    r"the (?:right|correct|actual|real|true) (?:figure|number|value|count|one|price|amount) (?:is|was|should be)\b|"
    r"i (?:was|am) wrong|(?:hold|hang) on\b(?! (?:for|to)\b)|one moment|(?:i (?:need|have|want|must|should|would like|"
    r"'d like)(?: to)? |let me )?(?:correct|fix|revise|amend|rectify)(?: (?:myself|that|this|it|my|the|what|item|point|line|"
    r"position)\b|(?=\s?:))|there(?:'s| is|"
    r" was) (?:a|an) (?:mistake|error|typo)|not quite|i (?:got|had) (?:that|it|this|the \w+) wrong|(?:that|this|"
    r"it) was (?:a mistake|wrong|an error|incorrect|not right)|(?:i|we|it|there|that) (?:made|did|had|have|gives?|gave|was|is|has|"
    r"contains?) (?:an?|my|some|one|the) (?:small |little |stupid )?(?:mistake|error|typo|slip|mix-?up)|"
    r"on second thoughts?|thinking about it|let me (?:correct|rephrase|fix)(?: that| this| it| myself)?|(?:to )?correct (?:myself|"
    r"that|this)|"
    r"i (?:should|could) have said|i confused|i mixed (?:that |it |this |them )?up|(?:small |slight |quick |one )?(?:correction|"
    r"change of plans?|update)\b)"
)
ADJUST = (
    r"(?:(?:turn|switch) (?:on|off)\b|(?:move|migrate|transfer|shift|relocate) (?:it|this|that|us|everything|the (?:job|run|cluster|"
    r"whole \w+)) to\b|"
    r"put (?:the|our|my) [\w\s]{2,24}? (?:at|to|up|down)\b|re-?(?:spec|size|scale|target|configure|dimension|state|define|write)\b\b|"
    r"(?:increase|enable|disable|activate|deactivate|decrease|reduce|raise|lower|double|halve|triple|bump|drop|cut|extend|shorten|"
    r"shrink|set|change|"
    r"switch(?! (?:\w+ ){0,2}(?:is|are|has|have|ratio)\b)|swap|replace|update|adjust|modify|edit|alter|"
    r"upgrade|downgrade|remove|correct|add|exchange|substitute|lift)\b(?! (?:in|of) )|(?:scale|grow|bring|push|move|turn|go|crank|"
    r"dial|take)\b[^.,;?]{0,30}\b(?:up|down|back|on|off)\b(?! (?:\d|the|a|an|aws|azure|gcp)\b)|"
    r"go (?:with|for) )"
)


# A question for the point from which a network pays: it supposes nothing.
TURNING_POINTS = (
    r"\b(?:can|could|might|may|will|would|does|do) (?P<thing16>.{2,30}?) ever (?:be|become|win|pay|beat|make sense|come out|get)\b",
    r"\bwhat (?:would|could|might|must|can) (?:make|let|get|help|cause|push|bring) (?P<thing15>.{2,30}?) (?:to )?(?:win|come out|"
    r"come first|ahead|be (?:the )?(?:best|better|right|cheapest|winner|recommended)|the (?:winner|"
    r"better|best)|worth\w*|beat|prevail|lead|look better|attractive|pay off|viable)\b",
    rf"\b{SIZE_ASKED}(?P<thing3>[^?]{{0,60}}?)\b{PAYS}(?! (?:\w+ )?than\b)",
    r"\b(?:the |a )?(?:break[\s\-]?even|turning point|tipping point|cross[\s\-]?over|threshold|limit(?= (?:between|"
    r"when)))(?: point)?\b(?= (?:for|of|between|"
    r"when|from|to)\b|\W*\?)|\b(?:break[\s\-]?even|turning|tipping|cross[\s\-]?over)(?: point)?\W*$",
    r"\bwhat (?:must|has to|would have to|needs? to|should|would need to) (?:happen|change|be (?:true|different)|hold|be the case)\b",
    r"\bhow (?:\w+ ){1,2}(?:would|must|should|does|do|may|can)\b(?P<thing5>.{2,40}?)\b(?:(?:have|need|got) to (?:be|get|become)|before|"
    r"until)\b",
    r"\bwould(?:n't)? (?:it|you|that|the (?:answer|plan|verdict|recommendation|winner)) still (?:be|say|recommend|choose|pick|prefer|"
    r"win)\b(?P<thing4>.{0,60})",
)


class Cue(NamedTuple):
    """One way to ask for something."""

    intent: str
    weight: float
    pattern: re.Pattern[str]


def cues(intent: str, weight: float, *patterns: str) -> list[Cue]:
    return [Cue(intent, weight, re.compile(pattern)) for pattern in patterns]
