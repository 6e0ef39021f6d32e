"""Weak hints to what a person wants, for messages that no clear cue decides: each word counts a little, several together tell.

Every hint counts once. An intent is taken when its hints together reach its threshold; the one that is furthest above wins.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from .technologies import TECHNOLOGY

_FACT = re.compile(r"\d|\b(?:spot|buy\w*|bought|rent\w*|aws|azure|gcp|coreweave|fsdp|hsdp|ddp|megatron|deepspeed)\b")
_BACK_REFERENCE = (
    r"\b(?:this|these|those|your|you|decision|choice|recommendation|result|verdict|conclusion|winner|on top|the (?:numbers?|"
    r"figures?|costs?|price|answer|plan|ranking)|"
    r"(?:it|that)(?=\W*$| (?:is|was|number|figure|choice|one)\b))"
)
_WEIGHS = re.compile(r"\b(?:better|cheaper|faster|pros|cons|differ\w*|compar\w*|versus|advantages?)\b")
_YES_NO = re.compile(
    r"^\W*(?:(?:and|but|so|ok)\s)*(?:is|are|was|were|does|do|did|can|will|has|have)\b(?! (?:it(?! (?:worth|true|possible|"
    r"necessary|enough|safe|wise|smart|ok)\b)|there|you)\b)"
)


_REFERENCE_ONLY = 1.0  # the points of "it", "this", "you": alone they tell nothing


class _Asked(NamedTuple):
    """What the hints of an intent look at beside its words."""

    networks: int
    facts: bool
    yes_no: bool
    weighs: bool


class _Hints(NamedTuple):
    """The hints of one intent. ``fits`` says whether the message can mean it at all."""

    threshold: float
    words: tuple[tuple[float, re.Pattern[str]], ...]
    fits: Callable[[_Asked], bool]
    networks: float = 0.0  # what a network that is named counts
    facts: float = 0.0  # what a number or another fact counts


def _words(*pairs: tuple[float, str]) -> tuple[tuple[float, re.Pattern[str]], ...]:
    return tuple((points, re.compile(pattern)) for points, pattern in pairs)


_HINTS = {
    "why-not": _Hints(
        3.0,
        _words(
            (2.0, r"\bwhy\b|\breasons?\b|\bhow come\b|\bbecause\W*\?|\b(?:grounds?|basis|rationale)\b"),
            (
                1.2,
                r"\b(?:against|bad|wrong|out|eliminat\w*|disqualif\w*|struck|veto\w*|ban(?:s|ned)|discard\w*|reject\w*|ignor\w*|dismiss\w*|"
                r"exclud\w*|not|no|behind|second|down|lost?|lose|losing|drawbacks?|weak\w*|worse|never|skip\w*|dropped|beaten|missing|left|"
                r"hesita\w*|nowhere|absent|third|fourth|last|low|lower|bottom|dislike|hate|avoid\w*|distrust)\b|n't\b",
            ),
            (
                3.0,
                r"\b(?:hold(?:s|ing)?|keep(?:s|ing)?|held|set(?:s|ting)?) \S+(?: \S+)? (?:back|from)\b|\bin the way\b|\b(?:stops?|"
                r"prevents?|hinders?|keeps?) (?:us|you|me|it) from\b|\b(?:disadvantages?|drawbacks?|downsides?|weaknesses|"
                r"shortcomings) of\b",
            ),
        ),
        lambda a: a.networks == 1,
    ),
    "why": _Hints(
        2.0,
        _words(
            (2.0, r"\bwhy\b|\bhow come\b|\bbecause\W*\?|\belaborate\b|\bclarify\b"),
            (
                1.2,
                r"\b(?:reason\w*|rationale|basis|based|grounds?|logic|evidence|proof|prove|justif\w*|convinc\w*|arguments?|explain|"
                r"explanation|derivation)\b",
            ),
            (
                1.2,
                r"\b(?:computed?|calculated?|derived?|determined|estimated|obtained|c[oa]me (?:up|from|about)|end(?:ed)? up|drove|driven|"
                r"led|decided?|concluded?|chosen|chose|picked|selected|arrived?|wins?|won|preferred|made|support\w*|back(?:s|ed)|"
                r"underl\w+)\b",
            ),
            (1.0, _BACK_REFERENCE),
        ),
        lambda a: not a.facts,
    ),
    "what-if": _Hints(
        2.5,
        _words(
            (
                1.5,
                r"\b(?:would(?! you (?:buy|put|take|choose|pick|use|go|prefer|do|trust|bet|spend|hang|connect|wire|string|lay|plug|place|install|deploy|run|order|build|suggest|advise|propose)\b)|suppos\w*|hypothe\w*|imagin\w*|"
                r"conditions?|circumstances|scenarios?|were|assum\w*)\b",
            ),
            (
                1.3,
                r"\b(?:re-?comput\w*|re-?calculat\w*|re-?run|redo|re-?plan|again|different(?:ly)?|changes?|changed|look|tipping|"
                r"break[\s-]?even|turning|before|until|unless|better choice|pays?|wins?|worth|"
                r"fall(?:s|ing)? behind|catch(?:es)? up|instead|increase[sd]?|decrease[sd]?|affects?|impacts?|influences?|depends?|"
                r"sensitive)\b",
            ),
            (
                1.0,
                r"\b(?:you|it|this|that|the (?:plan|answer|costs?|price|recommendation|result|"
                r"gpus))\b",
            ),
        ),
        lambda a: not a.yes_no,
        networks=0.7,
        facts=1.0,
    ),
    "compare": _Hints(
        2.5,
        _words(
            (
                1.2,
                r"\b(?:better|differen\w+|advantages?|differ|pros|cons|close|cheaper|faster|slower|dearer|than|between|compar\w*|versus|"
                r"over|prefer\w*|rather|choose|choice|trade\w*|or|both|stronger|benefits?|apart|gap|gains?|"
                r"gives? (?:me|us)|table|side|worse|slower|more|less)\b|/",
            )
        ),
        lambda a: a.networks >= 2 and not a.yes_no and a.weighs,
        networks=0.7,
    ),
    "undo": _Hints(
        2.4,
        _words(
            (
                1.3,
                r"\b(?:un-?do|revert|cancel|remove|discard|delete|erase|scratch|scrap|strike|withdraw|retract|reverse|take (?:away|out|"
                r"back)|go back|return|restore|rewind|forget|dismiss|drop|kill)\b",
            ),
            (1.2, r"\b(?:last|previous|before|earlier|back|said|typed|wrote|entered|sent|just now)\b"),
            (3.0, r"\bctrl[\s\-+]?z\b|^\W*back\W*$"),
        ),
        lambda a: not a.facts and a.networks == 0,
    ),
    "export": _Hints(
        2.4,
        _words(
            (
                1.3,
                r"\b(?:download\w*|store|stored|save|saved|saving|export\w*|paste|print(?:ed)?|send|mail|keep|share|archive|attach|"
                r"take (?:it|this) with|hand (?:it|this) (?:in|over))\b",
            ),
            (
                1.2,
                r"\b(?:files?|docs?|documents?|pdf|markdown|json|ya?ml|html|csv|disk|this|it|that|somewhere|plan|report|results?|"
                r"everything|conversation|colleagues?|boss|team)\b",
            ),
        ),
        lambda a: not a.facts and a.networks == 0,
    ),
    "help": _Hints(
        2.2,
        _words(
            (
                1.3,
                r"\b(?:supposed to|phrase|commands?|guide me|guidance|help(?: me)?\W*$|type|hilfe|ayuda|aide|hulp|what to (?:do|say|type|"
                r"write|enter)|how to (?:use|proceed|go on|continue)|sure (?:what|how)|know (?:what|how) to|understand how to|possibilities|"
                r"instructions)\b",
            ),
            (1.0, r"\b(?:i|me|you|here|this|possible|available)\b|^\W*\w+\W*$"),
        ),
        lambda a: not a.facts and a.networks == 0,
    ),
    "change": _Hints(
        2.3,
        _words(
            (
                1.3,
                r"\b(?:has changed|have changed|changed to|no longer|rather than|i (?:said|told you|wrote|typed)|not\b.*\b(?:but|it's)|"
                r"it's not|it isn't|in fact|turns out|turned out|as opposed to)\b",
            )
        ),
        lambda a: a.facts,
        facts=1.0,
    ),
}


def hinted(text: str, *, question: bool) -> str | None:
    """The intent that the weak hints of ``text`` (lower case) reach, if any; a question is never a correction."""
    never = ("change",) if question else ("what-if", "why-not")
    above = {intent: _above(intent, text, question) for intent in _HINTS if intent not in never}
    best = max(above, key=above.__getitem__)
    return best if above[best] >= 0 else None


def reaches(intent: str, text: str) -> bool:
    """Whether the hints of one intent reach its threshold in a question."""
    return _above(intent, text, question=True) >= 0


def _above(intent: str, text: str, question: bool) -> float:
    """How far the hints of an intent are above its threshold; negative where they do not reach it."""
    hints, asked = _HINTS[intent], _asked(text, question)
    said = [points for points, pattern in hints.words if pattern.search(text)] if hints.fits(asked) else []
    points = sum(said)
    if not points or points == _REFERENCE_ONLY:
        return -1.0
    return round(points + hints.networks * min(asked.networks, 2) + hints.facts * asked.facts - hints.threshold, 6)


@lru_cache(maxsize=8)
def _asked(text: str, question: bool) -> _Asked:
    technologies = {
        "infiniband" if match.lastgroup == "generation" else match.lastgroup for match in TECHNOLOGY.finditer(text)
    }
    return _Asked(
        len(technologies),
        _FACT.search(text) is not None,
        _YES_NO.match(text) is not None,
        question or _WEIGHS.search(text) is not None,
    )
