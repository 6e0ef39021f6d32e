"""A question between values: "64 or 128 GPUs?", "H100 or H200?", "should we rent or buy?". Each is planned, none is taken."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from assistant.present import figures
from assistant.present.fields import field_text
from assistant.present.plan.reading import APART, chosen
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Candidate, Plan

from ..draft import Draft
from ..events import Event, Note
from ..heard import fields_varied, heard

_LEAD = re.compile(
    r"^(?:(?:so|and|but|ok(?:ay)?|well|hm+|now|then)[\s,]+)*"
    r"(?:(?:what|which)(?:'s|s| one)?(?: (?:is|are|would|do|does|should|shall|did))?(?: (?:be|you|we|i|it))?(?: \w+)?"
    r"(?: (?:better|best|cheaper|faster|recommended?|suggest|advise|take|use|choose|pick|buy|rent|go (?:for|with)))?(?: for us| here)?\s*[,:–-]\s*|"
    r"(?:what|which)(?:'s|s| is| would be)? (?:better|best|cheaper|faster|smarter|wiser)\s*[,:–-]?\s*|"
    r"(?:should|shall|do|would) (?:we|i|you) (?:rather |better )?(?:take |use |choose |pick |go (?:for|with) |get |have |want )?|"
    r"(?:is it|are we) better (?:to |with )?(?:take |use |have )?|(?:please )?compare |better[:,]? )",
    re.IGNORECASE,
)
_OR = re.compile(r"\s+(?:or|vs\.?|versus|against)\s+|\s*,\s*(?=\S+(?:\s\S+){0,2}\s+or\s)", re.IGNORECASE)
_AND = re.compile(r"\s+(?:and|with|to|vs\.?|versus|against|or)\s+", re.IGNORECASE)
_COMPARES = re.compile(r"\bcompare\b", re.IGNORECASE)
_NUMBER = re.compile(r"(\d[\d,.]*\s?[kKmM]?)(?:\s+(\D.*))?")
_PARALLELISM = "parallelism"  # one way to split may name other degrees than the next
_IN_NUMBERS = ("parallelism", "training", "inference", "constraints", "budget")
MOST, _MOST_WORDS = 4, 6

# Plans the draft with some fields changed; raises InputError where that cannot be.
Planned = Callable[[Mapping[str, Any]], "Plan | None"]


def alternatives(said: str, draft: Draft, catalog: Catalog, asked: str | None = None) -> list[dict[str, Any]]:
    """The fields of each value that is asked about, in the order named; empty where the message is no such question.

    All must be about the same fields. Networks are left to the comparison, which knows more of them. ``asked``: the field of
    the open question, to which numbers alone may be the answer.
    """
    text = said.strip().rstrip("?!. ")
    lead = _LEAD.match(text)
    parts = (_AND if _COMPARES.search(text) else _OR).split(text[lead.end() :] if lead else text)
    if not (2 <= len(parts) <= MOST and (lead or said.rstrip().endswith("?"))) or any(
        len(part.split()) > _MOST_WORDS for part in parts
    ):
        return []
    if all(_NUMBER.fullmatch(part.strip()) and not _NUMBER.fullmatch(part.strip())[2] for part in parts) and (
        asked or ""
    ).startswith(_IN_NUMBERS):
        return []
    found = [_fields(part, draft, catalog) for part in _with_units(parts)]
    about = {frozenset(_PARALLELISM if name.startswith("parallelism") else name for name in fields) for fields in found}
    alike = all(found) and len(about) == 1 and "cluster.fabric" not in found[0]
    return found if alike and len({repr(fields) for fields in found}) == len(found) else []


def _with_units(parts: list[str]) -> list[str]:
    """``64`` beside ``128 GPUs`` is 64 GPUs; numbers alone are GPUs."""
    read = [_NUMBER.fullmatch(part.strip()) for part in parts]
    unit = next((match[2] for match in reversed(read) if match and match[2]), "GPUs")
    return [f"{match[1]} {unit}" if match and not match[2] else part for part, match in zip(parts, read, strict=True)]


def _fields(part: str, draft: Draft, catalog: Catalog) -> dict[str, Any]:
    reading = heard(part, draft, catalog)
    return {} if reading.rest or reading.doubts else fields_varied(reading, draft, catalog)


def weighed(found: list[dict[str, Any]], planned: Planned, catalog: Catalog, serving: bool) -> list[Event]:
    """Each value's plan in a line, and which costs least and is done soonest."""
    lines, ranked, plans = [], [], []
    for fields in found:
        name = "; ".join(field_text(field, value, catalog) for field, value in fields.items())
        plan = _plan_with(fields, planned)
        plans += [plan] if isinstance(plan, Plan) else []
        best = chosen(plan) if isinstance(plan, Plan) and plan.recommendation.verdict != "infeasible" else None
        if best is None or best.cost_usd is None or best.run_hours is None or best.step_time_s is None:
            lines.append(f"{name}: {plan if isinstance(plan, str) else plan.recommendation.headline}")
            continue
        ranked.append((name, best))
        lines.append(
            f"{name}: {best.fabric}, {figures.seconds(best.step_time_s.p50)}, {figures.hours(best.run_hours)}, {figures.usd_band(best.cost_usd)}."
        )
    months = next(
        (a.value for plan in plans for a in plan.assumptions if a.field == "budget.amortization_months"), None
    )
    counted = [f"Bought machines are counted over {months:g} months in which they are always busy."] if months else []
    return [Note(text=_verdict(ranked, serving), items=(*lines, *counted, "Nothing was changed; say the one to take."))]


def _plan_with(fields: Mapping[str, Any], planned: Planned) -> Plan | str:
    """The plan, or the sentence that says why there is none."""
    try:
        made = planned(fields)
    except InputError as error:
        return f"{error.message}."
    return made if made is not None else "more is needed before that can be planned."


def _verdict(ranked: list[tuple[str, Candidate]], serving: bool) -> str:
    if not ranked:
        return "None of these can be done as asked."
    if len(ranked) == 1:
        return f"Only {ranked[0][0]} can be done as asked."
    cost = {name: best.cost_usd.p50 for name, best in ranked if best.cost_usd}
    time = {
        name: (best.step_time_s.p50 if best.step_time_s else 0.0) if serving else best.run_hours or 0.0
        for name, best in ranked
    }
    cheap, soon = min(cost, key=cost.__getitem__), min(time, key=time.__getitem__)
    sooner = "answers sooner" if serving else "is done sooner"
    if max(cost.values()) < (1 + APART) * cost[cheap] and max(time.values()) < (1 + APART) * time[soon]:
        return "They cannot be told apart."
    if time[cheap] < (1 + APART) * time[soon]:
        return f"{cheap} costs less" + (
            f" and {sooner}." if time[cheap] * (1 + APART) < max(time.values()) else "; the time is the same."
        )
    if cost[soon] < (1 + APART) * cost[cheap]:
        return f"{soon} {sooner}, at the same cost, within the error."
    return f"{cheap} costs less; {soon} {sooner}, for {cost[soon] / cost[cheap] - 1:.0%} more."
