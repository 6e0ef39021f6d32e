"""The panel beside the conversation: plan, why, sources, plots. On a small screen it takes the place of the
conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Static

from .drawing import variation_notice
from .plan_panel import PlanPanel
from .plots_panel import PlotsPanel
from .proof import ProofTree
from .sources import SourcesList

if TYPE_CHECKING:
    from assistant.conversation.events import Event, Reason, VariationShown
    from assistant.vocabulary.catalog import Catalog
    from assistant.vocabulary.plan import Plan

BACK = "back"
TABS = {"plan": ("Plan", "F2"), "why": ("Why", "F3"), "sources": ("Sources", "F4"), "plots": ("Plots", "F6")}


class PanelTab(Static):
    """The name of a tab with its key; :data:`BACK` leads back to the conversation where the panel has its place."""

    @dataclass
    class Clicked(Message):
        """The tab was clicked."""

        tab: str

    def __init__(self, tab: str) -> None:
        title, key = ("Back", "Esc") if tab == BACK else TABS[tab]
        super().__init__(f"{title} {key}", markup=False, id=f"tab-{tab}")
        self._tab = tab

    def on_click(self) -> None:
        """Ask to be shown."""
        self.post_message(self.Clicked(self._tab))


class SidePanel(Vertical):
    """Four tabs over one body."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.plan = PlanPanel(id="plan")
        self.why = ProofTree(id="why")
        self.sources = SourcesList(id="sources")
        self.plots = PlotsPanel(id="plots")
        self._asked: list[Reason] = []
        self._proofs: list[Reason] = []
        self._behind = False  # whether plots, sources and proof are not yet those of the plan

    def compose(self) -> Iterator[Widget]:
        with Horizontal(id="tabs"):
            for tab in TABS:
                yield PanelTab(tab)
            yield PanelTab(BACK)
        with ContentSwitcher(initial="plan", id="panes"):
            yield self.plan
            yield self.why
            yield self.sources
            yield self.plots

    def on_mount(self) -> None:
        """Start with the plan; where the program ends before it stands, there are no tabs."""
        if self.query("#panes"):
            self.turn_to("plan")

    @property
    def tab(self) -> str:
        """The tab that is shown."""
        return self.query_one("#panes", ContentSwitcher).current or "plan"

    def turn_to(self, tab: str) -> None:
        """Show a tab."""
        self.query_one("#panes", ContentSwitcher).current = tab
        for name in TABS:
            self.query_one(f"#tab-{name}").set_class(name == tab, "-shown")
        self.plots.look(tab == "plots")
        self.why.look(tab == "why")
        self.sources.look(tab == "sources")

    def focus_tab(self) -> None:
        """Give the shown tab the keys."""
        self.query_one(f"#{self.tab}").focus()

    def show_plan(
        self,
        fields: Mapping[str, Any],
        plan: Plan | None,
        variation: VariationShown | None = None,
        more_to_come: bool = False,
        catalog: Catalog | None = None,
    ) -> None:
        """Everything that follows from a plan, or from the variation that is being tried; with ``more_to_come``, what
        is in view: everything else waits for the call without it, which may bring the same plan."""
        plan = variation.plan if variation else plan
        self._behind = self._behind or plan is not self.plan.plan
        notice = variation_notice(variation) if variation else ()
        self.plan.show(fields, plan, notice, more_to_come, catalog)
        if self._behind and not more_to_come:
            self._behind = False
            self.plots.show(plan)
            self.sources.cite(plan)
            self._asked, self._proofs = [], _proofs(plan) if plan else []
            self.why.show(self._proofs)

    def note(self, events: Iterable[Event]) -> None:
        """Keep what an answer found or explained at hand."""
        for event in events:
            if event.kind == "answer" and event.answer is not None:
                self.sources.found(event.question, event.answer.passages)
            elif event.kind == "explanation":
                self._explain(event.tree)

    def _explain(self, tree: Reason) -> None:
        """Put an answer to "why" on top of the proof."""
        self._asked = [tree, *(reason for reason in self._asked if reason != tree)][:3]
        self.why.show([*self._asked, *self._proofs])


def _proofs(plan: Plan) -> list[Reason]:
    """The trees of a plan; what makes them is not needed for the first screen."""
    from assistant.present.plan.proof import trees

    return trees(plan)
