"""One quantity of a plan in words: how long, how much, how fast, how full, how much waiting, split how; with what it is
made of."""

from collections.abc import Callable, Iterator
from typing import Any

from assistant.vocabulary.added import added
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.counted import counted
from assistant.vocabulary.plan import Candidate, Plan, Purchase
from assistant.vocabulary.quantities import days_said, monthly
from assistant.vocabulary.questionnaire import latest_days

from .. import figures, limits
from ..blocks import Block, told
from ..fields import assumed_text, field_name, field_text
from ..plots import PARTS
from . import phases, reading, sizing

_DAY = 86_400.0
_LEAST_SHARE = 0.005  # of a step: what is below is not told
_AGREES = 0.03  # a product of rounded factors that is further from the figure beside it would only puzzle


def given(plan: Plan, field: str) -> tuple[Any, str | None]:
    """A field's value, as told or assumed, and why it was assumed."""
    value = reading.asked(plan, field)
    if value is not None:
        return value, None
    return next(((a.value, a.why) for a in plan.assumptions if a.field == field), (None, None))


def duration(plan: Plan, found: Candidate, catalog: Catalog) -> list[Block]:
    """The length of the run, and the steps it is made of."""
    takes, deadline = figures.hours(found.run_hours), reading.asked(plan, "constraints.deadline_days")
    if not reading.ends(plan):
        return told("Serving has no end: everything is counted for a month.")
    latest = latest_days(deadline or 0.0, reading.asked(plan, "training.days"))
    done = (found.run_hours or 0.0) + 24 * (found.delivery_days or 0.0)
    met = "met" if done <= 24 * latest else "missed"
    return told(
        f"The run takes {takes}{_on(found)}.",
        _steps(plan, found),
        f"The deadline of {days_said(deadline)} is {met}." if deadline and found.run_hours else None,
        _others(plan, found, lambda c: c.run_hours, figures.hours),
    )


def _steps(plan: Plan, found: Candidate) -> str | None:
    tokens, why = given(plan, "training.tokens")
    batch, length = given(plan, "training.global_batch")[0], given(plan, "training.sequence_length")[0]
    if not (tokens and batch and length and found.step_time_s):
        return None
    steps, assumed = figures.significant(tokens / (batch * length)), f" (assumed: {why})" if why else ""
    return (
        f"{figures.significant(tokens / 1e9)} billion tokens{assumed} at {batch:,} × {length:,} tokens per step are "
        f"{steps} steps of {figures.seconds(found.step_time_s.p50)}; failures and checkpoints are counted on top."
    )


def in_time(plan: Plan, days: float, found: Candidate | None) -> list[Block]:
    """Whether the run ends within so many days."""
    if found is None or found.run_hours is None or found.fits is False:
        return told("Nothing works as asked, in any time.")
    hours, (quick, slow) = found.run_hours, map(figures.hours, reading.run_band(found))
    fits, late = hours <= 24 * days, reading.run_band(found)[1] > 24 * days
    how_far = "" if fits else f", {figures.significant(hours / 24 / days, 2)} times as long"
    maybe = "; in the slowest tenth of cases it takes longer than that" if fits and late else ""
    where = f"on {reading.gpus(plan):,} GPUs{'' if found.fabric == 'none' else f' over {found.fabric}'}"
    takes = f"the run takes {figures.hours(hours)} ({quick}–{slow}){how_far}{maybe}."
    return told(f"{'Yes' if fits else 'No'}: {where} {takes}")


def cost(plan: Plan, found: Candidate, catalog: Catalog) -> list[Block]:
    """Money: of the run, per month, per million tokens, and the network's part of it."""
    if found.cost_usd is None:
        return told(f"What {found.fabric} costs is not known: it is let here at no price that was read.")
    gpus, hours, usd, median = reading.gpus(plan), found.run_hours or 0.0, figures.usd, found.cost_usd.p50
    gpu, network = found.gpu_usd_per_hour or 0.0, found.fabric_usd_per_gpu_hour or 0.0
    work = reading.bill(plan)
    hourly, what = gpu + network, f"{work[0].upper()}{work[1:]}"
    rates = f"({usd(gpu)} for the GPU + {usd(network)} for the network) per hour."
    product = f"{gpus:,} GPUs × {figures.hours(hours)} × {rates}"
    per_million, token = (
        reading.usd_per_million_tokens(plan, found),
        "output token" if reading.serves(plan) else "token",
    )
    budget, (price, why) = reading.asked(plan, "budget.usd"), given(plan, "budget.gpu_hour_usd")
    return told(
        f"{what} costs {figures.usd_band(found.cost_usd, budget)}{_on(found)}.",
        product if hours and abs(gpus * hours * hourly / median - 1) < _AGREES else None,
        _per_hour(gpus, hourly, hours) if hourly else None,
        f"The network's part: {figures.percent(100 * network / hourly)}." if network else None,
        _per_million(plan) or (f"Per million {token}s: {usd(per_million)}." if per_million else None),
        f"Price: {why}." if why and price == found.gpu_usd_per_hour else None,
        _to_buy(reading.to_buy(plan)),
        f"The budget of {figures.usd_limit(budget)} is {'kept' if _outlay(plan, median) <= budget else 'exceeded'}."
        if budget
        else None,
        _others(plan, found, lambda c: c.cost_usd and c.cost_usd.p50, usd),
    )


def _per_million(plan: Plan) -> str | None:
    """What a service's tokens cost at its load."""
    found = plan.sizing
    if found is None or found.usd_per_million_output_tokens is None:
        return None
    each, every = map(figures.usd, (found.usd_per_million_output_tokens, found.usd_per_million_tokens))
    return f"Per million output tokens: {each}; with those of the prompts: {every}."


def _outlay(plan: Plan, run: float) -> float:
    """US dollars that a budget is held against: of machines that are bought their price."""
    bought = reading.to_buy(plan)
    return bought.capital_usd if bought else run


def _to_buy(bought: Purchase | None) -> str | None:
    if bought is None:
        return None
    month = f"{figures.usd(added(bought.monthly_usd.values()))} a month over {bought.months:g} months"
    return f"To buy: {figures.usd(bought.capital_usd)}; with power and upkeep {month}."


def _per_hour(gpus: int, hourly: float, hours: float) -> str:
    usd, all_of_them = figures.usd, f"{'All ' if gpus > 1 else ''}{counted(gpus, 'GPU')}"
    month = usd(monthly(hourly, gpus))
    day = f"{usd(gpus * hourly)} an hour, {usd(24 * gpus * hourly)} a day, {month} a month"
    return f"{all_of_them}: {day}; {figures.significant(gpus * hours)} GPU-hours in all."


def network_cost(plan: Plan, found: Candidate, catalog: Catalog) -> list[Block]:
    """What the network alone costs, per hour, over the run and to buy."""
    each, usd = found.fabric_usd_per_gpu_hour, figures.usd
    if found.fabric == "none":
        return told("No network joins the nodes, so it costs nothing.")
    if found.fabric == "wan-low-communication":
        return told("A link between sites has no price in the catalog; it is not counted.")
    if not each:
        return told(f"{found.fabric} costs nothing on top of the GPU: it is part of the machine's price.")
    over = f", {usd(each * reading.gpus(plan) * found.run_hours)} over the run" if found.run_hours else ""
    capex = plan.fabric_design.get("capex_usd") if found.fabric == plan.recommendation.fabric else None
    return told(
        f"{found.fabric} costs {usd(each)} per GPU-hour on top of the GPU{reading.with_upkeep(plan)}{over}.",
        *(f"{a.why}." for a in plan.assumptions if a.field.startswith(f"fabrics.{found.fabric}.")),
        f"To buy: about {usd(capex['mid'])} ({usd(capex['low'])}–{usd(capex['high'])})." if capex else None,
    )


def step(plan: Plan, found: Candidate, catalog: Catalog) -> list[Block]:
    """The time of a step and its parts."""
    return told(
        f"{reading.unit_of_work(plan)} takes {reading.step_band(found)}{_on(found)}.",
        *_parts(found),
        f"Split: {figures.layout(found.parallelism)}.",
        _others(plan, found, lambda c: c.step_time_s and c.step_time_s.p50, figures.seconds),
    )


def latency(plan: Plan, found: Candidate, catalog: Catalog) -> list[Block]:
    """Of a token where tokens are served, else of the network."""
    known = catalog.fabrics[found.fabric].latency
    if reading.serves(plan):
        return step(plan, found, catalog)
    if known is None and found.fabric == "none":
        return told("Nothing crosses a network here, so its latency does not count.")
    if known is None:
        return told(f"The catalog has no latency of {found.fabric}.")
    return told(
        f"{figures.seconds(known.si)} between two nodes for a small message{_on(found)} ({known.source}).",
        '"step time" tells how long one step takes, "where does the time go" what of it is waiting.',
    )


def value(plan: Plan, field: str, catalog: Catalog) -> list[Block]:
    """A field of the questionnaire, as told or assumed."""
    found, why = given(plan, field)
    if found is None:
        return told(f"{field_name(field)}: nobody said.")
    return told(f"{field_text(field, found, catalog)}{f' (assumed: {why})' if why else ' (as you said)'}.")


def _parts(found: Candidate) -> Iterator[str]:
    """The parts of a step that count, the largest first."""
    seconds = found.breakdown_s.model_dump() if found.breakdown_s else {}
    whole = added(seconds.values())
    named = [
        (seconds[key], name) for key, name, _, _ in PARTS if whole and seconds.get(key, 0.0) / whole >= _LEAST_SHARE
    ]
    if named:
        shares = [f"{name} {figures.percent(100 * part / whole)}" for part, name in sorted(named, reverse=True)]
        yield f"Where the time goes: {', '.join(shares)}."


def throughput(plan: Plan, found: Candidate, catalog: Catalog) -> list[Block]:
    """Tokens per second, of a GPU and of all, and per day."""
    each, gpus, short = found.tokens_per_s_per_gpu, reading.gpus(plan), figures.significant
    if not each:
        return told(f"Nothing was computed for {found.fabric}.")
    use = f"MFU: {figures.percent(100 * (found.mfu or 0.0))} of the GPUs' peak, recomputation not counted."
    of_all = lambda c: c.tokens_per_s_per_gpu and c.tokens_per_s_per_gpu * gpus
    return told(
        f"{short(each * gpus)} tokens per second{_on(found)}, {short(each)} per GPU.",
        f"A day: {short(each * gpus * _DAY / 1e9)} billion tokens.",
        use if found.mfu else None,
        _others(plan, found, of_all, lambda v: f"{short(v)} tokens/s"),
    )


def load(plan: Plan, found: Candidate, catalog: Catalog) -> list[Block]:
    """Requests per second that the cluster carries, and the GPUs that the load takes."""
    if plan.sizing is None:
        return told('This job serves no requests: it trains. "tokens per second" tells how fast.')
    return [*sizing.in_talk(plan), *told(figures.serving_error(catalog.constants))]


def mfu(plan: Plan, found: Candidate, catalog: Catalog) -> list[Block]:
    """Model FLOP/s utilisation."""
    if not found.mfu:
        return told(f"Nothing was computed for {found.fabric}.")
    share = "that share of the GPUs' peak goes into the model's arithmetic, recomputation not counted."
    return told(
        f"{figures.percent(100 * found.mfu)} MFU{_on(found)}: {share}",
        "It is computed from kernel times fitted to published runs, not measured here; of experts the active count.",
        *_parts(found),
        *(f"{a.why}." for a in plan.assumptions if a.field == "model.practice"),
        _others(plan, found, lambda c: c.mfu, lambda v: figures.percent(100 * v)),
    )


_COUNTED_SERVING = "Counted: weights, the cache of keys and values, buffers."
_COUNTED_LEARNING = (
    "Counted: the fullest phase. Engine and trainer that take turns leave their place to each other: an optimizer's "
    "states wait in the host's memory while answers are written.",
)
_COUNTED_TRAINING = (
    "Counted: weights, gradients, optimizer states, activations, gathered parameters, buffers, and a margin for "
    "fragmentation.",
    "A larger micro-batch or less recomputation was taken where that saves time, so little room left is no fault.",
)


def memory(plan: Plan, found: Candidate, catalog: Catalog) -> list[Block]:
    """How full the fullest GPU is."""
    gpu = catalog.gpus[plan.questionnaire["cluster"]["gpu"]]
    room, need = gpu.memory.si / 2**30, reading.gib(found)
    split = f"Split: {figures.layout(found.parallelism)}."
    if found.fits is False:
        lacks = f"the leanest split tried needs {need:,.0f} GiB per GPU, while {gpu.name} has {room:,.0f}."
        return told(f"It does not fit: {lacks}", split)
    full = f"{need:,.1f} of the {room:,.0f} GiB of the fullest GPU are taken{_on(found)}"
    counted = [_COUNTED_SERVING] if reading.serves(plan) else _COUNTED_TRAINING
    if found.learning is not None:
        counted = [phases.memory(found.learning), *_COUNTED_LEARNING]
    if reading.crowded(plan) and found is reading.chosen(plan):
        may = [warning.message for warning in plan.warnings if warning.code == "memory-full"]
        return told(f"It hardly fits: {full}.", split, *may, *counted)
    return told(f"It fits: {full}, {max(0.0, room - need):,.1f} to spare; a margin is counted in.", split, *counted)


def waiting(plan: Plan, found: Candidate, catalog: Catalog) -> list[Block]:
    """The communication that nothing hides, and where the time of a step goes."""
    return told(
        f"{reading.waiting(found, _on(found))}.",
        *_parts(found),
        _others(plan, found, lambda c: c.exposed_communication_percent, figures.percent),
        '"plot" draws it.',
    )


_SPLIT_SAID = "You said how to split it; what you did not name is left undivided."
_SPLIT_SEARCHED = (
    "Nobody fixed it, so every split that fits was tried on this network, and this one takes the shortest time."
)


def split(plan: Plan, found: Candidate, catalog: Catalog) -> list[Block]:
    """How the job is split, and who chose that."""
    asked = reading.asked(plan, "parallelism")
    said = isinstance(asked, dict) and any(value is not None for value in asked.values())
    named = "The job, without a network between nodes," if found.fabric == "none" else found.fabric
    return told(
        f"{named} runs at {figures.layout(found.parallelism)}.",
        _SPLIT_SAID if said else _SPLIT_SEARCHED,
        *(f"{assumed_text(a, catalog)}: {a.why}." for a in plan.assumptions if a.field.startswith("parallelism")),
        reading.splits([c for c in plan.candidates if c.step_time_s]),
        *_parts(found),
        "To see another, try: what if tp 8 pp 2?",
    )


def _others(
    plan: Plan, found: Candidate, value: Callable[[Candidate], float | None], text: Callable[[float], str]
) -> str | None:
    """The same figure of other networks that would do; nothing where every network has the same."""
    able = [c for c in plan.candidates if c.verdict != "impossible" and c.fits is not False]
    told = [f"{c.fabric} {text(figure)}" for c in able if c is not found and (figure := value(c)) is not None]
    if not told or {value(c) for c in able} == {value(found)}:
        return None
    more = f"; {len(told) - limits.OTHERS} more in the plan" if len(told) > limits.OTHERS else ""
    return f"Elsewhere: {', '.join(told[: limits.OTHERS])}{more}."


def _on(found: Candidate) -> str:
    return "" if found.fabric == "none" else f" on {found.fabric}"
