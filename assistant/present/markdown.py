"""A report as Markdown."""

from __future__ import annotations

import re

from assistant.vocabulary.plan import Plan

from .report import Block, Bullets, Paragraph, Section, report
from .text import safe

# What Markdown or HTML would read as a command in running text.
_SPECIAL = re.compile(r"([\\`*_<>|#])")


def plan_markdown(plan: Plan) -> str:
    """The whole plan as a Markdown document."""
    name = plan.questionnaire.get("name") or "Plan"
    return f"# {escaped(str(name))}\n\n" + sections_markdown(report(plan))


def sections_markdown(sections: list[Section]) -> str:
    """Sections as Markdown, titles as second-level headings."""
    parts = []
    for section in sections:
        if section.title:
            parts.append(f"## {section.title}")
        parts += [block_markdown(block) for block in section.blocks]
    return "\n\n".join(parts) + "\n"


def block_markdown(block: Block) -> str:
    """One block as Markdown."""
    if isinstance(block, Paragraph):
        return f"**{escaped(block.text)}**" if block.strong else escaped(block.text)
    if isinstance(block, Bullets):
        return "\n".join(f"- {escaped(item)}" for item in block.items)
    rule = ["---:" if i in block.right else "---" for i in range(len(block.header))]
    rows = [block.header, rule, *([escaped(cell) for cell in row] for row in block.rows)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", safe(text))
