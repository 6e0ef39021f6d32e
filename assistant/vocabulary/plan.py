"""The answer: the plan (contract ``weft/plan/1``) and the prediction."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from .catalog import Tier, Trust
from .counted import instances_told
from .knowledge import Grade

PHASES = ("generation", "logprob", "reference", "judges", "training", "weight_sync", "waiting")


class Contract(BaseModel):
    """A JSON contract: fields may be added, none renamed."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=(), populate_by_name=True)


class Band(Contract):
    """Tenth, fiftieth and ninetieth percentile."""

    p10: float
    p50: float
    p90: float


class Breakdown(Contract):
    """Where the seconds of one step go; the parts add up to the step time. Communication parts are the exposed time.

    Of reinforcement learning the phases of a whole step, as its trainer sees them: ``judges`` are critic and reward
    model, ``waiting`` is for answers that are written at the same time on other GPUs. Written out are the phases of
    such a step or the parts of an optimizer step, never both.
    """

    compute: float = 0.0
    recompute: float = 0.0
    tp: float = 0.0
    cp: float = 0.0
    ep: float = 0.0
    pp_bubble: float = 0.0
    pp_p2p: float = 0.0
    dp: float = 0.0
    optimizer: float = 0.0
    generation: float = 0.0
    logprob: float = 0.0
    reference: float = 0.0
    judges: float = 0.0
    training: float = 0.0
    weight_sync: float = 0.0
    waiting: float = 0.0
    other: float = 0.0

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler) -> dict[str, float]:
        phases = any(getattr(self, name) for name in PHASES)
        return {name: seconds for name, seconds in write(self).items() if name == "other" or (name in PHASES) is phases}


class LearningStep(Contract):
    """Of a step of reinforcement learning what its breakdown does not say.

    ``generation_s`` and ``training_side_s`` are the two halves, whether or not they run ``at_once``; ``alone_s`` the
    part of generation in which fewer than a tenth of the answers are still being written. ``weight_sync_s``: seconds of
    each method on this network, ``weight_sync_gb`` what enters a node by the method in use. ``memory_gb``: of the
    fullest GPU by phase.
    """

    generation_s: float
    training_side_s: float
    at_once: bool
    alone_s: float
    generation_crosses_nodes: bool
    rollout_gpus: int | None
    weight_sync: str | None
    weight_sync_s: dict[str, float]
    weight_sync_gb: float
    memory_gb: dict[str, float]


class Assumption(Contract):
    """A value nobody gave, and why it was taken."""

    field: str
    value: Any
    why: str


class ServingFigures(Contract):
    """What all GPUs together serve at the load that was said, or as fully used as is usual; times in seconds.
    ``carries_requests_per_s``: at most, within the targets; 0 where not even one request is answered in time."""

    ttft_s: float
    ttft_s_p10: float
    ttft_s_p90: float
    tpot_s: float
    tpot_s_p10: float
    tpot_s_p90: float
    concurrency: int
    max_concurrency: int
    output_tokens_per_s: float
    output_tokens_per_s_p10: float
    output_tokens_per_s_p90: float
    total_tokens_per_s: float
    total_tokens_per_s_p10: float
    total_tokens_per_s_p90: float
    output_tokens_per_s_per_gpu: float
    output_tokens_per_s_per_gpu_p10: float
    output_tokens_per_s_per_gpu_p90: float
    requests_per_s: float
    requests_per_s_p10: float
    requests_per_s_p90: float
    copies: int
    gpus_per_copy: int
    kv_gb_per_request: float
    network_gb_per_s_per_node: float
    carries_requests_per_s: float = 0.0
    meets_targets: bool | None = None
    # Prompts and answers apart: instances of each side and GPUs of one; how long a prompt's cache moves, which share of
    # the network between them that takes, and which it would take were the network never in the way
    prefill_workers: int | None = None
    prefill_gpus: int | None = None
    decode_workers: int | None = None
    decode_gpus: int | None = None
    kv_transfer_s: float | None = None
    kv_link_percent: float | None = None
    kv_link_wanted_percent: float | None = None

    @property
    def tpot_band(self) -> Band:
        """Seconds of each further token."""
        return Band(p10=self.tpot_s_p10, p50=self.tpot_s, p90=self.tpot_s_p90)

    @property
    def instances(self) -> str:
        """``3 copies of 8 GPUs``, or what reads prompts and what writes answers."""
        apart = {} if self.prefill_workers is None else self.model_dump(include=_SIDES)
        return instances_told(apart, self.copies, self.gpus_per_copy)


_SIDES = {"prefill_workers", "prefill_gpus", "decode_workers", "decode_gpus"}


class Prediction(Contract):
    """The quantitative model's answer for one questionnaire on one fabric.

    ``step_time_s`` has every estimate at its middle and is the sum of ``breakdown_s``; ``step_time_p50_s`` is the
    median of the error band, the step that a plan names.
    """

    id: str | None
    step_time_s: float
    step_time_p10_s: float
    step_time_p90_s: float
    tokens_per_s_per_gpu: float
    tflops_per_gpu: float
    mfu: float
    memory_gb_per_gpu: float
    fits: bool
    exposed_communication_percent: float
    parallelism: dict[str, Any]
    breakdown_s: Breakdown
    fabric: str | None = None
    step_time_p50_s: float | None = None
    # training: a step that is longer than 99 in 100 of the run
    step_time_p99_s: float | None = None
    # training: what failures and checkpoints leave of the time
    effective_time_percent: Band | None = None
    learning: LearningStep | None = None
    serving: ServingFigures | None = None
    outside_calibration: list[str] = Field(default_factory=list)
    assumptions: list[Assumption] = Field(default_factory=list)


class Flip(Contract):
    """The nearest value of one input at which another fabric is recommended, or ``to_quote`` (from 1) in place of
    another; ``even``: of a price, where the two cost the same."""

    input: str
    from_: Any = Field(validation_alias="from", serialization_alias="from")
    at: Any
    to_fabric: str
    even: float | None = None
    to_quote: int | None = None


Verdict = Literal["recommended", "acceptable", "avoid", "impossible"]
# Why a network is out of the question: it cannot be, or nobody lets it, or nobody tells a price
Barred = Literal["impossible", "does-not-fit", "not-sold", "not-quoted", "no-price-quoted"]


class RentalOffer(Contract):
    """What one provider's machines come to for this job: ``fabric`` is what joins them, ``gbps_per_gpu`` its line rate.

    Without a price (USD per GPU-hour) nothing of the money is known. ``verdict`` is that of the fabric, and
    ``meets_limits`` tells whether deadline, budget and the other limits are kept; ``finishes_on`` is the day on which a
    run ends that begins on the day of the plan. ``months``: the term of a reservation, paid whole. ``tied``: its sum is
    that of the cheapest within what lists and agreed prices differ by. ``paid_over_listed``: what the sums count ÷
    the price, above 1 where that is of a marketplace's cheapest host. ``gpus_paid``: of whole machines, and of the
    smallest order.
    """

    provider: str
    provider_name: str = ""  # as people write it; empty where a quote names nobody of the catalog
    instance: str
    gpu: str
    fabric: str
    gbps_per_gpu: float | None
    tier: Tier
    usd_per_gpu_hour: float | None
    usd_per_month: float | None
    run_cost_usd: Band | None
    expected_cost_usd: float | None = (
        None  # of spot machines: the mean, by which they are compared, of runs that go over to steady machines once as
        # much is spent as these would have cost; null: there is none
    )
    unfinished_percent: float | None = None  # of spot machines: of runs that are interrupted faster than they restart
    finishes_days: float | None
    date: str | None
    source: str | None
    stale: bool
    verdict: Verdict
    meets_limits: bool
    network_included: bool | None
    trust: Trust | None = None
    kind: Literal["published", "quote"] = "published"
    finishes_on: str | None = None
    months: float | None = None
    tied: bool = False
    paid_over_listed: float = 1.0
    gpus_paid: int | None = None
    whole_days_up_to: float | None = None  # of a capacity block: longer ones are booked in whole weeks

    @property
    def ranked_usd(self) -> float:
        """By what offers are compared: the middle, of spot machines the mean where that is more; infinite where there
        is no sum, and where some runs never finish."""
        if self.run_cost_usd is None or self.unfinished_percent:
            return float("inf")
        return max(self.run_cost_usd.p50, self.expected_cost_usd or 0.0)


class QuotedOffer(Contract):
    """One of the person's quotes beside what is published. ``number`` counts them from 1, as they were given.

    ``run_cost_usd``: of a service a month's, and ``term_usd`` that of all ``months`` of its term;
    ``waiting_percent``: of the step, in which the GPUs wait for the network; ``effective_usd_per_gpu_hour``: what
    an hour of computing costs when that waiting is paid as well; ``finishes_on``: ordered on the day of the plan,
    and run as soon as it is delivered; ``usd_per_gpu_hour_to_win``: at which price it would cost as much as the
    best; ``counted``: what it says of its network, with which its time was worked out; ``missing``: what it leaves
    open; ``reply``: a mail that asks for it. ``published``: the list price nearest to it, and how far the quote is
    above it.
    """

    number: int
    provider: str | None
    fabric: str | None
    said: str
    usd_per_gpu_hour: float | None = None
    run_cost_usd: Band | None = None
    months: float | None = None
    term_usd: float | None = None
    finishes_days: float | None = None
    delivery_days: float | None = None
    finishes_on: str | None = None
    waiting_percent: float | None = None
    effective_usd_per_gpu_hour: float | None = None
    usd_per_gpu_hour_to_win: float | None = None
    verdict: Verdict | None = None
    meets_limits: bool | None = None
    includes: list[str] = Field(default_factory=list)
    counted: str = ""
    missing: list[str] = Field(default_factory=list)
    published: RentalOffer | None = None
    over_published_percent: float | None = None
    note: str = ""
    reply: str = ""


Outcome = Literal["recommended", "no-network-needed", "infeasible"]


class Alternative(Contract):
    """A change (field → value) with which the job keeps its budget and every other limit; it was planned before it is
    named. ``cost_usd``: of the run, or of the purchase where the machines are ``bought``; ``done_by``: the day on which
    a run ends that begins on the day of the plan."""

    change: dict[str, Any]
    fabric: str
    provider: str | None
    cost_usd: float
    bought: bool = False
    run_hours: float
    delivery_days: float = 0.0  # before it, from the order
    done_by: str | None = None


class RivalOffer(Contract):
    """The offer of somebody else with the recommended network that comes nearest to the one recommended: its list price
    and the price from which on it would be the cheaper one, USD per GPU-hour.

    Beside quotes the published offer that would be taken without them, with its ``fabric``, and the price of the
    ``quote`` that is taken (from 1) at which the run costs as much; ``cost_usd`` of the run or of a service's month.
    """

    provider: str
    instance: str
    tier: str
    usd_per_gpu_hour: float
    cheaper_at_usd_per_gpu_hour: float
    fabric: str | None = None
    quote: int | None = None
    quote_even_at_usd_per_gpu_hour: float | None = None
    cost_usd: float | None = None


class Card(Contract):
    """The answer in five short lines, each of which stands alone."""

    do: str
    cost: str
    finish: str
    because: str
    changes_if: str


Certainty = Literal["clear", "close", "toss-up"]


class Recommendation(Contract):
    """The answer in one sentence, how sure it is and where it turns. ``certainty``: how far the choice is from what
    else may be the cheapest; ``tied``: the networks whose cost the error cannot tell from that of the choice, itself
    first; ``confidence``: the share of drawn worlds in which it is the cheapest, or within a percent of it."""

    fabric: str
    verdict: Outcome
    headline: str
    confidence: float
    certainty: Certainty = "clear"
    tied: list[str] = Field(default_factory=list)
    card: Card | None = None
    runner_up: str | None = None
    flips: list[Flip] = Field(default_factory=list)
    offer: int | None = None  # where the plan's offers have the one recommended
    rival_offer: RivalOffer | None = None  # of the same network, whose choice the confidence says nothing of
    smallest_change: str | None = None  # infeasible: what would make it work
    what_fits: list[Alternative] = Field(default_factory=list)  # over budget: what would keep it
    not_the_likeliest: str | None = None  # why another fabric is recommended than the one most often the cheapest


class Medians(Contract):
    """The middle of the bands of a fabric, infinite where nothing was computed, and how it stands."""

    if TYPE_CHECKING:
        verdict: Verdict
        barred: Barred | None
        step_time_s: Band | None
        cost_usd: Band | None

    @property
    def standing(self) -> str:
        """The verdict in words, of one that is out of the question what stands in its way."""
        return (self.barred or self.verdict).replace("-", " ")

    @property
    def median_cost(self) -> float:
        """US dollars of the run."""
        return self.cost_usd.p50 if self.cost_usd else math.inf

    @property
    def median_step(self) -> float:
        """Seconds, of a service those of each further token."""
        return self.step_time_s.p50 if self.step_time_s else math.inf


class Candidate(Medians):
    """One fabric considered, at its own best parallelism unless that is fixed.

    Figures are ``None`` where nothing was computed (a fabric that cannot exist here).
    """

    fabric: str
    verdict: Verdict
    barred: Barred | None = None  # of an impossible one why
    reasons: list[str] = Field(default_factory=list)
    limits_missed: list[str] = Field(default_factory=list)  # of those that were given, in words
    parallelism: dict[str, Any] = Field(default_factory=dict)
    step_time_s: Band | None = None
    tokens_per_s_per_gpu: float | None = None
    mfu: float | None = None
    exposed_communication_percent: float | None = None
    slowdown_percent: float | None = None
    memory_gb_per_gpu: float | None = None
    fits: bool | None = None
    run_hours: float | None = None
    run_hours_band: Band | None = None  # of the same worlds as the cost
    delivery_days: float | None = None  # before it, from the order; None where nobody said
    cost_usd: Band | None = None
    fabric_usd_per_gpu_hour: float | None = None
    usd_per_month: float | None = None  # rented or written off all month; a shorter rented run: itself
    usd_to_buy: float | None = None  # of what is not there yet; None where nothing is bought or it has no price
    # what the GPU costs with this fabric: a cloud's own fabric has its cloud's price
    offer: int | None = None  # the cheapest of the plan's offers with this fabric
    gpu_usd_per_hour: float | None = None
    probability_best: float | None = None
    breakdown_s: Breakdown | None = None
    # training: what failures and checkpoints leave of the time, on machines that nobody takes away
    effective_time_percent: Band | None = None
    learning: LearningStep | None = None
    serving: ServingFigures | None = None


class Finding(Contract):
    """A conclusion a rule drew, with the facts it saw and what it rests on."""

    rule: str
    conclusion: str
    because: str
    facts: dict[str, Any] = Field(default_factory=dict)
    evidence: list[str] = Field(default_factory=list)
    fabric: str | None = None
    stage: str | None = None
    from_findings: list[str] = Field(default_factory=list)  # rules whose conclusions this one used


class Evidence(Contract):
    """A passage or claim of a source, with its grade, verdict and date. ``title``: of the source."""

    id: str
    source: str
    title: str = ""
    section: str
    text: str
    grade: Grade
    verdict: str
    date: str
    score: float
    correction: str | None = None


class PlanConflictSide(Contract):
    claim: str
    says: str


class PlanConflict(Contract):
    """A disagreement between sources that this plan touches."""

    topic: str
    sides: list[PlanConflictSide]
    resolution: str


class CrossoverPoint(Contract):
    """This job on one number of GPUs: the cheapest fabric, and the cheapest of each kind; ``None`` where there is
    none."""

    gpus: int
    fabric: str
    tcp: str | None = None
    ethernet_rdma: str | None = None
    infiniband: str | None = None
    usd_per_billion_tokens: dict[str, float]


class SourceNumber(Contract):
    """A source's number of GPUs, and what this job would take there; ``None`` where it cannot run on so few."""

    claim: str
    says: str
    gpus: int
    fabric: str | None


class Crossover(Contract):
    """From how many GPUs on this job asks for another kind of fabric; ``None``: not up to the largest size tried.

    ``topic`` is the disagreement between sources that it answers, ``compared`` the kinds that can be had at all,
    ``gpus_per_domain`` how many GPUs need no network.
    """

    topic: str
    rdma_from: int | None
    infiniband_from: int | None
    compared: list[str]
    gpus_per_domain: int
    points: list[CrossoverPoint]
    sources: list[SourceNumber]


class PurchaseItem(Contract):
    """A line of what is bought: ``usd`` for each, between ``usd_low`` and ``usd_high``."""

    item: str
    count: int
    usd: float
    usd_low: float
    usd_high: float
    date: str | None
    source: str
    note: str | None = None


class Purchase(Contract):
    """What machines of one's own cost: the bill, and USD a month in full use by part (``monthly_usd``).

    ``usd_per_gpu``: of those that are bought, of all where there is none. ``network_percent``: of the capital.
    ``spare_gpus``: those that whole machines hold beyond the job's. What is left out stands in ``not_counted``.
    ``gpus_there``, ``network_there``: for which nothing is paid; what their hours are worth is ``hours_there`` of
    ``monthly_usd``, with their power and support.
    """

    items: list[PurchaseItem]
    gpus_there: int = 0
    network_there: bool = False
    capital_usd: float
    capital_usd_low: float
    capital_usd_high: float
    usd_per_gpu: float
    network_percent: float
    months: float
    delivery_days: float | None = None  # from the order; None where nobody said
    monthly_usd: dict[str, float]
    usd_per_gpu_hour: float
    spare_gpus: int = 0
    not_counted: list[str]


class RackPower(Contract):
    """Racks of one sort, and what each draws in the mean."""

    what: str
    count: int
    kw: float


class PowerUse(Contract):
    """Kilowatts at the makers' maximum, and kWh and USD of the run; ``site_kw`` and what follows with cooling."""

    machines: int
    gpus_per_machine: int
    machine_kw: float
    machine_source: str
    machines_kw: float
    network_kw: float
    it_kw: float
    power_usage_effectiveness: float
    site_kw: float
    racks: list[RackPower]
    run_kwh: float
    usd_per_kwh: float
    run_usd: float


class RentOrBuy(Contract):
    """The best rent beside the purchase, for the same work.

    ``rent_usd_per_gpu_hour`` is per GPU-hour of the bought cluster's work. ``break_even_months`` of full use after
    which buying is the cheaper, ``break_even_utilization_percent`` of the months of write-off that the machines must be
    in use; ``None`` where rent is the cheaper for ever, or in full use all these months. ``there``: machines of one's
    own are there already, and only what is missing is bought; ``there_usd_per_gpu_hour`` is what an hour of them is
    worth, shared by all GPUs.
    """

    offer: str
    rent_fabric: str
    buy_fabric: str
    rent_run_usd: float
    buy_run_usd: float
    rent_usd_per_gpu_hour: float
    buy_usd_per_gpu_hour: float
    capital_usd: float
    there: bool = False
    there_usd_per_gpu_hour: float = 0.0
    months: float
    run_months: float | None  # None when serving, which has no end
    break_even_months: float | None
    break_even_utilization_percent: float | None


class KindOfGpu(Contract):
    """What a load takes of one kind of GPU, and what that costs at the offer that is cheapest for it.

    ``requests_per_s``: what they carry at most within the targets; the times are those at the load. ``network`` joins
    the nodes of a copy that spans several. ``gpus_paid``: of whole machines, and of the smallest order.
    ``paid_over_listed``: what the sums count ÷ the list price. Of GPUs that are bought there is no provider, the sums
    are write-off, power and support, and ``usd_to_buy`` is that of all.
    """

    gpu: str
    gpus: int
    gpus_paid: int
    copies: int
    gpus_per_copy: int
    parallelism: dict[str, Any]
    requests_per_s: float
    ttft_s: float
    tpot_s: float
    network: str
    provider: str
    instance: str
    tier: Tier | None
    usd_per_gpu_hour: float
    paid_over_listed: float = 1.0
    usd_to_buy: float | None = None
    usd_per_month: float
    usd_per_million_output_tokens: float
    usd_per_million_tokens: float
    date: str | None
    months: float | None = None  # of a quote: its term


class Sizing(Contract):
    """The load of a service and the GPUs that carry it.

    ``gpus`` are those of the plan, ``could_be_had`` more that were said, ``carries_requests_per_s`` what these carry, 0
    where no layout keeps the targets.
    ``usd_of_job``: of a job that ends; ``usd_per_month``: of its GPUs all month, however long it takes.
    ``kinds``: the same load on every kind of GPU that is let, or that has a known price to buy, least per million
    tokens first. The prices of a month and of tokens are those of the recommendation, at this load or, without one, of
    GPUs that are always busy.
    """

    requests_per_s: float | None
    concurrency: int | None
    ttft_ms: float | None
    tpot_ms: float | None
    gpus: int
    copies: int
    could_be_had: int | None
    carries_requests_per_s: float
    usd_per_month: float | None
    usd_of_job: float | None = None
    usd_per_million_output_tokens: float | None
    usd_per_million_tokens: float | None
    kinds: list[KindOfGpu]


class ServedOver(Contract):
    """A service over one network: time to the first token and per further one at so many requests per second, how many
    it carries at most within the targets, share of a request that waits for the network, and the caches between prefill
    and decode."""

    fabric: str
    ttft_s: float
    tpot_s: float
    requests_per_s: float
    network_gb_per_s_per_node: float
    network_wait_percent: float
    carries_requests_per_s: float = 0.0
    kv_transfer_s: float | None = None
    kv_link_percent: float | None = None


class Crossing(Contract):
    """What a service sends between nodes, on every network that was computed, slowest first. ``fabric``: the
    recommended one, else the likeliest.

    ``chunked``: the same GPUs as copies that read prompts between the tokens of answers and send nothing to each other,
    at the load or at the most of it that they carry; without it prompts and answers are not apart, or no copy fits a
    node.
    """

    networks: list[ServedOver]
    fabric: str | None = None
    kv_gb_per_request: float | None = None
    prefill_workers: int | None = None
    prefill_gpus: int | None = None
    decode_workers: int | None = None
    decode_gpus: int | None = None
    chunked: ServedOver | None = None


class Mover(Contract):
    """What the cost of the recommendation would be, US dollars, if one thing alone turned out at its tenth or its
    ninetieth percentile and all else in the middle; what moves it most stands first."""

    what: Literal["price", "purchase-price", "step", "interruptions", "network-price"]
    low_usd: float
    high_usd: float


class Warning_(Contract):
    """Something the reader must know."""

    code: str
    message: str


class MeasuredRun(Contract):
    """One run of nccl-tests against what the catalog says of this network, gigabytes per second of bus bandwidth."""

    file: str
    collective: str
    ranks: int
    nodes: int
    message_bytes: int
    busbw_gb_per_s: float
    expected_gb_per_s: float
    findings: list[str] = Field(default_factory=list)  # what the log says is wrong


class MeasuredNetwork(Contract):
    """What a network that was measured is worth against the same one as the catalog has it.

    ``slower``: time of what crosses it ÷ the catalog's. ``usual``: healthy networks scatter as far. Of a month's
    money ``wasted_usd_per_month`` pays for waiting that the network as it should be does not ask for.
    ``advice``: repair, accept or switch; ``instead``: the best network with this one as it is, where that is another.
    """

    fabric: str
    fabric_name: str
    slower: float
    usual: bool
    runs: list[MeasuredRun]
    step_time_s: float
    step_time_as_it_should_be_s: float
    usd_per_month: float | None
    wasted_usd_per_month: float | None
    cost_usd: float | None
    cost_as_it_should_be_usd: float | None
    advice: Literal["repair", "accept", "switch"]
    instead: str | None = None
    instead_name: str | None = None
    instead_cost_usd: float | None = None


class MadeWith(Contract):
    """What a plan was made with: the version of the program, and content hashes of what it read. Two plans of one
    questionnaire and day that differ differ here."""

    program: str
    rules: str
    knowledge: str
    catalog: str
    prices: str


class Plan(Contract):
    """Questionnaire in, plan out. ``schema`` names the contract."""

    schema_: Literal["weft/plan/1"] = Field(
        default="weft/plan/1", validation_alias="schema", serialization_alias="schema"
    )
    date: str | None = None  # the day on which it was made, by which prices are as old as they are
    made_with: MadeWith | None = None
    names: dict[str, str] = Field(default_factory=dict)  # as people call what the plan has by its id
    questionnaire: dict[str, Any]
    recommendation: Recommendation
    candidates: list[Candidate]
    # renting: what is sold to this job, cheapest run first; quotes come before what is published
    offers: list[RentalOffer] = Field(default_factory=list)
    quotes: list[QuotedOffer] = Field(default_factory=list)  # the person's own, as they were given
    findings: list[Finding]
    evidence: list[Evidence]
    conflicts: list[PlanConflict]
    crossover: Crossover | None = None  # computed where a person reads the plan, not in a batch
    purchase: Purchase | None = None  # buying
    power: PowerUse | None = None
    rent_or_buy: RentOrBuy | None = None  # buying, and where it is asked for
    sizing: Sizing | None = None  # serving
    crossing: Crossing | None = None  # serving of which something crosses nodes
    movers: list[Mover] = Field(default_factory=list)  # of the cost, where there is one
    measured: MeasuredNetwork | None = None  # the network as nccl-tests found it
    fabric_design: dict[str, Any]
    nccl: dict[str, Any]
    warnings: list[Warning_]
    assumptions: list[Assumption]
    volunteered: str | None = None  # one line that nobody asked for: what was planned again and is worth knowing
    questions_for_provider: list[str] = Field(default_factory=list)
    measure_first: list[str] = Field(default_factory=list)
