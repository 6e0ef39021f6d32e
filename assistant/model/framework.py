"""What training software adds and hides: kernels, launches, overlap.

The same GPU runs a tuned Megatron and an eager FSDP a quarter apart, so each stack has a few calibrated factors and a
few habits. The factors in use are the catalog's (``knowledge/catalog/constants/framework.yaml``); what stands here is
where their calibration starts. The habits are what the software does by default.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from assistant.vocabulary.catalog import Fact


@dataclass(frozen=True)
class Framework:
    """One training stack.

    ``compute``: factor on compute time against the GPU family's calibrated kernels. ``launch``: factor on the launch
    floor. ``attention``: factor on flash attention besides (older kernels). ``overlap``: share
    of the hideable communication that really disappears; collectives that run beside compute
    take units and memory bandwidth from it, so measured runs show little of it. ``tp_overlap``: the same for
    tensor-parallel communication. ``practice``: compute time of other people's runs against those of the publishers
    whom the factors come from, who show what can be reached. ``practice_spread``, ``stragglers``: standard deviations
    of the logarithm of compute time upwards, of teams whose software is not known and of slow nodes in large jobs.
    ``spread``: standard deviation of the logarithm of compute time within this stack, of one publisher whose level is
    known; ``publishers``: the same from one publisher to the next, ``mixture_spread``: besides, of mixtures of experts
    (``assistant.validation.spreads``).
    """

    name: str
    compute: float = 1.0
    launch: float = 1.0
    attention: float = 1.0
    overlap: float = 0.8
    tp_overlap: float = 0.25
    practice: float = 1.0
    practice_spread: float = 0.0
    stragglers: float = 0.0
    publishers: float = 0.0
    mixture_spread: float = 0.28
    gradient_overlap: bool = True
    step_overhead: float = 0.01  # seconds per optimizer step outside the model: loader, logging, host synchronisation
    spread: float = 0.10
    gradient_memory: float = 4.0  # bytes of one accumulated gradient element
    fused_accumulation: bool = False  # gradients are added to the buffer by the product that makes them
    # sharded gradients are joined, converted and divided by kernels of their own (FlatParameter)
    flat_gradients: bool = False
    stops_early: bool = False  # recomputing a layer ends before its last product, whose output nothing needs
    dispatch_once: bool = False  # tokens travel to each domain once and are copied there
    # tensor-parallel gathers carry what is multiplied, FP8 in FP8 training (Transformer Engine)
    gathers_fp8: bool = False
    # Seconds per expert held and direction in stacks that loop over experts on the host, as Hugging Face's mixtures do;
    # the catalog says how many. Grouped products (torchtitan) have none; a framework's name does not tell.
    expert_launch: float = 0.0

    @property
    def total_spread(self) -> float:
        """The spread of anybody's runs: within those of one publisher, and from one to the next."""
        return math.hypot(self.spread, self.publishers)


CALIBRATED = ("compute", "attention", "launch", "overlap", "tp_overlap")
PRACTICE = "practice"
READ = (*CALIBRATED, PRACTICE, "practice_spread", "spread", "expert_launch")  # what the catalog may say of a stack
_EAGER = Framework(
    "fsdp",
    compute=1.2,
    attention=1.5,
    launch=1.8,
    overlap=0.6,
    tp_overlap=0.15,
    expert_launch=200e-6,
    flat_gradients=True,
    stops_early=True,
    spread=0.12,
)
FRAMEWORKS = {
    "megatron": Framework(
        "megatron",
        step_overhead=0.002,
        dispatch_once=True,
        gradient_memory=2.0,
        fused_accumulation=True,
        gathers_fp8=True,
        spread=0.085,
    ),
    "fsdp": _EAGER,
    "deepspeed": replace(_EAGER, name="deepspeed", stops_early=False, spread=0.15),
    "jax": Framework("jax", compute=1.1),
    "other": replace(_EAGER, name="other", spread=0.1),
}
UNKNOWN = Framework("unknown", compute=1.1, attention=1.2, launch=1.4, spread=0.19, flat_gradients=True)


def framework_of(name: str | None, gpu: str = "", constants: Mapping[str, Fact] | None = None) -> Framework:
    """The framework's profile on a GPU; the catalog's ``constants`` override the factors above.

    ``framework-<name>-<factor>-<family>`` wins over ``framework-<name>-<factor>``; the family is the start of the GPU's
    id.
    """
    profile = UNKNOWN if name is None else FRAMEWORKS[name]
    given = {habit: _fact(profile.name, habit, gpu, constants) for habit in READ}
    facts = constants or {}
    given |= {"stragglers": facts.get(f"cluster-{PRACTICE}-stragglers")}
    given |= {"mixture_spread": facts.get("framework-mixture-spread")}
    if name is not None:  # how far apart stacks are is more than how far apart publishers of one are
        given |= {"publishers": facts.get(f"cluster-{PRACTICE}-publishers")}
    return replace(profile, **{habit: fact.si for habit, fact in given.items() if fact})


def practice_of(name: str | None, gpu: str, constants: Mapping[str, Fact] | None) -> Fact | None:
    """What others than the publishers of a framework's reference runs take longer, where the catalog knows."""
    return _fact(name or UNKNOWN.name, PRACTICE, gpu, constants)


def _fact(framework: str, habit: str, gpu: str, constants: Mapping[str, Fact] | None) -> Fact | None:
    facts, entry = constants or {}, f"framework-{framework}-{habit.replace('_', '-')}"
    return facts.get(f"{entry}-{gpu.split('-')[0]}") or facts.get(entry)
