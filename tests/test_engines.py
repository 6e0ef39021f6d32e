"""Who works on many things: processes and a Ray cluster give the same results, in order, also when workers end."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
from collections import deque
from importlib.util import find_spec

import pytest

from assistant.engines import Engine, Work, mapped
from assistant.engines.order import AHEAD, Ended
from assistant.library import load
from assistant.library.carried import Carried
from assistant.vocabulary.errors import InputError
from tests.program import weft

needs_ray = pytest.mark.skipif(
    find_spec("ray") is None, reason="needs the extra: pip install 'weft-fabric-planner[ray]'"
)


class Crew:
    """Workers of a test: one at a time; ``ends`` says how often each thing ends its worker. It is free every other time
    only, as a cluster whose workers are still coming."""

    def __init__(self, ends, size=1):
        self.size, self.ended, self.most = size, False, 0
        self._ends, self._held, self._free = dict(ends), deque(), True

    def free(self):
        return self._free and len(self._held) < self.size

    def begin(self, position, thing):
        self._held.append((position, thing))

    def came(self):
        self._free = not self._free
        if self._held and self._free:
            position, thing = self._held.pop()  # the latest first: out of order
            self._ends[thing] = self._ends.get(thing, 0) - 1
            yield position, Ended("it was cut off") if self._ends[thing] >= 0 else thing * 10

    def end(self):
        self.ended = True


def test_results_come_in_order_and_what_was_lost_is_tried_once_more():
    crew = Crew({3: 1, 5: 2}, size=3)
    found = list(mapped(crew, range(8), lambda thing, how: f"{thing}: {how}"))
    assert found == [0, 10, 20, 30, 40, "5: it was cut off", 60, 70] and crew.ended


def test_no_more_is_begun_than_may_wait():
    read = 0

    def things():
        nonlocal read
        for thing in range(500):
            read = thing
            yield thing

    found = mapped(Crew({}, size=2), things(), lambda thing, how: how)
    for position, _ in enumerate(found):
        assert read <= position + 2 * AHEAD


def test_who_stops_reading_leaves_no_worker():
    crew = Crew({}, size=2)
    found = mapped(crew, range(100), lambda thing, how: how)
    assert next(found) == 0
    found.close()
    assert crew.ended


@pytest.mark.parametrize(
    "engine, said",
    [
        (Engine(jobs=1000), "at most 256 processes on one machine, got 1000"),
        (Engine(address="10.0.0.1:6379"), "expected --engine ray beside it"),
    ],
)
def test_what_an_engine_cannot_be_is_one_sentence(engine, said):
    with pytest.raises(InputError, match=said):
        engine.ready()


def test_without_ray_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    for command in (["batch", "x.jsonl", "--out", str(tmp_path / "out")], ["sweep", "x.yaml", "--vary", "model=a"]):
        seen = weft(*command, "--engine", "ray")
        assert seen.code == 2 and "pip install 'weft-fabric-planner[ray]'" in seen.err and seen.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_persons_own_files_go_to_other_machines(tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path / "cache"))
    mine = tmp_path / "mine.yaml"
    mine.write_text(
        "gpus: {h100-sxm: {hour_price: {value: 1.5, unit: USD/GPU-h, source: mail, date: 2026-11-12}}}",
        encoding="utf-8",
    )
    here = load(user_catalog=mine)
    carried = Carried.of(here)
    told, price = carried.made_with(), here.catalog.gpus["h100-sxm"].hour_price.si
    mine.unlink()  # as on another machine
    there = Carried(carried.user_catalog)
    from assistant.library import carried as module

    module._loaded.cache_clear()
    other = there.library()
    assert other.user_catalog.name == "mine.yaml" and other.user_catalog != mine
    assert other.catalog.gpus["h100-sxm"].hour_price.si == price
    assert there.made_with() == told


JOBS = [
    {"name": f"job {n}", "workload": "inference", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": n}}
    for n in (8, 16, 0, 24, 32, 40)
]


@needs_ray
def test_a_batch_and_a_sweep_on_ray_give_the_same_bytes_and_a_stopped_one_goes_on(tmp_path, index):
    jobs = tmp_path / "jobs.jsonl"
    jobs.write_text("".join(json.dumps(job) + "\n" for job in JOBS))
    around = {**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parents[1])}

    def run(*arguments):
        command = [sys.executable, "-m", "assistant", *arguments, "--today", "2026-11-20", "--jobs", "2"]
        return subprocess.run(command, env=around, capture_output=True, text=True, timeout=300)

    batch = ["batch", str(jobs), "--out"]
    assert run(*batch, str(tmp_path / "local")).returncode == 2
    seen = run(*batch, str(tmp_path / "ray"), "--engine", "ray")
    assert seen.returncode == 2 and "5 planned, 1 bad" in seen.stderr and "Traceback" not in seen.stderr
    for name in ("plans.jsonl", "plans.jsonl.summary.json", "plans.jsonl.end"):
        assert (tmp_path / "ray" / name).read_bytes() == (tmp_path / "local" / name).read_bytes()
    head = json.dumps(json.loads((tmp_path / "local/plans.jsonl.end").read_text())["head"]).encode()
    _stopped(tmp_path / "on", (tmp_path / "local" / "plans.jsonl").read_bytes(), head)
    assert run(*batch, str(tmp_path / "on"), "--engine", "ray", "--resume").returncode == 2
    assert (tmp_path / "on/plans.jsonl").read_bytes() == (tmp_path / "local/plans.jsonl").read_bytes()
    job = tmp_path / "job.json"
    job.write_text(json.dumps(JOBS[0]))
    swept = ["sweep", str(job), "--vary", "cluster.gpus=8..64:8", "--format", "json"]
    local, ray = run(*swept), run(*swept, "--engine", "ray")
    assert local.returncode == ray.returncode == 0 and local.stdout == ray.stdout


def _stopped(folder, whole, head):
    """A folder in which a batch was stopped after its first row."""
    from assistant.batch.folder import Written
    from assistant.batch.summary import counted

    first = whole.split(b"\n")[0] + b"\n"
    folder.mkdir()
    written = Written(folder, "plans.jsonl", json.loads(head))
    written.begin(b"")
    written.add(first, counted(json.loads(first)))
    with written.part.open("ab") as part:
        part.write(b'{"torn')


def _ends(thing):
    """Ends its own process: always for "bad", the first time for a path that is not there yet."""
    if thing == "bad" or (thing.startswith("/") and not os.path.exists(thing)):
        if thing != "bad":
            pathlib.Path(thing).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return thing.upper()


def _same():
    return "the same"


@needs_ray
def test_a_worker_of_a_cluster_that_dies_is_replaced_and_another_weft_is_refused(tmp_path):
    script = f"""
import os, sys
from assistant.engines import Engine, Work
from assistant.vocabulary.errors import InputError
from tests import test_engines as here

things = ["a", {str(tmp_path / "once")!r}, "bad", "b"]
print(list(Engine("ray", jobs=2).mapped(Work(here._ends, here._same), things, "{{}}: {{}}".format)))
try:
    list(Engine("ray", jobs=1).mapped(Work(str.upper, os.getpid), ["a"], None))
except InputError as error:
    print(error)
"""
    around = {**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parents[1])}
    seen = subprocess.run([sys.executable, "-c", script], env=around, capture_output=True, text=True, timeout=300)
    told, refused = seen.stdout.splitlines()
    assert told == str(["A", str(tmp_path / "once").upper(), "bad: Ray: ActorDiedError", "B"]), seen.stderr
    assert "expected the same Weft, rules and facts on every machine of the cluster" in refused
