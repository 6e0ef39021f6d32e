"""How the full screen looks: sizes, colours, no colours, and text that must not be obeyed."""

from __future__ import annotations

import contextlib
import os
import sys

import pytest

pytest.importorskip("textual")

from assistant.tui.help_screen import HelpScreen
from tests.at_the_screen import JOB, NARROW, VERY_WIDE, WIDE, at_the_screen, on_screen, read_until
from tests.program import weft


@on_screen
async def test_a_terminal_that_changes_its_size_keeps_everything(begin):
    async with at_the_screen(begin) as user:
        await user.says(JOB)
        await user.types("a half-typed thought")
        for size in (NARROW, VERY_WIDE, (40, 12), WIDE):
            await user.pilot.resize_terminal(*size)
            await user.rests()
            assert max(len(line) for line in user.sees().splitlines()) <= size[0]
        assert user.talk.prompt.text == "a half-typed thought"
        assert "Understood:" in user.sees() and "Candidates" in user.sees()


@pytest.mark.parametrize(
    "typed", ["[red]hot[/red] [/] [@click=app.quit]x[/]", "\\[b] $accent [bold", "a\x1b[31mred\x07\u202ehidden"]
)
@on_screen
async def test_what_is_typed_is_shown_and_never_obeyed(begin, typed):
    async with at_the_screen(begin) as user:
        user.talk.prompt.text = typed
        await user.press("enter")
        shown = user.reads()
        assert "\x1b" not in shown and "\u202e" not in shown
        assert "[red]hot[/red]" in shown or "[b] $accent" in shown or "hidden" in shown
        assert user.app.is_running and not user.app._exit


@pytest.mark.parametrize("theme", ["dark", "light"])
@on_screen
async def test_without_colour_the_screen_is_in_the_terminals_own_two_colours(begin, theme, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    async with at_the_screen(begin, theme=theme) as user:
        await user.press("1")
        assert "▸ 1" in user.sees()
        await user.press("escape")
        await user.says(JOB)
        colours = {
            str(colour.name)
            for strip in user.app.screen._compositor.render_strips()
            for segment in strip
            if segment.style
            for colour in (segment.style.color, segment.style.bgcolor)
            if colour is not None
        }
        assert colours <= {"default"}
        assert "✓" in user.sees().splitlines()[0]


@on_screen
async def test_light_and_dark_can_be_changed_from_the_menu(begin):
    async with at_the_screen(begin) as user:
        assert user.app.current_theme.dark
        await user.press("ctrl+p")
        await user.types("light")
        await user.until(lambda: "Change the colours" in user.sees() and "What was said last" not in user.sees())
        await user.press("enter")
        await user.until(lambda: not user.app.current_theme.dark)


@on_screen
async def test_help_is_about_what_has_the_keyboard(begin):
    async with at_the_screen(begin) as user:
        await user.press("f1")
        assert isinstance(user.app.screen, HelpScreen) and "Answering" in user.sees() and "Everywhere" in user.sees()
        await user.press("escape")
        await user.press("f4")
        await user.until(lambda: user.talk.panel.sources.has_focus)
        await user.press("f1")
        assert "What your last question found" in user.sees()
        await user.press("f2")
        assert user.app.screen is user.talk and user.talk.panel.tab == "plan" and user.talk.panel.has_focus_within
        await user.press("f1", "f5")
        assert user.app.screen is user.talk and user.talk.prompt.has_focus, "help names the key, so it does it"


@on_screen
async def test_on_a_small_screen_an_answer_in_between_gets_the_room_of_the_choices_until_a_key_wants_them(begin):
    async with at_the_screen(begin, NARROW) as user:
        first = user.talk.question_view.offers[0].label
        assert first in user.sees() and user.talk.prompt.placeholder in user.sees()
        await user.says("help")
        assert f"▸ 1 {first}" not in user.sees() and "What will the cluster do?" in user.sees()
        await user.press("down")
        assert f"▸ 1 {first}" in user.sees()


@on_screen
async def test_a_long_answer_is_read_from_its_beginning(begin):
    async with at_the_screen(begin, NARROW) as user:
        await user.says(JOB)
        await user.says("compare roce and infiniband")
        await user.until(lambda: "› compare roce and infiniband" in user.sees())


@pytest.mark.parametrize(
    ("asked", "environment", "theme", "without_colour"),
    [
        ("light", {}, "light", False),
        ("dark", {}, "dark", False),
        ("plain", {}, "dark", True),
        ("auto", {"COLORFGBG": "0;15"}, "light", False),
        ("auto", {"COLORFGBG": "15;0"}, "dark", False),
        ("auto", {"COLORFGBG": "0;15", "NO_COLOR": "1"}, "dark", True),
        ("light", {"NO_COLOR": ""}, "light", False),
    ],
)
def test_colours_are_as_asked_or_as_the_terminal_has_them(monkeypatch, asked, environment, theme, without_colour):
    from assistant.tui import appearance

    monkeypatch.delenv("COLORFGBG", raising=False)
    monkeypatch.setenv("NO_COLOR", "kept")  # so that it is put back at the end whatever happens
    monkeypatch.delenv("NO_COLOR")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert appearance.settle(asked) == theme
    assert ("NO_COLOR" in os.environ) == without_colour


@pytest.mark.parametrize(
    ("answer", "light"),
    [
        (b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62;c", True),
        (b"\x1b]11;rgb:00/00/00\x07\x1b[?1;2c", False),
        (b"\x1b]11;rgba:fdf6/e3e3/c0c0/ffff\x07", True),
        (b"\x1b[?62;c", False),
        (b"", False),
    ],
)
def test_the_terminals_own_background_is_understood(answer, light):
    from assistant.tui import appearance

    assert appearance.is_light(answer) is light


@pytest.mark.parametrize(
    ("answer", "background"),
    [
        (b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62;c", b"251;250;247"),
        (b"\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?62;c", b"20;24;29"),
    ],
)
def test_in_a_real_terminal_the_screen_asks_for_the_background_and_takes_it_over(answer, background):
    pty = pytest.importorskip("pty")
    program, terminal = pty.fork()
    if program == 0:
        for name in ("NO_COLOR", "COLORFGBG", "WEFT_THEME"):
            os.environ.pop(name, None)
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
        os.execv(sys.executable, [sys.executable, "-m", "assistant"])
    shown = read_until(terminal, b"\x1b[c")
    assert b"\x1b]11;?" in shown
    os.write(terminal, answer)
    read_until(terminal, b"48;2;" + background)
    os.write(terminal, b"\x11")
    with contextlib.suppress(OSError):  # Linux reports the end of a terminal as an error
        while os.read(terminal, 65536):
            pass
    assert os.waitstatus_to_exitcode(os.waitpid(program, 0)[1]) == 0


def test_a_theme_there_is_not_is_refused_with_those_there_are():
    refused = weft("chat", "--theme", "purple")
    assert refused.code == 2 and "auto, light, dark, plain" in refused.err
