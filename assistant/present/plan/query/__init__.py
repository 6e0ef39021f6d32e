"""A question of a plan that asks for figures, answered from a table of them: told, compared, held against a claim,
tried with something else."""

from .answer import FIGURES, answered, told

__all__ = ["FIGURES", "answered", "told"]
