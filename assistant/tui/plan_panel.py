"""The plan as it grows: the answer when there is one, and what it rests on so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from .dials_view import DialsView
from .drawing import FittedView
from .flow import BLANK, Flow, Line, parts, said

if TYPE_CHECKING:
    from rich.console import RenderableType

    from assistant.present.blocks import Block
    from assistant.vocabulary.catalog import Catalog
    from assistant.vocabulary.plan import Plan

MORE = "Enter, with F2: everything, with the sources in full."
NEEDED = {"workload": "kind of job", "model": "model", "cluster.gpu": "kind of GPU", "cluster.gpus": "number of GPUs"}


class PlanPanel(VerticalScroll):
    """What was told so far, then the plan."""

    HELP = """\
# The plan

It grows with every answer: the recommendation, the best fabrics with their time and cost, why, what would flip it, what
to measure first, what was assumed. Enter shows everything.

↑ ↓ PgUp PgDn | scroll
Enter | everything, with the sources in full; again, the plan in short
Ctrl+D | the dials: more or fewer GPUs, another batch, price or time
Esc | back to the answer line
Ctrl+P | save or copy it
"""

    BINDINGS = [Binding("enter", "everything", "Everything", show=False)]

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.whole = False
        self.dials = DialsView(id="dials")
        self._told = Flow(id="told")
        self._view = Static(id="plan-view", markup=False)
        self._rest = Static(id="plan-rest", markup=False)
        self._in_view: list[Block] = []
        self._behind = False  # whether what is below the edge of the screen is not yet that of the plan
        self.plan: Plan | None = None

    def compose(self) -> Iterator[Widget]:
        yield self.dials
        yield self._told
        yield self._view
        yield self._rest

    def on_mount(self) -> None:
        """Before anything was said: what a plan will need."""
        self.show({}, None)

    def show(
        self,
        fields: Mapping[str, Any],
        plan: Plan | None,
        notice: Sequence[Line] = (),
        more_to_come: bool = False,
        catalog: Catalog | None = None,
    ) -> None:
        """Show a plan under a notice; without a plan, what was told and what is still needed.

        ``more_to_come``: the plan comes again, perhaps the same object; what is below the edge of the screen waits for
        that.
        """
        above = [*notice, BLANK] if notice else [] if plan else told(fields, catalog)
        self._told.show(above)
        self._told.display = bool(above)
        if plan is not self.plan or (self._behind and not more_to_come):
            self.plan = plan
            self._draw(_blocks(plan, self.whole) if plan else [], more_to_come)

    def action_everything(self) -> None:
        """Show everything there is of the plan, or the plan in short again."""
        self.show_whole(not self.whole)

    def show_whole(self, whole: bool) -> None:
        """Show the plan whole or in short, now and from now on."""
        if self.plan is not None and whole != self.whole:
            self.whole = whole
            self.scroll_home(animate=False)
            self._draw(_blocks(self.plan, whole), more_to_come=False)

    def _draw(self, blocks: list[Block], more_to_come: bool) -> None:
        from assistant.present.terminal import in_view

        # Whoever has scrolled looks at the middle of it.
        shown, below = (blocks, []) if self.scroll_y else in_view(blocks, self.scrollable_content_region.size)
        if shown != self._in_view:
            self._in_view = shown
            self._view.update(_view(shown))
        self._behind = more_to_come
        if not more_to_come:
            self._rest.update(_view(below))


def _blocks(plan: Plan, whole: bool) -> list[Block]:
    from assistant.present.plan.report import brief, report

    return report(plan) if whole else brief(plan, MORE)


def _view(blocks: list[Block]) -> RenderableType:
    def made(width: int) -> RenderableType:
        from assistant.present.terminal import blocks_view

        return blocks_view(blocks, width)

    return FittedView(made) if blocks else ""


def told(fields: Mapping[str, Any], catalog: Catalog | None = None) -> list[Line]:
    """The fields told so far, and the four that a plan needs."""
    known = {_root(name) for name in fields}
    lines = [said("The plan appears here as soon as these four are known.", "$quiet"), BLANK]
    for name, label in NEEDED.items():
        value = _value(fields, name, catalog)
        sign = ("✓ ", "$good") if name in known else ("○ ", "$quiet")
        lines.append(parts((f"{label}: ", "$quiet"), value or "not yet", lead=sign[0], lead_style=sign[1]))
    others = {name: value for name, value in fields.items() if _root(name) not in NEEDED}
    if others:
        lines += [BLANK, said("Also told", "$weft bold"), *_named(others, catalog)]
    return lines


def _named(fields: Mapping[str, Any], catalog: Catalog | None) -> Iterator[Line]:
    """Fields by the names the conversation has for them."""
    from assistant.present.fields import field_name, value_text

    for name, value in fields.items():
        yield parts(
            (f"{field_name(name)}: ", "$quiet"), value_text(name, value, catalog), lead="✓ ", lead_style="$good"
        )


def _root(name: str) -> str:
    return "model" if name.startswith("model.") else name


def _value(fields: Mapping[str, Any], name: str, catalog: Catalog | None) -> str:
    from assistant.present.fields import value_text

    return ", ".join(value_text(key, value, catalog) for key, value in fields.items() if _root(key) == name)
