"""Puts the parts of a plan together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assistant.model import architecture_of
from assistant.network.nccl import Host, advice
from assistant.reasoning import Conclusion
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import (
    Assumption,
    Candidate,
    Evidence,
    Finding,
    Flip,
    Plan,
    PlanConflict,
    Recommendation,
    Warning_,
)

from . import overrides, profile, stack
from .choice import Choice
from .design import design_for
from .entry import Entry, band_of
from .headline import headline
from .remedy import smallest_change
from .resolve import Resolved
from .tie import not_the_likeliest

GB = 1e9


def plan_of(
    job: Resolved,
    entries: list[Entry],
    choice: Choice,
    findings: list[Finding],
    evidence: list[Evidence],
    conflicts: list[PlanConflict],
    conclusions: list[Conclusion],
    catalog: Catalog,
    *,
    searched: bool,
    more_warnings: Iterable[Warning_] = (),
) -> Plan:
    """The plan as the contract has it, without the values at which it would turn."""
    chosen = choice.chosen
    return Plan(
        questionnaire=job.questionnaire.model_dump(mode="json"),
        recommendation=recommendation_of(job, entries, choice, [], catalog, conclusions),
        candidates=candidates_of(entries, choice),
        findings=findings,
        evidence=evidence,
        conflicts=conflicts,
        fabric_design=_design(job, chosen, catalog),
        nccl=_settings(job, chosen),
        warnings=[*more_warnings, *_warnings(job, chosen, conclusions, searched)],
        assumptions=_assumptions(job, chosen, entries, catalog),
        questions_for_provider=_said(conclusions, "ask", chosen),
        measure_first=_said(conclusions, "measure", chosen),
    )


def candidates_of(entries: list[Entry], choice: Choice) -> list[Candidate]:
    """Every fabric as the contract has it: the choice first, then by verdict and cost."""
    return [_candidate(entry, choice) for entry in _ordered(entries, choice)]


def verdict_of(choice: Choice) -> str:
    """``recommended``, ``no-network-needed`` or ``infeasible``."""
    if choice.chosen is None:
        return "infeasible"
    return "no-network-needed" if choice.chosen.considered.fabric.technology == "none" else "recommended"


def recommendation_of(
    job: Resolved,
    entries: list[Entry],
    choice: Choice,
    flips: list[Flip],
    catalog: Catalog,
    conclusions: Iterable[Conclusion],
) -> Recommendation:
    """The answer in a sentence; where nothing works with the smallest change that would."""
    verdict = verdict_of(choice)
    change = smallest_change(job, architecture_of(job.model), entries, catalog) if verdict == "infeasible" else None
    return Recommendation(
        fabric=choice.chosen.id if choice.chosen else "none",
        verdict=verdict,
        headline=headline(job, choice, verdict),
        confidence=round(choice.confidence, 3),
        runner_up=choice.runner_up.id if choice.runner_up else None,
        flips=flips,
        smallest_change=change,
        not_the_likeliest=not_the_likeliest(entries, choice, conclusions),
    )


def _ordered(entries: list[Entry], choice: Choice) -> list[Entry]:
    """The choice first, then by verdict and cost, what was not computed last."""
    rank = {"acceptable": 1, "avoid": 2, "impossible": 3}
    return sorted(entries, key=lambda e: (e is not choice.chosen, e.estimate is None, rank[e.verdict], e.median_cost))


def _candidate(entry: Entry, choice: Choice) -> Candidate:
    verdict = "recommended" if entry is choice.chosen else entry.verdict
    if entry.estimate is None:
        return Candidate(fabric=entry.id, verdict=verdict, reasons=entry.reasons)
    e = entry.estimate
    return Candidate(
        fabric=entry.id,
        verdict=verdict,
        reasons=entry.reasons,
        parallelism=e.parallelism,
        step_time_s=e.band,
        tokens_per_s_per_gpu=e.tokens_per_s_per_gpu,
        mfu=e.mfu,
        exposed_communication_percent=e.exposed_percent,
        slowdown_percent=entry.slowdown_percent,
        memory_gb_per_gpu=e.memory_bytes / GB,
        fits=e.fits,
        run_hours=entry.median_hours,
        cost_usd=band_of(entry.cost),
        fabric_usd_per_gpu_hour=entry.price.fabric_total,
        gpu_usd_per_hour=entry.price.gpu_total,
        probability_best=entry.probability_best,
        breakdown_s=e.breakdown,
    )


def _design(job: Resolved, chosen: Entry | None, catalog: Catalog) -> dict[str, Any]:
    if chosen is None or chosen.considered.fabric.technology in ("none", "wan"):
        return {}
    design = design_for(chosen, job, catalog)
    return design.model_dump(mode="json") if design else {}


def _settings(job: Resolved, chosen: Entry | None) -> dict[str, Any]:
    if chosen is None or chosen.considered.fabric.technology == "wan":
        return {}
    return advice(
        chosen.considered.fabric, job.gpu, job.nodes, Host(provider=job.provider.id if job.provider else None)
    )


def _said(conclusions: Iterable[Conclusion], kind: str, chosen: Entry | None) -> list[str]:
    """Questions or measurements the rules ask for, about the job or the choice, each once."""
    texts = [
        c.then[kind] for c in conclusions if c.then.get(kind) and c.fabric in (None, chosen.id if chosen else None)
    ]
    return list(dict.fromkeys(texts))


def _warnings(job: Resolved, chosen: Entry | None, conclusions: Iterable[Conclusion], searched: bool) -> list[Warning_]:
    about = (None, chosen.id if chosen else None)
    named = _named(chosen)
    said = {w.code for w in named}
    found = [
        Warning_(code=c.then["warn"], message=c.because)
        for c in conclusions
        if c.then.get("warn") and c.fabric in about and c.then["warn"] not in said
    ] + named
    found = [*_given_but_impossible(job, chosen, conclusions), *_beyond_the_context(job), *found]
    ratio = job.questionnaire.cluster.oversubscription or 1.0
    if ratio > 1.0:
        found.append(
            Warning_(
                code="oversubscribed",
                message=f"Ranks are taken to be placed leaf by leaf, so that few of a leaf's nodes talk to "
                f"the next leaf at once. A scheduler that scatters them can lose as much as the {ratio:g}:1 between leaf and spine.",
            )
        )
    if not searched:
        found.append(
            Warning_(
                code="no-search-index",
                message="The search index is not built, so findings cite their claims only: run weft doctor.",
            )
        )
    return list({(w.code, w.message): w for w in found}.values())


def _given_but_impossible(job: Resolved, chosen: Entry | None, conclusions: Iterable[Conclusion]) -> list[Warning_]:
    """A network that was given as decided and cannot be: the plan is for another, and says so."""
    given = job.questionnaire.cluster.fabric
    if given is None or chosen is None or chosen.id == given:
        return []
    why = next(
        (c.because for c in conclusions if c.fabric == given and c.then.get("verdict") == "impossible"),
        "it does not do what is asked here.",
    )
    return [
        Warning_(
            code="given-network-set-aside", message=f"{given} was given, but {why} The plan is for {chosen.id} instead."
        )
    ]


def _beyond_the_context(job: Resolved) -> list[Warning_]:
    """A sequence longer than the model was made for."""
    context = getattr(job.model, "context", None)
    if job.serves or not context or job.sequence_length <= context:
        return []
    return [
        Warning_(
            code="beyond-the-context",
            message=f"Sequences of {job.sequence_length:,} tokens are longer than the {context:,} that {job.model_name} was made for: "
            "its positions have to be extended first.",
        )
    ]


def _named(chosen: Entry | None) -> list[Warning_]:
    """Warnings that name the very price or the very step outside what was measured; they stand in for the general ones."""
    if chosen is None:
        return []
    stale = [Warning_(code="stale-prices", message=f"{price}.") for price in chosen.price.prices if price.stale]
    return stale + [
        Warning_(code="outside-calibration", message=f"Less sure than usual: {reason}.")
        for reason in chosen.estimate.outside
    ]


def _assumptions(job: Resolved, chosen: Entry | None, entries: list[Entry], catalog: Catalog) -> list[Assumption]:
    """What was assumed for the job, then for the money, then what the user's own catalog says; each field once."""
    taken = [*job.assumptions, *(chosen.price.assumptions if chosen else ())]
    if chosen is not None:
        prices = {
            "budget.gpu_hour_usd": chosen.price.gpu_usd_per_hour,
            f"fabrics.{chosen.id}.premium": chosen.price.fabric_usd_per_hour,
        }
        taken += [
            Assumption(
                field=field,
                value=round(p.value, 4),
                why=f"{p}; {p.note}" if p.note and p.origin == "derived" else str(p),
            )
            for field, p in prices.items()
            if p.origin not in ("quoted", "none") and field != "fabrics.none.premium"
        ]
    taken += [
        *overrides.assumptions(job, entries, catalog),
        *profile.assumptions(job, catalog),
        *stack.assumptions(job, catalog),
    ]
    return list({a.field: a for a in reversed(taken)}.values())[::-1]
