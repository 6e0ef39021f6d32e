"""Which variables NCCL is given on a network, as its provider documents them."""

from __future__ import annotations

from assistant.network.nccl import Environment, Host, environment_of, environments, settings
from assistant.network.nccl.machines import USUAL, gpu_of
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.catalog import Fabric

from .case import Case

_NODES = 2  # the least that a network joins: the settings are those of any number


def nccl_settings(case: Case) -> Computed | None:
    """The settings of the network in question at the provider in question, else what holds of it in general."""
    provider = next(iter(case.utterance.named("provider")), None)
    fabric = _fabric(case, provider)
    if fabric is None:
        return None
    host = Host(provider=provider)
    gpu = gpu_of(fabric, case.fields.get("cluster.gpu"), host, case.catalog)
    around = environment_of(fabric, gpu, host)
    found = settings(fabric, gpu, _NODES, host)
    case.figure("settings", len(found), "settings", "counted in what is documented of these machines")
    names = "; ".join(f"{one.name}={one.value}" for one in found)
    source = case.library.knowledge.sources.get(around.source) if around and around.source else None
    where = f"{fabric.name}, {around.name}" if around else f"{fabric.name} in general"
    said = f" ({source.publisher}, {source.date or source.date_note})" if source else ""
    script = f" First: {'; '.join(around.script)}." if around and around.script else ""
    needs = f" It needs {around.needs}." if around and around.needs else ""
    asked = f" --provider {provider}" if provider else ""
    command = f"weft nccl env --fabric {fabric.id}{asked} --gpu {gpu.id}"
    return case.answer(
        f"{where}{said}: {names}.{script}{needs}{_others(around, case)}",
        f"Each with its reason, and what is better left alone: {command}.",
        fabric=fabric.id, provider=provider, gpu=gpu.id,
    )  # fmt: skip


def _others(around: Environment | None, case: Case) -> str:
    """Other machines of the provider, where none was named and what is told holds for one of them alone."""
    if around is None or around.provider is None or "cluster.gpu" in case.fields:
        return ""
    names = [one.name for one in environments() if one.provider == around.provider and one is not around]
    return f" Other machines of this provider take others: {', '.join(names)}." if names else ""


def _fabric(case: Case, provider: str | None) -> Fabric | None:
    """The network named, as the provider has it; of a provider alone its first."""
    named = [case.catalog.fabrics[name] for name in case.fabrics]
    if provider is None:
        return named[0] if named else None
    gpu = case.fields.get("cluster.gpu")
    offers = [one for one in case.catalog.providers[provider].offers if gpu is None or one.gpu == gpu]
    offers.sort(key=lambda one: one.gpu != USUAL)
    sold = [case.catalog.fabrics[name] for one in offers for name in one.fabrics[:1] if name != "none"]
    if not named:
        return sold[0] if sold else None
    same = [one for one in sold if one in named] or [one for one in sold if one.kind in {each.kind for each in named}]
    return same[0] if same else named[0]
