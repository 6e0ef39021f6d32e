"""Constants that suit measured rows best: robust least squares on the logarithm of what is predicted over measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

SOFT, NUDGE, LONGEST, ROUNDS = 0.04, 1e-3, 0.3, 40  # see :mod:`assistant.validation.calibration`


def fitted(
    values: Mapping[str, float], errors: Callable[[Mapping[str, float]], np.ndarray], weight: np.ndarray
) -> dict[str, float]:
    """The values at which the weighted ``errors`` of the rows are smallest, each above zero; begun at ``values``."""
    found = dict(values)
    for _ in range(ROUNDS):
        off = errors(found)
        slopes = [(errors(found | {name: one * (1.0 + NUDGE)}) - off) / np.log1p(NUDGE) for name, one in found.items()]
        root = np.sqrt(weight * SOFT / np.maximum(np.abs(off), SOFT))
        step = np.linalg.lstsq(np.stack(slopes, axis=1) * root[:, None], -off * root, rcond=None)[0]
        step = np.clip(step, -LONGEST, LONGEST)
        found = {name: float(value * np.exp(one)) for (name, value), one in zip(found.items(), step, strict=True)}
        if np.abs(step).max() < NUDGE:
            break
    return found
