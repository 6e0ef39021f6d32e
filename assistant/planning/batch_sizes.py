"""The global batch where nobody says it: what published runs of the size use, and never less than the GPUs can be split
for."""

from __future__ import annotations

from math import ceil, floor, gcd

from assistant.model import Architecture
from assistant.model.search import fewest_ranks
from assistant.vocabulary.counted import counted
from assistant.vocabulary.questionnaire import Parallelism, Questionnaire

from .assumptions import Assumptions

# Tokens per optimizer step that published runs used, by parameters: GPT-3 (2005.14165, table 2.1) for up to
# 13 B, Llama 2 and 3 papers (4 M) up to 100 B, Llama 3.1 405B (16 M) above.
_BATCH_TOKENS = ((1e9, 0.5e6), (3e9, 1e6), (20e9, 2e6), (100e9, 4e6), (float("inf"), 16e6))
_ROUNDING = 0.125  # share of the batch wanted by which it is moved to divide well: no published size is that exact


def global_batch(questionnaire: Questionnaire, architecture: Architecture, sequence: int, taken: Assumptions) -> int:
    """Sequences of one optimizer step."""
    given, gpus, split = questionnaire.training, questionnaire.cluster.gpus, questionnaire.parallelism
    tokens = next(amount for limit, amount in _BATCH_TOKENS if architecture.params <= limit)
    if questionnaire.workload != "pretraining":
        tokens = min(tokens, 0.5e6)
    wanted = max(1, round(tokens / sequence))
    batch = _even_multiple(gpus, wanted) if wanted >= gpus else dividing_near(gpus, wanted)
    at_once = (given.micro_batch if given else None) or 1
    if isinstance(split, Parallelism):
        # The same batch as for any other split, so that two of them can be compared, unless this one cannot divide it.
        unit = gpus // (split.tp * split.pp * split.cp) * at_once * split.rounds
        batch = batch if batch % unit == 0 else _even_multiple(unit, wanted)
    elif batch < least(architecture, questionnaire, sequence) * at_once:
        batch = least(architecture, questionnaire, sequence, stages=False) * at_once
        each = f"{counted(at_once, 'sequence')} for each data-parallel rank"
        why = f"a usual batch has too few sequences to share out: {each}"
        return taken.take("training.global_batch", batch, why)
    return taken.take(
        "training.global_batch",
        batch,
        f"about {batch * sequence / 1e6:.2g} million tokens per optimizer step, as published runs of this size use",
    )


def least(architecture: Architecture, questionnaire: Questionnaire, sequence: int, *, stages: bool = True) -> int:
    """Sequences of a step with which the GPUs can be split at all, or as it was said; without ``stages`` one for each
    rank of a split that has no pipeline, whose stages would wait for each other most of the time."""
    split, sites, gpus = questionnaire.parallelism, questionnaire.cluster.sites, questionnaire.trainers
    if isinstance(split, Parallelism):
        return gpus // (split.tp * split.pp * split.cp)
    whole = questionnaire.training is not None and questionnaire.training.method == "qlora"
    return sites * fewest_ranks(architecture, gpus // sites, sequence, stages=stages, whole=whole)


def _even_multiple(unit: int, wanted: int) -> int:
    """Of the multiples of ``unit`` within an eighth of what is wanted the one that halves most often, else the nearest.

    Published batches are powers of two; of 977 sequences no micro-batch but one divides any rank's share.
    """
    around = wanted / unit
    near = range(max(1, ceil(around * (1.0 - _ROUNDING))), floor(around * (1.0 + _ROUNDING)) + 1)
    return unit * max(near or [max(1, round(around))], key=lambda times: (times & -times, -abs(times - around)))


def dividing_near(gpus: int, wanted: int) -> int:
    """Of the batches within an eighth of what is wanted the one that most data-parallel degrees of ``gpus`` divide, for
    more GPUs than sequences: a multiple of its odd part (of 3 × 512 GPUs a third is left over else), then of as many
    twos as there are in 16 micro-batches for each GPU."""
    odd = gpus // (gpus & -gpus)
    near = range(max(1, ceil(wanted * (1.0 - _ROUNDING))), max(1, floor(wanted * (1.0 + _ROUNDING))) + 1)
    return max(near, key=lambda batch: (gcd(batch, odd), gcd(batch, 16 * gpus), -abs(batch - wanted)))
