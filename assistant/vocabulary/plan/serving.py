"""How many GPUs a service takes, and what crosses its network."""

from __future__ import annotations

from typing import Any

from ..catalog import Tier
from .parts import Contract


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
