"""Puts calibrated values into the catalog's files, each with the rows it comes from and the day."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from assistant.model.framework import FRAMEWORKS, PRACTICE
from assistant.model.kernels import KernelConstants

from .constants import EFFICIENCIES, HABITS, HELD, TAKEN_OVER, Values
from .split import FAMILY, family_of
from .stages import STAGES

ROWS = {
    "a100": "llm-foundry A100, vTrain and BigScience",
    "v100": "OneFlow",
    "hopper": "dgxc, Megatron-Bridge and NeMo (dense, H100), llm-foundry H100 and Ultrascale",
    "blackwell": "dgxc and Megatron-Bridge (dense, B200 and GB200)",
    "blackwell-ultra": "Megatron-Bridge (dense, GB300)",
    "mixtures": "mixture models of dgxc and Megatron-Bridge",
}
_STACK_ROWS = {
    "fsdp": "llm-foundry",
    "other": "Ultrascale (nanotron)",
    "jax": "dgxc (Paxml, MaxText)",
    "megatron": "dgxc, Megatron-Bridge and NeMo",
    "deepspeed": "BigScience (Megatron-DeepSpeed)",
}
_FITTED = "derived: fitted to measured step times"
_COUNTED = {
    "fp8_casts": "derived: 2 bytes read, and 1 written for each of two layouts (forward product, weight gradient), "
    "held fixed",
    "grouped": "derived: what grouped products of libraries reach, held fixed in the fit",
    "score_passes": "derived: counted in Megatron's unfused attention with fused softmax and dropout, held fixed in "
    "the fit",
}
_SHOWN = 4


def record(values: Values, catalog: Path, day: datetime.date) -> list[Path]:
    """Write ``values`` into the folder's ``gpus.yaml`` and ``constants/``; returns the files."""
    gpus, constants = catalog / "gpus.yaml", catalog / "constants"
    framework, kernels = constants / "framework.yaml", constants / "kernels.yaml"
    gpus.write_text(with_efficiencies(gpus.read_text(encoding="utf-8"), values, day), encoding="utf-8")
    framework.write_text(framework_constants(values, day), encoding="utf-8")
    kernels.write_text(kernel_constants(values, day), encoding="utf-8")
    return [gpus, framework, kernels]


def with_efficiencies(text: str, values: Values, day: datetime.date) -> str:
    """The GPU catalog with the families' efficiencies; entries that take over a measured relative's follow it."""
    blocks = re.split(r"(?m)^(?=[a-z0-9-]+:\n)", text)
    return "".join(_block(block, values, day) for block in blocks)


def _block(block: str, values: Values, day: datetime.date) -> str:
    gpu = block.split(":", 1)[0]
    relative = re.search(r"(?m)^    relative: (\S+)$", block)
    family = family_of(gpu) if gpu.split("-")[0] in FAMILY else family_of(relative[1]) if relative else gpu
    if f"{family}/gemm_efficiency" not in values:
        return block
    taken = relative[1] if relative and relative[1] != "null" else None
    source = f"derived: taken over from {taken}" if taken else _FITTED
    for name in EFFICIENCIES:
        value, unit = values[f"{family}/{name}"], "fraction"
        if name == "kernel_launch":
            value, unit = value * 1e6, "us"
        line = f"    {name}: " + fact_text(value, unit, source, day, _note(ROWS[family]))
        block = re.sub(rf"(?m)^    {name}: .*$", lambda _, line=line: line, block)
    return re.sub(r"(?m)^(    memory_efficiency: .*date: )\S+, note: .*$", rf"\g<1>{day}}}", block)


def _note(rows: str) -> str:
    return f"calibration rows of {rows} in measurements/training.csv"


def fact_text(value: float, unit: str, source: str, day: datetime.date, note: str = "") -> str:
    """A fact as a file of the catalog has it, on one line."""
    noted = f', note: "{note}"' if note else ""
    return f'{{value: {value:.{_SHOWN}g}, unit: "{unit}", source: "{source}", date: {day}{noted}}}'


def kernel_constants(values: Values, day: datetime.date) -> str:
    """``kernels.yaml``: constants that all GPU families share."""
    lines = [
        "# What kernels cost beyond a GPU family's efficiencies; see assistant/model/kernels.py for their meaning.",
        "# Written by python -m assistant.validation.calibration --write.",
        "",
    ]
    for field in fields(KernelConstants):
        rows = {
            "fp8_efficiency": "hopper",
            "fp8_launch": "hopper",
            "permute_passes": "mixtures",
            "mixture_launch": "mixtures",
        }.get(field.name, "a100")
        name = "kernel-" + field.name.replace("_", "-")
        fitted = any(f"kernel/{field.name}" in stage.names for stage in STAGES)
        source, note = (_FITTED, _note(ROWS[rows])) if fitted else (_COUNTED[field.name], "")
        value, unit = values[f"kernel/{field.name}"], "1"
        if field.name == "tp_wait":
            value, unit = value * 1e6, "us"
        lines.append(f"{name}: " + fact_text(value, unit, source, day, note))
    return "\n".join(lines) + "\n"


def framework_constants(values: Values, day: datetime.date) -> str:
    """``framework.yaml``: what training software adds to the kernels and hides of the communication."""
    lines = [
        "# What training software adds to the GPU family's kernels: factors on compute time, on flash attention and "
        "on the",
        "# launch floor; and the share of communication beside compute that disappears. 1 is tuned Megatron on Hopper "
        "and",
        "# the Megatron of vTrain on A100. Written by python -m assistant.validation.calibration --write.",
        "",
    ]
    for stack in FRAMEWORKS:
        lines += [
            f"framework-{stack}-{habit.replace('_', '-')}: " + _framework_fact(stack, habit, values, day)
            for habit in HABITS
        ]
    middle = {habit: (values[f"megatron/{habit}"] * values[f"fsdp/{habit}"]) ** 0.5 for habit in HABITS}
    lines += [
        f"framework-unknown-{habit.replace('_', '-')}: "
        + fact_text(value, "1", "derived: geometric middle of megatron and fsdp", day)
        for habit, value in middle.items()
    ]
    lines += [
        f"framework-{name.replace('_', '-').replace('/', '-')}: "
        + fact_text(
            value, "1", "derived: overlap by user buffers (Transformer Engine) came after the published A100 runs", day
        )
        for name, value in HELD.items()
    ]
    return "\n".join(lines + _practice(values, day) + _experts(day)) + "\n"


def _practice(values: Mapping[str, float], day: datetime.date) -> list[str]:
    """What other users of Megatron take longer, and half of it (in logarithms) where the stack is not known."""
    value, others = values[f"megatron/{PRACTICE}"], values[f"others/{PRACTICE}"]
    known = fact_text(
        value,
        "1",
        "derived: geometric mean over publishers of what their compute takes",
        day,
        "the mean of three publishers, NVIDIA and vTrain, whose runs are the reference, and BigScience with "
        f"{others:.2f}",
    )
    unknown = fact_text(
        value**0.5,
        "1",
        "derived: geometric middle of megatron and fsdp",
        day,
        f"half of the {value:.2f} that Megatron takes in the mean of NVIDIA, vTrain and BigScience, as the stack was "
        "not said",
    )
    held = fact_text(1.0, "1", "derived: the efficiencies of V100 come from the only publisher who measured it", day)
    return [
        f"framework-megatron-{PRACTICE}: {known}",
        f"framework-unknown-{PRACTICE}: {unknown}",
        f"framework-megatron-{PRACTICE}-v100: {held}",
        f"framework-unknown-{PRACTICE}-v100: {held}",
    ]


def _experts(day: datetime.date) -> list[str]:
    """What a loop over experts costs the host in eager stacks."""
    return [
        f"framework-{name}-expert-launch: "
        + fact_text(
            profile.expert_launch * 1e6,
            "us",
            "derived: assumed, some twenty launches of 10 us per expert and direction",
            day,
        )
        for name, profile in FRAMEWORKS.items()
        if profile.expert_launch
    ]


def _framework_fact(stack: str, habit: str, values: Mapping[str, float], day: datetime.date) -> str:
    value = values[f"{stack}/{habit}"]
    if stack == "megatron" and habit in ("compute", "attention", "launch"):
        return fact_text(value, "1", "derived: the reference that GPU efficiencies are calibrated with", day)
    if stack == "jax" and habit in ("attention", "launch", "tp_overlap"):
        return fact_text(value, "1", "derived: taken over from the reference, no row of it tells", day)
    if stack in TAKEN_OVER and (
        stack not in _STACK_ROWS
        or habit not in ("compute", "tp_overlap")
        or (stack, habit) == ("deepspeed", "tp_overlap")
    ):
        return fact_text(value, "1", "derived: taken over from fsdp, eager PyTorch likewise", day)
    if stack == "fsdp" and habit == "tp_overlap":
        return fact_text(value, "1", "derived: where the fit starts, no row of it with tensor parallel", day)
    rows = "llm-foundry and Ultrascale" if habit == "launch" else _STACK_ROWS[stack]
    return fact_text(value, "1", _FITTED, day, _note(rows))
