"""What NCCL's protocols cost: its own figures, and the few constants that are fitted to measured collectives.

The fitted ones in use are the catalog's (``knowledge/catalog/constants/collectives.yaml``, with the rows they come
from); what stands here is where the fit starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assistant.vocabulary.catalog import Fact

from .fitted import from_catalog


@dataclass(frozen=True)
class Protocol:
    """Seconds per collective, per step over NVLink and per step over the network besides the fabric's own latency.

    The figures are those of NCCL 2.21 ``src/graph/tuning.cc``, written down from memory: ``baseLat`` of rings,
    ``hwLat`` of the tree for NVLink and of the ring for NET. None of them is fitted.
    """

    base: float
    near: float
    far: float


LL = Protocol(6.6e-6, 0.6e-6, 2.7e-6)  # a flag beside every word
LL128 = Protocol(14e-6, 1.25e-6, 4.0e-6)  # a flag per 128 bytes
SIMPLE = Protocol(8.4e-6, 4.0e-6, 14e-6)  # waits for whole chunks
LL_SHARE = 0.25  # of the bandwidth, there too: flags and polling
LL128_SHARE = 0.92  # of NVLink's bandwidth: 120 of 128 bytes, less the threads that wait
# seconds, the catalog's ``latency`` of NVLink, which ``near`` belongs to: other links take longer
NVLINK_STEP = 0.95e-6


@dataclass(frozen=True)
class CollectiveConstants:
    """What all fabrics and GPUs share and is fitted.

    ``ll_per_byte``: seconds per byte and network step of a message too small to be cut into chunks, which each hop
    takes in whole before it passes it on. ``ll128_share``: of the network's bandwidth that LL128 reaches.
    ``ll128_trips``, ``simple_trips``: times a step of these protocols waits for the fabric's latency (announcing a
    buffer, flushing what the adapter wrote; NCCL itself counts 1 and 2). ``fill``: time to fill a tree's pipeline, per
    level, in multiples of the time the fabric's ``half_bandwidth_message`` takes. ``switch_start``: seconds that NVLS
    needs before it is faster than rings. ``peer``: times the fabric's latency that every peer behind the network adds
    to an all-to-all. ``send_share``: of an adapter's bandwidth that one rank's messages to one other reach.
    """

    ll_per_byte: float = 2e-9
    ll128_share: float = 0.7
    ll128_trips: float = 1.0
    simple_trips: float = 2.0
    fill: float = 0.5
    switch_start: float = 60e-6
    peer: float = 0.5
    send_share: float = 0.8


def protocols_from(constants: Mapping[str, Fact] | None) -> CollectiveConstants:
    """The constants of the catalog (``collective-ll128-share`` and so on) over those above."""
    return from_catalog(CollectiveConstants(), "collective", constants)
