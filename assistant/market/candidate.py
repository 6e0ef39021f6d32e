"""What one candidate costs per GPU-hour, with the provenance of every number: what the planner asks for."""

from __future__ import annotations

import datetime
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from assistant.vocabulary.added import added
from assistant.vocabulary.catalog import Catalog, Fabric, Fact, Gpu
from assistant.vocabulary.plan import Assumption
from assistant.vocabulary.quantities import NINETIETH
from assistant.vocabulary.questionnaire import Budget, Questionnaire

from . import arithmetic, fabric_price, gpu_price
from .fabric_price import NetworkBill
from .interruptions import mean_time_between
from .offered import Offered
from .ownership import NO_UPKEEP, Upkeep, owned
from .priced import Freshness, Priced, assumed, constant, nothing, unknown
from .reliability import Interruptions, checkpoint_seconds, interruptions_of

_NO_SPOT = (
    "allowed, and not taken: with the interruptions, as far as prices are known, steady machines cost less on average; "
    "of a provider that publishes no rate {middle:g} interruptions per node and day are assumed, {low:.2g} to "
    "{high:.2g} in eight cases of ten"
)
_NO_TERM = (
    "allowed, and not taken: machines are reserved for a term, and nobody who may take them away lets them for one"
)

PART_UNIT = "thousand USD each"
Parts = tuple[Priced, Priced, Priced | None, Priced | None]  # GPU, fabric, and the power of each


@dataclass(frozen=True)
class CandidatePrice:
    """US dollars per GPU-hour of GPU and fabric. Power and upkeep are separate and zero when renting.

    ``interruptions``: what failures and checkpoints take on machines that nobody takes away; ``spot``: the same on spot
    machines, where these are. Neither is contained in a price. ``offered``: whose price it is, ``None`` where it is no
    offer's; ``paid_share``: GPUs paid for ÷ GPUs that work. ``months``: over which a purchase of ``gpus`` GPUs is
    written off, ``None`` when renting.
    """

    gpu_usd_per_hour: Priced
    fabric_usd_per_hour: Priced
    gpu_power_usd_per_hour: Priced | None
    fabric_power_usd_per_hour: Priced | None
    interruptions: Interruptions
    spot: Interruptions | None
    assumptions: tuple[Assumption, ...]
    offered: Offered | None = None
    paid_share: float = 1.0
    upkeep: Upkeep = NO_UPKEEP
    months: float | None = None
    sunk: float = 0.0  # USD/GPU-h of the GPU's price that buy nothing: those of machines that are there already
    gpus: int = 1
    fabric_parts: tuple[tuple[Priced, float], ...] = ()  # of a bought network: price of a piece, USD/GPU-h of all
    reserved_hours: float = 0.0  # for which the person reserves, whatever the run
    open_ended: bool = False  # a service: what is agreed for a term is paid by the month, as long as it runs
    delivery_days: float | None = None  # until the machines are there; None where nobody said

    @property
    def known(self) -> bool:
        """Whether the machines have a price; else costs count GPU-hours."""
        return self.gpu_usd_per_hour.known

    @property
    def least_hours(self) -> float:
        """Hours that are paid for however short the run: the term of a reservation."""
        return max(self.reserved_hours, self.offered.least_hours if self.offered else 0.0)

    @property
    def failure_factor(self) -> float:
        """Expected time of the run, failures and checkpoints included, ÷ its undisturbed time, on demand."""
        return self.interruptions.factor

    @property
    def spot_factor(self) -> float:
        """Expected time on these machines ÷ that on machines that nobody takes away; 1 but on spot machines."""
        return self.spot.factor / self.failure_factor if self.spot else 1.0

    @property
    def _parts(self) -> tuple[Priced, ...]:
        power = (self.gpu_power_usd_per_hour, self.fabric_power_usd_per_hour)
        return (self.gpu_usd_per_hour, self.fabric_usd_per_hour, *(part for part in power if part is not None))

    @property
    def prices(self) -> tuple[Priced, ...]:
        """Every price used, for the plan to list."""
        return (*self._parts, *self.upkeep.prices)

    @property
    def notes(self) -> tuple[str, ...]:
        """The prices of GPU and fabric and of their power in words."""
        return tuple(str(price) + (f" ({price.note})" if price.note else "") for price in self._parts)

    @property
    def gpu_total(self) -> float:
        """USD per GPU-hour of the GPU with its power and support."""
        parts = (self.gpu_usd_per_hour, self.gpu_power_usd_per_hour, self.upkeep.gpu_support)
        return added(part.value for part in parts if part)

    @property
    def fabric_total(self) -> float:
        """USD per GPU-hour of the fabric with its power, its support and the people to run it."""
        upkeep = (self.upkeep.fabric_support, self.upkeep.staff)
        return added(part.value for part in (self.fabric_usd_per_hour, self.fabric_power_usd_per_hour, *upkeep) if part)

    @property
    def capital_usd(self) -> float | None:
        """US dollars to buy machines and network of the whole cluster; of a quoted price per GPU-hour what it comes to
        over the months. Zero where everything is there already, ``None`` when renting."""
        if self.months is None:
            return None
        hourly = self.gpu_usd_per_hour.value + self.fabric_usd_per_hour.value - self.sunk
        return self.gpus * arithmetic.capital(hourly, self.months)

    def usd_per_month(self, gpus: int) -> float:
        """US dollars of a month in which all machines of ``gpus`` GPUs are paid for, network, power and upkeep too."""
        return arithmetic.monthly(self.gpu_total + self.fabric_total, gpus * self.paid_share)

    @property
    def break_even_slowdown(self) -> float:
        """Slowdown, as a fraction, above which this fabric's price pays against one that costs nothing."""
        return arithmetic.break_even_slowdown(self.fabric_total, self.gpu_total) if self.gpu_total else 0.0

    @property
    def oldest_days(self) -> int | None:
        """Age of the oldest dated price."""
        return max((price.age_days for price in self.prices if price.age_days is not None), default=None)

    def run_cost(self, hours: arithmetic.Hours, gpus: int) -> arithmetic.Hours:
        """US dollars of a run that takes ``hours`` (number or array of draws), interruptions and what is paid once
        included; of a service what a month comes to."""
        used = arithmetic.run_cost(self.charged(hours), gpus * self.paid_share, self.gpu_total, self.fabric_total)
        return used + self.once_usd

    @property
    def once_usd(self) -> float:
        """US dollars of a run that are paid once, beside the price of the machines."""
        return self.offered.once_usd if self.offered and not self.open_ended else 0.0

    def taking(self, offered: Offered, gpus: int) -> CandidatePrice:
        """The price with another offer on the same terms taken, for ``gpus`` GPUs at each site: its list price, the
        network on top where it is sold apart, its smallest order. Without a list price the rent is zero."""
        extra, usd = self.fabric_usd_per_hour, offered.usd_per_gpu_hour or 0.0
        apart = extra.origin == "quoted" or offered.offer.fabric_included is False
        return replace(
            self,
            gpu_usd_per_hour=replace(self.gpu_usd_per_hour, value=usd),
            fabric_usd_per_hour=extra if apart else replace(extra, value=0.0),
            offered=offered,
            paid_share=offered.paid(gpus) / gpus,
        )

    def list_price_at(self, ratio: float) -> float:
        """The list price of the offer at which a run costs ``ratio`` times as much, what is paid beside it the same;
        what the inverse of :meth:`run_cost` is."""
        rent, beside = self.gpu_usd_per_hour.value, self.gpu_total + self.fabric_total - self.gpu_usd_per_hour.value
        return arithmetic.price_at(rent, beside, ratio) / (self.offered.markup if self.offered else 1.0)

    @property
    def by_the_month(self) -> bool:
        """Whether a month of a service is paid of its term: of a quote, and of a list's term within the person's."""
        of_term = self.offered and (self.offered.quote or self.offered.least_hours <= self.reserved_hours)
        return self.open_ended and (self.offered is None or bool(of_term))

    def charged(self, hours: arithmetic.Hours) -> arithmetic.Hours:
        """The hours that are paid for of a run of ``hours``, or of a month of a service. What the person reserves is
        booked as a run of that length is: in the terms of the offer."""
        if self.by_the_month:
            return hours
        booked = np.maximum(hours, self.reserved_hours) if self.reserved_hours else hours
        return cast(arithmetic.Hours, self.offered.charged(np.asarray(booked)) if self.offered else booked)


def candidate_prices(
    questionnaire: Questionnaire,
    gpu: Gpu,
    fabric: Fabric,
    offers: Sequence[Offered],
    catalog: Catalog,
    bill: NetworkBill | None = None,
    *,
    nodes: int | None = None,
    checkpoint_bytes: float | None = None,
    today: datetime.date | None = None,
) -> CandidatePrice:
    """Prices of one candidate: rented or bought as ``questionnaire.budget`` says.

    ``offers``: what is offered with ``fabric`` for this job, all on the same terms (:attr:`Offered.terms`); the
    cheapest is taken, and where none has a price it is unknown. ``bill``: of the network that is bought; where none can
    be drawn what the catalog says of the fabric is taken. ``nodes``: ``None`` counts the GPU's usual nodes.
    ``checkpoint_bytes``: of one GPU's part of a checkpoint.
    Raises :class:`InputError` when no price of a purchase is known, :class:`KnowledgeError` when a constant is missing.
    """
    freshness, cluster = Freshness.of(catalog.constants, today), questionnaire.cluster
    assumptions: list[Assumption] = []
    serves, rents = questionnaire.serves, questionnaire.budget.mode == "rent"
    count = nodes or -(-cluster.gpus // (cluster.gpus_per_node or gpu.gpus_per_node))
    failures, resting_on = _failures(
        count, catalog, checkpoint_bytes, serves=serves, said=cluster.failures_per_node_day
    )
    assumptions += resting_on
    if rents:
        # A copy of a service that is taken away takes no other with it.
        budget = _quoted_here(questionnaire, fabric, offers)
        spot = _spot_of(budget, offers, 1 if serves else count, catalog, failures, assumptions)
        paid = _rented(questionnaire, budget, gpu, fabric, offers, catalog, freshness)
    else:
        spot, paid = None, _bought(questionnaire, gpu, fabric, offers, catalog, freshness, bill, count, assumptions)
    taken, at_a_site = paid.taken, cluster.gpus // cluster.sites
    share = _ordered(taken, offers if rents else (), at_a_site) * cluster.sites / cluster.gpus
    return CandidatePrice(
        *paid.parts,
        interruptions=failures,
        spot=spot,
        assumptions=tuple(assumptions),
        offered=taken,
        delivery_days=_delivery_days(questionnaire.budget, taken),
        reserved_hours=24.0 * (questionnaire.budget.reserved_days or 0.0) if rents else 0.0,
        open_ended=questionnaire.open_ended,
        paid_share=share,
        upkeep=paid.upkeep,
        months=paid.months,
        sunk=paid.sunk,
        gpus=cluster.gpus,
        fabric_parts=_parts_of(bill, paid.parts[1], freshness) if bill else (),
    )


@dataclass(frozen=True)
class _Paid:
    """The prices of the parts, whose they are, and of what is bought what it takes to keep and over how many months it
    is written off."""

    parts: Parts
    taken: Offered | None = None
    upkeep: Upkeep = NO_UPKEEP
    months: float | None = None
    sunk: float = 0.0


def _ordered(taken: Offered | None, offers: Sequence[Offered], gpus: int) -> int:
    """The GPUs that are paid for at a site of ``gpus``: of the offer whose price it is, and of machines at a rent that
    was quoted, or that nobody tells, the smallest order of any that are let. A part of a machine that was quoted is
    taken to be let where no smallest order says otherwise."""
    if taken is not None:
        return taken.paid(gpus)
    let = (o for o in offers if gpus >= o.offer.gpus_per_node or o.offer.min_gpus is not None)
    return min((o.paid(gpus) for o in let), default=gpus)


def _delivery_days(budget: Budget, taken: Offered | None) -> float | None:
    """As the quote says, else as was said of all."""
    quoted = taken.quote.delivery_days if taken and taken.quote else None
    return budget.delivery_days if quoted is None else quoted


def _rented(
    questionnaire: Questionnaire,
    budget: Budget,
    gpu: Gpu,
    fabric: Fabric,
    offers: Sequence[Offered],
    catalog: Catalog,
    freshness: Freshness,
) -> _Paid:
    islands = questionnaire.cluster.gpus // questionnaire.cluster.sites
    rented, taken = gpu_price.rent(budget, gpu, offers, catalog, freshness, islands)
    if not rented.known:
        return _Paid((rented, nothing(fabric.name, "no price of the machines is known"), None, None), taken)
    of_fabric = fabric_price.rent(questionnaire, fabric, [taken] if taken else offers, catalog, freshness)
    return _Paid((rented, of_fabric, None, None), taken)


def _quoted_here(questionnaire: Questionnaire, fabric: Fabric, offers: Sequence[Offered]) -> Budget:
    """The budget with the rent that was quoted, as far as it is one of machines with this network: a quote that names
    no provider says nothing of a cloud whose own network this is, and that cloud's price stays."""
    budget, cluster = questionnaire.budget, questionnaire.cluster
    of_a_cloud = fabric.providers and offers and cluster.provider is None and cluster.fabric != fabric.id
    return budget.model_copy(update={"gpu_hour_usd": None}) if of_a_cloud else budget


def _spot_of(
    budget: Budget,
    offers: Sequence[Offered],
    nodes: int,
    catalog: Catalog,
    failures: Interruptions,
    assumptions: list[Assumption],
) -> Interruptions | None:
    """The interruptions of rented machines that may be taken away; ``None`` where these may not."""
    # What was quoted where machines may be taken away is the price of such machines.
    quoted_spot = budget.on_spot and budget.gpu_hour_usd is not None
    if quoted_spot or (offers and offers[0].tier == "spot"):
        rate = offers[0].offer.spot_interruptions if offers else None
        return _spot(rate, nodes, catalog, failures, assumptions)
    if budget.spot:
        why = _not_spot(catalog) if budget.on_spot else _NO_TERM
        assumptions.append(Assumption(field="budget.spot", value=False, why=why))
    return None


def _bought(
    questionnaire: Questionnaire,
    gpu: Gpu,
    fabric: Fabric,
    offers: Sequence[Offered],
    catalog: Catalog,
    freshness: Freshness,
    bill: NetworkBill | None,
    nodes: int,
    assumptions: list[Assumption],
) -> _Paid:
    if fabric.providers is not None:
        why = "it exists only in its cloud and cannot be bought"
        return _Paid((nothing(gpu.name, why, "unknown"), nothing(fabric.name, why, "unknown"), None, None))
    taken = next((o for o in offers if o.quote is not None), None)
    mine = owned(questionnaire, gpu, fabric, catalog, freshness, bill, nodes, taken, assumptions)
    parts: Parts = mine.gpu, mine.fabric, mine.gpu_power, mine.fabric_power
    if not parts[1].known:  # machines without their network are no cluster
        return _Paid((unknown(gpu.name), parts[1], None, None), taken)
    return _Paid(parts, taken, mine.upkeep, mine.months, mine.sunk)


def _not_spot(catalog: Catalog) -> str:
    names = ("spot-interruptions-per-node", "spot-spread")
    usual, spread = (constant(catalog.constants, f"cost-{name}").value for name in names)
    wide = float(np.exp(NINETIETH * spread))
    return _NO_SPOT.format(middle=usual, low=usual / wide, high=usual * wide)


def _parts_of(bill: NetworkBill, fabric: Priced, freshness: Freshness) -> tuple[tuple[Priced, float], ...]:
    """What a network that is priced by its bill is made of."""
    if fabric.origin != "derived":
        return ()
    priced = lambda part: freshness.priced(part.what, part.price, "derived", factor=1e-3, unit=PART_UNIT)
    return tuple((replace(priced(part), device=part.device), part.share * fabric.value) for part in bill.parts)


def _failures(
    nodes: int, catalog: Catalog, checkpoint_bytes: float | None, *, serves: bool, said: float | None
) -> tuple[Interruptions, list[Assumption]]:
    """The interruptions of :class:`CandidatePrice`, with what they rest on; the same for every network of a job. Copies
    of a model that is served fail one by one and keep nothing that has to be written: what was asked of one is asked
    again."""
    asked, latest = (nodes, checkpoint_bytes, serves, said), _latest.get("job")
    if latest is not None and latest[0] is catalog.constants and latest[1] == asked:
        return latest[2]
    if serves:
        found = interruptions_of(1, 0.0, catalog, said=said), []
    else:
        write = constant(catalog.constants, "cost-checkpoint-write")
        seconds = write.si if checkpoint_bytes is None else checkpoint_seconds(checkpoint_bytes, catalog)
        found = (
            interruptions_of(nodes, seconds, catalog, said=said),
            _resting_on(catalog, checkpoint_bytes, seconds, said),
        )
    _latest["job"] = catalog.constants, asked, found
    return found


_latest: dict[str, tuple[object, Hashable, tuple[Interruptions, list[Assumption]]]] = {}  # of the job priced last


def _resting_on(
    catalog: Catalog, checkpoint_bytes: float | None, seconds: float, said: float | None
) -> list[Assumption]:
    names = ("failures-per-node", "restart", "checkpoint-write")
    failures, restart, write = (constant(catalog.constants, f"cost-{name}") for name in names)
    found: list[Assumption] = []
    if said is None:
        _assume(found, "failures per node and day", failures)
    _assume(found, "seconds to restart after a failure", restart)
    if checkpoint_bytes is None:
        _assume(found, "seconds a checkpoint stops the work", write)
    else:
        why = constant(catalog.constants, "cost-checkpoint-rate").source.removeprefix("derived: ")
        found.append(assumed("seconds a checkpoint stops the work", round(seconds, 1), why))
    return found


def _spot(
    published: Fact | None, nodes: int, catalog: Catalog, steady: Interruptions, assumptions: list[Assumption]
) -> Interruptions:
    """The interruptions of spot machines, failures among them: taken away as ``published``, else as is assumed of who
    publishes nothing."""
    names = ("spot-interruptions-per-node", "spot-restart", "spot-spread", "failures-spread")
    usual, restart, spread, measured = (constant(catalog.constants, f"cost-{name}") for name in names)
    taken = published or usual
    _assume(assumptions, "spot interruptions per node and day", taken)
    _assume(assumptions, "seconds to restart after a spot interruption", restart)
    between = 1.0 / (1.0 / steady.between_s + 1.0 / float(mean_time_between(taken.si, nodes)))
    apart = measured if published else spread  # also where the failures themselves were said: machines are taken away
    return replace(steady, between_s=between, restart_s=restart.si, rate_spread=apart.si)


def _assume(assumptions: list[Assumption], field: str, fact: Fact) -> None:
    assumptions.append(assumed(field, fact.value, fact.source.removeprefix("derived: ")))
