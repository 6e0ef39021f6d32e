"""Values of questionnaire fields in short words."""

from __future__ import annotations

from typing import Any

from . import figures

_NAMES = {
    "cluster.gpus": "GPUs",
    "training.global_batch": "sequences per step",
    "training.sequence_length": "tokens per sequence",
    "budget.gpu_hour_usd": "dollars per GPU-hour",
    "cluster.sites": "sites",
    "training.tokens": "tokens",
}


def amount(path: str, value: Any) -> str:
    """A value with what it counts: ``128 GPUs``, ``training.micro_batch 4``."""
    shown = figure(value)
    return f"{shown} {_NAMES[path]}" if path in _NAMES else f"{path} {shown}"


def figure(value: Any) -> str:
    """A value of an axis in short."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, (int, float)):
        if abs(value) >= 1e6:
            return f"{value:.4g}".replace("e+0", "e").replace("e+", "e")
        text = figures.significant(value, 6)
        return text.rstrip("0").rstrip(".") if "." in text else text
    return str(value)


def named(values: dict[str, Any]) -> str:
    """``cluster.gpus 64, model llama-3.1-8b``."""
    return ", ".join(f"{path} {figure(value)}" for path, value in values.items())
