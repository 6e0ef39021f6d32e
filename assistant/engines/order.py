"""The results of many things in the order of the things, whoever works on them and whoever ends meanwhile."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")
R = TypeVar("R")
Taken = TypeVar("Taken", contravariant=True)
Given = TypeVar("Given", covariant=True)

AHEAD = 32  # things per worker begun before the one whose result comes next: memory stays bounded
_TRIES = 2


@dataclass(frozen=True)
class Work(Generic[T, R]):
    """What is done with each thing, and what the results hang on beside it, worked out where they are: two machines of
    which one tells otherwise would give other results. Both go to other processes: functions of modules, or partials of
    such."""

    do: Callable[[T], R]
    made_with: Callable[[], Hashable]


@dataclass(frozen=True)
class Ended:
    """A worker ended with a thing in hand, and how."""

    how: str


class Crew(Protocol[Taken, Given]):
    """Workers, each with one thing in hand at a time. One that ends is replaced."""

    @property
    def size(self) -> int:
        """At most so many work at once."""
        ...

    def free(self) -> bool:
        """Whether one of them can begin with something."""
        ...

    def begin(self, position: int, thing: Taken) -> None:
        """One of them begins."""
        ...

    def came(self) -> Iterable[tuple[int, Given | Ended]]:
        """What became of things by their position, as soon as there is news; none where only a worker has come."""
        ...

    def end(self) -> None:
        """Nobody works any more."""
        ...


def mapped(crew: Crew[T, R], things: Iterable[T], lost: Callable[[T, str], R]) -> Generator[R]:
    """What the crew makes of each thing, in their order. A thing whose worker ended is begun once more; ``lost`` makes
    the result of one to which that happened twice. However this ends, no worker is left."""
    coming = _Coming(things, AHEAD * crew.size)
    held, done, position = dict[int, tuple[T, int]](), dict[int, R](), 0
    try:
        while True:
            while crew.free() and (following := coming.following(len(held) + len(done))):
                at, thing, tries = following
                held[at] = thing, tries
                crew.begin(at, thing)
            if not held and coming.over:
                return
            for at, result in crew.came():
                thing, tries = held.pop(at)
                if not isinstance(result, Ended):
                    done[at] = result
                elif tries < _TRIES:
                    coming.again.append((at, thing, tries + 1))
                else:
                    done[at] = lost(thing, result.how)
            while position in done:
                yield done.pop(position)
                position += 1
    finally:
        crew.end()


class _Coming(Generic[T]):
    """Things with their position and which try it is: first those that are begun again."""

    def __init__(self, things: Iterable[T], most: int) -> None:
        self.again = deque[tuple[int, T, int]]()
        self._things, self._most, self._all = enumerate(things), most, False

    def following(self, begun: int) -> tuple[int, T, int] | None:
        """The next one, unless there is none or the most have been ``begun``."""
        if self.again:
            return self.again.popleft()
        found = next(self._things, None) if begun < self._most and not self._all else None
        self._all = self._all or (found is None and begun < self._most)
        return (*found, 1) if found else None

    @property
    def over(self) -> bool:
        return self._all and not self.again
