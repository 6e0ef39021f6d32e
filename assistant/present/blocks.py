"""What a plan or an answer says, as blocks: decided once, and only drawn by :mod:`text`, :mod:`terminal`,
:mod:`markdown`, the screen and the conversation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Heading:
    """The title of what follows, up to the next heading."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """Running text; ``strong`` is the sentence to read when only one is read, ``doubt`` whether it is no good news."""

    text: str
    strong: bool = False
    doubt: bool = False


@dataclass(frozen=True)
class Bullets:
    """A list; each item is a sentence."""

    items: list[str]


@dataclass(frozen=True)
class Tree:
    """Indented lines: (depth, text)."""

    lines: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Choices:
    """What can be answered: (key, label)."""

    offers: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Chart:
    """Lines that stand as they are; of a drawing ``told`` says the same in sentences, for who hears it line by line,
    and ``svg`` draws it on a page. ``whole``: lines to be copied, which are never cut at the width."""

    lines: tuple[str, ...]
    told: tuple[str, ...] = ()
    svg: str = ""
    whole: bool = False


@dataclass(frozen=True)
class PageBreak:
    """What follows begins on a page of its own where there are pages."""


@dataclass(frozen=True)
class Table:
    """Rows of text under a header; ``right`` are the columns of numbers; ``emphasis`` the index of the row that won.

    Where there is little room columns give way in the order of ``first_to_go``, after ``shorter`` cells (header first)
    have taken the place of a column's own. ``each_named``: in plain text every value stands beside the name of its
    column.
    """

    header: list[str]
    rows: list[list[str]]
    right: frozenset[int] = frozenset()
    emphasis: int | None = None
    first_to_go: tuple[int, ...] = ()
    shorter: dict[int, list[str]] = field(default_factory=dict)
    each_named: bool = False

    @property
    def columns(self) -> dict[int, list[str]]:
        """Every column by its number: header, then cells."""
        return {i: [self.header[i], *(row[i] for row in self.rows)] for i in range(len(self.header))}

    @property
    def fewest(self) -> dict[int, list[str]]:
        """What is left of the columns where everything has given way that may."""
        return {i: cells for i, cells in {**self.columns, **self.shorter}.items() if i not in self.first_to_go}

    def fitting(self, width: int, gap: int) -> dict[int, list[str]] | None:
        """The columns that fit in ``width`` with ``gap`` cells between two: as they are, with one after another gone,
        then with shorter cells; ``None`` when nothing fits.
        """
        full, going = self.columns, self.first_to_go
        for kept, most in ((full, min(3, len(going))), ({**full, **self.shorter}, len(going))):
            for gone in range(most + 1):
                columns = {i: cells for i, cells in kept.items() if i not in going[:gone]}
                if sum(max(map(len, cells)) for cells in columns.values()) + gap * (len(columns) - 1) <= width:
                    return columns
        return None


Block = Heading | Paragraph | Bullets | Table | Tree | Choices | Chart | PageBreak


@dataclass(frozen=True)
class Reason:
    """A node of the proof: a rule's conclusion, the facts it saw, the claims it rests on.

    ``id`` is a rule, evidence or fabric id; ``source`` the id of the source that can be opened.
    """

    kind: Literal["conclusion", "rule", "fact", "claim", "figure"]
    text: str
    id: str | None = None
    source: str | None = None
    grade: str | None = None
    children: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class ComparisonRow:
    """One point on which two fabrics are compared; ``better`` is ``left``, ``right`` or null for no difference."""

    what: str
    left: str
    right: str
    better: Literal["left", "right"] | None = None


@dataclass(frozen=True)
class Compared:
    """Two fabrics point by point, and what speaks first."""

    left: str
    right: str
    rows: tuple[ComparisonRow, ...]
    summary: str


def titled(title: str, *blocks: Block) -> list[Block]:
    """A section; nothing where its lists are all empty."""
    kept = [block for block in blocks if not isinstance(block, Bullets) or block.items]
    return [Heading(title), *kept] if kept else []


def told(text: str, *items: str | None) -> list[Block]:
    """A sentence, and what there is beneath it."""
    said = [item for item in items if item]
    return [Paragraph(text), *([Bullets(said)] if said else [])]


def sentences(block: Block) -> list[str]:
    """What a block says, a sentence an item."""
    match block:
        case Bullets(items):
            return items
        case Table(rows=rows):
            return [f"{row[0]}: {row[1]}" for row in rows]
        case Heading(text) | Paragraph(text):
            return [text]
        case Tree(lines):
            return [f"{'  ' * depth}{text}" for depth, text in lines]
    return []
