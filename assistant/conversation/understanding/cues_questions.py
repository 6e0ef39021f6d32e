"""How people ask why, why not, what if, which of two, and what something is."""

from __future__ import annotations

from .cue_words import (
    CLAUSE, CONCLUDE, DRAWBACK, JUSTIFICATION, LAY_OPEN, POLITE, RULED_OUT, START, TURNING_POINTS, cues,
)

DISAGREE = cues("ask", 84, r"\b(?:sources?|papers?|articles?|vendors?|experts?)\b.{0,30}\b(?:disagree|contradict|conflict)|"
                             r"contradict\w*.{0,20}sources|"
                             r"\bwhere do .{0,20} disagree")
NOT = r"(?:not|no|isn't|is not|aren't|don't|doesn't|can't|cannot|didn't|did not|won't|wouldn't|shouldn't|couldn't|wasn't|never)"
WHY_NOT = cues(
    "why-not", 70,
    rf"\bwhy (?:on earth |the hell |then )?(?:{NOT}|do (?:you|we) not|(?:did|do|does|would|have) (?:you|it|we|weft) (?:not|{RULED_OUT}|"
    rf"drop|lose)|{RULED_OUT})\b",
    rf"\bwhy (?:is|was|were|are|would|should|did|does|do|has|have|had|will|can|could) (?P<thing>.{{2,50}}?)(?:\bnot\b|{RULED_OUT}|losing|"
    rf"impossible|worse|no good|bad|out\b|lose\b|fail\w*|drop out|missing|unsuitable|inferior)\b",
    r"\bwhat (?:don't|do not|didn't|do|did|doesn't) (?:you|it) (?:not )?(?:like|dislike|hate|hold against|have against|mistrust)\b",
    rf"what(?:'s| is| are|'re| was| would be| could be| might be| speaks| argues| makes| rules| ruled| disqualifies| disqualified| kills|"
    rf" killed| counts)? (?:(?:so )?wrong with|against|out|(?:the|your) (?:main |big |biggest |real )?{DRAWBACK} (?:with|of|to|about|"
    rf"against|for)|bad about|disqualif\w+|"
    rf"(?:do|have) you (?:have |got )?against)\b",
    r"(?:how come|reason)s? (?P<thing3>.{0,30}?)(?:\bnot\b|isn't|aren't|doesn't|don't|against|never|no\b|" + RULED_OUT + ")",
    r"\b(?:anything|something|much) (?:wrong|bad|problematic) (?:with|about)\b|\b(?:something|anything|much|what) (?:\w+ )?against\b|"
    r"\bdo you (?:hate|dislike|mistrust|distrust|avoid)\b",
    r"\bwhat (?:does|do|is|are|did) (?P<thing13>.{2,30}?) (?:lack|lacking|miss|missing|fail at|do wrong|do badly)\b",
    r"\bwhy (?P<thing2>.{2,40}) (?:instead of|rather than|and not|over)\b",
    r"\bwhy (?:did|does|do|is|was|has|have|would) (?P<thing12>.{2,40}?)(?:fall (?:out|behind|short)|come (?:last|second)|rank (?:low|last|"
    r"behind)|get (?:dropped|rejected|excluded)|not make it|isn't|excluded|behind|only (?:second|third)|second best|runner-up|beaten)\b",
    r"(?:couldn't|can't|why couldn't) (?P<thing7>we|i|you|[\w\-]{2,20}) (?:just |simply |also |even )*(?:use|take|stay|go|do|work|suffice|"
    r"be enough|run|handle|manage|serve|keep)\b",
    rf"(?P<thing6>.{{2,40}}?)\b(?:\w+n't|not|never|no|missing|last|lost|fail\w*|{RULED_OUT}|out|behind|worse|nowhere|absent|gone|bottom|"
    rf"second|third)\b(?P<thing14>.{{0,40}}?)\b(?:(?<!see )(?<!understand )(?<!get )(?<!know )(?<!sure )(?<!follow )why|how come|how so|"
    rf"what for|for what reason|what (?:went )?wrong|what happened)\b(?: (?:is )?that| though| exactly| then)?\W*$",
    rf"{RULED_OUT}\b(?P<thing8>[^?]{{0,40}})(?:\bwhy\b|how come|for what reason|on what (?:grounds|basis)|what for|because of what|"
    rf"reasons?\b)",
    r"\b(?:you|it|weft|they) (?:did|do|does|have|had|would)(?:n't| not)\b(?P<thing9>[^?]{2,50})(?:\bwhy\b|how come|"
    r"what for)\W*$", r"what speaks against") + cues(
    "why-not", 48.5,
    r"\b(?:can|could|should|may|might|would|do|does|is|are|will) (?P<thing10>we|i|you|it|(?!simply\b|just\b|really\b|also\b|definitely\b|"
    r"probably\b|certainly\b|clearly\b|still\b)[\w\-]{2,20}) not (?:just |simply |also |even )*(?:use|take|stay|go|do|work|suffice|be|run|"
    r"handle|keep|good|enough|an option|recommended|possible|fast|pick|choose|have|get by|live|make do)\b",
    r"\bwhat(?:'s| is| would be| was| makes| could be)? (?P<thing11>.{0,20}?)(?:so )?(?:bad|wrong|weak|poor|terrible|problematic|worse|"
    r"unsuitable|a bad idea|not good|lacking|missing)(?: about| with| in| for| at)\b")
WHY = [
    *cues("why", 60,
           r"\bwhich \w+ (?:supports?|backs?|proves?|confirms?|justif(?:y|ies)|underpins?|speaks? for)\b",
           START + rf"{POLITE}(?:walk|take|talk|guide|run|lead) (?:me|us) through (?:it|this|that|the (?:plan|answer|result|"
                   rf"recommendation|numbers?|logic|steps))\b",
           START + r"how (?:did|does|has) (?!one\b|someone\b|nccl\b|training\b)(?P<thing20>[^?]{2,30}?) (?:come out|win|beat|end up|"
                   r"get (?:picked|chosen|selected)|make it|prevail|take the lead)\b",
           START + r"(?:.{0,30}[,.;]\s*)?(?:but )?(?:(?:and )?why+\b|how come\b|how so\b|because\W*\?|because of what\b|what (?:led|"
                    r"brought|makes|made|convinced|drove|persuaded) you\b|"
                    r"explain(?=\W*$|\splease|\s(?:why|yourself|your|it|this|that|how (?:you|it|that)|(?:the|me the) (?:plan|"
                    r"recommendation|choice|answer|result|decision|reason\w*|verdict|numbers?)))|"
                    r"for what reason|on what (?:basis|grounds|evidence)|based on what|says who|who (?:told you|says|said|claims)\b|"
                    r"according to (?:who|what))",
           START + rf"{POLITE}(?:justify|motivate|prove|defend|back (?:(?:it|this|that) )?up|substantiate)\b",
           CLAUSE + rf"{LAY_OPEN}(?: to)?(?: me| us)? (?:\w+ )?(?:the |your |its |some |all the |any |full |a )*(?:(?:details?|steps|"
                     rf"breakdown) (?:of|behind|for) (?:the |your )?)?(?:{JUSTIFICATION}|(?:sources?|work|proof)\b)(?! (?:on|about) )",
           CLAUSE + rf"{LAY_OPEN}(?: me| us)? (?:how|where) (?:you|it|that|this|they|the \w+)\b.{{0,20}}\b{CONCLUDE}\b",
           START + rf"(?:(?:what|where|which)(?:'s| is| are|'re| were| was)? )?(?:the |your |any |some |its |and |main |real |actual |"
                    rf"exact |key |underlying |biggest |true )*(?:(?:details?|steps|breakdown) (?:of|behind|for) (?:the |"
                    rf"your )?)?(?!thinking (?:of|about)|working (?:on|with)|grounds for){JUSTIFICATION}(?: (?:is )?(?:behind|for|of|"
                    rf"please|there|why)\b|\W*$|\W*\?)",
           START + r"where(?:'s| is| are) (?:the |your )?(?:proof|evidence|reasons?|reasoning|justification|sources?)\b",
           START + r"what(?:'s| is| are|'re) the sources? (?:for|of|behind)\b",
           START + rf"(?:how|where) (?:did|do|does|have|could|can|are|were|is) (?:you|that|this|it|the|these|those|weft|we|"
                    rf"they)\b.{{0,40}}?\b{CONCLUDE}\b(?! (?:started|rid|to use|a gpu))",
           r"\bwhat(?:'s| is| lies| stands) behind (?:that|this|it|your|the) ?(?:recommendation|choice|answer|decision|verdict|number|"
           r"advice|result)?|what(?:'s| is) (?:this|that|it) based on|"
           r"\bwhat (?:speaks|argues|counts|talks) (?:for|in favou?r of)\b|^\W*(?:convince|persuade) (?:me|us)\b|\bwhat (?:supports|"
           r"backs(?: up)?|underpins|underlies|favou?rs|justifies|motivates|explains|confirms|proves|drives|points to|led to|went into)\b|"
           r"\b(?:what|which \w+) (?:do|did|does|are|is) (?:you|that|this|it|your \w+) (?:\w+ )?(?:base|based|rest|rests|rely|grounded|"
           r"founded|build)\b|\bhow (?:sure|certain|confident|reliable|trustworthy) (?:are you|is (?:that|this|it|the))\b",
           r"\bwhat (?:made|makes|lets|let|gives|gave|puts|put) (?P<thing2>.{2,30}?) (?:win|ahead|come out|the edge|stand out|beat|lead|"
           r"preferable|come first)\b|\bwhat (?:decided|tipped|settled|determined)\b|\bwhy (?:exactly|that|this|it|so|the)\b",
           r"\bwhat makes (?P<thing>.{2,30}?) (?:the |your |so )?(?:best|better|winner|cheapest|right|recommended|preferred|choice|good|"
           r"superior|suitable|optimal)\b",
           r"\bi (?:don't|do not|can't|cannot) (?:see|get|understand|follow) (?:why|how you|the (?:reason\w*|logic|choice|recommendation))",
           r"\b(?:understand|see|know|learn) (?:the|your|this|why (?:you|it|this|that)|how you) ?(?:decision|choice|recommendation|"
           r"reasoning|answer|chose|picked|decided|recommend)\b",
           START + r"(?:the |your )?sources\W*$|can you (?:explain|justify) (?:that|this|it|your|the (?:choice|plan|answer|decision|"
                    r"recommendation|result))|give me (?:the |your )?(?:reasoning|reasons?|rationale)"),
    *cues("why", 58, rf"[.!?,;:]\s*(?:and |so |but )?(?:the |your |any |some )?{JUSTIFICATION}\W*\?\W*$",
          r"(?<=[\w)])[\s,.:;\-]+(?:but |and |"
            r"so )?(?:why|how come|"
            r"how so)(?: (?:is )?that| though|"
            r" exactly)?\W*$"),
]
WHAT_IF = [
    *cues("what-if", 50,
           START + r"(?:if\b(?! (?:possible|you can|needed|necessary|so\b|not\b|any\b))|try\b(?! (?:to|again)\b)|assum(?:e|ing)\b|"
                    r"(?:let's|let us|let me|can we|could we|i want to|i'd like to) (?:assume|suppose|pretend|imagine|try(?! (?:to|again))|"
                    r"see (?:what|how|it|that|the)|look at (?:what|how|it)|check (?:what|how|with)|play with|explore|simulate|"
                    r"say (?!that's))|pretend\b|"
                    r"given (?:that )?(?=\d|we|i|an?\b)|(?:and )?in (?:the )?case\b(?: of| that)?|picture (?:this|us|we)\b|provided\b)",
           r"\bwhat then\b|\bwhat[\s\-]if\b|\bsuppos(?:e|ing)\b|\bassum(?:e|ing) (?:we|i|that|it|for a moment)\b|\bwhat (?:about|"
           r"would happen|happens|changes|(?:else )?would (?:change|be different|happen))\b|"
           r"\bhow (?:about|would happen)\b|\bimagine\b|\bhypothetical(?:ly)?\b|\bin case (?:we|i|it|of|they|you)\b",
           r"(?:^|[,.;]\s?)\W*say (?:the|our|a) [^,.;]{2,24} (?:were|was|is|had|would)\b",
           r"(?<!let's )(?<!could )\bsay (?:we|i|it|they|you) (?:had|have|used|get|got|use|go|went|take|took|were|was|buy|bought|rent|"
           r"rented|choose|chose|switch|switched)\b",
           r"\b(?<!as )if (?:we|i|you|it|the|they|that|there|our|my|a|an|instead) (?=(?:\w+ )?(?:had|have|used|use|went|go(?:es)?|doubled?|"
           r"halved?|were|was|got|gets?|switch\w*|mov\w*|could|only|add\w*|"
           r"chang\w*|drop\w*|cost|costs|took|take|bought|buy|rent\w*|grow\w*|grew|scal\w*|train\w*|ran|run|becomes?|became|gave|give|"
           r"tripled?)\b)",
           r"\b(?:does|do|will|did|can|could) (?:the |your |that |this )?(?:answer|plan|recommendation|result|verdict|choice|winner|"
           r"outcome|conclusion|picture|anything|ranking) (?:\w+ )?(?:change|stay|hold|differ|remain|flip|look|be|still|move|shift|"
           r"depend)\b|\b(?:is|are|will|would) (?:the |your |that |this )?(?:answer|plan|recommendation|result|verdict|choice|winner|"
           r"outcome|conclusion) (?:be )?(?:still |also |then )?(?:the same|different|stable|valid|true|right|robust)\b",
           r"\bwould (?:it|that|the answer|anything|this|the plan|the recommendation|the result|the verdict|your answer|"
           r"things) (?:\w+ )?(?:change|differ|help|matter|be (?:different|the same|better|worse)|still|flip)\b",
           r"\bwould (?P<thing2>.{2,40}) (?:change (?:anything|it|that|the \w+|your \w+)|help|matter|make (?:a(?:ny)? |much )?difference|"
           r"flip)\b|\bwould you still (?:say|recommend|choose|pick)\b",
           r"\bwhat (?:difference|effect|impact|influence) (?:would|does|do|will|has|have)\b(?P<thing6>.{2,60})\b(?:make|have|on)\b",
           r"(?:how|what) (?:would|does|will|do) (?:it|that|this|things|the (?:plan|answer|picture|recommendation|result|cost|verdict|"
           r"numbers)) (?:look like|look|change|be|differ|shift|come out) (?:with|on|if|for|at|in|under|when)\b",
           r"\b(?:under|in|with|given) (?:what|which) (?:\w+ )?(?:assumptions?|conditions?|circumstances|scenarios?|cases?|prices?)\b",
           r"\b(?:calculat\w+|comput\w+|estimat\w+|plan|run|do|try|work (?:it|that|this) out|the (?:numbers|figures|plan|calculation|"
           r"analysis|estimate|results?)) (?:it |that |this )?(?:again|anew|once more|afresh) (?:with|for|on|using|at|but|over|in)\b",
           r"what would (?:flip|change|it take|tip|make you|need to|have to)|\bwhat has to (?:happen|change)\b",
           r"\btry (?:it |that |this )?(?:with|on|at)\b|^\W*and (?:with|on|at|for|over|without|using)\b",
           START + r"(?:(?:show|give|tell|run|redo|repeat|calculate|plan)(?: me| us)?(?: it| that)? )?(?:the |this |that |"
                    r"exactly )?(?:same|ditto|identical)\b(?: (?:thing|job|set-?up|plan|run|model|question|cluster|case|again|but|only|"
                    r"just|now|one|everything))*\s?,?\s?"
                    r"(?:(?:but )?(?:with|on|for|at|in|over|using|without|as)\b|but\b)",
           START + r"(?:(?:show|give|tell)(?: me| us)? (?:it|that|this|the (?:plan|numbers|answer))|(?:redo|repeat|recalculate|replan|"
                    r"recompute|re-?run|re-?estimate)(?: it| that| this| everything| all| the (?:\w+ )?(?:plan|analysis|calculation|"
                    r"numbers|estimate|exercise|comparison|study|thing))?|(?:run|plan|do|calculate) (?:it|that|"
                    r"this) again)(?: again)? (?:with|for|on|using|at|over|without)\b"),
    *cues("what-if", 49, *TURNING_POINTS),
    *cues("what-if", 49, START + r"would be (?P<thing10>.{2,40}?) (?:also |still |even |really |then )*(?:possible|ok(?:ay)?|enough|"
                                   r"better|cheaper|faster|sufficient|an option|good|fine|feasible|worse|slower|too \w+|different)\b",
           r"\bhow (?:close|far|near|likely)\b(?P<thing11>.{2,40}?)\b(?:flip\w*|chang\w+|tip\w*|turn\w*|switch\w*|revers\w+|overturn\w*|"
           r"(?:an|the)?other (?:answer|choice|winner|verdict|result|network)|different (?:answer|choice|winner|verdict|result|network)|"
           r"break[\s\-]?even|cross-?over)\b",
           r"\bclose to (?:flipping|tipping|changing|a different|another|turning|break[\s\-]?even)\b"),
    *cues("what-if", 48, START + r"would (?!you\b|i\b|we\b)(?P<thing5>.{2,40}?) (?:also |still |even |really |already |actually |"
                                   r"probably )?(?:do|work|suffice|be|run|handle|cope|hold|manage|perform|fit|save|cost|make|give|get)\b"),
    *cues("what-if", 44, r"^\W*(?:and|or|but)\b(?! (?:what|which|who|whom|whose|how|why|when|where|is|are|do|does|did|can|could|should|"
                          r"will|would|has|have|if|in)\b)(?![^?]*\b(?:is|are|was|because|why)\b)(?P<thing8>[^?]{1,40})\?\W*$"),
    *cues("what-if", 50, r"\bhow (?:sensitive|robust|stable|fragile|dependent) (?:is|are)\b"),
    *cues("what-if", 45, r"^\W*(?:(?:and|but|or|ok|so|then|just|only)\s)*(?:at|with|on|for|using|over|under|without|in|"
                          r"via)\b(?! (?:what|which|whom|whose|how|case)\b)(?P<thing7>[^?]{1,60})\?\W*$"),
]
COMPARE = cues(
    "compare", 40,
    r"\b(?:contrast\b|compar(?:e|es|ing|ison|ed (?:to|with|against))\b|\bor\b(?P<thing3>.{2,50})\bwhich\b.{0,20}\b(?:better|cheaper|faster|"
    r"best)\b|versus\b|\bvs\b\.?|difference[s]? (?:between|of)|"
    r"differ\b|differ from|side by side|head[\s\-]to[\s\-]head)",
    r"(?:which|what)(?:'s| is| one is| would be)? (?:is )?(?:the )?(?:better|cheaper|faster|best)\b(?P<thing2>.*\bor\b)|how (?:does|"
    r"do) (?P<thing>.{2,60}) (?:stack up|compare|fare|measure up|differ|relate|hold up)|"
    r"^(?!\W*(?:is|are|was|does|do|can|will|did)\b).*?\b(?:better|worse|faster|cheaper) than|pros and cons of (?P<thing4>.* (?:and|or|vs|"
    r"versus) )",
    r"\b(?:between|among|out of|of)\b(?P<thing9>[^?]{3,60}\b(?:and|or)\b[^?]{2,40}?)[\s,:;\-]+(?:which|what|who)\b|\bwhich (?:one )?(?:is |"
    r"would be |are )?(?:the )?(?:more|most|better|best)\b(?! (?:recent|common|often))|"
    r"\b(?:weigh|pit|put|hold|stack|set|match|rate|rank|judge)\b(?P<thing5>[^?]{2,40})\b(?:up )?(?:against|next to|beside|side by side)\b|"
    r"\bwhich (?:one )?(?:of|out of|among|between)\b|\bhow close\b(?=.*\bbetween\b)",
    r"\bwhat (?:sets|distinguishes|separates|tells|differentiates)\b|\btell\b(?P<thing6>.{2,40})\bapart\b|\btrade[\s\-]?offs? between\b|"
    r"\bhow much (?:better|worse|cheaper|faster|slower|dearer|more expensive) (?:is|are)\b(?=.* than )|"
    r"\bwhere do(?:es)? (?P<thing8>.{2,40}) differ\b")
COMPARE += cues(
    "compare", 52, r"\b(?:choos(?:e|ing)|decid(?:e|ing)|pick(?:ing)?|select(?:ing)?|choice|decision|torn|hesitat\w+|"
                   r"toss-?up) between\b(?=.* (?:and|or) )",
    r"(?:\band\b|\bor\b|\bvs\b\.?|\bversus\b|/)(?P<thing12>.{2,40}?)\b(?:who|which(?: one)?|what) (?:wins|is the winner|"
    r"comes out (?:on top|ahead|first)|takes it|has the edge)\b")
ASK = [
    *cues("ask", 20,
           START + r"(?:what|what's|whats|which|who|whose|when|where|how|is|are|does|do|did|can|could|should|will|would|has (?:any|it|"
                    r"this|that|there|meta|nvidia|some|someone|somebody|anyone|anybody|roce|infiniband)|"
                    r"have (?:you|they|there|people|others)|tell me (?:about|more|something|what|how|whether|if|which)|define\b|"
                    r"describe (?:the|what|how)|explain\b|teach me|i(?:'d| would| want| need)? (?:like )?to (?:know|learn|understand)|"
                    r"i wonder|i(?:'m| am) (?:curious|wondering|interested in (?:how|what))|"
                    r"any(?: \w+)? (?:sources?|evidence|experience|benchmarks?|papers?|studies|data|numbers)|explain what|(?:i |"
                    r"we )?(?:need|want|would like|looking for)? ?(?:some |more |a bit of )?(?:background|information|info|details|"
                    r"literature|papers|sources) (?:on|about|for)|"
                    r"(?:the |an? )?(?:price|cost|latency|bandwidth|throughput|power(?: draw| consumption)?|meaning|definition|history|"
                    r"speed|performance|lead time|market share|reliability|failure rate|size|number|list|examples?|basics|advantages|"
                    r"benefits|risks?|role|purpose|theory|best practices?|state of the art|future|lifetime|reach|range|maximum \w+|"
                    r"typical \w+|average \w+) (?:of|for|in|behind|per|with)\b(?! (?:our|my|us|this|it)\b)(?!.*\d)|(?:at|in|on|from|for|"
                    r"to|under|with|by|of) (?:what|which|whose|how)\b|wondering (?:if|whether|how|what))\b(?!'t)(?! (?:not|be|take|finish|"
                    r"run|stay|cost|end|last|exceed|have to|need to)\b)",
           r"\b(?:can|could|would) you (?:please )?(?:tell|explain|describe|say|define)\b|\bdo you know (?:what|how|if|whether|who|"
           r"which)\b"),
    *cues("ask", 55, r"^\W*is it (?:true|correct|right|a fact|a myth) that\b"),
    *cues("ask", 18, r"[a-z]{2}.*\?\W*$"),
]
