"""The full screen as a person feels it: the first frame in a real terminal, and from Enter to the new plan in a long
conversation."""

import json
import os
import select
import sys
import tempfile
import time
from pathlib import Path

from assistant.library import Library
from assistant.vocabulary.benchmark import Measurement

from .timing import own_process, timed

HISTORY = 100  # messages said before
KEYS = 20
FIRST_FRAME = b"opening"  # what the line under the prompt says in the first frame
_BACKGROUND, _NONE = b"\x1b[c", b"\x1b[?62;c"  # the question a terminal answers at once, and an answer without a colour
# Keeps a conversation of so many messages, and says where it is written down how it stands.
_KEPT = """
import sys
from pathlib import Path
from assistant.conversation import opening
from assistant.conversation.transcript import standing

path, messages, last = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
talk = opening.begin(transcript=path)
talk.start()
talk.say("pretraining llama 3.1 8b on 16 h100")
for number in range(messages - 2):
    talk.say(("why", "actually 32 GPUs", "compare roce and infiniband", "undo", "help")[number % 5])
talk.say(last)
print(standing.at(path))
"""
_LAST = "what do you know so far"
_KEY_TO_PLAN = """
import asyncio, json, sys, time
from assistant.conversation import Conversation
from assistant.library import load
from assistant.tui.app import WeftApp

history, keys = int(sys.argv[1]), int(sys.argv[2])

def begin():
    talk = Conversation(load())
    talk.start()
    talk.say("pretraining llama 3.1 8b on 16 h100")
    for number in range(history - 1):
        talk.say(("why", "what if 128 GPUs", "compare roce and infiniband", "warnings", "help")[number % 5])
    return talk

async def measured():
    app = WeftApp(begin, grace_s=0)
    async with app.run_test(size=(160, 50)) as pilot:
        talk, taken = app.talk, []
        while talk.busy:
            await pilot.pause(0.05)
        for number in range(keys + 1):
            talk.prompt.text = f"actually {(64, 32)[number % 2]} GPUs"
            await pilot.pause(0.3)
            before, drawn, began = talk.conversation.plan, asyncio.Event(), time.perf_counter()
            press = asyncio.create_task(pilot.press("enter"))
            while talk.panel.plan.plan is before:
                await asyncio.sleep(0.001)
            talk.call_after_refresh(drawn.set)
            await drawn.wait()
            to_plan, asked = time.perf_counter() - began, asyncio.Event()
            while talk.busy:
                await asyncio.sleep(0.001)
            talk.call_after_refresh(asked.set)
            await asked.wait()
            taken.append((to_plan, time.perf_counter() - began))
            await press
        print(json.dumps(taken[1:]), flush=True)
        import os
        os._exit(0)

asyncio.run(measured())
"""


def measure(library: Library, repeats: int) -> list[Measurement]:
    """Seconds to the first frame, to the first question and to a conversation that is gone on with, ``repeats`` times,
    where there are pseudo-terminals; from a key to the plan, twenty times."""
    found = in_a_terminal(library, repeats) if sys.platform != "win32" else {}
    to_plan, to_question = zip(*key_to_plan(HISTORY, KEYS), strict=True)
    said = f"{HISTORY} messages said before"
    found |= {f"Enter to the new plan, {said}": to_plan, f"Enter to the next question, {said}": to_question}
    return [Measurement(part="screen", what=what, values=list(values)) for what, values in found.items()]


def key_to_plan(history: int, keys: int) -> list[tuple[float, float]]:
    """Seconds from Enter, with which the number of GPUs changes, until the plan for it is drawn, and until the question
    after it is; after one that warms up."""
    return json.loads(own_process(["-c", _KEY_TO_PLAN, str(history), str(keys)]).splitlines()[-1])


def in_a_terminal(library: Library, repeats: int) -> dict[str, list[float]]:
    """Seconds from starting the program until something stands on its screen, by what that is."""
    question = library.interview.questions[0].text.encode()
    found = {
        "first frame in a terminal": timed(lambda: shown(FIRST_FRAME), repeats),
        "first question in a terminal": timed(lambda: shown(question), repeats),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kept.md"
        standing = Path(own_process(["-c", _KEPT, str(path), str(HISTORY), _LAST]).split()[-1])
        resume = ("chat", "--resume", str(path))
        found[f"going on with {HISTORY} messages"] = timed(lambda: shown(_LAST.encode(), *resume), repeats)
        standing.unlink(missing_ok=True)
    return found


def shown(words: bytes, *arguments: str) -> float:
    """Seconds from starting ``weft ARGUMENTS`` in a pseudo-terminal until these words have come out of it."""
    import pty

    began = time.perf_counter()
    program, terminal = pty.fork()
    if program == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(sys.executable, [sys.executable, "-m", "assistant", *arguments])
    try:
        _read_until_drawn(terminal, words)
        return time.perf_counter() - began
    finally:
        os.write(terminal, b"\x11")
        _read_to_the_end(terminal)
        os.waitpid(program, 0)


def _read_until_drawn(terminal: int, words: bytes) -> None:
    shown, answered = b"", False
    while words not in shown:
        if not select.select([terminal], [], [], 60)[0]:
            raise TimeoutError("weft drew nothing for a minute")
        shown += os.read(terminal, 65536)
        if _BACKGROUND in shown and not answered:
            answered = True
            os.write(terminal, _NONE)


def _read_to_the_end(terminal: int) -> None:
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:  # Linux reports the end of a terminal as an error
        pass
