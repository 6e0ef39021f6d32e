"""A user's own documents: found on disk, read, cut into passages and kept in the user's data folder.

Markdown, plain text, HTML and PDF. Nothing in a document is ever run, loaded from elsewhere or taken for markup of
ours.
"""

from .blocks import harmless
from .store import Added, DocumentStore

__all__ = ["Added", "DocumentStore", "harmless"]
