"""Why, and why not: trees from a plan's conclusions down to the facts and the sources they rest on."""

from collections.abc import Iterable, Iterator
from typing import Any

from assistant.vocabulary.facts import FACTS, UNKNOWN
from assistant.vocabulary.plan import Candidate, Evidence, Finding, Plan

from .. import figures, limits
from ..blocks import Reason
from . import flips, reading
from .standing import difference

_STAGES = ("choose", "screen", "demand", "classify")
# The stronger the kind of evidence, the earlier it is named.
_GRADES = ("measured", "derived", "vendor", "rule-of-thumb", "opinion")
_VERDICTS = {
    "recommended": "is recommended",
    "given": "is given, so it is taken",
    "acceptable": "would do",
    "avoid": "is better avoided",
    "impossible": "is not possible here",
    "does not fit": "does not fit",
    "not sold": "is not sold for a job like this",
    "not quoted": "is in none of the quotes",
    "no price quoted": "is sold, but nobody quotes a price",
}


def trees(plan: Plan) -> list[Reason]:
    """Why the recommended fabric, why not each of the others, and the advice."""
    others = [why_fabric(plan, c.fabric) for c in plan.candidates if c.fabric != plan.recommendation.fabric]
    rules = dict.fromkeys(finding.rule for finding in plan.findings if finding.stage == "advise")
    advised = [why_finding(plan, rule) for rule in rules]
    return [why(plan), *_group("Why not the others", others), *_group("What follows from it", advised)]


def why(plan: Plan) -> Reason:
    """The proof of the recommendation: figures, then the findings about the job and about the choice."""
    answer, best = plan.recommendation, reading.chosen(plan)
    if answer.verdict == "infeasible":
        return Reason("conclusion", answer.headline, answer.fabric, children=tuple(_in_the_way(plan)))
    about = [f for f in plan.findings if f.fabric in (None, answer.fabric)]
    figures_first = [_figure(answer.not_the_likeliest), *(_figures(best, plan) if best else ())]
    return _conclusion(answer.fabric, answer.headline, figures_first, about, plan)


def why_fabric(plan: Plan, fabric: str) -> Reason:
    """Why a fabric has the verdict it has."""
    found = reading.candidate(plan, fabric)
    if found is None:
        ruled_out = fabric in (reading.asked(plan, "constraints.excluded_fabrics") or ())
        how = "was not considered: you ruled it out." if ruled_out else "is no candidate for this job."
        return Reason("conclusion", f"{fabric} {how}", fabric)
    about = [f for f in plan.findings if f.fabric == fabric]
    verdict = f"{fabric} {_VERDICTS[reading.verdict(found, plan)]}."
    return _conclusion(fabric, verdict, [_figure(difference(plan, found)), *_figures(found, plan)], about, plan)


def why_finding(plan: Plan, rule: str) -> Reason:
    """The proof of one of the plan's findings, by its rule's id."""
    return _finding(next(f for f in plan.findings if f.rule == rule), plan, set())


def _group(title: str, children: list[Reason]) -> list[Reason]:
    return [Reason("conclusion", title, children=tuple(children))] if children else []


def _conclusion(about: str, text: str, first: list[Reason | None], findings: list[Finding], plan: Plan) -> Reason:
    below = [_finding(f, plan, set()) for f in _roots(_weighed(f for f in findings if f.stage != "advise"))]
    return Reason("conclusion", text, about, children=(*(reason for reason in first if reason), *below))


def _figure(text: str | None) -> Reason | None:
    return Reason("figure", text) if text else None


def _in_the_way(plan: Plan) -> Iterator[Reason]:
    """Why nothing works: the smallest change that would help, and what stands in the way of the nearest fabrics."""
    if plan.recommendation.smallest_change:
        yield from (Reason("figure", text) for text in (plan.recommendation.smallest_change, *flips.ways_out(plan)))
    computed = [c for c in plan.candidates if c.step_time_s is not None]
    unfit = [c for c in computed if c.fits is False]
    if unfit and len(unfit) == len(computed):
        yield Reason("figure", _does_not_fit(min(unfit, key=reading.gib)))
        return
    for near in sorted((c for c in computed if c.fits), key=lambda c: c.run_hours or 0.0)[: limits.SIDES]:
        of_it = [f for f in plan.findings if f.fabric == near.fabric and f.conclusion == "impossible"]
        yield from (Reason("rule", f.because, f.rule) for f in of_it)


def _does_not_fit(found: Candidate) -> str:
    split = figures.layout(found.parallelism)
    return f"The job does not fit: the leanest split tried, {split}, needs {reading.gib(found):,.0f} GiB per GPU."


def _figures(found: Candidate, plan: Plan) -> list[Reason]:
    """What was computed for a candidate."""
    if found.step_time_s is None:
        return []
    if found.fits is False:
        return [Reason("figure", _does_not_fit(found))]
    lines = [_times(found, plan)]
    if found.cost_usd is not None:
        usd, work = figures.usd_band(found.cost_usd), reading.bill(plan)
        takes = f" takes {figures.hours(found.run_hours)} and" if reading.ends(plan) else ""
        lines.append(f"{work[0].upper()}{work[1:]}{takes} costs {usd}.")
    return [Reason("figure", line) for line in (*lines, f"Split: {figures.layout(found.parallelism)}.")]


def _times(found: Candidate, plan: Plan) -> str:
    """The time of a step; of a token what its ranks hand each other, which need not cross a network."""
    share, served = figures.percent(found.exposed_communication_percent), found.serving
    if served is None or not reading.serves(plan):
        return f"{reading.unit_of_work(plan)} takes {reading.step_band(found)}, {share} of it waiting for the network."
    first, token = (
        f"{figures.seconds(middle)} ({figures.seconds(low)}–{figures.seconds(high)})"
        for middle, low, high in (
            (served.ttft_s, served.ttft_s_p10, served.ttft_s_p90),
            (served.tpot_s, served.tpot_s_p10, served.tpot_s_p90),
        )
    )
    return f"The first token comes after {first}, each further one after {token}; {share} of it is communication."


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
    used = [_by_rule(plan, rule, finding.fabric) for rule in finding.from_findings if rule not in seen]
    facts = [Reason("fact", _fact(*fact)) for fact in list(finding.facts.items())[: limits.FACTS]]
    claims = [_claim(e) for e in _evidence(plan, finding)[: limits.CLAIMS]]
    below = (*(_finding(f, plan, seen) for f in used if f), *facts, *claims)
    return Reason("rule", finding.because, finding.rule, children=below)


def _by_rule(plan: Plan, rule: str, fabric: str | None) -> Finding | None:
    return next((f for f in plan.findings if f.rule == rule and f.fabric in (None, fabric)), None)


def _evidence(plan: Plan, finding: Finding) -> list[Evidence]:
    by_id = {e.id: e for e in plan.evidence}
    return sorted((by_id[ident] for ident in finding.evidence if ident in by_id), key=lambda e: _GRADES.index(e.grade))


def _claim(evidence: Evidence) -> Reason:
    text = evidence.text + (f" What holds: {evidence.correction}" if evidence.correction else "")
    return Reason("claim", text, evidence.id, evidence.source, evidence.grade)


def _fact(name: str, value: Any) -> str:
    """A fact in the vocabulary's words: "GPUs that share a scale-up link: 8"."""
    last = name.split(".")[-1]
    word = next((words[last] for words in FACTS.values() if last in words), None)
    meaning = word.meaning if word else name.replace("_", " ")
    if value == UNKNOWN:
        return f"{meaning}: unknown"
    if isinstance(value, bool):
        return f"{meaning}: {'yes' if value else 'no'}"
    if not isinstance(value, (int, float)):
        return f"{meaning}: {value}"
    shown = f"{value:,}" if isinstance(value, int) else figures.significant(value)
    return f"{meaning}: {shown}{f' {word.unit}' if word and word.unit and word.unit != '1' else ''}"
