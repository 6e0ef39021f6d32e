"""Facts and prices of the user's own catalog file that a plan rests on, each beside ours that it stands for."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.vocabulary.catalog import Catalog, Fact
from assistant.vocabulary.plan import Assumption

from .entry import Entry
from .resolve import Resolved

# Parts of the catalog that every job may draw on; of the others only the entries that this job names or considers.
_SHARED = ("constants", "devices")


def assumptions(job: Resolved, entries: list[Entry], catalog: Catalog) -> Iterator[Assumption]:
    """One line for each fact of the user's file about this job's GPU, model, provider and candidate fabrics."""
    model = job.questionnaire.model
    about = {
        "gpus": {job.gpu.id},
        "scale_ups": {job.scale_up.id},
        "models": {model} if isinstance(model, str) else set(),
        "providers": {job.provider.id} if job.provider else set(),
        "fabrics": {entry.id for entry in entries},
    }
    for path, override in catalog.overrides.items():
        part, _, rest = path.partition(".")
        if part in _SHARED or any(rest.startswith(f"{ident}.") for ident in about[part] if isinstance(ident, str)):
            ours = f", instead of {_told(override.instead_of)}" if override.instead_of else ""
            why = f"{rest} in your catalog: {_told(override.fact)}{ours}"
            yield Assumption(field=f"catalog.{path}", value=_amount(override.fact), why=why)


def _told(fact: Fact) -> str:
    return f"{_amount(fact)} ({fact.source}, {fact.date.isoformat()})"


def _amount(fact: Fact) -> str:
    return f"{fact.value:g} {fact.unit}"
