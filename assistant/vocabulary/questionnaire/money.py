"""What may be spent, what is quoted, and what the answer must keep."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from ..fields import About
from ..quantities import DAYS_PER_MONTH, Count, Days, Gbps, Percent, Ratio, Usd, Whole, YesNo
from .section import Id, Ids, Section, identifier, unbroken

_CLAUSE = re.compile(r"[.;,](?:\s+|$)")
_QUOTED_FOR = ("cluster.gpu", "cluster.gpus", "budget.mode")
_TO_ONE = re.compile(r"(?<![\d:.])(\d+(?:\.\d+)?)\s?:\s?1(?![\d:.])")  # "4:1"


def clauses(note: str) -> list[str]:
    """The parts of what a quote says besides."""
    return [said for part in _CLAUSE.split(note) if (said := part.strip(" .;,"))]


class Quote(Section):
    """What somebody offers to this job: the price of a GPU-hour, or a sum.

    Renting, a sum is that of the run, or of ``months`` months where a term is given; buying, it is that of the whole
    cluster, or of the network alone where it is far less than its GPUs cost. ``provider`` need not be in the catalog.
    ``oversubscription``, ``nics_per_node`` and ``gbps_per_nic`` are of its network, where it says so: else
    ``cluster``'s, or what the provider lists. ``delivery_days``: from the order until all of it works; null: as the
    budget says. ``minimum_days`` are paid for however short the run. ``once_usd`` is paid beside the price, once, such
    as for setting up. ``gpu`` and ``gpus``: which and how many it is for, where it says so; for another GPU than
    ``cluster``'s it is not compared, nor is a sum for another number. ``includes`` are ids of the catalog's
    ``quote_items``. ``note``: what else it says; of that "4:1" is the oversubscription. ``unread``: prices that were
    told with it and not understood, so that none of the quotes is said to be the one to take.
    """

    fabric: Id | None = None  # null: what the provider sells with this GPU
    usd: Annotated[Usd, Field(ge=0.01, le=1e13)] | None = None
    gpu_hour_usd: Annotated[Usd, Field(ge=1e-4, le=1e5)] | None = None
    provider: Annotated[str, BeforeValidator(identifier), AfterValidator(unbroken), Field(max_length=100)] | None = None
    months: Annotated[Count, Field(ge=1e-3, le=240)] | None = None
    oversubscription: Annotated[Ratio, Field(ge=1, le=32)] | None = None
    nics_per_node: Annotated[Whole, Field(ge=1, le=256)] | None = None
    gbps_per_nic: Annotated[Gbps, Field(ge=1e-3, le=12_800)] | None = None  # null: the line rate of the fabric
    delivery_days: Annotated[Days, Field(ge=0, le=3650)] | None = None
    minimum_days: Annotated[Days, Field(ge=1e-6, le=7300)] | None = None
    once_usd: Annotated[Usd, Field(ge=0.01, le=1e13)] | None = None
    gpu: Id | None = None  # null: the cluster's
    gpus: Annotated[Whole, Field(ge=1, le=10_000_000)] | None = None  # null: the cluster's
    includes: Ids = Field(default_factory=list)
    note: Annotated[str, BeforeValidator(unbroken), Field(max_length=1000)] = ""
    unread: Annotated[str, BeforeValidator(unbroken), Field(max_length=300)] = ""

    @property
    def tells_adapters(self) -> bool:
        """Whether it says how many adapters a node has, or at which rate."""
        return self.nics_per_node is not None or self.gbps_per_nic is not None

    @property
    def least_days(self) -> float | None:
        """What is paid for however short the run; ``None`` where it says neither a term nor a least time."""
        return max(DAYS_PER_MONTH * (self.months or 0.0), self.minimum_days or 0.0) or None

    def stands(self, field: str, before: Any, after: Any) -> bool:
        """Whether it is still of the job once a ``field`` of that says something else: it is for the GPU it was asked
        for, to rent or to buy as it was; an hour has its price on any number of GPUs, a sum is that of so many."""
        if field == "cluster.gpu" and self.gpu is not None:
            return after in (None, self.gpu)
        if field == "cluster.gpus" and self.gpus is not None:
            return self.gpu_hour_usd is not None or after in (None, self.gpus)
        if before == after or field not in _QUOTED_FOR:
            return True
        if field == "budget.mode" and before is None:  # a term, or an hour, is of what is let
            return after == "rent" or not (self.least_days or self.gpu_hour_usd)
        return before is None or (field == "cluster.gpus" and self.gpu_hour_usd is not None)

    @model_validator(mode="after")
    def _as_noted(self) -> Quote:
        """The one ratio to one that a note tells is the oversubscription, where that is not said itself."""
        noted = {float(ratio) for ratio in _TO_ONE.findall(self.note)}
        if self.oversubscription is None and len(noted) == 1 and 1 <= min(noted) <= 32:
            self.oversubscription = noted.pop()
        return self

    @model_validator(mode="after")
    def _one_price(self) -> Quote:
        if (self.usd is None) == (self.gpu_hour_usd is None):
            raise ValueError(f"expected usd or gpu_hour_usd, got {'neither' if self.usd is None else 'both'}")
        if self.fabric is None and self.provider is None:
            raise ValueError("expected fabric or provider, got neither: a price alone is budget.gpu_hour_usd")
        return self


class Budget(Section):
    """Money: renting or buying, what is there already, what is quoted, what may be spent.

    What is owned is a matter of ``mode`` buy, which it implies where nothing is said: nothing is paid for it, and it is
    kept as what is bought is. ``everything``: the network of ``cluster.fabric`` too.
    """

    mode: Annotated[
        Literal["rent", "buy"],
        About("machines", "choice", "Rented or bought?", "rented", words=("machines",)),
    ] = "rent"
    owned: Annotated[
        Literal["nothing", "machines", "everything"],
        About("there already", "choice", "What of it is there already: nothing, the machines, or the network too?",
              "nothing", words=("owned",)),
    ] = "nothing"  # fmt: skip
    owned_gpus: Annotated[
        Annotated[Whole, Field(ge=1, le=10_000_000)] | None,
        About("GPUs that are there", "count", "How many of the GPUs are there already?", "all of them", unit="{} GPUs",
              span="number", words=("owned gpus",)),
    ] = None  # fmt: skip
    usd: Annotated[
        Annotated[Usd, Field(ge=0.01, le=1e13)] | None,
        About("budget", "money", "What may it cost in all?", "no limit", unit="${}", span="money", sensible=(100, 1e11),
              words=("[total|overall] budget", "spending [limit|cap]", "funding", "cost (limit|cap|ceiling)"),
              lookalikes=("(token|power|time|memory|latency|error|thermal|compute|energy) budget",)),
    ] = None  # fmt: skip
    usd_per_month: Annotated[
        Annotated[Usd, Field(ge=0.01, le=1e12)] | None,
        About("budget per month", "money", "What may it cost a month?", "no limit", unit="${} per month",
              span="money/month", words=("monthly (budget|spend|limit|cap)", "budget per month")),
    ] = None  # fmt: skip
    reserved_days: Annotated[
        Annotated[Days, Field(ge=1e-6, le=36500)] | None,
        About("reservation", "time", "For how long are the machines reserved?", "no longer than the run",
              unit="{} days", span="time", sensible=(1, 2000),
              words=("(reservation|reserved term|rental term|commitment) [period|length]",)),
    ] = None  # fmt: skip
    network_share_percent: Annotated[
        Annotated[Percent, Field(ge=1e-4, le=100)] | None,
        About("share for the network", "amount", "Which share of the money may the network take?", "any share",
              unit="{} %", span="percent", words=("network (share|budget share)", "share (for|of) the network"),
              sensible=(1, 60)),
    ] = None  # fmt: skip
    quotes: Annotated[
        Annotated[list[Quote], Field(max_length=20)],
        About("quotes", "list", "Which offers do you have in writing?", "the dated offers of the catalog",
              words=("quotes", "quotations")),
    ] = Field(default_factory=list)  # fmt: skip
    gpu_hour_usd: Annotated[
        Annotated[Usd, Field(ge=1e-4, le=1e5)] | None,
        About("price", "money", "What does a GPU-hour cost?", "the dated price of the catalog",
              unit="${} per GPU-hour", span="money/gpu-hour", sensible=(0.05, 100),
              words=("(gpu|hourly|quoted|unit) (price|rate|cost)", "price", "rate", "gpu hours")),
    ] = None  # fmt: skip
    fabric_premium_gpu_hour_usd: Annotated[
        Annotated[Usd, Field(ge=0, le=1e5)] | None,
        About("price of the network", "money", "What does the network cost on top of a GPU-hour?",
              "the dated price of the catalog", unit="${} per GPU-hour", span="money/gpu-hour", sensible=(0.001, 20),
              words=("(network|fabric|interconnect|infiniband|roce) "
                     "(premium|surcharge|uplift)", "premium", "surcharge")),
    ] = None  # fmt: skip
    amortization_months: Annotated[
        Annotated[Whole, Field(ge=1, le=240)] | None,
        About("amortisation", "time", "Over how many months is it written off?", "36 months", unit="{} months",
              span="time", words=("amortization [period]", "depreciation [period]", "write off [period]"),
              sensible=(6, 120)),
    ] = None  # fmt: skip
    electricity_usd_per_kwh: Annotated[
        Annotated[Usd, Field(ge=0, le=100)] | None,
        About("electricity", "money", "What does a kWh cost?", "the dated price of the catalog", unit="${} per kWh",
              span="money/kwh", words=("electricity [price|cost|rate]", "power (price|cost|rate)",
                                       "energy (price|cost)"),
              sensible=(0.005, 2)),
    ] = None  # fmt: skip
    power_usage_effectiveness: Annotated[
        Annotated[Ratio, Field(ge=1, le=5)] | None,
        About("power usage effectiveness", "amount", "How much does the site draw for what its machines draw (PUE)?",
              "the catalog's", span="number", words=("pue", "power usage effectiveness"), sensible=(1.0, 3.0)),
    ] = None  # fmt: skip
    delivery_days: Annotated[
        Annotated[Days, Field(ge=0, le=3650)] | None,
        About("delivery", "time", "How long does it take until the machines are there and work?", "there at once",
              unit="{} days", span="time", words=("delivery time",), sensible=(1, 730)),
    ] = None  # fmt: skip
    spot: Annotated[
        YesNo,
        About("spot instances", "flag", "On machines that can be taken away?", "no",
              words=("spot [instances|machines|capacity]", "preemptible [instances|machines]")),
    ] = False  # fmt: skip

    @model_validator(mode="before")
    @classmethod
    def _bought_once(cls, given: Any) -> Any:
        """What is owned was bought, and GPUs that are there are machines."""
        if not isinstance(given, Mapping):
            return given
        owned = given.get("owned", "machines" if given.get("owned_gpus") else "nothing")
        implied = {} if owned == "nothing" else {"mode": "buy", "owned": owned}
        return {**implied, **given}

    @model_validator(mode="after")
    def _quoted_once(self) -> Budget:
        if self.quotes and self.gpu_hour_usd is not None:
            raise ValueError("expected no gpu_hour_usd beside quotes, as each quote has its own price")
        return self

    @model_validator(mode="after")
    def _some_there(self) -> Budget:
        if self.owned_gpus is not None and self.owned == "nothing":
            raise ValueError("expected owned machines or everything beside owned_gpus, got nothing")
        return self

    @property
    def open_prices(self) -> str:
        """The prices that were told with the quotes and are in none of them, as typed; none where all are."""
        return ", ".join(dict.fromkeys(quote.unread for quote in self.quotes if quote.unread))

    @property
    def quotes_tell_oversubscription(self) -> bool:
        """Whether every quote says it, so that nothing is assumed of it."""
        return bool(self.quotes) and all(quote.oversubscription is not None for quote in self.quotes)

    @property
    def quoted_gpus(self) -> int | None:
        """For how many GPUs a sum is quoted; ``None`` where no sum says it."""
        return next((quote.gpus for quote in self.quotes if quote.usd is not None and quote.gpus is not None), None)

    @property
    def machines_there(self) -> bool:
        """Whether machines are there already, and are what the job is to run on."""
        return self.mode == "buy" and self.owned != "nothing"

    @property
    def network_there(self) -> bool:
        """Whether the network is there already, and is not a part of what is rented."""
        return self.mode == "buy" and self.owned == "everything"

    @property
    def on_spot(self) -> bool:
        """Whether machines can be taken away: rented ones alone, and none that are reserved for a term."""
        return self.spot and self.mode == "rent" and self.reserved_days is None


class Constraints(Section):
    """What must hold, whatever the price."""

    max_slowdown_percent: Annotated[
        Annotated[Percent, Field(ge=0, le=1e6)] | None,
        About("slowdown accepted", "amount", "How much slower than the fastest network may it be?", "any slowdown",
              unit="{} %", span="percent", words=("[max|maximum] slowdown [limit]", "performance loss"), sensible=(0,
                                                                                                                   500)),
    ] = None  # fmt: skip
    deadline_days: Annotated[
        Annotated[Days, Field(ge=1e-6, le=36500)] | None,
        About("deadline", "time", "When must it be done?", "no deadline", unit="{} days", span="time",
              words=("deadline", "due date", "time limit", "cutoff [date]"), sensible=(0.02, 2000)),
    ] = None  # fmt: skip
    vendor_neutral: Annotated[
        YesNo,
        About("vendor neutral", "flag", "Must more than one vendor sell the network?", "one vendor is fine",
              words=("vendor (neutral|neutrality)", "vendor lock in")),
    ] = False  # fmt: skip
    network_team: Annotated[
        Literal["none", "some", "expert"],
        About("network team", "choice", "Who runs the network?", "people with some network knowledge",
              words=("network (team|people|engineers|skills)",)),
    ] = "some"  # fmt: skip
    max_power_kw: Annotated[
        Annotated[Count, Field(ge=1e-3, le=1e7)] | None,
        About("power limit", "amount", "How much power may machines and network draw together?", "no limit",
              unit="{} kW",
              words=("power (limit|budget|cap|envelope|ceiling)", "(max|maximum) power", "electrical (limit|capacity)"),
              span="power", sensible=(0.2, 1e6)),
    ] = None  # fmt: skip
    excluded_fabrics: Annotated[
        Ids,
        About("ruled out", "list", "Which networks are out of the question?", "none",
              words=("excluded (fabrics|networks)",)),
    ] = Field(default_factory=list)  # never considered: "no InfiniBand"  # fmt: skip
