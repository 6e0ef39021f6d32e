"""The plots of a plan: where a step's time goes, what the run costs, slowdown against scale."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from .flow import Fitted

if TYPE_CHECKING:
    from assistant.vocabulary.plan import Plan
    from assistant.vocabulary.sweep import Sweep

EMPTY = "The plots stand here as soon as there is a plan."
STYLES = {
    "title": "$weft bold",
    "strong": "bold",
    "quiet": "$quiet",
    "good": "$good",
    "doubt": "$doubt",
    "work": "$work",
    "wait": "$quiet",
    "network": "$doubt",
    "bar": "$work",
    "accent": "$accent",
    "": "",
}


class PlotsView(Fitted):
    """The plots at the width there is."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._shown: tuple[Plan, Sweep | None, bool] | None = None
        self.tops: list[int] = []  # the row of each plot's title

    def show(self, plan: Plan | None, scale: Sweep | None, computing: bool) -> None:
        """Draw a plan and its job at other sizes; without a plan, say what will be here."""
        self._shown = (plan, scale, computing) if plan is not None else None
        self.draw_anew()

    def drawn(self, width: int) -> Content:
        """The plots, or what will be here."""
        if self._shown is None:
            return Content.styled(EMPTY, "$quiet")
        from assistant.present.plots import plots

        plan, scale, computing = self._shown
        lines = plots(plan, scale, width, computing=computing)
        self.tops = [row for row, line in enumerate(lines) if line and line[0][1] == "title"]
        return Content("\n").join(Content.assemble(*((text, STYLES[style]) for text, style in line)) for line in lines)


class PlotsPanel(VerticalScroll):
    """Three plots, one under the other; the last one is computed when somebody looks."""

    HELP = """\
# The plots

Where the time of one step goes on the recommended network, the runner-up and the slowest; what the run costs on each,
with its error band; how much slower than the fastest each is when the same job runs on fewer or more GPUs.

1 2 3 | go to a plot
↑ ↓ PgUp PgDn | scroll
Esc | back to the answer line
Ctrl+P | copy them as text

Everything is told apart by its sign, not by its colour. The last plot is computed when you look.
"""

    BINDINGS = [Binding(str(number), f"plot({number})", f"Plot {number}", show=False) for number in (1, 2, 3)]

    @dataclass
    class ScaleWanted(Message):
        """Somebody looks, and the job at other sizes is not known yet."""

        plan: Plan

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._view = PlotsView()
        self._looked_at = False
        self.plan: Plan | None = None
        self.scale: Sweep | None = None
        self.computing = False

    def compose(self) -> Iterator[Widget]:
        yield self._view

    def look(self, looked_at: bool) -> None:
        """Whether this is the tab that is shown."""
        self._looked_at = looked_at
        if looked_at:
            self._want()

    def show(self, plan: Plan | None) -> None:
        """Show the plots of a plan."""
        self.plan, self.scale, self.computing = plan, None, plan is not None
        self._view.show(plan, None, self.computing)
        if self._looked_at:
            self._want()

    def scaled(self, plan: Plan, scale: Sweep | None) -> None:
        """The job at other sizes has been computed, perhaps for a plan that is no longer shown."""
        if plan is self.plan:
            self.scale, self.computing = scale, False
            self._view.show(plan, scale, False)

    def action_plot(self, number: int) -> None:
        """Bring a plot to the top, counted from one."""
        if number <= len(self._view.tops):
            self.scroll_to(y=self._view.tops[number - 1], animate=False)

    def _want(self) -> None:
        if self.plan is not None and self.computing:
            self.post_message(self.ScaleWanted(self.plan))
