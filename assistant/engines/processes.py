"""A crew of processes on this machine."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

from .order import Ended

T = TypeVar("T")
R = TypeVar("R")

_LOOK_S = 0.2  # how often a process looks whether the one that started it is still there
# A fork has what is loaded already; where threads make it unsafe, on macOS and Windows, a new interpreter loads it.
_START = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


class Processes(Generic[T, R]):
    """``size`` processes, each begun when there is something to do."""

    def __init__(self, do: Callable[[T], R], size: int) -> None:
        self.size = size
        self._free: list[_Process[T, R]] = [_Process(do) for _ in range(size)]
        self._busy: list[tuple[int, _Process[T, R]]] = []

    def free(self) -> bool:
        return bool(self._free)

    def begin(self, position: int, thing: T) -> None:
        process = self._free.pop()
        process.take(thing)
        self._busy.append((position, process))

    def came(self) -> Iterator[tuple[int, R | Ended]]:
        ready = wait([process.pipe for _, process in self._busy])
        for position, process in [one for one in self._busy if one[1].pipe in ready]:
            self._busy.remove((position, process))
            self._free.append(process)
            yield position, process.result()

    def end(self) -> None:
        for process in [*self._free, *(process for _, process in self._busy)]:
            process.end()


class _Process(Generic[T, R]):
    """One process; one that has ended is begun anew with the next thing."""

    def __init__(self, do: Callable[[T], R]) -> None:
        self._do = do
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    @property
    def pipe(self) -> Connection:
        """Where its result comes, or its end."""
        assert self._pipe is not None, "not begun"
        return self._pipe

    def take(self, thing: T) -> None:
        """Begin with a thing."""
        if self._process is None or self._pipe is None:
            self._pipe, theirs = _START.Pipe()
            self._process = _START.Process(target=_serve, args=(theirs, self._do, os.getpid()), daemon=True)
            self._process.start()
            theirs.close()
        with contextlib.suppress(OSError):  # it died meanwhile: that is seen when its result is asked for
            self._pipe.send(thing)

    def result(self) -> R | Ended:
        try:
            return self.pipe.recv()
        except (EOFError, OSError):
            return Ended(self.end())

    def end(self) -> str:
        """End the process; how it ended."""
        process, pipe, self._process, self._pipe = self._process, self._pipe, None, None
        if process is None or pipe is None:
            return "not begun"
        pipe.close()
        process.join(_LOOK_S)
        if process.is_alive():
            process.kill()
            process.join()
        code = process.exitcode or 0
        return f"signal {-code}" if code < 0 else f"exit code {code}"


def _serve(pipe: Connection, do: Callable[[T], R], parent: int) -> None:
    """The life of a process. Ctrl+C is the parent's to hear."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    try:
        while True:
            pipe.send(do(pipe.recv()))
    except (EOFError, OSError):
        return


def _end_with(parent: int) -> None:
    """End when the parent was killed and could not say so."""
    while os.getppid() == parent:
        time.sleep(_LOOK_S)
    os._exit(1)
