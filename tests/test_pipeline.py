"""One pipeline behind plan, trial, prediction and sweep: what is kept is kept for the very job, whoever asks first."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

from assistant.library import Library
from assistant.library.questionnaires import from_value
from assistant.planning import CHOICE_ALONE, Pipeline
from assistant.planning.estimate import machine, networks
from assistant.planning.flips import Charging
from assistant.planning.prediction import predict
from assistant.planning.predictor import Predictor
from assistant.planning.resolve import resolve
from assistant.vocabulary.questionnaire import Questionnaire, Training

TODAY = datetime.date(2026, 11, 20)
WIDE_AREA = "wan-low-communication"


def asked(library: Library, **cluster: object) -> Questionnaire:
    given = {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": 128, **cluster}}
    return from_value(given, library.catalog)


@pytest.mark.parametrize(
    "changes", [{"oversubscription": 8}, {"adaptive_routing": False}, {"nics_per_node": 4}, {"sites": 2}, {"gpus": 256}]
)
def test_what_was_worked_out_for_another_cluster_is_not_taken(library: Library, changes: dict[str, object]) -> None:
    pipeline, other = Pipeline(library, TODAY), asked(library, **changes)
    pipeline.decide(asked(library), CHOICE_ALONE)
    after, alone = pipeline.decide(other, CHOICE_ALONE), Pipeline(library, TODAY).decide(other, CHOICE_ALONE)
    assert [e.median_cost for e in after.entries] == [e.median_cost for e in alone.entries]


def test_a_price_tried_after_others_leads_to_what_it_leads_to_alone(library: Library) -> None:
    kept, job = Pipeline(library, TODAY), asked(library)
    paid = kept.decide(job, CHOICE_ALONE).choice.chosen.price.offered
    for instead in (1.5, 0.8, 1.01):
        charging = Charging(paid.provider, paid.price.si, paid.price.si * instead)
        after, alone = (one.decide(job, CHOICE_ALONE, charging=charging) for one in (kept, Pipeline(library, TODAY)))
        assert after.choice.chosen.id == alone.choice.chosen.id
        assert [(e.id, e.median_cost) for e in after.variants] == [(e.id, e.median_cost) for e in alone.variants]


@pytest.mark.parametrize("days", [None, 10])
def test_a_price_is_tried_on_the_work_of_the_run_which_no_price_changes(library: Library, days: int | None) -> None:
    job = asked(library).model_copy(update={"training": Training(days=days, tokens=None if days else 1e11)})
    pipeline = Pipeline(library, TODAY)
    made = pipeline.decide(job)
    paid = made.choice.chosen.price.offered
    charging = Charging(paid.provider, paid.price.si, 2 * paid.price.si)
    alone = Pipeline(library, TODAY).outcome(job, charging=charging)
    assert pipeline.outcome(job, charging=charging, work=made.work).costs == alone.costs


@pytest.mark.parametrize("path", ["training.global_batch", "training.sequence_length"])
def test_another_batch_or_sequence_runs_on_the_same_networks(library: Library, path: str) -> None:
    catalog, predictor = library.catalog, Predictor(library.catalog, TODAY)
    job = resolve(asked(library), catalog)
    found = [e.considered for e in predictor.estimated(job) if e.estimated is not None]
    there = predictor.varied(job, path, 512)
    assert machine(there, catalog) == machine(job, catalog)
    seen = [networks(found, machine(one, catalog), one, catalog) for one in (job, there)]
    assert seen[0] == seen[1]


def test_a_provider_changes_no_estimate(library: Library) -> None:
    jobs = [resolve(asked(library, provider=provider), library.catalog) for provider in (None, "aws")]
    assert jobs[0].determines_estimates == jobs[1].determines_estimates


def test_a_fabric_is_estimated_alone_as_beside_the_others(library: Library) -> None:
    job = resolve(asked(library), library.catalog)
    for beside in Predictor(library.catalog).estimated(job):
        nics = beside.considered.nics_per_node
        some = Predictor(library.catalog).estimated(job, beside.id)
        [alone] = [e for e in some if e.considered.nics_per_node == nics]
        assert (alone.estimated is None) == (beside.estimated is None)
        if alone.estimated is not None:
            assert np.array_equal(alone.estimate.draws, beside.estimate.draws)


def test_the_wide_area_link_alone_is_predicted_by_the_sites_that_it_joins(library: Library) -> None:
    found = predict(asked(library, sites=2, fabric=WIDE_AREA), library.catalog)
    assert found.fabric == WIDE_AREA and found.parallelism["strategy"] == "diloco"
