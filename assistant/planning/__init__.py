"""From a questionnaire to a plan. :func:`plan` is the one way through; each step of it is a module of its own."""

from __future__ import annotations

from .crossover import with_crossover
from .planner import Decision, decide, plan

__all__ = ["Decision", "decide", "plan", "with_crossover"]
