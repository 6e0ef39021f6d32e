"""The file that a launcher takes: its template, the framework's command, and the NCCL settings of the network."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from functools import lru_cache
from string import Template
from typing import Any

from assistant.library import paths, shipped
from assistant.library.checks import known_id
from assistant.network.nccl import Host, environment_of, exported, needed, settings
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.printing import one_line

from .split import Split, known, split_of

# By the launcher its template, and for what its settings are written.
LAUNCHERS = {
    "torchrun": ("torchrun.sh", "shell"),
    "slurm": ("slurm.sh", "slurm"),
    "kubernetes": ("kubernetes.yaml", "kubernetes"),
    "skypilot": ("skypilot.yaml", "shell"),
}
_USUAL = {"megatron": "megatron", "fsdp": "torchtitan", "vllm": "vllm", "sglang": "sglang"}
_BREAK = " \\\n    "


@lru_cache(maxsize=1)
def frameworks() -> dict[str, dict[str, Any]]:
    """What each framework is told, by its name: the files of ``knowledge/launch/frameworks``."""
    found = _documents("frameworks/*.yaml")
    return {name.partition("/")[2].removesuffix(".yaml"): value for name, value in found.items()}


def _accelerators() -> dict[str, str]:
    """What SkyPilot calls a GPU, by its id."""
    return _documents("accelerators.yaml")["accelerators.yaml"]["skypilot"]


def _documents(pattern: str) -> dict[str, Any]:
    return shipped.documents(f"launch-{pattern[0]}", paths.shipped("knowledge") / "launch", pattern)


def written(plan: Plan, catalog: Catalog, launcher: str, framework: str | None = None) -> str:
    """The file that starts the recommended split of a plan with a framework: the one that the plan names, else the
    first for such a job. Raises :class:`InputError` for what cannot be started so."""
    known_id("cluster.gpu", plan.questionnaire["cluster"]["gpu"], catalog.gpus)
    split = split_of(plan, catalog)
    name, told = _framework(plan, split, framework)
    template, form = LAUNCHERS[launcher]
    text = (paths.shipped("knowledge") / "launch" / "launchers" / template).read_text(encoding="utf-8")
    title = f"{told['name']}: {plan.recommendation.card.do if plan.recommendation.card else name}"
    return _filled(
        text,
        title=one_line(title),
        about="\n".join(f"# {one_line(line)}" for line in _about(plan, split, told)),
        nodes=split.nodes,
        last=split.nodes - 1,
        gpus_per_node=split.gpus_per_node,
        array=f"#SBATCH --array=1-{split.copies}" if split.copies > 1 else "",
        sky_gpu=_accelerators().get(plan.questionnaire["cluster"]["gpu"], "<accelerator>"),
        settings="\n".join(map(one_line, _settings(plan, split, catalog, form))),
        command=_command(told, split, plan),
    )


def _framework(plan: Plan, split: Split, asked: str | None) -> tuple[str, dict[str, Any]]:
    of = "serving" if split.serves else "training"
    fit = [name for name, one in frameworks().items() if one["of"] == of]
    said = known(plan, "inference.engine" if split.serves else "training.framework")
    name = _USUAL.get(asked, asked) if asked else _USUAL.get(str(said), fit[-1] if split.serves else "torchtitan")
    if name not in fit:
        raise InputError(
            f'expected a framework for {of}: {", ".join(fit)}, got "{asked or name}"', Place("--framework")
        )
    told = frameworks()[name]
    if not split.serves and split.facts["strategy"] not in told["strategies"]:
        raise InputError(f"{told['name']} has no {split.facts['strategy']}", Place("--framework"))
    if name == "vllm" and split.serves and split.nodes > 1 and split.facts["attention_replicas"] > 1:
        raise InputError("attention replicas over several nodes are written for sglang alone", Place("--framework"))
    return name, told


def _about(plan: Plan, split: Split, told: dict[str, Any]) -> Iterator[str]:
    yield f"Made from a plan of {plan.date}. What stands in angle brackets is for you to fill in."
    if split.copies > 1:
        yield f"It starts one of {split.copies} copies."
    yield f"Arguments checked against: {told['source']}."
    for one in told["arguments"]:
        if "unchecked" in one and _argument(one, split, told, plan):
            yield f"Not checked: {one['name']} ({one['unchecked']})."
    for note in [*told["notes"], *(told.get("notes_on_several", ()) if split.nodes > 1 else ())]:
        yield note.format_map(split.facts)


def _command(told: dict[str, Any], split: Split, plan: Plan) -> str:
    program = told["program"].format_map(split.facts)
    arguments = [text for one in told["arguments"] if (text := _argument(one, split, told, plan))]
    if split.serves:
        several = [told["on_several"].format_map(split.facts)] if split.nodes > 1 else []
        return _BREAK.join([program, *several, *arguments])
    meet = '--rdzv-backend c10d --rdzv-id weft --rdzv-endpoint "$HEAD:29500"' if split.nodes > 1 else "--standalone"
    start = f"torchrun --nnodes {split.nodes} --nproc-per-node {split.gpus_per_node} {meet}"
    return _BREAK.join([start, program, *arguments])


def _argument(one: dict[str, Any], split: Split, told: dict[str, Any], plan: Plan) -> str:
    """An argument with its value; nothing where the plan knows none, or it is the framework's own."""
    names = told.get("models", {}).get(plan.questionnaire["model"], told.get("otherwise", {}))
    facts = {**split.facts, **names}
    value = facts[one["value"].strip("{}")]
    if value is None or (one.get("flag") and not value):
        return ""
    if one.get("flag"):
        return one["name"]
    text = one["words"].get(str(value), "") if "words" in one else str(value)
    text = re.sub(r"""["'`$\\]""", "", one_line(text))  # of a plan file that was written by hand: nothing for a shell
    if text == one.get("left_out", ""):
        return ""
    return f"{one['name']} {text}" if re.fullmatch(r"[\w./:-]+", text) else f'{one["name"]} "{text}"'


def _settings(plan: Plan, split: Split, catalog: Catalog, form: str) -> Iterator[str]:
    """The NCCL settings as ``weft nccl env`` has them, each below its reason; of one node the debug line alone."""
    fabric, gpu = catalog.fabrics.get(plan.recommendation.fabric), catalog.gpus[plan.questionnaire["cluster"]["gpu"]]
    if fabric is None:
        return
    provider = plan.taken.provider if plan.taken else known(plan, "cluster.provider")
    host = Host(provider=provider if provider in catalog.providers else None, form=form)
    around = environment_of(fabric, gpu, host) if split.nodes > 1 else None
    if needs := needed(around, gpu):
        yield f"# It needs: {needs}"
    yield from around.first(form) if around else ()
    for setting in settings(fabric, gpu, split.nodes, host):
        yield from textwrap.wrap(f"# {setting.reason}", 118, subsequent_indent="# ")
        yield exported(setting)[-1]


def _filled(template: str, **values: Any) -> str:
    """The template; what has several lines stands as deep as its place."""
    lines: list[str] = []
    for line in template.splitlines():
        text = Template(line).substitute(values)
        indent = line[: len(line) - len(line.lstrip())]
        if line.strip() != "$array" or text.strip():
            lines.append(text.replace("\n", f"\n{indent}"))
    return re.sub(r"[ \t]+$", "", "\n".join(lines), flags=re.M) + "\n"
