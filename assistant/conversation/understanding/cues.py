"""What people say to ask for something: tables of words by meaning, combined into cues with weights.

A cue is a verb, a noun or a question form with what usually goes with it. The weight says how much it tells; the intent
whose cues weigh most is meant. A group named ``thing`` is what is spoken about: it stays to be read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_LEAD_IN = (r"(?:(?:ok(?:ay)?|and|so|but|hm+|well|please|hey|hi|hello|now|also|then|cool|great|thanks|alright|oops|oh|uh|uhm?|whoops|ouch|argh|ugh|ah|aha|damn|darn|dang|shoot|crap|yikes|gosh|ach|my god|jeez|yo|bruh|bro|dude|man|mate|dear (?:all|team|sir|madam)|"
            r"(?:no|wait|sorry|wrong|that's (?:not (?:it|right|what i \w+)|wrong))(?=[\s,.:]))\b[\s,.:]*)*")
_POLITE = (r"(?:(?:(?:can|could|would|will|may|should|shall) (?:you|i|we|one)|please|kindly|just|simply|quickly|i(?:'d| would)? (?:like|want|need|wish|love)(?: you)? to|"
           r"let(?:'s| me| us)|i(?:'ll|'d| will| would)?|we(?:'ll|'d| will| would)?|how (?:can|do|could) (?:i|you|we)|help me(?: to)?|is it possible to|you can|we should|better)\s)*")
_START = rf"^\W*{_LEAD_IN}"
# The start of any clause of the message.
_CLAUSE = rf"(?:^|[.;!?,:]\s*|\s-+\s*|\b(?:and|but|so|then)\s)\W*{_LEAD_IN}{_POLITE}"
_ENDS = r"(?=\W*$|[.,;!]|\s(?:please|pls|again|now|then|completely|altogether|for now)\b)"

_RETRACT = (r"(?:un-?do|unsay|revert|cancel|remove|discard|delete|erase|drop|forget(?: about)?|ignore|disregard|scratch|scrap|strike|withdraw|"
            r"retract|reverse|nix|rescind|take back|roll ?back|throw (?:away|out)|back out|turn back|put back|wipe|reset|rewind|clear|dismiss|skip|un-?say|void|pull back|annul)")
_SAID = r"(?:said|wrote|typed|told you|entered|answered|gave you|asked)"
_JUST_SAID = (rf"(?:(?:the |my |our |that |this |your )?(?:very )?(?:last|previous|latest|most recent|recent|preceding|prior)\b(?: (?:\d|one|two|three|few|couple of) )?"
              rf"(?:\s?(?:message|answer|step|change|input|entry|statement|thing|one|line|edit|reply|part|bit|remark|turn|action|question|setting|version|state|value|configuration|"
              rf"fact|correction|update)s?\b)?(?: (?:that )?i (?:just )?{_SAID})?|"
              rf"(?:all |everything )?(?:what|that|the thing) i(?:'ve)? (?:have )?(?:just )?{_SAID}(?: (?:last|just now|before|earlier|a moment ago))?|(?:that|this) (?:message|answer|step|change|input|entry|edit|update|correction|setting|remark|line|statement|reply)|that(?: one)?|this|it)")
_KIND = r"(?:markdown|summary|write-?up|memo|hand-?out|slides?|table|printout|md|json|ya?ml|html?|pdf|csv|txt|excel|word|file|report|document|spreadsheet|copy|print-?out|web ?page|text file|questionnaire file)"
_PATH = r"\S+\.(?:md|json|ya?ml|html?|txt|csv|pdf)\b"
_HAND_OVER = (r"(?:give|send|get|print|show|produce|create|generate|make|write|put|save|store|dump|download|export|output|share|hand|want|need|"
              r"have|like|convert|turn|render|keep|e?mail|provide|deliver)")

_JUSTIFICATION = (r"(?:reasons?|reasoning|rationale|justification|evidence|proof|explanation|logic|grounds|derivation|arguments?|thinking|motives?|motivation|"
                  r"basis|thought process|calculations?|working|math|reason why)")
_LAY_OPEN = (r"(?:motivate|furnish|supply|state|set out|detail|disclose|clarify|list|name|show|give|tell|explain|(?:walk|take|talk|guide|run|lead) (?:me|us) through|lay out|present|break down|elaborate(?: on)?|justify|"
             r"defend|share|provide|spell out|describe|outline|see|understand|know|go (?:through|over))(?: (?:better|more clearly|in detail|briefly|again))?")
_CONCLUDE = (r"(?:know|get|got|come|came|arrived?|concluded?|calculated?|computed?|figured?|reach(?:ed)?|decided?|choose|chose|pick(?:ed)?|"
             r"derived?|work(?:ed)? (?:that|it|this) out|land(?:ed)?|end(?:ed)? up|settled?|determined?|tell|so (?:sure|certain)|justif\w+)")
_RULED_OUT = (r"(?:reject(?:ed|ing)?|dismiss(?:ed|ing)?|exclud(?:e|ed|ing)|rul(?:e|ed|ing) (?:\w+ )?out|avoid(?:ed|ing)?|discard(?:ed|ing)?|"
              r"eliminat(?:e|ed|ing)|disqualif\w+|turn(?:ed|ing)? (?:\w+ )?down|left out|leav(?:e|ing) (?:\w+ )?out|omit(?:ted|ting)?|skip(?:ped|ping)?|"
              r"overlook(?:ed)?|steer(?:ed|ing)? (?:clear|away)|advis(?:e|ed) against|(?<!i )(?:drop(?:ped)|refus(?:e|ed)))")
_DRAWBACK = (r"(?:problem|matter|issue|catch|trouble|downside|disadvantage|drawback|weakness|weakness|objection|snag|flaw|shortcoming|con)(?:e?s)?")
_PAYS = (r"(?:pays? (?:off|for)|\bpays?\b|worth|break[\s\-]?even|makes? sense|wins?\b|beats?\b|flips?\b|enough|suffic\w*|sufficient|better|cheaper|necessary|needed|"
         r"required|mandatory|hurts?\b|bites?\b|limits?\b|gets? (?:critical|painful|tight|bad|risky|problematic)|starts? to \w+|begins? to \w+|(?:the )?bottleneck|breaks?\b(?: down)?|tips?\b|stops?\b|no longer|becomes?|matters?|overtakes?|loses?\b|justif\w+|"
         r"holds? up|fine|ok(?:ay)?\b|acceptable|feasible|viable|practical|need(?:ed)?(?= (?:an? )?(?:infini|ib\b|ro?ce|rdma|efa\b|ethernet|spectrum|tcp|ultra|[nhx]dr|faster))|saturat\w+|pulls? ahead|collapses?|recommend\w*|change your mind|worthwhile|gives? up|(?:falls?|lags?|stays?|drops?|gets? left) behind|keeps? up|catch(?:es)? up|runs? out)")
_SIZE_ASKED = (r"(?:(?:at|from|beyond|above|below|until|till|up to|starting (?:at|from|with)|past|under|over|for|after|with) (?:what|which|how (?:many|much|large|big|few))\b|"
               r"how (?:many|big|large|small|few|far|high|low|much (?:more )?(?:gpus?|nodes?|data|money|scale|bandwidth))\b|where(?:'s| is| does| do| would| will)\b|"
               r"(?:since |until |till )?when\b(?! did)|(?:what|which) (?:number|size|scale|price|cluster size|point|node count|gpu count)|is there a (?:point|size|scale))")
_MISTAKE = (r"(?:my (?:mistake|bad|fault|error|apologies)|(?:a )?typo|(?:i(?:'ve| have| had)? |we(?:'ve| have)? )?mis(?:typed|spoke|spoken|read|heard|calculated|counted|remembered|quoted|understood|stated|judged|placed|took|taken|labell?ed)|(?:i|we) (?:confused|forgot|overlooked|mixed up)|(?:oops|whoops|pardon(?: me)?|apologies|beg your pardon)|"
            r"i (?:was|am) wrong|(?:hold|hang) on\b(?! (?:for|to)\b)|one moment|(?:i (?:need|have|want|must|should|would like|'d like)(?: to)? |let me )?(?:correct|fix|revise|amend|rectify) (?:myself|that|this|it|my|the|what)|there(?:'s| is| was) (?:a|an) (?:mistake|error|typo)|not quite|i (?:got|had) (?:that|it|this|the \w+) wrong|(?:that|this|it) was (?:a mistake|wrong|an error|incorrect|not right)|(?:i|we|it|there|that) (?:made|did|had|have|gives?|gave|was|is|has|contains?) (?:an?|my|some|one|the) (?:small |little |stupid )?(?:mistake|error|typo|slip|mix-?up)|"
            r"on second thoughts?|thinking about it|let me (?:correct|rephrase|fix)(?: that| this| it| myself)?|(?:to )?correct (?:myself|that|this)|"
            r"i (?:should|could) have said|i confused|i mixed (?:that |it |this |them )?up|(?:small |slight |quick |one )?(?:correction|change of plans?|update)\b)")
_ADJUST = (r"(?:(?:increase|decrease|reduce|raise|lower|double|halve|triple|bump|drop|cut|extend|shorten|shrink|set|change|switch(?! (?:\w+ ){0,2}(?:is|are|has|have|ratio)\b)|swap|replace|update|adjust|modify|edit|alter|"
           r"upgrade|downgrade|remove|correct|add|exchange|substitute|lift)\b(?! (?:in|of) )|(?:scale|grow|bring|push|move|turn|go|crank|dial|take)\b[^.,;?]{0,30}\b(?:up|down|back|on|off)\b(?! (?:\d|the|a|an|aws|azure|gcp)\b)|"
           r"go (?:with|for) )")


# A question for the point from which a network pays: it supposes nothing.
TURNING_POINTS = (
    r"\bwhat (?:would|could|might|must|can) (?:make|let|get|help|cause|push|bring) (?P<thing15>.{2,30}?) (?:to )?(?:win|come out|come first|ahead|be (?:the )?(?:best|better|right|cheapest|winner|recommended)|the (?:winner|"
    r"better|best)|worth\w*|beat|prevail|lead|look better|attractive|pay off|viable)\b",
    rf"\b{_SIZE_ASKED}(?P<thing3>[^?]{{0,60}}?)\b{_PAYS}(?! (?:\w+ )?than\b)",
    r"\b(?:the |a )?(?:break[\s\-]?even|turning point|tipping point|cross[\s\-]?over|threshold|limit)(?: point)?\b(?= (?:for|of|between|when|from|to)\b|\W*\?)|\b(?:break[\s\-]?even|turning|tipping|cross[\s\-]?over)(?: point)?\W*$",
    r"\bwhat (?:must|has to|would have to|needs? to|should|would need to) (?:happen|change|be (?:true|different)|hold|be the case)\b",
    r"\bhow \w+ (?:would|must|should|does|do|may|can)\b(?P<thing5>.{2,40}?)\b(?:(?:have|need|got) to (?:be|get|become)|before|until)\b",
    r"\bwould(?:n't)? (?:it|you|that|the (?:answer|plan|verdict|recommendation|winner)) still (?:be|say|recommend|choose|pick|prefer|win)\b(?P<thing4>.{0,60})",
)


class Cue(NamedTuple):
    """One way to ask for something."""

    intent: str
    weight: float
    pattern: re.Pattern[str]


def _cues(intent: str, weight: float, *patterns: str) -> list[Cue]:
    return [Cue(intent, weight, re.compile(pattern)) for pattern in patterns]


_HELP = _cues(
    "help", 90,
    _START + r"(?:/?help\b(?! (?:me |us )?(?:to )?(?:choose|decide|plan|pick|find|understand|with|calculat\w+|comput\w+|comparing|compare|see|estimat\w+|siz\w+))|/\?|usage$|(?:what are my )?options\??$|what (?:now|next)\W*$|"
             r"(?:the )?(?:manual|instructions|tutorial|guide|man page|docs|documentation|commands?|menu|faq)\W*$)",
    r"(?:^|[.,;!?]\s*)\W*" + _LEAD_IN + r"(?:(?:what|which)(?: else| all| kinds? of| sorts? of| types? of| other| information| info| details?| data| inputs?| facts?| things?| questions?| numbers?| topics?| subjects?)* (?:do|can|should|must|may|could|would|are|shall) "
             r"(?:i|you|we|weft|one)(?: \w+)?(?: (?:do|ask|say|type|tell|enter|write|need|want|expect|provide|give|able|understand|answer|input|require|know|offer|put|pose|throw|send|submit|mention|specify|bring|discuss|handle|cover|accept|support|take|prepare)(?: you)?)"
             r"(?: (?:from|of) (?:me|us|you)| to (?:know|start|begin|say|type|do|tell you|hear)(?: \w+)?| here| next| now| about| exactly| to do| for me| (?:to|at|with) you| first| then| anyway)*\W*$)",
    _START + r"(?:how (?:do|does|can|should|could|would|to)(?: i| this| it| one| we| weft| you| that)? (?:use|work|start|begin|proceed|get started|go on|continue|operate|talk to)\b"
             r"(?: (?:this|it|weft|here|you|with (?:this|it|you)|the (?:tool|program|planner)|thing|tool|program|over|again|anew|from scratch|a new (?:plan|one)))*\W*$)",
    _START + r"(?:where (?:do|should|can) (?:i|we) (?:start|begin)\W*$|i(?:'m| am) (?:a bit |totally |completely |so )?(?:lost|stuck|confused|clueless|new here)\b|i need (?:some )?help\W*$|"
             r"i (?:(?:don't|do not) (?:understand|get)(?: (?:it|this|what|how))?|(?:don't|do not) know (?:what|how|where))(?: (?:to|i|this|should|can|you|works?|do|say|type|use|write|enter|need|want|now|here|next))*\W*$|"
             r"(?:i have |i've )?(?:no idea|no clue) (?:how|what|where) (?:to|this|i|you)\b(?! (?:network|pay|cost))|"
             r"(?:can|could|would|will) (?:you|someone|somebody|anyone|anybody) (?:please )?help(?: me)?(?: out)?\W*$|help (?:me )?please|i could use (?:some )?help|(?:is there|do you have|have you got|any|where is) (?:any |some |an? |the )?(?:help|manual|documentation|docs|tutorial|guide|instructions|examples?)\b\W*$)",
    _START + r"(?:(?:please )?(?:list|show|give|print|tell)(?: me)? )?(?:(?:what|which) )?(?:the |all |your |are the |are my |some |other |more )*(?:commands|options|features|functions|keywords|shortcuts|things|menu|inputs|capabilities|possibilities|"
             r"example (?:questions|inputs|messages|sentences))(?: are there| do you (?:have|know|understand|accept)| exist| (?:are )?(?:possible|available|allowed)| (?:can|could|do|should|must|may) (?:i|we) (?:use|type|say|enter|give|have|ask|choose|do|tell|know|answer)(?: from| between| you| here)?| i (?:can|have|need)(?: to)?(?: (?:use|say|type|enter|ask|give|tell))?(?: you| here)?| for me)*\W*$",
    _START + r"(?:(?:what(?:'s| is| are| does)|who(?:'s| is| are)|how do(?:es)?) (?:this|that|it|you|weft|the (?:tool|program|app|assistant|thing))(?: (?:tool|program|app|assistant|thing|all|here|software|planner))*(?: (?:for|about|do|good for|able to do|capable of|actually|exactly|supposed to do|for me))*\W*$|"
             r"(?:explain|show(?: me)?|tell me|teach me|describe)(?: to me)? (?:how (?:to use|this works|it works|you work|i (?:can |should )?use)|what (?:you|this|i) can (?:do|say|type|ask)|the (?:tool|program|basics|usage))\b|"
             r"how (?:can|do|should|could) (?:i|we|one) (?:talk|speak|chat|communicate|interact|answer|phrase|enter|type|tell|ask|give you|input|respond|reply|navigate|control|quit|exit)\b(?! .*(?:gpu|nccl|network|switch|fabric)))")
# A sentence of nothing but a word for help and the small words around it: "is there a manual for this", "some help would be nice".
_HELP_NOUN = (r"(?:help|manual|manuals|documentation|docs|tutorial|guide|guides|instructions?|examples?|hints?|how-?to|faq|handbook|walkthrough|cheat[\s\-]?sheet|"
              r"introduction|intro|commands?|user guide|readme|assistance|support|guidance)")
_AROUND_HELP = (r"(?:an?|the|any|some|is|are|there|do|does|you|have|got|has|i|we|me|us|need|needs|could|can|would|may|might|should|will|use|want|like|be|nice|good|great|"
                r"useful|helpful|lovely|appreciated|welcome|please|pls|this|that|it|your|tool|program|thing|app|planner|weft|for|of|to|with|on|about|how|where|what|show|give|"
                r"find|get|see|read|list|open|print|available|exist|exists|somewhere|here|now|little|bit|more|quick|short|proper|user's|ok|hi|hello|hey|so|and|just|"
                r"possible|required|wanted|in|out|if|possible|or|all|kind|sort|using|working|work)")
_HELP.append(Cue("help", 90, re.compile(r"^\s*\?+\s*$")))
_HELP.append(Cue("help", 89, re.compile(rf"^\W*(?:{_AROUND_HELP}\W+)*{_HELP_NOUN}(?:\W+(?:{_AROUND_HELP}|{_HELP_NOUN}))*\W*$")))
_UNDO = [
    *_cues("undo", 88,
           _CLAUSE + rf"{_RETRACT} {_JUST_SAID}{_ENDS}(?! (?:to|by|with) )",
           _START + rf"{_POLITE}(?:/?undo\b|/?back\b(?=\W*$| (?:please|pls|one|a step|again|to the (?:previous|last))\b)|go back\b(?! to (?:\d|the (?!previous|last)))|(?:one |a |two )?steps? back|revert\b|roll ?back|scratch that|"
                    rf"never ?mind(?: (?:that|it|what i \w+|my last \w+))?(?=\W*$)|(?:un)?do that over|previous (?:step|question|answer)|cancel\W*$|return to the (?:previous|last)|"
                    rf"restore (?:the (?:previous|last|old)|what (?:we|i|it) (?:had|was)|how it was)|step back\b|(?:go|jump|move|step|get) (?:one|a step|1|two|2)(?: steps?)? back|(?:go|jump|move|get) back (?:one|a|1|to (?:the )?(?:previous|last|before|where))|backwards?\W*$|one up\W*$|(?:bring|get|give|put|take|call|want|need) (?:me |us )?(?:back )?(?:the |my |it )?(?:to )?(?:the )?(?:previous|last|old|former|earlier|prior)\b[^,.]{{0,20}}(?:back|version|state|values?|answers?|plan|setup|settings?|one)?\W*$|return to (?:the |my )?(?:previous|last|old|former|earlier|prior))",
           _CLAUSE + r"(?:take|pull|put) (?:that|it|this|(?:the|my) (?:last|previous) \w+|what i \w+) back(?! to \d)",
           _CLAUSE + r"(?:roll|turn|wind|set|bring|move|push|put) (?:that|it|this|things|everything|(?:the|my|that|this|our) (?:very )?(?:(?:last|previous|latest|recent) )?(?:edit|change|step|"
                     r"message|answer|input|entry|update|setting|correction|modification|move|thing|action|one)) (?:back(?! (?:to|by) \d))",
           _CLAUSE + rf"back (?:that|this|it|(?:the|my) (?:last )?\w+) out{_ENDS}",
           _CLAUSE + r"take back\b", _CLAUSE + r"undo (?:it|that|this)\b",
           r"\bdid(?:n't| not) mean (?:that|it|to (?:say|send|write|type|enter) (?:that|this|it))|\bforget i said\b|\bas (?:it was|if i never said) (?:that|before)\b|\bgo back (?:one|a|two) steps?\b"),
]
_EXPORT = _cues(
    "export", 86,
    _START + rf"{_POLITE}(?:/?export\b|/?save\b(?! (?:money|cost|time|on|us|\$|\d|by))|download\b|dump\b|write (?:it|this|the plan|everything|that|a report)\b|"
             rf"store (?:it|this|that|the (?:plan|report|result|answer))\b)",
    _START + rf"{_POLITE}(?:{_HAND_OVER}\b)[^.;]{{0,60}}?\b(?:as|in|to|into|a|an|the|of|with|for) (?:an? |the |some )?(?:\w+ )?{_KIND}\b(?! (?:size|system|server|transfer|path))",
    rf"\b{_HAND_OVER}\b[^;]{{0,40}}?\s{_PATH}", _START + rf"{_POLITE}{_HAND_OVER}(?: me| us| out)? {_KIND}\W*$", _START + rf"(?:{_PATH}|(?:as |in )?(?:an? )?{_KIND})(?: (?:file|version|format|report|output|export))?(?: of (?:this|it|that|the plan))?(?:,? please)?\W*$")
_DISAGREE = _cues("ask", 84, r"\b(?:sources?|papers?|articles?|vendors?|experts?)\b.{0,30}\b(?:disagree|contradict|conflict)|contradict\w*.{0,20}sources|"
                             r"\bwhere do .{0,20} disagree")
_NOT = r"(?:not|no|isn't|is not|aren't|don't|doesn't|can't|cannot|didn't|did not|won't|wouldn't|shouldn't|couldn't|wasn't|never)"
_WHY_NOT = _cues(
    "why-not", 70,
    rf"\bwhy (?:on earth |the hell |then )?(?:{_NOT}|do (?:you|we) not|(?:did|do|does|would|have) (?:you|it|we|weft) (?:not|{_RULED_OUT}|drop|lose)|{_RULED_OUT})\b",
    rf"\bwhy (?:is|was|were|are|would|should|did|does|do|has|have|had|will|can|could) (?P<thing>.{{2,50}}?)(?:\bnot\b|{_RULED_OUT}|losing|impossible|worse|no good|bad|out\b|lose\b|fail\w*|drop out|missing|unsuitable|inferior)\b",
    r"\bwhat (?:don't|do not|didn't|do|did|doesn't) (?:you|it) (?:not )?(?:like|dislike|hate|hold against|have against|mistrust)\b",
    rf"what(?:'s| is| are|'re| was| would be| could be| might be| speaks| argues| makes| rules| ruled| disqualifies| disqualified| kills| killed| counts)? (?:(?:so )?wrong with|against|out|(?:the|your) (?:main |big |biggest |real )?{_DRAWBACK} (?:with|of|to|about|against|for)|bad about|disqualif\w+|"
    rf"(?:do|have) you (?:have |got )?against)\b",
    r"(?:how come|reason)s? (?P<thing3>.{0,30}?)(?:\bnot\b|isn't|aren't|doesn't|don't|against|never|no\b|" + _RULED_OUT + ")",
    r"\b(?:anything|something|much) (?:wrong|bad|problematic) (?:with|about)\b|\b(?:something|anything|much|what) (?:\w+ )?against\b|\bdo you (?:hate|dislike|mistrust|distrust|avoid)\b",
    r"\bwhat (?:does|do|is|are|did) (?P<thing13>.{2,30}?) (?:lack|lacking|miss|missing|fail at|do wrong|do badly)\b",
    r"\bwhy (?P<thing2>.{2,40}) (?:instead of|rather than|and not|over)\b",
    r"\bwhy (?:did|does|do|is|was|has|have|would) (?P<thing12>.{2,40}?)(?:fall (?:out|behind|short)|come (?:last|second)|rank (?:low|last|behind)|get (?:dropped|rejected|excluded)|not make it|isn't|excluded|behind|only (?:second|third)|second best|runner-up|beaten)\b",
    r"(?:couldn't|can't|why couldn't) (?P<thing7>we|i|you|[\w\-]{2,20}) (?:just |simply |also |even )*(?:use|take|stay|go|do|work|suffice|be enough|run|handle|manage|serve|keep)\b",
    rf"(?P<thing6>.{{2,40}}?)\b(?:\w+n't|not|never|no|missing|last|lost|fail\w*|{_RULED_OUT}|out|behind|worse|nowhere|absent|gone|bottom|second|third)\b(?P<thing14>.{{0,40}}?)\b(?:(?<!see )(?<!understand )(?<!get )(?<!know )(?<!sure )(?<!follow )why|how come|how so|what for|for what reason|what (?:went )?wrong|what happened)\b(?: (?:is )?that| though| exactly| then)?\W*$",
    rf"{_RULED_OUT}\b(?P<thing8>[^?]{{0,40}})(?:\bwhy\b|how come|for what reason|on what (?:grounds|basis)|what for|because of what|reasons?\b)",
    r"\b(?:you|it|weft|they) (?:did|do|does|have|had|would)(?:n't| not)\b(?P<thing9>[^?]{2,50})(?:\bwhy\b|how come|what for)\W*$", r"what speaks against") + _cues(
    "why-not", 48.5,
    r"\b(?:can|could|should|may|might|would|do|does|is|are|will) (?P<thing10>we|i|you|it|(?!simply\b|just\b|really\b|also\b|definitely\b|probably\b|certainly\b|clearly\b|still\b)[\w\-]{2,20}) not (?:just |simply |also |even )*(?:use|take|stay|go|do|work|suffice|be|run|handle|keep|good|enough|an option|recommended|possible|fast|pick|choose|have|get by|live|make do)\b",
    r"\bwhat(?:'s| is| would be| was| makes| could be)? (?P<thing11>.{0,20}?)(?:so )?(?:bad|wrong|weak|poor|terrible|problematic|worse|unsuitable|a bad idea|not good|lacking|missing)(?: about| with| in| for| at)\b")
_WHY = [
    *_cues("why", 60,
           _START + r"(?:.{0,30}[,.;]\s*)?(?:but )?(?:(?:and )?why+\b|how come\b|how so\b|because\W*\?|because of what\b|what (?:led|brought|makes|made|convinced|drove|persuaded) you\b|"
                    r"explain(?=\W*$|\splease|\s(?:why|yourself|your|it|this|that|how (?:you|it|that)|(?:the|me the) (?:plan|recommendation|choice|answer|result|decision|reason\w*|verdict|numbers?)))|"
                    r"for what reason|on what (?:basis|grounds|evidence)|based on what|says who|according to (?:who|what))",
           _START + rf"{_POLITE}(?:justify|motivate|prove|defend|back (?:(?:it|this|that) )?up|substantiate)\b",
           _CLAUSE + rf"{_LAY_OPEN}(?: to)?(?: me| us)? (?:\w+ )?(?:the |your |its |some |all the |any |full |a )*(?:(?:details?|steps|breakdown) (?:of|behind|for) (?:the |your )?)?(?:{_JUSTIFICATION}|(?:sources?|work|proof)\b)(?! (?:on|about) )",
           _CLAUSE + rf"{_LAY_OPEN}(?: me| us)? (?:how|where) (?:you|it|that|this|they|the \w+)\b.{{0,20}}\b{_CONCLUDE}\b",
           _START + rf"(?:(?:what|where|which)(?:'s| is| are|'re| were| was)? )?(?:the |your |any |some |its |and |main |real |actual |exact |key |underlying |biggest |true )*(?:(?:details?|steps|breakdown) (?:of|behind|for) (?:the |your )?)?(?!thinking (?:of|about)|working (?:on|with)|grounds for){_JUSTIFICATION}(?: (?:is )?(?:behind|for|of|please|there|why)\b|\W*$|\W*\?)",
           _START + r"where(?:'s| is| are) (?:the |your )?(?:proof|evidence|reasons?|reasoning|justification|sources?)\b",
           _START + r"what(?:'s| is| are|'re) the sources? (?:for|of|behind)\b",
           _START + rf"(?:how|where) (?:did|do|does|have|could|can|are|were|is) (?:you|that|this|it|the|these|those|weft|we|they)\b.{{0,40}}?\b{_CONCLUDE}\b(?! (?:started|rid|to use|a gpu))",
           r"\bwhat(?:'s| is| lies| stands) behind (?:that|this|it|your|the) ?(?:recommendation|choice|answer|decision|verdict|number|advice|result)?|what(?:'s| is) (?:this|that|it) based on|"
           r"\bwhat (?:speaks|argues|counts|talks) (?:for|in favou?r of)\b|^\W*(?:convince|persuade) (?:me|us)\b|\bwhat (?:supports|backs(?: up)?|underpins|underlies|favou?rs|justifies|motivates|explains|confirms|proves|drives|points to|led to|went into)\b|\b(?:what|which \w+) (?:do|did|does|are|is) (?:you|that|this|it|your \w+) (?:\w+ )?(?:base|based|rest|rests|rely|grounded|founded|build)\b|\bhow (?:sure|certain|confident|reliable|trustworthy) (?:are you|is (?:that|this|it|the))\b",
           r"\bwhat (?:made|makes|lets|let|gives|gave|puts|put) (?P<thing2>.{2,30}?) (?:win|ahead|come out|the edge|stand out|beat|lead|preferable|come first)\b|\bwhat (?:decided|tipped|settled|determined)\b|\bwhy (?:exactly|that|this|it|so|the)\b",
           r"\bwhat makes (?P<thing>.{2,30}?) (?:the |your |so )?(?:best|better|winner|cheapest|right|recommended|preferred|choice|good|superior|suitable|optimal)\b",
           r"\bi (?:don't|do not|can't|cannot) (?:see|get|understand|follow) (?:why|how you|the (?:reason\w*|logic|choice|recommendation))",
           r"\b(?:understand|see|know|learn) (?:the|your|this|why (?:you|it|this|that)|how you) ?(?:decision|choice|recommendation|reasoning|answer|chose|picked|decided|recommend)\b",
           _START + r"(?:the |your )?sources\W*$|can you (?:explain|justify) (?:that|this|it|your|the (?:choice|plan|answer|decision|recommendation|result))|give me (?:the |your )?(?:reasoning|reasons?|rationale)"),
    *_cues("why", 58, rf"[.!?,;:]\s*(?:and |so |but )?(?:the |your |any |some )?{_JUSTIFICATION}\W*\?\W*$", r"(?<=[\w)])[\s,.:;\-]+(?:but |and |so )?(?:why|how come|how so)(?: (?:is )?that| though| exactly)?\W*$"),
]
_WHAT_IF = [
    *_cues("what-if", 50,
           _START + r"(?:if\b(?! (?:possible|you can|needed|necessary|so\b|not\b|any\b))|try\b(?! (?:to|again)\b)|assum(?:e|ing)\b|(?:let's|let us|let me|can we|could we|i want to|i'd like to) (?:assume|suppose|pretend|imagine|try(?! (?:to|again))|see (?:what|how|it|that|the)|look at (?:what|how|it)|check (?:what|how|with)|play with|explore|simulate|say (?!that's))|pretend\b|"
                    r"given (?:that )?(?=\d|we|i|an?\b)|(?:and )?in (?:the )?case\b(?: of| that)?|picture (?:this|us|we)\b|provided\b)",
           r"\bwhat then\b|\bwhat[\s\-]if\b|\bsuppos(?:e|ing)\b|\bassum(?:e|ing) (?:we|i|that|it|for a moment)\b|\bwhat (?:about|would happen|happens|changes|(?:else )?would (?:change|be different|happen))\b|"
           r"\bhow (?:about|would happen)\b|\bimagine\b|\bhypothetical(?:ly)?\b|\bin case (?:we|i|it|of|they|you)\b",
           r"(?:^|[,.;]\s?)\W*say (?:the|our|a) [^,.;]{2,24} (?:were|was|is|had|would)\b",
           r"(?<!let's )(?<!could )\bsay (?:we|i|it|they|you) (?:had|have|used|get|got|use|go|went|take|took|were|was|buy|bought|rent|rented|choose|chose|switch|switched)\b",
           r"\b(?<!as )if (?:we|i|you|it|the|they|that|there|our|my|a|an|instead) (?=(?:\w+ )?(?:had|have|used|use|went|go(?:es)?|doubled?|halved?|were|was|got|gets?|switch\w*|mov\w*|could|only|add\w*|"
           r"chang\w*|drop\w*|cost|costs|took|take|bought|buy|rent\w*|grow\w*|grew|scal\w*|train\w*|ran|run|becomes?|became|gave|give|tripled?)\b)",
           r"\b(?:does|do|will|did|can|could) (?:the |your |that |this )?(?:answer|plan|recommendation|result|verdict|choice|winner|outcome|conclusion|picture|anything|ranking) (?:\w+ )?(?:change|stay|hold|differ|remain|flip|look|be|still|move|shift|depend)\b|\b(?:is|are|will|would) (?:the |your |that |this )?(?:answer|plan|recommendation|result|verdict|choice|winner|outcome|conclusion) (?:be )?(?:still |also |then )?(?:the same|different|stable|valid|true|right|robust)\b",
           r"\bwould (?:it|that|the answer|anything|this|the plan|the recommendation|the result|the verdict|your answer|things) (?:\w+ )?(?:change|differ|help|matter|be (?:different|the same|better|worse)|still|flip)\b",
           r"\bwould (?P<thing2>.{2,40}) (?:change (?:anything|it|that|the \w+|your \w+)|help|matter|make (?:a(?:ny)? |much )?difference|flip)\b|\bwould you still (?:say|recommend|choose|pick)\b",
           r"\bwhat (?:difference|effect|impact|influence) (?:would|does|do|will|has|have)\b(?P<thing6>.{2,60})\b(?:make|have|on)\b",
           r"(?:how|what) (?:would|does|will|do) (?:it|that|this|things|the (?:plan|answer|picture|recommendation|result|cost|verdict|numbers)) (?:look like|look|change|be|differ|shift|come out) (?:with|on|if|for|at|in|under|when)\b",
           r"\b(?:under|in|with|given) (?:what|which) (?:\w+ )?(?:assumptions?|conditions?|circumstances|scenarios?|cases?|prices?)\b",
           r"\b(?:calculat\w+|comput\w+|estimat\w+|plan|run|do|try|work (?:it|that|this) out|the (?:numbers|figures|plan|calculation|analysis|estimate|results?)) (?:it |that |this )?(?:again|anew|once more|afresh) (?:with|for|on|using|at|but|over|in)\b",
           r"what would (?:flip|change|it take|tip|make you|need to|have to)|\bwhat has to (?:happen|change)\b",
           r"\btry (?:it |that |this )?(?:with|on|at)\b|^\W*and (?:with|on|at|for|over|without|using)\b",
           _START + r"(?:(?:show|give|tell|run|redo|repeat|calculate|plan)(?: me| us)?(?: it| that)? )?(?:the |this |that |exactly )?(?:same|ditto|identical)\b(?: (?:thing|job|set-?up|plan|run|model|question|cluster|case|again|but|only|just|now|one|everything))*\s?,?\s?"
                    r"(?:(?:but )?(?:with|on|for|at|in|over|using|without|as)\b|but\b)",
           _START + r"(?:(?:show|give|tell)(?: me| us)? (?:it|that|this|the (?:plan|numbers|answer))|(?:redo|repeat|recalculate|replan|recompute|re-?run|re-?estimate)(?: it| that| this| everything| all| the (?:\w+ )?(?:plan|analysis|calculation|numbers|estimate|exercise|comparison|study|thing))?|(?:run|plan|do|calculate) (?:it|that|this) again)(?: again)? (?:with|for|on|using|at|over|without)\b"),
    *_cues("what-if", 49, *TURNING_POINTS),
    *_cues("what-if", 49, _START + r"would be (?P<thing10>.{2,40}?) (?:also |still |even |really |then )*(?:possible|ok(?:ay)?|enough|better|cheaper|faster|sufficient|an option|good|fine|feasible|worse|slower|too \w+|different)\b",
           r"\bhow (?:close|far|near|likely)\b(?P<thing11>.{2,40}?)\b(?:flip\w*|chang\w+|tip\w*|turn\w*|switch\w*|revers\w+|overturn\w*|(?:an|the)?other (?:answer|choice|winner|verdict|result|network)|different (?:answer|choice|winner|verdict|result|network)|break[\s\-]?even|cross-?over)\b",
           r"\bclose to (?:flipping|tipping|changing|a different|another|turning|break[\s\-]?even)\b"),
    *_cues("what-if", 48, _START + r"would (?!you\b|i\b|we\b)(?P<thing5>.{2,40}?) (?:also |still |even |really |already |actually |probably )?(?:do|work|suffice|be|run|handle|cope|hold|manage|perform|fit|save|cost|make|give|get)\b"),
    *_cues("what-if", 44, r"^\W*(?:and|or|but)\b(?! (?:what|which|who|whom|whose|how|why|when|where|is|are|do|does|did|can|could|should|will|would|has|have|if|in)\b)(?![^?]*\b(?:is|are|was|because|why)\b)(?P<thing8>[^?]{1,40})\?\W*$"),
    *_cues("what-if", 50, r"\bhow (?:sensitive|robust|stable|fragile|dependent) (?:is|are)\b"),
    *_cues("what-if", 45, r"^\W*(?:(?:and|but|or|ok|so|then|just|only)\s)*(?:at|with|on|for|using|over|under|without|in|via)\b(?! (?:what|which|whom|whose|how|case)\b)(?P<thing7>[^?]{1,60})\?\W*$"),
]
_COMPARE = _cues(
    "compare", 40,
    r"\b(?:contrast\b|compar(?:e|es|ing|ison|ed (?:to|with|against))\b|\bor\b(?P<thing3>.{2,50})\bwhich\b.{0,20}\b(?:better|cheaper|faster|best)\b|versus\b|\bvs\b\.?|difference[s]? (?:between|of)|"
    r"differ\b|differ from|side by side|head[\s\-]to[\s\-]head)",
    r"(?:which|what)(?:'s| is| one is| would be)? (?:is )?(?:the )?(?:better|cheaper|faster|best)\b(?P<thing2>.*\bor\b)|how (?:does|do) (?P<thing>.{2,60}) (?:stack up|compare|fare|measure up|differ|relate|hold up)|"
    r"^(?!\W*(?:is|are|was|does|do|can|will|did)\b).*?\b(?:better|worse|faster|cheaper) than|pros and cons of (?P<thing4>.* (?:and|or|vs|versus) )",
    r"\b(?:between|among|out of|of)\b(?P<thing9>[^?]{3,60}\b(?:and|or)\b[^?]{2,40}?)[\s,:;\-]+(?:which|what|who)\b|\bwhich (?:one )?(?:is |would be |are )?(?:the )?(?:more|most|better|best)\b(?! (?:recent|common|often))|"
    r"\b(?:weigh|pit|put|hold|stack|set|match|rate|rank|judge)\b(?P<thing5>[^?]{2,40})\b(?:up )?(?:against|next to|beside|side by side)\b|\bwhich (?:one )?(?:of|out of|among|between)\b|\bhow close\b(?=.*\bbetween\b)",
    r"\bwhat (?:sets|distinguishes|separates|tells|differentiates)\b|\btell\b(?P<thing6>.{2,40})\bapart\b|\btrade[\s\-]?offs? between\b|\bhow much (?:better|worse|cheaper|faster|slower|dearer|more expensive) (?:is|are)\b(?=.* than )|"
    r"\bwhere do(?:es)? (?P<thing8>.{2,40}) differ\b")
_COMPARE += _cues(
    "compare", 52, r"\b(?:choos(?:e|ing)|decid(?:e|ing)|pick(?:ing)?|select(?:ing)?|choice|decision|torn|hesitat\w+|toss-?up) between\b(?=.* (?:and|or) )",
    r"(?:\band\b|\bor\b|\bvs\b\.?|\bversus\b|/)(?P<thing12>.{2,40}?)\b(?:who|which(?: one)?|what) (?:wins|is the winner|comes out (?:on top|ahead|first)|takes it|has the edge)\b")
_CHANGE = _cues(
    "change", 30,
    _START + r"(?:no\s?[,.:;!\-](?![\s\-]?go)|no (?=\d|wait|actually|sorry|it's|its|make|i meant|we have)|nope\b|nah\b|wrong\b|actually\b|correction\b|sorry\b|wait\b(?! (?:an?|for|till|until)\b)|i meant\b|i mean\b|rather\b|make (?:it|that|the)\b|"
             r"use .{1,30} instead|let's (?:make|change|switch|use|go with|say)\b|it(?:'s| is) (?:actually|rather)\b|not .{1,30}(?:[,;:]| but\b|\s-+\s)|instead\b|go (?:with|up to|down to) )",
    r"\binstead\b(?! of)|^(?!use\b)(?P<thing>.{2,40}?)\binstead of\b|(?<!what )\b(?:is|was|that's|thats) (?:wrong|a typo|not right|incorrect)\b|\bi (?:misspoke|mistyped|meant)\b|(?<!what )(?<!know )\bi mean\b|"
    r"\b(?:i|we) (?:entered|typed|said|wrote|put|gave|told you|answered)\b.{1,30}\b(?:but|however|when|where|instead of)\b.{0,14}\b(?:should|is|are|meant|actually|it's|have)\b|\bshould (?:have been|be|read|say)\b.{0,30}(?:\bnot\b(?! (?:more|less|over|exceed|longer|slower|worse))|\binstead of\b)|\bcorrection:|\bthe wrong \w+\b(?=[\s,.:;-]+\S)|\d[^.;]*[,.;]\s?sorry\W*$|\d[^,;]{0,30}[,;]\s?(?:and )?not (?:an? |the )?\d[\w:.]*\W*$|(?<!can )\b(?:can|could) you (?:please )?make (?:it|that|the)\b|\bmake (?:it|that) \S+",
    _START + _MISTAKE, rf"[,.;:]\s{_MISTAKE}", _START + rf"(?:can you |could you |please |let's |let us |we |i |(?:i|we)(?:'d| would)? (?:like|want|need|have|wish) to )*{_ADJUST}",
    r"\b(?:we|i|they)(?:'ve| have|'re| are)? (?:just |now |since |meanwhile |recently )*(?:switched|switching|moved|moving|changed|upgraded|downgraded|migrated|updated|increased|reduced|replaced|swapped) (?:over |up |down )?(?:to|the|our|from)\b",
    r"(?P<thing>\b(?:(?:has|have|was|were|got|is|been|just|now) )*(?:moved|changed|increased|extended|raised|lowered|reduced|shifted|postponed|grew|grown|shrunk|dropped|went|gone) (?:up |down )?to\b(?=.*\d))",
    r"\b(?:it|that|this|we)(?:'s| is| was|'re| are| have| do)(?:n't| not)(?: have)? .{1,24}[,;.\-]\s*(?:it|that|we|there)(?:'s| is| are|'re| have| was)\b(?=.*\d)",
    r"^\W*[a-z][\w\s]{1,24}\s?(?:->|=>|>)\s?\$?\d\S*\W*$",
    _START + rf"{_POLITE}(?!(?:want|need|have|plan|like|limit\w*|cap\w*|train\w*|fine\w*|compare\w*|connect\w*|close|due|from|up|we|i|it|with|our|the)\b)[a-z]+ (?:it|that|this|(?:the|our|my) [a-z][\w\s]{{1,30}}?) (?:up |down |back )?to (?=\$?\d)",
    _START + r"(?:scrap|forget|drop|scratch|strike|skip) (?:the |that |my )?\d\w*\b")
_ASK = [
    *_cues("ask", 20,
           _START + r"(?:what|what's|whats|which|who|whose|when|where|how|is|are|does|do|did|can|could|should|will|would|has (?:any|it|this|that|there|meta|nvidia|some|someone|somebody|anyone|anybody|roce|infiniband)|"
                    r"have (?:you|they|there|people|others)|tell me (?:about|more|something|what|how|whether|if|which)|define\b|describe (?:the|what|how)|explain\b|teach me|i(?:'d| would| want| need)? (?:like )?to (?:know|learn|understand)|i wonder|i(?:'m| am) (?:curious|wondering|interested in (?:how|what))|"
                    r"any(?: \w+)? (?:sources?|evidence|experience|benchmarks?|papers?|studies|data|numbers)|explain what|(?:i |we )?(?:need|want|would like|looking for)? ?(?:some |more |a bit of )?(?:background|information|info|details|literature|papers|sources) (?:on|about|for)|"
                    r"(?:the |an? )?(?:price|cost|latency|bandwidth|throughput|power(?: draw| consumption)?|meaning|definition|history|speed|performance|lead time|market share|reliability|failure rate|size|number|list|examples?|basics|advantages|benefits|risks?|role|purpose|theory|best practices?|state of the art|future|lifetime|reach|range|maximum \w+|typical \w+|average \w+) (?:of|for|in|behind|per|with)\b(?! (?:our|my|us|this|it)\b)(?!.*\d)|(?:at|in|on|from|for|to|under|with|by|of) (?:what|which|whose|how)\b|wondering (?:if|whether|how|what))\b(?!'t)(?! (?:not|be|take|finish|run|stay|cost|end|last|exceed|have to|need to)\b)",
           r"\b(?:can|could|would) you (?:please )?(?:tell|explain|describe|say|define)\b|\bdo you know (?:what|how|if|whether|who|which)\b"),
    *_cues("ask", 55, r"^\W*is it (?:true|correct|right|a fact|a myth) that\b"),
    *_cues("ask", 18, r"[a-z]{2}.*\?\W*$"),
]
CUES = [*_HELP, *_UNDO, *_EXPORT, *_DISAGREE, *_WHY_NOT, *_WHY, *_WHAT_IF, *_COMPARE, *_CHANGE, *_ASK]
