"""Finds the passages that answer: the one importer of sentence_transformers.

``open_index(library)`` reads or builds the index; ``index.for_query(look_up, k)`` is what a plan asks, without a model;
``ask`` and ``ask_many`` answer questions in free text, over ``index_with_yours(library)`` also from the user's
documents; ``passages_by_words`` finds what belongs to a computed answer without a model.
"""

from .asking import ask, ask_many
from .embedder import Embedder
from .index import Hit, Index
from .keyword_search import passages_by_words
from .opening import built_index, open_index, ready_index
from .own_documents import forget_removed, index_with_yours
from .progress import shown_by
from .shipped_vectors import worth_shipping

__all__ = [
    "Embedder",
    "Hit",
    "Index",
    "ask",
    "ask_many",
    "built_index",
    "forget_removed",
    "index_with_yours",
    "open_index",
    "passages_by_words",
    "ready_index",
    "shown_by",
    "worth_shipping",
]
