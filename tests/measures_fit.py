"""Learns which figures of a plan a message asks for (:mod:`assistant.understanding.measures`).

``python -m tests.measures_fit`` learns from the sentences of ``measures.yaml`` and of the kinds that it names, and from
``messages/followup_parts.yaml``, and writes ``measures.npz`` (a minute, nearly all of it the encoder). ``--leave-out
N`` leaves out every fifth of the labelled messages from the N-th on, says how many figures of those are found and how
many are made up, and writes nothing. The layers of the encoder stay as they are (``opinion.npz``): to be done again
after those were learned anew.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from assistant import library
from assistant.understanding.opinion import opinions

from . import understanding_fit as words
from .labels import labels

FILE = words.OPINION.with_name("measures.npz")
DATA, LABELLED = FILE.with_suffix(".yaml"), words.MESSAGES / "followup_parts.yaml"
# What is known of a job when something is asked of its plan, as the encoder reads it before a message.
_KNOWN = (
    "known purpose pretraining, parameters, GPU h100-sxm, GPUs, tokens of the run, machines rent, budget",
    "known purpose finetuning, model llama-3.1-70b, GPU h100-sxm, GPUs, method lora, machines rent, deadline",
    "known purpose inference, model qwen2.5-32b, GPU h200-sxm, GPUs, machines rent, budget per month",
    "known purpose rlhf, parameters, GPU h200-sxm, GPUs, steps of the run, budget",
    "known purpose pretraining, model llama-3.1-70b, GPU b200, GPUs, machines buy",
)
_STEPS, _RATE, _DECAY = 300, 0.02, 5e-3
_LABELLED = 6.0  # weight of a labelled message beside a sentence of a kind
_EACH = 4  # of so many sentences of a kind that asks for no figure one is learned from: more change nothing
_ASKED = 0.5  # how likely a figure is that counts as asked for

Row = tuple[str, frozenset[str], frozenset[str], float]  # a sentence, what it asks for, what it may, its weight


def rows(labelled: Sequence[dict[str, Any]]) -> list[Row]:
    """Everything that is learned from."""
    data = labels(DATA)
    by_kind: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
    of = lambda key, kind: frozenset(name for name, one in data.items() if kind in one.get(key, ()))
    more = [(row["say"], row["kind"]) for name in words.KINDS for row in words.labelled(name)]
    found = []
    for says, kind in [*words.questions(), *more]:
        by_kind.setdefault(kind, (of("kinds", kind), of("either", kind)))
        found.append((says, *by_kind[kind], 1.0))
    asking = [row for row in found if row[1]]
    found = asking + [row for row in found if not row[1]][::_EACH]
    # a sentence of one figure may speak of another: "and the date" is of the time alone, "cost difference" of neither
    found += [(says, frozenset({name}), frozenset(), _LABELLED) for name, one in data.items() for says in one["says"]]
    return found + [(row["say"], frozenset(row["measures"]), frozenset(), _LABELLED) for row in labelled]


def vectors(said: Sequence[str]) -> np.ndarray:
    """What each sentence means, as it is read after something of a job: shape ``(sentences, dimensions)``."""
    model = opinions(words.OPINION)
    assert model is not None, "the encoder is not installed"
    random.seed(0)
    return np.stack([model.of(text, random.choice(_KNOWN), ()).meant for text in said])


def learned(told: Sequence[Row], meant: np.ndarray, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Logistic regression of each figure by gradient descent (Adam): weights, shape ``(figures, dimensions)``, and
    biases."""
    right = np.array([[name in asks for name in names] for _, asks, _, _ in told], np.float32)
    counts = np.array([[w * (name not in may) for name in names] for *_, may, w in told], np.float32)
    share = counts / counts.sum(axis=0)
    weight, bias = np.zeros((len(names), meant.shape[1]), np.float32), np.full(len(names), -3.0, np.float32)
    moments = [[np.zeros_like(one), np.zeros_like(one)] for one in (weight, bias)]
    for step in range(1, _STEPS + 1):
        error = (1 / (1 + np.exp(-(meant @ weight.T + bias))) - right) * share
        slopes = (error.T @ meant + _DECAY * weight, error.sum(axis=0))
        for values, slope, (first, second) in zip((weight, bias), slopes, moments, strict=True):
            first += 0.1 * (slope - first)
            second += 0.001 * (slope * slope - second)
            values -= _RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weight, bias


def digest() -> str:
    """What the file says it was learned from."""
    of = (DATA.read_bytes(), LABELLED.read_bytes(), json.dumps(words.questions()).encode())
    return hashlib.sha256(b"".join(of)).hexdigest()


def main(left_out: int | None) -> None:
    every, names = labels(LABELLED), tuple(labels(DATA))
    held = every[left_out::5] if left_out is not None else []
    told = rows([row for row in every if row not in held])
    weight, bias = learned(told, vectors([says for says, *_ in told]), names)
    if held:
        odds = 1 / (1 + np.exp(-(vectors([row["say"] for row in held]) @ weight.T + bias)))
        got = [{name for name, p in zip(names, row, strict=True) if p >= _ASKED} for row in odds]
        right = [set(row["measures"]) for row in held]
        found, of = sum(len(g & r) for g, r in zip(got, right, strict=True)), sum(map(len, right))
        print(f"{found} of {of} found, {sum(len(g - r) for g, r in zip(got, right, strict=True))} made up")
        return
    digests = {"names": np.array(names), "learned_from": np.array(digest())}
    np.savez(FILE, weight=weight.astype(np.float16), bias=bias, **digests)  # type: ignore[arg-type]
    print(f"{FILE.name}: {len(told)} sentences, {len(names)} figures")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leave-out", type=int)
    main(parser.parse_args().leave_out)
