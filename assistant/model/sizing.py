"""How many GPUs carry a load within its targets, and what so many carry: every layout of a copy, at its best batch.

A copy carries as many requests as keep the targets (:func:`serving_time.fastest_within`); at a rate those in flight
follow from how long one stays (Little's law), and a prompt waits for those before it as in a queue with one server.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil

from .inference import Copy, Serving, copy_at_most, engined, holds, keeps, loaded, requests_of, splits_for, timing_of
from .machine import Machine
from .network import Network, Networks
from .serving_time import Load, Served, Split, under_load
from .uncertainty import RATIOS

ROUNDS = 3  # of the targets less what the network takes at the batch that keeps them
_MIDDLE = list(RATIOS).index(1.0)
_HARDLY = 1e-6  # of a copy: what a load that is told in rounded numbers may be above what whole copies carry


@dataclass(frozen=True)
class _Asked:
    """A load, and the GPUs and the network of copies over several domains that it is asked of."""

    serving: Serving
    machine: Machine
    network: Network | None

    def seen(self, copy: Copy) -> Served:
        """What a copy delivers, with the network's part of it where it spans domains."""
        if self.network is None or copy.split.gpus <= self.machine.domain:
            return copy.served
        timing = timing_of(self.serving, self.machine, Networks([self.network]), copy)
        tpot, first = float(timing.per_token[_MIDDLE, 0]), float(timing.first[_MIDDLE, 0])
        rate = copy.served.output_tokens_per_s * copy.served.tpot / tpot
        return replace(copy.served, ttft=first, tpot=tpot, output_tokens_per_s=rate)


@dataclass(frozen=True)
class Sizing:
    """Copies of one layout that carry a load within its targets.

    ``carries`` and ``at_once``: requests per second and in flight that one copy carries at most within the targets;
    ``crosses``: whether a copy spans several domains.
    """

    split: Split
    copies: int
    carries: float
    at_once: float
    crosses: bool
    _copy: Copy = field(repr=False, compare=False)
    _asked: _Asked = field(repr=False, compare=False)

    @property
    def gpus(self) -> int:
        return self.copies * self.split.gpus

    def with_gpus(self, gpus: int) -> float:
        """Requests per second that so many GPUs carry within the targets."""
        return gpus // self.split.gpus * self.carries

    def at_load(self, gpus: int | None = None) -> Served:
        """Seconds to the first token and per further one, and what a copy delivers, at the load on so many GPUs."""
        copies = self.copies if gpus is None else gpus // self.split.gpus
        return self._asked.seen(loaded(self._asked.serving, self._copy, copies))

    @cached_property
    def requests_per_s(self) -> float:
        """Of all copies at the load: as it is said, as the requests in flight lead to, or at the most."""
        said = self._asked.serving
        rate = requests_of(said, self._copy, self.at_load().output_tokens_per_s)
        return said.requests_per_s or self.copies * rate


def sizings(serving: Serving, machine: Machine, network: Network | None = None) -> list[Sizing]:
    """Every layout that keeps ``serving.ttft`` and ``serving.tpot``, with the copies that its load takes: fewest GPUs
    first, of as many GPUs those that carry most. Empty where no layout keeps them.

    The load is ``serving.requests_per_s``, or ``serving.concurrency`` on all GPUs together, or both; without either it
    is that of one copy. ``serving.gpus``: how many a copy may have at most. ``network`` joins copies over several
    domains; without one they are left out.
    """
    asked = _Asked(serving, machine, network)
    found = (_sized(asked, split) for split in splits_for(serving, machine))
    return sorted((one for one in found if one), key=lambda one: (one.gpus, -one.copies * one.carries))


def _sized(asked: _Asked, split: Split) -> Sizing | None:
    serving, crosses = asked.serving, split.gpus > asked.machine.domain
    if (crosses and asked.network is None) or not _one_is_in_time(asked, split):
        return None
    copy, most = _within_targets(asked, split, crosses=crosses)
    if not keeps(serving, most):
        return None
    carries, at_once = requests_of(serving, copy, most.output_tokens_per_s), copy.load.concurrency
    rate, users = (serving.requests_per_s or 0.0) / carries, (serving.concurrency or 0.0) / at_once
    return Sizing(split, max(1, ceil(rate - _HARDLY), ceil(users - _HARDLY)), carries, at_once, crosses, copy, asked)


def _one_is_in_time(asked: _Asked, split: Split) -> bool:
    """Whether a copy holds one request, and answers it alone within the targets."""
    serving, machine = asked.serving, asked.machine
    if holds(serving, machine, split) < 1:
        return False
    alone = Load(*serving.lengths, 1.0, 1.0, separate=serving.disaggregated)
    return keeps(serving, under_load(engined(serving, machine, split), alone))


def _within_targets(asked: _Asked, split: Split, *, crosses: bool) -> tuple[Copy, Served]:
    """The copy at the most that keeps the targets, and what it delivers: of one over several domains the targets are
    tightened by what its network takes."""
    serving, machine = asked.serving, asked.machine
    copy = copy_at_most(serving, machine, split)
    seen = asked.seen(copy)
    for _ in range(ROUNDS if crosses else 0):
        first, token = seen.ttft - copy.served.ttft, seen.tpot - copy.served.tpot
        tight = replace(serving, ttft=serving.ttft and serving.ttft - first, tpot=serving.tpot and serving.tpot - token)
        if keeps(serving, seen) or min(tight.ttft or 1.0, tight.tpot or 1.0) <= 0.0:
            break
        copy = copy_at_most(tight, machine, split)
        seen = asked.seen(copy)
    return copy, seen
