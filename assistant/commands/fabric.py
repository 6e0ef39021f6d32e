"""``weft fabric``: the topology of a network and its bill of materials."""

from typing import Annotated

import typer

from .options import Out
from .terminal import format_option, line_width, one_of, write

_KINDS = (
    "fat-tree: any NIC on any leaf; rail: a leaf serves whole rails, of racks in one NVLink domain one; rail-only: no "
    "spine between rails; plane: separate networks, every node in each."
)


def fabric(
    fabric_id: Annotated[str, typer.Argument(metavar="FABRIC", help="A fabric id such as infiniband-ndr-400.")],
    gpus: Annotated[int, typer.Option(min=1, help="How many GPUs.")],
    gpu: Annotated[str, typer.Option(help="A GPU id.")] = "h100-sxm",
    gpus_per_node: Annotated[int | None, typer.Option(min=1, help="GPUs per node; the GPU's usual node.")] = None,
    nics_per_node: Annotated[int | None, typer.Option(min=1, help="NICs per node; one per GPU.")] = None,
    switch: Annotated[
        str | None,
        typer.Option(help="A switch of the catalog; of those with a price of their own the one that costs least."),
    ] = None,
    planes: Annotated[
        int | None,
        typer.Option(min=1, help="Separate networks that the NICs of a node, or its ports, are spread over."),
    ] = None,
    pair: Annotated[bool, typer.Option("--pair", help="Two switches where one would do.")] = False,
    oversubscription: Annotated[
        float, typer.Option(help="Bandwidth of a leaf to its nodes ÷ to its spines; 1 is non-blocking.")
    ] = 1.0,
    topology: Annotated[str | None, typer.Option(metavar="fat-tree|rail|rail-only|plane", help=_KINDS)] = None,
    form: Annotated[str, format_option("text", "json", "markdown", "html", "svg")] = "text",
    out: Out = None,
) -> None:
    """Topology and bill of materials."""
    from assistant import api
    from assistant.network.topology import TOPOLOGIES
    from assistant.present.design import written

    one_of("--topology", topology or "rail", TOPOLOGIES)
    design = api.design(
        fabric_id,
        gpus,
        gpu=gpu,
        gpus_per_node=gpus_per_node,
        nics_per_node=nics_per_node,
        switch=switch,
        planes=planes,
        pair=pair,
        oversubscription=oversubscription,
        topology=topology,
    )
    write(written(design, form, line_width()), out)
