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
    "cost": {"vocabulary", "library"},
    "reasoning": {"vocabulary", "library"},
    "retrieval": {"vocabulary", "library"},
    "present": {"vocabulary", "cost"},
    "audit": {"vocabulary", "library", "model", "cost", "network"},
    "planning": {"vocabulary", "library", "model", "network", "cost", "reasoning", "retrieval"},
    "answering": {"vocabulary", "library", "model", "network", "cost", "retrieval", "audit", "planning", "present"},
    "conversation": {
        "vocabulary",
        "library",
        "understanding",
        "model",
        "network",
        "cost",
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
}
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
