"""Visitors of the web page: they do not meet, they come back, and everything they hold ends."""

from __future__ import annotations

import asyncio
import os
import signal
from types import SimpleNamespace
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


@pytest.fixture(scope="module")
def evening(served):
    """What visitors of one evening saw, each of whom is a process of the server."""
    return asyncio.run(_evening(served))


async def _evening(served):
    seen = SimpleNamespace(before=set(served.transcripts()))
    async with aiohttp.ClientSession() as client:
        anna, ben = await visit(client, served), await visit(client, served)
        await asyncio.gather(anna.until(FIRST_QUESTION), ben.until(FIRST_QUESTION))
        seen.processes = served.children()
        await _is_sent_away(await visit(client, served), served, seen)
        await asyncio.gather(anna.says(JOB), ben.says("a zebra"))
        await asyncio.gather(anna.until("Certainty: "), ben.until("zebra"))
        seen.anna_sees_bens, seen.ben_sees_annas = anna.sees("zebra"), ben.sees("llama 3.1 8b on 16")
        async with asyncio.timeout(PATIENCE_S):
            while len(served.transcripts()) < 2 or not all(any(w in t for t in _kept(served)) for w in (JOB, "zebra")):
                await asyncio.sleep(0.05)  # an answer is drawn before it is kept
        seen.kept = _kept(served)
        await anna.until(NEXT_QUESTION)
        await _exports(anna, client, served, seen)
        await ben.says("quit")
        seen.goodbye = await ben.ended(), ben.connection.close_code
        await _loads_anew(anna, client, served, seen)
    await gone(served.children())
    seen.after = set(served.transcripts())
    return seen


async def _is_sent_away(third, served, seen):
    seen.third = await third.ended(), third.connection.close_code, len(served.children())


async def _exports(anna, client, served, seen):
    await anna.says("export to ../../stolen.md, overwrite")
    key = await anna.until_told("deliver_file_start")
    async with client.get(f"{served.base}/download/{key}") as answer:
        seen.export = answer.status, await answer.text(), dict(answer.headers)
    async with client.get(f"{served.base}/download/{key}") as answer:
        seen.export_again = answer.status


async def _loads_anew(anna, client, served, seen):
    """Beside somebody who knows no conversation, looks and leaves, and whose process does not."""
    seen.name = await anna.until_told("conversation")
    again = await visit(client, served, conversation=seen.name)
    seen.anna_ended = await anna.ended()
    await again.until("Certainty: ")
    seen.again = again.notes["conversation"]
    ours = set(served.children())
    stranger = None
    for _ in range(50):  # a place is given back when the process is gone
        stranger = await visit(client, served, conversation="0" * 32)
        if await _let_in(stranger):
            break
    seen.stranger = await stranger.until_told("conversation")
    await stranger.until(FIRST_QUESTION)
    seen.stuck = [child for child in served.children() if child not in ours]
    os.kill(seen.stuck[0], signal.SIGSTOP)
    await asyncio.gather(again.leaves(), stranger.leaves())
    await gone(seen.stuck)


def _kept(served):
    return [path.read_text() for path in served.transcripts()]


async def _let_in(visitor):
    async with asyncio.timeout(PATIENCE_S):
        while not visitor.connection.closed and not visitor.sees(FIRST_QUESTION):
            await asyncio.sleep(0.05)
    return not visitor.connection.closed


# Several visitors.


def test_two_visitors_do_not_see_each_other_and_each_has_a_transcript(evening):
    assert len(set(evening.processes)) == 2
    assert not evening.ben_sees_annas and not evening.anna_sees_bens
    assert sorted((JOB in text, "zebra" in text) for text in evening.kept) == [(False, True), (True, False)]


def test_who_comes_when_every_place_is_taken_is_told_so_and_gets_in_later(evening):
    reason, code, processes = evening.third
    assert "2 conversations are being held" in reason and code == 1013 and processes == 2
    assert evening.stranger, "the place of who had left was given to somebody else"


def test_a_page_loaded_anew_goes_on_with_its_conversation_and_looking_leaves_no_file(evening):
    assert "another window" in evening.anna_ended and evening.again == evening.name
    assert evening.stranger not in (evening.name, "0" * 32)
    assert len(evening.after - evening.before) == 2, "of who said something"


def test_an_export_goes_to_the_browser_once_and_nothing_is_written_on_the_server(served, evening):
    status, text, headers = evening.export
    assert status == 200 and text.startswith("# ") and evening.export_again == 404
    assert headers["Content-Disposition"] == 'attachment; filename="stolen.md"'
    assert headers["Content-Type"] == "application/octet-stream"
    assert not list(served.folder.parents[1].rglob("stolen.md"))


def test_a_process_that_does_not_leave_is_ended(evening):
    assert len(evening.stuck) == 1 and not any(alive(child) for child in evening.stuck)


def test_goodbye_in_the_conversation_ends_the_connection(evening):
    assert evening.goodbye == ("", 1000)


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


@pytest.fixture(scope="module")
def ending(tmp_path_factory):
    """What is told when the process of a visitor dies, and when the server is stopped with two there."""
    return asyncio.run(_ending(tmp_path_factory.mktemp("ending") / "home"))


async def _ending(home):
    seen = SimpleNamespace()
    with serving(home, "--sessions", "2") as one:
        async with aiohttp.ClientSession() as client:
            broken = await visit(client, one)
            await broken.until(FIRST_QUESTION)
            os.kill(one.children()[0], signal.SIGKILL)
            seen.broken = await broken.ended()
            visitors = await visit(client, one, conversation=broken.notes["conversation"]), await visit(client, one)
            await asyncio.gather(*(visitor.until(FIRST_QUESTION) for visitor in visitors))
            seen.children = one.children()
            seen.code, seen.rest = await asyncio.to_thread(one.stop)
            seen.stopped = [await visitor.ended() for visitor in visitors]
    return seen


def test_ctrl_c_ends_every_conversation_tells_the_visitors_and_leaves_no_process(ending):
    assert len(ending.children) == 2 and ending.stopped == ["The server was stopped."] * 2
    assert ending.code == 0 and "Traceback" not in ending.rest and "stopped" in ending.rest
    assert not any(alive(child) for child in ending.children)


def test_a_conversation_that_breaks_is_told_to_its_visitor_and_to_whoever_runs_the_server(ending):
    assert "Something went wrong" in ending.broken
    assert ending.rest.count("ended early") == 1 and "Traceback" not in ending.rest


@over_the_network
async def test_the_processes_follow_a_server_that_was_killed(tmp_path):
    with serving(tmp_path / "home") as one:
        async with aiohttp.ClientSession() as client:
            visitor = await visit(client, one)
            await visitor.until(FIRST_QUESTION)
            children = one.children()
            one.process.kill()
            await gone(children)
