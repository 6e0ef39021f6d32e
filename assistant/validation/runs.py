"""Measured training runs from CSV (``knowledge/measurements/training.csv`` or a user's own file with the same columns)."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from assistant.model import Job, architecture_of, machine_of, network_of
from assistant.model.validation import Run
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.questionnaire import ModelShape, Parallelism

REQUIRED = ("gpu", "gpus", "global_batch", "sequence_length", "step_time_s")
USES = ("calibration", "validation", "excluded")
_SHAPE = ("layers", "hidden", "heads", "kv_heads", "ffn", "vocab", "gated_mlp", "tied_embeddings")


def read_runs(path: Path, catalog: Catalog) -> list[Run]:
    """Every row as a run. Raises :class:`InputError` naming file, line and column of the first bad row."""
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        missing = [name for name in REQUIRED if name not in (reader.fieldnames or [])]
        if missing:
            message = f"expected the columns {', '.join(REQUIRED)}, {', '.join(missing)} missing"
            raise InputError(message, Place(file=str(path), line=1))
        return list(_rows(reader, path, catalog))


def _rows(reader: csv.DictReader, path: Path, catalog: Catalog) -> Iterator[Run]:
    for row in reader:
        line = reader.line_num
        try:
            yield run_of(row, catalog)
        except InputError as error:
            raise error.located(file=str(path), line=line) from None
        except KeyError as error:
            raise InputError(f"expected a catalog id, got {error}", Place(file=str(path), line=line)) from None
        except ValueError as error:
            message = str(error).splitlines()[0]
            raise InputError(f"expected a readable row, got: {message}", Place(file=str(path), line=line)) from None


def run_of(row: Mapping[str, str], catalog: Catalog) -> Run:
    """One row as a run; empty cells take the columns' defaults."""
    gpu, gpus = catalog.gpus[row["gpu"]], _whole(row, "gpus")
    per_node = _whole(row, "gpus_per_node", gpu.gpus_per_node)
    machine = machine_of(gpu, catalog.scale_ups[gpu.scale_up], gpus, per_node, catalog.constants)
    nics = _whole(row, "nics_per_node", 0) or None
    return Run(
        id=row.get("id") or "", source=row.get("source") or "yours", use=_use(row), reason=row.get("reason") or "",
        job=_job(row, catalog, gpus), machine=machine,
        network=network_of(catalog.fabrics[row.get("fabric") or "none"], nics, machine),
        parallelism=_split(row, gpus), measured_s=_number(row, "step_time_s"))


def _use(row: Mapping[str, str]) -> str:
    use = row.get("use") or "validation"
    if use not in USES:
        raise InputError(f"expected one of {', '.join(USES)}, got \"{use}\"", Place(field="use"))
    return use


def _job(row: Mapping[str, str], catalog: Catalog, gpus: int) -> Job:
    overlap = row.get("gradient_overlap")
    return Job(
        architecture=_architecture(row.get("model") or "", tuple(row.get(name) or "" for name in _SHAPE), catalog), gpus=gpus,
        sequence_length=_whole(row, "sequence_length"), global_batch=_whole(row, "global_batch"),
        micro_batch=_whole(row, "micro_batch", 0) or None, precision=row.get("precision") or "bf16",
        recompute=row.get("recompute") or None,
        attention=row.get("attention") or "flash", framework=row.get("framework") or None,
        gradient_overlap=bool(int(overlap)) if overlap else None, gradient_bytes=_number(row, "gradient_bytes", 2.0))


def _architecture(model: str, shape: tuple[str, ...], catalog: Catalog):
    return architecture_of(catalog.models[model]) if model else _shaped(shape)


@lru_cache(maxsize=512)
def _shaped(shape: tuple[str, ...]):
    values = {name: text for name, text in zip(_SHAPE, shape, strict=True) if text}
    for name in ("gated_mlp", "tied_embeddings"):
        if name in values:
            values[name] = values[name] == "1"
    return architecture_of(ModelShape(**values))


def _split(row: Mapping[str, str], gpus: int) -> Parallelism:
    split = _parallelism(row)
    ranks = split.tp * split.pp * split.cp
    if gpus % ranks and row.get("use") != "excluded":
        raise InputError(f"expected tp·pp·cp to divide gpus ({gpus}), got {ranks}", Place(field="gpus"))
    return split


def _parallelism(row: Mapping[str, str]) -> Parallelism:
    return Parallelism(
        strategy=row.get("strategy") or "ddp", tp=_whole(row, "tp", 1), pp=_whole(row, "pp", 1), cp=_whole(row, "cp", 1),
        ep=_whole(row, "ep", 1),
        interleave=_whole(row, "interleave", 1), sequence_parallel=row.get("sequence_parallel") == "1")


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


def _whole(row: Mapping[str, str], name: str, default: int | None = None) -> int:
    value = _number(row, name, default)
    if value != int(value):
        raise InputError(f"expected a whole number, got {value:g}", Place(field=name))
    return int(value)
