"""The conversation on the full screen: Textual screens and widgets that draw it and decide nothing."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from assistant.conversation import Conversation

# ``plain``: the terminal's own two colours. ``auto``: light or dark as the terminal's background is.
THEMES = ("auto", "light", "dark", "plain")


def run(*, resume: Path | None = None, theme: str = "auto") -> int:
    """Have the conversation on the full screen; the exit code.

    ``resume`` goes on with a saved transcript. ``theme`` is one of :data:`THEMES`. Raises :class:`InputError` when it
    cannot be read, and
    :class:`KnowledgeError` when the knowledge base cannot be used.
    """
    from . import appearance, background
    from .app import WeftApp

    def begin(transcript: Path | None = resume) -> Conversation:
        from assistant.conversation import opening

        return opening.begin(resume=transcript)

    def warm(conversation: Conversation) -> None:
        told = lambda done, of: (f"building the search, once: {done:,} of {of:,} texts", f"search: {done / of:.0%}")
        conversation.warm(lambda done, of: weft.call_from_thread(weft.talk.hint.state, *told(done, of)))

    _when_ended(_unwound)
    weft = WeftApp(begin, warm, theme=appearance.settle(theme), resumed=begin)
    _when_ended(weft.end)
    # What a thread still says of its progress when the screen has gone is not for the user's shell.
    with contextlib.redirect_stderr(io.StringIO()) as aside:
        code = weft.run() or 0
        _where_it_is(weft.talk.conversation)
        if weft.failure is None and background.still_working():
            _leave_at_once(code)
    if weft.failure is not None:
        raise weft.failure
    sys.stderr.write(aside.getvalue())
    return code


def _when_ended(handle: Callable[[int], None]) -> None:
    """What is done when somebody ends the program from outside."""
    for name in ("SIGTERM", "SIGHUP"):
        with contextlib.suppress(AttributeError, ValueError):  # not on Windows; not in another thread
            number = getattr(signal, name)
            if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
                signal.signal(number, lambda number, _: handle(number))


def _unwound(number: int) -> NoReturn:
    """To the terminal as it was: while it is asked for its colours it is another one."""
    raise SystemExit(128 + number)


def _where_it_is(conversation: Conversation | None) -> None:
    """Where what was said is kept, once there is something."""
    path = conversation.transcript_path if conversation else None
    if path is not None and path.is_file():
        from assistant.conversation.wording import whereabouts

        print(f"The conversation is in {whereabouts(str(path))}; weft chat --continue goes on with it.")


def _leave_at_once(code: int) -> NoReturn:
    """End the process without unwinding it: torch aborts it, with a message, when a thread is still loading the model.

    The transcript is on the disk after every turn, so nothing is lost.
    """
    sys.stdout.flush()
    os._exit(code)
