"""What is asked of the plan in figures, where the words of a question say which and no kind of question is sure."""

from __future__ import annotations

from functools import partial
from typing import Any

from assistant.present.plan.query import answered as figures_of
from assistant.understanding.followups import ELSEWHERE
from assistant.vocabulary.utterance import Utterance

from ..events import Event, Note
from . import asked as asked_of
from .followup import answer_of, asks, behind, first_share, new_facts
from .parts import Parts

_LIKELY, _CERTAIN = 0.25, 0.75  # from when on a kind of question needs more to be read, of two concepts and of three
_SURE = 0.45  # how likely it is at least no question of the plan that is asked elsewhere
_STATES = frozenset({"describe", "change", "unclear"})
_LIMITS = ("constraints.", "budget.")
_OF_QUOTES = {"quotes", "compare", "quicker"}
_PRICE = "budget.gpu_hour_usd"
_WHOSE = {"cluster.provider", "cluster.fabric", "cluster.gpu", "training.days"}  # whose figures are told, and lengths


def answered(parts: Parts, said: Utterance) -> list[Event] | None:
    """The answer to a question for figures whose words are understood; ``None`` where a kind of question is likelier,
    or the plan has none of the figures."""
    states = said.act in _STATES and not asks(parts, said) and new_facts(parts, said)
    if parts.state.plan is None or states or said.offers or said.act in ("undo", "export"):
        return None
    change = _supposed(parts, said)
    if change is None or not _is_read(said, tried=bool(change), quoted=len(parts.state.plan.quotes) > 1):
        return None
    view, tell = parts.view_of(said), lambda asked: figures_of(asked, change)
    events = view(lambda plan: answer_of(parts, plan, said, tell, {}))
    if all(isinstance(event, Note) and event.text.startswith("With ") for event in events):
        return None
    more = parts.figures[said.query.quantities[0]].get("more", "run-cost")
    parts.more = partial(behind, parts, more, said, view)
    return events


def _is_read(said: Utterance, *, tried: bool, quoted: bool) -> bool:
    """Whether more of a question was read than was not, the more the surer a kind of question is."""
    query, share = said.query, first_share(said)
    whose = bool(said.fabrics or query.quotes or said.named("provider") or (quoted and _OF_QUOTES & query.concepts))
    needed = 1 + (share >= _LIKELY) + (share >= _CERTAIN)
    known = bool(query.quantities) and dict(said.followup).get(ELSEWHERE, 0.0) < _SURE
    return known and query.depth + whose + tried - len(query.unread) >= needed


def _supposed(parts: Parts, said: Utterance) -> dict[str, Any] | None:
    """The fields that a question for figures supposes to be otherwise; a limit changes no figure, and one of something
    is a unit. ``None`` where something is supposed that cannot be tried."""
    if "claim" in said.query.concepts:
        return {}
    told = {p: v for p, v in said.fields.items() if parts.state.draft.fields.get(p) != v}
    drops = _WHOSE | ({_PRICE} if {"rises", "falls"} & said.query.concepts else set())
    limits = {p for p in told if p.startswith(_LIMITS) and p != _PRICE}
    told = {p: v for p, v in told.items() if v != 1 and p not in drops | limits}
    found = {path: value for path, value in asked_of.varied(parts, said).items() if path in told}
    return found if found.keys() == told.keys() else None
