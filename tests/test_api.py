"""What programs and notebooks use: the same answers as the commands, in types, with nothing written."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from assistant import api
from tests.program import weft

ROOT = pathlib.Path(__file__).parents[1]
JOB = {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": 16}}


@pytest.fixture(scope="module")
def made(index):
    return api.plan(JOB)


def test_a_plan_is_that_of_the_command(made, tmp_path):
    file = tmp_path / "job.json"
    file.write_text(json.dumps(JOB))
    assert weft("plan", str(file), "--format", "json").out == made.written("json")
    assert isinstance(made, api.Plan) and made.recommendation.card.do in made.written("text", width=400)


def test_a_job_is_a_questionnaire_fields_a_file_or_words(tmp_path):
    file = tmp_path / "job.json"
    file.write_text(json.dumps(JOB))
    asked = api.questionnaire(JOB)
    assert asked == api.questionnaire(file) == api.questionnaire(asked)
    told = api.questionnaire("pretrain llama 3.1 8b on 16 H100 for two weeks")
    assert (told.model, told.cluster.gpus, told.training.days) == ("llama-3.1-8b", 16, 14)


@pytest.mark.parametrize("said", ["", "hello", "export the plan to {file}"])
def test_words_that_tell_no_job_are_refused_and_nothing_is_written(said, tmp_path):
    with pytest.raises(api.InputError):
        api.questionnaire(said.format(file=tmp_path / "plan.md"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["job.yaml", "jobs/a.json", "/tmp/some.csv"])
def test_the_name_of_a_file_as_text_says_how_a_file_is_given(name):
    with pytest.raises(api.InputError, match=re.escape(f'give Path("{name}")')):
        api.plan(name)


def test_without_a_network_a_prediction_says_which_one_it_took_and_why():
    made = api.predict(JOB)
    [said] = [one for one in made.assumptions if one.field == "cluster.fabric"]
    assert said.value == made.fabric and "fastest" in said.why and "weft plan" in said.why
    named = api.predict(JOB | {"cluster": JOB["cluster"] | {"fabric": made.fabric}})
    assert "cluster.fabric" not in {one.field for one in named.assumptions}


def test_a_notebook_shows_a_plan_in_short(made):
    html, markdown = made._repr_html_(), made._repr_markdown_()
    assert "<table>" in html and "<html" not in html and "<script" not in html  # a part of the notebook's page
    assert made.recommendation.card.do in markdown and "| --- |" in markdown
    assert len(markdown) < len(made.written("markdown"))


def test_a_log_is_read_as_text_and_as_a_file(tmp_path):
    with pytest.raises(api.InputError, match=r"expected output of nccl-tests"):
        api.diagnose("nothing of the kind")
    file = tmp_path / "job.log"
    file.write_text("node1:1:1 [0] NCCL INFO Using network Socket\n")
    assert api.diagnose(file).files[0].transport == api.diagnose(file.read_text()).files[0].transport == "tcp-socket"


OWN = "gpus: {h100-sxm: {hour_price: {value: %s, unit: USD/GPU-h, source: ours, date: 2026-11-02}}}"
PROFILE = """{schema: weft/profile/1, date: 2026-11-20, weft: "1.0", measured_in: runs.csv,
compute: {factor: %s, gpus: [h100-sxm]}, errors: {before_percent: 9, after_percent: 4},
runs: [{id: a, gpu: h100-sxm, gpus: 16, fabric: roce-v2-400, measured_s: 3, before_s: 2, after_s: 3}]}"""


def _written_again(file, text):
    """Another content of the same length under the same name, at the same time of the clock."""
    file.write_text(text)
    os.utime(file, (1e9, 1e9))
    return file


def test_a_file_that_was_changed_is_read_again(tmp_path):
    """A notebook writes its catalog, its profile or its job, and asks again in the same process."""
    one, catalog = JOB | {"cluster": {"gpu": "h100-sxm", "gpus": 8}}, tmp_path / "ours.yaml"
    for price in ("1.97", "1.90"):
        told = api.plan(one, catalog=_written_again(catalog, OWN % price))
        assert f"${price} per GPU-hour" in told.recommendation.card.cost
        assert api.diff(told, catalog=catalog).same_answer  # the command reads it as the plan did
    steps = [
        api.predict(JOB, profile=_written_again(tmp_path / "profile.yaml", PROFILE % factor)).step_time_s
        for factor in ("1.10", "1.30")
    ]
    assert steps[0] < steps[1]
    gpus = [
        api.questionnaire(_written_again(tmp_path / "job.json", json.dumps(JOB).replace("16", n))).cluster.gpus
        for n in ("24", "32")
    ]
    assert gpus == [24, 32]


def test_the_page_shows_what_runs(index):
    page = (ROOT / "knowledge" / "handbook" / "python.md").read_text(encoding="utf-8")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(re.search(r"^```python\n(.*?)^```", page, re.M | re.S)[1], {})
    assert "s per step" in said.getvalue() and "gardening" in said.getvalue()
    named = set(re.findall(r"^\| `(\w+)\(|, `(\w+)\(", page, re.M))
    functions = {name for name in api.__all__ if name[0].islower()}
    assert {a or b for a, b in named} == functions


def test_to_import_it_loads_neither_model_nor_screen():
    code = "import sys, assistant.api; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True).stdout
    assert not set(loaded.split()) & {"torch", "textual", "sentence_transformers", "durable"}
    assert (ROOT / "assistant" / "py.typed").is_file()
