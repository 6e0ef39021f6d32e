"""How many GPUs are taken where that is left open: the fewest that end the run in the time there is."""

from __future__ import annotations

from math import ceil

from assistant.present import figures

from ..draft import Draft
from ..events import Note
from .parts import Parts

GPUS = "cluster.gpus"
_TIMES = ("constraints.deadline_days", "training.days")


def taken(parts: Parts, draft: Draft) -> tuple[int, Note] | None:
    """The number, in whole nodes, and the note that says so; ``None`` where more than the number is missing, or no
    number is enough."""
    from assistant.answering import gpus_for_days

    if draft.missing != (GPUS,):
        return None
    said = next((draft.fields[name] for name in _TIMES if name in draft.fields), None)
    days = said or next(one.days for one in parts.library.interview.questions if one.field == GPUS and one.days)
    sized = gpus_for_days(days, draft.fields, GPUS, parts.library, parts.today)
    found = sized.computed if sized is not None else None
    gpus = next((figure.value for figure in found.figures if figure.unit == "GPUs"), None) if found else None
    if gpus is None:
        return None
    per_node = draft.per_node(parts.catalog) or 1
    whole = per_node * ceil(gpus / per_node)
    length = figures.hours(24 * days)
    time = length if said else f"about {length}, as no date was said"
    why = f"the fewest whole machines that end the run within {time}; say another number at any time"
    return whole, Note(text=f"GPUs: {whole:,} taken, {why}.")
