"""Weft for a person's own assistant: a server for the Model Context Protocol on standard input and output, through its
official SDK (package ``mcp``, extra ``[mcp]``), which only this room imports.

Nothing is written, and no path is read that is not part of what ships: tools take words, fields and the text of logs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assistant.vocabulary.errors import InputError

if TYPE_CHECKING:
    from .session import Played

__all__ = ["play", "serve"]


def serve() -> None:
    """Serve until standard input ends. Raises :class:`InputError` where the SDK is not installed."""
    with _sdk():
        from .wire import run
    run()


def play(steps: list[dict[str, Any]]) -> Played:
    """Steps of a session in turn (``knowledge/mcp/session.yaml``), with a server of its own. Raises
    :class:`InputError` where the SDK is not installed."""
    with _sdk():
        from .session import play as played
    return played(steps)


@contextlib.contextmanager
def _sdk() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise InputError("the Model Context Protocol needs its SDK: pip install 'weft-fabric-planner[mcp]'") from None
