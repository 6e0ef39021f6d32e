"""The network as its logs say it is."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .parts import Contract


class MeasuredRun(Contract):
    """One run of nccl-tests against what the catalog says of this network, gigabytes per second of bus bandwidth;
    ``expected_gb_per_s``: for this message on so many of the plan's nodes, which the log is held against, and below
    ``alarm_gb_per_s`` one healthy network in a hundred lies, as in the test of a network before it is paid for;
    ``diagnosed_gb_per_s``: what a diagnosis of the log expects at large messages, ``None`` where it cannot say;
    ``differs``: what its log shows in place of this network, empty where it is the same or the log does not say."""

    file: str
    collective: str
    ranks: int
    nodes: int
    message_bytes: int
    busbw_gb_per_s: float
    expected_gb_per_s: float
    alarm_gb_per_s: float = 0.0
    diagnosed_gb_per_s: float | None = None
    transport: str = "unknown"  # as in a diagnosis
    differs: str = ""
    findings: list[str] = Field(default_factory=list)  # what the log says is wrong


class MeasuredNetwork(Contract):
    """What a network that was measured is worth against the same one as the catalog has it.

    ``slower``: time of what crosses it ÷ the catalog's. ``usual``: healthy networks scatter as far. Of a month's
    money ``wasted_usd_per_month`` pays for waiting that the network as it should be does not ask for.
    ``advice``: repair, accept, or switch, where another network costs less than this one even when it is repaired;
    ``instead``: the best network with this one as it is, where that is another. Of a network that is there already it
    is the one that would cost less even so, bought in its place for ``instead_capital_usd``, written off over
    ``instead_months``; ``instead_work_usd``: of it for the work that this one as it is does in a month.
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
    instead_usd_per_month: float | None = None
    instead_capital_usd: float | None = None
    instead_work_usd: float | None = None
    instead_months: float | None = None
