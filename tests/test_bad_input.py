"""Bad input gets one clear sentence with its place and exit code 2: never a traceback, never a silent default."""

from __future__ import annotations

import json
import math
import textwrap

import pytest

from tests.program import weft

GOOD = {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": 16}}
START = "workload: pretraining\nmodel: llama-3.1-8b\n"
CLUSTER = "cluster: {gpu: h100-sxm, gpus: 16}\n"

# what was written, the line and the field the sentence names, what it says
YAML = [
    ("workload: pretraining\nmodel: llama-3.1-8b\n", 1, "cluster", "is needed"),
    (START + "cluster: {gpus: 16}\n", 3, "cluster.gpu", "is needed"),
    (START + "cluster: {gpu: h100-sxm}\n", 3, "cluster.gpus", "is needed"),
    (START + "cluster:\n  gpu: h100-sxm\n  gpus: many\n", 5, "cluster.gpus", 'expected a whole number, got "many"'),
    (START + "cluster:\n  gpu: h100-sxm\n  gpus: 0\n", 5, "cluster.gpus", "expected at least 1"),
    (START + "cluster:\n  gpu: h100-sxm\n  gpus: -8\n", 5, "cluster.gpus", "expected at least 1"),
    (START + "cluster:\n  gpu: h100-sxm\n  gpus: 2.5\n", 5, "cluster.gpus", "expected a whole number, got 2.5"),
    (START + "cluster:\n  gpu: h100-sxm\n  gpus: true\n", 5, "cluster.gpus", "got True"),
    (START + "cluster:\n  gpu: h100-sxm\n  gpus: .nan\n", 5, "cluster.gpus", "got nan"),
    (START + "cluster:\n  gpu: h100-sxm\n  gpus: [16]\n", 5, "cluster.gpus", "expected a whole number"),
    (START + "cluster:\n  gpu: h100\n  gpus: 16\n", 4, "cluster.gpu", "did you mean h100-sxm?"),
    (START + "cluster:\n  gpu: potato\n  gpus: 16\n", 4, "cluster.gpu", "known: "),
    (
        "workload: rlhf\nmodel: llama-3.1-8b\ncluster: {gpu: h100-sxm, gpus: 64}\nrl:\n  critic: auto\n",
        5,
        "rl.critic",
        'expected an id of the catalog, got "auto"; or a number of parameters such as 7B',
    ),
    (START + "cluster:\n  gpu: h100-sxm\n  gpus: 16\n  fabric: infiniband\n", 6, "cluster.fabric", "did you mean"),
    (
        START + "cluster:\n  gpu: h100-sxm\n  gpus: 16\n  provider: aliens\n",
        6,
        "cluster.provider",
        "expected an id of the catalog",
    ),
    (
        START + "cluster:\n  gpu: h100-sxm\n  gpus: 20\n  gpus_per_node: 8\n",
        5,
        "cluster.gpus",
        "a multiple of gpus_per_node (8), got 20",
    ),
    (
        START + "cluster:\n  gpu: h100-sxm\n  gpus: 16\n  fabric: none\n",
        6,
        "cluster.fabric",
        "expected a fabric between nodes",
    ),
    (
        START + "cluster:\n  gpu: h100-sxm\n  gpus: 16\n  wan_gbps: 10\n",
        1,
        None,
        "expected cluster.sites of at least 2",
    ),
    (START + "cluster:\n  gpu: h100-sxm\n  gpus: 16\n  sites: 3\n", 1, None, "divisible by cluster.sites (3)"),
    ("workload: dreaming\nmodel: llama-3.1-8b\n" + CLUSTER, 1, "workload", "expected one of pretraining, finetuning"),
    ("workload: pretraining\nmodel: llama-9-70b\n" + CLUSTER, 2, "model", "expected an id of the catalog"),
    ("workload: pretraining\nmodel: 70\n" + CLUSTER, 2, "model", "expected a catalog id"),
    (
        "workload: pretraining\nmodel: {layers: 80}\n" + CLUSTER,
        2,
        "model",
        "expected hidden, heads, ffn, vocab beside layers",
    ),
    (
        "workload: pretraining\nmodel: {params: 100B, active_params: 10B}\nparallelism: {ep: 8}\n" + CLUSTER,
        3,
        "parallelism.ep",
        "expected the number of experts (model.experts) beside 8",
    ),
    ("workload: pretraining\nmodel: {params: lots}\n" + CLUSTER, 2, "model.params", 'expected a number, got "lots"'),
    (
        "workload: pretraining\nmodel: {params: 7B, layer: 3}\n" + CLUSTER,
        2,
        "model.layer",
        "unknown key; did you mean layers?",
    ),
    (
        "workload: pretraining\nmodel: {layers: 2, hidden: 100, heads: 3, ffn: 400, vocab: 1000}\n" + CLUSTER,
        2,
        "model",
        "hidden divisible by heads",
    ),
    (START + CLUSTER + "colour: red\n", 4, "colour", "unknown key; known here: name, workload"),
    (
        START + CLUSTER + "training: {sequence_lenght: 4096}\n",
        4,
        "training.sequence_lenght",
        "did you mean sequence_length?",
    ),
    (START + CLUSTER + "training: {tokens: 1T, days: 3}\n", 4, "training", "expected tokens or days, got both"),
    (
        START + CLUSTER + "training: {precision: bf17}\n",
        4,
        "training.precision",
        "expected one of fp32, fp16, bf16, fp8",
    ),
    (START + CLUSTER + "training: {days: soon}\n", 4, "training.days", 'expected a number, got "soon"'),
    (START + CLUSTER + "parallelism: {tp: 3}\n", 1, None, "to divide cluster.gpus (16), got 3"),
    (START + CLUSTER + "parallelism: {tp: 2, dp: 4}\n", 1, None, "expected tp·pp·cp·dp to be cluster.gpus (16), got 8"),
    (START + CLUSTER + "parallelism: {tp: 16, pp: 1, ep: 2}\n", 4, "parallelism.ep", "a model without experts, got 2"),
    (START + CLUSTER + "parallelism: {strategy: magic}\n", 4, "parallelism.strategy", "expected one of ddp, zero1"),
    (START + CLUSTER + "parallelism: tp8\n", 4, "parallelism", "expected auto, or {strategy"),
    (
        START + CLUSTER + "parallelism: {strategy: fsdp}\ntraining: {global_batch: 17}\n",
        5,
        "training.global_batch",
        "expected a multiple of dp·micro_batch",
    ),
    (
        START + CLUSTER + "parallelism: {pp: 4, interleave: 2}\ntraining: {global_batch: 20}\n",
        5,
        "training.global_batch",
        "expected a multiple of dp·micro_batch·pp with interleave above 1 (4·1·4 = 16), got 20",
    ),
    (
        START + CLUSTER + "parallelism: {pp: 4, interleave: 2}\ntraining: {framework: deepspeed}\n",
        4,
        "parallelism.interleave",
        "expected 1 with framework deepspeed, whose stages are whole, got 2",
    ),
    (START + CLUSTER + "budget: {usd: 50 bananas}\n", 4, "budget.usd", "expected an amount of US dollars"),
    (START + CLUSTER + "budget: {usd: 500 CHF}\n", 4, "budget.usd", "expected US dollars, or a currency"),
    (START + CLUSTER + "budget: {mode: steal}\n", 4, "budget.mode", "expected one of rent, buy"),
    (START + CLUSTER + "budget: {spot: perhaps}\n", 4, "budget.spot", 'expected true or false, got "perhaps"'),
    (
        START + CLUSTER + "constraints: {max_slowdown_percent: -5}\n",
        4,
        "constraints.max_slowdown_percent",
        "expected at least 0",
    ),
    (
        START + CLUSTER + "inference: {prompt_tokens: 5}\n",
        1,
        None,
        "expected no inference section for workload pretraining",
    ),
    (START + CLUSTER + "model: llama-3.1-70b\n", 4, "model", "the key stands twice, first on line 2"),
    (START + "cluster: [1, 2]\n", 3, "cluster", "expected keys and values (gpu, gpus"),
    (START + "cluster: {gpu: h100-sxm\n", 4, None, "not valid YAML"),
    ("- just\n- a list\n", 1, None, "expected a questionnaire (keys and values)"),
    (START + CLUSTER + "name: !!python/object:os.system {}\n", 4, "name", "expected text"),
    (START + CLUSTER + "name: !!binary aGVsbG8=\n", 4, "name", "unknown tag"),
    (
        "a: &a [x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, "
        "*b]\n"
        "d: &d [*c, *c, *c, *c, *c, *c, *c, *c]\ne: &e [*d, *d, *d, *d, *d, *d, *d, *d]\nf: [*e, *e, *e, *e, *e, *e, "
        "*e, *e]\n",
        None,
        None,
        "aliases are followed only so far",
    ),
    (START + CLUSTER + "---\n" + START + CLUSTER, 5, None, "found several: use weft batch"),
    (START + "cluster:\n  gpu: h100-sxm\n  gpus: " + "9" * 320 + "\n", 5, "cluster.gpus", "expected a whole number"),
    (START + CLUSTER + "training: {tokens: " + "9" * 5000 + "}\n", 4, "training.tokens", "expected a finite number"),
    (START + CLUSTER + "base: &b {tokens: 1T}\ntraining:\n  <<: *b\n", 6, None, "merge keys (<<) are not read"),
    (
        "workload: pretraining\nmodel: llama-3.1-8b\ncluster: {gpu: a100-sxm-80gb, gpus: 16}\ntraining: {precision: "
        "fp8}\n",
        4,
        "training.precision",
        "has no FP8 units, got fp8",
    ),
    ("", None, None, "found nothing in the file"),
    ("# only a comment\n", None, None, "found nothing in the file"),
]


def _one_sentence(err: str) -> str:
    assert "Traceback" not in err
    assert err.startswith("weft: ") and err.count("\n") == 1, err
    return err


@pytest.mark.parametrize(("text", "line", "field", "says"), YAML)
def test_a_mistake_in_yaml_is_one_sentence_with_file_line_and_field(tmp_path, text, line, field, says):
    file = tmp_path / "plan.yaml"
    file.write_text(text, encoding="utf-8")
    seen = weft("plan", str(file))
    sentence = _one_sentence(seen.err)
    assert seen.code == 2 and seen.out == ""
    place = f"{file}:{line}" if line else str(file)
    assert sentence.startswith(f"weft: {place}"), sentence
    assert says in sentence, sentence
    if field:
        assert f" {field}: " in sentence, sentence


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("plan.json", "{", "not valid JSON"),
        ("plan.json", '{"workload": 1, "workload": 2}', "workload: the key stands twice"),
        ("plan.json", json.dumps({**GOOD, "training": {"tokens": float("nan")}}), "expected a finite number, got NaN"),
        ("plan.jsonl", json.dumps(GOOD)[:-1] + "\n", "not valid JSON"),
        ("plan.json", json.dumps({**GOOD, "name": "\ud800"}), "name: expected text that can be written as UTF-8"),
        ("plan.json", json.dumps(GOOD).replace("16", "9" * 320), "cluster.gpus: expected"),
        ("plan.json", json.dumps(GOOD).replace("16", "9" * 5000), "thousands of digits"),
        (
            "plan.csv",
            "workload,model,cluster.gpu,cluster.gpus\npretraining,llama-3.1-8b,h100-sxm,many\n",
            "expected a whole number",
        ),
        (
            "plan.csv",
            "workload,model,cluster.gpu,cluster.gpu\npretraining,llama-3.1-8b,h100-sxm,x\n",
            "the column stands twice",
        ),
        (
            "plan.csv",
            "workload,model,cluster.gpu,cluster.gpus\npretraining,llama-3.1-8b,h100-sxm,16,extra\n",
            "expected at most 4 cells",
        ),
        ("plan.csv", "workload,model,cluster,cluster.gpu\n", "both alone and with parts"),
        ("plan.txt", "hello", "expected a file ending in .yaml"),
        ("plan.yaml", b"\xff\xfe\x00bad", "expected UTF-8 text"),
        ("plan.yaml", "workload: \x07bell\n", "not valid YAML"),
    ],
)
def test_a_mistake_in_any_format_is_one_sentence(tmp_path, name, content, says):
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    seen = weft("plan", str(file))
    assert seen.code == 2
    assert says in _one_sentence(seen.err)


def test_a_file_that_is_not_there_and_a_folder(tmp_path):
    assert "no such file" in weft("plan", str(tmp_path / "none.yaml")).err
    folder = tmp_path / "folder.yaml"
    folder.mkdir()
    seen = weft("plan", str(folder))
    assert seen.code == 2 and "expected a file, got a folder" in _one_sentence(seen.err)


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan"],
        ["fly"],
        ["plan", "x.yaml", "--format", "poem"],
        ["schema", "poem"],
        ["examples", "poem"],
        ["sources", "poem"],
        ["fabric", "infiniband-ndr-400", "--gpus", "0"],
        ["fabric", "poem", "--gpus", "8"],
        ["fabric", "infiniband-ndr-400", "--gpus", "512", "--pair"],
        ["fabric", "infiniband-ndr-400", "--gpus", "64", "--topology", "ring"],
        ["fabric", "infiniband-ndr-400", "--gpus", "64", "--switch", "poem"],
        ["batch"],
        ["ask"],
        ["understand"],
        ["fabric", "infiniband-ndr-400", "--gpus", "64", "--gpu", "poem"],
        ["handbook", "poem"],
        ["handbook", "poem", "--write"],
        ["plan", "x.yaml", "--today", "9999-12-31"],
        ["plan", "x.yaml", "--today", "0001-01-01"],
    ],
)
def test_wrong_usage_ends_with_exit_code_2(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.yaml").write_text(textwrap.dedent(json.dumps(GOOD)))
    seen = weft(*arguments)
    assert seen.code == 2 and "Traceback" not in seen.err and seen.err.strip()


def test_terminal_escapes_in_a_file_are_shown_not_obeyed(tmp_path):
    file = tmp_path / "plan.json"
    file.write_text(json.dumps({**GOOD, "workload": "\x1b[31mred\x1b]0;title\x07"}))
    seen = weft("plan", str(file))
    assert seen.code == 2 and "\x1b" not in seen.err and "\x07" not in seen.err


@pytest.mark.parametrize("command", ["ask", "understand", "collective"])
@pytest.mark.parametrize("nothing", ["", "\n  \n"])
def test_a_batch_without_a_line_is_one_sentence(command, nothing, tmp_path):
    file = tmp_path / "batch.jsonl"
    file.write_text(nothing)
    seen = weft(command, "--batch", str(file))
    assert seen.code == 2 and seen.out == "" and "found nothing in the file" in _one_sentence(seen.err)


def test_a_fault_of_the_program_in_one_line_costs_no_other_its_answer(tmp_path, monkeypatch):
    from assistant import api

    def fails_on_one(sentence, *, id=None):
        if sentence == "32 H100":
            raise RuntimeError("a bug")
        return real(sentence, id=id)

    real = api.understand
    monkeypatch.setattr(api, "understand", fails_on_one)
    file = tmp_path / "batch.jsonl"
    file.write_text("".join(json.dumps({"id": gpus, "text": f"{gpus} H100"}) + "\n" for gpus in (16, 32, 64)))
    seen = weft("understand", "--batch", str(file))
    first, second, third = map(json.loads, seen.out.splitlines())
    assert seen.code == 2 and first["fields"]["cluster.gpus"] == 16 and third["fields"]["cluster.gpus"] == 64
    assert "a fault of this program: RuntimeError: a bug" in second["error"]["message"]


READING = [
    ["plan", "FILE"],
    ["plan", "job.yaml", "--catalog", "FILE"],
    ["plan", "job.yaml", "--profile", "FILE"],
    ["plan", "job.yaml", "--measured", "FILE"],
    ["predict", "FILE"],
    ["sweep", "FILE", "--vary", "cluster.gpus=8..16"],
    ["launch", "FILE"],
    ["nccl", "bench", "FILE"],
    ["nccl", "env", "--fabric", "roce-v2-400", "--catalog", "FILE"],
    ["diff", "FILE"],
    ["diff", "other.json", "FILE"],
    ["calibrate", "FILE"],
    ["collective", "--batch", "FILE"],
]


@pytest.mark.parametrize("name", ["FILE", "link.json", "hard.json", "sub/../FILE"])
@pytest.mark.parametrize("arguments", READING, ids=" ".join)
def test_no_output_is_written_over_an_input(arguments, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    file = tmp_path / "in.json"
    file.write_text(json.dumps(GOOD))
    (tmp_path / "link.json").symlink_to("in.json")
    (tmp_path / "hard.json").hardlink_to(file)
    name = name.replace("FILE", "in.json")
    seen = weft(*(one.replace("FILE", "in.json") for one in arguments), "--out", name)
    assert seen.code == 2 and "that the output does not replace" in _one_sentence(seen.err), seen
    assert file.read_text() == json.dumps(GOOD)


def test_nor_over_the_own_catalog_nor_one_among_the_results_of_a_batch(tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    job, own = tmp_path / "job.json", tmp_path / "catalog.yaml"
    job.write_text(json.dumps(GOOD))
    own.write_text("gpus: {}\n")
    assert "does not replace" in _one_sentence(weft("predict", str(job), "--out", str(own)).err)
    for name in ("plans.jsonl", "plans.jsonl.summary.json", ".weft-batch.lock"):
        own = tmp_path / name
        own.write_text("gpus: {}\n")
        seen = weft("batch", str(job), "--catalog", str(own), "--out", str(tmp_path))
        assert seen.code == 2 and "does not replace" in _one_sentence(seen.err)
        assert own.read_text() == "gpus: {}\n"
        own.unlink()


def test_links_in_a_circle_are_one_sentence(tmp_path):
    job, loop = tmp_path / "job.json", tmp_path / "loop.json"
    job.write_text(json.dumps(GOOD))
    loop.symlink_to("loop.json")
    for arguments in (
        ["predict", str(loop)],
        ["predict", str(job), "--out", str(loop)],
        ["predict", str(job), "--catalog", str(loop)],
        ["batch", str(job), "--out", str(tmp_path), "--catalog", str(loop)],
        ["nccl", "diagnose", str(loop)],
    ):
        seen = weft(*arguments)
        assert seen.code == 2 and "symbolic links" in _one_sentence(seen.err), seen
    assert "File exists" in _one_sentence(weft("batch", str(job), "--out", str(loop)).err)
    assert loop.is_symlink()


CHANGED = [  # in a saved plan: where, to what, and what is told
    (("date",), "yesterday", "date: not as the contract has it"),
    (("candidates", 0, "step_time_s", "p50"), 0, "candidates.0.step_time_s.p50: not as the contract has it"),
    (("candidates", 0, "parallelism", "tp"), 0, "candidates.0.parallelism.tp: not as the contract has it"),
    (("recommendation", "offer"), 99, "recommendation.offer: not as the contract has it"),
    (("questionnaire", "cluster", "gpus"), "x", "questionnaire.cluster.gpus: not as the contract has it"),
    (("questionnaire", "cluster", "gpu"), "gone", 'cluster.gpu: expected an id of the catalog, got "gone"'),
    (
        ("assumptions", 0, "value"),
        "x",
        'cluster.gpus_per_node: expected a number above 0, as weft plan writes it, got "x"',
    ),
    (("movers",), math.nan, "expected a plan as weft plan FILE --format json writes it"),
]


def test_a_saved_plan_that_somebody_changed_is_refused_with_its_field(tmp_path):
    job, changed = tmp_path / "job.json", tmp_path / "plan.json"
    job.write_text(json.dumps(GOOD))
    saved = weft("plan", str(job), "--format", "json").out
    assert json.loads(saved)["assumptions"][0]["field"] == "cluster.gpus_per_node"
    for where, value, says in CHANGED:
        plan = inner = json.loads(saved)
        for part in where[:-1]:
            inner = inner[part]
        inner[where[-1]] = value
        changed.write_text(json.dumps(plan))
        seen = weft("launch", str(changed))
        assert seen.code == 2 and says in _one_sentence(seen.err), seen
