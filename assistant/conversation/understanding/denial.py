"""The words that deny: what stands before the thing ("no", "we may not use"), what follows it ("is off the table", "won't fly").

A denial before a thing reaches to the end of its clause and over three words at most; one that follows must follow at once.
"""

from __future__ import annotations

import re

# Where the reach of a "no" ends.
BOUNDARY = re.compile(
    r"[;!?\n()\x00]|\.(?=\s|$)|[,:]|->|"
    r"\b(?:(?<!anything )but|just|only|(?<!done )(?<!fed up )(?<!had it )with|and|so|then|while|since|because|we have|we've(?! had)|"
    r"(?<!n't )(?<!not )(?<!to )(?<!\bus )(?<!\bme )(?<!them )(?<!ever )use)\b|\s-+\s"
)

_MAY = (
    r"(?:allow(?:ed|s)?|permit(?:ted|s)?|able|willing|supposed|going|want(?:ed|s)?|wish(?:es)?|plan(?:ning|s)?|intend(?:ing|s)?|"
    r"prepared|"
    r"authori[sz]ed|cleared|entitled|licensed|eager|keen|inclined|let|in a position)"
)
_TO_USE = (
    r"(?:\s(?:us|me|them|anyone|anybody|people|for|to|on|of|the|any|be|use|using|buy|buying|have|having|get|getting|hear|see|touch|"
    r"go|run|running|deploy\w*|install\w*|consider\w*|purchas\w+|about|anything|procure|order|choose|pick|take)\b)*"
)
_NEGATED_VERB = (
    r"(?:do|does|did|is|are|was|ca|wo|would|should|must|could|have|has|may|might)n'?t"
    r"(?: (?:have|want|use|like|need|be able to use|on|at|an?))?"
)
_PUT_AWAY = (
    r"(?:stay|keep|steer)(?:s|ed|ing)? (?:\w+ )?(?:(?:away|clear) (?:from|of)|off)|rul(?:e|es|ed|ing) out|leav(?:e|es|ing) out|left out|"
    r"(?:cross|crosses|crossed|strike|strikes|struck)(?: out| off)?|get rid of|got rid of|do(?:ing)? without|stop(?:ped)? using|"
    r"skip(?:ped|s)?|omit(?:ted|s)?|drop(?:ped|s)?|remove[ds]?|forget|ban(?:s|ned|ning)?|veto(?:es|ed|ing)?|forbid(?:s|den|ding)?|forbade|"
    r"prohibit(?:s|ed|ing)?|disallow(?:s|ed)?|preclud(?:e|es|ed)|bar(?:s|red)|blacklist(?:s|ed)?|reject(?:s|ed|ing)?|dismiss(?:es|ed)?|"
    r"exclud(?:e|es|ed|ing)|eliminat(?:e|es|ed)|block(?:s|ed)|refus(?:e|es|ed|ing)|abandon(?:ed)?|turned down|scrap(?:s|ped)?|kill(?:s|"
    r"ed)?|disregard(?:s|ed)?|sw(?:ear|ore|orn) off|"
    r"s(?:ay|ays|aid|aying) no to|g(?:ive|ives|ave|iven|iving) up on"
)
_DISLIKED = (
    r"hate[sd]?|detests?|despises?|loathes?|dislikes?|sick of|tired of|fed up with|done with|(?:no|little|zero) interest in|opposed to|"
    r"objects? to|objection to|allergic to|distrusts?|(?:am|are|is|'m|'re|'s|be|strictly|dead|decided|voted|advised|advises) against"
)
NEGATOR = re.compile(
    rf"\b(?:(?:\w+n't|not|never|cannot|can not)\s(?:\w+\s){{0,2}}?{_MAY}{_TO_USE}|"
    r"(?:have|had|'ve) had (?:it|enough)(?: with| of)|(?:nobody|no one)(?: (?:here|there|really|at all))? (?:wants?|likes?|uses?|needs?|"
    r"asked for|trusts?|supports?)|"
    r"no way(?: (?:that )?(?:we|i|they)(?:'re|'ll|'d| are| will)?(?: ever)?)?|no|not|nothing|nowhere|without|never|avoid(?:ing|s|ed)?|"
    r"except|excluding|exclude|other than|(?:apart|aside) from|save for|rather than|instead of|anything but|neither|"
    rf"nor|{_NEGATED_VERB}|cannot|can not|(?:un|in)able to|impossible to|(?:{_PUT_AWAY}){_TO_USE}|{_DISLIKED}|"
    r"omit|sans|no more|lacks?|lacking|non)\b"
)
# What sounds like a denial and is none: "nothing against X", "never mind X", "skip the X question", "don't drop X".
_NO_OBJECTION = re.compile(
    r"(?:\b(?:no|not|nothing|never|hardly|without)|n't)\s(?:\w+\s){0,3}?(?:against|objections?|opposed|averse|reservations?|prejudices?|"
    r"mind)\b"
    r"(?:\s\w+){0,3}\s*$"
)
_TOPIC = (
    r"(?:questions?|topics?|discussions?|debates?|subject|details?|explanations?|comparisons?|introductions?|basics)\b"
)
_SKIPPED = re.compile(rf"\b(?:{_PUT_AWAY}|ignore|leave)\s(?:\w+\s){{0,3}}?$")
_SKIPPED_TOPIC = re.compile(rf"\b(?:{_PUT_AWAY}|ignore|leave)\s(?:\w+\s){{0,2}}?{_TOPIC}(?:\s\w+){{0,3}}\s*$")
_TOPIC_AFTER = re.compile(rf"[\s\-](?:\w+\s)?{_TOPIC}")
_TAKEN_AWAY = re.compile(rf"(?:{_PUT_AWAY}|{_DISLIKED}|avoid|exclud|without|omit|except)")
_BETWEEN_TWO = 3  # words: two denials further apart do not cancel


def is_none(before: str, after: str) -> bool:
    """Whether what sounds like a denial of the thing between ``before`` and ``after`` in its clause is none."""
    if (
        _NO_OBJECTION.search(before)
        or _SKIPPED_TOPIC.search(before)
        or (_SKIPPED.search(before) and _TOPIC_AFTER.match(after))
    ):
        return True
    *_, first, last = [None, None, *NEGATOR.finditer(before)]
    return (
        first is not None
        and _TAKEN_AWAY.match(last[0]) is not None
        and not re.search(r"\bwhy\s*$", before[: first.start()])
        and len(before[first.end() : last.start()].split()) <= _BETWEEN_TWO
    )


_MORE = r"(?:more|less|longer|later|slower|worse|fewer|larger|bigger|higher|lower)"
# A denied denial rules nothing out: "do not rule out", "no objection to", "we don't want to lose".
# What they do not want to lose they have.
LOSES = re.compile(
    r"\b(?:lose|losing|give up|giving up|replace|replacing|rip out|abandon|part with|throw (?:away|out))\b"
)
DOUBLE = re.compile(
    r"(?:\bnot|n't) (?:that|because|as if|like) (?:we|i|they|you|\w+) (?:\w+ ){0,2}?(?:\w+n't|not|never)\b|"
    rf"(?:\b(?:not|never|cannot|no|without|neither)|n't)\s(?:\w+\s){{0,3}}?(?:{_PUT_AWAY}|{_DISLIKED}|lose|losing|give up|giving up|"
    rf"replace|replacing|rip out|abandon|"
    rf"part with|throw (?:away|out)|objections?|reason (?:to avoid|against)|against)\b"
)
UNDECIDED = re.compile(
    rf"(?:not|n't|never|cannot)\s+(?:\w+\s+){{0,2}}{_MORE} than\b|"
    r"(?:not|n't|no)\s+(?:sure|know|decided|certain|care|mind|matter|yet|only|just|necessarily|idea|clue|"
    rf"(?:be\s)?{_MORE} than|over|above|under|below|beyond|exceed)"
)

_STUFF = (
    r"(?:\s(?:networking|networks?|fabrics?|gear|switches|hardware|stuff|equipment|kit|solutions?|at all|itself|here))?"
)
_ADVERBS = (
    r"(?:\s(?:just|simply|really|totally|completely|absolutely|strictly|basically|sadly|unfortunately|still|also|now|already|"
    r"both|all|pretty much|"
    r"currently|definitely|clearly|officially|probably|both|all|out ?right|as good as|a|an|the|been|being|for us|to us|by \w+))*"
)
_VERY = r"(?:\s(?:political|technical|financial|legal|commercial|complete|absolute|total|hard|clear|big|huge|strict|real|flat))?"
_IS = (
    r"(?:'s|\sis|\sare|\swas|\swere|\shas been|\shave been|\sgot|\sgets|\swill be|\swould be|\sremains?|\sstays?|\shas to be|\sseems?|"
    r"\slooks?)"
)
# What is said of a thing that is ruled out, with or without an "is".
_RULED_OUT = (
    r"(?:no[\s\-]?gos?|non[\s\-]?(?:starters?|options?)|off[\s\-](?:the )?(?:table|limits|list|menu|cards)|out of (?:the )?(?:question|"
    r"picture|scope|reach|race)|"
    r"(?:not|un)\s?(?:an option|available|allowed|possible|wanted|permitted|acceptable|accepted|feasible|desired|welcome|supported|"
    r"approved|"
    r"authori[sz]ed|eligible|in (?:scope|the running)|on the (?:table|list|menu)|up for (?:debate|discussion))|inadmissible|"
    r"no option|red lines?|no longer (?:an option|available|possible|allowed)|verboten|taboo|banned|vetoed|forbidden|prohibited|"
    r"blacklisted|"
    r"ruled out|disallowed)"
)
# What needs an "is": alone these words say something else.
_GONE = (
    r"(?:not\b(?! (?:only|sure|decided|yet|needed|necessary|required|banned|forbidden|prohibited|ruled out|excluded|"
    r"a problem|an issue|a no-go|out\b|off\b|bad\b))|out\b|dead\b|history\b|gone\b|impossible|trash\b|garbage\b|rubbish\b|junk\b|useless\b|"
    r"unusable\b|hopeless\b|"
    r"(?:struck|crossed|taken|removed|dropped|deleted|scratched|thrown|kicked|voted|written|eliminated|excluded|rejected|dismissed|"
    r"discarded|barred|"
    r"scrapped|turned down|shot down|disqualified|killed|blocked|precluded|embargoed|unacceptable)\b(?: (?:off|out|from|"
    r"of)\b[^.,;]{0,24})?|"
    r"no longer|unavailable|beyond (?:our|the|my) (?:budget|means|reach)|outside (?:our|the) (?:budget|scope|policy)|against (?:our|the|"
    r"company) \w+|"
    r"(?:way |far |much |just |simply )?too (?:(?:expensive|costly|pricey|dear|complicated|complex|hard|much)(?: for (?:us|me))?|"
    r"\w+ for (?:us|me|our \w+)))"
)
_FAILS = (
    r"\s(?:just |simply |really |probably )?(?:won't|will not|wouldn't|would not|doesn't|does not|can't|cannot|can not|isn't going to|"
    r"is not going to|didn't|did not|ain't gonna|ain't going to|will never|would never|'ll never|never)\s(?:really |ever )?"
    r"(?:fly|work(?! (?:well|best|with))|happen|do\b|fit|suit|cut it|pass|apply|go (?:down|through)|come in(?:to)? (?:question|"
    r"consideration)|"
    r"make (?:it|sense|the cut)|get (?:approved|through|past|bought|signed|funded)|"
    r"exist\b|be (?:approved|allowed|possible|accepted|considered|bought|used|an option|signed|tolerated|supported|delivered|available))"
)
_WE_REFUSE = (
    r",?\s(?:is |are )?(?:something |nothing |that |which )*(?:we|i|they|you|one)(?: \w+)? "
    r"(?:can't|cannot|can not|don't|do not|won't|will not|mustn't|must not|may not|shouldn't|should not|refuse to|(?:are|am|is)(?: not|"
    r"n't) (?:allowed|able|"
    r"permitted|willing|going) to|(?:have|had) no \w+ to)\s(?:even |ever |actually )?"
    r"(?:use|buy|have|afford|want|get|take|like|touch|do|run|deploy|consider|trust|support|accept|procure|source|order|install|go for|"
    r"pay)\b"
    r"(?=\W*$|[.,;!)]|\s(?:it|that|here|because|due|since|for|at|any|now|as|in|under|from|past|through|approved|by)\b)"
)
_BAD_TIME = (
    r"\s(?:(?:we|i|they|has|have|had|'ve|made|got|only|always|gave us|caused|brought)\s)*(?:us\s)?(?:very |really |such )?"
    r"(?:(?:bad|poor|terrible|awful|negative|horrible|nothing but)\s(?:experiences?|trouble|problems|times?|results|luck)|trouble|problems|"
    r"headaches|grief|pain|"
    r"nightmares?)\b[^.;]{0,24}"
)
_MUST_GO = r"\s(?:has|have|needs?) to go(?=\W*$|[.,;!])|\smust go(?=\W*$|[.,;!])"
# Said of it later in the sentence: "…, so that is ruled out", "…, never again", "…, which rules it out".
_SAID_OF_IT = (
    rf"(?:\b(?:it|that|this|they|these|which|that one)(?:{_IS}{_ADVERBS}(?:\s(?:therefore|thus|hence|then))?{_VERY}\s(?:{_RULED_OUT}|"
    rf"out\b|dead\b|gone\b|history\b)|"
    rf"{_FAILS})|\band (?:is|are) (?:therefore|thus|hence|so) (?:{_RULED_OUT}|out\b|dead\b)|"
    r",\s(?:so|therefore|hence) no\b(?=\W*$|[.;])|\bnever(?: ever)? again\b|\bonce and never\b|\brules? (?:it|that|this|them) out\b|"
    r"\b(?:we|i|they) said no\b(?! to)|"
    r"\b(?:not|n't|never) (?:ever )?(?:do|touch|use|try|buy|repeat|want) (?:it|that|this) (?:ever )?again\b|"
    r"\b(?:we|i)(?: would|'d)? (?:rather|prefer to) (?:avoid|not have) (?:it|that|this)\b)"
)
_SO_FAR = r"(?:(?![;?]|\.\s)[^\x00]){0,90}?"
LATER = re.compile(rf"{_SO_FAR}(?P<said>{_SAID_OF_IT})")
_KEPT_OUT = r"\sout of (?:it|this|that|the (?:plan|picture|mix|question|equation|design|discussion)|our \w+|here)\b"
AFTER = re.compile(
    r"\s*(?:[?.,!:]+\s*(?:no way|no thanks?\b|no thank you|out of the question|not (?:for us|with us|an option|interested)|forget it|"
    r"absolutely not|rather not|please without|without please|over my dead body|not a chance|not happening|never|hard no|hell no|"
    r"(?:so |therefore |hence |thus )?(?:please |kindly )?(?:exclude|leave|rule|skip|drop|omit|avoid|remove|ignore)(?: (?:it|that|them|"
    r"this))?(?: out)?(?=\W*$|[.;]))\b)|"
    rf"{_STUFF}(?:(?:{_IS}|\sa)?{_ADVERBS}{_VERY}\s{_RULED_OUT}(?: (?:here|for us|for me|with us))?|{_IS}{_ADVERBS}\s{_GONE}|"
    rf"\sout(?=\W*$|[.,;!]|\s(?:long|already|early|last|because|since|due|years?|ages|months?|weeks?)\b)|"
    rf"\s(?:violates?|fails?|breaks?|contradicts?|(?:conflicts?|clashes) with|goes against) (?:our|the|company|internal) [^.,;]{{0,30}}|"
    rf"{_FAILS}|{_WE_REFUSE}|{_BAD_TIME}|{_KEPT_OUT}|{_MUST_GO}|\saside(?=\W*$|[.,;!])|"
    r"\smakes? no sense(?: for (?:us|me))?|\s(?:isn't|aren't)(?! (?:only|sure|decided|needed|necessary|required|an? (?:problem|issue|"
    r"obstacle|challenge|concern|no-go)|bad|off|out|banned|forbidden|"
    r"prohibited|excluded|ruled out|the (?:problem|issue|bottleneck))\b)(?: (?:an option|"
    r"available|possible|allowed))?|"
    r"\s(?:can't|cannot)(?! (?:be (?:that|so|as|this|right|true|serious|worse|better|cheaper|slower|faster|the|beaten|ruled out|excluded|dismissed|topped|matched|ignored|overlooked|avoided|replaced)|hurt|fail|"
    r"go wrong)\b)(?: (?:an option|available|possible|allowed))?)"
)
# A list under a heading: "excluded: RoCE", "no-go = EFA".
HEADING = re.compile(
    r"\b(?:exclu(?:ded?|sions?)|forbidden|banned|ruled out|not (?:allowed|wanted|permitted)|off[\s\-]limits|no-?gos?|blacklist(?:ed)?|"
    r"unwanted|"
    r"prohibited|avoid|never)\s?(?:[:=]|\s-)\s*$"
)
