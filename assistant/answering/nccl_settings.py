"""Which variables NCCL is given on a network, as its provider documents them."""

from __future__ import annotations

import re
from dataclasses import replace

from assistant.network.nccl import (
    SEVERAL,
    Environment,
    Host,
    environment_of,
    environments,
    named,
    needed,
    other_names,
    runtimes,
    settings,
    sourced,
    written,
)
from assistant.network.nccl.machines import USUAL, gpu_of, instance_of
from assistant.network.nccl.variables import variables_in
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.catalog import Fabric, Gpu

from .case import Case

_SPEED = re.compile(r"\d\d")
_NODES = SEVERAL
FORM = "shell"  # where a question does not say what starts the job
_FOR = {
    "shell": "",
    "slurm": ", for Slurm",
    "docker": ", for docker run --env-file",
    "kubernetes": ", for env: of a container in Kubernetes",
}
_SAID = {"slurm": "Under Slurm", "docker": "In Docker", "kubernetes": "On Kubernetes"}


def nccl_settings(case: Case) -> Computed | None:
    """The settings of the network or machine in question at the provider in question, else what holds of it in
    general; ``None`` where one variable is named, which is told by itself."""
    if variables_in(case.utterance.text):
        return None
    if (unlisted := next((word for word in other_names() if word in case.utterance.text.lower()), None)) is not None:
        return _told(case, unlisted, case.catalog.gpus[USUAL], Host(form=_form(case) or FORM), named(unlisted))
    provider = next(iter(case.utterance.named("provider")), None) or case.utterance.fields.get("cluster.provider")
    fabric, sold = _fabric(case, provider)
    if fabric is None:
        return None
    refused = _refused(case, provider, sold) if provider else ""
    of = next(iter(case.utterance.named("instance")), None)
    instance = instance_of(of, provider, case.catalog)[1] if of else None
    host = Host(provider=provider, instance=instance, form=_form(case) or FORM)
    gpu = gpu_of(fabric, case.fields.get("cluster.gpu"), host, case.catalog)
    return _told(case, fabric, gpu, host, environment_of(fabric, gpu, host), refused)


def _refused(case: Case, provider: str, sold: list[Fabric]) -> str:
    """That a provider has no network of the kind that was named, and which ones it has."""
    said = next((e for e in case.utterance.entities if e.kind == "fabric"), None)
    asked = {case.catalog.fabrics[name].technology for name in case.fabrics}
    if said is None or not asked or not sold or asked & {each.technology for each in sold}:
        return ""
    words = case.utterance.text[said.start : said.end]
    names = ", ".join(dict.fromkeys(each.name for each in sold))
    return f"{case.catalog.providers[provider].name} lets no machines with {words}: it has {names}. "


def _told(
    case: Case, fabric: Fabric | str, gpu: Gpu, host: Host, around: Environment | None, refused: str = ""
) -> Computed:
    found = settings(fabric, gpu, _NODES, host)
    case.figure("settings", len(found), "settings", "counted in what is documented of these machines")
    source = case.library.knowledge.sources.get(around.source) if around and around.source else None
    listed = isinstance(fabric, Fabric)
    network = f"{fabric.name}, " if listed else ""
    where = f"{network}{around.name}" if around else f"{network}in general"
    said = f" ({source.publisher}, {source.date or source.date_note})" if source else ""
    script = around.first(host.form) if around else ()
    first = ", below the provider's own script" if script else ""
    least = needed(around, gpu)
    needs = f" It needs {least}." if least else ""
    rests = f"\nThe claims that they rest on:\nweft sources {around.source}" if around and source else ""
    options = {"provider": host.provider, "instance": host.instance, "gpu": gpu.id if listed else None}
    options["for"] = host.form if host.form != FORM else None
    asked = "".join(f" --{name} {value}" for name, value in options.items() if value)
    ident = fabric.id if listed else fabric
    return case.answer(
        f"{refused}{where}{said}.{needs}{_elsewhere(case, fabric, gpu, host)}{_others(around, case)}"
        f" The settings{_FOR[host.form]}{first}:",
        f"Each with its reason, and what is better left alone:\nweft nccl env --fabric {ident}{asked}{rests}",
        lines=[*sourced(script, host.form), *(line for one in found for line in written(one, host.form))],
        fabric=ident, provider=host.provider, gpu=gpu.id,
    )  # fmt: skip


def _form(case: Case) -> str | None:
    """What starts the job, where the question says it."""
    return runtimes().named_in(case.utterance.text)


def _elsewhere(case: Case, fabric: Fabric | str, gpu: Gpu, host: Host) -> str:
    """Which variables have other values where something else starts the job, where the question does not say what."""
    if _form(case) is not None:
        return ""
    here = {one.name: one.value for one in settings(fabric, gpu, _NODES, host)}
    told = list[str]()
    for form in runtimes().names:
        there = {one.name: one.value for one in settings(fabric, gpu, _NODES, replace(host, form=form))}
        if names := [name for name in {**here, **there} if here.get(name) != there.get(name)]:
            told.append(f" {_SAID[form]} {', '.join(names)} {'is' if len(names) == 1 else 'are'} others: "
                        f"say so, or --for {form}.")  # fmt: skip
    return "".join(told)


def _others(around: Environment | None, case: Case) -> str:
    """Other machines of the provider, where none was named and what is told holds for one of them alone."""
    if around is None or around.provider is None or "cluster.gpu" in case.fields:
        return ""
    names = [one.name for one in environments() if one.provider == around.provider and one is not around]
    return f" Other machines of this provider take others: {', '.join(names)}." if names else ""


def _fabric(case: Case, provider: str | None) -> tuple[Fabric | None, list[Fabric]]:
    """The network named, as the provider has it on the machine in question, and those that it has there; of a provider
    alone, or where it has none of that kind, its first."""
    said = [case.catalog.fabrics[name] for name in case.fabrics]
    if provider is None:
        return (said[0] if said else None), []
    gpu, instances = case.fields.get("cluster.gpu"), case.utterance.named("instance")
    offers = [one for one in case.catalog.providers[provider].offers if one.name in instances] or [
        one for one in case.catalog.providers[provider].offers if gpu is None or one.gpu == gpu
    ]
    offers.sort(key=lambda one: one.gpu != USUAL)
    sold = [case.catalog.fabrics[name] for one in offers for name in one.fabrics[:1] if name != "none"]
    if not said:
        return (sold[0] if sold else None), sold
    # "RoCE" alone is any speed of it; with a speed it is that one.
    text = case.utterance.text
    exact = {e.id for e in case.utterance.entities if e.kind == "fabric" and _SPEED.search(text[e.start : e.end])}
    technologies, kinds = {each.technology for each in said}, {each.kind for each in said}
    fitting = (
        [one for one in sold if one.id in exact]
        or [one for one in sold if one.technology in technologies]
        or [one for one in sold if one.kind in kinds]
    )
    return (fitting or sold or said)[0], sold
