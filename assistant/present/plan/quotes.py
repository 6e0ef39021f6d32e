"""The person's quotes side by side: what each comes to, what it leaves open, and what to write back."""

import dataclasses
import textwrap
from collections.abc import Mapping, Sequence

from assistant.vocabulary.naming import naming
from assistant.vocabulary.plan import Plan, QuotedOffer
from assistant.vocabulary.quantities import exact_usd, outward, times
from assistant.vocabulary.questionnaire import clauses

from .. import figures
from ..blocks import Block, Bullets, Chart, Heading, Paragraph, Table, told
from . import findings, reading
from .candidates import SIGNS
from .names import renamed

_MANY_TIMES, _ALIKE = 2.0, 0.005  # ratios of two costs from which and up to which they are told so
_LONGER = 0.01  # of a run
_OF_THE_TERM = 0.05  # of a term: "90 days" are three months
_THANKS = "Thank you for your offer"  # how each reply begins
_WIDTH = 88  # of a line of a mail
_COLUMNS = ["", "quote", "network", "quoted", "with waiting", "cost of the run", "done in"]


def section(plan: Plan) -> list[Block]:
    """All of them, with the mails to write back."""
    return [*_side_by_side(plan), *_mails(plan.quotes)]


def in_short(plan: Plan) -> list[Block]:
    """Side by side, without the mails."""
    return _side_by_side(plan)


def answer(plan: Plan) -> list[Block]:
    """Which to take and why not the others, with what each leaves open."""
    if not plan.quotes:
        return told("There is no quote in this plan: say what you were offered, such as CoreWeave NDR at $2.20.")
    return told(_taken(plan), *(_line(plan, quote) for quote in _ranked(plan)))


def of_term(plan: Plan, months: float) -> list[str]:
    """The quotes for a term of so many months, and which of all to take; nothing where none is for it."""
    found = [quote for quote in plan.quotes if quote.months and abs(quote.months / months - 1) < _OF_THE_TERM]
    return [*(_line(plan, quote) for quote in found), _taken(plan)] if found else []


def replies(plan: Plan) -> list[Block]:
    """The mails to write back."""
    if not plan.quotes:
        return answer(plan)
    return written(plan.quotes) or told("The quotes leave nothing open: there is nothing to ask.")


def written(quotes: Sequence[QuotedOffer], names: Mapping[str, str] | None = None) -> list[Block]:
    """The mails as they are said in a conversation; ``names``: those of ids, where no plan has them."""
    lines = [text for to, lines in _letters(quotes) for text in (f"To {to}:", *lines)]
    blocks = told("What to write back:", *lines) if lines else []
    return renamed(blocks, naming(names)) if names else blocks


def open_points(plan: Plan, number: int) -> list[Block]:
    """What one of the quotes leaves open, and what to write back."""
    quote = next((quote for quote in plan.quotes if quote.number == number), None)
    if quote is None:
        return told(f"There is no quote {number} in this plan; it has {len(plan.quotes) or 'none'}.")
    return told(f"Q{_of(quote)[1:]}: {_open(quote)}", *quote.reply.splitlines() if quote.missing else ())


def alone(quotes: Sequence[QuotedOffer], gpus: int, names: Mapping[str, str]) -> list[Block]:
    """Quotes before anybody said what runs on the machines: the price beside the lists, what each leaves open, the mail
    to write back. ``names``: those of ids."""
    told = [Heading("Your quotes"), Bullets([_priced(quote, gpus) for quote in quotes]), *_mails(quotes)]
    return renamed(told, naming(names))


def _priced(quote: QuotedOffer, gpus: int) -> str:
    """What it is, what a whole term of all GPUs comes to, and what is beside it."""
    months = quote.months or 1.0
    term = "a month" if months == 1.0 else f"its {months:g} months"
    whole = f", {figures.usd(quote.term_usd)} for {term} of {gpus:,} GPUs" if quote.term_usd else ""
    beside = " ".join(text for text in (_published(quote), _delivered(quote), _noted(quote), _open(quote)) if text)
    network = f", {quote.fabric}" if quote.fabric and quote.provider else ""
    return f"Q{_of(quote)[1:]}{network}, {quote.said}{whole}: {beside}"


def _side_by_side(plan: Plan) -> list[Block]:
    if not plan.quotes:
        return []
    shown, won = _ranked(plan), None if reading.unread(plan) else _winner(plan)
    table = Table(
        _COLUMNS,
        [_row(quote, quote is won) for quote in shown],
        frozenset({4, 5, 6}),
        next((n for n, quote in enumerate(shown) if quote is won), None),
        shorter={
            1: ["of", *(str(quote.provider or quote.number) for quote in shown)],
            3: ["quoted", *(_quoted(quote).replace("/GPU-h", "") for quote in shown)],
            4: ["waiting", *(figures.usd(quote.effective_usd_per_gpu_hour) for quote in shown)],
            5: ["cost", *(_cost(quote) for quote in shown)],
        },
    )
    if not reading.ends(plan):  # a service is never done
        header = [*table.header[:5], f"cost of {reading.bill(plan)}"]
        table = dataclasses.replace(table, header=header, rows=[row[:6] for row in table.rows], right=frozenset({4, 5}))
    what = "With waiting: what an hour of computing costs when the hours that wait for the network are paid as well."
    what += "".join(f" The run of {_of(quote)} takes{longer[1:]}: {_paid_for(plan, quote)}." for quote, longer in
                    ((quote, _longer(plan, quote)) for quote in shown) if longer)  # fmt: skip
    told_of = Bullets([_beside(quote) for quote in shown])
    out = [f"{_row(q, False)[0]} {q.number}: {why}" for q in shown if q is not won and (why := _out(plan, q))]
    left = [Bullets(out)] if out else []
    return [Heading("Your quotes"), Paragraph(_taken(plan)), table, *left, Paragraph(what), told_of]


def _out(plan: Plan, quote: QuotedOffer) -> str:
    """Why a quote is not to be taken, or has no sum; empty of one that only costs more."""
    if quote.fabric is None and quote.run_cost_usd is None:
        return "which network joins the machines is not said."
    if quote.verdict == "acceptable" and quote.meets_limits is not False and quote.run_cost_usd is not None:
        return ""
    found = next((c for c in plan.candidates if c.fabric == quote.fabric), None)
    against = findings.against(found, plan) if found else None
    if against is not None:
        return against.because
    missed = " and ".join(found.limits_missed) if found else ""
    return f"it misses {missed}." if missed else "it does not keep what was asked." if quote.run_cost_usd else ""


def _ranked(plan: Plan) -> list[QuotedOffer]:
    """The cheapest run first, those without a sum last."""
    return sorted(plan.quotes, key=lambda q: (q.run_cost_usd.p50 if q.run_cost_usd else float("inf"), q.number))


def _winner(plan: Plan) -> QuotedOffer | None:
    """The quote that is recommended: the cheapest with the recommended network, of all where none is needed."""
    answer = plan.recommendation
    if answer.verdict == "infeasible":
        return None
    needed = answer.verdict == "recommended" and answer.fabric in {quote.fabric for quote in plan.quotes}
    fits = (q for q in _ranked(plan) if q.run_cost_usd and (q.fabric == answer.fabric or not needed))
    return next(fits, None)


def _name(quote: QuotedOffer) -> str:
    return f"{quote.number}: {quote.provider or quote.fabric}"


def _of(quote: QuotedOffer) -> str:
    """As a sentence names it: "quote 2 (lambda)"."""
    return f"quote {quote.number} ({quote.provider or quote.fabric})"


def _row(quote: QuotedOffer, won: bool) -> list[str]:
    sign = "✓" if won else "✗" if quote.meets_limits is False else SIGNS[quote.verdict or "impossible"]
    days = quote.finishes_days
    return [
        sign,
        _name(quote),
        quote.fabric or "not said",
        _quoted(quote),
        figures.usd(quote.effective_usd_per_gpu_hour),
        _cost(quote),
        figures.hours(None if days is None else 24 * days),
    ]


def _quoted(quote: QuotedOffer) -> str:
    return quote.said.replace(" per GPU-hour", "/GPU-h").replace(" for ", ", ")


def _cost(quote: QuotedOffer) -> str:
    return figures.usd(quote.run_cost_usd.p50 if quote.run_cost_usd else None)


def _beside(quote: QuotedOffer) -> str:
    """How far it is from the list, the price at which it would win, what is counted of its network, and what it leaves
    open."""
    counted = f"Its network was counted as quoted: {quote.counted}." if quote.counted else None
    said = (
        f"Q{_of(quote)[1:]}:",
        _published(quote),
        _to_win(quote),
        _delivered(quote),
        counted,
        _noted(quote, quote.counted),
        _open(quote),
    )
    return " ".join(text for text in said if text)


def _noted(quote: QuotedOffer, told: str = "") -> str | None:
    """What it says besides, but for what is ``told`` of it already."""
    left = [said for said in clauses(quote.note) if said not in told]
    note = ", ".join(left) if told and len(left) < len(clauses(quote.note)) else quote.note
    return f"{note[0].upper()}{note[1:].rstrip('.')}." if note else None


def _published(quote: QuotedOffer) -> str | None:
    listed, over = quote.published, quote.over_published_percent
    if listed is None or over is None:
        return None
    far = "as much as" if abs(over) < 0.5 else f"{abs(over):.0f} % {'more' if over > 0 else 'less'} than"
    price = f"{figures.usd(listed.usd_per_gpu_hour)} ({listed.instance}, {listed.fabric}, {listed.date})"
    return f"{far} {listed.provider}'s published {price}."


def _delivered(quote: QuotedOffer) -> str | None:
    """When it is there, and when the run is done then."""
    if quote.delivery_days is None:
        return None
    done = f", so the run is done by {quote.finishes_on}" if quote.finishes_on else ""
    if not quote.delivery_days:
        return f"There at once{done}."
    return f"There after {figures.hours(24 * quote.delivery_days)}{done} if it is ordered today."


def _to_win(quote: QuotedOffer) -> str | None:
    if quote.usd_per_gpu_hour_to_win is None:
        return None
    at = exact_usd(outward(quote.usd_per_gpu_hour_to_win, up=False))
    return f"At ${at} per GPU-hour it would cost this run as much as the best."


def _open(quote: QuotedOffer) -> str:
    said = f"Includes {', '.join(quote.includes)}. " if quote.includes else ""
    return f"{said}Leaves open: {', '.join(quote.missing)}." if quote.missing else f"{said}Leaves nothing open."


def _sum(plan: Plan, quote: QuotedOffer) -> str:
    """What it comes to: the run, or a month of a service and its whole term."""
    cost = figures.usd(quote.run_cost_usd.p50 if quote.run_cost_usd else None)
    if reading.ends(plan):
        return cost
    term = f" ({figures.usd(quote.term_usd)} for its {quote.months:g} months)" if quote.term_usd else ""
    return f"{cost} for {reading.bill(plan)}{term}"


def _line(plan: Plan, quote: QuotedOffer) -> str:
    if quote.run_cost_usd is None:
        why = _out(plan, quote)
        return f"Q{_of(quote)[1:]}, {quote.said}: without a sum{f', as {why}' if why else '.'} {_open(quote)}"
    cost, days = _sum(plan, quote), figures.hours(24 * (quote.finishes_days or 0.0))
    waiting = quote.effective_usd_per_gpu_hour
    waits = f", {figures.usd(waiting)} with waiting" if waiting else ""
    late = "" if quote.meets_limits else ", not within what was asked"
    done = f", done in {days}{_longer(plan, quote)}" if reading.ends(plan) else ""
    beside = (_published(quote), _to_win(quote), _delivered(quote), _noted(quote))
    beside = " ".join(text for text in beside if text)
    return f"Q{_of(quote)[1:]}, {quote.fabric}, {quote.said}{waits}: {cost}{done}{late}. {beside}".rstrip()


def _taken(plan: Plan) -> str:
    won = _winner(plan)
    if won is None or won.run_cost_usd is None:
        return "None of the quotes does what is asked."
    if unread := reading.unread(plan):
        return (
            f"Which to take is not said: {unread} was told with them and is not placed. Say whose it is, and for what."
        )
    of = "the run" if reading.ends(plan) else "it"
    said = f"Take {_of(won)}: {of} costs {_sum(plan, won)}"
    others = (q for q in _ranked(plan) if q is not won and q.run_cost_usd and q.verdict != "impossible")
    second = next(others, None)
    if second is not None and second.run_cost_usd is not None:
        ratio = second.run_cost_usd.p50 / won.run_cost_usd.p50
        but = ", but does not keep what was asked" if second.meets_limits is False else ", and its network ranks lower"
        said += f"; {_same_work(plan)}{_of(second)} {_costs(ratio)}{but if ratio < 1 - _ALIKE else ''}"
    listed = next((o for o in plan.offers if o.kind == "published" and o.run_cost_usd and o.meets_limits), None)
    if listed is not None and listed.run_cost_usd is not None:
        name, cost = (
            f"{listed.provider}: {listed.instance}",
            figures.usd_against(listed.run_cost_usd.p50, won.run_cost_usd.p50),
        )
        less = listed.run_cost_usd.p50 < won.run_cost_usd.p50
        said += f". The cheapest that is published, {name}, comes to {cost}{', less than any quote' if less else ''}"
    return f"{said}."


def _same_work(plan: Plan) -> str:
    """That runs told by their days are compared for what is done in them, and not for as many days."""
    days = reading.asked(plan, "training.days") is not None
    return "for the same tokens " if days and reading.ends(plan) else ""


def _longer(plan: Plan, quote: QuotedOffer) -> str:
    """Why a run costs more at a lower price of an hour: it takes longer on that network, and all of it is paid."""
    won = _winner(plan)
    if won is None or won is quote or not (won.finishes_days and quote.finishes_days) or not reading.ends(plan):
        return ""
    more = quote.finishes_days / won.finishes_days - 1
    return f", {figures.percent(100 * more)} longer on its network" if more >= _LONGER else ""


def _paid_for(plan: Plan, quote: QuotedOffer) -> str:
    """What a run that takes longer does to the sum of a quote: nothing, where that is of whole terms or of the run."""
    given = (reading.asked(plan, "budget.quotes") or [])[quote.number - 1]
    used = (quote.usd_per_gpu_hour or 0.0) * reading.gpus(plan) * 24 * (quote.finishes_days or 0.0)
    cost = quote.run_cost_usd.p50 - (given.get("once_usd") or 0.0) if quote.run_cost_usd else 0.0
    if given.get("usd") and not quote.months:
        return "its sum is that of the run, however long it takes"
    if cost > (1 + _ALIKE) * used:
        return "whole terms are paid, however much of them it fills"
    return "it is paid so much longer"


def _costs(ratio: float) -> str:
    """What another quote costs, as a ratio to the one that is taken."""
    if ratio >= _MANY_TIMES:
        return f"costs {times(ratio)} as much"
    if abs(ratio - 1) < _ALIKE:
        return "costs the same"
    return f"costs {100 * abs(ratio - 1):.3g} % {'more' if ratio > 1 else 'less'}"


def _mails(quotes: Sequence[QuotedOffer]) -> list[Block]:
    letters = [
        block
        for to, lines in _letters(quotes)
        for block in (
            Paragraph(f"To {to}:"),
            Chart(tuple(line for text in lines for line in textwrap.wrap(text, _WIDTH) or [""])),
        )
    ]
    return [Heading("What to write back"), *letters] if letters else []


def _letters(quotes: Sequence[QuotedOffer]) -> list[tuple[str, list[str]]]:
    """To whom and what: one to everybody who left something open, about all offers that leave the same open."""
    asked: dict[tuple[str, ...], list[QuotedOffer]] = {}
    for quote in quotes:
        if quote.missing:
            asked.setdefault((quote.provider or str(quote.number), *quote.missing), []).append(quote)
    return [(_addressee(same[0]), _letter(same)) for same in asked.values()]


def _addressee(quote: QuotedOffer) -> str:
    return quote.provider or f"who made quote {quote.number}"


def _letter(quotes: list[QuotedOffer]) -> list[str]:
    thanks, *rest = quotes[0].reply.split("\n")
    others = [q.reply.partition("\n")[0].replace(_THANKS, "And for that", 1) for q in quotes[1:]]
    return [thanks, *others, *rest]
