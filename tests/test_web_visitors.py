"""Visitors of the web page: they do not meet, they come back, and everything they hold ends."""

from __future__ import annotations

import asyncio
import os
import signal
from unittest.mock import AsyncMock

import aiohttp
import pytest

from assistant.web import messages
from tests.web_server import (
    FIRST_QUESTION,
    JOB,
    NEXT_QUESTION,
    PATIENCE_S,
    alive,
    gone,
    over_the_network,
    serving,
    visit,
)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server as ``weft serve`` starts it, with two places."""
    with serving(tmp_path_factory.mktemp("served"), "--sessions", "2") as one:
        yield one


# Several visitors.


@over_the_network
async def test_two_visitors_do_not_see_each_other_and_each_has_a_transcript(served):
    async with aiohttp.ClientSession() as client:
        anna, ben = await visit(client, served), await visit(client, served)
        await asyncio.gather(anna.until(FIRST_QUESTION), ben.until(FIRST_QUESTION))
        assert len(set(served.children())) == 2
        await asyncio.gather(anna.says(JOB), ben.says("a zebra"))
        await asyncio.gather(anna.until("Certainty: "), ben.until("zebra"))
        assert not ben.sees("llama 3.1 8b on 16") and not anna.sees("zebra")
        async with asyncio.timeout(PATIENCE_S):
            while sorted((JOB in text, "zebra" in text) for text in _kept(served)) != [(False, True), (True, False)]:
                await asyncio.sleep(0.05)  # an answer is drawn before it is kept
        await asyncio.gather(anna.leaves(), ben.leaves())
        await gone(served.children())


def _kept(served):
    return [path.read_text() for path in served.transcripts()]


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
    async with asyncio.timeout(PATIENCE_S):
        while not visitor.connection.closed and not visitor.sees(FIRST_QUESTION):
            await asyncio.sleep(0.05)
    return not visitor.connection.closed


@over_the_network
async def test_a_page_loaded_anew_goes_on_with_its_conversation_and_looking_leaves_no_file(served):
    async with aiohttp.ClientSession() as client:
        before = set(served.transcripts())
        looked = await visit(client, served)
        await looked.until(FIRST_QUESTION)
        await looked.leaves()
        await gone(served.children())  # its place is given back when the process is gone
        first = await visit(client, served)
        await first.until(FIRST_QUESTION)
        await first.says(JOB)
        await first.until("Certainty: ")
        name = await first.until_told("conversation")
        again = await visit(client, served, conversation=name)
        assert "another window" in await first.ended()
        await again.until("Certainty: ")
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
        await visitor.until(NEXT_QUESTION)
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


ODD = [
    "",
    "[]",
    "{}",
    "7",
    '["stdin"]',
    '["stdin", 5]',
    '["quit", 1]',
    '["resize", {"width": "wide"}]',
    "[" * 5000,
    '["resize", null]',
    '["stdin", "a", "b"]',
]


@pytest.mark.parametrize("text", ODD)
def test_what_the_page_never_sends_is_not_understood(text):
    session = AsyncMock()
    with pytest.raises(messages.NotUnderstood):
        asyncio.run(messages.hand_on(text, session, AsyncMock()))
    assert not any(session.method_calls), "nothing of it reaches the conversation"


@over_the_network
async def test_what_is_not_understood_ends_this_conversation_alone(served):
    async with aiohttp.ClientSession() as client:
        odd = await visit(client, served)
        await odd.connection.send_str(ODD[-1])
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
    code = (
        "from assistant.web import serve; from assistant.web.server import Settings; "
        "serve(Settings(port=0, idle_minutes=0.08))"
    )
    with serving(tmp_path / "home", code=code) as one:
        async with aiohttp.ClientSession() as client:
            visitor = await visit(client, one)
            await visitor.until(FIRST_QUESTION, pressing=" ")
            children = one.children()
            assert "No key was pressed" in await visitor.ended()
            assert children
            await gone(children)
            again = await visit(client, one, conversation=visitor.notes["conversation"])
            await again.until(FIRST_QUESTION, pressing=" ")


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
async def test_a_process_that_does_not_leave_is_ended(served):
    async with aiohttp.ClientSession() as client:
        visitor = await visit(client, served)
        await visitor.until(FIRST_QUESTION)
        (child,) = served.children()
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
