"""Whose figures are asked for: networks, offers, quotes and GPUs that are named or ranked, else the recommendation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assistant.vocabulary.plan import Candidate, RentalOffer

from .. import reading
from ..answers.asked import Asked, usable
from .figure import Subject

_FEW = 3
_NUMBERS = {"two": 2, "three": 3, "four": 4}
_SAME_RATE = 0.005


def subjects(asked: Asked) -> list[Subject]:
    """Whom a question names, the recommendation where it names nobody; none where what is named is not in the plan."""
    told = asked.said.query.concepts
    if asked.said.query.quotes and asked.plan.quotes:
        return [one for number in asked.said.query.quotes if (one := _quote(asked, number))]
    providers = asked.said.named("provider")
    if providers:
        return [one for provider in providers if (one := _provider(asked, provider))]
    gpus = [gpu for gpu in asked.said.named("gpu") if gpu != asked.plan.questionnaire["cluster"]["gpu"]]
    if gpus:
        return [*_recommended(asked, label=True), *(one for gpu in gpus if (one := _gpu(asked, gpu)))]
    if asked.fabrics:
        return _networks(asked)
    if {"compare", "quicker"} & told and len(asked.plan.quotes) > 1 and not {"networks", "providers"} & told:
        told |= {"quotes"}
    if "quotes" in told and asked.plan.quotes:
        return [one for quote in asked.plan.quotes if (one := _quote(asked, quote.number))]
    if "providers" in told or told >= {"offers", "ranked"}:
        return _ranked_offers(asked)
    if "networks" in told:
        return [Subject(asked, found, asked.name(found.fabric)) for found in usable(asked)[: _many(asked)]]
    return _recommended(asked)


def _recommended(asked: Asked, *, label: bool = False) -> list[Subject]:
    best = asked.best
    if best is None:
        return []
    gpu = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]].name
    return [Subject(asked, best, f"Now, {gpu}" if label else "")]


def _many(asked: Asked) -> int:
    """How many of them are to be told."""
    if "second" in asked.said.query.concepts:
        return 2
    words = asked.text.split()
    named = next((many for word, many in _NUMBERS.items() if word in words), None)
    digits = next((int(n) for n in asked.amounts("number") if 2 <= n <= 5), None)
    return named or digits or _FEW


def _networks(asked: Asked) -> list[Subject]:
    """The networks that are named; where a difference is asked for beside the recommended one."""
    found = [c for fabric in asked.fabrics if (c := reading.candidate(asked.plan, fabric)) and c.step_time_s]
    best = asked.best
    compares = {"compare", "comparative", "here"} & asked.said.query.concepts
    if len(found) == 1 and compares and best is not None and found[0] is not best:
        found.append(best)
    elif len(found) == 1 and compares - {"here"}:
        kind = lambda c: asked.catalog.fabrics[c.fabric].technology
        found += [c for c in usable(asked) if kind(c) != kind(found[0])][:1]
    return [Subject(asked, c, asked.name(c.fabric)) for c in found] if len(found) >= len(asked.fabrics) else []


def _ranked_offers(asked: Asked) -> list[Subject]:
    """The cheapest offers of different providers, or the one of a rank that is named."""
    seen: dict[str, Subject] = {}
    for offer in sorted(asked.plan.offers, key=lambda o: o.ranked_usd):
        if offer.kind == "published" and offer.run_cost_usd is not None and offer.provider not in seen:
            one = _offer(asked, offer, offer.provider_name or offer.provider)
            if one is not None:
                seen[offer.provider] = one
    return list(seen.values())[: _many(asked)]


def _provider(asked: Asked, provider: str) -> Subject | None:
    offers = [o for o in asked.plan.offers if o.provider == provider and o.run_cost_usd]
    offer = min(offers, key=lambda o: o.ranked_usd, default=None)
    one = _offer(asked, offer, offer.provider_name or provider) if offer else None
    quoted = offer is not None and offer.kind == "quote"
    return replace(one, quote=int(offer.instance.split()[-1])) if one and offer and quoted else one


def _quote(asked: Asked, number: int) -> Subject | None:
    quote = next((q for q in asked.plan.quotes if q.number == number), None)
    if quote is None:
        return None
    name = f"Quote {chr(ord('A') + number - 1)}{f' ({quote.provider})' if quote.provider else ''}"
    same = (o for o in asked.plan.offers if o.kind == "quote" and o.instance == f"quote {number}")
    offer = next(same, None)
    one = _offer(asked, offer, name) if offer else None
    return replace(one, quote=number) if one else None


def _offer(asked: Asked, offer: RentalOffer, label: str) -> Subject | None:
    """A network at the price of an offer."""
    found = reading.candidate(asked.plan, offer.fabric)
    if found is None:
        return None
    return Subject(asked, at_price(found, offer), label)


def at_price(found: Candidate, offer: RentalOffer) -> Candidate:
    """A network as an offer sells it: its network is in the price."""
    rate = (offer.usd_per_gpu_hour or 0.0) * offer.paid_over_listed
    short = (
        found.run_hours is not None
        and offer.run_cost_usd is not None
        and found.usd_per_month == (found.cost_usd.p50 if found.cost_usd else None)
    )
    month = offer.run_cost_usd.p50 if short and offer.run_cost_usd else offer.usd_per_month
    changed: dict[str, Any] = {"cost_usd": offer.run_cost_usd, "usd_per_month": month, "gpu_usd_per_hour": rate or None}
    return found.model_copy(update=changed | {"fabric_usd_per_gpu_hour": 0.0})


def _gpu(asked: Asked, gpu: str) -> Subject | None:
    """The same work on another kind of GPU."""
    change: dict[str, Any] = {"cluster.gpu": gpu}
    if reading.asked(asked.plan, "budget.quotes"):
        change["budget.quotes"] = []
    made = asked.tried(change)
    best = reading.chosen(made) if made else None
    if made is None or best is None:
        return None
    return Subject(asked.instead(change, made), best, asked.catalog.gpus[gpu].name)


def with_change(asked: Asked, change: dict[str, Any]) -> Subject | None:
    """The recommendation of the plan with some fields changed."""
    made = asked.tried(change)
    best = reading.chosen(made) if made else None
    return Subject(asked.instead(change, made), best) if made is not None and best is not None else None


def scaled(one: Subject, factor: float) -> Subject:
    """The same at another price."""
    found = one.found
    times = lambda value: None if value is None else factor * value
    band = found.cost_usd
    changed = {
        "cost_usd": band.model_copy(update={k: factor * v for k, v in band.model_dump().items()}) if band else None,
        "usd_per_month": times(found.usd_per_month),
        "gpu_usd_per_hour": times(found.gpu_usd_per_hour),
        "fabric_usd_per_gpu_hour": times(found.fabric_usd_per_gpu_hour),
    }
    return replace(one, found=found.model_copy(update=changed))
