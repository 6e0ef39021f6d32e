"""``weft catalog``: the models, GPUs, networks and providers that can be named, and what is sold."""

import json
from typing import Annotated

import typer

from .options import CatalogFile, TextOrJson
from .terminal import one_of, table_width, write_json, write_lines


def catalog(
    part: Annotated[
        str | None,
        typer.Argument(help="models, gpus, fabrics, providers or offers; all of them.", show_default=False),
    ] = None,
    provider: Annotated[str | None, typer.Option(help="Offers of this provider only.", show_default=False)] = None,
    gpu: Annotated[str | None, typer.Option(help="Offers with this GPU only.", show_default=False)] = None,
    form: TextOrJson = "text",
    catalog_file: CatalogFile = None,
) -> None:
    """The ids that a questionnaire may name: models, GPUs, networks and providers, with what tells them apart; and the
    offers, each with the rate of its network per GPU and its dated prices."""
    from assistant.library import load
    from assistant.present.catalog import OFFERS, PARTS, catalog_lines, listed

    known = (*PARTS, OFFERS)
    if part is not None:
        one_of("the part of the catalog", part, known)
    found = load(user_catalog=catalog_file).catalog
    for option, given, ids in (("--provider", provider, found.providers), ("--gpu", gpu, found.gpus)):
        if given is not None:
            one_of(option, given, ids)
            part = part or OFFERS
    parts = [part] if part else list(known)
    if form == "json":
        write_json(json.dumps({one: listed(found, one, provider, gpu) for one in parts}, indent=2, ensure_ascii=False))
    else:
        write_lines(catalog_lines(found, parts, table_width(), provider, gpu))
