"""What has been said so far, the newest at the bottom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from .drawing import Drawn
from .flow import Flow, Line, parts

# Widgets cost time at every key and resize; older exchanges are kept as data and drawn when somebody looks.
LIVE_EXCHANGES = 20


class Exchange(Vertical):
    """What the user said and everything that came back."""

    DEFAULT_CSS = "Exchange { height: auto; margin: 1 0 0 0; }"

    class Laid(Message):
        """It has got its room, or another than before."""

    def __init__(self, pieces: Iterable[Drawn]) -> None:
        super().__init__()
        self.pieces = list(pieces)

    def compose(self) -> Iterator[Widget]:
        yield from _widgets(self.pieces)

    def on_resize(self) -> None:
        """Tell that the room is known now."""
        self.post_message(self.Laid())

    def go_on(self, pieces: list[Drawn]) -> None:
        """Add what came back later."""
        self.pieces += pieces
        self.mount_all(_widgets(pieces))

    def draw_again(self, pieces: list[Drawn]) -> None:
        """Show what is known now in the place of what was shown first."""
        self.pieces = pieces
        with self.app.batch_update():
            self.remove_children()
            self.mount_all(_widgets(pieces))


def _widgets(pieces: Iterable[Drawn]) -> Iterator[Widget]:
    """Neighbouring paragraphs share one widget."""
    lines: list[Line] = []
    for piece in pieces:
        if isinstance(piece, Line):
            lines.append(piece)
            continue
        if lines:
            yield Flow(lines)
        lines = []
        yield Static(piece, markup=False, classes="figure")
    if lines:
        yield Flow(lines)


class ConversationLog(VerticalScroll):
    """The exchanges; the older ones folded away until Page Up reaches them."""

    HELP = """\
# What was said

↑ ↓ PgUp PgDn | scroll; PgUp at the top unfolds older exchanges
Esc | back to the answer line
Ctrl+C | copies what the mouse has selected
"""
    BINDINGS = [Binding("pageup", "page_back", "Back", show=False)]

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._folded: list[list[Drawn]] = []
        self._fold = Flow(id="folded")
        self._follows = True  # the newest exchange is kept in view until somebody scrolls

    def compose(self) -> Iterator[Widget]:
        self._fold.display = False
        yield self._fold

    def on_resize(self) -> None:
        """Tell that the newest exchange has another room now."""
        self.post_message(Exchange.Laid())

    def on_exchange_laid(self) -> None:
        """Bring the newest exchange into view: only now its height is known, however long the drawing took."""
        if self._follows:
            self.call_after_refresh(self.show_newest)

    def on_key(self) -> None:
        """A key or a wheel that reaches the log scrolls it: whoever scrolls wants to stay there."""
        self._follows = False

    on_mouse_scroll_up = on_mouse_scroll_down = on_key

    def add(self, pieces: list[Drawn]) -> None:
        """Add an exchange at the bottom and fold the oldest away."""
        if not pieces:
            return
        newest = Exchange(pieces)
        self.mount(newest)
        live = list(self.query(Exchange))
        for exchange in live[: max(0, len(live) + 1 - LIVE_EXCHANGES)]:
            self._folded.append(exchange.pieces)
            exchange.remove()
        self._show_fold()
        self._follows = True

    def go_on(self, pieces: list[Drawn]) -> None:
        """Add to the exchange at the bottom."""
        exchanges = self.query(Exchange)
        if pieces and exchanges:
            exchanges.last(Exchange).go_on(pieces)

    def draw_again(self, pieces: list[Drawn]) -> None:
        """Draw the exchange at the bottom as it is known now."""
        exchanges = self.query(Exchange)
        if exchanges:
            exchanges.last(Exchange).draw_again(pieces)

    @property
    def is_cut(self) -> bool:
        """Whether the newest exchange has less room than it needs."""
        exchanges = self.query(Exchange)
        return bool(exchanges) and 0 < self.size.height < exchanges.last(Exchange).outer_size.height

    def show_newest(self) -> None:
        """Scroll to the newest exchange in the room there is now; one longer than the screen is read from its
        beginning."""
        if self.is_cut:
            self.scroll_to_widget(self.query(Exchange).last(Exchange), top=True, animate=False)
        elif self.query(Exchange):
            self.scroll_end(animate=False)

    def page(self, step: int) -> None:
        """Turn a page; at the very top, unfold what is older."""
        self._follows = False
        if step < 0 and self.scroll_y <= 0 and self._folded:
            self.unfold()
        elif step < 0:
            self.scroll_page_up()
        else:
            self.scroll_page_down()

    def action_page_back(self) -> None:
        """Page Up while the log has the keys."""
        self.page(-1)

    def unfold(self) -> None:
        """Unfold the newest of the folded exchanges."""
        unfolded, self._folded = self._folded[-LIVE_EXCHANGES:], self._folded[:-LIVE_EXCHANGES]
        self.mount_all([Exchange(pieces) for pieces in unfolded], after=self._fold)
        self._show_fold()
        self.call_after_refresh(self.scroll_home, animate=False)

    def on_click(self, event: Any) -> None:
        """A click on the folded line unfolds it."""
        if event.widget is self._fold:
            self.unfold()

    def _show_fold(self) -> None:
        count = len(self._folded)
        self._fold.display = bool(count)
        text = f"⋯ {count} earlier exchange{'' if count == 1 else 's'}: Page Up at the top"
        self._fold.show([parts((text, "$quiet"))])
