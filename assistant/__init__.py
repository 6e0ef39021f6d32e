"""Weft: plan the fabric before you buy it.

The rooms of the house and what may import what are described in
``knowledge/handbook/architecture.md`` and held by ``tests/test_architecture.py``.
"""

__version__ = "0.1.0"
