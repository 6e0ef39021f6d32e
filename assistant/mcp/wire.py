"""Standard input and output: a message a line, none longer than :data:`MOST_WIRE`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import BinaryIO, TextIO, cast

import anyio
import anyio.from_thread
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, ErrorData, JSONRPCError

from .limits import MOST_WIRE
from .server import server

_ID = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,100}")')


class Lines:
    """A stream of lines of which none is longer than ``most`` bytes: a longer one is read to its end and let go.
    ``refused`` is told the number of the request that it was, where its beginning says one."""

    def __init__(self, stream: BinaryIO, most: int = MOST_WIRE) -> None:
        self._stream, self._most = stream, most
        self.refused: Callable[[int | str], None] = lambda number: None

    def readline(self) -> str:
        """The next line that is short enough; nothing at the end."""
        while len(line := self._stream.readline(self._most + 1)) > self._most:
            found = _ID.search(line)
            while line and not line.endswith(b"\n"):
                line = self._stream.readline(self._most)
            if found is not None:
                self.refused(json.loads(found[1]))
        return line.decode("utf-8", "replace")


def run() -> None:
    """Serve until the client closes standard input."""
    anyio.run(_served)


async def _served() -> None:
    lines, lowlevel = Lines(sys.stdin.buffer), server()._lowlevel_server
    said = anyio.wrap_file(cast("TextIO", lines))  # of a file only its lines are read
    async with stdio_server(stdin=said) as (heard, answered):
        lines.refused = lambda number: anyio.from_thread.run(answered.send, _too_long(number))
        await lowlevel.run(heard, answered, lowlevel.create_initialization_options())


def _too_long(number: int | str) -> SessionMessage:
    error = ErrorData(code=INVALID_REQUEST, message=f"expected a message of at most {MOST_WIRE:,} bytes")
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=number, error=error))
