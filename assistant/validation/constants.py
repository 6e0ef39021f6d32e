"""The constants that are calibrated, by name, and how they are put into a run's machine and framework.

``hopper/gemm_efficiency`` is of a GPU family, ``kernel/tile`` shared by all families, ``fsdp/compute`` of a framework
and ``megatron/tp_overlap/a100`` of a framework on one family. Units are those of the model (seconds, fractions,
factors).
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from assistant.model.framework import CALIBRATED, FRAMEWORKS, PRACTICE, Framework, framework_of
from assistant.model.kernels import KernelConstants, kernels_from
from assistant.model.layout import Layouts
from assistant.model.network import Networks
from assistant.model.search import layouts_for
from assistant.model.step import steps
from assistant.model.validation import Run
from assistant.vocabulary.catalog import Catalog

from .split import family_of

Values = dict[str, float]
EFFICIENCIES = ("gemm_efficiency", "attention_efficiency", "kernel_launch")
# The entry that is read for a family.
MEMBER = {
    "v100": "v100-sxm",
    "a100": "a100-sxm-80gb",
    "hopper": "h100-sxm",
    "blackwell": "b200",
    "blackwell-ultra": "b300",
}
EAGER = "fsdp"  # the stack whose factors another one takes over when no run of it may be used
TAKEN_OVER = ("deepspeed", "other")
HABITS = CALIBRATED

# Not fitted: tensor-parallel overlap came with Transformer Engine's user buffers, after the A100 runs that were
# published.
HELD = {"megatron/tp_overlap/a100": 0.0}

# Where the fit starts and what resists it: shares of the peak that training kernels reach, a millisecond per launched
# layer.
FIRST_EFFICIENCY = {"gemm_efficiency": 0.75, "attention_efficiency": 0.45, "kernel_launch": 1e-3}


def first_values() -> Values:
    """Where calibration starts, whatever is shipped."""
    values = {f"{family}/{name}": value for family in MEMBER for name, value in FIRST_EFFICIENCY.items()}
    values |= {f"kernel/{field.name}": float(getattr(KernelConstants, field.name)) for field in fields(KernelConstants)}
    for name, profile in FRAMEWORKS.items():
        values |= {f"{name}/{habit}": float(getattr(profile, habit)) for habit in HABITS}
    return values | HELD


def shipped(catalog: Catalog) -> Values:
    """The values in the catalog."""
    values: Values = {}
    for family, gpu in MEMBER.items():
        values |= {f"{family}/{name}": getattr(catalog.gpus[gpu].calibration, name).si for name in EFFICIENCIES}
    values |= {f"kernel/{name}": value for name, value in vars(kernels_from(catalog.constants)).items()}
    for name in FRAMEWORKS:
        profile = framework_of(name, MEMBER["hopper"], catalog.constants)
        values |= {f"{name}/{habit}": getattr(profile, habit) for habit in HABITS}
    values[f"megatron/{PRACTICE}"] = framework_of("megatron", MEMBER["hopper"], catalog.constants).practice
    return values | HELD


@dataclass(frozen=True)
class Prepared:
    """A run with the parts of its prediction that no calibrated constant changes."""

    run: Run
    layouts: Layouts
    networks: Networks
    family: str
    framework: Framework

    @property
    def source(self) -> str:
        """Where the run was published."""
        return self.run.source


def prepared(run: Run) -> Prepared:
    """The run, its layouts and network worked out once."""
    return Prepared(
        run,
        layouts_for(run.job, run.machine, run.parallelism),
        Networks([run.network]),
        family_of(run.machine.gpu),
        run.machine.framework(run.job.framework),
    )


def predicted(one: Prepared, values: Mapping[str, float]) -> float:
    """Seconds per step with these constants; what ``values`` lacks stays as it is shipped."""
    machine = one.run.machine
    changes = {name: values[f"{one.family}/{name}"] for name in EFFICIENCIES if f"{one.family}/{name}" in values}
    names = [field.name for field in fields(KernelConstants) if f"kernel/{field.name}" in values]
    kernels = {name: values[f"kernel/{name}"] for name in names}
    machine = replace(machine, kernels=replace(machine.kernels, **kernels), **changes)
    total = steps(one.run.job, machine, one.networks, one.layouts, framework=_framework(one, values)).total
    return float(np.min(total))


def _framework(one: Prepared, values: Mapping[str, float]) -> Framework:
    profile, changes = one.framework, {}
    for habit in HABITS:
        for name in (f"{profile.name}/{habit}/{one.family}", f"{profile.name}/{habit}"):
            if name in values:
                changes[habit] = values[name]
                break
    return replace(profile, **changes)
