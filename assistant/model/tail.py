"""How much longer the slowest steps of a run are than its usual ones.

Of 37 submissions to MLPerf, 8 to 3,584 GPUs, the hundredth part of the steps took between 0.1 and 16 percent longer
than the median, site by site and hardly by the number of GPUs; the mean stayed within a percent of the median in all
but three. So the tail changes neither hours nor costs, and is told beside them. Restarts, whose first step is long, are
no part of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from assistant.vocabulary.catalog import Fact
from assistant.vocabulary.quantities import NINETIETH


def excess_of_slowest(constants: Mapping[str, Fact]) -> tuple[float, float, float]:
    """What a step that is longer than 99 in 100 takes beyond the median, as a fraction of it: at the best site in ten,
    at the median site, at the worst in ten. Raises :class:`KeyError` where the catalog lacks the constants."""
    middle, spread = constants["cluster-step-tail"].si, constants["cluster-step-tail-spread"].si
    away = math.exp(NINETIETH * spread)
    return middle / away, middle, middle * away
