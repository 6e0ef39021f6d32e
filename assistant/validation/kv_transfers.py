"""Moving a key/value cache from GPU to GPU as it was measured, and which rows the constants may be fitted to.

``knowledge/measurements/kv_transfer.csv`` holds one transfer per row, half of the GPUs to the other half. ``way``:
``blocks`` are large contiguous pieces written or read by a transfer engine alone; ``paged`` is the cache of one prompt
between two serving engines, whose pages of some tokens a layer lie scattered.

Written down before the first fit:

- for calibration: blocks on p5en (H200, EFA); of vLLM with Mooncake on H800 every second prompt length, from the first;
- kept out: p5 (H100, an older EFA), MI300X with one adapter (another library and vendor), and the other prompt lengths
  of vLLM with Mooncake. These last are of the same source and say how well the form holds, not how well it carries to
  another engine: nobody else has published paged transfers with bytes and seconds;
- excluded: transfers from host memory, and blocks below 512 KiB, which are bound by messages and not by bytes; after a
  first look at the calibration rows also what receivers read on p5en, a sixth slower there than what senders write.
"""

from __future__ import annotations

import csv
import datetime
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import exp
from pathlib import Path

import numpy as np

from assistant.library import load
from assistant.model import machine_of, network_of
from assistant.model.cache_transfer import TransferConstants, transfer_rate, transfer_seconds
from assistant.model.collectives import Wires
from assistant.model.network import Networks
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.large_messages import NETWORK_SPREAD
from assistant.vocabulary.quantities import NINETIETH

from .groups import Group, Kept, Observed
from .least_squares import fitted
from .record import rewritten

TABLE = "kv_transfer.csv"
LARGE = 1e9  # bytes of a transfer of which a source prints the bandwidth alone: long enough for no start to matter


@dataclass(frozen=True)
class Transfer:
    """One measured transfer; ``seconds`` of ``bytes``."""

    source: str
    gpu: str
    use: str
    paged: bool
    wires: Wires
    bytes: float
    seconds: float

    def predicted(self, constants: TransferConstants | None = None) -> float:
        """Seconds the model predicts, with other constants when given."""
        gpus = self.wires.machine.gpus // 2
        if self.bytes == LARGE:
            return LARGE / float(transfer_rate(self.wires, gpus, paged=self.paged, constants=constants).item())
        return float(transfer_seconds(self.wires, self.bytes, gpus, paged=self.paged, constants=constants).item())


def read_transfers(folder: Path, catalog: Catalog) -> list[Transfer]:
    """The transfers of the table in ``folder`` that are not excluded, in its order."""
    with (folder / TABLE).open(encoding="utf-8", newline="") as file:
        return [_transfer(row, catalog) for row in csv.DictReader(file) if row["use"] != "excluded"]


def _transfer(row: Mapping[str, str], catalog: Catalog) -> Transfer:
    gpu, gpus, per_node = catalog.gpus[row["gpu"]], int(row["gpus"]), int(row["gpus_per_node"])
    machine = machine_of(gpu, catalog.scale_up_of(gpu, gpus, per_node), gpus, per_node, catalog.constants)
    network = network_of(catalog.fabrics[row["fabric"]], int(row["nics_per_node"]), machine)
    bytes_ = float(row["bytes"] or LARGE)
    seconds = float(row["seconds"] or bytes_ / float(row["gbytes_per_s"]) / 1e9)
    wires = Wires(machine, Networks([network]))
    return Transfer(row["source"], gpu.id, row["use"], row["way"] == "paged", wires, bytes_, seconds)


def fit(transfers: Sequence[Transfer]) -> TransferConstants:
    """The constants that suit the calibration rows best, each source weighing alike."""
    used = [one for one in transfers if one.use == "calibration"]
    weight = np.array([1.0 / sum(one.source == other.source for other in used) for one in used])
    start = TransferConstants()

    def errors(tried: Mapping[str, float]) -> np.ndarray:
        constants = replace(start, **tried)
        return np.log([one.predicted(constants) / one.seconds for one in used])

    values = {field.name: getattr(start, field.name) for field in fields(start)}
    return replace(start, **fitted(values, errors, weight))


def kv_transfer_groups(folder: Path, catalog: Catalog) -> Iterable[Group]:
    """By source, GPU and way."""
    found: dict[tuple[str, Kept], list[Observed]] = {}
    for one in read_transfers(folder, catalog):
        use: Kept = "calibrated" if one.use == "calibration" else "kept out"
        seconds, away = one.predicted(), exp(NINETIETH * NETWORK_SPREAD[one.wires.networks.networks[0].transport])
        name = f"KV transfer, {one.source}, {one.gpu}, {'pages' if one.paged else 'blocks'}"
        made = Observed(one.seconds, seconds, (seconds / away, seconds * away), one.bytes)
        found.setdefault((name, use), []).append(made)
    for (name, use), rows in sorted(found.items()):
        yield Group(name, "seconds", use, tuple(rows))


def main(arguments: Sequence[str]) -> None:
    """Fit, print the constants and with ``--write`` put them into the catalog."""
    library = load()
    found = fit(read_transfers(library.knowledge_folder / "measurements", library.catalog))
    values = {f"transfer-{field.name}": getattr(found, field.name) for field in fields(found)}
    for name, value in values.items():
        print(f"{name:16} {value:12.6g}")
    if "--write" in arguments:
        path = library.knowledge_folder / "catalog" / "constants" / "kv_transfer.yaml"
        print(f"written: {rewritten(path, values, datetime.date.today())}")


if __name__ == "__main__":
    main(sys.argv[1:])
