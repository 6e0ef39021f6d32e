"""What puts right or answers: bare numbers, "48, not 64", "twice as many", "two more nodes", yes and no to the open
question."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from assistant.vocabulary.catalog import Gpu
from assistant.vocabulary.fields import NUMERIC, RegisteredField
from assistant.vocabulary.quantities import same_in_binary
from assistant.vocabulary.questionnaire import FIELDS

from .attach import LEAST_BUDGET, Context, Fact, converted
from .templates import Quantity, Source
from .wordings import FACTORS, LAST, LOAD, SHARES, span_kinds

_GPUS = "cluster.gpus"
LOADS = ("inference.requests_per_s", "inference.concurrency", "inference.tokens_per_s")
_USUAL_NODE = 8  # GPUs of a node
DENIES = frozenset("not isn't aren't wasn't from no than #".split())  # before a number that is not the one meant


def current(path: str, context: Context, gpu: Gpu | None) -> float | None:
    """The value that the conversation has for a field; a GPU-hour costs what the catalog says where nothing else was
    said."""
    known = context.fields.get(path)
    if known is None and path == "budget.gpu_hour_usd" and gpu and gpu.hour_price:
        return gpu.hour_price.value
    return known if isinstance(known, (int, float)) and not isinstance(known, bool) else None


def relative(
    path: str,
    fact: Fact,
    field: RegisteredField,
    context: Context,
    gpu: Gpu | None,
    words: Sequence[str],
    today: datetime.date,
) -> int | float | None:
    """The new value of a field that was scaled, or to which something was added; ``None`` where the old one is not
    known.

    ``words`` are the stems that the change claims: which of them multiplies, and by how much.
    """
    known = current(path, context, gpu)
    if known is None:
        return None
    said = next(iter(fact.slots.values()), None)
    if fact.says.act == "scale":
        changed = known * (said.value if said else next((FACTORS[w] for w in words if w in FACTORS), 1.0))
    elif said is None or fact.says.act == "share":
        share = said.value / 100 if said else next((SHARES[w] for w in words if w in SHARES), 0.0)
        changed = known * (1 + fact.says.value * share)
    else:
        size = context.fields.get("cluster.gpus_per_node") or (gpu.gpus_per_node if gpu else _USUAL_NODE)
        changed = known + fact.says.value * (converted(field, said, today) or 0) * (
            size if "nodes" in fact.slots else 1
        )
    return _kept_whole(field, changed) if changed > 0 and changed != known else None


def _kept_whole(field: RegisteredField, value: float) -> int | float:
    if field.about.kind == "count":
        return max(1, round(value))
    value = round(value, 6)
    return int(value) if value == int(value) else value


_STEPS = (0.25, 0.5, 2.0, 4.0)  # as people vary a setting that comes in powers of two


def last_said(context: Context, fields: Mapping[str, RegisteredField]) -> str | None:
    """The number that was changed last in the conversation."""
    return next((p for p in reversed(context.changed) if p in fields and fields[p].about.kind in NUMERIC), None)


def meant(path: str, context: Context, fields: Mapping[str, RegisteredField]) -> str | None:
    """The field of a change: the number that was said last, or the load in the words in which it was said."""
    if path == LAST:
        return last_said(context, fields)
    return next((p for p in LOADS if p in context.fields), LOADS[0]) if path in (LOAD, LOADS[0]) else path


def expected(act: str, context: Context, fields: Mapping[str, RegisteredField]) -> str | None:
    """The field a bare amount is about: the one last said when correcting, else the one asked for."""
    asked = {"model": "model.params"}.get(context.asked or "", context.asked)
    numeric = asked if asked and asked in fields and fields[asked].about.kind in NUMERIC else None
    return (last_said(context, fields) or numeric) if act in ("change", "what-if") else numeric


def bare(
    source: Source,
    taken: set[int],
    act: str,
    context: Context,
    fields: Mapping[str, RegisteredField],
    today: datetime.date,
    spoken_of: Collection[str] = (),
) -> tuple[str, Any, range] | None:
    """An amount on its own that answers the open question or corrects what was said last: the field, the value, its
    tokens. ``spoken_of`` are fields that the message names: then it is about the one of these or about none."""
    if act == "what-if" and not spoken_of and last_said(context, fields) is None:
        doubled = _doubled(source, taken, context, fields, today)
        if doubled is not None:
            return doubled
    path = _of_the_old(source, taken, context, fields) if act == "change" else None
    path = path or expected(act, context, fields)
    if spoken_of and act in ("change", "what-if"):
        path = next(iter(spoken_of)) if len(spoken_of) == 1 else None
    if path is None:
        return None
    found = [
        (value, quantity)
        for quantity in _free(source, taken)
        if (value := _as_answer(path, quantity, fields[path], today)) is not None
    ]
    values = {value for value, _ in found}
    if len(values) != 1 and len(found) == 2 and act == "change":
        return _new_for_old(source, found, path, context)
    if len(values) != 1 or _is_old(source, found[0][1]):
        return None
    value, quantity = found[0]
    return path, value + _known_too(source, quantity, path, context), range(quantity.start, quantity.end)


def _doubled(
    source: Source, taken: set[int], context: Context, fields: Mapping[str, RegisteredField], today: datetime.date
) -> tuple[str, Any, range] | None:
    """ "And at 256k?": the one field that is known to be a half, a quarter, twice or four times as much."""
    places = [(at, every) for at, every in source.starting.items() if every[0].end and at not in taken]
    if len(places) != 1:
        return None
    known = {p: v for p, v in context.fields.items() if p in fields and fields[p].about.kind in NUMERIC and v}
    found = [
        (path, value, range(quantity.start, quantity.end))
        for quantity in places[0][1]
        for path, old in known.items()
        if (value := _as_answer(path, quantity, fields[path], today))
        and any(same_in_binary(value, old * step) for step in _STEPS)
    ]
    return found[0] if len({path for path, _, _ in found}) == 1 else None


def in_its_place(
    source: Source, taken: set[int], path: str, today: datetime.date, old: Any
) -> tuple[str, int | float | None, range]:
    """ "1B tokens is wrong, it is 150 million": the one amount that is left over for a field whose value is denied, and
    is not ``old``."""
    free = _free(source, taken) if path in FIELDS and FIELDS[path].about.kind in NUMERIC else []
    value = _as_answer(path, free[0], FIELDS[path], today) if len(free) == 1 else None
    return path, value if value != old else None, range(free[0].start, free[0].end) if free else range(0)


def _is_old(source: Source, quantity: Quantity) -> bool:
    """ "pp isn't 4 any longer": a number that is denied."""
    return quantity.start > 0 and source.tokens[quantity.start - 1].text in DENIES


def _known_too(source: Source, quantity: Quantity, path: str, context: Context) -> float:
    """What "another 64" comes on top of."""
    before = source.tokens[quantity.start - 1].text if quantity.start else ""
    behind = source.tokens[quantity.end].text if quantity.end < len(source.tokens) else ""
    more = before in ("another", "extra", "additional", "plus") or behind in ("more", "extra", "additional")
    known = context.fields.get(path)
    return known if more and isinstance(known, (int, float)) else 0


def _of_the_old(source: Source, taken: set[int], context: Context, fields: Mapping[str, RegisteredField]) -> str | None:
    """ "48, not 64": the one field that is 64."""
    old = [q.value for q in _free(source, taken) if q.start and source.tokens[q.start - 1].text in ("not", "from")]
    known = [
        p for p, value in context.fields.items() if old == [value] and p in fields and fields[p].about.kind in NUMERIC
    ]
    return known[0] if len(known) == 1 else None


def _new_for_old(
    source: Source, found: Sequence[tuple[Any, Quantity]], path: str, context: Context
) -> tuple[str, Any, range] | None:
    """ "48, not 64": of two numbers the one that is known already is the old one."""
    known = context.fields.get(path)
    other = [(value, quantity) for value, quantity in found if value != known]
    if len(other) != 1:
        denied = [i for i, (_, q) in enumerate(found) if q.start and source.tokens[q.start - 1].text in ("not", "from")]
        other = [pair for i, pair in enumerate(found) if denied == [1 - i]]
    return (
        (path, other[0][0], range(min(q.start for _, q in found), max(q.end for _, q in found)))
        if len(other) == 1
        else None
    )


def _free(source: Source, taken: set[int]) -> list[Quantity]:
    """Amounts nobody claimed, the longest at each place."""
    best = [max(quantities, key=lambda q: q.end) for quantities in source.starting.values()]
    return [q for q in best if not taken & set(range(q.start, q.end))]


def _as_answer(path: str, quantity: Quantity, field: RegisteredField, today: datetime.date) -> Any:
    kinds = {kind.split("/")[0] for kind in span_kinds(field)} | ({"number"} if quantity.kind == "number" else set())
    if quantity.kind not in kinds or quantity.low is not None:
        return None
    if path == "model.params" and quantity.unit not in ("b", "bn", "billion", "m", "million", "t", "trillion"):
        return None
    value = converted(field, quantity, today)
    low, high = field.about.sensible or (None, None)
    if low is not None and high is not None and isinstance(value, (int, float)) and not low <= value <= high:
        return None
    return None if path == "budget.usd" and value is not None and value < LEAST_BUDGET else value
