"""Finds the passages that answer: the one importer of sentence_transformers.

``Index.open(library)`` reads or builds the index; ``index.for_query(look_up, k)`` is what a plan asks, without a model;
``ask`` and ``ask_many`` answer questions in free text, over ``index_with_yours(library)`` also from the user's documents;
``passages_by_words`` finds what belongs to a computed answer without a model.
"""

from .answering import ask, ask_many
from .at_hand import built_index, ready_index
from .by_words import passages_by_words
from .embedder import Embedder
from .index import Hit, Index
from .own_documents import forget_removed, index_with_yours

__all__ = [
    "Embedder",
    "Hit",
    "Index",
    "ask",
    "ask_many",
    "built_index",
    "forget_removed",
    "index_with_yours",
    "passages_by_words",
    "ready_index",
]
