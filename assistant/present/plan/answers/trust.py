"""How far to trust it: what is measured and what computed, what was assumed, what a percentage means."""

from __future__ import annotations

import re

from assistant.vocabulary.plan import CLOSE_PERCENT, TIE_PERCENT, Mover

from ... import figures
from ...fields import assumed_text
from .. import card, reading
from ..charts import MOVERS
from .asked import Asked
from .doubted import off_by, off_by_limits

_OFF = re.compile(r"(\d+(?:[.,]\d+)?)\s*(?:%|percent|per cent)")
# What moves a sum most stands first; the others follow in the order of the plan.
_WEIGHTY = (
    "training.tokens",
    "rl.response_tokens",
    "inference.output_tokens",
    "inference.prompt_tokens",
    "training.global_batch",
    "training.framework",
    "training.sequence_length",
    "budget.gpu_hour_usd",
    "training.precision",
)


def percentiles_mean(asked: Asked) -> str | None:
    return (
        "How far our model, its inputs and prices may be off, not noise between runs: one case in ten comes out below "
        "P10, half below P50, one in ten above P90. Low is good: budget for P90."
    )


def percentiles_here(asked: Asked) -> str | None:
    best = asked.best
    if best is None or best.step_time_s is None:
        return None
    said = [f"a {'token' if reading.serves(asked.plan) else 'step'} {_of(best.step_time_s, figures.seconds)}"]
    if best.cost_usd is not None:
        said.append(f"{reading.bill(asked.plan)} {_of(best.cost_usd, figures.usd)}")
    return f"Here, P10, P50, P90: {'; '.join(said)}."


def _of(band: object, text: object) -> str:
    return ", ".join(text(getattr(band, part)) for part in ("p10", "p50", "p90"))  # type: ignore[operator]


def percent_said(asked: Asked) -> list[str]:
    """What a percentage that is asked about is; where the plan has none such, so, and the nearest."""
    found = _OFF.search(asked.text)
    known = _percentages(asked)
    if found is not None and asked.says("supposes"):
        return []  # it is supposed to be another
    if found is None:
        sure = next(iter(card.certain(asked.plan)), "")
        words = (
            f"Clear: no other network costs the same within {CLOSE_PERCENT:g} %, or is the cheaper one in more than a "
            f"fifth of the draws; close: one is; toss-up: one costs the same within {TIE_PERCENT:g} %, or is as often "
            "the cheaper one; open: a price was told with the quotes and is in none of them."
        )
        return [words, *([sure] if sure else []), reading.chance(asked.plan)]
    value = float(found[1].replace(",", "."))
    exact = [text for number, text in known if abs(number - value) < 0.55]
    if exact:
        return exact[:2]
    near = min(known, key=lambda one: abs(one[0] - value), default=None)
    rest = [f"The nearest is {near[1][:1].lower()}{near[1][1:]}"] if near else []
    return [f"There is no {value:g} % in this plan, so I cannot say where it is from.", *rest]


def _percentages(asked: Asked) -> list[tuple[float, str]]:
    """Every percentage that is shown, with what it is."""
    plan, best = asked.plan, asked.best
    said: list[tuple[float, str]] = []
    sure = reading.chance(plan)
    if sure:
        said.append((100 * plan.recommendation.confidence, sure))
    for c in plan.candidates:
        if c.exposed_communication_percent is not None and c.verdict != "impossible":
            share = figures.percent(c.exposed_communication_percent)
            text = f"{share}: the part of a step on {c.fabric} in which nothing but communication runs; computed."
            said.append((c.exposed_communication_percent, text))
        if c.probability_best is not None:
            text = f"{c.probability_best:.0%}: in that share of the draws {c.fabric} is the cheapest."
            said.append((100 * c.probability_best, text))
        if c.slowdown_percent:
            longer = figures.percent(c.slowdown_percent)
            text = f"{longer}: how much longer a step takes on {c.fabric} than on the fastest."
            said.append((c.slowdown_percent, text))
    if best is not None and best.mfu:
        said.append(
            (100 * best.mfu, f"{100 * best.mfu:.0f} %: the MFU, the part of the GPUs' peak that the model gets.")
        )
    share = plan.purchase.network_percent if plan.purchase else None
    if share is not None and plan.purchase is not None and plan.purchase.capital_usd:
        said.append((share, f"{figures.percent(share)}: the network's part of the purchase."))
    return said


def measured(asked: Asked) -> str | None:
    """What rests on measurements."""
    counted = sum(e.grade == "measured" for e in asked.plan.evidence)
    some = f' and {counted} measured results of others ("sources")' if counted else ""
    return f"Computed, not measured on your job; behind it stand published measured runs{some}."


def cite(asked: Asked) -> str | None:
    """How the figures may be quoted."""
    best = asked.best
    if best is None or best.step_time_s is None:
        return None
    band, unit = best.step_time_s, "token" if reading.serves(asked.plan) else "step"
    low, high = figures.seconds(band.p10), figures.seconds(band.p90)
    return (
        f"As an estimate of a model with its range, yes: {figures.seconds(band.p50)} a {unit}, {low} to {high} in "
        "eight of ten cases, with date and assumptions; never as a measurement."
    )


def computed(asked: Asked) -> str | None:
    """What is computed, and how far off."""
    best = asked.best
    if best is None or best.step_time_s is None:
        return None
    band, served = best.step_time_s, best.serving
    unit = "token" if reading.serves(asked.plan) else "step"
    speed = f"{figures.significant(served.output_tokens_per_s)} output tokens/s in all, " if served else ""
    low, high = figures.seconds(band.p10), figures.seconds(band.p90)
    parts = "the GPU's peak and memory bandwidth" + ("" if best.fabric == "none" else " and the network")
    return (
        f"From {parts}: {speed}{figures.seconds(band.p50)} a {unit}, {low} to {high} in eight of ten cases; prices are "
        "published lists."
    )


def measure_yourself(asked: Asked) -> str | None:
    if reading.serves(asked.plan):
        return "Check it for a few dollars: one copy on a rented GPU for an hour with your own prompts."
    return "Check it: 20 steps of your job on two nodes, and the all-reduce test of the plan."


def rests_on(asked: Asked) -> str | None:
    """What the certainty rests on and what would raise it, where that is asked besides."""
    if not asked.says("basis"):
        return None
    counted = sum(e.grade == "measured" for e in asked.plan.evidence)
    some = f", {counted} measured results" if counted else ""
    return f"It rests on a model fitted to published runs{some} and list prices; 20 steps of your job would narrow it."


def mfu(asked: Asked) -> str | None:
    """The efficiency, which is computed and not assumed."""
    best = asked.best
    if best is None or not best.mfu or best.step_time_s is None:
        return computed(asked)
    band = best.step_time_s
    middle, low, high = (100 * best.mfu * band.p50 / t for t in (band.p50, band.p90, band.p10))
    means = " (the share of the GPUs' peak that is the model's arithmetic)" if "mean" in asked.text else ""
    low_, high_ = asked.words.get("mfu_published", (0, 0))
    usual = ""
    if means and high_ and asked.says("of_goodness"):
        how = "low" if middle < low_ else "usual" if middle <= high_ else "high"
        usual = f" That is {how}: published runs of dense models on such GPUs reach {low_} to {high_} %."
    active = " Of experts only the active parameters count." if asked.mixture and means else ""
    band_ = f"{low:.0f} to {high:.0f} % in eight of ten cases"
    return f"{middle:.0f} % MFU{means}, computed, not assumed: {band_}.{active}{usual}"


def mfu_each(asked: Asked) -> str | None:
    """What is reached on each network, where more than one is asked about."""
    if not asked.says("each") and len(asked.fabrics) < 2:
        return None
    named = [c for f in asked.fabrics if (c := reading.candidate(asked.plan, f)) and c.mfu]
    able = named or [c for c in asked.plan.candidates if c.mfu and c.fits is not False and c.verdict != "avoid"]
    told = [f"{asked.name(c.fabric)} {100 * (c.mfu or 0.0):.0f} %" for c in able[:_EACH]]
    return f"On each: {', '.join(told)}." if told else None


_EACH = 5  # networks in a sentence


def throughput_source(asked: Asked) -> str | None:
    """Whose figures the speed is: nobody's benchmark, computed from what the maker says and fitted to others' runs."""
    best = asked.best
    if best is None or best.step_time_s is None:
        return None
    low, high = (100 * (end / best.step_time_s.p50 - 1) for end in (best.step_time_s.p10, best.step_time_s.p90))
    runs = "serving runs" if reading.serves(asked.plan) else "training runs"
    return (
        f"Throughput: computed, fitted to published {runs}, no maker's figure; {-low:.0f} % less to {high:.0f} % "
        "more time."
    )


def mfu_source(asked: Asked) -> str | None:
    """Where it comes from."""
    if asked.best is None or not asked.best.mfu:
        return None
    base = "From kernel times fitted to published measured runs"
    open_ = any(a.field == "training.framework" for a in asked.plan.assumptions)
    return f"{base}{'; you named no framework: tuned and eager kernels differ by a third' if open_ else ''}."


def mfu_range(asked: Asked) -> str | None:
    """What the range does to the day."""
    if asked.run is None:
        return None
    middle, quick, slow = asked.run
    return f"For the run that means {quick} to {slow}, {middle} in the middle."


def assumed_named(asked: Asked) -> str | None:
    """The assumption that the question names."""
    named = (a for a in asked.plan.assumptions if a.field == asked.said.roles.get("value"))
    return next((f"{assumed_text(a, asked.catalog)}: {_first(a.why)}." for a in named), None)


def assumed(asked: Asked) -> list[str]:
    """The assumptions that move the sum most."""
    by_field = {a.field: a for a in asked.plan.assumptions}
    named = [by_field[f] for f in _WEIGHTY if f in by_field]
    return [f"{assumed_text(a, asked.catalog)}: {_first(a.why)}." for a in named[:4]] or ["Nothing that matters."]


def assumed_speed(asked: Asked) -> str | None:
    """What the figures are computed with that is no field: efficiency, price, failures."""
    best = asked.best
    offer = asked.plan.taken
    if best is None or not best.mfu or not asked.params:
        return None
    price = f", {figures.usd(offer.usd_per_gpu_hour)} per GPU-hour of {offer.date}" if offer else ""
    kept = best.effective_time_percent
    lost = f", {figures.percent(100 - kept.p50)} lost to failures" if kept else ""
    return f"Computed: 6 × parameters × tokens at {best.mfu:.0%} MFU{lost}{price}."


def _first(why: str) -> str:
    """The first part of a reason."""
    return re.split(r"[:;] |, (?=[a-z])", why)[0] if len(why) > 70 else why


def assumed_count(asked: Asked) -> str | None:
    count = len(asked.plan.assumptions)
    return f'{count} values in all; "assumptions" lists them.' if count > 4 else None


def nobody_pays(asked: Asked) -> str | None:
    return "Nobody: no offer is placed or paid for; every price has its source and date, and every rule can be read."


def criteria(asked: Asked) -> str | None:
    best = asked.best
    if best is None:
        return None
    count = len({o.provider for o in asked.plan.offers if o.run_cost_usd})
    among = f" among the published prices of {count} providers" if count > 1 else ""
    return f"It was taken for the lowest cost{among} of what fits the memory and keeps your limits."


def least_sure(asked: Asked) -> list[str]:
    """What moves the result most of what is not known, and in which direction."""
    best = asked.best
    if best is None or best.step_time_s is None:
        return []
    band = best.step_time_s
    unit = "a token" if reading.serves(asked.plan) else "a step"
    slower, quicker = band.p90 / band.p50 - 1, 1 - band.p10 / band.p50
    speed = f"how long {unit} takes: {quicker:.0%} less to {slower:.0%} more in eight of ten cases"
    movers = asked.plan.movers
    if not movers or best.cost_usd is None:
        return [f"Least sure is {speed}; it may rather be longer. Measure it first."]
    first, *others = movers
    said = [f"Least sure is {_moved(first, asked)}."]
    said += [f"Then {_moved(one, asked)}." for one in others[:1]]
    return [*said, f"Both rest on {speed}." if first.what != "step" else f"That is {speed}; 20 steps would tell."]


def _moved(one: Mover, asked: Asked) -> str:
    spread = f"{figures.usd(one.low_usd)} to {figures.usd(one.high_usd)} for {reading.bill(asked.plan)}"
    return f"{MOVERS[one.what]}: alone it moves the cost from {spread}"


def budget_at_p90(asked: Asked) -> str | None:
    """The sum in the middle and in nine of ten cases beside the budget."""
    best, limit = asked.best, reading.asked(asked.plan, "budget.usd")
    if best is None or best.cost_usd is None or not limit or asked.buys:
        return None
    middle, high = best.cost_usd.p50, best.cost_usd.p90
    verdict = "No worry" if high <= limit else "A little" if middle <= limit else "Yes"
    more = "" if high <= limit else "; fewer tokens keep it, and 20 steps show early how it goes"
    return (
        f"{verdict}: {figures.usd(middle)} in the middle and {figures.usd(high)} at P90 of {figures.usd(limit)}{more}."
    )


def supposed_mfu(asked: Asked) -> list[str]:
    """The run at the share of the GPUs' peak that is supposed."""
    if "mfu" not in asked.text or not asked.says("supposes") or not asked.amounts("percent"):
        return []
    return [*off_by(asked), *([limits] if (limits := off_by_limits(asked)) else [])]


def hangs_on(asked: Asked) -> list[str]:
    """The inputs that move the sum most, each with its value, where it is from and what it does to the sum."""
    best = asked.best
    if best is None or best.step_time_s is None:
        return []
    offer = asked.plan.taken
    moved = {one.what: f": {figures.usd(one.low_usd)} to {figures.usd(one.high_usd)}" for one in asked.plan.movers}
    mfu = f", {100 * best.mfu:.0f} % MFU" if best.mfu else ""
    told = [f"1. Speed{mfu}: computed, fitted to published runs{moved.get('step', '')}."]
    if offer is not None and offer.usd_per_gpu_hour:
        whose = "your quote" if offer.kind == "quote" else f"{offer.provider_name or offer.provider}'s list"
        rate = figures.usd(offer.usd_per_gpu_hour)
        told.append(f"2. Price, {rate} per GPU-hour: {whose}, {offer.date}{moved.get('price', '')}.")
    elif asked.plan.purchase is not None:
        told.append(f"2. Price of the machines: lists, derived{moved.get('purchase-price', '')}.")
    known = {a.field: a for a in asked.plan.assumptions}
    third = next((known[field] for field in _WEIGHTY if field in known and not field.startswith("budget.")), None)
    if third is not None:
        told.append(f"{len(told) + 1}. {assumed_text(third, asked.catalog).capitalize()}: nobody said it, assumed.")
    return told


def least_sure_first(asked: Asked) -> str | None:
    """The one thing that moves the cost most."""
    return next(iter(least_sure(asked)), None)


def least_sure_said(asked: Asked) -> str | None:
    """The value that nobody said and that weighs most."""
    known = {a.field: a for a in asked.plan.assumptions}
    found = next((known[field] for field in _WEIGHTY if field in known and not field.startswith("budget.")), None)
    return f"Of what you did not say: {assumed_text(found, asked.catalog)}." if found else None


def range_percent(asked: Asked) -> str | None:
    """The range as percent, and of what; only where a percentage is asked for."""
    best = asked.best
    if best is None or not asked.says("percent") or asked.says("supposes"):
        return None
    band, what = best.cost_usd or best.step_time_s, reading.bill(asked.plan)
    if band is None:
        return None
    middle = f"the {figures.usd(band.p50)} for {what}" if best.cost_usd else f"the {figures.seconds(band.p50)}"
    low, high = 1 - band.p10 / band.p50, band.p90 / band.p50 - 1
    return f"{low:.0%} less to {high:.0%} more, of {middle}, in eight of ten cases."


def ranking_percent(asked: Asked) -> str | None:
    """What the probability of the plan is a probability of; only where a percentage is asked for."""
    return reading.chance(asked.plan) or None if asked.best is not None and asked.says("percent") else None


def not_modelled(asked: Asked) -> list[str]:
    """What the figures leave out, by what the job is."""
    if reading.serves(asked.plan):
        return [
            "Left out: bursts and the slowest percent of requests, caches of repeated prompts, starts and failures of "
            "copies, and the quality of answers in fewer bits.",
            "Counted: batches, the cache's memory, the load you said, and what crosses nodes.",
        ]
    if asked.best is not None and asked.best.learning is not None:
        return [
            "Left out: tools and environments that answer between tokens, reward models behind a network, GPUs that "
            "change sides within a step, and what stale answers do to the learning.",
            "Counted: lengths of answers with their long tail, log-probabilities, weight sync, failures, checkpoints.",
        ]
    return [
        "Left out: reading the data, other jobs on the same network, faults that slow without stopping, several tries "
        "until the training converges, and the model's quality.",
        "Counted: arithmetic, every collective and what hides it, memory, failures, restarts and checkpoints.",
    ]
