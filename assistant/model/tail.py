"""How much longer the slowest steps of a run are than its usual ones.

What delays a step (a host's pause, a page of the data set, a full queue in the network) comes by chance all through it,
and of independent delays the sum spreads like the root of their number: the longer a step, the smaller the share. Of
13 submissions by NVIDIA to MLPerf the slowest step in a hundred took 0.1 percent longer than the median where a step
takes 36 seconds and 1 to 5 percent where it takes less than half a second. Sites differ more than that: six of thirteen
other submissions of several nodes had slow steps that took 7 to 16 percent longer, and nothing in the rows tells which
site is such. The mean stayed within a percent of the median in all but four. So the tail changes neither hours nor
costs, and is told beside them. Restarts, whose first step is long, are no part of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from assistant.vocabulary.catalog import Fact
from assistant.vocabulary.quantities import NINETIETH


def excess_of_slowest(constants: Mapping[str, Fact], step_s: float) -> tuple[float, float, float]:
    """What a step that is longer than 99 in 100 takes beyond the median of ``step_s`` seconds, as a fraction of it: at
    the best site in ten, at the median site, at the worst in ten. Raises :class:`KeyError` where the catalog lacks the
    constants."""
    middle, spread = constants["cluster-step-tail"].si / math.sqrt(step_s), constants["cluster-step-tail-spread"].si
    away = math.exp(NINETIETH * spread)
    return middle / away, middle, middle * away
