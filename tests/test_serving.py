"""Serving: what fits, how many requests are in flight, how fast they are answered, and how far that is from what was
measured."""

from __future__ import annotations

import csv
import datetime
import itertools
import time
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from assistant.library import load
from assistant.library.questionnaires import from_value
from assistant.model import Serving, architecture_of, predict_inference
from assistant.model.bursts import all_at_once
from assistant.model.inference import engined, holds, splits_for
from assistant.model.serving_constants import spread_name
from assistant.model.serving_memory import weight_bytes
from assistant.model.serving_time import SEARCHED, Load, Split, at_rate, under_load
from assistant.model.sizing import sizings
from assistant.planning import remedy
from assistant.planning.planner import plan
from assistant.planning.prediction import predict
from assistant.planning.predictor import Predictor
from assistant.planning.resolve import resolve
from assistant.planning.sized import on_each_kind, sized, with_price
from assistant.present.figures import serving_error
from assistant.present.plan.card import certain
from assistant.present.plan.report import brief
from assistant.present.plan.sizing import in_talk
from assistant.present.text import lines_of
from assistant.validation.groups import Observed
from assistant.validation.serving import answered_share, least_share, served_runs, serving_groups
from assistant.validation.serving_clusters import TABLE, tokens_per_node
from assistant.validation.serving_fit import sources
from assistant.vocabulary.questionnaire import Questionnaire

from .modelled import catalog, machine, network

MEASURED = load().knowledge_folder / "measurements"


def architecture(model: str):
    return architecture_of(catalog().models[model])


def serving(model: str, gpus: int = 8, **said) -> Serving:
    return Serving(architecture(model), gpus, **said)


@pytest.fixture(scope="module")
def judged() -> dict[tuple[str, str], list[Observed]]:
    """Rows that are kept out, by mode and figure."""
    found = defaultdict(list)
    for group in serving_groups(MEASURED, catalog()):
        if group.use == "kept out":
            mode = group.name.rsplit(", ", 1)[1]
            found[mode, group.quantity] += group.rows
    return found


def test_no_run_that_took_place_is_refused_for_memory():
    refused = [run.id for run in served_runs(MEASURED, catalog()) if run.held < 1]
    assert refused == []


def test_no_run_is_faster_than_its_gpu_allows_but_those_that_are_put_aside_as_cached():
    campaigns = defaultdict(list)
    for run in served_runs(MEASURED, catalog(), faulty=True):
        if run.mode == "load":
            campaigns[run.source, run.gpu, run.engine, run.model].append((run.use == "cached", least_share(run)))
    fast = {name: max(share for _, share in runs) for name, runs in campaigns.items()}
    aside = {name for name, runs in campaigns.items() if any(cached for cached, _ in runs)}
    assert aside == {name for name, share in fast.items() if share > 0.85}
    assert len(aside) == 1 and all(fast[name] < 0.8 for name in fast.keys() - aside)


def test_runs_that_an_engine_held_back_or_something_disturbed_are_put_aside_whatever_is_predicted_of_them():
    runs = [run for run in served_runs(MEASURED, catalog(), faulty=True) if run.mode == "load"]
    held_back = {run.id for run in runs if answered_share(run) < 0.4 and run.held > 4 * (run.concurrency or 0)}
    assert held_back == {run.id for run in runs if run.use == "withheld"} != set()
    layouts = defaultdict(list)
    for run in runs:
        layouts[run.source, run.gpu, run.engine, run.model, run.formats, run.split, run.lengths].append(run)
    slower = {
        one.id
        for same in layouts.values()
        for one in same
        for fuller in same
        if (fuller.concurrency or 0) > (one.concurrency or 0)
        and all(one.measured[figure] > 1.1 * fuller.measured[figure] for figure in ("ttft", "tpot"))
    }
    assert slower == {run.id for run in runs if run.use == "disturbed"} != set()


def _off(rows: list[Observed]) -> tuple[float, float]:
    """Median and geometric error."""
    logs = np.log([row.predicted / row.measured for row in rows])
    return float(np.median(np.abs(np.expm1(logs)))), float(np.expm1(np.abs(logs).mean()))


@pytest.mark.parametrize(
    ("mode", "figure", "median", "geometric"),
    [
        ("load", "seconds per token", 0.12, 0.19),
        ("disaggregated", "seconds per token", 0.13, 0.15),
        ("offline", "output tokens/s", 0.13, 0.22),
        ("static", "output tokens/s", 0.13, 0.16),
        ("load", "seconds to the first token", 0.27, 0.55),
    ],
)
def test_times_and_throughput_are_near_runs_nobody_fitted(judged, mode, figure, median, geometric):
    rows = judged[mode, figure]
    found = _off(rows)
    assert found[0] < median and found[1] < geometric
    plain = [replace(row, predicted=row.constant) for row in rows]
    assert found[1] < _off(plain)[1], "no worse than a roofline of four constants"


def test_throughput_of_bursts_is_that_of_a_batch_that_decays(judged):
    assert _off(judged["burst", "output tokens/s"])[0] < 0.35


@pytest.mark.parametrize("figure", ["seconds per token", "seconds to the first token", "output tokens/s"])
def test_bands_hold_as_often_as_they_say(judged, figure):
    rows = [row for (mode, quantity), rows in judged.items() for row in rows if quantity == figure and mode != "burst"]
    held = [row.band[0] <= row.measured <= row.band[1] for row in rows if row.band]
    assert 0.75 <= np.mean(held) <= 0.885


def test_the_errors_that_answers_tell_are_those_of_the_rows_that_judge(judged):
    off = defaultdict(list)
    for (mode, figure), rows in judged.items():
        figure = "burst" if (mode, figure) == ("burst", "output tokens/s") else figure if mode != "burst" else ""
        off[figure] += [abs(row.predicted / row.measured - 1) for row in rows]
    told = {
        "tpot": "seconds per token",
        "ttft": "seconds to the first token",
        "rate": "output tokens/s",
        "burst": "burst",
    }
    for name, figure in told.items():
        constant = catalog().constants[f"serving-error-{name}"]
        assert constant.value == pytest.approx(np.median(off[figure]), abs=0.005)
    assert "9.8 % in the time of a token, 10 % in throughput and 24 % in the time to" in serving_error(
        catalog().constants
    )


def test_the_source_of_a_constant_says_whether_measured_runs_moved_it():
    said, constants = sources(), catalog().constants
    assert {name: constants[name].source for name in said} == {
        name: of(constants[name].si) for name, of in said.items()
    }
    chosen = [name for name in said if "leave as it is" in constants[name].source]
    stopped = [name for name in said if "stopped at its limit" in constants[name].source]
    assert chosen == [
        *(f"engine-vllm-2024-{name}" for name in ("stream", "first", "latent", "widening")),
        *(f"engine-tensorrt-llm-2024-{name}" for name in ("stream", "latent", "widening")),
    ]
    assert stopped == ["serving-cache", "serving-narrow"]
    spreads = [
        f"{spread_name(mixture=mixture, known=known)}-{figure}"
        for mixture in (False, True)
        for known in (False, True)
        for figure in ("tpot", "ttft", "rate")
    ]
    assert all("calibration rows" in constants[name].source for name in spreads)


def test_weights_are_as_large_as_the_files_people_download():
    assert weight_bytes(architecture("deepseek-r1"), "fp8") / 1e9 == pytest.approx(673, rel=0.01)
    assert weight_bytes(architecture("gpt-oss-120b"), "mxfp4") / 1e9 == pytest.approx(65, rel=0.05)
    assert weight_bytes(architecture("llama-3.3-70b"), "int4") / 1e9 == pytest.approx(40, rel=0.05)


def test_windows_linear_layers_and_latents_keep_less():
    long = 131072
    full = {name: architecture(name) for name in ("gpt-oss-120b", "gemma-3-27b", "qwen3.5-397b-a17b", "deepseek-v3")}
    unwindowed = {n: replace(a, sliding_layers=0, linear_layers=0, linear_state=0) for n, a in full.items()}
    smaller = {n: unwindowed[n].kv_bytes(long) / full[n].kv_bytes(long) for n in full}
    assert smaller["gpt-oss-120b"] == pytest.approx(2.0, rel=0.01)
    assert smaller["gemma-3-27b"] == pytest.approx(6.0, rel=0.05)
    assert smaller["qwen3.5-397b-a17b"] == pytest.approx(4.0, rel=0.05)
    assert full["deepseek-v3"].kv_bytes(1) == 61 * 576 * 2


def test_attention_replicas_hold_more_latent_caches_than_tensor_parallel_ranks():
    asked, node = serving("deepseek-r1", precision="fp8", prompt_tokens=8000), machine(8, "h200-sxm")
    assert holds(asked, node, Split(1, 1, 8, 8)) > 4 * holds(asked, node, Split(8))


def test_an_engine_that_keeps_room_for_whole_answers_begins_fewer():
    lengths = {"precision": "fp8", "prompt_tokens": 128, "output_tokens": 2048, "kv_precision": "fp8"}
    node = machine(8)
    fills, keeps = (
        holds(serving("llama-3.3-70b", engine=one, **lengths), node, Split(2)) for one in ("vllm", "tensorrt-llm")
    )
    assert keeps == pytest.approx(fills * (128 + 1024) / (128 + 2048))
    job = {"workload": "inference", "model": "llama-3.3-70b", "cluster": {"gpu": "h100-sxm", "gpus": 8}}
    said = resolve(from_value(job | {"inference": {"engine": "tensorrt-llm"}}, catalog()), catalog()).assumptions
    assert any(one.field == "inference.engine" and "its whole answer" in one.why for one in said)


def test_prompts_in_between_make_tokens_wait():
    asked, node = serving("llama-3.1-8b"), machine(8)
    one = engined(asked, node, Split(1))
    short, long = (under_load(one, Load(prompt, 500, 32, 64)) for prompt in (500, 8000))
    alone = under_load(one, Load(8000, 500, 32, 64, separate=True))
    assert long.tpot > 1.5 * short.tpot and alone.tpot < 0.7 * long.tpot


def test_requests_in_flight_are_the_rate_times_how_long_one_stays():
    node = machine(8)
    made = predict_inference(serving("llama-3.1-70b", requests_per_s=2.0), node, [network("none", node)])[0]
    assert made.requests_per_s == pytest.approx(2.0, rel=0.05)
    assert made.concurrency * made.replicas == pytest.approx(2.0 * made.request_latency_s, rel=0.25, abs=2)


@pytest.mark.parametrize("model", ["llama-3.1-8b", "llama-3.1-70b", "mixtral-8x7b", "deepseek-v3"])
@pytest.mark.parametrize("grouped", [False, True])
def test_what_is_known_of_others_leads_to_the_same_number_in_flight_as_trying_all(model, grouped):
    node, asked = machine(8, "h200-sxm"), serving(model)
    one, found = engined(asked, node, splits_for(asked, node)[-1]), []
    for prompt, share in itertools.product((200.0, 4000.0), (1e-7, 0.003, 0.05, 0.3, 0.7, 0.97, 1.0, 1.2)):
        load = Load(prompt, 400.0, 256.0, 200.0, grouped=grouped)
        full = under_load(one, load)
        rate = share * full.output_tokens_per_s / 400.0
        low, high = 0.0, load.concurrency
        for _ in range(SEARCHED):
            middle = 0.5 * (low + high)
            tried = under_load(one, replace(load, concurrency=max(middle, 1e-3)))
            low, high = (middle, high) if tried.output_tokens_per_s < rate * 400.0 else (low, middle)
        high = load.concurrency if share > 1.0 else high
        there, served = at_rate(one, load, full, rate)
        assert there.concurrency == high and served == under_load(one, replace(load, concurrency=high))
        found.append(there.concurrency)
    assert len(set(found)) > 8


def test_a_target_is_kept_by_answering_fewer_at_once():
    node = machine(8)
    free, asked = (
        predict_inference(serving("llama-3.1-70b", tensor_parallel=8, offline=offline, tpot=tpot), node,
                          [network("none", node)])[0]
        for offline, tpot in ((True, None), (False, 0.025))
    )  # fmt: skip
    assert asked.meets_targets and asked.time_per_output_token_s <= 0.025
    assert asked.concurrency < free.concurrency and asked.requests_per_s < free.requests_per_s
    assert free.meets_targets is None


def test_layers_whose_attention_and_mlp_stand_side_by_side_reduce_once():
    falcon = architecture_of(catalog().models["falcon-180b"])
    assert falcon.reductions == falcon.layers
    llama = serving("llama-3.3-70b", precision="fp8", tensor_parallel=8)
    beside = replace(llama, architecture=replace(llama.architecture, parallel_block=True))
    twice, once = (
        predict_inference(one, machine(8), [network("none", machine(8))])[0].time_per_output_token_s
        for one in (llama, beside)
    )
    assert once < twice


@pytest.mark.parametrize(
    ("gpu", "ranks", "kib", "us"),
    # vLLM's and SGLang's own kernels, beyond 8 MiB NCCL (ai-dynamo/aiconfigurator@095f58a51c4c)
    [
        *(("h200-sxm", 8, *one) for one in ((8, 5.1), (128, 8.0), (1024, 14.1), (4096, 28.6), (65536, 317))),
        *(("h200-sxm", 4, *one) for one in ((8, 4.7), (512, 10.5), (4096, 29.8), (65536, 320))),
        *(("h200-sxm", 2, *one) for one in ((8, 4.6), (1024, 8.4), (65536, 244))),
        *(("b200", 8, *one) for one in ((8, 7.6), (128, 9.4), (4096, 26.6), (65536, 223))),
        *(("a100-sxm-80gb", 8, *one) for one in ((8, 6.4), (128, 11.4), (4096, 45), (65536, 595))),
    ],
)
def test_all_reduces_take_what_the_kernels_of_engines_were_measured_to_take(gpu, ranks, kib, us):
    one = engined(serving("llama-3.1-70b", engine="vllm"), machine(8, gpu), Split(ranks))
    free = replace(one, engine=replace(one.engine, wait=0.0))
    a = one.architecture
    each = free.reductions(kib * 1024 / (2.0 * a.hidden)) / a.reductions
    assert each * 1e6 == pytest.approx(us, rel=0.3)


def test_a_burst_decays_to_its_longest_answers():
    one = engined(serving("llama-3.1-8b", engine="vllm"), machine(8), Split(1))
    alike, varied = (all_at_once(one, Load(215, 200, 1000, 256), varied=varied) for varied in (False, True))
    steady = under_load(one, Load(215, 200, 256, 256))
    assert varied.output_tokens_per_s < alike.output_tokens_per_s < 1.1 * steady.output_tokens_per_s
    few = all_at_once(one, Load(215, 200, 2000, 256), varied=True)
    assert few.output_tokens_per_s > varied.output_tokens_per_s, "the tail weighs less"


def test_a_band_is_wider_for_a_mixture_and_for_a_gpu_nothing_was_fitted_to():
    wide = {}
    for model in ("llama-3.3-70b", "gpt-oss-120b"):
        for gpu in ("h100-sxm", "b200"):
            made = predict_inference(serving(model), machine(8, gpu), [network("none", machine(8, gpu))])[0]
            wide[model, gpu] = made.band.p90 / made.band.p10
    assert wide["llama-3.3-70b", "h100-sxm"] < min(wide["llama-3.3-70b", "b200"], wide["gpt-oss-120b", "h100-sxm"])
    assert wide["gpt-oss-120b", "b200"] == max(wide.values())


def test_a_new_gpu_is_predicted_from_its_datasheet():
    slow, fast = (
        predict_inference(serving("llama-3.3-70b", precision="fp8", tensor_parallel=2), node, [network("none", node)])[
            0
        ].time_per_output_token_s
        for node in (machine(8, "h100-sxm"), machine(8, "b200"))
    )
    assert 1.3 < slow / fast < 3.0


def test_a_load_with_targets_takes_a_number_of_gpus_of_each_kind():
    asked = serving("llama-3.3-70b", precision="fp8", requests_per_s=10.0, ttft=0.5, tpot=0.02)
    needed = {gpu: sizings(asked, machine(8, gpu))[0] for gpu in ("h100-sxm", "h200-sxm", "b200")}
    for one in needed.values():
        assert one.at_load().ttft <= 0.5 and one.at_load().tpot <= 0.02 and one.copies * one.carries >= 10.0
    assert needed["h100-sxm"].gpus >= needed["h200-sxm"].gpus >= needed["b200"].gpus > 0
    twice = sizings(replace(asked, requests_per_s=20.0), machine(8))[0]
    assert 1.5 < twice.gpus / needed["h100-sxm"].gpus <= 2.5
    assert sizings(replace(asked, tpot=1e-4), machine(8)) == []


def test_published_clusters_are_met_within_a_quarter():
    with (MEASURED / TABLE).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    reached = [tokens_per_node(row, catalog()) / float(row["tokens_per_s_per_node"]) for row in rows]
    assert reached == pytest.approx([1.0] * len(rows), abs=0.25)


def test_no_layout_that_the_search_knows_is_faster_at_the_load_than_the_one_taken_on_each_network():
    cluster = machine(16)
    over = [network(fabric, cluster) for fabric in ("ethernet-tcp-100", "infiniband-ndr-400")]
    for model, precision, flying in (("llama-3.1-405b", "bf16", 64), ("deepseek-r1", "fp8", 64)):
        asked = serving(model, 16, precision=precision, concurrency=flying)
        splits = [
            {"tensor_parallel": s.tp, "pipeline_parallel": s.pp, "data_parallel": s.dp}
            for s in splits_for(asked, cluster)
        ]
        others = [predict_inference(replace(asked, **one), cluster, over) for one in splits]
        for taken, *rivals in zip(predict_inference(asked, cluster, over), *others, strict=True):
            assert taken.request_latency_s <= min(one.request_latency_s for one in rivals if one.fits) * 1.001


def test_prompts_and_answers_apart_are_sized_each_with_their_own_layout_and_as_the_plan_predicts_them():
    node = machine(64)
    asked = serving("llama-3.1-70b", 64, prompt_tokens=6000, requests_per_s=20.0, ttft=2.0, tpot=0.04)
    asked, over = replace(asked, disaggregated=True), network("infiniband-ndr-400", node)
    found = sizings(asked, node, over)[0]
    split = found.parallelism(found.gpus)
    assert split["prefill_gpus"] != split["decode_gpus"] and found.carries >= 20.0
    there = replace(asked, gpus=found.gpus)
    planned_ = predict_inference(there, replace(node, gpus=found.gpus), [over])[0]
    assert (planned_.carries, planned_.parallelism) == (found.carries, split) and planned_.meets_targets


def test_a_prediction_tells_the_first_token_the_load_and_the_copies():
    asked = Questionnaire.model_validate(
        {
            "workload": "inference",
            "model": "llama-3.3-70b",
            "cluster": {"gpu": "h100-sxm", "gpus": 32, "fabric": "roce-v2-400"},
            "inference": {"requests_per_s": 8, "precision": "fp8", "engine": "vllm", "ttft_ms": 1000},
        }
    )
    made = predict(asked, catalog()).serving
    assert made and made.copies * made.gpus_per_copy <= 32 and made.meets_targets
    assert made.ttft_s_p10 < made.ttft_s < made.ttft_s_p90 and made.requests_per_s == pytest.approx(8, rel=0.05)
    assert made.concurrency <= made.max_concurrency and made.network_gb_per_s_per_node == 0


@pytest.fixture(scope="module")
def chat_service():
    """The plan of a load with targets, on no GPU in particular."""
    load_ = {"prompt_tokens": 2000, "output_tokens": 500, "requests_per_s": 10, "ttft_ms": 500, "tpot_ms": 20}
    job = {"workload": "inference", "model": "llama-3.3-70b", "inference": load_}
    return planned(job)


def test_the_certainty_says_what_it_is_of(chat_service):
    """Of the network, of the kind of GPU that nobody named, and of the number of GPUs at the times asked for."""
    kinds, (told,) = chat_service.sizing.kinds, certain(chat_service)
    assert told.startswith("Certainty: clear that no network is needed")
    assert f"{catalog().gpus[kinds[1].gpu].name} comes next" in told
    late = chat_service.candidates[0].serving.ttft_s_p90 > 0.5
    kept = "at the middle, not in the worst tenth" if late else "in nine of ten"
    assert f"so {chat_service.sizing.gpus} GPUs keep the times asked for {kept}" in told


def test_a_copy_over_several_nodes_of_a_rack_fits_in_the_rack():
    load_ = {"requests_per_s": 50, "prompt_tokens": 2000, "output_tokens": 500}
    job = {"workload": "inference", "model": "deepseek-v3", "cluster": {"gpu": "gb200", "gpus": 72}, "inference": load_}
    answer = planned(job).recommendation
    assert answer.card.because == "The copy fits in one rack: nothing crosses a network."
    single = planned({**job, "model": "llama-3.1-70b", "cluster": {"gpu": "h100-sxm", "gpus": 64}}).recommendation
    assert "fits in one node" in single.card.because and "fits in one node" in single.headline


def planned(job: dict):
    library = load()
    return plan(from_value(job, library.catalog), library, index=None, today=datetime.date(2026, 11, 23))


def test_a_load_alone_gives_gpus_of_each_kind_a_price_and_the_network(chat_service):
    sized, answer = chat_service.sizing, chat_service.recommendation
    assert answer.verdict == "no-network-needed" and sized.carries_requests_per_s >= 10
    cheapest = sized.kinds[0]
    assert cheapest.gpu == chat_service.questionnaire["cluster"]["gpu"] and cheapest.gpus == sized.gpus
    assert cheapest.usd_per_month == pytest.approx(sized.usd_per_month, rel=0.01)
    tokens = 10 * 500 * 730 * 3600 / 1e6
    assert sized.usd_per_million_output_tokens == pytest.approx(sized.usd_per_month / tokens)
    assert len(sized.kinds) > 5 and all(kind.ttft_s <= 0.5 and kind.tpot_s <= 0.02 for kind in sized.kinds)
    served = next(c.serving for c in chat_service.candidates if c.verdict == "recommended")
    assert served.copies == sized.copies and served.gpus_per_copy == cheapest.gpus_per_copy and served.meets_targets
    told = " ".join(lines_of(brief(chat_service, ""), 100))
    assert "per million output tokens" in told


def test_one_gpu_that_is_enough_is_told_in_the_singular(chat_service):
    few = chat_service.sizing.model_copy(update={"gpus": 1, "copies": 1, "could_be_had": 8})
    told = " ".join(lines_of(in_talk(chat_service.model_copy(update={"sizing": few})), 1000))
    assert " is enough, 1 copy of" in told and "all of them would carry up to" in told


def test_the_month_of_a_marketplace_counts_what_is_paid_there_and_not_what_its_cheapest_host_asks():
    load_ = {"requests_per_s": 1.0, "precision": "fp8"}
    job = {"model": "llama-3.1-8b", "cluster": {"gpu": "h100-pcie", "provider": "vast-ai"}, "inference": load_}
    predictor = Predictor(catalog(), datetime.date(2026, 11, 23))
    found = sized(from_value(job | {"workload": "inference"}, catalog()), "h100-pcie", predictor)
    kind = with_price(found, predictor)
    assert kind.paid_over_listed == catalog().constants["market-paid-over-cheapest"].si > 1
    each = kind.usd_per_gpu_hour * kind.paid_over_listed
    assert kind.usd_per_month == pytest.approx(each * kind.gpus_paid * 730)


def test_a_quote_prices_its_own_kind_of_gpu_and_no_other(chat_service):
    """Of any term; others stand at what their sellers publish."""
    quote = {"provider": "Acme", "fabric": "infiniband-ndr-400", "gpu_hour_usd": 0.9, "months": 12}
    job = {"model": "llama-3.3-70b", "cluster": {"gpu": "h100-sxm"}, "budget": {"quotes": [quote]}}
    load_ = {"prompt_tokens": 2000, "output_tokens": 500, "requests_per_s": 10, "ttft_ms": 500, "tpot_ms": 20}
    asked = from_value(job | {"workload": "inference", "inference": load_}, catalog())
    predictor = Predictor(catalog(), datetime.date(2026, 11, 23))
    at = {kind.gpu: kind for _, kind in on_each_kind(asked, predictor)}
    assert at.pop("h100-sxm").usd_per_gpu_hour == 0.9
    published = {kind.gpu: kind.instance for kind in chat_service.sizing.kinds if kind.gpu != "h100-sxm"}
    assert {gpu: kind.instance for gpu, kind in at.items()} == published


def test_a_budget_pays_for_the_copies_that_are_needed(chat_service):
    said = {name: value for name, value in chat_service.questionnaire["inference"].items() if value is not None}
    job = {"workload": "inference", "model": "llama-3.3-70b", "inference": said}
    made = planned(job | {"cluster": {"gpu": "h100-sxm", "gpus": 256}, "budget": {"usd_per_month": 50_000}})
    assert made.recommendation.verdict == "no-network-needed"
    assert made.sizing.could_be_had == 256 > made.sizing.gpus and made.sizing.usd_per_month < 50_000
    assert made.sizing.carries_requests_per_s > 90


def test_a_job_in_bulk_ends_and_its_deadline_says_how_many_gpus():
    job = {"workload": "batch-inference", "model": "qwen2.5-72b", "cluster": {"gpu": "h100-sxm"}}
    bulk = {"prompt_tokens": 6000, "output_tokens": 300, "requests": 2_000_000}
    soon = planned(job | {"inference": bulk, "constraints": {"deadline_days": 3}})
    late = planned(job | {"inference": bulk, "constraints": {"deadline_days": 30}})
    hours = [next(c.run_hours for c in made.candidates if c.verdict == "recommended") for made in (soon, late)]
    assert hours[0] <= 72 < hours[1] <= 720 and soon.sizing.gpus > late.sizing.gpus
    few = planned(
        job | {"cluster": {"gpu": "h100-sxm", "gpus": 4}, "inference": bulk, "constraints": {"deadline_days": 3}}
    )
    answer = few.recommendation
    assert answer.verdict == "infeasible" and "a deadline of" in answer.smallest_change
    more = [one.change["cluster.gpus"] for one in answer.what_fits if "cluster.gpus" in one.change]
    assert more and 4 < more[0] <= soon.sizing.gpus


def test_the_report_of_a_job_in_bulk_tells_the_cost_that_its_card_tells():
    """Longer than a month, on machines that are bought."""
    bulk = {"prompt_tokens": 6000, "output_tokens": 300, "requests": 20_000_000}
    job = {"workload": "batch-inference", "model": "qwen2.5-72b", "inference": bulk}
    made = planned(job | {"cluster": {"gpu": "h100-sxm", "gpus": 4}, "budget": {"mode": "buy"}})
    chosen = next(c for c in made.candidates if c.fabric == made.recommendation.fabric)
    assert chosen.run_hours > 1.2 * 730
    assert made.sizing.usd_of_job == pytest.approx(chosen.cost_usd.p50, rel=0.02)


def test_a_load_that_no_number_of_gpus_carries_is_told_plainly(monkeypatch):
    job = {"workload": "inference", "model": "llama-3.3-70b", "cluster": {"gpu": "h100-sxm", "gpus": 8}}
    resolved = resolve(from_value(job | {"inference": {"requests_per_s": 500}}, catalog()), catalog())
    predictor = Predictor(catalog(), datetime.date(2026, 11, 23))
    entries = [entry for entry in predictor.estimated(resolved, "none") if entry.estimated is not None]
    assert "GPUs it would work" in remedy.smallest_change(resolved, entries, predictor)
    monkeypatch.setattr(remedy, "sized", lambda *_: None)
    told = remedy.smallest_change(resolved, entries, predictor)
    assert "of 500 requests per second" in told and "lower the load, or take another GPU" in told


def test_layouts_are_searched_fast_enough_to_be_asked_for_in_a_conversation():
    asked = serving("deepseek-r1", 64, precision="fp8", requests_per_s=50.0, ttft=2.0, tpot=0.05)
    node = machine(64, "h200-sxm")
    sizings(asked, node)
    begun = time.process_time()
    found = sizings(asked, node)
    assert time.process_time() - begun < 0.2 and found[0].split.dp > 1


def test_kinds_that_are_bought_rank_by_write_off_power_and_support_of_whole_machines(chat_service):
    said = {name: value for name, value in chat_service.questionnaire["inference"].items() if value is not None}
    job = {"workload": "inference", "model": "llama-3.3-70b", "inference": said, "budget": {"mode": "buy"}}
    kinds = [kind for _, kind in on_each_kind(from_value(job, catalog()), Predictor(catalog()))]
    assert len(kinds) > 5 and kinds == sorted(kinds, key=lambda kind: kind.usd_per_million_output_tokens)
    for kind in kinds:
        assert kind.usd_to_buy > 20 * kind.usd_per_month and not kind.provider
        assert kind.gpus_paid % (72 if kind.gpu in ("gb200", "gb300") else 8) == 0 and kind.gpu != "h20"


def test_the_same_load_told_by_its_users_or_by_its_rate_takes_about_as_many_gpus():
    rate, first, token, answer = 36.0, 0.5, 1 / 30, 400
    users = round(rate * (first + answer * token))
    taken = []
    for asked_for in ({"concurrency": users}, {"requests_per_s": rate}):
        asked = {"prompt_tokens": 3000, "output_tokens": answer, "ttft_ms": 1e3 * first, "tpot_ms": 1e3 * token}
        job = {"workload": "inference", "model": "llama-3.3-70b", "cluster": {"gpu": "h100-sxm"}}
        said = from_value(job | {"inference": asked | asked_for}, catalog())
        found = sized(said, "h100-sxm", Predictor(catalog(), datetime.date(2026, 11, 23)))
        taken.append(found.gpus)
    assert max(taken) <= 1.2 * min(taken), taken


@pytest.mark.parametrize("gpus", [3, 5])
def test_a_model_too_large_for_gpus_that_only_ethernet_joins_is_told_how_many_would_hold_it(gpus: int):
    """AWS lets no machine of five: no RDMA network is a candidate, and memory asks for none."""
    job = {"workload": "inference", "model": "deepseek-v3", "cluster": {"gpu": "trainium2", "gpus": gpus}}
    made = planned(job | {"budget": {"mode": "rent", "spot": True, "reserved_days": 365}})
    assert made.recommendation.verdict == "infeasible"
    assert "GPUs it would fit" in made.recommendation.card.changes_if
    assert not any("every generated token" in one.because for one in made.findings)
