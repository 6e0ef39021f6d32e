"""The page about one's own assistant: what the server offers, and a session as it was held."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

Step = tuple[Mapping[str, Any], "str | None"]  # as knowledge/mcp/session.yaml has it, and what came back


def mcp_page(template: str, tools: Iterable[str], steps: Iterable[Step]) -> str:
    """The template with the names of the tools and the session put in."""
    named = ", ".join(f"`{tool}`" for tool in tools)
    return template.replace("{tools}", named).replace("{session}", "\n\n".join(_step(*step) for step in steps))


def _step(step: Mapping[str, Any], answer: str | None) -> str:
    if answer is None:
        [(who, said)] = step["says"].items()
        return f"**{who.capitalize()}:** {said}"
    what = "prompt" if "prompt" in step else "tool"
    call = json.dumps(step["with"], ensure_ascii=False, indent=1) if "log" not in step["with"] else step["with"]["log"]
    lines = answer.strip().splitlines()
    kept = lines[: step.get("show", len(lines))]
    shown = "\n".join([*kept, *(["…"] if len(kept) < len(lines) else [])])
    return f"The {what} `{step[what]}` is called with\n\n```text\n{call.strip()}\n```\n\n```text\n{shown}\n```"
