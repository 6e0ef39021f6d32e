"""Mixtures of experts: what travels to experts, what hides it, what selective recompute keeps, and published runs."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.library import load
from assistant.model import Job, Outcome, predict_training
from assistant.model.collectives import group
from assistant.model.dispatch import Routing, call_time, dispatch_from
from assistant.model.memory import memory_of
from assistant.model.mixtures import two_way
from assistant.model.network import Networks
from assistant.model.overlap import Links
from assistant.model.search import layouts_for
from assistant.model.traffic import traffic_of
from assistant.planning.resolve import Resolved, resolve
from assistant.validation.dispatch import FITTED, MANY_TOKENS, Call, fit, one_constant, predicted, read_calls
from assistant.validation.practice import published_runs
from assistant.vocabulary.plan import Assumption
from assistant.vocabulary.questionnaire import Parallelism, Questionnaire

from .modelled import catalog, job, machine, network

# DeepSeek-V3's step on 2,048 H800: 15,360 sequences of 4,096 tokens; 180,000 GPU-hours per 10^12 tokens (2412.19437,
# table 1), 19.926 s (2505.09343, table 4).
PUBLISHED_STEP = 180e3 * 3600.0 / 1e12 * 15_360 * 4096 / 2048
PUBLISHED_SPLIT = Parallelism(strategy="zero1", pp=16, ep=64)


def deepseek(**changes: object) -> Job:
    said: dict[str, object] = {
        "sequence_length": 4096,
        "global_batch": 15_360,
        "precision": "fp8",
        "expert_overlap": "dualpipe",
        "dispatch_precision": "fp8",
    }
    return job("deepseek-v3", 2048, **(said | changes))


def on_h800(of: Job, split: Parallelism | None) -> Outcome:
    gpus = machine(of.gpus, "h800")
    return predict_training(of, gpus, [network("infiniband-ndr-400", gpus)], split)[0]


@pytest.mark.parametrize("framework", [None, "megatron"])
@pytest.mark.parametrize("split", [PUBLISHED_SPLIT, None], ids=["published layout", "auto"])
def test_deepseek_v3_takes_the_time_that_was_published(split: Parallelism | None, framework: str | None) -> None:
    found = on_h800(deepseek(framework=framework), split)
    assert found.fits
    assert found.step_time_s == pytest.approx(PUBLISHED_STEP, rel=0.15)
    assert found.band.p10 < PUBLISHED_STEP < found.band.p90


def test_automatic_layout_is_not_slower_than_the_published_one() -> None:
    assert on_h800(deepseek(), None).step_time_s <= on_h800(deepseek(), PUBLISHED_SPLIT).step_time_s


def test_nothing_hides_dispatch_where_nothing_overlaps() -> None:
    exposed, batch, both_ends = (
        on_h800(deepseek(expert_overlap=how), PUBLISHED_SPLIT) for how in ("none", "batch", "dualpipe")
    )
    assert exposed.breakdown.ep > 3 * batch.breakdown.ep
    assert both_ends.breakdown.pp_bubble < batch.breakdown.pp_bubble < exposed.breakdown.pp_bubble


def test_a_pipeline_is_fed_from_both_ends_where_stages_and_batch_allow_it() -> None:
    gpus = machine(2048, "h800")
    asked = [(16, 15_360), (16, 2048), (1, 15_360)]
    found = [
        two_way(of, layouts_for(of, gpus, Parallelism(strategy="zero1", pp=pp, ep=64))).any()
        for pp, batch in asked
        for of in [deepseek(global_batch=batch, micro_batch=1)]
    ]
    assert found == [True, False, False]


def test_both_ends_hold_two_copies_of_the_weights() -> None:
    gpus = machine(2048, "h800")

    def held(how: str) -> float:
        of = deepseek(expert_overlap=how, micro_batch=1, recompute="selective")
        layouts = layouts_for(of, gpus, Parallelism(strategy="zero1", pp=16, ep=64, interleave=1))
        return float(memory_of(of, gpus, gpus.framework(None), layouts).weights[0])

    # fed from one end, the fullest stage may be another one, with fewer layers and more micro-batches in flight
    assert 2 * held("batch") <= held("dualpipe") < 3 * held("batch")


def test_selective_recompute_of_a_mixture_keeps_less_than_half() -> None:
    gpus = machine(2048, "h800")

    def kept(recompute: str) -> float:
        of = deepseek(recompute=recompute, micro_batch=1)
        layouts = layouts_for(of, gpus, PUBLISHED_SPLIT)
        return float(memory_of(of, gpus, gpus.framework(None), layouts).activations[0])

    assert kept("full") < kept("selective") < 0.5 * kept("none")


def test_selective_recompute_of_a_mixture_costs_little() -> None:
    least, some, most = (
        on_h800(deepseek(recompute=which), PUBLISHED_SPLIT).step_time_s for which in ("none", "selective", "full")
    )
    assert least < some < 1.04 * least
    assert most > 1.15 * least


def ranks(size: int):
    return group(np.array([float(size)]), np.array([1.0]), 8)


def test_a_token_goes_once_to_each_node_and_to_no_more_than_it_may() -> None:
    over_eight = ranks(64)
    unlimited, limited = Routing(8), Routing(8, 4.0)
    apart = Routing(8, once=False)
    assert float(apart.crossing(over_eight)[0]) == 7.0
    assert float(unlimited.crossing(over_eight)[0]) == pytest.approx(8 * (1 - (7 / 8) ** 8) * 7 / 8)
    assert float(limited.crossing(over_eight)[0]) == pytest.approx(4 * (1 - (3 / 4) ** 8) * 7 / 8)


def test_fp8_dispatch_and_a_limit_of_nodes_take_bytes_from_the_network() -> None:
    gpus = machine(2048, "h800")

    def into_node(**changes: object) -> float:
        of = deepseek(micro_batch=1, **changes)
        return float(traffic_of(of, gpus, layouts_for(of, gpus, PUBLISHED_SPLIT)).into_domain["ep"][0])

    assert into_node() < into_node(dispatch_precision="bf16") < into_node(dispatch_precision="bf16", routing_nodes=8)
    assert into_node() / into_node(dispatch_precision="bf16") == pytest.approx((1 + 4 / 128 + 2) / 4)


def test_one_token_takes_as_long_as_its_calls() -> None:
    gpus = machine(64)
    links = Links(gpus, Networks([network("infiniband-ndr-400", gpus)]))
    least, one_node = (
        float(call_time(links.between, np.array([7168.0]), ranks(size), Routing(8)).item()) for size in (64, 8)
    )
    assert 20e-6 < one_node < 60e-6 < least < 500e-6


def in_megatron(of: Job, split: Parallelism | None) -> Outcome:
    gpus = machine(of.gpus)
    return predict_training(of, gpus, [network("infiniband-ndr-400", gpus)], split)[0]


@pytest.mark.parametrize(
    "split",
    [Parallelism(strategy="zero1", tp=2, pp=8, ep=8, interleave=7, sequence_parallel=True), None],
    ids=["published layout", "auto"],
)
def test_mixtral_in_megatron_reaches_what_was_published(split: Parallelism | None) -> None:
    """49.3 % of the peak on 128 H100 (MoE Parallel Folding, 2504.14960); batch and length assumed."""
    of = job("mixtral-8x22b", 128, sequence_length=4096, global_batch=256, framework="megatron")
    found = in_megatron(of, split)
    assert found.fits
    assert 0.493 / found.mfu == pytest.approx(1.0, rel=0.16)
    assert found.band.p10 < found.step_time_s * found.mfu / 0.493 < found.band.p90


def test_deepseek_v3_in_megatron_reaches_what_was_published() -> None:
    """1,297 tokens/s per H100 on 1,024 (Megatron-Bridge 25.09); its precision is not printed, FP8 assumed."""
    of = job(
        "deepseek-v3",
        1024,
        sequence_length=4096,
        global_batch=8192,
        micro_batch=1,
        precision="fp8",
        framework="megatron",
    )
    split = Parallelism(strategy="zero1", tp=2, pp=8, ep=64, interleave=4, sequence_parallel=True)
    assert in_megatron(of, split).tokens_per_s_per_gpu == pytest.approx(1297, rel=0.15)


def test_overlap_gains_what_was_measured() -> None:
    """Qwen3-30B-A3B on 16 H100: 24.71 s without, 21.07 s with overlap (Megatron-Bridge)."""
    said = {"sequence_length": 4096, "global_batch": 1024, "micro_batch": 1, "framework": "megatron"}
    split = Parallelism(strategy="zero1", ep=16)
    without, with_ = (
        in_megatron(job("qwen3-30b-a3b", 16, expert_overlap=how, **said), split).step_time_s
        for how in ("none", "batch")
    )
    assert with_ / without == pytest.approx(21.07 / 24.71, rel=0.05)


def resolved(**said: object) -> tuple[Resolved, dict[str, Assumption]]:
    text = {
        "workload": "pretraining",
        "model": "deepseek-v3",
        "cluster": {"gpu": "h800", "gpus": 2048},
        "training": {"global_batch": 15_360, "sequence_length": 4096},
    } | said
    job_ = resolve(Questionnaire.model_validate(text), catalog())
    return job_, {one.field: one for one in job_.assumptions}


def test_what_nobody_said_of_a_mixture_is_assumed_and_listed() -> None:
    found, taken = resolved()
    assert (found.precision, found.expert_overlap, found.dispatch_precision) == ("fp8", "dualpipe", "fp8")
    assert {"training.expert_overlap", "training.dispatch_precision", "training.routing_nodes"} <= set(taken)


def test_what_was_said_of_a_mixture_is_kept() -> None:
    said = {"framework": "megatron", "expert_overlap": "batch", "dispatch_precision": "bf16", "routing_nodes": 2}
    found, taken = resolved(training={"precision": "fp8", **said})
    assert (found.expert_overlap, found.dispatch_precision, found.routing_nodes) == ("batch", "bf16", 2)
    assert not {f"training.{name}" for name in said} & set(taken)


def test_a_framework_that_hides_nothing_by_itself_is_taken_so() -> None:
    found, taken = resolved(training={"framework": "megatron"})
    assert (
        found.expert_overlap == "none" and "--overlap-moe-expert-parallel-comm" in taken["training.expert_overlap"].why
    )


def test_a_stack_of_its_own_with_dualpipe_is_no_eager_one() -> None:
    found, taken = resolved(training={"framework": "other"})
    assert found.framework is None and taken["training.framework"].value is None


def test_a_dense_model_says_nothing_of_experts() -> None:
    _, taken = resolved(model="llama-3.1-70b", cluster={"gpu": "h100-sxm", "gpus": 64})
    assert not {name for name in taken if "expert" in name or "dispatch" in name or "routing" in name}


@pytest.fixture(scope="module")
def calls() -> list[Call]:
    return read_calls(load().knowledge_folder / "measurements", catalog())


def test_constants_of_dispatch_are_where_the_fit_ends(calls: list[Call]) -> None:
    shipped, found = dispatch_from(catalog().constants), fit(calls)
    for name in FITTED:
        assert getattr(shipped, name) == pytest.approx(getattr(found, name), rel=0.01), name


def test_measured_dispatches_that_nothing_was_fitted_to(calls: list[Call]) -> None:
    """Whole sources, the H200 and the MI300X, and 32 ranks on H100 are kept out; as many tokens as in training."""
    judged = [c for c in calls if c.use == "validation" and c.tokens >= MANY_TOKENS and not c.routing.direct]
    errors = np.array([predicted(call) / call.seconds - 1.0 for call in judged])
    assert len(judged) > 100
    assert np.abs(errors).mean() < 0.08 < one_constant(judged)
    assert np.median(np.abs(errors)) < 0.06


def test_exchanges_of_decoding_that_nothing_was_fitted_to(calls: list[Call]) -> None:
    """DeepEP's table on 8 to 256 H800, UCCL-EP on EFA and MI300X, a later SGLang and 32 ranks on H100 are kept out."""
    judged = [call for call in calls if call.use == "validation" and call.routing.direct]
    ratios = np.array([predicted(call) / call.seconds for call in judged])
    assert len(judged) > 90
    assert np.expm1(np.abs(np.log(ratios)).mean()) < 0.16 and np.median(np.abs(ratios - 1.0)) < 0.09


def test_experts_may_be_shared_by_tensor_parallel_ranks() -> None:
    gpus = machine(128)
    of = job("mixtral-8x22b", 128, sequence_length=4096, global_batch=256, micro_batch=1, framework="megatron")

    def split(**more: int) -> Parallelism:
        return Parallelism.model_validate(
            {"strategy": "zero1", "tp": 4, "pp": 4, "ep": 4, "sequence_parallel": True, "interleave": 1} | more
        )

    def weights(of_split: Parallelism) -> float:
        return float(memory_of(of, gpus, gpus.framework("megatron"), layouts_for(of, gpus, of_split)).weights[0])

    whole, halves = in_megatron(of, split()), in_megatron(of, split(etp=2))
    assert halves.parallelism["etp"] == 2 and "etp" not in whole.parallelism
    assert halves.breakdown.ep > whole.breakdown.ep
    assert weights(split(etp=2)) < 0.7 * weights(split())


def test_experts_that_cannot_be_shared_so_are_refused() -> None:
    said = {"workload": "pretraining", "model": "mixtral-8x22b", "cluster": {"gpu": "h100-sxm", "gpus": 64}}
    with pytest.raises(ValueError, match="expected ep·etp to divide"):
        Questionnaire.model_validate(said | {"parallelism": {"tp": 2, "pp": 4, "ep": 8, "etp": 4}})


def test_automatic_layouts_are_no_slower_than_shared_experts() -> None:
    for model, gpus in (("mixtral-8x22b", 128), ("mixtral-8x7b", 32)):
        of = job(model, gpus, sequence_length=4096, global_batch=256, framework="megatron")
        best = in_megatron(of, None).step_time_s
        for tp, pp, ep, etp in ((2, 2, 8, 2), (4, 2, 4, 2), (4, 1, 8, 4), (2, 4, 4, 2)):
            fixed = Parallelism(strategy="zero1", tp=tp, pp=pp, ep=ep, etp=etp, sequence_parallel=True, interleave=1)
            found = in_megatron(of, fixed)
            assert not found.fits or best <= found.step_time_s * (1 + 1e-9), (model, tp, pp, ep, etp)


def test_fused_expert_kernels_take_what_nvidia_measured() -> None:
    """gpt-oss 120B in MXFP8 on 64 GB300 and GB200: 2.47 and 2.83 s in NeMo 26.06; no constant was fitted to them."""
    runs = {run.id: run for run in published_runs(load().knowledge_folder, load().catalog)}
    for run in (runs["mb-044"], runs["mb-045"]):
        fused, separate = (
            predict_training(run.job.with_(expert_kernels=how), run.machine, [run.network], run.parallelism)[0]
            for how in ("fused", "separate")
        )
        assert fused.step_time_s == pytest.approx(run.measured_s, rel=0.1)
        assert separate.step_time_s > 1.3 * fused.step_time_s


def test_a_release_with_fused_expert_kernels_is_assumed_and_listed_where_it_has_them() -> None:
    said = {"framework": "megatron", "precision": "fp8", "global_batch": 4096, "sequence_length": 4096}
    found, taken = resolved(cluster={"gpu": "gb300", "gpus": 256}, training=said)
    assert found.expert_kernels == "fused" and "26.06" in taken["training.expert_kernels"].why
    found, taken = resolved(cluster={"gpu": "gb300", "gpus": 256}, training=said | {"expert_kernels": "separate"})
    assert found.expert_kernels == "separate" and "training.expert_kernels" not in taken
    found, taken = resolved(cluster={"gpu": "h100-sxm", "gpus": 256}, training=said)
    assert found.expert_kernels is None and "training.expert_kernels" not in taken


def test_experts_with_few_tokens_take_the_traffic_of_their_weights() -> None:
    """Mixtral 8x7B on Azure, 512 tokens an expert: over TCP 56.6, 57.2 and 55.7 times as long as over InfiniBand, which
    a step of too little compute overstates by a seventh; no constant was fitted to it."""
    runs = {run.id: run for run in published_runs(load().knowledge_folder, load().catalog)}
    for ours, other in (("ibeth-018", "ibeth-017"), ("ibeth-020", "ibeth-019"), ("ibeth-022", "ibeth-021")):
        tcp, infiniband = (
            predict_training(run.job, run.machine, [run.network], run.parallelism)[0].step_time_s
            for run in (runs[ours], runs[other])
        )
        assert tcp / infiniband == pytest.approx(runs[ours].measured_s / runs[other].measured_s, rel=0.08)
