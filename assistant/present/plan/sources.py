"""The sources a plan cites, under the numbers at which its reasons first name them."""

from assistant.vocabulary.plan import Evidence, Finding, Plan

from .. import limits
from ..blocks import Block, Bullets, titled, told
from . import findings, reading

_numbered: list[tuple[Plan, dict[str, int]]] = []  # the plan shown last: each of some fifty sentences asks for it


def section(plan: Plan) -> list[Block]:
    """Every source that the report cites, with what it says."""
    return titled("Sources", Bullets(_listed(plan, numbers(plan))))


def in_short(plan: Plan) -> list[Block]:
    """The sources of the report in short, by title alone; of a doubtful one what holds instead."""
    cited = {ident for finding in findings.told_in_short(plan) for ident in _cited(finding, plan)}
    return titled("Sources", Bullets(_listed(plan, {i: n for i, n in numbers(plan).items() if i in cited}, said=False)))


def answer(plan: Plan) -> list[Block]:
    """Everything the plan rests on, what it cites by number first."""
    number = numbers(plan)
    items = [*_listed(plan, number), *(line(None, e, plan) for e in plan.evidence if e.id not in number)]
    alone = "This plan rests on computed figures alone; no source was needed."
    return told("The plan rests on:" if items else alone, *items)


def numbers(plan: Plan) -> dict[str, int]:
    """The numbers by which the report cites pieces of evidence, by their ids, ascending."""
    latest = _numbered[0] if _numbered else None
    if latest is None or latest[0] is not plan:
        said = (*findings.told_for(plan), *findings.told_against(plan))
        order = dict.fromkeys(ident for finding in said for ident in _cited(finding, plan))
        latest = plan, {ident: number for number, ident in enumerate(order, start=1)}
        _numbered[:] = [latest]
    return latest[1]


def cited_sentence(finding: Finding, plan: Plan) -> str:
    """What a finding says, and the sources it rests on as ``[1][4]``."""
    number = numbers(plan)
    marks = "".join(f"[{number[ident]}]" for ident in _cited(finding, plan))
    return f"{finding.because}{f' {marks}' if marks else ''}"


def line(number: int | None, e: Evidence, plan: Plan, *, said: bool = True) -> str:
    """A source under its number, with how far it holds and, with ``said``, what it says; what holds instead is never
    left out."""
    who = plan.names.get(e.source, e.source)
    title = f", “{e.title}”" if e.title and e.title != who else ""
    under = f", under “{e.section}”" if e.section != e.title else ""
    dated = "" if not e.date or reading.day(e.date).partition(" ")[2] in who else f", {reading.day(e.date)}"
    holds = f"{_GRADES[e.grade]}{_VERDICTS.get(e.verdict, '')}"
    by = f"{who}{title}{under}{dated} ({holds}){f': {e.text}' if said else ''}"
    instead = f"{'' if said else '.'} What holds: {e.correction}" if e.correction else ""
    return f"{f'[{number}] ' if number else ''}{by}{instead}"


# What kind of word it is, and what came of checking it; of what does not hold the correction beneath says so.
_GRADES = {
    "measured": "measured",
    "vendor": "a vendor's word",
    "derived": "worked out",
    "rule-of-thumb": "a rule of thumb",
    "opinion": "an opinion",
}
_VERDICTS = {
    "confirmed": ", checked",
    "approximate": ", nearly so",
    "unverifiable": ", could not be checked",
    "withdrawn": ", withdrawn by its author",
    **dict.fromkeys(("wrong", "contradicted", "inconsistent", "implausible", "disputed"), ", corrected here"),
}


def _listed(plan: Plan, number: dict[str, int], *, said: bool = True) -> list[str]:
    evidence = {e.id: e for e in plan.evidence}
    return [line(n, evidence[ident], plan, said=said) for ident, n in number.items()]


def _cited(finding: Finding, plan: Plan) -> list[str]:
    known = {e.id for e in plan.evidence}
    return [ident for ident in finding.evidence if ident in known][: limits.MARKS]
