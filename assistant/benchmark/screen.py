"""The full screen as a person feels it: the first frame in a real terminal, and from Enter to the new plan in a long
conversation."""

import json
import os
import select
import sys
import time

from assistant.library import Library
from assistant.vocabulary.benchmark import Measurement

from .timing import own_process, timed

HISTORY = 100  # messages said before
KEYS = 20
FIRST_FRAME = b"opening"  # what the line under the prompt says in the first frame
_BACKGROUND, _NONE = b"\x1b[c", b"\x1b[?62;c"  # the question a terminal answers at once, and an answer without a colour
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
    """Seconds to the first frame, ``repeats`` times, where there are pseudo-terminals; from a key to the plan, twenty
    times."""
    found = {"first frame in a terminal": timed(first_frame, repeats)} if sys.platform != "win32" else {}
    to_plan, to_question = zip(*key_to_plan(HISTORY, KEYS), strict=True)
    said = f"{HISTORY} messages said before"
    found |= {f"Enter to the new plan, {said}": to_plan, f"Enter to the next question, {said}": to_question}
    return [Measurement(part="screen", what=what, values=list(values)) for what, values in found.items()]


def key_to_plan(history: int, keys: int) -> list[tuple[float, float]]:
    """Seconds from Enter, with which the number of GPUs changes, until the plan for it is drawn, and until the question
    after it is; after one that warms up."""
    return json.loads(own_process(["-c", _KEY_TO_PLAN, str(history), str(keys)]).splitlines()[-1])


def first_frame() -> float:
    """Seconds from starting ``weft`` in a pseudo-terminal until its first frame has come out of it."""
    import pty

    began = time.perf_counter()
    program, terminal = pty.fork()
    if program == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(sys.executable, [sys.executable, "-m", "assistant"])
    try:
        _read_until_drawn(terminal)
        return time.perf_counter() - began
    finally:
        os.write(terminal, b"\x11")
        _read_to_the_end(terminal)
        os.waitpid(program, 0)


def _read_until_drawn(terminal: int) -> None:
    shown, answered = b"", False
    while FIRST_FRAME not in shown:
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
