"""Weft: plan the fabric before you buy it.

The rooms of the house and what may import what are described in
``knowledge/handbook/architecture.md`` and held by ``tests/test_architecture.py``.
"""

__version__ = "0.1.0"

# How many new objects there may be before garbage among them is looked for. A start makes a million of them and none is
# garbage: with the usual 700 a sixth of it is spent looking.
GARBAGE = (50_000, 20, 50)
