"""A validation error as one sentence: what was given and what would be accepted."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.quantities import shown
from assistant.vocabulary.questionnaire import Questionnaire

# Pydantic names the branch of a union in an error's place; a reader knows only the fields.
_BRANCHES = ("ModelShape", "Parallelism", "function-", "literal[", "constrained-")
_CHOICES = {
    ("model",): "a model id, or {params: …}, or layers, hidden, heads, ffn, vocab",
    ("parallelism",): "auto, or {strategy: …, tp: …, pp: …, cp: …, ep: …}",
}


def sentence(error: ValidationError, value: Any) -> InputError:
    """The first problem of a questionnaire that is worth reading, with its field."""
    problems = [_fields_only(problem) for problem in error.errors()]
    first = _likeliest(problems, value)
    path, extra = first["path"], len({p["path"] for p in problems} - {first["path"]})
    text = _text(first, value)
    if extra and len(path) and not _in_union(path):
        text += f" (and {extra} more)"
    return InputError(text, Place(field=".".join(path) or None))


def _fields_only(problem: Mapping[str, Any]) -> dict[str, Any]:
    path = tuple(str(part) for part in problem["loc"] if not str(part).startswith(_BRANCHES))
    return {**problem, "path": path, "branch": [str(p) for p in problem["loc"] if str(p).startswith(_BRANCHES)]}


def _in_union(path: tuple[str, ...]) -> bool:
    return path[:1] in _CHOICES


def _likeliest(problems: list[dict[str, Any]], value: Any) -> dict[str, Any]:
    """Unknown keys first (a misspelt key explains a missing one); in a union the branch the value has the shape of."""

    def rank(problem: dict[str, Any]) -> tuple[bool, bool]:
        path = problem["path"]
        given = _at(value, path[:1]) if _in_union(path) else None
        about_section = any(name in branch for branch in problem["branch"] for name in ("ModelShape", "Parallelism"))
        return _in_union(path) and isinstance(given, dict) != about_section, problem["type"] != "extra_forbidden"

    return min(problems, key=rank)


def _text(problem: dict[str, Any], value: Any) -> str:
    kind, given, context = problem["type"], problem.get("input"), problem.get("ctx", {})
    path = problem["path"]
    if kind == "value_error":
        return problem["msg"].removeprefix("Value error, ")
    if kind == "missing":
        return f"is needed and was not given; accepted: {_accepted(path)}"
    if kind == "extra_forbidden":
        return _unknown_key(path)
    if path in _CHOICES and not isinstance(given, dict):
        return f"expected {_CHOICES[path]}, got {shown(given)}"
    expected = _expected(kind, context)
    if expected is None:
        expected = _accepted(path)
    return f"expected {expected}, got {shown(given)}"


def _expected(kind: str, context: dict[str, Any]) -> str | None:
    if kind == "literal_error":
        return "one of " + str(context["expected"]).replace("'", "").replace(" or ", ", ")
    bounds = {
        "greater_than_equal": ("at least", "ge"),
        "greater_than": ("more than", "gt"),
        "less_than_equal": ("at most", "le"),
        "less_than": ("less than", "lt"),
    }
    if kind in bounds:
        words, key = bounds[kind]
        return f"{words} {context[key]:g}"
    lengths = {"string_too_short": "some text", "string_too_long": f"at most {context.get('max_length')} characters"}
    if kind in lengths:
        return lengths[kind]
    return {"string_type": "text", "bool_type": "true or false", "finite_number": "a finite number"}.get(kind)


def _accepted(path: tuple[str, ...]) -> str:
    field = _model_at(path[:-1])
    if field is None or path[-1] not in field.model_fields:
        return "a value"
    known = {
        "workload": "pretraining, finetuning, rlhf, inference, disaggregated-inference, batch-inference",
        "model": _CHOICES["model",],
        "gpu": "a GPU id such as h100-sxm",
        "gpus": "a whole number of at least 1",
    }
    annotation = field.model_fields[path[-1]].annotation
    section = _section(annotation)
    if section is not None:
        return f"keys and values ({', '.join(section.model_fields)})"
    return known.get(path[-1], "another value")


def _unknown_key(path: tuple[str, ...]) -> str:
    model = _model_at(path[:-1])
    names = list(model.model_fields) if model else []
    near = difflib.get_close_matches(path[-1], names, n=1, cutoff=0.7)
    return f"unknown key; did you mean {near[0]}?" if near else f"unknown key; known here: {', '.join(names)}"


def _model_at(path: tuple[str, ...]) -> type[BaseModel] | None:
    model: type[BaseModel] | None = Questionnaire
    for part in path:
        model = _section(model.model_fields[part].annotation) if model and part in model.model_fields else None
    return model


def _section(annotation: Any) -> type[BaseModel] | None:
    for option in (annotation, *get_args(annotation)):
        if isinstance(option, type) and issubclass(option, BaseModel):
            return option
    return None


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return value
