"""What others did or do: it says nothing about the job at hand, wherever it stands in a message."""

from __future__ import annotations

import re

from .message import Message

_ASKED_OF_OTHERS = re.compile(
    r"\b(?:is|are|any|which|what|know(?:s)?(?: of)?|there|some|find|show me|cite|recommend)\b[^?.]{0,20}\b(?:papers?|stud(?:y|ies)|"
    r"articles?|publications?|benchmarks?|case stud\w+|literature|reports? (?:of|about|on)|blog ?posts?|white ?papers?|sources?|"
    r"references?)\b|"
    r"\b(?:who(?:se)?\b(?! (?:should|can|would) (?:i|we))|(?:which|what|any|do|are there|other|how many) (?:\w+ )?(?:companies|company|"
    r"vendors|labs?|teams|people|others|hyperscalers?|papers?|organi[sz]ations?|universities|models|users|startups|clusters|sites|one)\b|"
    r"(?:has|have|is|was|are|were) (?:[\w\-]+ ){1,3}?(?:been |ever )?(?:used|deployed|proven|tested|adopted|measured|benchmarked|"
    r"in use)\b|(?:has|have|did|does|do|how did|how does|when did|where did|why did) (?:anyone|anybody|someone|somebody|others|people|"
    r"they|meta|google|openai|microsoft|xai|bytedance|alibaba|nvidia|amazon|aws|deepseek|mistral|anthropic|apple|tesla|baidu|tencent)\b)"
)
# "Meta trained on 24k H100" tells of others without asking; a name that is also a model's only where it can be no model.
_TOLD_OF_OTHERS = re.compile(
    r"\b(?:meta|google|openai|microsoft|xai|bytedance|alibaba|anthropic|apple|tesla|baidu|tencent|our competitors?|(?:some|other|many|"
    r"most) "
    r"(?:companies|people|labs|teams))(?: \w+ly| has| have| already| just| reportedly)? (?:pre-?trained|trained|trains?|runs?|ran|uses?|"
    r"used|built|builds|deployed|"
    r"deploys|bought|reported|published|connects?|connected)\b|"
    r"\b(?:deepseek|mistral|nvidia|amazon|aws)(?: \w+ly| has| have| already| just)? (?:pre-?trained|trained|built|deployed|published|"
    r"reported)\b"
)
_OURS = re.compile(r"\b(?:we|i|ours?|my|mine|us)\b")
_STATES_OURS = re.compile(
    r"(?<!do )(?<!should )(?<!can )(?<!could )(?<!if )\b(?:we|i)(?:'ve|'re|'m|'d)?(?: now| already| also| currently| only| just| would|"
    r" will)* "
    r"(?:have|got|own|run|use|train|rent|buy|bought|want|wanna|need|plan|like|intend|are|am|fine-?tune|serve|going|planning|training|"
    r"running)\b|"
    r"\b(?:ours|mine) (?:is|are|has|have)\b|\b(?:our|my) (?:\w+ )?(?:cluster|gpus?|nodes?|model|budget|network|setup|job|plan|deadline)\b"
)
_PARTS = re.compile(r"(?:(?!\.(?:\s|$)|,\s*(?:and |but |so )?(?:we|i|ours?|my|mine)\b)[^;!?\n])+[.;!?,\n]?")


def told_of_others(message: Message, *, asked: bool) -> list[tuple[int, int]]:
    """The parts of a message that are about others, as places in its text; ``asked``: the message is a question.

    A part in which they speak of themselves is theirs: "we have what Meta used".
    """
    return [
        part.span()
        for part in _PARTS.finditer(message.text)
        if (asked and _ASKED_OF_OTHERS.search(part[0]))
        or (_TOLD_OF_OTHERS.search(part[0]) and not _OURS.search(part[0]))
    ]


def states_ours(message: Message, spans: list[tuple[int, int]]) -> bool:
    """Whether what is not in ``spans`` states something of their own job."""
    text = message.text
    for start, end in spans:
        text = text[:start] + "\n" * (end - start) + text[end:]
    return _STATES_OURS.search(text) is not None
