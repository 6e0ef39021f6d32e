"""The rooms of the house: what may import what, and what a command may load."""

from __future__ import annotations

import ast
import os
import pathlib
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
    "validation": {"vocabulary", "library", "model", "planning", "present"},
    "sweeps": {"vocabulary", "library", "model", "planning", "present"},
    "calibration": {"vocabulary", "library", "model", "planning", "validation", "present"},
    "benchmark": {"vocabulary", "library", "model", "planning", "retrieval", "present"},
    "batch": {"vocabulary", "library", "planning", "present"},
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
    },
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
}


def _modules():
    return [path for path in sorted((ROOT / "assistant").rglob("*.py")) if len(path.relative_to(ROOT).parts) > 2]


def _imported(path):
    """Every module a file names in an import, absolute."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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
    room = path.relative_to(ROOT).parts[1]
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
    package, waiting = path.relative_to(ROOT).parts[:-1], [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
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
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path))
    loaded = _loaded("ask", "how long is the all-reduce of 70B over 100 GbE on 8 nodes?")
    assert not loaded & {"torch", "textual", "sentence_transformers", "transformers"}
    assert not list(tmp_path.rglob("index-*"))


def test_understanding_a_sentence_loads_no_model():
    assert not _loaded("understand", "70B on 64 H100") & {"torch", "sentence_transformers", "textual"}
