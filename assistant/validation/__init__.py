"""Measured runs from files, compared with the model: ``weft validate``."""

from .practice import published_runs
from .report import errors_of, left_out, validate
from .runs import read_measured, read_runs

__all__ = ["errors_of", "left_out", "published_runs", "read_measured", "read_runs", "validate"]
