"""When it is done, counted from a day that was named."""

from __future__ import annotations

import datetime
import re
from math import ceil

from assistant.vocabulary.quantities import HOURS_PER_MONTH

from ... import figures
from .. import reading
from .asked import Asked, money

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


def overnight(asked: Asked) -> str | None:
    """Whether it is done in the morning, where a night is spoken of."""
    best = asked.best
    if best is None or best.run_hours is None or not asked.says("night") or not reading.ends(asked.plan):
        return None
    slow = reading.run_band(best)[1]
    takes = f"{figures.hours(best.run_hours)}, {figures.hours(slow)} in the slow tenth of cases"
    if slow <= _NIGHT:
        return f"Yes, one night of {_NIGHT:g} hours is enough: it takes {takes}."
    nights = ceil(best.run_hours / _NIGHT)
    if nights == 1:
        return f"Most likely: it takes {takes}, of a night of {_NIGHT:g} hours."
    return f"No: it takes {takes}; that is {nights:,} nights of {_NIGHT:g} hours, each from a checkpoint."


_NIGHT = 10.0  # hours


def machines_weeks(asked: Asked) -> str | None:
    """How many machines for how many weeks, where either is asked for."""
    best = asked.best
    if best is None or best.run_hours is None or not reading.ends(asked.plan) or not asked.says("weeks"):
        return None
    per, gpus = reading.asked(asked.plan, "cluster.gpus_per_node") or 8, reading.gpus(asked.plan)
    number = asked.plan.recommendation.offer
    kind = asked.plan.offers[number].instance if number is not None else f"machines of {per} GPUs"
    weeks = lambda hours: figures.significant(hours / _WEEK)
    quick, slow = reading.run_band(best)
    return (
        f"{ceil(gpus / per):,} × {kind} ({figures.counted(gpus, 'GPU', 'GPUs')}) for {weeks(best.run_hours)} weeks, "
        f"{weeks(quick)} to {weeks(slow)} in eight of ten cases."
    )


_WEEK = 168.0  # hours


def _start(asked: Asked) -> datetime.date:
    """The day that is named as the first: a weekday, tomorrow, next week, in two weeks; else today."""
    text, today = asked.text, asked.today
    day = next((n for n, name in enumerate(_DAYS) if name in text and f"by {name}" not in text), None)
    if day is not None:
        return today + datetime.timedelta(days=(day - today.weekday() - 1) % 7 + 1)
    if any(word in text for word in ("tomorrow", "tmrw", "tmr ", "tmw", "2morrow")):
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
    if asked.run is None:
        return None
    _, quick, slow = asked.run
    return f"In eight of ten cases it takes {quick} to {slow}, failures and checkpoints counted."


def how_long(asked: Asked) -> str | None:
    """How long the job takes, beside what it costs."""
    if asked.run is None:
        return None
    middle, quick, slow = asked.run
    return f"It takes {middle}, in eight of ten cases {quick} to {slow}."


def by_the_day(asked: Asked) -> str | None:
    """Yes or no to a day that is named; nothing where none is."""
    best, limit = asked.best, _limit(asked)
    if best is None or best.run_hours is None or limit is None or not reading.ends(asked.plan):
        return None
    if limit < _start(asked) and any(day in asked.text for day in _DAYS):  # "by Monday if I start on Friday"
        limit += datetime.timedelta(days=7)
    middle, slow = (_end(asked, hours) for hours in (best.run_hours, reading.run_band(best)[1]))
    when = "" if reading.to_buy(asked.plan) is None or best.delivery_days else ", counted from delivery"
    if slow <= limit:
        return f"Yes: by {_named(limit)} it is done even in the slow tenth of cases{when}."
    if middle <= limit:
        done, worst = _named(middle), _named(slow)
        return f"Likely: in the middle it is done by {done}, but the slow tenth takes until {worst}{when}."
    late = (middle - limit).days
    return f"No: it is done by {_named(middle)}, {late:,} day{'s' * (late != 1)} after {_named(limit)}{when}."


def _limit(asked: Asked) -> datetime.date | None:
    """The last day that is asked about: a date, the end of a month that is named without a day, so many days on."""
    for one in asked.said.amounts:
        if one.kind == "date" and isinstance(one.value, datetime.date):
            words = asked.said.text[one.start : one.end]
            month = one.value.day == 1 and not any(sign.isdigit() for sign in words)
            return _month_end(one.value) if month and "before" not in asked.text else one.value
    days = [many for many in asked.amounts("time") if many >= 1] if "start" not in asked.text else []
    return asked.today + datetime.timedelta(days=int(days[0])) if days else None


def _month_end(day: datetime.date) -> datetime.date:
    return (day.replace(day=1) + datetime.timedelta(days=32)).replace(day=1) - datetime.timedelta(days=1)


def _end(asked: Asked, hours: float) -> datetime.date:
    """The day on which so many hours are over, delivery counted where it is known."""
    best = asked.best
    wait = (best.delivery_days or 0.0) if best else 0.0
    return _start(asked) + datetime.timedelta(days=ceil(hours / 24 + wait) if hours > 24 else wait)


def late(asked: Asked) -> list[str]:
    """The day on which it ends where the machines come later."""
    best, days = asked.best, _delay(asked)
    if best is None:
        return [asked.plan.recommendation.smallest_change or asked.plan.recommendation.headline]
    if not reading.ends(asked.plan):
        begins = asked.today + datetime.timedelta(days=int(days or 0))
        return [f"Then it serves from {_named(begins)} on." if days else "Then it serves as much later."]
    if best.run_hours is None:
        return []
    takes = figures.hours(best.run_hours)
    if not days:
        return [f"Every day of delay is a day later: the run itself still takes {takes}."]
    planned = _end(asked, best.run_hours)
    then = planned + datetime.timedelta(days=int(days))
    known = "" if reading.to_buy(asked.plan) is None or best.delivery_days else " (had they come today)"
    said = f"Done by {_named(then)} instead of {_named(planned)}{known}: the run itself still takes {takes}."
    limit = reading.asked(asked.plan, "constraints.deadline_days")
    if not limit:
        return [said]
    end = asked.today + datetime.timedelta(days=int(limit))
    return [said, f"Your deadline, {_named(end)}, is {'kept' if then <= end else 'missed'} then{_setup(asked)}."]


def _setup(asked: Asked) -> str:
    """What comes on top of a delivery."""
    return "" if reading.to_buy(asked.plan) is None else "; installation and acceptance come on top"


def _delay(asked: Asked) -> float | None:
    """Days by which it is later."""
    named = [days for days in asked.amounts("time") if days >= 1]
    if named:
        return named[0]
    dates = (a.value for a in asked.said.amounts if isinstance(a.value, datetime.date))
    day = next((date for date in dates if date > asked.today), None)
    return float((day - asked.today).days) if day else None


def late_meanwhile(asked: Asked) -> str | None:
    """What can be done until they come."""
    best, days = asked.best, _delay(asked)
    if best is None or not reading.ends(asked.plan):
        return None
    if asked.plan.purchase is None:
        return "Rented by the hour nothing is paid before they are there; have the day and a way out in the contract."
    rented = asked.tried({"budget.mode": "rent"})
    one = reading.chosen(rented) if rented else None
    if one is None or one.cost_usd is None or one.run_hours is None:
        return "Meanwhile: the same machines are not let at a price that was read."
    before = " before they come" if days and one.run_hours <= 24 * days else ""
    hours = figures.hours(one.run_hours)
    return (
        f"Meanwhile rented, the whole run costs {money(one)} and takes {hours}: it would be done{before}."
        if (before)
        else f"Meanwhile rented, the whole run would cost {money(one)} and take {hours}."
    )


def sooner(asked: Asked) -> str | None:
    """How many GPUs would keep the day that is named, where these do not."""
    best, limit = asked.best, _limit(asked)
    if best is None or best.run_hours is None or limit is None or not reading.ends(asked.plan):
        return None
    days = (limit - _start(asked)).days - (best.delivery_days or 0.0)
    if days <= 0 or best.run_hours <= 24 * days:
        return None
    gpus, per = reading.gpus(asked.plan), reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    for more in _MARGINS:
        size = ceil(more * gpus * best.run_hours / (24 * days) / per) * per
        tried = asked.tried({"cluster.gpus": size, "training.days": None, "training.tokens": _tokens(asked)})
        one = reading.chosen(tried) if tried else None
        if one is not None and one.run_hours is not None and one.run_hours <= 24 * days:
            return f"About {size:,} GPUs would do it: {figures.hours(one.run_hours)}, {money(one)}."
    return "No number of these GPUs that was tried does it in that time."


_MARGINS = (1.0, 1.05, 1.1, 1.2, 1.35, 1.5, 2.0)  # times the GPUs that would do if twice as many were twice as fast


def _tokens(asked: Asked) -> float | None:
    """The tokens of the run, as said or as assumed."""
    assumed = next((a.value for a in asked.plan.assumptions if a.field == "training.tokens"), None)
    return reading.asked(asked.plan, "training.tokens") or assumed


def gpu_hours(asked: Asked) -> str | None:
    """The GPU-hours of the run."""
    best, gpus = asked.best, reading.gpus(asked.plan)
    if best is None or best.run_hours is None:
        return asked.plan.recommendation.smallest_change
    if not reading.ends(asked.plan):
        return f"A month is {figures.significant(gpus * HOURS_PER_MONTH)} GPU-hours: {gpus:,} GPUs around the clock."
    many = figures.significant(gpus * best.run_hours)
    return f"{many} GPU-hours: {figures.counted(gpus, 'GPU', 'GPUs')} for {figures.hours(best.run_hours)}."
