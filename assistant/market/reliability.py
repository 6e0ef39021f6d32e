"""How much of a long run's time trains: interruptions by the size of the job, checkpoints, and getting back.

A job loses the writing of checkpoints, the work since the last one, and the time until it trains again; how much
follows from three figures (J. T. Daly 2006, :mod:`assistant.market.interruptions`). Each is of the practice of whoever
runs the job, so each has a spread: clusters differ in how often nodes fail, and teams in how fast they notice. Causes
are not told apart: on 16,384 H100 three in five interruptions were GPUs and their memory, one in ten the network (Llama
3, 2407.21783, table 5). Not modelled: spares that run out, repeat offenders, losses of quality that make a team go back
further than to the last checkpoint, and that small jobs of research clusters fail four to six times as often as their
nodes do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from assistant.vocabulary.catalog import Catalog, Fact
from assistant.vocabulary.quantities import NINETIETH

from .interruptions import HOPELESS, best_interval, mean_time_between, time_factor
from .priced import constant

_DAY = 86_400.0  # seconds


@dataclass(frozen=True)
class Interruptions:
    """What interrupts a job and what each interruption costs; seconds.

    The spreads are standard deviations of logarithms: of the rate, and of the time to restart below and above its
    median.
    """

    between_s: float
    checkpoint_s: float
    restart_s: float
    rate_spread: float = 0.0
    restart_below: float = 0.0
    restart_above: float = 0.0

    @property
    def factor(self) -> float:
        """Expected time of the run ÷ its undisturbed time, at the median of all three."""
        return _factor(self.between_s, self.checkpoint_s, self.restart_s)

    @property
    def every_s(self) -> float:
        """Seconds of work between two checkpoints, infinite where nothing interrupts."""
        return float(best_interval(self.between_s, self.checkpoint_s))

    def factors(self, rate: np.ndarray, restart: np.ndarray) -> np.ndarray:
        """:attr:`factor` in every world, drawn from standard normal ``rate`` and ``restart``, (worlds,)."""
        slower = np.where(restart > 0, self.restart_above, self.restart_below)
        between = self.between_s * np.exp(-self.rate_spread * rate)
        return np.asarray(time_factor(between, self.checkpoint_s, self.restart_s * np.exp(slower * restart)))

    def unfinished(self, rate: np.ndarray, restart: np.ndarray) -> float:
        """The share of the worlds of :meth:`factors` in which it does not finish: interrupted faster than it
        restarts."""
        return float(np.mean(self.factors(rate, restart) >= HOPELESS))

    def effective(self) -> tuple[float, float, float]:
        """Share of the time that trains: in one of ten jobs less than the first, in half less than the second, in nine
        of ten less than the third."""
        # The two causes together are at their ninetieth percentile when each is 1/√2 of the way there.
        z = np.array([1.0, 0.0, -1.0]) * NINETIETH / np.sqrt(2.0)
        low, middle, high = (1.0 / float(factor) for factor in self.factors(z, z))
        return low, middle, high


@lru_cache(maxsize=1024)
def _factor(between_s: float, checkpoint_s: float, restart_s: float) -> float:
    """:attr:`Interruptions.factor`: the same for every network on the same terms."""
    return float(time_factor(between_s, checkpoint_s, restart_s))


@lru_cache(maxsize=1024)
def _between(rate_per_node: float, nodes: int) -> float:
    """Seconds between interruptions: the same for every network."""
    return float(mean_time_between(rate_per_node, nodes))


def interruptions_of(
    nodes: int, checkpoint_s: float, catalog: Catalog, *, rate: Fact | None = None, said: float | None = None
) -> Interruptions:
    """Of a job of ``nodes`` nodes whose checkpoint stops the work for ``checkpoint_s``, with the catalog's figures.

    ``said`` are failures per node and day of these very machines: in place of the catalog's, and of no spread between
    clusters."""
    failures, restart, spread, below, above = (
        constant(catalog.constants, f"cost-{name}")
        for name in ("failures-per-node", "restart", "failures-spread", "restart-spread-below", "restart-spread-above")
    )
    if said is not None:
        return Interruptions(_between(said / _DAY, nodes), checkpoint_s, restart.si, 0.0, below.si, above.si)
    between = _between((rate or failures).si, nodes)
    return Interruptions(between, checkpoint_s, restart.si, spread.si, below.si, above.si)


def checkpoint_seconds(bytes_per_gpu: float, catalog: Catalog) -> float:
    """Seconds in which every GPU writes its part of the state, with the time it takes to agree on it."""
    rate, agreed = (constant(catalog.constants, f"cost-checkpoint-{name}") for name in ("rate", "pause"))
    return agreed.si + bytes_per_gpu / rate.si
