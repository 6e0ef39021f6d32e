"""The server for a person's own assistant: a real process that the SDK's own client speaks with."""

from __future__ import annotations

import io
import json
import pathlib
import signal
import subprocess
import sys

import pytest
import yaml

from assistant.mcp import play
from assistant.mcp.limits import MOST_FIELDS, MOST_LOG, MOST_SAID
from tests.program import weft

ROOT = pathlib.Path(__file__).parents[1]
STEPS = yaml.safe_load((ROOT / "knowledge" / "mcp" / "session.yaml").read_text(encoding="utf-8"))
JOB = {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": 8}}


def _tool(name, **given):
    return {"tool": name, "with": given}


def test_without_the_sdk_one_sentence_says_what_to_install(monkeypatch):
    for module in [name for name in sys.modules if name.startswith("assistant.mcp.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "mcp", None)
    seen = weft("mcp")
    assert seen.code == 2 and "pip install 'weft-fabric-planner[mcp]'" in seen.err and seen.err.count("\n") == 1


@pytest.fixture(scope="module")
def sdk():
    return pytest.importorskip("mcp", reason="needs the extra: pip install 'weft-fabric-planner[mcp]'")


def test_the_session_of_the_handbook_is_held_and_writes_nothing(sdk, index, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_HOME", str(tmp_path / "home"))
    played = play(STEPS)
    page = (ROOT / "knowledge" / "handbook" / "mcp.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in played.tools)
    for step, answer in zip(STEPS, played.answers, strict=True):
        assert (answer is None) == ("says" in step)
        assert answer is None or (answer and not answer.startswith("refused")), answer
        assert "tool" not in step or f"`{step['tool']}`" in page
    assert {step["tool"] for step in STEPS if "tool" in step} <= set(played.tools)
    assert not list(tmp_path.rglob("*"))


def test_what_is_wrong_or_too_much_is_refused_and_files_stay_alone(sdk, tmp_path):
    file, log = tmp_path / "plan.md", tmp_path / "nccl.log"
    log.write_text("node1:1:1 [0] NCCL INFO Using network Socket\n")
    refused = [
        (_tool("plan"), "expected a questionnaire or a sentence"),
        (_tool("plan", questionnaire=JOB, sentence="x"), "and not both"),
        (_tool("plan", questionnaire={**JOB, "workload": "gardening"}), "workload: expected one of"),
        (_tool("plan", questionnaire={**JOB, "name": "x" * MOST_FIELDS}), "bytes"),
        (_tool("plan", sentence="x" * (MOST_SAID + 1)), f"at most {MOST_SAID} characters"),
        (_tool("plan", questionnaire=JOB, today="soon"), "expected a day"),
        (_tool("plan", sentence=f"export the plan to {file}"), "still needed"),
        (_tool("compare", questionnaire=JOB, left="token-ring", right="none"), "left: expected one of"),
        (_tool("read_nccl_log", log=str(log)), "expected output of nccl-tests"),
        (_tool("read_nccl_log", log="x" * (2 * MOST_LOG + 1)), "a message of at most 8,000,000 bytes"),
        (_tool("design_network", fabric="infiniband-ndr-400", gpus=0), "gpus"),
    ]
    played = play([step for step, _ in refused] + [{"resource": "weft://schema/plan"}])
    for answer, (step, why) in zip(played.answers, refused, strict=False):
        assert answer.startswith("refused: ") and why in answer, (step["tool"], answer)
        assert "Traceback" not in answer
    assert not file.exists()
    assert json.loads(played.answers[-1])["$schema"]
    assert {"weft://handbook/model", "weft://schema/questionnaire", "weft://catalog/gpus"} <= {*played.resources}


def test_a_message_that_is_too_long_is_let_go_and_answered(sdk):
    from assistant.mcp.wire import Lines

    long = b'{"jsonrpc":"2.0","id":7,"method":"' + b"x" * 100 + b'"}\n'
    lines, refused = Lines(io.BytesIO(long + b'{"id":8}\n'), most=60), []
    lines.refused = refused.append
    assert [lines.readline(), lines.readline()] == ['{"id":8}\n', ""] and refused == [7]


def test_ctrl_c_and_a_client_that_is_gone_end_it_in_one_word(sdk):
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "own", "version": "1"}}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n"
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    stopped, left = (subprocess.Popen([sys.executable, "-m", "assistant", "mcp"], text=True, **pipes) for _ in "ab")
    for server in (stopped, left):
        server.stdin.write(line)
        server.stdin.flush()
    assert all("result" in json.loads(server.stdout.readline()) for server in (stopped, left))
    stopped.send_signal(signal.SIGINT)
    left.stdout.close()
    left.stdin.write(line)
    left.stdin.flush()  # and not closed: who is gone may have left it open
    assert (stopped.wait(60), stopped.stderr.read()) == (1, "weft: stopped\n")
    assert (left.wait(60), left.stderr.read()) == (1, "")
