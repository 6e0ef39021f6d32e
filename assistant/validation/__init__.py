"""Measured runs from files, compared with the model: ``weft validate``."""

from __future__ import annotations

from .report import SourceErrors, by_source
from .runs import read_runs

__all__ = ["SourceErrors", "by_source", "read_runs"]
