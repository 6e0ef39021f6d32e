"""Measured against predicted memory, and how often 'fits' is right: lines for the terminal and for the handbook."""

from assistant.vocabulary.validation import MemoryAccuracy, MemoryReport, Refused

from .text import safe

HEAD = ("source", "rows", "mean", "median", "P90", "bias", "within margin")


def cells(line: MemoryAccuracy) -> tuple[str, ...]:
    """One line of the table, in percent."""
    sizes = percents(line.mean_absolute, line.median_absolute, line.p90_absolute)
    return (safe(line.source), str(line.rows), *sizes, f"{100 * line.bias:+.1f}", f"{100 * line.within_margin:.0f}")


def percents(*shares: float) -> list[str]:
    """Shares in percent, as cells of a table."""
    return [f"{100 * share:.1f}" for share in shares]


def verdicts(memory: MemoryReport) -> list[str]:
    """What 'fits' was worth, one sentence a line."""
    again = memory.fit_recomputing
    more = f", {again} if something is recomputed (their sources do not say what was)" if again else ""
    close = f", {memory.fit_closely} without the margin" if memory.fit_closely else ""
    refused = f"refused: {len(memory.refused)}"
    lines = [f"Runs that took place: {memory.ran}. Said to fit: {memory.fit}{more}{close}; {refused}."]
    if memory.out_of_memory:
        wrong = f": {', '.join(safe(name) for name in memory.wrongly_fit)}" if memory.wrongly_fit else ""
        lines.append(
            f"Known to run out of memory: {memory.out_of_memory}. Said to fit: {len(memory.wrongly_fit)}{wrong}."
        )
    return lines


def refusals(memory: MemoryReport, *, ids: bool = True) -> list[str]:
    """Runs that took place and are refused: source, ids or their number, how much too large, and what is known of
    them."""
    groups: dict[tuple[str, str], list[Refused]] = {}
    for one in memory.refused:
        groups.setdefault((one.source, one.reason), []).append(one)
    return [
        f"{safe(source)}{f' ({safe(reason)})' if reason else ''}, {_excess(ones):.2f} times the GPU's memory at most: "
        f"{', '.join(safe(one.id) for one in ones) if ids else f'{len(ones)} runs'}"
        for (source, reason), ones in groups.items()
    ]


def _excess(refused: list[Refused]) -> float:
    return max(one.needed_bytes / one.gpu_bytes for one in refused)
