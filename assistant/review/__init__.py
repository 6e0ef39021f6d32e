"""Plans under review: what is different between two, and which input, price, rule or constant did it."""

from .comparing import compared
from .fields import said

__all__ = ["compared", "said"]
