"""Measured runs from files, compared with the model: ``weft validate``."""

from __future__ import annotations

from .report import SourceErrors, by_source, errors_of
from .runs import read_runs

__all__ = ["SourceErrors", "by_source", "errors_of", "read_runs"]
