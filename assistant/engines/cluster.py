"""A crew of Ray actors, through ray (extra ``[ray]``): on a cluster that is there, or on a Ray started here for as long
as it is needed."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Hashable, Iterator
from importlib import import_module
from typing import Any, Generic, TypeVar

import assistant
from assistant.vocabulary.errors import InputError, Place

from .order import Ended, Work

T = TypeVar("T")
R = TypeVar("R")

ADDRESS = "RAY_ADDRESS"  # by which Ray itself finds its cluster
MOST = 4096  # workers: one process hands them their rows
_STORE_BYTES = 256 * 2**20  # of a Ray that is started here: what is under way is some ten kilobytes a row
_KNOCK_S = 10.0
_PATIENCE_S = 120.0  # until a first worker has begun, or after all have ended another one
_CPUS = {"num_cpus": 1, "scheduling_strategy": "SPREAD", "max_restarts": 0}


def ready() -> None:
    """Raises :class:`InputError` where Ray is not installed: before anything is computed."""
    try:
        _ray()
    except ModuleNotFoundError:
        problem = "this engine needs its library: pip install 'weft-fabric-planner[ray]'"
        raise InputError(problem, Place(field="--engine ray")) from None


def _ray() -> Any:
    """By its name: who checks the types of this program need not have Ray."""
    return import_module("ray")


class Cluster(Generic[T, R]):
    """One actor for each CPU of the cluster, or ``size`` of them. An actor that comes must be made with what this
    process is made with."""

    def __init__(self, work: Work[T, R], size: int | None, address: str | None, here: int) -> None:
        """``here``: CPUs of a Ray that is started where no cluster is named. Raises :class:`InputError` where the
        cluster cannot be reached, or has no CPU."""
        ready()
        ray = _ray()
        self._work, self._mine = work, work.made_with()
        self._folder = _joined(address, size or here)
        self.size = min(size or int(ray.cluster_resources().get("CPU", 0)), MOST)
        self._free: list[Any] = []
        self._busy: dict[Any, tuple[int, Any]] = {}
        self._coming: dict[Any, Any] = {}
        self._last = time.monotonic()
        if not self.size:
            self.end()
            raise InputError("the cluster has no CPU to work with", Place(field="--engine ray"))
        for _ in range(self.size):
            self._ask_for_one()

    def free(self) -> bool:
        return bool(self._free)

    def begin(self, position: int, thing: T) -> None:
        actor = self._free.pop()
        self._busy[actor.do.remote(thing)] = position, actor

    def came(self) -> Iterator[tuple[int, R | Ended]]:
        ray = _ray()
        news, _ = ray.wait([*self._busy, *self._coming], timeout=1.0)
        if not news and not self._busy:
            self._lose_patience()
        for one in news:
            if one in self._coming:
                self._welcome(one)
                continue
            position, actor = self._busy.pop(one)
            try:
                result = ray.get(one)
            except ray.exceptions.RayError as error:
                self._part_with(actor)
                yield position, Ended(_how(error))
            else:
                self._free.append(actor)
                self._last = time.monotonic()
                yield position, result

    def end(self) -> None:
        ray = _ray()
        with contextlib.suppress(Exception):  # the cluster may be gone, and what is left ends with this process
            for actor in [*self._free, *(actor for _, actor in self._busy.values()), *self._coming.values()]:
                ray.kill(actor)
        self._free, self._busy, self._coming = [], {}, {}
        ray.shutdown()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _ask_for_one(self) -> None:
        ray = _ray()
        actor = ray.remote(**_CPUS)(Worker).remote(self._work)
        self._coming[actor.made_with.remote()] = actor

    def _welcome(self, one: Any) -> None:
        """Take in an actor that has begun, if its results would be ours."""
        ray = _ray()
        actor = self._coming.pop(one)
        try:
            theirs = ray.get(one)
        except ray.exceptions.RayTaskError as error:
            raise _not_the_same(str(error.cause)) from None
        except ray.exceptions.RayError as error:
            if _no_module(error):
                raise _not_the_same("Weft cannot be loaded there") from None
            self._lose_patience()
            self._part_with(actor)
            return
        if theirs != self._mine:
            raise _not_the_same(f"there {theirs}, here {self._mine}")
        self._last = time.monotonic()
        self._free.append(actor)

    def _part_with(self, actor: Any) -> None:
        """Another one takes the place of an actor that ended."""
        ray = _ray()
        with contextlib.suppress(Exception):
            ray.kill(actor)
        self._ask_for_one()

    def _lose_patience(self) -> None:
        if not self._free and not self._busy and time.monotonic() - self._last > _PATIENCE_S:
            raise InputError(
                f"no worker of the cluster has begun for {_PATIENCE_S:.0f} s: see ray status, then go on with --resume",
                Place(field="--engine ray"),
            )


class Worker(Generic[T, R]):
    """What an actor is: one process of the cluster."""

    def __init__(self, work: Work[T, R]) -> None:
        gc.set_threshold(*assistant.GARBAGE)
        self._work = work

    def made_with(self) -> Hashable:
        return self._work.made_with()

    def do(self, thing: T) -> R:
        return self._work.do(thing)


def _hush() -> None:
    """Ray prints what its daemons tell to standard output, where results go; what ended is told in the row."""
    worker: Any = import_module("ray._private.worker")
    worker._worker_logs_enabled = False


def _joined(address: str | None, cpus: int) -> str | None:
    """Join the cluster that is named, else start one with so many CPUs; the folder of the one that was started."""
    ray = _ray()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a Ray started here tells nobody
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # without it Ray warns of another default to come
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": True}
    _hush()
    named = address or os.environ.get(ADDRESS)
    if not named:
        folder = tempfile.mkdtemp(prefix="weft-ray-")
        ray.init(
            "local", num_cpus=cpus, include_dashboard=False, object_store_memory=_STORE_BYTES, _temp_dir=folder, **quiet
        )
        return folder
    _answers(named)
    try:
        ray.init(named, **quiet)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise _not_joined(named, first) from None
    return None


def _answers(named: str) -> None:
    """Raises :class:`InputError` where nobody is at an address: Ray itself tries for minutes."""
    host, _, port = named.rpartition(":")
    if not port.isdigit() or "/" in named:
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_KNOCK_S).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise _not_joined(named, str(error)) from None


def _not_joined(named: str, why: str) -> InputError:
    return InputError(f'no Ray cluster can be joined at "{named}": {why}', Place(field="--ray-address"))


def _not_the_same(difference: str) -> InputError:
    return InputError(
        f"expected the same Weft, rules and facts on every machine of the cluster: {difference}",
        Place(field="--engine ray"),
    )


def _no_module(error: Exception) -> bool:
    return "ModuleNotFoundError" in str(error) or "ImportError" in str(error)


def _how(error: Exception) -> str:
    return f"Ray: {type(error).__name__}"
