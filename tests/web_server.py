"""A real ``weft serve`` on this machine's loopback, and a visitor without a browser who reads what the page would be
sent."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import aiohttp

ROOT = pathlib.Path(__file__).parents[1]
JOB = "fine-tuning llama 3.1 8b on 16 h100"
FIRST_QUESTION = "What will the cluster do?"
NEXT_QUESTION = "What may it cost"  # what is open once the job has been answered whole
PATIENCE_S = 60.0
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?<>=$]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>])")


def over_the_network(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Runs a test that waits for a server."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


class Served:
    """The server: its address, what it printed, its processes, its transcripts."""

    def __init__(self, process: subprocess.Popen[str], home: pathlib.Path) -> None:
        self.process = process
        self.said = self._announcement()
        found = re.search(r"http://\S+", self.said)
        assert found, f"the server did not start: {self.said}"
        self.address = found[0]
        self.base = self.address.split("?")[0].rstrip("/")
        self.folder = home / "transcripts"

    def _announcement(self) -> str:
        lines = []
        for line in iter(self.process.stdout.readline, ""):
            lines.append(line)
            if "Ctrl+C" in line:
                break
        return "".join(lines)

    def children(self) -> list[int]:
        """The processes of the visitors."""
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True)
        return [int(pid) for pid in listed.stdout.split() if alive(int(pid))]

    def transcripts(self) -> list[pathlib.Path]:
        """What has been kept so far."""
        return sorted(self.folder.glob("*.md"))

    def stop(self) -> tuple[int, str]:
        """Ctrl+C; the exit code and what was said since the announcement."""
        self.process.send_signal(signal.SIGINT)
        rest, _ = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, rest


@contextlib.contextmanager
def serving(home: pathlib.Path, *options: str, code: str | None = None, search: bool = False) -> Iterator[Served]:
    """``weft serve`` on a free port with a home of its own; ended with the block in any case.

    Without ``search`` its visitors find no embedding model: each would load one, six seconds of a core, to be ended
    before it is asked anything.
    """
    started = ["-c", code] if code else ["-m", "assistant", "serve", "--port", "0", *options]
    environment = {**os.environ, "WEFT_HOME": str(home), "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    if not search:
        environment["WEFT_EMBEDDING_MODEL"] = str(home / "none")
    work = home / "work"
    work.mkdir(parents=True)
    process = subprocess.Popen(
        [sys.executable, *started],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=work,
        env=environment,
    )
    try:
        yield Served(process, home)
    finally:
        process.terminate()
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def alive(pid: int) -> bool:
    """Whether a process runs (one that has ended and is not yet fetched does not)."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()
    return bool(state) and not state.startswith("Z")


async def gone(pids: list[int]) -> None:
    """Wait until none of the processes runs."""
    async with asyncio.timeout(PATIENCE_S):
        while any(alive(pid) for pid in pids):
            await asyncio.sleep(0.1)
    await asyncio.sleep(0.3)  # until the server has noticed


class Visitor:
    """Somebody at the connection: what was drawn so far, what was offered, how it ended."""

    def __init__(self, connection: aiohttp.ClientWebSocketResponse) -> None:
        self.connection = connection
        self.drawn = ""
        self.notes: dict[str, object] = {}
        self.reason = ""
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        while True:
            message = await self.connection.receive()
            if message.type is aiohttp.WSMsgType.BINARY:
                self.drawn += message.data.decode("utf-8", "replace")
            elif message.type is aiohttp.WSMsgType.TEXT:
                kind, value = json.loads(message.data)
                self.notes[kind] = value
            else:
                self.reason = str(message.extra or "")
                return

    def sees(self, words: str) -> bool:
        """Whether the words have been drawn on one line, whatever their colours."""
        return words in _ESCAPES.sub("", self.drawn)

    async def until(self, words: str, pressing: str = "") -> None:
        """Wait for the words; ``pressing`` a key meanwhile, where who presses none for long is ended."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                while not self.sees(words):
                    if pressing and not self._reader.done():
                        await self.connection.send_str(json.dumps(["stdin", pressing]))
                    await asyncio.sleep(0.05)
        assert self.sees(words), f"{words!r} never came: {_ESCAPES.sub('', self.drawn)[-2000:]} {self.reason}"

    async def until_told(self, kind: str) -> object:
        """Wait for something the server tells the page."""
        async with asyncio.timeout(PATIENCE_S):
            while kind not in self.notes:
                await asyncio.sleep(0.05)
        return self.notes[kind]

    async def says(self, text: str) -> None:
        """Type a line, once the question has been there for a while: a key in flight answers nothing."""
        await asyncio.sleep(0.8)
        await self.connection.send_str(json.dumps(["stdin", text]))
        await asyncio.sleep(0.2)
        await self.connection.send_str(json.dumps(["stdin", "\r"]))

    async def ended(self) -> str:
        """Wait until the connection is closed; the reason given."""
        await asyncio.wait_for(self._reader, PATIENCE_S)
        return self.reason

    async def leaves(self) -> None:
        """Close the window."""
        await self.connection.close()
        await self.ended()


async def visit(client: aiohttp.ClientSession, served: Served, **query: str) -> Visitor:
    """What the page does when it opens."""
    asked = {"width": "120", "height": "40", **query}
    return Visitor(await client.ws_connect(f"{served.base}/ws", params=asked, origin=served.base, max_msg_size=0))
