"""What training software adds and hides: kernels, launches, overlap.

The same GPU runs a tuned Megatron and an eager FSDP a quarter apart, so each stack has one factor on compute time and a
few habits. The factors are calibrated (``knowledge/catalog/constants/framework.yaml``, which overrides what stands
here); the habits are what the software does by default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from assistant.vocabulary.catalog import Fact


@dataclass(frozen=True)
class Framework:
    """One training stack.

    ``compute``: factor on compute time against the GPU family's calibrated kernels. ``launch``: factor on the launch
    floor. ``overlap``: share of the hideable communication that really disappears; collectives that run beside compute
    take units and memory bandwidth from it, so measured runs show little of it. ``tp_overlap``: the same for
    tensor-parallel communication. ``spread``: standard deviation of the logarithm of compute time within this stack.
    """

    name: str
    compute: float = 1.0
    launch: float = 1.0
    overlap: float = 0.1
    tp_overlap: float = 0.17
    gradient_overlap: bool = True
    step_overhead: float = 0.01  # seconds per optimizer step outside the model: loader, logging, host synchronisation
    spread: float = 0.08
    gradient_memory: float = 4.0  # bytes of one accumulated gradient element
    dispatch_once: bool = False  # tokens travel to each domain once and are copied there
    expert_launch: float = 0.0  # seconds per expert held and direction: stacks that loop over experts on the host


_EAGER = Framework("fsdp", compute=1.27, launch=1.8, expert_launch=200e-6)
FRAMEWORKS = {
    "megatron": Framework("megatron", overlap=0.18, tp_overlap=0.18, step_overhead=0.002, dispatch_once=True,
                          gradient_memory=2.0),
    "fsdp": _EAGER,
    "deepspeed": replace(_EAGER, name="deepspeed", spread=0.13),
    "jax": Framework("jax", compute=1.16, overlap=0.2),
    "other": replace(_EAGER, name="other", spread=0.09),
}
UNKNOWN = Framework("unknown", compute=1.12, launch=1.4, overlap=0.15, spread=0.17)


def framework_of(name: str | None, gpu: str = "", constants: Mapping[str, Fact] | None = None) -> Framework:
    """The framework's profile on a GPU; the catalog's ``constants`` override the factors above.

    ``framework-<name>-compute-<family>`` wins over ``framework-<name>-compute``; the family is the start of the GPU's id.
    """
    profile = UNKNOWN if name is None else FRAMEWORKS[name]
    facts = constants or {}
    compute = facts.get(f"framework-{profile.name}-compute-{gpu.split('-')[0]}") or facts.get(f"framework-{profile.name}-compute")
    launch = facts.get(f"framework-{profile.name}-launch")
    return replace(profile, compute=compute.si if compute else profile.compute, launch=launch.si if launch else profile.launch)
