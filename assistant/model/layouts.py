"""Which layout of a copy serves best on each network, and what it delivers there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assistant.vocabulary.large_messages import NETWORK_SPREAD
from assistant.vocabulary.plan import Band

from .inference import (
    Copy,
    InferenceOutcome,
    Serving,
    Timing,
    asked_of_one,
    copy_at_most,
    keeps,
    loaded,
    most_within,
    requests_of,
    splits_for,
    timing_of,
    uncalibrated,
)
from .machine import Machine
from .network import Network, Networks
from .serving_constants import Spreads, spreads_of
from .serving_memory import memory_used
from .serving_network import bytes_between, remembered
from .serving_time import Served, Split
from .uncertainty import RATIOS, drawn_times, quantiles


def predict_inference(serving: Serving, machine: Machine, networks: Sequence[Network]) -> list[InferenceOutcome]:
    """One outcome per network, in their order, each with the layout that serves best on it (:meth:`_Laid.rank`)."""
    tried = [one for split in splits_for(serving, machine) for one in _laid(serving, machine, networks, split)]
    best = [min((one for one in tried if f in one.columns), key=lambda one: one.rank(f)) for f in range(len(networks))]
    spreads = np.array([NETWORK_SPREAD[n.transport] for n in networks])
    times = np.stack([one.timing.per_token[:, one.columns.index(f)] for f, one in enumerate(best)], axis=1)
    spread = spreads_of(machine.constants, machine.gpu, serving.architecture.experts).tpot
    draws = drawn_times(times, spread, [n.id for n in networks], spreads)
    bands = quantiles(draws)
    return [one.outcome(networks[f], f, draws[f], bands[:, f]) for f, one in enumerate(best)]


@dataclass(frozen=True)
class _Laid:
    """A layout on the networks of some columns: ``most``, a copy with as many requests in flight as keep the targets,
    and ``copy``, one at its part of the load; with what the network takes of both."""

    serving: Serving
    machine: Machine
    columns: list[int]
    most: Copy
    at_most: Timing
    copy: Copy
    timing: Timing

    @property
    def copies(self) -> int:
        return self.serving.gpus // self.copy.split.gpus

    def carries(self, f: int) -> float:
        """Requests per second that a copy carries at most within the targets; 0 where it keeps them not even alone."""
        if not keeps(self.serving, self._seen(self.most, self.at_most, f)):
            return 0.0
        return self._rate(f)

    def rank(self, f: int) -> tuple[float, ...]:
        """The least is best: it fits, is in time, carries the load, and then is fastest at it; without a load that one
        somebody waits for, it writes most on these GPUs."""
        serving, nodes = self.serving, -(-self.copy.split.gpus // self.machine.domain)
        worth = -self._rate(f) * (self.copies or 1.0 / self.copy.split.gpus)
        fits = self.copies >= 1 and self.copy.held >= 1
        late = _lateness(serving, self._seen(self.most, self.at_most, f))
        if not (serving.loaded and fits) or serving.offline:
            return (not fits, self.copy.held < 1, late, worth, nodes)
        short = max(1.0, (serving.requests_per_s or 0.0) / max(self.copies * self._rate(f), _NEVER) - _HARDLY)
        now = self._seen(self.copy, self.timing, f)
        return (0, 0, late, short, _lateness(serving, now), now.ttft + serving.output_tokens * now.tpot)

    def _rate(self, f: int) -> float:
        return requests_of(self.serving, self.most, self._written(self.at_most, f))

    def _written(self, timing: Timing, f: int) -> float:
        """Output tokens per second of a copy."""
        return float(timing.output_rate[_MIDDLE, self.columns.index(f)])

    def _seen(self, copy: Copy, timing: Timing, f: int) -> Served:
        at = _MIDDLE, self.columns.index(f)
        return replace(copy.served, ttft=float(timing.first[at]), tpot=float(timing.per_token[at]))

    @property
    def _spreads(self) -> Spreads:
        return spreads_of(self.machine.constants, self.machine.gpu, self.serving.architecture.experts)

    def outcome(self, network: Network, f: int, draws: np.ndarray, band: np.ndarray) -> InferenceOutcome:
        serving, copy, spread = self.serving, self.copy, self._spreads
        split, seen, most = copy.split, self._seen(copy, self.timing, f), self._rate(f)
        nodes, a, formats = -(-split.gpus // self.machine.domain), serving.architecture, serving.formats
        delivered = requests_of(serving, copy, self._written(self.timing, f)) * self.copies
        token, prompt = (bytes_between(copy.engined, decoding=one) for one in (True, False))
        communication = float(self.timing.per_token_communication[_MIDDLE, self.columns.index(f)])
        tokens = delivered * serving.output_tokens
        return InferenceOutcome(
            network=network.id,
            parallelism=parallelism(split, self.copies),
            replicas=self.copies,
            replicas_needed=None
            if serving.requests_per_s is None or not most
            else int(np.ceil(serving.requests_per_s / most)),
            nodes_per_replica=nodes,
            gpus_per_replica=split.gpus,
            concurrency=max(1, round(float(self.timing.in_flight[_MIDDLE, self.columns.index(f)]))),
            held=int(copy.held),
            time_per_output_token_s=seen.tpot,
            time_to_first_token_s=seen.ttft,
            first_token=spread.band(seen.ttft, spread.ttft),
            request_latency_s=seen.ttft + (serving.output_tokens - 1) * seen.tpot,
            requests_per_s=delivered,
            carries=self.carries(f) * self.copies,
            output_tokens_per_s=tokens,
            output_rate=spread.band(tokens, spread.rate),
            tokens_per_s_per_gpu=most * serving.output_tokens / split.gpus if self.copies else 0.0,
            kv_bytes_per_request=serving.kv_per_request,
            across_nodes_per_token=token,
            across_nodes_per_request=prompt * copy.load.fresh + token * serving.output_tokens + serving.fetched_bytes,
            exposed_communication_percent=100.0 * communication / seen.tpot,
            memory_bytes=memory_used(a, split, formats, serving.lengths, copy.served.batch),
            fits=self.copies >= 1 and copy.held >= 1 and (nodes == 1 or network.possible),
            meets_targets=None if serving.ttft is serving.tpot is None else keeps(serving, seen),
            band=Band(p10=float(band[0]), p50=float(band[1]), p90=float(band[2])),
            draws=draws,
            outside_calibration=[*uncalibrated(self.machine), *remembered(copy.engined)],
            network_wait_s=seen.ttft - copy.served.ttft + serving.output_tokens * (seen.tpot - copy.served.tpot),
        )


_MIDDLE = list(RATIOS).index(1.0)
_HARDLY = 1e-6  # of a load: what whole copies may be short of one that is told in rounded numbers
_NEVER = 1e-12  # requests/s of a layout that answers none


def _laid(serving: Serving, machine: Machine, networks: Sequence[Network], split: Split) -> Iterator[_Laid]:
    """A layout at its most and at the load: once for all networks where none has a part in how many keep the
    targets."""
    apart = split.gpus > machine.domain and not serving.ttft is serving.tpot is None
    every = [*range(len(networks))]
    for columns in ([f] for f in every) if apart else [every]:
        here = Networks([networks[f] for f in columns])
        if apart:
            most, at_most = most_within(serving, machine, here, split)
        else:
            most = copy_at_most(serving, machine, split)
            at_most = timing_of(serving, machine, here, most)
        copies = max(1, serving.gpus // split.gpus)
        copy = loaded(serving, most, copies)
        rate = asked_of_one(serving, copies)
        now = at_most if copy is most else timing_of(serving, machine, here, copy, most.load, rate)
        yield _Laid(serving, machine, columns, most, at_most, copy, now)


def _lateness(serving: Serving, served: Served) -> float:
    """How many times the targets would have to be what they are; 1 where they are kept."""
    return max(1.0, served.ttft / (serving.ttft or np.inf)) * max(1.0, served.tpot / (serving.tpot or np.inf))


def parallelism(split: Split, copies: int) -> dict[str, object]:
    """As a plan tells a layout."""
    shown: dict[str, object] = {"tp": split.tp, "pp": split.pp, "dp": copies}
    return shown | ({"ep": split.ep, "attention_replicas": split.dp} if split.dp > 1 else {})
