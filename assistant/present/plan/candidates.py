"""The networks side by side: as the report's table, in short, in the conversation, and ranked by cost or time."""

from collections.abc import Sequence
from dataclasses import replace

from assistant.vocabulary.plan import Candidate, Plan

from .. import figures, limits
from ..blocks import Block, Heading, Paragraph, Table, told
from . import reading

SIGNS = {"recommended": "✓", "acceptable": "·", "avoid": "!"} | {
    "no price quoted": "?",
    "not sold": "–",
    "not quoted": "–",
    "does not fit": "✗",
    "impossible": "✗",
}
NOTHING_WORKS = "Nothing works as asked."


def section(plan: Plan) -> list[Block]:
    """Every network that was computed, and the names of the others."""
    computed, table = _computed(plan), _table(plan)
    if not computed:
        return []
    ends, slower = reading.ends(plan), any((c.slowdown_percent or 0.0) < 0 for c in computed)
    read = [
        f"{_legend(plan, computed)}.",
        "Exposed: communication that nothing hides, inside nodes too." if ends else _work(plan),
        "Slower by: than the fastest that is possible." if ends and slower else "",
    ]
    gone = _out_of_the_question([c for c in plan.candidates if c.step_time_s is None])
    notes = (" ".join(filter(None, read)), reading.splits(computed), reading.middle(plan), gone)
    return [Heading("Candidates"), table, *(Paragraph(note) for note in notes if note)]


def _legend(plan: Plan, shown: list[Candidate]) -> str:
    """What the signs mean that are shown: ``✓ recommended   · acceptable``."""
    there = {found.standing: reading.verdict(found, plan) for found in shown}
    words: dict[str, list[str]] = {}
    for standing, sign in SIGNS.items():
        words.setdefault(sign, []).extend([there[standing]] if standing in there else [])
    return "   ".join(f"{sign} {' or '.join(said)}" for sign, said in words.items() if said)


def in_short(plan: Plan) -> list[Block]:
    """The first rows, which are the best; no row that won is left out, and the others are counted."""
    table = _table(plan)
    if not table.rows:
        return []
    rows = table.rows[: max(limits.CANDIDATES_IN_SHORT, (table.emphasis or 0) + 1)]
    shorter = {column: cells[: len(rows) + 1] for column, cells in table.shorter.items()}
    gone = len(table.rows) - len(rows)
    more = [Paragraph(f"{gone} more: dearer, or not advised.")] if gone else []
    return [Heading("Candidates"), replace(table, rows=rows, shorter=shorter), *more]


def in_talk(plan: Plan) -> list[Block]:
    """The recommended fabric and the cheapest others, in words and signs; nothing where there is one alone."""
    usable = [c for c in _computed(plan) if c.verdict != "impossible"]
    shown = sorted(usable, key=lambda c: (c.verdict != "recommended", _cost(c)))[: limits.CANDIDATES_IN_TALK]
    if len(shown) < 2:
        return []
    sum_ = f"cost of {reading.bill(plan)}"
    owned, splits = reading.adds_to_what_is_there(plan), reading.splits(shown)
    header = ["network", "verdict", _per(plan), "waiting", sum_, *_to_buy(owned)]
    table = Table(header, [_short_row(c, plan) for c in shown], frozenset(range(2, len(header))))
    return [table, *([Paragraph(splits)] if splits else [])]


def _short_row(found: Candidate, plan: Plan) -> list[str]:
    waits, cost = figures.percent(reading.waited(plan, found)), found.cost_usd and found.cost_usd.p50
    name, step = f"{SIGNS[found.standing]} {found.fabric}", figures.seconds(_step(found))
    buys = [figures.usd(found.usd_to_buy)] if reading.adds_to_what_is_there(plan) else []
    return [name, reading.verdict(found, plan), step, waits, figures.usd(cost), *buys]


def options(plan: Plan) -> list[Block]:
    """Every network that was computed, and those that are none here."""
    owned = reading.adds_to_what_is_there(plan)
    items = [
        f"{c.fabric}, {reading.verdict(c, plan)}: {figures.seconds(_step(c))}, {figures.usd(c.cost_usd.p50)}"
        f"{f', {figures.usd(c.usd_to_buy)} to buy' if owned else ''}."
        for c in _computed(plan)
        if c.cost_usd and c.verdict != "impossible"
    ]
    gone = _out_of_the_question([c for c in plan.candidates if c.verdict == "impossible"])
    return told(f"The networks of this plan, {reading.unit_of_work(plan).lower()} and cost on each:", *items, gone)


def to_buy(plan: Plan, fabrics: Sequence[str] = ()) -> list[Block]:
    """What networks cost to buy: those that are asked of beside the recommended one, else all."""
    priced = sorted((c for c in _able(plan) if c.usd_to_buy is not None), key=lambda c: c.usd_to_buy or 0.0)
    best = reading.chosen(plan)
    named = [c for c in priced if c.fabric in fabrics]
    unknown = [
        f"{fabric}: no price of a purchase is known." for fabric in fabrics if fabric not in {c.fabric for c in named}
    ]
    what = "To buy" if reading.adds_to_what_is_there(plan) else "To buy, machines and all"
    if not named:
        listed = "; ".join(f"{c.fabric} {figures.usd(c.usd_to_buy)}" for c in priced)
        shown = [c for c in priced if c is best or c is priced[0]]
        runs = "; ".join(f"{c.fabric} {_of_a_run(c, plan)}" for c in shown)
        return told(f"{what}: {listed}.", *unknown, f"{runs}.")
    said = [f"{c.fabric} {figures.usd(c.usd_to_buy)}, {_of_a_run(c, plan)}" for c in named]
    if best is None or best.usd_to_buy is None or best in named:
        return told(f"{what}: {'; '.join(said)}.", *unknown)
    recommended = f"{best.fabric}, which is recommended, {figures.usd(best.usd_to_buy)}, {_of_a_run(best, plan)}"
    return told(f"{what}: {'; '.join(said)}; {recommended}.", *unknown, *_for_one_run(named[0], best, plan))


def _of_a_run(found: Candidate, plan: Plan) -> str:
    if not reading.ends(plan):
        return f"{figures.usd(_cost(found))} for {reading.bill(plan)}"
    return f"a run in {figures.hours(found.run_hours)} for {figures.usd(_cost(found))}"


def _for_one_run(one: Candidate, other: Candidate, plan: Plan) -> list[str]:
    """What the dearer purchase of two is paid for, where the run is all that it does."""
    cheap, dear = sorted((one, other), key=lambda c: c.usd_to_buy or 0.0)
    more, bought = (dear.usd_to_buy or 0.0) - (cheap.usd_to_buy or 0.0), plan.purchase
    if more <= 0 or bought is None or not reading.ends(plan):
        return []
    saved = (cheap.run_hours or 0.0) - (dear.run_hours or 0.0)
    gains = f"saves {figures.hours(saved)} a run" if saved > 0 else "saves no time"
    rests = f"the sums of a run count on {bought.months:g} months of full use"
    worth = (
        f"for one run alone {dear.fabric} is not worth it" if more > _cost(cheap) else f"{dear.fabric} may be worth it"
    )
    return [f"{dear.fabric} takes {figures.usd(more)} more and {gains}: {worth}; {rests}."]


def cheapest(plan: Plan) -> list[Block]:
    """The networks of the lowest cost."""
    able = sorted(_able(plan), key=_cost)[: limits.OTHERS]
    if not able:
        return told(NOTHING_WORKS)
    answer = plan.recommendation
    other = answer.not_the_likeliest or f"Recommended is {answer.fabric}."
    taken = "It is the recommendation." if able[0].fabric == answer.fabric else other
    cheaper, of = reading.unadvised(plan), " of those advised" if reading.unadvised(plan) else ""
    share = "the cheapest{} in {:.0%} of the draws"
    told_of = ["not advised" if c in cheaper else share.format(of, c.probability_best or 0.0) for c in able]
    items = [f"{c.fabric}: {figures.usd_band(c.cost_usd)}, {how}." for c, how in zip(able, told_of, strict=True)]
    return told(f"{able[0].fabric} has the lowest cost in the median. {taken}", *items)


def fastest(plan: Plan) -> list[Block]:
    """The networks of the shortest step."""
    able = sorted(_able(plan), key=_step)[: limits.OTHERS]
    items = [f"{c.fabric}: {figures.seconds(_step(c))}, {figures.usd(_cost(c))}." for c in able]
    return told(f"{able[0].fabric} is the fastest.", *items) if able else told(NOTHING_WORKS)


def _table(plan: Plan) -> Table:
    computed = _computed(plan)
    owned = reading.adds_to_what_is_there(plan)
    rows = [_row(c, owned=owned) for c in computed]
    won = next((i for i, c in enumerate(computed) if c.verdict == "recommended"), None)
    median = lambda c, row: figures.usd(c.cost_usd.p50) if c.cost_usd and c.fits is not False else row[6]
    medians = [median(c, row) for c, row in zip(computed, rows, strict=True)]
    if not reading.ends(plan):
        return _of_a_service(computed, rows, won, medians, reading.bill(plan), owned=owned)
    header = ["", "fabric", _per(plan), "slower by", "exposed", "run", "cost, P10–P90", *_to_buy(owned)]
    return Table(header, rows, frozenset(range(2, len(header))), won, (5, 4, 2, 3), {6: ["cost", *medians]})


def _of_a_service(
    found: list[Candidate], rows: list[list[str]], won: int | None, medians: list[str], work: str, *, owned: bool
) -> Table:
    """Networks of what has no end: how fast it answers, and what ``work`` costs."""
    times = [
        [figures.seconds(c.serving and c.serving.ttft_s), figures.seconds(c.serving and c.serving.tpot_s)]
        if c.fits is not False
        else [figures.UNKNOWN] * 2
        for c in found
    ]
    told = [[*row[:2], *time, *row[6:]] for row, time in zip(rows, times, strict=True)]
    header = ["", "fabric", "first token", "per token", f"{work}, P10–P90", *_to_buy(owned)]
    return Table(header, told, frozenset(range(2, len(header))), won, (2, 3), {4: [work, *medians]})


def _work(plan: Plan) -> str:
    work = "A month's work: what the fastest of them writes in a month."
    return work if reading.bill(plan) == "a month's work" else ""


def _to_buy(owned: bool) -> list[str]:
    """The column of what each network costs to buy, where machines are there."""
    return ["to buy"] if owned else []


def _row(found: Candidate, *, owned: bool) -> list[str]:
    if found.fits is False:  # how long it would take is no time that anybody can have
        unknown = [figures.UNKNOWN] if owned else []
        return [SIGNS[found.standing], found.fabric, *[figures.UNKNOWN] * 4, "does not fit", *unknown]
    return [
        SIGNS[found.standing],
        found.fabric,
        figures.seconds(found.step_time_s and found.step_time_s.p50),
        figures.slowdown(found.slowdown_percent),
        figures.percent(found.exposed_communication_percent),
        figures.hours(found.run_hours),
        figures.usd_band(found.cost_usd),
        *([figures.usd(found.usd_to_buy)] if owned else []),
    ]


def _computed(plan: Plan) -> list[Candidate]:
    return [c for c in plan.candidates if c.step_time_s is not None]


def _able(plan: Plan) -> list[Candidate]:
    return [c for c in _computed(plan) if c.verdict != "impossible" and c.fits is not False and c.cost_usd]


def _cost(found: Candidate) -> float:
    return found.cost_usd.p50 if found.cost_usd else float("inf")


def _step(found: Candidate) -> float:
    return found.median_step


def _per(plan: Plan) -> str:
    return "per token" if reading.serves(plan) else "step"


def _out_of_the_question(found: list[Candidate]) -> str | None:
    """Their names under what stands in their way: ``Not sold: spectrum-x-400.``"""
    named: dict[str, list[str]] = {}
    for one in found:
        called = "not possible here" if one.standing == "impossible" else one.standing
        named.setdefault(called, []).append("no network" if one.fabric == "none" else one.fabric)
    return " ".join(f"{why.capitalize()}: {', '.join(names)}." for why, names in named.items()) or None
