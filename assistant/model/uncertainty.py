"""How sure a prediction is: worlds drawn jointly, the compute error shared by all fabrics, the network error per
fabric.

World ``s`` is the same for every fabric, so two fabrics can be compared world by world. Draws are fixed: the same
question has the same answer every time.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

WORLDS = 256
# Share of the network error's variance that all fabrics have in common (traffic volume, overlap): assumed, a half.
SHARED_NETWORK = 0.5
SMALL_MESSAGE, SMALL_SPREAD = 2**20, 2.5  # bytes up to which measured collectives scatter that many times as far
RATIOS = np.array([0.25, 0.5, 0.75, 1.0, 1.35, 2.0, 4.0])  # network error ÷ compute error at which steps are worked out


@lru_cache(maxsize=256)
def normal_draws(name: str) -> np.ndarray:
    """``WORLDS`` standard normal quantiles in an order fixed by ``name``."""
    grid = (np.arange(WORLDS) + 0.5) / WORLDS
    draws = _normal_quantile(grid)
    np.random.default_rng(zlib.crc32(name.encode())).shuffle(draws)
    draws.setflags(write=False)
    return draws


def _normal_quantile(p: np.ndarray) -> np.ndarray:
    """Inverse of the normal distribution (Acklam's rational approximation, relative error below 1.2e-9)."""
    a = (
        -3.969683028665376e1,
        2.209460984245205e2,
        -2.759285104469687e2,
        1.383577518672690e2,
        -3.066479806614716e1,
        2.506628277459239,
    )
    b = (
        -5.447609879822406e1,
        1.615858368580409e2,
        -1.556989798598866e2,
        6.680131188771972e1,
        -1.328068155288572e1,
        1.0,
    )
    c = (
        -7.784894002430293e-3,
        -3.223964580411365e-1,
        -2.400758277161838,
        -2.549732539343734,
        4.374664141464968,
        2.938163982698783,
    )
    d = (7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1.0)
    q = p - 0.5
    middle = np.polyval(a, q * q) * q / np.polyval(b, q * q)
    tail = np.sqrt(-2.0 * np.log(np.minimum(p, 1.0 - p)))
    outer = np.polyval(c, tail) / np.polyval(d, tail)
    return np.where(np.minimum(p, 1.0 - p) < 0.02425, np.where(p < 0.5, outer, -outer), middle)


def network_draws(ids: Sequence[str], spreads: np.ndarray) -> np.ndarray:
    """Logarithms of the network error, (F, S)."""
    own = np.stack([normal_draws(f"network {name}") for name in ids])
    common = normal_draws("network")
    return spreads[:, None] * (np.sqrt(SHARED_NETWORK) * common + np.sqrt(1.0 - SHARED_NETWORK) * own)


def drawn_times(
    ratio_times: np.ndarray,
    compute_spread: float,
    ids: Sequence[str],
    spreads: np.ndarray,
    slower_spread: float | None = None,
) -> np.ndarray:
    """Step times in every world, (F, S) seconds.

    ``slower_spread``: of the compute error where it makes a step longer than the median; ``None``: as
    ``compute_spread``, which then holds on both sides.

    ``ratio_times`` (K, F): step times with the network slowed by ``RATIOS``. With compute error c and network error n
    a step takes c·T(n/c), because all times scale together.
    """
    drawn = normal_draws("compute")
    above = compute_spread if slower_spread is None else slower_spread
    compute = np.where(drawn > 0, above, compute_spread) * drawn
    ratio = network_draws(ids, spreads) - compute
    grid = np.log(RATIOS)
    times = np.stack([np.interp(ratio[f], grid, ratio_times[:, f]) for f in range(len(ids))])
    return np.exp(compute) * times


def quantiles(draws: np.ndarray) -> np.ndarray:
    """Tenth, fiftieth and ninetieth percentile of the worlds, (3, F)."""
    ordered = np.sort(draws, axis=-1)
    at = [round(q * (ordered.shape[-1] - 1)) for q in (0.1, 0.5, 0.9)]
    return ordered[..., at].T
