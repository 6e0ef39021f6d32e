"""Fits the constants of collectives and the latency of fabrics to the measured collectives marked ``calibration``.

    python -m assistant.validation.collectives            # fit, and print the values beside the shipped ones
    python -m assistant.validation.collectives --write    # and put them into the catalog

Robust least squares on the logarithm of the time, all constants together; the messages of one publisher, fabric and
collective weigh by the root of their number. NCCL's own figures (``assistant/model/protocols.py``) and latencies that
somebody published (InfiniBand, RoCE) are held. Deterministic; NumPy only.
"""

import datetime
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np

from assistant.library import load
from assistant.model.protocols import CollectiveConstants, protocols_from
from assistant.vocabulary.catalog import Catalog

from .collective_rows import MEASURED_ONLY, Series, measured_only, predicted, read_collectives
from .constants import Values
from .record import rewritten

# Fabrics whose latency is fitted, with those that share it and how many times it theirs is.
FITTED = {
    "ethernet-tcp-200": {"ethernet-tcp-10": 1.0, "ethernet-tcp-25": 1.0, "ethernet-tcp-100": 1.0},
    "aws-efa-v2": {"aws-efa-v3": 0.65},
    **{fabric: {} for fabric in "gcp-tcpx gcp-tcpxo aws-efa-v1 slingshot-11 slingshot-11-software-match".split()},
}
_FITTED_AS = {
    shared: (first, times) for first, others in FITTED.items() for shared, times in {first: 1.0, **others}.items()
}
FIRST_LATENCY = 10e-6  # seconds, between RDMA and sockets
SOFT = 0.1  # below it errors of the logarithm count squared, above it by their size
PRIOR = 0.02  # weight of a shared constant's staying where the fit starts, all rows together weighing 1
LOOSE = 1e-3  # the same for a fabric's latency: few rows tell it, but nothing else does
NUDGE, LONGEST, ROUNDS = 0.02, 0.4, 14


def first_values() -> Values:
    """Where the fit starts, whatever is shipped."""
    values = {field.name: float(getattr(CollectiveConstants, field.name)) for field in fields(CollectiveConstants)}
    return values | {f"latency/{fabric}": FIRST_LATENCY for fabric in FITTED}


def shipped(catalog: Catalog, measurements: Path) -> Values:
    """The values in use."""
    fabrics = {**catalog.fabrics, **measured_only(measurements)}
    latencies = {f"latency/{fabric}": latency.si if (latency := fabrics[fabric].latency) else 0.0 for fabric in FITTED}
    return vars(protocols_from(catalog.constants)) | latencies


def with_values(one: Series, values: Values) -> np.ndarray:
    """Seconds predicted with these constants and latencies, (L,)."""
    constants = CollectiveConstants(**{field.name: values[field.name] for field in fields(CollectiveConstants)})
    first, times = _FITTED_AS.get(one.network.id, ("", 0.0))
    return predicted(one, constants, values[f"latency/{first}"] * times if first else None)


def fit(series: Sequence[Series]) -> Values:
    """The constants that suit the calibration series best, from :func:`first_values` on."""
    rows = [one for one in series if one.use == "calibration"]
    values, share, moved = first_values(), _shares(rows), 0.0
    for _ in range(ROUNDS):
        step = _step(rows, values, share, moved)
        moved = moved + step
        values = {name: value * float(np.exp(by)) for (name, value), by in zip(values.items(), step, strict=True)}
    return values


def _errors(rows: Sequence[Series], values: Values) -> np.ndarray:
    return np.concatenate([np.log(with_values(one, values) / one.seconds) for one in rows])


def _step(rows: Sequence[Series], values: Values, share: np.ndarray, moved: np.ndarray | float) -> np.ndarray:
    """One reweighted step in the logarithms of the constants, with their derivatives by small differences."""
    found = _errors(rows, values)
    nudged = [_errors(rows, values | {name: value * np.exp(NUDGE)}) for name, value in values.items()]
    slopes = np.stack([(error - found) / NUDGE for error in nudged], axis=1)
    weight = share / np.maximum(np.abs(found), SOFT)
    prior = np.array([LOOSE if name.startswith("latency/") else PRIOR for name in values])
    normal = slopes.T @ (weight[:, None] * slopes) + np.diag(prior)
    step = np.linalg.solve(normal, -slopes.T @ (weight * found) - prior * moved)
    return np.clip(step, -LONGEST, LONGEST)


def _shares(rows: Sequence[Series]) -> np.ndarray:
    counts: Counter[tuple[str, str, str]] = Counter()
    for one in rows:
        counts[_kind(one)] += len(one.bytes)
    share = np.concatenate([np.full(len(one.bytes), counts[_kind(one)] ** -0.5) for one in rows])
    return share / share.sum()


def _kind(one: Series) -> tuple[str, str, str]:
    return one.source, one.network.id, one.collective


def latencies(values: Values) -> dict[str, float]:
    """The fitted latencies by fact of the catalog, those of fabrics that share one among them."""
    return {f"{one}/latency": values[f"latency/{first}"] * times for one, (first, times) in _FITTED_AS.items()}


def record(values: Values, knowledge: Path, day: datetime.date) -> list[Path]:
    """Write ``values`` into ``constants/collectives.yaml`` and the fabrics' ``latency``; returns the files."""
    names = [field.name for field in fields(CollectiveConstants)]
    shared = {f"collective-{name.replace('_', '-')}": values[name] for name in names}
    measured, written = knowledge / "measurements" / MEASURED_ONLY, latencies(values)
    own = {f"{fabric}/latency" for fabric in measured_only(measured.parent)}
    return [
        rewritten(knowledge / "catalog" / "constants" / "collectives.yaml", shared, day),
        rewritten(knowledge / "catalog" / "fabrics.yaml", {n: v for n, v in written.items() if n not in own}, day),
        rewritten(measured, {name: value for name, value in written.items() if name in own}, day),
    ]


def main(arguments: Sequence[str]) -> None:
    """Fit, print constants as fitted and as shipped, and with ``--write`` put them into the catalog."""
    library = load()
    measurements = library.knowledge_folder / "measurements"
    values, old = fit(read_collectives(measurements, library.catalog)), shipped(library.catalog, measurements)
    for name, value in values.items():
        print(f"{name:36} fitted {value:12.6g}   shipped {old[name]:12.6g}")
    if "--write" in arguments:
        for path in record(values, library.knowledge_folder, datetime.date.today()):
            print(f"written: {path}")


if __name__ == "__main__":
    main(sys.argv[1:])
