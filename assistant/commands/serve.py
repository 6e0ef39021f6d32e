"""``weft serve``: the conversation in a browser."""

from typing import Annotated

import typer

Token = Annotated[
    str | None,
    typer.Option(
        "--token",
        envvar="WEFT_TOKEN",
        show_envvar=True,
        metavar="TOKEN|auto",
        help="What a browser must show once. When others can connect, one is made up and printed unless given.",
    ),
]


def serve(
    host: Annotated[str, typer.Option(help="Where to listen: loopback unless told otherwise.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")] = 8080,
    token: Token = None,
    sessions: Annotated[int, typer.Option(min=1, max=64, help="Conversations at once, a process each.")] = 4,
    idle_minutes: Annotated[int, typer.Option(min=1, max=1440, help="End one without a key for so long.")] = 30,
) -> None:
    """The conversation as a web page, on loopback unless told otherwise."""
    from assistant import web
    from assistant.library import load
    from assistant.web.server import Settings

    load()  # A broken rule is said here, and each conversation then finds everything compiled.
    web.serve(Settings(host, port, token, sessions, idle_minutes))
