"""YAML that a person wrote: every value keeps its line, duplicate keys are refused, aliases are bounded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml
from yaml.composer import Composer

from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.quantities import shown

# A questionnaire has some fifty values; a file that unfolds to more than this is an alias bomb or not ours.
MAX_VALUES = 200_000
MAX_DEPTH = 40
_TOO_MANY = "too many nested or repeated values (aliases are followed only so far)"

LARGEST = 16 * 1024 * 1024  # bytes: a hundred thousand short questionnaires
Lines = dict[tuple[str, ...], int]


_EVENTS: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(Composer, _EVENTS):
    """Events of the C parser, where there is one, composed here: a node too deep, or one too many, ends it at once.
    What C composes by itself it composes by recursion, and a file of brackets ends the interpreter."""

    def __init__(self, text: str, file: str) -> None:
        _EVENTS.__init__(self, text)
        Composer.__init__(self)
        self.file, self.depth, self.nodes = file, 0, 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self.nodes = self.nodes + 1 if parent is not None else 1
        self.depth += 1
        if self.depth > MAX_DEPTH or self.nodes > MAX_VALUES:
            raise InputError(_TOO_MANY, Place(self.file, self.peek_event().start_mark.line + 1))
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


@dataclass(frozen=True)
class Document:
    """One YAML document: its value and the line of every key in it (1-based)."""

    value: Any
    line: int
    lines: Lines

    def line_of(self, path: tuple[str, ...]) -> int:
        """The line of a field, or of the nearest parent that stands in the file."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, self.line)


def documents(text: str, file: str) -> Iterator[Document]:
    """Each document of a YAML stream. Raises :class:`InputError` with file and line for anything unreadable."""
    if len(text) > LARGEST:
        raise InputError(f"expected at most {LARGEST >> 20} MiB of YAML: split it, or write JSON lines", Place(file))
    loader = None
    try:
        loader = _Loader(text, file)
        while loader.check_node():
            yield _document(loader, loader.get_node(), file)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or "unreadable"
        raise InputError(f"not valid YAML: {problem}", Place(file, mark.line + 1 if mark else None)) from None
    except yaml.YAMLError as error:
        raise InputError(f"not valid YAML: {str(error).splitlines()[0]}", Place(file)) from None
    except UnicodeEncodeError:  # half of a character that takes two
        raise InputError("not valid YAML: expected text that can be written as UTF-8", Place(file)) from None
    finally:
        if loader is not None:
            loader.dispose()


def _document(loader: Any, node: Any, file: str) -> Document:
    builder = _Builder(loader, file)
    value = builder.value(node, ())
    return Document(value, node.start_mark.line + 1, builder.lines)


class _Builder:
    """Turns composed nodes into values, noting lines; plain scalars become what the safe loader makes of them."""

    def __init__(self, loader: Any, file: str) -> None:
        self.loader, self.file = loader, file
        self.lines: Lines = {}
        self.seen = 0

    def value(self, node: yaml.Node, path: tuple[str, ...]) -> Any:
        self.seen += 1
        if self.seen > MAX_VALUES or len(path) > MAX_DEPTH:
            raise InputError(_TOO_MANY, self._place(node, path))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(child, (*path, str(i))) for i, child in enumerate(node.value)]
        return self._scalar(node, path)

    def _mapping(self, node: yaml.MappingNode, path: tuple[str, ...]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise InputError("expected a plain word as key", self._place(key_node, path))
            if key_node.tag == "tag:yaml.org,2002:merge":
                raise InputError("merge keys (<<) are not read: write the values out", self._place(key_node, path))
            key, inner = key_node.value, (*path, key_node.value)
            if key in result:
                problem = f"the key stands twice, first on line {self.lines[inner]}"
                raise InputError(problem, self._place(key_node, inner))
            self.lines[inner] = key_node.start_mark.line + 1
            result[key] = self.value(value_node, inner)
        return result

    def _scalar(self, node: yaml.Node, path: tuple[str, ...]) -> Any:
        if node.tag not in _SCALARS:
            problem = f"unknown tag {shown(node.tag)}; accepted: plain text, numbers, true, false, null"
            raise InputError(problem, self._place(node, path))
        sexagesimal = ":" in node.value  # YAML 1.1 reads 2:1 as 121 sixtieths
        if node.tag in _KEPT_AS_TEXT or sexagesimal:
            return node.value
        try:
            return self.loader.construct_object(node)
        except (ValueError, yaml.YAMLError):
            return node.value

    def _place(self, node: yaml.Node, path: tuple[str, ...]) -> Place:
        return Place(self.file, node.start_mark.line + 1, ".".join(path) or None)


_TAG = "tag:yaml.org,2002:"
# Dates and base64 have no place in a questionnaire: what was written is kept as text, and refused where text is wrong.
_KEPT_AS_TEXT = {_TAG + "str", _TAG + "timestamp", _TAG + "value"}
_SCALARS = _KEPT_AS_TEXT | {_TAG + name for name in ("int", "float", "bool", "null")}
