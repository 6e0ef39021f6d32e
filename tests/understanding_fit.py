"""Learns what the words of a message speak for from the labelled development messages, and writes the weights.

``python -m tests.understanding_fit`` writes them; ``python -m tests.understanding_fit NAME...`` learns without the sets named
and says how often the words alone are right there: what may be expected of messages that nobody has seen. It writes nothing then.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from assistant.conversation.understanding import evidence
from assistant.conversation.understanding.message import Message

MESSAGES = Path(__file__).parent / "messages"
# The development sets; one that is kept back is never learned from.
LEARNED_FROM = (
    "development",
    "nothing_said",
    "held_out",
    "held_out_again",
    "voices_development",
    "voices_development_again",
    "siblings",
    "voices_a",
    "voices_b",
    "voices_c",
    "voices_d",
    "voices_e",
    "trades_a",
    "trades_b",
    "trades_c",
)
_LEAST_SEEN = 2  # messages a word must be in
_DECAY = 1e-4  # weight of the squared weights in the loss
_STEPS, _RATE = 150, 0.1
_LEAST_WEIGHT = 0.08  # what is smaller is left out of the file


def labelled(name: str) -> list[dict[str, Any]]:
    """The messages of one set."""
    return yaml.safe_load((MESSAGES / f"{name}.yaml").read_text(encoding="utf-8"))


def examples(without: tuple[str, ...] = ()) -> list[tuple[set[str], str]]:
    """The features and the intent of every development message, leaving out some sets by name."""
    rows = [row for name in LEARNED_FROM if name not in without for row in labelled(name)]
    return [(evidence.features(Message(row["say"]).text), row["intent"]) for row in rows]


def learned(rows: list[tuple[set[str], str]]) -> dict[str, Any]:
    """Softmax regression by gradient descent (Adam), the same every time."""
    seen = Counter(feature for found, _ in rows for feature in found)
    names = sorted(feature for feature, times in seen.items() if times >= _LEAST_SEEN)
    place, intents = {name: n for n, name in enumerate(names)}, sorted({intent for _, intent in rows})
    said = [sorted(place[feature] for feature in found if feature in place) for found, _ in rows]
    meant = np.zeros((len(rows), len(intents)), dtype=np.float32)
    for n, (_, intent) in enumerate(rows):
        meant[n, intents.index(intent)] = 1.0
    weights, bias = _descended(said, meant, len(names))
    kept = {
        name: [[k, round(float(w), 2)] for k, w in enumerate(row) if abs(w) >= _LEAST_WEIGHT]
        for name, row in zip(names, weights, strict=True)
    }
    return {
        "intents": intents,
        "bias": [round(float(b), 2) for b in bias],
        "weights": {name: row for name, row in kept.items() if row},
    }


def _descended(said: list[list[int]], meant: np.ndarray, features: int) -> tuple[np.ndarray, np.ndarray]:
    """``said``: the places of the features of every message, at least one each, out of ``features``."""
    where = np.concatenate([np.asarray(found) for found in said])
    message = np.repeat(np.arange(len(said)), [len(found) for found in said])
    message_starts = np.searchsorted(message, np.arange(len(said)))
    by_feature = np.argsort(where, kind="stable")
    feature_starts = np.searchsorted(where[by_feature], np.arange(features))
    weights, bias = np.zeros((features, meant.shape[1]), dtype=np.float32), np.zeros(meant.shape[1], dtype=np.float32)
    moments = [[np.zeros_like(weights), np.zeros_like(weights)], [np.zeros_like(bias), np.zeros_like(bias)]]
    for step in range(1, _STEPS + 1):
        scores = np.add.reduceat(weights[where], message_starts) + bias
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        error = (likely / likely.sum(axis=1, keepdims=True) - meant) / len(said)
        slopes = (np.add.reduceat(error[message[by_feature]], feature_starts) + _DECAY * weights, error.sum(axis=0))
        for values, slope, (first, second) in zip((weights, bias), slopes, moments, strict=True):
            first += 0.1 * (slope - first)
            second += 0.001 * (slope * slope - second)
            values -= _RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights, bias


def main(without: list[str]) -> None:
    found = learned(examples(tuple(without)))
    if not without:
        evidence.WEIGHTS.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{len(found['weights'])} words, pairs and triples")
    for name in without:
        rows = labelled(name)
        right = sum(evidence.spoken_for(Message(row["say"]).text, found)[0] == row["intent"] for row in rows)
        print(f"{name}: {right / len(rows):.1%} by the words alone")


if __name__ == "__main__":
    main(sys.argv[1:])
