"""What the person wants: to describe, to ask, to know why, to try a variation, to take something back."""

from __future__ import annotations

import re

from .message import Message

_START = (r"^\W*(?:(?:ok(?:ay)?|and|so|but|hm+|well|please|hey|hi|hello|now|also|then|cool|great|thanks|alright|"
          r"oops|oh|uh|whoops)\b[\s,]*)*")

_AGAIN = r"(?:(?:no|wait|sorry|that's (?:not (?:it|right|what i \w+)|wrong))\b[\s,.]*)*"
_HELP = re.compile(_START + r"(?:/?help\b(?! me (?:choose|decide|plan|pick|find|understand))|\?+$|/\?|what can (?:you|i|"
                            r"weft) (?:do|ask|say|type)|how (?:do i|does this|does weft|can i) (?:use|work|start)\b|"
                    r"(?:list |show |(?:what|which) )?(?:the |are the )?commands(?: are there| do you (?:have|know|"
                    r"understand)| exist)?\W*$|usage$|(?:what are my )?options\??$|what (?:now|next)\W*$|i (?:don't|do not) (?:understand|get)(?: (?:it|this|what to do|how this works))?\W*$|i(?:'m| am) lost|i need (?:some )?help\W*$|"
                    r"(?:can|could) you help(?: me)?\W*$|i don't know what to (?:do|say|type))")
_UNDO = re.compile(_START + _AGAIN + r"(?:/?undo\b|/?back\b(?! (?:to|up))|go back\b(?! to \d)|(?:one |a )?steps? back|take (?:that|it) back|revert\b|"
                            r"roll ?back|scratch that|never ?mind(?: that)?|forget (?:that|it|what i said)|"
                   r"(?:undo|cancel|remove|discard|delete|erase|drop|forget|ignore|disregard) (?:the |my |what i )?(?:last|previous|that|this)\b(?! instructions)|"
                   r"take back\b|cancel\W*$|(?:un)?do that over|"
                   r"previous (?:step|question|answer)|restore the previous)")
_EXPORT = re.compile(_START + r"(?:(?:can|could|would) (?:you|i|we) )?(?:please )?(?:(?:write|put)(?: it)?(?: to| into)? \S+\.(?:md|json|ya?ml|html?|txt)\b|"
                     r"store (?:it|this|the (?:plan|report|result))\b|/?export\b|/?save\b(?! (?:money|cost|"
                              r"time|on|us|\$|\d))|download\b|write (?:it|this|the plan|everything|that|a report)\b|dump\b|"
                     r"(?:give|send|get|print|show|produce|create|generate|make)\b.{0,24}\b(?:as|in|to|a|an|"
                     r"the) (?:a )?(?:markdown|json|yaml|html|pdf|csv|file|report)\b|"
                     r"(?:i(?:'d| would)? (?:want|need|like|love)|give me|get me) (?:the |this |an? |it )?(?:plan |report )?(?:as |in |"
                     r"to )?(?:a )?(?:markdown|json|yaml|html|file)\b)")
_COMPARE = re.compile(r"\b(?:contrast\b|compar(?:e|ing|ison)\b|\bor\b(?P<thing3>.{2,50})\bwhich\b.{0,20}\b(?:better|cheaper|faster|"
                      r"best)\b|versus\b|\bvs\b\.?|difference[s]? between|differ\b|differ from|side by side|"
                      r"(?:which|what)(?:'s| is)? (?:is )?(?:better|cheaper|faster|best)\b(?P<thing2>.*\bor\b)|"
                      r"how does (?P<thing>.{2,40}) (?:stack up|compare|fare)|better than|worse than|faster than|cheaper than|"
                      r"pros and cons of (?P<thing4>.* and ))")
_WHY_NOT = re.compile(r"\bwhy (?:on earth |the hell )?(?:not|no|isn't|is not|aren't|don't|doesn't|can't|cannot|didn't|did not|won't|wouldn't|"
                      r"do (?:you|we) not|did (?:you|it) (?:reject|exclude|rule out|drop|avoid|discard|dismiss|skip))\b|"
                      r"\bwhy (?:is|was|were|are) (?P<thing>.{2,50}?)(?:\bnot\b|rejected|losing|excluded|ruled out|avoided|"
                      r"impossible|dismissed|worse|discarded|dropped|no good|bad|out\b)|"
                      r"what(?:'s| is| speaks| makes| rules)? (?:wrong with|against|out|the (?:problem|matter|issue|catch|"
                      r"trouble|downside|disadvantage)s? (?:with|of)|bad about|disqualifies)\b|(?:how come|reason)s? (?P<thing3>.{0,30})(?:\bnot\b|isn't|against)|"
                      r"\bwhy (?P<thing2>.{2,40}) instead of\b|(?:couldn't|can't) (?:we|i|you) (?:just |simply )?(?:use|take|stay|go)\b|"
                      r"\bwhy (?:did|does|would) (?P<thing5>.{2,40}?)(?:lose|fail|drop out|not\b)|(?P<thing6>.{2,40}?)(?:isn't|is not|not|missing|excluded)\b.{0,30}\bwhy\W*$|what speaks against")
_WHY = re.compile(_START + r"(?:.{0,30}[,.;]\s*)?(?:but )?(?:(?:and )?why+\b|how come\b|how so\b|because\W*\?|what (?:led|brought|makes|made) you\b|"
                           r"where(?:'s| is| are) (?:the |your )?(?:proof|evidence|reasons?|reasoning|justification)|"
                           r"explain(?=\W*$|\s(?:why|yourself|your|it|this|that|how (?:you|it|that)|(?:the|me the) (?:plan|"
                           r"recommendation|choice|answer|result|decision|reason\w*)))|justify\b|what makes you\b|"
                           r"for what reason|what(?:'s| is| are|'re) the (?:reason|reasons|rationale|evidence|proof|"
                           r"justification|sources?)\b|"
                  r"(?:how|where) (?:did|do|does) (?:you|that|this|it|the) .{0,40}(?:know|get|come from|arrive|conclude|"
                  r"calculate|figure|reach)|on what (?:basis|grounds|evidence)|prove\b|show (?:me )?(?:the |your )?(?:proof|"
                  r"evidence|reasoning|work\b|sources?)|"
                  r"what(?:'s| is) (?:this|that|it) based on|says who|according to (?:who|what)|can you (?:explain|justify)|"
                  r"give me (?:the |your )?(?:reasoning|reasons?|rationale))")
_WHAT_IF = re.compile(_START + r"(?:if\b(?! (?:possible|you can|needed|necessary|so\b|not\b|any\b))|try\b(?! (?:to|again)\b)|assum(?:e|ing)\b)|\bwhat then\b|"
                      r"\bwhat[\s\-]if\b|\bsuppos(?:e|ing)\b|\bassum(?:e|ing) (?:we|i|that|it|for a moment)\b|\b(?:what|"
                      r"how) (?:about|would happen|happens|changes)\b|\bimagine\b|\bhypothetical(?:ly)?\b|\bsay (?:we|i|it|they|you) (?:had|"
                      r"have|used|get|got)\b|(?<!let's )\bsay (?:we|i|it|they|you) (?:use|go|went|take|took|were|was|buy|bought|rent|rented|choose|chose|switch|switched)\b|"
                      r"\bif (?:we|i|you|it|the|they|that|there) (?:had|have|used|use|went|go|go(?:es)?|doubled?|halved?|were|"
                      r"was|got|get|switch\w*|mov\w*|could|only|add\w*|chang\w*|drop\w*|cost|costs|took|take|bought|buy|"
                      r"rent\w*|grow\w*|scal\w*|train\w*|ran|run)\b|"
                      r"\bwould (?:it|that|the answer|anything|this|the plan|the recommendation|your answer|things) (?:change|"
                      r"differ|help|matter|be different|still)\b|"
                      r"\bwould (?P<thing2>.{2,40}) (?:change (?:anything|it|that|the \w+)|help|matter|make a(?:ny)? difference)\b|"
                      r"(?:from|above|at|beyond|until|up to) (?:how many|what number of|which number of|how much) (?:gpus?|nodes?|cards?|machines?|servers?)\b(?P<thing3>.*)|"
                      r"\bhow (?:many|much) (?:more )?(?:gpus?|nodes?|cards?|machines?|servers?)\b.{0,30}\b(?:before|until|till|for)\b(?P<thing4>.{2,40})\b(?:pays?\b(?: off)?|makes? sense|"
                      r"(?:is|be|becomes?) (?:worth|cheaper|better)|worth|wins?)|"
                      r"what would (?:flip|change|it take|tip|make you|need to)|when (?:would|does|"
                      r"will) (?P<thing>.{2,40}) (?:win|pay off|become|be better|be worth|flip|make sense)|at what (?:point|"
                      r"scale|size|price|number)|(?:how|what) (?:would|does|will|do) (?:it|that|this|things|the plan|the answer) (?:look like|look|change) "
                      r"(?:with|on|if|for|at|in)\b|"
                      r"\btry (?:it |that |this )?(?:with|on|at)\b|^\W*and (?:with|on|at|for)\b")
_CHANGE = re.compile(_START + r"(?:no\s?[,.:;!\-]|no (?=\d|wait|actually|sorry|it's|its|make|i meant|we have)|nope\b|wrong\b|"
                              r"actually\b|correction\b|sorry\b|wait\b(?! (?:an?|for|till|until)\b)|i meant\b|i mean\b|rather\b|make (?:it|that|the)\b|"
                              r"change\b|switch\b|set\b|update\b|replace\b|use .{1,30} instead|"
                     r"let's (?:make|change|switch|use|go with|say)\b|it(?:'s| is) (?:actually|rather)\b|not .{1,30}(?:,|"
                     r" but\b)|(?:increase|decrease|reduce|raise|lower|double|halve|bump|drop|cut)\b|instead\b|swap\b|"
                     r"go (?:with|up to|down to) )|"
                     r"\binstead\b(?! of)|\b(?:is|was|that's|thats) (?:wrong|a typo|not right|incorrect)\b|\bi (?:misspoke|"
                     r"mistyped|meant)\b|\bshould (?:have been|be|read)\b.{0,30}\bnot\b(?! (?:more|less|over|exceed|longer|slower|worse))|\bcorrection:|\bmake (?:it|that) \S+")
_QUESTION = re.compile(_START + r"(?:what|what's|whats|which|who|when|where|how|is|are|does|do|did|can|could|should|will|"
                                r"would|has (?:any|it|this|that|there|meta|nvidia|some|someone|anyone|roce|infiniband)|"
                                r"have (?:you|they|there)|tell me (?:about|more)|define\b|describe (?:the|what|how)|explain\b|i(?:'d|"
                                r" would) like to know|i wonder|any(?: \w+)? (?:sources?|evidence|experience)|explain what)\b(?!'t)")
_SOURCES_DISAGREE = re.compile(r"\b(?:sources?|papers?|articles?|vendors?|experts?)\b.{0,30}\b(?:disagree|contradict|"
                               r"conflict)|contradict\w*.{0,20}sources|\bwhere do .{0,20} disagree")


def intent_of(message: Message) -> str:
    """The intent by its wording alone; :func:`settle` decides between describing and asking once the facts are read."""
    text = message.text
    for name, pattern in (("help", _HELP), ("undo", _UNDO), ("export", _EXPORT)):
        match = pattern.match(text)
        if match:
            return name
    if _SOURCES_DISAGREE.search(text):
        return "ask"
    for name, pattern in (("why-not", _WHY_NOT), ("why", _WHY), ("what-if", _WHAT_IF), ("compare", _COMPARE)):
        match = pattern.search(text)
        if match:
            _take_cue(message, match)
            return name
    if _CHANGE.search(text):
        match = _CHANGE.search(text)
        message.take(match.start(), _correction_end(match))
        return "change"
    if _QUESTION.match(text) or text.rstrip().endswith("?"):
        return "ask"
    return "describe"


def _take_cue(message: Message, match: re.Match[str]) -> None:
    """A cue that reaches over the thing it asks about ("why is RoCE not …") leaves that thing to be read."""
    name = next((n for n, text in match.groupdict().items() if text), None)
    if name is None:
        message.take_match(match)
        return
    message.take(match.start(), match.start(name))
    message.take(match.end(name), match.end())


def _correction_end(match: re.Match[str]) -> int:
    first = re.match(r"\W*(?:no\b[\s,.:;!\-]*(?:wait|sorry|actually)?|(?!not\b|double|halve|use\b|drop\b|cut\b|replace\b|swap\b|change\b|switch\b)[a-z']+)", match[0])
    return match.start() + (first.end() if first else 0)


_JOB = ("workload", "model", "model.params", "cluster.gpu", "cluster.gpus")
_PLANNING = re.compile(r"\b(?:which|what)\b.{0,30}\b(?:network|fabric|interconnect|networking|nics?)\b|\bdo (?:we|"
                       r"i) (?:really )?need\b|\bshould (?:we|i)\b|\bis .{2,40} (?:enough|worth|overkill|necessary)\b|"
                       r"\b(?:help|recommend|advise|plan)\b")


def settle(intent: str, message: Message, fields: dict[str, object], fabrics: list[str], excluded: list[str]) -> str:
    """A question that describes a whole job is a description; a statement in which nothing was understood is unclear."""
    if intent == "ask":
        if len(fabrics) == 2 and re.search(r"\bor\b|\bagainst\b|which (?:one )?is", message.text) and not any(name in fields
                                                                                                              for name in _JOB):
            return "compare"
        described = sum(name in fields for name in _JOB)
        machines = "cluster.gpu" in fields or "cluster.gpus" in fields
        if described >= 2 and machines and (_PLANNING.search(message.text) or described >= 3):
            return "describe"
        return "ask"
    if intent == "describe" and len(fabrics) == 2 and not any(name in fields for name in _JOB) and re.search(
            r"\bagainst\b", message.text):
        return "compare"
    if intent in ("describe", "change") and not (fields or fabrics or excluded):
        return "change" if intent == "change" else "unclear"
    return intent
