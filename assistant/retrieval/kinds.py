"""What kind of thing a question asks for, where a passage shows at once that it holds none: a price, a date, a place, a person."""

from __future__ import annotations

import re
from collections.abc import Iterable

# What asks for the kind, and what a text that holds one contains.
_KINDS = tuple((re.compile(asks, re.IGNORECASE), re.compile(holds, re.IGNORECASE)) for asks, holds in (
    (r"\bhow much (?:is|are)\b(?!.*\b(?:slower|faster|lost|loss|bandwidth|latency|memory|traffic|data|overhead|volume|bytes|time|used)\b)|"
     r"\b(?:how much|what) (?:does|do|did|would|will)\b.*\b(?:cost|pay|charge)\b|\b(?:price|prices|priced|purchase price|price tag)\b|\bhow (?:expensive|dear|many (?:dollars|euros))\b",
     r"\$|€|\bcents?\b|\bpremium\b|(?:\d\s?%|\bper ?cent\b)\s(?:more|less|lower|higher|cheaper|dearer|of (?:the )?(?:total )?cost)"),
    (r"\bwhen (?:was|were|did|will)\b|\b(?:which|what) (?:year|month|date|day)\b|\brelease date\b|\bsince when\b|\bhow old is\b",
     r"\b(?:19|20)\d\d\b"),
    (r"\b(?:which|what|whose) (?:city|cities|country|countries|town|towns|continent)\b|\bwhere (?:is|are|was|were)\b.*\b(?:locat\w+|"
     r"based|headquarter\w*|hosted|built|sites?)\b|\bheadquarter\w*\b",
     r"\b(?:city|cities|country|countries|Europe|Asia|America|China)\b"),
    (r"\b(?:ceo|cto|cfo|founder|chief|president|head of \w+)\b|\bwho (?:runs|leads|heads|manages|invented|designed|wrote)\b",
     r"\b(?:authors?|colleagues|engineers?)\b"),
))


def missing(question: str, texts: Iterable[str]) -> bool:
    """Whether the question asks for a kind of thing of which none of the texts holds one."""
    together = " ".join(texts)
    return any(asks.search(question) and not holds.search(together) for asks, holds in _KINDS)
