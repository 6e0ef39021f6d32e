"""A grid over fields of a questionnaire, every fabric at every point: ``weft sweep``."""

from .grid import axes_of
from .run import sweep

__all__ = ["axes_of", "sweep"]
