"""What training software adds and hides: kernels, launches, overlap.

The same GPU runs a tuned Megatron and an eager FSDP a third apart, so each framework has one factor on compute time
and a few habits. The factors are calibrated (``knowledge/catalog/constants.yaml``, ``framework-<name>-compute``);
the habits are what the software does by default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from assistant.vocabulary.catalog import Fact


@dataclass(frozen=True)
class Framework:
    """One training stack.

    ``compute``: factor on compute time against the GPU family's calibrated kernels. ``launch``: factor on the launch
    floor. ``overlap``: share of the hideable communication that really hides. ``tp_overlap``: share of tensor-parallel
    communication that hides behind matrix multiplications. ``spread``: standard deviation of the logarithm of the
    compute time within this stack, after calibration.
    """

    name: str
    compute: float = 1.0
    launch: float = 1.0
    overlap: float = 0.8
    tp_overlap: float = 0.0
    gradient_overlap: bool = True
    step_overhead: float = 0.01  # seconds per optimizer step outside the model: loader, logging, host synchronisation
    spread: float = 0.10
    gradient_memory: float = 4.0  # bytes of one accumulated gradient element
    expert_launch: float = 0.0  # seconds per expert held and direction: stacks that loop over experts on the host


FRAMEWORKS = {
    "megatron": Framework("megatron", compute=1.0, overlap=0.85, tp_overlap=0.4),
    "fsdp": Framework("fsdp", compute=1.0, overlap=0.1, expert_launch=200e-6),
    "deepspeed": Framework("deepspeed", compute=1.05, overlap=0.3, expert_launch=200e-6),
    "jax": Framework("jax", compute=1.05, overlap=0.8, tp_overlap=0.4),
    "other": Framework("other", compute=1.15, overlap=0.7, tp_overlap=0.3, spread=0.15),
}
UNKNOWN = Framework("unknown", compute=1.1, overlap=0.75, tp_overlap=0.2, spread=0.18)


def framework_of(name: str | None, constants: Mapping[str, Fact] | None = None) -> Framework:
    """The framework's profile; ``constants`` (catalog) override the shipped factors. ``None``: a wide middle."""
    profile = UNKNOWN if name is None else FRAMEWORKS[name]
    fact = (constants or {}).get(f"framework-{profile.name}-compute")
    return profile if fact is None else replace(profile, compute=fact.si)
