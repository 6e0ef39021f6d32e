"""Reinforcement learning as it was measured: whole steps, and weights on their way from trainer to engine.

Which rows constants may be chosen by was written down before the first one was fitted (column ``use``).

*Steps*, ``knowledge/measurements/reinforcement_learning.csv``: NVIDIA's NeMo-RL on H100 is for calibration, the one
source that says models, lengths, batch and split. Its runs on GB200 judge (a GPU generation of its own), and so does
all of verl (a publisher of its own). DeepSpeed-Chat's table of 2023, whose software is none of today's, is split as the
training runs are (:mod:`assistant.validation.split`): every other width is for calibration, from the widest on. Rows
that do not say how long an answer is, or how many there are, are excluded: no model could be judged by them.

*Weight sync*, ``knowledge/measurements/weight_sync.csv``: of Moonshot's checkpoint-engine the runs on up to 16 GPUs are
for calibration and those on 256 judge; of verl the broadcasts on H20, and its broadcast on H100 and its buckets judge;
of NeMo-RL what NIXL moves, and what its packed NCCL broadcasts move judges. Rows on networks nobody names are excluded:
one and the same sync takes 10 or 34 s there.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.library.checks import check
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.questionnaire import Questionnaire

_LOOP = (
    "algorithm prompts_per_step samples_per_prompt prompt_tokens response_tokens max_response_tokens rollout_gpus "
    "rollout_tensor_parallel rollout_precision asynchronous staleness weight_sync reference_model critic reward_model"
).split()
_SPLIT = ("strategy", "tp", "pp", "cp", "ep")


@dataclass(frozen=True)
class LoopRun:
    """One measured step: the questionnaire that it answers, and its seconds."""

    id: str
    source: str
    use: str
    reason: str
    questionnaire: Questionnaire
    measured_s: float


def loop_runs(measurements: Path, catalog: Catalog) -> list[LoopRun]:
    """The rows that are not excluded, each as somebody would ask for it."""
    with (measurements / "reinforcement_learning.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["use"] != "excluded"]
    return [_run(row, catalog) for row in rows]


def _run(row: Mapping[str, str], catalog: Catalog) -> LoopRun:
    given: dict[str, Any] = {
        "name": row["id"],
        "workload": "rlhf",
        "model": row["model"] if row["model"] in catalog.models else {"params": float(row["model"])},
        "cluster": _said(row, ("gpu", "gpus", "fabric")),
        "training": _said(row, ("global_batch", "precision", "framework")),
        "rl": {name: _value(text) for name, text in _said(row, _LOOP).items()},
    }
    split = _said(row, _SPLIT)
    if "tp" in split:
        given["parallelism"] = {**split, "sequence_parallel": int(split["tp"]) > 1}
    questionnaire = Questionnaire.model_validate(given)
    check(questionnaire, catalog)
    return LoopRun(row["id"], row["source"], row["use"], row["reason"], questionnaire, float(row["step_s"]))


def _said(row: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    return {name: row[name] for name in names if row.get(name)}


def _value(text: str) -> str | bool:
    return {"true": True, "false": False}.get(text, text)
