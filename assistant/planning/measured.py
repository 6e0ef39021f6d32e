"""A plan with the network as nccl-tests found it: how far it is from what it should be, what that costs a month, and
whether to repair it, to accept it, or to take another."""

from __future__ import annotations

import datetime
from dataclasses import replace
from math import exp, log
from typing import get_args

from assistant.library import Library
from assistant.network.diagnosis import of_sockets
from assistant.network.diagnosis.shown import differs
from assistant.vocabulary.added import added
from assistant.vocabulary.answers import DiagnosedFile, Diagnosis
from assistant.vocabulary.catalog import Fabric
from assistant.vocabulary.collective import Nccl
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.large_messages import NETWORK_SPREAD
from assistant.vocabulary.plan import MeasuredNetwork, MeasuredRun, Plan
from assistant.vocabulary.quantities import NINETIETH
from assistant.vocabulary.questionnaire import Cluster, Questionnaire

from .budgets import usd_per_month
from .candidates import Considered
from .entry import Entry
from .measured_logs import refuse_another, refuse_unmeasured
from .nccl_bench import expected_at, large_of
from .pipeline import Decision
from .planner import decide, plan

# nccl-tests' names of the collectives that the model times.
_KINDS = {"alltoall": "all_to_all", "sendrecv": "send_recv"}
LARGE = 64 * 2**20  # bytes from which a message shows what the network carries
ACCEPTED = 0.02  # of the step: less is not worth a repair; assumed


def plan_as_measured(
    questionnaire: Questionnaire, library: Library, found: Diagnosis, *, today: datetime.date | None = None
) -> Plan:
    """The plan for the network as the logs have it, and what that is worth.

    Raises :class:`InputError` where a log measures no network between nodes, or none that this job could use.
    """
    for file in found.files:
        refuse_unmeasured(file)
    fabric = _fabric(questionnaire, library, found)
    given = _on(questionnaire, fabric.id)  # what a network is worth is told with it kept
    should = decide(given, library, today=today)
    for file in found.files:
        refuse_another(file, fabric, should.job.gpu, library.catalog)
    healthy = _entry(should, fabric.id)
    runs = [_run(file, healthy, questionnaire, library) for file in found.files]
    slower = exp(added(log(run.expected_gb_per_s / run.busbw_gb_per_s) for run in runs) / len(runs))
    seen = replace(library, measured=((fabric.id, slower, ", ".join(run.file for run in runs)),))
    # A network that is rented can be left for another one; one that was bought is kept, see product.md. Where it is
    # there already, another one is what would have to be bought for the machines: its price is part of its costs.
    budget = questionnaire.budget
    free = _on(questionnaire, None) if budget.mode == "rent" or budget.network_there else questionnaire
    if budget.network_there:
        free = free.model_copy(update={"budget": budget.model_copy(update={"owned": "machines"})})
    as_it_is, open_ = (decide(one, seen, today=today) for one in (given, free))
    told = _told(fabric, slower, runs, (should, as_it_is, open_), there=budget.network_there)
    # A log says what these machines have, not that it was decided: what was left open stays so.
    kept = given if budget.network_there else questionnaire
    return plan(kept, seen, today=today).model_copy(update={"measured": told})


def _on(questionnaire: Questionnaire, fabric: str | None) -> Questionnaire:
    cluster = questionnaire.cluster.model_copy(update={"fabric": fabric})
    return questionnaire.model_copy(update={"cluster": cluster})


def _fabric(questionnaire: Questionnaire, library: Library, found: Diagnosis) -> Fabric:
    """The network that was measured: the job's own, else the one that the plan takes, else of what the logs name."""
    fabrics = library.catalog.fabrics
    if questionnaire.cluster.fabric is not None:
        return fabrics[questionnaire.cluster.fabric]
    made = decide(questionnaire, library)
    said = {file.transport for file in found.files} - {"unknown", "nvlink", "xgmi", "pcie", "p2p", "shm", "tcp-socket"}
    fitting = [e.considered.fabric for e in made.entries if e.considered.fabric.technology in said]
    chosen = made.choice.chosen
    if chosen and (not said or chosen.considered.fabric in fitting):
        return chosen.considered.fabric
    if not fitting:
        named = ", ".join(sorted(said)) or "none"
        raise InputError(
            f"expected logs of a network that this job could use, got {named}: name it as cluster.fabric",
            Place(field="--measured"),
        )
    priced = [e for e in made.entries if e.considered.fabric in fitting and e.costed]
    return min(priced, key=lambda e: e.median_cost).considered.fabric if priced else fitting[0]


def _run(file: DiagnosedFile, should: Entry, questionnaire: Questionnaire, library: Library) -> MeasuredRun:
    kind, on = _KINDS.get(file.collective, file.collective), should.considered
    if kind not in get_args(Nccl):
        raise InputError("expected a collective that the plan has a model of", Place(file=file.path))
    nodes, size = _nodes(file, questionnaire, library), file.large_bytes or LARGE
    cluster = _tested(file, nodes, on, questionnaire, library)
    told = expected_at(kind, cluster, nodes, library.catalog)(size)
    expected, reached = told.busbw_gb_per_s, file.large_busbw_gb_per_s
    if nodes == 2 and kind == "all_reduce":  # trees count some of the traffic twice: more than a ring shows nothing
        large = large_of(kind, cluster, nodes, library.catalog)
        expected = max(reached, expected * min(1.0, large.ring / large.expected) if large else expected)
    return MeasuredRun(
        file=file.path,
        collective=file.collective,
        ranks=file.ranks,
        nodes=nodes,
        message_bytes=size,
        busbw_gb_per_s=reached,
        expected_gb_per_s=expected,
        alarm_gb_per_s=told.alarm_gb_per_s,
        diagnosed_gb_per_s=file.expected_busbw_gb_per_s,
        transport=file.transport,
        differs=differs(file.transport, on.fabric),
        # That it is slow says the table, against what this plan expects; of a network of sockets it is none that it is
        # one, as its log cannot know.
        findings=[
            e.message
            for e in file.findings
            if e.severity != "info"
            and e.code != "low-bandwidth"
            and not (on.fabric.technology == "tcp" and e.code in of_sockets())
        ],
    )


def _tested(file: DiagnosedFile, nodes: int, on: Considered, questionnaire: Questionnaire, library: Library) -> Cluster:
    """The plan's cluster with as many ranks as the log has: a part of a node has a part of its adapters."""
    asked, per_node = questionnaire.cluster, file.ranks // nodes
    whole = asked.gpus_per_node or library.catalog.gpus[asked.gpu or ""].gpus_per_node
    nics = on.nics_per_node and max(1, round(on.nics_per_node * min(1.0, per_node / whole)))
    size = {"gpus": file.ranks, "gpus_per_node": per_node, "nics_per_node": nics, "sites": 1, "wan_gbps": None}
    return asked.model_copy(update={"fabric": on.fabric.id, **size})


def _nodes(file: DiagnosedFile, questionnaire: Questionnaire, library: Library) -> int:
    """The nodes of a test: as its log names them, else as many of the job's own as its ranks fill.

    Raises :class:`InputError` where neither says how many they are.
    """
    gpu = library.catalog.gpus.get(questionnaire.cluster.gpu or "")
    per_node = questionnaire.cluster.gpus_per_node or (gpu.gpus_per_node if gpu else 0)
    nodes = file.nodes or (0 if not per_node or file.ranks % per_node else file.ranks // per_node)
    if nodes < 2:
        raise InputError("expected a log that says on how many nodes its ranks were: keep the lines of nccl-tests "
                         "that name rank and host", Place(file=file.path))  # fmt: skip
    return nodes


def _told(
    fabric: Fabric, slower: float, runs: list[MeasuredRun], made: tuple[Decision, Decision, Decision], *, there: bool
) -> MeasuredNetwork:
    """``made``: with the network as it should be, as it is, and with every network allowed beside it as it is;
    ``there``: it is owned, and kept: what another one takes to be bought is said beside what it saves a month."""
    should, as_it_is = _entry(made[0], fabric.id), _entry(made[1], fabric.id)
    best, spread = made[2].choice.chosen, NETWORK_SPREAD[fabric.transport]
    step, healthy = as_it_is.estimate.band.p50, should.estimate.band.p50
    month = usd_per_month(as_it_is, made[1].job.questionnaire) if as_it_is.costed else None
    lost = 1 - healthy / step
    other = best if best is not None and best.id != fabric.id and best.costed and as_it_is.costed else None
    # Repaired or as it is, whichever costs less, it would cost more than the other one.
    least = min(each.median_cost for each in (should, as_it_is)) if other and should.costed else 0.0
    cheaper = other is not None and other.median_cost < (1 - ACCEPTED) * least
    if there and not cheaper:  # to be bought, and no better than a repair
        other = None
    sound = all(run.busbw_gb_per_s >= run.alarm_gb_per_s for run in runs)
    advice = "switch" if cheaper and not there else "accept" if lost < ACCEPTED and sound else "repair"
    return MeasuredNetwork(
        fabric=fabric.id,
        fabric_name=fabric.name,
        slower=slower,
        usual=abs(log(slower)) <= NINETIETH * spread,
        runs=runs,
        step_time_s=step,
        step_time_as_it_should_be_s=healthy,
        usd_per_month=month,
        wasted_usd_per_month=None if month is None else month * max(0.0, lost),
        cost_usd=as_it_is.median_cost if as_it_is.costed else None,
        cost_as_it_should_be_usd=should.median_cost if should.costed else None,
        advice=advice,
        instead=other.id if other else None,
        instead_name=other.considered.fabric.name if other else None,
        instead_cost_usd=other.median_cost if other else None,
        instead_usd_per_month=usd_per_month(other, made[2].job.questionnaire) if other else None,
        instead_capital_usd=other.price.capital_usd if other and there else None,
        instead_work_usd=_same_work(other, as_it_is, made[2].job.questionnaire) if other and there else None,
        instead_months=other.price.months if other and there else None,
    )


def _same_work(other: Entry, as_it_is: Entry, questionnaire: Questionnaire) -> float:
    """US dollars of what another network costs, with its write-off, for as long as it takes for a month's work of the
    network as it is."""
    return usd_per_month(other, questionnaire) * other.median_hours / as_it_is.median_hours


def _entry(made: Decision, fabric: str) -> Entry:
    found = next((each for each in made.entries if each.id == fabric and each.estimated is not None), None)
    if found is None:
        raise InputError(f"this job cannot be computed on {fabric}: weft plan says why", Place(field="cluster.fabric"))
    return found
