"""What a decision comes to, in short: little enough to be kept for every questionnaire that was tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .resolve import Resolved

if TYPE_CHECKING:
    from .pipeline import Decision


@dataclass(frozen=True)
class Outcome:
    """``fabric`` is ``None`` when nothing works; ``costs`` are medians in US dollars, and ``hours`` those of the run,
    by fabric."""

    fabric: str | None
    even_with: str | None  # the other side of a coin flip
    costs: dict[str, float]
    hours: dict[str, float]
    job: Resolved

    @property
    def cost(self) -> float | None:
        """US dollars of the run on the recommended fabric."""
        return self.costs.get(self.fabric) if self.fabric else None

    def agrees(self, other: Outcome) -> bool:
        """The same recommendation, or ``other`` calls the two a coin flip."""
        return other.fabric == self.fabric or (self.fabric is not None and self.fabric == other.even_with)

    def regret(self, fabric: str | None) -> float:
        """What staying with ``fabric`` would cost here beyond the recommended one, as a fraction of its cost."""
        if not self.cost or fabric not in self.costs:
            return 1.0 if fabric != self.fabric else 0.0
        return max(0.0, self.costs[fabric] / self.cost - 1)


def outcome_of(made: Decision) -> Outcome:
    """A decision in short: who is chosen, and what each that can be had costs."""
    chosen, other = made.choice.chosen, made.choice.runner_up
    usable = [e for e in made.entries if e.usable and e.run_cost is not None and e.verdict != "impossible"]
    return Outcome(
        chosen.id if chosen else None,
        other.id if made.choice.coin_flip and other else None,
        {e.id: e.median_cost for e in usable},
        {e.id: e.median_hours for e in usable},
        made.job,
    )
