"""One figure of a plan in words: how long, how much, how fast, how full, how much waiting, split how; with what it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from assistant.present import figures, reading
from assistant.present.fields import assumed_text, field_name, field_text
from assistant.present.plots import PARTS
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Candidate, Plan
from assistant.vocabulary.quantities import HOURS_PER_MONTH

from .changes import unit_of_work
from .events import Note

_DAY = 86_400.0
_LEAST_SHARE = 0.005  # of a step: what is below is not told
_AGREES = 0.03  # a product of rounded factors that is further from the figure beside it would only puzzle
MOST_OTHERS = 4


def given(plan: Plan, field: str) -> tuple[Any, str | None]:
    """A field's value, as told or assumed, and why it was assumed."""
    value: Any = plan.questionnaire
    for part in field.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    if value is not None:
        return value, None
    return next(((a.value, a.why) for a in plan.assumptions if a.field == field), (None, None))


def duration(plan: Plan, found: Candidate, catalog: Catalog) -> Note:
    """The length of the run, and the steps it is made of."""
    if serves(plan):
        return _note(
            f"Serving has no end: everything is counted for a month, and the cluster does a month's work{_on(found)} in {figures.hours(found.run_hours)}."
        )
    items = [text for text in (_steps(plan, found),) if text]
    deadline, _ = given(plan, "constraints.deadline_days")
    if deadline and found.run_hours:
        items.append(f"The deadline of {deadline:g} days is {'met' if found.run_hours <= 24 * deadline else 'missed'}.")
    return _note(
        f"The run takes {figures.hours(found.run_hours)}{_on(found)}.",
        *items,
        *_others(plan, found, lambda c: c.run_hours, figures.hours),
    )


def _steps(plan: Plan, found: Candidate) -> str | None:
    tokens, why = given(plan, "training.tokens")
    batch, length = given(plan, "training.global_batch")[0], given(plan, "training.sequence_length")[0]
    if not (tokens and batch and length and found.step_time_s):
        return None
    steps = tokens / (batch * length)
    assumed = f" (assumed: {why})" if why else ""
    return (
        f"{figures.significant(tokens / 1e9)} billion tokens{assumed} at {batch:,} × {length:,} tokens per step are {figures.significant(steps)} steps of "
        f"{figures.seconds(found.step_time_s.p50)}; failures and checkpoints are counted on top."
    )


def cost(plan: Plan, found: Candidate, catalog: Catalog) -> Note:
    """Money: of the run, per month, per million tokens, and the network's part of it."""
    assert found.cost_usd is not None
    gpus, hours = plan.questionnaire["cluster"]["gpus"], found.run_hours or 0.0
    hourly, network = (found.gpu_usd_per_hour or 0.0), (found.fabric_usd_per_gpu_hour or 0.0)
    what = "A month's work" if serves(plan) else "The run"
    items = []
    if hours and abs(gpus * hours * (hourly + network) / found.cost_usd.p50 - 1) < _AGREES:
        items.append(
            f"{gpus:,} GPUs × {figures.hours(hours)} × ({figures.usd(hourly)} for the GPU + {figures.usd(network)} for the network) per hour."
        )
    if hourly + network:
        items.append(
            f"{'All ' if gpus > 1 else ''}{gpus:,} GPU{'s' if gpus > 1 else ''}: {figures.usd(gpus * (hourly + network))} an hour, {figures.usd(24 * gpus * (hourly + network))} a day, "
            f"{figures.usd(HOURS_PER_MONTH * gpus * (hourly + network))} a month; {figures.significant(gpus * hours)} GPU-hours in all."
        )
    if network:
        items.append(f"The network's part: {figures.percent(100 * network / (hourly + network))}.")
    tokens = given(plan, "training.tokens")[0] or (found.tokens_per_s_per_gpu or 0.0) * gpus * hours * 3600
    if tokens:
        items.append(f"Per million tokens: {figures.usd(found.cost_usd.p50 / tokens * 1e6)}.")
    items += [
        f"Price: {a.why}."
        for a in plan.assumptions
        if a.field == "budget.gpu_hour_usd" and a.value == found.gpu_usd_per_hour
    ]
    budget, _ = given(plan, "budget.usd")
    if budget:
        items.append(
            f"The budget of {figures.usd(budget)} is {'kept' if found.cost_usd.p50 <= budget else 'exceeded'}."
        )
    return _note(
        f"{what} costs {figures.usd_band(found.cost_usd)}{_on(found)}.",
        *items,
        *_others(plan, found, lambda c: c.cost_usd and c.cost_usd.p50, figures.usd),
    )


def network_cost(plan: Plan, found: Candidate, catalog: Catalog) -> Note:
    """What the network alone costs, per hour, over the run and to buy."""
    each, gpus = found.fabric_usd_per_gpu_hour, plan.questionnaire["cluster"]["gpus"]
    if found.fabric == "none":
        return _note("No network joins the nodes, so it costs nothing.")
    if found.fabric == "wan-low-communication":
        return _note("A link between sites has no price in the catalog; it is not counted.")
    if not each:
        return _note(f"{found.fabric} costs nothing on top of the GPU: it is part of the machine's price.")
    over = f", {figures.usd(each * gpus * found.run_hours)} over the run" if found.run_hours else ""
    items = [f"{a.why}." for a in plan.assumptions if a.field == f"fabrics.{found.fabric}.premium"]
    capex = plan.fabric_design.get("capex_usd") if found.fabric == plan.recommendation.fabric else None
    if capex:
        items.append(
            f"To buy: about {figures.usd(capex['mid'])} ({figures.usd(capex['low'])}–{figures.usd(capex['high'])})."
        )
    return _note(f"{found.fabric} costs {figures.usd(each)} per GPU-hour on top of the GPU{over}.", *items)


def step(plan: Plan, found: Candidate, catalog: Catalog) -> Note:
    """The time of a step and its parts."""
    assert found.step_time_s is not None
    band = found.step_time_s
    return _note(
        f"{unit_of_work(plan)} takes {figures.seconds(band.p50)} ({figures.seconds(band.p10)}–{figures.seconds(band.p90)}){_on(found)}.",
        *_parts(found),
        f"Split: {figures.layout(found.parallelism)}.",
        *_others(plan, found, lambda c: c.step_time_s and c.step_time_s.p50, figures.seconds),
    )


def latency(plan: Plan, found: Candidate, catalog: Catalog) -> Note:
    """Of a token where tokens are served, else of the network."""
    if serves(plan):
        return step(plan, found, catalog)
    known = catalog.fabrics[found.fabric].latency
    if known is None:
        return _note(
            "Nothing crosses a network here, so its latency does not count."
            if found.fabric == "none"
            else f"The catalog has no latency of {found.fabric}."
        )
    return _note(
        f"{figures.seconds(known.si)} between two nodes for a small message{_on(found)} ({known.source}).",
        '"step time" tells how long one step takes, "where does the time go" what of it is waiting.',
    )


def value(plan: Plan, field: str, catalog: Catalog) -> Note:
    """A field of the questionnaire, as told or assumed."""
    found, why = given(plan, field)
    if found is None:
        return _note(f"{field_name(field)}: nobody said.")
    assumed = f" (assumed: {why})" if why else " (as you said)"
    return _note(f"{field_text(field, found, catalog)}{assumed}.")


def _parts(found: Candidate) -> Iterator[str]:
    """The parts of a step that count, the largest first."""
    if found.breakdown_s is None:
        return
    seconds = found.breakdown_s.model_dump()
    whole = sum(seconds.values())
    named = [(seconds[key], name) for key, name, _, _ in PARTS if whole and seconds[key] / whole >= _LEAST_SHARE]
    if named:
        told = ", ".join(f"{name} {figures.percent(100 * part / whole)}" for part, name in sorted(named, reverse=True))
        yield f"Where the time goes: {told}."


def throughput(plan: Plan, found: Candidate, catalog: Catalog) -> Note:
    """Tokens per second, of a GPU and of all, and per day."""
    each, gpus = found.tokens_per_s_per_gpu, plan.questionnaire["cluster"]["gpus"]
    if not each:
        return _note(f"Nothing was computed for {found.fabric}.")
    return _note(
        f"{figures.significant(each * gpus)} tokens per second{_on(found)}, {figures.significant(each)} per GPU.",
        f"A day: {figures.significant(each * gpus * _DAY / 1e9)} billion tokens.",
        *_use(found),
        *_others(
            plan,
            found,
            lambda c: c.tokens_per_s_per_gpu and c.tokens_per_s_per_gpu * gpus,
            lambda v: f"{figures.significant(v)} tokens/s",
        ),
    )


def load(plan: Plan, found: Candidate, catalog: Catalog) -> Note:
    """Requests per second that the cluster carries."""
    prompt, answer = given(plan, "inference.prompt_tokens")[0], given(plan, "inference.output_tokens")[0]
    if not (serves(plan) and found.tokens_per_s_per_gpu and answer):
        return _note('This job serves no requests: it trains. "tokens per second" tells how fast.')
    gpus = plan.questionnaire["cluster"]["gpus"]
    carried = found.tokens_per_s_per_gpu * gpus / answer
    wanted, _ = given(plan, "inference.requests_per_s")
    items = [
        f"{figures.significant(found.tokens_per_s_per_gpu * gpus)} tokens per second ÷ {answer:,} tokens of an answer; a prompt has {prompt:,}."
    ]
    if wanted:
        items.append(f"Asked for are {wanted:g}: that is {figures.percent(100 * wanted / carried)} of it.")
    return _note(
        f"About {figures.significant(carried)} requests per second{_on(found)}, averaged: peaks and copies in reserve come on top.",
        *items,
        "Serving is computed to first order and not calibrated on measured runs: measure one copy before buying.",
    )


def _use(found: Candidate) -> list[str]:
    return (
        [f"MFU: {figures.percent(100 * found.mfu)} of the GPUs' peak, recomputation not counted."] if found.mfu else []
    )


def mfu(plan: Plan, found: Candidate, catalog: Catalog) -> Note:
    """Model FLOP/s utilisation."""
    if not found.mfu:
        return _note(f"Nothing was computed for {found.fabric}.")
    return _note(
        f"{figures.percent(100 * found.mfu)} MFU{_on(found)}: that share of the GPUs' peak goes into the model's arithmetic, recomputation not counted.",
        *_parts(found),
        *[f"{a.why}." for a in plan.assumptions if a.field == "model.practice"],
        *_others(plan, found, lambda c: c.mfu, lambda v: figures.percent(100 * v)),
    )


def memory(plan: Plan, found: Candidate, catalog: Catalog) -> Note:
    """How full the fullest GPU is."""
    gpu = catalog.gpus[plan.questionnaire["cluster"]["gpu"]]
    room, need = gpu.memory.si / 2**30, (found.memory_gb_per_gpu or 0.0) * 1e9 / 2**30
    split = f"Split: {figures.layout(found.parallelism)}."
    counted = (
        "Counted: weights, the cache of keys and values, buffers."
        if serves(plan)
        else "Counted: weights, gradients, optimizer states, activations, gathered parameters, buffers, and a margin for fragmentation."
    )
    if found.fits is False:
        return _note(
            f"It does not fit: the leanest split tried needs {need:,.0f} GiB per GPU, while {gpu.name} has {room:,.0f}.",
            split,
        )
    return _note(
        f"It fits: {need:,.1f} of the {room:,.0f} GiB of the fullest GPU are taken{_on(found)}, {max(0.0, room - need):,.1f} to spare; a margin is counted in.",
        split,
        counted,
        *(
            []
            if serves(plan)
            else [
                "A larger micro-batch or less recomputation was taken where that saves time, so little room left is no fault."
            ]
        ),
    )


def waiting(plan: Plan, found: Candidate, catalog: Catalog) -> Note:
    """The communication that nothing hides, and where the time of a step goes."""
    return _note(
        f"{figures.percent(found.exposed_communication_percent)} of the time{_on(found)} is communication that nothing hides, inside nodes too.",
        *_parts(found),
        *_others(plan, found, lambda c: c.exposed_communication_percent, figures.percent),
        '"plot" draws it.',
    )


def split(plan: Plan, found: Candidate, catalog: Catalog) -> Note:
    """How the job is split, and who chose that."""
    asked = plan.questionnaire.get("parallelism")
    if isinstance(asked, dict) and any(value is not None for value in asked.values()):
        why = "You said how to split it; what you did not name is left undivided."
    else:
        why = (
            "Nobody fixed it, so every split that fits was tried on this network, and this one takes the shortest time."
        )
    others = reading.splits([c for c in plan.candidates if c.step_time_s])
    return _note(
        f"{_named(found)} runs at {figures.layout(found.parallelism)}.",
        why,
        *[f"{assumed_text(a, catalog)}: {a.why}." for a in plan.assumptions if a.field.startswith("parallelism")],
        *([others] if others else []),
        *_parts(found),
        "To see another, try: what if tp 8 pp 2?",
    )


def _others(
    plan: Plan, found: Candidate, value: Callable[[Candidate], float | None], text: Callable[[float], str]
) -> list[str]:
    """The same figure of other networks that would do."""
    told = [
        f"{c.fabric} {text(figure)}"
        for c in plan.candidates
        if c is not found and c.verdict != "impossible" and c.fits is not False and (figure := value(c)) is not None
    ]
    if {value(c) for c in plan.candidates if c.verdict != "impossible" and c.fits is not False} == {value(found)}:
        return []  # every network has the same: nothing to tell
    more = f"; {len(told) - MOST_OTHERS} more in the plan" if len(told) > MOST_OTHERS else ""
    return [f"Elsewhere: {', '.join(told[:MOST_OTHERS])}{more}."] if told else []


def _on(found: Candidate) -> str:
    return "" if found.fabric == "none" else f" on {found.fabric}"


def _named(found: Candidate) -> str:
    return "The job, without a network between nodes," if found.fabric == "none" else found.fabric


def serves(plan: Plan) -> bool:
    """Whether the job answers requests."""
    return "inference" in str(plan.questionnaire.get("workload", ""))


def _note(text: str, *items: str) -> Note:
    return Note(text=text, items=tuple(items))
