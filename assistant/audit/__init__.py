"""Recomputes what the sources claim, with the formulas and the model that plans are made with."""

from .auditing import audit
from .formulas import formulas

__all__ = ["audit", "formulas"]
