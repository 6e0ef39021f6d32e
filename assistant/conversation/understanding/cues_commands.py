"""How people ask for help, take something back, want the plan in a file, or put a fact right."""

from __future__ import annotations

import re

from .cue_words import (
    ADJUST,
    CLAUSE,
    ENDS,
    HAND_OVER,
    JUST_SAID,
    KIND,
    LEAD_IN,
    MISTAKE,
    PATH,
    POLITE,
    RETRACT,
    START,
    Cue,
    cues,
)

HELP = cues(
    "help",
    90,
    START
    + r"what (?:does|do|did|would) (?:this|the|it|weft|you)(?: (?:tool|program|app|thing|planner|assistant|software))? (?:expect|"
    r"want|need|require|accept|"
    r"understand|take)(?: (?:from )?(?:me|us))?(?: to (?:enter|type|say|give|provide|tell(?: you)?|write|do|answer|"
    r"know))?(?: here| now)*\W*$",
    START
    + r"what (?:do|does|should|would|might|could) (?:people|others|users|one|somebody|someone|i|we) (?:have to |need to |"
    r"\w+ )?(?:answer|say|type|enter|write|"
    r"put|reply)(?: here| there| now)*\W*$",
    START + r"(?:what(?:'s| is| comes| do i do| should i do) next|(?:and )?now what|what now)\W*$",
    START
    + r"(?:/?help\b(?! (?:me |us )?(?:to )?(?:choose|decide|plan|pick|find|understand|with|calculat\w+|comput\w+|comparing|compare|"
    r"see|estimat\w+|siz\w+))|/\?|usage$|(?:what are my )?options\??$|what (?:now|next)\W*$|"
    r"(?:the )?(?:manual|instructions|tutorial|guide|man page|docs|documentation|commands?|menu|faq)\W*$)",
    r"(?:^|[.,;!?]\s*)\W*"
    + LEAD_IN
    + r"(?:(?:what|which)(?: else| all| kinds? of| sorts? of| types? of| other| information| info|"
    r" details?| data| inputs?| facts?| things?| questions?| numbers?| topics?| subjects?)* (?:do|can|"
    r"should|must|may|could|would|are|shall) "
    r"(?:i|you|we|weft|one)(?: \w+)?(?: (?:do|ask|say|type|tell|enter|write|need|want|expect|provide|give|able|understand|answer|"
    r"input|require|know|offer|put|pose|throw|send|submit|mention|specify|bring|discuss|handle|cover|accept|support|take|"
    r"prepare)(?: you)?)"
    r"(?: (?:from|of) (?:me|us|you)| to (?:know|start|begin|say|type|do|tell you|hear)(?: \w+)?| here| next| now| about| exactly|"
    r" to do| for me| (?:to|at|with) you| first| then| anyway)*\W*$)",
    START
    + r"(?:how (?:do|does|can|should|could|would|to)(?: i| (?:this|the|your)(?: (?:tool|program|thing|app|planner|assistant|"
    r"software))?| it| one| we| weft| you| that)? (?:use|work|start|begin|proceed|"
    r"get started|go on|continue|operate|talk to)\b"
    r"(?: (?:this|it|weft|here|you|with (?:this|it|you)|the (?:tool|program|planner)|thing|tool|program|over|again|anew|"
    r"from scratch|a new (?:plan|one)))*\W*$)",
    START
    + r"(?:where (?:do|should|can) (?:i|we) (?:start|begin)\W*$|i(?:'m| am) (?:a bit |totally |completely |so )?(?:lost|stuck|"
    r"confused|clueless|new here)\b|i need (?:some )?help\W*$|"
    r"i (?:(?:don't|do not) (?:understand|get)(?: (?:it|this|what|how))?|(?:don't|do not) know (?:what|how|where))(?: (?:to|i|"
    r"this|should|can|you|works?|do|say|type|use|write|enter|need|want|now|here|next))*\W*$|"
    r"(?:i have |i've )?(?:no idea|no clue) (?:how|what|where) (?:to|this|i|you)\b(?! (?:network|pay|cost))|"
    r"(?:can|could|would|will) (?:you|someone|somebody|anyone|anybody) (?:please )?help(?: me)?(?: out)?\W*$|help (?:me )?please|"
    r"i could use (?:some )?help|(?:is there|do you have|have you got|any|where is) (?:any |some |an? |the )?(?:help|manual|"
    r"documentation|docs|tutorial|guide|instructions|examples?)\b\W*$)",
    START
    + r"(?:(?:please )?(?:list|show|give|print|tell)(?: me)? )?(?:(?:what|which) )?(?:the |all |your |are the |are my |some |other |"
    r"more )*(?:commands|options|features|functions|keywords|shortcuts|things|menu|inputs|capabilities|possibilities|"
    r"example (?:questions|inputs|messages|sentences))(?: are there| do you (?:have|know|understand|accept)| exist|"
    r" (?:are )?(?:possible|available|allowed)| (?:can|could|do|should|must|may) (?:i|we) (?:use|type|say|enter|give|have|ask|"
    r"choose|do|tell|know|answer)(?: from| between| you| here)?| i (?:can|have|need)(?: to)?(?: (?:use|say|type|enter|ask|give|"
    r"tell))?(?: you| here)?| for me)*\W*$",
    START
    + r"(?:(?:what(?:'s| is| are| does)|who(?:'s| is| are)|how do(?:es)?) (?:this|that|it|you|weft|the (?:tool|program|app|"
    r"assistant|thing))(?: (?:tool|program|app|assistant|thing|all|here|software|planner))*(?: (?:for|about|do|good for|"
    r"able to do|capable of|actually|exactly|supposed to do|for me))*\W*$|"
    r"(?:explain|show(?: me)?|tell me|teach me|describe)(?: to me)? (?:how (?:to use|this works|it works|you work|i (?:can |"
    r"should )?use)|what (?:you|this|i) can (?:do|say|type|ask)|the (?:tool|program|basics|usage))\b|"
    r"how (?:can|do|should|could) (?:i|we|one) (?:talk|speak|chat|communicate|interact|answer|phrase|enter|type|tell|ask|"
    r"give you|input|respond|reply|navigate|control|quit|exit)\b(?! .*(?:gpu|nccl|network|switch|fabric)))",
)
# A sentence of nothing but a word for help and the small words around it: "is there a manual for this", "some help would be nice".
HELP_NOUN = (
    r"(?:help|manual|manuals|documentation|docs|tutorial|guide|guides|instructions?|examples?|hints?|how-?to|faq|handbook|"
    r"walkthrough|tour|cheat[\s\-]?sheet|"
    r"introduction|intro|commands?|user guide|readme|assistance|support|guidance)"
)
AROUND_HELP = (
    r"(?:an?|the|any|some|is|are|there|do|does|you|have|got|has|i|we|me|us|need|needs|could|can|would|may|might|should|will|"
    r"use|want|like|be|nice|good|great|"
    r"useful|helpful|lovely|appreciated|welcome|please|pls|this|that|it|your|tool|program|thing|app|planner|weft|for|of|to|"
    r"with|on|about|how|where|what|show|give|"
    r"find|get|see|read|list|open|print|available|exist|exists|somewhere|here|now|little|bit|more|quick|short|proper|user's|ok|"
    r"hi|hello|hey|so|and|just|"
    r"possible|required|wanted|input|inputs|question|questions|sentence|sentences|message|messages|prompt|in|out|if|possible|"
    r"or|all|kind|sort|using|working|work)"
)
HELP.append(Cue("help", 90, re.compile(r"^\s*\?+\s*$")))
HELP.append(
    Cue("help", 89, re.compile(rf"^\W*(?:{AROUND_HELP}\W+)*{HELP_NOUN}(?:\W+(?:{AROUND_HELP}|{HELP_NOUN}))*\W*$"))
)
UNDO = [
    *cues(
        "undo",
        88,
        CLAUSE + rf"{RETRACT} {JUST_SAID}{ENDS}(?! (?:to|by|with) )(?!\s?,\s?(?:\w+ ){{0,2}}?\$?\d)",
        START + rf"{POLITE}(?:/?undo\b|/?back\b(?=\W*$| (?:please|pls|one|a step|again|to the (?:previous|last))\b)|"
        rf"go back\b(?! to (?!(?:(?:the|my|our|your) )?(?:previous|last|old|former|earlier|state|version|before|how|where|"
        rf"what|that)))|(?:one |a |two )?steps? back|revert\b|roll ?back|scratch that|"
        rf"never ?mind(?: (?:that|it|what i \w+|my last \w+))?(?=\W*$)|(?:un)?do that over|previous (?:step|question|answer)|"
        rf"cancel\W*$|return to the (?:previous|last)|"
        rf"restore (?:the (?:previous|last|old)|what (?:we|i|it) (?:had|was)|how it was)|step back\b|(?:go|jump|move|step|"
        rf"get) (?:one|a step|1|two|2)(?: steps?)? back|(?:go|jump|move|get) back (?:one|a|1|to (?:the )?(?:previous|last|"
        rf"before|where))|backwards?\W*$|one up\W*$|(?:bring|get|give|put|take|call|want|need) (?:me |us )?(?:back )?(?:the |"
        rf"my |it )?(?:to )?(?:the )?(?:previous|last|old|former|earlier|prior)\b[^,.]{{0,20}}(?:back|version|state|values?|"
        rf"answers?|plan|setup|settings?|one)?\W*$|return to (?:the |my )?(?:previous|last|old|former|earlier|prior))",
        CLAUSE
        + r"(?:take|pull|put) (?:that|it|this|(?:the|my|that|this) (?:last|previous) \w+|what i \w+) back(?! to \d)",
        CLAUSE + r"(?:roll|turn|wind|set|bring|move|push|put) (?:that|it|this|things|everything|(?:the|my|that|this|"
        r"our) (?:very )?(?:(?:last|previous|latest|recent) )?(?:edit|change|step|"
        r"message|answer|input|entry|update|setting|correction|modification|move|thing|action|one)) (?:back(?! (?:to|by) \d))",
        CLAUSE + rf"back (?:that|this|it|(?:the|my) (?:last )?\w+) out{ENDS}",
        r"[,.;!\-]\s*(?:please |so |and |let's |just )*(?:go|step|roll|turn) back(?: please)?\W*$",
        START
        + rf"{POLITE}(?:rewind|revert|undo|reverse|roll ?back|go back|back up|step back)(?: by)?(?: (?:one|a|two|three|1|2|3|"
        rf"the last))?(?: steps?)?(?: please)?\W*$",
        START + r"(?:(?:please )?(?:restore|previous (?:state|version|plan|answer|step|one|setting))(?: please| it)?|"
        r"(?:please )?(?:leave|keep|put) (?:it|that|everything)"
        r"(?: back)? (?:as|how|like|the way) it was(?: before)?|as it was(?: before)?)(?:,? please)?\W*$",
        CLAUSE + r"take (?:that|it|this) (?:out|away|off)(?: again| please)*\W*$",
        CLAUSE + r"take back\b",
        CLAUSE + r"undo (?:it|that|this)\b",
        r"\bdid(?:n't| not) mean (?:that|it|to (?:say|send|write|type|enter) (?:that|this|it))|\bforget i said\b|\bas (?:it was|"
        r"if i never said) (?:that|before)\b|\bgo back (?:one|a|two) steps?\b",
    ),
]
EXPORT = cues(
    "export",
    86,
    START
    + rf"{POLITE}(?:e?-?mail|mail|send|forward|share|deliver|post)(?: (?:me|us|it|out|over))* (?:the |this |that |your |my |our )?"
    r"(?:whole |full |final |complete )?(?:plan|report|result|results|summary|answer|recommendation|thing|lot|it|this|that)\b"
    r"(?: (?:to|with|as|by|in|over|please)\b.{0,40})?\W*$",
    START
    + rf"{POLITE}(?:/?export\b|/?save\b(?! (?:money|cost|time|on|us|\$|\d|by))|download\b|dump\b|write (?:it|this|the plan|"
    rf"everything|that|a report)\b|"
    rf"store (?:it|this|that|the (?:plan|report|result|answer))\b)",
    START + rf"{POLITE}(?:{HAND_OVER}\b)[^.;]{{0,60}}?\b(?:as|in|to|into|a|an|the|of|with|for) (?:an? |the |"
    rf"some )?(?:[\w\-]+ )?{KIND}\b(?! (?:size|system|server|transfer|path))",
    rf"\b{HAND_OVER}\b[^;]{{0,40}}?\s{PATH}",
    START + rf"{POLITE}{HAND_OVER}(?: me| us| out)? {KIND}\W*$",
    START + rf"(?:{PATH}|(?:as |"
    rf"in )?(?:an? )?{KIND})(?: (?:file|"
    rf"version|format|report|output|"
    rf"export))?(?: of (?:this|it|that|"
    rf"the plan))?(?:,? please)?\W*$",
)
CHANGE = cues(
    "change",
    30,
    START
    + r"(?:no\s?[,.:;!\-](?![\s\-]?go)|no (?=\d|wait|actually|sorry|it's|its|make|i meant|we have)|nope\b|nah\b|wrong\b|actually\b|"
    r"correction\b|sorry\b(?! (?:for|about|to)\b)|wait\b(?! (?:an?|for|till|until)\b)|i meant\b|i mean\b|rather\b|make (?:it|"
    r"that|the)\b|"
    r"use .{1,30} instead|let's (?:make|change|switch|use|go with|say|take)\b|it(?:'s| is) (?:actually|rather)\b|"
    r"not .{1,30}(?:[,;:](?!\s*(?:please|thanks|thank you)\W*$)|"
    r" but\b|\s-+\s)|instead\b|go (?:with|up to|down to) )",
    r"\binstead\b(?! of)|^(?!use\b)(?P<thing>.{2,40}?)\binstead of\b|(?<!what )\b(?:is|was|that's|thats) (?:wrong|a typo|not right|"
    r"incorrect)\b|\bi (?:misspoke|mistyped|meant)\b|(?<!what )(?<!know )\bi mean\b|"
    r"\b(?:i|we) (?:entered|typed|said|wrote|put|gave|told you|answered)\b.{1,30}\b(?:but|however|when|where|"
    r"instead of)\b.{0,14}\b(?:should|is|are|meant|actually|it's|have)\b|\bshould (?:have been|be|read|say)\b.{0,30}(?:\bnot\b(?! (?:more|"
    r"less|over|exceed|longer|slower|worse))|\binstead of\b)|\bcorrection:|\bthe wrong \w+\b(?=[\s,.:;-]+\S)|\d[^.;]*[,.;]\s?sorry\W*$|"
    r"\d[^,;]{0,30}[,;]\s?(?:and )?not (?:an? |the )?\d[\w:.]*\W*$|(?<!can )\b(?:can|could) you (?:please )?make (?:it|that|the)\b|"
    r"\bmake (?:it|that) \S+",
    START + MISTAKE,
    rf"[,.;:]\s{MISTAKE}",
    START + rf"(?:can you |could you |please |kindly |just |let's |let us |let me |we |i |(?:i|"
    rf"we)(?:'d|"
    rf" would)? (?:like|want|need|have|wish) to )*{ADJUST}",
    rf"[,.;:!]\s+(?:so |and |then |therefore )*(?:please|can you|could you|let's|let us|kindly)(?: please)? {ADJUST}",
    START
    + r"new (?:deadline|budget|price|quote|limit|value|number|figure|count|total|sequence length|batch|target)\b[^.]{0,16}?(?::|=|"
    r"\bis\b|\bof\b)",
    START + r"meanwhile\b",
    START + r"(?:we|i)(?:'ve| have) (?:grown|shrunk|expanded|scaled|"
    r"doubled)\b",
    START + rf"{POLITE}let (?:the|our) [\w\s]{{2,24}} be\b",
    START + r"(?:please |kindly )?consider (?P<thing8>.{2,40}?) (?:instead|"
    r"rather)\b",
    r"\b(?:renegotiated|re-?negotiated|recounted|re-?counted|counted again)\b",
    START + r"(?P<thing4>(?:forget|scrap|drop|skip|scratch) \w+[,;.:]\s+(?:we|it's|it is|take|use|let's|make|go))\b",
    START
    + r"(?P<thing5>(?:ignore|forget|disregard|scrap|drop) (?:the |my )?\S+(?: \w+)? (?:i|we) (?:gave|said|wrote|told you|mentioned|"
    r"typed|entered))\b",
    r"(?P<thing6>\b(?:it|that|this)(?:'s| is)(?: not|n't) (?:an? )?[\w\- ]{2,24}[,;.\-]\s*(?:it|that)(?:'s|"
    r" is)\b)",
    r"(?P<thing7>^\W*(?:[\w\-]+ ){1,3}after all\W*$)",
    START
    + r"(?P<thing2>[\w.\-]*\d[\w.\-]*(?: (?!but\b)[\w.\-]+){0,3}),? not (?:an? |the )?[\w.\-]*\d[\w.\-]*(?: [\w.\-]+){0,2}\W*$",
    r"\b(?:we|i|they)(?:'ve| have|'re| are)? (?:just |now |since |meanwhile |recently )*(?:switched|switching|moved|moving|changed|"
    r"upgraded|downgraded|migrated|updated|increased|reduced|replaced|swapped) (?:over |up |down )?(?:to|the|our|from)\b",
    r"(?P<thing>\b(?:(?:has|have|was|were|got|is|been|just|now) )*(?:moved|slipped|pushed|jumped|risen|rose|fell|fallen|climbed|changed|"
    r"increased|extended|raised|lowered|reduced|shifted|"
    r"postponed|grew|grown|shrunk|dropped|went|gone) (?:up |down )?to\b(?=.*\d))",
    r"\b(?:it|that|this|we)(?:'s| is| was|'re| are| have| do)(?:n't| not)(?: have)? .{1,24}[,;.\-]\s*(?:it|that|we|there)(?:'s| is| are|"
    r"'re| have| was)\b(?=.*\d)",
    r"(?P<thing3>^\W*[a-z][\w\s]{1,24}\s?(?:->|=>|>)\s?\$?\d\S*\W*$)",
    START
    + rf"{POLITE}(?!(?:want|need|have|plan|like|limit\w*|cap\w*|train\w*|fine\w*|compare\w*|connect\w*|close|due|from|up|we|i|it|"
    rf"with|our|the)\b)[a-z]+ (?:it|that|this|(?:the|our|my) [a-z][\w\s]{{1,30}}?) (?:up |down |back )?to (?=\$?\d)",
    START + r"(?:scrap|forget|drop|scratch|strike|skip) (?:the |that |my )?\d\w*\b",
)
