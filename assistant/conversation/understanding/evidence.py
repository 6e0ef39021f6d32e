"""What the words of a message speak for, where no clear cue says what is wanted: weights learned from labelled messages.

Every word, pair and triple of words has a weight for every intent (softmax regression); names of networks, GPUs and numbers
count as such. The weights are in ``intent_weights.json``, made by ``tests/understanding_fit.py`` from the development messages.
"""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from .technologies import TECHNOLOGY

WEIGHTS = Path(__file__).with_name("intent_weights.json")
_GPU = re.compile(r"\b(?:[hab]\d{3}|gb\d{3}|mi\d{3}x?|v100)s?\b")
_NUMBER = re.compile(r"[$~]?\d[\d.,]*\w*%?")
_WORD = re.compile(r"[a-z_']+|\?")
_LONGEST = 3  # words in a row that are looked at together


def features(text: str) -> set[str]:
    """The words, pairs and triples of a message (lower case), between marks for its beginning and its end."""
    networks = len({match.lastgroup for match in TECHNOLOGY.finditer(text)})
    text = _NUMBER.sub(" _number ", _GPU.sub(" _gpu ", TECHNOLOGY.sub(" _network ", text)))
    words = ["_begin", *_WORD.findall(text.replace("n't", " not")), "_end"]
    found = {" ".join(words[i : i + n]) for n in range(1, _LONGEST + 1) for i in range(len(words) - n + 1)}
    return found | {f"_networks={min(networks, 2)}"}


def spoken_for(text: str, learned: dict[str, Any] | None = None) -> tuple[str, float]:
    """The intent that the words of ``text`` (lower case) speak for most, and its probability between 0 and 1.

    ``learned`` has the form of :func:`weights`; the shipped ones when not given.
    """
    learned = learned or weights()
    scores = list(learned["bias"])
    for feature in features(text):
        for intent, weight in learned["weights"].get(feature, ()):
            scores[intent] += weight
    best = max(range(len(scores)), key=scores.__getitem__)
    return learned["intents"][best], 1.0 / sum(math.exp(score - scores[best]) for score in scores)


@lru_cache(maxsize=1)
def weights() -> dict[str, Any]:
    """``intents``, the ``bias`` of each, and ``weights``: for every feature pairs of the place of an intent and a weight."""
    return json.loads(WEIGHTS.read_text(encoding="utf-8"))
