"""The registry of fields: what the house knows of each field of the questionnaire, as metadata of the pydantic field.

Names and units in texts, keyed values, corrections, taking back, relative changes, limits that make sense and the JSON
Schema are derived from it; wordings that need more than a name stand in ``knowledge/language/fields/``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

Kind = Literal["amount", "count", "money", "time", "choice", "flag", "id", "list"]
NUMERIC: frozenset[Kind] = frozenset({"amount", "count", "money", "time"})


@dataclass(frozen=True)
class About:
    """One field. ``unit`` is how a value is written (``"{} tokens"``); ``span`` the kind of quantity that speaks for
    it.

    ``words`` are what people call it, as templates of :mod:`assistant.understanding.templates`; ``lookalikes`` what
    only looks like it. ``sensible`` are the limits within which nobody wonders: outside of them the person is asked.
    ``asked`` is the shortest question for it; ``assumed`` says what stands in for it where it is not said.
    """

    label: str
    kind: Kind
    asked: str
    assumed: str
    words: tuple[str, ...] = ()
    lookalikes: tuple[str, ...] = ()
    unit: str = "{}"
    span: str = ""
    sensible: tuple[float, float] | None = None
    binary: bool = False  # "8k" means 8,192
    plain: bool = False  # written without separators of thousands: a length, a batch

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Title and meaning for :command:`weft schema questionnaire`."""
        schema = handler(core)
        unit = self.unit.replace("{}", "").strip()
        schema.update(title=self.label, description=f"{self.asked} Without it: {self.assumed}.")
        if unit:
            schema["x-unit"] = unit
        return schema


@dataclass(frozen=True)
class RegisteredField:
    """A field by its dotted path, with what is known of it and the values it may take where they are few."""

    path: str
    about: About
    values: tuple[Any, ...] = ()

    @property
    def section(self) -> str:
        return self.path.rpartition(".")[0]


def registry(root: type[BaseModel]) -> Mapping[str, RegisteredField]:
    """Every field below ``root`` by its dotted path, in the order of the classes."""
    told = ((path, _about(info), _values(info.annotation)) for path, info in _fields(root, ""))
    return MappingProxyType({path: RegisteredField(path, about, values) for path, about, values in told if about})


def unregistered(root: type[BaseModel]) -> list[str]:
    """Paths of fields without an :class:`About`: there must be none."""
    return [path for path, info in _fields(root, "") if _about(info) is None and not section_in(info.annotation)]


def _fields(section: type[BaseModel], prefix: str) -> Iterator[tuple[str, FieldInfo]]:
    for name, info in section.model_fields.items():
        yield prefix + name, info
        inner, about = section_in(info.annotation), _about(info)
        if inner is not None and (
            about is None or about.kind != "list"
        ):  # what stands in a list has no path of its own
            yield from _fields(inner, f"{prefix}{name}.")


def _about(info: FieldInfo) -> About | None:
    return next((entry for entry in info.metadata if isinstance(entry, About)), None)


def section_in(annotation: Any) -> type[BaseModel] | None:
    """The model that a field's annotation holds, in a union, a list or a mapping too; ``None`` where it holds none."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := section_in(part))), None)


def model_at(root: type[BaseModel], path: Iterable[str]) -> type[BaseModel]:
    """The model at a place below ``root``; keys of mappings and positions in lists are passed over."""
    for part in path:
        if part in root.model_fields:
            root = section_in(root.model_fields[part].annotation) or root
    return root


def _kinds(annotation: Any) -> tuple[Any, ...]:
    """The types of a union, without what annotates them."""
    if get_origin(annotation) is Annotated:
        return _kinds(get_args(annotation)[0])
    if get_origin(annotation) is Union or type(annotation).__name__ == "UnionType":
        return tuple(kind for part in get_args(annotation) for kind in _kinds(part))
    return (annotation,)


def _values(annotation: Any) -> tuple[Any, ...]:
    return tuple(value for kind in _kinds(annotation) if get_origin(kind) is Literal for value in get_args(kind))
