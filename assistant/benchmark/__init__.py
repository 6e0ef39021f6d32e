"""How fast this is on this machine: ``weft benchmark``. Measures; judges nothing."""

from __future__ import annotations

from .run import PARTS, benchmark

__all__ = ["PARTS", "benchmark"]
