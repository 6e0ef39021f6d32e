"""Factors on time from measured runs: one for compute, one for each network that was crossed.

The factors that are most probable given the runs: with r = ln(measured ÷ predicted with compute × eᵃ and network × eᵇ),

    minimise  Σ r² / ROW_SPREAD²  +  ν·ln(1 + a² / (ν·compute_spread²))
              +  Σ over fabrics  ν·ln(1 + b² / (ν·network_spread²))

which is least squares with priors of long tails (Student's): GPUs of one kind differ by a tenth and software that is
not tuned by more, and a network that is set up wrong is off by any factor, sockets in the place of RDMA by a
hundred. So one run moves a factor a little, many runs move it all the way, and a factor that no run can tell apart
stays 1. Runs on one node fix compute: where there are any, runs of several nodes may move it no further than those
leave open, and what they take longer is the network's or nobody's, never a slow GPU's. Solved by looking at every pair
of factors of a fine grid, so there is no starting value and no local minimum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from assistant.model.uncertainty import SHARED_NETWORK
from assistant.model.validation import Run, step_time, step_times
from assistant.planning.profile import slower_machine, slower_network
from assistant.vocabulary.large_messages import NETWORK_SPREAD

# How far runs of one cluster scatter around that cluster's own mean: standard deviation of ln(measured ÷ predicted)
# within a publisher, GPU and framework, median over the 16 such groups of knowledge/measurements/training.csv with four
# rows or more of every fourth one, 20 November 2026.
ROW_SPREAD = 0.09
# Factors on compute that are tried: from half to twice, a percent apart. A cluster further off than that runs something
# else than it says.
REACH = 0.69
FINE = np.linspace(-REACH, REACH, 139)
# Factors on a network: from half to 120 times, 2 % apart.
FINE_NETWORK = np.arange(-0.7, 4.8, 0.02)
TAILS = 2.0  # ν of the priors: small ones are long; assumed
FARTHEST = 2.0  # standard deviations to which a network's factor is taken for an error of the model; assumed
# Where the model is asked; between, ln(time) is interpolated linearly in ln(factor).
COARSE = np.linspace(-REACH, REACH, 7)
COARSE_NETWORK = np.array([-0.7, -0.35, 0.0, 0.2, 0.4, 0.7, 1.1, 1.6, 2.2, 2.9, 3.8, 4.8])


@dataclass(frozen=True)
class Factors:
    """Factors on the time of compute and of the network: of each fabric in ``fabrics``, of any other ``network``."""

    compute: float = 1.0
    network: float = 1.0
    fabrics: Mapping[str, float] = field(default_factory=dict)

    def of(self, fabric: str) -> float:
        """The factor of one fabric."""
        return self.fabrics.get(fabric, self.network)


@dataclass(frozen=True)
class Priors:
    """Standard deviations of the logarithms of the factors before any run is seen."""

    compute: float
    network: float


@dataclass(frozen=True)
class Table:
    """ln(measured ÷ predicted) of one run at every pair of coarse factors, (compute, network); one column where nothing
    crosses, and no ``fabric``."""

    errors: np.ndarray
    fabric: str | None


def crosses(run: Run) -> bool:
    """Whether anything of the run crosses the network."""
    return run.machine.domains > 1


def predicted(run: Run, factors: Factors) -> float:
    """Seconds per step the model predicts with these factors."""
    slowed = slower_network(run.network, factors.of(run.network.id))
    return step_time(replace(run, machine=slower_machine(run.machine, factors.compute), network=slowed))


def priors_of(runs: Sequence[Run]) -> Priors:
    """What the model itself says of its errors: the spread of the runs' frameworks, and of the fabrics they cross."""
    compute = [run.machine.framework(run.job.framework).total_spread for run in runs]
    network = [NETWORK_SPREAD[run.network.transport] for run in runs if crosses(run)]
    return Priors(float(np.mean(compute)), float(np.mean(network)) if network else 0.0)


def table(run: Run) -> Table:
    """The run's errors at all coarse factors."""
    columns = COARSE_NETWORK if crosses(run) else np.zeros(1)
    networks = [slower_network(run.network, float(np.exp(b))) for b in columns]
    slower = (replace(run, machine=slower_machine(run.machine, float(np.exp(a)))) for a in COARSE)
    times = np.array([step_times(one, networks) for one in slower])
    return Table(np.log(run.measured_s / times), run.network.id if crosses(run) else None)


def misfit(one: Table) -> np.ndarray:
    """Squared errors of one run at every pair of fine factors, (compute, network), in units of the rows' variance; of
    compute alone, (compute, 1), where nothing crosses."""
    along = np.stack([np.interp(FINE, COARSE, column) for column in one.errors.T], axis=1)
    if one.fabric is None:
        return (along / ROW_SPREAD) ** 2
    return (np.stack([np.interp(FINE_NETWORK, COARSE_NETWORK, row) for row in along]) / ROW_SPREAD) ** 2


@dataclass(frozen=True)
class Sums:
    """Misfits added up: of ``alone`` runs on one node, (compute, 1), and of those over each fabric."""

    single: np.ndarray
    alone: int
    fabrics: Mapping[str, np.ndarray]

    def without(self, one: Table, own: np.ndarray) -> "Sums":
        """The sums less one run's misfit."""
        if one.fabric is None:
            return Sums(self.single - own, self.alone - 1, self.fabrics)
        return Sums(self.single, self.alone, {**self.fabrics, one.fabric: self.fabrics[one.fabric] - own})


def summed(tables: Sequence[Table]) -> Sums:
    """The misfits of some runs added up."""
    single, fabrics = np.zeros((len(FINE), 1)), {}
    for one in tables:
        if one.fabric is None:
            single = single + misfit(one)
        else:
            fabrics[one.fabric] = fabrics.get(one.fabric, 0.0) + misfit(one)
    return Sums(single, sum(one.fabric is None for one in tables), fabrics)


def best(sums: Sums, priors: Priors) -> Factors:
    """The most probable factors for a sum of misfits."""
    held = _tailed(FINE / priors.compute)
    alone = held + sums.single[:, 0]
    total = alone + sum((one + _held(priors, 0.0)).min(axis=1) for one in sums.fabrics.values())
    if sums.alone:
        open_ = (priors.compute**-2 + sums.alone * ROW_SPREAD**-2) ** -0.5
        total = np.where(np.abs(FINE - FINE[np.argmin(alone)]) <= open_, total, np.inf)
    a = int(np.argmin(total))
    rows = {fabric: one[a] for fabric, one in sums.fabrics.items()}
    logs = {fabric: FINE_NETWORK[np.argmin(row + _held(priors, 0.0))] for fabric, row in rows.items()}
    if len(logs) > 1:
        likely = {fabric: taken_over([log for of, log in logs.items() if of != fabric], priors) for fabric in logs}
        logs = {fabric: FINE_NETWORK[np.argmin(row + _held(priors, likely[fabric]))] for fabric, row in rows.items()}
    found = {fabric: round(float(np.exp(log)), 3) for fabric, log in logs.items()}
    every = round(float(np.exp(np.mean(list(logs.values())))), 3) if logs else 1.0
    return Factors(round(float(np.exp(FINE[a])), 3), every, found)


def _held(priors: Priors, likely: float) -> np.ndarray:
    """The prior's share of the sum for each factor on a network, (network,), where its logarithm is most likely so."""
    return _tailed((FINE_NETWORK - likely) / priors.network)


def _tailed(away: np.ndarray) -> np.ndarray:
    """The prior's share of the sum so many spreads ``away`` from what is most likely."""
    return TAILS * np.log1p(away**2 / TAILS)


def taken_over(logs: Sequence[float], priors: Priors) -> float:
    """What the factors of some fabrics, by their logarithms, make likely for another one, as a logarithm.

    Fabrics share half of the error's variance in the model, so what one shows is half true of the others (the
    conditional mean of two normal errors of that correlation), as far as it is an error of the model: a network that is
    out of order says nothing of others.
    """
    farthest = FARTHEST * priors.network
    return SHARED_NETWORK * float(np.clip(np.mean(logs), -farthest, farthest))


def fit(tables: Sequence[Table], priors: Priors) -> Factors:
    """The most probable factors for some runs, each given by its :func:`table`."""
    return best(summed(tables), priors)


def fits_without_each(tables: Sequence[Table], priors: Priors) -> list[Factors]:
    """For each run the factors that the others give: what it is honestly predicted with."""
    total = summed(tables)
    return [best(total.without(one, misfit(one)), priors) for one in tables]
