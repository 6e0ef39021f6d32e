"""How much slower steps become with the number of GPUs beyond what the model counts: ``kernel-slowest`` in the catalog.

    python -m assistant.validation.pace      # the value beside the shipped one

Calibration rows alone, by series that differ in nothing but GPUs and, in proportion, batch, on networks with an adapter
for each GPU, so that what grows is not the network's. What all rows of a series have in common is taken away first, so
that neither efficiencies nor publishers are in it; the rest is the least squares' answer in the one constant. It is
fitted apart from the others, where hundreds of rows on a single node, which say nothing of it, would outweigh it.
"""

from collections.abc import Sequence

import numpy as np

from assistant.library import load
from assistant.model.kernels import NODE, KernelConstants
from assistant.model.validation import Run

from .constants import Values, predicted, prepared, shipped
from .practice import published_runs

NAME = "kernel/slowest"


def weak_series(runs: Sequence[Run]) -> list[list[Run]]:
    """Calibration runs that differ in GPUs and batch only, more than a node of eight among them; mixtures, whose
    experts' traffic grows with the nodes too, are left out, and so are GPUs that share adapters."""
    found: dict[tuple, list[Run]] = {}
    for run in runs:
        job = run.job
        if run.use != "calibration" or job.architecture.experts:
            continue
        alike = job.with_(gpus=0, global_batch=0)
        each = job.global_batch / job.gpus
        key = (run.source, run.machine.gpu, alike, each, run.parallelism.model_dump_json())
        found.setdefault(key, []).append(run)
    return [one for one in found.values() if _tells(one)]


def _tells(series: Sequence[Run]) -> bool:
    """Whether a series has several sizes, the largest of them on several nodes with an adapter for each GPU."""
    largest = max(series, key=lambda run: run.job.gpus)
    several = len({run.job.gpus for run in series}) > 1 and largest.job.gpus > NODE
    return several and largest.network.gpu_rate >= largest.network.nic_rate


def fitted(runs: Sequence[Run], values: Values) -> tuple[float, float, int]:
    """The constant, its standard error and the number of rows it was fitted to, the others being ``values``: by what
    share a step, nearly all of which is compute, is longer for each of the spreads that :meth:`KernelConstants.pace`
    counts."""
    slopes, errors, series = [], [], weak_series(runs)
    for one in series:
        slope = np.array([KernelConstants(slowest=1.0).pace(run.job.gpus) for run in one])
        error = np.log([run.measured_s / predicted(prepared(run), values | {NAME: 0.0}) for run in one])
        slopes.append(slope - slope.mean())
        errors.append(error - error.mean())
    x, y = np.concatenate(slopes), np.concatenate(errors)
    value = float(x @ y / (x @ x))
    left = y - value * x
    return value, float(np.sqrt(left @ left / (len(x) - len(series) - 1) / (x @ x))), len(x)


def main() -> None:
    """Print the constant as fitted and as shipped."""
    library = load()
    values = shipped(library.catalog)
    runs = published_runs(library.knowledge_folder, library.catalog)
    print(f"shipped {values[NAME]:.4f}")
    for source in (None, *dict.fromkeys(run.source for one in weak_series(runs) for run in one)):
        value, error, rows = fitted([run for run in runs if source in (None, run.source)], values)
        print(f"{source or 'all'}: {value:.4f} ± {error:.4f} on {rows} rows")


if __name__ == "__main__":
    main()
