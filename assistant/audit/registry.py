"""Formulas by name, and how the inputs of a claim reach them.

An input is a number, a count (``70e9``), a quantity with a unit (``400 Gb/s``) or an id of the catalog
(``qwen2.5-7b``); a formula sees SI units and gives SI units.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assistant.vocabulary.catalog import UNITS, Catalog
from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.quantities import count, shown, split

# Units a claim may speak in beside those of the catalog. Formulas count days in days and money in dollars.
MORE_UNITS = {
    "kW-h": 1.0,
    "weeks": 7.0,
    "TFLOP": 1e12,
    "million": 1e6,
    "billion": 1e9,
    "times": 1.0,
    "tokens/s": 1.0,
    "GPUs": 1.0,
    "nodes": 1.0,
    "steps": 1.0,
    "USD/GPU-month": 1.0,
    "providers": 1.0,
    "collectives": 1.0,
    "copies": 1.0,
    "Mb/s": 1e6 / 8,
}
ALL_UNITS = UNITS | MORE_UNITS


@dataclass(frozen=True)
class Formula:
    """A named formula; its docstring's first line is what a reader is shown."""

    name: str
    function: Callable[..., float]

    @property
    def says(self) -> str:
        return (inspect.getdoc(self.function) or "").splitlines()[0]

    @property
    def parameters(self) -> dict[str, inspect.Parameter]:
        return dict(inspect.signature(self.function).parameters)


FORMULAS: dict[str, Formula] = {}


def formula(function: Callable[..., float]) -> Callable[..., float]:
    """Register a function under its own name."""
    FORMULAS[function.__name__] = Formula(function.__name__, function)
    return function


def quantity(value: float | str) -> float:
    """A number in SI units: ``140 GB`` → 1.4e11, ``70e9`` → 7e10. Raises ``ValueError`` for an unknown unit."""
    number, unit = split(value)
    if unit == "B":
        raise ValueError(
            f"expected billions as 7e9 and bytes as a plain number, got {shown(value)}, which may be either"
        )
    if unit in ALL_UNITS:
        return number * ALL_UNITS[unit]
    return count(value)


def evaluate(name: str, inputs: dict[str, float | str], unit: str, catalog: Catalog, where: str) -> float:
    """The formula's value in ``unit``. Raises :class:`KnowledgeError` that begins with ``where`` for what cannot be
    computed."""
    if name not in FORMULAS:
        raise KnowledgeError(f"{where}: unknown formula {shown(name)}; known: {', '.join(FORMULAS)}")
    if unit not in ALL_UNITS:
        raise KnowledgeError(f"{where}: unknown unit {shown(unit)}; known: {', '.join(ALL_UNITS)}")
    try:
        return float(FORMULAS[name].function(**_arguments(FORMULAS[name], inputs, catalog))) / ALL_UNITS[unit]
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise KnowledgeError(f"{where}: {name} cannot be computed: {error}") from None


def _arguments(chosen: Formula, inputs: dict[str, float | str], catalog: Catalog) -> dict[str, Any]:
    known, rest = chosen.parameters, any(p.kind is p.VAR_KEYWORD for p in chosen.parameters.values())
    unknown = [name for name in inputs if name not in known]
    if unknown and not rest:
        raise ValueError(f"unknown input {shown(unknown[0])}, expected {', '.join(n for n in known if n != 'catalog')}")
    words = {name for name, parameter in known.items() if parameter.annotation == "str"}
    given = {name: value if name in words else quantity(value) for name, value in inputs.items()}
    return ({"catalog": catalog} if "catalog" in known else {}) | given
