"""A dial: one number of a job that somebody turns, and what it may be turned to."""

from __future__ import annotations

from .entry import Entry


class Dial(Entry):
    """One number of a job by its dotted path, ``providers.ID.gpu_hour_usd`` for what a provider's list says.

    ``values`` ascend and hold ``now``, where the plan stands; ``now`` is ``None`` where nothing was said, as of a
    deadline. ``grain``: how near two values may come in the search for the one from which on another answer holds;
    ``None`` where nothing lies between two values.
    """

    path: str
    values: tuple[float, ...]
    now: float | None
    grain: float | None = None

    @property
    def stops(self) -> tuple[float | None, ...]:
        """Where it can be turned to, from left to right: nothing said lies beyond the last value."""
        return self.values if self.now is not None else (*self.values, None)
