"""What the rules are told: one set of facts about the job, one about each candidate, in the units of
vocabulary.facts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

from assistant.market import Offered
from assistant.model.low_communication import WAN_GOODPUT, synchronise
from assistant.model.network import ROUTED_EITHER_WAY
from assistant.reasoning.engine import LARGEST_NUMBER
from assistant.vocabulary.catalog import Fabric, Fact
from assistant.vocabulary.facts import UNKNOWN
from assistant.vocabulary.questionnaire import RARELY, STRATEGY_NAMES, Parallelism, Questionnaire

from .budgets import BUDGETS, network_share_percent, usd_per_month, within_month, within_share
from .candidates import rented_openly
from .choice import NEAR, comparable
from .entry import Entry, Estimate
from .limits import in_time, within
from .resolve import Resolved

GB = 1e9
# the least ``half_bandwidth_message`` in the catalog: below it every fabric waits rather than moves
SMALL_MESSAGE_BYTES = 1e6
_RDMA = ("rdma", "srd")
AGES = frozenset({"price_age_days"})  # facts that tell how old a price is
_SPLIT = ("strategy", "tp", "pp", "cp", "ep")


def known(value: Any) -> Any:
    """A fact nobody knows is the word ``unknown``."""
    return UNKNOWN if value is None else value


def _bounded(value: Any) -> Any:
    """A fact whose number is no larger than the rules' engine reads: what is a multiple of nearly nothing is just
    large."""
    if value is None:
        return UNKNOWN
    if value.__class__ is str or value is True or value is False:
        return value
    if isinstance(value, (int, float)) and not -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
        return min(max(value, -LARGEST_NUMBER), LARGEST_NUMBER)
    return value


def _rdma(entries: list[Entry]) -> list[Entry]:
    """RDMA candidates that can be had and fit, else whatever was computed."""
    computed = [e for e in entries if e.estimated is not None]
    fitting = [e for e in computed if e.usable] or [e for e in computed if e.estimate.fits] or computed
    return [e for e in fitting if e.considered.fabric.transport in _RDMA] or fitting


def reference(entries: list[Entry]) -> Entry | None:
    """The fastest RDMA candidate: the best a network can do for this job."""
    return min(_rdma(entries), key=lambda e: e.step, default=None)


def likely(entries: list[Entry]) -> Entry | None:
    """The candidate the job will most likely run with: the fabric that is there, else the cheapest RDMA one, of those
    that others run already where there are any."""
    owned = next((e for e in entries if e.considered.owned and e.estimated is not None), None)
    return owned or min(
        _rdma(entries),
        key=lambda e: (e.considered.fabric.maturity == "emerging", e.median_cost, e.step),
        default=None,
    )


def told_of_another(chosen: Entry | None, told: Entry | None) -> bool:
    """Whether the rules were ``told`` of another network than the choice, or of another split than it runs on."""
    if chosen is None or chosen.estimated is None or told is None or told is chosen:
        return False
    return chosen.considered.fabric.technology != "none" or any(
        (chosen.estimate.parallelism.get(key) or 1) != (told.estimate.parallelism.get(key) or 1) for key in _SPLIT
    )


def _what(job: Resolved) -> dict[str, Any]:
    q = job.questionnaire
    return {
        "workload": q.workload,
        "serves": q.serves,
        "trains": not q.serves,
        "model": q.model if isinstance(q.model, str) else "inline",
        "params_b": job.params / GB,
        "trained_b": job.trained_params / GB,
        "active_params_b": job.architecture.active_params / GB,
        "moe": bool(job.model.experts),
        "expert_overlap": job.expert_overlap or "none",
        "sequence_length": job.sequence_length,
        "global_batch": job.global_batch,
        "tokens_b": known(job.tokens / GB if job.tokens else None),
        "precision": job.precision,
        "adapters": job.adapters is not None,
        "attention": job.attention,
        "framework": known(job.framework),
        "latency_target_said": q.inference is not None and bool(q.inference.ttft_ms or q.inference.tpot_ms),
    }


def _where(job: Resolved) -> dict[str, Any]:
    cluster, constraints = job.questionnaire.cluster, job.questionnaire.constraints
    return {
        "gpu": job.gpu.id,
        "gpu_vendor": job.gpu.vendor,
        "gpu_maturity": job.gpu.maturity,
        "gpus": job.gpus,
        "gpus_per_node": job.gpus_per_node,
        "nodes": job.nodes,
        "scale_up_domain": job.domain,
        "domains": job.domains,
        "sites": job.sites,
        "wan_gbps": known(job.wan_gbps),
        "exchange_s": known(_exchange_s(job)),
        "provider": job.provider.id if job.provider else "none",
        "oversubscription_said": cluster.oversubscription is not None
        or job.questionnaire.budget.quotes_tell_oversubscription,
        "switches_add": bool(cluster.in_network_reduction),
        "routing_said": cluster.adaptive_routing is not None,
        "fixed_fabric": cluster.fabric or "none",
        "max_power_kw": known(constraints.max_power_kw),
        "vendor_neutral": constraints.vendor_neutral,
        "network_team": constraints.network_team,
        "deadline_days": known(constraints.deadline_days),
        "max_slowdown_percent": known(constraints.max_slowdown_percent),
    }


def _exchange_s(job: Resolved) -> float | None:
    if job.serves or job.sites == 1 or not job.wan_gbps:
        return None
    link, server = job.wan_gbps * 1e9 / 8, job.averaging == "fedavg"
    sent = 2.0 * job.trained_params
    return synchronise(sent, job.sites, link, 1, through_server=server, goodput=WAN_GOODPUT).seconds


def _money(job: Resolved, entries: list[Entry]) -> dict[str, Any]:
    budget = job.questionnaire.budget
    priced = [e for e in entries if e.costed and e.considered.sold is not False]
    infiniband = next((e for e in priced if e.considered.fabric.technology == "infiniband"), None)
    # Only prices that could decide: those of candidates near the cheapest.
    best = min((e.ranked_cost for e in priced), default=0.0)
    ages = [e.price.oldest_days for e in priced if e.ranked_cost <= NEAR * best and e.price.oldest_days is not None]
    gpu = priced[0].price.gpu_usd_per_hour.value if priced else None
    let = [offered for entry in entries for offered in entry.considered.offers]
    return {
        "budget_mode": budget.mode,
        "prices_by_offer": rented_openly(job),
        "budget_usd": known(budget.usd),
        "budget_usd_per_month": known(budget.usd_per_month),
        "budget_network_percent": known(budget.network_share_percent),
        "spot": budget.on_spot and (not let or any(offered.tier == "spot" for offered in let)),
        "gpu_price_usd_hour": known(gpu),
        "price_age_days": known(max(ages, default=None)),
        "premium_breakeven_percent": known(_breakeven(infiniband) if infiniband else None),
    }


def _split(job: Resolved, ref: Entry | None) -> dict[str, Any]:
    layout = ref.estimate.parallelism if ref else {}
    sizes = {key: layout.get(key, 1) or 1 for key in ("tp", "pp", "cp", "ep")}
    dp = layout.get("dp", 1) or 1
    crosses = job.domains > 1
    return {
        "uses_nccl": job.gpu.vendor == "nvidia" and collectives_cross(job, layout),
        "strategy": job.parallelism.strategy if job.parallelism else known(layout.get("strategy")),
        "strategy_said": strategy_said(job.questionnaire.parallelism),
        "strategy_named": _strategy_named(job, layout),
        "inner_steps": known(job.inner_steps if job.sites > 1 or job.rare else None),
        "parallelism_fixed": job.parallelism is not None,
        **sizes,
        "dp": dp,
        "micro_batch": known(layout.get("micro_batch") or job.micro_batch),
        "recompute": known(layout.get("recompute") or job.recompute),
        "tp_crosses_nodes": crosses and sizes["tp"] > job.domain,
        "ep_crosses_nodes": crosses and sizes["ep"] > job.domain,
        "pp_crosses_nodes": crosses and sizes["pp"] > 1 and sizes["tp"] * sizes["cp"] * dp * sizes["pp"] > job.domain,
    }


def collectives_cross(job: Resolved, layout: Mapping[str, Any]) -> bool:
    """Whether ranks of one copy, or of a training job, talk to each other over the network: caches go from prefill to
    decode by a library of their own (NIXL, Mooncake)."""
    if job.questionnaire.workload != "disaggregated-inference":
        return True
    ranks = [layout.get(name) or 1 for name in ("prefill_gpus", "decode_gpus")]
    return max(ranks) > job.domain


def strategy_said(split: object) -> str:
    """The data-parallel strategy that was given with a split, or ``none``."""
    said = isinstance(split, Parallelism) and "strategy" in split.model_fields_set
    return split.strategy if isinstance(split, Parallelism) and said else "none"


def _strategy_named(job: Resolved, layout: Mapping[str, Any]) -> object:
    """The strategy as it was named: methods whose islands meet rarely are one to the model."""
    strategy = job.parallelism.strategy if job.parallelism else layout.get("strategy")
    named = job.averaging if strategy in RARELY else strategy
    return known(named and STRATEGY_NAMES.get(named, named.upper()))


def _slowdowns(entries: list[Entry]) -> dict[str, Any]:
    return {f"{name}_slowdown_percent": known(_best_slowdown(entries, name)) for name in ("tcp", "roce", "infiniband")}


def _best_network(job: Resolved, ref: Entry | None) -> dict[str, Any]:
    """What is left to wait for on the fastest network."""
    if ref is None:
        return {}
    compute = ref.estimate.computing_s
    return {
        "reference_fabric": ref.id,
        "reference_exposed_percent": ref.estimate.exposed_percent,
        "step_time_ms": ref.step * 1e3,
        "compute_ms": compute * 1e3,
        "run_days": known(ref.median_hours / 24 if ref.run_hours is not None else None),
        "communication_to_compute_percent": known(_ratio(ref, compute)),
        "outside_calibration": bool(ref.estimate.outside),
    }


def _traffic(job: Resolved, entry: Entry | None) -> dict[str, Any]:
    """What crosses nodes with the likely split."""
    if entry is None:
        return {}
    traffic = entry.estimate.traffic
    into, count = traffic.get("bytes_into_node"), traffic.get("network_collectives")
    of_dp = traffic.get("dp_bytes_into_node")
    small = None if not into or not count else into / count < SMALL_MESSAGE_BYTES
    weights = job.loop is not None and job.loop.apart  # what crosses between sites is no gradient
    between, once = None if weights else traffic.get("waited_between_sites"), _exchange_s(job)
    apart = once is not None and entry.estimate.parallelism.get("inner_steps")
    return {
        "exchange_percent": known(100 * once / job.inner_steps / entry.step if once is not None and apart else None),
        "between_sites_percent": known(None if between is None else 100 * between / entry.step),
        "bytes_per_node_gb": known(into / GB if into is not None else None),
        "dp_traffic_percent": known(100 * of_dp / into if into and of_dp is not None else None),
        "small_messages": known(small),
        "crosses_nodes": crosses_nodes(job, traffic),
        "likely_fabric": entry.id,
        "likely_exposed_percent": entry.estimate.exposed_percent,
    }


def crosses_nodes(job: Resolved, traffic: dict[str, float]) -> bool:
    """Whether anything of the job itself crosses a scale-up domain."""
    if job.domains == 1:
        return False
    return bool(traffic.get("bytes_into_node", 1.0)) if job.serves else True


def _ratio(ref: Entry, compute: float) -> float | None:
    """Network time before anything is hidden ÷ compute time, percent."""
    unhidden = ref.estimate.traffic.get("network_seconds")
    if unhidden is None or compute <= 0:
        return None
    return 100 * unhidden / compute


def _best_slowdown(entries: list[Entry], technology: str) -> float | None:
    found = [
        e.slowdown_percent
        for e in entries
        if e.considered.fabric.technology == technology and e.slowdown_percent is not None and e.usable
    ]
    return min(found, default=None)


def _breakeven(entry: Entry) -> float | None:
    price = entry.price  # of machines that are there an hour costs what it takes to keep them
    hour = price.gpu_usd_per_hour.value or price.gpu_total
    return 100 * price.fabric_usd_per_hour.value / hour if hour else None


def _routing(fabric: Fabric, job: Resolved) -> bool:
    """Whether packets are spread by load: as the cluster's owner says, of a fabric that is routed either way."""
    said = job.questionnaire.cluster.adaptive_routing
    return fabric.adaptive_routing if said is None or fabric.technology not in ROUTED_EITHER_WAY else said


class Candidates:
    """The candidates of a job as the rules are told of them, each beside the others: these are those that can be used,
    the cheapest and the cheapest RoCE among them, the fastest's seconds per step. Estimates, prices and ties are
    there."""

    def __init__(self, entries: list[Entry], job: Resolved) -> None:
        able = [e for e in entries if e.usable and e.run_cost is not None]
        usable = comparable(able)
        costed = [e for e in usable if e.costed]
        self.entries, self.job = entries, job
        self.best = min((e.ranked_cost for e in usable), default=None)
        self.fastest = min((e.step for e in able), default=None)
        self.cheapest = min(costed, key=lambda e: e.ranked_cost, default=None)
        roce = (e for e in costed if e.considered.fabric.technology == "roce")
        self.roce = min(roce, key=lambda e: e.median_cost, default=None)
        self.likely = likely(entries)
        self._told: dict[str, dict[str, Any]] = {}

    @cached_property
    def _of_any(self) -> dict[str, Any]:
        """Facts about the job whatever is chosen."""
        job, entries = self.job, self.entries
        network = _best_network(job, reference(entries))
        return {**_standing(job).of_job, **_money(job, entries), **network, **_slowdowns(entries)}

    def job_facts(self, sizes: dict[str, float], run: Entry | None, names: Iterable[str]) -> dict[str, Any]:
        """Facts of these names about the job at the split of ``run``: what is chosen already, else the likeliest.

        ``sizes``: weights_gb, state_gb, gradient_gb, kv_gb_per_request and the like, from the model.
        """
        told = {**self._of_any, **_split(self.job, run), **_traffic(self.job, run), **sizes}
        return {name: _bounded(told[name]) for name in names if name in told}

    def facts(self, entry: Entry, names: frozenset[str]) -> dict[str, Any]:
        """Facts of these names about one of them, always the same names; what was not computed is left out."""
        found = self._told.get(entry.id)
        if found is None:
            of = _Seen(entry, entry.considered.fabric, self.job, self.job.questionnaire, self)
            _, moving = _tellers(_kind(entry, self.job), names)
            stands = _standing(self.job).of(of, names)
            found = self._told[entry.id] = {**stands, **{name: _bounded(tell(of)) for name, tell in moving}}
        return found


class _Seen(NamedTuple):
    """A candidate that facts are about."""

    entry: Entry
    fabric: Fabric
    job: Resolved
    asked: Questionnaire
    beside: Candidates

    @property
    def nics(self) -> int:
        """Of a node."""
        return self.entry.considered.nics_per_node or self.fabric.usual_nics(
            self.job.gpu.nics_in(self.job.gpus_per_node)
        )

    @property
    def gbps(self) -> float | None:
        """Of a NIC."""
        return self.fabric.line_rate.si * 8 / 1e9 if self.fabric.line_rate else None

    @property
    def proven(self) -> Fact | None:
        """GPUs that it was used with at most."""
        return self.fabric.largest_proven_gpus

    @property
    def offered(self) -> Offered | None:
        """Whose price it has."""
        return self.entry.price.offered

    def split(self, kind: str) -> int:
        """How far the job is split one way."""
        return self.entry.estimate.parallelism.get(kind, 1) or 1

    def exposed_percent(self, kind: str) -> float:
        """Of the step that is waited for communication of a kind."""
        return 100 * self.entry.estimate.exposed_s(kind) / max(self.entry.step, 1e-12)

    def meets(self, constraint: str) -> bool:
        """Whether one constraint is met; one that nobody stated always is."""
        return _meets(self.entry, self.asked, constraint)

    def dearer(self, other: Entry) -> float:
        """USD that a GPU-hour costs more than on another candidate, network, power and upkeep too."""
        return _hourly(self.entry) - _hourly(other)


def _hourly(entry: Entry) -> float:
    return entry.price.gpu_total + entry.price.fabric_total


_Kind = Literal["fabric", "no-copy", "step", "run", "cost"]
_Told = Callable[[_Seen], Any]


def _kind(entry: Entry, job: Resolved) -> _Kind:
    """As far as what is computed of a candidate goes."""
    c = entry.considered
    if entry.estimated is None:  # of what is served within a domain nothing is computed where no copy fits in one
        whole = job.questionnaire.workload != "disaggregated-inference"
        return "no-copy" if whole and c.exists and c.fabric.technology == "none" else "fabric"
    if entry.run_cost is None:
        return "step"
    return "cost" if entry.costed else "run"


_Tellers = tuple[tuple[str, _Told], ...]


@lru_cache(maxsize=32)
def _tellers(kind: _Kind, names: frozenset[str]) -> tuple[_Tellers, _Tellers]:
    """The facts of these names that are known of a candidate, and what each is: those that no price and no work
    changes, and the others."""
    told = _KNOWN_OF[kind]
    some = [(name, told[name]) for name in names if name in told]
    return tuple(one for one in some if one[0] in _STANDS), tuple(one for one in some if one[0] not in _STANDS)


class _Standing:
    """Facts about a job and its candidates that stay while prices and amounts of work are tried."""

    def __init__(self, job: Resolved) -> None:
        self.job, self.of_job = job, {**_what(job), **_where(job)}
        self._known: dict[Hashable, tuple[Estimate | None, dict[str, Any]]] = {}

    def of(self, seen: _Seen, names: frozenset[str]) -> dict[str, Any]:
        """Those of these names about a candidate."""
        one, estimated = seen.entry.considered, seen.entry.estimated
        key = names, one.fabric.id, one.nics_per_node, one.exists, one.sold, one.owned, id(estimated)
        known = self._known.get(key)
        if known is None or known[0] is not estimated:
            stands, _ = _tellers(_kind(seen.entry, self.job), names)
            known = self._known[key] = estimated, {name: _bounded(tell(seen)) for name, tell in stands}
        return known[1]


_latest: dict[str, _Standing] = {}  # of the job that was looked at last


def _standing(job: Resolved) -> _Standing:
    found = _latest.get("job")
    if found is None or found.job is not job:
        found = _latest["job"] = _Standing(job)
    return found


_OF_FABRIC: dict[str, _Told] = {
    "fabric": lambda s: s.fabric.id,
    "technology": lambda s: s.fabric.technology,
    "transport": lambda s: s.fabric.transport,
    "line_rate_gbps": lambda s: s.gbps,
    "nics_per_node": lambda s: s.nics,
    "node_gbps": lambda s: s.gbps * s.nics if s.gbps else None,
    "latency_us": lambda s: s.fabric.latency.si * 1e6 if s.fabric.latency else None,
    "adaptive_routing": lambda s: _routing(s.fabric, s.job),
    "in_network_reduction": lambda s: s.fabric.in_network_reduction,
    "vendors": lambda s: s.fabric.vendors,
    "skills": lambda s: s.fabric.skills,
    "maturity": lambda s: s.fabric.maturity,
    "largest_proven_gpus": lambda s: s.proven.si if s.proven else None,
    "largest_proven_source": lambda s: s.proven.source if s.proven else None,
    "node_count_over_proven": lambda s: s.job.gpus / s.proven.si if s.proven and s.proven.si else None,
    "owned": lambda s: s.entry.considered.owned,
    "sold_by_provider": lambda s: None if s.asked.budget.quotes else s.entry.considered.sold,
    "in_a_quote": lambda s: s.entry.considered.sold if s.asked.budget.quotes else None,
    "cloud_only": lambda s: s.fabric.providers is not None,
    "exists_for_gpu": lambda s: s.entry.considered.exists or s.fabric.technology in ("none", "wan"),
}
_OF_NO_COPY: dict[str, _Told] = _OF_FABRIC | {"fits": lambda s: False}
_OF_STEP: dict[str, _Told] = _OF_FABRIC | {
    "fits": lambda s: s.entry.estimate.fits,
    "strategy": lambda s: s.entry.estimate.parallelism.get("strategy"),
    "tp": lambda s: s.split("tp"),
    "pp": lambda s: s.split("pp"),
    "cp": lambda s: s.split("cp"),
    "ep": lambda s: s.split("ep"),
    "dp_exposed_percent": lambda s: s.exposed_percent("dp"),
    "tp_exposed_percent": lambda s: s.exposed_percent("tp"),
    "ep_exposed_percent": lambda s: s.exposed_percent("ep"),
    "pp_exposed_percent": lambda s: s.exposed_percent("pp_p2p"),
    "step_time_ms": lambda s: s.entry.step * 1e3,
    "slowdown_percent": lambda s: s.entry.slowdown_percent,
    "exposed_percent": lambda s: s.entry.estimate.exposed_percent,
    "network_wait_percent": lambda s: s.entry.estimate.traffic.get("network_wait_percent"),
    "kv_link_percent": lambda s: served.kv_link_wanted_percent if (served := s.entry.estimate.serving) else None,
    "fastest": lambda s: s.entry.usable and s.entry.step == s.beside.fastest,
}
_OF_RUN: dict[str, _Told] = _OF_STEP | {
    "run_days": lambda s: s.entry.median_hours / 24,
    "done_days": lambda s: s.entry.days,
    "tie": lambda s: s.entry.tie,
    "answers_in_time": lambda s: in_time(s.entry),
    "ttft_ms": lambda s: served.ttft_s * 1e3 if (served := s.entry.estimate.serving) else None,
    "tpot_ms": lambda s: served.tpot_s * 1e3 if (served := s.entry.estimate.serving) else None,
    "meets_deadline": lambda s: s.meets("deadline_days"),
    "meets_slowdown": lambda s: s.meets("max_slowdown_percent"),
    "within_budget": lambda s: (usd := s.asked.budget.usd) is None or not s.entry.costed or s.entry.outlay <= usd,
    "within_month": lambda s: within_month(s.entry, s.asked),
    "within_share": lambda s: within_share(s.entry, s.asked),
    "power_kw": lambda s: s.entry.power_kw,
    "within_power": lambda s: s.meets("max_power_kw"),
    "spot_stretch_percent": lambda s: 100 * (s.entry.price.spot_factor - 1),
}
_OF_COST: dict[str, _Told] = _OF_RUN | {
    "cost_usd": lambda s: s.entry.median_cost,
    "outlay_usd": lambda s: s.entry.outlay,
    "cost_over_best_percent": lambda s: 100 * (s.entry.ranked_cost / best - 1) if (best := s.beside.best) else None,
    "cheapest": lambda s: s.entry.usable and s.entry.ranked_cost == s.beside.best,
    "joined_by": lambda s: "no network between nodes" if s.entry.id == "none" else s.entry.id,
    "offered_by": lambda s: s.offered.provider if s.offered else "none",
    "offer_usd_gpu_hour": lambda s: s.entry.price.gpu_usd_per_hour.value if s.offered else None,
    "offered_by_hosts": lambda s: s.offered is not None and s.offered.offer.by_hosts,
    "offer_says_how_many": lambda s: s.offered is not None and s.offered.offer.largest_gpus is not None,
    "usd_per_month": lambda s: usd_per_month(s.entry, s.asked),
    "network_share_percent": lambda s: network_share_percent(s.entry),
    "premium_usd_gpu_hour": lambda s: s.entry.price.fabric_usd_per_hour.value,
    "breakeven_slowdown_percent": lambda s: _breakeven(s.entry),
    "price_over_cheapest_usd_gpu_hour": lambda s: s.dearer(s.beside.cheapest or s.entry),
    "price_over_cheapest_percent": lambda s: _percent_dearer(s, s.beside.cheapest or s.entry),
    "price_age_days": lambda s: s.entry.price.fabric_usd_per_hour.age_days,
    "premium_over_roce_usd_gpu_hour": lambda s: s.dearer(roce) if (roce := _roce(s)) else None,
    "breakeven_over_roce_percent": lambda s: _percent_dearer(s, roce) if (roce := _roce(s)) else None,
    "roce_slower_percent": lambda s: 100 * (roce.step / s.entry.step - 1) if (roce := _roce(s)) else None,
}

_STANDS = frozenset(_OF_STEP) - {"slowdown_percent", "fastest"}
_KNOWN_OF: dict[_Kind, dict[str, _Told]] = {
    "fabric": _OF_FABRIC,
    "no-copy": _OF_NO_COPY,
    "step": _OF_STEP,
    "run": _OF_RUN,
    "cost": _OF_COST,
}


def _percent_dearer(seen: _Seen, other: Entry) -> float:
    theirs = _hourly(other)
    return 100 * seen.dearer(other) / theirs if theirs else 0.0


def _roce(seen: _Seen) -> Entry | None:
    """The cheapest RoCE, beside InfiniBand alone."""
    return seen.beside.roce if seen.fabric.technology == "infiniband" else None


def _meets(entry: Entry, questionnaire: Any, constraint: str) -> bool:
    """Whether one constraint is met; one that nobody stated always is."""
    if getattr(questionnaire.constraints, constraint) is None:
        return True
    only = questionnaire.constraints.model_copy(
        update={name: None for name in ("deadline_days", "max_slowdown_percent", "max_power_kw") if name != constraint}
    )
    budget = questionnaire.budget.model_copy(update=dict.fromkeys(BUDGETS))
    return within(entry, questionnaire.model_copy(update={"constraints": only, "budget": budget}))
