"""What the handlers of a turn work with: the library, the state, and the parts that plan, ask, answer and write."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assistant.library import Library
from assistant.present.fields import field_name
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.utterance import Utterance

from .. import exporting
from ..answers.about_plan import AboutPlan
from ..dials import Dials
from ..draft import Draft
from ..events import Event, Failure, Note
from ..exporting import Exporter
from ..interview.interviewer import Interviewer
from ..planner import Planner, plan_now
from ..scaling import Scaling
from ..searching import Searcher
from ..state import Made, State
from .readback import in_words
from .turns import Turns

if TYPE_CHECKING:
    from .supposing import Supposed

_FABRIC = "cluster.fabric"
_A_LINE = 80  # characters


@dataclass
class Parts:
    """``state`` is replaced by each step; ``today`` dates the prices."""

    library: Library
    interviewer: Interviewer
    about: AboutPlan
    turns: Turns
    scaling: Scaling
    planner: Planner = plan_now
    searcher: Searcher | None = None
    exporter: Exporter = exporting.write
    today: datetime.date | None = None
    is_over: bool = False  # whether the person has said goodbye
    state: State = field(default_factory=State)
    more: Callable[[], list[Event]] | None = None  # what is behind the last short answer
    beside: tuple[str, ...] = ()  # lines that every short answer of this turn tells as well
    kinds: list[str] = field(default_factory=list)  # of question, whose sentences the answer of this turn has
    supposed: Supposed | None = None  # of the draft of which it was worked out last
    asked_with_job: str = ""  # the question that a job came with, until there is a plan that answers it
    answered_with_job: list[Event] = field(default_factory=list)

    @property
    def catalog(self) -> Catalog:
        return self.library.catalog

    @property
    def dials(self) -> Dials:
        """What can be turned on the plan."""
        return Dials(self.library, self.today)

    def planned(self, draft: Draft) -> Made:
        """The plan of a draft. Raises :class:`InputError` for a job that cannot be planned."""
        if not draft.complete:
            return Made()
        made = self.planner(draft.questionnaire(self.catalog), self.library)
        return Made(made) if isinstance(made, Plan) else Made(made.plan, made)

    def planned_with(self, fields: Mapping[str, Any]) -> Plan | None:
        """The plan in view with some fields changed, which are not taken. Raises :class:`InputError` where there can be
        none."""
        return self.planned(self.state.in_view.trial(fields, self.catalog).draft).plan

    def answered(self, *events: Event) -> list[Event]:
        """An answer that leaves the open question open: it is repeated in short."""
        return [*events, *self.interviewer.repeat()]

    def with_plan(self, answer: Callable[[Plan], list[Event]]) -> list[Event]:
        """An answer about the accepted plan; what is still needed where there is none."""
        if self.state.plan is None:
            missing = ", ".join(map(field_name, self.state.draft.missing))
            return self.answered(Failure(text=f"There is no plan yet; still needed: {missing}."))
        return answer(self.state.plan)

    @property
    def words(self) -> Mapping[str, Any]:
        """The words that steer what a question of the plan means and how it is answered."""
        return self.library.language["followups"]["words"]

    def view_of(self, said: Utterance) -> Callable[[Callable[[Plan], list[Event]]], list[Event]]:
        """What a question is asked of: the plan, unless its words point at what is tried, or it is of networks and so
        is that."""
        words = f" {' '.join(said.text.lower().replace('?', ' ').split())} "
        points = any(f" {one}" in words for one in self.library.language["followups"]["of_the_trial"])
        tried = self.state.variation
        of_its_network = bool(said.fabrics) and tried is not None and any(one.field == _FABRIC for one in tried.fields)
        return self.with_plan_in_view if points or of_its_network else self.with_plan_accepted

    def with_plan_accepted(self, answer: Callable[[Plan], list[Event]]) -> list[Event]:
        """An answer about the plan as it was accepted, whatever is tried beside it, and that it is of this one."""
        kept = self.state
        self.state = kept.trying(None)
        tried = kept.variation
        lead = f"With the plan as it stands, {in_words(tried)} being only tried:" if tried else ""
        lead = lead if len(lead) < _A_LINE else "With the plan as it stands, not as it is tried:"
        try:
            told = self.with_plan(answer)
            return [Note(text=lead), *told] if lead and told else told
        finally:
            self.state = kept

    def with_plan_in_view(self, answer: Callable[[Plan], list[Event]]) -> list[Event]:
        """An answer about the plan; about what is only tried while a variation stands, and it says so."""
        tried = self.state.variation
        if tried is None:
            return self.with_plan(answer)
        return [Note(text=f"With {in_words(tried)}, as tried and not accepted:"), *answer(tried.plan)]
