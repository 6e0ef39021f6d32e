"""The process of one visitor: the conversation on the full screen, drawn through pipes instead of on a terminal.

``python -m assistant.web.visitor TRANSCRIPT THEME``: goes on with the transcript when it is there, else begins it.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import assistant

if TYPE_CHECKING:
    from assistant.conversation import Conversation
    from assistant.conversation.exporting import Target
    from assistant.tui.app import WeftApp

_LOOK_S = 2.0  # how often to look whether the server is still there
# What one visitor's process may hold: five times what it takes with its model loaded (`weft handbook web`).
_MOST_MEMORY = 3 * 1024**3


def main(transcript: Path, theme: str) -> int:
    """Have the conversation; the exit code."""
    from assistant.tui.app import WeftApp

    threading.Thread(target=_end_with_the_server, args=(os.getppid(),), daemon=True).start()
    app = WeftApp(lambda: _begin(transcript, app), theme=theme)
    code = app.run() or 0
    if app.failure is not None:
        print(app.failure, file=sys.stderr)
    _forget_if_nothing_was_said(app, transcript)
    return code


def _begin(transcript: Path, app: WeftApp) -> Conversation:
    from assistant.conversation import opening

    deliver = lambda text, target: _deliver(app, text, target)
    if transcript.exists():
        return opening.begin(resume=transcript, exporter=deliver)
    return opening.begin(transcript=transcript, title="A conversation with Weft in a browser", exporter=deliver)


def _deliver(app: WeftApp, text: str, target: Target) -> str:
    """Hand a file to the browser to keep: a visitor names a file, and must not write it on the server. Returns its name
    there."""
    name = Path(target.path).name or "weft-plan"
    app.call_from_thread(app.deliver_binary, io.BytesIO(text.encode("utf-8")), save_filename=name)
    return f"{name}, among your browser's downloads"


def _forget_if_nothing_was_said(app: WeftApp, transcript: Path) -> None:
    """A page that was only looked at leaves no file."""
    conversation = app.talk.conversation
    if conversation is not None and conversation.silent:
        transcript.unlink(missing_ok=True)


def _end_with_the_server(server: int) -> None:
    """Leave when the server was killed and could not say goodbye."""
    while os.getppid() == server:
        time.sleep(_LOOK_S)
    os._exit(1)


def _limit_memory() -> None:
    """Whatever a visitor asks for, the machine keeps the rest of its memory: this process ends alone."""
    with contextlib.suppress(ImportError, OSError, ValueError):  # Windows has no such limit; a lower one stays
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))


def _keep_the_pipe_clean() -> None:
    """What a library prints must not come between the packets that go to the browser."""
    packets = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.__stdout__ = packets  # type: ignore[misc]


if __name__ == "__main__":
    gc.set_threshold(*assistant.GARBAGE)
    _limit_memory()
    _keep_the_pipe_clean()
    ended = main(Path(sys.argv[1]), sys.argv[2])
    sys.stderr.flush()
    # torch ends a process with a message when a thread is still loading a model; the transcript is on the disk.
    os._exit(ended)
