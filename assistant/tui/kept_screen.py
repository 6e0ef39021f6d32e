"""The conversations that are kept, to go on with one."""

from __future__ import annotations

from pathlib import Path

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList

from assistant.conversation.transcript.kept import Kept

from .flow import Flow, Line, parts, said
from .listing import Entry, Listing

_KEYS = parts(("↑ ↓", "$accent"), (" choose   ", "$quiet"), ("Enter", "$accent"), (" goes on   ", "$quiet"),
              ("Esc", "$accent"), (" close", "$quiet"))  # fmt: skip


class KeptScreen(ModalScreen[Path | None]):
    """A list of conversations, the latest first; gives the transcript of the one that is chosen."""

    BINDINGS = [Binding("escape", "dismiss(None)", "Close")]

    def __init__(self, found: list[Kept]) -> None:
        super().__init__()
        self._found = found
        self.listing = Listing(id="kept")

    def compose(self) -> ComposeResult:
        with Vertical(id="page-frame"):
            yield self.listing
            yield Flow([_KEYS], id="page-keys")

    def on_mount(self) -> None:
        """Fill the list; it takes the keys."""
        heading = Entry("", (said("Go on with", "$weft bold"),), heading=True)
        found = [Entry(str(n), (said(one.first), _when(one))) for n, one in enumerate(self._found)]
        self.listing.look(True)
        self.listing.fill([heading, *found])
        self.listing.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter or a click chooses."""
        event.stop()
        self.dismiss(self._found[int(self.listing.marked_key or 0)].path)


def _when(one: Kept) -> Line:
    messages = f"{one.messages} message{'' if one.messages == 1 else 's'}"
    return said(f"{one.last:%Y-%m-%d %H:%M} · {messages}", "$quiet", indent=2)
