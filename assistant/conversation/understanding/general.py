"""Whether a why asks about the world, not the plan."""

from __future__ import annotations

import re

from .message import Message
from .technologies import TECHNOLOGY

_GENERAL_WHY = re.compile(
    r"\b(?:why\b[^?]{0,12}?\b(?:does|do|did|is|are|was|were|would|can|could|has|have|might|may|should|will)(?:n't|"
    r" not)?\b|how come\b)\s+(?!(?:on earth|exactly|not|no)\b)(?P<who>(?:my|our|the|a|an|so many|most|some|all|"
    r"large|big|modern|other)?\s?[a-z][\w\-]+)"
)
# What a plan is made of: a why that names any of it asks for the reasons of the plan.
_OF_THE_PLAN = re.compile(
    r"\b(?:it|this|that|these|those|they|them|you|your|weft|we|us|i|plan|answers?|recommend\w*|suggest\w*|results?|costs?|costly|"
    r"price[ds]?|pricey|expensive|cheap\w*|numbers?|figures?|estimates?|"
    r"(?:the|this|that|your) (?:\w+ )?(?:network|fabric|choice|option|one|slowdown|overhead|budget|deadline|probability|confidence|split|"
    r"step|run|time(?<!all the time)|traffic|bandwidth|switch(?:es)?|optics|cable\w*)|"
    r"choices?|chosen|choose|picked|pick|preferred|prefer|rent(?:ing|al)?|buy(?:ing)?|spot|verdict|conclusion|winner|wins?|won|decision|"
    r"decided|slowdown|probability|premium|not recommended|so (?:many|long|few|little|high|low|slow|sure|big)|"
    r"waiting|\d[\d.]*\s?(?:%|percent|seconds|days|s\b)|too \w+|ruled|rejected|excluded|dropped|dismissed|matters?)\b"
)
_BACK_TO_THE_PLAN = re.compile(r"\b(?:you|your|weft|plan|here|us|we|our|my|recommend\w*|not)\b|n't\b")
TROUBLE = re.compile(
    r"\b(?:slow(?:er|ing|s)?|hangs?|hanging|hung|crash\w*|fail\w*|times? out|timing out|timed out|stuck|stall\w*|"
    r"diverg\w*|oom|out of memory|drops?|dropping|dropped packets|flap\w*|"
    r"retransmi\w*|error\w*|nan|deadlock\w*|freez\w*|disconnect\w*|degrad\w*|low bandwidth|underperform\w*|blocked|"
    r"pause frames?)\b"
)


# What is said of a network in general, not of its place in the plan.
_OF_THE_WORLD = re.compile(
    r"\b(?:popular|common|widespread|dominant|prevalent|called|named|invented|lossless|proprietary|famous|"
    r"so (?:sensitive|fragile|scarce|fast|hard|complex|complicated)|"
    r"(?:hard|difficult|tricky|easy) to (?:tune|debug|buy|get|operate|configure|run|scale))\b"
)
_AT_THE_END = re.compile(
    r"^(?P<said>[^?]{6,}?)[\s,.;:\-]+(?:and |but |so )?(?:why|how come|how so)\b(?: (?:is )?that)?\W*$"
)


def is_general(message: Message) -> bool:
    """Whether a why asks about the world, not the plan: "why does NCCL hang?", "why is my all-reduce slow?"."""
    tail = _AT_THE_END.match(message.text)
    if tail and not TECHNOLOGY.search(message.text):
        return TROUBLE.search(tail["said"]) is not None and not _OF_THE_PLAN.search(tail["said"])
    asked = _GENERAL_WHY.search(message.text)
    if asked is None:
        return False
    if TECHNOLOGY.search(message.text):
        return _OF_THE_WORLD.search(message.text, asked.start()) is not None and not _BACK_TO_THE_PLAN.search(
            message.text, asked.start()
        )
    about = message.text[asked.end() :]
    if re.match(r"(?:my|our)\b", asked["who"]):
        return TROUBLE.search(about) is not None
    whole = asked["who"] + about
    return len(whole.split()) > 1 and not _OF_THE_PLAN.search(whole)
