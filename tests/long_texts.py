"""Long texts of one shape, given to every reader: ``python -m tests.long_texts --seconds 1``.

Each line of ``long_texts.jsonl`` is repeated to 50,000 characters; ``{n}`` in it counts, so that no two are alike. What
takes a reader more than so many seconds of the processor is told, the longest last; beside other work a processor
needs up to twice as long for the same, so that each is tried again before it is told.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import pathlib
import sys
import time

import assistant
from assistant.library import load
from tests.fuzz import corpus_of
from tests.readers import REFUSED, Reader, readers

SHAPES = pathlib.Path(__file__).with_name("long_texts.jsonl")
LENGTH = 50_000
_TRIES = 3


def shapes() -> dict[str, str]:
    """The texts by their line."""
    return {line: _repeated(json.loads(line)) for line in SHAPES.read_text(encoding="utf-8").splitlines()}


def _repeated(piece: str) -> str:
    several = (piece.replace("{n}", str(n)) for n in range(LENGTH // len(piece) + 1))
    return "".join(several)[:LENGTH]


def seconds(reader: Reader, text: str) -> float:
    """Of the processor, until a text is read or refused."""
    began = time.process_time()
    with contextlib.suppress(REFUSED):
        reader(text)
    return time.process_time() - began


def main() -> None:
    """As the options say; ends with code 1 where something takes longer."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=float, default=1.0)
    options.add_argument("--reader", action="append", help="one alone")
    given = options.parse_args()
    gc.set_threshold(*assistant.GARBAGE)  # as the program has it
    every, found, tried = readers(load()), [], 0
    texts = shapes()
    for name in given.reader or every:
        for text in corpus_of([name])[name][:1]:
            seconds(every[name], text)  # what all of them need is loaded with the first
        for shape, text in texts.items():
            tried += 1
            took = seconds(every[name], text)
            for again in range(1, _TRIES if took > given.seconds else 0):
                took = min(took, seconds(every[name], text + again * "."))  # what was read is kept
            if took > given.seconds:
                found.append((took, name, shape))
                print(f"{took:.2f} s, {name}: {shape}", flush=True)
    print(f"{tried:,} texts, {len(found)} took more than {given.seconds:g} s")
    for took, name, shape in sorted(found):
        print(f"{took:.2f} s, {name}: {shape}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
