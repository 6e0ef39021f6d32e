"""The conversation in a real browser: three kept ones typed in Chromium, a reload, a narrow window, closed doors."""

from __future__ import annotations

import asyncio
import time

import pytest

from assistant.conversation.transcript import document, replaying
from tests.browser import CHROMIUM, browser
from tests.web_server import FIRST_QUESTION, JOB, ROOT, gone, over_the_network, serving

needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium is installed here (Debian: apt-get install chromium)"
)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server as ``weft serve`` starts it, with two places."""
    with serving(tmp_path_factory.mktemp("served"), "--sessions", "2") as one:
        yield one


async def _answered(served, path, count, patience=60.0):
    """Wait until so many answers are kept in the transcript; its path."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        found = [path] if path else served.transcripts()
        if found and found[0].is_file() and len(document.read(found[0]).exchanges) >= count:
            return found[0]
        await asyncio.sleep(0.1)
    raise AssertionError(f"answer {count} never came: {[one.read_text()[-400:] for one in served.transcripts()]}")


@needs_chromium
@pytest.mark.parametrize("name", ["single-node", "serving", "bulk-inference"])
@over_the_network
async def test_a_kept_conversation_typed_in_a_browser_gives_the_same_answers(tmp_path, library, name):
    saved = document.read(ROOT / "transcripts" / f"{name}.md")
    with serving(tmp_path / "home", "--token", "auto", search=name == "single-node") as one:
        async with browser() as chromium:
            page = await chromium.page()
            await page.open(one.address)
            await page.until(FIRST_QUESTION)
            assert await page.evaluate("location.search") == ""
            assert await page.evaluate("document.title") == "Weft: plan the fabric before you buy it"
            kept = None  # a conversation without a word leaves no file
            for number, message in enumerate(saved.said, start=2):
                await asyncio.sleep(0.8)
                await page.types(message)
                await page.press("enter")
                kept = await _answered(one, kept, number)
            seen = await page.until("Candidates" if name == "single-node" else "per M output")
            compared = library.catalog.fabrics if name == "single-node" else library.catalog.gpus
            names = {getattr(one, "short", None) or one.name for one in compared.values()}
            assert sum(one in seen for one in names) >= 3, seen
            await page.press("f8")
            await _answered(one, kept, len(saved.said) + 2)
            assert page.complaints == []
            assert all(url.startswith((one.base, one.base.replace("http", "ws"))) for url in page.requested), (
                page.requested
            )
        assert document.read(kept).said == [*saved.said, "undo"]
        result = replaying.replay_file(kept, library)
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
        await page.until("Certainty: ")
        await page.call("Page.reload")
        await page.until("Certainty: ")
        await page.press("f2")
        await page.until("Candidates")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert await page.evaluate("document.documentElement.scrollHeight <= innerHeight")
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
