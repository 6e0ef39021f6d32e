"""Prompts and answers on GPUs of their own: how many of each, what they carry together, and what the network between
them lets through.

Prefill hands every prompt's cache to decode, so requests are carried at the pace of the slowest of three: prompts read,
answers written, caches moved. Where requests come at a rate each of them queues; a benchmark that keeps a number in
flight waits where it is slowest (Little's law). Figures are numbers or arrays that broadcast, such as (K, F) over
network slowdowns and networks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .serving_time import ROUNDS, Engined, Load, Number, Shape, decoded

BUSY = 0.9  # of what prompts and link carry at most where nobody says a load: an M/D/1 queue then waits 4.5 services

# seconds that the network adds to a pass with so many tokens of prompts on a replica, or to each token of answers with
# so many requests on it, and so many tokens before each of them
Added = Callable[[Engined, Number, Number], Number]


def nothing_added(engined: Engined, tokens: Number, context: Number) -> Number:
    """Of a copy inside one domain."""
    return 0.0


@dataclass(frozen=True)
class Side:
    """``workers`` copies that read prompts, or that write answers."""

    engined: Engined
    workers: int
    added: Added = nothing_added

    @property
    def gpus(self) -> int:
        return self.workers * self.engined.split.gpus

    @property
    def replicas(self) -> int:
        """Of the attention, on all workers."""
        return self.workers * self.engined.split.dp


@dataclass(frozen=True)
class Link:
    """What lies between the sides: ``seconds`` of one prompt's cache with nothing beside it, ``carries`` requests per
    second at most."""

    seconds: Number = 0.0
    carries: Number = np.inf


@dataclass(frozen=True)
class ServedApart:
    """What both sides deliver together. ``moving``: seconds of a cache's transfer with what it waits for others;
    ``link_busy``: share of the link that is used; ``carries``: requests per second at most."""

    ttft: Number
    tpot: Number
    batch: Number
    requests_per_s: Number
    output_tokens_per_s: Number
    moving: Number
    link_busy: Number
    carries: Number


def prompt_seconds(side: Side, load: Load, prompts: Number = 1.0) -> Number:
    """Seconds in which a replica reads so many prompts by themselves, the network's part included."""
    tokens = prompts * load.fresh
    steps = np.maximum(1.0, np.asarray(tokens) / load.chunk)
    each = tokens / steps
    return steps * (side.engined.step(Shape(0.0, 0.0, each, load.behind)) + side.added(side.engined, each, load.behind))


def prompts_carried(side: Side, load: Load) -> Number:
    """Requests per second whose prompts a side reads at most; where each step exchanges tokens over nodes it is filled
    with several short ones."""
    wide = side.engined.split.gpus > side.engined.machine.domain
    together = max(1.0, load.chunk / max(load.fresh, 1.0)) if wide else 1.0
    return side.replicas * together / prompt_seconds(side, load, together)


def token_seconds(side: Side, load: Load, batch: Number) -> Number:
    """Seconds of a decoding step with so many requests on all workers."""
    one, split = np.asarray(batch) / side.workers, side.engined.split
    middle = load.prompt_tokens + load.output_tokens / 2.0
    return decoded(side.engined, load, one) + side.added(side.engined, one / split.dp / split.pp, middle)


def queued(busy: Number, service: Number, servers: Number = 1.0) -> Number:
    """Seconds in a queue with equal services and so many servers (Sakasegawa 1977; with one server the formula of
    Pollaczek and Khinchine)."""
    full = np.minimum(busy, 0.999)
    return 0.5 * full ** (np.sqrt(2.0 * (servers + 1.0)) - 1.0) / (servers * (1.0 - full)) * service


def served_apart(
    prefill: Side, decode: Side, load: Load, link: Link = Link(), rate: Number | None = None
) -> ServedApart:
    """What the sides deliver with ``load.concurrency`` requests in flight on all of them, of which decode holds
    ``load.held``; at ``rate`` requests per second, as far as they are carried, where one is said."""
    carried = np.minimum(prompts_carried(prefill, load), link.carries)
    if load.grouped and rate is None:
        return _in_flight(prefill, decode, load, link, carried)
    full = BUSY * carried
    asked = full if rate is None else np.where(rate > carried, full, rate)  # beyond it queues would never end
    return _at_rate(prefill, decode, load, link, asked, carried)


def _in_flight(prefill: Side, decode: Side, load: Load, link: Link, carried: Number) -> ServedApart:
    engine = prefill.engined.engine
    beside = engine.wave * max(load.concurrency / prefill.replicas - 1.0, 0.0)
    least = engine.first + prompt_seconds(prefill, load, 1.0 + beside) + link.seconds
    batch, rate, tpot = np.minimum(load.concurrency, load.held), carried, 0.0
    for _ in range(2 * ROUNDS):
        tpot = token_seconds(decode, load, batch)
        staying = load.output_tokens * tpot
        rate = np.minimum(np.minimum(carried, load.concurrency / (least + staying)), load.held / staying)
        batch = rate * staying
    first = np.maximum(least + tpot, load.concurrency / rate - load.output_tokens * tpot)
    most = np.minimum(carried, load.held / (load.output_tokens * token_seconds(decode, load, load.held)))
    return _told(load, first, tpot, batch, rate, link.seconds, rate / link.carries, most)


def _at_rate(prefill: Side, decode: Side, load: Load, link: Link, asked: Number, carried: Number) -> ServedApart:
    largest = np.minimum(load.concurrency, load.held)
    most = np.minimum(carried, largest / (load.output_tokens * token_seconds(decode, load, largest)))
    rate = np.minimum(asked, most)
    batch = largest + 0.0 * np.asarray(rate)
    for _ in range(2 * ROUNDS):  # in flight are as many as come while one answer is written
        batch = np.minimum(rate * load.output_tokens * token_seconds(decode, load, batch), largest)
    tpot = token_seconds(decode, load, batch)
    own, busy = prompt_seconds(prefill, load), rate / prompts_carried(prefill, load)
    link_busy = rate / link.carries
    adapters = np.where(np.isfinite(link.carries), np.maximum(link.carries * link.seconds, 1.0), 1.0)
    moving = link.seconds + queued(link_busy, link.seconds, adapters)
    first = prefill.engined.engine.first + own + queued(busy, own, prefill.replicas) + moving + tpot
    return _told(load, first, tpot, batch, rate, moving, link_busy, most)


def _told(
    load: Load, first: Number, tpot: Number, batch: Number, rate: Number, moving: Number, busy: Number, most: Number
) -> ServedApart:
    return ServedApart(first, tpot, batch, rate, rate * load.output_tokens, moving, busy, most)


def balanced(reader: int, writer: int, read: float, written: float, gpus: int) -> tuple[int, int]:
    """Instances of both sides on so many GPUs that carry most together; (0, 0) where not one of each has room.

    ``reader``, ``writer``: GPUs of an instance; ``read``, ``written``: requests per second of one.
    """
    most = (gpus - writer) // reader
    if most < 1:
        return 0, 0

    def writers(readers: int) -> int:
        return (gpus - readers * reader) // writer

    # prompts carried grow with readers, answers carried shrink: the best lies where they cross
    low, high = 1, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle * read <= writers(middle) * written else (low, middle - 1)
    best = max(range(low, min(low + 1, most) + 1), key=lambda n: min(n * read, writers(n) * written))
    return best, writers(best)
