"""The server: tools, the handbook, schemas and catalog as resources, the interview as a prompt."""

from __future__ import annotations

import json
from functools import partial
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.mcpserver.resources import FunctionResource
from pydantic import Field

import assistant
from assistant.library import Library, load
from assistant.vocabulary.contracts import CONTRACTS, schema_of

from .limits import MOST_SAID
from .tools import READS_ONLY, TOOLS

_KINDS = ("models", "gpus", "fabrics", "providers")


def server(library: Library | None = None) -> MCPServer:
    """A server over the shipped library (with the user's own catalog, where there is one)."""
    known = library or load()
    made = MCPServer(
        "weft",
        title="Weft: plan the fabric before you buy it",
        version=assistant.__version__,
        instructions=known.mcp_text("instructions"),
        log_level="WARNING",
        subscriptions=False,
    )
    for tool in TOOLS:
        made.add_tool(tool, annotations=READS_ONLY)
    for resource in _resources(known):
        made.add_resource(resource)

    @made.prompt(title="The interview about a job")
    def interview(
        job: Annotated[
            str, Field(max_length=MOST_SAID, description="What the person has said of the job so far.")
        ] = "",
    ) -> str:
        """Ask a person about the job in their own language, one question at a time, then plan it and say the answer."""
        return _interview(known, job)

    return made


def _resources(library: Library) -> list[FunctionResource]:
    read = lambda path: path.read_text(encoding="utf-8")
    pages = [
        FunctionResource.from_function(
            partial(read, path),
            f"weft://handbook/{name}",
            f"handbook-{name}",
            title=read(path).partition("\n")[0].lstrip("# "),
            description="A page of the handbook.",
            mime_type="text/markdown",
        )
        for name, path in library.handbook.items()
    ]
    schemas = [
        FunctionResource.from_function(
            partial(_schema, name),
            f"weft://schema/{name}",
            f"schema-{name}",
            description=f"The JSON Schema of the contract {name}.",
            mime_type="application/schema+json",
        )
        for name in CONTRACTS
    ]
    catalogs = [
        FunctionResource.from_function(
            partial(_named, library, kind),
            f"weft://catalog/{kind}",
            f"catalog-{kind}",
            description=f"The {kind} that can be named: id, and what people call it.",
        )
        for kind in _KINDS
    ]
    return [*pages, *schemas, *catalogs]


def _schema(name: str) -> str:
    return json.dumps(schema_of(name), indent=1)


def _named(library: Library, kind: str) -> str:
    return "".join(f"{one.id}: {one.name}\n" for one in getattr(library.catalog, kind).values())


def _interview(library: Library, job: str) -> str:
    """The questions of the conversation, for whoever asks them in its place."""
    asked = []
    for question in library.interview.questions:
        choices = [choice.label for choice in question.choices if choice.label]
        offered = f" Offer: {'; '.join(choices)}." if choices else ""
        example = f" Such as: {question.placeholder}." if question.placeholder else ""
        needed = " (needed)" if question.required else ""
        asked.append(f"- `{question.field}`{needed}: {question.text} {question.why}{offered}{example}")
    told = job.strip() or "nothing yet"
    return library.mcp_text("interview").replace("{job}", told).replace("{questions}", "\n".join(asked))
