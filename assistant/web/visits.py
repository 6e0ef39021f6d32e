"""The places there are, who holds them, and which conversation a returning visitor goes on with."""

from __future__ import annotations

import asyncio
import datetime
import secrets
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.library import paths

if TYPE_CHECKING:
    from aiohttp import web

    from .session import Session

_REMEMBERED = 256  # conversations that can be gone on with; the oldest is forgotten first, its transcript stays


@dataclass(eq=False)
class Visit:
    """A conversation: its secret name, its file, and while somebody holds it the connection and the process."""

    name: str
    transcript: Path
    websocket: web.WebSocketResponse | None = None
    session: Session | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class Visits:
    """At most ``places`` conversations at once."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._held: dict[str, Visit] = {}
        self._transcripts: OrderedDict[str, Path] = OrderedDict()

    @property
    def full(self) -> bool:
        """Whether no place is free."""
        return len(self._held) >= self.places

    def __iter__(self) -> Iterator[Visit]:
        return iter(tuple(self._held.values()))

    async def begin(self, name: str | None) -> Visit | None:
        """Take a place, for a conversation known by its name or for a new one; ``None`` when no place is free.

        A conversation is held once: whoever comes back (a page loaded anew) takes the place of the connection before.
        """
        while name is not None and name in self._held:
            await self._release(self._held[name])
        if self.full:
            return None
        known = name in self._transcripts
        visit = Visit(name, self._transcripts[name]) if known else Visit(secrets.token_urlsafe(24), _new_transcript())
        self._held[visit.name] = visit
        self._remember(visit)
        return visit

    async def _release(self, visit: Visit) -> None:
        if visit.websocket is not None:
            await visit.websocket.close(code=1000, message=b"It goes on in another window.")
        await visit.ended.wait()

    def _remember(self, visit: Visit) -> None:
        self._transcripts[visit.name] = visit.transcript
        self._transcripts.move_to_end(visit.name)
        while len(self._transcripts) > _REMEMBERED:
            self._transcripts.popitem(last=False)

    def end(self, visit: Visit) -> None:
        """Give the place back. Only when the process is gone."""
        if self._held.get(visit.name) is visit:
            del self._held[visit.name]
        visit.ended.set()


def _new_transcript() -> Path:
    """A file of its own for each conversation, also for two that begin in the same second."""
    begun = datetime.datetime.now().strftime("%Y-%m-%d-%H%M")
    return paths.data_dir() / "transcripts" / f"{begun}-browser-{secrets.token_hex(4)}.md"
