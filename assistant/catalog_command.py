"""``weft catalog``: the models, GPUs, networks and providers that can be named."""

from __future__ import annotations

import difflib
import json
import sys
from typing import Annotated, Optional

import typer

from assistant.measuring_commands import CatalogFile
from assistant.progress import line_width
from assistant.vocabulary.errors import InputError, Place


def catalog(
    part: Annotated[
        str | None, typer.Argument(help="models, gpus, fabrics or providers; all of them.", show_default=False)
    ] = None,
    form: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
    catalog_file: CatalogFile = None,
) -> None:
    """The ids that a questionnaire may name: models, GPUs, networks and providers, with what tells them apart."""
    from assistant.library import load
    from assistant.present.catalog import PARTS, catalog_lines, listed

    for field, given, known in (("the part of the catalog", part, tuple(PARTS)), ("--format", form, ("text", "json"))):
        if given is not None and given not in known:
            near = difflib.get_close_matches(given.lower(), known, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise InputError(f'expected one of {", ".join(known)}, got "{given}"{hint}', Place(field=field))
    found, parts = load(user_catalog=catalog_file).catalog, [part] if part else list(PARTS)
    if form == "json":
        sys.stdout.write(json.dumps({one: listed(found, one) for one in parts}, indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("\n".join(catalog_lines(found, parts, line_width(widest=160, otherwise=110))) + "\n")
