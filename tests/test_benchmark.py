"""The benchmark measures what it says and shows it with ratios. Nothing here asserts how fast anything is."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from assistant.benchmark import PARTS, batches, benchmark, kinds, plans, searches, space, startup
from assistant.model import Job, Networks, architecture_of, machine_of
from assistant.model.memory import memory_of
from assistant.model.search import divisors, layouts_among, layouts_for
from assistant.model.step import steps
from assistant.present.benchmark import benchmark_lines
from assistant.vocabulary.benchmark import Benchmark, Measurement

from .program import weft


def _benchmark(*measurements):
    return Benchmark(weft="1", python="3.11", machine="Linux", processors=2, load=None, measurements=list(measurements))


def test_every_part_measures_each_thing_as_often_as_asked(library, index):
    for name in ("plan", "search"):
        for one in PARTS[name](library, 2):
            assert one.part == name and len(one.values) == 2 and min(one.values) > 0


def test_a_batch_plans_different_questionnaires_and_follows_memory(library, index, monkeypatch):
    monkeypatch.setattr(batches, "ROUND", 3)
    planned = []
    monkeypatch.setattr(batches, "_planned", lambda questionnaire, _: planned.append(questionnaire.name))
    wall, busy, memory = batches.measure(library, 2)
    assert len(planned) == len(set(planned)) == 3 * 3, "two counted rounds and one before them"
    assert wall.work == busy.work == 3 and wall.of == "plans" and memory.unit == "MiB" and len(memory.values) == 2


def test_no_two_questionnaires_of_a_batch_are_alike(library):
    first = [one.model_dump_json() for one in itertools.islice(batches.questionnaires(library), 250)]
    assert len(set(first)) == 250


def test_the_search_counts_every_layout_on_every_fabric(library):
    singly, one_fabric, all_fabrics = searches.measure(library, 1)
    assert (
        all_fabrics.work == plans.FABRICS * one_fabric.work and one_fabric.work > 100 and singly.work < one_fabric.work
    )


def _small(library):
    gpu = library.catalog.gpus["a100-sxm-80gb"]
    machine = machine_of(gpu, library.catalog.scale_ups[gpu.scale_up], 16, 8, library.catalog.constants)
    job = Job(architecture_of(library.catalog.models["llama-3.1-8b"]), 16, global_batch=32, framework="megatron")
    return job, machine


def test_one_layout_alone_takes_as_long_a_step_as_among_all_others(library):
    job, machine = _small(library)
    columns, layouts = Networks(plans.between_nodes(library.catalog, machine)[:1]), layouts_for(job, machine, None)
    together = steps(job, machine, columns, layouts).total
    for index_ in (0, len(layouts) // 2, len(layouts) - 1):
        alone = steps(job, machine, columns, layouts.take(np.array([index_]))).total
        assert np.isclose(float(alone.ravel()[0]), float(together[0, index_]))


def test_the_whole_space_is_counted_and_its_best_is_the_best_of_all_that_fit(library, monkeypatch):
    job, machine = _small(library)
    monkeypatch.setattr(
        space, "divisors", lambda number, largest=None: [d for d in divisors(number, largest) if d <= 4]
    )
    networks = Networks(plans.between_nodes(library.catalog, machine)[:3])
    found, times, counted = space.searched(job, machine, networks), [], 0
    for attention, chosen in itertools.product(("flash", "unfused"), space.choices(job)):
        there, framework = job.with_(attention=attention), machine.framework("megatron")
        layouts = layouts_among(there, chosen)
        fits = memory_of(there, machine, framework, layouts).total <= machine.memory
        for variant, habits in space.variants(there, framework):
            total = steps(variant, machine, networks, layouts, framework=habits).total
            times.append(np.broadcast_to(total, (3, len(layouts)))[:, fits])
            counted += len(layouts)
    together = np.concatenate(times, axis=1)
    assert found.space == counted and 0 < found.fitting < counted
    assert found.fitting == together.shape[1] and found.evaluated == together.size
    assert np.allclose(found.seconds, together.min(axis=1), rtol=1e-12)


def test_the_space_is_the_product_of_what_may_be_chosen_less_what_does_not_divide(library):
    job, _ = _small(library)
    rows = set()
    for chosen in space.choices(job):
        layouts = layouts_among(job, chosen)
        for at in range(len(layouts) if layouts else 0):
            rows.add(tuple(layouts.one(at).items()))
    by_hand = 0
    axes = (divisors(16), (1, 2, 4, 8, 16), divisors(16), divisors(32), divisors(32), (0, 1))
    for tp, cp, pp, v, size, parallel in itertools.product(*axes):
        if 16 % (tp * cp * pp) or 32 % (16 // (tp * cp * pp) * size) or (parallel and tp == 1):
            continue
        rounds = 32 // (16 // (tp * cp * pp) * size)
        if v > 1 and (pp == 1 or pp * v > 32 or rounds % pp or 32 % (pp * v)):
            continue
        by_hand += 3 * (1 if 16 // (tp * pp) == 1 else 7)
    assert len(rows) == by_hand


def test_what_was_counted_and_what_is_missing_is_said(library):
    found = space.Searched(space=12_000_000, fitting=5_000_000, fabrics=19, seconds=np.ones(19))
    one = Measurement(
        part="space",
        what="all",
        values=[10.0],
        work=found.evaluated,
        of="configurations",
        peers=[space.CALCULON],
        notes=space.notes(found),
    )
    text = " ".join("\n".join(benchmark_lines(_benchmark(one), 100)).split())
    assert "95,000,000" in text and "228,000,000 in all" in text and "offload of weights" in text
    assert "Calculon: 1,356 configurations per second" in text and "7,010 times as many" in text


def test_startup_runs_the_program_itself_and_fails_loudly_when_it_fails(library, monkeypatch):
    ran = []
    monkeypatch.setattr(startup, "own_process", lambda arguments, **environment: ran.append(arguments))
    found = startup.measure(library, 2)
    assert [one.what for one in found] == [
        "python -c pass",
        "weft --help",
        "weft plan, JSON",
        "weft plan, text",
        "first screen drawn",
        "search index of a fresh install",
    ]
    assert all(one.against == startup.INTERPRETER for one in found[1:-1]) and len(ran) == 5 * 3 + 2, (
        "once to warm up, twice measured; the index never warm"
    )
    monkeypatch.undo()
    with pytest.raises(Exception, match="status 2"):
        startup.own_process(["-m", "assistant", "plan", "no-such-file.yaml"])


def test_the_first_screen_is_really_drawn(index):
    startup.own_process(["-c", startup._FIRST_SCREEN])


def test_ratios_compare_medians_for_the_same_work():
    slow = Measurement(part="search", what="singly", values=[2.0, 1.0, 3.0], work=10, of="configurations")
    fast = Measurement(
        part="search", what="together", values=[4.0, 4.0, 5.0], work=1000, of="configurations", against="singly"
    )
    found = _benchmark(slow, fast)
    assert (slow.least, slow.median, slow.rate) == (1.0, 2.0, 5.0)
    assert found.ratio(fast) == pytest.approx(0.02) and found.ratio(slow) is None
    text = "\n".join(benchmark_lines(found, 100))
    assert "1/50" in text and "250 configurations" in text and "against “singly”" in text


def test_growing_memory_is_said():
    text = "\n".join(
        benchmark_lines(
            _benchmark(Measurement(part="batch", what="memory", unit="MiB", values=[80.0, 81.5, 92.0])), 100
        )
    )
    assert "grew by 12.0 MiB" in text


def test_all_parts_are_measured_when_none_is_named(library, monkeypatch):
    one = Measurement(part="plan", what="x", values=[1.0])
    for name in list(PARTS):
        monkeypatch.setitem(
            PARTS,
            name,
            lambda _, repeats, name=name: [one.model_copy(update={"part": name, "values": [1.0] * repeats})],
        )
    found = benchmark(library, list(PARTS), 3)
    assert [m.part for m in found.measurements] == [
        "startup",
        "plan",
        "search",
        "batch",
        "kinds",
        "space",
        "screen",
    ] and found.processors >= 1
    text = "\n".join(benchmark_lines(found, 100))
    assert "STARTUP" in text and "THE FULL SCREEN" in text


def test_the_command_prints_a_part_and_refuses_what_it_does_not_know(index):
    done = weft("benchmark", "search", "--repeat", "1", "--format", "json")
    assert done.code == 0 and {one["part"] for one in json.loads(done.out)["measurements"]} == {"search"}
    assert "minimum" in weft("benchmark", "search", "--repeat", "1").out
    wrong = weft("benchmark", "everything")
    assert (
        wrong.code == 2
        and "startup, plan, search, batch, kinds, space, screen" in wrong.err
        and "Traceback" not in wrong.err
    )


def test_questionnaires_of_every_kind_are_read_and_the_same_ones_for_a_seed(library):
    for kind in kinds.KINDS:
        first, again, other = (
            [one.model_dump_json() for one in itertools.islice(kinds.questionnaires(library, kind, seed), 6)]
            for seed in (1, 1, 2)
        )
        assert first == again != other and len(set(first)) == 6


def test_every_kind_is_measured_as_often_as_asked_and_the_run_that_warms_up_is_not_counted(library, monkeypatch):
    planned = []
    monkeypatch.setattr(kinds, "EACH", 2)
    monkeypatch.setattr(
        kinds, "_planned", lambda questionnaire, _: planned.append(questionnaire.model_dump_json()) or 1.0
    )
    found = kinds.measure(library, 2)
    assert [one.what for one in found] == list(kinds.KINDS) and all(one.values == [2.0, 2.0] for one in found)
    assert len(planned) == len(set(planned)) == 2 * 3 * len(kinds.KINDS) and {one.work for one in found} == {2}
