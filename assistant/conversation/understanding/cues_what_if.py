"""How people try a variation: what if, suppose, from which size on."""

from __future__ import annotations

from .cue_words import POLITE, START, TURNING_POINTS, cues

WHAT_IF = [
    *cues(
        "what-if",
        50,
        START
        + r"(?:if\b(?! (?:possible|you can|needed|necessary|so\b|not\b|any\b))|try\b(?! (?:to|again)\b)|play (?:(?:it|this|"
        r"that) )?through\b|assum(?:e|ing)\b|"
        r"(?:let's|let us|let me|can we|could we|i want to|i'd like to) (?:assume|suppose|pretend|imagine|try(?! (?:to|again))|"
        r"see (?:what|how|it|that|the|(?=\d))|look at (?:what|how|it)|check (?:what|how|with)|play with|explore|simulate|"
        r"say (?!that's))|pretend\b|"
        r"given (?:that )?(?=\d|we|i|an?\b)|(?:and )?in (?:the )?case\b(?: of| that)?|picture (?:this|us|we)\b|provided\b)",
        r"\bwhat then\b|\bwhat[\s\-]if\b|\bsuppos(?:e|ing)\b|\bassum(?:e|ing) (?:we|i|that|it|for a moment)\b|\bwhat (?:about|"
        r"would happen|happens|changes|(?:else )?would (?:change|be different|happen))\b|"
        r"\bhow (?:about|would happen)\b|\bimagine\b|\bhypothetical(?:ly)?\b|\bin case (?:we|i|it|of|they|you)\b",
        START
        + r"say (?!that\b|this\b|it\b|we\b|i\b|you\b|they\b|again\b)(?:[a-z\-]+ ){1,4}(?:costs?|were|was|is|are|drops?|dropped|falls?|fell|rises?|rose|goes|went|"
        r"becomes?|became|doubles?|doubled) (?=\S)(?!why|what|how)",
        r"(?:^|[,.;]\s?)\W*say (?:the|our|a) [^,.;]{2,24} (?:were|was|is|had|would)\b",
        r"(?<!let's )(?<!could )\bsay (?:we|they) (?=\w)(?!are\b|should\b|is\b|need\b|want\b|do\b|don't\b|must\b|can\b|that\b)|"
        + START
        + r"(?:model|consider|take|run) (?:the|a) (?:case|scenario|situation) (?:of|where|that|with|in which)\b",
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
        r"analysis|estimate|results?)) (?:it |that |this |everything |all |the (?:whole |entire |full )?(?:thing|plan|calculation|"
        r"analysis|exercise|lot) )?(?:again|anew|once more|afresh) (?:with|for|on|using|at|but|over|in)\b",
        r"what would (?:flip|change|it take|tip|make you|need to|have to)|\bwhat has to (?:happen|change)\b",
        r"\btry (?:it |that |this )?(?:with|on|at)\b|^\W*and (?:(?:with|on|at|for|over|using)\b|(?P<thing16>without\b))",
        r"\bwhat (?:would|does|will|do|did|could) (?P<thing17>.{2,50}?) do to (?:the|it|that|this|my|our|your)\b",
        START + r"(?:(?:show|give|tell|run|redo|repeat|calculate|plan)(?: me| us)?(?: it| that)? )?(?:the |this |that |"
        r"exactly )?(?:same|ditto|identical)\b(?: (?:thing|job|set-?up|plan|run|model|question|cluster|case|again|but|only|"
        r"just|now|one|everything))*\s?,?\s?"
        r"(?:(?:but )?(?:with|on|for|at|in|over|using|without|as)\b|but\b)",
        START
        + r"(?:(?:show|give|tell)(?: me| us)? (?:it|that|this|the (?:plan|numbers|answer))|(?:redo|repeat|recalculate|replan|"
        r"recompute|re-?run|re-?estimate)(?: it| that| this| everything| all| the (?:\w+ )?(?:plan|analysis|calculation|"
        r"numbers|estimate|exercise|comparison|study|thing))?|(?:run|plan|do|calculate) (?:it|that|"
        r"this) again)(?: again)? (?:with|for|on|using|at|over|without)\b",
    ),
    *cues("what-if", 49, *TURNING_POINTS),
    *cues(
        "what-if",
        49,
        START + r"would be (?P<thing10>.{2,40}?) (?:also |still |even |really |then )*(?:possible|ok(?:ay)?|enough|"
        r"better|cheaper|faster|sufficient|an option|good|fine|feasible|worse|slower|too \w+|different)\b",
        r"\bhow (?:close|far|near|likely)\b(?P<thing11>.{2,40}?)\b(?:flip\w*|chang\w+|tip\w*|turn\w*|switch\w*|revers\w+|overturn\w*|"
        r"(?:an|the)?other (?:answer|choice|winner|verdict|result|network)|different (?:answer|choice|winner|verdict|result|network)|"
        r"break[\s\-]?even|cross-?over)\b",
        START
        + r"run (?:it|this|that|the plan|everything)(?: again)? (?:for(?! \d+ (?:days?|weeks?|hours?|months?))|with|on|at)\b|"
        + START
        + r"(?:check|test|evaluate|simulate) (?:(?:it |this |that )?(?:with|on|at|for)\b|(?=\d))",
        r"\b(?:is|are|would|will|does) (?P<thing18>.{2,40}?) still (?:be )?(?:the |a )?(?:winner|best|better|right|recommended|"
        r"cheapest|fastest|worth|enough|ok|fine|wins?|first|good)\b"
        r"(?P<thing19>(?: \w+){0,3}?) (?=with|at|on|for|if|without|under)",
        r"\bdo(?:es)? (?:it|that|this|the \w+) (?:still )?(?:scale|work|hold|fit|suffice)\w* (?=to|for|with|on|at|"
        r"beyond)",
        r"\bwhen (?:is|will|would) (?:it|that) (?:be )?(?:the )?(?:right )?(?:time|moment|point|worth|sensible|"
        r"better) to (?:move|switch|go|change|upgrade|buy|use|get|take)\b",
        START + r"(?:check|see|show(?: me)?|tell me) what (?P<thing20>\d.{1,30}?) (?:would|will|could|does|"
        r"do)\b",
        START + rf"{POLITE}(?:plan|compute|calculate|do|run|price) (?:it|this|that|the same) (?P<thing21>(?:for|on|"
        rf"at|with) \w[\w\s]{{1,24}}) (?:too|as well|also|instead)\W*$",
        r"\bwhen would (?:you|we|i|one) (?:rather )?(?:pick|choose|recommend|need|take|prefer|switch|use|go)\b",
        r"\bwhat(?:'s| is| are| would be| will be) the (?:effects?|impacts?|influence|consequences?) of\b",
        r"\b(?:can|could|would|might) (?:we|i|you|one|they) (?:also |still |just )?(?:get (?:away|by)|make do|survive|manage|"
        r"cope) (?:with|on)\b",
        r"\bclose to (?:flipping|tipping|changing|a different|another|turning|break[\s\-]?even)\b",
    ),
    *cues(
        "what-if",
        48,
        START + r"would (?!you\b|i\b|we\b)(?P<thing5>.{2,40}?) (?:also |still |even |really |already |actually |"
        r"probably )?(?:do|work|suffice|be|run|handle|cope|hold|manage|perform|fit|save|cost|make|give|get)\b",
    ),
    *cues(
        "what-if",
        44,
        r"^\W*(?:and|or|but)\b(?! (?:what|which|who|whom|whose|how|why|when|where|is|are|do|does|did|can|could|should|"
        r"will|would|has|have|if|in)\b)(?![^?]*\b(?:is|are|was|because|why)\b)(?P<thing8>[^?]{1,40})\?\W*$",
    ),
    *cues("what-if", 50, r"\bhow (?:sensitive|robust|stable|fragile|dependent) (?:is|are)\b"),
    *cues(
        "what-if",
        45,
        r"^\W*(?:(?:and|but|or|ok|so|then|just|only)\s)*(?:at|with|on|for|using|over|under|without|in|"
        r"via)\b(?! (?:what|which|whom|whose|how|case)\b)(?P<thing7>[^?]{1,60})\?\W*$",
    ),
]
