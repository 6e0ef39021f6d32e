"""``weft sources``: sources, claims and verdicts."""

from typing import Annotated

import typer

from assistant.vocabulary.errors import InputError

from .terminal import line_width, one_of, write


def sources(
    ident: Annotated[str | None, typer.Argument(metavar="ID", help="One source: its claims and verdicts.")] = None,
    form: Annotated[str, typer.Option("--format", help="text or json; with --audit also markdown.")] = "text",
    audit: Annotated[bool, typer.Option("--audit", help="Recompute every claim that can be computed.")] = False,
) -> None:
    """Sources, claims, verdicts, conflicts."""
    from assistant.library import load

    one_of("--format", form, ("text", "json", "markdown") if audit else ("text", "json"))
    library = load()
    known = library.knowledge.sources
    if ident is not None and ident not in known:
        raise InputError(f'expected the id of a source, got "{ident}"; known: {", ".join(known)}')
    if form == "markdown":
        from assistant.handbook import audit_page

        write(audit_page(library, ident))
    elif audit:
        from assistant.audit import audit as recomputed
        from assistant.present import audit as report

        results = recomputed(library, ident)
        write(report.as_json(results) if form == "json" else report.as_text(results, line_width()))
    else:
        from assistant.present import sources as listing

        found = library.knowledge
        write(listing.as_json(found, ident) if form == "json" else listing.as_text(found, ident, line_width()))
