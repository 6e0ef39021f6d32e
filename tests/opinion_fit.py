"""Learns what a message says by its meaning: the layers of all-MiniLM-L6-v2 go on learning from the labelled messages,
with a head for each of four questions (:mod:`assistant.understanding.opinion`).

``python -m tests.opinion_fit`` learns anew and writes ``knowledge/language/opinion.npz`` (an hour of two cores); ``--on
NAME...`` goes on from the weights that ship, three passes over these sets, where sets were added, with as many rows of
the others as keep what is known; ``NAME...`` leaves out sets, says how much of them is right, and writes nothing. Half
of the rows are varied in every pass: other names and numbers, slips of the finger.

``--head choice`` leaves the layers and every other class as they are and learns whose the machines are (the classes of
``budget.mode`` and ``budget.owned``) anew from what the layers make of the messages, those of
``understanding_fit.WHOSE`` among them: ten minutes, and no other choice can be heard worse. It is to be done again
after ``--on``. It says of sets that were kept aside how often what is told is found, and how often something else is,
from which odds on.

What ships was learned in four rounds, each going on from the one before: five passes over what there was (without
learn_k to learn_m), two over everything, one with the examples of the wordings, and two over ``heard`` (with the
messages of the other sets among them as they were heard), those examples, and 4,900 other rows drawn at random; the
last three in bfloat16, none with varied rows.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from transformers import AutoTokenizer, BertModel

from assistant import library
from assistant.understanding import Listener, attach, judge, meaning, opinion
from assistant.understanding.attach import Fact
from assistant.understanding.judge import Stretch
from assistant.understanding.reading import NAMES, Reading
from assistant.understanding.templates import Quantity
from assistant.vocabulary.catalog import Fabric
from assistant.vocabulary.fields import NUMERIC
from assistant.vocabulary.questionnaire import FIELDS

from . import understanding_fit as words

WORDINGS = "wordings"
_ALWAYS = ("heard", WORDINGS)
_WITHOUT_FIELDS = frozenset({"acts", "acts_of_many", "siblings"})  # sets that label no facts, or not all
_LEAST_LABELLED = 6  # amounts, or messages, of a class that is learned
_PASSES, _PASSES_ON = 5, 3
_OTHERS = 7000  # rows of other sets, beside those that are gone on with
_AT_ONCE = 32  # messages
_RATE, _RATE_ON, _RATE_OF_HEADS = 3e-4, 1e-4, 1e-3
_WARM_UP, _DECAY, _LEFT_OUT, _STEEPEST = 100, 0.01, 0.1, 1.0
_OF_ACTS, _OF_CHOICES = 0.5, 0.75  # weights in the loss beside amounts and kinds
_LONGEST = 160  # tokens, as in meaning.Encoder.words
_OF_A_HEAD, _OF_WHOSE = "choice", ("budget.mode=", "budget.owned=")  # the classes that --head learns
_BESIDE = 1500  # rows that say nothing of these classes, beside all that do
_FIRM, _NEW = 3e-4, 4.0  # how firmly the weights stay near those that ship; weight of a message of WHOSE beside others
_VARIED = 0.5  # share of the rows that are varied, anew in every pass
_OTHER_NAME, _OTHER_NUMBER, _SLIP, _UNKNOWN = 0.5, 0.5, 0.03, 0.15  # how often a part of such a row is


@dataclass(frozen=True)
class Row:
    """A message with what is right of it; ``acts``, ``choices`` and ``kind`` are ``None`` where they are not labelled.
    ``spans``: places of its amounts and names with their fields; ``open``: choices that may be made or not."""

    text: str
    before: str
    acts: Sequence[str] | None = None
    spans: Sequence[tuple[tuple[int, int], Sequence[str]]] = ()
    choices: frozenset[str] | None = None
    open: frozenset[str] = frozenset()
    kind: str | None = None


# -- what is learned from ----------------------------------------------------------------------------------


class _Recorder:
    """Stands in for the judge: keeps what it would have judged."""

    def __init__(self) -> None:
        self.heard: Reading | None = None
        self.seen: list[tuple[Reading, list[Fact]]] = []

    def opinion(self, reading: Reading) -> None:
        self.heard = reading

    def settle(self, reading: Reading, live: list[Fact]) -> None:
        self.seen.append((reading, list(live)))


@dataclass(frozen=True)
class _Known:
    fields: dict[str, Any]
    asked: str | None
    changed: tuple[str, ...]


def rows(name: str) -> list[Row]:
    """The messages of one set, or of what :func:`wordings` says."""
    hearing = words.listener()
    recorder = _Recorder()
    listening = Listener(hearing.language, hearing.catalog)
    listening.judge = recorder  # type: ignore[assignment]
    labelled, today = name not in _WITHOUT_FIELDS, words.today(name)
    messages = wordings() if name == WORDINGS else words.labelled(name)
    return [_row(message, listening, recorder, labelled, today) for message in messages]


def _row(
    message: dict[str, Any], listening: Listener, recorder: _Recorder, labelled: bool, today: datetime.date
) -> Row:
    known = message.get("known", {})
    context = _Known(known, message.get("asked"), tuple(known))
    recorder.seen.clear()
    listening.hear(message["say"], context, today=today)
    reading, live = recorder.seen[-1] if recorder.seen else (recorder.heard, [])
    either = message.get("either", {})
    acts = either.get("intent", [message["intent"]]) if "intent" in message else None
    said = {path: value for path, value in message.get("fields", {}).items() if value is not None}
    spans = [(judge.place(reading, one), _right(one, said, either, live, today)) for one in judge.stretches(reading)]
    doubted = [path for path in message.get("ask", ()) if path in FIELDS]
    spans = [one for one in spans if not doubted or one[1] != (judge.NONE,)]  # it may be what is asked about
    return Row(
        reading.text.original,
        opinion.before(context),
        acts,
        spans if labelled else (),
        _chosen(said) | _unspoken(said, spans, live) | {f"unset:{path}" for path in message.get("unset", ())}
        if labelled
        else None,
        _undecided(either, doubted),
    )


def _undecided(either: dict[str, Any], doubted: Sequence[str]) -> frozenset[str]:
    """The choices that may be made or not."""
    return frozenset().union(
        *(_chosen({path: one}) for path, values in either.items() for one in _each(values)),
        *(_chosen({path: one}) for path in doubted for one in FIELDS[path].values or (True, False)),
    )


def chosen(name: str) -> list[Row]:
    """The messages of one set with the choices that they make alone, for which nothing has to be heard."""
    messages = wordings() if name == WORDINGS else words.labelled(name) if name not in _WITHOUT_FIELDS else []
    found = []
    for message in messages:
        known, fields = message.get("known", {}), message.get("fields", {})
        context = _Known(known, message.get("asked"), tuple(known))
        doubted = [path for path in message.get("ask", ()) if path in FIELDS]
        said = {path: value for path, value in fields.items() if value is not None}
        undecided = _undecided(message.get("either", {}), doubted)
        found.append(Row(message["say"], opinion.before(context), choices=_chosen(said), open=undecided))
    return found


def _right(
    one: Stretch, said: dict[str, Any], either: dict[str, Any], live: list[Fact], today: datetime.date
) -> tuple[str, ...]:
    found = stands_for(one, said, live, today) or {judge.NONE}
    for path, values in either.items():
        for value in _each(values):
            if value is not None and path in stands_for(one, said | {path: value}, live, today):
                found |= {path} | ({judge.NONE} if None in _each(values) else set())
    return tuple(sorted(found))


def stands_for(one: Stretch, said: dict[str, Any], live: list[Fact], today: datetime.date) -> set[str]:
    """The fields of which an amount or a name is the value; the one that a wording found there, if it is among them."""
    fabric = library.load().catalog.fabrics.get(said.get(judge.FABRIC, ""))
    if one.quantities[0].kind == judge.NETWORK:
        return {judge.FABRIC} if fabric and any(_is_of(fabric, q) for q in one.quantities) else set()
    found = {p for p in said for q in one.quantities if any(_near(v, said[p]) for v in _values(p, q, today))}
    found |= {path for q in one.quantities for path in _of_count(q, said)}
    claimed = [fact for fact in live if one.start in fact.claimed and fact.says.act == "set"]
    found |= {f.says.field for f in claimed if f.says.field in said and _near(f.value, said[f.says.field])}
    return {f.says.field for f in claimed} & found or found or _of_machines(one, said, live)


def _of_machines(one: Stretch, said: dict[str, Any], live: list[Fact]) -> set[str]:
    """Racks and machines of a cloud count as nodes: "two p5en.48xlarge"."""
    roles = {
        role for fact in live if fact.says.act == "count" for role, q in fact.slots.items() if q.start == one.start
    }
    number, gpus = one.quantities[0].value, said.get(judge.GPUS)
    of_many = isinstance(number, (int, float)) and number and gpus and gpus % number == 0
    return {judge.NODES} if of_many and roles & {"nodes", "racks", "them"} else set()


def _values(path: str, quantity: Quantity, today: datetime.date) -> list[Any]:
    if quantity.kind == "instance":
        return [quantity.value[1].gpu] if path == "cluster.gpu" else []
    if quantity.kind in NAMES:
        return [quantity.value] if path in FIELDS and FIELDS[path].about.span == quantity.kind else []
    if path.startswith("cluster.gpus") or path not in FIELDS or FIELDS[path].about.kind not in NUMERIC:
        return []
    each = [attach.computed("1000/", quantity)] if path == "inference.tpot_ms" and quantity.kind == "number" else []
    plain = [quantity] if quantity.kind == "number" else []
    values = [attach.converted(FIELDS[path], q, today) for q in plain] + [q.value for q in each]
    return [v for v in (*values, attach.sensible(FIELDS[path], quantity, today)) if v is not None]


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


def _each(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [values]


def _chosen(said: dict[str, Any]) -> frozenset[str]:
    return frozenset(f"{p}={v}" for p, v in said.items() if p in FIELDS and FIELDS[p].about.kind in ("choice", "flag"))


def _unspoken(said: dict[str, Any], spans: Sequence[tuple[Any, Sequence[str]]], live: list[Fact]) -> frozenset[str]:
    """Small amounts that no number of the message says: "non-blocking" is 1:1, "no speculation" guesses 0 tokens."""
    spoken = {path for _, fields in spans for path in fields}
    spoken |= {fact.says.field for fact in live if fact.says.act != "set"}
    return frozenset(
        f"{path}={value}"
        for path, value in said.items()
        if path in judge.UNSPOKEN and value in (0, 1, 2) and path not in spoken
    )


def wordings() -> list[dict[str, Any]]:
    """The examples of the wordings, and every field with values by its path."""
    examples = [one for wording in library.load().language.fields.values() for one in wording.examples if not one.today]
    told = [{"say": one.text, "fields": one.expect, "known": one.known, "asked": one.asked} for one in examples]
    return told + [{"say": f"{path}: {value}".lower(), "fields": {path: value}} for path, value in _by_path()]


def _by_path() -> Iterator[tuple[str, Any]]:
    for path, one in FIELDS.items():
        low, high = one.about.sensible or (1, 1000)
        some = one.values or {"flag": (True, False)}.get(one.about.kind, ())
        numeric = one.about.kind in NUMERIC and not one.about.span.startswith(("rate", "power", "time", "money"))
        yield from ((path, value) for value in some)
        yield from ((path, max(1, round((low * high) ** 0.5 * share))) for share in (0.5, 1, 3) if numeric)


def questions() -> list[Row]:
    """What is asked of a plan, with its kind, said when this or that of a job is known."""
    known = "known GPUs"
    more = [(row["say"], row["kind"]) for name in words.KINDS for row in words.labelled(name)]
    return [Row(say, known, kind=kind) for say, kind in (*words.questions(), *more)]


# -- the model ---------------------------------------------------------------------------------------------


@dataclass
class Classes:
    """What every head tells apart."""

    act: list[str] = field(default_factory=lambda: list(words.ACTS))
    span: list[str] = field(default_factory=list)
    choice: list[str] = field(default_factory=list)
    kind: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, learned: Sequence[Row]) -> Classes:
        spans = Counter(one for row in learned for _, right in row.spans for one in right)
        choices = Counter(one for row in learned for one in row.choices or ())
        often = lambda seen: sorted(one for one, times in seen.items() if times >= _LEAST_LABELLED)
        return cls(span=often(spans), choice=often(choices), kind=sorted({row.kind for row in learned if row.kind}))


class Model(nn.Module):
    """The encoder, whose vocabulary stays as it is, and a matrix for each head."""

    def __init__(self, classes: Classes) -> None:
        super().__init__()
        folder = meaning.model_folder()
        self.classes, self.tokenizer = classes, AutoTokenizer.from_pretrained(folder)
        self.bert = BertModel.from_pretrained(folder, add_pooling_layer=False)
        self.bert.embeddings.requires_grad_(False)
        width = self.bert.config.hidden_size
        self.act, self.span = nn.Linear(width, len(classes.act)), nn.Linear(3 * width, len(classes.span))
        self.choice, self.kind = nn.Linear(2 * width, len(classes.choice)), nn.Linear(2 * width, len(classes.kind))
        self.left_out = nn.Dropout(_LEFT_OUT)

    def pooled(self, batch: Sequence[Row]) -> tuple[torch.Tensor, torch.Tensor, Any]:
        """The vectors of the tokens, their mean and maximum for each message, and the tokens."""
        cut = self.tokenizer([row.before or " " for row in batch], [row.text for row in batch], padding=True,
                             truncation="only_second", max_length=_LONGEST, return_offsets_mapping=True,
                             return_tensors="pt")  # fmt: skip
        states = self.bert(cut.input_ids, cut.attention_mask, cut.token_type_ids).last_hidden_state
        states, own = self.left_out(states), (cut.token_type_ids * cut.attention_mask).unsqueeze(-1).float()
        mean = (states * own).sum(1) / own.sum(1).clamp(min=1)
        return states, torch.cat([mean, (states + (own - 1) * 1e4).max(1).values], -1), cut

    def forward(self, batch: Sequence[Row]) -> Scores:
        states, pooled, cut = self.pooled(batch)
        mean = pooled[:, : states.shape[-1]]
        found, right = [], []
        for n, row in enumerate(batch):
            for place, fields in row.spans:
                inside = [at for at, (start, end) in enumerate(cut.offset_mapping[n].tolist())
                          if cut.sequence_ids(n)[at] == 1 and start < place[1] and end > place[0]]  # fmt: skip
                if inside:
                    stretch = states[n, inside[0] : inside[-1] + 1]
                    found.append(torch.cat([stretch.mean(0), stretch[0], mean[n]]))
                    right.append(fields)
        spans = self.span(torch.stack(found)) if found else None
        return Scores(self.act(mean), self.choice(pooled), self.kind(pooled), spans, right)


@dataclass(frozen=True)
class Scores:
    act: torch.Tensor
    choice: torch.Tensor
    kind: torch.Tensor
    span: torch.Tensor | None
    right: Sequence[Sequence[str]]  # the fields of every stretch

    def whole(self) -> Scores:
        """In 32 bits, as a loss is reckoned."""
        spans = None if self.span is None else self.span.float()
        return Scores(self.act.float(), self.choice.float(), self.kind.float(), spans, self.right)


def loss(batch: Sequence[Row], scores: Scores, classes: Classes) -> torch.Tensor:
    """How unlikely what is right is held to be."""
    total = torch.zeros(())
    for row, act, kind in zip(batch, scores.act, scores.kind, strict=True):
        total = total + (_OF_ACTS * _unlikely(act, row.acts, classes.act) if row.acts else 0)
        total = total + (_unlikely(kind, [row.kind], classes.kind) if row.kind else 0)
    total = total / len(batch)
    if scores.span is not None:
        each = [_unlikely(one, right, classes.span) for one, right in zip(scores.span, scores.right, strict=True)]
        total = total + torch.stack(each).mean()
    told = [n for n, row in enumerate(batch) if row.choices is not None]
    if told:
        made = torch.tensor([[float(one in (batch[n].choices or ())) for one in classes.choice] for n in told])
        counts = torch.tensor([[float(one not in batch[n].open) for one in classes.choice] for n in told])
        apart = functional.binary_cross_entropy_with_logits(scores.choice[told], made, reduction="none")
        total = total + _OF_CHOICES * (apart * counts).sum(1).mean()
    return total


def _unlikely(scores: torch.Tensor, right: Sequence[str | None], classes: list[str]) -> torch.Tensor:
    places = [classes.index(one) for one in right if one in classes]
    return -torch.logsumexp(functional.log_softmax(scores, -1)[places], 0) if places else torch.zeros(())


class Variety:
    """The same message with other names and numbers, with slips of the finger, or with nothing known before it."""

    def __init__(self) -> None:
        catalog = library.load().catalog
        kinds = ({**catalog.gpus}, {**catalog.models}, {**catalog.providers})
        self._alike: dict[str, list[str]] = {}  # other names of the same kind, by the name in small letters
        for things in kinds:
            names = [name for key, one in things.items() for name in (key, one.name, *getattr(one, "aliases", ()))]
            self._alike |= {name.lower(): names for name in names}

    def of(self, row: Row) -> Row:
        """A row whose stretches stand where they came to stand; their fields are what they were."""
        spans = sorted(row.spans)
        apart = all(a[0][1] <= b[0][0] for a, b in itertools.pairwise(spans))
        if random.random() >= _VARIED or not apart:
            return row
        text, at, moved = "", 0, []
        for (start, end), fields in spans:
            text += self._slipped(row.text[at:start])
            own = self._other(row.text[start:end])
            moved.append(((len(text), len(text) + len(own)), fields))
            text, at = text + own, end
        text += self._slipped(row.text[at:])
        return replace(row, text=text, spans=moved, before="" if random.random() < _UNKNOWN else row.before)

    def _other(self, said: str) -> str:
        if names := self._alike.get(said.lower()):
            return random.choice(names) if random.random() < _OTHER_NAME else said
        number = _NUMBER.match(said)
        if number is None or random.random() >= _OTHER_NUMBER:
            return said
        others = "".join(random.choice("123456789") if one.isdigit() and one != "0" else one for one in number[0])
        return others + said[number.end() :]

    def _slipped(self, text: str) -> str:
        return _WORD.sub(lambda word: _slip(word[0]) if random.random() < _SLIP else word[0], text)


_WORD, _NUMBER = re.compile(r"[a-z]{5,}", re.IGNORECASE), re.compile(r"\d[\d.,]*")


def _slip(word: str) -> str:
    """A word with a letter left out, or two in the wrong order."""
    at = random.randrange(1, len(word) - 1)
    return word[:at] + random.choice((word[at + 1 :], word[at + 1] + word[at] + word[at + 2 :]))


def batches(learned: Sequence[Row]) -> Iterator[list[Row]]:
    """In a new order every time, messages of like length together."""
    order = random.sample(range(len(learned)), len(learned))
    chunks = [sorted(order[n : n + 20 * _AT_ONCE], key=lambda k: len(learned[k].text)) for n in
              range(0, len(order), 20 * _AT_ONCE)]  # fmt: skip
    found = [chunk[n : n + _AT_ONCE] for chunk in chunks for n in range(0, len(chunk), _AT_ONCE)]
    yield from ([learned[k] for k in chosen] for chosen in random.sample(found, len(found)))


def learn(model: Model, learned: Sequence[Row], passes: int, rate: float) -> None:
    """Goes over all rows ``passes`` times (AdamW, the rate rising and then falling in proportion)."""
    layers = [one for one in model.bert.parameters() if one.requires_grad]
    heads = [one for name, one in model.named_parameters() if not name.startswith("bert.")]
    groups = [{"params": layers, "lr": rate}, {"params": heads, "lr": _RATE_OF_HEADS}]
    optimizer, steps = torch.optim.AdamW(groups, weight_decay=_DECAY), passes * -(-len(learned) // _AT_ONCE)
    falling = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / _WARM_UP) * max(0.02, 1 - step / steps)
    )
    model.train()
    variety = Variety()
    for n in range(passes):
        losses = []
        for batch in batches([variety.of(row) for row in learned]):
            optimizer.zero_grad()
            with torch.autocast("cpu", torch.bfloat16):
                scores = model(batch)
            found = loss(batch, scores.whole(), model.classes)
            found.backward()
            nn.utils.clip_grad_norm_(model.parameters(), _STEEPEST)
            optimizer.step()
            falling.step()
            losses.append(float(found.detach()))
        print(f"pass {n + 1} of {passes}: {np.mean(losses):.3f}", flush=True)


def go_on(model: Model, file: dict[str, np.ndarray]) -> None:
    """Takes the weights that ship, of each head for the classes that it had."""
    state = model.state_dict()
    for name in (name for name in file if name.startswith("bert.") and not name.endswith(".scale")):
        state[name] = torch.from_numpy(opinion.whole(file, name))
    for head in opinion.HEADS:
        had, has = file[f"classes.{head}"].tolist(), getattr(model.classes, head)
        for part in ("weight", "bias"):
            name = f"{head}.{part}"
            kept = opinion.whole(file, name)
            for one in set(had) & set(has):
                state[name][has.index(one)] = torch.from_numpy(np.asarray(kept[had.index(one)]))
    model.load_state_dict(state)


# -- whose the machines are --------------------------------------------------------------------------------


def whose(file: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The head of choices with the classes of whose the machines are learned anew; all others are as they were."""
    classes = file[f"classes.{_OF_A_HEAD}"].tolist()
    places = [at for at, one in enumerate(classes) if one.startswith(_OF_WHOSE)]
    model = _as_shipped(file)
    new = [row for name in words.WHOSE for row in chosen(name)]
    told = [row for name in (*words.OPINION_FROM, WORDINGS) for row in chosen(name)]
    beside = random.sample([row for row in told if not _speaks_of_whose(row)], _BESIDE)
    old = [row for row in told if _speaks_of_whose(row)] + beside
    weighed = torch.tensor([_NEW] * len(new) + [1.0] * len(old))
    weight, bias = opinion.whole(file, f"{_OF_A_HEAD}.weight"), file[f"{_OF_A_HEAD}.bias"].astype(np.float32)
    names = [classes[at] for at in places]
    weight[places], bias[places] = _regressed(
        states(model, [*new, *old]), [*new, *old], names, weighed, weight[places], bias[places]
    )
    kept = opinion.in_bytes(f"{_OF_A_HEAD}.weight", weight)
    return kept | {f"{_OF_A_HEAD}.bias": bias.astype(np.float16), "learned_from.whose": np.array(words.of_whose())}


def _as_shipped(file: dict[str, np.ndarray]) -> Model:
    model = Model(Classes(**{head: file[f"classes.{head}"].tolist() for head in opinion.HEADS}))
    go_on(model, file)
    return model.eval()


def _speaks_of_whose(row: Row) -> bool:
    return any(one.startswith(_OF_WHOSE) for one in (row.choices or frozenset()) | row.open)


@torch.no_grad()
def states(model: Model, messages: Sequence[Row]) -> torch.Tensor:
    """What the layers make of whole messages, float32: shape ``(messages, 2 * dimensions)``."""
    found = torch.zeros(len(messages), 2 * model.bert.config.hidden_size)
    order = sorted(range(len(messages)), key=lambda n: len(messages[n].text))
    for first in range(0, len(order), _AT_ONCE):
        batch = order[first : first + _AT_ONCE]
        with torch.autocast("cpu", torch.bfloat16):
            found[batch] = model.pooled([messages[n] for n in batch])[1].float()
    return found


def _regressed(
    said: torch.Tensor, messages: Sequence[Row], names: Sequence[str], weighed: torch.Tensor,
    weight: np.ndarray, bias: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Logistic regression of each class, the same every time (L-BFGS), from the weights given and near them."""
    made = torch.tensor([[float(one in (row.choices or ())) for one in names] for row in messages])
    counts = torch.tensor([[float(one not in row.open) for one in names] for row in messages]) * weighed[:, None]
    start = torch.from_numpy(weight)
    learned = [start.clone().requires_grad_(), torch.from_numpy(bias).clone().requires_grad_()]
    optimizer = torch.optim.LBFGS(learned, max_iter=150, history_size=10, line_search_fn="strong_wolfe")

    def slope() -> torch.Tensor:
        optimizer.zero_grad()
        scores = said @ learned[0].T + learned[1]
        apart = functional.binary_cross_entropy_with_logits(scores, made, reduction="none")
        total = (apart * counts).sum() / weighed.sum() + _FIRM * ((learned[0] - start) ** 2).sum()
        total.backward()
        return total

    optimizer.step(slope)
    return learned[0].detach().numpy(), learned[1].detach().numpy()


def told_of_whose(file: dict[str, np.ndarray], name: str) -> None:
    """Prints how often what is told of whose the machines are is found in a set, and how often something else is."""
    names, held = file[f"classes.{_OF_A_HEAD}"].tolist(), chosen(name)
    weight, bias = opinion.whole(file, f"{_OF_A_HEAD}.weight"), file[f"{_OF_A_HEAD}.bias"].astype(np.float32)
    odds = torch.sigmoid(states(_as_shipped(file), held) @ torch.from_numpy(weight).T + torch.from_numpy(bias))
    for at in (n for n, one in enumerate(names) if one.startswith(_OF_WHOSE)):
        sure = [n for n, row in enumerate(held) if names[at] not in row.open]
        right = [float(odds[n, at]) for n in sure if names[at] in (held[n].choices or ())]
        wrong = [float(odds[n, at]) for n in sure if names[at] not in (held[n].choices or ())]
        found = (
            f"{sum(p >= t for p in right)}/{len(right)} and {sum(p >= t for p in wrong)} wrong from {t}" for t in _FROM
        )
        print(f"{name} {names[at]}:", "; ".join(found))


_KEPT_ASIDE, _FROM = ("learn_c", "learn_n", "learn_p", "learn_q"), (0.15, 0.5, 0.8, 0.9)


def written(model: Model) -> dict[str, np.ndarray]:
    """The weights as :class:`opinion.Opinions` reads them."""
    found = {f"classes.{head}": np.array(getattr(model.classes, head)) for head in opinion.HEADS}
    for name, tensor in model.state_dict().items():
        if not name.startswith("bert.embeddings"):
            value = tensor.numpy()
            found |= opinion.in_bytes(name, value) if value.ndim == 2 else {name: value.astype(np.float16)}
    return found | {"learned_from": np.array(words.digests()[words.OPINION])}


# -- how good it is ----------------------------------------------------------------------------------------


@torch.no_grad()
def right(model: Model, held: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """Of each head how many were right, and of how many."""
    model.eval()
    found: dict[str, list[bool]] = {"act": [], "span": [], "choice": []}
    for n in range(0, len(held), _AT_ONCE):
        batch = held[n : n + _AT_ONCE]
        scores, classes = model(batch), model.classes
        found["act"] += [classes.act[int(a.argmax())] in (r.acts or ()) for r, a in zip(batch, scores.act, strict=True)]
        if scores.span is not None:
            found["span"] += [
                classes.span[int(s.argmax())] in r for s, r in zip(scores.span, scores.right, strict=True)
            ]
        for row, odds in zip(batch, scores.choice.sigmoid(), strict=True):
            made = {one for one, p in zip(classes.choice, odds.tolist(), strict=True) if p > 0.5} - row.open
            found["choice"] += [one in (row.choices or ()) for one in made | set(row.choices or ())]
    return {head: (sum(each), len(each)) for head, each in found.items()}


def drawn(sets: Sequence[str]) -> list[Row]:
    """What one more pass learns from: the rows of some sets, what was always heard right, and some of all others."""
    others = [row for name in words.OPINION_FROM if name not in (*sets, *_ALWAYS) for row in rows(name)] + questions()
    return [row for name in (*sets, *_ALWAYS) for row in rows(name)] + random.sample(others, _OTHERS)


def learn_whose() -> None:
    """Writes the head of choices with whose the machines are learned anew."""
    random.seed(0)
    with np.load(words.OPINION, allow_pickle=False) as kept:
        file = dict(kept)
    file |= whose(file)
    for name in _KEPT_ASIDE:
        told_of_whose(file, name)
    np.savez(words.OPINION, **file)  # type: ignore[arg-type]


def main(left_out: Sequence[str], on: Sequence[str]) -> None:
    random.seed(0)
    torch.manual_seed(0)
    every = [row for name in (*words.OPINION_FROM, WORDINGS) if name not in left_out for row in rows(name)]
    model = Model(Classes.of([*every, *questions()]))
    if on:
        with np.load(words.OPINION, allow_pickle=False) as file:
            go_on(model, dict(file))
        learn(model, drawn(on), _PASSES_ON, _RATE_ON)
    else:
        learn(model, [*every, *questions()], _PASSES, _RATE)
    for name in left_out:
        print(name, *(f"{head} {n / max(of, 1):.1%} of {of}" for head, (n, of) in right(model, rows(name)).items()))
    if not left_out:
        np.savez(words.OPINION, **written(model))  # type: ignore[arg-type]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("left_out", nargs="*")
    parser.add_argument("--on", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--head", choices=[_OF_A_HEAD])
    asked = parser.parse_args()
    if asked.head:
        learn_whose()
    else:
        main(asked.left_out, asked.on)
