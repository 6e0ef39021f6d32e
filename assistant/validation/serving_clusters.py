"""Published clusters that serve with experts over many nodes, beside what is said of each side of them.

``knowledge/measurements/serving_clusters.csv``: input tokens per second and node of prefill, output tokens of decode,
as many quote them; layouts and lengths as remembered of the pages, which were not read again. All four were
looked at while the exchange of experts was brought into a pass: none of them judges.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from assistant.model import Serving, architecture_of, machine_of, network_of
from assistant.model.collectives import Wires
from assistant.model.disaggregation import prompts_carried, token_seconds
from assistant.model.network import Networks
from assistant.model.prefill_decode import side_of
from assistant.model.serving_time import Load, Split
from assistant.vocabulary.catalog import Catalog

from .groups import Group, Observed

TABLE, FABRIC, NODE = "serving_clusters.csv", "infiniband-ndr-400", 8


def cluster_groups(folder: Path, catalog: Catalog) -> Iterable[Group]:
    """One group per source."""
    with (folder / TABLE).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for source in sorted({row["source"] for row in rows}):
        found = tuple(_observed(row, catalog) for row in rows if row["source"] == source)
        yield Group(f"experts over nodes, {source}", "tokens/s of a node", "seen", found)


def _observed(row: dict[str, str], catalog: Catalog) -> Observed:
    return Observed(float(row["tokens_per_s_per_node"]), tokens_per_node(row, catalog))


def tokens_per_node(row: dict[str, str], catalog: Catalog) -> float:
    """Tokens per second and node of a row: of prompts, cached ones counted, or of answers."""
    gpu, gpus = catalog.gpus[row["gpu"]], int(row["gpus"])
    machine = machine_of(gpu, catalog.scale_up_of(gpu, gpus, NODE), gpus, NODE, catalog.constants)
    asked = Serving(architecture_of(catalog.models[row["model"]]), gpus, row["precision"], engine=row["engine"] or None)
    wires = Wires(machine, Networks([network_of(catalog.fabrics[FABRIC], None, machine)]), np.ones((1, 1, 1)))
    decoding = row["side"] == "decode"
    side = side_of(asked, machine, Split(1, 1, gpus, gpus), wires, 1, decoding=decoding)
    if decoding:
        batch = float(row["batch_per_gpu"]) * gpus
        load = Load(float(row["context_tokens"]), 0.0, batch, batch, separate=True)
        return NODE * batch / gpus / float(np.ravel(token_seconds(side, load, batch))[0])
    load = Load(float(row["prompt_tokens"]), 1.0, 1.0, 1.0, separate=True, cached=float(row["cached_percent"]) / 100)
    return NODE / gpus * load.prompt_tokens * float(np.ravel(prompts_carried(side, load))[0])
