"""The rooms of the house: what may import what, and what a command may load."""

from __future__ import annotations

import ast
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[1]
ROOMS = {
    "vocabulary": set(),
    "library": {"vocabulary"},
    "understanding": {"vocabulary"},
    "model": {"vocabulary"},
    "network": {"vocabulary", "library"},
    "market": {"vocabulary", "library"},
    "reasoning": {"vocabulary", "library"},
    "retrieval": {"vocabulary", "library"},
    "present": {"vocabulary"},
    "audit": {"vocabulary", "library", "model", "market", "network"},
    "planning": {"vocabulary", "library", "model", "network", "market", "reasoning", "retrieval"},
    "answering": {
        "vocabulary",
        "library",
        "understanding",
        "model",
        "network",
        "market",
        "retrieval",
        "audit",
        "planning",
        "present",
    },
    "conversation": {
        "vocabulary",
        "library",
        "understanding",
        "model",
        "network",
        "market",
        "reasoning",
        "retrieval",
        "planning",
        "answering",
        "present",
        "sweeps",
    },
    "validation": {"vocabulary", "library", "model", "market", "planning", "present"},
    "sweeps": {"vocabulary", "library", "model", "planning", "present", "engines"},
    "calibration": {"vocabulary", "library", "model", "planning", "validation", "present"},
    "benchmark": {"vocabulary", "library", "model", "planning", "retrieval", "present"},
    "engines": {"vocabulary"},
    "batch": {"vocabulary", "library", "planning", "present", "engines"},
    "tui": {"vocabulary", "library", "conversation", "present"},
    "web": {"vocabulary", "library", "conversation", "present", "tui"},
    "handbook": {
        "vocabulary",
        "library",
        "retrieval",
        "validation",
        "audit",
        "answering",
        "conversation",
        "present",
        "tui",
        "mcp",
    },
    "api": {
        "vocabulary",
        "library",
        "understanding",
        "network",
        "planning",
        "retrieval",
        "answering",
        "conversation",
        "present",
        "review",
    },
    "launch": {"vocabulary", "library", "network"},
    "review": {"vocabulary", "library", "market", "planning"},
    "mcp": {"vocabulary", "library", "network", "present", "api"},
}
# A command hands what was said to a room and what came back to the screen.
ROOMS["commands"] = {*ROOMS}
# The outside packages that only one room may know.
OWNED = {
    "durable": "reasoning",
    "durable_rules_engine": "reasoning",
    "sentence_transformers": "retrieval",
    "torch": "retrieval",
    "textual": "tui",
    "textual_serve": "web",
    "aiohttp": "web",
    "mcp": "mcp",
    "pyarrow": "present",
    "ray": "engines",
}


def _modules():
    """The modules in rooms; the one for programs and notebooks is a room of its own."""
    paths = sorted((ROOT / "assistant").rglob("*.py"))
    return [path for path in paths if len(path.relative_to(ROOT).parts) > 2 or path.name == "api.py"]


@functools.cache
def _tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def _imports_of(path):
    """The imports of a file, wherever they stand, each with whether only a type checker reads it."""
    found, waiting = [], [(_tree(path), False)]
    while waiting:
        node, unread = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append((node, unread))
        elif isinstance(node, ast.stmt | ast.Module | ast.ExceptHandler | ast.match_case):  # no expression imports
            unread = unread or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
            waiting += [(one, unread) for one in ast.iter_child_nodes(node)]
    return found


def _imported(path):
    """Every module a file names in an import, absolute."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node, _ in _imports_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) + "." if node.level else ""
            module = (base + (node.module or "")).rstrip(".")
            yield from {module, *(f"{module}.{alias.name}" for alias in node.names if module == "assistant")} - {
                "assistant"
            }


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(ROOT / "assistant")))
def test_a_room_imports_only_the_rooms_left_of_it(path):
    room = path.relative_to(ROOT).parts[1].removesuffix(".py")
    assert room in ROOMS, f"{room} has no place in the table of rooms"
    for module in _imported(path):
        parts = module.split(".")
        if parts[0] == "assistant" and len(parts) > 1 and parts[1] != "__version__":
            assert parts[1] == room or parts[1] in ROOMS[room], f"{path.name} of {room} imports {module}"
        assert OWNED.get(parts[0], room) == room, f"{path.name} of {room} imports {module}"


def test_no_modules_import_each_other():
    """Inside rooms too, and wherever in a file the import stands; what only a type checker reads is no import."""
    assert not _cycles(_imports())


def _imports():
    """The modules that each module imports when it is loaded or when a function of it runs."""
    names = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in (ROOT / "assistant").rglob("*.py")
    }
    modules = {name.removesuffix(".__init__"): path for name, path in names.items()}
    return {name: {one for one in _run(path) if one in modules} - {name} for name, path in modules.items()}


def _run(path):
    """What a file imports but for the type checker: a submodule by its own name where one is imported from a
    package."""
    package = path.relative_to(ROOT).parts[:-1]
    for node in (one for one, unread in _imports_of(path) if not unread):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            members = {alias.name for alias in node.names}
            own = {name for name in members if _is_module(f"{module}.{name}")}
            yield from (f"{module}.{name}" for name in own)
            if members - own:
                yield module


def _is_module(name):
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def _cycles(imports):
    """Sets of modules each of which reaches all others of its set, of two modules or more."""
    reached = {name: _reached(name, imports) for name in imports}
    sets = {frozenset(other for other in reached[name] if name in reached[other]) for name in imports}
    return {cycle for cycle in sets if len(cycle) > 1}


def _reached(start, imports):
    seen, waiting = set(), [start]
    while waiting:
        new = imports[waiting.pop()] - seen
        seen |= new
        waiting += new
    return seen


# What takes or gives values of fields, facts or JSON by name: the kind of each value is its field's own.
_BY_NAME = re.compile(r"(?:dict|Mapping|list\[dict|Iterator\[dict)\[str, (?:dict\[str, )?Any\]+(?: \| None)?")
# What takes or gives one such value.
ANY_VALUE = {
    "assistant.planning.assumptions.Assumptions.take",
    "assistant.present.plan.quantities.given",
}


def test_rooms_speak_to_each_other_in_types():
    """Parameters, results and attributes of what one room imports from another: no ``Any`` and nothing untyped.

    The vocabulary is left out: its models read ``Any`` kind of value, and check it.
    """
    loose = {
        (f"{module}.{name}", annotation)
        for module, found in _asked_for().items()
        if not module.startswith("assistant.vocabulary")
        for name, annotation in found
        if not _BY_NAME.fullmatch(annotation)
    }
    assert {name for name, _ in loose} == ANY_VALUE, sorted(loose)


def _asked_for():
    """By module: ``(function or class.attribute, annotation)`` of loosely typed parts that another room can see."""
    paths = [*(ROOT / "assistant").rglob("*.py")]
    modules = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): _tree(path) for path in paths
    }
    wanted = {}
    for path in paths:
        for module, name in _from_other_rooms(path):
            where, found = _definition(modules, module, name)
            if found is not None:
                wanted.setdefault(where, set()).update(_loose(found, found.name))
    return wanted


def _from_other_rooms(path):
    room, package = path.relative_to(ROOT).parts[1], path.relative_to(ROOT).parts[:-1]
    for node, _ in _imports_of(path):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            if module.startswith("assistant.") and module.split(".")[1] != room:
                yield from ((module, alias.name) for alias in node.names)


def _definition(modules, module, name):
    """Where a name is defined that a module gives, and the definition; ``None`` for what is no function or class."""
    for node in modules[module].body if module in modules else ():
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return module, node
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and name in {alias.asname or alias.name for alias in node.names}
        ):
            package = module if (ROOT / module.replace(".", "/")).is_dir() else module.rpartition(".")[0]
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            return _definition(modules, ".".join([*base, node.module]), name)
    return module, None


def _loose(node, name):
    if isinstance(node, ast.FunctionDef):
        given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
        notes = [one.annotation for one in given if one is not None and one.arg not in ("self", "cls")]
        notes += [] if node.name == "__init__" else [node.returns]
        yield from ((name, "untyped" if note is None else ast.unparse(note)) for note in notes if _is_loose(note))
        return
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and (not part.name.startswith("_") or part.name == "__init__"):
            yield from _loose(part, f"{name}.{part.name}")
        elif isinstance(part, ast.AnnAssign) and _is_loose(part.annotation):
            yield f"{name}.{ast.unparse(part.target)}", ast.unparse(part.annotation)


def _is_loose(note):
    return note is None or any(isinstance(one, ast.Name) and one.id == "Any" for one in ast.walk(note))


def _loaded(*command):
    """Names of the top-level modules a command has loaded when it ends."""
    code = (
        "import sys, atexit\n"
        "atexit.register(lambda: print('LOADED', *{name.split('.')[0] for name in sys.modules}, file=sys.stderr))\n"
        f"sys.argv = ['weft', *{list(command)!r}]\n"
        "from assistant.cli import main\nmain()\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=os.environ, timeout=120
    )
    assert run.returncode == 0, run.stderr
    return set(run.stderr.split("LOADED", 1)[1].split())


def test_help_loads_nothing_heavy():
    loaded = _loaded("--help")
    assert not loaded & {
        "torch",
        "textual",
        "sentence_transformers",
        "numpy",
        "durable",
        "pydantic",
        "yaml",
        "transformers",
        "aiohttp",
    }


def test_a_plan_with_the_index_built_loads_neither_torch_nor_textual(index):
    loaded = _loaded("plan", str(ROOT / "knowledge" / "examples" / "llama-70b-pretraining.yaml"), "--format", "json")
    assert "numpy" in loaded and "durable" in loaded
    assert not loaded & {"torch", "textual", "sentence_transformers", "transformers"}


def test_a_question_that_is_computed_loads_no_model_and_needs_no_index(tmp_path, monkeypatch):
    if (kept := pathlib.Path(os.environ["WEFT_CACHE"]) / "compiled").is_dir():  # a listener: to build one is seconds
        shutil.copytree(kept, tmp_path / "compiled")
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path))
    loaded = _loaded("ask", "how long is the all-reduce of 70B over 100 GbE on 8 nodes?")
    assert not loaded & {"torch", "textual", "sentence_transformers", "transformers"}
    assert not list(tmp_path.rglob("index-*"))


def test_understanding_a_sentence_loads_no_model():
    assert not _loaded("understand", "70B on 64 H100") & {"torch", "sentence_transformers", "textual", "durable"}
