"""The plan of a job of which something is in doubt or not said yet, for who asks of the plan before answering: what is
likeliest is supposed, said to be, and not taken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from assistant.present.fields import field_text
from assistant.present.plan.reading import chosen, gpus
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.fields import NUMERIC
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.questionnaire import FIELDS

from ..draft import Draft, InDoubt
from ..state import State
from . import open_count
from .parts import Parts

_CHOSEN = frozenset({"cluster.gpu", "cluster.gpus", "cluster.provider", "cluster.fabric", "budget.mode"})
_LIMITS = frozenset({"constraints.deadline_days", "budget.usd", "budget.usd_per_month"})  # the tighter one is safe
_OWNED, _SIZE = "budget.owned", "model.params"
_AS_PLANNED = {"budget.mode": "rent"}  # where nobody said whose the machines are
_MOST_TRIED = 8  # plans that are weighed against each other
# Most offers of the catalog are of the one; the other is the size that most jobs without a model speak of.
_USUAL = {"cluster.gpu": "h100-sxm", "model": "llama-3.1-70b"}
_SAYS, _WIDEST = "Supposed so far: {}.", 78  # characters of the line


@dataclass(frozen=True)
class Supposed:
    """``state`` has the plan of the draft with what is supposed; ``line`` says what that is; ``of`` is the draft as it
    was told. ``of_any_model``: nothing of its model was told, so that all figures are another job's."""

    of: Draft
    state: State
    line: str
    of_any_model: bool = False


def supposed(parts: Parts) -> Supposed | None:
    """The state in which a question of the plan is answered; ``None`` where nothing has to be supposed, or no plan can
    be made of it."""
    told = parts.state.draft
    if parts.supposed is None or parts.supposed.of != told:
        parts.supposed = _of(parts, told) if told.in_doubt or not told.complete else None
    found = parts.supposed
    if found is None:
        return None
    tried = {name: getattr(parts.state, name) for name in ("variation", "varied", "compared", "networks")}
    return replace(found, state=replace(found.state, **tried))


def _of(parts: Parts, told: Draft) -> Supposed | None:
    if not told.fields:
        return None
    sure = [one for one in told.in_doubt if (not one.unlikely and not _left_open(one)) or _is_needed(one, told)]
    base = min(_ways(parts, told, sure), key=_rank, default=None)
    if base is None:
        return None
    decided = [one for one in sure if not one.fields <= _LIMITS]
    unlimited = min(_ways(parts, told, decided), key=_rank, default=None) if len(decided) < len(sure) else None
    if unlimited is not None and _is_smaller(base, unlimited):
        base = unlimited
    base = _anywhere(parts, base)
    for one in (one for one in told.in_doubt if one not in sure and _counts(one)):
        further = _made(parts, base[0], _of_known_work(told, one.meanings)[0])
        if further is not None and (_works(further[1]) or not _works(base[1])) and not _is_smaller(further, base):
            base = further
    draft, plan = base
    same = parts.state.plan is not None and not _matters(parts.state.plan, base)
    any_model = "model" in told.missing and draft.fields.get("model") == _USUAL["model"]
    line = "" if same else _line(parts, told, draft)
    return Supposed(told, State(draft=draft, plan=plan, adopted=plan), line, any_model)


Fields = Mapping[str, Any]
_Way = tuple[Draft, Plan]


def _left_open(one: InDoubt) -> bool:
    """Whether a network was only named: "we know Ethernet well" chooses none."""
    return one.fields == {"cluster.fabric"} and len(one.meanings) == 1


def _is_needed(one: InDoubt, told: Draft) -> bool:
    """Whether it would tell what nothing can be planned without."""
    missing = {*told.missing}
    return any(path in missing or path.partition(".")[0] in missing for path in one.fields)


def _is_smaller(way: _Way, than: _Way) -> bool:
    """Whether a limit leaves fewer GPUs than the plan that was shown has: what is asked is asked of that one."""
    return gpus(way[1]) < gpus(than[1])


def _counts(one: InDoubt) -> bool:
    """Whether what is hardly likely is an amount: of a choice nothing is supposed that nobody made."""
    return all(FIELDS[path].about.kind in NUMERIC for path in one.fields)


def _anywhere(parts: Parts, way: _Way) -> _Way:
    """From any provider where the one that was named does not have it at all: "from Lambda or whoever has them"."""
    if _works(way[1]) or "cluster.provider" not in way[0].fields:
        return way
    dearer = _made(parts, way[0], {name: None for name in _LIMITS & way[0].fields.keys()})
    if dearer is not None and _works(dearer[1]):
        return way
    found = _made(parts, way[0], {"cluster.provider": None})
    return found if found is not None and _works(found[1]) else way


def _ways(parts: Parts, told: Draft, sure: Iterable[InDoubt]) -> list[_Way]:
    """The job in each way that it may be meant, as far as it can be planned so."""
    each = [_weighed(_of_known_work(told, one.meanings)) for one in sure]
    ways = ({name: value for fields in way for name, value in fields.items()} for way in product(*each))
    tried = [_of_one_model(way) for _, way in zip(range(_MOST_TRIED), ways, strict=False)]
    found = [_made(parts, told, way) for way in tried]
    return [one for one in found if one is not None]


def _of_known_work(told: Draft, meanings: Sequence[Fields]) -> Sequence[Fields]:
    """The readings, of a run whose tokens are known a time as its deadline: its length follows from them."""
    if "training.tokens" not in told.fields:
        return meanings
    due = lambda name: "constraints.deadline_days" if name == "training.days" else name
    return [{due(name): value for name, value in meaning.items()} for meaning in meanings]


def _of_one_model(way: Fields) -> Fields:
    """A way in which a model that is named goes before figures of one of one's own."""
    return {name: value for name, value in way.items() if "model" not in way or not name.startswith("model.")}


def _weighed(meanings: Sequence[Fields]) -> Sequence[Fields]:
    """The readings that are weighed by their plans: of what is chosen each, of a limit the tightest, and beside it what
    else it may mean, as a limit that nothing keeps is hardly one; of a fact the likeliest."""
    if any(_OWNED in meaning for meaning in meanings) and _AS_PLANNED in meanings:
        return [_AS_PLANNED]  # whose they are is no matter of what costs least: it is as it is planned until it is said
    bought = [meaning for meaning in meanings if _OWNED not in meaning]
    if len(bought) < len(meanings) and bought:
        return bought  # what is there always costs least, so its cost says nothing
    path = next(iter(meanings[0]))
    if path in _CHOSEN or (path in _LIMITS and any(path not in meaning for meaning in meanings)):
        return meanings
    same = [meaning for meaning in meanings if path in meaning]
    if path == _SIZE:
        return [max(same, key=lambda meaning: meaning[path])]  # of several models the cluster must run the largest
    return [min(same, key=lambda meaning: meaning[path])] if path in _LIMITS else meanings[:1]


def _made(parts: Parts, told: Draft, fields: Mapping[str, Any]) -> _Way | None:
    """The draft with the fields, what is missing beside them usual, and its plan."""
    try:
        draft = told.with_fields(fields, parts.catalog).draft if fields else told
        # Of a job without model and size hardly anything was told; one of which experts were told has its own model.
        sized = "cluster.gpus" in draft.fields and not any(name.startswith("model.") for name in draft.fields)
        usual = {name: value for name, value in _USUAL.items() if name in draft.missing and (sized or name != "model")}
        draft = draft.with_fields(usual, parts.catalog).draft if usual else draft
        count = open_count.taken(parts, draft)
        draft = draft.with_fields({open_count.GPUS: count[0]}, parts.catalog).draft if count else draft
        made = parts.planned(draft)
    except InputError:
        return None
    plan = made.unfinished.finished() if made.unfinished is not None else made.plan
    return None if plan is None else (draft, plan)


def _works(plan: Plan) -> bool:
    return plan.recommendation.verdict != "infeasible"


def _rank(way: _Way) -> tuple[bool, float, int]:
    """What works goes before what does not, then what costs less; where no price is known a fact before a limit."""
    best = chosen(way[1])
    cost = best.median_cost if best is not None and best.cost_usd else float("inf")
    return not _works(way[1]), cost, len(_LIMITS & way[0].fields.keys())


def _matters(before: Plan, way: _Way) -> bool:
    """Whether what is supposed makes another plan."""
    return way[1].recommendation.card != before.recommendation.card


def _line(parts: Parts, told: Draft, draft: Draft) -> str:
    """What is supposed, in a line: what is chosen and what limits first."""
    new = {name: value for name, value in draft.fields.items() if told.fields.get(name) != value}
    anybody = ["any provider"] if "cluster.provider" in told.fields.keys() - draft.fields.keys() else []
    first = [name for name in new if name in _LIMITS | _CHOSEN]
    named = anybody + [field_text(name, new[name], parts.catalog) for name in dict.fromkeys([*first, *new])]
    while len(named) > 1 and len(_SAYS.format("; ".join(named))) > _WIDEST:
        named = named[:-1]
    return _SAYS.format("; ".join(named))
