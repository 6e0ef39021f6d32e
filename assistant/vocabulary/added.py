"""The sum of numbers that are not whole, the same on every Python."""

import operator
from collections.abc import Iterable
from functools import reduce
from typing import Any


def added(values: Iterable[Any], start: Any = 0.0) -> Any:
    """Numbers or arrays, one after the other. From Python 3.12 on the built-in ``sum`` corrects what it rounds off, so
    that the last digit of a plan would hang on the Python that made it."""
    return reduce(operator.add, values, start)
