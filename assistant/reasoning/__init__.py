"""Rules over facts: forward chaining in stages, every conclusion with its proof. The one room that knows
durable_rules."""

from __future__ import annotations

from .conclusion import Conclusion
from .engine import EngineError
from .reasoner import Reasoner

__all__ = ["Conclusion", "EngineError", "Reasoner"]
