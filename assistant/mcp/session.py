"""A session with the server as a process of its own, through the SDK's client: what the handbook shows."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters
from mcp.types import TextContent, TextResourceContents


@dataclass(frozen=True)
class Played:
    """The names of the server's tools and resources, and what came back for each step: ``None`` for what was only said;
    what was refused begins with "refused: "."""

    tools: tuple[str, ...]
    resources: tuple[str, ...]
    answers: tuple[str | None, ...]


def play(steps: Iterable[Mapping[str, Any]]) -> Played:
    """Every step of ``knowledge/mcp/session.yaml`` in turn."""
    return anyio.run(_played, list(steps))


async def _played(steps: list[Mapping[str, Any]]) -> Played:
    server = StdioServerParameters(command=sys.executable, args=["-m", "assistant", "mcp"], env=dict(os.environ))
    async with Client(server) as client:
        tools = tuple(tool.name for tool in (await client.list_tools()).tools)
        resources = tuple(str(one.uri) for one in (await client.list_resources()).resources)
        return Played(tools, resources, tuple([await _answered(client, step) for step in steps]))


async def _answered(client: Client, step: Mapping[str, Any]) -> str | None:
    if "prompt" in step:
        got = await client.get_prompt(step["prompt"], step["with"])
        return _text(message.content for message in got.messages)
    if "resource" in step:
        return _text((await client.read_resource(step["resource"])).contents)
    if "tool" not in step:
        return None
    try:
        found = await client.call_tool(step["tool"], step["with"])
    except MCPError as error:
        return f"refused: {error}"
    return f"{'refused: ' if found.is_error else ''}{_text(found.content)}"


def _text(contents: Iterable[object]) -> str:
    return "\n".join(one.text for one in contents if isinstance(one, TextContent | TextResourceContents))
