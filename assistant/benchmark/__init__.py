"""How fast this is on this machine: ``weft benchmark``. Measures; judges nothing."""

from .run import PARTS, benchmark

__all__ = ["PARTS", "benchmark"]
