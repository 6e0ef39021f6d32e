"""Why, why not, what would flip it: trees and lists from a plan's findings down to the sources they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from assistant.present import figures, reading
from assistant.present.fields import field_name, value_text
from assistant.present.reading import confidence
from assistant.vocabulary.facts import FACTS, UNKNOWN
from assistant.vocabulary.plan import Candidate, Evidence, Finding, Plan

from .changes import candidate, chosen, unit_of_work
from .events import Explanation, Note, Reason

MOST_FACTS = 6
MOST_CLAIMS = 3
MOST_SIDES = 4
_STAGES = ("choose", "screen", "demand", "classify")
# The stronger the kind of evidence, the earlier it is named.
_GRADES = ("measured", "derived", "vendor", "rule-of-thumb", "opinion")
_VERDICTS = {
    "recommended": "is recommended",
    "given": "is given, so it is kept",
    "acceptable": "would do",
    "avoid": "is better avoided",
    "impossible": "is not possible here",
}


def why(plan: Plan) -> Explanation:
    """The proof of the recommendation: figures, then the findings about the job and about the choice."""
    answer = plan.recommendation
    about = _weighed(f for f in plan.findings if f.fabric in (None, answer.fabric) and f.stage != "advise")
    best = chosen(plan)
    figures_first = _figures(best, plan) if best else ()
    if answer.not_the_likeliest:
        figures_first = (Reason(kind="figure", text=answer.not_the_likeliest), *figures_first)
    if answer.verdict == "infeasible":
        figures_first, about = tuple(_in_the_way(plan)), []
    children = (*figures_first, *(_finding(f, plan, set()) for f in _roots(about)))
    return Explanation(
        about=answer.fabric, tree=Reason(kind="conclusion", id=answer.fabric, text=answer.headline, children=children)
    )


def why_fabric(plan: Plan, fabric: str) -> Explanation:
    """Why a fabric has the verdict it has."""
    found = candidate(plan, fabric)
    if found is None:
        ruled_out = fabric in (plan.questionnaire.get("constraints") or {}).get("excluded_fabrics", ())
        text = (
            f"{fabric} was not considered: you ruled it out."
            if ruled_out
            else f"{fabric} is no candidate for this job."
        )
        return Explanation(about=fabric, tree=Reason(kind="conclusion", id=fabric, text=text))
    findings = _weighed(f for f in plan.findings if f.fabric == fabric and f.stage != "advise")
    children = [*_figures(found, plan), *(_finding(f, plan, set()) for f in _roots(findings))]
    apart = difference(plan, found)
    if apart:
        children.insert(0, Reason(kind="figure", text=apart))
    return Explanation(
        about=fabric,
        tree=Reason(
            kind="conclusion",
            id=fabric,
            text=f"{fabric} {_VERDICTS[reading.verdict(found, plan)]}.",
            children=tuple(children),
        ),
    )


def barred(plan: Plan, found: Candidate) -> list[str]:
    """Why a candidate is impossible; for a plan in which nothing works, what would help."""
    change = plan.recommendation.smallest_change
    if plan.recommendation.verdict == "infeasible" and change:
        return [change]
    return [f.because for f in plan.findings if f.fabric == found.fabric and f.conclusion == "impossible"]


def why_finding(plan: Plan, rule: str) -> Explanation | None:
    """The proof of one finding, by its rule's id."""
    found = next((f for f in plan.findings if f.rule == rule), None)
    return Explanation(about=rule, tree=_finding(found, plan, set())) if found else None


def difference(plan: Plan, other: Candidate) -> str | None:
    """What taking this fabric would cost against the recommended one."""
    best = chosen(plan)
    if best is None or best is other or not best.cost_usd or not other.cost_usd or other.fits is False:
        return None
    more = other.cost_usd.p50 - best.cost_usd.p50
    money = f"{figures.usd(abs(more))} {'more' if more >= 0 else 'less'} than {best.fabric} ({abs(more) / best.cost_usd.p50:.1%})"
    time = ""
    if other.step_time_s and best.step_time_s:
        ratio = other.step_time_s.p50 / best.step_time_s.p50
        time = (
            f", each step {ratio:.2f} times as long"
            if ratio >= 1.005
            else f", each step {1 / ratio:.2f} times as fast"
            if ratio <= 0.995
            else ", each step as long"
        )
    serves = unit_of_work(plan) != "One step"
    return f"{'A month of it' if serves else 'The run'} would cost {money}{time.replace('each step', 'each token') if serves else time}."


def _in_the_way(plan: Plan) -> Iterator[Reason]:
    """Why nothing works: the smallest change that would help, and what stands in the way of the nearest fabrics."""
    if plan.recommendation.smallest_change:
        yield Reason(kind="figure", text=plan.recommendation.smallest_change)
    computed = [c for c in plan.candidates if c.step_time_s is not None]
    unfit = [c for c in computed if c.fits is False]
    if unfit and len(unfit) == len(computed):
        yield Reason(kind="figure", text=_does_not_fit(min(unfit, key=lambda c: c.memory_gb_per_gpu or 0.0)))
        return
    for fabric in sorted((c for c in computed if c.fits), key=lambda c: c.run_hours or 0.0)[:MOST_SIDES]:
        yield from (
            Reason(kind="rule", id=f.rule, text=f.because)
            for f in plan.findings
            if f.fabric == fabric.fabric and f.conclusion == "impossible"
        )


def _does_not_fit(found: Candidate) -> str:
    need = (found.memory_gb_per_gpu or 0) * 1e9 / 2**30
    return f"The job does not fit: the leanest split tried, {figures.layout(found.parallelism)}, needs {need:,.0f} GiB per GPU."


def _figures(found: Candidate, plan: Plan) -> tuple[Reason, ...]:
    """What was computed for a candidate."""
    if found.step_time_s is None:
        return ()
    if found.fits is False:
        return (Reason(kind="figure", text=_does_not_fit(found)),)
    lines = [
        f"{unit_of_work(plan)} takes {figures.seconds(found.step_time_s.p50)} "
        f"({figures.seconds(found.step_time_s.p10)}–{figures.seconds(found.step_time_s.p90)}), "
        f"{figures.percent(found.exposed_communication_percent)} of it waiting for the network."
    ]
    if found.cost_usd is not None:
        lines.append(f"The run takes {figures.hours(found.run_hours)} and costs {figures.usd_band(found.cost_usd)}.")
    lines.append(f"Split: {figures.layout(found.parallelism)}.")
    return tuple(Reason(kind="figure", text=line) for line in lines)


def _weighed(findings: Iterable[Finding]) -> list[Finding]:
    """What decided comes first, then what makes fabrics drop out, then what the job asks for, then what it is."""
    return sorted(findings, key=lambda f: _STAGES.index(f.stage) if f.stage in _STAGES else len(_STAGES))


def _roots(findings: list[Finding]) -> list[Finding]:
    """Findings that no other finding here is derived from: those are shown beneath the others."""
    used = {rule for f in findings for rule in f.from_findings}
    return [f for f in findings if f.rule not in used] or findings


def _finding(finding: Finding, plan: Plan, seen: set[str]) -> Reason:
    """A rule's conclusion over the facts it saw, the findings it used and the claims it rests on."""
    seen = seen | {finding.rule}
    below = [
        _finding(f, plan, seen)
        for rule in finding.from_findings
        if rule not in seen
        for f in _by_rule(plan, rule, finding.fabric)
    ]
    facts = [Reason(kind="fact", text=_fact(name, value)) for name, value in list(finding.facts.items())[:MOST_FACTS]]
    claims = [_claim(e) for e in _evidence(plan, finding)[:MOST_CLAIMS]]
    return Reason(kind="rule", id=finding.rule, text=finding.because, children=(*below, *facts, *claims))


def _by_rule(plan: Plan, rule: str, fabric: str | None) -> list[Finding]:
    found = [f for f in plan.findings if f.rule == rule and f.fabric in (None, fabric)]
    return found[:1]


def _evidence(plan: Plan, finding: Finding) -> list[Evidence]:
    by_id = {e.id: e for e in plan.evidence}
    return sorted((by_id[ident] for ident in finding.evidence if ident in by_id), key=lambda e: _GRADES.index(e.grade))


def _claim(evidence: Evidence) -> Reason:
    text = evidence.text + (f" What holds: {evidence.correction}" if evidence.correction else "")
    return Reason(kind="claim", id=evidence.id, source=evidence.source, grade=evidence.grade, text=text)


def _fact(name: str, value: Any) -> str:
    """A fact in the vocabulary's words: "GPUs that share a scale-up link: 8"."""
    word = next((words[name.split(".")[-1]] for words in FACTS.values() if name.split(".")[-1] in words), None)
    meaning = word.meaning if word else name.replace("_", " ")
    if value == UNKNOWN:
        return f"{meaning}: unknown"
    if isinstance(value, bool):
        return f"{meaning}: {'yes' if value else 'no'}"
    shown = (
        f"{value:,}"
        if isinstance(value, int)
        else figures.significant(value)
        if isinstance(value, float)
        else str(value)
    )
    unit = f" {word.unit}" if word and word.unit and word.unit != "1" and isinstance(value, (int, float)) else ""
    return f"{meaning}: {shown}{unit}"


def flips(plan: Plan) -> Note:
    """The nearest values at which another fabric would win; where nothing works, what would make something work."""
    answer = plan.recommendation
    items = [
        f"{field_name(f.input)} {value_text(f.input, f.at)} instead of {value_text(f.input, f.from_)}: {f.to_fabric}."
        for f in answer.flips
    ]
    if answer.smallest_change:
        items.insert(0, answer.smallest_change)
    if answer.verdict == "infeasible":
        return Note(
            text="Nothing works as asked. This would help:" if items else "Nothing works as asked.", items=tuple(items)
        )
    if not items:
        return Note(
            text=f"Within the values tried, no single input turns the answer away from {answer.fabric}. "
            f"{confidence(plan)}"
        )
    return Note(
        text=f"The answer is {answer.fabric}. {confidence(plan)} Taken one at a time, this would turn it:",
        items=tuple(items),
    )


def conflicts(plan: Plan) -> Note:
    """Where sources disagree on what this plan touches, and what holds."""
    if not plan.conflicts:
        return Note(text="On what this plan rests, the sources do not contradict each other.")
    items = []
    for conflict in plan.conflicts:
        sides = "; ".join(f"{s.claim.split('/')[0]} says: {s.says.rstrip('.')}" for s in conflict.sides[:MOST_SIDES])
        more = f" (and {len(conflict.sides) - MOST_SIDES} more)" if len(conflict.sides) > MOST_SIDES else ""
        items.append(f"{conflict.topic} {sides}{more}. What holds: {conflict.resolution}")
    return Note(text="Where the sources disagree on what this plan touches:", items=tuple(items))


def sources(plan: Plan) -> Note:
    """The evidence of the plan, one line each."""
    items = tuple(
        f"{e.source}, {e.section} ({e.grade}; {e.verdict}; {e.date}): {_claim(e).text}" for e in plan.evidence
    )
    return Note(
        text="The plan rests on:" if items else "This plan rests on computed figures alone; no source was needed.",
        items=items,
    )
