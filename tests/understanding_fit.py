"""Learns what the words of a message speak for from the labelled messages, and writes the weights: those of acts, those
of amounts and names, and what tells a fact that is wrong.

``python -m tests.understanding_fit`` writes them; ``python -m tests.understanding_fit NAME...`` leaves out one set
after the other and says how often the act is right there, and how many wrong facts of its first reading are asked
about: what may be expected of messages that nobody has seen. It writes nothing then.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from assistant import library
from assistant.retrieval import Embedder
from assistant.understanding import Listener, acts, followups, judge, nearest, verify
from assistant.understanding.attach import Fact
from assistant.understanding.judge import Odds, Stretch
from assistant.understanding.learned import Learned
from assistant.understanding.reading import Reading
from assistant.understanding.templates import Quantity
from assistant.understanding.text import Text

MESSAGES = Path(__file__).parent / "messages"
WEIGHTS = library.load().knowledge_folder / "language" / "acts.json"
SPANS, FACTS = WEIGHTS.with_name("spans.json"), WEIGHTS.with_name("facts.json")
FIRST_READINGS = MESSAGES / "first_readings.json"
WORDINGS = WEIGHTS.with_name("acts.yaml")
FOLLOWUPS, QUESTIONS = WEIGHTS.with_name("followups.json"), WEIGHTS.with_name("followups.yaml")
# What both files are learned from. Many of these sets were kept back until their first run, fresh_a to fresh_h, fresh_m
# and fresh_n among them: its figures, where a header gives them, are the ones for unseen messages; learned from since,
# as held_out and held_out_again are for all their names. Never learned from: voices_held_out, voices_d_held_out,
# voices_e_held_out, fresh_p and languages.
LEARNED_FROM = (
    *("development", "nothing_said", "held_out", "held_out_again", "voices_development", "voices_development_again"),
    *("siblings", "voices_a", "voices_b", "voices_c", "voices_d", "voices_e", "trades_a", "trades_b", "trades_c"),
    *("classes", "acts", "acts_of_many", "fresh_a", "fresh_b", "fresh_c", "fresh_d", "fresh_e"),
    *("fresh_f", "fresh_g", "fresh_h", "fresh_m", "fresh_n", "fresh_o", "look_alikes"),
    *("learn_a", "learn_b", "learn_c"),
)
EXAMPLES = "examples"  # of the wordings of every field
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
        FACTS: learned_from(FIRST_READINGS, Path(judge.__file__), Path(verify.__file__)),
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
    if name == EXAMPLES:
        each = [one for wording in library.load().language.fields.values() for one in wording.examples]
        return [{"say": e.text, "fields": e.expect, "known": e.known, "asked": e.asked, "today": e.today} for e in each]
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

    def weighed(self, reading: Reading) -> list[tuple[Stretch, Odds]]:
        return []


@dataclass(frozen=True)
class _Known:
    fields: dict[str, Any]
    asked: str | None
    changed: tuple[str, ...]


class _Keeper:
    """Stands in for the verifier: keeps what it would have verified."""

    def __init__(self) -> None:
        self.heard: verify.Heard | None = None

    def settle(self, heard: verify.Heard) -> None:
        self.heard = heard


@lru_cache
def read(name: str) -> list[tuple[dict[str, Any], Reading | None, list[Fact], verify.Heard | None]]:
    """The messages of one set as they are read, with the facts that were found and what they come to; nothing where
    only an act counts."""
    hearing = Listener(library.load().language, library.load().catalog)
    hearing.judge = recorder = _Recorder()  # type: ignore[assignment]
    found = []
    for row in labelled(name):
        recorder.seen.clear()
        hearing.verifier = keeper = _Keeper()  # type: ignore[assignment]
        known, today = row.get("known", {}), row.get("today")
        day = datetime.date.fromisoformat(today) if today else TODAY
        hearing.hear(row["say"], _Known(known, row.get("asked"), tuple(known)), today=day)
        found.append((row, *(recorder.seen or [(None, [])])[-1], keeper.heard))
    return found


@lru_cache
def spans(name: str) -> list[Example]:
    """Every amount and name of the messages of one set, with the fields it is a value of."""
    found: list[Example] = []
    for row, reading, live, _ in read(name) if name not in _WITHOUT_FIELDS else ():
        said = {p: v for p, v in row.get("fields", {}).items() if v is not None}
        if reading is None:
            continue
        for one in judge.stretches(reading):
            right = _stands_for(one, said, live) or {judge.NONE}
            found.append((judge.features(reading, one), tuple(sorted(right))))
    return found


def _stands_for(one: Stretch, said: dict[str, Any], live: list[Fact]) -> set[str]:
    """The fields of which an amount or a name is the value; the one that a wording found there, if it is among them."""
    found = {
        p for p in said for q in one.quantities if any(verify.is_near(v, said[p]) for v in verify.values(p, q, TODAY))
    }
    found |= {path for q in one.quantities for path in _of_count(q, said)}
    fabric = library.load().catalog.fabrics.get(said.get(judge.FABRIC, ""))
    found |= {judge.FABRIC for q in one.quantities if q.kind == judge.NETWORK and fabric and verify.is_of(fabric, q)}
    claimed = [fact for fact in live if one.start in fact.claimed and fact.says.act == "set"]
    found |= {f.says.field for f in claimed if f.says.field in said and verify.is_near(f.value, said[f.says.field])}
    return {f.says.field for f in claimed} & found or found


def _of_count(quantity: Quantity, said: dict[str, Any]) -> set[str]:
    if quantity.kind != "number":
        return set()
    gpus, each, number = said.get(judge.GPUS), said.get(judge.PER_NODE), quantity.value
    whole = {judge.GPUS} if number == gpus else {judge.NODES} if gpus and each and number * each == gpus else set()
    return whole | ({judge.PER_NODE} if number == each else set())


def learned_of_spans(left_out: tuple[str, ...] = ()) -> dict[str, Any]:
    """What the messages teach of the words around amounts and names."""
    rows = [row for name in LEARNED_FROM if name not in left_out for row in spans(name)]
    seen = Counter(one for _, right in rows for one in right)
    classes = sorted(one for one, times in seen.items() if times >= _LEAST_LABELLED)
    kept = [(features, tuple(one for one in right if one in classes)) for features, right in rows]
    return regressed([row for row in kept if row[1]], classes)


# -- whether what was heard is so --------------------------------------------------------------------------

_RIGHT, _MENDED, _NOT = "right", "mended", (verify.WRONG,)
_READ_BY_NOW = (*LEARNED_FROM, EXAMPLES)
_FOLDS = 4  # what the words around an amount speak for is learned without the messages that are judged by it
_OF_FACTS, _LEAST_OF_FACTS = 3e-3, 0.0  # as _DECAY and _LEAST_WEIGHT: less than three thousand facts
_TIMES = 2  # that what is read by now counts: what people say most is asked about least, at no loss elsewhere


@lru_cache
def first_readings() -> dict[str, list[tuple[str, dict[str, Any], str, int]]]:
    """Of every set that was kept back what its messages were taken for before anything was mended by them: the act, the
    fields, what nobody understood, and how many doubts there were."""
    return json.loads(FIRST_READINGS.read_bytes())


def facts(name: str, judged: Learned) -> Iterator[Example]:
    """Every fact of the first readings of one set, and whether it was right."""
    for (row, reading, _, _), (act, said, rest, doubts) in zip(read(name), first_readings()[name], strict=True):
        if reading is not None:
            first = replace(reading, act=act, doubts=[None] * doubts)
            yield from _facts_of(row, first, said, rest, judged)


def mended(name: str, judged: Learned) -> Iterator[Example]:
    """The same of one set as it is read by now: hardly anything is wrong there, and one feature says so, which no
    message that comes has."""
    for row, reading, _, heard in read(name):
        if reading is not None and heard is not None:
            for seen, right in _facts_of(row, reading, heard.fields, heard.rest, judged):
                yield [*seen, _MENDED], right


def _facts_of(
    row: dict[str, Any], reading: Reading, said: Mapping[str, Any], rest: str, judged: Learned
) -> Iterator[Example]:
    odds = judge.Judge(judged).weighed(reading)
    heard = verify.Heard(reading, said, rest, odds, library.load().catalog.fabrics)
    for path in sorted(said.keys() - {row.get("asked")}):
        right = _is_right(row, path, said[path])
        if right is not None:
            yield verify.features(heard, path), (_RIGHT if right else verify.WRONG,)


def _is_right(row: dict[str, Any], path: str, value: Any) -> bool | None:
    """Whether a fact is what the label says; nothing where the label leaves it open."""
    wanted = row.get("fields", {})
    if path in wanted and wanted[path] is not None and verify.is_near(value, wanted[path]):
        return True
    allowed = row.get("either", {}).get(path, ())
    return None if any(one is not None and verify.is_near(value, one) for one in allowed) else False


@lru_cache
def facts_by_set() -> dict[str, list[Example]]:
    """The facts of every set, of first readings by what the others teach of the words around an amount."""
    sets = sorted(first_readings())
    folds = [tuple(sets[n::_FOLDS]) for n in range(_FOLDS)]
    judges = {name: judged for fold in folds for judged in [Learned.of(learned_of_spans(fold))] for name in fold}
    found = {name: list(facts(name, judges[name])) for name in sets}
    every = Learned.of(learned_of_spans())
    for name in _READ_BY_NOW:
        if name not in _WITHOUT_FIELDS:
            found.setdefault(name, []).extend(mended(name, every))
    return found


def learned_of_facts(by_set: dict[str, list[Example]]) -> dict[str, Any]:
    """What first readings teach of facts that are wrong."""
    rows = [row for found in by_set.values() for row in found]
    seen = Counter(_path_of(features) for features, _ in rows if _MENDED not in features)
    rows = [row for row in rows if seen[_path_of(row[0])] >= _LEAST_LABELLED for _ in range(_times(row[0]))]
    return regressed(rows, [_RIGHT, verify.WRONG], _OF_FACTS, _LEAST_OF_FACTS)


def _times(features: list[str]) -> int:
    return _TIMES if _MENDED in features else 1


def _path_of(features: list[str]) -> str:
    return next(one for one in features if one.startswith("path:"))


def asked_about(name: str, by_set: dict[str, list[Example]]) -> str:
    """How many facts of the first reading of one set are asked about by what the other sets teach."""
    weights = Learned.of(learned_of_facts({other: rows for other, rows in by_set.items() if other != name}))
    first = [(features, right) for features, right in by_set[name] if _MENDED not in features]
    asked = [right for features, right in first if weights.likely(features)[verify.WRONG] >= verify.DOUBTED]
    wrong, caught = ([right for _, right in first].count(_NOT), asked.count(_NOT))
    left = 1 - (wrong - caught) / (len(first) - len(asked))
    said = f"{len(asked)} of {len(first)} facts asked about, {caught} of {wrong} wrong ones"
    return f"{said}; of the others {left:.1%} right"


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
        if name in first_readings():
            print(f"  {asked_about(name, facts_by_set())}")
    if not left_out:
        found = learned([row for name in LEARNED_FROM for row in examples(name)])
        _write(WEIGHTS, found)
        _write(SPANS, learned_of_spans())
        _write(FACTS, learned_of_facts(facts_by_set()))
        _write(FOLLOWUPS, learned_of_followups())


def _write(path: Path, found: dict[str, Any]) -> None:
    found["learned_from"] = digests()[path]
    path.write_text(json.dumps(found, separators=(",", ":"), ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{path.name}: {len(found['weights'])} features")
    if path == FOLLOWUPS:
        write_vectors(path.with_suffix(".npz"))


if __name__ == "__main__":
    main(sys.argv[1:])
