"""The facts rules may look at: for every name its kind, unit and meaning.

The planner supplies exactly these, numbers already in the unit named here so that they stay between 1e-4 and 1e15.
A fact nobody knows is the word ``unknown``, never left out: a rule that compares a number stays silent then, and a
rule may ask for ``unknown`` itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from .catalog import Maturity, Skills, Technology, Transport, Vendors
from .questionnaire import PRECISIONS, STRATEGIES, WORKLOADS

UNKNOWN = "unknown"

Scope = Literal["job", "candidate"]


@dataclass(frozen=True)
class FactWord:
    """One fact: ``kind`` of value, ``unit`` of a number, what it means, the words a text may be (empty: any)."""

    kind: Literal["number", "text", "flag"]
    unit: str
    meaning: str
    values: tuple[str, ...] = ()

    def is_kind(self, value: Any) -> bool:
        """Whether a value is a number, a word, or true or false, as this fact must be."""
        return isinstance(value, _KINDS[self.kind]) and (self.kind == "flag") == isinstance(value, bool)


_KINDS = {"number": (int, float), "text": str, "flag": bool}


def _number(unit: str, meaning: str) -> FactWord:
    return FactWord("number", unit, meaning)


def _text(meaning: str, *values: str) -> FactWord:
    return FactWord("text", "", meaning, values)


def _flag(meaning: str) -> FactWord:
    return FactWord("flag", "", meaning)


_JOB = {
    # What is run
    "workload": _text("what the cluster is for", *WORKLOADS),
    "serves": _flag("the workload answers requests"),
    "trains": _flag("the workload has optimizer steps"),
    "model": _text("catalog id of the model, or `inline`"),
    "params_b": _number("10^9 parameters", "all parameters"),
    "trained_b": _number("10^9 parameters", "parameters that are trained"),
    "active_params_b": _number("10^9 parameters", "parameters one token passes through"),
    "moe": _flag("the model has experts"),
    "expert_overlap": _text("what dispatch and combine of experts hide behind", "none", "batch", "dualpipe"),
    "sequence_length": _number("tokens", "length of one sequence"),
    "global_batch": _number("sequences", "sequences per optimizer step"),
    "micro_batch": _number("sequences", "sequences per GPU and micro-step"),
    "tokens_b": _number("10^9 tokens", "tokens of the whole run"),
    "run_days": _number("days", "length of the run on the reference fabric"),
    "adapters": _flag("adapters are trained and the weights are frozen (LoRA, QLoRA)"),
    "precision": _text("number format of the matrix products", *PRECISIONS),
    "attention": _text("attention implementation", "flash", "flash-3", "unfused"),
    "recompute": _text("activation recomputation", "none", "selective", "full"),
    "framework": _text("training framework", "megatron", "fsdp", "deepspeed", "jax", "other"),
    "uses_nccl": _flag(
        "collectives cross nodes through NCCL (NVIDIA); false: RCCL (AMD) or another library, or caches alone"
    ),
    "latency_target_said": _flag("how long a request may wait for its tokens was said"),
    # Where it runs
    "gpu": _text("catalog id of the GPU"),
    "gpu_vendor": _text("who makes the GPU", "nvidia", "amd", "intel", "aws"),
    "gpu_maturity": _text("whether the GPU can be had", "shipping", "announced", "retired"),
    "gpus": _number("GPUs", "all GPUs of the job"),
    "gpus_per_node": _number("GPUs", "GPUs in one node"),
    "nodes": _number("nodes", "nodes of the job"),
    "scale_up_domain": _number("GPUs", "GPUs that share NVLink, UALink or the like"),
    "domains": _number("domains", "scale-up domains the job spans"),
    "sites": _number("sites", "places the GPUs stand in"),
    "wan_gbps": _number("Gb/s", "data rate between two sites"),
    "provider": _text("catalog id of the provider, or `none`"),
    "oversubscription_said": _flag("the questionnaire says the bandwidth of leaves towards spines"),
    "switches_add": _flag("switches that can add gradients (SHARP) do: it is set up, and was said to be"),
    "routing_said": _flag("the questionnaire says whether routing is adaptive"),
    "fixed_fabric": _text("fabric that is already decided or owned, or `none`"),
    # What it may cost
    "budget_mode": _text("renting or buying", "rent", "buy"),
    "prices_by_offer": _flag("rented of whoever is cheapest: every fabric has the price of who sells it"),
    "budget_usd": _number("USD", "what may be spent"),
    "budget_usd_per_month": _number("USD", "what may be spent a month"),
    "budget_network_percent": _number("%", "share of the money that the network may take"),
    "spot": _flag("interruptible machines are taken"),
    "gpu_price_usd_hour": _number("USD/GPU-h", "price of one GPU, fabric not included"),
    "price_age_days": _number("days", "age of the oldest price of a candidate near the cheapest"),
    "premium_breakeven_percent": _number("%", "slowdown at which the InfiniBand premium pays: premium ÷ GPU price"),
    "deadline_days": _number("days", "when the run must be done"),
    "max_slowdown_percent": _number("%", "slowdown against the fastest fabric that is accepted"),
    "max_power_kw": _number("kW", "power that machines and network may draw together"),
    "vendor_neutral": _flag("fabrics that one vendor sells are not wanted"),
    "network_team": _text("network skills at hand", "none", "some", "expert"),
    # How it is split, on the cheapest RDMA candidate (the likely one)
    "strategy": _text("data-parallel strategy", *STRATEGIES),
    "strategy_named": _text("data-parallel strategy in words; of methods whose islands meet rarely as it was named"),
    "inner_steps": _number("steps", "between two exchanges of islands that meet rarely"),
    "strategy_said": _text("data-parallel strategy that the user fixed, or `none`", *STRATEGIES, "none"),
    "parallelism_fixed": _flag("the user fixed the parallelism"),
    "tp": _number("GPUs", "tensor-parallel degree"),
    "pp": _number("stages", "pipeline-parallel degree"),
    "dp": _number("ranks", "data-parallel degree"),
    "cp": _number("GPUs", "context-parallel degree"),
    "ep": _number("GPUs", "expert-parallel degree"),
    "tp_crosses_nodes": _flag("tensor-parallel groups span scale-up domains"),
    "pp_crosses_nodes": _flag("pipeline stages stand in different scale-up domains"),
    "ep_crosses_nodes": _flag("expert-parallel groups span scale-up domains"),
    "crosses_nodes": _flag("anything at all crosses nodes"),
    # Memory
    "weights_gb": _number("GB", "weights in the precision of the job"),
    "state_gb": _number("GB", "weights, gradients and optimizer state together"),
    "node_memory_gb": _number("GB", "GPU memory of one node"),
    "fits_one_node": _flag("the job's state fits one node"),
    # Traffic and time on the reference fabric: the fastest RDMA candidate
    "likely_fabric": _text(
        "candidate whose split the rules look at: the choice, else the one that is there or the cheapest"
    ),
    "likely_exposed_percent": _number("%", "share of the step that nothing hides, on the likely fabric"),
    "reference_fabric": _text("fastest RDMA candidate"),
    "reference_exposed_percent": _number("%", "share of the step that nothing hides, on the reference fabric"),
    "step_time_ms": _number("ms", "one optimizer step on the reference fabric"),
    "compute_ms": _number("ms", "compute in that step"),
    "bytes_per_node_gb": _number("GB", "bytes into one node per step, with the likely split"),
    "dp_traffic_percent": _number("%", "share of these bytes that is gradients and weights of data parallelism"),
    "exchange_s": _number("s", "one exchange of what is trained between the sites"),
    "exchange_percent": _number("%", "of the time, such exchanges between sites that meet rarely"),
    "between_sites_percent": _number("%", "of a step, what it waits for gradients that cross between sites"),
    "gradient_gb": _number("GB", "all gradients"),
    "communication_to_compute_percent": _number("%", "network time ÷ compute time, before anything is hidden"),
    "small_messages": _flag("the typical network collective is under 1 MB"),
    "kv_gb_per_request": _number("GB", "KV cache of one request"),
    "kv_transfer_gbps": _number("Gb/s", "rate at which KV cache leaves a prefill node"),
    "kv_transfer_ms": _number("ms", "time to move the KV cache of one prompt over the likely fabric"),
    "prefill_decode": _text("instances of prefill and of decode and their GPUs"),
    "replica_nodes": _number("nodes", "nodes that hold one copy of a served model"),
    # Best of each kind among the candidates
    "tcp_slowdown_percent": _number("%", "slowdown of the best TCP candidate against the fastest candidate"),
    "roce_slowdown_percent": _number("%", "slowdown of the best RoCE candidate against the fastest candidate"),
    "infiniband_slowdown_percent": _number(
        "%", "slowdown of the best InfiniBand candidate against the fastest candidate"
    ),
    "outside_calibration": _flag("the prediction leaves what was measured: a GPU or a scale without runs"),
}

_CANDIDATE = {
    # What the fabric is
    "fabric": _text("catalog id"),
    "technology": _text("family of the fabric", *get_args(Technology)),
    "transport": _text("how bytes travel", *get_args(Transport)),
    "line_rate_gbps": _number("Gb/s", "line rate of one NIC"),
    "nics_per_node": _number("NICs", "NICs in one node"),
    "node_gbps": _number("Gb/s", "line rate of all NICs of a node"),
    "latency_us": _number("µs", "one small message between nodes"),
    "adaptive_routing": _flag("switches or NICs spread packets over paths by load"),
    "in_network_reduction": _flag("switches can add (SHARP)"),
    "vendors": _text("who sells switches and NICs", *get_args(Vendors)),
    "skills": _text("what it takes to run it well", *get_args(Skills)),
    "maturity": _text("how far it has come", *get_args(Maturity)),
    "largest_proven_gpus": _number("GPUs", "largest published run"),
    "largest_proven_source": _text("source of the largest published run"),
    "node_count_over_proven": _number("1", "size of this job ÷ largest published run"),
    "owned": _flag("the fabric is already decided or owned"),
    # Whether it can be had
    "sold_by_provider": _flag("the provider sells it with this GPU"),
    "in_a_quote": _flag("one of the person's quotes is for it"),
    "joined_by": _text("what joins its nodes, in words where nothing does"),
    "offered_by": _text("provider whose offer is the cheapest with it, or `none`"),
    "offer_usd_gpu_hour": _number("USD/GPU-h", "what that offer costs"),
    "offered_by_hosts": _flag("that offer is of machines which others run than who lets them"),
    "offer_says_how_many": _flag("that offer says how many GPUs are let together"),
    "cloud_only": _flag("only named providers have it: nobody can buy it"),
    "exists_for_gpu": _flag("the fabric exists for this GPU"),
    # How the job runs on it, at its own best parallelism
    "fits": _flag("the job fits in GPU memory"),
    "strategy": _text("data-parallel strategy", *STRATEGIES),
    "tp": _number("GPUs", "tensor-parallel degree"),
    "pp": _number("stages", "pipeline-parallel degree"),
    "cp": _number("GPUs", "context-parallel degree"),
    "ep": _number("GPUs", "expert-parallel degree"),
    "step_time_ms": _number("ms", "one optimizer step"),
    "slowdown_percent": _number("%", "slowdown against the fastest candidate"),
    "exposed_percent": _number("%", "share of the step that is communication nothing hides"),
    "dp_exposed_percent": _number("%", "share of the step: exposed data-parallel traffic"),
    "tp_exposed_percent": _number("%", "share of the step: exposed tensor-parallel traffic"),
    "ep_exposed_percent": _number("%", "share of the step: exposed expert-parallel traffic"),
    "pp_exposed_percent": _number("%", "share of the step: exposed pipeline traffic"),
    # What it costs
    "run_days": _number("days", "length of the run"),
    "done_days": _number("days", "from the order to the end of the run, with the delivery that was said"),
    "cost_usd": _number("USD", "expected cost of the run"),
    "cost_over_best_percent": _number("%", "cost above the cheapest candidate"),
    "cheapest": _flag("lowest expected cost of the candidates that can be had"),
    "fastest": _flag("shortest step of the candidates that can be had"),
    "spot_stretch_percent": _number("%", "how much longer the run takes because its machines are taken away"),
    "tie": _flag("the error bands cannot tell its cost from the cheapest"),
    "premium_usd_gpu_hour": _number("USD/GPU-h", "fabric price on top of the GPU"),
    "breakeven_slowdown_percent": _number("%", "its premium ÷ GPU price"),
    "price_over_cheapest_usd_gpu_hour": _number("USD/GPU-h", "GPU-hour, network too, over the cheapest one's"),
    "price_over_cheapest_percent": _number("%", "GPU-hour, network too, over the cheapest one's"),
    "premium_over_roce_usd_gpu_hour": _number("USD/GPU-h", "InfiniBand: its price above that of the cheapest RoCE"),
    "breakeven_over_roce_percent": _number("%", "InfiniBand: slowdown of that RoCE from which the difference pays"),
    "roce_slower_percent": _number("%", "InfiniBand: how much longer a step takes on that RoCE"),
    "price_age_days": _number("days", "age of its price"),
    # Whether it meets what was asked
    "meets_deadline": _flag("done before the deadline"),
    "answers_in_time": _flag("requests wait no longer for their tokens than was asked for"),
    "ttft_ms": _number("ms", "time to the first token"),
    "tpot_ms": _number("ms", "time per further token"),
    "kv_link_percent": _number("%", "share of the network between prefill and decode that the caches would take"),
    "network_wait_percent": _number("%", "share of a request's whole time that waits for this network"),
    "meets_slowdown": _flag("within the slowdown that is accepted"),
    "within_budget": _flag("within the budget"),
    "outlay_usd": _number("USD", "what a budget is held against: the purchase when buying, else the run"),
    "within_month": _flag("within what may be spent a month"),
    "usd_per_month": _number("USD", "a month of it"),
    "within_share": _flag("the network takes no more than its share"),
    "network_share_percent": _number("%", "share of the network in the purchase; rented, in what a GPU-hour costs"),
    "power_kw": _number("kW", "what its machines, switches and optics draw together, without cooling"),
    "within_power": _flag("within the power that may be drawn"),
}

FACTS: dict[str, dict[str, FactWord]] = {"job": _JOB, "candidate": _CANDIDATE}
