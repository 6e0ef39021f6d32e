"""A plan as one would send it: what a reader decides by on the first two pages, then the proof."""

from collections.abc import Iterable
from dataclasses import replace

from assistant.vocabulary.plan import Plan

from ..blocks import Block, Heading, PageBreak, Paragraph, Table
from . import charts, job, measured, offers, opening, purchase, quotes, reading, report, sizing
from .names import named

PROOF, COLUMNS = "The proof", 8
_ABOUT = "What follows is for whoever has to defend the decision: every candidate, every reason, every source."


def document(plan: Plan) -> list[Block]:
    """All of it. What the first pages have of the offers in short the proof has whole."""
    first = [*job.restated(plan), *opening.first_page(plan), *charts.cost(plan), *charts.movers(plan)]
    split = opening.split(plan)
    step = [*charts.step(plan), *([Paragraph(split)] if split else [])]
    load = [] if reading.ends(plan) else sizing.in_short(plan)
    second = [
        _narrow(block)
        for block in (*measured.section(plan), *charts.rests_on(plan), *load, *_bought_or_rented(plan), *step)
    ]
    proof = [PageBreak(), Heading(PROOF), Paragraph(_ABOUT), *report.proof(plan)]
    return named([*first, *second, *proof], plan)


def _bought_or_rented(plan: Plan) -> Iterable[Block]:
    bought = [*purchase.first_page(plan), *purchase.rent_or_buy(plan)]
    return bought or quotes.in_short(plan) or _cheapest(offers.in_short(plan))


def _narrow(block: Block) -> Block:
    """A table of the first pages without the columns that give way first."""
    if not isinstance(block, Table):
        return block
    gone = block.first_to_go[: max(0, len(block.header) - COLUMNS)]
    kept = [i for i in range(len(block.header)) if i not in gone]
    header, *rows = ([row[i] for i in kept] for row in (block.header, *block.rows))
    return Table(header, rows, frozenset(n for n, i in enumerate(kept) if i in block.right), block.emphasis)


def _cheapest(short: list[Block]) -> list[Block]:
    """The offers in short under a title of their own: the whole list follows in the proof."""
    return [
        replace(b, text="The cheapest offers, and the cheapest of other networks") if isinstance(b, Heading) else b
        for b in short
    ]
