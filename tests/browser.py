"""Chromium without a window, driven over the DevTools protocol: types into a page and reads the terminal that is drawn
in it."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
import pathlib
import shutil
import tempfile
from collections.abc import AsyncIterator
from typing import Any

import aiohttp

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PATIENCE_S = 60.0
_OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--enable-unsafe-swiftshader",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
)
_KEYS = {"enter": ("Enter", "Enter", 13, "\r"), "f2": ("F2", "F2", 113, ""), "f8": ("F8", "F8", 119, "")}
# The page keeps its terminal to itself; a trap on the name under which it is kept finds it.
_FIND_TERMINAL = """
Object.defineProperty(Object.prototype, "terminal", {configurable: true, set(found) {
  window.foundTerminal = found;
  Object.defineProperty(this, "terminal", {value: found, writable: true});
}});"""
_READ_TERMINAL = """
(() => {
  if (!window.foundTerminal) return "";
  const buffer = foundTerminal.buffer.active;
  const line = (_, row) => buffer.getLine(row + buffer.baseY)?.translateToString(true) ?? "";
  return Array.from({length: foundTerminal.rows}, line).join("\\n");
})()"""


_GONE = "Inspected target navigated or closed"  # as the browser says it


class PageGoneError(Exception):
    """The page that was asked has been left for another."""


class Page:
    """A tab: what a person does in it and sees."""

    def __init__(self, connection: aiohttp.ClientWebSocketResponse) -> None:
        self.requested: list[str] = []
        self.complaints: list[str] = []
        self._connection = connection
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for message in self._connection:
            said = json.loads(message.data)
            if "id" in said and not self._waiting[said["id"]].done():
                self._waiting[said["id"]].set_result(said)
            elif said.get("method") == "Network.requestWillBeSent":
                self.requested.append(said["params"]["request"]["url"])
            elif said.get("method") == "Network.webSocketCreated":
                self.requested.append(said["params"]["url"])
            elif said.get("method") == "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(said["params"]["exceptionDetails"]))
            elif said.get("method") == "Log.entryAdded" and said["params"]["entry"]["level"] == "error":
                self.complaints.append(f"{said['params']['entry']['text']}: {said['params']['entry'].get('url')}")

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the protocol and its result."""
        number = next(self._numbers)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        await self._connection.send_json({"id": number, "method": method, "params": parameters})
        answer = await asyncio.wait_for(self._waiting[number], PATIENCE_S)
        if _GONE in answer.get("error", {}).get("message", ""):
            raise PageGoneError(method)
        assert "error" not in answer, answer
        return answer["result"]

    async def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page; none of a page that gives way to the next one meanwhile."""
        with contextlib.suppress(PageGoneError):
            answer = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
            return answer["result"].get("value")

    async def open(self, url: str, width: int = 1280, height: int = 800) -> None:
        """Go to an address in a window of so many pixels."""
        for domain in ("Page", "Network", "Runtime", "Log"):
            await self.call(f"{domain}.enable")
        await self.call("Page.addScriptToEvaluateOnNewDocument", source=_FIND_TERMINAL)
        await self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        await self.resize(width, height)
        await self.call("Page.navigate", url=url)

    async def resize(self, width: int, height: int) -> None:
        """Make the window so many pixels wide and high."""
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    async def types(self, text: str) -> None:
        """Letters one after the other, as a keyboard sends them."""
        for letter in text:
            await self.call("Input.dispatchKeyEvent", type="keyDown", text=letter, key=letter)
            await self.call("Input.dispatchKeyEvent", type="keyUp", key=letter)

    async def press(self, name: str) -> None:
        """A key with a name."""
        key, code, number, text = _KEYS[name]
        common = {"key": key, "code": code, "windowsVirtualKeyCode": number}
        down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
        await self.call("Input.dispatchKeyEvent", **down, **common)
        await self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    async def terminal(self) -> str:
        """The text in the terminal, line by line."""
        return await self.evaluate(_READ_TERMINAL) or ""

    async def text(self) -> str:
        """The text of the page around the terminal that can be seen."""
        return await self.evaluate("document.body.innerText") or ""

    async def until(self, words: str, *, page: bool = False) -> str:
        """Wait until the words can be read; what the terminal (or the page around it) shows then."""
        shown = ""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                while words not in shown:
                    await asyncio.sleep(0.1)
                    shown = await (self.text() if page else self.terminal())
        assert words in shown, f"{words!r} never came; the page shows:\n{shown}\n{self.complaints}"
        return shown

    async def picture(self, path: pathlib.Path) -> None:
        """What the window looks like, as PNG."""
        answer = await self.call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(answer["data"]))


class Browser:
    """One Chromium with a profile of its own; a tab in a context of its own is another visitor."""

    def __init__(self, port: int, client: aiohttp.ClientSession) -> None:
        self._base = f"http://127.0.0.1:{port}"
        self._client = client

    async def page(self) -> Page:
        """A new tab."""
        async with self._client.put(f"{self._base}/json/new?about:blank") as answer:
            target = await answer.json()
        return Page(await self._client.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0))


@contextlib.asynccontextmanager
async def browser(*options: str) -> AsyncIterator[Browser]:
    """A Chromium that is ended with the block."""
    assert CHROMIUM is not None
    folder = pathlib.Path(tempfile.mkdtemp(prefix="weft-chromium-"))
    process = await asyncio.create_subprocess_exec(
        CHROMIUM,
        *_OPTIONS,
        *options,
        f"--user-data-dir={folder}",
        "about:blank",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with aiohttp.ClientSession() as client:
            yield Browser(await _port(folder / "DevToolsActivePort"), client)
    finally:
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), 10)
        except TimeoutError:
            process.kill()
            await process.wait()
        shutil.rmtree(folder, ignore_errors=True)


async def _port(file: pathlib.Path) -> int:
    async with asyncio.timeout(PATIENCE_S):
        while not (file.exists() and file.read_text().strip()):
            await asyncio.sleep(0.05)
    return int(file.read_text().split()[0])
