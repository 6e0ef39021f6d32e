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
    that large products reach in training; ``narrow``: of that again below 16 bits, ``blocked``: of that in FP8 with a
    scale for each block of 128. ``corner``: exponent that rounds the roofline. ``grouped``: time of multiplying by
    experts, in many small products, against dense ones. ``reduce_once``, ``reduce_share``: of the bus bandwidth of
    large messages, for all-reduces in one pass and in two. ``moving``: times longer than the memory's rate allows that
    states take on their way between products. ``cast``: of an engine's ``scaled``, where narrow inputs have one scale
    that is known before. ``packed``: as an engine's ``scores``, of kernels that multiply the eight query heads of a
    shared key at once. ``widened``: times longer that multiplying by experts in four bits takes where the GPU has no
    units for the format.
    """

    reading: float = 0.85
    cache: float = 0.9
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
    """What one engine takes besides its kernels, in seconds: ``host`` of a step, ``answer`` per request of the batch
    and ``stream`` besides where its tokens are sent one by one, ``reduce``: of a small all-reduce over NVLink 4,
    ``again`` for each doubling of its ranks where it sums in two passes, ``wait``: that ranks wait for each other;
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


# whose rows the constants of serving are fitted to (measurements/serving.csv)
CALIBRATED = ("a100-sxm-40gb", "a100-sxm-80gb", "h100-sxm", "h200-sxm")


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


def spread_name(*, mixture: bool, known: bool) -> str:
    """Of dense models and of mixtures, whose engines differ in more kernels; on a ``known`` GPU, that constants were
    fitted to, and on others, whose kernels may be other ones."""
    return "serving-spread" + ("-mixture" if mixture else "") + ("" if known else "-new")


def spreads_of(constants: Mapping[str, Fact] | None, gpu: str, experts: int) -> Spreads:
    """The spreads of the catalog (``serving-spread-mixture-new-tpot`` and so on) over those above."""
    name = spread_name(mixture=experts > 0, known=gpu in CALIBRATED)
    return from_catalog(Spreads(), name, constants)
