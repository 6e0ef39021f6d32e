"""What is known, planned and tried at one moment: every step makes a new state, and nothing that was ever said is
lost."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from assistant.vocabulary.plan import Plan

from .draft import Draft
from .events import VariationShown

if TYPE_CHECKING:
    from assistant.planning import Begun


@dataclass(frozen=True)
class Made:
    """The plan of a draft, ``None`` while the draft is incomplete; ``unfinished``: what is still missing of it."""

    plan: Plan | None = None
    unfinished: Begun | None = None


@dataclass(frozen=True)
class State:
    """The draft with the ways back to others, its plan, and the variation that is tried beside it.

    ``adopted`` is the plan as it was when it was taken over, perhaps unfinished; ``varied`` the draft of the variation.
    ``compared``: the kinds of GPU that the job names one beside another, ``networks`` the networks that it names.
    """

    draft: Draft = field(default_factory=Draft)
    branches: tuple[Draft, ...] = ()
    undone: tuple[Draft, ...] = ()
    plan: Plan | None = None
    adopted: Plan | None = None
    variation: VariationShown | None = None
    varied: Draft | None = None
    unfinished: Begun | None = None
    compared: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()

    @property
    def in_view(self) -> Draft:
        """The draft that is talked about: the one that is tried, else the accepted one."""
        return self.varied or self.draft

    def advanced(self, draft: Draft) -> State:
        """Go on with a new draft; what had been taken back before stays reachable as a branch."""
        return replace(self, draft=draft, branches=(*self.branches, *self.undone[:1]), undone=())

    def undo(self) -> State | None:
        """The last step taken back; ``None`` when there is none."""
        parent = self.draft.parent
        return parent and replace(self, draft=parent, undone=(*self.undone, self.draft))

    def redo(self) -> State | None:
        """The step taken back last, restored; ``None`` when there is none."""
        return replace(self, draft=self.undone[-1], undone=self.undone[:-1]) if self.undone else None

    def on_branch(self, number: int) -> State | None:
        """On the branch with this number (from 1); the draft that is left becomes a branch."""
        if not 1 <= number <= len(self.branches):
            return None
        others = (*self.branches[: number - 1], *self.branches[number:], self.draft)
        return replace(self, draft=self.branches[number - 1], branches=others, undone=())

    def restarted(self) -> State:
        """From the beginning; what was said becomes a branch."""
        return State(branches=(*self.branches, self.draft) if self.draft.fields else self.branches)

    def with_plan(self, made: Made) -> State:
        """With the plan of the draft that is current now; nothing is tried beside it."""
        return replace(self, plan=made.plan, adopted=made.plan, variation=None, varied=None, unfinished=made.unfinished)

    def trying(self, variation: VariationShown | None = None, draft: Draft | None = None, made: Made = Made()) -> State:
        """With a variation beside the plan, or with none."""
        return replace(self, variation=variation, varied=draft, unfinished=made.unfinished)

    def asking(self, question_field: str | None) -> State:
        """With another question open: no step of its own."""
        return replace(self, draft=replace(self.draft, asked=question_field))

    def settled(self) -> State:
        """With nothing that has yet to be worked out."""
        return replace(self, unfinished=None)

    def finished(self, whole: Plan) -> State:
        """With the finished plan in the place of the one that was shown first."""
        first = self.unfinished and self.unfinished.plan
        tried = self.variation
        if tried is not None and tried.plan is first:
            tried = tried.model_copy(update={"plan": whole})
        return replace(self, plan=whole if self.plan is first else self.plan, variation=tried, unfinished=None)
