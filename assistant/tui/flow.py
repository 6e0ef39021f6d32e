"""Running text with hanging indents: what the conversation is drawn with.

Unlike a Rich table it can be selected with the mouse and copied, and its colours follow the theme.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget


def cleaned(text: str) -> str:
    """Text that cannot command a terminal; what :func:`assistant.present.text.safe` shows of it."""
    # Printable text has nothing to clean, and the first screen need not load what cleans.
    if text.isprintable():
        return text
    from assistant.present.text import safe

    return safe(text)


@dataclass(frozen=True)
class Line:
    """One paragraph: ``body`` wraps to the right of ``lead`` (a sign, a bullet, a number), ``indent`` cells from the
    left."""

    body: Content
    lead: Content = Content("")
    indent: int = 0

    def wrapped(self, width: int) -> list[Content]:
        """The paragraph as lines of at most ``width`` cells."""
        room = max(8, width - self.indent - self.lead.cell_length)
        hanging = Content(" " * self.lead.cell_length)
        lines = self.body.wrap(room) or [Content("")]
        return [(hanging if n else self.lead).pad_left(self.indent) + line.rstrip() for n, line in enumerate(lines)]


def said(text: str, style: str = "", *, lead: str = "", lead_style: str = "", indent: int = 0) -> Line:
    """A paragraph of text that somebody typed or a file said: no markup, no control characters."""
    return Line(Content.styled(cleaned(text), style), Content.styled(lead, lead_style), indent)


def parts(*pieces: str | tuple[str, str], lead: str = "", lead_style: str = "", indent: int = 0) -> Line:
    """A paragraph of several pieces, each plain or with a style."""
    clean = [cleaned(piece) if isinstance(piece, str) else (cleaned(piece[0]), piece[1]) for piece in pieces]
    return Line(Content.assemble(*clean), Content.styled(lead, lead_style), indent)


BLANK = Line(Content(""))


class Fitted(Widget):
    """What is drawn for the width there is, once for each width."""

    DEFAULT_CSS = "Fitted { height: auto; width: 1fr; }"
    _drawn: tuple[int, Content] | None = None

    def drawn(self, width: int) -> Content:
        """The whole of it at a width."""
        raise NotImplementedError

    def draw_anew(self) -> None:
        """Something else is to be drawn."""
        self._drawn = None
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Rows needed at a width."""
        return self._at(width).plain.count("\n") + 1

    def render(self) -> Content:
        """What stands at the width the layout gave."""
        return self._at(self.content_size.width)

    def _at(self, width: int) -> Content:
        if self._drawn is None or self._drawn[0] != width:
            self._drawn = (width, self.drawn(width))
        return self._drawn[1]


class Flow(Fitted):
    """Paragraphs, wrapped to the width there is."""

    def __init__(self, lines: Iterable[Line] = (), **options: Any) -> None:
        super().__init__(**options)
        self._lines = list(lines)

    @property
    def plain(self) -> str:
        """What is written, unwrapped."""
        return "\n".join(f"{line.lead.plain}{line.body.plain}" for line in self._lines)

    def show(self, lines: Iterable[Line]) -> None:
        """Write something else."""
        self._lines = list(lines)
        self.draw_anew()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Rows needed at a width; none for no paragraphs."""
        return super().get_content_height(container, viewport, width) if self._lines else 0

    def drawn(self, width: int) -> Content:
        """The paragraphs, wrapped."""
        return Content("\n").join(row for line in self._lines for row in line.wrapped(width))
