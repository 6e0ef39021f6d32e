"""Fits the constants of serving to the rows for calibration and prints them as the catalog has them.

``python -m assistant.validation.serving_fit``. Damped least squares on logarithms of predicted over measured, rows that
lie far off weighing less (one engine is measured twice as fast by one publisher as by another), the time to the first
token weighing less than the others (it is mostly a benchmark's queue). Constants are drawn to where they start, those
of an engine to the middle of the engines of its time (:data:`DRAWN`: how strongly was chosen by what is off at sources
that were left out of a fit, of those for calibration). The four constants of the plain roofline that stand beside are
fitted in the same way. Spreads are of calibration rows, of dense models and of mixtures apart: each predicted without
its source, and for GPUs that nothing was fitted to without its generation; errors are of the rows that are kept out.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from math import exp, isclose, log

import numpy as np

from assistant.library import load
from assistant.model.serving_constants import Engine, ServingConstants, Spreads, spread_name
from assistant.vocabulary.quantities import NINETIETH

from .serving import PACKS, ROOFLINE, Figure, ServedRun, figure_of, served_runs

WEIGHTS: dict[Figure, float] = {"tpot": 1.0, "ttft": 0.35, "rate": 1.0}
FAR = 0.15  # logarithm from which a row weighs less
# a constant that is a factor of e off counts as much as one row off by this logarithm; weaker for what only the time to
# the first token tells, which a benchmark's clients decide, and for widened experts, which each engine has its own
# kernels for
DRAWN, DRAWN_LOOSELY, LOOSE = 0.6, 0.1, ("first", "wave", "widening")
# those of an engine are drawn to the middle of the engines of its time: today's, which share kernels, more strongly
# than the two of 2024
DRAWN_NOW, DRAWN_2024 = 1.0, 0.3
STEPS, DIFFERENCE = 8, 0.02
COMMON = ("reading", "cache", "matrix", "narrow", "corner", "grouped", "moving", "blocked", "cast",
          "packed", "widened")  # fmt: skip
OWN = ("host", "wait", "answer", "stream", "layer", "routed", "mixed", "first", "wave", "scores", "scaled", "latent",
       "widening")  # fmt: skip
SERVED_NOW = ("vllm", "sglang", "tensorrt-llm")  # an engine nobody named lies in their middle
SERVED_2024 = ("vllm-2024", "tensorrt-llm-2024")
ENGINES = SERVED_NOW + SERVED_2024
START_2024 = Engine(
    host=2e-3,
    wait=15e-6,  # as NCCL of that time
    answer=4e-6,
    stream=10e-6,
    layer=20e-6,
    routed=30e-6,
    mixed=20e-6,
    first=5e-3,
    scores=0.02,
    overlap=1.0,
)
START: dict[str, Engine] = {name: START_2024 if name in SERVED_2024 else Engine() for name in ENGINES}
# TensorRT-LLM's own all-reduces of 8 KiB on H100 and H200 take 2.8 to 3.5 us, and beyond one pass it leaves them to
# NCCL, which begins 4 to 5 us later for each doubling of the ranks (ai-dynamo/aiconfigurator@095f58a51c4c); held fixed
ONE_PASS = {"reduce": 3.5e-6, "again": 5e-6}
START["tensorrt-llm"] = replace(Engine(), **ONE_PASS)
START["tensorrt-llm-2024"] = replace(START_2024, again=ONE_PASS["again"])
# what cannot be: shares above what a kernel reaches, a corner rounder than adding up, more than all beginning at once
LIMITS = {"reading": (0.4, 0.95), "cache": (0.4, 0.95), "matrix": (0.4, 1.15), "narrow": (0.4, 1.0),
          "corner": (1.2, 8.0), "wave": (1e-3, 0.9)}  # fmt: skip
ANYTHING = (1e-9, 1e9)
UNMOVED = 5e-3  # share by which a constant that no row moves may differ from its start, as it is printed
FITTED = "derived: fitted to measured serving runs"


@dataclass(frozen=True)
class Parameters:
    """What a fit moves, as logarithms. ``start``, ``drawn``: (P,), where it starts and how strongly it is drawn there;
    ``limits``: (2, P). ``of``: of an engine, which of them its runs depend on; ``made``: of an engine, the constants
    from their values, (n, ...) in that order."""

    start: np.ndarray
    drawn: np.ndarray
    limits: np.ndarray
    of: Callable[[str], np.ndarray]
    made: Callable[[str, np.ndarray], tuple[ServingConstants, Engine]]

    def at(self, engine: str, logs: np.ndarray) -> tuple[ServingConstants, Engine]:
        """Constants of an engine."""
        return self.made(engine, np.exp(logs[self.of(engine)]))

    def moved(self, logs: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, tuple[ServingConstants, Engine]]]:
        """Of each engine the constants as they are and with each of its parameters a little larger, (n, 1 + n)."""
        places, moved = {name: self.of(name) for name in ENGINES}, {}
        for name, at in places.items():
            steps = np.concatenate([np.zeros((len(at), 1)), DIFFERENCE * np.eye(len(at))], axis=1)
            moved[name] = self.made(name, np.exp(logs[at][:, None] + steps))
        return places, moved


def parameters() -> Parameters:
    """Constants of kernels, in the order of :data:`COMMON`, then :data:`OWN` of each engine."""
    common, own = len(COMMON), len(OWN)
    start = [getattr(ServingConstants(), name) for name in COMMON]
    start += [getattr(START[engine], name) for engine in ENGINES for name in OWN]
    names = COMMON + OWN * len(ENGINES)
    drawn = [DRAWN] * common
    for engine in ENGINES:
        usual = DRAWN_2024 if engine in SERVED_2024 else DRAWN_NOW
        drawn += [DRAWN_LOOSELY if name in LOOSE else usual for name in OWN]
    limits = np.log(np.array([LIMITS.get(name, ANYTHING) for name in names]).T)

    def of(engine: str) -> np.ndarray:
        first = common + own * ENGINES.index(engine)
        return np.concatenate([np.arange(common), np.arange(first, first + own)])

    def made(engine: str, values: np.ndarray) -> tuple[ServingConstants, Engine]:
        kernels = dict(zip(COMMON, values[:common], strict=True))
        return replace(ServingConstants(), **kernels), replace(
            START[engine], **dict(zip(OWN, values[common:], strict=True))
        )

    return Parameters(np.log(start), np.array(drawn), limits, of, made)


def roofline_parameters() -> Parameters:
    """The four constants that stand beside, the same for every engine."""
    start = np.log([ROOFLINE[0].reading, ROOFLINE[0].matrix, ROOFLINE[1].host, ROOFLINE[1].layer])

    def made(_: str, values: np.ndarray) -> tuple[ServingConstants, Engine]:
        reading, matrix, host, layer = values
        common = replace(ROOFLINE[0], reading=reading, cache=reading, matrix=matrix)
        return common, replace(ROOFLINE[1], host=host, layer=layer)

    limits = np.log(np.array([ANYTHING] * len(start)).T)
    return Parameters(start, np.full(len(start), DRAWN_LOOSELY), limits, lambda _: np.arange(len(start)), made)


def _residuals(runs: Sequence[ServedRun], of: Parameters, logs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weighted logarithms of predicted over measured, (R,), and their slopes, (R, P)."""
    places, moved = of.moved(logs)
    rows, slopes = [], []
    for run in runs:
        made, at = run.served(*moved[run.engine]), places[run.engine]
        for name, value in run.measured.items():
            off = np.broadcast_to(WEIGHTS[name] * np.log(figure_of(made, name) / value), (1 + len(at),))
            slope = np.zeros(len(logs))
            slope[at] = (off[1:] - off[0]) / DIFFERENCE
            rows.append(off[0])
            slopes.append(slope)
    return np.array(rows), np.array(slopes)


def fitted(runs: Sequence[ServedRun], of: Parameters, first: np.ndarray, to: np.ndarray, steps: int) -> np.ndarray:
    """Logarithms with the least robust squares, drawn to ``to``."""
    at, damping, (here, slopes) = first, 1e-2, _residuals(runs, of, first)
    for _ in range(steps):
        weights = 1.0 / np.sqrt(1.0 + (here / FAR) ** 2)
        curvature = slopes.T @ (weights[:, None] * slopes) + np.diag(of.drawn**2)
        downhill = slopes.T @ (weights * here) + of.drawn**2 * (at - to)
        move = np.linalg.solve(curvature + damping * np.diag(np.diag(curvature)), -downhill)
        tried = np.clip(at + np.clip(move, -0.5, 0.5), *of.limits)
        there, then = _residuals(runs, of, tried)
        if _cost(there, of.drawn * (tried - to)) < _cost(here, of.drawn * (at - to)):
            at, here, slopes, damping = tried, there, then, damping / 3.0
        else:
            damping *= 10.0
    return at


def _cost(residuals: np.ndarray, moved: np.ndarray) -> float:
    far = FAR**2 * (np.sqrt(1.0 + (residuals / FAR) ** 2) - 1.0)
    return float(far.sum() + 0.5 * (moved**2).sum())


def middle(of: Parameters, logs: np.ndarray, engines: Sequence[str] = ENGINES) -> np.ndarray:
    """The start, but of each engine the middle of those of ``engines`` that are of its time, as fitted."""
    drawn_to = of.start.copy()
    for era in (SERVED_NOW, SERVED_2024):
        known = [of.of(name)[len(COMMON) :] for name in era if name in engines]
        for name in era if known else ():
            drawn_to[of.of(name)[len(COMMON) :]] = np.mean([logs[at] for at in known], axis=0)
    return drawn_to


def fit_serving(runs: Sequence[ServedRun], of: Parameters, first: np.ndarray, steps: int = STEPS) -> np.ndarray:
    """Logarithms of all constants from these rows: drawn to their start, then to the middle that was found."""
    engines = {run.engine for run in runs}
    loosely = replace(of, drawn=np.full(len(of.start), DRAWN_LOOSELY))
    alone = fitted(runs, loosely, first, of.start, steps)
    return fitted(runs, of, alone, middle(of, alone, sorted(engines)), steps)


def left_out(
    runs: Sequence[ServedRun], of: Parameters, key: str, fits: Mapping[str, Fit], *, mixture: bool, known: bool
) -> dict[str, list[np.ndarray]]:
    """Logarithms of predicted over measured, each row predicted by that of the ``fits`` that is without its ``source``
    or without its ``generation`` of GPUs: by figure, an array for each model under an engine that is left out with it,
    dense or mixtures. An engine of which nothing remains is none of them where it should be ``known``. The first token
    of one batch waits for nobody: it is not among them."""
    found: dict[str, list[np.ndarray]] = {name: [] for name in WEIGHTS}
    for one, (without, engines) in fits.items():
        groups: dict[tuple[str, str], list[ServedRun]] = {}
        for run in runs:
            asked = (run.architecture.experts > 0) == mixture and (run.engine in engines or not known)
            if getattr(run, key) == one and asked:
                groups.setdefault((run.engine, run.model), []).append(run)
        for group in groups.values():
            for name, rows in ratios(group, of, without).items():
                alone = name == "ttft" and group[0].mode == "static"
                found[name] += [np.log(rows)] if len(rows) and not alone else []
    return found


Fit = tuple[np.ndarray, list[str]]  # logarithms of the constants, engines that have rows


def fits_without(runs: Sequence[ServedRun], of: Parameters, key: str) -> dict[str, Fit]:
    """By what is left out, a fit to all other rows. An engine of which nothing remains is the middle of its time."""
    found = {}
    for one in sorted({getattr(run, key) for run in runs}):
        inside = [run for run in runs if getattr(run, key) != one]
        without, engines = fit_serving(inside, of, of.start), sorted({run.engine for run in inside})
        drawn_to = middle(of, without, engines)
        for name in set(ENGINES) - set(engines):
            own = of.of(name)[len(COMMON) :]
            without[own] = drawn_to[own]
        found[one] = without, engines
    return found


def provenance(value: float, start: float, limits: tuple[float, float] | None = None) -> str:
    """The source of a fitted constant: whether measured runs moved it, and where it stopped. All in the same unit."""
    stopped = next((limit for limit in limits or () if isclose(value, limit, rel_tol=UNMOVED)), None)
    if stopped is not None:
        return f"{FITTED}, stopped at its limit of {stopped:g}"
    if isclose(value, start, rel_tol=UNMOVED):
        return "derived: the start of the fit, which measured serving runs leave as it is"
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
    """The rows that are kept out and were not looked at, but for bursts: what all requests at once take is mostly how
    they queue."""
    return [run for run in runs if run.use != "calibration" and run.mode != "burst" and run.source not in PACKS]


def spreads(off: Mapping[str, Sequence[np.ndarray]]) -> Spreads:
    """Standard deviations with which eight in ten rows lie within P10-P90 where each group counts as much as another:
    what nobody has seen brings models and engines of its own, however many rows."""
    found = {}
    for name, groups in off.items():
        weights = np.concatenate([np.full(len(rows), 1.0 / len(rows)) for rows in groups])
        rows = np.abs(np.concatenate(groups))
        found[name] = float(np.quantile(rows, 0.8, weights=weights, method="inverted_cdf")) / NINETIETH
    return Spreads(**found)


def ratios(runs: Sequence[ServedRun], of: Parameters, logs: np.ndarray) -> dict[str, np.ndarray]:
    """Predicted over measured, by figure."""
    found: dict[str, list[float]] = {name: [] for name in WEIGHTS}
    constants = {name: of.at(name, logs) for name in ENGINES}
    for run in runs:
        made = run.served(*constants[run.engine])
        for name, value in run.measured.items():
            found[name].append(figure_of(made, name) / value)
    return {name: np.array(rows) for name, rows in found.items()}


def main() -> None:
    """Prints the constants of the catalog and of the roofline."""
    library = load()
    runs = served_runs(library.knowledge_folder / "measurements", library.catalog)
    rows, of = [run for run in runs if run.use == "calibration"], parameters()
    logs = fit_serving(rows, of, of.start)
    made = {name: of.at(name, logs) for name in ENGINES}
    values = {f"serving-{_dashed(name)}": float(getattr(made["vllm"][0], name)) for name in COMMON}
    values |= {f"engine-{name}-{own}": float(getattr(made[name][1], own)) for name in ENGINES for own in OWN}
    for name, source in sources().items():
        _print(name, values[name], source(values[name]))
    for name, own in (("tensorrt-llm", "reduce"), ("tensorrt-llm", "again"), ("tensorrt-llm-2024", "again")):
        _print(f"engine-{name}-{own}", getattr(START[name], own), MEASURED)
    for own in OWN:
        _print(f"engine-{own}", exp(float(np.mean([log(values[f"engine-{one}-{own}"]) for one in SERVED_NOW]))), MIDDLE)
    without = {key: fits_without(rows, of, key) for key in ("source", "generation")}
    for mixture in (False, True):
        source = spreads(left_out(rows, of, "source", without["source"], mixture=mixture, known=True))
        generation = spreads(left_out(rows, of, "generation", without["generation"], mixture=mixture, known=False))
        for one in fields(Spreads):
            known, new = getattr(source, one.name), getattr(generation, one.name)
            if one.name == "ttft":  # what waits is the queue of an engine and its clients, on whatever GPU
                new = known
            _print(f"{spread_name(mixture=mixture, known=True)}-{one.name}", known, SPREAD)
            _print(f"{spread_name(mixture=mixture, known=False)}-{one.name}", max(known, new), SPREAD_NEW)
    off = ratios(judging(runs), of, logs)
    off["burst"] = ratios([run for run in runs if run.mode == "burst"], of, logs)["rate"]
    for name, found in off.items():
        _print(f"serving-error-{name}", float(np.median(np.abs(found - 1.0))), ERROR)
    beside = roofline_parameters()
    print(np.exp(fitted(rows, beside, beside.start, beside.start, STEPS)))


MEASURED = (
    "derived: TensorRT-LLM's own all-reduces and NCCL's on 2 to 8 H100 and H200 (ai-dynamo/aiconfigurator@095f58a51c4c)"
)
MIDDLE = "derived: geometric mean of vLLM, SGLang and TensorRT-LLM of today"
SPREAD = (
    "derived: eight in ten of the calibration rows of measurements/serving.csv lie within P10-P90 where their source "
    "is left out of the fit, each model under an engine counting once"
)
SPREAD_NEW = SPREAD.replace("source is", "generation of GPUs is") + "; no less than on GPUs that were fitted to"
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
