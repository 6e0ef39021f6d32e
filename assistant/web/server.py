"""The server: one page, one connection per conversation, the files of the page, the files a visitor asked for."""

import asyncio
import contextlib
import logging
import re
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from aiohttp import WSCloseCode, WSMsgType, web
from aiohttp.http_exceptions import HttpProcessingError

from assistant.vocabulary.counted import counted

from . import address, headers, messages, pages
from .access import Access, same_origin, token_for
from .connections import Connections
from .session import Session
from .visits import Visit, Visits

_HEARTBEAT_S = 15  # a connection that does not answer within half of this is taken for lost
_AFTER_A_GUESS_S = 0.5  # before a wrong token is answered
_REASON_BYTES = 123  # RFC 6455, section 5.5: what fits a closing message
_STATICS = {"/static/weft": pages.FOLDER, "/static/terminal": Path(str(resources.files("textual_serve"))) / "static"}


@dataclass(frozen=True)
class Settings:
    """What ``weft serve`` was told. ``token`` may be ``auto``."""

    host: str = "127.0.0.1"
    port: int = 8080
    token: str | None = None
    sessions: int = 4
    idle_minutes: float = 30


async def run(settings: Settings) -> None:
    """Serve until Ctrl+C or a termination signal; then every conversation is ended before this returns.

    Raises :class:`InputError` when the address or the token cannot be used.
    """
    sockets = address.listen(settings.host, settings.port)
    loopback = address.is_loopback(sockets)
    token = token_for(settings.token, loopback=loopback)
    server = Server(Access(token, sockets[0].getsockname()[1]), settings)
    stopped = _stop_signal()
    runner = web.AppRunner(
        server.application(), access_log=None, logger=_log(), handle_signals=False, shutdown_timeout=1
    )
    await runner.setup()
    assert runner.server is not None
    answered = server.connections.guarded(runner.server)
    doors = [await asyncio.get_running_loop().create_server(answered, sock=one) for one in sockets]
    try:
        _announce(settings, address.url(settings.host, sockets), token, loopback)
        await stopped.wait()
    finally:
        for door in doors:
            door.close()
        await server.close()
        await runner.cleanup()
    print("\nweft: stopped; every conversation is kept", file=sys.stderr)


def _stop_signal() -> asyncio.Event:
    stopped = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows: Ctrl+C comes as KeyboardInterrupt
            asyncio.get_running_loop().add_signal_handler(name, stopped.set)
    return stopped


def _log() -> logging.Logger:
    """Where errors of our own are told. A request that is malformed is left out: it would be shown with the token in
    it."""
    log = logging.getLogger(__name__)
    log.addFilter(lambda record: not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError)))
    return log


def _announce(settings: Settings, url: str, token: str | None, loopback: bool) -> None:
    """Say where to go. A token that was made up is shown here and nowhere else; one that was given is not repeated."""
    made_up = token is not None and token != settings.token
    print(f"Weft is at {url}{f'?token={token}' if made_up else ''}")
    if token is not None and not made_up:
        print(f"Each browser opens it once as {url}?token=… with the token you gave.")
    if not loopback:
        print(
            "Others can connect, and what they say travels in the clear: "
            "in a network you do not trust, put a proxy with TLS in front."
        )
    held = counted(settings.sessions, "conversation")
    print(
        f"At most {held} at once; one without a key for {settings.idle_minutes:g} minutes is ended. "
        "Ctrl+C stops the server.",
        flush=True,
    )


async def _icon(request: web.Request) -> web.FileResponse:
    """Browsers ask for this name, whatever icon a page names."""
    return web.FileResponse(_STATICS["/static/weft"] / "weft.svg", headers={"Content-Type": "image/svg+xml"})


class Server:
    """What is answered to a request, and the conversations being held."""

    def __init__(self, access: Access, settings: Settings) -> None:
        self.visits = Visits(settings.sessions)
        self.connections = Connections(settings.sessions)
        self._access = access
        self._idle_s = settings.idle_minutes * 60
        self._closing = False
        self._one_guess = asyncio.Lock()

    def application(self) -> web.Application:
        """Everything that is answered."""
        application = web.Application(middlewares=[self._door])
        application.on_response_prepare.append(headers.guard)
        application.add_routes(
            [
                web.get("/", self._page),
                web.get("/ws", self._conversation),
                web.get("/download/{key}", self._download),
                web.get("/favicon.ico", _icon),
                *(web.static(prefix, folder, show_index=False) for prefix, folder in _STATICS.items()),
            ]
        )
        return application

    async def close(self) -> None:
        """End every conversation and let no other begin."""
        self._closing = True
        await asyncio.gather(*(self._leave(visit, "The server was stopped.") for visit in self.visits))

    async def _leave(self, visit: Visit, reason: str) -> None:
        if visit.websocket is not None:
            await visit.websocket.close(code=WSCloseCode.GOING_AWAY, message=reason.encode())
        await visit.ended.wait()

    @web.middleware
    async def _door(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Nothing but the look of the pages is given to whom the door is closed."""
        if not self._access.serves(request.host):
            return pages.not_for_this_name()
        if request.path.startswith("/static/"):
            try:
                return await handler(request)
            except OSError:  # a name that no file can have
                return pages.short(404, "Not here", "There is no such file.")
        if request.path == "/favicon.ico" or self._access.knows(request.cookies.get(self._access.cookie)):
            return await handler(request)
        given = request.query.get("token") if request.path == "/" else None
        if given is None or not self._access.opens(given):
            if given is not None:
                async with self._one_guess:  # of all visitors together: who guesses has two tries a second
                    await asyncio.sleep(_AFTER_A_GUESS_S)
            return pages.token_needed(wrong=given is not None)
        answer = pages.entered()
        # A proxy that ends TLS says so; a browser then keeps the cookie to encrypted connections.
        encrypted = request.secure or request.headers.get("X-Forwarded-Proto") == "https"
        answer.set_cookie(
            self._access.cookie, self._access.pass_word, path="/", httponly=True, samesite="Strict", secure=encrypted
        )
        return answer

    async def _page(self, request: web.Request) -> web.Response:
        if "token" in request.query:
            return pages.entered()
        return pages.conversation()

    async def _conversation(self, request: web.Request) -> web.StreamResponse:
        if not same_origin(request.headers.get("Origin"), request.host):
            return pages.short(
                403, "Not from another page", "A conversation is opened only by the page of this server."
            )
        try:
            size = messages.size(request.query.get("width", "80"), request.query.get("height", "24"))
        except messages.NotUnderstood:
            return pages.short(400, "Not a size", "Expected a width and a height in characters.")
        websocket = web.WebSocketResponse(heartbeat=_HEARTBEAT_S, max_msg_size=messages.LONGEST, timeout=1)
        await websocket.prepare(request)
        self.connections.end_after(request.transport, None)
        visit = None if self._closing else await self.visits.begin(request.query.get("conversation"))
        if visit is None:
            await websocket.close(code=WSCloseCode.TRY_AGAIN_LATER, message=pages.full(self.visits.places).encode())
            return websocket
        theme = "light" if request.query.get("theme") == "light" else "dark"
        await self._hold(visit, websocket, Session(websocket, visit.transcript, theme), size)
        return websocket

    async def _hold(
        self, visit: Visit, websocket: web.WebSocketResponse, session: Session, size: tuple[int, int]
    ) -> None:
        """Have the conversation until either side leaves or nothing is said for too long."""
        visit.websocket, visit.session = websocket, session
        try:
            with contextlib.suppress(ConnectionError):
                await websocket.send_json(["conversation", visit.name])
                await session.start(*size)
                reason = await self._listen(websocket, session)
                await websocket.close(message=reason.encode()[:_REASON_BYTES])
        finally:
            # Also when the request is cancelled, the place is given back only after the process is gone.
            await asyncio.shield(self._end(visit, session))

    async def _end(self, visit: Visit, session: Session) -> None:
        try:
            await session.stop()
        finally:
            self.visits.end(visit)

    async def _listen(self, websocket: web.WebSocketResponse, session: Session) -> str:
        """Hand on what the visitor does; the reason for which this ended, empty when the visitor or the program
        left."""
        loop, left = asyncio.get_running_loop(), messages.MOST
        deadline = loop.time() + self._idle_s
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    message = await websocket.receive()
            except TimeoutError:
                return f"No key was pressed for {self._idle_s / 60:g} minutes. It is kept, and you can go on with it."
            if message.type is not WSMsgType.TEXT:
                return ""
            left -= len(message.data)
            if left < 0:
                return "More was sent than a conversation takes. It is kept, and you can go on with it."
            try:
                if await messages.hand_on(message.data, session, websocket):
                    deadline = loop.time() + self._idle_s
            except messages.NotUnderstood:
                return "This page sent something that is not understood."

    async def _download(self, request: web.Request) -> web.StreamResponse:
        """A file a conversation has offered, once; it is kept by the browser and never shown as a page."""
        key = request.match_info["key"]
        for visit in self.visits:
            offered = visit.session.claim(key) if visit.session is not None else None
            if offered is not None:
                return await _send_file(request, *offered)
        return pages.short(404, "Not here", "This file was fetched before, or its conversation has ended.")


async def _send_file(request: web.Request, name: str, chunks: AsyncIterator[bytes]) -> web.StreamResponse:
    plain = re.sub(r"[^\w.\- ]+", "_", name, flags=re.ASCII).strip(" .") or "weft"
    response = web.StreamResponse(
        headers={"Content-Type": "application/octet-stream", "Content-Disposition": f'attachment; filename="{plain}"'}
    )
    await response.prepare(request)
    async for chunk in chunks:
        await response.write(chunk)
    await response.write_eof()
    return response
