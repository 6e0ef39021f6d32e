"""How many GPUs carry a load within its targets, and what so many carry: every layout of a copy, at its best batch;
with prompts and answers apart each side at its own layout.

A copy carries as many requests as keep the targets (:func:`serving_time.fastest_within`); at a rate those in flight
follow from how long one stays (Little's law), and a prompt waits for those before it as in a queue with one server.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil
from typing import Any

from .inference import (
    Copy,
    InferenceOutcome,
    Serving,
    asked_of_one,
    copy_at_most,
    engined,
    holds,
    keeps,
    loaded,
    most_within,
    requests_of,
    seen_over,
    splits_for,
)
from .layouts import parallelism
from .machine import Machine
from .network import Network, Networks
from .prefill_decode import Cuts, answers_in_time, fewest_gpus, predict_inference
from .serving_time import Engined, Load, Served, Split, under_load

_HARDLY = 1e-6  # of a copy: what a load that is told in rounded numbers may be above what whole copies carry


@dataclass(frozen=True)
class _Asked:
    """A load, and the GPUs and the network of copies over several domains that it is asked of."""

    serving: Serving
    machine: Machine
    network: Network | None

    def most(self, one: Engined, *, crosses: bool) -> tuple[Copy, Served]:
        """A copy with as many requests in flight as keep the targets, and what it delivers."""
        if self.network is None or not crosses:
            copy = copy_at_most(self.serving, self.machine, one.split, one)
            return copy, copy.served
        copy, timing = most_within(self.serving, self.machine, Networks([self.network]), one.split)
        return copy, timing.of_one(copy)

    def seen(self, copy: Copy, most: Load | None = None, rate: float = 0.0) -> Served:
        """What a copy delivers, with the network's part of it where it spans domains; where its load comes of a
        ``rate`` of requests per second, with ``most`` of them in flight."""
        if self.network is None or copy.split.gpus <= self.machine.domain:
            return copy.served
        return seen_over(self.serving, self.machine, Networks([self.network]), copy, most, rate)

    def at_load(self, most: Copy, copies: int) -> Served:
        """What one of so many copies delivers at the load."""
        copy = loaded(self.serving, most, copies)
        return self.seen(copy, most.load, asked_of_one(self.serving, copies))


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
    _known: dict[int, Served] = field(default_factory=dict, repr=False, compare=False)  # at the load on so many copies

    @property
    def gpus(self) -> int:
        return self.copies * self.split.gpus

    @property
    def unit(self) -> int:
        """GPUs of a copy."""
        return self.split.gpus

    def parallelism(self, gpus: int) -> dict[str, object]:
        return parallelism(self.split, gpus // self.split.gpus)

    def with_gpus(self, gpus: int) -> float:
        """Requests per second that so many GPUs carry within the targets."""
        return gpus // self.split.gpus * self.carries

    def latency(self, gpus: int) -> float:
        """Seconds of a whole request at the load on so many GPUs."""
        served = self.at_load(gpus)
        return served.ttft + self._asked.serving.output_tokens * served.tpot

    def at_load(self, gpus: int | None = None) -> Served:
        """Seconds to the first token and per further one, and what a copy delivers, at the load on so many GPUs."""
        copies = self.copies if gpus is None else gpus // self.split.gpus
        if copies not in self._known:
            self._known[copies] = self._asked.at_load(self._copy, copies)
        return self._known[copies]

    @cached_property
    def requests_per_s(self) -> float:
        """Of all copies at the load: as it is said, as the requests in flight lead to, or at the most."""
        said = self._asked.serving
        rate = requests_of(said, self._copy, self.at_load().output_tokens_per_s)
        return said.requests_per_s or self.copies * rate


@dataclass(frozen=True)
class SizingApart:
    """GPUs of both sides that carry a load within its targets. What so many deliver is what a plan predicts of them."""

    gpus: int
    _asked: _Asked = field(repr=False)
    _cuts: Cuts = field(repr=False, compare=False)
    _known: dict[int, InferenceOutcome] = field(default_factory=dict, repr=False)

    @property
    def unit(self) -> int:
        """GPUs that hold both sides at the least."""
        return 2 * self._asked.machine.gpus_per_node

    @property
    def crosses(self) -> bool:
        """Whether caches or tokens go from one scale-up domain to another."""
        found = self._on(self.gpus)
        return found.across_nodes_per_request + found.across_nodes_per_token > 0

    @property
    def carries(self) -> float:
        return self.with_gpus(self.gpus)

    @property
    def requests_per_s(self) -> float:
        return self._on(self.gpus).requests_per_s

    def parallelism(self, gpus: int) -> dict[str, Any]:
        return self._on(gpus).parallelism

    def with_gpus(self, gpus: int) -> float:
        """Requests per second that so many GPUs carry within the targets."""
        return self._on(gpus).carries

    def latency(self, gpus: int) -> float:
        """Seconds of a whole request at the load on so many GPUs."""
        return self._on(gpus).request_latency_s

    def at_load(self, gpus: int | None = None) -> Served:
        """Seconds to the first token and per further one, and what all deliver, at the load on so many GPUs."""
        found = self._on(gpus or self.gpus)
        flying = float(found.concurrency * found.replicas)
        return Served(found.time_to_first_token_s, found.time_per_output_token_s, flying, found.output_tokens_per_s)

    def _on(self, gpus: int) -> InferenceOutcome:
        asked = self._asked
        if gpus not in self._known and asked.network is not None:
            serving, machine = replace(asked.serving, gpus=gpus), replace(asked.machine, gpus=gpus)
            self._known[gpus] = predict_inference(serving, machine, [asked.network], self._cuts)[0]
        return self._known[gpus]

    def keeps(self) -> bool:
        """Whether they carry the load within the targets."""
        found, rate = self._on(self.gpus), self._asked.serving.requests_per_s or 0.0
        return found.fits and found.carries >= rate * (1 - _HARDLY) and found.meets_targets is not False


def sizings(serving: Serving, machine: Machine, network: Network | None = None) -> list[Sizing | SizingApart]:
    """Every layout that keeps ``serving.ttft`` and ``serving.tpot``, with the copies that its load takes: fewest GPUs
    first, of as many GPUs those that carry most. Empty where no layout keeps them.

    The load is ``serving.requests_per_s``, or ``serving.concurrency`` on all GPUs together, or both; without either it
    is that of one copy. ``serving.gpus``: how many a copy may have at most. ``network`` joins copies over several
    domains, or prompts and answers that are apart; without one these are left out.
    """
    asked = _Asked(serving, machine, network)
    if serving.disaggregated:
        apart = _apart(asked)
        return [apart] if apart else []
    found = (_sized(asked, split) for split in splits_for(serving, machine))
    return sorted((one for one in found if one), key=lambda one: (one.gpus, -one.with_gpus(one.gpus)))


def asks_for_network(serving: Serving, machine: Machine) -> bool:
    """Whether some of what :func:`sizings` tries spans several domains: prompts and answers apart, or a large copy."""
    return serving.disaggregated or any(one.gpus > machine.domain for one in splits_for(serving, machine))


def _apart(asked: _Asked) -> SizingApart | None:
    """From what both sides take at the least node by node upwards, since prompts queue before they are all busy."""
    if asked.network is None:
        return None
    node, serving = asked.machine.gpus_per_node, asked.serving
    rate = serving.requests_per_s or 0.0
    cuts = Cuts(asked.machine, [asked.network])
    least = fewest_gpus(serving, asked.machine, cuts, rate)
    sizes = [node * max(2, ceil(least / node))]
    while len(sizes) < _TRIED:
        sizes.append(node * ceil(max(sizes[-1] + node, _MORE * sizes[-1]) / node))
    in_time = (gpus for gpus in sizes if answers_in_time(replace(serving, gpus=gpus), asked.machine))
    tried = (SizingApart(gpus, asked, cuts) for gpus in in_time)
    return next((one for one in tried if one.keeps()), None)


_TRIED, _MORE = 10, 1.1  # numbers of GPUs for both sides, each so many times the one before


def _sized(asked: _Asked, split: Split) -> Sizing | None:
    serving, crosses = asked.serving, split.gpus > asked.machine.domain
    if (crosses and asked.network is None) or holds(serving, asked.machine, split) < 1:
        return None
    one = engined(serving, asked.machine, split)
    if not _one_is_in_time(serving, one):
        return None
    copy, most = asked.most(one, crosses=crosses)
    if not keeps(serving, most):
        return None
    carries, at_once = requests_of(serving, copy, most.output_tokens_per_s), float(copy.load.concurrency)
    rate, users = (serving.requests_per_s or 0.0) / carries, (serving.concurrency or 0.0) / at_once
    return Sizing(split, max(1, ceil(rate - _HARDLY), ceil(users - _HARDLY)), carries, at_once, crosses, copy, asked)


def _one_is_in_time(serving: Serving, one: Engined) -> bool:
    """Whether a copy answers one request alone within the targets; where there are none, at any pace."""
    if not serving.targeted:
        return True
    alone = Load(*serving.lengths, 1.0, 1.0, separate=serving.disaggregated)
    return keeps(serving, under_load(one, alone))
