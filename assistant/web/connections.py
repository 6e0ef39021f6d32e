"""Connections before anybody has shown a token: how many there may be, and how long each may take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

REQUEST_S = 10.0  # for a request: a browser sends it at once
ANSWER_S = 120.0  # for the answer, which whoever asked has to take; a conversation lasts as long as it is held
# For each place, beside the conversation: a page with its files (a browser opens six), loaded anew, in two windows.
OF_A_PLACE = 24
AT_LEAST = 128
_END = b"\r\n\r\n"


class Connections:
    """The open ones. Each is for one request; one too many is closed at once, and one that takes too long then."""

    def __init__(self, places: int) -> None:
        self.most = max(AT_LEAST, OF_A_PLACE * places)
        self._ends: dict[asyncio.BaseTransport, asyncio.TimerHandle | None] = {}

    def guarded(self, handler: Callable[[], asyncio.Protocol]) -> Callable[[], asyncio.Protocol]:
        """What answers a connection, kept within the limits."""
        return lambda: _Guarded(self, handler())

    def begin(self, transport: asyncio.Transport) -> bool:
        """Whether there is room for one more."""
        if len(self._ends) >= self.most:
            return False
        self._ends[transport] = None
        self.end_after(transport, REQUEST_S)
        return True

    def end_after(self, transport: asyncio.Transport | None, seconds: float | None) -> None:
        """Give a connection so long from now on, or as long as it lasts."""
        if transport in self._ends:
            if last := self._ends[transport]:
                last.cancel()
            loop = asyncio.get_running_loop()
            self._ends[transport] = None if seconds is None else loop.call_later(seconds, transport.abort)

    def ended(self, transport: asyncio.BaseTransport | None) -> None:
        """It is gone."""
        if transport is not None and (last := self._ends.pop(transport, None)):
            last.cancel()


class _Guarded(asyncio.Protocol):
    """Stands between a connection and what answers it, until the request is there whole."""

    def __init__(self, connections: Connections, handler: asyncio.Protocol) -> None:
        self._connections, self._handler = connections, handler
        self._transport: asyncio.Transport | None = None
        self._seen: bytes | None = b""  # the end of what came; none once the request is whole

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        if self._connections.begin(transport):
            self._transport = transport
            self._handler.connection_made(transport)
        else:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._transport is None:
            return
        if self._seen is not None:
            self._seen += data
            if _END in self._seen:
                self._seen = None
                self._connections.end_after(self._transport, ANSWER_S)
            else:
                self._seen = self._seen[1 - len(_END) :]
        self._handler.data_received(data)

    def eof_received(self) -> bool | None:
        return self._handler.eof_received() if self._transport else None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transport is not None:
            self._connections.ended(self._transport)
            self._handler.connection_lost(exc)

    def pause_writing(self) -> None:
        self._handler.pause_writing()

    def resume_writing(self) -> None:
        self._handler.resume_writing()
