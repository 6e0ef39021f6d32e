"""What to do, in one sentence, in a line, in plain words, and why."""

from __future__ import annotations

import re

from assistant.vocabulary.plan import Card
from assistant.vocabulary.quantities import days_said

from ... import figures
from .. import card, flips, reading
from .asked import Asked, lasts, money, slower, usable

FORM = re.compile(r" (?:SXM\d?|PCIe|NVL|OAM)(?: \d+ GB)?(?= |,|$)")  # of a GPU's name: its board and memory


def do(asked: Asked) -> str | None:
    """The first line of the card."""
    found = asked.plan.recommendation.card
    return found.do if found and asked.best else None


def price(asked: Asked) -> str | None:
    found = asked.plan.recommendation.card
    if not found or not found.cost:
        return None
    limits = re.sub(r" \([^)]*\)", "", reading.limits_in_short(asked.plan) or "").rstrip(".")
    return f"{found.cost.rstrip('.')}, {limits}." if limits and asked.best else found.cost


def finish(asked: Asked) -> str | None:
    found = asked.plan.recommendation.card
    return found.finish if found else None


def why_short(asked: Asked) -> str | None:
    """Why it goes before the next, in a line."""
    found = asked.plan.recommendation.card
    return f"Why: {found.because[:1].lower()}{found.because[1:]}" if found and found.because and asked.best else None


def check_first(asked: Asked) -> str | None:
    """The one thing to settle before signing."""
    if asked.best is None:
        return None
    if asked.buys and reading.to_buy(asked.plan) is None:
        return "Nothing has to be ordered: measure the network that is there before the run (weft nccl bench)."
    if asked.buys:
        return "Before you order: have dated quotes for machines and network; these prices are lists and derivations."
    questions = asked.plan.questions_for_provider
    return f"Before you sign, ask: {questions[0]}" if questions else None


def sentence(asked: Asked) -> str | list[str] | None:
    """One sentence that can be forwarded."""
    found = asked.plan.recommendation.card
    if found is None or asked.best is None:
        why = asked.plan.recommendation.smallest_change
        return f"{asked.plan.recommendation.headline} {why or ''}".strip()
    because = found.because.rstrip(".")
    many = _sentences(asked)
    if asked.says("no_acronyms"):
        return _spoken(asked, found)
    if many > _IN_A_PARAGRAPH:
        return _a_line_each(asked, found, because)[:many]
    if many > 1:
        return " ".join(_told_in(asked, found, because, many))
    kept = (reading.limits_in_short(asked.plan) or "").rstrip(".")
    why = f"; {kept}" if kept else f"; the reason: {because[:1].lower()}{because[1:]}" if because else ""
    return f"We should {plain_deed(deed_of(found.do))}: {sum_of(asked, found.cost)}, {small(found.finish)}{why}."


def _spoken(asked: Asked, found: Card) -> list[str]:
    """Three sentences to be said aloud: what to do, what it costs, when and at what risk, with no abbreviation."""
    best, run = asked.best, asked.run
    gpu = asked.catalog.gpus[reading.asked(asked.plan, "cluster.gpu")].name.split(" ")
    chips = f"{reading.gpus(asked.plan):,} {' '.join(gpu[:2])} processors"
    verb = "buy" if asked.buys else "rent"
    kinds = asked.words.get("plain_networks", {})
    technology = asked.catalog.fabrics[best.fabric].technology if best and best.fabric != "none" else ""
    network = f" and {kinds.get(technology, 'a fast network')} between them" if technology else ""
    kept = reading.limits_in_short(asked.plan)
    within = f", {kept.rstrip('.')}" if kept else ""
    time = f"It takes about {run[0]}, and {run[2]} if it goes badly." if run else "It runs as long as it is paid for."
    cost = sum_of(asked, found.cost)
    return [f"We should {verb} {chips}{network}. It costs {cost}{within}. {time}".replace(" M ", " million ")]


def plain_deed(deed: str) -> str:
    """A deed for who knows no hardware: a GPU by its maker and name alone."""
    return FORM.sub(" GPUs", deed)


def _sentences(asked: Asked) -> int:
    """How many sentences are asked for."""
    return next((many for word, many in asked.words.get("sentences", {}).items() if word in asked.text), 1)


def _told_in(asked: Asked, found: Card, because: str, many: int) -> list[str]:
    """So many sentences: what to do and why, money and time against the limits, the risk."""
    first = f"We should {deed_of(found.do)}: {because[:1].lower()}{because[1:]}."
    kept = (reading.limits_kept(asked.plan) or "").rstrip(".").replace(". ", "; ")
    limits = f"; {kept[:1].lower()}{kept[1:]}" if kept else ""
    second = f"It costs {sum_of(asked, found.cost)}, {small(found.finish)}{limits}."
    risk = plain_risk(asked) or next(iter(turns(asked)), "")
    return [first, second, risk][:many]


_IN_A_PARAGRAPH = 3  # sentences; more stand in a line each


def _a_line_each(asked: Asked, found: Card, because: str) -> list[str]:
    """Five sentences: what to do, the money, the time, the reason, the risk."""
    deed, reason = plain_deed(deed_of(found.do)), because[:1].lower() + because[1:]
    limits = re.sub(r" \([^)]*\)", "", reading.limits_in_short(asked.plan) or "").rstrip(".")
    cost, time = sum_of(asked, found.cost), small(found.finish)
    risk = plain_risk(asked) or next(iter(turns(asked)), "")
    reason = reason.replace("the same run on ", "").replace(" in all", "")
    kept = f", {limits}" if limits else ""
    return [
        f"We should {deed}.",
        f"It costs {cost}{kept}.",
        f"{time[:1].upper()}{time[1:]}.",
        f"Reason: {reason}.",
        risk,
    ]


def one_line(asked: Asked) -> str | None:
    """The whole answer in a line."""
    found = asked.plan.recommendation.card
    if found is None or asked.best is None:
        return asked.plan.recommendation.headline
    if asked.says("no_acronyms"):
        return " ".join(_spoken(asked, found))
    if (many := _sentences(asked)) > 1:
        return " ".join(_told_in(asked, found, found.because.rstrip("."), many))
    deed = deed_of(found.do)
    return f"{deed[:1].upper()}{deed[1:]}: {sum_of(asked, found.cost)}, {small(found.finish)}."


def deed_of(do: str) -> str:
    """The deed without what ties with it."""
    text = do.rstrip(".").partition(";")[0]
    return text[:1].lower() + text[1:]


def sum_of(asked: Asked, cost: str) -> str:
    """The one sum that counts: of a run the whole, of a purchase the purchase."""
    first, _, last = cost.partition("; ")
    return small(last if last and not asked.buys else first)


def small(line: str) -> str:
    """A line of the card within a sentence: its money or its day."""
    text = line.rstrip(".").partition(" if it starts")[0].partition("; when")[0]
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def plain_do(asked: Asked) -> str | None:
    found, best = asked.plan.recommendation.card, asked.best
    if found is None or best is None:
        return asked.plan.recommendation.headline
    deed = deed_of(found.do)
    return f"What to do: {plain_deed(deed).replace(' GPUs', ' GPUs (the chips that do the work)')}."


def plain_cost(asked: Asked) -> str | None:
    """Money and time without a range."""
    best = asked.best
    if best is None:
        return None
    cost = f"about {money(best)}" if best.cost_usd else "at a price that you have to ask for"
    if not reading.ends(asked.plan):
        return f"What it costs: {cost} a month."
    if not best.cost_usd:
        return f"It takes about {figures.hours(best.run_hours)}; the price you have to ask for."
    return f"It takes about {figures.hours(best.run_hours)} and costs {cost}."


def plain_why(asked: Asked) -> str | None:
    """How much the network matters, in everyday words."""
    best = asked.best
    if best is None:
        return None
    users = reading.asked(asked.plan, "inference.concurrency")
    if best.fabric == "none" and users:
        return (
            f"Why so many: the model must fit in their memory and answer {users:,} people at once; between machines no "
            "fast network is needed."
        )
    if best.fabric == "none":
        return "Why: the machines need not talk to each other, so you need not pay for a fast network between them."
    waits = best.exposed_communication_percent or 0.0
    idle = f"the GPUs spend {figures.percent(waits)} of their time waiting for each other"
    other = next((c for c in usable(asked) if c is not best and c.cost_usd), None)
    dearer = f"; the next best costs {money(other)}" if other and best.cost_usd else ""
    there = reading.is_given(asked.plan) and reading.asked(asked.plan, "budget.owned") == "everything"
    given = "it is there already, and on it " if there else "with this network "
    return f"Why: {given}{idle}{dearer}."


def plain_risk(asked: Asked) -> str | None:
    """How wrong it may be."""
    best = asked.best
    if best is None or best.run_hours is None:
        return None
    if not reading.ends(asked.plan):
        return f"It may as well cost {figures.usd(best.cost_usd.p90)} a month." if best.cost_usd else None
    slow = figures.hours(reading.run_band(best)[1])
    worst = f" and {figures.usd(best.cost_usd.p90)}" if best.cost_usd else ""
    limit = reading.asked(asked.plan, "constraints.deadline_days")
    return f"If it goes badly: {slow}{worst}{f', still within your {days_said(limit)}' if _kept(best, limit) else ''}."


def _kept(best: object, days: float | None) -> bool:
    return bool(days) and reading.run_band(best)[1] <= 24 * (days or 0.0)  # type: ignore[arg-type]


def because(asked: Asked) -> str | None:
    found = asked.plan.recommendation.card
    return f"{found.do} {found.because}" if found and found.because else asked.plan.recommendation.headline


def because_numbers(asked: Asked) -> str | None:
    """The choice beside the next best, in time and money."""
    best = asked.best
    other = reading.candidate(asked.plan, asked.plan.recommendation.runner_up) if best else None
    if best is None or other is None or other.step_time_s is None:
        return None
    step = lasts(slower(other, best))
    return f"Next best: {asked.name(other.fabric)}, {money(other)} against {money(best)}, each step {step}."


def turns(asked: Asked) -> list[str]:
    """The nearest values that turn the answer."""
    found = flips.turns(asked.plan)[:3]
    if found:
        return [f"It would turn with {small(found[0])}", *(f"Or with {one}" for one in found[1:])]
    card_ = asked.plan.recommendation.card
    if card_ is None or not card_.changes_if:
        return []
    nothing = asked.plan.recommendation.verdict == "infeasible"  # then it is a sentence of its own
    return [card_.changes_if if nothing else f"It changes if {card_.changes_if}"]


def turn_nearest(asked: Asked) -> str | None:
    """The nearest value that turns the answer, alone."""
    found = next(iter(turns(asked)), None)
    return f"{found.partition(' (')[0].rstrip('.')}." if found else None


def turns_otherwise(asked: Asked) -> str | None:
    """What else it rests on."""
    best = asked.best
    if best is None or best.step_time_s is None:
        return None
    if best.fabric == "none" and reading.serves(asked.plan):
        return (
            "A fast network is needed with a model or context too large for a node, experts or prompts and answers "
            "spread over nodes, or training on the same machines."
        )
    band = best.step_time_s
    assumed = [a for a in asked.plan.assumptions if a.field.startswith(("training.", "inference.", "rl."))]
    some = f", and on {len(assumed)} values of the job that nobody said" if assumed else ""
    off = max(band.p90 / band.p50, band.p50 / band.p10) - 1
    unit = "token" if reading.serves(asked.plan) else "step"
    return f"Else it rests on the time of a {unit}, which may be {off:.0%} off{some}; measure that first."


def runner_up(asked: Asked) -> str | None:
    """Who comes second: of the networks, else of the offers."""
    said = because_numbers(asked)
    if said:
        return said
    offers = [o for o in asked.plan.offers if o.run_cost_usd and o.meets_limits]
    taken = asked.plan.recommendation.offer
    won = asked.plan.offers[taken] if taken is not None else None
    others = [o for o in offers if won and o.provider != won.provider]
    alike = (o for o in others if won and o.kind == won.kind)  # beside a quote the next quote, whatever lists say
    other = next(alike, others[0] if others else None)
    if other is None or other.run_cost_usd is None:
        return None
    where = other.provider_name or other.provider
    return f"Next best: {where}, {figures.usd(other.run_cost_usd.p50)} for {reading.bill(asked.plan)}."


def certainty(asked: Asked) -> str | None:
    """How certain the choice is, in the card's words."""
    return next(iter(card.certain(asked.plan)), None)
