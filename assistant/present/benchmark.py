"""What a benchmark measured, as a table for each part."""

from assistant.vocabulary.benchmark import Benchmark, Measurement, Peer

from . import figures
from .blocks import Block, Heading, Paragraph, Table
from .text import lines_of

_TITLES = {
    "startup": "Startup, in fresh processes",
    "plan": "One questionnaire",
    "search": "Search of parallelism",
    "batch": "Many questionnaires",
    "kinds": "Plans of every kind, seconds of one core",
    "space": "Search of a whole space",
    "screen": "The full screen",
}


def benchmark_lines(found: Benchmark, width: int = 80) -> list[str]:
    """The machine, then a table for each part: minimum, median, rate, and how it compares."""
    load = f", {found.load:g} processes waiting or running before" if found.load is not None else ""
    on = Paragraph(f"weft {found.weft} on Python {found.python}, {found.machine}, {found.processors} processors{load}.")
    parts = list(dict.fromkeys(one.part for one in found.measurements))
    blocks: list[Block] = [on]
    for part in parts:
        own = [one for one in found.measurements if one.part == part]
        header = ["", "runs", "minimum", "median", "per second", "ratio"]
        rows = [_cells(one, found) for one in own]
        blocks += [Heading(_TITLES[part]), Table(header, rows, frozenset({1, 2, 3, 4, 5})), *_spoken(own)]
    return lines_of(blocks, width)


def _cells(one: Measurement, found: Benchmark) -> list[str]:
    ratio = found.ratio(one)
    return [
        one.what,
        str(len(one.values)),
        _value(one, one.least),
        _value(one, one.median),
        f"{figures.significant(one.rate)} {one.of}" if one.rate else "",
        "" if ratio is None else _ratio(ratio),
    ]


def _ratio(ratio: float) -> str:
    return f"{figures.significant(ratio)}×" if ratio >= 1 else f"1/{figures.significant(1 / ratio)}"


def _value(one: Measurement, value: float) -> str:
    return figures.seconds(value) if one.unit == "s" else f"{figures.significant(value)} MiB"


def _spoken(own: list[Measurement]) -> list[Paragraph]:
    """What the ratios are to, how other programs compare, how memory moved, and what the measurement says of itself."""
    references = dict.fromkeys(one.against for one in own if one.against)
    said = [Paragraph(f"Ratio: time against “{reference}”, for the same work.") for reference in references]
    said += [Paragraph(_beside(one, peer)) for one in own for peer in one.peers]
    said += [Paragraph(note) for one in own for note in one.notes]
    held = [one for one in own if one.unit == "MiB" and len(one.values) > 1]
    return said + [
        Paragraph(f"Memory grew by {one.values[-1] - one.values[0]:.1f} MiB from the first counted round to the last.")
        for one in held
    ]


def _beside(one: Measurement, peer: Peer) -> str:
    times = figures.significant((one.rate or 0.0) / peer.rate)
    return (
        f"{peer.name}: {figures.significant(peer.rate)} {peer.of} per second ({peer.source}); “{one.what}” "
        f"{times} times as many."
    )
