"""What several commands take, each with its help."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from .terminal import format_option, one_of, path

if TYPE_CHECKING:
    from assistant.engines import Engine

Questionnaire = Annotated[
    Path,
    typer.Argument(
        help="A questionnaire: .yaml, .json, .jsonl or .csv. See weft examples.", show_default=False, parser=path
    ),
]
CatalogFile = Annotated[
    Path | None, typer.Option("--catalog", help="Your own facts and prices, over the shipped catalog.", parser=path)
]
ProfileFile = Annotated[
    Path | None, typer.Option("--profile", help="Factors from your own runs, as weft calibrate writes.", parser=path)
]
Today = Annotated[
    datetime | None,
    typer.Option("--today", formats=["%Y-%m-%d"], help="The day prices are taken at, as 2026-11-20; else today."),
]
Out = Annotated[Path | None, typer.Option("--out", help="Write here instead of to the screen.", parser=path)]
TextOrJson = Annotated[str, format_option("text", "json")]
TextBatch = Annotated[Path | None, typer.Option("--batch", help='JSON lines {"id", "text"}.', parser=path)]
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
Jobs = Annotated[
    int | None,
    typer.Option(min=1, max=4096, help="How many work at once; as many as there are cores, or CPUs of the cluster."),
]
EngineName = Annotated[
    str,
    typer.Option(
        "--engine", metavar="local|ray", help="Processes of this machine, or workers of a Ray cluster (extra [ray])."
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        help="The cluster, as 10.0.0.1:6379 or auto; else RAY_ADDRESS, else Ray is started here.", show_default=False
    ),
]


def chosen(name: str, jobs: int | None, address: str | None) -> Engine:
    """The engine that was asked for. Raises :class:`InputError` where it cannot be had."""
    from assistant.engines import Engine

    one_of("--engine", name, ("local", "ray"))
    made = Engine(cast("Literal['local', 'ray']", name), jobs, address)
    made.ready()
    return made
