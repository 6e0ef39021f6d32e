"""The formulas of ``knowledge/formulas.yaml``, and how the inputs of a claim reach them.

An input is a number, a count (``70e9``), a quantity with a unit (``400 Gb/s``) or an id of the catalog
(``qwen2.5-7b``); a formula sees SI units and gives SI units.
"""

import ast
import operator
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from assistant.library import paths, shipped
from assistant.vocabulary.catalog import UNITS, Catalog
from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.quantities import HOURS_PER_MONTH, count, shown, split

from .functions import PLAIN, Function, of_catalog

# Units a claim may speak in beside those of the catalog. Formulas count days in days and money in dollars.
_COUNTED = "times tokens/s GPUs nodes steps USD/GPU-month providers collectives copies kW-h".split()
MORE_UNITS = {"weeks": 7.0, "TFLOP": 1e12, "million": 1e6, "billion": 1e9, "Mb/s": 1e6 / 8}
ALL_UNITS = UNITS | dict.fromkeys(_COUNTED, 1.0) | MORE_UNITS
# Inputs that are text; every other one is a number.
WORDS = frozenset("kind model precision gpu fabric strategy framework switches_add".split())
_CONSTANTS = {"hours_per_month": HOURS_PER_MONTH}
_ALL = "inputs"  # stands for whatever a claim gives
_OPERATORS: dict[type[ast.operator], Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


class Formula(BaseModel):
    """An entry of the file: what a reader is shown, the arithmetic, inputs that may be left away."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    says: str
    arithmetic: str = Field(alias="is")
    otherwise: dict[str, float | str] = {}

    @cached_property
    def tree(self) -> ast.expr:
        """The arithmetic, read."""
        return ast.parse(self.arithmetic, mode="eval").body

    @property
    def inputs(self) -> list[str]:
        """The names of its inputs, as they stand in it."""
        names = sorted((n for n in ast.walk(self.tree) if isinstance(n, ast.Name)), key=lambda name: name.col_offset)
        called = {n.func for n in ast.walk(self.tree) if isinstance(n, ast.Call)}
        return list(dict.fromkeys(name.id for name in names if name not in called and name.id not in _CONSTANTS))


@lru_cache(maxsize=1)
def formulas() -> dict[str, Formula]:
    """Every formula by its name, in the order of the file."""
    read = shipped.documents("formulas", paths.shipped("knowledge"), "formulas.yaml")["formulas.yaml"]
    return {name: Formula.model_validate(entry) for name, entry in read.items()}


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


def evaluate(name: str, inputs: Mapping[str, float | str], unit: str, catalog: Catalog, where: str) -> float:
    """The formula's value in ``unit``. Raises :class:`KnowledgeError` that begins with ``where`` for what cannot be
    computed."""
    if name not in formulas():
        raise KnowledgeError(f"{where}: unknown formula {shown(name)}; known: {', '.join(formulas())}")
    if unit not in ALL_UNITS:
        raise KnowledgeError(f"{where}: unknown unit {shown(unit)}; known: {', '.join(ALL_UNITS)}")
    formula = formulas()[name]
    try:
        found = _value(formula.tree, _given(formula, inputs) | _CONSTANTS, PLAIN | of_catalog(catalog))
        return float(found) / ALL_UNITS[unit]
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise KnowledgeError(f"{where}: {name} cannot be computed: {error}") from None


def _given(formula: Formula, inputs: Mapping[str, float | str]) -> dict[str, Any]:
    """The inputs in SI units. Raises ``ValueError`` for one too many or too few."""
    values = {name: value if name in WORDS else quantity(value) for name, value in inputs.items()}
    if formula.inputs == [_ALL]:
        return {_ALL: list(values.values())}
    for name in (*inputs, *formula.inputs):
        if name not in formula.inputs:
            raise ValueError(f"unknown input {shown(name)}, expected {', '.join(formula.inputs)}")
        if name not in (*inputs, *formula.otherwise):
            raise ValueError(f"expected the input {name}")
    return formula.otherwise | values


def _value(node: ast.expr, names: Mapping[str, Any], functions: Mapping[str, Function]) -> Any:
    """The value of an expression of numbers, names, operators and calls. Raises ``ValueError`` for any other."""
    match node:
        case ast.Constant(value):
            return value
        case ast.Name(name):
            return names[name]
        case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, names, functions), _value(right, names, functions))
        case ast.Call(ast.Name(name), arguments, []):
            return functions[name](*(_value(one, names, functions) for one in arguments))
    raise ValueError(f"expected numbers, names, + - * / ** and calls, got {ast.unparse(node)}")
