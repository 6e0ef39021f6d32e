"""The network between nodes where no line of NCCL's names it: what is far faster than sockets are went over the one
fast network that the log says the machines have."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from assistant.vocabulary.answers import DiagnosisFinding, LogTransport
from assistant.vocabulary.catalog import Catalog

from .expected import gpu_named
from .known_lines import KnownLines
from .runs import Run, nodes_of
from .signatures import finding, read
from .sweeps import Sweeps

_TWO = 2  # what a bus bandwidth of two nodes counts, at most, of what adapters carry, and more nodes less: most_of_line
_LINE = 400.0  # GB/s of a node's adapters, where its GPUs are not known: eight of 400 Gb/s


@dataclass(frozen=True)
class Inferred:
    """A network, and what it is inferred from: GB/s between nodes and its line, what sockets carry at most, and what
    names the network."""

    transport: LogTransport
    reached: float
    line: int
    sockets: float
    named: str

    @property
    def finding(self) -> DiagnosisFinding:
        says = next(
            (each["says"] for each in read("transports") if each["transport"] == self.transport), self.transport
        )
        return finding(
            "transport-inferred",
            self.line,
            reached=self.reached,
            sockets=self.sockets,
            named=self.named,
            transport=says,
        )


def inferred(runs: Iterable[Run], sweeps: Sweeps, known: KnownLines, device: str, catalog: Catalog) -> Inferred | None:
    """The network that carried what was measured between nodes; ``None`` where sockets could have, where NVLink may
    join the nodes, and where the log names no fast network or several."""
    gpu = gpu_named(device, catalog)
    if gpu is not None and gpu.scale_up_domain > gpu.gpus_per_node:
        return None
    named = known.fast_networks
    between = [(run.peak, run.line) for run in runs if run.rows and (nodes_of(run) or 1) > 1]
    if told := sweeps.between:
        between.append((median(value for _, value in told), told[0][0]))
    if len({network for network, _ in named}) != 1 or not between:
        return None
    (transport, _), (reached, line) = named[0], max(between)
    rates = [each.line_rate.si for each in catalog.fabrics.values() if each.technology == "tcp" and each.line_rate]
    sockets = _TWO * max(rates) / 1e9
    adapters = gpu.nics_per_node * gpu.usual_nic_line_rate.si / 1e9 if gpu is not None else _LINE
    if not sockets < reached <= _TWO * _TWO * adapters:  # switches that add do as much again
        return None
    return Inferred(transport, reached, line, sockets, ", ".join(dict.fromkeys(said for _, said in named)))
