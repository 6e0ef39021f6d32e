"""Where many things are worked on at once: processes of this machine, or workers of a Ray cluster (extra ``[ray]``)."""

from .choice import Engine, cores
from .order import Work, mapped

__all__ = ["Engine", "Work", "cores", "mapped"]
