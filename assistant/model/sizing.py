"""How many GPUs carry a load within its targets, and what so many carry: every layout of a copy, at its best batch.

A copy carries as many requests as keep the targets (:func:`serving_time.fastest_within`); at a rate those in flight
follow from how long one stays (Little's law), and a prompt waits for those before it as in a queue with one server.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

from .inference import Copy, Serving, copy_at_most, keeps, requests_of, splits_for, timing_of
from .machine import Machine
from .network import Network, Networks
from .serving_time import Served, Split, at_rate, under_load
from .uncertainty import RATIOS

ROUNDS = 3  # of the targets less what the network takes at the batch that keeps them
_MIDDLE = list(RATIOS).index(1.0)
_HARDLY = 1e-6  # of a copy: what a load that is told in rounded numbers may be above what whole copies carry


@dataclass(frozen=True)
class Sizing:
    """Copies of one layout that carry a load within its targets; times in seconds, at that load.

    ``carries`` and ``at_once``: requests per second and in flight that one copy carries at most within the targets;
    ``held``: in flight by its memory; ``requests_per_s``: of all copies at the load; ``crosses``: whether a copy spans
    several domains.
    """

    split: Split
    copies: int
    carries: float
    at_once: float
    held: float
    requests_per_s: float
    ttft: float
    tpot: float
    crosses: bool = False

    @property
    def gpus(self) -> int:
        return self.copies * self.split.gpus

    def with_gpus(self, gpus: int) -> float:
        """Requests per second that so many GPUs carry within the targets."""
        return gpus // self.split.gpus * self.carries


def sizings(serving: Serving, machine: Machine, network: Network | None = None) -> list[Sizing]:
    """Every layout that keeps ``serving.ttft`` and ``serving.tpot``, with the copies that its load takes: fewest GPUs
    first, of as many GPUs those that carry most. Empty where no layout keeps them.

    The load is ``serving.requests_per_s``, or ``serving.concurrency`` on all GPUs together, or both; without either it
    is that of one copy. ``serving.gpus``: how many a copy may have at most. ``network`` joins copies over several
    domains; without one they are left out.
    """
    found = (_sized(serving, machine, split, network) for split in splits_for(serving, machine))
    return sorted((one for one in found if one), key=lambda one: (one.gpus, -one.copies * one.carries))


def _sized(serving: Serving, machine: Machine, split: Split, network: Network | None) -> Sizing | None:
    crosses = split.gpus > machine.domain
    if crosses and network is None:
        return None
    copy, most = _within_targets(serving, machine, split, network if crosses else None)
    if copy.held < 1 or not keeps(serving, most):
        return None
    carries = requests_of(serving, copy, most.output_tokens_per_s)
    at_once = copy.load.concurrency
    copies = max(
        1,
        ceil((serving.requests_per_s or 0.0) / carries - _HARDLY),
        ceil((serving.concurrency or 0.0) / at_once - _HARDLY),
    )
    there = _seen(serving, machine, _loaded(serving, copy, copies), network)
    rate = serving.requests_per_s or copies * requests_of(serving, copy, there.output_tokens_per_s)
    return Sizing(split, copies, carries, at_once, copy.held, rate, there.ttft, there.tpot, crosses)


def _within_targets(serving: Serving, machine: Machine, split: Split, network: Network | None) -> tuple[Copy, Served]:
    """The copy at the most that keeps the targets, and what it delivers: of one over several domains the targets are
    tightened by what its network takes."""
    asked = replace(serving, concurrency=None)
    copy = copy_at_most(asked, machine, split)
    seen = _seen(serving, machine, copy, network)
    for _ in range(ROUNDS if network is not None and copy.held >= 1 else 0):
        if keeps(serving, seen):
            break
        first, token = (seen.ttft - copy.served.ttft), (seen.tpot - copy.served.tpot)
        ttft, tpot = (asked.ttft and asked.ttft - first), (asked.tpot and asked.tpot - token)
        if min(ttft or 1.0, tpot or 1.0) <= 0.0:
            break
        copy = copy_at_most(replace(asked, ttft=ttft, tpot=tpot), machine, split)
        seen = _seen(serving, machine, copy, network)
    return copy, seen


def _loaded(serving: Serving, copy: Copy, copies: int) -> Copy:
    """The copy at its part of the load; without a load at the most that it carries."""
    if serving.concurrency:
        load = replace(copy.load, concurrency=max(1.0, serving.concurrency / copies))
        return replace(copy, load=load, served=under_load(copy.engined, load))
    if serving.requests_per_s and not serving.offline:
        load, served = at_rate(copy.engined, copy.load, serving.requests_per_s / copies)
        return replace(copy, load=load, served=served)
    return copy


def _seen(serving: Serving, machine: Machine, copy: Copy, network: Network | None) -> Served:
    """What the copy delivers with the network's part of it where it spans domains."""
    if network is None or copy.split.gpus <= machine.domain:
        return copy.served
    timing = timing_of(serving, machine, Networks([network]), copy)
    tpot, first = float(timing.per_token[_MIDDLE, 0]), float(timing.first[_MIDDLE, 0])
    rate = copy.served.output_tokens_per_s * copy.served.tpot / tpot
    return replace(copy.served, ttft=first, tpot=tpot, output_tokens_per_s=rate)
