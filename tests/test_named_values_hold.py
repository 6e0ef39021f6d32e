"""Whatever a plan names to make a job work, or to turn its answer, does so when it is applied exactly as it is said."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from assistant.library.questionnaires import from_value
from assistant.planning import Pipeline
from assistant.planning.entry import Entry
from assistant.planning.flips import Charging, provider_of
from assistant.planning.offers import rental_offers
from assistant.planning.pipeline import CHOICE_ALONE, WHOLE
from assistant.planning.stale import DECIDES, _name
from assistant.present.plan.names import namer
from assistant.vocabulary.plan import Plan, RentalOffer
from assistant.vocabulary.questionnaire import Questionnaire

from .rentals import TODAY, library, pipeline, planned

SEEDS = (1, 2, 12, 14, 15, 43, 86)  # of 120 that hold, some of each kind that take little time
GPUS = ("h100-sxm", "h200-sxm", "b200", "a100-sxm-80gb", "mi300x")
LIMITS = (("usd",), ("usd", "deadline_days"), ("deadline_days",), ("max_power_kw",), ("usd", "max_power_kw"), (), ())
TOLD = {
    "budget.usd": r"a budget of \$([\d,.]+)( M)?",
    "constraints.deadline_days": r"a deadline of ([\d.]+)() days",
    "constraints.max_power_kw": r"([\d,.]+)() kW",
}
A_LITTLE = 0.985  # of a value: more than what three digits round by
Wrong = Iterator[tuple[str, bool, object]]  # what was named, whether it holds, and how


def job(seed: int) -> dict[str, Any]:
    """Rented, on spot machines or bought, within limits that are too narrow for most."""
    draw = random.Random(seed)
    gpus = 8 * 2 ** draw.randrange(1, 6)
    found: dict[str, Any] = {
        "workload": draw.choice(("pretraining", "finetuning")),
        "model": draw.choice(("llama-3.1-8b", "llama-3.1-70b", "qwen2.5-7b")),
        "cluster": {"gpu": draw.choice(GPUS), "gpus": gpus},
        "training": {"tokens": draw.choice((1e9, 1e10, 1e11, 4e11))},
        "budget": {"mode": draw.choice(("rent", "rent", "buy"))},
    }
    bought = found["budget"]["mode"] == "buy"
    if not bought and draw.random() < 0.4:
        found["budget"]["spot"] = True
    limits = draw.choice(LIMITS)
    if "usd" in limits:
        most = 30_000 * gpus if bought else found["training"]["tokens"] * 1e-6
        found["budget"]["usd"] = round(most * draw.uniform(0.05, 1.0), 2)
    for name, most in (("deadline_days", 0.5), ("max_power_kw", 1.2 * gpus)):
        if name in limits:
            found.setdefault("constraints", {})[name] = round(most * draw.uniform(0.5, 1.0), 3)
    return found


def applied(asked: Questionnaire, changes: dict[str, Any]) -> Questionnaire:
    for path, value in changes.items():
        asked = asked.changed(path, value)
    return asked


def values(told: str) -> dict[str, float]:
    """The limits that a sentence names, but those that were given."""
    named = re.sub(r" instead of (\S+ M|\S+)( kW)?", "", told)
    said = {path: re.search(pattern, named) for path, pattern in TOLD.items()}
    number = lambda one: float(one[1].rstrip(".").replace(",", "")) * (1e6 if one[2] else 1)
    return {path: number(one) for path, one in said.items() if one}


def chosen(asked: Questionnaire, pipeline: Pipeline, charging: Charging | None = None) -> Entry | None:
    return pipeline.decide(asked, CHOICE_ALONE, charging=charging).choice.chosen


def smallest(made: Plan, asked: Questionnaire, pipeline: Pipeline) -> Wrong:
    """It works with what is named, and of one limit with no less."""
    told = made.recommendation.smallest_change or ""
    if not told.startswith("It would work with"):
        return
    first, *then = re.split(r"\. With (?=.* the run costs)", told)
    limits = values(first)
    yield "change", bool(limits) and chosen(applied(asked, limits), pipeline) is not None, told
    for less in [{path: A_LITTLE * value} for path, value in limits.items() if len(limits) == 1]:
        yield "no less", chosen(applied(asked, less), pipeline) is None, told
    for more in then:
        found = chosen(applied(asked, values(more)), pipeline)
        yield "for a little more", found is not None and found.considered.fabric.name in more, told


def ways(made: Plan, asked: Questionnaire, pipeline: Pipeline) -> Wrong:
    for way in made.recommendation.what_fits:
        found = chosen(applied(asked, way.change), pipeline)
        same = found is not None and (found.id, round(found.outlay)) == (way.fabric, round(way.cost_usd))
        yield "way out", same, way


def flips(made: Plan, asked: Questionnaire, pipeline: Pipeline) -> Wrong:
    for flip in made.recommendation.flips:
        provider = provider_of(flip.input)
        if provider:
            listed = (o.usd_per_gpu_hour for o in made.offers if o.provider == provider and o.usd_per_gpu_hour)
            now = next(usd for usd in listed if round(usd, 3) == flip.from_)
            found = chosen(asked, pipeline, Charging(provider, now, flip.at, TODAY))
        else:
            found = chosen(applied(asked, {flip.input: flip.at}), pipeline)
        yield f"flip of {'a price' if provider else flip.input}", found is not None and found.id == flip.to_fabric, flip


def old_prices(made: Plan, asked: Questionnaire, pipeline: Pipeline) -> Wrong:
    """At the price at which an old one would decide, told today, the other offer costs no more."""
    offers = {namer(made)(_name(offer)): offer for offer in reversed(made.offers)}
    for told in (warning.message for warning in made.warnings if warning.code == DECIDES):
        said = re.match(r"An old price decides: (.*) at \$[\d.]+ per GPU-hour is .* At \$([\d.]+), a change of", told)
        named = re.search(r"after so long, (.*) would cost no more", told)
        if said and named and made.recommendation.offer is not None:
            ours, moved = made.offers[made.recommendation.offer], offers[said[1]]
            cheaper = moved if named[1] == "it" else offers[named[1]]
            charging = Charging(moved.provider, moved.usd_per_gpu_hour or 0.0, float(said[2]), TODAY)
            there = pipeline.decide(asked, WHOLE, charging=charging)
            rows = rental_offers(there.variants, there.entries, there.job, pipeline.catalog, TODAY)
            cost = {_key(offer): offer.ranked_usd for offer in rows}
            yield "old price", cost[_key(cheaper)] <= 1.0001 * cost[_key(ours)], told


def _key(offer: RentalOffer) -> tuple[object, ...]:
    return offer.provider, offer.instance, offer.fabric, offer.tier, offer.months


def test_every_value_that_is_named_does_what_it_is_named_for(pipeline: Pipeline) -> None:
    seen: Counter[str] = Counter()
    for seed in SEEDS:
        made, asked = planned(pipeline, job(seed)), from_value(job(seed), pipeline.catalog)
        for of in (smallest, ways, flips, old_prices):
            for kind, holds, how in of(made, asked, pipeline):
                seen[kind] += 1
                assert holds, f"{kind} of job {seed}: {how}"
    kinds = {
        "change",
        "no less",
        "for a little more",
        "way out",
        "flip of a price",
        "flip of cluster.gpus",
        "old price",
    }
    assert kinds <= seen.keys()
