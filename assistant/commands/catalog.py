"""``weft catalog``: the models, GPUs, networks and providers that can be named."""

import json
from typing import Annotated

import typer

from .options import CatalogFile, TextOrJson
from .terminal import one_of, table_width, write, write_lines


def catalog(
    part: Annotated[
        str | None, typer.Argument(help="models, gpus, fabrics or providers; all of them.", show_default=False)
    ] = None,
    form: TextOrJson = "text",
    catalog_file: CatalogFile = None,
) -> None:
    """The ids that a questionnaire may name: models, GPUs, networks and providers, with what tells them apart."""
    from assistant.library import load
    from assistant.present.catalog import PARTS, catalog_lines, listed

    if part is not None:
        one_of("the part of the catalog", part, PARTS)
    found, parts = load(user_catalog=catalog_file).catalog, [part] if part else list(PARTS)
    if form == "json":
        write(json.dumps({one: listed(found, one) for one in parts}, indent=2, ensure_ascii=False) + "\n")
    else:
        write_lines(catalog_lines(found, parts, table_width()))
