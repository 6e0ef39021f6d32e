"""The commands as a user meets them."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from assistant.present.plan.names import namer
from assistant.vocabulary.contracts import CONTRACTS
from assistant.vocabulary.plan import Plan, Prediction
from tests.program import weft

ROOT = pathlib.Path(__file__).parents[1]
EXAMPLE = str(ROOT / "knowledge" / "examples" / "llama-70b-pretraining.yaml")


def _titles(text):
    return [line for line in text.splitlines() if re.fullmatch(r"[A-Z][A-Z ,]+", line)]


def test_a_plan_as_text_has_the_answer_first_and_the_sources_last(index):
    seen = weft("plan", EXAMPLE, "--all")
    assert seen.code == 0 and seen.err == ""
    titles = _titles(seen.out)
    assert titles[0] == "CANDIDATES" and titles[-1] == "SOURCES"
    assert {"WHY", "WHY NOT THE OTHERS", "WHAT WOULD FLIP IT", "ASSUMED, BECAUSE NOBODY SAID", "MEASURE FIRST"} <= set(
        titles
    )
    assert max(len(line) for line in seen.out.splitlines()) <= 120


def test_a_plan_is_told_in_short_and_names_what_else_there_is(index):
    """Two screens instead of five: nothing in it that is not in the whole, the same numbers of sources, all
    warnings."""
    short, whole = weft("plan", EXAMPLE).out, weft("plan", EXAMPLE, "--all").out
    made = Plan.model_validate_json(weft("plan", EXAMPLE, "--format", "json").out)
    assert len(short.splitlines()) < 100 < len(whole.splitlines())
    assert _titles(short) == [
        "CANDIDATES",
        "OFFERS",
        "WHY",
        "WHAT WOULD FLIP IT",
        "WARNINGS",
        "MEASURE FIRST",
        "ASSUMED, BECAUSE NOBODY SAID",
        "SOURCES",
    ]
    flat, everything = ("".join(text.split()) for text in (short, whole))  # lines break at spaces and after hyphens
    card = [line for _, line in made.recommendation.card]
    assert all(card)
    name = namer(made)
    for said in map(name, (*card, *(warning.message for warning in made.warnings), *made.measure_first)):
        assert "".join(said.split()) in flat and "".join(said.split()) in everything
    assert "Certainty" in flat and "".join(f"weft plan {EXAMPLE} --all".split()) in flat
    cited = set(re.findall(r"\[(\d+)\]", short.split("SOURCES")[0]))
    listed = dict(re.findall(r"^- \[(\d+)\] ([^,]+),", short.split("SOURCES")[1], re.MULTILINE))
    assert cited and cited == set(listed)
    assert all(f"[{number}] {source}," in whole for number, source in listed.items())
    missing = [title for title in _titles(whole) if title not in _titles(short)]
    assert missing and all(
        title.lower() in short.split("Also worked out")[1].replace("\n", " ").lower() for title in missing
    )


def test_a_plan_as_json_is_the_contract(index):
    seen = weft("plan", EXAMPLE, "--format", "json")
    made = Plan.model_validate_json(seen.out)
    assert made.schema_ == "weft/plan/1" and made.questionnaire["name"] == "Llama 3.1 70B pretraining pilot"


def test_a_plan_as_markdown_into_a_file(tmp_path, index):
    seen = weft("plan", EXAMPLE, "--format", "markdown", "--out", str(tmp_path / "plan.md"))
    text = (tmp_path / "plan.md").read_text(encoding="utf-8")
    assert seen.code == 0 and seen.out == "" and text.startswith("# Llama 3.1 70B pretraining pilot\n")
    assert "\n## Candidates\n" in text and "| ✓ |" in text


def test_markup_in_a_name_is_text(tmp_path, index):
    asked = {
        "name": "[bold]<b>x</b>|*",
        "workload": "inference",
        "model": "llama-3.1-8b",
        "cluster": {"gpu": "h100-sxm", "gpus": 8},
    }
    (tmp_path / "x.json").write_text(json.dumps(asked))
    assert weft("plan", str(tmp_path / "x.json"), "--format", "markdown").out.startswith(r"# [bold]\<b\>x\</b\>\|\*")


def test_predictions_one_line_per_row_in_order(tmp_path):
    rows = [
        {
            "name": f"r{n}",
            "workload": "pretraining",
            "model": "llama-3.1-8b",
            "cluster": {"gpu": "h100-sxm", "gpus": n, "fabric": "infiniband-ndr-400"},
            "training": {"sequence_length": 8192, "global_batch": 128},
        }
        for n in (16, 32)
    ]
    rows.insert(
        1,
        {"name": "bad", "workload": "pretraining", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": 0}},
    )
    (tmp_path / "x.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    seen = weft("predict", str(tmp_path / "x.jsonl"), "--format", "jsonl")
    lines = [json.loads(line) for line in seen.out.splitlines()]
    assert seen.code == 2 and [line["id"] for line in lines] == ["r16", "bad", "r32"]
    assert lines[1]["error"]["field"] == "cluster.gpus"
    for line in (lines[0], lines[2]):
        made = Prediction.model_validate(line)
        assert sum(line["breakdown_s"].values()) == pytest.approx(made.step_time_s)
        assert made.step_time_p10_s < made.step_time_s < made.step_time_p90_s
        tokens = 128 * 8192 / made.step_time_s / {"r16": 16, "r32": 32}[made.id]
        assert made.tokens_per_s_per_gpu == pytest.approx(tokens, rel=1e-6)


@pytest.mark.parametrize("name", CONTRACTS)
def test_every_contract_has_a_schema(name):
    seen = weft("schema", name)
    assert seen.code == 0 and json.loads(seen.out)["$schema"].startswith("https://json-schema.org/")


def test_the_plan_schema_has_the_fields_of_the_contract():
    fields = set(json.loads(weft("schema", "plan").out)["properties"])
    assert {
        "schema",
        "questionnaire",
        "recommendation",
        "candidates",
        "findings",
        "evidence",
        "conflicts",
        "fabric_design",
        "nccl",
        "warnings",
        "assumptions",
    } <= fields


def test_sources_as_json_are_a_list(library):
    listed = json.loads(weft("sources", "--format", "json").out)
    assert {"id", "title", "publisher", "date", "status"} == set(listed[0]) and len(listed) == len(
        library.knowledge.sources
    )


def test_one_source_shows_its_verdicts_and_what_was_withdrawn():
    seen = weft("sources", "azure-fsdp-2026")
    assert "WITHDRAWN" in seen.out and "What holds:" in seen.out


def test_a_question_is_answered_with_its_sources_or_not_at_all(index):
    seen = weft("ask", "what is SHARP and when does it help?", "--format", "json")
    found = json.loads(seen.out)
    assert found["answered"] and found["passages"][0]["source"] and len(found["passages"]) == 5
    assert not json.loads(weft("ask", "how do I bake sourdough bread?", "--format", "json").out)["answered"]


def test_questions_in_a_batch_keep_their_order(tmp_path, index):
    (tmp_path / "q.jsonl").write_text(
        '{"id": "b", "text": "PFC and DCQCN"}\n{"id": "a", "text": "price of an H100 hour"}\n'
    )
    lines = [
        json.loads(line)
        for line in weft("ask", "--batch", str(tmp_path / "q.jsonl"), "--format", "jsonl").out.splitlines()
    ]
    assert [line["id"] for line in lines] == ["b", "a"]


def test_a_sentence_is_understood():
    found = json.loads(
        weft(
            "understand", "pretrain a 70B Llama 3.1 on 8 nodes of 8xH100 with tp8, no InfiniBand", "--format", "json"
        ).out
    )
    assert found["fields"]["cluster.gpus"] == 64 and found["fields"]["cluster.gpu"] == "h100-sxm"
    assert (
        found["fields"]["parallelism"]["tp"] == 8
        if "parallelism" in found["fields"]
        else found["fields"]["parallelism.tp"] == 8
    )
    assert "infiniband" not in str(found["fields"].get("cluster.fabric"))


def test_the_network_of_1024_gpus_is_the_published_one():
    found = json.loads(weft("fabric", "infiniband-ndr-400", "--gpus", "1024", "--format", "json").out)
    assert (found["leaf"], found["spine"], found["core"], found["tiers"]) == (32, 16, 0, 2)
    assert "32 leaf, 16 spine" in weft("fabric", "infiniband-ndr-400", "--gpus", "1024").out


def test_examples_and_handbook_are_listed_and_printed():
    assert "llama-70b-pretraining" in weft("examples").out
    assert "workload: pretraining" in weft("examples", "llama-70b-pretraining").out
    for topic in weft("handbook").out.split("\n")[:-1]:
        assert weft("handbook", topic.split()[0]).out.startswith("# ")


def test_the_files_to_try_commands_with_are_printed_and_read(tmp_path):
    for name in ("all_gather.log", "runs.csv", "prices.csv"):
        assert name in weft("examples").out
        (tmp_path / name).write_text(weft("examples", name).out, encoding="utf-8")
    assert "over InfiniBand" in weft("nccl", "diagnose", str(tmp_path / "all_gather.log")).out
    assert "2 prices: 2 changed" in weft("prices", "--update", str(tmp_path / "prices.csv"), "--dry-run").out
    page = (ROOT / "knowledge" / "handbook" / "calibrate.md").read_text(encoding="utf-8")
    assert (tmp_path / "runs.csv").read_text(encoding="utf-8") in page


def test_a_short_name_is_answered_with_what_begins_so():
    assert "did you mean a100-sxm-40gb or a100-sxm-80gb?" in weft("catalog", "offers", "--gpu", "a100-sxm").err


def test_the_doctor_finds_everything():
    seen = weft("doctor")
    assert seen.code == 0 and "✗" not in seen.out and "embedding model" in seen.out


def test_python_m_assistant_is_the_same_program():
    run = subprocess.run(
        [sys.executable, "-m", "assistant", "--version"], capture_output=True, text=True, cwd=ROOT, timeout=60
    )
    assert run.returncode == 0 and run.stdout.startswith("weft ")


def test_the_full_screen_is_refused_where_there_is_no_terminal():
    seen = weft()
    assert seen.code == 2 and "weft chat --plain" in seen.err


def test_a_reader_that_goes_away_is_no_traceback():
    command = f"{sys.executable} -m assistant sources | head -1"
    run = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=ROOT, env=os.environ, timeout=60)
    assert "Traceback" not in run.stderr and run.stdout.count("\n") == 1


def test_nccl_settings_come_with_their_reasons():
    seen = weft("nccl", "env", "--fabric", "ethernet-tcp-100", "--interface", "eth0")
    assert seen.code == 0 and "NCCL_NET=Socket" in seen.out and "NCCL_SOCKET_IFNAME==eth0" in seen.out
    lines = seen.out.splitlines()
    assert all(lines[i - 1].startswith("# ") for i, line in enumerate(lines) if line and not line.startswith("#"))
    assert weft("nccl", "env", "--fabric", "token-ring").code == 2


def test_a_log_over_sockets_is_told_to_be_one(tmp_path):
    (tmp_path / "job.log").write_text(
        "node1:1:1 [0] NCCL INFO NET/IB : No device found.\nnode1:1:1 [0] NCCL INFO Using network Socket\n"
        "node1:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/Socket/0\n"
    )
    found = json.loads(weft("nccl", "diagnose", str(tmp_path / "job.log"), "--format", "json").out)["files"][0]
    assert found["transport"] == "tcp-socket" and found["findings"]
    assert weft("nccl", "diagnose", str(tmp_path / "job.log")).out.startswith(str(tmp_path))
    assert weft("nccl", "diagnose", str(tmp_path / "none.log")).code == 2
