"""The share of measured values within P10-P90 as a cell of a table, with how well so many rows tell it."""

from assistant.vocabulary.shares import interval, may_be


def covered_cell(share: float | None, rows: int, *, marked: bool = True) -> str:
    """``95 (77–100)`` in percent; where so many rows tell it from what is intended it is ``marked``."""
    if share is None:
        return "–"
    low, high = (round(end, 9) for end in interval(share, rows))  # one row has 2.5 %, whatever its last digit
    told = f"{100 * share:.0f}"
    shown = f"**{told}**" if marked and not may_be(share, rows) else told
    return f"{shown} ({100 * low:.0f}–{100 * high:.0f})"
