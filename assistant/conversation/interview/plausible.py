"""What a person could plausibly answer to a question, and how likely, of the weights that the question carries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assistant.vocabulary.added import added
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.interview import InterviewQuestion, PlausibleAnswer

from ..draft import Draft
from .choices import networks_there

if TYPE_CHECKING:
    from assistant.planning import Outcome

LATEST_DAYS = 365  # nobody names a deadline further away


@dataclass(frozen=True)
class Plausible:
    """One answer: dotted fields and its probability. ``must_work``: nobody chooses it where the job cannot run with it;
    ``amount``: how many times what is assumed, where it is a number: of several, of their product."""

    fields: dict[str, Any]
    weight: float
    must_work: bool = False
    amount: float | None = None


def _days(now: Outcome) -> float | None:
    days = now.hours.get(now.fabric or "", 0.0) / 24
    return days if 0 < days <= LATEST_DAYS else None


# What is assumed, or usual, without an answer, and how a number beside it would be said.
_ASSUMED: dict[str, tuple[Callable[[Outcome], Any], Callable[[float], Any]]] = {
    "training.global_batch": (lambda now: now.job.global_batch, lambda size: max(1, int(size))),
    "training.sequence_length": (lambda now: now.job.sequence_length, int),
    "training.tokens": (lambda now: now.job.tokens, float),
    "constraints.deadline_days": (_days, lambda days: float(f"{days:.3g}")),
}


def plausible_answers(question: InterviewQuestion, draft: Draft, now: Outcome, catalog: Catalog) -> list[Plausible]:
    """The answers that say something else than what is assumed. ``now``: the outcome as things stand."""
    if question.field == "cluster.fabric":
        return _networks(question.plausible, draft, catalog)
    if question.field == "cluster.provider":
        return _providers(question.plausible, now, catalog)
    answers = _answers(question, question.plausible, now)
    besides = [] if set(question.also) & set(draft.fields) else _answers(question, question.plausible_besides, now)
    if not besides:
        return answers
    both = [
        Plausible(other.fields | one.fields, one.weight * other.weight, amount=_product(one.amount, other.amount))
        for one in (*answers, _stays(answers))
        for other in (*besides, _stays(besides))
    ]
    return [one for one in both if one.fields]


def _answers(question: InterviewQuestion, told: Sequence[PlausibleAnswer], now: Outcome) -> list[Plausible]:
    fields = [_fields(one, question.field, now) for one in told]
    assumed = {name: get(now) for name, (get, _) in _ASSUMED.items() if any(name in one for one in fields)}
    return [
        Plausible(said, one.weight, one.must_work, _amount(said, assumed))
        for one, said in zip(told, fields, strict=True)
        if said and any(assumed.get(name) != value for name, value in said.items())
    ]


def _amount(said: dict[str, Any], assumed: dict[str, Any]) -> float | None:
    """How many times what is assumed, of one field that has such a value."""
    name, value = next(iter(said.items()))
    usual = assumed.get(name)
    return value / usual if len(said) == 1 and isinstance(value, int | float) and usual else None


def _product(one: float | None, other: float | None) -> float | None:
    return one * other if one is not None and other is not None else None


def _fields(told: PlausibleAnswer, field: str, now: Outcome) -> dict[str, Any]:
    """What is said; nothing where there is nothing that it could be so many times of."""
    if told.times is None:
        return told.sets
    name = told.field or field
    get, rounded = _ASSUMED[name]
    assumed = get(now)
    return {name: rounded(told.times * assumed)} if assumed else {}


def _stays(answers: list[Plausible]) -> Plausible:
    return Plausible({}, 1.0 - added(answer.weight for answer in answers), amount=1.0)


def _networks(told: Iterable[PlausibleAnswer], draft: Draft, catalog: Catalog) -> list[Plausible]:
    weights = {one.sets["technology"]: one for one in told}
    offered = [(choice.value, catalog.fabrics[choice.id].technology) for choice in networks_there(draft, catalog)]
    return [Plausible(value, weights[t].weight, weights[t].must_work) for value, t in offered if t in weights]


def _providers(told: Sequence[PlausibleAnswer], now: Outcome, catalog: Catalog) -> list[Plausible]:
    """Machines that are bought, or those of a provider: the large clouds, and one for each choice of networks among the
    others.

    Whoever would go to a cloud that does not have this GPU goes to one of the others.
    """
    rent = {one.sets["cluster.provider"]: one.weight for one in told if "cluster.provider" in one.sets}
    buy = [Plausible(one.sets, one.weight) for one in told if "cluster.provider" not in one.sets]
    sold, others = sold_networks(now.job.gpu.id, catalog), rent.pop("others")
    clouds = {name: weight for name, weight in rent.items() if name in sold}
    elsewhere = others + added(rent.values()) - added(clouds.values())
    same_choice: dict[frozenset[str], list[str]] = {}
    for name in sold.keys() - clouds.keys():
        same_choice.setdefault(sold[name], []).append(name)
    share = {min(names): elsewhere * len(names) / (len(sold) - len(clouds)) for names in same_choice.values()}
    rented = [
        Plausible({"cluster.provider": name, "budget.mode": "rent"}, weight, must_work=True)
        for name, weight in sorted({**clouds, **share}.items())
    ]
    return [*buy, *rented]


def sold_networks(gpu: str, catalog: Catalog) -> dict[str, frozenset[str]]:
    """The networks between the nodes that each provider sells with a GPU; plain TCP counts where there is nothing
    else."""
    found: dict[str, frozenset[str]] = {}
    for provider in catalog.providers.values():
        networks = {name for offer in provider.offers if offer.gpu == gpu for name in offer.fabrics} - {"none"}
        fast = frozenset(name for name in networks if catalog.fabrics[name].transport != "tcp")
        if networks:
            found[provider.id] = fast or frozenset(networks)
    return found
