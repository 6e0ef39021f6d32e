"""Sums that are data: the formula, what a question must name for it, and how it is told (``knowledge/sums.yaml``)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from assistant.audit.formulas import evaluate, formulas
from assistant.library import paths, shipped
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.knowledge import Claim
from assistant.vocabulary.quantities import DAYS_PER_MONTH

from .case import Case
from .priced_terms import terms
from .run_terms import DEAREST_HOUR

Taken = float | list[float]
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_OTHER = re.compile(r"\b(than|against|versus|vs|compared|instead)\b")  # the price behind it is that of the other run
_COUNTED = frozenset({"number", "money", "percent", "share", "time", "decimal"})
_ROUNDED = 0.005  # of a result: three digits of it


class _Figure(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    formula: str = Field(alias="is")
    of: dict[str, str | float]
    unit: str


class _Verdict(BaseModel):
    """A sentence that depends on whether a figure is above 0."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    of: str
    above: str
    else_: str = Field(alias="else")


class _Way(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    where: str = ""  # a sign of topics.yaml without which the way is not meant
    takes: dict[str, str]
    steps: dict[str, _Figure] = {}  # on the way to the figures, not told apart
    figures: dict[str, _Figure]
    verdict: _Verdict | None = None
    says: str
    caveat: str
    claims: list[str] = []


@lru_cache(maxsize=1)
def ways() -> dict[str, list[_Way]]:
    """The ways of every topic, in the order in which they are tried."""
    read = shipped.documents("sums", paths.shipped("knowledge"), "sums.yaml")["sums.yaml"]
    return {topic: [_Way.model_validate(way) for way in some] for topic, some in read.items()}


def asked(case: Case) -> Computed | None:
    """The sum of the question's topic; ``None`` where it does not name what any way takes."""
    for way in ways()[case.utterance.topic or ""]:
        if way.where and not case.says(way.where):
            continue
        taken = {name: _taken(case, what) for name, what in way.takes.items()}
        known = {name: value for name, value in taken.items() if value is not None}
        if len(known) == len(taken):
            return _told(case, way, known)
    return None


def _taken(case: Case, what: str) -> Taken | None:
    kind, _, which = what.partition(" ")
    if kind == "gpus":
        return case.fields.get("cluster.gpus") or case.utterance.roles.get("so_many")
    if kind in ("price", "premium"):
        return case.utterance.roles.get(kind)
    if kind in ("of", "share"):
        return _of_role(case, which)
    if kind == "rates":
        prices = case.amounts("money")
        return prices if len(prices) > 1 and all(0 < usd <= DEAREST_HOUR for usd in prices) else None
    if kind == "hourly":
        prices = [usd for usd in case.amounts("money") or case.amounts("decimal") if 0 < usd <= DEAREST_HOUR]
        return prices[0] if len(prices) == 1 else None
    days = case.lengths()
    if kind == "time":
        return next(islice(days, int(which) - 1, None), None)
    if kind == "parts":
        return _parts(case)
    if kind == "months":
        return case.fields.get("budget.amortization_months") or (round(days[0] / DAYS_PER_MONTH) if days else 0) or None
    if which in ("slower", "faster"):
        return _beside_the_slowdown(case, slower=which == "slower")
    found = case.amounts(kind)
    return next(islice(found, int(which) - 1, None), None)


def _of_role(case: Case, role: str) -> float | None:
    """The amount that a template of ``topics.yaml`` gives a role; of a share its percent."""
    spans = case.utterance.roles["places"].get(f"{{{role}}}", ())
    found = (one for one in case.utterance.amounts if (one.start, one.end) in spans and one.kind in _COUNTED)
    return next((float(one.value) for one in found), None)


def _parts(case: Case) -> list[float] | None:
    """Every sum that is named, what costs so much each times the number before it; ``None`` of a single one."""
    parts = [term.count * term.usd for term in terms(case) if term.usd is not None]
    return parts if len(parts) > 1 else None


def _beside_the_slowdown(case: Case, *, slower: bool) -> float | None:
    """Of two prices that of the run that a slowdown is said of, or the other: the one behind it ("15 % slower on
    Ethernet at $2.50"), unless that is what it is slower than."""
    said = case.utterance.amounts
    percent = next((one for one in said if one.kind == "percent"), None)
    prices = [one for one in said if one.kind == "money"]
    if percent is None or len(prices) < 2:
        return None
    before, after = ([p for p in prices if (p.start > percent.start) is behind] for behind in (False, True))
    between = case.utterance.text[percent.end : after[0].start].lower() if after else ""
    slow = before[-1] if before and (not after or _OTHER.search(between)) else after[0]
    return float((slow if slower else next(p for p in prices if p is not slow)).value)


def _told(case: Case, way: _Way, taken: dict[str, Taken]) -> Computed:
    shares = {name for name, what in way.takes.items() if what.startswith(("percent", "share"))}
    for name, figure in (way.steps | way.figures).items():
        given = dict(_given(figure, taken, shares))
        taken[name] = found = evaluate(figure.formula, given, figure.unit, case.catalog, f"the sum {name}")
        if name in way.figures:
            usd = figure.unit == "USD"
            value, unit = (round(found, 2), "USD in all") if usd else (found, figure.unit)
            case.figure(name.replace("_", " "), value, unit, _formula(figure, taken))
    case.told = {}
    results = [figure.value for figure in case.found]
    claims = (case.library.knowledge.claims[claim] for claim in way.claims)
    caveat = " ".join([way.caveat, *(case.beside(claim, same=_states(claim, results)) for claim in claims)])
    listed = _listed(case) if "parts" in way.takes else ""
    text = f"{listed} {_said(way, taken)}".strip()
    inputs: dict[str, Any] = {name: taken[name] for name in way.takes}
    return case.answer(text, caveat, None, **inputs)


def _formula(figure: _Figure, taken: dict[str, Taken]) -> str:
    """How a figure comes about, with the numbers put in."""
    put_in = (f"{name.replace('_', ' ')} {_numbers(taken[of] if isinstance(of, str) else of)}"
              for name, of in figure.of.items())  # fmt: skip
    return f"{formulas()[figure.formula].says}: {', '.join(put_in)}"


def _numbers(of: Taken) -> str:
    return " and ".join(f"{one:,.9g}" for one in (of if isinstance(of, list) else [of]))


def _listed(case: Case) -> str:
    """The parts of a list with what each comes to, and what of it has no price."""
    written = terms(case)
    priced, left = ([one.told for one in written if (one.usd is None) is without] for without in (False, True))
    parts = f"{'; '.join(priced)}."
    return f"{parts} Left out of the sum, as no price is told: {', '.join(left)}." if left else parts


def _said(way: _Way, taken: dict[str, Taken]) -> str:
    opening, known = "", taken[way.verdict.of] if way.verdict else None
    if way.verdict:
        opening = way.verdict.above if isinstance(known, float) and known > 0 else way.verdict.else_
    return f"{opening} {way.says}".strip().format(**taken)


def _states(claim: Claim, results: list[float]) -> bool:
    """Whether a claim has one of the results, as far as people round."""
    stated = [float(one.replace(",", "")) for one in _NUMBER.findall(claim.statement)]
    return any(abs(one - result) <= _ROUNDED * abs(result) for one in stated for result in results)


def _given(figure: _Figure, taken: dict[str, Taken], shares: set[str]) -> Iterator[tuple[str, float | str]]:
    """The inputs of a formula by name; a list is as many inputs."""
    for name, of in figure.of.items():
        value = taken[of] if isinstance(of, str) else of
        for number, one in enumerate(value if isinstance(value, list) else [value]):
            yield f"{name}{number or ''}", f"{one!r} %" if of in shares else one
