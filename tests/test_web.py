"""The conversation in a browser: who gets in, that visitors do not meet, that everything ends, and three real ones in Chromium."""

from __future__ import annotations

import asyncio
import functools
import os
import re
import signal
import socket
import time
from pathlib import Path

import aiohttp
import pytest

from assistant.conversation import transcripts
from assistant.vocabulary.errors import InputError
from assistant.web import address, messages
from assistant.web.access import Access, same_origin, token_for
from tests.browser import CHROMIUM, browser
from tests.program import weft
from tests.web_server import ROOT, alive, gone, serving, visit

JOB = "fine-tuning llama 3.1 8b on 16 h100"
FIRST_QUESTION = "What will the cluster do?"
TOKEN = "a-token-for-the-tests-only"
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed here (Debian: apt-get install chromium)")


def over_the_network(test):
    """Runs a test that waits for a server."""

    @functools.wraps(test)
    def run(*args, **kwargs):
        asyncio.run(test(*args, **kwargs))

    return run


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
        assert answer.headers["X-Content-Type-Options"] == "nosniff" and answer.headers["Referrer-Policy"] == "no-referrer"
        assert "aiohttp" not in answer.headers.get("Server", "")
        for file in re.findall(r"(?:src|href)=\"([^\"]+)\"", page):
            async with client.get(served.base + file) as found:
                assert found.status == 200 and "Content-Security-Policy" in found.headers


@pytest.mark.parametrize("path", ["/static/", "/static/weft/", "/static/terminal", "/static/terminal/js/", "/static/weft/../server.py",
                                  "/static/weft/%2e%2e/server.py", "/static/weft//etc/passwd", "/pyproject.toml", "/download/", "/download/x"])
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
        for host, status in (("localhost:1", 200), ("127.0.0.1", 200), ("[::1]:80", 200), ("evil.example", 421), ("127.0.0.1.evil.example", 421)):
            async with client.get(served.base, headers={"Host": host}) as answer:
                assert answer.status == status, host


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "https://127.0.0.1", "http://127.0.0.1:1", "file://"])
@over_the_network
async def test_a_page_of_another_site_cannot_open_a_conversation(served, origin):
    async with aiohttp.ClientSession() as client:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await client.ws_connect(f"{served.base}/ws", origin=origin)
    assert refused.value.status == 403 and served.children() == []


def test_the_same_origin_is_known_behind_a_proxy_with_tls_too():
    assert same_origin("https://weft.example", "weft.example") and same_origin("http://Weft.example:8080", "weft.example:8080")
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
    for malformed in (f"GET /?token={token} HTTP/9.9x", f"GET http://[/?token={token} HTTP/1.1", f"GET /?token={token} HTTP/1.1\r\nHost: a\0b"):
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
        assert not address.is_loopback([everywhere]) and not address.is_loopback([here, everywhere]) and address.is_loopback([here])


def test_a_token_that_was_given_is_not_repeated(tmp_path):
    with serving(tmp_path / "home", "--token", TOKEN) as one:
        assert TOKEN not in one.said and "?token=…" in one.said


# Several visitors.


@over_the_network
async def test_two_visitors_do_not_see_each_other_and_each_has_a_transcript(served):
    async with aiohttp.ClientSession() as client:
        anna, ben = await visit(client, served), await visit(client, served)
        await asyncio.gather(anna.until(FIRST_QUESTION), ben.until(FIRST_QUESTION))
        assert len(set(served.children())) == 2
        await asyncio.gather(anna.says(JOB), ben.says("a zebra"))
        await asyncio.gather(anna.until("% sure"), ben.until("zebra"))
        assert not ben.sees("llama 3.1 8b on 16") and not anna.sees("zebra")
        kept = {name: path.read_text() for name, path in enumerate(served.transcripts())}
        assert sum(JOB in text for text in kept.values()) == 1 and sum("zebra" in text for text in kept.values()) == 1
        assert not any(JOB in text and "zebra" in text for text in kept.values())
        await asyncio.gather(anna.leaves(), ben.leaves())
        await gone(served.children())


@over_the_network
async def test_who_comes_when_every_place_is_taken_is_told_so_and_gets_in_later(served):
    async with aiohttp.ClientSession() as client:
        held = [await visit(client, served) for _ in range(2)]
        await asyncio.gather(*(one.until(FIRST_QUESTION) for one in held))
        third = await visit(client, served)
        assert "2 conversations are being held" in await third.ended()
        assert third.connection.close_code == 1013 and len(served.children()) == 2
        await held[0].leaves()
        fourth = None
        for _ in range(50):  # the place is given back when the process is gone
            fourth = await visit(client, served)
            if await _let_in(fourth):
                break
        await fourth.until(FIRST_QUESTION)
        await asyncio.gather(fourth.leaves(), held[1].leaves())
        await gone(served.children())


async def _let_in(visitor):
    await asyncio.sleep(0.2)
    return not visitor.connection.closed


@over_the_network
async def test_a_page_loaded_anew_goes_on_with_its_conversation_and_looking_leaves_no_file(served):
    async with aiohttp.ClientSession() as client:
        before = set(served.transcripts())
        looked = await visit(client, served)
        await looked.until(FIRST_QUESTION)
        await looked.leaves()
        first = await visit(client, served)
        await first.until(FIRST_QUESTION)
        await first.says(JOB)
        await first.until("% sure")
        name = await first.until_told("conversation")
        again = await visit(client, served, conversation=name)
        assert "another window" in await first.ended()
        await again.until("% sure")
        assert again.notes["conversation"] == name
        stranger = await visit(client, served, conversation="0" * 32)
        assert await stranger.until_told("conversation") not in (name, "0" * 32)
        await stranger.until(FIRST_QUESTION)
        await asyncio.gather(again.leaves(), stranger.leaves())
        await gone(served.children())
        assert len(set(served.transcripts()) - before) == 1


@over_the_network
async def test_an_export_goes_to_the_browser_once_and_nothing_is_written_on_the_server(served):
    async with aiohttp.ClientSession() as client:
        visitor = await visit(client, served)
        await visitor.until(FIRST_QUESTION)
        await visitor.says(JOB)
        await visitor.until("% sure")
        await visitor.says("export to ../../stolen.md, overwrite")
        key = await visitor.until_told("deliver_file_start")
        async with client.get(f"{served.base}/download/{key}") as answer:
            assert answer.status == 200 and (await answer.text()).startswith("# ")
            assert answer.headers["Content-Disposition"] == 'attachment; filename="stolen.md"'
            assert answer.headers["Content-Type"] == "application/octet-stream"
        async with client.get(f"{served.base}/download/{key}") as answer:
            assert answer.status == 404
        await visitor.leaves()
        await gone(served.children())
    assert not list(served.folder.parents[1].rglob("stolen.md"))


# What is sent, and for how long nothing is.


@pytest.mark.parametrize("text", ["", "[]", "{}", "7", '["stdin"]', '["stdin", 5]', '["quit", 1]', '["resize", {"width": "wide"}]', "[" * 5000,
                                  '["resize", null]', '["stdin", "a", "b"]'])
@over_the_network
async def test_what_the_page_never_sends_ends_this_conversation_alone(served, text):
    async with aiohttp.ClientSession() as client:
        odd = await visit(client, served)
        await odd.connection.send_str(text)
        assert "not understood" in await odd.ended()
        async with client.get(served.base) as answer:
            assert answer.status == 200
        await gone(served.children())


def test_a_size_stays_within_what_a_screen_can_have():
    assert messages.size("142", 38) == (142, 38)
    assert messages.size("999999999", "-3") == (messages.LARGEST[0], messages.SMALLEST[1])
    for odd in ("wide", None, float("inf"), float("nan"), [], "9" * 5000):
        with pytest.raises(messages.NotUnderstood):
            messages.size(odd, 24)


@over_the_network
async def test_who_says_nothing_for_too_long_is_told_and_can_go_on(tmp_path):
    code = "from assistant.web import serve; from assistant.web.server import Settings; serve(Settings(port=0, idle_minutes=0.08))"
    with serving(tmp_path / "home", code=code) as one:
        async with aiohttp.ClientSession() as client:
            visitor = await visit(client, one)
            await visitor.until(FIRST_QUESTION)
            children = one.children()
            assert "No key was pressed" in await visitor.ended()
            assert children
            await gone(children)
            again = await visit(client, one, conversation=visitor.notes["conversation"])
            await again.until(FIRST_QUESTION)


# The end.


@over_the_network
async def test_ctrl_c_ends_every_conversation_tells_the_visitors_and_leaves_no_process(tmp_path):
    with serving(tmp_path / "home") as one:
        async with aiohttp.ClientSession() as client:
            visitors = [await visit(client, one) for _ in range(2)]
            await asyncio.gather(*(visitor.until(FIRST_QUESTION) for visitor in visitors))
            children = one.children()
            assert len(children) == 2
            code, rest = await asyncio.to_thread(one.stop)
            assert [await visitor.ended() for visitor in visitors] == ["The server was stopped."] * 2
    assert code == 0 and "Traceback" not in rest and "stopped" in rest
    assert not any(alive(child) for child in children)


@over_the_network
async def test_a_conversation_that_breaks_is_told_to_its_visitor_and_to_whoever_runs_the_server(tmp_path):
    with serving(tmp_path / "home", "--sessions", "1") as one:
        async with aiohttp.ClientSession() as client:
            visitor = await visit(client, one)
            await visitor.until(FIRST_QUESTION)
            os.kill(one.children()[0], signal.SIGKILL)
            assert "Something went wrong" in await visitor.ended()
            again = await visit(client, one, conversation=visitor.notes["conversation"])
            await again.until(FIRST_QUESTION)
        _, rest = await asyncio.to_thread(one.stop)
    assert rest.count("ended early") == 1 and "Traceback" not in rest


@over_the_network
async def test_a_process_that_does_not_leave_is_ended(tmp_path):
    with serving(tmp_path / "home") as one:
        async with aiohttp.ClientSession() as client:
            visitor = await visit(client, one)
            await visitor.until(FIRST_QUESTION)
            (child,) = one.children()
            os.kill(child, signal.SIGSTOP)
            await visitor.leaves()
            await gone([child])


@over_the_network
async def test_the_processes_follow_a_server_that_was_killed(tmp_path):
    with serving(tmp_path / "home") as one:
        async with aiohttp.ClientSession() as client:
            visitor = await visit(client, one)
            await visitor.until(FIRST_QUESTION)
            children = one.children()
            one.process.kill()
            await gone(children)


@over_the_network
async def test_goodbye_in_the_conversation_ends_the_connection(served):
    async with aiohttp.ClientSession() as client:
        visitor = await visit(client, served)
        await visitor.until(FIRST_QUESTION)
        await visitor.says("quit")
        assert await visitor.ended() == "" and visitor.connection.close_code == 1000
        await gone(served.children())


# How it is started.


def test_a_port_that_is_taken_a_host_that_is_none_and_a_token_anyone_guesses_are_one_sentence_each(served):
    port = served.base.rsplit(":", 1)[1]
    refused = [weft("serve", "--port", port), weft("serve", "--host", "no.such.host.invalid", "--port", "0"),
               weft("serve", "--host", "192.0.2.1", "--port", "0"), weft("serve", "--host", "", "--port", "0"),
               weft("serve", "--port", "0", "--token", "1234")]
    assert [one.code for one in refused] == [2] * 5
    assert all(one.err.count("\n") == 1 and one.err.startswith("weft: --") for one in refused), [one.err for one in refused]
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


# In Chromium.


async def _answered(served, path, count, patience=60.0):
    """Wait until so many answers are kept in the transcript; its path."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        found = [path] if path else served.transcripts()
        if found and found[0].is_file() and len(transcripts.read(found[0]).exchanges) >= count:
            return found[0]
        await asyncio.sleep(0.1)
    raise AssertionError(f"answer {count} never came: {[one.read_text()[-400:] for one in served.transcripts()]}")


@needs_chromium
@pytest.mark.parametrize("name", ["single-node", "serving", "bulk-inference"])
@over_the_network
async def test_a_kept_conversation_typed_in_a_browser_gives_the_same_answers(tmp_path, library, name):
    saved = transcripts.read(ROOT / "transcripts" / f"{name}.md")
    with serving(tmp_path / "home", "--token", "auto") as one:
        async with browser() as chromium:
            page = await chromium.page()
            await page.open(one.address)
            await page.until(FIRST_QUESTION)
            assert await page.evaluate("location.search") == "" and await page.evaluate("document.title") == "Weft: plan the fabric before you buy it"
            kept = await _answered(one, None, 1)
            for number, message in enumerate(saved.said, start=2):
                await asyncio.sleep(0.8)
                await page.types(message)
                await page.press("enter")
                await _answered(one, kept, number)
            seen = await page.until("% sure")
            assert "Candidates" in seen and sum(fabric in seen for fabric in library.catalog.fabrics) >= 3, seen
            await page.press("f8")
            await _answered(one, kept, len(saved.said) + 2)
            assert page.complaints == []
            assert all(url.startswith((one.base, one.base.replace("http", "ws"))) for url in page.requested), page.requested
        assert transcripts.read(kept).said == [*saved.said, "undo"]
        result = transcripts.replay_file(kept, library)
        assert not result.changed, result.diff


@needs_chromium
@over_the_network
async def test_a_reload_goes_on_a_narrow_window_shows_the_plan_and_leaving_is_shown(served):
    async with browser() as chromium:
        page = await chromium.page()
        await page.open(served.base, 480, 800)
        await page.until(FIRST_QUESTION)
        await page.until("F2 Plan")
        await asyncio.sleep(0.8)
        await page.types(JOB)
        await page.press("enter")
        await page.until("% sure")
        await page.call("Page.reload")
        await page.until("% sure")
        await page.press("f2")
        await page.until("Candidates")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight")
        await page.resize(1200, 800)
        await page.until("Sources F4")
        await page.call("Page.navigate", url="about:blank")
        await gone(served.children())


@needs_chromium
@over_the_network
async def test_a_browser_without_a_place_or_a_token_reads_why(tmp_path):
    with serving(tmp_path / "home", "--sessions", "1", "--token", "auto") as one:
        async with browser() as chromium:
            first, second = await chromium.page(), await chromium.page()
            await second.open(one.base)
            await second.until("A token is needed", page=True)
            await first.open(one.address)
            await first.until(FIRST_QUESTION)
            await second.call("Page.navigate", url=one.base)
            await second.until("Every place is taken", page=True)
            await asyncio.to_thread(one.stop)
            await first.until("The server was stopped.", page=True)
