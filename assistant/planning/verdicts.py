"""What the rules concluded about candidates, written onto them."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.reasoning import Conclusion

from .entry import Entry

# From what yields to any saving to what yields to none: of several objections the hardest counts.
_HARDER = ("any-saving", "large-saving", None)


def clear(entries: list[Entry]) -> None:
    """Nothing has been said of any candidate yet; what cannot be had or does not fit is impossible whatever is said."""
    for entry in entries:
        entry.verdict, entry.points, entry.reasons = "acceptable" if entry.usable else "impossible", 0.0, []
        entry.outweighed_by, entry.ruled_out_by = None, []


def apply(conclusions: Iterable[Conclusion], entries: list[Entry]) -> None:
    """Verdicts, reasons and preference points of the rules onto cleared candidates; the harder verdict wins."""
    by_id = {entry.id: entry for entry in entries}
    for conclusion in conclusions:
        entry = by_id.get(conclusion.fabric or "")
        if entry is None:
            continue
        verdict = conclusion.then.get("verdict")
        if verdict in ("impossible", "avoid"):
            _advise_against(entry, verdict, conclusion.then.get("outweighed_by"))
            entry.ruled_out_by += [conclusion.rule] if verdict == "impossible" else []
            entry.reasons.insert(0 if verdict == "impossible" else len(entry.reasons), conclusion.rule)
        entry.points += conclusion.then.get("prefer") or 0


def _advise_against(entry: Entry, verdict: str, outweighed_by: str | None) -> None:
    before = entry.outweighed_by if entry.verdict == "avoid" else _HARDER[0]
    entry.outweighed_by = max(before, outweighed_by, key=_HARDER.index)
    entry.verdict = "impossible" if "impossible" in (verdict, entry.verdict) else "avoid"
    if entry.verdict == "impossible":
        entry.outweighed_by = None
