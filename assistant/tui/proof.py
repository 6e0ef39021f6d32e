"""The proof: from a conclusion down to its facts, figures and sources, as a tree that keys can walk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.binding import Binding
from textual.message import Message
from textual.widgets import OptionList

from .drawing import reason_label, reason_origin
from .flow import Line, parts, said
from .listing import Entry, Listing

if TYPE_CHECKING:
    from assistant.conversation.events import Reason


class ProofTree(Listing):
    """Reasons under reasons; what rests on a source opens it."""

    HELP = """\
# Why

Every conclusion with the rule that drew it, the facts the rule saw and the sources it rests on.

↑ ↓ | move
→ ← | open and close a line
Enter | opens the line, or the source it names
Esc | back to the answer line

Signs: ▸ closed, ▾ open, ↗ a source to read.
"""
    BINDINGS = [
        Binding("right", "open", "Open", show=False),
        Binding("left", "close", "Close", show=False),
        Binding("space", "unfold", "Open or close", show=False),
    ]

    @dataclass
    class SourceWanted(Message):
        """A reason that names a source was chosen; ``ident`` is a claim, passage or source id."""

        ident: str

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._reasons: dict[str, Reason] = {}
        self.roots: list[Reason] = []
        self._open: set[str] = set()

    def show(self, roots: Sequence[Reason], opened: bool = True) -> None:
        """Show these trees; the first level of the first one open."""
        self.roots = list(roots)
        self._open = {"0"} if opened and roots else set()
        self._redraw()
        if self.option_count:
            self.highlighted = 0

    def on_mount(self) -> None:
        """Say what will be here."""
        self._redraw()

    @property
    def marked_reason(self) -> Reason | None:
        """The reason the mark is on."""
        return self._reasons.get(self.marked_key or "")

    @property
    def is_open(self) -> bool:
        """Whether the marked line is open."""
        return self.marked_key in self._open

    def action_open(self) -> None:
        """Open the marked line, or step into it."""
        reason, key = self.marked_reason, self.marked_key
        if reason is not None and key and reason.children:
            if key in self._open:
                self.action_cursor_down()
            self._open.add(key)
            self._redraw()

    def action_close(self) -> None:
        """Close the marked line, or go to the line it belongs to."""
        key = self.marked_key
        if not key:
            return
        if key in self._open:
            self._open.discard(key)
        elif "." in key:
            self._mark(key.rpartition(".")[0])
        self._redraw()

    def action_unfold(self) -> None:
        """Open what is closed, close what is open."""
        reason, key = self.marked_reason, self.marked_key
        if reason is not None and key and reason.children:
            self._open ^= {key}
            self._redraw()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter opens a source where there is one, else the line."""
        event.stop()
        reason = self.marked_reason
        if reason is not None and not reason.children and reason.source:
            self.post_message(self.SourceWanted(reason.id or reason.source))
        else:
            self.action_unfold()

    def _mark(self, key: str) -> None:
        self.highlighted = next((i for i, entry in enumerate(self._entries) if entry.key == key), self.highlighted)

    def _redraw(self) -> None:
        self._reasons = {}
        entries = [entry for number, root in enumerate(self.roots) for entry in self._branch(root, str(number))]
        empty = Entry("empty", (said("The proof stands here as soon as there is a plan.", "$quiet"),), heading=True)
        self.fill(entries or [empty])

    def _branch(self, reason: Reason, key: str) -> Iterator[Entry]:
        self._reasons[key] = reason
        yield Entry(key, (self._line(reason, key),))
        if key in self._open:
            for number, child in enumerate(reason.children):
                yield from self._branch(child, f"{key}.{number}")

    def _line(self, reason: Reason, key: str) -> Line:
        sign = ("▾ " if key in self._open else "▸ ") if reason.children else ("↗ " if reason.source else "  ")
        text = (reason.text, "bold") if "." not in key else reason.text
        indent = 2 * key.count(".")
        return parts(reason_label(reason), text, *reason_origin(reason), lead=sign, lead_style="$accent", indent=indent)
