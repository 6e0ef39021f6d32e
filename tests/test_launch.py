"""The files that start a split: whole, with arguments that the framework's own parser knows."""

from __future__ import annotations

import pathlib
import re
import shlex
import subprocess

import pytest
import yaml

from assistant import api
from assistant.launch import LAUNCHERS, frameworks, written
from assistant.vocabulary.plan import Plan
from tests.program import weft

ROOT = pathlib.Path(__file__).parents[1]
PARSERS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "knowledge" / "launch" / "parsers").glob("*.yaml"))
}
TRAINING = {
    "workload": "pretraining",
    "model": "llama-3.1-70b",
    "cluster": {"gpu": "h100-sxm", "gpus": 64, "provider": "oci"},
    "training": {"tokens": "100B", "global_batch": 512, "sequence_length": 8192, "precision": "fp8"},
    "parallelism": {"strategy": "fsdp", "tp": 2, "cp": 2},
}
SERVING = {
    "workload": "inference",
    "model": "deepseek-v3",
    "cluster": {"gpu": "h100-sxm", "gpus": 32, "provider": "coreweave"},
    "inference": {"prompt_tokens": 2000, "output_tokens": 500, "concurrency": 500, "tensor_parallel": 16},
}


@pytest.fixture(scope="module")
def plans():
    return {"training": api.plan(TRAINING), "serving": api.plan(SERVING)}


@pytest.mark.parametrize("name", frameworks())
def test_each_argument_stands_in_the_frameworks_own_parser_or_says_why_nobody_could_look(name):
    told = frameworks()[name]
    known = {*PARSERS[told["parser"]]["arguments"]}
    assert PARSERS[told["parser"]]["version"] in told["source"]
    for one in told["arguments"]:
        assert one["name"] in known or one.get("unchecked"), one["name"]
        assert not (one["name"] in known and one.get("unchecked")), f"{one['name']} was found: say so"
    assert {*re.findall(r"--[a-z-]+", told.get("on_several", ""))} <= known


def _script(text, launcher):
    """The shell part of a file."""
    if launcher == "kubernetes":
        job = list(yaml.safe_load_all(text))[1]
        return job["spec"]["template"]["spec"]["containers"][0]["args"][0]
    return yaml.safe_load(text)["run"] if launcher == "skypilot" else text


@pytest.mark.parametrize("launcher", LAUNCHERS)
@pytest.mark.parametrize("name", frameworks())
def test_a_file_is_whole_for_its_launcher(name, launcher, plans, library):
    of = frameworks()[name]["of"]
    text = written(plans[of], library.catalog, launcher, name)
    script = _script(text, launcher)
    assert subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True).stderr == ""
    assert "export NCCL_" in script and "$$" not in text and "{" not in re.sub(r"\$?\{[^}\n]*\}", "", text)
    nodes = 8 if of == "training" else 2
    assert {
        "torchrun": f"each of the {nodes} nodes",
        "slurm": f"#SBATCH --nodes={nodes}\n",
        "kubernetes": f"completions: {nodes}\n",
        "skypilot": f"num_nodes: {nodes}\n",
    }[launcher] in text


def test_the_split_of_the_plan_is_what_is_started(plans, library):
    titan = written(plans["training"], library.catalog, "torchrun", "torchtitan")
    degree = {
        name: int(value)
        for name, value in re.findall(r"--parallelism\.(\w+_degree) (\d+)", titan)
        if name != "expert_parallel_degree"
    }
    product = 1
    for value in degree.values():
        product *= value
    assert product == 64 and (degree["tensor_parallel_degree"], degree["context_parallel_degree"]) == (2, 2)
    assert f"--training.steps {round(100e9 / 512 / 8192)}" in titan
    megatron = written(plans["training"], library.catalog, "torchrun", "megatron")
    for wanted in ("--tensor-model-parallel-size 2", "--sequence-parallel", "--fp8 hybrid", "optim_grads_params"):
        assert wanted in megatron
    sglang = written(plans["serving"], library.catalog, "slurm", "sglang")
    assert "--tp-size 16" in sglang and "#SBATCH --array=1-2" in sglang and "--context-length 2500" in sglang


def test_torchrun_itself_takes_its_arguments(plans, library):
    from torch.distributed.run import get_args_parser

    for name in ("torchtitan", "megatron"):
        text = written(plans["training"], library.catalog, "torchrun", name)
        words = shlex.split(text[text.index("torchrun --nnodes") :].replace("\\\n", " "))[1:]
        read = get_args_parser().parse_args(words)
        assert (read.nnodes, read.nproc_per_node, read.module) == ("8", "8", name == "torchtitan")
        assert read.training_script in ("torchtitan.train", "pretrain_gpt.py")


@pytest.mark.parametrize(
    ("job", "arguments", "why"),
    [
        (TRAINING, ["--framework", "vllm"], "expected a framework for training"),
        (TRAINING, ["--for", "pbs"], "expected one of torchrun"),
        ({**SERVING, "workload": "disaggregated-inference"}, [], "take a router"),
        ({**TRAINING, "workload": "rlhf", "parallelism": "auto", "training": {}}, [], "several programs"),
    ],
)
def test_what_cannot_be_started_so_is_refused(job, arguments, why, tmp_path):
    file = tmp_path / "job.yaml"
    file.write_text(yaml.safe_dump(job))
    seen = weft("launch", str(file), *arguments)
    assert seen.code == 2 and why in seen.err and seen.err.count("\n") == 1, seen


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_no_text_of_a_plan_leaves_its_line(launcher, library):
    """A plan file may be written by hand: what stands in its names must not become a command or break the YAML."""
    quote = {"fabric": "roce-v2-400", "usd": 100_000, "provider": "Acme\ntouch PWN #", "note": "a\r\ntouch PWN #\ufffe"}
    made = api.plan(TRAINING | {"name": "x\ntouch PWN", "budget": {"quotes": [quote]}})
    assert made.questionnaire["budget"]["quotes"][0]["provider"] == "Acme touch PWN #"
    assert made.questionnaire["name"] == "x touch PWN"
    told = made.model_dump_json(by_alias=True).replace("Acme touch", r"Acme\u2028\ntouch\u0085\ufffe")
    text = written(Plan.model_validate_json(told), library.catalog, launcher)
    assert "Acme" in text
    assert not [line for line in text.splitlines() if "PWN" in line and not line.startswith("#")]
    assert "touch" not in _script(text, launcher) or launcher in ("slurm", "torchrun")


def test_an_argument_holds_nothing_for_a_shell(plans, library):
    made = plans["training"].model_copy(deep=True)
    chosen = next(one for one in made.candidates if one.fabric == made.recommendation.fabric)
    chosen.parallelism["recompute"] = "full'\n$(touch PWN) `touch PWN` \"; touch PWN"
    chosen.parallelism["micro_batch"] = "1'\n$(touch PWN)"
    text = written(made, library.catalog, "slurm", "megatron")
    assert "$(touch" not in text and "`touch" not in text and not re.search("^touch", text, re.M)
