"""What is no fact of the job: ``-5 GPUs``, ``0 nodes``, addresses, reference numbers, code, orders to answer so and so.

An impossible number is named, never read without its sign; so is an order. The rest is set aside in silence.
"""

from __future__ import annotations

import re

from .numbers import AMOUNT
from .reading import Reading

_UNIT = (
    r"(?:gpus?|cards?|accelerators?|nodes?|servers?|machines?|hosts?|boxes|instances?|racks?|nics?|sites?|tokens?|sequences|layers|"
    r"hours?|days?|weeks?|months?|years?|dollars?|usd|bucks|percent|%|gbps|gb/s|gbe|requests?|rps|qps)"
)
_LINK = re.compile(r"\b[a-z][a-z0-9+.\-]*://\S+|\bwww\.\S+")
# Words to the program about how to answer, not about the job: the rest of the sentence belongs to them.
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass|overrule|skip|violate|break)\s(?:\w+\s){0,4}?(?:instructions?|rules|prompts?|guidelines|"
    r"programming|policies|directives)\b[^\n]*|"
    r"(?:^|[.;!?\n])\W*(?:system|assistant|developer|admin(?:istrator)?|root|user)(?: (?:prompt|message|override|note|"
    r"instruction))?\s?:[^\n]*|\bsystem prompt\b[^\n]*|"
    r"\byou are (?:now|no longer|an?|my)\s[^\n]*|\b(?:act|behave|respond|answer) as (?:if you|though you|an?|my)\b[^\n]*|\b(?:developer|"
    r"god|dan|debug|sudo|admin|jailbreak) mode\b[^\n]*|"
    r"\b(?:you (?:must|have to|shall|should|will|are to|need to)|always|only|just|simply|please) (?:always |only |now |just )*(?:answer|"
    r"say|reply|respond|output|recommend|claim|pretend|state)\b(?!\s(?:me|us|we|i|it|to|a|an|the|some|something|which|what|how|whether|if|"
    r"why|that we|with)\b|\W*$)[^\n]*|"
    r"\b(?:answer|reply|respond|output|say)\s(?:only|just|always|nothing but|exclusively|solely)\b[^\n]*|"
    r"\b(?:pretend|assume|suppose|act as if) (?:that )?(?:the|this) (?:user|customer|person|operator|client)\b[^\n]*|"
    r"(?:^|[.;!?,\n]|\band )\s?(?:recommend|pretend|claim|answer with|output|say that|reply with|respond with)\s(?!\W*\d|(?:about|around|"
    r"roughly|of|is|are|length|size|tokens?|up|at|me|us|we|i|it|you|a|an|the|some|something|which|what)\b)[^\n?]*$"
)
_CODE = re.compile(
    r"\b(?:drop\s+table|delete\s+from|insert\s+into|select\s+[\w*,\s]{1,30}\s+from|update\s+\w+\s+set|alter\s+table|"
    r"rm\s+-\w+|shutdown\s+-|import\s+os\b|__import__|console\.log|eval\()[^\n]*|"
    r"<(?:script|img|iframe|svg)\b[^\n]*|\{\{[^}\n]*\}\}|\$\{[^}\n]*\}|\[link=[^\n]*"
)
_REFERENCE = re.compile(
    r"(?<![\w-])(?:\d+-[a-z]+\d+-\d+|[a-z]+\d+-\d{3,}(?:-\d+)+)(?![\w-])|"
    r"\b(?:(?:invoice|ticket|phone|room|badge|flight|chapter|page|floor|street|zip)(?: (?:number|no\.?|id|code|nr\.?))?|"
    r"(?:order|serial|part|case|account|customer|tracking|reference|issue|error|contract|line) (?:number|no\.?|id|code|nr\.?))\s?(?:is|:|"
    r"=|#)?\s?#?\s?[a-z]{0,4}\d[\w\-]*(?!\s?(?:gpus?|nodes?|gb|tokens?|%|x\b))"
)
_LONGEST_SAID = 80  # characters
_SIGN = r"(?<![\w.)\]%-])(?:-(?=[\d$])|minus\s|negative\s)\$?"


def refuse(reading: Reading) -> list[tuple[int, int]]:
    """Masks impossible numbers and notes a sentence for each; the places, to be given back when all is read."""
    thing = _anonymous(rf"(?:{reading.lexicon.gpu_expression}|{_UNIT}(?![a-z0-9]))")
    amount = re.sub(r"^(?:\(\?<![^)]*\))+", "", AMOUNT)
    negative = re.compile(
        rf"{_SIGN}{amount}(?:[\s\-]?(?:x\s?)?{thing}|(?=\W*$))|(?<=[=:])\s?-\$?\d[\d.,]*|-\$\d[\d.,]*[kmb]?"
    )
    nothing = re.compile(rf"(?<![\w.,$-])(?:0|zero)\s(?:x\s?)?{thing}")
    spans = []
    for match in [*reading.message.find(negative), *reading.message.find(nothing)]:
        reading.doubts.append(
            f'"{reading.message.typed(*match.span()).strip()}" cannot be right: the number must be more than zero'
        )
        reading.message.take_match(match)
        spans.append(match.span())
    return spans


def set_links_aside(reading: Reading) -> list[tuple[int, int]]:
    """Masks addresses: what stands in one is no fact of the job. Returns the places, to be given back."""
    spans = [match.span() for match in reading.message.find(_LINK)]
    for span in spans:
        reading.message.take(*span)
    return spans


def set_others_aside(reading: Reading) -> list[tuple[int, int]]:
    """Masks orders, code and reference numbers; an order is answered with a sentence. Returns the places, to be given back."""
    spans = []
    for pattern in (_ORDER, _CODE, _REFERENCE):
        for match in reading.message.find(pattern):
            if pattern is _ORDER:
                said = reading.message.typed(*match.span()).strip(" .,;!?\n")
                reading.doubts.append(
                    f'"{said[:_LONGEST_SAID]}" is no input: an answer follows from facts about the job, not from being told which it should be'
                )
            reading.message.take_match(match)
            spans.append(match.span())
    return spans


def _anonymous(pattern: str) -> str:
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)
