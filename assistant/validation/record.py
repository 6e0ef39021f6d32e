"""Puts fitted values into the catalog's files: a fact's value and day change; its unit, source and note stand there."""

import datetime
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from assistant.library.files import write_whole
from assistant.model.framework import FRAMEWORKS, PRACTICE
from assistant.model.kernels import KernelConstants
from assistant.vocabulary.catalog import UNITS, Gpu
from assistant.vocabulary.errors import KnowledgeError

from .constants import EFFICIENCIES, HABITS, HELD, Values
from .split import FAMILY, family_of

_PRACTICE_NOTES = (r"(BigScience with )[\d.]+", "others"), (r"(half of the )[\d.]+", "megatron")


def record(values: Values, gpus: Mapping[str, Gpu], catalog: Path, day: datetime.date) -> list[Path]:
    """Write ``values`` into the folder's ``gpus.yaml`` and ``constants/``; returns the files."""
    framework, kernels = catalog / "constants" / "framework.yaml", catalog / "constants" / "kernels.yaml"
    for pattern, whose in _PRACTICE_NOTES:
        noted = re.sub(pattern, rf"\g<1>{values[f'{whose}/{PRACTICE}']:.2f}", framework.read_text(encoding="utf-8"))
        write_whole(framework, noted.encode())
    return [
        rewritten(catalog / "gpus.yaml", efficiencies(values, gpus), day),
        rewritten(framework, framework_constants(values), day),
        rewritten(kernels, kernel_constants(values), day),
    ]


def rewritten(path: Path, values: Mapping[str, float], day: datetime.date) -> Path:
    """The file with other values of its facts; see :func:`with_facts`."""
    write_whole(path, with_facts(path.read_text(encoding="utf-8"), values, day).encode())
    return path


def with_facts(text: str, values: Mapping[str, float], day: datetime.date) -> str:
    """A file of the catalog with these values, in SI units, of facts named ``fact`` or ``entry/fact``.

    Raises :class:`KnowledgeError` for a fact that the file does not have: what it is and where it comes from is said
    there.
    """
    for name, value in values.items():
        entry, _, fact = name.rpartition("/")
        within = rf"{re.escape(entry)}:\n(?:(?: .*)?\n)*? +" if entry else ""
        pattern = rf'(?m)^({within}{re.escape(fact)}: \{{value: )[^,]+(, unit: "?([^",]+)"?, .*?date: )[\d-]+'
        found = re.search(pattern, text)
        if found is None:
            raise KnowledgeError(f"knowledge/catalog: expected a fact {name} with value, unit, source and date")
        written = f"{found[1]}{value / UNITS[found[3]]:.4g}{found[2]}{day}"
        text = text[: found.start()] + written + text[found.end() :]
    return text


def efficiencies(values: Values, gpus: Mapping[str, Gpu]) -> dict[str, float]:
    """Facts of ``gpus.yaml``: the families' efficiencies, of GPUs that take over a measured relative's too."""
    found = {}
    for ident, gpu in gpus.items():
        known = ident.split("-")[0] in FAMILY
        family = family_of(ident if known else gpu.calibration.relative or ident)
        if f"{family}/gemm_efficiency" in values:
            found |= {f"{ident}/{name}": values[f"{family}/{name}"] for name in EFFICIENCIES}
    return found


def kernel_constants(values: Values) -> dict[str, float]:
    """Facts of ``kernels.yaml``: constants that all GPU families share."""
    return {f"kernel-{_dashed(field.name)}": values[f"kernel/{field.name}"] for field in fields(KernelConstants)}


def framework_constants(values: Values) -> dict[str, float]:
    """Facts of ``framework.yaml``: what training software adds to the kernels and hides of the communication.

    A stack that is not known is the geometric middle of Megatron and FSDP, which takes nothing longer than measured.
    """
    middle = {f"unknown/{habit}": (values[f"megatron/{habit}"] * values[f"fsdp/{habit}"]) ** 0.5 for habit in HABITS}
    middle[f"unknown/{PRACTICE}"] = values[f"megatron/{PRACTICE}"] ** 0.5
    told = [*(f"{stack}/{habit}" for stack in FRAMEWORKS for habit in HABITS), *HELD, f"megatron/{PRACTICE}"]
    found = {name: values[name] for name in told} | middle
    return {f"framework-{_dashed(name)}": value for name, value in found.items()}


def _dashed(name: str) -> str:
    return name.replace("_", "-").replace("/", "-")
