"""What a question is after: the words beside its question word, and the kind of thing, such as a price or a person."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .tokens import tokens

_QUESTION_WORD = re.compile(
    r"\b(?:how (?:many|much|long|often|big|large|fast|deep|heavy|loud|wide|tall|old|far|high|quickly|soon|thin|hard|"
    r"expensive|dear)|"
    r"which|what|whose|who|when|where|how)\b",
    re.IGNORECASE,
)
_WORDS = 2  # beside the question word: the thing asked for and what is said of it
# What asks for the kind, and what a text that holds one contains.
# What a price is not asked in: "what does a dropped packet cost in throughput" wants a share of the step.
_TECHNICAL = (
    r"slower|faster|lost|loss|bandwidth|latency|memory|traffic|data|overhead|volume|bytes|time|used|throughput|step|"
    r"performance|"
    r"speed|seconds|efficiency|utili[sz]ation|drop(?:s|ped)?|packets?|retransmi\w+|congestion|oversubscri\w+|"
    r"parallelism|"
    r"collectives?|all-?\s?(?:reduce|gather|to-?\s?all)|compression|hops?|jitter|stragglers?|checkpoint\w*|recompute|"
    r"failures?"
)
_KINDS = tuple(
    (re.compile(asks, re.IGNORECASE), re.compile(holds, re.IGNORECASE))
    for asks, holds in (
        (
            rf"\bhow much (?:is|are)\b(?!.*\b(?:{_TECHNICAL})\b)|"
            rf"\b(?:how much|what) (?:does|do|did|would|will)\b(?!.*\b(?:{_TECHNICAL})\b).*\b(?:cost|pay|charge)\b|"
            r"\b(?:price|prices|priced|purchase price|price tag)\b|\bhow (?:expensive|dear|many (?:dollars|euros))\b",
            r"\$|€|\bcents?\b|\bpremium\b|(?:\d\s?%|\bper ?cent\b)\s(?:more|less|lower|higher|cheaper|dearer|"
            r"of (?:the )?(?:total )?cost)",
        ),
        # An event has a date; a state ("will be latency bound", "did not fit") has a condition.
        (
            r"\bwhen (?:was|were|did|will)\b.*\b(?:publish\w*|releas\w+|announc\w+|launch\w*|appear\w*|ship\w*|"
            r"arriv\w+|found(?:ed)?|"
            r"introduc\w+|invent\w*|start\w*|beg[ai]n|open\w*|built|build|deploy\w*|acquir\w+|buy|bought|come (?:out|"
            r"to)|"
            r"came out|written|last|first|end of life|available|on sale|withdrawn|standardi[sz]ed|ratified|"
            r"finali[sz]ed)\b|"
            r"\b(?:which|what) (?:year|month|date|day)\b|\brelease date\b|\bsince when\b|\bhow old is\b",
            r"\b(?:19|20)\d\d\b",
        ),
        (
            r"\b(?:which|what|whose) (?:city|cities|country|countries|town|towns|continent)\b|\bwhere (?:is|are|was|"
            r"were)\b.*\b(?:locat\w+|"
            r"based|headquarter\w*|hosted|built|sites?)\b|\bheadquarter\w*\b",
            r"\b(?:city|cities|country|countries|Europe|Asia|America|China)\b",
        ),
        # A switch may manage congestion and a cause may be the chief one: neither is a person.
        (
            r"\b(?:ceo|cto|cfo|founder|president|head of \w+)\b|\bchief (?:\w+ )?(?:officer|executive|architect|"
            r"scientist|engineer)\b|"
            r"\bwho (?:runs|leads|heads|manages|invented|designed|wrote)\b"
            r"(?!.*\b(?:switch\w*|nics?|adapters?|cards?|hosts?|driver|firmware|subnet manager|protocol|congestion|"
            r"routing|traffic|packets?)\b)",
            r"\b(?:authors?|colleagues|engineers?)\b",
        ),
    )
)


def focus(text: str) -> list[str]:
    """The tokens beside the first question word, ``which Linux kernel …``, ``how deep is an …``; none without such a
    word."""
    found = _QUESTION_WORD.search(text)
    return tokens(text[found.end() :])[:_WORDS] if found else []


def lacks_kind(question: str, texts: Iterable[str]) -> bool:
    """Whether the question asks for a kind of thing of which none of the texts holds one."""
    together = " ".join(texts)
    return any(asks.search(question) and not holds.search(together) for asks, holds in _KINDS)
