"""Sources, claims, verdicts and conflicts as text and JSON."""

import json
import textwrap

from assistant.vocabulary.answers import SourceLine
from assistant.vocabulary.knowledge import Claim, Knowledge, Source

from .text import safe


def as_json(knowledge: Knowledge, ident: str | None) -> str:
    """A list of sources, or of one source with its claims."""
    lines = [_line(source) for source in knowledge.sources.values() if ident in (None, source.id)]
    if ident is not None:
        claims = [claim.model_dump(mode="json") for claim in _claims(knowledge, ident)]
        lines = [{**lines[0], **knowledge.sources[ident].model_dump(mode="json"), "claims": claims}]
    return json.dumps(lines, indent=2, ensure_ascii=False) + "\n"


def _line(source: Source) -> dict[str, object]:
    return SourceLine(
        id=source.id,
        title=source.title,
        publisher=source.publisher,
        date=source.date.isoformat() if source.date else None,
        status=source.status,
    ).model_dump(mode="json")


def _claims(knowledge: Knowledge, ident: str) -> list[Claim]:
    return [claim for claim in knowledge.claims.values() if claim.source == ident]


def as_text(knowledge: Knowledge, ident: str | None, width: int) -> str:
    """The list of sources, or one source with its claims and the conflicts it is part of."""
    lines = _overview(knowledge, width) if ident is None else _detail(knowledge, knowledge.sources[ident], width)
    return "\n".join(safe(line) for line in lines) + "\n"


def _overview(knowledge: Knowledge, width: int) -> list[str]:
    lines = []
    for source in knowledge.sources.values():
        doubtful = sum(claim.doubtful for claim in _claims(knowledge, source.id))
        lines.append(source.id)
        by, date = source.publisher or "publisher not given", source.date.isoformat() if source.date else "no date"
        claims = f"{len(_claims(knowledge, source.id))} claims, {doubtful} doubtful"
        facts = [by, date, source.kind, claims, source.status]
        lines += _wrapped(source.title, width) + _wrapped(" · ".join(facts), width)
    counts = f"{len(knowledge.sources)} sources, {len(knowledge.claims)} claims, {len(knowledge.conflicts)} conflicts."
    return [*lines, "", f"{counts} One of them: weft sources ID"]


def _detail(knowledge: Knowledge, source: Source, width: int) -> list[str]:
    by = f"{source.publisher or 'publisher not given'}, {source.date or source.date_note or 'no date'}"
    about = f"{by}, {source.kind}, {source.status}. {source.status_note or ''} Interest: {source.interest}"
    lines = [source.title, *_wrapped(about, width), ""]
    for claim in _claims(knowledge, source.id):
        lines += textwrap.wrap(f"{claim.verdict.upper()}  {claim.statement}", width, subsequent_indent="   ")
        if claim.correction:
            lines += _wrapped(f"What holds: {claim.correction}", width)
        by = f" · {claim.authority}" if claim.authority else ""
        lines += _wrapped(f"{claim.id} · {claim.type} · “{claim.section}”{by}", width)
    own = lambda side: side.claim.startswith(f"{source.id}/")
    touching = [conflict for conflict in knowledge.conflicts.values() if any(map(own, conflict.sides))]
    if touching:
        lines += ["", "Disagreements it is part of:"]
        lines += [line for c in touching for line in _wrapped(f"{c.topic} What holds: {c.resolution}", width)]
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text.strip(), width, initial_indent="   ", subsequent_indent="   ")
