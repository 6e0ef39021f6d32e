"""Connections before anybody has shown a token: how many there may be, and how long each may take."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

REQUEST_S = 10.0  # for a request: a browser sends it at once
ANSWER_S = 120.0  # for the answer, which whoever asked has to take; a conversation lasts as long as it is held
# For each place, beside the conversation: a page with its files (a browser opens six), loaded anew, in two windows.
OF_A_PLACE = 24
AT_LEAST = 128
_END = b"\r\n\r\n"


@dataclass
class _Kept:
    """An open connection: whose it is, whether its request is still to come, and when it is cut off; never where it
    carries a conversation."""

    address: str
    waiting: bool = True
    end: asyncio.TimerHandle | None = None


class Connections:
    """The open ones. Each is for one request; one that takes too long is closed.

    Where all places are taken, whoever holds most of them gives one back: first one without a request, the oldest. So
    one visitor who opens many and says nothing keeps nobody else out. Conversations are kept, and where there is
    nothing else the new one is closed.
    """

    def __init__(self, places: int) -> None:
        self.most = max(AT_LEAST, OF_A_PLACE * places)
        self._open: dict[asyncio.BaseTransport, _Kept] = {}

    def guarded(self, handler: Callable[[], asyncio.Protocol]) -> Callable[[], asyncio.Protocol]:
        """What answers a connection, kept within the limits."""
        return lambda: _Guarded(self, handler())

    def begin(self, transport: asyncio.Transport) -> bool:
        """Whether there is room for one more, or room was made."""
        while len(self._open) >= self.most:
            if (given_up := self._one_to_give_up()) is None:
                return False
            self.ended(given_up)
            given_up.abort()
        self._open[transport] = _Kept(str((transport.get_extra_info("peername") or ("",))[0]))
        self.end_after(transport, REQUEST_S)
        return True

    def _one_to_give_up(self) -> asyncio.Transport | None:
        held = Counter(kept.address for kept in self._open.values())
        limited = [(one, kept) for one, kept in self._open.items() if kept.end is not None]
        found = max(limited, key=lambda each: (held[each[1].address], each[1].waiting), default=None)
        return cast(asyncio.Transport, found[0]) if found else None

    def asked(self, transport: asyncio.Transport) -> None:
        """Its request is there whole: it is given time for the answer."""
        if kept := self._open.get(transport):
            kept.waiting = False
        self.end_after(transport, ANSWER_S)

    def end_after(self, transport: asyncio.Transport | None, seconds: float | None) -> None:
        """Give a connection so long from now on, or as long as it lasts."""
        if transport is not None and (kept := self._open.get(transport)):
            if kept.end:
                kept.end.cancel()
            loop = asyncio.get_running_loop()
            kept.end = None if seconds is None else loop.call_later(seconds, transport.abort)

    def ended(self, transport: asyncio.BaseTransport | None) -> None:
        """It is gone."""
        if transport is not None and (kept := self._open.pop(transport, None)) and kept.end:
            kept.end.cancel()


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
                self._connections.asked(self._transport)
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
