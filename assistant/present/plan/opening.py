"""The answer: what is recommended, how sure that is, at which split, and how what was asked for is kept."""

from assistant.vocabulary.plan import Candidate, Plan

from .. import figures, limits
from ..blocks import Block, Paragraph, told
from . import advice, candidates, card, crossing, flips, reading, sizing


def section(plan: Plan) -> list[Block]:
    """The opening of a report."""
    details = " ".join(text for text in (split(plan), reading.limits_kept(plan)) if text)
    return [*card.section(plan), *([Paragraph(details)] if details else []), *what_fits(plan)]


def first_page(plan: Plan) -> list[Block]:
    """The same for who decides: how the job is split is for who runs it."""
    kept = reading.limits_kept(plan)
    return [*card.section(plan), *([Paragraph(kept)] if kept else []), *what_fits(plan)]


def in_talk(plan: Plan) -> list[Block]:
    """What is said of a plan when it appears: the answer and the few best networks."""
    answer = plan.recommendation
    if answer.verdict == "no-network-needed":
        return [*card.section(plan), *sizing.under_the_card(plan)]
    power = reading.power_kept(plan)
    further = [Paragraph(power)] if power else []
    served = [*sizing.under_the_card(plan), *crossing.in_talk(plan)]
    return [*card.section(plan), *further, *served, *what_fits(plan), *candidates.in_talk(plan)]


def summary(plan: Plan) -> list[Block]:
    """The plan in a handful of sentences."""
    best, answer = reading.chosen(plan), plan.recommendation
    works = best is not None and best.step_time_s is not None and best.fits is not False
    return told(
        answer.headline,
        *card.certain(plan),
        answer.smallest_change,
        f"{reading.waiting(best)}; split: {figures.layout(best.parallelism)}." if works and best else None,
        next((f.because for f in plan.findings if f.stage == "choose" and f.fabric == answer.fabric), None),
        *(f"It would turn: {text}" for text in flips.turns(plan)[: limits.FLIPS_IN_SUMMARY]),
        *(f"Measure first: {text}" for text in plan.measure_first[:1]),
    )


def trust(plan: Plan) -> list[Block]:
    """How sure the answer is, how wide the band, what was assumed, and what would settle it."""
    best, count = reading.chosen(plan), len(plan.assumptions)
    some = f'{count} values were assumed, because nobody said them; "assumptions" lists them.'
    return told(
        "How far to trust it:",
        *card.certain(plan),
        reading.chance(plan),
        _band(plan, best) if best else None,
        *advice.less_sure(plan),
        some if count else "Nothing was assumed.",
        *(f"What would settle it: {text}" for text in plan.measure_first[:1]),
    )


def _band(plan: Plan, best: Candidate) -> str | None:
    band = best.step_time_s
    if band is None:
        return None
    measured = "; so the errors on measured runs say (weft validate, weft handbook accuracy)"
    low, high = figures.seconds(band.p10), figures.seconds(band.p90)
    shares = f"{band.p10 / band.p50 - 1:+.0%} to {band.p90 / band.p50 - 1:+.0%}"
    said, what = ("", "a further token") if reading.serves(plan) else (measured, "the step")
    return f"In eight of ten cases {what} lies between {low} and {high}, {shares} of what is named{said}."


def what_fits(plan: Plan) -> list[Block]:
    """What would keep the limits, each with its sum and its day."""
    ways = flips.ways_out(plan)
    return told("Each of these was planned and would do:", *ways) if ways else []


def split(plan: Plan) -> str | None:
    """How the job is split over the GPUs, and how full that makes them."""
    best = reading.chosen(plan)
    if best is None or not best.parallelism:
        return None
    spare = "little margin" if reading.crowded(plan) else "margin included"
    need = f"; {reading.gib(best):.0f} GiB on the fullest GPU, {spare}"
    return f"Split: {figures.layout(best.parallelism)}{need if reading.gib(best) and best.fits else ''}."
