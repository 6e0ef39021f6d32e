"""A plan as a document: plain text, Markdown, a page that stands alone, JSON, and what a terminal shows."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Literal

from assistant.vocabulary.plan import Plan
from assistant.vocabulary.printing import in_json

from ..blocks import Block
from ..markdown import blocks_markdown, escaped
from ..text import lines_of
from . import job
from .document import document
from .report import brief, report

if TYPE_CHECKING:
    from rich.console import Group


def written(plan: Plan, form: str, *, width: int = 100, more: str | None = None) -> str:
    """The plan as ``text``, ``markdown``, ``html`` or ``json``; as text in short with ``more``, how to see the rest."""
    if form == "json":
        return in_json(plan.model_dump_json(by_alias=True, indent=2)) + "\n"
    if form == "markdown":
        return plan_markdown(plan)
    if form == "html":
        return plan_html(plan)
    return "\n".join(brief_lines(plan, more, width) if more else plan_lines(plan, width)) + "\n"


def blocks_written(blocks: list[Block], form: str, *, title: str = "The answer", width: int = 80) -> str:
    """A part of a plan as ``text``, ``markdown`` or ``html``."""
    if form == "text":
        return "\n".join(lines_of(blocks, width)) + "\n"
    text = blocks_markdown(blocks) + "\n"
    if form == "markdown":
        return text
    from ..html import elements, page

    return page(title, elements(text))


def brief_written(plan: Plan, form: Literal["markdown", "html"], more: str) -> str:
    """The plan in short as Markdown, or as elements for a page that has its own looks; ``more``: how to see the
    rest."""
    blocks = brief(plan, more)
    if form == "markdown":
        return f"# {escaped(job.title(plan))}\n\n{blocks_markdown(blocks)}\n"
    from ..html import blocks_elements

    return f"<h1>{escape(job.title(plan))}</h1>\n{blocks_elements(blocks)}\n"


def plan_lines(plan: Plan, width: int = 80) -> list[str]:
    """The whole plan as lines of at most ``width`` characters."""
    return lines_of(report(plan), width)


def brief_lines(plan: Plan, more: str, width: int = 80) -> list[str]:
    """The plan in short; ``more`` says how to see the rest."""
    return lines_of(brief(plan, more), width)


def plan_markdown(plan: Plan) -> str:
    """The plan as a Markdown document, the same shape as the page."""
    return f"# {escaped(job.title(plan))}\n\n{blocks_markdown(document(plan))}\n"


def plan_html(plan: Plan) -> str:
    """The plan as a page that can be sent and printed."""
    from ..html import report_page

    return report_page(job.title(plan), document(plan))


def plan_view(plan: Plan, width: int, more: str | None = None) -> Group:
    """The plan as a Rich renderable for a terminal of ``width`` columns: whole, or in short with ``more``."""
    from ..terminal import blocks_view

    return blocks_view(brief(plan, more) if more else report(plan), width)
