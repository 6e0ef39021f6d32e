"""Each quantity and name to the field that its kind, the words around it and its clause speak for best.

Every template that matches is a candidate; the one that explains most of the message wins its tokens. Two fields that
fit equally well are a doubt, never a guess.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from assistant.vocabulary.fields import NUMERIC, RegisteredField
from assistant.vocabulary.quantities import DAYS_PER_MONTH
from assistant.vocabulary.questionnaire import SERVING
from assistant.vocabulary.utterance import Doubt

from .numbers import DOTTED, binary
from .templates import Hit, Quantity, Source
from .text import cut, stem
from .wordings import Says, span_kinds

_OWN_WORD, _PER_HIT, _GENERIC = 3, 2, 1
_ANSWERS = 4  # what is written as the answer to the very question that is open goes before other readings
_MULTIPLY = ("epochs", "links")  # roles of what the value is multiplied by: "2 x 100G between the sites"
LEAST_BUDGET = 1000  # dollars: a smaller bare number is no budget
_PERIODS = frozenset({"month", "year", "week", "day"})
_FACTS = frozenset({"number", "size", "gpu", "model", "provider", "instance"})
_SIZES = frozenset({"b", "bn", "billion", "m", "million", "t", "trillion"})


class Context(Protocol):
    """What the conversation knows while a message is read."""

    @property
    def fields(self) -> Mapping[str, Any]: ...
    @property
    def asked(self) -> str | None: ...
    @property
    def changed(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class Nothing:
    """No conversation: a sentence on its own."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    asked: str | None = None
    changed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fact:
    """A reading of some tokens: ``act`` as in :class:`Says`, or ``count`` for GPUs and nodes."""

    says: Says
    value: Any
    start: int
    end: int
    claimed: frozenset[int]
    slots: Mapping[str, Quantity] = field(default_factory=dict)


@dataclass(frozen=True)
class Candidate:
    """A fact and how much of the message it explains."""

    fact: Fact
    score: float


def candidates(hits: Iterable[Hit], fields: Mapping[str, RegisteredField], today: datetime.date) -> list[Candidate]:
    """Every hit of a field's template whose value the field can take."""
    found = []
    for hit in hits:
        says: Says = hit.key
        value = says.value
        if says.act == "set" and value is None:
            said = _said(hit) if hit.slots else None
            value = converted(fields[says.field], computed(says.how, said), today) if said else True
            for times in (hit.slots[role] for role in _MULTIPLY if role in hit.slots):
                value = value and _tidy(value * times.value)
            if value and "less" in hit.slots:  # "one week before the 28th"
                value = _tidy(value - hit.slots["less"].value)
        too_small = (
            says.field == "budget.usd" and not hit.own and isinstance(value, (int, float)) and value < LEAST_BUDGET
        )
        if says.act == "set" and (value is None or too_small):
            continue
        fact = Fact(says, value, hit.start, hit.end, _claimed(hit), hit.slots)
        fit = _fit(fields[says.field], value) if says.act == "set" and "tokens" not in hit.slots else 0
        worth = score(hit) - (_GENERIC if says.generic or says.weak else 0) + (_ANSWERS if says.asked else 0) + fit
        if fit and (
            worth < 0 or not hit.own or _cannot_be(fields[says.field], value)
        ):  # an amount that would make no sense for the field says nothing of it
            continue
        found.append(Candidate(fact, worth))
    return found


def _claimed(hit: Hit) -> frozenset[int]:
    """The tokens a reading takes: of a choice not the counts and names beside it, which are facts of their own."""
    if hit.key.act != "set" or hit.key.value is None:
        return hit.claimed
    beside = (q for q in hit.slots.values() if q.kind in _FACTS)
    return hit.claimed - frozenset(at for q in beside for at in range(q.start, q.end))


def answers(source: Source, field: RegisteredField | None, today: datetime.date) -> list[Candidate]:
    """An amount answers the open question where nothing nearer says what it is."""
    if field is None or field.about.kind not in NUMERIC:
        return []
    kinds = {kind.split("/")[0] for kind in span_kinds(field)} | {"number"}
    unit = {stem(token.text) for token in cut(field.about.unit.replace("{}", ""))}
    found = []
    for quantity in (q for quantities in source.starting.values() for q in quantities if q.kind in kinds):
        value = converted(field, quantity, today)
        if (
            value is None
            or _fit(field, value)
            or _of_other_period(field, quantity)
            or (field.path == "budget.usd" and value < LEAST_BUDGET)
        ):
            continue
        if field.path == "model.params" and quantity.unit not in _SIZES:
            continue
        end = quantity.end
        own = end < len(source.tokens) and source.tokens[end].stem in unit
        claimed = frozenset(range(quantity.start, end + own))
        fact = Fact(Says("set", field.path), value, quantity.start, end + own, claimed, {"answer": quantity})
        found.append(Candidate(fact, len(claimed) + (_OWN_WORD + 1 if own else 0)))
    return found


def _of_other_period(field: RegisteredField, quantity: Quantity) -> bool:
    """Whether money is by a period that the field is not: "8000 dollars a month" is no budget in all."""
    return quantity.unit in _PERIODS and f"{quantity.kind}/{quantity.unit}" not in span_kinds(field)


def sensible(field: RegisteredField, quantity: Quantity, today: datetime.date) -> Any:
    """A quantity as the field's value where kind and unit are those of the field and nobody would wonder about it."""
    for kind, _, unit in (kind.partition("/") for kind in span_kinds(field)):
        if _is_of(quantity, kind) and quantity.unit == (unit if kind.startswith("money") else quantity.unit):
            value = converted(field, quantity, today)
            return None if value is None or _fit(field, value) else value
    return None


def _is_of(quantity: Quantity, kind: str) -> bool:
    return quantity.kind == kind or (quantity.kind, kind) == ("share", "percent")  # "a fifth"


def score(hit: Hit) -> float:
    """How much of a message a hit explains: its own words most, then everything it claims; few long readings beat many
    short ones."""
    return _OWN_WORD * len(hit.own) + len(hit.claimed) - _PER_HIT


def computed(how: str, quantity: Quantity) -> Quantity:
    """The quantity that is the value: ``how`` is nothing, ``100-`` (what is left of it), ``1000/`` (each of so many) or
    ``/60``."""
    if not how:
        return quantity
    if how[0] == "/":
        return replace(quantity, value=quantity.value / float(how[1:]))
    of = float(how[:-1])
    return replace(quantity, value=of - quantity.value if how[-1] == "-" else of / (quantity.value or of))


def _said(hit: Hit) -> Quantity:
    return next(quantity for role, quantity in hit.slots.items() if role not in ("old", "aside", "less", *_MULTIPLY))


def _fit(field: RegisteredField, value: Any) -> float:
    """A value outside of what is sensible for a field speaks for another reading."""
    limits = field.about.sensible
    return -6 if limits and isinstance(value, (int, float)) and not limits[0] <= value <= limits[1] else 0


def _cannot_be(field: RegisteredField, value: Any) -> bool:
    """Whether a value is far beyond what is sensible: a deadline of a second."""
    low, high = field.about.sensible or (0, math.inf)
    return not 0.1 * low <= value <= 10 * high


def converted(field: RegisteredField, quantity: Quantity, today: datetime.date) -> Any:
    """A quantity as the field's value, in the unit of the field; ``None`` where it can be none."""
    value = quantity.value
    if field.about.kind == "id":
        return value
    if quantity.kind == "date":
        days = (value - today).days
        return days if days > 0 else None
    if field.path.endswith("_ms") and quantity.kind == "time":
        return _tidy(round(value * 86_400_000, 3))
    if field.path == "budget.amortization_months" and quantity.kind == "time":
        return round(value / DAYS_PER_MONTH)
    if quantity.unit == DOTTED and field.about.kind == "count":
        value *= 1000
    if quantity.kind == "number" and field.about.binary:
        value = binary(quantity)
    if field.about.kind == "count" and (value != int(value) or value < 1):
        return None
    if field.about.kind in ("amount", "time", "money") and _tidy(value) <= 0 and "percent" not in field.path:
        return None
    return _tidy(value)


def _tidy(value: float) -> int | float:
    """Without the noise of the arithmetic; a twelfth of a year stays one."""
    value = round(value, 6) if math.isclose(round(value, 6), value, rel_tol=1e-9) else float(value)
    return int(value) if value == int(value) and abs(value) < 1e18 else value


def chosen(found: Iterable[Candidate]) -> tuple[list[Fact], list[Doubt]]:
    """The readings that explain most, each token used once, leftmost first among equals, then what is meant for sure;
    what fits two fields alike is a doubt."""
    taken: set[int] = set()
    kept: list[Candidate] = []
    doubts: list[Doubt] = []
    order = lambda c: (-c.score, c.fact.start, -c.fact.end, not c.fact.says.plain)
    for candidate in sorted(_paired(_heeded(list(found))), key=order):
        fact = candidate.fact
        if not taken & fact.claimed:
            taken |= fact.claimed
            kept.append(candidate)
        elif rival := _rival(candidate, kept):
            doubts.append(_between(rival, candidate))
    undecided = {doubt.field for doubt in doubts}
    return [c.fact for c in kept if c.fact.says.field not in undecided], doubts


def _heeded(found: list[Candidate]) -> list[Candidate]:
    """A reading that only says what a field does not mean gives way to the field that means it with the very same
    words."""
    meant = {c.fact.claimed: c.fact.says.field for c in found if c.fact.says.act == "set"}
    idle = [
        c for c in found if c.fact.says.act == "quiet" and meant.get(c.fact.claimed, "") not in ("", c.fact.says.field)
    ]
    barred = {(c.fact.says.field, at) for c in idle for at in c.fact.claimed}
    kept = (c for c in found if c not in idle)
    return [c for c in kept if not any((c.fact.says.field, at) in barred for at in c.fact.claimed)]


def _paired(found: list[Candidate]) -> list[Candidate]:
    """Names and numbers in a row, "layers 48 hidden 6144": of their generic readings those that together explain
    most."""
    pairs = [c for c in found if c.fact.says.generic and len(c.fact.slots) == 1 and c.fact.says.act == "set"]
    best: list[tuple[float, tuple[Candidate, ...]]] = [(0.0, ())]
    pairs.sort(key=lambda c: c.fact.end)
    for n, pair in enumerate(pairs):
        before = sum(other.fact.end <= pair.fact.start for other in pairs[:n])
        worth, chain = best[before]
        best.append(max(best[-1], (worth + pair.score, (*chain, pair)), key=lambda way: way[0]))
    chained = {id(c) for c in best[-1][1]}
    lost = {id(c) for c in pairs if id(c) not in chained}
    return [c for c in found if id(c) not in lost]


def _rival(candidate: Candidate, kept: Sequence[Candidate]) -> Candidate | None:
    """A reading that was kept though another field has the very same words and as good a claim."""
    fact = candidate.fact
    for other in kept:
        same = other.fact.claimed == fact.claimed and other.score == candidate.score
        if same and other.fact.says.field != fact.says.field and other.fact.says.act == fact.says.act == "set":
            return other if not _twins(other.fact.says.field, fact.says.field) else None
    return None


def _twins(one: str, other: str) -> bool:
    """The same thing of a job that trains and of one that serves: the workload decides, not the words."""
    return one.split(".")[0] != other.split(".")[0] and {one.split(".")[0], other.split(".")[0]} <= {
        "training",
        "inference",
        "parallelism",
    }


def _between(one: Candidate, other: Candidate) -> Doubt:
    names = (one.fact.says.field, other.fact.says.field)
    return Doubt(names[0], f"{one.fact.value} may be {names[0]} or {names[1]}", (one.fact.value,))


def _for_sure(found: Candidate) -> Candidate:
    return replace(found, fact=replace(found.fact, says=replace(found.fact.says, plain=True)))


_LENGTH, _REQUESTS = "training.sequence_length", "inference.requests"


def of_this_job(
    found: Iterable[Candidate], fields: Mapping[str, Any], asked: str | None = None, planned: Set[int] = frozenset()
) -> list[Candidate]:
    """Candidates of a section that the job has not are left out where the other section says the same, and those that
    count only beside another field where that one is not said. ``planned`` are the tokens that speak of the job itself:
    "the chatbot comes later, ignore it; now the finetuning, in bf16" serves nothing."""
    found = [c for c in found if c.fact.says.asked in ("", asked)]
    said = {c.fact.says.field for c in found if c.fact.says.act in ("set", "add")} | fields.keys()
    said |= {c.fact.says.value for c in found if c.fact.says.act == "cue"}
    found = [c for c in found if not c.fact.says.beside or c.fact.says.beside in said]
    found = [_for_sure(c) if c.fact.says.sure in said else c for c in found if c.fact.says.act != "cue"]
    heard = [c.fact for c in found if c.fact.says.field == "workload"]
    heard = [fact for fact in heard if fact.claimed <= planned] or heard
    workload = next((fact.value for fact in heard if not fact.says.weak), None)
    others = {c.fact.claimed for c in found if not c.fact.says.field.startswith("rl.")}
    if any(
        c.fact.says.act == "set" and c.fact.says.field.startswith("rl.") and c.fact.claimed not in others for c in found
    ):  # "PPO, answers of 3000 tokens": what only reinforcement learning has, and answers alone speak weakly of serving
        workload = workload or fields.get("workload") or "rlhf"
    workload = workload or next((fact.value for fact in heard), fields.get("workload"))
    serving = workload in SERVING or (asked or "").startswith("inference.")
    left_out = {"parallelism.tp"} if serving else {"inference.tensor_parallel", *([_REQUESTS] if workload else ())}
    left_out |= {"training.precision"} if serving else {"inference.precision"}
    loop = {c.fact.claimed for c in found if c.fact.says.field.startswith("rl.")}
    alike = others & loop
    of_another = "inference." if workload == "rlhf" else "rl."
    left_out |= {
        c.fact.says.field for c in found if c.fact.says.field.startswith(of_another) and c.fact.claimed in alike
    }
    if serving:  # "documents of 800 tokens each"
        prompts = [c.fact.claimed for c in found if c.fact.says.field == "inference.prompt_tokens"]
        found = [c for c in found if not (c.fact.says.field == _LENGTH and any(c.fact.claimed & p for p in prompts))]
    return [c for c in found if c.fact.says.field not in left_out]
