"""Plans of every kind, all different, in one process: seconds of the processor for one of each.

What a plan costs hangs on what it is about: a mixture of experts may be split in more ways than a dense model, a
service is counted in copies, a purchase is drawn. A mean over one kind hides the others.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from assistant.library import Library
from assistant.library.questionnaires import from_value
from assistant.planning import plan
from assistant.vocabulary.benchmark import Measurement
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.questionnaire import Questionnaire

EACH = 5  # questionnaires of a kind that are planned in one run
_DENSE = ("llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b", "qwen2.5-7b", "qwen2.5-72b", "gpt-3-175b", "mistral-7b")
_EXPERTS = ("mixtral-8x7b", "mixtral-8x22b", "deepseek-v3", "qwen3-235b-a22b", "gpt-oss-120b")
_SMALL = ("llama-3.1-8b", "qwen2.5-7b", "qwen3-32b", "llama-3.1-70b")
_GPUS = ("h100-sxm", "h200-sxm", "a100-sxm-80gb", "b200", "mi300x")
_PROVIDERS = ("aws", "gcp", "azure", "oci", "coreweave", "lambda", "nebius", "crusoe")

Drawn = dict[str, Any]


def _job(chance: random.Random, workload: str, models: tuple[str, ...], sizes: tuple[int, ...]) -> Drawn:
    cluster = {"gpu": chance.choice(_GPUS), "gpus": chance.choice(sizes)}
    return {"workload": workload, "model": chance.choice(models), "cluster": cluster}


def _trained(chance: random.Random, models: tuple[str, ...]) -> Drawn:
    """A pretraining: some say how many tokens and in what batches, some for how long alone."""
    job = _job(chance, "pretraining", models, (16, 24, 32, 64, 128, 256, 512, 1024))
    tokens = {"tokens": chance.choice((50e9, 200e9, 1e12)), "global_batch": chance.choice((512, 1024, 1536))}
    training: Drawn = chance.choice((tokens, {"days": chance.randint(3, 90)}, {}))
    if chance.random() < 0.3:
        job["constraints"] = {"deadline_days": chance.randint(10, 60)}
    return job | {"training": training | {"sequence_length": chance.choice((2048, 4096, 8192))}}


def _tuned(chance: random.Random, method: str) -> Drawn:
    job = _job(chance, "finetuning", _SMALL, (8, 16, 24, 32, 64))
    length = {"sequence_length": chance.choice((2048, 4096, 16384)), "tokens": chance.choice((2e8, 1e9, 5e9))}
    return job | {"training": {"method": method} | length}


def _learned(chance: random.Random) -> Drawn:
    job = _job(chance, "rlhf", _SMALL, (16, 32, 64, 128))
    rl = {"algorithm": chance.choice(("grpo", "ppo", "dpo", "dapo")), "response_tokens": chance.choice((1024, 3000))}
    if rl["algorithm"] == "grpo" and chance.random() < 0.5:
        rl |= {"rollout_gpus": job["cluster"]["gpus"] // 2, "asynchronous": True}
    return job | {"rl": rl, "training": {"days": chance.randint(2, 20)}}


def _served(chance: random.Random, workload: str) -> Drawn:
    job = _job(chance, workload, (*_SMALL, "deepseek-v3", "mixtral-8x7b"), (8, 16, 32, 64))
    load: Drawn = {"prompt_tokens": chance.randint(300, 6000), "output_tokens": chance.randint(100, 1500)}
    if workload == "batch-inference":
        return job | {"inference": load | {"tokens": chance.choice((1e9, 2e10))}}
    if chance.random() < 0.7:
        load["requests_per_s"] = chance.randint(1, 40)
    return job | {"inference": load}


def _bought(chance: random.Random) -> Drawn:
    return _trained(chance, (*_DENSE, *_EXPERTS)) | {"budget": {"mode": "buy"}}


def _named(chance: random.Random) -> Drawn:
    job = _trained(chance, (*_DENSE, *_EXPERTS))
    job["cluster"]["provider"] = chance.choice(_PROVIDERS)
    return job


def _priced(chance: random.Random) -> Drawn:
    return _trained(chance, _DENSE) | {"budget": {"gpu_hour_usd": round(chance.uniform(1.5, 4.0), 2)}}


def _on_spot(chance: random.Random) -> Drawn:
    return _trained(chance, _DENSE) | {"budget": {"spot": True, "usd": chance.choice((50_000, 500_000, 5_000_000))}}


def _decided(chance: random.Random) -> Drawn:
    job = _trained(chance, _DENSE)
    job["cluster"]["fabric"] = chance.choice(("infiniband-ndr-400", "roce-v2-400", "ethernet-tcp-100"))
    return job


def _between_sites(chance: random.Random) -> Drawn:
    job = _trained(chance, _DENSE)
    job["cluster"] |= {"sites": 2, "gpus": chance.choice((32, 64, 128)), "wan_gbps": chance.choice((1, 10, 100))}
    return job


KINDS: dict[str, Callable[[random.Random], Drawn]] = {
    "training, dense": lambda chance: _trained(chance, _DENSE),
    "training, experts": lambda chance: _trained(chance, _EXPERTS),
    "fine-tuning, all weights": lambda chance: _tuned(chance, "full"),
    "fine-tuning, adapters": lambda chance: _tuned(chance, "lora"),
    "reinforcement learning": _learned,
    "serving": lambda chance: _served(chance, "inference"),
    "serving, two halves": lambda chance: _served(chance, "disaggregated-inference"),
    "serving in bulk": lambda chance: _served(chance, "batch-inference"),
    "training, bought": _bought,
    "training, provider named": _named,
    "training, price quoted": _priced,
    "training, spot machines": _on_spot,
    "training, network decided": _decided,
    "training, two sites": _between_sites,
}


def questionnaires(library: Library, kind: str, seed: int = 1) -> Iterator[Questionnaire]:
    """Questionnaires of a kind without end, none twice, the same ones for the same seed. What cannot be read (a model
    with which a method does not go) is drawn again."""
    chance, seen = random.Random(f"{kind} {seed}"), set[str]()
    while True:
        drawn = KINDS[kind](chance)
        with contextlib.suppress(InputError):
            read = from_value(drawn, library.catalog)
            if (said := read.model_dump_json()) not in seen:
                seen.add(said)
                yield read


def measure(library: Library, repeats: int) -> list[Measurement]:
    """Seconds of the processor for :data:`EACH` different plans of each kind. The kinds take turns, as in a batch, and
    what one run has planned no other plans."""
    there = {kind: questionnaires(library, kind) for kind in KINDS}
    seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for run in range(repeats + 1):
        busy = dict.fromkeys(KINDS, 0.0)
        for _ in range(EACH):
            for kind, some in there.items():
                busy[kind] += _planned(next(some), library)
        for kind, took in busy.items() if run else ():  # the first run loads the rules, the index and the caches
            seconds[kind].append(took)
    return [Measurement(part="kinds", what=kind, values=took, work=EACH, of="plans") for kind, took in seconds.items()]


def _planned(questionnaire: Questionnaire, library: Library) -> float:
    """Seconds of the processor; a job that cannot be split over its GPUs takes its time too."""
    began = time.process_time()
    with contextlib.suppress(InputError):
        plan(questionnaire, library)
    return time.process_time() - began
