"""The conversation on the full screen: Textual screens and widgets that draw it and decide nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.conversation import Conversation


def run(*, resume: Path | None = None, theme: str = "dark") -> int:
    """Have the conversation on the full screen; the exit code.

    ``resume`` goes on with a saved transcript. Raises :class:`InputError` when it cannot be read, and
    :class:`KnowledgeError` when the knowledge base cannot be used.
    """
    from .app import WeftApp

    def begin() -> Conversation:
        from assistant.conversation import opening

        return opening.begin(resume=resume)

    app = WeftApp(begin, warm_search, theme=theme)
    code = app.run()
    if app.failure is not None:
        raise app.failure
    return code or 0


def warm_search(conversation: Conversation) -> None:
    """Load the index and the embedding model before the first question of the user needs them."""
    if conversation.searcher is not None:
        conversation.searcher("interconnect")
