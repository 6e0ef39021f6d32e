"""A list whose entries wrap with a hanging indent and stay whole at every width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from textual import events
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from .flow import Line


@dataclass(frozen=True)
class Entry:
    """One entry: its paragraphs; a heading cannot be chosen."""

    key: str
    lines: tuple[Line, ...]
    heading: bool = False


class Listing(OptionList):
    """Entries of several paragraphs, chosen with the arrow keys and Enter."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, **options)
        self._entries: list[Entry] = []
        self._fitted = 0
        self._looked_at = False
        self._late = False  # filled while nobody looked: laid out when somebody does, so that it holds up no key before

    def fill(self, entries: Sequence[Entry]) -> None:
        """Show these entries, at once or when somebody looks; the mark of a list in use stays on its entry, if it is
        there."""
        before = self.marked_key if self.has_focus else None
        self._entries, self._late = list(entries), not self._looked_at
        if self._late:
            self.clear_options()
        else:
            self._lay_out(before)

    def _lay_out(self, before: str | None) -> None:
        self._late = False
        self.clear_options()
        self.add_options([Option(self._fit(entry), disabled=entry.heading) for entry in self._entries])
        at = next((i for i, entry in enumerate(self._entries) if entry.key == before), None)
        first = next((i for i, entry in enumerate(self._entries) if not entry.heading), None)
        self.highlighted = at if at is not None else first

    @property
    def marked_key(self) -> str | None:
        """The key of the entry the mark is on."""
        at = self.highlighted
        return self._entries[at].key if at is not None and at < len(self._entries) else None

    def on_resize(self, event: events.Resize) -> None:
        """Wrap the entries to the new width."""
        self._refit()

    def look(self, looked_at: bool) -> None:
        """Whether this is the tab that is shown. While nobody looks there is no width to lay the entries out for."""
        self._looked_at = looked_at
        if looked_at:
            self.call_after_refresh(self._come_into_view)

    def _come_into_view(self) -> None:
        if self._late:
            self._lay_out(None)
        else:
            self._refit()
        self.call_after_refresh(self._show_mark)

    def _show_mark(self) -> None:
        first = next((i for i, entry in enumerate(self._entries) if not entry.heading), None)
        if self.highlighted == first:
            self.scroll_home(animate=False)
        else:
            self.scroll_to_highlight()

    def _refit(self) -> None:
        if self._room != self._fitted and not self._late:
            for at, entry in enumerate(self._entries):
                self.replace_option_prompt_at_index(at, self._fit(entry))

    @property
    def _room(self) -> int:
        return max(20, self.scrollable_content_region.width)

    def _fit(self, entry: Entry) -> Content:
        self._fitted = self._room
        return Content("\n").join(row for line in entry.lines for row in line.wrapped(self._fitted))
