"""The plan in short: what is decided, what it costs, why, how sure, where it turns, what to measure first, the sources.

Everything in it stands in the whole report too, under the same numbers of sources; its last line names what is left out.
"""

from __future__ import annotations

from dataclasses import replace

from assistant.vocabulary.plan import Plan

from .fields import assumed_text
from .report import Bullets, Paragraph, Section, Table, cited_report, source_line

MOST_CANDIDATES = 6
MOST_REASONS = 4
WHOLE = ("What would flip it", "Warnings", "Measure first")  # sections that stay as they are


def brief(plan: Plan, more: str) -> list[Section]:
    """The short report; ``more`` says how to see the rest, as in "Everything: weft plan FILE --all."."""
    sections, cites = cited_report(plan)
    by_title = {section.title: section for section in sections}
    kept = [by_title[""], _candidates(by_title.get("Candidates")), _reasons(by_title.get("Why"), plan)]
    kept += [by_title[title] for title in WHOLE if title in by_title]
    kept.append(_assumed(plan))
    kept.append(_sources(kept, cites.order, plan))
    left_out = [title for title in by_title if title and title not in {section.title for section in kept if section}]
    named = f"Also worked out: {', '.join(map(_within, left_out))}. " if left_out else ""
    return [*(section for section in kept if section), Section("", [Paragraph(f"{named}{more}")])]


def _within(title: str) -> str:
    """A title within a sentence: "Why not the others" in lower case, "NCCL settings" as it is."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def _candidates(section: Section | None) -> Section | None:
    """The first rows, which are the best; no row that won is left out, and the others are counted."""
    if section is None:
        return None
    table = section.blocks[0]
    assert isinstance(table, Table)
    rows = table.rows[: max(MOST_CANDIDATES, (table.emphasis or 0) + 1)]
    shorter = {column: cells[: len(rows) + 1] for column, cells in table.shorter.items()}
    gone = len(table.rows) - len(rows)
    note = "Best: the probability of being the cheapest."
    if gone:
        note += f" {gone} more {'was' if gone == 1 else 'were'} computed: dearer, or not advised."
    return Section(section.title, [replace(table, rows=rows, shorter=shorter), Paragraph(note)])


def _reasons(section: Section | None, plan: Plan) -> Section | None:
    """What spoke for the choice, then what the job asks for."""
    if section is None or not isinstance(section.blocks[0], Bullets):
        return None
    items = section.blocks[0].items
    chose = [item for item in items if "(choose/" in item and "(choose/coin-flip)" not in item]
    others = [item for item in items if "(demand/" in item] + [item for item in items if "(classify/" in item]
    return Section(section.title, [Bullets([*chose[: MOST_REASONS // 2], *others][:MOST_REASONS])])


def _assumed(plan: Plan) -> Section | None:
    if not plan.assumptions:
        return None
    return Section("Assumed, because nobody said", [Paragraph("; ".join(map(assumed_text, plan.assumptions)) + ".")])


def _sources(kept: list[Section | None], order: list[str], plan: Plan) -> Section | None:
    """The sources cited above, by title alone; of a doubtful one what holds instead."""
    text = " ".join(
        item
        for section in kept
        if section
        for block in section.blocks
        if isinstance(block, Bullets)
        for item in block.items
    )
    evidence = {e.id: e for e in plan.evidence}
    cited = [
        source_line(number, evidence[ident], said=False)
        for number, ident in enumerate(order, start=1)
        if f"[{number}]" in text
    ]
    return Section("Sources", [Bullets(cited)]) if cited else None
