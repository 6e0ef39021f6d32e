"""``weft launch``: the file that starts the recommended split."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import CatalogFile, Out, ProfileFile, Today
from .terminal import one_of, path, write


def launch(
    file: Annotated[
        Path, typer.Argument(help="A saved plan (.json of weft plan --format json), or a questionnaire.", parser=path)
    ],
    launcher: Annotated[str, typer.Option("--for", help="torchrun, slurm, kubernetes or skypilot.")] = "torchrun",
    framework: Annotated[
        str | None,
        typer.Option(help="torchtitan (fsdp), megatron, vllm or sglang; left out: the one that the job names."),
    ] = None,
    catalog: CatalogFile = None,
    profile: ProfileFile = None,
    today: Today = None,
    out: Out = None,
) -> None:
    """The file that starts the recommended split: the framework's arguments, with the NCCL settings in it.

    Each argument was found in the framework's own parser, or the file says that it was not checked.
    """
    from assistant import api
    from assistant.launch import LAUNCHERS, written
    from assistant.library import load

    one_of("--for", launcher, LAUNCHERS)
    known = load(user_catalog=catalog, profile=profile).catalog
    made = api.planned(file, catalog=catalog, profile=profile, today=today.date() if today else None)
    write(written(made, known, launcher, framework), out)
