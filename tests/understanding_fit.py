"""Learns what the words of a message speak for from the labelled messages, and writes the weights: those of acts, and
those of amounts and names.

``python -m tests.understanding_fit`` writes them; ``python -m tests.understanding_fit NAME...`` leaves out one set
after the other and says how often the act is right there: what may be expected of messages that nobody has seen. It
writes nothing then.
"""

from __future__ import annotations

import datetime
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
from assistant.retrieval import Embedder
from assistant.understanding import Listener, acts, attach, followups, judge, nearest
from assistant.understanding.attach import Fact
from assistant.understanding.judge import Stretch
from assistant.understanding.reading import NAMES, Reading
from assistant.understanding.templates import Quantity
from assistant.understanding.text import Text
from assistant.vocabulary.catalog import Fabric
from assistant.vocabulary.fields import NUMERIC
from assistant.vocabulary.questionnaire import FIELDS

MESSAGES = Path(__file__).parent / "messages"
WEIGHTS = library.load().knowledge_folder / "language" / "acts.json"
SPANS = WEIGHTS.with_name("spans.json")
WORDINGS = WEIGHTS.with_name("acts.yaml")
FOLLOWUPS, QUESTIONS = WEIGHTS.with_name("followups.json"), WEIGHTS.with_name("followups.yaml")
# What both files are learned from. Many of these sets were kept back until their first run, fresh_a to fresh_h, fresh_m
# and fresh_n among them: its figures, where a header gives them, are the ones for unseen messages; learned from since,
# as held_out and held_out_again are for all their names. Never learned from: voices_held_out, voices_d_held_out,
# voices_e_held_out and languages.
LEARNED_FROM = (
    *("development", "nothing_said", "held_out", "held_out_again", "voices_development", "voices_development_again"),
    *("siblings", "voices_a", "voices_b", "voices_c", "voices_d", "voices_e", "trades_a", "trades_b", "trades_c"),
    *("classes", "acts", "acts_of_many", "fresh_a", "fresh_b", "fresh_c", "fresh_d", "fresh_e"),
    *("fresh_f", "fresh_g", "fresh_h", "fresh_m", "fresh_n"),
)
_WITHOUT_FIELDS = frozenset({"acts", "acts_of_many", "siblings"})  # sets that label no facts
TODAY = datetime.date(2026, 11, 22)  # of the labels
ACTS = ("ask", "change", "compare", "describe", "export", "help", "undo", "unclear", "what-if", "why", "why-not")
_LEAST_SEEN = 2  # messages, or amounts, a feature must be in
_LEAST_LABELLED = 8  # amounts and names of a field that is learned
_DECAY = 1e-4  # weight of the squared weights in the loss
_STEPS, _RATE = 80, 0.1
_LEAST_WEIGHT = 0.15  # what is smaller is left out of the file


def learned_from(*by: Path) -> str:
    """The digest of what weights are learned from and ``by``: a changed one asks for new weights."""
    read = [MESSAGES / f"{name}.yaml" for name in LEARNED_FROM] + [*by, Path(__file__)]
    return hashlib.sha256(b"".join(path.read_bytes() for path in read)).hexdigest()


def digests() -> dict[Path, str]:
    """What each learned file says it was learned from. What wordings claim counts for ``SPANS`` too, and is no part of
    its digest: a wording is added without learning anew."""
    return {
        WEIGHTS: learned_from(WORDINGS, Path(acts.__file__)),
        SPANS: learned_from(Path(judge.__file__)),
        FOLLOWUPS: learned_from(QUESTIONS, WORDINGS, *(Path(one.__file__) for one in (acts, followups, nearest))),
    }


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


Example = tuple[list[str], tuple[str, ...]]  # the features of something and the classes that are right for it


def learned(rows: list[Labelled]) -> dict[str, Any]:
    """What the messages teach of acts."""
    return regressed([(row.features(), row.right) for row in rows], list(ACTS))


def regressed(
    rows: list[Example], classes: list[str], decay: float = _DECAY, least: float = _LEAST_WEIGHT
) -> dict[str, Any]:
    """Softmax regression by gradient descent (Adam), the same every time; ``decay``: how firmly weights are small;
    ``least``: what is smaller is left out."""
    seen = Counter(feature for features, _ in rows for feature in features)
    names = sorted(feature for feature, times in seen.items() if times >= _LEAST_SEEN)
    place = {name: n for n, name in enumerate(names)}
    said = [[place[feature] for feature in features if feature in place] for features, _ in rows]
    meant = np.zeros((len(rows), len(classes)), dtype=np.float32)
    for n, (_, right) in enumerate(rows):
        meant[n, [classes.index(one) for one in right]] = 1 / len(right)
    weights, bias = _descended(said, meant, len(names), decay)
    kept = {
        name: [part for k, w in enumerate(row) if abs(w) >= least for part in (k, round(100 * float(w)))]
        for name, row in zip(names, weights, strict=True)
    }
    weighed = {name: row for name, row in kept.items() if row}
    return {"classes": classes, "bias": [round(float(b), 2) for b in bias], "weights": weighed}


def _descended(said: list[list[int]], meant: np.ndarray, features: int, decay: float) -> tuple[np.ndarray, np.ndarray]:
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
        slopes = (np.add.reduceat(error[message[by_feature]], feature_starts) + decay * weights, error.sum(axis=0))
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


# -- amounts and names -------------------------------------------------------------------------------------


class _Recorder:
    """Stands in for the judge: keeps what it would have judged."""

    def __init__(self) -> None:
        self.seen: list[tuple[Reading, list[Fact]]] = []

    def settle(self, reading: Reading, live: list[Fact]) -> None:
        self.seen.append((reading, list(live)))


@dataclass(frozen=True)
class _Known:
    fields: dict[str, Any]
    asked: str | None
    changed: tuple[str, ...]


def spans(name: str) -> list[Example]:
    """Every amount and name of the messages of one set, with the fields it is a value of."""
    hearing = Listener(library.load().language, library.load().catalog)
    hearing.judge = recorder = _Recorder()  # type: ignore[assignment]
    found: list[Example] = []
    for row in labelled(name) if name not in _WITHOUT_FIELDS else ():
        recorder.seen.clear()
        known = row.get("known", {})
        hearing.hear(row["say"], _Known(known, row.get("asked"), tuple(known)), today=TODAY)
        said = {p: v for p, v in row.get("fields", {}).items() if v is not None}
        for reading, live in recorder.seen[-1:]:
            for one in judge.stretches(reading):
                right = _stands_for(one, said, live) or {judge.NONE}
                found.append((judge.features(reading, one), tuple(sorted(right))))
    return found


def _stands_for(one: Stretch, said: dict[str, Any], live: list[Fact]) -> set[str]:
    """The fields of which an amount or a name is the value; the one that a wording found there, if it is among them."""
    found = {p for p in said for q in one.quantities if any(_near(v, said[p]) for v in _values(p, q))}
    found |= {path for q in one.quantities for path in _of_count(q, said)}
    fabric = library.load().catalog.fabrics.get(said.get(judge.FABRIC, ""))
    found |= {judge.FABRIC for q in one.quantities if q.kind == judge.NETWORK and fabric and _is_of(fabric, q)}
    claimed = [fact for fact in live if one.start in fact.claimed and fact.says.act == "set"]
    found |= {f.says.field for f in claimed if f.says.field in said and _near(f.value, said[f.says.field])}
    return {f.says.field for f in claimed} & found or found


def _values(path: str, quantity: Quantity) -> list[Any]:
    if quantity.kind == "instance":
        return [quantity.value[1].gpu] if path == "cluster.gpu" else []
    if quantity.kind in NAMES:
        return [quantity.value] if NAMES[quantity.kind] == path else []
    if path.startswith("cluster.gpus") or path not in FIELDS or FIELDS[path].about.kind not in NUMERIC:
        return []
    each = [attach.computed("1000/", quantity)] if path == "inference.tpot_ms" and quantity.kind == "number" else []
    plain = [quantity] if quantity.kind == "number" else []
    values = [attach.converted(FIELDS[path], q, TODAY) for q in plain] + [q.value for q in each]
    return [v for v in (*values, attach.sensible(FIELDS[path], quantity, TODAY)) if v is not None]


def _of_count(quantity: Quantity, said: dict[str, Any]) -> set[str]:
    if quantity.kind != "number":
        return set()
    gpus, each, number = said.get(judge.GPUS), said.get(judge.PER_NODE), quantity.value
    whole = {judge.GPUS} if number == gpus else {judge.NODES} if gpus and each and number * each == gpus else set()
    return whole | ({judge.PER_NODE} if number == each else set())


def _is_of(fabric: Fabric, named: Quantity) -> bool:
    """Whether a network that was named is this fabric; Ethernet of 400 Gb/s and more is RoCE."""
    return fabric.technology in (named.value, {"tcp": "roce"}.get(named.value))


def _near(value: Any, wanted: Any) -> bool:
    if not isinstance(value, (int, float)) or not isinstance(wanted, (int, float)):
        return value == wanted
    return abs(value - wanted) <= 0.011 * abs(wanted)


def learned_of_spans(left_out: tuple[str, ...] = ()) -> dict[str, Any]:
    """What the messages teach of the words around amounts and names."""
    rows = [row for name in LEARNED_FROM if name not in left_out for row in spans(name)]
    seen = Counter(one for _, right in rows for one in right)
    classes = sorted(one for one, times in seen.items() if times >= _LEAST_LABELLED)
    kept = [(features, tuple(one for one in right if one in classes)) for features, right in rows]
    return regressed([row for row in kept if row[1]], classes)


# -- what is asked of a plan -------------------------------------------------------------------------------

_FIRM = 1e-3  # as _DECAY: few sentences of each kind, most of their words in one alone
# As _LEAST_WEIGHT: firmly small weights speak together. On 219 questions that were not learned from the kind is
# right for 72 % with all of them, for 71 % from 0.05 on (245 kB) and for 66 % from 0.15 on (106 kB).
_LEAST_OF_MANY = 0.05


def questions() -> list[tuple[str, str]]:
    """Every sentence that is learned from, with its kind; what asks nothing of a plan is of none."""
    told = yaml.safe_load(QUESTIONS.read_text(encoding="utf-8"))
    found = [(says, kind["kind"]) for kind in told["kinds"] for says in kind["says"]]
    return found + [(says, followups.ELSEWHERE) for says in told["elsewhere"]]


def learned_of_followups(left_out: frozenset[str] = frozenset()) -> dict[str, Any]:
    """What the sentences teach of questions about a plan, those ``left_out`` apart."""
    concepts = followups.words_of_concepts(library.load().language["followups"]["concepts"])
    said = [(listener().spans(says), kind) for says, kind in questions() if says not in left_out]
    rows = [(followups.seen(*spans, wordings(), concepts), (kind,)) for spans, kind in said]
    return regressed(rows, sorted({kind for _, kind in said}), _FIRM, _LEAST_OF_MANY)


def write_vectors(path: Path) -> None:
    """What the sentences mean, kind after kind, as :func:`nearest.nearest` reads it."""
    said = sorted(questions(), key=lambda one: one[1])
    counts = Counter(kind for _, kind in said)
    vectors = nearest.in_bytes(Embedder().embed([says for says, _ in said]))
    np.savez(path, vectors=vectors, kinds=np.array([*counts]), counts=np.array([*counts.values()]))


def main(left_out: list[str]) -> None:
    for name in left_out:
        found = learned([row for other in LEARNED_FROM if other != name for row in examples(other)])
        wrong = misjudged(examples(name), found)
        print(f"{name}: {1 - len(wrong) / len(examples(name)):.1%}", *wrong, sep="\n  ")
    if not left_out:
        found = learned([row for name in LEARNED_FROM for row in examples(name)])
        _write(WEIGHTS, found)
        _write(SPANS, learned_of_spans())
        _write(FOLLOWUPS, learned_of_followups())


def _write(path: Path, found: dict[str, Any]) -> None:
    found["learned_from"] = digests()[path]
    path.write_text(json.dumps(found, separators=(",", ":"), ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{path.name}: {len(found['weights'])} features")
    if path == FOLLOWUPS:
        write_vectors(path.with_suffix(".npz"))


if __name__ == "__main__":
    main(sys.argv[1:])
