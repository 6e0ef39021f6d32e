"""What a browser may send over its connection: keys, a new size, focus. Anything else ends the connection."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aiohttp import web

    from .session import Session

# No screen is larger; a size of millions would only fill the memory.
LARGEST = (600, 300)
SMALLEST = (20, 8)
# A paste comes as one message.
LONGEST = 256 * 1024
# Of one connection altogether: a day of typing is a hundredth of it.
MOST = 16 * 1024 * 1024


class NotUnderstood(ValueError):
    """A message that the page never sends."""


async def hand_on(text: str, session: Session, websocket: web.WebSocketResponse) -> bool:
    """Hand a message to the visitor's process; whether the visitor did something. Raises :class:`NotUnderstood`."""
    kind, value = _parts(text)
    if kind == "stdin" and isinstance(value, str):
        await session.send_bytes(value.encode("utf-8", "replace"))
        return True
    if kind == "resize" and isinstance(value, dict):
        await session.set_terminal_size(*size(value.get("width"), value.get("height")))
    elif kind == "focus":
        await session.focus()
    elif kind == "blur":
        await session.blur()
    elif kind == "ping" and isinstance(value, str):
        await websocket.send_json(["pong", value[:64]])
    else:
        raise NotUnderstood
    return False


def _parts(text: str) -> tuple[Any, Any]:
    try:
        envelope = json.loads(text)
    except (ValueError, RecursionError):
        raise NotUnderstood from None
    if not isinstance(envelope, list) or not 1 <= len(envelope) <= 2:
        raise NotUnderstood
    return envelope[0], envelope[1] if len(envelope) == 2 else None


def size(width: object, height: object) -> tuple[int, int]:
    """Columns and rows, within what a screen can have. Raises :class:`NotUnderstood` for what is no number."""
    try:
        columns, rows = (
            max(low, min(high, int(given)))  # type: ignore[call-overload]
            for given, low, high in zip((width, height), SMALLEST, LARGEST, strict=True)
        )
        return columns, rows
    except (TypeError, ValueError, OverflowError):
        raise NotUnderstood from None
