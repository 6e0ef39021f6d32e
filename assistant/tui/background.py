"""Work beside the screen: in a thread, its result posted back as a message."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from textual.message import Message
from textual.message_pump import MessagePump

_NAME = "weft-"


@dataclass
class Done(Message):
    """Work named ``what`` has ended with a value or an error."""

    what: str
    value: Any = None
    error: Exception | None = None


def begin(what: str, work: Callable[[], Any], tell: MessagePump) -> None:
    """Do ``work`` in a daemon thread (leaving must not wait for a model to load) and post :class:`Done` to ``tell``."""

    def run() -> None:
        try:
            done = Done(what, work())
        except Exception as error:
            done = Done(what, error=error)
        tell.post_message(done)

    threading.Thread(target=run, name=f"{_NAME}{what}", daemon=True).start()


def still_working() -> bool:
    """Whether a thread begun here has not ended yet."""
    return any(thread.name.startswith(_NAME) for thread in threading.enumerate())
