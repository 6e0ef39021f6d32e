"""``weft collective``: how long one collective or transfer takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from assistant.vocabulary.errors import InputError

from .options import CatalogFile, Out, ProfileFile
from .terminal import format_option, one_of, path, write, write_json

if TYPE_CHECKING:
    from assistant.vocabulary.catalog import Catalog

_EXPERTS = "of dispatch and combine"


def collective(
    kind: Annotated[
        str | None,
        typer.Argument(
            help="all_reduce, all_gather, reduce_scatter, all_to_all, send_recv, "
            "dispatch, combine, kv_transfer or weight_sync."
        ),
    ] = None,
    size: Annotated[str | None, typer.Option(help="Bytes per rank, such as 1GiB; of the whole for a transfer.")] = None,
    gpu: Annotated[str | None, typer.Option(help="A GPU id.")] = None,
    gpus: Annotated[int | None, typer.Option(min=1, help="How many GPUs.")] = None,
    fabric: Annotated[str | None, typer.Option(help="A fabric id; else the fastest that anyone can buy.")] = None,
    gpus_per_node: Annotated[int | None, typer.Option(min=1, help="GPUs per node; the GPU's usual node.")] = None,
    nics_per_node: Annotated[int | None, typer.Option(min=1, help="NICs per node.")] = None,
    oversubscription: Annotated[float | None, typer.Option(help="Bandwidth of a leaf to nodes ÷ to spines.")] = None,
    tokens_per_rank: Annotated[int | None, typer.Option(min=1, help=f"Tokens of a rank, {_EXPERTS}.")] = None,
    hidden: Annotated[int | None, typer.Option(min=1, help=f"Width of a token, {_EXPERTS}.")] = None,
    topk: Annotated[int | None, typer.Option(min=1, help=f"Experts of a token, {_EXPERTS}.")] = None,
    nodes_per_token: Annotated[
        int | None,
        typer.Option(min=1, help="Nodes that the experts of one token lie on at most, as DeepSeek-V3 routes."),
    ] = None,
    dtype: Annotated[str | None, typer.Option(help=f"fp8, bf16, fp16 or fp32, {_EXPERTS}.")] = None,
    kernel: Annotated[
        str | None, typer.Option(help=f"once (training, prompts) or direct (decoding), {_EXPERTS}.")
    ] = None,
    method: Annotated[
        str | None, typer.Option(help="Of weight_sync: broadcast, reshard, checkpoint-engine, disk.")
    ] = None,
    batch_file: Annotated[
        Path | None, typer.Option("--batch", help="JSON lines, see weft schema collective.", parser=path)
    ] = None,
    form: Annotated[str, format_option("text", "json", "jsonl")] = "text",
    out: Out = None,
    catalog: CatalogFile = None,
    profile: ProfileFile = None,
) -> None:
    """Time and bus bandwidth of one collective or transfer, with its band; or of each line of a batch."""
    from assistant.library import load

    shipped = load(user_catalog=catalog, profile=profile).catalog
    if batch_file is not None:
        if kind is not None:
            raise InputError("expected a kind or --batch FILE, and not both")
        _each_line(batch_file, shipped, out)
        return
    if kind is None:
        raise InputError("expected a kind of collective or --batch FILE")
    machines = {"gpu": gpu, "gpus": gpus, "fabric": fabric, "gpus_per_node": gpus_per_node}
    machines |= {"nics_per_node": nics_per_node, "oversubscription": oversubscription}
    asked = {"kind": kind, "bytes": size, "tokens_per_rank": tokens_per_rank, "hidden": hidden, "topk": topk}
    asked |= {"dtype": dtype, "kernel": kernel, "method": method, "nodes_per_token": nodes_per_token}
    cluster = {name: value for name, value in machines.items() if value is not None}
    _one(
        {**{name: value for name, value in asked.items() if value is not None}, "cluster": cluster}, shipped, form, out
    )


def _one(asked: dict[str, Any], catalog: Catalog, form: str, out: Path | None) -> None:
    from assistant.batch.results import json_line
    from assistant.planning.collective import query_of, timed
    from assistant.present.collective import collective_lines
    from assistant.vocabulary.collective import Kind

    one_of("KIND", asked["kind"], [name for part in get_args(Kind) for name in get_args(part)])
    query = query_of(asked)
    answer = timed(query, catalog)
    if form == "text":
        write("\n".join(collective_lines(query, answer)) + "\n", out)
    elif form == "json":
        write_json(answer.model_dump_json(indent=2), out)
    else:
        write(json_line(answer.model_dump(mode="json")), out)


def _each_line(path: Path, catalog: Catalog, out: Path | None) -> None:
    from assistant.batch.results import json_line
    from assistant.library.json_lines import read
    from assistant.planning.collective import answers

    made = list(answers(read(path, '{"id": …, "kind": …, "bytes": …, "cluster": {…}}'), catalog))
    write("".join(json_line(one) for one in made), out)
    if any("error" in one for one in made):
        raise typer.Exit(2)
