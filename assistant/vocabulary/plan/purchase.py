"""What is bought, what it draws, and whether renting costs less."""

from __future__ import annotations

from typing import Literal

from .parts import Certainty, Contract


class PurchaseItem(Contract):
    """A line of what is bought: ``usd`` for each, between ``usd_low`` and ``usd_high``."""

    item: str
    kind: Literal["machine", "network", "switch", "nic", "optic", "link"] | None = None
    count: int
    usd: float
    usd_low: float
    usd_high: float
    date: str | None
    source: str
    note: str | None = None


class Purchase(Contract):
    """What machines of one's own cost: the bill, and USD a month in full use by part (``monthly_usd``).

    ``usd_per_gpu``: of those that are bought, of all where there is none. ``network_percent``: of the capital; ``None``
    where machines and network are quoted in one sum. ``support_quoted``: that support is in the sum of a quote.
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
    network_percent: float | None
    months: float
    delivery_days: float | None = None  # from the order; None where nobody said
    monthly_usd: dict[str, float]
    support_quoted: bool = False
    usd_per_gpu_hour: float
    spare_gpus: int = 0
    not_counted: list[str]

    @property
    def network_usd(self) -> float | None:
        """US dollars of the capital that are the network's; ``None`` where no quote tells them apart."""
        return None if self.network_percent is None else self.network_percent / 100 * self.capital_usd


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
    worth, shared by all GPUs. ``term_months``: of a rent that is paid for a term, longer than the run, both sums and
    ``run_months`` are those of as many runs as fill it. ``certainty``: how clear it is which of both is the cheaper in
    full use.
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
    term_months: float | None = None
    break_even_months: float | None
    break_even_utilization_percent: float | None
    certainty: Certainty = "clear"
