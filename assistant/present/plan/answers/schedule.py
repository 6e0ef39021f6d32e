"""When it is done, counted from a day that was named."""

from __future__ import annotations

import datetime
import re
from math import ceil

from ... import figures
from .. import reading
from .asked import Asked

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_IN = re.compile(r"in (a|an|one|two|three|four|\d+) (day|week|month)s?")
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4}
_LENGTHS = {"day": 1, "week": 7, "month": 30}


def finish_from(asked: Asked) -> str | None:
    """The day on which it ends."""
    best = asked.best
    if best is None:
        return asked.plan.recommendation.smallest_change
    if not reading.ends(asked.plan):
        return "A service has no end: it runs from the day on which the machines are there."
    start = _start(asked)
    if best.run_hours is None:
        return None
    ends = start + datetime.timedelta(days=ceil(best.run_hours / 24) if best.run_hours > 24 else best.run_hours / 24)
    takes, begun = figures.hours(best.run_hours), "today" if start == asked.today else f"on {_named(start)}"
    by = "the same day or the next" if best.run_hours <= 24 else f"by {_named(ends)}"
    return f"It takes {takes}: started {begun}, it is done {by}."


def _start(asked: Asked) -> datetime.date:
    """The day that is named as the first: a weekday, tomorrow, next week, in two weeks; else today."""
    text, today = asked.text, asked.today
    day = next((n for n, name in enumerate(_DAYS) if name in text and f"by {name}" not in text), None)
    if day is not None:
        return today + datetime.timedelta(days=(day - today.weekday() - 1) % 7 + 1)
    if "tomorrow" in text:
        return today + datetime.timedelta(days=1)
    if "next week" in text:
        return today + datetime.timedelta(days=7 - today.weekday())
    found = _IN.search(text)
    if found and "start" in text:
        many = _NUMBERS.get(found[1]) or int(found[1])
        return today + datetime.timedelta(days=many * _LENGTHS[found[2]])
    return today


def _named(day: datetime.date) -> str:
    return f"{day:%A} {day.day} {day:%B %Y}"


def finish_range(asked: Asked) -> str | None:
    """How early and how late it may be."""
    best = asked.best
    if best is None or best.run_hours is None or not reading.ends(asked.plan):
        return None
    quick, slow = map(figures.hours, reading.run_band(best))
    return f"In eight of ten cases it takes {quick} to {slow}, failures and checkpoints counted."
