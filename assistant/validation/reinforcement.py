"""Reinforcement learning as it was measured: whole steps, and weights on their way from trainer to engine.

Which rows constants may be chosen by was written down before the first one was fitted (column ``use``).

*Steps*, ``knowledge/measurements/reinforcement_learning.csv``: NVIDIA's NeMo-RL on H100 is for calibration, the one
source that says models, lengths, batch and split. Its runs on GB200 judge (a GPU generation of its own), and so does
all of verl (a publisher of its own). DeepSpeed-Chat's table of 2023, whose software is none of today's, is split as the
training runs are (:mod:`assistant.validation.split`): every other width is for calibration, from the widest on. Rows
that do not say how long an answer is, or how many there are, are excluded: no model could be judged by them.

*Weight sync*, ``knowledge/measurements/weight_sync.csv``: of Moonshot's checkpoint-engine the runs on up to 16 GPUs are
for calibration and those on 256 judge; of verl the broadcasts on H20, and its buckets judge; of NeMo-RL what NIXL
moves, and what its packed NCCL broadcasts move judges. That one rank alone sends verl's buckets was read after they had
been predicted otherwise, so they are seen (:data:`SEEN`); their rate is that of its broadcasts. Rows on networks nobody
names are excluded: one and the same sync takes 10 or 34 s there.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any, cast

import numpy as np

from assistant.library.checks import check
from assistant.model import architecture_of, machine_of, network_of
from assistant.model.network import Networks
from assistant.model.weight_sync import SPREAD, WeightSync, sync_seconds, tensors_of
from assistant.planning.prediction import predict
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.quantities import NINETIETH
from assistant.vocabulary.questionnaire import Questionnaire
from assistant.vocabulary.validation import LoopAccuracy, ReinforcementReport, Use

SEEN = ("verl, buckets",)  # groups to which no constant was fitted, but looked at before what is said of them
_STEPS, _SYNCS = "reinforcement_learning.csv", "weight_sync.csv"
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
    use: Use
    reason: str
    questionnaire: Questionnaire
    measured_s: float


@dataclass(frozen=True)
class Compared:
    """One measured time beside its prediction, with its band; ``simple`` is what a model of one constant scales."""

    id: str
    group: str
    use: Use
    measured_s: float
    predicted_s: float
    p10_s: float
    p90_s: float
    simple: float


def loop_runs(measurements: Path, catalog: Catalog) -> list[LoopRun]:
    """The rows that are not excluded, each as somebody would ask for it."""
    return [_run(row, catalog) for row in _rows(measurements / _STEPS) if row["use"] != "excluded"]


def steps_compared(measurements: Path, catalog: Catalog) -> list[Compared]:
    """Whole steps, as a plan would predict them."""
    return [_compared(run, catalog) for run in loop_runs(measurements, catalog)]


def syncs_compared(measurements: Path, catalog: Catalog) -> list[Compared]:
    """Weight syncs by themselves."""
    return [_synced(row, catalog) for row in _rows(measurements / _SYNCS) if row["use"] != "excluded"]


def reinforcement_report(measurements: Path, catalog: Catalog) -> ReinforcementReport:
    """Errors of whole steps by publisher and GPU, and of weight syncs by publisher and method."""
    return ReinforcementReport(
        steps=_lines(steps_compared(measurements, catalog)),
        syncs=_lines(syncs_compared(measurements, catalog)),
        excluded=sum(row["use"] == "excluded" for row in _rows(measurements / _STEPS)),
        excluded_syncs=sum(row["use"] == "excluded" for row in _rows(measurements / _SYNCS)),
    )


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


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
    asked = Questionnaire.model_validate(given)
    check(asked, catalog)
    return LoopRun(row["id"], row["source"], cast("Use", row["use"]), row["reason"], asked, float(row["step_s"]))


def _said(row: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    return {name: row[name] for name in names if row.get(name)}


def _value(text: str) -> str | bool:
    return {"true": True, "false": False}.get(text, text)


def _compared(run: LoopRun, catalog: Catalog) -> Compared:
    """The simple model beside it: time in proportion to the FLOPs of training, six for each parameter and token."""
    made, asked = predict(run.questionnaire, catalog), run.questionnaire
    return Compared(
        run.id,
        f"{run.source}, {asked.cluster.gpu}",
        run.use,
        run.measured_s,
        made.step_time_s,
        made.step_time_p10_s,
        made.step_time_p90_s,
        simple=made.mfu * made.step_time_s,
    )


def _synced(row: Mapping[str, str], catalog: Catalog) -> Compared:
    """The simple model beside it: time in proportion to the bytes of the weights."""
    gpu, gpus = catalog.gpus[row["gpu"]], int(row["receivers"])
    per_node = gpu.gpus_per_node
    if row["source"] != "checkpoint-engine":  # whose weights are in the hosts of those who receive them
        gpus += int(row["senders"])
    gpus = -(-gpus // per_node) * per_node
    machine = machine_of(gpu, catalog.scale_up_of(gpu, gpus, per_node), gpus, per_node, catalog.constants)
    network = network_of(catalog.fabrics[row["fabric"]], None, machine)
    weights, known = float(row["weight_gb"]) * 1e9, catalog.models.get(row["model"])
    tensors = tensors_of(architecture_of(known)) if known else 0.0
    sync = WeightSync(weights, tensors, int(row["rollout_tensor_parallel"] or 1), apart=True)
    seconds = float(sync_seconds(sync, row["method"], machine, Networks([network]))[0])
    wide = exp(NINETIETH * SPREAD)
    group, use = f"{row['source']}, {row['method']}", cast("Use", row["use"])
    return Compared(
        row["id"], group, use, float(row["time_s"]), seconds, seconds / wide, seconds * wide, simple=weights
    )


def _lines(rows: Sequence[Compared]) -> list[LoopAccuracy]:
    """By use and group, those that judge first, with a line for all of a use."""
    lines = []
    for use in ("validation", "calibration"):
        of_use = [row for row in rows if row.use == use]
        groups = dict.fromkeys(row.group for row in of_use)
        lines += [_line(name, use, [row for row in of_use if row.group == name]) for name in sorted(groups)]
        lines.append(_line("", use, of_use))
    return lines


def _line(source: str, use: Use, rows: Sequence[Compared]) -> LoopAccuracy:
    measured, predicted = np.array([row.measured_s for row in rows]), np.array([row.predicted_s for row in rows])
    error, simple = predicted / measured - 1.0, np.array([row.simple for row in rows])
    null = min(float(np.abs(constant * simple / measured - 1.0).mean()) for constant in measured / simple)
    return LoopAccuracy(
        source=source,
        use=use,
        runs=len(rows),
        mean_absolute=float(np.abs(error).mean()),
        median_absolute=float(np.median(np.abs(error))),
        p90_absolute=float(np.quantile(np.abs(error), 0.9)),
        bias=float(error.mean()),
        ratio=float(np.exp(np.log(predicted / measured).mean())),
        null_mean_absolute=null,
        covered=float(np.mean([row.p10_s <= row.measured_s <= row.p90_s for row in rows])),
    )
