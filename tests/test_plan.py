"""A questionnaire becomes a recommendation that can be defended."""

from __future__ import annotations

import copy
import datetime
import re

import pytest

from assistant.library.questionnaires import from_value, read_one
from assistant.planning import forget, plan
from assistant.planning.prediction import predict
from assistant.present.plan.formats import plan_markdown
from assistant.vocabulary.plan import Plan

TODAY = datetime.date(2026, 11, 20)


def job(model="llama-3.1-70b", gpus=64, gpu="h100-sxm", workload="pretraining", **sections):
    cluster = {"gpu": gpu, "gpus": gpus, **sections.pop("cluster", {})}
    return {"workload": workload, "model": model, "cluster": cluster, **sections}


@pytest.fixture(scope="module")
def planned(library, index):
    """Plans a questionnaire written as a dict."""

    def make(value) -> Plan:
        return plan(from_value(value, library.catalog), library, index=index, today=TODAY)

    return make


def candidate(made, fabric):
    return next(c for c in made.candidates if c.fabric == fabric)


def test_70b_with_fsdp_on_64_h100_needs_rdma_and_tcp_is_avoided(planned):
    made = planned(job(parallelism={"strategy": "fsdp"}))
    assert made.recommendation.verdict == "recommended"
    chosen = candidate(made, made.recommendation.fabric)
    assert chosen.verdict == "recommended" and chosen.exposed_communication_percent < 15
    for fabric in ("ethernet-tcp-10", "ethernet-tcp-25", "ethernet-tcp-100"):
        tcp = candidate(made, fabric)
        assert tcp.verdict in ("avoid", "impossible") and tcp.slowdown_percent > 100
        assert "screen/tcp-cannot-carry-sharded-training" in tcp.reasons


def test_fine_tuning_7b_over_tcp_is_many_times_slower_and_says_what_keeping_it_costs(planned):
    made = planned(
        job(
            "qwen2.5-7b",
            16,
            workload="finetuning",
            cluster={"fabric": "ethernet-tcp-100"},
            parallelism={"strategy": "fsdp"},
            training={
                "sequence_length": 2048,
                "global_batch": 32,
                "micro_batch": 2,
                "recompute": "full",
                "framework": "fsdp",
            },
        )
    )
    assert made.recommendation.fabric == "ethernet-tcp-100"
    assert made.recommendation.headline.startswith("As given, ") and "times as much" in made.recommendation.headline
    assert candidate(made, "ethernet-tcp-100").slowdown_percent > 1500


def test_one_node_needs_no_network(planned):
    made = planned(job("llama-3.1-8b", 8, workload="finetuning"))
    assert (made.recommendation.fabric, made.recommendation.verdict) == ("none", "no-network-needed")
    assert all(c.verdict in ("avoid", "impossible") for c in made.candidates if c.fabric != "none")
    assert made.fabric_design == {} and made.nccl.get("settings") is not None


def test_one_rack_of_72_needs_no_network_either(planned):
    assert planned(job(gpu="gb200", gpus=72)).recommendation.verdict == "no-network-needed"


# Nodes, tokens per second over InfiniBand and over TCP sockets: knowledge/claims/azure-fsdp-corrected-2026.yaml
AZURE = [
    ("qwen2.5-7b", 2, 16, 131018, 4968),
    ("qwen2.5-7b", 2, 32, 262201, 9439),
    ("qwen2.5-7b", 2, 64, 502991, 18710),
    ("qwen2.5-72b", 1, 16, 9127, 203),
    ("qwen2.5-72b", 1, 32, 17604, 402),
    ("qwen2.5-72b", 1, 64, 30175, 784),
    ("mixtral-8x7b", 1, 16, 22520, 398),
    ("mixtral-8x7b", 1, 32, 44239, 774),
    ("mixtral-8x7b", 1, 64, 83583, 1501),
]


@pytest.mark.parametrize(("model", "micro_batch", "gpus", "infiniband", "sockets"), AZURE)
def test_the_measured_slowdown_of_tcp_sockets_is_predicted_within_a_quarter(
    library, model, micro_batch, gpus, infiniband, sockets
):
    def step(fabric):
        asked = job(
            model,
            gpus,
            workload="finetuning",
            cluster={"fabric": fabric},
            parallelism={"strategy": "fsdp"},
            training={
                "sequence_length": 2048,
                "global_batch": gpus * micro_batch,
                "micro_batch": micro_batch,
                "recompute": "full",
                "framework": "fsdp",
            },
        )
        return predict(from_value(asked, library.catalog), library.catalog).step_time_s

    predicted = step("ethernet-tcp-100") / step("infiniband-ndr-400")
    assert predicted == pytest.approx(infiniband / sockets, rel=0.25)


def test_every_finding_answers_why(planned, library):
    made = planned(job())
    evidence = {e.id: e for e in made.evidence}
    assert made.findings
    for finding in made.findings:
        assert finding.because and finding.rule in library.rules
        assert set(library.rules[finding.rule].claims) <= set(finding.evidence)
        assert all(ident in evidence for ident in finding.evidence)
    assert all(set(f.from_findings) <= set(library.rules) for f in made.findings)


def test_nothing_doubtful_is_shown_without_saying_so(planned):
    for made in (planned(job()), planned(job("llama-3.1-405b", 16, workload="inference"))):
        for shown in made.evidence:
            if shown.verdict in ("wrong", "contradicted", "inconsistent", "implausible", "withdrawn", "disputed"):
                assert shown.correction, shown.id


def test_further_evidence_is_found_by_the_search(planned, library):
    made = planned(job())
    looked_up = [e for e in made.evidence if e.id in library.knowledge.passages]
    assert looked_up and all(0 < e.score <= 1 for e in looked_up)


def test_the_same_question_has_the_same_answer_twice(planned):
    first = planned(job())
    forget()
    assert planned(job()).model_dump_json() == first.model_dump_json()


def test_a_plan_is_the_contract_it_names(planned):
    made = planned(job()).model_dump(mode="json", by_alias=True)
    assert made["schema"] == "weft/plan/1"
    assert Plan.model_validate(made).model_dump(mode="json", by_alias=True) == made


def test_what_nobody_said_is_listed(planned):
    fields = {a.field for a in planned(job()).assumptions}
    assert {
        "cluster.gpus_per_node",
        "training.sequence_length",
        "training.global_batch",
        "training.tokens",
        "budget.gpu_hour_usd",
    } <= fields
    said = planned(
        job(
            training={
                "sequence_length": 4096,
                "global_batch": 512,
                "tokens": "10B",
                "framework": "megatron",
                "precision": "bf16",
            },
            cluster={"gpus_per_node": 8},
            budget={"gpu_hour_usd": 2.5},
        )
    )
    assert not {
        "cluster.gpus_per_node",
        "training.sequence_length",
        "training.global_batch",
        "training.tokens",
        "budget.gpu_hour_usd",
    } & {a.field for a in said.assumptions}


def test_a_provider_restricts_the_candidates_to_what_it_sells(planned):
    made = planned(job(cluster={"provider": "aws"}))
    assert made.recommendation.fabric == "aws-efa-v2"
    assert candidate(made, "infiniband-ndr-400").verdict == "impossible"
    assert "screen/not-sold-by-the-provider" in candidate(made, "infiniband-ndr-400").reasons


def test_a_clouds_own_fabric_is_not_bought(planned):
    made = planned(job(gpus=256, budget={"mode": "buy"}))
    assert candidate(made, "aws-efa-v2").verdict == "impossible"
    assert made.fabric_design["switches"] > 0 and made.fabric_design["capex_usd"]["mid"] > 0


def test_a_nic_faster_than_the_slot_that_feeds_it_is_no_candidate(planned):
    assert candidate(planned(job()), "infiniband-xdr-800").verdict == "impossible"
    assert (
        candidate(planned(job(gpu="b300", gpus=64, budget={"mode": "buy"})), "infiniband-xdr-800").verdict
        != "impossible"
    )


@pytest.mark.parametrize(
    ("budget", "deed", "headline"),
    [
        ({"mode": "rent"}, r"Rent 64 NVIDIA H100 SXM5 80 GB, with RoCE v2 400 Gb/s, as given\b", "As given, "),
        ({"mode": "buy"}, r"Buy 64 NVIDIA H100 SXM5 80 GB, with RoCE v2 400 Gb/s, as given\b", "As given, "),
        ({"mode": "buy", "owned": "machines"}, r"Buy RoCE v2 400 Gb/s for the 64 .* there, as given\b", "As given, "),
        ({"mode": "buy", "owned": "everything"}, r"Keep RoCE v2 400 Gb/s for the 64 ", "Keep "),
    ],
)
def test_a_network_that_is_named_is_taken_and_only_what_is_there_is_kept(planned, budget, deed, headline):
    answer = planned(job(cluster={"fabric": "roce-v2-400"}, budget=budget)).recommendation
    assert answer.fabric == "roce-v2-400" and answer.headline.startswith(headline)
    assert re.match(deed, answer.card.do), answer.card.do


def test_a_model_too_large_is_infeasible_with_the_size_that_would_do(planned, library):
    made = planned(job("llama-3.1-405b", 16, gpu="a100-sxm-40gb"))
    assert made.recommendation.verdict == "infeasible" and made.recommendation.smallest_change
    assert "it would fit" in made.recommendation.smallest_change
    enough = int(made.recommendation.smallest_change.split("with ")[1].split(" GPUs")[0].replace(",", ""))
    assert planned(job("llama-3.1-405b", enough, gpu="a100-sxm-40gb")).recommendation.verdict == "recommended"


def test_a_budget_too_small_names_the_budget_that_would_do(planned):
    made = planned(job(budget={"usd": 5000}, training={"tokens": "1T"}))
    assert made.recommendation.verdict == "infeasible"
    assert "a budget of $" in made.recommendation.smallest_change


def test_a_deadline_rules_out_what_is_too_slow(planned):
    free = planned(job(training={"tokens": "100B"}))
    hours = {c.fabric: c.run_hours for c in free.candidates if c.run_hours}
    slowest = max((c for c in free.candidates if c.verdict == "acceptable"), key=lambda c: c.run_hours)
    fast = min(hours.values())
    made = planned(job(training={"tokens": "100B"}, constraints={"deadline_days": (fast + slowest.run_hours) / 48}))
    assert candidate(made, slowest.fabric).verdict == "avoid"
    assert made.recommendation.fabric != slowest.fabric


def test_a_quoted_premium_decides(planned):
    cheap = planned(job(budget={"fabric_premium_gpu_hour_usd": 0.0, "gpu_hour_usd": 2.5}))
    dear = planned(job(budget={"fabric_premium_gpu_hour_usd": 2.0, "gpu_hour_usd": 2.5}))
    assert cheap.recommendation.fabric.startswith("infiniband")
    assert not dear.recommendation.fabric.startswith("infiniband")


def _with(value, path, new):
    changed = copy.deepcopy(value)
    *sections, last = path.split(".")
    here = changed
    for section in sections:
        here = here.setdefault(section, {})
    here[last] = new
    return changed


@pytest.mark.parametrize(
    "asked",
    [
        job(),
        job(parallelism={"strategy": "fsdp"}),
        job("mixtral-8x7b", 128),
        job("llama-3.1-8b", 64),
        job(gpus=256, budget={"gpu_hour_usd": 2.2}),
    ],
)
def test_a_flip_is_a_flip_when_tried(planned, library, asked):
    made = planned(asked)
    assert made.recommendation.flips
    for flip in made.recommendation.flips:
        if flip.input.startswith("providers."):
            again = plan(from_value(asked, library.catalog), _charging(library, flip, flip.at), index=None, today=TODAY)
        else:
            again = planned(_with(asked, flip.input, flip.at))
        assert again.recommendation.fabric == flip.to_fabric != made.recommendation.fabric, flip


def _charging(library, flip, price):
    """The library with another price of what one provider lets at the price that would turn the answer."""
    provider = library.catalog.providers[flip.input.split(".")[1]]
    other = lambda listed: listed.model_copy(update={"price": listed.price.model_copy(update={"value": price})})
    same = lambda listed: abs(listed.price.value - flip.from_) < 0.001
    moved = [
        offer.model_copy(update={"prices": [other(listed) if same(listed) else listed for listed in offer.prices]})
        for offer in provider.offers
    ]
    providers = library.catalog.providers | {provider.id: provider.model_copy(update={"offers": moved})}
    there = copy.copy(library)
    there.__dict__["catalog"] = library.catalog.model_copy(update={"providers": providers})
    return there


def test_two_sites_meet_rarely_over_the_wide_area_link(planned):
    made = planned(job("llama-3.1-8b", 64, cluster={"sites": 2, "wan_gbps": 10}))
    assert made.recommendation.fabric == "wan-low-communication"
    assert candidate(made, "wan-low-communication").parallelism["inside_each_site"]


def test_serving_copies_that_fit_one_node_needs_no_fabric_and_a_split_one_does(planned):
    assert planned(job(gpus=32, workload="inference")).recommendation.verdict == "no-network-needed"
    split = planned(job("llama-3.1-405b", 16, workload="inference"))
    assert split.recommendation.verdict == "recommended" and split.recommendation.fabric != "none"
    told = plan_markdown(split)
    assert "per million output tokens" in told and "a month's work, P10–P90" in told, "a service has no run"


def test_the_shipped_examples_can_be_planned(library, index, some):
    for name, path in some(library.examples.items(), 3):  # without search all are in tests/test_reading_a_plan.py
        made = plan(read_one(path, library.catalog), library, index=index, today=TODAY)
        assert made.recommendation.headline, name


def test_a_fixed_split_over_the_whole_machine_can_be_planned(planned):
    made = planned(job(parallelism={"strategy": "zero1", "tp": 8, "pp": 4}, training={"global_batch": 512}))
    chosen = candidate(made, made.recommendation.fabric)
    assert (chosen.parallelism["tp"], chosen.parallelism["pp"], chosen.parallelism["dp"]) == (8, 4, 2)


def test_a_split_that_cannot_fit_is_told_that_another_would(planned):
    made = planned(job(parallelism={"strategy": "ddp"}))
    assert made.recommendation.verdict == "infeasible"
    assert "with this split it fits on these 64 GPUs with FSDP (ZeRO-3)" in made.recommendation.smallest_change
    assert planned(job()).recommendation.verdict == "recommended"


def test_a_served_model_too_large_names_a_number_of_gpus_that_holds_it(planned):
    made = planned(job("llama-3.1-405b", 8, workload="inference"))
    assert (
        made.recommendation.verdict == "infeasible"
        and "with 16 GPUs it would fit" in made.recommendation.smallest_change
    )
    assert planned(job("llama-3.1-405b", 16, workload="inference")).recommendation.verdict == "recommended"


def test_more_requests_than_the_copies_carry_is_infeasible(planned):
    few, many = (
        planned(job(gpus=8, workload="inference", inference={"requests_per_s": rate})) for rate in (0.1, 10_000)
    )
    assert few.recommendation.verdict == "no-network-needed"
    assert many.recommendation.verdict == "infeasible" and "requests per second" in many.recommendation.smallest_change


def test_no_flip_leads_to_gpus_that_cannot_hold_the_job(planned):
    for flip in planned(job()).recommendation.flips:
        assert (flip.input, flip.to_fabric) != ("cluster.gpus", "none")
    assert any(
        (f.input, f.at, f.to_fabric) == ("cluster.gpus", 8, "none")
        for f in planned(job("llama-3.1-8b", 16)).recommendation.flips
    )


def test_a_gpu_without_bf16_is_planned_in_fp16_and_says_so(planned):
    made = planned(job("gpt-3-6.7b", 64, gpu="v100-sxm"))
    assert next(a for a in made.assumptions if a.field == "training.precision").value == "fp16"


def test_the_facts_of_an_owned_network_are_those_of_its_own_split(planned):
    made = planned(
        job(
            "qwen2.5-7b",
            16,
            workload="finetuning",
            cluster={"fabric": "ethernet-tcp-100"},
            parallelism={"strategy": "fsdp"},
        )
    )
    split = candidate(made, "ethernet-tcp-100").parallelism
    told = [f.facts["job.micro_batch"] for f in made.findings if "job.micro_batch" in f.facts]
    assert told and set(told) == {split["micro_batch"]}


def test_a_clouds_own_price_is_said(planned):
    made = planned(job())
    own, generic = candidate(made, "gcp-tcpxo"), candidate(made, "infiniband-ndr-400")
    assert own.gpu_usd_per_hour > generic.gpu_usd_per_hour


def serving(gpus, **inference):
    return job(gpus=gpus, workload="inference", inference={"requests_per_s": 20, **inference})


def test_the_number_of_gpus_that_would_carry_the_load_does_not_depend_on_the_number_given(planned):
    named = {planned(serving(gpus)).recommendation.smallest_change.split("with about ")[1] for gpus in (2, 4, 16)}
    assert len(named) == 1
    assert planned(serving(int(named.pop().split()[0]))).recommendation.verdict != "infeasible"


def test_a_copy_takes_the_gpus_that_carry_most_and_a_split_that_was_given_stays(planned):
    assert {c.parallelism["tp"] for c in planned(serving(32)).candidates if c.parallelism} == {4}
    assert {
        c.parallelism["tp"] for c in planned({**serving(32), "parallelism": {"tp": 8}}).candidates if c.parallelism
    } == {8}


def test_what_nobody_limited_is_not_given_as_a_reason(planned):
    made = planned(serving(8))
    assert not [f for f in made.findings if "unknown" in f.because]


def test_whether_the_sequence_is_shared_is_said_when_it_was_not_given(planned):
    made = planned(job(parallelism={"strategy": "zero1", "tp": 4, "pp": 4}))
    assert [a.value for a in made.assumptions if a.field == "parallelism.sequence_parallel"] == [True]
    made = planned(job(parallelism={"strategy": "zero1", "tp": 4, "pp": 4, "sequence_parallel": False}))
    assert not [a for a in made.assumptions if a.field == "parallelism.sequence_parallel"]


def test_fsdp_over_pipeline_stages_gathers_once_a_step_and_comes_near_what_llama_3_reached(planned):
    """405B on 16,384 H100, tp 8, pp 16, 16 million tokens: 400 TFLOP/s per GPU (2407.21783, table 4). Gathered for
    every micro-batch it would be half."""
    made = planned(
        job(
            "llama-3.1-405b",
            16384,
            cluster={"fabric": "roce-v2-400"},
            parallelism={"strategy": "fsdp", "tp": 8, "pp": 16},
            training={"sequence_length": 8192, "global_batch": 2048, "framework": "megatron"},
        )
    )
    roce = candidate(made, "roce-v2-400")
    assert roce.parallelism["strategy"] == "zero2" and roce.mfu * 989.5 == pytest.approx(400, rel=0.15)
    assert "torchtitan" in next(a.why for a in made.assumptions if a.field == "parallelism.strategy")
