"""Serving on each network: of copies that answer by themselves, or with prompts and answers on nodes of their own.

Each side is cut as carries most per GPU within the targets; instances are as said, or as many of each as balance. In
a rack whose links join all its GPUs both sides lie together, so that no cache leaves it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from math import ceil

import numpy as np

from assistant.vocabulary.large_messages import NETWORK_SPREAD
from assistant.vocabulary.plan import Band

from . import inference, layouts
from .cache_transfer import transfer_rate, transfer_seconds
from .collectives import Wires
from .disaggregation import (
    Link,
    ServedApart,
    Side,
    balanced,
    nothing_added,
    prompt_seconds,
    prompts_carried,
    served_apart,
    token_seconds,
)
from .inference import LARGEST_BATCH, ONLINE_BATCH, InferenceOutcome, Serving, Sides, engined, holds
from .machine import Machine
from .network import Network, Networks
from .serving_constants import spreads_of
from .serving_memory import memory_used
from .serving_network import (
    between_domains,
    bytes_between,
    crosses,
    decoding_added,
    prefill_added,
    remembered,
    spread_out,
)
from .serving_time import Engined, Load, Number, Shape, Split
from .uncertainty import RATIOS, drawn_times, quantiles

MIDDLE = list(RATIOS).index(1.0)
_HARDLY = 1e-9  # requests/s: next to none
COMPARED = 3  # pairs of cuts whose times at the load are worked out
HALVINGS = 12  # of the batch that keeps a target
_AT_ONCE = 4  # halvings whose numbers are tried beside each other: an array of fifteen takes as long as one of them
_TRIED = np.arange(1, 1 << _AT_ONCE) / (1 << _AT_ONCE)  # of what is between


def predict_inference(
    serving: Serving, machine: Machine, networks: Sequence[Network], cuts: Cuts | None = None
) -> list[InferenceOutcome]:
    """One outcome per network, in their order. ``cuts``: of the sides on these networks, where they are there already
    from other numbers of the same GPUs."""
    if not serving.disaggregated:
        return layouts.predict_inference(serving, machine, networks)
    ways = _ways(serving, machine, networks, cuts or Cuts(machine, networks))
    found = [_outcomes(serving, machine, networks, way) for way in ways]
    return [min(of_network, key=partial(_rank, serving)) for of_network in zip(*found, strict=True)]


def _rank(serving: Serving, one: InferenceOutcome) -> tuple[float, ...]:
    """The least is best: it fits, carries the load within the targets, and then is fastest at it; without a load it
    carries most."""
    late = max(1.0, one.time_to_first_token_s / (serving.ttft or np.inf))
    late *= max(1.0, one.time_per_output_token_s / (serving.tpot or np.inf))
    if not serving.loaded:
        return (not one.fits, late, -one.carries)
    short = max(1.0, (serving.requests_per_s or 0.0) / max(one.carries, _HARDLY) - _HARDLY)
    return (not one.fits, short, late, one.request_latency_s)


@dataclass(frozen=True)
class Way:
    """How both sides are cut, instances of each, requests that an instance of decode has in its batch at most, and
    whether a cache stays inside its scale-up domain."""

    prefill: Split
    decode: Split
    readers: int
    writers: int
    batch: float
    inside: bool


def splits_of(serving: Serving, machine: Machine, gpus: int | None) -> list[Split]:
    """Ways to cut an instance of one side, of ``gpus`` GPUs where they are said; of those that hold a request where any
    does. A mixture's experts may lie on several nodes with a replica of the attention on every GPU."""
    a, domain = serving.architecture, machine.domain
    if gpus is not None:
        cut = [Split(gpus)] if gpus <= domain else [Split(domain, gpus // domain)] * (gpus % domain == 0)
        cut = [one for one in cut if not a.heads or a.heads % one.tp == 0]
        cut += [Split(1, 1, gpus, gpus)] if a.experts and gpus > 1 else []
        cut = cut or [Split(1, gpus)]
    else:
        cut = inference.splits_for(serving, machine)
        if a.experts and not (serving.tensor_parallel or serving.data_parallel):
            doubled = [domain << d for d in range(1, 8)]
            cut += [Split(1, 1, n, n) for n in doubled if n <= min(serving.gpus // 2, a.experts)]
    return [one for one in cut if holds(serving, machine, one) >= 1] or cut


class Cuts:
    """Both sides of one load, cut each way, on one kind of machine and some networks: an instance does the same however
    many stand beside it."""

    def __init__(self, machine: Machine, networks: Sequence[Network]) -> None:
        self._wires = Wires(machine, Networks(networks), np.ones((1, 1, 1)))
        self._each = _tried(self._wires)
        self._readers: dict[Split, _Cut] = {}
        self._writers: dict[Split, _Cut] = {}

    def readers(self, serving: Serving, machine: Machine) -> list[_Cut]:
        """Of prefill, those that ``serving.gpus`` leave room for."""
        found = splits_of(serving, machine, serving.prefill_gpus)
        for split in found:
            if split not in self._readers:
                self._readers[split] = _reading(serving, machine, self._wires, split)
        return [self._readers[split] for split in found]

    def writers(self, serving: Serving, machine: Machine) -> list[_Cut]:
        """Of decode."""
        found = splits_of(serving, machine, serving.decode_gpus)
        for split in found:
            if split not in self._writers:
                self._writers[split] = _writing(serving, machine, self._wires, self._each, split)
        return [self._writers[split] for split in found]


def _tried(wires: Wires) -> Wires:
    """Each network as often as numbers are tried on it beside each other."""
    columns = wires.networks.some(np.repeat(np.arange(len(wires.networks)), len(_TRIED)))
    return Wires(wires.machine, columns, wires.slowdown)


def _bracket(keeps: Callable[[np.ndarray], Number], low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is left after :data:`HALVINGS` of the numbers, (K, F), between one that keeps and one that does not.
    ``keeps`` is asked of those that are :func:`_tried`, (K, F times their number)."""
    for _ in range(HALVINGS // _AT_ONCE):
        tried = low[..., None] + (high - low)[..., None] * _TRIED
        kept = np.broadcast_to(keeps(tried.reshape(len(low), -1)), (len(low), tried[0].size)).reshape(tried.shape)
        at = np.zeros(low.shape, dtype=int)
        for width in (1 << n for n in reversed(range(_AT_ONCE))):
            at += width * np.take_along_axis(kept, (at + width - 1)[..., None], -1)[..., 0]
        least, step = low, (high - low) / (1 << _AT_ONCE)
        low, high = least + step * at, least + step * (at + 1)
    return low, high


def fewest_gpus(serving: Serving, machine: Machine, cuts: Cuts, rate: float) -> int:
    """GPUs without which no cut of both sides carries so many requests per second, or those in flight, on a network."""
    held = serving.concurrency or 1.0
    reading = min(_needed(p, rate, 0.0) for p in cuts.readers(serving, machine))
    return reading + min(_needed(d, rate, held) for d in cuts.writers(serving, machine))


def answers_in_time(serving: Serving, machine: Machine) -> bool:
    """Whether some cut of each side keeps the targets with nothing else to do and a network that takes no time; what is
    late even so is late on any number of instances."""
    load = _load(serving, 1.0, 1.0)
    readers = [Side(engined(serving, machine, s), 1) for s in splits_of(serving, machine, serving.prefill_gpus)]
    writers = [Side(engined(serving, machine, s), 1) for s in splits_of(serving, machine, serving.decode_gpus)]
    token = min(float(token_seconds(one, load, _HARDLY)) for one in writers)
    first = min(one.engined.engine.first + float(prompt_seconds(one, load)) for one in readers) + token
    return first <= (serving.ttft or np.inf) and token <= (serving.tpot or np.inf)


def _needed(cut: _Cut, rate: float, held: float) -> int:
    """GPUs of one side."""
    return cut.split.gpus * max(1, ceil(rate / cut.carries[0]), ceil(held / cut.batch[0]))


def _ways(serving: Serving, machine: Machine, networks: Sequence[Network], cuts: Cuts) -> list[Way]:
    """Those that carry most on each network."""
    readers, writers = cuts.readers(serving, machine), cuts.writers(serving, machine)
    room = serving.gpus
    pairs = [(p, d) for p in readers for d in writers if p.split.gpus + d.split.gpus <= room]
    pairs = pairs or [(readers[0], writers[0])]
    found: dict[Way, None] = {}
    for f in range(len(networks)):
        ranked = sorted((_paired(serving, machine, p, d, f) for p, d in pairs), key=lambda one: -one[0])
        found |= dict.fromkeys(way for _, way in ranked[:COMPARED])
    return list(found)


@dataclass(frozen=True)
class _Cut:
    """A side cut one way: whether an instance holds a request; on each network requests per second of one, those that
    an instance of decode answers together, and whether it is later than the target."""

    split: Split
    fits: bool
    carries: list[float]
    batch: list[float]
    late: list[bool]


def _load(serving: Serving, concurrency: Number, held: Number) -> Load:
    grouped = serving.concurrency is not None
    return Load(*serving.lengths, concurrency, held, separate=True, grouped=grouped, cached=serving.cached)  # type: ignore[arg-type]


def side_of(serving: Serving, machine: Machine, split: Split, wires: Wires, workers: int, *, decoding: bool) -> Side:
    """Instances of one side, with what the network adds to their passes."""
    one = engined(serving, machine, split)
    return Side(one, workers, partial(_added, wires=wires, decoding=decoding) if crosses(one) else nothing_added)


def _added(one: Engined, tokens: Number, context: Number, wires: Wires, decoding: bool) -> Number:
    """Seconds that the network adds to a pass of one side."""
    if decoding:
        return decoding_added(one, wires, tokens, context)
    if not spread_out(one):  # nothing of it hides behind compute
        return between_domains(wires, one, tokens, decoding=False)
    return prefill_added(one, wires, tokens, one.step(Shape(0.0, 0.0, tokens, context)))


def _reading(serving: Serving, machine: Machine, wires: Wires, split: Split) -> _Cut:
    side, load = side_of(serving, machine, split, wires, 1, decoding=False), _load(serving, 1.0, 1.0)
    many = np.zeros((1, len(wires.networks)))
    own = np.ravel(prompt_seconds(side, load) + many)
    late = own > (serving.ttft or np.inf)
    fits = holds(serving, machine, split) >= 1
    carries = np.ravel(prompts_carried(side, load) + many)
    return _Cut(split, fits, carries.tolist(), [1.0] * len(own), late.tolist())


def _writing(serving: Serving, machine: Machine, wires: Wires, tried: Wires, split: Split) -> _Cut:
    """The largest batch that keeps the target, else as many as serving stacks batch."""
    side, load = side_of(serving, machine, split, wires, 1, decoding=True), _load(serving, 1.0, 1.0)
    room = _room(serving, machine, split)
    if serving.tpot is None and not serving.concurrency:
        room = min(room, ONLINE_BATCH * (split.gpus if crosses(side.engined) else 1))
    high = np.full((1, len(wires.networks)), room)
    if serving.tpot is not None:
        kept, target = np.broadcast_to(token_seconds(side, load, high) <= serving.tpot, high.shape), serving.tpot
        if not kept.all():
            each = side_of(serving, machine, split, tried, 1, decoding=True)
            low, _ = _bracket(lambda batch: token_seconds(each, load, batch) <= target, np.ones(high.shape), high)
            high = np.where(kept, high, np.maximum(np.floor(low), 1.0))
    tpot = np.ravel(token_seconds(side, load, high) + 0.0 * high)
    batch = np.ravel(high)
    fits, late = holds(serving, machine, split) >= 1, tpot > (serving.tpot or np.inf)
    carries = batch / (tpot * serving.output_tokens)
    return _Cut(split, fits, carries.tolist(), batch.tolist(), late.tolist())


def _room(serving: Serving, machine: Machine, split: Split) -> float:
    """Requests that an instance of decode answers together at most."""
    return max(1.0, min(float(int(holds(serving, machine, split))), LARGEST_BATCH * split.dp))


def _paired(serving: Serving, machine: Machine, p: _Cut, d: _Cut, f: int) -> tuple[float, Way]:
    """What a pair of cuts carries on all GPUs, and with how many instances of each."""
    pair = p.split.gpus + d.split.gpus
    rack = machine.domain > machine.gpus_per_node and pair <= machine.domain and machine.domains > 1
    inside, groups = rack or machine.domains == 1, serving.gpus // machine.domain if rack else 1
    room = machine.domain if rack else serving.gpus
    x, y = serving.prefill_workers, serving.decode_workers
    if x is None and y is None:
        x, y = balanced(p.split.gpus, d.split.gpus, p.carries[f], d.carries[f], room)
        x, y = groups * x, groups * y
    elif x is None or y is None:  # the other side as far as it keeps up with the one that is said
        ratio = p.carries[f] / d.carries[f]
        x, y = x or max(1, ceil((y or 1) / ratio)), y or max(1, ceil((x or 1) * ratio))
    carried = min(x * p.carries[f], y * d.carries[f])
    unlike = 1e-3 ** float(p.late[f] + d.late[f])
    fits = p.fits and d.fits
    used = x * p.split.gpus + y * d.split.gpus
    worth = carried * unlike * (1.0 if fits else 1e-9) * (1.0 - 1e-6 * used)  # of as much the fewest GPUs
    return worth, Way(p.split, d.split, x, y, d.batch[f], inside)


def _outcomes(serving: Serving, machine: Machine, networks: Sequence[Network], way: Way) -> list[InferenceOutcome]:
    wires = Wires(machine, Networks(networks), RATIOS[:, None, None])
    prefill, decode, link = _sides_of(serving, machine, wires, way)
    workers = max(way.writers, 1)
    held = max(1.0, holds(serving, machine, way.decode)) * workers
    open_ended = serving.requests_per_s is not None and serving.tpot is None
    batch = _room(serving, machine, way.decode) if open_ended else way.batch
    load = _load(serving, float(serving.concurrency or batch * workers), held)
    many = np.zeros((len(RATIOS), len(networks)))
    served = served_apart(prefill, decode, load, link, serving.requests_per_s)
    free = served
    if np.any(np.isfinite(link.carries)):
        free = served_apart(prefill, decode, load, Link(link.seconds), serving.requests_per_s)
    wanted = (serving.requests_per_s or free.requests_per_s) / link.carries
    table = {f.name: getattr(served, f.name) + many for f in fields(served)} | {"wanted": wanted + many}
    table["within"] = _within(serving, machine, wires, way, load, served) + many
    table["tpot"] = free.tpot + many  # not that of the fewer answers that a slow network leaves to be written
    spread = spreads_of(machine.constants, machine.gpu, serving.architecture.experts)
    names = [one.id for one in networks]
    errors = np.array([NETWORK_SPREAD[one.transport] for one in networks])
    draws = drawn_times(table["tpot"], spread.tpot, names, errors)
    bands = quantiles(draws)
    requests, guesses = table["batch"] / decode.replicas, serving.guesses
    added = decode.added(decode.engined, requests, load.prompt_tokens + load.output_tokens / 2.0) + many
    waited = added + decode.engined.reductions(requests * guesses.checked) / guesses.gained
    memory = max(
        memory_used(serving.architecture, way.decode, serving.formats, serving.lengths, way.batch),
        memory_used(serving.architecture, way.prefill, serving.formats, (load.prompt_tokens, 0.0), way.prefill.dp),
    )
    return [
        _outcome(
            serving,
            machine,
            network,
            way,
            {name: float(value[MIDDLE, f]) for name, value in table.items()},
            (draws[f], bands[:, f], float(added[MIDDLE, f]), float(waited[MIDDLE, f]), memory),
        )
        for f, network in enumerate(networks)
    ]


def _sides_of(serving: Serving, machine: Machine, wires: Wires, way: Way) -> tuple[Side, Side, Link]:
    """Prefill, decode and what is between them; where one has no instance, with one of it."""
    readers, writers = (way.readers, way.writers) if way.readers and way.writers else (1, 1)
    prefill = side_of(serving, machine, way.prefill, wires, readers, decoding=False)
    decode = side_of(serving, machine, way.decode, wires, writers, decoding=True)
    return prefill, decode, _link(serving, wires, way)


def _within(serving: Serving, machine: Machine, wires: Wires, way: Way, load: Load, served: ServedApart) -> Number:
    """Requests per second at most within the targets, on each network; 0 where not even one is answered in time."""
    prefill, decode, link = _sides_of(serving, machine, wires, way)
    least = token_seconds(decode, load, np.minimum(1.0, load.concurrency))
    most = np.where(least <= (serving.tpot or np.inf), served.carries, 0.0)
    if serving.ttft is None:
        return most
    most, target = most + np.zeros((len(RATIOS), len(wires.networks))), serving.ttft
    least = served_apart(prefill, decode, load, link, np.maximum(most * 0.5**HALVINGS, _HARDLY)).ttft
    if not np.any(least <= target):
        return np.zeros(most.shape)
    prefill, decode, link = _sides_of(serving, machine, _tried(wires), way)
    each = np.repeat(most, len(_TRIED), axis=1)

    def kept(share: np.ndarray) -> Number:
        return served_apart(prefill, decode, load, link, np.maximum(share * each, _HARDLY)).ttft <= target

    low, high = _bracket(kept, np.zeros(most.shape), np.ones(most.shape))
    return np.where(low > 0.0, high, 0.0) * most


def _link(serving: Serving, wires: Wires, way: Way) -> Link:
    """A cache goes from the GPUs of one instance to those of another; all share what leaves the side of fewer GPUs."""
    kv = serving.kv_of_prompt
    narrow = min(way.prefill.gpus, way.decode.gpus)
    fetched = inference.fetching(serving, wires, way.prefill)
    if way.inside:
        return Link(kv / (wires.machine.scale_up_bandwidth * narrow) + fetched)
    all_ = max(1, min(way.readers * way.prefill.gpus, way.writers * way.decode.gpus))
    seconds, rate = transfer_seconds(wires, kv, narrow), transfer_rate(wires, all_)
    return Link(seconds[..., 0] + fetched, rate[..., 0] / max(kv, serving.fetched_bytes))  # both ways at once


def _outcome(
    serving: Serving,
    machine: Machine,
    network: Network,
    way: Way,
    at: dict[str, float],
    drawn: tuple[np.ndarray, np.ndarray, float, float, float],
) -> InferenceOutcome:
    draws, band, added, waited, memory = drawn
    spread = spreads_of(machine.constants, machine.gpu, serving.architecture.experts)
    workers = way.readers + way.writers
    reading, writing = (engined(serving, machine, one) for one in (way.prefill, way.decode))
    token, prompt = bytes_between(writing, decoding=True), bytes_between(reading, decoding=False)
    moved = 0.0 if way.inside else serving.kv_of_prompt
    asked, used = serving.requests_per_s, way.readers * way.prefill.gpus + way.writers * way.decode.gpus
    crosses_ = max(way.prefill.gpus, way.decode.gpus) > machine.domain or not way.inside
    kept = at["ttft"] <= (serving.ttft or np.inf) and at["tpot"] <= (serving.tpot or np.inf)
    return InferenceOutcome(
        network=network.id,
        parallelism=_parallelism(way),
        replicas=workers,
        replicas_needed=None if asked is None else int(np.ceil(workers * asked / at["carries"] - 1e-6)),
        nodes_per_replica=-(-max(way.prefill.gpus, way.decode.gpus) // machine.domain),
        gpus_per_replica=way.decode.gpus,
        concurrency=max(
            1, round(at["requests_per_s"] * (at["ttft"] + serving.output_tokens * at["tpot"]) / max(workers, 1))
        ),
        held=int(holds(serving, machine, way.decode) * way.writers / max(workers, 1)),
        time_per_output_token_s=at["tpot"],
        time_to_first_token_s=at["ttft"],
        first_token=spread.band(at["ttft"], spread.ttft),
        request_latency_s=at["ttft"] + (serving.output_tokens - 1) * at["tpot"],
        requests_per_s=at["requests_per_s"],
        carries=at["within"],
        output_tokens_per_s=at["output_tokens_per_s"],
        output_rate=spread.band(at["output_tokens_per_s"], spread.rate),
        tokens_per_s_per_gpu=at["carries"] * serving.output_tokens / max(used, 1) if workers else 0.0,
        kv_bytes_per_request=serving.kv_of_prompt,
        across_nodes_per_token=token,
        across_nodes_per_request=moved
        + serving.fetched_bytes
        + prompt * serving.prompt_tokens * (1 - serving.cached)
        + token * serving.output_tokens,
        exposed_communication_percent=100.0 * min(1.0, waited / at["tpot"]),
        memory_bytes=memory,
        fits=min(way.readers, way.writers) >= 1
        and used <= serving.gpus
        and min(holds(serving, machine, one) for one in (way.prefill, way.decode)) >= 1
        and (not crosses_ or network.possible),
        meets_targets=None if serving.ttft is serving.tpot is None else kept,
        band=Band(p10=float(band[0]), p50=float(band[1]), p90=float(band[2])),
        draws=draws,
        outside_calibration=[*inference.uncalibrated(machine), *remembered(reading)],
        network_wait_s=serving.output_tokens * added + (0.0 if way.inside else at["moving"]),
        sides=Sides(
            way.readers, way.prefill.gpus, way.writers, way.decode.gpus, at["moving"], at["link_busy"], at["wanted"]
        ),
    )


def _parallelism(way: Way) -> dict[str, object]:
    """That of decode, with the instances of both sides."""
    shown: dict[str, object] = {"tp": way.decode.tp, "pp": way.decode.pp}
    if way.decode.dp > 1:
        shown |= {"ep": way.decode.ep, "attention_replicas": way.decode.dp}
    return shown | {
        "prefill_workers": way.readers,
        "prefill_gpus": way.prefill.gpus,
        "decode_workers": way.writers,
        "decode_gpus": way.decode.gpus,
    }
