"""What the person wants: to describe, to ask, to know why, to try a variation, to take something back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .cues import CUES
from .hints import hinted, reaches
from .message import TAKEN, Message

_ACCOUNT_WORDS, _ACCOUNT_NUMBERS = 16, 3
_OPENING = 12  # characters: a cue that begins later is not how the message begins
_BY_ITSELF = ("what-if", "ask")  # said in the middle of an account, these still mean what they say
_NUMBERS = re.compile(r"(?<![\w.])\d[\d.,]*\w*")
_FURTHER = 0.5  # what a second cue of the same intent adds: several weak cues settle between neighbours


def intent_of(message: Message) -> str:
    """The intent by its wording alone; :func:`settle` decides between describing and asking once the facts are read."""
    text = message.open.replace(TAKEN, "_")  # what was set aside stands there as a word
    weights: dict[str, float] = {}
    first: dict[str, re.Match[str]] = {}
    for cue in CUES:
        match = cue.pattern.search(text)
        if match is None:
            continue
        first.setdefault(cue.intent, match)
        weights[cue.intent] = max(weights.get(cue.intent, 0.0), cue.weight) + (_FURTHER if cue.intent in weights else 0.0)
    if _tells_of_a_job(text):
        weights = {name: weight for name, weight in weights.items() if first[name].start() <= _OPENING or name in _BY_ITSELF}
    intent = max(weights, key=weights.__getitem__, default="describe")
    if intent == "describe" and _tells_of_a_job(text):
        return intent
    if intent in ("ask", "describe"):
        intent = hinted(text, question=intent == "ask") or intent
    if intent == "why" and reaches("why-not", text):
        intent = "why-not"
        first.setdefault(intent, first.get("why"))
    if first.get(intent) is None:
        return intent
    if intent == "change" and not first[intent].groupdict().get("thing"):
        message.take(first[intent].start(), _correction_end(first[intent]))
    elif intent in ("why", "why-not", "what-if", "compare"):
        _take_cue(message, first[intent])
    return intent


def _tells_of_a_job(text: str) -> bool:
    """Whether a message is a long account with several numbers, in which a stray word asks for nothing."""
    return len(text.split()) >= _ACCOUNT_WORDS and len(_NUMBERS.findall(text)) >= _ACCOUNT_NUMBERS and not text.rstrip().endswith("?")


def _take_cue(message: Message, match: re.Match[str]) -> None:
    """A cue that reaches over the thing it asks about ("why is RoCE not …") leaves that thing to be read."""
    start = match.start()
    for name in sorted((n for n, text in match.groupdict().items() if text), key=match.start):
        message.take(start, match.start(name))
        start = match.end(name)
    message.take(start, match.end())


def _correction_end(match: re.Match[str]) -> int:
    first = re.match(r"\W*(?:no\b[\s,.:;!\-]*(?:wait|sorry|actually)?|(?!not\b|remove|lift\b|double|halve|triple|quadruple|use\b|drop\b|cut\b|replace\b|swap\b|change\b|switch\b)[a-z']+)", match[0])
    return match.start() + (first.end() if first else 0)


_BESIDE = re.compile(r"\b(?:against|next to|beside|alongside|as opposed to)\b")
_EITHER = re.compile(r"[\x00\W]*\b(?:or|vs|v|versus|/)\b[\x00\W]*")  # "RoCE or InfiniBand" and nothing else
_THE_TWO = re.compile(r"\b(?:two|both|them|candidates|these|those|all|others?|it|options|plans?|networks|fabrics|runner-up|winner|everything|each|first|second|top|best)\b|compare\W*$")
_NOTHING_SAID = re.compile(r"[\x00\W]*")  # all of it was set aside
_JOB = ("workload", "model", "model.params", "cluster.gpu", "cluster.gpus")
_PLANNING = re.compile(r"\b(?:which|what)\b.{0,30}\b(?:network|fabric|interconnect|networking|nics?)\b|\bdo (?:we|"
                       r"i) (?:really )?need\b|\bshould (?:we|i)\b|\bis .{2,40} (?:enough|worth|overkill|necessary)\b|"
                       r"\b(?:help|recommend|advise|plan)\b")


# What others did says nothing about the job at hand.
_OF_OTHERS = re.compile(
    r"\b(?:is|are|any|which|what|know(?:s)?(?: of)?|there|some|find|show me|cite|recommend)\b[^?.]{0,20}\b(?:papers?|stud(?:y|ies)|articles?|publications?|benchmarks?|case stud\w+|literature|reports? (?:of|about|on)|blog ?posts?|white ?papers?|sources?|references?)\b|"
    r"\b(?:who(?:se)?\b(?! (?:should|can|would) (?:i|we))|(?:which|what|any|do|are there|other|how many) (?:\w+ )?(?:companies|company|vendors|labs?|teams|people|others|hyperscalers?|papers?|organi[sz]ations?|universities|models|users|startups|clusters|sites|one)\b|"
    r"(?:has|have|is|was|are|were) (?:[\w\-]+ ){1,3}?(?:been |ever )?(?:used|deployed|proven|tested|adopted|measured|benchmarked|in use)\b|(?:has|have|did|does|do|how did|how does|when did|where did|why did) (?:anyone|anybody|someone|somebody|others|people|they|meta|google|openai|microsoft|xai|bytedance|alibaba|nvidia|amazon|aws|deepseek|mistral|anthropic|apple|tesla|baidu|tencent)\b)")


def is_of_others(message: Message) -> bool:
    """Whether a question is about what others have done: "who has trained on 10,000 GPUs?"."""
    return _OF_OTHERS.search(message.text) is not None


def settle(intent: str, message: Message, fields: dict[str, object], fabrics: list[str], excluded: list[str], unset: Sequence[str] = (),
           nodes: int | None = None) -> str:
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
    if intent == "compare" and not fabrics and not _THE_TWO.search(message.text):
        return "ask"
    if intent == "describe" and len(fabrics) == 2 and not any(name in fields for name in _JOB) and (
            _BESIDE.search(message.text) or _EITHER.fullmatch(message.open)):
        return "compare"
    if intent in ("describe", "change") and not (fields or fabrics or excluded or nodes):
        return "change" if unset or (intent == "change" and not _NOTHING_SAID.fullmatch(message.open)) else "unclear"
    return intent
