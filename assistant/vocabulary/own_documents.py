"""A user's own documents: the line of each in the list of what was added, and its passages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .knowledge import Passage

YOURS = "yours/"  # begins the source id of every document of the user
State = Literal["current", "changed", "missing", "damaged"]


@dataclass(frozen=True)
class OwnDocument:
    """A document as it was when it was read. ``path`` may hold undecodable bytes of a file name; ``name`` never
    does."""

    name: str
    title: str
    path: str
    size: int  # bytes
    modified_ns: int  # of the file, nanoseconds since 1970
    digest: str  # of the file's content
    added: str  # day, ISO 8601
    passages: int

    @property
    def source(self) -> str:
        """The source id under which it is cited."""
        return YOURS + self.name


@dataclass(frozen=True)
class Cut:
    """A few sentences of a document under their heading or on their page."""

    text: str
    headings: tuple[str, ...]  # from the outermost; none on a page of a PDF and in plain text without headings
    line: int | None = None  # 1-based; of the first of them
    page: int | None = None  # 1-based

    @property
    def section(self) -> str:
        """What a citation names beside the file: the nearest heading, else the page or the line."""
        if self.headings:
            return self.headings[-1]
        return f"page {self.page}" if self.page else f"line {self.line}"


class OwnPassage(Passage):
    """A passage of a user's document; ``place`` is the file with its line or page."""

    place: str
    date: str  # when the file was last changed, ISO 8601

    @property
    def source(self) -> str:
        return self.id.rpartition("#")[0]
