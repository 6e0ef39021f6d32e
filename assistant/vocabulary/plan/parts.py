"""What several parts of a contract are made of."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class Contract(BaseModel):
    """A JSON contract: fields may be added, none renamed."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=(), populate_by_name=True)


class Band(Contract):
    """Tenth, fiftieth and ninetieth percentile."""

    p10: float
    p50: float
    p90: float


class Assumption(Contract):
    """A value nobody gave, and why it was taken."""

    field: str
    value: Any
    why: str


Verdict = Literal["recommended", "acceptable", "avoid", "impossible"]
Certainty = Literal["clear", "close", "toss-up"]


# Why a network is out of the question: it cannot be, or nobody lets it, or nobody tells a price
Barred = Literal["impossible", "does-not-fit", "not-sold", "not-quoted", "no-price-quoted"]


class Warning_(Contract):
    """Something the reader must know."""

    code: str
    message: str
