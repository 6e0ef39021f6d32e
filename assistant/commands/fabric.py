"""``weft fabric``: the topology of a network and its bill of materials."""

from typing import Annotated

import typer

from .options import TextOrJson
from .terminal import line_width, write, write_lines


def fabric(
    fabric_id: Annotated[str, typer.Argument(metavar="FABRIC", help="A fabric id such as infiniband-ndr-400.")],
    gpus: Annotated[int, typer.Option(min=1, help="How many GPUs.")],
    gpu: Annotated[str, typer.Option(help="A GPU id.")] = "h100-sxm",
    gpus_per_node: Annotated[int | None, typer.Option(min=1, help="GPUs per node; the GPU's usual node.")] = None,
    nics_per_node: Annotated[int | None, typer.Option(min=1, help="NICs per node; one per GPU.")] = None,
    form: TextOrJson = "text",
) -> None:
    """Topology and bill of materials."""
    from assistant.library import load
    from assistant.planning.design import design_of
    from assistant.present.design import design_lines

    design = design_of(fabric_id, gpu, gpus, load().catalog, gpus_per_node=gpus_per_node, nics_per_node=nics_per_node)
    if form == "json":
        write(design.model_dump_json(indent=2) + "\n")
    else:
        write_lines(design_lines(design, line_width()))
