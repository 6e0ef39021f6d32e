"""One collective or transfer: what is asked of ``weft collective``, and its answer."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from .plan import Contract
from .quantities import size
from .questionnaire import Cluster, Positive

Nccl = Literal["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "send_recv"]
Kind = Nccl | Literal["dispatch", "combine", "kv_transfer", "weight_sync"]
Element = Literal["fp8", "bf16", "fp16", "fp32"]
Kernel = Literal["once", "direct"]
Method = Literal["broadcast", "reshard", "checkpoint-engine", "disk"]


def _text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class CollectiveQuery(Contract):
    """``bytes``: per rank as nccl-tests counts, of the whole transfer for ``kv_transfer`` and ``weight_sync``; experts'
    dispatch and combine have ``tokens_per_rank``, ``hidden``, ``topk`` and ``dtype`` in its place."""

    id: Annotated[str | None, BeforeValidator(_text)] = None
    kind: Kind
    bytes: Annotated[float, BeforeValidator(size), Field(ge=1, le=1e18)] | None = None
    cluster: Cluster
    tokens_per_rank: Positive | None = None
    hidden: Positive | None = None
    topk: Positive | None = None
    nodes_per_token: Positive | None = None  # at most so many domains for one token, as some models route; else any
    dtype: Element | None = None
    kernel: Kernel | None = None  # of dispatch and combine: as training and prompts do it (once), or as decoding does
    method: Method | None = None


class CollectiveTime(Contract):
    """Seconds with their band, and bandwidths in gigabytes per second as nccl-tests prints them."""

    id: str | None = None
    time_s: float
    time_p10_s: float
    time_p90_s: float
    busbw_gb_per_s: float
    algbw_gb_per_s: float
    algorithm: str
    fabric: str
    assumptions: list[str] = Field(default_factory=list)
