"""Lets every write fail once: the n-th opening, write, sync or renaming of a command, for each n until it gets through.

``python -m tests.fault_injection [COMMAND…]`` tries all of them, the suite a part (``tests/test_faults.py``). Each is a
process of its own, forked from one that has loaded what commands need. What a command writes through Python's files and
``os`` is seen; what a library writes in C by itself is not.
"""

from __future__ import annotations

import builtins
import contextlib
import errno
import io
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tests.program import Seen, weft

KINDS = ("full", "broken", "memory", "short", "killed")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Injection:
    """What is written below a folder is counted, and from within the ``nth`` operation on goes wrong as ``kind`` says.

    ``full``: half of it is written, and nothing more from there on. ``broken``: an input/output error. ``memory``:
    none is left. ``short``: half of it is written, which is no error. ``killed``: half of it is written.
    """

    def __init__(self, folder: Path, kind: str = "", nth: int = 0) -> None:
        self.folder, self.kind, self.nth = str(folder), kind, nth
        self.count = 0
        self.reached = ""  # the operation that failed
        self._numbers: set[int] = set()

    @contextlib.contextmanager
    def __call__(self) -> Iterator[Injection]:
        instead = {"open": self._os_open, "fsync": self._fsync}
        instead |= {name: self._through(name) for name in "replace rename unlink remove mkdir chmod truncate".split()}
        before = {name: getattr(os, name) for name in instead}
        self._real, self._open = before, io.open
        for name, other in instead.items():
            setattr(os, name, other)
        builtins.open = io.open = self._opened
        try:
            yield self
        finally:
            builtins.open = io.open = self._open
            for name, one in before.items():
                setattr(os, name, one)

    def watched(self, file: Any) -> bool:
        if isinstance(file, int):
            return file in self._numbers
        return os.path.abspath(os.fspath(file)).startswith(self.folder)

    def at(self, operation: str, half: Callable[[], int] = lambda: 0) -> int | None:
        """Before an operation, which is then done, or not where this raises or gives what stands for its result."""
        self.count += 1
        if self.count < self.nth or not self.nth or (self.count > self.nth and self.kind != "full"):
            return None
        if operation in ("unlink", "remove") and self.kind == "full":
            return None  # takes no room
        self.reached = self.reached or operation
        if self.kind == "killed":
            half()
            os.kill(os.getpid(), signal.SIGKILL)
        if self.kind == "memory":
            raise MemoryError
        if self.kind == "short" or (self.kind == "full" and self.count == self.nth and operation == "write"):
            return half() or None
        raise OSError(*((errno.ENOSPC, "No space left on device") if self.kind == "full" else (errno.EIO, "I/O error")))

    def _os_open(self, path: Any, flags: int, *more: Any, **named: Any) -> int:
        seen = bool(flags & _WRITING) and self.watched(path)
        if seen:
            self.at("open")
        number = self._real["open"](path, flags, *more, **named)
        (self._numbers.add if seen else self._numbers.discard)(number)
        return number

    def _fsync(self, number: int) -> None:
        self.at("fsync")
        self._real["fsync"](number)

    def _through(self, name: str) -> Callable[..., Any]:
        def done(path: Any, *more: Any, **named: Any) -> Any:
            if self.watched(path):
                self.at(name)
            return self._real[name](path, *more, **named)

        return done

    def _opened(
        self,
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        *text: Any,
        closefd: bool = True,
        opener: Any = None,
        **t: Any,
    ) -> Any:
        if not set(mode) & set("wax+") or not self.watched(file):
            return self._open(file, mode, buffering, *text, closefd=closefd, opener=opener, **t)
        if opener is None and not isinstance(file, int):
            self.at("open")
        raw = _Raw(file, mode.replace("b", "").replace("t", ""), closefd, opener)
        raw.injection = self
        if buffering == 0:
            return raw
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, *text, **t)


class _Raw(io.FileIO):
    injection: Injection

    def write(self, content: Any) -> int:
        view = memoryview(content)
        half = lambda: super(_Raw, self).write(view[: len(view) // 2])
        done = self.injection.at("write", half)
        return super().write(content) if done is None else done


Act = Callable[[Path], Seen]


@dataclass(frozen=True)
class Command:
    """What is tried: ``act`` works in a folder that ``prepare`` filled, and is repeated afterwards."""

    prepare: Act | Callable[[Path], object]
    act: Act
    again: Act | None = None  # where going on is said otherwise
    beside: tuple[str, ...] = ()  # ends of names of files that a stopped run may leave for the next
    grows: bool = False  # what is written is added to, so that a beginning of it is whole too
    cache: bool = False  # begins with an empty cache, of which the writes count too


def apart(work: Callable[[], Any]) -> tuple[int, Any]:
    """The status of a process of its own, and what ``work`` gave in it; nothing where it was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            try:
                told = json.dumps(work()).encode()
            except BaseException:
                told = json.dumps({"traceback": traceback.format_exc()}).encode()
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(told)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    return status, json.loads(told) if told else None


def _run(act: Act, folder: Path, kind: str = "", nth: int = 0, *, cache: bool = False) -> tuple[int, dict[str, Any]]:
    def work() -> dict[str, Any]:
        os.chdir(folder)
        os.environ["WEFT_HOME"] = str(folder / "home")
        if cache:
            os.environ["WEFT_CACHE"] = str(folder / "cache")
        with Injection(folder, kind, nth)() as injection:
            seen = act(folder)
        return {"code": seen.code, "out": seen.out, "err": seen.err, "n": injection.count, "at": injection.reached}

    status, told = apart(work)
    return status, told or {}


def _tree(folder: Path) -> dict[str, bytes]:
    """What is there, but for caches: those are no more than time."""
    found = (path for path in folder.rglob("*") if path.is_file() and "cache" not in path.relative_to(folder).parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def _temporary(folder: Path, but: set[str], beside: tuple[str, ...]) -> list[str]:
    there = (path for path in folder.rglob("*") if path.is_file())
    names = (str(path.relative_to(folder)) for path in there)
    return [one for one in names if one not in but and not one.endswith((".lock", *beside))]


class Point(NamedTuple):
    """A fault within the ``nth`` operation, and what is wrong about how the command took it."""

    kind: str
    nth: int
    operation: str
    problems: list[str]


def points(command: Command, kinds: tuple[str, ...] = KINDS, every: int = 1) -> Iterator[Point]:
    """Every fault that a command can meet; with ``every`` one of so many."""
    with tempfile.TemporaryDirectory() as there:
        folder = Path(there) / "work"  # always the same: what is written may name it
        before = _fresh(command, folder)
        _, told = _run(command.act, folder, cache=command.cache)
        wanted, all_names = _tree(folder), set(_temporary(folder, set(), ()))
        assert told.get("code") in (0, 2) and told["n"], f"the command itself fails: {told}"
        for kind in kinds:
            nth = 1
            while True:
                _fresh(command, folder)
                status, told = _run(command.act, folder, kind, nth, cache=command.cache)
                if not os.WIFSIGNALED(status) and not told.get("at") and "traceback" not in told:
                    break
                problems = [
                    *_how_it_ended(kind, status, told),
                    *_what_it_left(command, folder, before, wanted, all_names, told, kind),
                    *_how_it_goes_on(command, folder, wanted, all_names),
                ]
                yield Point(kind, nth, told.get("at", ""), problems)
                nth += every


def _fresh(command: Command, folder: Path) -> dict[str, bytes]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    command.prepare(folder)
    return _tree(folder)


def _how_it_ended(kind: str, status: int, told: dict[str, Any]) -> Iterator[str]:
    if kind == "killed":
        if not os.WIFSIGNALED(status):
            yield f"was not killed: {told}"
        return
    if os.WIFSIGNALED(status):
        yield f"ended by signal {os.WTERMSIG(status)}"
    elif "traceback" in told:
        yield told["traceback"]
    elif told["code"] not in (0, 1, 2) or "Traceback" in told["err"] + told["out"]:
        yield f"code {told['code']}, {told['err']}"
    elif told["code"] and len([line for line in told["err"].splitlines() if line.startswith("weft: ")]) < 1:
        yield f"code {told['code']} without a sentence: {told['err']!r}"
    if kind == "short" and told.get("code", 0) == 1:
        yield f"half a write is no error: {told['err']}"


def _what_it_left(
    command: Command, folder: Path, before: dict, wanted: dict, names: set[str], told: dict, kind: str
) -> Iterator[str]:
    now = _tree(folder)
    for name in {*before, *wanted}:
        old, new, found = before.get(name), wanted.get(name), now.get(name)
        begun = command.grows and found is not None and new is not None and new.startswith(found)
        if found not in (old, new) and not begun and not name.endswith(command.beside or ("\0",)):
            yield f"{name} is neither the old nor the new: {found!r:.80}"
        if told.get("code") == 0 and found != new and "not kept" not in told["out"] + told["err"]:
            yield f"code 0, and {name} is not what it should be, without a word"
    if kind != "killed" and told.get("at") not in ("unlink", "remove"):
        for name in _temporary(folder, {*before, *names}, command.beside):
            yield f"left behind: {name}"


def _how_it_goes_on(command: Command, folder: Path, wanted: dict, names: set[str]) -> Iterator[str]:
    status, told = _run(command.again or command.act, folder, cache=command.cache)
    if status or "traceback" in told or told["code"] not in (0, 2):
        yield f"the next run: {told}"
        return
    now = _tree(folder)
    for name in sorted({*now, *wanted}):
        if now.get(name) != wanted.get(name) and not name.endswith(".lock"):
            yield f"after the next run {name}: {now.get(name)!r:.60} instead of {wanted.get(name)!r:.60}"
    for name in _temporary(folder, {*names, *now}, ()):
        yield f"still there after the next run: {name}"


# What is tried.

_JOBS = "".join(
    f'{{"workload": "inference", "model": "llama-3.1-8b", "cluster": {{"gpu": "h100-sxm", "gpus": {n}}}}}\n'
    for n in (8, 0)
)
_JOB = "workload: pretraining\nmodel: llama-3.1-8b\ncluster: {gpu: h100-sxm, gpus: 64}\n"
_PRICES = "provider,instance,usd_per_gpu_hour,date\nlambda,gpu_8x_h100_sxm5,1.23,2026-11-25\n"
_RUNS = (
    "gpu,gpus,model,fabric,global_batch,sequence_length,step_time_s\n"
    "h100-sxm,64,llama-3.1-8b,infiniband-ndr-400,512,8192,9.5\nh100-sxm,128,llama-3.1-8b,infiniband-ndr-400,512,8192,5.1\n"
)


def _old(*names: str) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        for name in names:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("what was there before\n" * 1000)
        (folder / "job.yaml").write_text(_JOB)
        (folder / "jobs.jsonl").write_text(_JOBS)
        (folder / "bad.jsonl").write_text('{"workload": "dreaming"}\n{"model": 7}\n')
        (folder / "prices.csv").write_text(_PRICES)
        (folder / "runs.csv").write_text(_RUNS)

    return prepare


def _said(*arguments: str) -> Act:
    return lambda folder: weft(*arguments)


def _within(work: Callable[[Path], str]) -> Act:
    """What has no command of its own, ended as the program ends."""
    from assistant.vocabulary.errors import InputError

    def act(folder: Path) -> Seen:
        try:
            return Seen(0, work(folder), "")
        except InputError as error:
            return Seen(2, "", f"weft: {error}")
        except (OSError, MemoryError) as error:
            return Seen(1, "", f"weft: cannot go on: {error}")

    return act


def _batch(form: str, *more: str, rows: str = "bad.jsonl") -> Act:
    return _said("batch", rows, "--out", "out", "--format", form, "--jobs", "1", "--today", "2026-11-20", *more)


_sweep = _said(
    *("sweep", "job.yaml", "--vary", "cluster.gpus=8,16", "--format", "json"),
    *("--out", "grid.csv", "--out", "grid.json", "--out", "grid.svg"),
)
_PARTS = (".part", ".rows", ".packed", ".end")
_SAID = ("64 H100 SXM", "two weeks")


def _talk(folder: Path) -> str:
    """Say what has not been said yet, in a conversation that is kept in ``talk.md``; go on with it where it is one."""
    from assistant.conversation import opening
    from assistant.conversation.transcript import document
    from assistant.conversation.wording import markdown
    from assistant.library import load
    from assistant.vocabulary.errors import InputError

    path, said = folder / "talk.md", 0
    with contextlib.suppress(InputError):
        transcript = document.read(path)
        said = len(transcript.said) + (transcript.unanswered is not None)
    if said:
        talk = opening.begin(load(), resume=path)
    else:
        path.unlink(missing_ok=True)
        talk = opening.begin(load(), transcript=path)
        talk.start()
    events = [event for message in _SAID[said:] for event in talk.say(message)]
    return "\n".join(map(markdown, events))


def _documents(folder: Path) -> None:
    _old()(folder)
    (folder / "own").mkdir()
    for name in ("rails", "cables"):
        path = folder / "own" / f"{name}.md"
        path.write_text(f"# Our {name}\n\nThere are eight of our {name} for each node.\n")
        os.utime(path, (1.7e9, 1.7e9))


def _documents_read(folder: Path) -> None:
    _documents(folder)
    apart(lambda: _add(folder))


def _add(folder: Path) -> str:
    from assistant.library.documents import DocumentStore
    from assistant.vocabulary.errors import InputError

    added = DocumentStore(folder / "home" / "documents").add([folder / "own"])
    if added.problems:
        raise InputError("; ".join(added.problems))
    return ""


def _remove(folder: Path) -> str:
    from assistant.library.documents import DocumentStore

    return repr(DocumentStore(folder / "home" / "documents").remove("own"))


def _export(folder: Path) -> str:
    from assistant.conversation import exporting

    exporting.write("# A plan\n" * 2000, exporting.Target("markdown", str(folder / "plan.md"), True, "plan"))
    return ""


def _generated(folder: Path) -> str:
    """A page of the documentation, in what stands for a clone of the repository."""
    from types import SimpleNamespace

    from assistant.handbook import pages

    library: Any = SimpleNamespace(knowledge_folder=folder / "knowledge")
    pages.PARTS["page"] = lambda library, root: iter([(root / "knowledge" / "page.md", "# A page\n" * 500)])
    return str(pages.write(library, ["page"]))


def _clone(folder: Path) -> None:
    _old("knowledge/page.md", "README.md", "transcripts/one.md")(folder)


def _caches(folder: Path) -> str:
    """What is kept compiled; whatever happens to it the answer is the same."""
    import numpy as np

    from assistant.library import kept, shipped
    from assistant.retrieval import store

    read = shipped.documents("prices", folder, "job.yaml")
    built = kept.kept("words", "library", ("1",), {}, lambda: ["made", "of", "words"])
    index = folder / "cache" / "index-1.npz"
    store.read(index) or store.write(index, {"vectors": np.arange(5000.0)})
    assert read["job.yaml"]["model"] == "llama-3.1-8b" and built == ["made", "of", "words"]
    return ""


COMMANDS = {
    "fabric": Command(
        _old("net.svg"), _said("fabric", "infiniband-ndr-400", "--gpus", "64", "--format", "svg", "--out", "net.svg")
    ),
    "calibrate": Command(_old("profile.yaml"), _said("calibrate", "runs.csv", "--out", "profile.yaml")),
    "prices": Command(_old(), _said("prices", "--update", "prices.csv")),
    "batch": Command(
        _old("out/plans.jsonl"),
        _batch("jsonl", rows="jobs.jsonl"),
        _batch("jsonl", "--resume", rows="jobs.jsonl"),
        _PARTS,
    ),
    "batch-csv": Command(_old("out/plans.csv"), _batch("csv"), _batch("csv"), _PARTS),
    "batch-parquet": Command(_old("out/plans.parquet"), _batch("parquet"), _batch("parquet", "--resume"), _PARTS),
    "sweep": Command(_old("grid.csv", "grid.json"), _sweep),
    "conversation": Command(_old(), _within(_talk), grows=True, cache=True),
    "export": Command(_old("plan.md"), _within(_export)),
    "knowledge-add": Command(_documents, _within(_add), beside=("manifest.json",)),  # what could be read is in
    "knowledge-remove": Command(_documents_read, _within(_remove)),
    "handbook": Command(_clone, _within(_generated)),
    "caches": Command(_old(), _within(_caches), cache=True),
}


def loaded() -> None:
    """Load what commands need, so that each process has it."""
    from assistant.conversation import opening
    from assistant.library import load
    from assistant.retrieval import ready_index

    ready_index(load())
    talk = opening.begin(load(), kept=False)
    talk.start()
    talk.say("llama 3.1 8b on 64 H100")
    weft("fabric", "infiniband-ndr-400", "--gpus", "64")


def main(names: list[str]) -> int:
    loaded()
    wrong = 0
    for name in names or COMMANDS:
        started, tried = time.monotonic(), dict.fromkeys(KINDS, 0)
        for kind, nth, operation, problems in points(COMMANDS[name]):
            tried[kind] += 1
            wrong += bool(problems)
            for problem in problems:
                print(f"{name}, {kind} at {nth} ({operation}): {problem}", flush=True)
        told = ", ".join(f"{count} {kind}" for kind, count in tried.items())
        print(f"{name}: {told}; {time.monotonic() - started:.0f} s", flush=True)
    print(f"{wrong} of them went wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
