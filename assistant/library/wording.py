"""A validation error as one sentence: what was given and what would be accepted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError

from assistant.vocabulary.errors import InputError, Place, did_you_mean
from assistant.vocabulary.fields import model_at, section_in
from assistant.vocabulary.quantities import shown
from assistant.vocabulary.questionnaire import Questionnaire

# Pydantic names the branch of a union in an error's place; a reader knows only the fields.
_BRANCHES = ("ModelShape", "Parallelism", "function-", "literal[", "constrained-")
_CHOICES = {
    ("model",): "a model id, or {params: …}, or layers, hidden, heads, ffn, vocab",
    ("parallelism",): "auto, or {strategy: …, tp: …, pp: …, cp: …, ep: …}",
}


def sentence(error: ValidationError, value: Any, root: type[BaseModel] = Questionnaire) -> InputError:
    """The first problem of a questionnaire, or of another ``root``, that is worth reading, with its field."""
    problems = [_fields_only(problem) for problem in error.errors(include_url=False)]
    first = _likeliest(problems, value)
    path, extra = first["path"], len({p["path"] for p in problems} - {first["path"]})
    text = _text(first, root)
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


def _text(problem: dict[str, Any], root: type[BaseModel]) -> str:
    kind, given, path = problem["type"], problem.get("input"), problem["path"]
    if kind == "missing":
        return f"is needed and was not given; accepted: {_accepted(path, root)}"
    if path in _CHOICES and not isinstance(given, dict) and kind not in ("value_error", "extra_forbidden"):
        return f"expected {_CHOICES[path]}, got {shown(given)}"
    return told(problem, root, path, _accepted(path, root))


def told(problem: Mapping[str, Any], root: type[BaseModel], path: tuple[str, ...], otherwise: str) -> str:
    """What is wrong with a value below ``root``; ``otherwise``: what is accepted where its kind says nothing."""
    if problem["type"] == "value_error":
        return problem["msg"].removeprefix("Value error, ")
    if problem["type"] == "extra_forbidden":
        fields = model_at(root, path[:-1]).model_fields
        return unknown_key(path[-1], [about.alias or name for name, about in fields.items()])
    given, context = problem["input"], problem.get("ctx", {})
    many = problem["type"] == "too_long" and isinstance(given, list)
    got = f"{len(given):,} of them" if many else shown(given)
    return f"expected {_expected(problem['type'], context) or otherwise}, got {got}"


def unknown_key(key: str, known: Collection[str]) -> str:
    """That there is no such key, with the nearest that is there."""
    return "unknown key" + did_you_mean(key, known, f"known here: {', '.join(known)}", like=0.7)


def _expected(kind: str, context: dict[str, Any]) -> str | None:
    if kind == "literal_error":
        return "one of " + str(context["expected"]).replace("'", "").replace(" or ", ", ")
    bounds = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    bound = next((key for key in bounds if key in context), None)
    if bound is not None:
        return f"{bounds[bound]} {context[bound]:g}"
    most, one = context.get("max_length"), "entries" if context.get("field_type") == "List" else "characters"
    lengths = {"string_too_short": "some text", "string_too_long": f"at most {most} characters"}
    lengths["too_long"] = f"at most {most} {one}"
    if kind in lengths:
        return lengths[kind]
    kinds = {"float": "a number", "finite": "a finite number", "int": "a whole number", "string": "text"}
    return (kinds | {"bool": "true or false", "list": "a list"}).get(kind.partition("_")[0])


def _accepted(path: tuple[str, ...], root: type[BaseModel]) -> str:
    fields = model_at(root, path[:-1]).model_fields
    if not path or path[-1] not in fields:
        return "a value"
    known = {
        "workload": "pretraining, finetuning, rlhf, inference, disaggregated-inference, batch-inference",
        "model": _CHOICES["model",],
        "gpu": "a GPU id such as h100-sxm",
        "gpus": "a whole number of at least 1",
    }
    section = section_in(fields[path[-1]].annotation)
    if section is not None:
        return f"keys and values ({', '.join(section.model_fields)})"
    choices = ", ".join(_choices(fields[path[-1]].annotation))
    return known.get(path[-1]) or (f"one of {choices}" if choices else "another value")


def _choices(annotation: Any) -> list[str]:
    """The words that a field may be."""
    parts = get_args(annotation)
    if get_origin(annotation) is Literal:
        return [str(part) for part in parts]
    return [choice for part in parts for choice in _choices(part)]


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return value
