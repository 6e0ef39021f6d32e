"""The handbook's page of published cluster networks, counted anew."""

from collections import Counter
from collections.abc import Sequence

from assistant.vocabulary.validation import ReproducedDesign

from .markdown import escaped, table

_HEAD = ["design", "published by", "verdict", "switches", "leaf", "spine", "core", "cables", "what differs, and notes"]
_CABLES = ("node_leaf", "leaf_spine", "spine_core")


def designs_page(designs: Sequence[ReproducedDesign], template: str) -> str:
    """The page ``networks`` of the handbook; ``template`` carries the prose."""
    counts = Counter(design.verdict for design in designs)
    unsaid = sum(count for verdict, count in counts.items() if verdict not in ("exact", "differs"))
    rows = table(_HEAD, [_cells(design) for design in designs], frozenset(range(3, 8)))
    figures = {"exact": counts["exact"], "differs": counts["differs"], "unsaid": unsaid}
    return template.format(rows=rows, designs=len(designs), counts=sum(len(d.published) for d in designs), **figures)


def _cells(design: ReproducedDesign) -> list[str]:
    switches = [_beside(design, name) for name in ("switches", "leaf", "spine", "core")]
    cables = [_beside(design, name) for name in _CABLES if name in design.published]
    told = cables or [_beside(design, name) for name in ("between_switches", "endpoints") if name in design.published]
    return [
        *(escaped(design.design), escaped(design.publisher), design.verdict, *switches),
        " + ".join(told) or "–",
        escaped(design.note) or "–",
    ]


def _beside(design: ReproducedDesign, name: str) -> str:
    """What is printed, and behind an arrow what follows where that is another number."""
    printed, follows = design.published.get(name), design.computed.get(name)
    if printed is None:
        return "–"
    return f"{printed:,}" if follows in (printed, None) else f"{printed:,} → {follows:,}"
