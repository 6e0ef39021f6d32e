"""Puts the parts of a plan together."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import assistant
from assistant.library import Library
from assistant.library.figures import figures_of
from assistant.network.nccl import Host, advice
from assistant.vocabulary.answers import FabricDesign
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import (
    Assumption,
    Candidate,
    MadeWith,
    Outcome,
    Plan,
    Recommendation,
    RentalOffer,
    Sizing,
    Verdict,
    Warning_,
)
from assistant.vocabulary.quantities import days_said
from assistant.vocabulary.questionnaire import Questionnaire

from . import dividing, evidence, idle, overrides, practice, profile, quotes_compared, savings, stale
from .between_sites import between_sites
from .budgets import usd_per_month
from .choice import Choice
from .crossing import crossing_of
from .design import described, design_for, not_as_described, under_one_leaf
from .entry import Entry, band_of
from .facts import collectives_cross
from .fewer import quickest, takes
from .headline import headline, lasting, name_of, not_together, on_fewer, tokens_told
from .limits import meets
from .missed import missed
from .money import effective_percent
from .movers import movers_of
from .offers import cheapest_first, rental_offers, taken
from .pipeline import CHOICE_ALONE, Decision, Pipeline
from .power import power_use
from .predictor import Predictor
from .purchase import purchase_of
from .quotes_compared import quoted_offers, rows_of_quotes
from .remedy import not_sold, smallest_change
from .resolve import Resolved
from .sized import sizing_of
from .tie import not_the_likeliest
from .work import assumed, warned

if TYPE_CHECKING:
    from assistant.retrieval import Index

GB = 1e9
_NAMED = 3  # of those that let what who was named does not; more are counted
MOSTLY_TRAINING = 96.0  # percent of the time; below it a plan says what is lost


def plan_of(
    made: Decision,
    library: Library,
    pipeline: Pipeline,
    index: Index | None,
    published: Decision | None = None,
) -> Plan:
    """The plan as the contract has it, without the values at which it would turn. ``index``: where evidence is looked
    up; ``published``: beside quotes, what would be decided without them."""
    catalog, chosen, conclusions = library.catalog, made.choice.chosen, made.conclusions
    findings, found = evidence.findings_and_evidence(conclusions, library, index)
    listed = published or made
    offers = rental_offers(listed.variants, listed.entries, listed.job, catalog, made.today, listed.choice)
    quotes = quoted_offers(made, offers, catalog)
    offers = cheapest_first([*rows_of_quotes(made, quotes), *offers]) if quotes else offers
    design, sizing = _design(made.job, chosen, catalog), _sizing(made, pipeline.predictor)
    asked = [*quotes_compared.unlisted(made, catalog), *quotes_compared.warnings(made)]
    said = recommendation_of(made, pipeline, published)
    sure = "close" if asked and said.certainty == "clear" else said.certainty
    disagreements = evidence.conflicts(conclusions, library, serves=made.job.serves)
    return Plan(
        date=(made.today or datetime.date.today()).isoformat(),
        made_with=MadeWith(program=assistant.__version__, constants=_figures(made, library), **library.digests),
        names=names_of(made, offers, sizing, catalog)
        | evidence.names(findings, found, disagreements, library.knowledge),
        questionnaire=made.job.questionnaire.model_dump(mode="json"),
        recommendation=said.model_copy(update={"offer": taken(made.choice.chosen, offers), "certainty": sure}),
        candidates=candidates_of(made, offers),
        offers=offers,
        quotes=quotes,
        findings=findings,
        evidence=found,
        conflicts=disagreements,
        purchase=purchase_of(chosen, made.job, design, catalog),
        power=power_use(chosen, made.job, design, catalog),
        sizing=sizing,
        crossing=crossing_of(made, catalog),
        movers=movers_of(chosen, made.job),
        fabric_design=design.model_dump(mode="json") if design else {},
        nccl=_settings(made.job, chosen, offers),
        warnings=[
            *asked,
            *dividing.warnings(made, pipeline.predictor),
            *_warnings(made, stale.warnings(made, offers, catalog), library, searched=index is not None),
        ],
        assumptions=_assumptions(made, catalog, design),
        questions_for_provider=[*_about_all_of_them(made), *_said(made, "ask")],
        measure_first=_said(made, "measure"),
    )


def _figures(made: Decision, library: Library) -> dict[str, str]:
    """What the plan was computed with: of the networks those that were."""
    return _figures_of(library, made.job.gpu.id, tuple(one.id for one in made.entries if one.estimated is not None))


@lru_cache(maxsize=64)
def _figures_of(library: Library, gpu: str, fabrics: tuple[str, ...]) -> dict[str, str]:
    return figures_of(library.catalog, gpu, fabrics)


def _sizing(made: Decision, predictor: Predictor) -> Sizing | None:
    chosen, asked = made.choice.chosen, made.asked
    month = whole = None
    if chosen and chosen.costed:
        month = chosen.price.usd_per_month(made.job.gpus)
        whole = chosen.median_cost if made.job.serves and made.job.served.job_tokens else None
    told = chosen or _nearest(made.entries)
    served = told.estimate.serving if told else None
    return sizing_of(asked, made.job, served, month, whole, predictor) if asked else None


def _nearest(entries: list[Entry]) -> Entry | None:
    """Where nothing works what carries most of the load, on a network that can be had as far as one can."""
    fits = [e for e in entries if e.estimated is not None and e.estimate.fits]
    able = [e for e in fits if e.usable and e.verdict != "impossible"] or fits
    return min(able, key=lambda e: (e.estimate.copies_short, -_carries(e)), default=None)


def _carries(entry: Entry) -> float:
    """Tokens per second of a service."""
    served = entry.estimate.serving
    return served.output_tokens_per_s if served else 0.0


def names_of(made: Decision, offers: Sequence[RentalOffer], sizing: Sizing | None, catalog: Catalog) -> dict[str, str]:
    """How people call the model, the GPUs, the networks and the sellers that a plan has by their ids."""
    kinds = sizing.kinds if sizing else []
    gpus = {made.job.gpu.id, *(kind.gpu for kind in kinds)}
    sellers = {*(offer.provider for offer in offers), *(kind.provider for kind in kinds)}
    model = made.job.questionnaire.model
    return {
        **({model: made.job.model_name} if isinstance(model, str) else {}),
        **{gpu: catalog.gpus[gpu].name for gpu in sorted(gpus)},
        **{entry.id: entry.considered.fabric.label for entry in made.entries},
        **{one: catalog.providers[one].name for one in sorted(sellers) if one in catalog.providers},
    }


def candidates_of(made: Decision, offers: Sequence[RentalOffer] = ()) -> list[Candidate]:
    """Every fabric as the contract has it: the choice first, then by verdict and cost, what was not computed last."""
    chosen, rank = made.choice.chosen, {"acceptable": 1, "avoid": 2, "impossible": 3}
    ordered = sorted(made.entries, key=lambda e: (e is not chosen, e.estimated is None, rank[e.verdict], e.median_cost))
    return [
        _candidate(entry, "recommended" if entry is chosen else entry.verdict, made.job).model_copy(
            update={"offer": taken(entry, offers)}
        )
        for entry in ordered
    ]


def verdict_of(choice: Choice) -> Outcome:
    """``recommended``, ``no-network-needed`` or ``infeasible``."""
    if choice.chosen is None:
        return "infeasible"
    return "no-network-needed" if choice.chosen.considered.fabric.technology == "none" else "recommended"


def recommendation_of(made: Decision, pipeline: Pipeline, published: Decision | None = None) -> Recommendation:
    """The answer in a sentence; where nothing works with the smallest change that would, of quotes and beside them."""
    job, choice, verdict = made.job, made.choice, verdict_of(made.choice)
    asked = made.instead_of
    hours = quickest(asked.entries) if asked and made.sooner else None
    dear = takes(asked.job, asked.entries, asked.variants) if asked and made.cheaper else None
    fewer = on_fewer(job, asked.job, hours, dear) if asked else ""
    return Recommendation(
        fabric=choice.chosen.id if choice.chosen else "none",
        verdict=verdict,
        headline=f"{fewer}{headline(job, choice, verdict, made.conclusions)}",
        confidence=round(choice.confidence, 3),
        certainty="toss-up" if job.questionnaire.budget.open_prices else choice.certainty,
        tied=[entry.id for entry in choice.tied],
        runner_up=choice.runner_up.id if choice.runner_up else None,
        flips=[],
        smallest_change=_smallest_change(made, pipeline, published) if verdict == "infeasible" else None,
        not_the_likeliest=not_the_likeliest(made.entries, choice, made.conclusions),
    )


def _smallest_change(made: Decision, pipeline: Pipeline, published: Decision | None) -> str:
    """What would help; beside quotes also at the lists, where these are cheaper and do not do either."""

    def taken_with(questionnaire: Questionnaire) -> Entry | None:
        return pipeline.decide(questionnaire, CHOICE_ALONE).choice.chosen

    change = smallest_change(made.job, made.entries, pipeline.predictor, taken_with, made.variants)
    if published is None or published.choice.chosen is not None or _least(published) >= _least(made):
        return change
    listed = smallest_change(published.job, published.entries, pipeline.predictor, taken_with, published.variants)
    return f"{change} Without the quotes: {listed[0].lower()}{listed[1:]}"


def _least(made: Decision) -> float:
    able = (e.median_cost for e in made.entries if e.costed and e.usable and e.verdict != "impossible")
    return min(able, default=math.inf)


def _candidate(entry: Entry, verdict: Verdict, job: Resolved) -> Candidate:
    if entry.estimated is None:
        return Candidate(
            fabric=entry.id,
            verdict=verdict,
            barred=entry.barred,
            reasons=entry.reasons,
        )
    e, month = entry.estimate, usd_per_month(entry, job.questionnaire)
    return Candidate(
        fabric=entry.id,
        verdict=verdict,
        barred=entry.barred,
        reasons=entry.reasons,
        limits_missed=[one.named for one in missed(entry, job.questionnaire)] if entry.run_cost is not None else [],
        parallelism=e.parallelism,
        step_time_s=e.serving.tpot_band if e.serving else e.band,
        tokens_per_s_per_gpu=e.tokens_per_s_per_gpu,
        mfu=e.mfu,
        exposed_communication_percent=e.exposed_percent,
        slowdown_percent=entry.slowdown_percent,
        memory_gb_per_gpu=e.memory_bytes / GB,
        fits=e.fits,
        run_hours=entry.median_hours,
        run_hours_band=band_of(entry.hours),
        delivery_days=entry.price.delivery_days,
        cost_usd=band_of(entry.likely_cost) if entry.costed else None,
        fabric_usd_per_gpu_hour=entry.price.fabric_total if entry.costed else None,
        gpu_usd_per_hour=entry.price.gpu_total if entry.costed else None,
        usd_per_month=month if entry.costed else None,
        usd_to_buy=entry.price.capital_usd if entry.costed else None,
        probability_best=entry.probability_best if entry.costed else None,
        breakdown_s=e.breakdown,
        effective_time_percent=effective_percent(entry.price.interruptions) if not job.serves else None,
        learning=e.learning,
        serving=e.serving,
    )


def _design(job: Resolved, chosen: Entry | None, catalog: Catalog) -> FabricDesign | None:
    joined = chosen.inside or chosen if chosen else None
    if joined is None or joined.considered.fabric.technology in ("none", "wan"):
        return None
    return design_for(joined, job, catalog)


def _settings(job: Resolved, chosen: Entry | None, offers: Sequence[RentalOffer]) -> dict[str, Any]:
    """NCCL's settings where the chosen machines stand: at the provider that was named, or at that of the offer."""
    joined = chosen.inside or chosen if chosen else None
    if joined is None or joined.considered.fabric.technology == "wan":
        return {}
    if job.serves and joined.considered.fabric.technology == "none":
        return {}  # copies that do not talk to each other
    if not collectives_cross(job, joined.estimate.parallelism):
        return {}
    offer = taken(chosen, offers)
    provider = job.provider.id if job.provider else None if offer is None else offers[offer].provider
    return advice(joined.considered.fabric, job.gpu, job.nodes, Host(provider=provider))


def _said(made: Decision, what: str) -> list[str]:
    """Questions or measurements the rules ask for, about the job or the choice, each once."""
    about = _about(made)
    return list(dict.fromkeys(c.then[what] for c in made.conclusions if c.then.get(what) and c.fabric in about))


def _about(made: Decision) -> tuple[str | None, ...]:
    """What a conclusion that is told must be about: the job as a whole, or the choice."""
    return (None, made.choice.chosen.id) if made.choice.chosen else (None,)


def _warnings(made: Decision, old: list[Warning_], library: Library, *, searched: bool) -> list[Warning_]:
    """``old``: prices; those that decide stand first."""
    job, about, catalog = made.job, _about(made), library.catalog
    first = [warning for warning in old if warning.code == stale.DECIDES]
    named = [*(warning for warning in old if warning not in first), *_less_sure(made.choice.chosen)]
    codes = {warning.code for warning in named} | ({"stale-prices"} if first else set())
    by_rules = [
        Warning_(code=c.then["warn"], message=c.because)
        for c in made.conclusions
        if c.then.get("warn") and c.fabric in about and c.then["warn"] not in codes
    ]
    found = [
        *first,
        *_crowded(made.choice.chosen),
        *_on_fewer(made, catalog),
        *idle.warnings(made.choice.chosen, job),
        *_given_but_impossible(made),
        *_advised_against(made),
        *_drawn_otherwise(made, catalog),
        *_without_a_price(made),
        *_beyond_the_context(job),
        *_deadline_not_judged(job),
        *warned(made.work, job, made.choice.chosen),
        *_interrupted(made),
        *between_sites(made, catalog),
        *savings.host_memory(job, made.choice.chosen),
        *by_rules,
        *named,
    ]
    ratio = made.choice.chosen.considered.oversubscription if made.choice.chosen else 1.0
    if ratio > 1.0 and not under_one_leaf(job, ratio, catalog):
        found.append(
            Warning_(
                code="oversubscribed",
                message=f"Half of the ranks are taken to be placed leaf by leaf and half by chance. A scheduler that "
                f"scatters all of them can lose as much as the {ratio:g}:1 between leaf and spine; one that follows "
                "the leaves loses next to nothing.",
            )
        )
    if not searched:
        found.append(
            Warning_(
                code="no-search-index",
                message="The search index is not built, so findings cite their claims only: run weft doctor.",
            )
        )
    told = (warning.model_copy(update={"message": library.naming(warning.message)}) for warning in found)
    return list({(w.code, w.message): w for w in told}.values())


def _others_let(job: Resolved, catalog: Catalog) -> str:
    """Who else lists a price of so many on a network, where who was named does not."""
    if job.provider is None or job.domains == 1 or job.sites > 1:
        return ""
    let = [
        provider.name
        for provider in catalog.providers.values()
        if provider is not job.provider
        and any(
            o.gpu == job.gpu.id
            and o.gpus_per_node >= job.gpus_per_node
            and o.fabrics[0] != "none"
            and (o.min_gpus or 0) <= job.gpus <= (o.largest_gpus or job.gpus)
            and o.price("on-demand") is not None
            for o in provider.offers
        )
    ]
    more = f" and {len(let) - _NAMED} more" if len(let) > _NAMED else ""
    return f" Others list a price of {job.gpus:,}: {', '.join(let[:_NAMED])}{more}." if let else ""


def _on_fewer(made: Decision, catalog: Catalog) -> list[Warning_]:
    """That the plan is for fewer GPUs than were asked for, and what it takes to have all."""
    if made.instead_of is None:
        return []
    asked = made.instead_of
    fits = [e for e in asked.entries if e.estimated is not None and e.estimate.fits]
    message = f"The plan is for {made.job.gpus:,} of the {asked.job.gpus:,} GPUs that were asked for."
    why = not_sold(asked.job, fits) + _others_let(asked.job, catalog)
    if made.sooner:
        took = f"All of them take {lasting(quickest(asked.entries))}, most of it waiting for each other"
        why = (
            f"{took}: the deadline is missed with all and kept with fewer. A larger batch would keep more of them busy."
        )
    elif made.cheaper:
        why = f"All of them take {takes(asked.job, asked.entries, asked.variants)}{_trains_more(asked)}."
    return [Warning_(code="fewer-gpus-than-asked", message=f"{message} {why}")]


def _trains_more(asked: Decision) -> str:
    """What all GPUs would train in the days that were said."""
    if asked.work is None or asked.job.days is None or asked.job.serves:
        return ""
    return f", for {tokens_told(asked.work.steps * asked.job.tokens_per_step)}"


def _about_all_of_them(made: Decision) -> list[str]:
    """What to ask a seller where nobody lets as many GPUs as were asked for at a price that it quotes."""
    if made.instead_of is None or made.sooner or made.cheaper:
        return []
    asked = f"{made.instead_of.job.gpus:,} {made.job.gpu.name}"
    return [f"Can you join {asked}, by which network at which rate per GPU, and at what price per GPU-hour?"]


def _given_but_impossible(made: Decision) -> list[Warning_]:
    """A network that was given as decided and cannot be: the plan is for another, and says so."""
    given, chosen = made.job.questionnaire.cluster.fabric, made.choice.chosen
    if given is None or chosen is None or chosen.id == given or chosen.considered.suffices:
        return []  # what nothing crosses is named on the card
    why = next(
        (c.because for c in made.conclusions if c.fabric == given and c.then.get("verdict") == "impossible"),
        "it does not do what is asked here.",
    )
    return [
        Warning_(
            code="given-network-set-aside", message=f"{given} was given, but {why} The plan is for {chosen.id} instead."
        )
    ]


def _else(made: Decision) -> str:
    """That nothing is left to take that no rule is against."""
    asked, chosen = made.job.questionnaire, made.choice.chosen
    able = [e for e in made.entries if e.usable and e.verdict != "impossible" and e.run_cost is not None]
    if any(e is not chosen and meets(e, asked) for e in able):
        return "whatever else could be taken is advised against too"
    if asked.budget.quotes:
        return "nothing else that was quoted does what was asked"
    had = "can be bought" if asked.budget.mode == "buy" else "is let at a price"
    return f"nothing else that {had} does what was asked"


def _advised_against(made: Decision) -> list[Warning_]:
    """What the rules have against the choice, which its saving outweighs, or which is the least bad."""
    chosen = made.choice.chosen
    if chosen is None or made.choice.kept:  # what is there was not chosen for its cost
        return []
    why = " ".join(c.because for c in made.conclusions if c.fabric == chosen.id and c.then.get("verdict") == "avoid")
    if chosen.verdict == "avoid":
        message = f"{why} It is recommended all the same: {_else(made)}."
        return [Warning_(code="advised-against-and-least-bad", message=message)]
    if chosen.outweighed_by is None:
        return []
    firm = [e for e in made.entries if e.verdict == "acceptable" and e.outweighed_by is None and e.costed]
    other = min((e for e in firm if meets(e, made.job.questionnaire)), key=lambda e: e.ranked_cost, default=None)
    if other is None:
        return []
    times = f"{other.ranked_cost / chosen.ranked_cost:.3g} times as much on {name_of(other)}"
    kept = ": if that matters, give a deadline" if made.job.questionnaire.latest_days is None else ""
    lengths = f"{lasting(chosen.median_hours)} instead of {lasting(other.median_hours)}"
    message = (
        f"{why} {name_of(chosen)} is recommended all the same: the run costs {times}, the length of both counted. "
        f"It takes {lengths}{kept}. Measure the network before you sign."
    )
    return [Warning_(code="advised-against-and-cheaper", message=message)]


def _drawn_otherwise(made: Decision, catalog: Catalog) -> list[Warning_]:
    """That the network of the choice cannot be built as it was described."""
    chosen = made.choice.chosen and (made.choice.chosen.inside or made.choice.chosen)
    if chosen is None or not described(made.job) or chosen.considered.fabric.technology in ("none", "wan"):
        return []
    refused = not_as_described(chosen, made.job, catalog)
    if refused is None:
        return []
    message = f"{chosen.considered.fabric.name} is drawn and priced otherwise than described: {refused}."
    return [Warning_(code="network-drawn-otherwise", message=message)]


def _without_a_price(made: Decision) -> list[Warning_]:
    """That nothing is said of money, where nobody told a price."""
    chosen, job = made.choice.chosen, made.job
    if chosen is None or chosen.priced is None or chosen.costed:
        return []
    what = f"{job.gpus:,} {job.gpu.name}"
    joined = " with a network between nodes" if chosen.id != "none" else ""
    whose = f"{job.provider.name} for {what}{joined}" if job.provider else what
    whose += f" with {chosen.considered.fabric.label}" if job.provider is None and chosen.id != "none" else ""
    give = "the rent that you are quoted (budget.gpu_hour_usd)"
    if job.questionnaire.budget.mode == "buy":
        give = "a quote (budget.quotes), or the network's price in your own catalog (capex_per_gpu)"
    asked = " The budget is not checked against anything." if job.questionnaire.budget.usd is not None else ""
    return [
        Warning_(
            code="price-unknown",
            message=f"The catalog has no price of {whose}, so this plan has no costs: networks are compared by "
            f"GPU-hours.{asked} Give {give}.",
        )
    ]


def _beyond_the_context(job: Resolved) -> list[Warning_]:
    """A sequence longer than the model was made for."""
    context = getattr(job.model, "context", None)
    if job.serves or not context or job.longest_sequence <= context:
        return []
    return [
        Warning_(
            code="beyond-the-context",
            message=f"Sequences of {job.longest_sequence:,} tokens are longer than the {context:,} that "
            f"{job.model_name} was made for: its positions have to be extended first.",
        )
    ]


def _fewer(made: Decision) -> list[Assumption]:
    if made.instead_of is None:
        return []
    but = "they miss the deadline that fewer keep" if made.sooner else ""
    but = "they cost more than the budget that fewer keep" if made.cheaper else but
    asked = made.instead_of.job
    but = but or (
        not_together(asked, "so many") if asked.provider else "nobody lets so many together at a price that it quotes"
    )
    why = f"{made.instead_of.job.gpus:,} were asked for, and {but}"
    return [Assumption(field="cluster.gpus", value=made.job.gpus, why=why)]


def _planes(job: Resolved, design: FabricDesign | None) -> list[Assumption]:
    """Into how many planes the network is split, where nobody said it."""
    cluster = job.questionnaire.cluster
    if cluster.topology != "plane" or cluster.planes is not None or design is None:
        return []
    whole = design.nics == design.nodes * design.planes
    why = "one for each adapter of a node" if whole else "one for each port of an adapter, which splits into as many"
    return [Assumption(field="cluster.planes", value=design.planes, why=why)]


def _deadline_not_judged(job: Resolved) -> list[Warning_]:
    """A deadline for what never ends."""
    said = job.questionnaire.constraints.deadline_days
    if said is None or not job.serves or job.questionnaire.latest_days is not None:
        return []
    return [
        Warning_(
            code="deadline-not-judged",
            message=f"The deadline of {days_said(said)} is not judged: no amount of work is given that could be done "
            "by then. Hours and costs are those of a month of serving.",
        )
    ]


def _interrupted(made: Decision) -> list[Warning_]:
    """What failures take of a run so large that they decide when it ends."""
    chosen, job = made.choice.chosen, made.job
    if chosen is None or job.serves:
        return []
    found = chosen.price.interruptions
    share = effective_percent(found)
    if share.p50 > MOSTLY_TRAINING:
        return []
    return [
        Warning_(
            code="interruptions",
            message=f"On {job.gpus:,} GPUs something interrupts the job every {found.between_s / 3600:.2g} hours. "
            f"With a checkpoint every {found.every_s / 60:.0f} minutes and {found.restart_s / 60:.0f} to restart, "
            f"{share.p50:.0f} % of the time trains, {share.p10:.0f} to {share.p90:.0f} % as teams differ; hours and "
            "costs count it. Three in five interruptions are GPUs and their memory, one in ten the network.",
        )
    ]


def _crowded(chosen: Entry | None) -> list[Warning_]:
    """That the split which was given may run out of memory."""
    crowded = chosen.estimate.crowded if chosen and chosen.estimated else ""
    return [Warning_(code="memory-full", message=f"{crowded[:1].upper()}{crowded[1:]}.")] if crowded else []


def _less_sure(chosen: Entry | None) -> list[Warning_]:
    """Warnings that name the very step outside what was measured; as those of the very price they stand in for the
    general ones."""
    return [
        Warning_(code="outside-calibration", message=f"Less sure than usual: {reason}.")
        for reason in (chosen.estimate.outside if chosen else ())
    ]


def _assumptions(made: Decision, catalog: Catalog, design: FabricDesign | None) -> list[Assumption]:
    """What was assumed for the job, then for the money, then what the user's own catalog says; each field once."""
    job, chosen = made.job, made.choice.chosen
    taken = [*savings.spread_wider(job, chosen), *job.assumptions, *(chosen.price.assumptions if chosen else ())]
    if chosen is not None:
        bought = chosen.price.capital_usd is not None
        prices = {
            "budget.gpu_hour_usd": chosen.price.gpu_usd_per_hour,
            f"fabrics.{chosen.id}.{'write_off' if bought else 'premium'}": chosen.price.fabric_usd_per_hour,
        }
        taken += [
            Assumption(
                field=field,
                value=round(p.value, 4),
                why=f"{p}; {p.note}" if p.note and p.origin == "derived" else str(p),
            )
            for field, p in prices.items()
            if p.origin not in ("quoted", "none", "unknown") and not field.startswith("fabrics.none.")
        ]
    taken += [
        *_fewer(made),
        *_planes(job, design),
        *assumed(made.work, job),
        *overrides.assumptions(job, made.entries, catalog),
        *profile.assumptions(job, catalog),
        *practice.assumptions(job, catalog),
        *savings.assumptions(job, chosen),
    ]
    return list({a.field: a for a in reversed(taken)}.values())[::-1]
