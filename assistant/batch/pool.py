"""Processes that work on one thing each: one that dies is replaced, and what it had in hand is tried once more."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 32  # things per process begun before the one whose result comes next: memory stays bounded
_TRIES = 2
_LOOK_S = 0.2  # how often a process looks whether the one that started it is still there
# A fork has what is loaded already; where threads make it unsafe, on macOS and Windows, a new interpreter loads it.
_START = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def mapped(work: Callable[[T], R], things: Iterable[T], jobs: int, lost: Callable[[T, str], R]) -> Iterator[R]:
    """What ``work`` makes of each thing, in their order, in ``jobs`` processes; ``lost`` makes the result of one whose
    process ended twice, with the reason. However this ends, no process is left."""
    coming, done, position = enumerate(things), dict[int, R](), 0
    workers = [_Worker(work, lost) for _ in range(jobs)]
    try:
        while True:
            for worker in workers:
                if worker.idle and (ahead := max(done, default=position) - position < AHEAD * jobs):
                    worker.take(next(coming, None) if ahead else None)
            busy = [worker for worker in workers if not worker.idle]
            for worker in _first(busy):
                done.update(worker.result())
            while position in done:
                yield done.pop(position)
                position += 1
            if not busy and not done:
                return
    finally:
        for worker in workers:
            worker.end()


class _Worker(Generic[T, R]):
    """One process, started when there is something to do."""

    def __init__(self, work: Callable[[T], R], lost: Callable[[T, str], R]) -> None:
        self._work, self._lost = work, lost
        self._inside: tuple[int, T] | None = None
        self._tries = 0
        self._process: BaseProcess | None = None
        self.pipe: Connection | None = None

    @property
    def idle(self) -> bool:
        return self._inside is None

    def take(self, thing: tuple[int, T] | None) -> None:
        """Begin with a thing and its position."""
        self._inside, self._tries = thing, 0
        if thing is not None:
            self._begin()

    def _begin(self) -> None:
        self._tries += 1
        if self._process is None or self.pipe is None:
            self.pipe, theirs = _START.Pipe()
            process = _START.Process(target=_serve, args=(theirs, self._work, os.getpid()), daemon=True)
            process.start()
            theirs.close()
            self._process = process
        if self._inside is not None:
            with contextlib.suppress(OSError):  # it died meanwhile: that is seen when its result is asked for
                self.pipe.send(self._inside[1])

    def result(self) -> dict[int, R]:
        """The result by its position, or nothing yet where the process ended and another one begins anew."""
        if self._inside is None or self.pipe is None:
            return {}
        position, thing = self._inside
        try:
            found = self.pipe.recv()
        except (EOFError, OSError):
            reason = self.end()
            if self._tries < _TRIES:
                self._begin()
                return {}
            found = self._lost(thing, reason)
        self._inside = None
        return {position: found}

    def end(self) -> str:
        """End the process; how it ended."""
        process, pipe, self._process, self.pipe = self._process, self.pipe, None, None
        if process is None or pipe is None:
            return "not begun"
        pipe.close()
        process.join(_LOOK_S)
        if process.is_alive():
            process.kill()
            process.join()
        code = process.exitcode or 0
        return f"signal {-code}" if code < 0 else f"exit code {code}"


def _first(busy: list[_Worker[T, R]]) -> list[_Worker[T, R]]:
    """Those that have a result, or have ended, once there is one."""
    ready = wait([worker.pipe for worker in busy if worker.pipe is not None]) if busy else []
    return [worker for worker in busy if worker.pipe in ready]


def _serve(pipe: Connection, work: Callable[[T], R], parent: int) -> None:
    """The life of a process. Ctrl+C is the parent's to hear."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    try:
        while True:
            pipe.send(work(pipe.recv()))
    except (EOFError, OSError):
        return


def _end_with(parent: int) -> None:
    """End when the parent was killed and could not say so."""
    while os.getppid() == parent:
        time.sleep(_LOOK_S)
    os._exit(1)
