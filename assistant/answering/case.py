"""A question as the computations see it: what was said, what the conversation knew, what had to be assumed, what was
found."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from assistant.library import Library
from assistant.library.questionnaires import from_value, nested
from assistant.model import Architecture, Machine, architecture_of, machine_of
from assistant.planning import profile
from assistant.planning.assumptions import Assumptions
from assistant.planning.prediction import predict
from assistant.understanding.topics import carried
from assistant.vocabulary.answers import Computed, Figure
from assistant.vocabulary.catalog import Catalog, Fabric, Gpu
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.knowledge import Claim
from assistant.vocabulary.plan import Assumption, Crossover, Prediction
from assistant.vocabulary.quantities import in_dollars
from assistant.vocabulary.questionnaire import SERVING, ModelShape
from assistant.vocabulary.utterance import Utterance

USUAL_GPU, USUAL_NODES = "h100-sxm", 8
_FASTEST_PLAIN = 100.0  # Gb/s; what is faster and between GPU nodes is sold for RDMA
_JOB = ("workload", "model", "cluster", "training", "parallelism")
# What depends on how the job is trained; the others take no more than model and machines from a conversation.
_OF_A_JOB = frozenset(
    "step-time run-time slowdown need crossover memory deadline load request-rate bandwidth run-cost".split()
)


@dataclass(frozen=True)
class Cluster:
    """GPUs in nodes, as the model knows them."""

    gpu: Gpu
    gpus: int
    gpus_per_node: int
    machine: Machine

    @property
    def domains(self) -> int:
        """Nodes, or racks where the scale-up link joins a whole rack."""
        return self.machine.domains

    @property
    def unit(self) -> str:
        return "rack" if self.machine.domain > self.gpus_per_node else "node"

    @property
    def where(self) -> str:
        """``8 nodes of 8 × NVIDIA H100 SXM``."""
        if self.domains == 1:
            return f"{self.gpus} {self.gpu.name} of one {self.unit}"
        return f"{self.domains} {self.unit}s of {min(self.machine.domain, self.gpus)} {self.gpu.name}"


@dataclass
class Case:
    """``fields`` are dotted questionnaire paths, ``told`` those that come from the conversation; ``found`` grows with
    the figures."""

    utterance: Utterance
    library: Library
    today: datetime.date | None
    fields: dict[str, Any]
    told: dict[str, Any]
    fabrics: tuple[str, ...]
    taken: Assumptions = field(default_factory=Assumptions)
    found: list[Figure] = field(default_factory=list)

    @classmethod
    def of(cls, utterance: Utterance, library: Library, told: Mapping[str, Any], today: datetime.date | None) -> Case:
        """What the question says, filled with what was ``told`` before."""
        own, fabrics = dict(utterance.fields), utterance.fabrics
        if utterance.nodes and "cluster.gpus" not in own:
            gpu = library.catalog.gpus[own.get("cluster.gpu") or told.get("cluster.gpu") or USUAL_GPU]
            own["cluster.gpus"] = utterance.nodes * (own.get("cluster.gpus_per_node") or gpu.gpus_per_node)
        filled = carried(own, told)
        fabric = told.get("cluster.fabric")
        if fabric in library.catalog.fabrics and not fabrics and "speeds" not in utterance.roles:
            fabrics, filled["cluster.fabric"] = (fabric,), fabric
        taken = Assumptions()
        utterance = _in_dollars(utterance, library.catalog, taken)
        return cls(utterance, library, today, {**filled, **own}, filled, fabrics, taken)

    def again(self, **fields: Any) -> Case:
        """The same case with other facts, and nothing assumed yet; ``__`` for the dot of a path."""
        facts = self.fields | {name.replace("__", "."): value for name, value in fields.items()}
        return replace(self, fields=facts, taken=Assumptions(), found=[])

    # -- what was said -------------------------------------------------------------------------------------

    @property
    def catalog(self) -> Catalog:
        return self.library.catalog

    @property
    def speeds(self) -> tuple[float, ...]:
        """Gb/s said without a technology."""
        return self.utterance.roles.get("speeds", ())

    @property
    def names_network(self) -> bool:
        """Whether the question itself names a network or a speed."""
        return bool(self.speeds or (self.fabrics and "cluster.fabric" not in self.told))

    @property
    def trains(self) -> bool:
        return self.fields.get("workload") not in SERVING

    def says(self, sign: str) -> bool:
        """Whether the question shows a sign of ``topics.yaml``."""
        return sign in self.utterance.roles["signs"]

    def amounts(self, kind: str) -> list[float]:
        """The amounts of a kind in the order in which they were said; ``money`` with any period."""
        return [float(one.value) for one in self.utterance.amounts if one.kind == kind]

    def lengths(self) -> list[float]:
        """The days that are named as a length: neither the hour of "at 1.80 an hour" nor, beside a length, the hours
        of a day ("10 days × 24 h")."""
        times = [one for one in self.utterance.amounts if one.kind == "time" and one.value > 0]
        counted = [one for one in times if one.unit != "a hour"]
        plain = [one for one in counted if not (one.unit.startswith("h") and float(one.value) == 1.0)]
        return [float(one.value) for one in plain or counted] or self._windows()

    def _windows(self) -> list[float]:
        """The days between two dates that are named one behind the other: "from 1 Dec to 15 Dec". A first day that has
        come already is heard as next year's; before one that has not it is this year's."""
        dates = [one.value for one in self.utterance.amounts if isinstance(one.value, datetime.date)]
        begun = ((first if first < last else _year_before(first), last) for first, last in pairwise(dates))
        return [float((last - first).days) for first, last in begun if first < last][:1]

    @staticmethod
    def beside(claim: Claim, *, same: bool = True) -> str:
        """A source that does the same sum, or one of its kind with other numbers, and what we think of it."""
        right = f" What holds: {claim.correction}" if claim.correction else ""
        sum_ = "this sum" if same else "a sum of this kind"
        return f"{claim.source} has {sum_}: {claim.statement} Our verdict: {claim.verdict}.{right}"

    def take(self, path: str, value: Any, why: str) -> Any:
        """Note an assumption and give its value back."""
        return self.taken.take(path, value, why)

    def take_over(self, assumptions: list[Assumption]) -> None:
        """What the planner assumed; a step is as long in any run."""
        self.taken.taken += [one for one in assumptions if one.field != "training.tokens"]

    # -- model, machine, network ---------------------------------------------------------------------------

    @cached_property
    def model(self) -> tuple[str, Architecture] | None:
        """Name and architecture of the model in question; ``None`` when none is named, or none of that size can be."""
        named = self.fields.get("model")
        if isinstance(named, str):
            return self.catalog.models[named].name, architecture_of(self.catalog.models[named])
        params = self.fields.get("model.params")
        if params is None:
            return None
        try:
            return f"{_size(params)} model", architecture_of(ModelShape(params=params))
        except ValueError:  # pydantic's, of a size beyond any model's
            return None

    @property
    def name(self) -> str:
        return self._model[0]

    @property
    def architecture(self) -> Architecture:
        return self._model[1]

    @property
    def _model(self) -> tuple[str, Architecture]:
        if self.model is None:
            raise InputError("no model is named")
        return self.model

    @property
    def params(self) -> float:
        """Parameters as said ("70B"), else summed from the model's dimensions."""
        return float(self.fields.get("model.params") or self.architecture.params)

    @property
    def active_params(self) -> float:
        """Parameters that one token passes through."""
        return self.architecture.active_params if self.architecture.experts else self.params

    @cached_property
    def gpu(self) -> Gpu:
        """The GPU named, else an H100."""
        return self.catalog.gpus[self.fields.get("cluster.gpu") or self.take("cluster.gpu", USUAL_GPU, "not said")]

    @property
    def usual_size(self) -> int:
        return USUAL_NODES * self.gpu.gpus_per_node

    def assume_size(self) -> None:
        """Eight usual nodes, where no number of GPUs is said."""
        if "cluster.gpus" not in self.fields:
            self.fields["cluster.gpus"] = self.take("cluster.gpus", self.usual_size, "not said: the number of GPUs")

    @property
    def cluster(self) -> Cluster:
        """The cluster a question names, what it does not say noted as assumed; without a size, eight usual nodes."""
        gpu, per_node, gpus = self.gpu, self.fields.get("cluster.gpus_per_node"), self.fields.get("cluster.gpus")
        if gpus is None:
            usual = USUAL_NODES * (per_node or gpu.gpus_per_node)
            gpus = self.take("cluster.gpus", usual, f"not said: {USUAL_NODES} nodes")
        if per_node is None:
            per_node = self.usual_node(gpus)
            self.take("cluster.gpus_per_node", per_node, f"the usual node of {gpu.name} has {gpu.gpus_per_node}")
        if gpus < 1 or per_node < 1 or gpus > 1_000_000:
            raise InputError(f"expected 1 to 1,000,000 GPUs, got {gpus}")
        return Cluster(gpu, gpus, per_node, self.machine(gpus, per_node))

    def usual_node(self, gpus: int) -> int:
        """GPUs of a node: as many as the GPU usually has, or fewer, so that the nodes are alike."""
        return next(n for n in range(min(self.gpu.gpus_per_node, gpus), 0, -1) if gpus % n == 0)

    def machine(self, gpus: int, per_node: int) -> Machine:
        """So many GPUs in nodes, with a user's own calibration where there is one."""
        gpu = self.gpu
        link, bridge = self.catalog.scale_up_of(gpu, gpus, per_node), self.catalog.bridge_of(gpu)
        made = machine_of(gpu, link, gpus, per_node, self.catalog.constants, bridge)
        return profile.on_machine(made)

    def bare(self) -> Cluster:
        """The cluster, where nothing of it is worth noting: the planner says what it assumes itself."""
        return self.again().cluster

    def networks(self) -> list[Fabric]:
        """The networks named, those a bare speed stands for, else InfiniBand at the GPU's usual speed."""
        found = [self.catalog.fabrics[name] for name in self.fabrics if name in self.catalog.fabrics]
        for speed in self.speeds:
            meant = _at_speed(speed, self.catalog)
            if meant is not None and meant not in found:
                self.take("cluster.fabric", meant.id, f"{speed:g} Gb/s is taken as {meant.name}")
                found.append(meant)
        if found:
            return [fabric for fabric in found if fabric.line_rate is not None] or found
        usual = self.gpu.usual_nic_line_rate.si * 8 / 1e9
        meant = _at_speed(max(usual, 200.0), self.catalog) or self.catalog.fabrics["infiniband-ndr-400"]
        self.take("cluster.fabric", meant.id, f"no network named: InfiniBand at the usual speed of {self.gpu.name}")
        return [meant]

    def nics(self, fabric: Fabric, at: Cluster) -> int:
        """NICs per node, as said, as the instance has them, else one per GPU for RDMA and one for TCP."""
        said = self.fields.get("cluster.nics_per_node")
        if said is not None:
            return said
        provider = self.catalog.providers.get(self.fields.get("cluster.provider") or "")
        if provider and (sold := provider.nics_on(fabric, at.gpu.id, at.gpus_per_node)) is not None:
            return self.take("cluster.nics_per_node", sold, f"what {provider.name} lets with {fabric.name} has")
        if fabric.nics_per_node is not None:
            return self.take("cluster.nics_per_node", fabric.nics_per_node, f"what an instance with {fabric.name} has")
        if fabric.transport in ("tcp", "wan"):
            return self.take("cluster.nics_per_node", 1, f"one per node is usual for {fabric.name}")
        usual, smaller = at.gpu.nics_per_node, at.gpus_per_node < at.gpu.gpus_per_node
        count = min(usual, at.gpus_per_node) if smaller else usual
        return self.take("cluster.nics_per_node", count, f"one per GPU is usual for {fabric.name}")

    # -- the planner ---------------------------------------------------------------------------------------

    def questionnaire(self, **more: Any) -> dict[str, Any]:
        """The question's facts about the job as a nested questionnaire; ``more`` are dotted paths with ``__`` for the
        dot."""
        said = {n: v for n, v in self.fields.items() if n.split(".")[0] in _JOB and n != "cluster.fabric"}
        return nested(said | {name.replace("__", "."): value for name, value in more.items()})

    def workload(self) -> dict[str, str]:
        """Pretraining, where nothing is said."""
        return {} if self.fields.get("workload") else {"workload": self.take("workload", "pretraining", "not said")}

    def predicted(self, on: list[Fabric]) -> list[Prediction]:
        """The job on each fabric at its own best split; what the planner assumed is taken over. Raises
        :class:`InputError`."""
        given, gpu, made = self.workload(), self.gpu.id, []
        for fabric in on:
            facts = self.questionnaire(cluster__fabric=fabric.id, **given)
            facts["cluster"].setdefault("gpu", gpu)
            made.append(predict(from_value(facts, self.catalog), self.catalog))
            self.take_over(made[-1].assumptions)
        return made

    # -- the answer ----------------------------------------------------------------------------------------

    def figure(self, name: str, value: float, unit: str, formula: str, *, first: bool = False) -> None:
        """One more number, with six significant digits (of sums to the cent all): more than any reader needs, without
        noise."""
        digits = 15 if unit == "USD in all" else 6
        found = Figure(name=name, value=float(f"{value:.{digits}g}"), unit=unit, formula=formula)
        self.found.insert(0 if first else len(self.found), found)

    def answer(
        self, text: str, caveat: str, crossover: Crossover | None = None, lines: Sequence[str] = (), **inputs: Any
    ) -> Computed:
        """The answer whose first figure is its value; what was corrected and what the conversation knew is among the
        assumptions."""
        kind, first = self.utterance.topic or "", self.found[0]
        slips = [Assumption(field="question", value=b, why=f'"{a}" is read as "{b}"') for a, b in self.utterance.slips]
        told = [
            Assumption(field=name, value=value, why="said earlier in the conversation")
            for name, value in self.told.items()
            if kind in _OF_A_JOB or name.startswith(("model", "cluster."))
        ]
        assumptions = {(one.field, str(one.value)): one for one in [*slips, *told, *self.taken.taken]}
        told = first.model_dump(exclude={"name"}) | {"inputs": inputs, "caveat": caveat, "crossover": crossover}
        told["lines"] = list(lines)
        return Computed(kind=kind, text=text, assumptions=list(assumptions.values()), figures=self.found, **told)

    def job_inputs(self, on: list[Fabric]) -> dict[str, Any]:
        """What a computation for a job was given."""
        gpu, gpus = self.fields.get("cluster.gpu"), self.fields.get("cluster.gpus")
        return {"model": self.name, "gpu": gpu, "gpus": gpus, "fabrics": [fabric.id for fabric in on]}


def _in_dollars(utterance: Utterance, catalog: Catalog, taken: Assumptions) -> Utterance:
    """The question with its sums of other currencies in dollars, at the catalog's rates, which are noted."""
    amounts, became = [], defaultdict[str, list[str]](list)
    for one in utterance.amounts:
        rate = catalog.constants.get(f"currency-{one.currency.lower()}") if one.kind == "money-other" else None
        if rate:
            usd = float(f"{one.value * rate.value:.6g}")
            became[one.currency].append(f"{one.value:,.2f} {one.currency} is {in_dollars(usd)}")
            one = replace(one, kind="money", value=usd)
        amounts.append(one)
    for code, said in became.items():
        rate = catalog.constants[f"currency-{code.lower()}"]
        how = f"{rate.note} ({rate.date}): {', '.join(dict.fromkeys(said))}"
        taken.take(f"{code} in US dollars", f"{rate.value:g}", how)
    return replace(utterance, amounts=tuple(amounts))


def _at_speed(gbps: float, catalog: Catalog) -> Fabric | None:
    technology = "tcp" if gbps <= _FASTEST_PLAIN else "infiniband"
    alike = [f for f in catalog.fabrics.values() if f.technology == technology and f.line_rate]
    return next((f for f in alike if abs(f.nic_rate * 8 / 1e9 - gbps) < 0.5), None)


def _size(params: float) -> str:
    return f"{params / 1e12:.3g}T" if params >= 0.9995e12 else f"{params / 1e9:.3g}B"


def _year_before(day: datetime.date) -> datetime.date:
    """The same day of the year before; the last of February for its 29th."""
    return day.replace(year=day.year - 1, day=28 if (day.month, day.day) == (2, 29) else day.day)
