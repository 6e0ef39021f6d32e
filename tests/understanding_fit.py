"""Learns what the words of a message speak for from the labelled messages, and writes the weights.

``python -m tests.understanding_fit`` writes them; ``python -m tests.understanding_fit NAME...`` leaves out one set
after the other and says how often the act is right there: what may be expected of messages that nobody has seen. It
writes nothing then.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from assistant import library
from assistant.understanding import Listener, acts
from assistant.understanding.templates import Quantity
from assistant.understanding.text import Text

MESSAGES = Path(__file__).parent / "messages"
WEIGHTS = library.load().knowledge_folder / "language" / "acts.json"
WORDINGS = WEIGHTS.with_name("acts.yaml")
# The development sets; one that is kept back is never learned from.
LEARNED_FROM = (
    *("development", "nothing_said", "held_out", "held_out_again", "voices_development", "voices_development_again"),
    *("siblings", "voices_a", "voices_b", "voices_c", "voices_d", "voices_e", "trades_a", "trades_b", "trades_c"),
    *("classes", "acts", "acts_of_many", "fresh_a", "fresh_b", "fresh_c", "fresh_d", "fresh_e"),
)
ACTS = ("ask", "change", "compare", "describe", "export", "help", "undo", "unclear", "what-if", "why", "why-not")
_LEAST_SEEN = 2  # messages a feature must be in
_DECAY = 1e-4  # weight of the squared weights in the loss
_STEPS, _RATE = 80, 0.1
_LEAST_WEIGHT = 0.15  # what is smaller is left out of the file


def learned_from() -> str:
    """The digest of what the weights are learned from and by: a changed one asks for new weights."""
    read = [MESSAGES / f"{name}.yaml" for name in LEARNED_FROM] + [WORDINGS, Path(acts.__file__)]
    return hashlib.sha256(b"".join(path.read_bytes() for path in (*read, Path(__file__)))).hexdigest()


@dataclass(frozen=True)
class Labelled:
    """A message with the acts that are right for it; ``stated`` where it says something of the job."""

    text: Text
    quantities: list[Quantity]
    asked: str | None
    known: dict[str, Any]
    right: tuple[str, ...]
    stated: bool
    say: str

    def features(self) -> list[str]:
        return acts.features(self.text, self.quantities, wordings(), asked=self.asked, known=self.known)


def labelled(name: str) -> list[dict[str, Any]]:
    """The messages of one set, however it groups them: a list, lists by class, or plain sentences by act."""
    rows = yaml.safe_load((MESSAGES / f"{name}.yaml").read_text(encoding="utf-8"))
    if isinstance(rows, list):
        return rows
    return [{"say": row, "intent": group} if isinstance(row, str) else row for group in rows for row in rows[group]]


@lru_cache
def examples(name: str) -> list[Labelled]:
    """The messages of one set with their amounts and names."""
    return [_example(row) for row in labelled(name)]


def _example(row: dict[str, Any]) -> Labelled:
    text, quantities = listener().spans(row["say"])
    either = row.get("either", {})
    right = either.get("intent", [row["intent"]])
    if right == ["unclear"] and quantities:  # which of both it is, no words tell: see acts.settled
        right = ["unclear", "describe"]
    facts = ("fields", "fabrics", "excluded", "unset", "ask", "offers", "unknown")
    stated = bool(either) or any(row.get(key) for key in facts)
    return Labelled(text, quantities, row.get("asked"), row.get("known", {}), tuple(right), stated, row["say"])


@lru_cache
def wordings() -> acts.Acts:
    """The wordings that speak for an act; the weights beside them are not looked at."""
    language = library.load().language
    return acts.Acts.of(language["acts"], language["weights"])


@lru_cache
def listener() -> Listener:
    loaded = library.load()
    return Listener(loaded.language, loaded.catalog)


def learned(rows: list[Labelled]) -> dict[str, Any]:
    """Softmax regression by gradient descent (Adam), the same every time."""
    found = [row.features() for row in rows]
    seen = Counter(feature for features in found for feature in features)
    names = sorted(feature for feature, times in seen.items() if times >= _LEAST_SEEN)
    place = {name: n for n, name in enumerate(names)}
    said = [[place[feature] for feature in features if feature in place] for features in found]
    meant = np.zeros((len(rows), len(ACTS)), dtype=np.float32)
    for n, row in enumerate(rows):
        meant[n, [ACTS.index(act) for act in row.right]] = 1 / len(row.right)
    weights, bias = _descended(said, meant, len(names))
    kept = {
        name: [part for k, w in enumerate(row) if abs(w) >= _LEAST_WEIGHT for part in (k, round(100 * float(w)))]
        for name, row in zip(names, weights, strict=True)
    }
    weighed = {name: row for name, row in kept.items() if row}
    return {"acts": list(ACTS), "bias": [round(float(b), 2) for b in bias], "weights": weighed}


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


def misjudged(rows: list[Labelled], weights: dict[str, Any]) -> list[tuple[str, str, tuple[str, ...]]]:
    """The messages whose act is not right: what was said, the act, the right ones. Facts settle between two of them."""
    judge = acts.Acts.of(library.load().language["acts"], weights)
    wrong = []
    for row in rows:
        judged = acts.act_of(row.text, row.quantities, judge, asked=row.asked, known=row.known)
        act = acts.settled(judged.act, stated=row.stated)
        if act not in row.right:
            wrong.append((row.say, act, row.right))
    return wrong


def main(left_out: list[str]) -> None:
    for name in left_out:
        found = learned([row for other in LEARNED_FROM if other != name for row in examples(other)])
        wrong = misjudged(examples(name), found)
        print(f"{name}: {1 - len(wrong) / len(examples(name)):.1%}", *wrong, sep="\n  ")
    if not left_out:
        found = learned([row for name in LEARNED_FROM for row in examples(name)])
        found["learned_from"] = learned_from()
        WEIGHTS.write_text(json.dumps(found, separators=(",", ":"), ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"{len(found['weights'])} words, pairs and triples")


if __name__ == "__main__":
    main(sys.argv[1:])
