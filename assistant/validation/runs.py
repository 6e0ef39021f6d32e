"""Measured training runs from CSV (``knowledge/measurements/training.csv`` or a user's own file with the same
columns)."""

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from assistant.library.checks import known_id
from assistant.library.files import checked, content_of, marked
from assistant.model import Adapters, Job, architecture_of, machine_of, network_of
from assistant.model.adapters import ALL_LINEAR, ATTENTION
from assistant.model.framework import FRAMEWORKS
from assistant.model.job import EXPERT_KERNELS, EXPERT_OVERLAPS, RECOMPUTE
from assistant.model.validation import Run
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.quantities import shown
from assistant.vocabulary.questionnaire import PRECISIONS, ModelShape, Parallelism

REQUIRED = ("gpu", "gpus", "global_batch", "sequence_length", "step_time_s")
MOST_MISTAKES = 20  # told one by one
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")  # beside tabs and ends of lines
_MOST = 10**15  # of any whole number in a row: tokens, bytes and parameters stay below
USES = ("calibration", "validation", "excluded")
_SHAPE = ("layers", "hidden", "heads", "kv_heads", "ffn", "vocab", "gated_mlp", "tied_embeddings")
_SPLIT = tuple("strategy tp pp cp ep interleave sequence_parallel micro_batch recompute attention".split())
_CHOICES = {
    "use": USES,
    "precision": PRECISIONS,
    "recompute": RECOMPUTE,
    "attention": ("flash", "flash-3", "unfused"),
    "framework": tuple(FRAMEWORKS),
    "gradient_overlap": ("0", "1"),
    "sequence_parallel": ("0", "1"),
    "expert_loop": ("0", "1"),
    "method": ("full", "lora", "qlora"),
    "lora_targets": (ATTENTION, ALL_LINEAR),
    "expert_overlap": EXPERT_OVERLAPS,
    "expert_kernels": EXPERT_KERNELS,
    "dispatch_precision": ("bf16", "fp8"),
    "frozen": ("fp32", "fp16", "bf16", "fp8", "nf4"),
}
_NAMED, _JOINED = "id source published model".split(), "gpus_per_node fabric nics_per_node precision".split()
_STACK = "framework gradient_overlap gradient_bytes regathered memory_gb use reason".split()
_EXPERTS = "etp expert_overlap expert_kernels dispatch_precision routing_nodes expert_loop".split()
_TRAINED = "method lora_rank lora_targets frozen document_tokens loss_bytes".split()
COLUMNS = (*REQUIRED, *_NAMED, *_SHAPE, *_JOINED, *_SPLIT, *_STACK, *_TRAINED, *_EXPERTS)


def read_runs(path: Path, catalog: Catalog) -> list[Run]:
    """Every row as a run. Raises :class:`InputError` naming file, line and column of the first bad cell of every bad
    row, of many the first :data:`MOST_MISTAKES` and how many there are.
    """
    return _read(path, lambda row: run_of(row, catalog))


def read_measured(path: Path, catalog: Catalog) -> list[Run]:
    """As :func:`read_runs`, for a user's own file: a step faster than the GPUs can be is a mistake as well."""
    return _read(path, lambda row: _possible(run_of(row, catalog)))


def _read(path: Path, made: Callable[[Mapping[str, str]], Run]) -> list[Run]:
    try:
        runs = _rows(csv.DictReader(io.StringIO(marked(content_of(path), str(path)), newline="")), path, made)
    except csv.Error as error:
        raise InputError(f"not valid CSV: {error}", Place(file=str(path))) from None
    if not runs:
        raise InputError("expected at least one run below the line of names", Place(file=str(path), line=1))
    return runs


def _rows(reader: csv.DictReader, path: Path, made: Callable[[Mapping[str, str]], Run]) -> list[Run]:
    _check_names([checked(name, str(path)) for name in reader.fieldnames or []], Place(file=str(path), line=1))
    runs, mistakes = [], []
    for row in reader:
        try:
            if None in row or None in row.values():
                raise InputError(f"expected {len(reader.fieldnames or [])} cells, as in the first line")
            for name, cell in row.items():
                if _CONTROL.search(checked(cell, str(path), reader.line_num)):
                    raise InputError(f"expected printable text, got {shown(cell)}", Place(field=name))
            runs.append(made(row))
        except InputError as error:
            mistakes.append(error.located(file=str(path), line=reader.line_num))
    if mistakes:
        raise _together(mistakes)
    return runs


def _together(mistakes: list[InputError]) -> InputError:
    """One mistake as it is; several under a line that counts them."""
    if len(mistakes) == 1:
        return mistakes[0]
    more = len(mistakes) - MOST_MISTAKES
    told = [f"  {mistake}" for mistake in mistakes[:MOST_MISTAKES]] + ([f"  and {more:,} more"] if more > 0 else [])
    return InputError("\n".join([f"{len(mistakes):,} rows cannot be used:", *told]))


def _possible(run: Run) -> Run:
    """The run; refused where its step would take more than the GPUs' peak, nothing computed twice: some number of the
    row is wrong then."""
    peak = run.machine.gpus * max(run.machine.peak[run.job.precision], run.machine.peak["bf16"])
    least = run.job.model_flops / peak
    if run.use != "excluded" and run.measured_s < least:
        raise InputError(
            f"expected at least {least:.3g} s, what {run.machine.gpus:,} GPUs at their peak need for this model, batch "
            f"and sequence length, got {run.measured_s:g}",
            Place(field="step_time_s"),
        )
    return run


def _check_names(names: list[str], place: Place) -> None:
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        raise InputError(f"expected the columns {', '.join(REQUIRED)}, {', '.join(missing)} missing", place)
    unknown = [name for name in names if name not in COLUMNS]
    if unknown:
        raise InputError(f'expected known columns, got "{unknown[0]}"; known: {", ".join(COLUMNS)}', place)


def run_of(row: Mapping[str, str], catalog: Catalog) -> Run:
    """One row as a run; empty cells take the columns' defaults. Raises :class:`InputError` naming the column."""
    for name, accepted in _CHOICES.items():
        if row.get(name) and row[name] not in accepted:
            raise InputError(f'expected one of {", ".join(accepted)}, got "{row[name]}"', Place(field=name))
    gpu, gpus = _known(row, "gpu", catalog.gpus), _whole(row, "gpus", least=1)
    per_node = _whole(row, "gpus_per_node", gpu.gpus_per_node, least=1)
    link, bridge = catalog.scale_up_of(gpu, gpus, per_node), catalog.bridge_of(gpu)
    machine = machine_of(gpu, link, gpus, per_node, catalog.constants, bridge)
    if machine.domains > 1 and row.get("fabric") in (None, "", "none"):
        given = row.get("fabric") or "nothing"
        raise InputError(f"expected the fabric that joins {machine.domains} nodes, got {given}", Place(field="fabric"))
    nics = _whole(row, "nics_per_node", 0) or None
    job = _job(row, catalog, gpus)
    return Run(
        id=row.get("id") or "",
        source=row.get("source") or "yours",
        use=row.get("use") or "validation",
        reason=row.get("reason") or "",
        job=job,
        machine=machine,
        network=network_of(_known(row, "fabric", catalog.fabrics, "none"), nics, machine),
        parallelism=_split(row, job),
        measured_s=_positive(row, "step_time_s"),
        memory_bytes=_positive(row, "memory_gb") * 2**30 if row.get("memory_gb") else None,
    )


def _known(row: Mapping[str, str], name: str, entries: Mapping, default: str | None = None):
    given = row.get(name) or default or ""
    if given not in entries:
        known_id(name, given, entries)
    return entries[given]


def _job(row: Mapping[str, str], catalog: Catalog, gpus: int) -> Job:
    overlap = row.get("gradient_overlap")
    return Job(
        architecture=_architecture(row, catalog),
        gpus=gpus,
        sequence_length=_whole(row, "sequence_length", least=1),
        global_batch=_whole(row, "global_batch", least=1),
        micro_batch=_whole(row, "micro_batch", 0) or None,
        precision=row.get("precision") or "bf16",
        recompute=row.get("recompute") or None,
        attention=row.get("attention") or "flash",
        framework=row.get("framework") or None,
        gradient_overlap=bool(int(overlap)) if overlap else None,
        gradient_bytes=_number(row, "gradient_bytes", 2.0),
        regathered=_share(row, "regathered"),
        padded_vocabulary=bool(row.get("model")),
        adapters=_adapters(row),
        document_tokens=_number(row, "document_tokens", 0.0) or None,
        loss_bytes=_number(row, "loss_bytes") if row.get("loss_bytes") else None,
        expert_overlap=row.get("expert_overlap") or None,
        expert_kernels=row.get("expert_kernels") or None,
        dispatch_precision=row.get("dispatch_precision") or "bf16",
        routing_nodes=_whole(row, "routing_nodes", 0) or None,
        expert_loop=row.get("expert_loop") != "0",
    )


def _adapters(row: Mapping[str, str]) -> Adapters | None:
    """Of a row of LoRA or QLoRA; rank 16 beside every linear layer where it does not say."""
    method = row.get("method") or "full"
    if method == "full":
        return None
    frozen = row.get("frozen") or ("nf4" if method == "qlora" else "bf16")
    return Adapters(_whole(row, "lora_rank", 16, least=1), row.get("lora_targets") or ALL_LINEAR, frozen)


def _architecture(row: Mapping[str, str], catalog: Catalog):
    if row.get("model"):
        return architecture_of(_known(row, "model", catalog.models))
    for name in ("layers", "hidden", "heads", "vocab"):
        _whole(row, name, least=1)
    return _shaped(tuple(row.get(name) or "" for name in _SHAPE))


@lru_cache(maxsize=512)
def _shaped(shape: tuple[str, ...]):
    values: dict[str, Any] = {name: text for name, text in zip(_SHAPE, shape, strict=True) if text}
    for name in ("gated_mlp", "tied_embeddings"):
        if name in values:
            values[name] = values[name] == "1"
    try:
        return architecture_of(ModelShape(**values))
    except ValidationError as error:
        first = error.errors()[0]
        place = Place(field=str(first["loc"][0]) if first["loc"] else "layers")
        raise InputError(f"expected a model's shape, got: {first['msg']}", place) from None


def _split(row: Mapping[str, str], job: Job) -> Parallelism:
    split = _parallelism(row)
    ranks = split.tp * split.pp * split.cp
    if row.get("use") == "excluded":
        return split
    for field, wrong, message in _faults(job, split, ranks):
        if wrong:
            raise InputError(message, Place(field=field))
    return split


def _faults(job: Job, split: Parallelism, ranks: int) -> Iterator[tuple[str, bool, str]]:
    """What makes a split impossible: (column, whether it is so, what is wrong)."""
    a, replicas = job.architecture, job.gpus // ranks or 1
    each = job.global_batch // replicas
    yield "gpus", job.gpus % ranks > 0, f"expected tp·pp·cp to divide gpus ({job.gpus}), got {ranks}"
    yield "global_batch", each < 1, f"expected at least the {replicas} data-parallel ranks, got {job.global_batch}"
    micro, deepest = job.micro_batch or 1, -(-a.layers // split.pp)
    yield "micro_batch", micro > each, f"expected at most the {each} sequences of a rank, got {micro}"
    yield "pp", split.pp > a.layers, f"expected at most the model's {a.layers} layers, got {split.pp}"
    chunks = split.interleave
    yield "interleave", chunks > deepest, f"expected at most the {deepest} layers of a stage, got {chunks}"
    yield "ep", split.ep > max(a.experts, 1), f"expected at most the model's {a.experts or 1} experts, got {split.ep}"
    yield "ep", a.experts % split.ep > 0, f"expected a divisor of the model's {a.experts} experts, got {split.ep}"
    rare = 'expected a strategy with one exchange per step, got "diloco", whose steps are mostly without one'
    yield "strategy", split.strategy == "diloco", rare


def _parallelism(row: Mapping[str, str]) -> Parallelism:
    numbers: dict[str, Any] = {name: _whole(row, name, 1, least=1) for name in ("tp", "pp", "cp", "ep", "interleave")}
    if row.get("etp"):
        numbers["etp"] = _whole(row, "etp", least=1)
    try:
        named = {"strategy": row.get("strategy") or "ddp", "sequence_parallel": row.get("sequence_parallel") == "1"}
        return Parallelism.model_validate({**named, **numbers})
    except ValidationError as error:
        message = f'expected a strategy, got "{row.get("strategy")}": {error.errors()[0]["msg"]}'
        raise InputError(message, Place(field="strategy")) from None


def _number(row: Mapping[str, str], name: str, default: float | None = None) -> float:
    text = row.get(name) or ""
    if not text and default is not None:
        return default
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0 <= value < float("inf"):
        raise InputError(f'expected a number, got "{text}"', Place(field=name))
    return value


def _share(row: Mapping[str, str], name: str) -> float:
    value = _number(row, name, 0.0)
    if value > 1:
        raise InputError(f"expected a share from 0 to 1, got {value:g}", Place(field=name))
    return value


def _positive(row: Mapping[str, str], name: str) -> float:
    value = _number(row, name)
    if value == 0:
        raise InputError("expected more than 0", Place(field=name))
    return value


def _whole(row: Mapping[str, str], name: str, default: int | None = None, least: int = 0) -> int:
    value = _number(row, name, default)
    if value != int(value) or not least <= value <= _MOST:
        raise InputError(f"expected a whole number from {least} to {_MOST:,}, got {value:g}", Place(field=name))
    return int(value)
