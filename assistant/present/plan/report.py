"""A plan as a report: its sections in order, the answer first, the sources last; and the same in short."""

from assistant.vocabulary.plan import Plan

from ..blocks import Block, Heading, Paragraph
from . import (
    advice,
    assumptions,
    candidates,
    crossing,
    disagreement,
    flips,
    measured,
    names,
    network,
    offers,
    opening,
    phases,
    purchase,
    quotes,
    reasons,
    sizing,
    sources,
)

_WHOLE = (
    *(
        opening.section,
        measured.section,
        sizing.section,
        crossing.section,
        candidates.section,
        phases.section,
        quotes.section,
        offers.section,
    ),
    *(purchase.section, purchase.power, purchase.rent_or_buy, reasons.why, reasons.why_not),
    *(flips.section, disagreement.section),
    *(advice.warnings, advice.measure_first, advice.ask_the_provider, network.design, network.settings),
    *(assumptions.section, sources.section),
)
_SHORT = (
    *(
        opening.section,
        measured.section,
        sizing.in_short,
        crossing.in_short,
        candidates.in_short,
        phases.section,
        quotes.in_short,
        offers.in_short,
    ),
    *(purchase.in_short, purchase.power_in_short, purchase.rent_or_buy, reasons.why_in_short, flips.section),
    *(advice.warnings_in_short, advice.measure_first, assumptions.in_short, sources.in_short),
)


def report(plan: Plan) -> list[Block]:
    """The whole plan."""
    return names.named([*opening.section(plan), *proof(plan)], plan)


def proof(plan: Plan) -> list[Block]:
    """All that is behind the opening; ids stand as they are."""
    return [block for section in _WHOLE if section is not opening.section for block in section(plan)]


def brief(plan: Plan, more: str) -> list[Block]:
    """The plan in short: what is decided, what it costs, why, how sure, where it turns, what to measure first, the
    sources.

    Everything in it stands in the whole report too, under the same numbers of sources; its last line names what is left
    out. ``more`` says how to see the rest, as in "Everything: weft plan FILE --all.".
    """
    kept = names.named([block for section in _SHORT for block in section(plan)], plan)
    left_out = [title for title in _titles(report(plan)) if title not in _titles(kept)]
    named = f"Also worked out: {', '.join(map(_within, left_out))}. " if left_out else ""
    return [*kept, Paragraph(f"{named}{more}")]


def _titles(blocks: list[Block]) -> list[str]:
    return [block.text for block in blocks if isinstance(block, Heading)]


def _within(title: str) -> str:
    """A title within a sentence: "Why not the others" in lower case, "NCCL settings" as it is."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]
