"""What the network adds to a pass of a served model: reductions of tensor parallelism over domains, hand-overs between
stages, and tokens on their way to experts on other nodes, part of it behind the compute of another half of the batch.

Results are (K, F) over network slowdowns and networks, where ``tokens`` may be a number or (K, F) too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .architecture import Architecture, element_bytes
from .collectives import Group, Wires, all_reduce, group
from .dispatch import SCALE_BYTES, Routing, call_time, dispatch_from
from .serving_time import Engined, Number, Shape, Split, weight_formats

ACTIVATION = 2.0  # bytes of a hidden state's element


def crosses(engined: Engined) -> bool:
    """Whether a pass of one copy leaves its scale-up domain."""
    return engined.split.gpus > engined.machine.domain


def spread_out(engined: Engined) -> bool:
    """Whether experts lie on several domains while the attention has replicas: wide expert parallelism."""
    return crosses(engined) and engined.split.dp > 1 and engined.architecture.experts > 0


def remembered(engined: Engined) -> list[str]:
    """That what slows prompts whose experts lie on several domains rests on a figure that was not read again."""
    told = "how unevenly experts are chosen over nodes is a published figure as remembered (dispatch-imbalance)"
    return [told] if spread_out(engined) else []


def decoding_added(engined: Engined, wires: Wires, requests: Number, context: Number) -> np.ndarray:
    """Seconds that the network adds to each token of an answer, with so many requests on each replica and so many
    tokens before each of them.

    With experts over nodes an engine may cut its batch in two that take turns, which read the weights twice: nearly
    all of an exchange then disappears behind the other half's compute. It does so where that is faster. Both are passes
    without prompts beside them, so that what is compared is the same work.
    """
    requests = np.asarray(requests, dtype=float)
    between = between_domains(wires, engined, requests * engined.guesses.checked, decoding=True)
    return _hidden_in_halves(engined, wires, requests, context, between)


def _hidden_in_halves(
    engined: Engined, wires: Wires, requests: np.ndarray, context: Number, between: np.ndarray
) -> np.ndarray:
    """What is left of the seconds ``between`` domains of a pass of answers."""
    guesses, plain = engined.guesses, between / engined.guesses.gained
    if not spread_out(engined):
        return plain
    tokens = requests * guesses.checked
    hidden = dispatch_from(engined.machine.constants).hidden
    compute, halved = engined.step(Shape(requests, context)), 2.0 * engined.step(Shape(requests / 2.0, context))
    both = 2.0 * between_domains(wires, engined, tokens / 2.0, decoding=True) / guesses.gained
    return np.minimum(plain, halved - compute + both - hidden * np.minimum(both, halved))


def prefill_added(engined: Engined, wires: Wires, tokens: Number, alone: Number) -> np.ndarray:
    """The same for a pass over ``tokens`` of prompts on each replica. The exchange of long messages takes units from
    the compute beside it; the rank whose experts are asked for most keeps the others waiting."""
    plain = between_domains(wires, engined, tokens, decoding=False)
    if not spread_out(engined):
        return plain
    c = dispatch_from(engined.machine.constants)
    compute = alone + handling(engined, tokens)
    both = 2.0 * between_domains(wires, engined, np.asarray(tokens) / 2.0, decoding=False)
    taken = min(c.units / engined.machine.compute_units, 1.0)
    together = compute + both - c.hidden * (1.0 - taken) * np.minimum(both, compute)
    return np.minimum(compute + plain, together) * c.imbalance - alone


class PassAdded:
    """Seconds that the network adds to a pass of a copy that reads prompts and writes answers: its answers' part and
    what the prompts among them add, whose tokens go the same way in the same messages.

    A pass of answers alone is followed by the same with prompts beside it: what the answers take is kept till then.
    """

    def __init__(self, engined: Engined, wires: Wires) -> None:
        self._engined, self._wires = engined, wires
        self._answers: tuple[Number, Number, np.ndarray, np.ndarray] | None = None

    def __call__(self, shape: Shape) -> np.ndarray:
        if not np.any(shape.prompt):
            return self._of_answers(shape)[1]
        tokens = shape.batch * self._engined.guesses.checked
        whole = prefill_added(self._engined, self._wires, tokens + shape.prompt, self._engined.step(shape))
        if not np.any(shape.batch):
            return whole
        between, alone = self._of_answers(shape)
        return alone + np.maximum(whole - between, 0.0)

    def _of_answers(self, shape: Shape) -> tuple[np.ndarray, np.ndarray]:
        """What the answers take on the network with nothing beside it, and what they add to a pass."""
        known = self._answers
        if known is None or known[0] is not shape.batch or known[1] != shape.context:
            requests = np.asarray(shape.batch, dtype=float)
            tokens = requests * self._engined.guesses.checked
            between = between_domains(self._wires, self._engined, tokens, decoding=True)
            added = _hidden_in_halves(self._engined, self._wires, requests, shape.context, between)
            known = self._answers = shape.batch, shape.context, between, added
        return known[2], known[3]


def handling(engined: Engined, tokens: Number) -> Number:
    """Seconds in which a replica's prompts are put in order for the experts and summed after them, and latents are
    unfolded into the heads' queries, keys and values: bytes written and read again."""
    a = engined.architecture
    narrow = min(element_bytes(weight_formats(a, engined.precision)[1]), ACTIVATION)
    moved = a.moe_layers * a.experts_per_token * a.dispatched_width * 2.0 * (max(narrow, 1.0) + ACTIVATION)
    if a.latent is not None:
        moved += a.layers * 2.0 * ACTIVATION * 4.0 * a.score_width
    return np.asarray(tokens) * moved / (engined.machine.memory_bandwidth * engined.constants.reading)


def between_domains(wires: Wires, engined: Engined, tokens: Number, *, decoding: bool) -> np.ndarray:
    """Seconds of one pass on the network with nothing beside it; of a copy inside one domain zero."""
    a, split = engined.architecture, engined.split
    shape = np.broadcast_shapes(np.shape(wires.latency), (1, 1, 1))[:2]
    if not crosses(engined):
        return np.zeros(shape)
    state = np.broadcast_to(np.asarray(tokens, dtype=float) * a.hidden, shape)[..., None]  # elements of a replica
    time = pass_communication(wires, a, split, ACTIVATION * state)
    if split.dp > 1 and a.experts:
        sent = state * (a.dispatched_width / a.hidden) / split.tp
        time = time + a.moe_layers * _exchange(wires, engined, sent, decoding)[..., 0]
    return time


def pass_communication(wires: Wires, a: Architecture, split: Split, bytes_: float | np.ndarray) -> np.ndarray:
    """Seconds of one pass through the model with hidden states of so many bytes: its all-reduces, one hand-over
    per stage."""
    time = np.zeros(np.broadcast_shapes(np.shape(wires.latency), (1, 1, 1))[:2])
    states = np.broadcast_to(np.asarray(bytes_, dtype=float), (*time.shape, 1))
    if split.tp > 1:
        ranks = _ranks(split.tp, wires.machine.domain)
        time = time + a.reductions * np.broadcast_to(all_reduce(wires, states, ranks), states.shape)[..., 0]
    if split.pp > 1:
        hop = states / (wires.networks.nic_rate / wires.slowdown) + wires.latency
        time = time + (split.pp - 1) * hop[..., 0]
    return time


def bytes_between(engined: Engined, *, decoding: bool) -> float:
    """Bytes that enter a domain for one token of an answer or of a prompt: reduced states, one handed over per
    stage, and what goes to experts elsewhere and back."""
    a, split, domain = engined.architecture, engined.split, engined.machine.domain
    if not crosses(engined):
        return 0.0
    state, moved = ACTIVATION * a.hidden, 0.0
    if split.tp > domain:
        moved += a.reductions * 2.0 * state * (split.tp - 1) / split.tp
    if split.pp > 1:
        moved += state * (split.pp - 1)
    if split.dp > 1 and a.experts:
        ranks = _expert_ranks(engined)
        copies = float(np.ravel(_routing(engined, ranks, decoding).crossing(ranks))[0])
        moved += a.moe_layers * copies * a.dispatched_width * (_outward(engined) + ACTIVATION)
    return moved


def _expert_ranks(engined: Engined) -> Group:
    split = engined.split
    return _ranks(split.gpus // split.pp, engined.machine.domain)


@lru_cache(maxsize=256)  # a search asks for the same ones at every number of requests
def _ranks(size: int, domain: int) -> Group:
    """So many ranks beside each other."""
    return group(np.array([float(size)]), np.ones(1), domain)


def _routing(engined: Engined, ranks: Group, decoding: bool) -> Routing:
    a = engined.architecture
    limit = a.expert_group_limit * np.maximum(ranks.domains / a.expert_groups, 1.0) if a.expert_groups > 1 else np.inf
    return Routing(a.experts_per_token, limit, once=not decoding, direct=decoding)


def _outward(engined: Engined) -> float:
    """Bytes of an element on its way to the experts: narrow where their weights are (2412.19437, 3.3.2)."""
    narrow = element_bytes(weight_formats(engined.architecture, engined.precision)[1]) <= 1.0
    return 1.0 + SCALE_BYTES if narrow else ACTIVATION


def _exchange(wires: Wires, engined: Engined, state: np.ndarray, decoding: bool) -> np.ndarray:
    """Seconds of one layer's dispatch, and of the combine in 16 bits, (K, F, 1); ``state``: elements of a rank."""
    out, back = _ways(wires, engined, state, decoding)
    return out + back


def _ways(wires: Wires, engined: Engined, state: np.ndarray, decoding: bool) -> tuple[np.ndarray, np.ndarray]:
    ranks = _expert_ranks(engined)
    routing = _routing(engined, ranks, decoding)
    out = call_time(wires, _outward(engined) * state, ranks, routing)
    return out, call_time(wires, ACTIVATION * state, ranks, routing, combine=True)


@dataclass(frozen=True)
class SpreadLayer:
    """One mixture layer of a step that decodes, with its experts on several domains, over one network. Seconds:
    ``dispatch`` and ``combine`` of its tokens, and ``compute`` of the average layer beside them. ``token`` is a whole
    step, ``alone`` the same without what the network adds."""

    dispatch: float
    combine: float
    compute: float
    token: float
    alone: float


def spread_layers(engined: Engined, wires: Wires, requests: float, context: float) -> list[SpreadLayer]:
    """Each network of ``wires`` with so many requests decoded on each replica and so many tokens behind each; the
    middle of the slowdowns counts. Kernels of decoding send each copy straight to its expert (DeepEP, low latency)."""
    a = engined.architecture
    alone = float(engined.step(Shape(requests, context)))
    shape = np.broadcast_shapes(np.shape(wires.latency), (1, 1, 1))[:2]
    state = np.full((*shape, 1), requests * engined.guesses.checked * a.dispatched_width / engined.split.tp)
    out, back = (np.broadcast_to(way, (*shape, 1))[0, :, 0] for way in _ways(wires, engined, state, True))
    added = np.broadcast_to(decoding_added(engined, wires, requests, context), shape)[0]
    return [
        SpreadLayer(float(there), float(again), alone / a.layers, alone + float(more), alone)
        for there, again, more in zip(out, back, added, strict=True)
    ]
