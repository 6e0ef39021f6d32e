"""Serving as it was measured: which rows constants may be chosen by, and which judge.

``knowledge/measurements/serving.csv`` holds a thinned part of the published rows that are consistent in themselves (of
every source, GPU, engine and model each third, fifth, … row in the order published, so that all batch sizes are met);
a configuration measured in several ways is one line. Written down before the first constant was fitted (column
``use``):

* For calibration: NVIDIA's configurator runs, aggregated, on H100 and H200; of InferenceX the aggregated rows on H200;
  Argonne's benchmark on A100 and H100; TensorRT-LLM's own tables of 0.9 and 0.10 on A100, H100 and H200.
* Judging, whole GPU generations: Blackwell (B200) and Ada (L40S), and GH200, a GPU of no calibration row.
* Judging, whole sources: GPUStack's bursts, Azure's guide, InferenceX's issue 870, TensorRT-LLM's tables of 1.0 and 1.2
  (another engine under the old name).
* Judging besides: InferenceX on H100, and everything disaggregated, GB200 included wherever rows of it are added.
* Judging, moved there from calibration after a first look: NVIDIA's configurator runs of vLLM on H200. One model is
  decoded there as if prompts cost nothing (they were probably cached), the other at a third of what the same engine
  reaches elsewhere. And, on 29 November 2026, its five runs of gpt-oss under TensorRT-LLM on H100, where 160 and 320
  requests in flight, and 192 and 384, take the same 47 to 49 ms for each token and no longer for the first: of how many
  copies they are is not said, and alone they decided what a request costs this engine's host.
* Not used: the tables of TensorRT-LLM 0.8 and 0.11 on the GPUs of 0.9 and 0.10, which repeat those.

Faults of the data, found in what was published and not in what is predicted, for all rows alike. A campaign is one
publisher's runs of one model on one GPU by one version of an engine at one date:

* ``speculates``: InferenceX does not say which runs of DeepSeek-R1 predict several tokens at once. A campaign has them
  where one of its runs reads its weights faster than the memory allows; and where a campaign has one configuration
  twice, more than a tenth apart, it is the faster. 14 rows, two of them once for calibration.
* ``cached``: a campaign with a run that takes less than 1/0.85 of the least time that its GPU's peaks allow
  (:func:`least_share`): its prompts were not worked on. 13 rows, vLLM with Llama 3.1 8B of NVIDIA's configurator on
  H200, which reach 0.99; the runs of no other campaign reach 0.8.
* ``withheld``: fewer than two in five of the requests in flight are being answered (:func:`answered_share`) while
  memory holds four times as many: the engine was told to take fewer. One row, of vLLM on H100.
* ``disturbed``: more than a tenth slower to the first token and for each further one than the same layout of the same
  campaign with more requests in flight. One row, of vLLM on H100.

Looked at (``seen``): TensorRT-LLM 0.11 on GH200 and L40S, whose kernels (:data:`PACKS`) were found by what was off
there, and confirmed by rows of A100, H100 and H200 that judge nothing.

Where a source calls gpt-oss and its cache FP8 the weights are taken to be in MXFP4, the one format they were published
in, and the cache in 16 bits, since the published weights have no scales for another.

Modes: ``load`` is a constant number of requests in flight, ``offline`` as many as fit with more waiting, ``static`` one
batch from its prompts to its last tokens, ``burst`` all requests at once, ``disaggregated`` apart for prompts and
answers (``prefill``, ``decode``: workers × layout as the source writes it). GPUStack's runs of four requests at a time
("batch size 4") are under load; answers are ``varied`` where its prompts are ShareGPT's, else all as long.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp
from pathlib import Path
from typing import Literal

from assistant.model.architecture import Architecture, element_bytes
from assistant.model.bursts import all_at_once
from assistant.model.described import architecture_of
from assistant.model.disaggregation import Side, served_apart
from assistant.model.machine import Machine, machine_of
from assistant.model.serving_constants import Engine, ServingConstants, engine_of, serving_constants, spreads_of
from assistant.model.serving_memory import USABLE_MEMORY, kv_format, requests_held, reserves
from assistant.model.serving_time import (
    COMPUTED_IN,
    Engined,
    Load,
    Served,
    Split,
    larger,
    one_batch,
    under_load,
    weight_formats,
)
from assistant.vocabulary.added import added
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.quantities import NINETIETH

from .groups import Group, Kept, Observed

TABLE = "serving.csv"
REAL_LENGTH = {"inferencex": 0.9}  # of the lengths that its benchmark names, as it draws them from there down to 0.8
OFFLINE_BATCH = 2048  # requests that TensorRT-LLM's benchmark decodes together at most
# of the memory, in TensorRT-LLM's own tables of its most throughput: assumed; calibration sources that are left out of
# the fit are off by 24 % with it and by 26 % with the usual share
OFFLINE_MEMORY = 0.95
# versions of TensorRT-LLM that multiply all query heads of a shared key at once, however many: on A100, H100 and H200
# (rows that are not in the table) 0.11 serves Llama 3 8B, of four, up to 3.0 times as fast as 0.10, Llama 2 7B, of one,
# as fast to 10 %
PACKS = ("trtllm-0.11.0",)
# GPUs on which vLLM answers 256 requests together and takes 2,048 tokens of prompts in a step unless told otherwise, on
# others 1,024 and 8,192 (vllm/engine/arg_utils.py, quoted from memory)
SMALL_BURSTS = "a100"
_WORKERS = re.compile(r"w(\d+)xtp(\d+)xpp(\d+)xadp(\d+)xmtp(\d+)xmep(\d+)")

Figure = Literal["tpot", "ttft", "rate"]
QUANTITIES: dict[Figure, str] = {
    "tpot": "seconds per token",
    "ttft": "seconds to the first token",
    "rate": "output tokens/s",
}

# A roofline of four constants for every engine and GPU: shares of bandwidth and peak, seconds of a step and of a layer
# in it; fitted to the same rows. What stands beside the errors of the model.
ROOFLINE = (
    ServingConstants(
        reading=0.817,
        cache=0.817,
        matrix=0.519,
        narrow=1.0,
        corner=8.0,
        grouped=1.0,
        reduce_once=1e-9,
        reduce_share=1.0,
        moving=0.0,
        blocked=1.0,
        cast=0.0,
    ),
    Engine(
        host=1.54e-3,
        wait=0.0,
        reduce=0.0,
        again=0.0,
        answer=0.0,
        stream=0.0,
        layer=75.3e-6,
        routed=0.0,
        mixed=0.0,
        first=0.0,
        wave=0.0,
        scores=1.0,
        scaled=0.0,
        latent=0.0,
        widening=0.0,
        overlap=1.0,
    ),
)


@dataclass(frozen=True)
class ServedRun:
    """One measured configuration. Figures in seconds and output tokens/s; ``workers``: of prefill and decode, each so
    many of a split, where they are apart."""

    id: str
    source: str
    gpu: str
    engine: str
    mode: str
    use: str
    model: str
    architecture: Architecture
    machine: Machine
    split: Split
    workers: tuple[tuple[int, Split], tuple[int, Split]] | None
    formats: tuple[str, str]
    lengths: tuple[float, float]
    concurrency: float | None
    measured: Mapping[Figure, float]
    varied: bool = False  # whether its answers are of many lengths

    @property
    def generation(self) -> str:
        """Of its GPU: NVIDIA's names begin with the letter of theirs (A100, H100, H200)."""
        return self.gpu[0]

    @cached_property
    def held(self) -> float:
        """Requests in flight that a copy's memory holds; below 1 where the run could not have taken place."""
        usable = OFFLINE_MEMORY if self.mode == "offline" else USABLE_MEMORY
        reserved = reserves(self.engine)
        return requests_held(
            self.architecture, self.machine, self.split, self.formats, self.lengths, usable, reserved=reserved
        )

    def served(self, constants: ServingConstants, engine: Engine) -> Served:
        """What the model says of the run."""
        if self.source in PACKS and self.architecture.heads > self.architecture.kv_heads:
            engine = replace(engine, scores=larger(engine.scores, constants.packed))
        held = max(self.held, 1.0)
        if self.workers:
            prefill, decode = (Side(self._engined(split, constants, engine), many) for many, split in self.workers)
            both = served_apart(prefill, decode, Load(*self.lengths, self.concurrency or held, held * decode.workers))
            figures = (both.ttft, both.tpot, both.batch, both.output_tokens_per_s)
            return Served(*(float(one) for one in figures))
        one = self._engined(self.split, constants, engine)
        if self.mode == "static":
            return one_batch(one, Load(*self.lengths, self.concurrency or held, held))
        if self.mode == "load":
            return under_load(one, Load(*self.lengths, self.concurrency or held, held))
        if self.mode == "burst":
            small = self.engine == "vllm" and self.machine.gpu.startswith(SMALL_BURSTS)
            most, chunk = (256, 2048.0) if small else (1024, 8192.0)
            load = Load(*self.lengths, self.concurrency or held, min(held, most * self.split.dp), chunk)
            return all_at_once(one, load, varied=self.varied)
        batch = min(self.concurrency or held, held, OFFLINE_BATCH * self.split.dp)
        return under_load(one, Load(*self.lengths, batch, batch))

    def _engined(self, split: Split, constants: ServingConstants, engine: Engine) -> Engined:
        streamed = self.mode not in ("static", "offline")
        return Engined(self.architecture, self.machine, split, *self.formats, constants, engine, streamed)


def served_runs(measurements: Path, catalog: Catalog, *, faulty: bool = False) -> list[ServedRun]:
    """The rows of the table; those with a fault of the data only where they are asked for."""
    machines: dict[tuple[str, int], Machine] = {}
    with (measurements / TABLE).open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if faulty or row["use"] in ("calibration", "validation")]
    return [_run(row, catalog, machines) for row in rows]


def _run(row: Mapping[str, str], catalog: Catalog, machines: dict[tuple[str, int], Machine]) -> ServedRun:
    gpu = catalog.gpus[row["gpu"]]
    workers = tuple(_workers(row[side]) for side in ("prefill", "decode")) if row["decode"] else None
    split = workers[1][1] if workers else Split(*(int(row[name] or 1) for name in ("tp", "pp", "dp", "ep")))
    node = max(gpu.gpus_per_node, min(int(row["gpus"]), 8))
    key = gpu.id, node
    if key not in machines:
        machines[key] = machine_of(gpu, catalog.scale_up_of(gpu, node, node), node, node, catalog.constants)
    real = REAL_LENGTH.get(row["source"], 1.0)
    lengths = float(row["prompt_tokens"]) * real, float(row["output_tokens"]) * real
    return ServedRun(
        row["id"],
        row["source"],
        gpu.id,
        row["engine"],
        row["mode"],
        row["use"],
        row["model"],
        architecture_of(catalog.models[row["model"]]),
        machines[key],
        split,
        workers,  # type: ignore[arg-type]
        (row["precision"], kv_format(row["kv_precision"] or None, row["precision"], row["engine"])),
        lengths,
        None if row["concurrency"] in ("", "max") else float(row["concurrency"]),
        dict(_figures(row, lengths)),
        row["answers"] == "varied",
    )


def _workers(text: str) -> tuple[int, Split]:
    """``w2xtp1xpp1xadp8xmtp1xmep8xbs32``: two workers, eight attention replicas, experts over eight."""
    found = _WORKERS.match(text)
    if not found:
        raise ValueError(f"expected workers as w2xtp1xpp1xadp8xmtp1xmep8, got {text}")
    many, tp, pp, replicas, _, experts = (int(part) for part in found.groups())
    return many, Split(tp, pp, replicas, experts)


def _figures(row: Mapping[str, str], lengths: tuple[float, float]) -> Iterator[tuple[Figure, float]]:
    if row["tpot_ms"]:
        yield "tpot", float(row["tpot_ms"]) / 1e3
    if row["ttft_ms"] and row["mode"] != "burst":  # there it is the place in the queue
        yield "ttft", float(row["ttft_ms"]) / 1e3
    if row["output_tokens_per_s"]:
        yield "rate", float(row["output_tokens_per_s"])
    elif row["total_tokens_per_s"]:
        yield "rate", float(row["total_tokens_per_s"]) * lengths[1] / sum(lengths)


def least_share(run: ServedRun) -> float:
    """The least time that a GPU's peaks allow one token of a run under load, over the measured one.

    Arithmetic of the prompts that are begun in a step, and reading weights and cache in the steps without any, of at
    most 16,384 prompt tokens. In the batch are the requests in flight that do not wait for their first token.
    """
    a, split, machine, (prompt, answer) = run.architecture, run.split, run.machine, run.lengths
    tpot = run.measured["tpot"]
    batch = (run.concurrency or run.held) * answered_share(run)
    formats = weight_formats(a, run.formats[0])
    active = a.expert_layer_params * a.experts_per_token / max(a.experts, 1)
    parts = [(a.layers * a.shared_layer_params, formats[0]), (a.layers * active, formats[1])]
    fastest = lambda wide: max(machine.peak[one] for one in (*COMPUTED_IN[wide], "bf16") if one in machine.peak)
    arithmetic = added(2.0 * held / fastest(wide) for held, wide in parts)
    arithmetic += a.visible_attention_flops(prompt / 2.0) / machine.peak["bf16"]
    read = added(held * element_bytes(wide) for held, wide in parts) / split.gpus
    read += batch * a.kv_bytes(prompt + answer / 2.0, run.formats[1]) * a.kv_share(split.tp) / split.dp
    begun = batch * prompt / answer
    alone = max(0.0, 1.0 - begun / 16384.0)
    return float(begun * arithmetic / split.gpus + alone * read / machine.memory_bandwidth) / tpot


def answered_share(run: ServedRun) -> float:
    """Of the requests in flight of a run under load, those that do not wait for their first token (Little's law)."""
    answering = run.lengths[1] * run.measured["tpot"]
    return answering / (run.measured["ttft"] + answering)


def serving_groups(measurements: Path, catalog: Catalog) -> Iterable[Group]:
    """By source, GPU, engine, mode and figure: those that judge and those for calibration."""
    constants = serving_constants(catalog.constants)
    engines: dict[str, Engine] = {}
    found: dict[tuple[str, Figure, Kept], list[Observed]] = {}
    for run in served_runs(measurements, catalog):
        engine = engines.setdefault(run.engine, engine_of(run.engine, catalog.constants))
        made, simple = run.served(constants, engine), run.served(*ROOFLINE)
        use: Kept = "calibrated" if run.use == "calibration" else "seen" if run.source in PACKS else "kept out"
        spread = spreads_of(catalog.constants, run.gpu, run.architecture.experts)
        for figure, measured in run.measured.items():
            predicted, away = figure_of(made, figure), exp(NINETIETH * float(getattr(spread, figure)))
            band = predicted / away, predicted * away
            series = f"{run.model} {run.formats} {run.lengths} {run.engine}"
            row = Observed(measured, predicted, band, figure_of(simple, figure), series)
            found.setdefault((f"{run.source}, {run.gpu}, {run.engine}, {run.mode}", figure, use), []).append(row)
    for (name, figure, use), rows in sorted(found.items()):
        yield Group(f"serving, {name}", QUANTITIES[figure], use, tuple(rows))


def figure_of(served: Served, figure: Figure) -> float:
    """One figure of what is served, in the unit of the measured one."""
    return {"tpot": served.tpot, "ttft": served.ttft, "rate": served.output_tokens_per_s}[figure]
