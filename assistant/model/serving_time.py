"""Time of serving: one step of an engine, and what a request waits for under load.

A step decodes one token for each request of the batch and may carry prompts besides. Its products take the time of
reading the weights or of the arithmetic, whichever is longer, with a rounded corner between (a roofline whose
efficiency falls with few tokens); keys and values are read; every layer starts its kernels; tensor-parallel ranks
reduce what they computed; the host schedules, today while the GPU works on the step before (rooflines of decoding:
2211.05102; mixed steps: Sarathi, 2308.16369). Everything takes floats or arrays that broadcast. Seconds, bytes, tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeVar, cast

import numpy as np

from assistant.vocabulary.added import added

from .architecture import Architecture, element_bytes
from .machine import Machine
from .serving_constants import Engine, ServingConstants

Number = float | np.ndarray
T = TypeVar("T", float, np.ndarray)

# a product whose operands the GPU has no units for is computed in the next wider format that it has
COMPUTED_IN = {
    "nvfp4": ("fp4", "bf16"),
    "mxfp4": ("fp8", "bf16"),
    "fp8": ("fp8", "bf16"),
    "int8": ("fp8", "bf16"),
    "int4": ("bf16",),
    "bf16": ("bf16",),
    "fp16": ("fp16",),
    "fp32": ("fp32",),
}
LATEST_MXFP4 = "fp4"  # only GPUs with four-bit units multiply MXFP4 weights by eight-bit activations; others widen both


@dataclass(frozen=True)
class Split:
    """One way to spread a copy: ``tp`` ranks share each layer, ``pp`` stages, ``dp`` replicas of the attention whose
    experts are spread over all of them, in groups of ``ep``."""

    tp: int
    pp: int = 1
    dp: int = 1
    ep: int = 1

    @property
    def gpus(self) -> int:
        return self.tp * self.pp * self.dp


class Shape(NamedTuple):
    """What a step carries on one attention replica: requests decoded, tokens behind each of them, prompt tokens, and
    the tokens before them that they attend to on average."""

    batch: Number
    context: Number
    prompt: Number = 0.0
    behind: Number = 0.0


@dataclass(frozen=True)
class Guesses:
    """Further ``tokens`` that a step guesses for each request (multi-token prediction, a draft model) and checks in the
    same pass, each of them right with the probability ``accepted`` as long as those before it are (2211.17192)."""

    tokens: int = 0
    accepted: float = 0.0

    @property
    def checked(self) -> int:
        """Tokens of a request that a pass works on."""
        return 1 + self.tokens

    @property
    def gained(self) -> float:
        """Tokens of an answer that a pass writes on average."""
        return added(self.accepted**n for n in range(self.checked))


NOTHING_GUESSED = Guesses()


@dataclass(frozen=True)
class Engined:
    """A model on the GPUs of one copy under one engine."""

    architecture: Architecture
    machine: Machine
    split: Split
    precision: str
    kv_precision: str
    constants: ServingConstants
    engine: Engine
    streamed: bool = True
    guesses: Guesses = NOTHING_GUESSED

    def _rate(self, precision: str) -> float:
        """FLOP/s of large products of weights in a format."""
        peaks = self.machine.peak
        wanted = ("bf16",) if precision == "mxfp4" and self._widens else COMPUTED_IN[precision]
        found = next(one for one in wanted if one in peaks)
        narrow = self.constants.narrow if found in ("fp8", "fp4") else 1.0
        if precision == "fp8" and self.architecture.scaled_blocks:  # of 128, not the 32 that units for MXFP8 scale
            narrow = narrow * self.constants.blocked
        return peaks[found] * self.machine.gemm_efficiency * self.constants.matrix * narrow

    @cached_property
    def _reading(self) -> float:
        return self.machine.memory_bandwidth * self.constants.reading

    def _longer(self, read: Number, computed: Number) -> Number:
        return self._rounded(read**self.constants.corner, computed)

    def _rounded(self, read: Number, computed: Number) -> Number:
        """The longer of two times with a rounded corner; ``read`` is given to the power of the corner."""
        corner = self.constants.corner
        return (read + computed**corner) ** (1.0 / corner)

    @cached_property
    def _weights(self) -> tuple[_Weights, _Weights]:
        """Of a rank: what all tokens are multiplied by, and the head, that only those of answers are."""
        a, ranks = self.architecture, self.split.tp
        held, head = a.layers * a.shared_layer_params / ranks, a.embedding_params / ranks
        shared = weight_formats(a, self.precision)[0]
        return (
            _Weights(held, (held * element_bytes(shared) / self._reading) ** self.constants.corner, self._rate(shared)),
            _Weights(head, (head * 2.0 / self._reading) ** self.constants.corner, self._rate("bf16")),
        )

    @cached_property
    def _experts(self) -> tuple[float, float, float]:
        """Of a rank: parameters of its experts, bytes of each, seconds of a token's products with those it visits."""
        a, precision = self.architecture, weight_formats(self.architecture, self.precision)[1]
        routed = a.layers * a.expert_layer_params / (self.split.tp * self.split.dp)
        seconds = 2.0 * routed * a.experts_per_token / a.experts / self._rate(precision)
        return routed, element_bytes(precision), seconds

    @cached_property
    def _widens(self) -> bool:
        """Whether experts are kept in four bits that kernels widen on the way to units that have no such format."""
        return weight_formats(self.architecture, self.precision)[1] == "mxfp4" and LATEST_MXFP4 not in self.machine.peak

    def products(self, shape: Shape) -> Number:
        """Seconds of all products, each a roofline: the weights are read once for the tokens that are decoded and those
        of prompts."""
        a, (shared, head), tokens = self.architecture, self._weights, shape.batch + shape.prompt
        time = self._rounded(shared.read, 2.0 * tokens * shared.held / shared.rate)
        time = time + self._rounded(head.read, 2.0 * shape.batch * head.held / head.rate)
        if a.experts:
            routed, bytes_, seconds = self._experts
            everywhere = tokens * self.split.dp
            visited = 1.0 - (1.0 - a.experts_per_token / a.experts) ** everywhere
            widened = self.constants.widened if self._widens else 1.0
            read = visited * routed * bytes_ / self._reading
            time = time + self._longer(read, widened * self.constants.grouped * everywhere * seconds)
        return time

    @cached_property
    def _moving(self) -> Number:
        """Seconds of a token's states on their way between the products of all layers (residuals and norms, positions,
        gates, sums over experts), in 16 bits: read and written once by each fused kernel."""
        a, ranks = self.architecture, self.split.tp
        whole = 8.0 * a.hidden * a.layers + 2.0 * a.experts_per_token * a.dispatched_width * a.moe_layers
        inner = a.moe_layers * (a.experts_per_token * a.expert_ffn + a.shared_width) + a.plain_layers * a.ffn
        shared = (4.0 * (a.query_width + a.kv_width) * a.attention_layers + 3.0 * inner) / ranks
        return 2.0 * (whole + shared) * self.constants.moving / self.machine.memory_bandwidth

    def attention(self, shape: Shape) -> Number:
        """Seconds of scores and values: of decoding by reading the cache or by arithmetic, of prompts by arithmetic."""
        tp, rate, decoded = self.split.tp, self._attending, 0.0
        if isinstance(shape.batch, np.ndarray) or shape.batch:
            kept, flops, _ = self._of_tokens(shape.context)
            scored = shape.batch * self.guesses.checked * flops / tp / (rate * self._scores)
            read = shape.batch * kept * self._kv_share / (self.machine.memory_bandwidth * self.constants.cache)
            decoded = (read**ATTENTION_CORNER + scored**ATTENTION_CORNER) ** (1.0 / ATTENTION_CORNER)
        return decoded + shape.prompt * self._of_tokens(shape.behind)[2] / tp / rate

    @cached_property
    def _attending(self) -> float:
        """FLOP/s of scores and values of prompts."""
        return self.machine.peak["bf16"] * self.machine.attention_efficiency

    @cached_property
    def _kv_share(self) -> float:
        return self.architecture.kv_share(self.split.tp)

    def _of_tokens(self, count: Number) -> tuple[Number, Number, Number]:
        """With so many tokens before it: bytes of a request's cache, FLOPs of scores and values of a decoded token and
        of one of a prompt. A load asks for few numbers of tokens, again and again."""
        if isinstance(count, np.ndarray):
            return _after(self.architecture, self.kv_precision, count)
        if count not in self._counts:
            self._counts[count] = _after_number(self.architecture, self.kv_precision, count)
        return self._counts[count]

    @cached_property
    def _counts(self) -> dict[float, tuple[Number, Number, Number]]:
        return {}

    @cached_property
    def _scores(self) -> Number:
        a = self.architecture
        if a.latent is not None:
            return 1.0  # decoding multiplies all heads by one latent at once, as the attention of prompts does
        if (
            a.heads == PACKED_HEADS * a.kv_heads
            and a.head_dim == PACKED_WIDTH
            and element_bytes(self.kv_precision) == 1
        ):
            return larger(self.engine.scores, self.constants.packed)
        return self.engine.scores

    def reductions(self, tokens: Number) -> Number:
        """Seconds of the collectives inside the node: all-reduces over ``tp`` ranks, and what the experts' tokens
        travel where the attention has replicas."""
        a, split = self.architecture, self.split
        time: Number = 0.0
        if split.gpus > self.machine.domain:  # the network's part is another's
            return time
        if split.tp > 1:
            time = time + a.reductions * self._reduced(split.tp, tokens * a.hidden * 2.0)
        if split.dp > 1 and a.experts:
            copies = min(split.dp, a.experts_per_token)  # of a token, out and back
            time = time + a.moe_layers * self._reduced(split.tp * split.dp, tokens * copies * a.dispatched_width * 2.0)
        return time

    def _reduced(self, ranks: int, bytes_: Number) -> Number:
        """Seconds of an all-reduce, or of two exchanges of as many bytes: each rank reads what all others have, or sums
        its part and hands it on, whichever is sooner (the engines' custom all-reduces, beyond 8 MB NCCL)."""
        if ranks not in self._reductions:
            c, engine, machine = self.constants, self.engine, self.machine
            slow = max(1.0, machine.small_all_reduce / NVLINK_ALL_REDUCE)
            start, more = engine.reduce * slow + engine.wait, engine.again * float(np.log2(ranks))
            once = (ranks - 1) / (machine.scale_up_bandwidth * c.reduce_once)
            twice = 2.0 * (ranks - 1) / ranks / (machine.scale_up_bandwidth * c.reduce_share)
            self._reductions[ranks] = start, more, once, twice
        start, more, once, twice = self._reductions[ranks]
        return start + smaller(bytes_ * once, more + bytes_ * twice)

    @cached_property
    def _reductions(self) -> dict[int, tuple[Number, Number, Number, Number]]:
        """By ranks: seconds to begin, those that a second pass adds, seconds per byte of one pass and of two."""
        return {}

    def step(self, shape: Shape) -> Number:
        """Seconds of one step on ``split.pp`` stages one after another, without the network between them; where further
        tokens are guessed, of one token's part of it, and of all that prompts add."""
        if not self.guesses.tokens or not np.any(shape.batch):
            return self._pass(shape)
        alone = Shape(shape.batch, shape.context)
        # what guesses is taken as one layer of the model for each guess
        guessed = self.guesses.tokens * (self.products(alone) + self.attention(alone)) / self.architecture.layers
        decoded = self._pass(alone)
        return (decoded + guessed) / self.guesses.gained + self._pass(shape) - decoded

    def _pass(self, shape: Shape) -> Number:
        checked = shape._replace(batch=shape.batch * self.guesses.checked) if self.guesses.tokens else shape
        plain, mixed, answer = self._fixed
        if isinstance(shape.prompt, np.ndarray):
            layers = np.where(shape.prompt > 0, mixed, plain)
        else:
            layers = mixed if shape.prompt > 0 else plain
        host = self.engine.host + answer * shape.batch * self.split.pp
        tokens = checked.batch + shape.prompt
        worked = self.products(checked) + self.attention(shape) + self.reductions(tokens) + layers
        worked = worked + self._moving * tokens
        overlap = self.engine.overlap
        return (worked**overlap + host**overlap) ** (1.0 / overlap)

    @cached_property
    def _fixed(self) -> tuple[Number, Number, Number]:
        """Seconds of all layers in a step of answers alone, and of one with prompts; of a request of the batch."""
        a, engine = self.architecture, self.engine
        scaled = engine.scaled * self._scaled_products
        latent = engine.latent if a.latent is not None else 0.0
        widened = engine.widening if self._widens else 0.0
        layer, routed = engine.layer + scaled + latent, a.moe_layers * (engine.routed + widened)
        plain, mixed = (a.layers * (layer + more) + routed for more in (0.0, engine.mixed))
        return plain, mixed, engine.answer + (engine.stream if self.streamed else 0.0)

    @cached_property
    def _scaled_products(self) -> float:
        """Inputs of a layer's products that are scaled in blocks before each, over the four of a dense layer (into and
        out of attention, into and inside the MLP); latent attention has five, shared experts their own two. Where only
        experts are in four bits, on units for them, their first product gives its result scaled: one remains."""
        a = self.architecture
        shared, experts = weight_formats(a, self.precision)
        sorted_ = (
            2 * a.moe_layers / a.layers
        )  # experts' inputs are scaled after they were sorted, by kernels of their own
        if shared == "nvfp4" or (shared == "fp8" and a.scaled_blocks):
            return ((2 if a.latent is None else 5) + 2 + 2 * (a.shared_experts > 0) + sorted_) / 4.0
        if shared in ("fp8", "int8"):
            return self.constants.cast
        return (experts == "nvfp4" or (experts == "mxfp4" and not self._widens)) / 4.0


def _after(a: Architecture, kv_precision: str, count: Number) -> tuple[Number, Number, Number]:
    """What :meth:`Engined._of_tokens` tells, which is the same on all GPUs."""
    return a.read_bytes(count, kv_precision), a.decode_attention_flops(count), a.visible_attention_flops(count)


_after_number = lru_cache(maxsize=256)(_after)


class _Weights(NamedTuple):
    """Weights of a rank: parameters, what reading them takes to the power of the corner, FLOP/s of their products."""

    held: float
    read: Number
    rate: Number


def larger(one: Number, other: Number) -> Number:
    """The larger of two; of numbers without the start that ``np.maximum`` takes."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.maximum(one, other)
    return max(one, other)


def smaller(one: Number, other: Number) -> Number:
    """The smaller of two, likewise."""
    return -larger(-one, -other)


ATTENTION_CORNER = 3.0  # a kernel of attention is bound by one or the other: assumed, nearly sharp
# what TensorRT-LLM's XQA kernels are built for, with keys in eight bits
PACKED_HEADS, PACKED_WIDTH = 8, 128
_ALONE = 1e-3  # requests in flight: nobody else is there
SEARCHED = 10  # halvings of the requests in flight: to a thousandth of the most
_ROUNDING = 1e-9  # a number in flight is taken as too few or enough with so much to spare for its last bits
ROUNDS = 3  # of the batch that follows from the times that follow from the batch: further ones change a thousandth
NVLINK_ALL_REDUCE = 5.1e-6  # seconds of a small all-reduce on the links that ``reduce_kernel`` was measured on


def weight_formats(a: Architecture, precision: str) -> tuple[str, str]:
    """Formats of the weights outside the experts and of the experts: four-bit mixtures keep attention in 16 bits."""
    if a.experts and precision in ("int4", "mxfp4", "nvfp4"):
        return "bf16", precision
    return precision, precision


@dataclass(frozen=True)
class Load:
    """Requests of one kind on one copy. ``concurrency``: in flight, waiting ones included; ``held``: what memory
    holds at most; ``chunk``: tokens of prompts that a step carries at most; ``separate``: prompts are worked on
    by other GPUs, so that no step has any besides; ``grouped``: each request is followed at once by another, as a
    benchmark does it, so that those that began together go on together; else they come at random. ``cached``: share of
    a prompt whose keys and values are there already, from another request with the same beginning."""

    prompt_tokens: float
    output_tokens: float
    concurrency: Number
    held: Number
    chunk: float = 8192.0
    separate: bool = False
    grouped: bool = True
    cached: float = 0.0

    @property
    def fresh(self) -> float:
        """Tokens of a prompt that are worked on."""
        return self.prompt_tokens * (1.0 - self.cached)

    @property
    def behind(self) -> float:
        """Tokens before each of them on average."""
        return self.prompt_tokens * (1.0 + self.cached) / 2.0


@dataclass(frozen=True)
class Served:
    """What a copy delivers: seconds to the first token and per further one, requests in the batch, output tokens/s."""

    ttft: float
    tpot: float
    batch: float
    output_tokens_per_s: float


def _served(*figures: Number) -> Served:
    """Figures of one set of constants; only a fit asks with several, as arrays."""
    return Served(*cast("tuple[float, float, float, float]", figures))


# seconds that the network adds to a pass of a copy over several domains: with requests and prompts in it as in a step
OnNetwork = Callable[[Shape], Number]


def _decoding(engined: Engined, load: Load, batch: Number) -> Shape:
    """A pass for ``batch`` requests half way through their answers."""
    middle = load.prompt_tokens + load.output_tokens / 2.0
    return Shape(batch / engined.split.dp / engined.split.pp, middle)


def _passed(engined: Engined, shape: Shape, network: OnNetwork | None) -> Number:
    return engined.step(shape) if network is None else engined.step(shape) + network(shape)


def decoded(engined: Engined, load: Load, batch: Number, network: OnNetwork | None = None) -> Number:
    """Seconds of a decoding step for ``batch`` requests half way through their answers."""
    return _passed(engined, _decoding(engined, load, batch), network)


def _interference(
    engined: Engined, load: Load, shape: Shape, alone: Number, network: OnNetwork | None = None
) -> Number:
    """Seconds that the prompts of those who follow add to a step of answers ``alone``: each request that ends makes
    room for a prompt, batch ÷ answer length of them in a step."""
    arriving = shape.batch / load.output_tokens
    together = larger(arriving, min(1.0, load.chunk / load.fresh))
    mixed = _passed(engined, shape._replace(prompt=together * load.fresh, behind=load.behind), network)
    return arriving / together * (mixed - alone)


def prefilled(engined: Engined, load: Load, prompts: Number = 1.0, network: OnNetwork | None = None) -> Number:
    """Seconds of so many prompts by themselves, in steps of at most ``chunk`` tokens."""
    tokens = prompts * load.fresh
    steps = larger(1.0, tokens / load.chunk)
    return steps * _passed(engined, Shape(0.0, 0.0, tokens / steps, load.behind), network)


def under_load(engined: Engined, load: Load, network: OnNetwork | None = None) -> Served:
    """A constant number of requests in flight. With what a network adds to each pass the figures are arrays as it
    says them.

    Where requests are grouped, a part of those in flight always begins at once, and each waits for the prompts of all
    of them, which come between its tokens no more; where they come at random, a prompt waits for those before it as in
    a queue with one server and equal services: busy ÷ (2·idle) of its own time (Pollaczek and Khinchine).
    """
    most = smaller(load.concurrency, load.held)
    replicas = engined.split.dp * engined.split.pp
    beside = engined.engine.wave * larger(most / replicas - 1.0, 0.0) if load.grouped else 0.0
    between = 1.0 - engined.engine.wave if load.grouped else 1.0
    own = prefilled(engined, load, 1.0 + beside, network)
    batch: Number = most
    tpot: Number = 0.0
    ttft: Number = 0.0
    for _ in range(ROUNDS):
        shape = _decoding(engined, load, batch)
        alone = _passed(engined, shape, network)
        tpot = alone + (0.0 if load.separate else between * _interference(engined, load, shape, alone, network))
        queue = 0.0 if load.grouped else _queue(1.0 - alone / tpot) * own
        ttft = engined.engine.first + own + queue + tpot
        answering = load.output_tokens * tpot
        batch = most * answering / (answering + ttft)
    waiting = larger(0.0, load.concurrency - load.held) * tpot * load.output_tokens / load.held
    return _served(ttft + waiting, tpot, batch, batch / tpot)


def _queue(busy: Number) -> Number:
    return busy / (2.0 * (1.0 - busy))


def slowed_at_rate(engined: Engined, load: Load, rate: float, network: OnNetwork) -> tuple[Load, Served]:
    """:func:`at_rate` where a network has its part in every pass; arrays as it says them. Asked again is only where it
    is not known of all of them."""
    asked, full = rate * load.output_tokens, under_load(engined, load, network)
    carried = full.output_tokens_per_s >= asked
    low, high = np.zeros(np.shape(full.tpot)), np.full(np.shape(full.tpot), float(load.concurrency))
    few = np.where(carried, 0.0, np.inf)  # what no number carries is searched for nowhere
    enough = _following(high, full, asked) * (1.0 + _ROUNDING)
    for _ in range(SEARCHED):
        middle = 0.5 * (low + high)
        flying = np.maximum(middle, _ALONE)
        short = flying < few
        if not np.all(short | (flying >= enough)):
            tried = under_load(engined, replace(load, concurrency=flying), network)
            short, following = tried.output_tokens_per_s < asked, _following(flying, tried, asked)
            few = np.where(short, np.maximum(few, following * (1.0 - _ROUNDING)), few)
            enough = np.where(short, enough, np.minimum(enough, following * (1.0 + _ROUNDING)))
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    found = replace(load, concurrency=np.where(carried, np.maximum(high, _ALONE), load.concurrency))
    return found, under_load(engined, found, network)


def at_rate(engined: Engined, load: Load, full: Served, rate: float) -> tuple[Load, Served]:
    """So many requests a second, as far as ``load.concurrency`` in flight carries them, which is ``full``: in flight
    are the rate times the seconds that a request stays (Little's law).

    Nobody stays longer among fewer. So with what some in flight lead to it is known of others whether they are too few:
    of more than these as long as they are fewer than the rate times as long as one stays among these, and of fewer that
    they are enough from there on.
    """
    asked, low, high = rate * load.output_tokens, 0.0, float(load.concurrency)
    if full.output_tokens_per_s < asked:
        return load, full
    few, enough, served = 0.0, _following(high, full, asked) * (1.0 + _ROUNDING), {high: full}
    for _ in range(SEARCHED):
        middle = 0.5 * (low + high)
        flying = max(middle, _ALONE)
        short = flying < few
        if not short and flying < enough:
            served[middle] = tried = under_load(engined, replace(load, concurrency=flying))
            short = tried.output_tokens_per_s < asked
            if short:
                few = max(few, _following(flying, tried, asked) * (1.0 - _ROUNDING))
            else:
                enough = min(enough, _following(flying, tried, asked) * (1.0 + _ROUNDING))
        low, high = (middle, high) if short else (low, middle)
    found = replace(load, concurrency=high)
    known = served.get(high) if high >= _ALONE else None
    return found, known or under_load(engined, found)


def _following(flying: T, served: Served, asked: float) -> T:
    """Requests in flight that follow from ``asked`` output tokens per second if one stays as long as among so many."""
    return flying * asked / served.output_tokens_per_s


def fastest_within(engined: Engined, load: Load, ttft: float | None, tpot: float | None) -> Load:
    """The load with as many in flight as keep both targets, one request at least."""
    low, high = 1.0, load.concurrency
    if _keeps(engined, load, ttft, tpot):
        return load
    for _ in range(SEARCHED):
        middle = 0.5 * (low + high)
        kept = _keeps(engined, replace(load, concurrency=middle), ttft, tpot)
        low, high = (middle, high) if kept else (low, middle)
    return replace(load, concurrency=float(int(low)))


def _keeps(engined: Engined, load: Load, ttft: float | None, tpot: float | None) -> bool:
    served = under_load(engined, load)
    return served.tpot <= (tpot or np.inf) and served.ttft <= (ttft or np.inf)


def one_batch(engined: Engined, load: Load) -> Served:
    """One batch from its prompts to its last tokens; what memory does not hold follows in further batches."""
    waves = -(-load.concurrency // max(load.held, 1.0))
    batch = load.concurrency / waves
    first = prefilled(engined, load, batch / engined.split.dp)
    tpot = decoded(engined, load, batch)
    return _served(first, tpot, batch, batch * load.output_tokens / (first + (load.output_tokens - 1.0) * tpot))
