"""What a described training run costs: the planner's own money, on the network named or the one it would recommend."""

from __future__ import annotations

from typing import Any

from assistant.library.questionnaires import from_value
from assistant.planning import plan
from assistant.present.figures import significant, usd
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.plan import Plan

from . import written
from .case import Case
from .jobs import over
from .model_sizes import run_tokens

_CAVEAT = (
    "Prices are the catalog's dated ones unless you named yours; the band is that of the model's error. Failures and "
    "checkpoints are counted; storage, people, evaluation and tries that went wrong come on top."
)


def run_cost(case: Case) -> Computed | None:
    """Dollars of a run over so many tokens, with its GPU-hours and days."""
    if not case.trains:
        return None
    case.assume_size()
    tokens = None if "training.days" in case.fields else run_tokens(case)
    made = plan(from_value(_facts(case, tokens), case.catalog), case.library, index=None, today=case.today)
    wanted = _wanted(case, made)
    chosen = next((one for one in made.candidates if one.fabric == wanted), None)
    if chosen is None or chosen.cost_usd is None or not chosen.fits:
        return None
    ours = ("fabrics.", f"fabrics.{chosen.fabric}.")
    case.take_over([a for a in made.assumptions if not a.field.startswith(ours[0]) or a.field.startswith(ours[1])])
    cost, gpus, length = chosen.cost_usd, case.fields["cluster.gpus"], chosen.run_hours or 0.0
    days = length / 24
    hours, price, premium = length * gpus, usd(chosen.gpu_usd_per_hour), usd(chosen.fabric_usd_per_gpu_hour)
    gpu_hours = f"{significant(hours)} GPU-hours"
    spent = f"{gpu_hours} × ({price} + {premium}), with the time that failures and checkpoints take"
    case.figure("cost of the run", cost.p50, "USD", spent)
    case.figure("GPU-hours", hours, "GPU-hours", f"{significant(length)} hours × {gpus} GPUs")
    case.figure("length of the run", days, "days", "tokens ÷ throughput")
    data = "" if tokens is None else f"on {written.count(tokens)} tokens "
    network = f" and {premium} for the network" if chosen.fabric_usd_per_gpu_hour else ""
    text = (
        f"Training {case.name} {data}with {case.bare().where} {over(case.catalog.fabrics[chosen.fabric])}costs about "
        f"{usd(cost.p50)} ({usd(cost.p10)} to {usd(cost.p90)}): {significant(days)} days, {gpu_hours} at "
        f"{price}{network}."
    )
    return case.answer(text, _CAVEAT, model=case.name, gpus=gpus, fabrics=[chosen.fabric], tokens=tokens)


def _wanted(case: Case, made: Plan) -> str:
    """The network named where one is and something crosses it, else what the planner recommends."""
    if case.bare().domains > 1 and (case.fabrics or case.speeds):
        return case.again().networks()[0].id
    return made.recommendation.fabric


def _facts(case: Case, tokens: float | None) -> dict[str, Any]:
    given = case.workload() | ({} if tokens is None else {"training__tokens": tokens})
    facts = case.questionnaire(cluster__gpu=case.gpu.id, **given)
    said = {name.removeprefix("budget."): value for name, value in case.fields.items() if name.startswith("budget.")}
    return facts | ({"budget": said} if said else {})
