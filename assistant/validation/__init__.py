"""Measured runs from files, compared with the model: ``weft validate``."""

from __future__ import annotations

from .report import errors_of, left_out, validate
from .runs import read_runs

__all__ = ["errors_of", "left_out", "read_runs", "validate"]
