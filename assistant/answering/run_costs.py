"""What a described training run costs: the planner's own money, on the network named or the one it would recommend."""

from __future__ import annotations

import datetime
from typing import Any

from assistant.library import Library
from assistant.library.questionnaires import from_value
from assistant.planning import plan
from assistant.planning.resolve import Assumptions
from assistant.present.figures import significant, usd
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Candidate, Plan

from . import written
from .asked import Asked
from .jobs import is_training
from .model_sizes import run_tokens
from .result import computed, figure
from .situation import USUAL_NODES, fabrics, gpu_of, model_of, over, questionnaire, situation

_CAVEAT = (
    "Prices are the catalog's dated ones unless you named yours; the band is that of the model's error. Failures and checkpoints are "
    "counted; storage, people, evaluation and tries that went wrong come on top."
)


def run_cost(asked: Asked, library: Library, today: datetime.date | None) -> Computed | None:
    """Dollars of a run over so many tokens, with its GPU-hours and days."""
    named, taken, catalog = model_of(asked, library.catalog), Assumptions(), library.catalog
    if named is None or not is_training(asked):
        return None
    sized = asked.with_size(USUAL_NODES * gpu_of(asked, catalog, taken).gpus_per_node, taken)
    tokens = None if "training.days" in sized.fields else run_tokens(sized, named[1], taken)
    made = plan(from_value(_facts(sized, catalog, tokens, taken), catalog), library, index=None, today=today)
    chosen = next((one for one in made.candidates if one.fabric == _wanted(sized, catalog, made)), None)
    if chosen is None or chosen.cost_usd is None or not chosen.fits:
        return None
    taken.taken += [
        one
        for one in made.assumptions
        if one.field != "training.tokens"
        and (not one.field.startswith("fabrics.") or one.field.startswith(f"fabrics.{chosen.fabric}."))
    ]
    return computed(
        "run-cost",
        sized,
        _text(named[0], sized, catalog, chosen, tokens),
        _figures(sized, chosen),
        {"model": named[0], "gpus": sized.fields["cluster.gpus"], "fabrics": [chosen.fabric], "tokens": tokens},
        taken,
        _CAVEAT,
    )


def _wanted(asked: Asked, catalog: Catalog, made: Plan) -> str:
    """The network named where one is and something crosses it, else what the planner recommends."""
    at = situation(asked, catalog, Assumptions())
    if at.domains > 1 and (asked.fabrics or asked.speeds):
        return fabrics(asked, catalog, Assumptions(), at.gpu)[0].id
    return made.recommendation.fabric


def _facts(asked: Asked, catalog: Catalog, tokens: float | None, taken: Assumptions) -> dict[str, Any]:
    given = {} if asked.fields.get("workload") else {"workload": taken.take("workload", "pretraining", "not said")}
    given |= {} if tokens is None else {"training__tokens": tokens}
    facts = questionnaire(asked, cluster__gpu=gpu_of(asked, catalog, Assumptions()).id, **given)
    said = {name.removeprefix("budget."): value for name, value in asked.fields.items() if name.startswith("budget.")}
    return facts | ({"budget": said} if said else {})


def _hours(asked: Asked, chosen: Candidate) -> float:
    return chosen.run_hours * asked.fields["cluster.gpus"]


def _text(model: str, asked: Asked, catalog: Catalog, chosen: Candidate, tokens: float | None) -> str:
    cost, at = chosen.cost_usd, situation(asked, catalog, Assumptions())
    network = f" and {usd(chosen.fabric_usd_per_gpu_hour)} for the network" if chosen.fabric_usd_per_gpu_hour else ""
    data = "" if tokens is None else f"on {written.count(tokens)} tokens "
    return (
        f"Training {model} {data}with {at.where} {over(catalog.fabrics[chosen.fabric])}costs about "
        f"{usd(cost.p50)} ({usd(cost.p10)} to {usd(cost.p90)}): {significant(chosen.run_hours / 24)} days, "
        f"{significant(_hours(asked, chosen))} GPU-hours at {usd(chosen.gpu_usd_per_hour)}{network}."
    )


def _figures(asked: Asked, chosen: Candidate) -> list:
    each = f"{usd(chosen.gpu_usd_per_hour)} + {usd(chosen.fabric_usd_per_gpu_hour)}"
    return [
        figure(
            "cost of the run",
            chosen.cost_usd.p50,
            "USD",
            f"{significant(_hours(asked, chosen))} GPU-hours × ({each}), with the time "
            "that failures and checkpoints take",
        ),
        figure(
            "GPU-hours",
            _hours(asked, chosen),
            "GPU-hours",
            f"{significant(chosen.run_hours)} hours × {asked.fields['cluster.gpus']} GPUs",
        ),
        figure("length of the run", chosen.run_hours / 24, "days", "tokens ÷ throughput"),
    ]
