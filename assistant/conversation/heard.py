"""What a message says about the job: the one place of the conversation that reads free text."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import inf, log
from typing import Any

from assistant.library import Library
from assistant.understanding import Listener
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.quantities import same_in_binary
from assistant.vocabulary.questionnaire import FIELDS
from assistant.vocabulary.utterance import Utterance

from .draft import EXCLUDED, NODES, Draft
from .quotes import with_quotes


def heard(text: str, draft: Draft, library: Library, today: datetime.date | None = None) -> Utterance:
    """What the text says where ``draft`` is known."""
    said = Listener.of(library.language, library.catalog, library.listener).hear(text, draft, today=today)
    return _supposed(_by_size(_own_size(_of_words(said)), draft), draft)


def _of_words(said: Utterance) -> Utterance:
    """Without numbers among what a choice of words may mean: "training 13B-40B models" has no purpose of 13 billion."""
    chosen = lambda doubt: doubt.field in FIELDS and FIELDS[doubt.field].about.kind == "choice"
    worded = lambda doubt: replace(doubt, options=tuple(one for one in doubt.options if isinstance(one, str)))
    kept = (worded(one) if chosen(one) and one.options else one for one in said.doubts)
    return replace(said, doubts=tuple(one for one in kept if one.options or one.between or not chosen(one)))


def _own_size(said: Utterance) -> Utterance:
    """A size right behind the name of a model ("GPT-2 124M") read as of that model, and of no budget: it is another one
    than the catalog has under that name."""
    named = next((one for one in said.entities if one.kind == "model" and not one.denied), None)
    between = next((one for one in said.doubts if _PARAMS in dict(one.between)), None)
    if named is None or between is None or "model" not in said.fields:
        return said
    size = dict(between.between)[_PARAMS]
    beside = any(one.value == size and 0 <= one.start - named.end <= 1 for one in said.amounts)
    if not beside:
        return said
    fields = {name: value for name, value in said.fields.items() if name != "model"} | {_PARAMS: size}
    return replace(said, fields=fields, doubts=tuple(one for one in said.doubts if one is not between))


def _by_size(said: Utterance, draft: Draft) -> Utterance:
    """A bare size ("could I go to 350M") read as of the field that it is nearest to, where the parameters of the model
    are known: of no budget, and of no tokens a hundred times as many."""
    known, sizes = draft.fields.get(_PARAMS), {one.value for one in said.amounts if one.kind == "size"}
    if not known or not sizes or _PARAMS in said.fields or said.act in ("describe",):
        return said
    taken = {name: value for name, value in said.fields.items() if name in _OF_A_SIZE and value in sizes}
    doubted = [one for one in said.doubts if one.field == _PARAMS and len(one.options) == 1]
    if len(taken) != 1 and not doubted:
        return said
    value = next(iter(taken.values()), None) or doubted[0].options[0]
    off = lambda name: abs(log(value / draft.fields[name])) if draft.fields.get(name) else inf
    if abs(log(value / known)) > min([_NEAR, *map(off, taken)]):
        return said
    fields = {name: one for name, one in said.fields.items() if name not in taken} | {_PARAMS: value}
    return replace(said, fields=fields, doubts=tuple(one for one in said.doubts if one not in doubted))


_PARAMS, _OF_A_SIZE, _NEAR = "model.params", frozenset({"training.tokens", "budget.usd"}), log(30)


def fields_set(said: Utterance, draft: Draft) -> dict[str, Any]:
    """The fields a message sets; ``None`` for one it takes back. Networks it rules out join those ruled out before."""
    true = confirmed(said, draft)
    fields = {name: value for name, value in said.fields.items() if name not in true}
    fields |= {name: None for name in said.unset}
    if said.nodes is not None:
        fields[NODES] = said.nodes
    if fields.get("budget.owned") == "everything" and len(said.fabrics) == 1 and not said.excluded:
        fields.setdefault("cluster.fabric", said.fabrics[0])  # the network that is there is the one that is named
    if said.excluded:
        fields[EXCLUDED] = sorted({*draft.fields.get(EXCLUDED, ()), *said.excluded})
    return with_quotes(_routed(_within(fields), draft), said, draft)


def _routed(fields: dict[str, Any], draft: Draft) -> dict[str, Any]:
    """Experts whose number is said beside the parameters in all and those of a token: how many a token uses follows,
    as nearly all parameters of a mixture are its experts'."""
    known = lambda name: fields.get(f"model.{name}") or draft.fields.get(f"model.{name}")
    experts, params, active = known("experts"), known("params"), known("active_params")
    if not (experts and params and active) or known("experts_per_token") or active > params:
        return fields
    return {**fields, "model.experts_per_token": max(1, min(experts, int(experts * active / params)))}


# Experts of a token where nobody said: two of up to 16 (Mixtral, Grok-1, Phi-3.5), eight of more (DeepSeek-V3, Qwen3).
_FEW, _OF_FEW, _OF_MANY = 16, 2, 8


def _supposed(said: Utterance, draft: Draft) -> Utterance:
    """With what a message leaves out and no plan can do without, and that it is supposed: experts that a token uses,
    and sites where a line between them is told."""
    known = lambda name: said.fields.get(name) or draft.fields.get(name)
    experts, found, told = known("model.experts"), dict[str, Any](), list[str]()
    follows = known("model.params") and known("model.active_params")
    if experts and experts > _OF_FEW and not (known("model.experts_per_token") or follows):
        each = _OF_MANY if experts > _FEW else _OF_FEW
        found["model.experts_per_token"] = each
        told.append(f"a token is taken to use {each} of the {experts} experts, as published mixtures of so many do")
    if said.fields.get("cluster.wan_gbps") and not known("cluster.sites"):
        found["cluster.sites"] = 2
        told.append("the line between sites is taken to join two")
    return replace(said, fields={**said.fields, **found}, assumed=(*said.assumed, *told)) if found else said


def _within(fields: dict[str, Any]) -> dict[str, Any]:
    """A deadline in whole days ("9 months"). A message with the work and a length ("5B tokens, rented for a month"):
    the length is the time that there is."""
    if fields.get(_TOKENS) is not None:  # the steps follow from them
        fields = {name: value for name, value in fields.items() if name != "training.steps"}
    days = fields.get(_DEADLINE)
    if isinstance(days, float) and days >= _WEEK:
        fields = {**fields, _DEADLINE: round(days)}
    work = fields.get(_TOKENS) or fields.get("training.steps")
    if work is None or fields.get("training.days") is None:
        return fields
    others = {name: value for name, value in fields.items() if name != "training.days"}
    days = fields["training.days"]
    return {_DEADLINE: round(days) if days >= _WEEK else days} | others


def confirmed(said: Utterance, draft: Draft) -> dict[str, Any]:
    """Details of the model that is named: the catalog has them already. What is not so was asked about, and a size of
    its own is another model."""
    model = said.fields.get("model", draft.fields.get("model"))
    details = {name: value for name, value in said.fields.items() if name.startswith("model.")}
    return details if isinstance(model, str) and "model.params" not in details else {}


_DEADLINE = "constraints.deadline_days"
_LENGTHS = frozenset({_DEADLINE, "training.days"})


_FACTOR = re.compile(r"\b(\d+(?:\.\d+)?) ?(?:x|times|fold)\b")


def is_no_value(value: Any, said: Utterance, path: str | None = None) -> bool:
    """Whether a number is no value of a field: it stands in a message as how many times something is ("2x longer"), or
    is no whole number where one is counted."""
    if (
        path
        and path in FIELDS
        and FIELDS[path].about.kind == "count"
        and isinstance(value, float)
        and not value.is_integer()
    ):
        return True
    return isinstance(value, int | float) and value in {float(one) for one in _FACTOR.findall(said.text.lower())}


def bare_numbers(said: Utterance) -> set[Any]:
    """The values of a message that are numbers without a unit."""
    return {amount.value for amount in said.amounts if amount.kind == "number"}


def guessed(said: Utterance, draft: Draft, words: Mapping[str, Any]) -> set[str]:
    """What was read of a bare number and is a guess, no fact of a question: a length beside which nothing speaks of
    time, another order of magnitude than it has, half the work where money is spoken of. ``words`` are those of
    followups.yaml."""
    bare, text = bare_numbers(said), said.text.lower()
    far = {name for name, value in said.fields.items() if value in bare and _is_far(value, draft.fields.get(name))}
    shared = any(amount.kind in ("share", "percent") for amount in said.amounts)
    of_money = shared and any(word in text for word in words["of_money"])
    halved = {name for name in said.fields if name.startswith(("training.", "inference."))} if of_money else set()
    return far | _lengths(said, words["of_time"]) | halved | _scaled(said, draft, words)


def _scaled(said: Utterance, draft: Draft, words: Mapping[str, Any]) -> set[str]:
    """What was read as a multiple of a value that nothing names, where something else was said: "with 64, does it take
    twice as long" multiplies no budget."""
    text, factors = said.text.lower(), {*words["times"].values(), *(1 / many for many in words["times"].values())}
    shares = [float(one.value) / 100 for one in said.amounts if one.kind in ("percent", "share")]  # "20 % lower"
    factors = {round(one, 6) for one in [*factors, *(1 + one for one in shares), *(1 - one for one in shares)]}
    scaled = {
        name
        for name, value in said.fields.items()
        if _is_near(_ratio(value, draft.fields.get(name)), factors) and not _is_told(value, said)
    }
    if not (said.amounts or set(said.fields) - scaled):
        return set()
    own = lambda name: next((found for start, found in words["of_field"].items() if name.startswith(start)), ())
    return {name for name in scaled if not any(word in text for word in own(name))}


def _is_near(ratio: float | None, factors: Iterable[float]) -> bool:
    """Whether a ratio is one of the factors, as far as whole numbers have it: 410 of 512 are a fifth less."""
    return ratio is not None and any(abs(ratio - one) <= _ROUNDED * one for one in factors)


_ROUNDED = 0.005


def _is_told(value: Any, said: Utterance) -> bool:
    """Whether a value stands in a message as a number: "256k" is 262,144."""
    numbers = (amount.value for amount in said.amounts if amount.kind == "number" and amount.value)
    return isinstance(value, int | float) and any(same_in_binary(value, number) for number in numbers)


def _ratio(value: Any, known: Any) -> float | None:
    if not isinstance(value, int | float) or not isinstance(known, int | float) or not known:
        return None
    return round(value / known, 6)


_WEEK = 7
_TOKENS, _FAR = "training.tokens", 1000.0


def _is_far(value: Any, known: Any) -> bool:
    """Whether a number is so far from the one that is known that it cannot be meant."""
    if not isinstance(known, int | float) or not isinstance(value, int | float) or not value or not known:
        return False
    return max(value / known, known / value) > _FAR


def _lengths(said: Utterance, of_time: Iterable[str]) -> set[str]:
    """Lengths that were read where nothing speaks of time."""
    timed = any(amount.kind in ("time", "date") for amount in said.amounts)
    text = said.text.lower()
    return set() if timed or any(word in text for word in of_time) else set(said.fields) & _LENGTHS


def fields_varied(said: Utterance, draft: Draft, catalog: Catalog, words: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a "what if": a network that was ruled out may compete again, another one named is taken as
    decided."""
    beside = guessed(said, draft, words)
    fields = {name: value for name, value in fields_set(said, draft).items() if name not in beside}
    still_excluded = _still_excluded(said, draft, catalog)
    if still_excluded is not None:
        return {name: value for name, value in fields.items() if name != "cluster.fabric"} | {EXCLUDED: still_excluded}
    if not fields and len(said.fabrics) == 1:
        fields["cluster.fabric"] = said.fabrics[0]
    doubts = [
        doubt for doubt in said.doubts if not any(is_no_value(option, said, doubt.field) for option in doubt.options)
    ]
    if not fields and len(doubts) == 1 and doubts[0].field and len(doubts[0].options) == 1:
        fields[doubts[0].field] = doubts[0].options[0]  # nothing is taken by trying it
    return fields


def _still_excluded(said: Utterance, draft: Draft, catalog: Catalog) -> list[str] | None:
    """What stays ruled out when a network that was is allowed again: it competes then, it is not decided."""
    excluded, fabrics = draft.fields.get(EXCLUDED, []), catalog.fabrics
    if not set(said.fabrics) & set(excluded) or all(scope.kind != "allowed" for scope in said.scopes):
        return None
    allowed = {fabrics[name].technology for name in said.fabrics}
    return [name for name in excluded if fabrics[name].technology not in allowed]
