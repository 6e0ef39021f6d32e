"""Questions near one that the plan does not answer, in the words by which they are asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from assistant.understanding.demand import Thing
from assistant.vocabulary.utterance import Utterance

from .parts import Parts

_MOST = 2
_ALIKE, _WEIGHT = 2, 3.0  # words that a question of a kind has in common; how many the likeliest kind is worth
_LONGEST = 12  # words of a question that is offered
_WORDS, _DIGITS = re.compile(r"[a-z]{3,}"), re.compile(r"\d")


def nearest(parts: Parts, said: Utterance, things: Sequence[Thing] = ()) -> list[str]:
    """Questions that the plan answers: those that stand beside a known thing, else one of each of the kinds that are
    likeliest meant, the one that has most words of the question."""
    own = [question for one in things for question in one.nearest]
    if own:
        return list(dict.fromkeys(own))[:_MOST]
    quotes = bool(parts.state.plan and parts.state.plan.quotes)
    kinds = [one for one in parts.library.language["followups"]["kinds"] if quotes or one.get("needs") != "quotes"]
    common = parts.library.language["asked_for"]["common"]
    words, likely = set(_WORDS.findall(said.text.lower())).difference(common), dict(said.followup)
    ranked = list[tuple[float, str]]()
    for kind in kinds:
        share = likely.get(kind["kind"], 0.0)
        shared, question = _of(kind, words)
        if question and (share or shared >= _ALIKE):
            ranked.append((shared + _WEIGHT * share, question))
    return [question for _, question in sorted(ranked, reverse=True)][:_MOST]


def _of(kind: Mapping[str, Any], words: set[str]) -> tuple[int, str]:
    """The question of a kind that has most of the words and no figure or clause of its own, with how many it has."""
    plain = [one for one in kind["says"] if len(one.split()) <= _LONGEST and not _DIGITS.search(one) and "," not in one]
    shared = lambda question: len(words & set(_WORDS.findall(question.lower())))
    best = max(plain, key=lambda question: (shared(question), -len(question.split())), default="")
    return shared(best), best
