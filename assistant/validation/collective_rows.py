"""Measured collectives of ``knowledge/measurements/collectives_compared.csv``, in series, and what the model says of
them.

A *series* is what one publisher measured of one collective on one fabric, GPU and number of ranks; all of it is on one
side. Series that a fact of the catalog was read off (an adapter's efficiency, a message size) are for calibration,
however little of them was used.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from assistant.library import shipped
from assistant.model import bus_bandwidth, collectives, machine_of, network_of
from assistant.model.collectives import Wires, group
from assistant.model.machine import Machine
from assistant.model.network import Network, Networks
from assistant.model.protocols import CollectiveConstants, protocols_from
from assistant.vocabulary.catalog import Catalog, Fabric

SMALL = 2**20  # bytes up to which latency decides
TABLE, MEASURED_ONLY = "collectives_compared.csv", "fabrics.yaml"

_SERIES = "source use collective gpu gpus gpus_per_node fabric nics_per_node in_network".split()


@dataclass(frozen=True)
class Series:
    """Messages of one collective on one machine: bytes and measured seconds, shape (L,)."""

    source: str
    use: str
    collective: str
    machine: Machine
    network: Network
    bytes: np.ndarray
    seconds: np.ndarray


def read_collectives(folder: Path, catalog: Catalog) -> list[Series]:
    """The series of the table in ``folder`` that are not excluded, in its order."""
    fabrics = {**catalog.fabrics, **measured_only(folder)}
    found: dict[tuple[str, ...], list[tuple[float, float]]] = {}
    with (folder / TABLE).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["use"] != "excluded":
                key = tuple(row[name] for name in _SERIES)
                found.setdefault(key, []).append((float(row["message_bytes"]), _seconds(row)))
    return [_series(key, rows, catalog, fabrics) for key, rows in found.items()]


def excluded(folder: Path) -> int:
    """How many rows of the table are excluded."""
    with (folder / TABLE).open(encoding="utf-8", newline="") as file:
        return sum(row["use"] == "excluded" for row in csv.DictReader(file))


def measured_only(folder: Path) -> dict[str, Fabric]:
    """Fabrics that were measured and are no candidates."""
    entries = shipped.documents("measured-fabrics", folder, MEASURED_ONLY)[MEASURED_ONLY]
    return {
        ident: shipped.validated(Fabric, {"id": ident, **entry}, folder / MEASURED_ONLY, (ident,))
        for ident, entry in entries.items()
    }


def _seconds(row: Mapping[str, str]) -> float:
    if row["time_us"]:
        return float(row["time_us"]) * 1e-6
    factor = bus_bandwidth(row["collective"], float(row["message_bytes"]), 1.0, int(row["gpus"]))
    return factor / (float(row["bus_bandwidth_gb_per_s"]) * 1e9)


def _series(
    key: tuple[str, ...], rows: list[tuple[float, float]], catalog: Catalog, fabrics: Mapping[str, Fabric]
) -> Series:
    source, use, collective, gpu, gpus, per_node, fabric, nics, in_network = key
    entry = catalog.gpus[gpu]
    link = catalog.scale_up_of(entry, int(gpus), int(per_node))
    machine = machine_of(entry, link, int(gpus), int(per_node), catalog.constants, catalog.bridge_of(entry))
    bytes_, seconds = np.array(rows).T
    network = network_of(fabrics[fabric], int(nics or 0) or None, machine, in_network=in_network == "1")
    return Series(source, use, collective, machine, network, bytes_, seconds)


def predicted(series: Series, constants: CollectiveConstants | None = None, latency: float | None = None) -> np.ndarray:
    """Seconds the model predicts, (L,), with other constants or another latency of the fabric when given."""
    network = series.network if latency is None else replace(series.network, latency=latency)
    machine = series.machine
    wires = Wires(machine, Networks([network]), constants=constants or protocols_from(machine.constants))
    if series.collective == "send_receive":  # each rank sends to the next: one of a domain sends to another domain
        crosses, one = np.array(machine.domains > 1), np.ones(1)
        found = collectives.send_receive(wires, series.bytes, crosses, one, both_ways=True, ranks=machine.gpus)
    else:
        ranks = group(np.array([float(machine.gpus)]), np.ones(1), machine.domain)
        found = getattr(collectives, series.collective)(wires, series.bytes, ranks)
    return np.ravel(np.broadcast_to(found, (1, len(series.bytes))))
