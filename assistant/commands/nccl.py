"""``weft nccl``: a settings file with a reason per line, and what logs say."""

from pathlib import Path
from typing import Annotated

import typer

from assistant.vocabulary.errors import InputError

from .options import CatalogFile, Out, ProfileFile, Questionnaire, TextOrJson
from .terminal import one_of, path, say, sparing, write, write_json, write_lines

commands = typer.Typer(no_args_is_help=True, help="NCCL: a settings file with a reason per line, and what logs say.")


@commands.command()
@sparing
def env(
    fabric: Annotated[
        str | None,
        typer.Option(
            help="A fabric id such as roce-v2-400; or slingshot, pollara; left out: that of --instance or --provider."
        ),
    ] = None,
    gpu: Annotated[str | None, typer.Option(help="A GPU id; left out: what the provider has on this network.")] = None,
    nodes: Annotated[int, typer.Option(min=1, max=1_000_000, help="Nodes of the job.")] = 2,
    interface: Annotated[str | None, typer.Option(help="The interface NCCL connects over, e.g. eth0.")] = None,
    provider: Annotated[str | None, typer.Option(help="A provider id: what it documents for its machines.")] = None,
    instance: Annotated[
        str | None, typer.Option(help="The provider's name of the machine: BM.GPU.H100.8, 'a3 mega'.")
    ] = None,
    form: Annotated[str, typer.Option("--for", help="shell, slurm, docker or kubernetes.")] = "shell",
    nccl: Annotated[str | None, typer.Option(help="The version of NCCL; left out: a current one.")] = None,
    plugin: Annotated[str | None, typer.Option(help="The version of the network plugin (EFA).")] = None,
    sharp: Annotated[
        bool, typer.Option("--sharp", help="The SHARP plugin is loaded and an aggregation manager runs.")
    ] = False,
    catalog: CatalogFile = None,
    out: Out = None,
) -> None:
    """A settings file: few lines, each with its reason; what is better left alone is said too."""
    from assistant.library import load
    from assistant.library.checks import known_id
    from assistant.network.nccl import FORMS, Host, as_file, environment_of, named, new_enough, other_names
    from assistant.network.nccl.machines import gpu_of, instance_of, network_of, sharp_fits
    from assistant.vocabulary.errors import Place

    one_of("--for", form, FORMS)
    library = load(user_catalog=catalog)
    shipped = library.catalog
    if provider is not None:
        known_id("--provider", provider, shipped.providers)
    if gpu is not None:
        known_id("--gpu", gpu, shipped.gpus)
    if instance is not None:
        provider, instance, offer = instance_of(instance, provider, shipped)
        fabric = fabric or (offer.fabrics[0] if offer else None)
    if fabric is None and provider is not None:
        fabric = network_of(provider, gpu, shipped)
    if fabric is None:
        raise InputError("expected a network, or --instance with a machine that brings one", Place(field="--fabric"))
    if fabric not in other_names():
        known_id("--fabric", fabric, shipped.fabrics)
    network = shipped.fabrics.get(fabric, fabric)
    host = Host(
        interface=interface,
        provider=provider,
        instance=instance,
        form=form,
        nccl=nccl,
        plugin=plugin,
        sharp=sharp,
    )
    chosen = gpu_of(network, gpu, host, shipped)
    sharp_fits(network, chosen, host)
    new_enough(named(network) if isinstance(network, str) else environment_of(network, chosen, host), chosen, host)
    write(as_file(network, chosen, nodes, host, library.knowledge.sources), out)


@commands.command()
@sparing
def bench(
    file: Questionnaire,
    form: TextOrJson = "text",
    catalog: CatalogFile = None,
    profile: ProfileFile = None,
    out: Out = None,
) -> None:
    """The nccl-tests script for a questionnaire's cluster: what to expect at each size, and what is an alarm."""
    from assistant.library import load
    from assistant.library.questionnaires import read_one
    from assistant.network.nccl import Host, environment_of, exported, needed, settings
    from assistant.planning.nccl_bench import bench as tests_of
    from assistant.present.nccl_script import script

    library = load(user_catalog=catalog, profile=profile)
    made = tests_of(read_one(file, library.catalog), library)
    if form == "json":
        write_json(made.model_dump_json(indent=2), out)
        return
    fabric, gpu, host = (
        library.catalog.fabrics[made.fabric],
        library.catalog.gpus[made.gpu],
        Host(provider=made.provider),
    )
    around, found = environment_of(fabric, gpu, host), settings(fabric, gpu, made.nodes, host)
    needs = [f"# These machines need: {told}"] if (told := needed(around, gpu)) else []
    before = [*needs, *(around.first(host.form) if around else ()), *(line for one in found for line in exported(one))]
    write(script(made, before, str(file)), out)


@commands.command()
def diagnose(
    logs: Annotated[
        list[Path],
        typer.Argument(help="nccl-tests output, NCCL debug logs, or both in one file; .gz too.", parser=path),
    ],
    form: TextOrJson = "text",
) -> None:
    """What is wrong, how fast it is, what to change."""
    from assistant import api
    from assistant.present.diagnosis import diagnosis_lines

    unread = list[InputError]()
    try:
        found = api.diagnose(*logs, unread=unread)
    finally:
        for error in unread:  # what the others say is told all the same
            say(str(error))
    if form == "json":
        write_json(found.model_dump_json(indent=2))
    else:
        write_lines(diagnosis_lines(found))
    if unread:
        raise typer.Exit(2)
