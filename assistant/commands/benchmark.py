"""``weft benchmark``: how fast this is on this machine."""

from typing import Annotated

import typer

from .options import TextOrJson
from .terminal import one_of, progress_bar, table_width, write_json, write_lines

_WITHOUT_INDEX = ("search", "space", "startup", "screen")  # parts that build their own, or need none


def benchmark(
    part: Annotated[
        str | None,
        typer.Argument(help="startup, plan, search, batch, kinds, space or screen; all of them.", show_default=False),
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, max=1000, help="How often each thing is measured.")] = 5,
    form: TextOrJson = "text",
) -> None:
    """How fast this is on this machine, with ratios: startup, one plan, the search, many plans."""
    from assistant.benchmark import PARTS
    from assistant.benchmark import benchmark as measured
    from assistant.library import load
    from assistant.present.benchmark import benchmark_lines
    from assistant.retrieval import ready_index

    if part is not None:
        one_of("the part to measure", part, PARTS)
    library = load()
    if part not in _WITHOUT_INDEX:
        ready_index(library)
    with progress_bar("measuring") as advance:
        found = measured(library, [part] if part else list(PARTS), repeat, advance)
    if form == "json":
        write_json(found.model_dump_json(by_alias=True, indent=2))
    else:
        write_lines(benchmark_lines(found, table_width()))
