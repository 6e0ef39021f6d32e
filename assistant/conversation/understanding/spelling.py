"""Slips of the finger and short forms in a message, corrected while every letter keeps its place in what was typed.

A word is corrected only when it is no form of a word the grammar reads, begins like one, and is one slip away from it: a
letter too many, missing, wrong, or two exchanged; two slips in a long word.
"""

from __future__ import annotations

import re

from rapidfuzz.distance import OSA

_SHORT = {"dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "isnt": "isn't", "arent": "aren't", "wont": "won't", "cant": "can't",
          "wouldnt": "wouldn't", "couldnt": "couldn't", "shouldnt": "shouldn't", "wasnt": "wasn't", "havent": "haven't",
          "hasnt": "hasn't", "whats": "what's", "hows": "how's", "lets": "let's", "thats": "that's", "weve": "we've",
          "theyre": "they're", "youre": "you're", "im": "i'm", "ive": "i've", "w": "with", "wanna": "want to", "gonna": "going to", "w/": "with", "w/o": "without",
          "pls": "please", "plz": "please"}
_ALL_BUT = re.compile(r"\b(?:any(?:thing|where|one)?|every(?:thing|where|one)?|all)(?:\s(?:cloud|provider|fabric|network|vendor|hyperscaler|"
                      r"interconnect|gpu)s?)?\s(?:but|except(?:\sfor)?|other than)\b(?!\s(?:not|we|i|it|the rest)\b)")
_WORDS = ("llama mistral mixtral deepseek nemotron infiniband ethernet pretrain pretraining finetune finetuning inference "
          "sequence megatron deepspeed pipeline tensor parallel parallelism budget million billion trillion dollars tokens "
          "compare disaggregated checkpointing coreweave gradient recompute").split()
_BY_LETTER = {letter: [w for w in _WORDS if w[0] == letter] for letter in {w[0] for w in _WORDS}}
# English words that are one slip away from one of these.
_RIGHT = frozenset("pertaining bullion censor tenser sensor parallels gadget sequel interference taken token pretrained".split())
_FORM = re.compile(r"s|es|d|ed|r|er|ing|al|ized|isation|ization")  # what may follow a word that is spelled right
_LONG = 9  # letters from which two slips are forgiven
_SHORT_FORM = re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, sorted(_SHORT, key=len, reverse=True)))})(?![\w'/])")
_TYPED = re.compile(r"(?<![\w.$/-])[a-z]{4,}(?![\w])")


def spelled(text: str) -> tuple[str, list[int]]:
    """``text`` (lower case) corrected, and for every character of it, and its end, the place in ``text`` it stands for."""
    parts: list[str] = []
    places: list[int] = []
    done = 0
    for start, end, better in _corrections(text):
        parts += [text[done:start], better]
        places += [*range(done, start), *(min(start + i, end - 1) for i in range(len(better)))]
        done = end
    return "".join([*parts, text[done:]]), [*places, *range(done, len(text) + 1)]


def _corrections(text: str) -> list[tuple[int, int, str]]:
    short = [(m.start(), m.end(), _SHORT[m[0]]) for m in _SHORT_FORM.finditer(text)]
    slips = [(m.start(), m.end(), near) for m in _TYPED.finditer(text) if m[0] not in _SHORT and (near := _near(m[0]))]
    all_but = [(m.start(), m.end(), "not") for m in _ALL_BUT.finditer(text)]
    return sorted(short + slips + all_but)


def _near(word: str) -> str | None:
    """The one word that was meant, if any."""
    known = _BY_LETTER.get(word[0], [])
    if word in _RIGHT or any(w.startswith(word) or _FORM.fullmatch(word.removeprefix(w)) for w in known):
        return None
    near = [w for w in known if OSA.distance(word, w) <= (2 if len(w) >= _LONG else 1)]
    return min(near, key=lambda w: OSA.distance(word, w), default=None)
