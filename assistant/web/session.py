"""One visitor's process: started, fed with keys, drawn from, and ended for certain."""

import asyncio
import contextlib
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path

from aiohttp import web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

import assistant
from assistant.present.text import safe

# What a process is given to leave by itself before it is killed.
GRACE_S = 3.0
_READY = b"__GANGLION__\n"  # with this line the driver of Textual says that packets follow
_ENDED_EARLY = b"Something went wrong; whoever runs this server sees what. What was said is kept."
_LAST_WORDS = 2000  # characters of what a process said on standard error that are worth showing


class Session(AppService):
    """The library's session, with a process of our own that needs no shell, is waited for, and cannot linger.

    ``transcript`` is where this conversation, and no other, is kept.
    """

    def __init__(self, websocket: web.WebSocketResponse, transcript: Path, theme: str) -> None:

        async def close() -> None:
            await websocket.close()

        super().__init__(
            "",
            write_bytes=websocket.send_bytes,
            write_str=websocket.send_str,
            close=close,
            download_manager=DownloadManager(),
        )
        self._websocket = websocket
        self._arguments = ("-P", "-m", "assistant.web.visitor", str(transcript), theme)
        self._offered: dict[str, str] = {}
        self._stopping = False

    def claim(self, key: str) -> tuple[str, AsyncIterator[bytes]] | None:
        """Name and content of a file this conversation has offered; once, and ``None`` for any other key."""
        name = self._offered.pop(key, None)
        return None if name is None else (name, self._download_manager.download(key))

    async def on_meta(self, data: bytes) -> None:
        """As the library; a file is noted as offered, and leaving is known by the end of the process."""
        said = json.loads(data)
        if said["type"] == "exit":
            return
        if said["type"] == "deliver_file_start":
            self._offered[str(said["key"])] = Path(said["path"]).name
        await super().on_meta(data)

    def _build_environment(self, width: int = 80, height: int = 24) -> dict[str, str]:
        """As the library, without what belongs to the server's own terminal and door."""
        environment = super()._build_environment(width, height)
        for name in ("WEFT_TOKEN", "NO_COLOR"):
            environment.pop(name, None)
        # With -P the current folder, where another "assistant" might lie, is not searched; this names where ours is.
        home = str(Path(assistant.__file__).parents[1])
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (home, environment.get("PYTHONPATH"))))
        return environment

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        # A group of its own: Ctrl+C in the server's terminal is for the server, which then ends its sessions in order.
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *self._arguments,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
            env=self._build_environment(width, height),
        )
        self._stdin = self._process.stdin
        return self._process

    async def run(self) -> None:
        """Hand on what the process draws, until it ends; then close the connection."""
        process = self._process
        assert process is not None and process.stdout is not None and process.stderr is not None
        last_words = asyncio.create_task(_last_words(process.stderr))
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            await self._relay(process.stdout)
        said, failed = (await last_words).strip(), await process.wait() != 0 and not self._stopping
        if failed:
            print(f"weft: a conversation ended early: {safe(said)}", file=sys.stderr)
        await self._websocket.close(message=_ENDED_EARLY if failed else b"")

    async def _relay(self, stdout: asyncio.StreamReader) -> None:
        handlers = {b"D": self.on_data, b"M": self.on_meta, b"P": self.on_packed}
        await stdout.readuntil(_READY)
        while True:
            kind = await stdout.readexactly(1)
            size = int.from_bytes(await stdout.readexactly(4), "big")
            payload = await stdout.readexactly(size)
            if kind in handlers:
                await handlers[kind](payload)

    async def stop(self) -> None:
        """Ask the process to leave; end it when it does not. When this returns it is gone."""
        process, self._process = self._process, None
        if process is None:
            return
        self._stopping = True
        try:
            async with asyncio.timeout(GRACE_S):
                await self._download_manager.cancel_app_downloads(app_service_id=self.app_service_id)
                await self.send_meta({"type": "quit"})
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
        finally:
            if self._task is not None:
                self._task.cancel()
                await asyncio.gather(self._task, return_exceptions=True)


async def _last_words(stderr: asyncio.StreamReader) -> str:
    """The end of what a process said on standard error, however much it was."""
    kept = b""
    while data := await stderr.read(4096):
        kept = (kept + data)[-_LAST_WORDS:]
    return kept.decode("utf-8", "replace")
