"""The web page: what it is made of, who gets in, and how the server is started."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket

import aiohttp
import pytest
from aiohttp import web

from assistant.vocabulary.errors import InputError
from assistant.web import address, connections
from assistant.web.access import Access, same_origin, token_for
from assistant.web.server import Server, Settings
from tests.program import weft
from tests.web_server import FIRST_QUESTION, over_the_network, serving, visit

TOKEN = "a-token-for-the-tests-only"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server as ``weft serve`` starts it, with two places."""
    with serving(tmp_path_factory.mktemp("served"), "--sessions", "2") as one:
        yield one


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A server that asks for a token it has made up."""
    with serving(tmp_path_factory.mktemp("guarded"), "--token", "auto") as one:
        yield one


# The page.


@over_the_network
async def test_the_page_needs_nothing_from_elsewhere_and_lets_nothing_in(served):
    async with aiohttp.ClientSession() as client, client.get(f"{served.base}/") as answer:
        page = await answer.text()
        assert answer.status == 200 and "<title>Weft" in page
        assert not re.search(r"(?:src|href)=\"(?!/static/)", page)
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "script-src 'self';" in policy and "frame-ancestors 'none'" in policy
        assert (
            answer.headers["X-Content-Type-Options"] == "nosniff" and answer.headers["Referrer-Policy"] == "no-referrer"
        )
        assert "aiohttp" not in answer.headers.get("Server", "")
        for file in re.findall(r"(?:src|href)=\"([^\"]+)\"", page):
            async with client.get(served.base + file) as found:
                assert found.status == 200 and "Content-Security-Policy" in found.headers


@pytest.mark.parametrize(
    "path",
    [
        "/static/",
        "/static/weft/",
        "/static/terminal",
        "/static/terminal/js/",
        "/static/weft/../server.py",
        "/static/weft/%2e%2e/server.py",
        "/static/weft//etc/passwd",
        "/static/weft/" + 5000 * "a",
        "/static/terminal/js/" + 300 * "a/" + 300 * "b",
        "/static/weft/%00",
        "/static/weft/%ff%80",
        "/pyproject.toml",
        "/download/",
        "/download/x",
    ],
)
@over_the_network
async def test_nothing_else_can_be_listed_or_fetched(served, path):
    answer = await _sent(served, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close")
    assert int(answer.split()[1]) in (403, 404)
    assert "server.py" not in answer and "root:" not in answer and "textual.js" not in answer


async def _sent(served, request):
    """The answer to a request as it stands, also to one no client would send."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(served.base.rsplit(":", 1)[1]))
    writer.write(f"{request}\r\n\r\n".encode())
    answer = (await reader.read()).decode()
    writer.close()
    return answer


# Who gets in.


@over_the_network
async def test_without_a_token_only_names_of_this_machine_are_served(served):
    async with aiohttp.ClientSession() as client:
        for host, status in (
            ("localhost:1", 200),
            ("127.0.0.1", 200),
            ("[::1]:80", 200),
            ("evil.example", 421),
            ("127.0.0.1.evil.example", 421),
        ):
            async with client.get(served.base, headers={"Host": host}) as answer:
                assert answer.status == status, host


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "https://127.0.0.1", "http://127.0.0.1:1", "file://"]
)
@over_the_network
async def test_a_page_of_another_site_cannot_open_a_conversation(served, origin):
    async with aiohttp.ClientSession() as client:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await client.ws_connect(f"{served.base}/ws", origin=origin)
    assert refused.value.status == 403 and served.children() == []


def test_the_same_origin_is_known_behind_a_proxy_with_tls_too():
    assert same_origin("https://weft.example", "weft.example") and same_origin(
        "http://Weft.example:8080", "weft.example:8080"
    )
    assert not same_origin("https://weft.example:444", "weft.example") and not same_origin("http://[", "[")


@over_the_network
async def test_the_token_opens_once_and_a_cookie_that_tells_nothing_stands_for_it(guarded):
    token = guarded.address.split("token=")[1]
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
        async with client.get(guarded.base) as answer:
            assert answer.status == 403 and "A token is needed" in await answer.text()
        for wrong in (token[:-1], token + "x", "", "é", token.swapcase()):
            async with client.get(guarded.base, params={"token": wrong}) as answer:
                assert answer.status == 403 and not answer.cookies, wrong
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await client.ws_connect(f"{guarded.base}/ws", params={"token": token}, origin=guarded.base)
        assert refused.value.status == 403
        async with client.get(guarded.address) as answer:
            (cookie,) = answer.cookies.values()
            assert cookie["httponly"] and cookie["samesite"] == "Strict" and token not in cookie.value
            assert token not in await answer.text()
        async with client.get(guarded.base) as answer:
            assert answer.status == 200 and "terminal" in await answer.text()
        visitor = await visit(client, guarded)
        await visitor.until(FIRST_QUESTION)
        await visitor.leaves()
    for malformed in (
        f"GET /?token={token} HTTP/9.9x",
        f"GET http://[/?token={token} HTTP/1.1",
        f"GET /?token={token} HTTP/1.1\r\nHost: a\0b",
    ):
        assert " 400 " in await _sent(guarded, malformed)
    code, rest = guarded.stop()
    assert code == 0 and token not in rest and "token=" not in rest


def test_others_get_in_only_with_a_token():
    assert token_for(None, loopback=True) is None
    made = token_for(None, loopback=False)
    assert len(made) >= 32 and made != token_for(None, loopback=False)
    assert token_for(TOKEN, loopback=True) == TOKEN
    anyone = Access(made, 8080)
    assert anyone.asks_for_token and anyone.opens(made) and not anyone.opens(made + " ") and not anyone.knows(None)
    assert not anyone.knows(made), "the token is not the cookie"


def test_an_address_others_can_reach_is_known_as_one():
    with socket.socket() as everywhere, socket.socket() as here:
        everywhere.bind(("0.0.0.0", 0))  # taken, and not listened on
        here.bind(("127.0.0.1", 0))
        assert not address.is_loopback([everywhere]) and not address.is_loopback([here, everywhere])
        assert address.is_loopback([here])


def test_a_token_that_was_given_is_not_repeated(tmp_path):
    with serving(tmp_path / "home", "--token", TOKEN) as one:
        assert TOKEN not in one.said and "?token=…" in one.said


# How it is started.


def test_a_port_that_is_taken_a_host_that_is_none_and_a_token_anyone_guesses_are_one_sentence_each(served):
    port = served.base.rsplit(":", 1)[1]
    refused = [
        weft("serve", "--port", port),
        weft("serve", "--host", "no.such.host.invalid", "--port", "0"),
        weft("serve", "--host", "192.0.2.1", "--port", "0"),
        weft("serve", "--host", "", "--port", "0"),
        weft("serve", "--port", "0", "--token", "1234"),
    ]
    assert [one.code for one in refused] == [2] * 5
    assert all(one.err.count("\n") == 1 and one.err.startswith("weft: --") for one in refused), [
        one.err for one in refused
    ]
    assert f"--port: {port} on 127.0.0.1 is taken" in refused[0].err and "no.such.host.invalid" in refused[1].err
    assert "1234" not in refused[4].err
    assert weft("serve", "--port", "70000").code == 2 and weft("serve", "--sessions", "0").code == 2


def test_a_name_for_both_kinds_of_addresses_listens_on_one_port():
    opened = address.listen("localhost", 0)
    try:
        assert len({one.getsockname()[1] for one in opened}) == 1 and address.is_loopback(opened)
        assert address.url("localhost", opened).startswith("http://localhost:")
        assert address.url("a-name-for-127.0.1.1", opened).startswith(("http://127.0.0.1:", "http://[::1]:"))
        with pytest.raises(InputError, match="is taken"):
            address.listen("localhost", opened[0].getsockname()[1])
    finally:
        for one in opened:
            one.close()


# Before the door.


@over_the_network
async def test_whoever_sends_no_request_is_not_waited_for(monkeypatch, tmp_path):
    async with _answering(monkeypatch, tmp_path, REQUEST_S=0.3) as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for part in (b"GET / HTTP/1.1\r\n", b"Host: localhost\r\n"):
            writer.write(part)
            await asyncio.sleep(0.05)
        assert not await asyncio.wait_for(_rest(reader), 20)
        writer.close()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b" 200 " in await _rest(reader)  # and the connection is ended behind the answer
        writer.close()


@over_the_network
async def test_who_opens_many_connections_and_says_nothing_keeps_nobody_out(monkeypatch, tmp_path):
    async with _answering(monkeypatch, tmp_path) as (server, port):
        server.connections.most = 3
        held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        await asyncio.sleep(0.1)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b" 200 " in await asyncio.wait_for(_rest(reader), 20)
        assert not await asyncio.wait_for(_rest(held[0][0]), 20)  # the oldest is closed
        for _, each in (*held, (reader, writer)):
            each.close()


@over_the_network
async def test_where_all_places_are_conversations_one_more_connection_is_closed(monkeypatch, tmp_path):
    async with _answering(monkeypatch, tmp_path) as (server, port):
        server.connections.most = 1
        async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as client:
            async with client.ws_connect("/ws", origin=f"http://127.0.0.1:{port}") as conversation:
                assert (await conversation.receive()).type is aiohttp.WSMsgType.TEXT
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                assert not await asyncio.wait_for(_rest(reader), 20)
                writer.close()
            await asyncio.sleep(0.2)
            async with client.get("/") as answer:  # and its place is free again
                assert answer.status == 200


@contextlib.asynccontextmanager
async def _answering(monkeypatch, tmp_path, **limits):
    """The server in this process, with other limits."""
    for name, value in limits.items():
        monkeypatch.setattr(connections, name, value)
    server = Server(Access(None, 1), Settings())
    runner = web.AppRunner(server.application())
    await runner.setup()
    door = await asyncio.get_running_loop().create_server(server.connections.guarded(runner.server), "127.0.0.1", 0)
    try:
        yield server, door.sockets[0].getsockname()[1]
    finally:
        door.close()
        await runner.cleanup()


async def _rest(reader):
    """What comes until the connection ends, also where it is cut off."""
    with contextlib.suppress(ConnectionError):
        return await reader.read()
    return b""
