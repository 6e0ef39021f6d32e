""" "16, 32, 64 or 256 GPUs?" is answered with the crossover of this very job beside each source's number."""

from __future__ import annotations

import pytest

from assistant.library import load
from assistant.library.questionnaires import read_one
from assistant.planning import plan, with_crossover
from assistant.planning.crossover import crossover, threshold_conflict
from assistant.present.plan.formats import plan_lines
from assistant.vocabulary.questionnaire import Questionnaire

from .program import weft


@pytest.fixture(scope="module")
def library():
    return load()


@pytest.fixture(scope="module")
def made(library):
    example = read_one(library.examples["llama-70b-pretraining"], library.catalog)
    return with_crossover(plan(example, library, index=None), library)


def _job(**changes):
    cluster = {"gpu": "h100-sxm", "gpus": 64} | changes.pop("cluster", {})
    return Questionnaire.model_validate(
        {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": cluster} | changes
    )


def _found(library, questionnaire):
    return crossover(plan(questionnaire, library, index=None), library)


def test_the_crossover_is_where_the_cheaper_kind_changes(made):
    found = made.crossover
    cost = {
        p.gpus: {
            kind: p.usd_per_billion_tokens.get(getattr(p, kind)) for kind in ("tcp", "ethernet_rdma", "infiniband")
        }
        for p in found.points
    }
    rdma = {gpus: min(v for k, v in row.items() if k != "tcp" and v) for gpus, row in cost.items()}
    assert found.rdma_from is not None
    assert all(rdma[gpus] < row["tcp"] for gpus, row in cost.items() if gpus >= found.rdma_from)
    before = [gpus for gpus in cost if gpus < found.rdma_from]
    assert not before or rdma[max(before)] > 0.99 * cost[max(before)]["tcp"]


def test_every_source_that_names_a_number_has_the_job_s_own_answer_beside_it(made, library):
    sides = {side.claim for side in threshold_conflict(library.knowledge).sides}
    taken = {point.gpus: point.fabric for point in made.crossover.points}
    assert {8, 16, 32, 64, 256} <= {number.gpus for number in made.crossover.sources}
    for number in made.crossover.sources:
        assert number.claim in sides
        assert number.fabric == ("none" if number.gpus <= 8 else taken[number.gpus])


def test_the_answer_stands_in_the_report_beside_the_disagreement(made):
    text = " ".join(" ".join(plan_lines(made, 100)).split())
    assert "From how many GPUs does InfiniBand pay?" in text
    assert "Computed for this job at other sizes" in text and "plain TCP" in text
    assert "none: nothing crosses nodes" in text


def test_a_dear_infiniband_never_pays_and_a_free_one_may(library):
    never = _found(library, _job(budget={"fabric_premium_gpu_hour_usd": 20}))
    free = _found(library, _job(budget={"fabric_premium_gpu_hour_usd": 0}))
    assert never.infiniband_from is None
    assert any(
        f.usd_per_billion_tokens[f.infiniband] < n.usd_per_billion_tokens[n.infiniband]
        for f, n in zip(free.points, never.points, strict=True)
    )


def test_a_provider_without_infiniband_is_not_asked_from_how_many_gpus_it_pays(library):
    found = _found(library, _job(cluster={"provider": "aws"}))
    assert "infiniband" not in found.compared and found.infiniband_from is None


def test_a_fabric_that_cannot_be_bought_is_not_the_cheapest(library):
    found = _found(library, _job(budget={"mode": "buy"}))
    assert not {p.fabric for p in found.points} & {"aws-efa-v2", "gcp-tcpx", "gcp-tcpxo"}


def test_serving_and_several_sites_have_no_such_crossover(library):
    serving = Questionnaire.model_validate(
        {"workload": "inference", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": 16}}
    )
    assert _found(library, serving) is None
    assert _found(library, _job(cluster={"sites": 2, "wan_gbps": 10})) is None


def test_a_plan_that_does_not_touch_the_disagreement_is_left_as_it_is(made, library):
    untouched = made.model_copy(update={"crossover": None, "conflicts": []})
    assert with_crossover(untouched, library) is untouched


def test_weft_plan_tells_it_to_a_person_and_leaves_it_out_of_the_json(library):
    file = str(library.examples["llama-70b-pretraining"])
    assert "Computed for this job" in weft("plan", file, "--all").out.replace("\n", " ")
    assert '"crossover": null' in weft("plan", file, "--format", "json").out


@pytest.mark.parametrize(
    "name", ["llama-70b-pretraining", "mixtral-moe", "buy-256-gpus", "tight-budget", "vendor-neutral-mi300x"]
)
def test_disagreements_about_the_choice_come_before_those_about_settings(library, name):
    topics = [c.topic for c in plan(read_one(library.examples[name], library.catalog), library, index=None).conflicts]
    assert threshold_conflict(library.knowledge).topic in topics
    settings = {
        c.topic for c in library.knowledge.conflicts.values() if set(c.touches) <= {"nccl-settings", "disable-ib"}
    }
    assert topics and topics[0] not in settings
