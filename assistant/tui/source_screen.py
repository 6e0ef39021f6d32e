"""One source or statement, opened: what is said, by whom, how well it stands, what holds instead."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.vocabulary.knowledge import Claim, Knowledge, Source

from .drawing import verdict_sign
from .flow import BLANK, Line, parts, said
from .page_screen import PageScreen
from .sources import Statement, of_claim, of_passage


class SourceScreen(PageScreen):
    """The page of one statement or source."""

    def __init__(self, ident: str, statement: Statement | None, knowledge: Knowledge | None) -> None:
        super().__init__(page(ident, statement, knowledge))


def page(ident: str, statement: Statement | None, knowledge: Knowledge | None) -> list[Line]:
    """The page of a statement, or of a source when ``ident`` is a source."""
    statement = statement or _statement(ident, knowledge)
    source = knowledge.sources.get(statement.source if statement else ident) if knowledge else None
    lines = list(_standing(statement, knowledge)) if statement else []
    lines += [BLANK] if lines else []
    if source is not None:
        lines += _publication(source)
    if statement is None and knowledge is not None and source is not None:
        lines += _contents(source, knowledge)
    return lines or [said(f"Nothing is known about {ident}.")]


def _statement(ident: str, knowledge: Knowledge | None) -> Statement | None:
    if knowledge is None:
        return None
    if ident in knowledge.passages:
        return of_passage(knowledge.passages[ident])
    return of_claim(knowledge.claims[ident]) if ident in knowledge.claims else None


def _standing(statement: Statement, knowledge: Knowledge | None) -> Iterator[Line]:
    """A statement with its verdict and what holds, then the claims in it."""
    sign, style = verdict_sign(statement.verdict)
    yield said(statement.text, "bold")
    yield BLANK
    marks = " · ".join(part for part in (statement.grade, statement.date) if part)
    verdict = (statement.verdict, f"{style} bold")
    cited = (f" · {marks}" if marks else "") + (f" · cited as [{statement.number}]" if statement.number else "")
    yield parts(verdict, (cited, "$quiet"), lead=f"{sign} ", lead_style=style)
    if statement.correction:
        yield parts(("What holds: ", "$doubt"), statement.correction, indent=2)
    claims = [knowledge.claims[i] for i in (*statement.claims, statement.ident) if knowledge and i in knowledge.claims]
    for claim in claims:
        yield from _checked(claim, repeat=claim.id != statement.ident)
    yield BLANK
    yield parts(("Said under: ", "$quiet"), statement.section)
    yield said(statement.ident, "$quiet")


def _checked(claim: Claim, repeat: bool) -> Iterator[Line]:
    """A claim with what came out when it was checked."""
    sign, style = verdict_sign(claim.verdict)
    if repeat:
        yield BLANK
        yield parts(claim.statement, (f"  {claim.verdict}", style), lead=f"{sign} ", lead_style=style)
    about = (
        ("Conditions: ", "$quiet", claim.conditions),
        ("Checked: ", "$quiet", claim.recomputation),
        ("What holds: ", "$doubt", claim.correction if repeat else None),
        ("Checked against: ", "$quiet", claim.authority),
    )
    yield from (parts((label, colour), text, indent=2) for label, colour, text in about if text)


def _publication(source: Source) -> Iterator[Line]:
    """Who published it, when, and who gains from it."""
    sign, style = verdict_sign("current" if source.status == "current" else "withdrawn")
    yield said(source.title, "$weft bold")
    date, kind = source.date.isoformat() if source.date else "no date", source.kind.replace("-", " ")
    yield said(" · ".join(part for part in (source.author, source.publisher, date, kind) if part), "$quiet")
    yield parts((source.status.replace("-", " "), style), lead=f"{sign} ", lead_style=style)
    about = {"Note: ": source.status_note, "Date: ": source.date_note, "Who gains: ": source.interest, "": source.url}
    yield from (parts((label, "$quiet"), text, indent=2) for label, text in about.items() if text)


def _contents(source: Source, knowledge: Knowledge) -> Iterator[Line]:
    """Every passage of a source under its heading, doubtful ones with what holds."""
    section = None
    for passage in (p for p in knowledge.passages.values() if p.source == source.id):
        if passage.section != section:
            section = passage.section
            yield BLANK
            yield said(section, "bold")
        sign, style = verdict_sign(passage.status)
        yield said(passage.text, lead=f"{sign} ", lead_style=style)
        if passage.correction:
            yield parts((f"{passage.status}. What holds: ", "$doubt"), passage.correction, indent=2)
