"""Many questionnaires one after the other on one core: plans per second, and whether memory stays flat."""

import contextlib
import itertools
import sys
import time
from collections.abc import Iterator

from assistant.library import Library
from assistant.library.questionnaires import from_value
from assistant.planning import plan
from assistant.vocabulary.benchmark import Measurement
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.questionnaire import Questionnaire

ROUND = 40  # questionnaires a round, all different
_MODELS = ("llama-3.1-8b", "llama-3.1-70b", "qwen2.5-7b", "gpt-3-175b", "mixtral-8x7b")
_GPUS = ("h100-sxm", "a100-sxm-80gb", "h200-sxm", "b200")
_SIZES = (16, 32, 64, 128, 256)


def questionnaires(library: Library) -> Iterator[Questionnaire]:
    """Training jobs of many models, GPUs, sizes and lengths, no two alike."""
    for days in itertools.count(5):
        for size, gpu, model in itertools.product(_SIZES, _GPUS, _MODELS):
            job = {"name": f"{model} on {size} {gpu} for {days} days", "workload": "pretraining", "model": model}
            sizes = {"cluster": {"gpu": gpu, "gpus": size}, "training": {"days": days}}
            yield from_value(job | sizes, library.catalog)


def measure(library: Library, repeats: int) -> list[Measurement]:
    """Seconds of each round of plans, by the clock and of the processor, and the most memory this process had held by
    its end."""
    jobs, seconds, busy, memory = questionnaires(library), [], [], []
    for round_ in range(repeats + 1):
        chosen = list(itertools.islice(jobs, ROUND))
        began, worked = time.perf_counter(), time.process_time()
        for questionnaire in chosen:
            _planned(questionnaire, library)
        if round_:  # the first round loads the rules, the index and the caches
            seconds.append(time.perf_counter() - began)
            busy.append(time.process_time() - worked)
            memory.append(_held_mib())
    timed = {f"{ROUND} different plans, one process": seconds, "the same, seconds of one core": busy}
    found = [Measurement(part="batch", what=what, values=v, work=ROUND, of="plans") for what, v in timed.items()]
    if held := [value for value in memory if value is not None]:
        found.append(Measurement(part="batch", what="memory held after each round", unit="MiB", values=held))
    return found


def _planned(questionnaire: Questionnaire, library: Library) -> None:
    with contextlib.suppress(InputError):  # a job that cannot be split over its GPUs takes its time too
        plan(questionnaire, library)


def _held_mib() -> float | None:
    """The largest resident memory of this process so far, in MiB; ``None`` where the system does not say."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10
