"""From the command line to the first answer and to the first screen, in fresh processes."""

import tempfile

from assistant.library import Library
from assistant.vocabulary.benchmark import Measurement

from .timing import own_process, timed

INTERPRETER = "python -c pass"
# The screen is drawn without a terminal, as the screen's own tests do; the process ends when the first frame stands.
_FIRST_SCREEN = """
import asyncio
from assistant.conversation import opening
from assistant.tui.app import WeftApp

async def first_screen():
    async with WeftApp(opening.begin).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        print("drawn", flush=True)
        import os
        os._exit(0)

asyncio.run(first_screen())
"""
_INDEX = "from assistant.library import load; from assistant.retrieval import ready_index; ready_index(load())"


def fresh_index() -> None:
    """Build the search index as for the first time: nothing of the user's is kept."""
    with tempfile.TemporaryDirectory() as folder:
        own_process(["-c", _INDEX], WEFT_CACHE=folder)


def measure(library: Library, repeats: int) -> list[Measurement]:
    """Seconds from starting a process to its end, beside the interpreter's own."""
    example = str(library.examples["llama-70b-pretraining"])
    commands = {
        "weft --help": ["-m", "assistant", "--help"],
        "weft plan, JSON": ["-m", "assistant", "plan", example, "--format", "json"],
        "weft plan, text": ["-m", "assistant", "plan", example],
        "first screen drawn": ["-c", _FIRST_SCREEN],
    }
    found = [Measurement(part="startup", what=INTERPRETER, values=timed(lambda: own_process(["-c", "pass"]), repeats))]
    for what, arguments in commands.items():
        values = timed(lambda arguments=arguments: own_process(arguments), repeats)
        found.append(Measurement(part="startup", what=what, values=values, against=INTERPRETER))
    values = timed(fresh_index, repeats, warm=0)
    return [*found, Measurement(part="startup", what="search index of a fresh install", values=values)]
