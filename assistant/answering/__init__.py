"""Answers to questions about the field: computed where a number is asked for, else from claims, then passages.

``computed_answer`` needs no search index and no embedding model; ``answer`` and ``answer_many`` take the search for the
rest. A question comes understood, as an :class:`Utterance`; nothing here reads words.
"""

from __future__ import annotations

from .answers import answer, answer_many, computed_answer, gpus_for_days
from .computing import KINDS

__all__ = ["KINDS", "answer", "answer_many", "computed_answer", "gpus_for_days"]
