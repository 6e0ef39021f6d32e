"""The answer in the form that is asked for: points, a paragraph, a mail, a table."""

from __future__ import annotations

import re

from assistant.vocabulary.quantities import DAYS_PER_MONTH, HOURS_PER_MONTH

from ... import figures
from .. import card, reading
from ..job import title
from .asked import Asked, lasts, slower
from .choice import deed_of, plain_deed, plain_risk, small, sum_of
from .sums import letter

_FEWEST, _MOST = 2, 4  # points
_MONTHS = re.compile(r"\d+ months?|(?:one|two|three|four|six|twelve) months?")


def points(asked: Asked) -> list[str]:
    """As many points as are asked for, three where no number is: what to do, money and time, how sure, what turns
    it."""
    found, best = asked.plan.recommendation.card, asked.best
    if found is None or best is None:
        return [asked.plan.recommendation.headline, asked.plan.recommendation.smallest_change or ""]
    named = next((int(n) for n in asked.amounts("number") if _FEWEST <= n <= _MOST), 3)
    done = deed_of(found.do)
    finish = small(found.finish)
    sure = next(iter(card.certain(asked.plan)), "").partition(": ")[2]
    risk = (plain_risk(asked) or "").rstrip(".")
    told = [
        f"{done[:1].upper()}{done[1:]}.",
        f"{sum_of(asked, found.cost)}, {finish}.",
        f"How sure: {sure.partition('. ')[0].rstrip('.')}." if sure else f"{risk}.",
        f"{risk}." if sure and risk else f"It changes if {found.changes_if.rstrip('.')}.",
    ]
    return ["To paste:", *told[:named]]


def paragraph(asked: Asked) -> str:
    """The whole in one formal paragraph of at most eighty words."""
    found, best = asked.plan.recommendation.card, asked.best
    if found is None or best is None:
        return asked.plan.recommendation.headline
    bought = asked.plan.purchase
    job = title(asked.plan).replace(" a model of one's own", f" a model of {_size(asked)}").partition(" on ")[0]
    does = f"{job[:1].lower()}{job[1:]}"
    takes = f", which takes an estimated {figures.hours(best.run_hours)}" if asked.run else ""
    cost = f"{figures.usd(bought.capital_usd)} for the purchase" if bought else f"{sum_of(asked, found.cost)}"
    band = f" ({asked.run[1]} to {asked.run[2]} in eight of ten cases)" if asked.run else ""
    return (
        f"It is proposed to {does}{takes}{band}. The recommendation is to {deed_of(found.do)}, at an estimated {cost}. "
        "All figures are computed, not measured, and are to be confirmed by a short test and a written quote."
    )


def _size(asked: Asked) -> str:
    params = reading.asked(asked.plan, "model.params")
    return f"{figures.significant(params / 1e9)} billion parameters" if params else "our own"


def mail(asked: Asked) -> str | list[str]:
    """A mail: to who approves, a request for quotation, else one that asks the seller for a better price, with what the
    plan knows and no offer that nobody made."""
    if asked.says("approve"):
        return approval(asked)
    if asked.says("tender"):
        return tender(asked)
    best = asked.best
    if best is None:
        return asked.plan.recommendation.headline
    gpus, gpu = reading.gpus(asked.plan), asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]].name
    what = f"{gpus:,} {gpu}{'' if best.fabric == 'none' else f' with {asked.name(best.fabric)}'}"
    bought, number = asked.plan.purchase, asked.plan.recommendation.offer
    offer = asked.plan.offers[number] if number is not None else None
    rivals = sorted(q.usd_per_gpu_hour for q in asked.plan.quotes if q.usd_per_gpu_hour)
    if bought is not None:
        basis = f"By published prices we reckon with {figures.usd(bought.capital_usd)}"
        ask = "Please send your best price for each line, with delivery date, support and an acceptance test"
    else:
        rate = rivals[0] if rivals else offer.usd_per_gpu_hour if offer else None
        whose = "Another quote before us asks" if len(rivals) > 1 else "Your list says"
        basis = f"{whose} {figures.usd(rate)} per GPU-hour" if rate else "We have no price yet"
        ask = "Please tell us your best price for the whole term, with start date, storage, support and a network test"
    return (
        f"Dear team, we are about to {'order' if bought else 'rent'} {what}. {basis}; to decide for you we need a "
        f"better one. {ask}. A firm written offer this week would let us decide at once. Kind regards"
    )


def approval(asked: Asked) -> list[str]:
    """A mail to who has to approve, without a word of the field."""
    found, best = asked.plan.recommendation.card, asked.best
    if found is None or best is None:
        return [asked.plan.recommendation.headline]
    to = re.search(r"\b(?:to|for) ([A-Z][a-z]+)\b", asked.said.text)
    month = "" if reading.ends(asked.plan) else f", {figures.usd(12 * (best.usd_per_month or 0.0))} over 12 months"
    limits = re.sub(r" \([^)]*\)", "", reading.limits_in_short(asked.plan) or "").rstrip(".")
    serves = reading.serves(asked.plan)
    runs = reading.asked(asked.plan, "model") or "our model"
    model = asked.catalog.models[runs].name if runs in asked.catalog.models else "our model"
    cost = small(found.cost).split(", $")[0] if serves else sum_of(asked, found.cost)
    when = "as soon as you agree" if serves else small(found.finish)
    return [
        f"Dear {to[1] if to else '[name]'}, please approve that we {plain_deed(deed_of(found.do))}, "
        f"to {'run' if serves else 'train'} {model}.",
        f"It costs {cost}{month}{f', {limits}' if limits else ''}; start: {when}.",
        "Why: it is the cheapest of the published offers that is large and quick enough. Kind regards",
    ]


def tender(asked: Asked) -> list[str]:
    """A request for quotation: what is wanted and what the offer must tell, no price or budget of one's own."""
    best = asked.best
    if best is None:
        return [asked.plan.recommendation.headline]
    gpus, gpu = reading.gpus(asked.plan), asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]].name
    term = reading.asked(asked.plan, "budget.reserved_days")
    months = f"{term / DAYS_PER_MONTH:.3g} months" if term else "[term]"
    network = "no special network" if best.fabric == "none" else f"{asked.name(best.fabric)} or equal"
    buys = "to buy" if asked.buys else f"to rent for {months}"
    unit = "each line" if asked.buys else "the GPU-hour"
    return [
        f"Please quote: {gpus:,} {gpu}, {network}, {buys}, in [country], from [date].",
        f"State the price of {unit}, and storage, traffic out and support.",
        "Say how a failed node is replaced, payment, cancellation, a network test.",
    ]


def quotes_table(asked: Asked) -> list[str]:
    """A row for each quote: what all its GPUs cost over the term or the time that is named."""
    able = [quote for quote in asked.plan.quotes if quote.usd_per_gpu_hour]
    if not able:
        return []
    named = next((days for days in asked.amounts("time") if days >= 1), None)
    months = named / DAYS_PER_MONTH if named else next((quote.months for quote in able if quote.months), None)
    if months is None:
        return ["Say for how long: the quotes name no term."]
    hours, gpus = months * HOURS_PER_MONTH, reading.gpus(asked.plan)
    rows = [
        f"{letter(quote)} | {asked.name(quote.fabric or '') if quote.fabric else 'network not said'} | "
        f"{figures.usd(quote.usd_per_gpu_hour)} | {figures.usd((quote.usd_per_gpu_hour or 0.0) * gpus * hours)}"
        for quote in able
    ]
    sums = sorted((quote.usd_per_gpu_hour or 0.0) * gpus * hours for quote in able)
    head = f"Quote | network | per GPU-hour | {gpus:,} GPUs for {months:.3g} months"
    return [head, *rows[:3], f"Apart: {figures.usd(sums[-1] - sums[0])}."]


def speeds_of_quotes(asked: Asked) -> str | None:
    """How far apart the networks of the quotes are in time, where nobody names them."""
    found = [reading.candidate(asked.plan, quote.fabric) for quote in asked.plan.quotes]
    pair = [one for one in found if one is not None and one.step_time_s]
    if len(pair) < 2 or asked.fabrics:
        return None
    one, other = pair[1], pair[0]
    more = slower(one, other)
    verdict = "Nearly true here" if abs(more) < _NEAR else "Not for this job"
    return (
        f"{verdict}: on {asked.name(one.fabric)} a step takes {lasts(more)}{' as' if abs(more) < 0.5 else ' than'} on "
        f"{asked.name(other.fabric)}, if it is set up well; have it shown by an all-reduce test on all nodes."
    )


_NEAR = 5.0  # percent of a step
