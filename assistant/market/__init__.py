"""Money: renting and buying, amortisation, power, break-even, spot. Every number keeps its source and date."""

from __future__ import annotations

from .arithmetic import amortized, break_even_slowdown, capital, monthly, price_at, run_cost
from .candidate import PART_UNIT, CandidatePrice, candidate_prices
from .electricity import Electricity
from .fabric_price import BillPart, NetworkBill
from .interruptions import best_interval, mean_time_between, time_factor
from .machine_power import Machine, machine_of, network_watts, supernic_watts
from .offered import Offered, offered_tiers
from .priced import Freshness, Priced
from .reliability import Interruptions, checkpoint_seconds, interruptions_of

__all__ = [
    "PART_UNIT",
    "BillPart",
    "CandidatePrice",
    "Electricity",
    "Freshness",
    "Interruptions",
    "Machine",
    "NetworkBill",
    "Offered",
    "Priced",
    "amortized",
    "best_interval",
    "break_even_slowdown",
    "candidate_prices",
    "capital",
    "checkpoint_seconds",
    "interruptions_of",
    "machine_of",
    "mean_time_between",
    "monthly",
    "network_watts",
    "offered_tiers",
    "price_at",
    "run_cost",
    "supernic_watts",
    "time_factor",
]
