"""Every state the answers have been in: taken back, restored, left as branches."""

from __future__ import annotations

from dataclasses import replace

from .draft import Draft


class History:
    """The current draft and the ways back to others. Nothing that was ever said is lost."""

    def __init__(self) -> None:
        self.draft = Draft()
        self.branches: list[Draft] = []
        self._undone: list[Draft] = []

    def copy(self) -> History:
        """The same state, on which later steps have no effect."""
        copy = History()
        copy.draft, copy.branches, copy._undone = self.draft, list(self.branches), list(self._undone)
        return copy

    def advance(self, draft: Draft) -> None:
        """Go on with a new draft; what had been taken back before stays reachable as a branch."""
        if self._undone:
            self.branches.append(self._undone[0])
            self._undone = []
        self.draft = draft

    def ask(self, field: str | None) -> None:
        """Note which question is open: no step of its own."""
        self.draft = replace(self.draft, asked=field)

    def undo(self) -> Draft | None:
        """Take the last step back and return the draft it had led to; ``None`` when there is none."""
        if self.draft.parent is None:
            return None
        undone = self.draft
        self._undone.append(undone)
        self.draft = undone.parent
        return undone

    def redo(self) -> Draft | None:
        """Restore the step taken back last and return the draft it leads to."""
        if not self._undone:
            return None
        self.draft = self._undone.pop()
        return self.draft

    def switch(self, number: int) -> Draft | None:
        """Go to the branch with this number (from 1); the draft that is left becomes a branch."""
        if not 1 <= number <= len(self.branches):
            return None
        branch = self.branches.pop(number - 1)
        self.branches.append(self.draft)
        self.draft, self._undone = branch, []
        return branch

    def restart(self) -> None:
        """Begin again; what was said becomes a branch."""
        if self.draft.fields:
            self.branches.append(self.draft)
        self.draft, self._undone = Draft(), []
