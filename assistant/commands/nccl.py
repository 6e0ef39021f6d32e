"""``weft nccl``: a settings file with a reason per line, and what logs say."""

from pathlib import Path
from typing import Annotated

import typer

from .options import TextOrJson
from .terminal import write, write_lines

commands = typer.Typer(no_args_is_help=True, help="NCCL: a settings file with a reason per line, and what logs say.")


@commands.command()
def env(
    fabric: Annotated[str, typer.Option(help="A fabric id such as roce-v2-400.")],
    gpu: Annotated[str, typer.Option(help="A GPU id.")] = "h100-sxm",
    nodes: Annotated[int, typer.Option(min=1, help="Nodes of the job.")] = 2,
    interface: Annotated[str | None, typer.Option(help="The interface NCCL connects over, e.g. eth0.")] = None,
    provider: Annotated[str | None, typer.Option(help="A provider id: some fabrics differ by cloud.")] = None,
    sharp: Annotated[
        bool, typer.Option("--sharp", help="The SHARP plugin is loaded and an aggregation manager runs.")
    ] = False,
) -> None:
    """A settings file: few lines, each with its reason; what is better left alone is said too."""
    from assistant.library import load
    from assistant.library.checks import known_id
    from assistant.network.nccl import Host, as_env_file

    catalog = load().catalog
    for option, given, entries in (
        ("--fabric", fabric, catalog.fabrics),
        ("--gpu", gpu, catalog.gpus),
        ("--provider", provider, catalog.providers),
    ):
        if given is not None:
            known_id(option, given, entries)
    host = Host(interface=interface, provider=provider, sharp=sharp)
    write(as_env_file(catalog.fabrics[fabric], catalog.gpus[gpu], nodes, host))


@commands.command()
def diagnose(
    logs: Annotated[list[Path], typer.Argument(help="nccl-tests output, NCCL debug logs, or both in one file.")],
    form: TextOrJson = "text",
) -> None:
    """What is wrong, how fast it is, what to change."""
    from assistant.library import load
    from assistant.network.diagnosis import diagnose as read
    from assistant.present.diagnosis import diagnosis_lines

    found = read(logs, load().catalog)
    if form == "json":
        write(found.model_dump_json(indent=2) + "\n")
    else:
        write_lines(diagnosis_lines(found))
