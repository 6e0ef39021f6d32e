"""How people ask why, why not, which of two, and what something is."""

from __future__ import annotations

from .cue_words import (
    CLAUSE,
    CONCLUDE,
    DRAWBACK,
    JUSTIFICATION,
    LAY_OPEN,
    POLITE,
    RULED_OUT,
    START,
    cues,
)

DISAGREE = cues(
    "ask",
    84,
    r"\b(?:sources?|papers?|articles?|vendors?|experts?)\b.{0,30}\b(?:disagree|contradict|conflict)|"
    r"contradict\w*.{0,20}sources|"
    r"\bwhere do .{0,20} disagree",
)
NOT = r"(?:not|no|isn't|is not|aren't|don't|doesn't|can't|cannot|didn't|did not|won't|wouldn't|shouldn't|couldn't|wasn't|never)"
_WHY = r"(?:why|for (?:what|which) reason|on what (?:grounds|basis))"
WHY_NOT = cues(
    "why-not",
    70,
    r"\bwhat (?:makes?|made|lets?|let) (?P<thing15>.{2,30}?) (?:lose|fail|drop out|fall behind|fall short|come last|unsuitable|a bad)\b",
    r"\bwhat (?:happened|became|went wrong) (?:to|of|with) (?:it|that|them|(?P<thing17>.{2,30}))\W*$",
    START + r"(?:isn't|aren't|wouldn't|won't|doesn't|couldn't|shouldn't|can't) (?P<thing18>(?!it\b|that\b|this\b|"
    r"there\b)[\w\-]+(?: [\w\-]+){0,2}?) (?:just |simply |also |even |actually |much |clearly )*(?:be |do |work )?"
    r"(?:better|faster|cheaper|enough|best|good|ok(?:ay)?|possible|an option|work|do|win|the|safer|preferable|suffice|fine)\b",
    rf"\b{_WHY} (?:is|was|are|were) (?P<thing19>.{{2,50}}?) (?:only|merely|just) (?:acceptable|second|third|tolerable|an? alternative|"
    rf"runner-up)\b",
    START + rf"(?:did|have) (?:you|it|weft) (?:just |really |also |even )?(?:{RULED_OUT}|forget|forgotten|drop)\b",
    r"\bwhat (?:made|makes|led|caused|brought) you (?:to )?(?:drop|reject|exclude|dismiss|rule out|skip|avoid|leave out|ignore|discard)\b",
    r"\bwhere (?:does|do|did|would) (?P<thing16>.{2,30}?) (?:fall (?:short|behind)|lose|lag|fail|disappoint)\b",
    r"\bwhat(?:'s| is) the (?:catch|downside|drawback|snag)\W*$|\bwhere(?:'s| is) the (?:catch|snag)\b",
    r"\bwhat (?:do|can|should|could|would|shall) (?:i|we|you) (?:\w+ ){1,3}against\b",
    rf"\bwhy (?:on earth |the hell |then )?(?:{NOT}|do (?:you|we) not|(?:did|do|does|would|have) (?:you|it|we|weft) (?:not|{RULED_OUT}|"
    rf"drop|lose)|{RULED_OUT})\b",
    rf"\b{_WHY} (?:is|was|were|are|would|should|did|does|do|has|have|had|will|can|could) (?P<thing>.{{2,50}}?)(?:\bnot\b|{RULED_OUT}|"
    rf"losing|"
    rf"impossible|worse|no good|bad|out\b|lose\b|fail\w*|drop out|missing|unsuitable|inferior)\b",
    r"\bwhat (?:don't|do not|didn't|do|did|doesn't) (?:you|it) (?:not )?(?:like|dislike|hate|hold against|have against|mistrust)\b",
    rf"what(?:'s| is| are|'re| was| would be| could be| might be| speaks| argues| makes| rules| ruled| disqualifies| disqualified| kills|"
    rf" killed| counts)? (?:(?:so )?wrong with|against|out|(?:the|your) (?:main |big |biggest |real )?{DRAWBACK} (?:with|of|to|about|"
    rf"against|for)|bad about|disqualif\w+|"
    rf"(?:do|have) you (?:have |got )?against)\b",
    r"(?:how come|reason)s? (?P<thing3>.{0,30}?)(?:\bnot\b|isn't|aren't|doesn't|don't|against|never|no\b|"
    + RULED_OUT
    + ")",
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
    r"what for)\W*$",
    r"what speaks against",
) + cues(
    "why-not",
    48.5,
    r"\b(?:can|could|should|may|might|would|do|does|is|are|will) (?P<thing10>we|i|you|it|(?!simply\b|just\b|really\b|also\b|definitely\b|"
    r"probably\b|certainly\b|clearly\b|still\b)[\w\-]{2,20}) not (?:just |simply |also |even )*(?:use|take|stay|go|do|work|suffice|be|run|"
    r"handle|keep|good|enough|an option|recommended|possible|fast|pick|choose|have|get by|live|make do)\b",
    r"\bwhat(?:'s| is| would be| was| makes| could be)? (?P<thing11>.{0,20}?)(?:so )?(?:bad|wrong|weak|poor|terrible|problematic|worse|"
    r"unsuitable|a bad idea|not good|lacking|missing)(?: about| with| in| for| at)\b",
)
WHY = [
    *cues(
        "why",
        60,
        r"\bwhich (?:sources?|papers?|claims?|facts?|rules?|evidence|stud(?:y|ies)|measurements?|benchmarks?|data|figures?|numbers?|"
        r"arguments?|findings?|documents?|assumptions?) (?:decided|supports?|backs?|proves?|confirms?|justif(?:y|ies)|underpins?|"
        r"speaks? for)\b",
        START
        + rf"{POLITE}(?:walk|take|talk|guide|run|lead) (?:me|us) through (?:it|this|that|(?:the|your) (?:plan|answer|result|"
        rf"recommendation|numbers?|logic|steps|decision|choice|reasoning|thinking|figures?|math|calculation|argument))\b",
        START
        + r"(?:i|we)(?:'m| am|'re| are)?(?: just| really| still)* (?:(?:don't|do not|can't|cannot|hardly|not|never)(?: really|"
        r" quite| fully)? (?:trust|believe|"
        r"convinced|persuaded|so sure (?:about|of) (?:that|this|it))\b|doubt (?:that|this|it|the|your)\b|sceptical\b|"
        r"skeptical\b)",
        r"\b(?:are you|you) (?:really |quite |so |absolutely )?(?:sure|certain|positive)(?: (?:about|of) (?:that|this|it))?\W*$|"
        r"\b(?:that|this|it|the \w+) (?:can't|cannot) be (?:right|true|correct)\b|^\W*(?:oh )?really\?\W*$",
        r"\bhow (?:was|were|is|are) (?:(?:this|that|these|those|your)\b|the (?=(?:step|run|cost|price|total|figures?|numbers?|"
        r"confidence|plan|recommendation|"
        r"ranking|probability|time|slowdown)\b)).{0,30}?(?:calculated|computed|derived|determined|estimated|obtained|arrived at|chosen|"
        r"decided|"
        r"picked|modell?ed|ranked)\b",
        r"\bwhat(?:'s| is| are| were| was) the (?:\w+ )?(?:drivers?|factors?|causes?) (?:of|behind|for|in) (?:this|that|it|your|"
        r"the (?:\w+ )?(?:costs?|price|result|"
        r"recommendation|slowdown|difference|choice|ranking|decision|time))\b",
        START
        + r"how (?:did|does|has) (?!one\b|someone\b|nccl\b|training\b)(?P<thing20>[^?]{2,30}?) (?:come out|win|beat|end up|"
        r"get (?:picked|chosen|selected)|make it|prevail|take the lead)\b",
        START
        + r"(?:.{0,30}[,.;]\s*)?(?:but )?(?:(?:and )?why+\b|how come\b|how so\b|because\W*\?|because of what\b|what (?:led|"
        r"brought|makes|made|convinced|drove|persuaded) you\b|"
        r"explain(?=\W*$|\splease|\s(?:why|yourself|your|it|this|that|how (?:you|it|that)|(?:the|me the) (?:plan|"
        r"recommendation|choice|answer|result|decision|reason\w*|verdict|numbers?)))|"
        r"for what reason|on what (?:basis|grounds|evidence)|based on what|says who|who (?:told you|says|said|claims)\b|"
        r"according to (?:who|what))",
        START + rf"{POLITE}(?:justify|motivate|prove|defend|back (?:(?:it|this|that|the)(?: \w+)? )?up|substantiate)\b",
        CLAUSE
        + rf"{LAY_OPEN}(?: to)?(?: me| us)? (?:\w+ )?(?:the |your |its |some |all the |any |full |a )*(?:(?:details?|steps|"
        rf"breakdown) (?:of|behind|for) (?:the |your )?)?(?:{JUSTIFICATION}|(?:sources?|work|proof)\b)(?! (?:on|about) )",
        CLAUSE + rf"{LAY_OPEN}(?: me| us)? (?:how|where) (?:you|it|that|this|they|the \w+)\b.{{0,20}}\b{CONCLUDE}\b",
        START
        + rf"(?:(?:what|where|which)(?:'s| is| are|'re| were| was)? )?(?:the |your |any |some |its |and |main |real |actual |"
        rf"exact |key |underlying |biggest |true )*(?:(?:details?|steps|breakdown) (?:of|behind|for) (?:the |"
        rf"your )?)?(?!thinking (?:of|about)|working (?:on|with)|grounds for){JUSTIFICATION}(?: (?:is )?(?:behind|for|of|"
        rf"please|there|here|why)\b|\W*$|\W*\?|\W*please\W*$)",
        START + r"i (?:don't|do not|can't|cannot)(?: quite| really)? follow(?: (?:you|that|this))?\W*$",
        r"\bwhat (?:was|is) (?:decisive|crucial)\b|\b(?:hard|difficult) to believe\b|\bunbelievable\b",
        r"\bwhat(?:'s| is| would be) in favou?r of\b|\bhow (?:was|were) (?P<thing21>.{2,24}?) (?:chosen|picked|selected|ranked|rated)\b",
        r"\bwhat(?:'s| is| was| were) the (?:deciding|decisive|main|key|crucial|critical) (?:factors?|reasons?|arguments?|points?|"
        r"criteri\w+)\b",
        r"\b(?:which|what|whose) (?:\w+ )?(?:numbers?|figures?|data|assumptions?|measurements?|inputs?) (?:went|go|goes|come|is this|"
        r"is that|are you|did you|do you|lies?|lie|"
        r"stands?)\b",
        r"\b(?:on|from) what (?:data|numbers|figures|measurements|assumptions)\b",
        START
        + r"(?:i|we)(?:'d| would)? (?:need|want|like|require) (?:\w+ ){0,2}?(?:arguments?|reasons?|evidence|proof|"
        r"justification)\b(?! against)",
        r"\b(?:can|could) you (?:derive|reconstruct|retrace|document|verify)\b",
        r"\bwhat (?:did|do|have|does) (?:you|weft|it) (?:take into account|consider|look at|assume|weigh|include|factor in)\b",
        CLAUSE + r"where(?:'s| is| are| was| were) (?:that|this|it|these|those)(?: \w+)? (?:coming )?from\b",
        r"\bwhere(?:'s| is| are| do| does| did) (?:the|this|that|these|those|your)(?: (?:figures?|numbers?|costs?|prices?|total|"
        r"estimate|slowdown|percent\w*|[\d$]\S*|"
        r"million|thousand|seconds|days|dollars)){1,3} (?:coming|come|comes|came|taken|stem|from)\b|\bhow can (?:that|this|"
        r"it) be\b(?! \w)",
        START + r"where(?:'s| is| are) (?:the |your )?(?:proof|evidence|reasons?|reasoning|justification|sources?)\b",
        START + r"what(?:'s| is| are|'re) (?:the sources? (?:for|of|behind)\b|your sources?\b)",
        CLAUSE
        + rf"(?:how|where) (?:did|do|does|have|could|can|are|were|is) (?:you|that|this|it|the|these|those|weft|we|"
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
        START
        + r"(?:the |your )?sources\W*$|can you (?:explain|justify) (?:that|this|it|your|the (?:choice|plan|answer|decision|"
        r"recommendation|result))|give me (?:the |your )?(?:reasoning|reasons?|rationale)",
    ),
    *cues(
        "why",
        58,
        rf"[.!?,;:]\s*(?:and |so |but )?(?:the |your |any |some )?{JUSTIFICATION}\W*\?\W*$",
        r"(?<=[\w)])[\s,.:;\-]+(?:but |and |"
        r"so )?(?:why|how come|"
        r"how so)(?: (?:is )?that| though|"
        r" exactly)?\W*$",
    ),
]
COMPARE = cues(
    "compare",
    40,
    r"\b(?:contrast\b|compar(?:e|es|ing|ison|ed (?:to|with|against))\b|\bor\b(?P<thing3>.{2,50})\bwhich\b.{0,20}\b(?:better|cheaper|faster|"
    r"best)\b|versus\b|\bvs\b\.?|difference[s]? (?:between|of|to the|from the)|"
    r"differs?\b|how (?:is|are) (?P<thing14>.{2,40}?) different (?:from|than|to)\b|next to (?:each other|one another)|"
    r"^\W*(?:so |and )?(?:is|are) the (?:second|other|runner-up|first|next|third|last)(?: (?:one|option|choice|candidate|network|"
    r"place))? .{0,14}?"
    r"\b(?:worse|better|cheaper|slower|faster|dearer|close|behind)\b|side by side|head[\s\-]to[\s\-]head)",
    r"(?:which|what)(?:'s| is| one is| would be)? (?:is )?(?:the )?(?:better|cheaper|faster|best)\b(?P<thing2>.*\bor\b)|how (?:does|"
    r"do) (?P<thing>.{2,60}) (?:stack up|compare|fare|measure up|differ|relate|hold up)|"
    r"^(?!\W*(?:is|are|was|does|do|can|will|did)\b).*?\b(?:better|worse|faster|cheaper) than|pros and cons of (?P<thing4>.* (?:and|or|vs|"
    r"versus) )",
    r"\b(?:between|among|out of|of)\b(?P<thing9>[^?]{3,60}\b(?:and|or)\b[^?]{2,40}?)[\s,:;\-]+(?:which|what|who)\b|\bwhich (?:one )?(?:is |"
    r"would be |are )?(?:the )?(?:more|most|better|best)\b(?! (?:recent|common|often))|"
    r"\b(?:weigh|pit|put|hold|stack|set|match|rate|rank|judge)\b(?P<thing5>[^?]{2,40})\b(?:up )?(?:against|next to|beside|side by side)\b|"
    r"\bwhich (?:one )?(?:of|out of|among|between)\b|\bhow close\b(?=.*\bbetween\b)",
    r"\bline (?:\w+ ){0,2}?up\b(?! with)|\bhow (?:far apart|different|similar|close together)\b",
    r"\bwhat (?:sets|distinguishes|separates|tells(?! (?:you|me|us)\b)|differentiates)\b|\btell\b(?P<thing6>.{2,40})\bapart\b|"
    r"\btrade[\s\-]?offs? between\b|"
    r"\bhow much (?:better|worse|cheaper|faster|slower|dearer|more expensive) (?:is|are)\b(?=.* than )|"
    r"\bwhere do(?:es)? (?P<thing8>.{2,40}) differ\b|\bpros and cons of (?:the|both|all)\b|\bhow much (?:do|would|will|can|could) (?:i|we|"
    r"you) (?:save|gain|lose|pay more) (?=.*\b(?:instead of|over|rather than|compared)\b)",
)
COMPARE += cues(
    "compare",
    52,
    r"^\W*(?:so |and )?(?:which|who|what)(?: one)? (?:wins|is the winner|comes out (?:on top|ahead|first)|takes it|"
    r"has the edge)\b(?=.* (?:or|and|vs) )",
    r"\b(?:choos(?:e|ing)|decid(?:e|ing)|pick(?:ing)?|select(?:ing)?|choice|decision|torn|hesitat\w+|"
    r"toss-?up) between\b(?=.* (?:and|or) )",
    r"(?:\band\b|\bor\b|\bvs\b\.?|\bversus\b|/)(?P<thing12>.{2,40}?)\b(?:who|which(?: one)?|what) (?:wins|is the winner|"
    r"comes out (?:on top|ahead|first)|takes it|has the edge)\b",
)
ASK = [
    *cues(
        "ask",
        20,
        START
        + r"(?:what|what's|whats|which|who|whose|when|where|how|is|are|does|do|did|can|could|should|will|would|has (?:any|it|"
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
        r"which)\b",
    ),
    *cues(
        "ask",
        61,
        START + rf"{POLITE}explain (?:to me |me )?(?:what|how (?!you\b|it\b|that\b|this\b|the (?:plan|answer|result|"
        rf"recommendation))\w|"
        r"(?!that\b|this\b|it\b|its\b|these\b|those\b|your\b|why\b|yourself\b|the\b|my\b|me\b|to\b|how\b|what\b|"
        r"please\b|again\b|in\b|a bit\b|more\b|like\b)(?!.*\bwhy\b)\w)",
    ),
    *cues(
        "ask",
        61,
        START
        + r"(?:(?:give|show|tell|send) (?:me|us) )(?:some |more |a bit of |the |any )*(?:background|info\w*|details|"
        r"facts|literature|sources|papers|reading) (?:on|about|for)\b",
    ),
    *cues(
        "ask",
        71,
        START
        + r"what(?:'s| is| are)? (?!the\b|your?\b|this\b|that\b|it\b|wrong\b|better\b|different\b)[\w\-]+(?: [\w\-]+)? and (?:why|how)\b",
    ),
    *cues("ask", 55, r"^\W*is it (?:true|correct|right|a fact|a myth) that\b"),
    *cues("ask", 18, r"[a-z]{2}.*\?\W*$"),
]
