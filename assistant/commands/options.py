"""What several commands take, each with its help."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from .terminal import format_option

Questionnaire = Annotated[
    Path, typer.Argument(help="A questionnaire: .yaml, .json, .jsonl or .csv. See weft examples.", show_default=False)
]
CatalogFile = Annotated[
    Path | None, typer.Option("--catalog", help="Your own facts and prices, over the shipped catalog.")
]
ProfileFile = Annotated[
    Path | None, typer.Option("--profile", help="Factors from your own runs, as weft calibrate writes.")
]
Today = Annotated[
    datetime | None,
    typer.Option("--today", formats=["%Y-%m-%d"], help="The day prices are taken at, as 2026-11-20; else today."),
]
Out = Annotated[Path | None, typer.Option("--out", help="Write here instead of to the screen.")]
TextOrJson = Annotated[str, format_option("text", "json")]
TextBatch = Annotated[Path | None, typer.Option("--batch", help='JSON lines {"id", "text"}.')]
Theme = Annotated[
    str,
    typer.Option(
        "--theme",
        envvar="WEFT_THEME",
        show_envvar=True,
        metavar="auto|light|dark|plain",
        help="Colours of the full screen; auto: as the terminal's background, plain: none, as with NO_COLOR.",
    ),
]
