"""Which crew works."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Literal, TypeVar

from assistant.vocabulary.errors import InputError, Place

from . import cluster
from .order import Work, mapped
from .processes import Processes

T = TypeVar("T")
R = TypeVar("R")

MOST_PROCESSES = 256


def cores() -> int:
    """Those that this process may use: a container may have fewer than the machine."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(allowed, MOST_PROCESSES)


@dataclass(frozen=True)
class Engine:
    """``jobs``: how many work at once; ``None``: as many as there are cores, or CPUs of the cluster. ``address``: of a
    Ray cluster; without one that of the environment, else Ray is started here."""

    kind: Literal["local", "ray"] = "local"
    jobs: int | None = None
    address: str | None = None

    def ready(self) -> None:
        """Raises :class:`InputError` where this engine cannot be had as asked for: before anything is computed."""
        if self.kind == "ray":
            cluster.ready()
        elif self.address:
            raise InputError("expected --engine ray beside it", Place(field="--ray-address"))
        elif self.jobs and self.jobs > MOST_PROCESSES:
            problem = f"expected at most {MOST_PROCESSES} processes on one machine, got {self.jobs}"
            raise InputError(problem, Place(field="--jobs"))

    def mapped(self, work: Work[T, R], things: Iterable[T], lost: Callable[[T, str], R]) -> Generator[R]:
        """What ``work`` makes of each thing, in their order; ``lost`` makes the result of one whose worker ended twice,
        with the reason. One process alone is this one."""
        if self.kind == "ray":
            return mapped(cluster.Cluster(work, self.jobs, self.address, cores()), things, lost)
        jobs = self.jobs or cores()
        return (work.do(one) for one in things) if jobs <= 1 else mapped(Processes(work.do, jobs), things, lost)
