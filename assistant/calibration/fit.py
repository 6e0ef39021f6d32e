"""Two factors on time from a few measured runs: one for compute, one for the network, both held towards 1.

The factors that are most probable given the runs: with r = ln(measured ÷ predicted with compute × eᵃ and network × eᵇ),

    minimise  Σ r² / ROW_SPREAD²  +  a² / compute_spread²  +  b² / network_spread²

which is least squares with normal priors (ridge regression in logarithms): one run moves a factor a little, many runs
move it all the way, and a factor that no run can tell apart stays 1. Solved by looking at every pair of factors of a
fine grid, so there is no starting value and no local minimum.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from assistant.model.uncertainty import NETWORK_SPREAD
from assistant.model.validation import Run, step_time, step_times
from assistant.planning.profile import slower_machine, slower_network

# How far runs of one cluster scatter around that cluster's own mean: standard deviation of ln(measured ÷ predicted)
# within a publisher, GPU and framework, median over the 16 such groups of knowledge/measurements/training.csv with four
# rows or more of every fourth one, 20 November 2026.
ROW_SPREAD = 0.09
# Factors tried: from half to twice, a percent apart. A cluster further off than that runs something else than it says.
REACH = 0.69
FINE = np.linspace(-REACH, REACH, 139)
# Where the model is asked; between, ln(time) is interpolated linearly in ln(factor).
COARSE = np.linspace(-REACH, REACH, 7)


@dataclass(frozen=True)
class Factors:
    """Factors on the time of compute and of the network."""

    compute: float = 1.0
    network: float = 1.0


@dataclass(frozen=True)
class Priors:
    """Standard deviations of the logarithms of the factors before any run is seen."""

    compute: float
    network: float


def crosses(run: Run) -> bool:
    """Whether anything of the run crosses the network."""
    return run.machine.domains > 1


def predicted(run: Run, factors: Factors) -> float:
    """Seconds per step the model predicts with these factors."""
    machine, network = slower_machine(run.machine, factors.compute), slower_network(run.network, factors.network)
    return step_time(replace(run, machine=machine, network=network))


def priors_of(runs: Sequence[Run]) -> Priors:
    """What the model itself says of its errors: the spread of the runs' frameworks, and of the fabrics they cross."""
    compute = [run.machine.framework(run.job.framework).total_spread for run in runs]
    network = [NETWORK_SPREAD[run.network.transport] for run in runs if crosses(run)]
    return Priors(float(np.mean(compute)), float(np.mean(network)) if network else 0.0)


def table(run: Run) -> np.ndarray:
    """ln(measured ÷ predicted) at every pair of coarse factors, (compute, network); one column where nothing
    crosses."""
    columns = COARSE if crosses(run) else COARSE[:1] * 0.0
    networks = [slower_network(run.network, float(np.exp(b))) for b in columns]
    slower = (replace(run, machine=slower_machine(run.machine, float(np.exp(a)))) for a in COARSE)
    times = np.array([step_times(one, networks) for one in slower])
    return np.log(run.measured_s / times)


def misfit(errors: np.ndarray) -> np.ndarray:
    """Squared errors of one run at every pair of fine factors, (compute, network), in units of the rows' variance."""
    along = np.stack([np.interp(FINE, COARSE, column) for column in errors.T], axis=1)
    if along.shape[1] == 1:
        return (along / ROW_SPREAD) ** 2 * np.ones(len(FINE))
    return (np.stack([np.interp(FINE, COARSE, row) for row in along]) / ROW_SPREAD) ** 2


def best(total: np.ndarray, priors: Priors) -> Factors:
    """The most probable factors for a sum of misfits."""
    only_one = np.where(np.arange(len(FINE)) == len(FINE) // 2, 0.0, np.inf)  # nothing tells the network's factor
    held = (FINE[:, None] / priors.compute) ** 2 + ((FINE / priors.network) ** 2 if priors.network else only_one)
    a, b = np.unravel_index(np.argmin(total + held), total.shape)
    return Factors(round(float(np.exp(FINE[a])), 3), round(float(np.exp(FINE[b])), 3))


def fit(tables: Sequence[np.ndarray], priors: Priors) -> Factors:
    """The most probable factors for some runs, each given by its :func:`table`."""
    return best(reduce(np.add, map(misfit, tables)), priors)


def fits_without_each(tables: Sequence[np.ndarray], priors: Priors) -> list[Factors]:
    """For each run the factors that the others give: what it is honestly predicted with."""
    total = sum(misfit(one) for one in tables)
    return [best(total - misfit(one), priors) for one in tables]
