"""A calibration profile where it meets the model: its factors on a machine and on a network, named among the
assumptions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from assistant.library.profiles import COMPUTE, NETWORK
from assistant.model import Machine, Network
from assistant.vocabulary.catalog import Catalog, Fact
from assistant.vocabulary.plan import Assumption

from .resolve import Resolved

BROKEN = 2.0  # times as long as predicted from which a network is not slow but out of order; assumed


def on_machine(machine: Machine) -> Machine:
    """The machine as slow as the profile among its constants says; as it is where there is none for its GPU."""
    fact = (machine.constants or {}).get(f"{COMPUTE}{machine.gpu}")
    return slower_machine(machine, fact.si) if fact else machine


def on_network(network: Network, machine: Machine) -> Network:
    """The network as slow as the profile among the machine's constants says."""
    fact = (machine.constants or {}).get(f"{NETWORK}{network.id}")
    return slower_network(network, fact.si) if fact else network


def slower_machine(machine: Machine, factor: float) -> Machine:
    """Everything a GPU does by itself takes ``factor`` times as long: kernels, memory traffic, launches."""
    return replace(
        machine,
        gemm_efficiency=machine.gemm_efficiency / factor,
        memory_efficiency=machine.memory_efficiency / factor,
        attention_efficiency=machine.attention_efficiency / factor,
        kernel_launch=machine.kernel_launch * factor,
    )


def slower_network(network: Network, factor: float) -> Network:
    """Everything that crosses the network takes ``factor`` times as long, large messages and small ones."""
    return replace(
        network,
        gpu_rate=network.gpu_rate / factor,
        nic_rate=network.nic_rate / factor,
        latency=network.latency * factor,
    )


def assumptions(job: Resolved, catalog: Catalog) -> Iterator[Assumption]:
    """What the profile says of this job's GPU and of the fabrics; nothing without a profile."""
    compute = {name.removeprefix(COMPUTE): fact for name, fact in catalog.constants.items() if name.startswith(COMPUTE)}
    own, some = compute.get(job.gpu.id), next(iter(compute.values()), None)
    if own:
        yield _taken(
            "profile.compute",
            own,
            f"what a GPU does by itself takes {own.si:g} times as long on {job.gpu.id} as the catalog says",
        )
    elif some:
        why = (
            f"{_origin(some)}: measured on {', '.join(compute)}, not on {job.gpu.id}, so it is not applied to its "
            "compute"
        )
        yield Assumption(field="profile.compute", value=1.0, why=why)
    measured = {
        name.removeprefix(NETWORK): fact for name, fact in catalog.constants.items() if name.startswith(NETWORK)
    }
    own = [name for name, fact in measured.items() if fact.note == "measured"]
    if own:
        slowest = max((measured[name] for name in own), key=lambda fact: fact.si)
        each = ", ".join(f"{measured[name].si:g} times as long on {name}" for name in own)
        broken = "; so far off a network is out of order rather than slow: weft nccl diagnose says why"
        said = f"what crosses the network takes {each}{broken if slowest.si >= BROKEN else ''}"
        yield _taken("profile.network", slowest, said)
    if others := next((fact for fact in measured.values() if fact.note != "measured"), None):
        said = f"what crosses the network takes {others.si:g} times as long on the fabrics that were not measured, by"
        yield _taken("profile.network_others", others, f"{said} what fabrics share")


def _taken(field: str, fact: Fact, why: str) -> Assumption:
    return Assumption(field=field, value=fact.value, why=f"{_origin(fact)}: {why}")


def _origin(fact: Fact) -> str:
    return f"your profile {fact.source.removeprefix('derived: ')}, {fact.date.isoformat()}"
