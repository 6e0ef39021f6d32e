"""A coverage-guided fuzzer over all readers: ``python -m tests.fuzz --executions 10000 --seconds 600``.

What reaches a line that nothing before it reached is kept and changed further; a kept corpus (``fuzz_corpus.jsonl``)
is where it begins, and ``--keep`` adds what was found. Whatever a reader says beside one of its own refusals is a
finding: it is printed with the text, as a line that the corpus takes, so that it is tried for ever.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import itertools
import json
import pathlib
import random
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType

from assistant.library import load
from tests.readers import REFUSED, Reader, readers, searching_readers

CORPUS = pathlib.Path(__file__).with_name("fuzz_corpus.jsonl")
LONGEST = 2_500  # characters of a changed text: longer ones only take time
MOST_TIME = 1 / 16  # of all, for one reader: those that plan take a thousand times as long as those of a quantity
_OURS = str(pathlib.Path(__file__).parents[1] / "assistant")
# What has ended readers before, here and elsewhere.
_PIECES = (
    "\x00 \x1b[2J \u202e \u2028 \ufeff \ud800 ⓸ ² ½ ٣ ﬃ 漢 İ ß - -- .. : :: , ,, ; / // \\ % $ € ~ = # | * _ ` ``` < > "
    "</ <!-- & &# ( [ [[ { }} \" ' - ? ! @ 0 -1 -0 00 1e 1e9 1e308 1e-400 nan inf 0x1F 1_000 1,000 1.000,5 9999999999 "
    "99999-99-99 2026-02-30 2026-11-20 null true H100 64 8x 70B 400 Gb/s GB/s TB $3 per hour /h k M % days weeks not "
    "no or than from to until by NCCL INFO WARN ✓"
).split(" ")


class Coverage:
    """The lines of the program that were reached; ``new`` counts those that nothing before had reached."""

    new = 0

    def watching(self) -> contextlib.AbstractContextManager[object]:
        """Counts while it is open; here nothing is."""
        return contextlib.nullcontext()

    @staticmethod
    def here() -> Coverage:
        """What this Python can: from 3.12 on a line that was seen once costs nothing any more."""
        return _Monitored() if hasattr(sys, "monitoring") else _ByTrace()


class _Monitored(Coverage):
    def __init__(self) -> None:
        self._ours = _OURS  # globals are gone when the last lines of a process run
        tool = sys.monitoring.COVERAGE_ID
        sys.monitoring.use_tool_id(tool, "fuzz")
        sys.monitoring.register_callback(tool, sys.monitoring.events.LINE, self._line)
        sys.monitoring.set_events(tool, sys.monitoring.events.LINE)

    def watching(self) -> contextlib.AbstractContextManager[object]:
        self.new = 0
        return contextlib.nullcontext()

    def _line(self, code: CodeType, line: int) -> object:
        self.new += code.co_filename.startswith(self._ours)
        return sys.monitoring.DISABLE


class _ByTrace(Coverage):
    """Where every line of a function was reached, it is watched no more."""

    def __init__(self) -> None:
        self._left: dict[CodeType, set[int]] = {}

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        self.new, before = 0, sys.gettrace()
        sys.settrace(self._entered)
        try:
            yield
        finally:
            sys.settrace(before)

    def _entered(self, frame: FrameType, event: str, _: object):
        left = self._left.get(frame.f_code)
        if left is None:
            mine = frame.f_code.co_filename.startswith(_OURS)
            left = self._left[frame.f_code] = {line for *_, line in frame.f_code.co_lines() if line} if mine else set()
        return self._line if left else None

    def _line(self, frame: FrameType, event: str, _: object):
        left = self._left[frame.f_code]
        if frame.f_lineno in left:
            left.discard(frame.f_lineno)
            self.new += 1
        return self._line if left else None


@dataclass
class Fuzzer:
    """Readers, what is known to reach something for each, and what was found."""

    readers: dict[str, Reader]
    random: random.Random
    corpus: dict[str, list[str]]
    coverage: Coverage = field(default_factory=Coverage.here)
    findings: dict[tuple[str, str], str] = field(default_factory=dict)
    kept: list[tuple[str, str]] = field(default_factory=list)
    executions: int = 0
    slowest: tuple[float, str, str] = (0.0, "", "")
    seconds: collections.Counter[str] = field(default_factory=collections.Counter)  # of the processor, by reader

    def run(self, executions: int, until: float) -> None:
        """Tries what is in the corpus, then changed texts, each reader in turn, but for those that had their time."""
        for name, texts in self.corpus.items():
            for text in texts:
                self.tried(name, text)
        turns, most = itertools.cycle(self.readers), max(MOST_TIME, 1 / len(self.readers))
        self.seconds.clear()  # of the first ones some load what all of them need
        while self.executions < executions and time.monotonic() < until:
            name = next(one for one in turns if self.seconds[one] <= most * self.seconds.total())
            text = self._changed(name)
            if self.tried(name, text):
                self.corpus[name].append(text)
                self.kept.append((name, text))

    def tried(self, name: str, text: str) -> bool:
        """Whether the reader reached something new in this text."""
        self.executions += 1
        began = time.process_time()
        try:
            with self.coverage.watching():
                self.readers[name](text)
        except REFUSED:
            pass
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            self.findings.setdefault((name, f"{type(error).__name__} at {last.filename}:{last.lineno}: {error}"), text)
        took = time.process_time() - began
        self.seconds[name] += took
        self.slowest = max(self.slowest, (took, name, text))
        return self.coverage.new > 0

    def _changed(self, name: str) -> str:
        text, chance = self.random.choice(self.corpus[name]), self.random
        for _ in range(1 << chance.randrange(4)):
            at = chance.randrange(len(text) + 1)
            after = at + chance.choice((0, 0, 1, 8, chance.randrange(len(text) + 1)))
            text = (text[:at] + self._put_in(name, text[at:after]) + text[after:])[:LONGEST]
        return text

    def _put_in(self, name: str, taken: str) -> str:
        """What stands in the place of what was taken out: a piece, a character, part of another text, more of it."""
        other, chance = self.random.choice(self.corpus[name]), self.random
        begin = chance.randrange(len(other) + 1)
        return chance.choice(
            (
                "",
                chance.choice(_PIECES),
                chr(chance.randrange(0x10000)),
                other[begin : begin + 60],
                taken * 3,
                taken * 40,
            )
        )


def corpus_of(names: list[str], file: pathlib.Path = CORPUS) -> dict[str, list[str]]:
    """The kept texts of each reader; each has at least the empty one."""
    found: dict[str, list[str]] = collections.defaultdict(list)
    for line in file.read_text(encoding="utf-8").splitlines():
        name, text = json.loads(line)
        found[name].append(text)
    return {name: found[name] or [""] for name in names}


def main() -> None:
    """As the options say; ends with code 1 where something was found."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--executions", type=int, default=10_000)
    options.add_argument("--seconds", type=float, default=600)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--keep", action="store_true", help="add what reached something new to the corpus")
    options.add_argument("--reader", help="one alone", action="append")
    given = options.parse_args()
    library = load()
    every = {**readers(library), **searching_readers(library)}
    chosen = {name: every[name] for name in given.reader or every}
    fuzzer = Fuzzer(chosen, random.Random(given.seed), corpus_of(list(chosen)))
    fuzzer.run(given.executions, time.monotonic() + given.seconds)
    for (name, error), text in fuzzer.findings.items():
        print(json.dumps([name, text]), error, sep="\n    ")
    if given.keep:
        with CORPUS.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(one) + "\n" for one in fuzzer.kept)
    seconds, name, text = fuzzer.slowest
    print(
        f"{fuzzer.executions:,} executions, {len(fuzzer.kept)} reached something new, {len(fuzzer.findings)} findings"
    )
    spent = ", ".join(f"{one} {seconds:.0f}" for one, seconds in fuzzer.seconds.most_common(8))
    print(f"seconds of the processor: {spent}")
    print(f"slowest: {name}, {seconds:.2f} s, {len(text)} characters: {text[:60]!r}")
    sys.exit(bool(fuzzer.findings))


if __name__ == "__main__":
    main()
