"""What serving is fitted with: kernels, the engines around them, and how far measured times are from predicted ones.

The fitted ones in use are the catalog's; what stands here is where the fit starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from assistant.vocabulary.catalog import Fact
from assistant.vocabulary.plan import Band
from assistant.vocabulary.quantities import NINETIETH

from .fitted import from_catalog


@dataclass(frozen=True)
class ServingConstants:
    """What kernels of serving reach, the same for every engine.

    ``reading``, ``cache``: of the memory bandwidth, for weights and for keys and values. ``matrix``: of the efficiency
    that large products reach in training; ``narrow``: of that again below 16 bits. ``corner``: exponent that rounds the
    roofline. ``routed``: time of reading experts' weights against dense ones; ``grouped``: of multiplying by them, in
    many small products. ``reduce_kernel``: seconds of a small all-reduce over NVLink 4, ``reduce_start``: that it takes
    besides where ranks wait for each other; ``reduce_more``: that summing in two passes adds for each doubling of
    them; ``reduce_once``, ``reduce_share``: of the bus bandwidth of large ones, in one pass and in two. ``packed``: as an engine's ``scores``, of
    kernels that multiply the eight query heads of a shared key at once. ``unpacked``, ``widened``: times longer that
    reading experts in four bits takes, and multiplying by them, where the GPU has no units for the format.
    """

    reading: float = 0.85
    cache: float = 0.7
    matrix: float = 0.9
    narrow: float = 0.85
    corner: float = 3.0
    grouped: float = 1.3
    reduce_once: float = 0.78
    reduce_share: float = 0.9
    moving: float = 1.2
    blocked: float = 0.8
    cast: float = 0.3
    packed: float = 0.3
    widened: float = 1.0


@dataclass(frozen=True)
class Engine:
    """What one engine takes besides its kernels, in seconds: ``host`` of a step, ``answer`` per request of the batch,
    ``layer`` per layer of a decoding step, ``routed`` per mixture layer besides, ``mixed`` per layer of a step with
    prompts besides, ``scaled`` per layer where eight-bit weights have a scale for each block and the inputs of their
    products are scaled before each, ``latent`` per layer whose attention is latent, ``widening`` per mixture layer
    whose experts are widened on the way (they are sorted and multiplied by kernels of their own), ``first`` of a
    request before its prompt is begun; ``wave``: of the other requests in flight, those that begin with it.
    ``overlap``: exponent that joins the host's time with the GPU's, 1 where one waits for the other, large where the
    longer hides the other."""

    host: float = 2e-3
    wait: float = 2e-6
    reduce: float = 5.1e-6
    again: float = 1.4e-6
    answer: float = 10e-6
    stream: float = 20e-6
    layer: float = 30e-6
    routed: float = 20e-6
    mixed: float = 30e-6
    first: float = 30e-3
    wave: float = 0.09
    scores: float = 0.1
    scaled: float = 30e-6
    latent: float = 20e-6
    widening: float = 20e-6
    overlap: float = 2.0


def serving_constants(constants: Mapping[str, Fact] | None) -> ServingConstants:
    """The constants of the catalog (``serving-reading`` and so on) over those above."""
    return from_catalog(ServingConstants(), "serving", constants)


def engine_of(name: str | None, constants: Mapping[str, Fact] | None) -> Engine:
    """The constants of an engine (``engine-vllm-host`` and so on); of none in particular without a name."""
    return from_catalog(from_catalog(Engine(), "engine", constants), f"engine-{name}", constants)


@dataclass(frozen=True)
class Spreads:
    """Standard deviation of the logarithm of measured over predicted times and throughput."""

    tpot: float = 0.2
    ttft: float = 0.4
    rate: float = 0.2

    @staticmethod
    def band(middle: float, spread: float) -> Band:
        """P10 to P90."""
        away = float(np.exp(NINETIETH * spread))
        return Band(p10=middle / away, p50=middle, p90=middle * away)


def spreads_of(constants: Mapping[str, Fact] | None) -> Spreads:
    """The spreads of the catalog (``serving-spread-tpot`` and so on) over those above."""
    return from_catalog(Spreads(), "serving-spread", constants)
