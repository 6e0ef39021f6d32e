"""Writes down which arguments a framework's own parser knows: ``python -m tests.launch_parsers FOLDER``, with a folder
that holds the unpacked wheels, a folder each (``pip download --no-deps``, then ``unzip``).

Read in the sources, for these packages cannot all be installed beside each other: what is told to ``add_argument``, and
the fields of the classes from which an argument is made by its name. The names stand in ``knowledge/launch/parsers``.
"""

from __future__ import annotations

import ast
import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).parents[1]
PARSERS = ROOT / "knowledge" / "launch" / "parsers"


def told(*paths: pathlib.Path) -> set[str]:
    """Option strings of every ``add_argument`` of some files."""
    found: set[str] = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "add_argument":
                words = [one.value for one in node.args if isinstance(one, ast.Constant)]
                found |= {word for word in words if isinstance(word, str) and word.startswith("-")}
    return found


def fields(path: pathlib.Path, *classes: str) -> dict[str, ast.AnnAssign]:
    """Annotated fields of the named classes of a file, or of all."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    chosen = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and (not classes or n.name in classes)]
    found = [one for node in chosen for one in node.body if isinstance(one, ast.AnnAssign)]
    return {one.target.id: one for one in found if isinstance(one.target, ast.Name)}


def vllm(folder: pathlib.Path) -> set[str]:
    return told(folder / "vllm/engine/arg_utils.py", *folder.glob("vllm/entrypoints/**/*.py"))


def sglang(folder: pathlib.Path) -> set[str]:
    """Each field that is not ``no_cli`` is an argument of its name, and of its aliases."""
    found = told(folder / "sglang/srt/server_args.py")
    for path in (folder / "sglang/srt/arg_groups/fields").glob("*.py"):
        for name, node in fields(path).items():
            note = ast.unparse(node.annotation)
            if "no_cli=True" not in note:
                found |= {f"--{name.replace('_', '-')}", *re.findall(r"'(--[a-z0-9-]+)'", note)}
    return found


def torchtitan(folder: pathlib.Path) -> set[str]:
    """tyro makes ``--section.field`` of each field of a section; module and config are taken off before."""
    path, sections = folder / "torchtitan/config/configs.py", {"training": "TrainingConfig"}
    sections |= {"parallelism": "ParallelismConfig"}
    made = {f"--{section}.{field}" for section, name in sections.items() for field in fields(path, name)}
    return made | {"--module", "--config"}


def megatron(folder: pathlib.Path) -> set[str]:
    """The classes that Megatron-LM's arguments fill; its argument parser itself is not in the package."""
    core = folder / "megatron/core"
    found = fields(core / "model_parallel_config.py", "ModelParallelConfig")
    found |= fields(core / "transformer/transformer_config.py", "TransformerConfig")
    found |= fields(core / "distributed/distributed_data_parallel_config.py", "DistributedDataParallelConfig")
    return {f"--{name.replace('_', '-')}" for name in found}


READ = {
    "vllm": (vllm, "vllm/engine/arg_utils.py and vllm/entrypoints"),
    "sglang": (sglang, "sglang/srt/arg_groups/fields and sglang/srt/server_args.py"),
    "torchtitan": (torchtitan, "torchtitan/config/configs.py, from which tyro makes the parser"),
    "megatron_core": (megatron, "the classes ModelParallelConfig, TransformerConfig and DistributedDataParallelConfig"),
}


def main(folder: pathlib.Path) -> None:
    for package, (read, where) in READ.items():
        [metadata] = (folder / package).glob("*.dist-info/METADATA")
        version = re.search(r"^Version: (.+)$", metadata.read_text(encoding="utf-8"), re.M)[1]
        value = {"package": package, "version": version, "read_in": where, "arguments": sorted(read(folder / package))}
        path = PARSERS / f"{package.replace('_core', '')}.yaml"
        path.write_text(yaml.safe_dump(value, sort_keys=False, width=1000), encoding="utf-8")
        print(path, len(value["arguments"]))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
