"""Copies of a served model in words: the one place that phrases them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def copies_told(copies: int, gpus: int) -> str:
    """``3 copies of 8 GPUs``."""
    return f"{copies:,} {'copy' if copies == 1 else 'copies'} of {gpus:,} GPU{'s' if gpus > 1 else ''}"


def instances_told(parallelism: Mapping[str, Any], copies: int, gpus: int) -> str:
    """Copies, or instances of each side where prompts and answers are apart: ``5 × 2 GPUs read prompts and 3 × 8 write
    answers``."""
    if "prefill_workers" not in parallelism:
        return copies_told(copies, gpus)
    read, written = (
        f"{parallelism[f'{side}_workers']:,} × {parallelism[f'{side}_gpus']:,}" for side in ("prefill", "decode")
    )
    return f"{read} GPUs read prompts and {written} write answers"
