"""At which price another quote becomes the better one, and how the quotes stand beside the best published offer."""

from __future__ import annotations

from assistant.market import price_at
from assistant.vocabulary.added import added
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Flip, RivalOffer
from assistant.vocabulary.quantities import outward
from assistant.vocabulary.questionnaire import Questionnaire

from .entry import Entry
from .limits import meets
from .pipeline import CHOICE_ALONE, Decision, Pipeline
from .turning import Even, turn
from .work import Work

_SAME = 0.005  # of a sum, within which two are the same
_QUOTES = "budget.quotes."  # what a quote says, as the input of a flip


def quote_flips(made: Decision, chosen: Entry, pipeline: Pipeline) -> list[Flip]:
    """Of the quote that is taken the price from which on another is; of each other quote, the nearest first, the price
    from which on it is. Each was tried: the job was planned again with it."""
    ours = _number(chosen)
    if ours is None or not chosen.costed:
        return []
    others = _others(made, ours)
    evens = [_even(made, ours, chosen, others[0].median_cost, pipeline, up=True)] if others else []
    for other in others:
        number = _number(other)
        if number is not None:
            evens.append(_even(made, number, other, chosen.median_cost, pipeline, up=False))
    return [flip for even in evens if even.at > 0 and even.near and (flip := _flip(even, chosen)) is not None]


def _others(made: Decision, ours: int) -> list[Entry]:
    """The other quotes of networks that come into question, each as it costs least, the cheapest first."""
    judged = {entry.id: entry.verdict for entry in made.entries}
    able = [e for e in made.variants if e.usable and e.costed and meets(e, made.job.questionnaire)]
    found: dict[int, Entry] = {}
    for entry in sorted(able, key=lambda e: e.ranked_cost):
        number = _number(entry)
        if number not in (None, ours) and judged[entry.id] != "impossible":
            found.setdefault(number, entry)
    return list(found.values())


def _number(entry: Entry) -> int | None:
    """Which quote it is that an entry has the price of; none where it is no quote's."""
    offered = entry.priced.offered if entry.priced else None
    return offered.number or None if offered else None


def _even(made: Decision, number: int, entry: Entry, cost: float, pipeline: Pipeline, *, up: bool) -> Even:
    """The price of a quote at which its run comes to ``cost``; what is paid beside it stays."""
    quote = made.job.questionnaire.budget.quotes[number - 1]
    name, now = ("usd", quote.usd) if quote.gpu_hour_usd is None else ("gpu_hour_usd", quote.gpu_hour_usd)
    assert now is not None  # a quote has one of the two
    price, total = entry.price, entry.price.gpu_total + entry.price.fabric_total
    parts = (price.gpu_usd_per_hour, price.fabric_usd_per_hour)
    quoted = added(part.value for part in parts if part.origin == "quoted")
    moving = quoted + price.upkeep.of_quote
    ratio = (cost - price.once_usd) / (entry.median_cost - price.once_usd)
    at = now * price_at(moving, total - moving, ratio) / moving if quoted else 0.0

    def tried(value: float) -> str | None:
        there = _decided(_priced_at(made.job.questionnaire, number, name, value), pipeline)
        return there and there.choice.chosen and _key(there.choice.chosen)

    return Even(f"{_QUOTES}{number - 1}.{name}", now, at, tried, up)


def quote_of(path: str) -> int | None:
    """Which quote's price an input is, counted from 1; ``None`` where it is another."""
    return int(path[len(_QUOTES) :].partition(".")[0]) + 1 if path.startswith(_QUOTES) else None


def _key(entry: Entry) -> str | None:
    """What is recommended: a quote, and what joins its machines for this job."""
    number = _number(entry)
    return None if number is None else f"{number} {entry.id}"


def _priced_at(questionnaire: Questionnaire, number: int, name: str, value: float) -> Questionnaire:
    quotes = list(questionnaire.budget.quotes)
    quotes[number - 1] = quotes[number - 1].model_copy(update={name: value})
    budget = questionnaire.budget.model_copy(update={"quotes": quotes})
    return questionnaire.model_copy(update={"budget": budget})


def _decided(questionnaire: Questionnaire, pipeline: Pipeline, work: Work | None = None) -> Decision | None:
    try:
        return pipeline.decide(questionnaire, CHOICE_ALONE, work=work)
    except InputError:
        return None


def _flip(even: Even, chosen: Entry) -> Flip | None:
    found = turn(even, _key(chosen) or "")
    if found is None:
        return None
    number, _, fabric = found[1].partition(" ")
    return Flip(
        input=even.path, from_=even.now, at=found[0], to_fabric=fabric, even=round(even.at, 3), to_quote=int(number)
    )


def without_quotes(questionnaire: Questionnaire, pipeline: Pipeline, work: Work | None) -> Decision | None:
    """What would be decided for the same work by published prices alone, for the time that is reserved as the quotes
    are; ``None`` without a quote, and where nothing is published."""
    if not questionnaire.budget.quotes:
        return None
    budget = questionnaire.budget.model_copy(update={"quotes": []})
    return _decided(questionnaire.model_copy(update={"budget": budget}), pipeline, work)


def best_published(made: Decision, pipeline: Pipeline) -> RivalOffer | None:
    """What would be taken of the lists, and the price of the quote that is taken at which its run costs as much: the
    job was planned again with it, and none is named at which it does not, to the cent. ``None`` where nothing is let at
    a price."""
    chosen, listed = made.choice.chosen, without_quotes(made.job.questionnaire, pipeline, made.work)
    there, number = listed.choice.chosen if listed else None, _number(chosen) if chosen else None
    if chosen is None or there is None or number is None or not (chosen.costed and there.costed):
        return None
    offered = there.price.offered
    if offered is None or offered.price is None:
        return None
    even = _even(made, number, chosen, there.median_cost, pipeline, up=there.median_cost > chosen.median_cost)
    at = outward(even.at, up=False)
    there_at = _priced_at(made.job.questionnaire, number, even.path.rpartition(".")[2], at)
    again = _decided(there_at, pipeline, made.work) if at > 0 else None  # what is paid once may be more than the rest
    same = [e.median_cost for e in again.variants if _key(e) == _key(chosen)] if again else []
    tried = bool(same) and abs(min(same) / there.median_cost - 1) <= _SAME
    hourly, beside = chosen.price.gpu_total + chosen.price.fabric_total, there.price.fabric_total
    even_there = price_at(there.price.gpu_total, beside, chosen.median_cost / there.median_cost) / offered.markup
    return RivalOffer(
        provider=offered.provider,
        instance=offered.offer.name,
        tier=offered.tier,
        usd_per_gpu_hour=offered.price.si,
        cheaper_at_usd_per_gpu_hour=max(0.0, even_there),
        fabric=there.id,
        quote=number,
        quote_even_at_usd_per_gpu_hour=hourly * at / even.now if tried else None,
        cost_usd=there.median_cost,
    )
