"""Fits the constants of reinforcement learning to the rows for calibration and prints them as the catalog has them.

``python -m assistant.validation.reinforcement_fit``. Steps: five constants, least sum of absolute logarithms over
NeMo-RL's rows on H100, then the one of DeepSpeed-Chat over its own. A step is linear in each constant but for which
half of an asynchronous one is longer, so every run is predicted once with each constant alone. Weight sync: the
constants of each method by themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assistant.library import load
from assistant.planning.reinforcement import step_seconds
from assistant.vocabulary.catalog import Catalog

from .reinforcement import LoopRun, loop_runs

START = {"rollout-host": 5e-3, "rollout-answer": 1e-5, "rollout-routed": 5e-5, "rl-training": 1.4, "rl-overhead": 5.0}
TRIES, SEED = 4000, 7


@dataclass(frozen=True)
class Parts:
    """Seconds of one measured step: of generation without the engine's own constants and for one unit of each, of the
    trainer's own work at factor one, of what it ``waits`` for gradients and weights, of the sync."""

    run: LoopRun
    generation: float
    slopes: np.ndarray
    trainer: float
    waits: float
    sync: float
    at_once: bool

    def step(self, constants: np.ndarray, hybrid: float = 1.0) -> float:
        """Seconds with these constants, in the order of :data:`START`."""
        generation = self.generation + float(self.slopes @ constants[:3])
        trainer = self.trainer * constants[3] + self.waits
        longer = max(generation, trainer) if self.at_once else generation + trainer
        return hybrid * longer + self.sync + float(constants[4])


def parts_of(run: LoopRun, catalog: Catalog) -> Parts:
    """A run taken apart by predicting it with each constant alone."""
    nothing = {**dict.fromkeys(START, 0.0), "rl-training": 1.0, "rl-hybrid": 1.0}
    bare = step_seconds(run.questionnaire, _with(catalog, nothing))
    waits = step_seconds(run.questionnaire, _with(catalog, {**nothing, "rl-training": 0.0})).trainer
    engine = list(START)[:3]
    each = [step_seconds(run.questionnaire, _with(catalog, {**nothing, name: 1e-3})) for name in engine]
    slopes = np.array([(one.generation - bare.generation) / 1e-3 for one in each])
    return Parts(run, bare.generation, slopes, bare.trainer - waits, waits, bare.sync, bare.at_once)


def _with(catalog: Catalog, values: Mapping[str, float]) -> Catalog:
    constants = dict(catalog.constants)
    for name, value in values.items():
        unit = "1" if name in ("rl-training", "rl-hybrid") else "s"
        constants[name] = constants[name].model_copy(update={"value": value, "unit": unit})
    return catalog.model_copy(update={"constants": constants})


def fitted(parts: Sequence[Parts]) -> np.ndarray:
    """The constants in the order of :data:`START`: a random walk downhill, the same every time."""
    draw, best = np.random.default_rng(SEED), np.array(list(START.values()))
    least = _cost(parts, best)
    for at in range(TRIES):
        tried = best * np.exp(draw.normal(0.0, 0.2 * (1.0 - at / TRIES) + 0.01, len(best)))
        cost = _cost(parts, tried)
        if cost < least:
            best, least = tried, cost
    return best


def _cost(parts: Sequence[Parts], constants: np.ndarray) -> float:
    return sum(abs(np.log(one.step(constants) / one.run.measured_s)) for one in parts)


def hybrid_of(parts: Sequence[Parts], constants: np.ndarray) -> float:
    """The median factor on both halves with which a run takes as long as it was measured."""
    around = [one.sync + float(constants[4]) for one in parts]
    return float(
        np.median(
            [
                (one.run.measured_s - rest) / (one.step(constants) - rest)
                for one, rest in zip(parts, around, strict=True)
            ]
        )
    )


def main() -> None:
    """Print the constants."""
    library = load()
    runs = loop_runs(Path(library.knowledge_folder) / "measurements", library.catalog)
    parts = [parts_of(run, library.catalog) for run in runs if run.use == "calibration"]
    constants = fitted([one for one in parts if one.run.source == "nemo-rl"])
    for name, value in zip(START, constants, strict=True):
        print(f"{name}: {value:.4g}")
    print(f"rl-hybrid: {hybrid_of([one for one in parts if one.run.source == 'deepspeed-chat'], constants):.4g}")


if __name__ == "__main__":
    main()
