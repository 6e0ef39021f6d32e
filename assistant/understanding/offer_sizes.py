"""For how many GPUs a quoted sum is, where the job has another number of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .attach import Fact
from .counting import COUNTED, Scale
from .offers import Found
from .reading import Reading
from .text import Token

_ENDS = frozenset(";.!?")


def tell_sizes(reading: Reading, found: Found, facts: Sequence[Fact]) -> None:
    """A count in the part of a sentence that has a sum is that sum's, and the one that stands elsewhere the job's:
    "Acme asks $900k a month for 576 H100. We need 216"."""
    counts = [(fact, gpus) for fact in facts if (gpus := _gpus(fact))]
    sums = [next(_beside_sum(reading.text.tokens, found, n, counts), None) for n in range(len(found.offers))]
    theirs = {id(fact) for fact, _ in filter(None, sums)}
    ours = {gpus for fact, gpus in counts if id(fact) not in theirs}
    if not theirs or len(ours) != 1:
        return
    [job] = ours
    sizes = [one[1] if one and one[1] != job else None for one in sums]
    found.offers = [replace(offer, gpus=gpus) for offer, gpus in zip(found.offers, sizes, strict=True)]
    if any(sizes):
        told = {gpus for _, gpus in counts}
        reading.doubts = [d for d in reading.doubts if d.field != COUNTED or not told.issuperset(d.options)]
        reading.fields[COUNTED] = job


def _gpus(fact: Fact) -> int | None:
    """The GPUs that a count tells."""
    scale = fact.value if fact.says.act == "count" else None
    return (scale.gpus or scale.them) if isinstance(scale, Scale) else None


def _beside_sum(
    tokens: Sequence[Token], found: Found, number: int, counts: Sequence[tuple[Fact, int]]
) -> Iterator[tuple[Fact, int]]:
    """The counts in the part of a sentence that has the sum of an offer, the nearest first."""
    first, last = found.places[number]
    for amount in found.amounts:
        if found.offers[number].usd is None or amount.kind != "money" or not first <= amount.start < last:
            continue
        begin = next((at for at in range(amount.start, first, -1) if tokens[at - 1].text in _ENDS), first)
        end = next((at for at in range(amount.end, last) if tokens[at].text in _ENDS), last)
        near = [one for one in counts if begin <= one[0].start < end]
        yield from sorted(near, key=lambda one: min(abs(one[0].start - amount.end), abs(amount.start - one[0].end)))
