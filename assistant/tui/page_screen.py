"""A page over the conversation: help, a source."""

from __future__ import annotations

from collections.abc import Iterable

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen

from .flow import BLANK, Flow, Line, parts, said

_SCROLL, _COPY = (("↑ ↓", "$accent"), (" scroll   ", "$quiet")), (("C", "$accent"), (" copy   ", "$quiet"))
_KEYS = parts(*_SCROLL, *_COPY, ("Esc", "$accent"), (" close", "$quiet"))


class PageScreen(ModalScreen[None]):
    """Reads like a page; the arrow keys scroll, C copies, Escape closes."""

    BINDINGS = [Binding("escape,q,f1", "dismiss", "Close"), Binding("c", "copy", "Copy")]

    def __init__(self, lines: Iterable[Line]) -> None:
        super().__init__()
        self.page = Flow(lines)

    def compose(self) -> ComposeResult:
        with Vertical(id="page-frame"):
            with VerticalScroll(id="page"):
                yield self.page
            yield Flow([_KEYS], id="page-keys")

    def on_mount(self) -> None:
        """The page takes the keys."""
        self.query_one("#page").focus()

    def on_click(self, event: object) -> None:
        """A click outside the page closes it."""
        if getattr(event, "widget", None) is self:
            self.dismiss()

    def action_copy(self) -> None:
        """Copy the page as text."""
        self.app.copy_to_clipboard(self.page.plain)
        self.notify("Copied, if this terminal allows it.")


def help_lines(text: str) -> list[Line]:
    """Help as widgets carry it: ``# title``, paragraphs, and rows of ``key | meaning``."""
    lines: list[Line] = []
    for paragraph in text.strip().split("\n\n"):
        lines += [*([BLANK] if lines else []), *_paragraph(paragraph)]
    return lines


def _paragraph(text: str) -> list[Line]:
    if text.startswith("# "):
        return [said(text[2:], "$weft bold")]
    if "|" in text:
        rows = [[cell.strip() for cell in row.split("|")] for row in text.splitlines()]
        room = max(len(key) for key, _ in rows) + 2
        return [said(meaning, lead=key.ljust(room), lead_style="$accent") for key, meaning in rows]
    return [said(" ".join(text.split()))]
