"""Numbers of things in words: the one place that knows their plurals, and how copies of a served model are phrased."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def counted(number: int, thing: str) -> str:
    """``1 switch``, ``1,024 switches``; a thing of several words is told by its last."""
    if number == 1:
        return f"1 {thing}"
    if thing.endswith("y"):
        return f"{number:,} {thing[:-1]}ies"
    return f"{number:,} {thing}{'es' if thing.endswith(('ch', 's', 'x')) else 's'}"


def copies_told(copies: int, gpus: int) -> str:
    """``3 copies of 8 GPUs``."""
    return f"{counted(copies, 'copy')} of {counted(gpus, 'GPU')}"


def instances_told(parallelism: Mapping[str, Any], copies: int, gpus: int) -> str:
    """Copies, or instances of each side where prompts and answers are apart: ``5 × 2 GPUs read prompts and 3 × 8 write
    answers``."""
    if "prefill_workers" not in parallelism:
        return copies_told(copies, gpus)
    read, written = (
        f"{parallelism[f'{side}_workers']:,} × {parallelism[f'{side}_gpus']:,}" for side in ("prefill", "decode")
    )
    return f"{read} GPUs read prompts and {written} write answers"
