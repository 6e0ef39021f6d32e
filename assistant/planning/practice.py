"""What is expected of the training software, among the assumptions: most who run it are slower than who published its
best runs."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.model.framework import PRACTICE, practice_of
from assistant.model.training import STRAGGLING_NODES
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Assumption

from .resolve import Resolved


def assumptions(job: Resolved, catalog: Catalog) -> Iterator[Assumption]:
    """How far from the published runs of its stack a training run is taken to be; nothing where no others were
    measured."""
    if job.serves:
        return
    fact = practice_of(job.framework, job.gpu.id, catalog.constants)
    if fact is not None and fact.si != 1:
        yield Assumption(
            field=f"model.{PRACTICE}",
            value=fact.value,
            why=f"compute takes {fact.si:.2f} times as long as in the published runs that the model is calibrated on: "
            f"{fact.note}",
        )
    slow = catalog.constants.get(f"cluster-{PRACTICE}-stragglers")
    if slow is not None and job.nodes >= STRAGGLING_NODES:
        yield Assumption(
            field="model.stragglers",
            value=slow.value,
            why="P90 counts slow nodes and uneven work, which a step waits for; the median does not: "
            f"{slow.source.removeprefix('derived: ')}",
        )
