"""Standard input and output: a message a line, none longer than :data:`MOST_WIRE`."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import re
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any, BinaryIO, cast

import anyio
from anyio.streams.memory import MemoryObjectSendStream
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
    """Serve until the client closes standard input. Raises :class:`OSError` where its answers cannot be written: it has
    gone, or what keeps them is full."""
    try:
        anyio.run(_served)
    except BaseExceptionGroup as failed:  # of the tasks that read and write
        unwritten, others = failed.split(OSError)
        if unwritten is None or others is not None:
            raise
        raise _first(unwritten) from None


async def _served() -> None:
    # A buffer of its own: one that is read when all ends would hold up what closes standard input.
    lines = Lines(io.BufferedReader(io.FileIO(sys.stdin.fileno(), closefd=False)))
    lowlevel = server()._lowlevel_server
    hears, said = anyio.create_memory_object_stream[str]()
    # Of a file only its lines are read.
    async with stdio_server(stdin=cast("anyio.AsyncFile[str]", said)) as (heard, answered):
        done = _from_thread(asyncio.get_running_loop())
        lines.refused = lambda number: done(answered.send(_too_long(number)))
        threading.Thread(target=_read, args=(lines, hears, done), daemon=True).start()
        await lowlevel.run(heard, answered, lowlevel.create_initialization_options())


def _read(lines: Lines, hears: MemoryObjectSendStream[str], done: Callable[[Coroutine[Any, Any, None]], None]) -> None:
    """Every line to its end, in a thread that nobody waits for: it cannot be told that all is over while it reads."""
    with contextlib.suppress(RuntimeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        try:
            while line := lines.readline():
                done(hears.send(line))
        except OSError:
            pass  # nothing more can be read
        done(hears.aclose())


def _from_thread(loop: asyncio.AbstractEventLoop) -> Callable[[Coroutine[Any, Any, None]], None]:
    """Does something of the loop's, from another thread, which waits for it."""
    return lambda thing: asyncio.run_coroutine_threadsafe(thing, loop).result()


def _first(failed: BaseException) -> BaseException:
    while isinstance(failed, BaseExceptionGroup):
        failed = failed.exceptions[0]
    return failed


def _too_long(number: int | str) -> SessionMessage:
    error = ErrorData(code=INVALID_REQUEST, message=f"expected a message of at most {MOST_WIRE:,} bytes")
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=number, error=error))
