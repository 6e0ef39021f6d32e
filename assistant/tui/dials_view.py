"""The dials of the plan panel: what would be recommended with other GPUs, another batch, price or time, while one turns
them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.binding import Binding
from textual.content import Content
from textual.message import Message

from . import background
from .flow import Fitted, said
from .plots_panel import STYLES

if TYPE_CHECKING:
    from assistant.conversation import Conversation
    from assistant.vocabulary.dial import Dial
    from assistant.vocabulary.sweep import Point

KEYS = "↑ ↓ which · ← → turn · Enter takes · Esc leaves"


class DialsView(Fitted, can_focus=True):
    """One dial a row, the bar of the one that is turned, and the answer at the value it stands at.

    Values are worked out in a thread, one after the other: the one it stands at first, so that whoever turns it waits
    for one value at most.
    """

    HELP = """\
# The dials

What would be recommended on more or fewer GPUs, with another batch or load, at another price, in another time. The
letters on the bar are the networks that win there; ┃ is where the answer turns.

↑ ↓ | choose a dial
← → | turn it; Home, End: to its ends
Enter | takes the value: the plan is made anew, and F8 takes it back
Esc | leaves everything as it was
"""
    BINDINGS = [
        Binding("up", "choose(-1)", "Dial above", show=False),
        Binding("down", "choose(1)", "Dial below", show=False),
        Binding("left", "turn(-1)", "Less", show=False),
        Binding("right", "turn(1)", "More", show=False),
        Binding("home", "turn(-99)", "Least", show=False),
        Binding("end", "turn(99)", "Most", show=False),
        Binding("enter", "take", "Take", show=False),
        Binding("escape", "leave", "Leave", show=False),
    ]
    DEFAULT_CSS = "DialsView { display: none; margin: 0 0 1 0; } DialsView.-open { display: block; }"

    @dataclass
    class Taken(Message):
        """A value was taken."""

        dial: Dial
        value: float | None

    class Left(Message):
        """Nothing was taken."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._conversation: Conversation | None = None
        self._dials: list[Dial] = []
        self._turned = 0
        self._stands: list[float | None] = []
        self._known: dict[str, dict[float | None, Point]] = {}
        self._round = 0  # of the plan whose dials these are: what is worked out for another one comes too late
        self.working = False
        self._refusal: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether the dials are shown."""
        return self.has_class("-open")

    @property
    def dial(self) -> Dial | None:
        """The dial that is turned."""
        return self._dials[self._turned] if self._dials else None

    @property
    def point(self) -> Point | None:
        """The answer where it stands, as soon as it is worked out."""
        dial = self.dial
        return self._known[dial.path].get(self._stands[self._turned]) if dial is not None else None

    def open(self, conversation: Conversation, path: str | None = None) -> bool:
        """Show the dials of the plan as it is now, that of ``path`` first; whether it has any."""
        dials = conversation.dials()
        if not dials:
            return False
        self._conversation, self._dials = conversation, dials
        self._stands, self._known = [dial.now for dial in dials], {dial.path: {} for dial in dials}
        self._turned = next((at for at, dial in enumerate(dials) if dial.path == path), 0)
        self._round, self.working, self._refusal = self._round + 1, False, None
        self.add_class("-open")
        self._changed()
        return True

    def close(self) -> None:
        """Show them no more."""
        self._round, self._dials = self._round + 1, []
        self.remove_class("-open")

    def action_choose(self, step: int) -> None:
        """Turn another dial."""
        self._refusal = None
        self._turned = (self._turned + step) % len(self._dials)
        self._changed()

    def action_turn(self, step: int) -> None:
        """Turn the dial by so many values."""
        self._refusal = None
        dial = self._dials[self._turned]
        stops = dial.stops
        here = stops.index(self._stands[self._turned])
        self._stands[self._turned] = stops[max(0, min(len(stops) - 1, here + step))]
        self._changed()

    def action_take(self) -> None:
        """Take the value where the dial stands, or say why not."""
        from assistant.conversation.dials import not_taken

        dial, value, point = self._dials[self._turned], self._stands[self._turned], self.point
        if value == dial.now:
            self.post_message(self.Left())
        elif point is not None and self._conversation is not None:
            self._refusal = not_taken(dial, point, self._conversation.library)
            if self._refusal is None:
                self.post_message(self.Taken(dial, value))
            self.draw_anew()

    def action_leave(self) -> None:
        """Take nothing."""
        self.post_message(self.Left())

    def draw_anew(self) -> None:
        """Draw what has changed; only another number of rows moves what is below."""
        width, rows = self.content_size.width, self._drawn and self._drawn[1].plain.count("\n")
        self._drawn = None
        self.refresh(layout=not width or self._at(width).plain.count("\n") != rows)

    def _changed(self) -> None:
        self.draw_anew()
        self._work()

    def _work(self) -> None:
        """Work out one value more, unless one is being worked out: the next is chosen when it is done."""
        from assistant.conversation.dials import next_value

        conversation, dial = self._conversation, self.dial
        if self.working or conversation is None or dial is None:
            return
        known, here, now = self._known[dial.path], self._stands[self._turned], self._round
        value = next_value(dial, known, here)
        if value not in known:
            self.working = True
            background.begin("dial", lambda: (now, dial.path, value, conversation.dialled(dial, value)), self)

    def on_done(self, message: background.Done) -> None:
        """Draw what has been worked out; go on with the next."""
        message.stop()
        if message.value is not None and message.value[0] == self._round:
            _, path, value, point = message.value
            self._known[path][value] = point
            self.working = False
            self._changed()

    def drawn(self, width: int) -> Content:
        """The dials at a width."""
        conversation = self._conversation
        if conversation is None or not self._dials or conversation.plan is None:
            return Content("")
        from assistant.present.dials import view
        from assistant.present.plan.reading import bill

        dial, catalog = self._dials[self._turned], conversation.library.catalog
        known = self._known[dial.path]
        lines = view(self._dials, self._turned, self._stands, known, catalog, width, bill(conversation.plan))
        rows = [Content.assemble(*((text, STYLES[style]) for text, style in line)) for line in lines]
        above = said(self._refusal, "$doubt").wrapped(width) if self._refusal else [Content.styled(KEYS, "$quiet")]
        return Content("\n").join([*above, *rows])
