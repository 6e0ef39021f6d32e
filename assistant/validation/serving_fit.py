"""Fits the constants of serving to the rows for calibration and prints them as the catalog has them.

``python -m assistant.validation.serving_fit``. Damped least squares on logarithms of predicted over measured, rows that
lie far off weighing less (one engine is measured twice as fast by one publisher as by another), the time to the first
token weighing less than the others (it is mostly a benchmark's queue). Constants that hardly matter stay where they
start, and are said to: so is a constant that stopped at a limit. The four constants of the plain roofline that stand
beside are fitted in the same way. Spreads and errors are of the rows that are kept out.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from math import exp, isclose, log

import numpy as np

from assistant.library import load
from assistant.model.serving_time import Engine, ServingConstants, Spreads
from assistant.vocabulary.quantities import NINETIETH

from .serving import ROOFLINE, ServedRun, figure_of, served_runs

WEIGHTS = {"tpot": 1.0, "ttft": 0.35, "rate": 1.0}
FAR = 0.15  # logarithm from which a row weighs less
HELD = 0.1  # how strongly a constant is held where it starts: a factor of e counts as much as one row off by a tenth
STEPS, DIFFERENCE = 12, 0.02
COMMON = ("reading", "cache", "matrix", "narrow", "corner", "routed", "reduce_start", "reduce_share")
OWN = ("host", "answer", "stream", "layer", "routed", "mixed", "first", "wave", "scores")
SERVED_NOW = ("vllm", "sglang", "tensorrt-llm")  # an engine nobody named lies in their middle
START = {
    "vllm": Engine(),
    "sglang": Engine(host=1e-3, answer=5e-6, stream=5e-6, first=60e-3, wave=0.3),
    "tensorrt-llm": Engine(host=0.8e-3, answer=3e-6, stream=5e-6, routed=80e-6, mixed=15e-6, first=50e-3, scores=0.3),
    "vllm-2024": Engine(host=4e-3, layer=25e-6, scores=0.05),
    "tensorrt-llm-2024": Engine(0.8e-3, 1e-6, 5e-6, 15e-6, 20e-6, 15e-6, 1e-3, 0.1, 0.03),
}
# what cannot be: shares above what a kernel reaches, a corner rounder than adding up
LIMITS = {"reading": (0.4, 0.95), "cache": (0.4, 0.95), "matrix": (0.4, 1.15), "narrow": (0.4, 1.0),
          "corner": (1.2, 8.0), "routed": (1.0, 4.0)}  # fmt: skip
UNMOVED = 5e-3  # share by which a constant that no row moves may differ from its start, as it is printed
FITTED = "derived: fitted to measured serving runs"


def fitted(start: np.ndarray, limits: np.ndarray, residuals: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Logarithms of constants with the least robust squares; ``limits``: (2, constants)."""
    at, damping = start, 1e-2
    here = residuals(at)
    for _ in range(STEPS):
        slopes = np.stack([(residuals(at + DIFFERENCE * unit) - here) / DIFFERENCE for unit in np.eye(len(at))], axis=1)
        weights = 1.0 / np.sqrt(1.0 + (here / FAR) ** 2)
        curvature = slopes.T @ (weights[:, None] * slopes) + HELD**2 * np.eye(len(at))
        downhill = slopes.T @ (weights * here) + HELD**2 * (at - start)
        move = np.linalg.solve(curvature + damping * np.diag(np.diag(curvature)), -downhill)
        tried = np.clip(at + np.clip(move, -0.5, 0.5), *limits)
        there = residuals(tried)
        if _cost(there, tried - start) < _cost(here, at - start):
            at, here, damping = tried, there, damping / 3.0
        else:
            damping *= 10.0
    return at


def _cost(residuals: np.ndarray, moved: np.ndarray) -> float:
    far = FAR**2 * (np.sqrt(1.0 + (residuals / FAR) ** 2) - 1.0)
    return float(far.sum() + 0.5 * HELD**2 * (moved**2).sum())


def _residuals(runs: Sequence[ServedRun], constants: ServingConstants, engines: dict[str, Engine]) -> np.ndarray:
    found = []
    for run in runs:
        made = run.served(constants, engines[run.engine])
        found += [WEIGHTS[name] * log(figure_of(made, name) / value) for name, value in run.measured.items()]
    return np.array(found)


def constants_from(logs: np.ndarray) -> tuple[ServingConstants, dict[str, Engine]]:
    """The constants in the order of :data:`COMMON`, then :data:`OWN` of each engine."""
    values = np.exp(logs)
    common = dict(zip(COMMON, values[: len(COMMON)].tolist(), strict=True))
    rows = values[len(COMMON) :].reshape(len(START), -1).tolist()
    engines = {
        name: replace(START[name], **dict(zip(OWN, row, strict=True))) for name, row in zip(START, rows, strict=True)
    }
    return replace(ServingConstants(), **common), engines


def fit_serving(runs: Sequence[ServedRun]) -> tuple[ServingConstants, dict[str, Engine]]:
    """Constants of kernels and engines from the rows for calibration."""
    first = [getattr(ServingConstants(), name) for name in COMMON]
    start = np.log(first + [getattr(engine, name) for engine in START.values() for name in OWN])
    own = np.tile([[-np.inf], [np.inf]], len(OWN) * len(START))
    wide = np.array([LIMITS.get(name, (1e-9, 1e9)) for name in COMMON]).T
    limits = np.concatenate([np.log(wide), own], axis=1)
    return constants_from(fitted(start, limits, lambda logs: _residuals(runs, *constants_from(logs))))


def fit_roofline(runs: Sequence[ServedRun]) -> tuple[ServingConstants, Engine]:
    """The four constants that stand beside."""

    def made(logs: np.ndarray) -> tuple[ServingConstants, Engine]:
        reading, matrix, host, layer = np.exp(logs).tolist()
        common = replace(ROOFLINE[0], reading=reading, cache=reading, matrix=matrix)
        return common, replace(ROOFLINE[1], host=host, layer=layer)

    def residuals(logs: np.ndarray) -> np.ndarray:
        common, engine = made(logs)
        return _residuals(runs, common, dict.fromkeys(START, engine))

    start = np.log([ROOFLINE[0].reading, ROOFLINE[0].matrix, ROOFLINE[1].host, ROOFLINE[1].layer])
    return made(fitted(start, np.array([[-np.inf] * 4, [np.inf] * 4]), residuals))


def provenance(value: float, start: float, limits: tuple[float, float] | None = None) -> str:
    """The source of a fitted constant: whether measured runs moved it, and where it stopped. All in the same unit."""
    stopped = next((limit for limit in limits or () if isclose(value, limit, rel_tol=UNMOVED)), None)
    if stopped is not None:
        return f"{FITTED}, stopped at its limit of {stopped:g}"
    if isclose(value, start, rel_tol=UNMOVED):
        return "derived: chosen as the start of the fit; no measured serving run moves it"
    return FITTED


def sources() -> dict[str, Callable[[float], str]]:
    """For each constant that is fitted, what its source says, given its value (in seconds, or a plain number)."""
    of_kernels = {
        f"serving-{_dashed(name)}": partial(
            provenance, start=getattr(ServingConstants(), name), limits=LIMITS.get(name)
        )
        for name in COMMON
    }
    return of_kernels | {
        f"engine-{engine}-{name}": partial(provenance, start=getattr(start, name))
        for engine, start in START.items()
        for name in OWN
    }


def judging(runs: Sequence[ServedRun]) -> list[ServedRun]:
    """The rows that are kept out, but for bursts: what all requests at once take is mostly how they queue."""
    return [run for run in runs if run.use != "calibration" and run.mode != "burst"]


def spreads(runs: Sequence[ServedRun], constants: ServingConstants, engines: dict[str, Engine]) -> Spreads:
    """Standard deviations with which eight in ten of the rows lie within P10-P90."""
    off = {name: np.abs(np.log(rows)) for name, rows in ratios(runs, constants, engines).items()}
    return Spreads(**{name: float(np.quantile(rows, 0.8)) / NINETIETH for name, rows in off.items()})


def errors(runs: Sequence[ServedRun], constants: ServingConstants, engines: dict[str, Engine]) -> dict[str, float]:
    """Median share by which predictions are off, by figure."""
    found = ratios(runs, constants, engines)
    return {name: float(np.median(np.abs(rows - 1))) for name, rows in found.items() if len(rows)}


def ratios(runs: Sequence[ServedRun], constants: ServingConstants, engines: dict[str, Engine]) -> dict[str, np.ndarray]:
    """Predicted over measured, by figure."""
    found: dict[str, list[float]] = {name: [] for name in WEIGHTS}
    for run in runs:
        made = run.served(constants, engines[run.engine])
        for name, value in run.measured.items():
            found[name].append(figure_of(made, name) / value)
    return {name: np.array(rows) for name, rows in found.items()}


def main() -> None:
    """Prints the constants of the catalog and of the roofline."""
    library = load()
    runs = served_runs(library.knowledge_folder / "measurements", library.catalog)
    fitted_to, kept_out = [run for run in runs if run.use == "calibration"], judging(runs)
    constants, engines = fit_serving(fitted_to)
    values = {f"serving-{_dashed(name)}": getattr(constants, name) for name in COMMON}
    values |= {f"engine-{name}-{own}": getattr(engine, own) for name, engine in engines.items() for own in OWN}
    for name, source in sources().items():
        _print(name, values[name], source(values[name]))
    for own in OWN:
        logs = [log(getattr(engines[one], own)) for one in SERVED_NOW]
        _print(f"engine-{own}", exp(float(np.mean(logs))), MIDDLE)
    spread = spreads(kept_out, constants, engines)
    for one in fields(Spreads):
        _print(f"serving-spread-{one.name}", getattr(spread, one.name), SPREAD)
    bursts = errors([run for run in runs if run.mode == "burst"], constants, engines)
    for name, error in (errors(kept_out, constants, engines) | {"burst": bursts["rate"]}).items():
        _print(f"serving-error-{name}", error, ERROR)
    print(fit_roofline(fitted_to))


MIDDLE = "derived: geometric mean of vLLM, SGLang and TensorRT-LLM of today"
SPREAD = (
    "derived: set by the rows of measurements/serving.csv that are kept out of the fit, about eight in ten of them "
    "within P10-P90: that they are says only that it was chosen so"
)
ERROR = "derived: median error at the rows of measurements/serving.csv that are kept out of the fit"


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _print(name: str, value: float, source: str) -> None:
    unit, shown = ("us", value * 1e6) if value < 0.01 else ("1", value)
    if name.endswith(("-host", "-first")):
        unit, shown = "ms", value * 1e3
    print(f'{name}: {{value: {shown:.4g}, unit: {_unit(unit)}, source: "{source}", date: {datetime.date.today()}}}')


def _unit(unit: str) -> str:
    return '"1"' if unit == "1" else unit


if __name__ == "__main__":
    main()
