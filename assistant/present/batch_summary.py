"""What a batch came to, in the terminal: which network for how many, what it costs, what was warned of and refused."""

from __future__ import annotations

from assistant.vocabulary.batch import BatchSummary, FabricCount
from assistant.vocabulary.counted import counted

from . import figures
from .blocks import Block, Bullets, Paragraph, Table, titled

_MOST = 12  # rows of a list; the rest is in the file


def blocks(summary: BatchSummary) -> list[Block]:
    """The sums, then the networks, the warnings and the refusals, the most frequent first."""
    rows = [[summary.names.get(one.fabric, one.fabric), f"{one.plans:,}", *_costs(one)] for one in summary.fabrics]
    table = Table(["network", "plans", "runs", "services, a month"], rows, frozenset({1, 2, 3}))
    warned = [f"{code}: {counted(many, 'plan')}." for code, many in summary.warnings.items()]
    refused = [f"{one.field or 'the row'}: {counted(one.rows, 'row')}; first: {one.first}" for one in summary.refusals]
    return [
        Paragraph(_sums(summary), strong=True, doubt=bool(summary.refused)),
        *([table] if rows else []),
        *(titled("Warnings", *_list(warned)) if warned else []),
        *(titled("Refused", *_list(refused)) if refused else []),
    ]


def _sums(summary: BatchSummary) -> str:
    told = [f"{counted(summary.planned, 'plan')}, {summary.refused:,} refused"]
    if summary.runs:
        told.append(f"{counted(summary.runs, 'run')} for {figures.usd(summary.cost_usd)} in all")
    if summary.services:
        told.append(f"{counted(summary.services, 'service')} for {figures.usd(summary.usd_per_month)} a month")
    if summary.without_a_price:
        told.append(f"{summary.without_a_price:,} without a price")
    if summary.infeasible:
        told.append(f"{summary.infeasible:,} of which nothing works")
    return "; ".join(told) + "."


def _costs(one: FabricCount) -> list[str]:
    return [figures.usd(value) if value else "–" for value in (one.cost_usd, one.usd_per_month)]


def _list(lines: list[str]) -> list[Block]:
    more = [Paragraph(f"And {len(lines) - _MOST} more.")] if len(lines) > _MOST else []
    return [Bullets(lines[:_MOST]), *more]
