"""Expert dispatch and combine: how far tokens travel to their experts and back, in seconds and bytes.

A kernel that knows the routing (DeepEP, UCCL-EP, Megatron's flex dispatcher) sends a token once to every domain that
holds one of its experts and hands it on inside, once to every rank there. The kernels of decoding ("low latency") send
every copy straight to its expert's rank. NCCL's all-to-all sends every copy by itself, too, and waits for all peers.
Columns of slices or layouts, networks first: (F, C).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from assistant.vocabulary.catalog import Fact

from .collectives import Group, Wires, all_to_all
from .fitted import from_catalog
from .framework import Framework
from .job import DUALPIPE, NO_OVERLAP, Job

SCALE_BYTES = 4.0 / 128.0  # beside an FP8 element: an FP32 scale for each 128 (DeepSeek-V3, 2412.19437, 3.3.2)
# How sharply the slower of network and scale-up link decides where copies are handed on while others arrive: 1 would be
# one after the other. Held fixed in the fit, at the least whole number for which the network's share of what large
# collectives reach comes out near 1. Calibration rows alone do not tell it: fitted with 2 they are 6.4 % off, but with
# 1.37 times what the wires give; with 4 7.1 % and 1.03; with 8 7.7 % and 0.95.
PIPELINED = 4.0


@dataclass(frozen=True)
class DispatchConstants:
    """What kernels for dispatch and combine reach; in use are those of ``knowledge/catalog/constants/dispatch.yaml``.

    ``inside``, ``network``: of the bandwidth that large collectives reach over the scale-up link, and over the network.
    ``start``, ``combine_start``: seconds of a call with hardly any tokens inside one domain, counting what each rank
    gets included. ``per_domain``: seconds more for each further domain. ``hidden``: share of dispatch and combine that
    disappears behind the compute of another micro-batch where there is enough of it. ``units``: compute units that
    these kernels take from it meanwhile. ``spread``: standard deviation of the logarithm of a call's seconds.
    ``direct_inside``, ``direct_network``, ``direct_start``: the same of kernels that send every copy straight to its
    expert's rank; ``direct_far``: seconds more where some of them are behind the network, beside its latency.
    ``imbalance``: of prompts' seconds over those with evenly chosen experts, where a served model's experts lie
    on several nodes.
    """

    inside: float = 0.9
    network: float = 1.0
    start: float = 30e-6
    combine_start: float = 50e-6
    per_domain: float = 30e-6
    hidden: float = 0.96
    units: float = 20.0
    spread: float = 0.14
    direct_inside: float = 0.7
    direct_network: float = 0.95
    direct_start: float = 12e-6
    direct_far: float = 8e-6
    imbalance: float = 1.0


def dispatch_from(constants: Mapping[str, Fact] | None) -> DispatchConstants:
    """The constants of the catalog (``dispatch-inside`` and so on) over those above."""
    return from_catalog(DispatchConstants(), "dispatch", constants)


@dataclass(frozen=True)
class Routing:
    """Where a token goes: ``copies`` experts in at most ``domains`` scale-up domains, every copy by itself or
    (``once``) once to each domain; ``direct``: every copy straight to its expert's rank, as decoding does it."""

    copies: int
    domains: np.ndarray | float = np.inf
    once: bool = True
    direct: bool = False

    def reached(self, ranks: Group) -> tuple[np.ndarray, np.ndarray]:
        """Expected (domains, ranks) that one token visits, its own included, with experts chosen evenly."""
        within = np.minimum(ranks.domains, self.domains)
        return visited(within, self.copies), visited(np.minimum(within * ranks.local, ranks.size), self.copies)

    def crossing(self, ranks: Group) -> np.ndarray:
        """Copies of a token that cross the network."""
        if not self.once:
            return self.copies * (ranks.size - ranks.local) / ranks.size
        return self.reached(ranks)[0] * (1.0 - 1.0 / ranks.domains)


def visited(places: np.ndarray, copies: int) -> np.ndarray:
    """Expected places among ``places`` that hold at least one of ``copies`` experts chosen evenly."""
    return places * (1.0 - (1.0 - 1.0 / places) ** copies)


def routing_of(job: Job, framework: Framework, ranks: Group) -> Routing:
    """The job's routing over these ranks: its own limit of nodes, else its model's, whose groups of experts lie on one
    domain each or several on one."""
    a = job.architecture
    limit: np.ndarray | float = np.inf
    if job.routing_nodes:
        limit = float(job.routing_nodes)
    elif a.expert_groups > 1:
        limit = a.expert_group_limit * np.maximum(ranks.domains / a.expert_groups, 1.0)
    return Routing(a.experts_per_token, limit, sends_once(job, framework))


def sends_once(job: Job, framework: Framework) -> bool:
    """Whether the kernels know the routing: those of the stack do, or the job is said to have what only such have."""
    return framework.dispatch_once or job.dispatch_precision == "fp8" or job.expert_overlap == DUALPIPE


def element_bytes(job: Job, *, combine: bool) -> float:
    """Bytes per element on the way to the experts, or back, which stays in 16 bits (2412.19437, 3.3.2)."""
    fp8 = job.dispatch_precision == "fp8" and not combine
    return 1.0 + SCALE_BYTES if fp8 else float(job.activation_bytes)


def call_time(
    wires: Wires,
    copy_bytes: np.ndarray,
    ranks: Group,
    routing: Routing,
    *,
    combine: bool = False,
    constants: DispatchConstants | None = None,
) -> np.ndarray:
    """Seconds of one dispatch or combine, (F, C); ``copy_bytes``: all tokens of a rank, one copy of each."""
    c = constants or dispatch_from(wires.machine.constants)
    if routing.direct:
        return _direct(wires, copy_bytes * routing.copies, ranks, c)
    if not routing.once:
        return all_to_all(wires, copy_bytes * routing.copies, ranks)
    domains, members = routing.reached(ranks)
    inside = copy_bytes * members / (c.inside * wires.inside_rate(ranks.local, ranks.reach))
    sent = copy_bytes * domains * (1.0 - 1.0 / ranks.domains)
    between = np.where(ranks.domains > 1, sent * ranks.local / (c.network * wires.network_rate(ranks)), 0.0)
    both = (inside**PIPELINED + between**PIPELINED) ** (1.0 / PIPELINED)
    start = (c.combine_start if combine else c.start) * (ranks.size > 1)
    return both + start + c.per_domain * (ranks.domains - 1.0) * wires.slowdown


def _direct(wires: Wires, sent: np.ndarray, ranks: Group, c: DispatchConstants) -> np.ndarray:
    """Seconds of copies of ``sent`` bytes that go straight to all ranks alike, (F, C)."""
    inside = sent * (ranks.local - 1.0) / ranks.size / (c.direct_inside * wires.inside_rate(ranks.local, ranks.reach))
    away = sent * (ranks.size - ranks.local) / ranks.size * ranks.local
    far = ranks.domains > 1
    between = np.where(far, away / (c.direct_network * wires.network_rate(ranks, rings=False)), 0.0)
    return np.maximum(inside, between) + c.direct_start + far * (c.direct_far * wires.slowdown + wires.latency)


def hidden_share(job: Job, constants: DispatchConstants, compute_units: float) -> float:
    """Share of dispatch and combine that disappears behind compute of the same length: what the overlap hides, less
    what the compute beside it loses with the units that the kernels take."""
    if job.expert_overlap in (None, NO_OVERLAP):
        return 0.0
    return constants.hidden * (1.0 - min(constants.units / compute_units, 1.0))
