"""Contracts of ``weft ask``, ``weft understand``, ``weft fabric`` and ``weft sources``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from .plan import Assumption, Contract, Crossover

Intent = Literal[
    "describe", "ask", "why", "why-not", "what-if", "compare", "undo", "change", "export", "help", "unclear"
]


class FoundPassage(Contract):
    """One ranked passage; a doubtful one carries its correction in ``correction``."""

    id: str
    source: str
    section: str
    text: str
    score: float
    claims: list[dict[str, Any]] = Field(default_factory=list)  # id, statement, verdict, correction, date
    status: str = "current"
    correction: str | None = None
    date: str | None = None
    place: str | None = None  # of the user's own document: the file, with its line or page


class DirectLine(Contract):
    """One line of the direct answer, composed from the fields of a claim, or a sentence of a passage that rests on
    none."""

    text: str
    claims: list[str] = Field(default_factory=list)
    source: str
    verdict: str | None = None  # ours; null where nobody has checked it
    date: str | None = None
    passage: int | None = None  # its number among the passages, from 1


class Figure(Contract):
    """One computed number and how it comes about, with the numbers put in."""

    name: str
    value: float
    unit: str
    formula: str


class Computed(Contract):
    """What the quantitative model answers. ``value``, ``unit`` and ``formula`` are those of the first figure."""

    kind: str
    text: str
    value: float
    unit: str
    formula: str
    inputs: dict[str, Any]
    assumptions: list[Assumption] = Field(default_factory=list)
    figures: list[Figure] = Field(default_factory=list)
    lines: list[str] = Field(default_factory=list)  # to be copied: each stays whole, on a line of its own
    caveat: str
    crossover: Crossover | None = None


class AnswerConflictSide(Contract):
    """One side of a disagreement, and what we think of it."""

    claim: str
    says: str
    source: str
    verdict: str
    date: str | None = None


class AnswerConflict(Contract):
    """A disagreement between sources that the question touches, and what holds."""

    id: str
    topic: str
    sides: list[AnswerConflictSide]
    resolution: str


class Answer(Contract):
    """The answer to a question about the field: computed or from claims, then ranked passages with their sources.

    ``answered`` is whether it was computed or the best passage answers.
    """

    id: str | None = None
    question: str
    answered: bool
    passages: list[FoundPassage]  # the nearest ones also when none of them answers
    note: str | None = None  # what was done with an empty or very long question
    direct: list[DirectLine] = Field(default_factory=list)
    computed: Computed | None = None
    conflicts: list[AnswerConflict] = Field(default_factory=list)


class Understanding(Contract):
    """What free text was taken to mean."""

    id: str | None = None
    intent: Intent
    fields: dict[str, Any] = Field(default_factory=dict)  # dotted questionnaire path → value
    fabrics: list[str] = Field(default_factory=list)
    excluded: list[str] = Field(default_factory=list)  # fabric ids ruled out: "no InfiniBand"
    unset: list[str] = Field(default_factory=list)  # fields taken back without a new value: "no deadline"
    quotes: list[dict[str, Any]] = Field(default_factory=list)  # offers side by side, as budget.quotes has them
    nodes: int | None = None  # nodes that were said; the GPUs follow from them once it is known how many are in one
    rest: str = ""
    doubts: list[str] = Field(default_factory=list)  # sentences about what cannot be meant: "-5 GPUs"
    assumed: list[str] = Field(default_factory=list)  # what was taken for granted: that "$2.10" is of a GPU and an hour


class Cables(Contract):
    node_leaf: int
    leaf_spine: int
    spine_core: int
    leaf_leaf: int = 0  # between the two switches of a pair


class SwitchUsed(Contract):
    """The switch a network is planned with."""

    id: str
    name: str
    radix: int  # links of the fabric's speed
    power_w: float  # of one, as its vendor states it, without transceivers unless they are built in
    power_max_w: float | None = None  # of one, with a transceiver in every cage, where its vendor says so
    power_derived: str | None = None  # where the vendor's figure was not seen


class Capex(Contract):
    low: float
    mid: float
    high: float


Part = Literal["switch", "nic", "optic", "link"]


class PricedItem(Contract):
    """A line of a network's bill; ``device``: the id in the catalog of the device whose price it is, or is derived
    from, whatever it is called."""

    item: str
    kind: Part | None = None
    device: str | None = None
    usd: float  # for one
    date: str
    source: str
    count: int | None = None
    usd_low: float | None = None
    usd_high: float | None = None
    derived: str | None = None  # from which sibling, when no price of the item itself was seen


class FabricDesign(Contract):
    """Topology and bill of materials."""

    fabric: str
    gpus: int
    nodes: int
    tiers: int
    planes: int
    leaf: int
    spine: int
    core: int
    switches: int
    nics: int
    cables: Cables
    optics: int
    oversubscription: float
    power_w: float
    capex_usd: Capex
    usd_per_gpu_hour: float
    prices: list[PricedItem]
    notes: list[str] = Field(default_factory=list)
    topology: str = "rail"
    rails: int = 0  # NIC ports of a node
    groups: int = 1  # of leaves with spines of their own, in one plane
    rail_groups: bool = False  # a group serves one rail of some racks, not all rails of some nodes
    switch: SwitchUsed | None = None


Severity = Literal["error", "warning", "info"]
LogKind = Literal["nccl-tests", "nccl-debug", "mixed", "unknown"]
LogTransport = Literal[
    "infiniband",
    "roce",
    "gib",
    "efa",
    "slingshot",
    "tcpx",
    "tcpxo",
    "tcp-socket",
    "nvlink",
    "xgmi",
    "pcie",
    "p2p",  # from GPU to GPU inside a node, over what no line shows: NVLink or PCIe
    "shm",
    "unknown",
]


class DiagnosisFinding(Contract):
    code: str
    severity: Severity
    line: int
    message: str
    fix: str
    rests: str = ""  # the thread or page it was learnt from, and how sure that is; empty: arithmetic of the log itself
    evidence: str = ""  # the line itself, where one line tells of it; cut at 200 characters


class DiagnosedFile(Contract):
    path: str
    kind: LogKind
    collective: str
    ranks: int
    nodes: int | None
    transport: LogTransport
    gpudirect_rdma: bool | None  # whether every channel between hosts reads GPU memory directly
    gpudirect_missing_on: list[str] = Field(default_factory=list)  # hosts, where the others have it on every channel
    peak_busbw_gb_per_s: float
    peak_bytes: int | None = None  # the message size at which it was reached
    expected_busbw_gb_per_s: float | None
    findings: list[DiagnosisFinding]
    checked: list[str] = Field(default_factory=list)
    not_checked: list[str] = Field(default_factory=list)  # each with the reason
    gpu: str | None = None  # the catalog's id of the GPUs that the log names
    large_busbw_gb_per_s: float = 0.0  # the best of messages from 64 MiB on, and their size; 0 and null without any
    large_bytes: int | None = None
    largest_bytes: int | None = None  # of any message


class Diagnosis(Contract):
    """What NCCL logs and nccl-tests output say."""

    files: list[DiagnosedFile]


class BenchedSize(Contract):
    """Bus bandwidth to expect of one message size, gigabytes per second as nccl-tests prints it; eight healthy networks
    in ten lie between ``low`` and ``high``, one in a hundred below ``alarm``."""

    bytes: int
    busbw_gb_per_s: float
    low_gb_per_s: float
    high_gb_per_s: float
    alarm_gb_per_s: float
    job: bool = False  # the size nearest to the job's own messages


class NcclTest(Contract):
    """One program of nccl-tests, and why this job has it run."""

    collective: str
    program: str
    why: str
    message_bytes: int
    sizes: list[BenchedSize]


class NcclBench(Contract):
    """What ``weft nccl bench`` tests on which cluster."""

    fabric: str
    fabric_name: str
    gpu: str
    gpu_name: str
    nodes: int
    gpus_per_node: int
    provider: str | None
    suite: Literal["nccl-tests", "rccl-tests"] = "nccl-tests"  # the same programs, built for either library
    tests: list[NcclTest]


class SourceLine(Contract):
    """One line of ``weft sources --format json``."""

    id: str
    title: str
    publisher: str | None
    date: str | None
    status: str
