"""The search: what it compares is the step that a plan shows, however it is cut into pieces and whatever layouts
share."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.model import Job, Networks, architecture_of, machine_of, network_of, quickest
from assistant.model.collectives import times_faster
from assistant.model.layout import distinct
from assistant.model.memory import memory_of
from assistant.model.quickest import fastest, fits_in, fitting
from assistant.model.search import layouts_for
from assistant.model.step import step_times, steps
from assistant.vocabulary.questionnaire import Parallelism

CASES = [
    ("gpt-3-175b", 64, 2048, None),
    ("mixtral-8x7b", 64, 4096, None),
    ("llama-3.1-8b", 32, 65536, None),
    ("llama-3.1-8b", 8, 4096, None),
    ("deepseek-v3", 512, 4096, Parallelism(strategy="fsdp", pp=2, ep=8)),
    ("llama-3.1-70b", 64, 4096, Parallelism(strategy="zero2", tp=8)),
    ("llama-3.1-8b", 64, 4096, Parallelism(strategy="async", tp=16)),
    ("llama-3.1-8b", 64, 4096, Parallelism(strategy="zero1", shard_within_node=True)),
]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}-{case[3].strategy if case[3] else 'auto'}")
def searched(request, library):
    """(job, machine, networks, layouts) of one case."""
    model, gpus, sequence, parallelism = request.param
    catalog = library.catalog
    gpu = catalog.gpus["h100-sxm"]
    machine = machine_of(gpu, catalog.scale_ups[gpu.scale_up], gpus, gpu.gpus_per_node, catalog.constants)
    job = Job(
        architecture_of(catalog.models[model]), gpus, sequence_length=sequence, global_batch=256, framework="megatron"
    )
    fabrics = [fabric for fabric in catalog.fabrics.values() if fabric.technology not in ("none", "wan")][:5]
    networks = Networks([network_of(fabric, fabric.nics_per_node, machine, in_network=True) for fabric in fabrics])
    return job, machine, networks, layouts_for(job, machine, parallelism)


def _totals(job, machine, networks, layouts):
    return np.broadcast_to(steps(job, machine, networks, layouts).total, (len(networks), len(layouts)))


def test_what_is_compared_is_the_sum_of_the_breakdown(searched):
    job, machine, networks, layouts = searched
    compared = np.broadcast_to(step_times(job, machine, networks, layouts), (len(networks), len(layouts)))
    assert np.allclose(compared, _totals(job, machine, networks, layouts), rtol=1e-12)


def test_a_network_among_others_takes_as_long_as_alone(searched):
    job, machine, networks, layouts = searched
    together = _totals(job, machine, networks, layouts)
    for index, one in enumerate(networks.networks):
        assert np.allclose(together[index], _totals(job, machine, Networks([one]), layouts)[0], rtol=1e-12)


def test_a_layout_takes_as_long_by_itself_as_among_layouts_that_share_its_parts(searched):
    job, machine, networks, layouts = searched
    together = _totals(job, machine, networks, layouts)
    for index in np.linspace(0, len(layouts) - 1, 12).astype(int):
        alone = _totals(job, machine, networks, layouts.take(np.array([index])))
        assert np.allclose(alone[:, 0], together[:, index], rtol=1e-12)


def test_the_fastest_is_the_same_in_pieces_of_any_size(searched, monkeypatch):
    job, machine, networks, layouts = searched
    best, seconds = fastest(job, machine, networks, layouts)
    assert np.allclose(seconds, _totals(job, machine, networks, layouts).min(axis=1), rtol=1e-12)
    monkeypatch.setattr(quickest, "PIECE", 7 * len(networks) if len(layouts) < 1000 else len(layouts))
    again = fastest(job, machine, networks, layouts)
    assert np.allclose(again[1], seconds, rtol=1e-12) and [layouts.one(i) for i in again[0]] == [
        layouts.one(i) for i in best
    ]
    whole = memory_of(job, machine, machine.framework("megatron"), layouts).total <= machine.memory
    assert (fits_in(job, machine, layouts) == whole).all()


def test_leaving_out_needless_recompute_never_loses_the_fastest(searched, request):
    job, machine, networks, layouts = searched
    fits = fits_in(job, machine, layouts)
    kept, found = fitting(job, machine, request.node.callspec.params["searched"][-1])
    assert found and fits.any()
    every = layouts.take(np.flatnonzero(fits))
    assert len(kept) <= len(every)
    assert np.allclose(fastest(job, machine, networks, kept)[1], fastest(job, machine, networks, every)[1], rtol=1e-12)


def test_what_a_search_does_not_time_is_never_the_fastest(searched, request, monkeypatch):
    job, machine, networks, _ = searched
    given = request.node.callspec.params["searched"][-1]
    monkeypatch.setattr(quickest, "MANY", 0)
    monkeypatch.setattr(quickest, "LOWEST", 4)  # so that some have to be timed later
    monkeypatch.setattr(quickest, "SIXTEENTH", 1000)
    chosen, seconds, fits = quickest.searched(job, machine, networks, given)
    whole, _ = fitting(job, machine, given)
    best, least = fastest(job, machine, networks, whole)
    assert fits and np.allclose(seconds, least, rtol=1e-12)
    assert [chosen.one(at % len(chosen)) for at in range(len(networks))] == [whole.one(at) for at in best]


def test_no_layout_gains_more_by_another_network_than_that_is_better(searched):
    job, machine, networks, layouts = searched
    together = _totals(job, machine, networks, layouts)
    for index, one in enumerate(networks.networks):
        faster = np.array([[times_faster(one, other, machine)] for other in networks.networks])
        assert faster[index] == 1.0
        assert (together[index] * faster * (1 + 1e-12) >= together).all()


@pytest.mark.parametrize("codes", [[3, 3, 5, 0, 5], [10**9, 4, 10**9], [7]])
def test_each_different_code_is_found_once(codes):
    first, index = distinct(np.array(codes))
    assert sorted(set(codes)) == [codes[i] for i in first] and [codes[first[i]] for i in index] == codes
