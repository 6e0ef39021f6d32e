"""Moving a key/value cache from the GPUs that read prompts to those that write answers.

Adapters move it by themselves, each GPU over its own, one way: of the line rate they reach more than a collective does,
but less where a cache lies in pages that are sent one by one. Software's sockets reach what they reach in collectives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from assistant.vocabulary.catalog import Fact

from .collectives import Wires, uplink_share
from .fitted import from_catalog


@dataclass(frozen=True)
class TransferConstants:
    """``paged``, ``blocks``: of the adapters' line rate, for the cache of a prompt between two engines and for large
    contiguous pieces. ``start``: seconds of a transfer besides. In use are those of
    ``knowledge/catalog/constants/kv_transfer.yaml``."""

    paged: float = 0.7
    blocks: float = 0.8
    start: float = 0.4e-3


def transfer_constants(constants: Mapping[str, Fact] | None) -> TransferConstants:
    """The constants of the catalog (``transfer-paged`` and so on) over those above."""
    return from_catalog(TransferConstants(), "transfer", constants)


def transfer_rate(
    wires: Wires, gpus: float, *, paged: bool = True, constants: TransferConstants | None = None
) -> np.ndarray:
    """Bytes/s that leave ``gpus`` GPUs of whole domains, or of one, for others; (F, 1) or (K, F, 1).

    Pages were measured over RDMA alone; other adapters are taken as they move blocks.
    """
    n, c = wires.networks, constants or transfer_constants(wires.machine.constants)
    share = np.where(n.by_adapter & paged, c.paged, c.blocks)
    rate = np.where(n.host_bound, n.gpu_rate, np.maximum(n.line_rate, n.gpu_rate) * share)
    if wires.blocking:  # the two sides stand under leaves of their own
        rate = rate / uplink_share(n, np.asarray(n.leaf_domains), np.asarray(2.0 * n.leaf_domains))
    return rate * gpus / wires.slowdown


def transfer_seconds(
    wires: Wires,
    bytes_: float,
    gpus: float,
    *,
    paged: bool = True,
    stored: bool = False,
    constants: TransferConstants | None = None,
) -> np.ndarray:
    """Seconds of one transfer of ``bytes_`` over an idle network, or inside the domain where there is only one, unless
    they are ``stored`` elsewhere."""
    m, c = wires.machine, constants or transfer_constants(wires.machine.constants)
    if m.domains == 1 and not stored:
        inside = bytes_ / (m.scale_up_bandwidth * gpus) + c.start
        return np.full(np.broadcast_shapes(np.shape(wires.latency), (1, 1)), inside)
    rate = transfer_rate(wires, gpus, paged=paged, constants=c)
    alone = wires.networks.nic_rate / wires.networks.gpu_rate  # GPUs that share an adapter, of which one sends
    return bytes_ / (rate * np.maximum(alone / gpus, 1.0)) + c.start + wires.latency
