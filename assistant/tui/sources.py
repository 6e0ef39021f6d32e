"""Everything that can be opened: what the last question found, what the plan cites, every source there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from textual.message import Message
from textual.widgets import OptionList

from .drawing import verdict_sign
from .flow import parts, said
from .listing import Entry, Listing

if TYPE_CHECKING:
    from assistant.vocabulary.answers import FoundPassage
    from assistant.vocabulary.knowledge import Claim, Knowledge, Passage
    from assistant.vocabulary.plan import Evidence, Plan

PREVIEW = 140  # characters of a statement in the list; the whole of it opens


@dataclass(frozen=True)
class Statement:
    """A passage or claim to read: who says it, how well it stands, and what holds where it does not."""

    ident: str
    source: str
    section: str
    text: str
    verdict: str
    grade: str | None = None
    date: str | None = None
    correction: str | None = None
    claims: tuple[str, ...] = field(default=())
    number: int | None = None  # by which the plan cites it


def of_evidence(e: Evidence, number: int | None) -> Statement:
    """What a plan rests on, with the number by which it is cited."""
    shared = (e.id, e.source, e.section, e.text, e.verdict, e.grade, e.date or None, e.correction)
    return Statement(*shared, number=number)


def of_found(found: FoundPassage) -> Statement:
    """What a search found."""
    claims = tuple(str(claim["id"]) for claim in found.claims if "id" in claim)
    shared = (found.id, found.source, found.section, found.text, found.status, None, found.date, found.correction)
    return Statement(*shared, claims)


def of_claim(c: Claim) -> Statement:
    """A claim of the knowledge base."""
    date = c.date.isoformat() if c.date else None
    return Statement(c.id, c.source, c.section, c.statement, c.verdict, c.evidence_grade, date, c.correction)


def of_passage(p: Passage) -> Statement:
    """A passage of the knowledge base."""
    return Statement(p.id, p.source, p.section, p.text, p.status, None, None, p.correction, tuple(p.claims))


class SourcesList(Listing):
    """The statements and sources, grouped; Enter opens one."""

    HELP = """\
# Sources

What your last question found, what the plan cites under the numbers it has there, then every source.

↑ ↓ | move
Enter | opens
Esc | back to the answer line

Signs: ✓ confirmed, · not proven either way, ! wrong, contradicted or withdrawn; opened, it says what holds instead.
"""

    @dataclass
    class Opened(Message):
        """An entry was chosen: its key, a statement id or a source id."""

        ident: str

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.statements: dict[str, Statement] = {}
        self._cited: list[Statement] = []
        self._found: list[Statement] = []
        self._question = ""
        self._knowledge: Knowledge | None = None

    def cite(self, plan: Plan | None) -> None:
        """Show what a plan cites, under the numbers it has there, then what else it rests on."""
        self._cited = list(_statements(plan)) if plan is not None else []
        self._refill()

    def found(self, question: str, passages: list[FoundPassage]) -> None:
        """Show what a question found."""
        self._question, self._found = question, [of_found(passage) for passage in passages]
        self._refill()

    def know(self, knowledge: Knowledge) -> None:
        """Offer every source of the knowledge base."""
        self._knowledge = knowledge
        self._refill()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter or a click opens."""
        event.stop()
        if self.marked_key:
            self.post_message(self.Opened(self.marked_key.partition(":")[2]))

    def _refill(self) -> None:
        self.statements = {statement.ident: statement for statement in [*self._cited, *self._found]}
        by = self._publisher
        found = list(_group("found", f"Found for “{self._question}”", self._found, by, first=True))
        cited = [statement for statement in self._cited if statement.number]
        further = [statement for statement in self._cited if not statement.number]
        found += _group("cited", "Cited by the plan", cited, by, first=not found)
        found += _group("cited", "What the plan rests on besides", further, by, first=not found)
        self.fill([*found, *self._all_sources()])

    def _publisher(self, source: str) -> str:
        """Who says it; the id of a source of which nothing else is known."""
        known = self._knowledge.sources.get(source) if self._knowledge else None
        return known.publisher if known and known.publisher else source

    def _all_sources(self) -> Iterator[Entry]:
        if self._knowledge is None:
            return
        yield _heading("All sources", bool(self._cited or self._found))
        for source in sorted(self._knowledge.sources.values(), key=lambda s: s.title):
            sign = "✓" if source.status == "current" else "!"
            style = "$good" if sign == "✓" else "$doubt"
            marks = (source.publisher, str(source.date) if source.date else "no date", source.status)
            by = " · ".join(part for part in marks if part)
            title = said(source.title, lead=f"{sign} ", lead_style=style)
            yield Entry(f"source:{source.id}", (title, said(by, "$quiet", indent=2)))


def _statements(plan: Plan) -> Iterator[Statement]:
    from assistant.present.plan.sources import numbers as cited

    numbers = cited(plan)
    for piece in sorted(plan.evidence, key=lambda piece: numbers.get(piece.id, len(plan.evidence) + 1)):
        yield of_evidence(piece, numbers.get(piece.id))


def _heading(title: str, apart: bool) -> Entry:
    return Entry(f"heading:{title}", (*([said("")] if apart else []), said(title, "$weft bold")), heading=True)


def _group(
    name: str, title: str, statements: list[Statement], by: Callable[[str], str], first: bool
) -> Iterator[Entry]:
    if statements:
        yield _heading(title, not first)
    for statement in statements:
        sign, style = verdict_sign(statement.verdict)
        grade = statement.grade and statement.grade.replace("-", " ")
        origin = " · ".join(part for part in (by(statement.source), statement.date, grade) if part)
        number = f"[{statement.number}] " if statement.number else ""
        text = said(_preview(statement.text), lead=f"{sign} {number}", lead_style=style)
        standing = parts((statement.verdict, style), (f" · {origin}", "$quiet"), indent=2 + len(number))
        yield Entry(f"{name}:{statement.ident}", (text, standing))


def _preview(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= PREVIEW else text[:PREVIEW].rsplit(" ", 1)[0] + " …"
