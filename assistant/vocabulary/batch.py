"""What a batch came to: the contract of the summary beside its results."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .plan import Contract


class FabricCount(Contract):
    """Plans that recommend one network; ``cost_usd`` of their runs, ``usd_per_month`` of their services, medians added
    up."""

    fabric: str
    plans: int = 0
    cost_usd: float = 0.0
    usd_per_month: float = 0.0


class Refusal(Contract):
    """Rows that were refused for the same field (``None``: for the row or the file as a whole); the first of them."""

    field: str | None
    rows: int = 0
    first: str


class BatchSummary(Contract):
    """Counts and sums over the rows of a batch. US dollars: medians of the recommended networks, added up in the order
    of the rows; ``cost_usd`` of ``runs`` that have a price, ``usd_per_month`` of ``services`` that have one.
    ``without_a_price``: plans of a network that nobody tells a price of; ``infeasible``: plans of which nothing works.
    ``warnings``: plans by the code of a warning."""

    schema_: Literal["weft/batch-summary/1"] = Field(
        default="weft/batch-summary/1", validation_alias="schema", serialization_alias="schema"
    )
    rows: int = 0
    planned: int = 0
    refused: int = 0
    infeasible: int = 0
    runs: int = 0
    cost_usd: float = 0.0
    services: int = 0
    usd_per_month: float = 0.0
    without_a_price: int = 0
    fabrics: list[FabricCount] = Field(default_factory=list)  # the most frequent first
    warnings: dict[str, int] = Field(default_factory=dict)
    refusals: list[Refusal] = Field(default_factory=list)
    names: dict[str, str] = Field(default_factory=dict)  # of fabrics, as people call them
