"""Times of the day in lines of a log, and how long after each other two lines were printed."""

import re
from datetime import datetime

_TIME = re.compile(
    rb"(?:(\d{4})[-/](\d\d)[-/](\d\d)[T _,]{1,2})?(?<![\d:.<])([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?![\d:<])"
)
_DAY, _SLACK = 86_400.0, 600.0  # seconds; by so much the lines of two processes may be out of order
_LOOKED = 400  # bytes of a line


def seconds_between(before: bytes, after: bytes) -> float | None:
    """How long after one line another one was printed, in seconds, by the first time in each; without the day in both,
    less than a day. ``None`` where one has no time, or the second is by far the earlier one (another time zone)."""
    one, other = _TIME.search(before, 0, _LOOKED), _TIME.search(after, 0, _LOOKED)
    if one is None or other is None:
        return None
    if one[1] and other[1]:
        try:
            took = (_moment(other) - _moment(one)).total_seconds()
        except ValueError:  # the 31st of February
            return None
        return None if took < -_SLACK else max(0.0, took)
    took = (_of_day(other) - _of_day(one)) % _DAY
    return 0.0 if took > _DAY - _SLACK else took


def _moment(found: re.Match[bytes]) -> datetime:
    year, month, day, hour, minute, second = (int(part) for part in found.groups())
    return datetime(year, month, day, hour, minute, second)


def _of_day(found: re.Match[bytes]) -> float:
    return 3600.0 * int(found[4]) + 60.0 * int(found[5]) + int(found[6])


def shown(seconds: float) -> str:
    """A duration as text."""
    for least, unit, name in ((7200.0, 3600.0, "h"), (600.0, 60.0, "min")):
        if seconds >= least:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds:.0f} s"
