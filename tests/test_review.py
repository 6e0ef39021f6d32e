"""Plans under review: what is different, what did it, and the examples of the handbook on a repository."""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
import yaml
from bs4 import BeautifulSoup

from assistant import api, review
from assistant.planning import plan as planned
from assistant.present.plan.diff import written
from assistant.present.topology_drawing import drawing_lines, drawing_svg
from assistant.vocabulary.answers import FabricDesign
from assistant.vocabulary.errors import InputError
from tests.program import weft

ROOT = pathlib.Path(__file__).parents[1]
DAY = datetime.date(2026, 11, 20)
JOB = {
    "name": "pilot",
    "workload": "pretraining",
    "model": "llama-3.1-70b",
    "cluster": {"gpu": "h100-sxm", "gpus": 64},
    "training": {"tokens": "100B"},
}
PRICES = """
providers:
  {provider}:
    offers:
      - name: {name}
        gpu: h100-sxm
        gpus_per_node: 8
        fabrics: [infiniband-ndr-400]
        nics_per_node: 8
        gbps_per_nic: 400
        min_gpus: 16
        largest_gpus: 4096
        prices:
          - {{tier: on-demand, price: {{value: {usd}, unit: USD/GPU-h, source: mail, date: 2026-11-20}}, trust: high}}
        source: mail
        date: 2026-11-20
"""


@pytest.fixture(scope="module")
def before(library):
    return planned(api.questionnaire(JOB), library, index=None, today=DAY)


def _taken(plan):
    return plan.offers[plan.recommendation.offer]


def test_the_same_plan_has_no_difference(before, library):
    found = review.compared(before, before, library)
    assert found.same_answer and not (found.causes or found.inputs or found.prices or found.rules or found.networks)


def test_a_price_that_rose_is_named_and_the_costs_add_up(before, library, tmp_path):
    ours = _taken(before)
    file = tmp_path / "mine.yaml"
    file.write_text(PRICES.format(provider=ours.provider, name=ours.instance, usd=9))
    dearer = replace(library, user_catalog=file)
    after = planned(api.questionnaire(JOB), dearer, index=None, today=DAY)
    found = review.compared(before, after, dearer)
    assert [(one.provider, one.was, one.now) for one in found.prices] == [(ours.provider, ours.usd_per_gpu_hour, 9.0)]
    [cause] = found.causes
    assert cause.kind == "price" and ours.provider in cause.what
    assert (cause.cost_was_usd, cause.cost_usd) == pytest.approx((found.before.cost_usd, found.after.cost_usd))
    assert {"catalog", "prices"} == {*found.changed_with}


def _with_constant(library, folder, file, old, new):
    shutil.copytree(library.knowledge_folder, folder)
    path = folder / "catalog" / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    return replace(library, knowledge_folder=folder)


def test_a_constant_that_changed_is_named_with_both_values(before, library, tmp_path):
    name = "constants.framework-unknown-compute"
    was = before.made_with.constants[name]
    value, unit = was.split()
    slower = f"{float(value) * 0.8:.6g}"
    found_in = (library.knowledge_folder / "catalog/constants/framework.yaml").read_text(encoding="utf-8")
    line = re.search(r"(?m)^framework-unknown-compute: \{value: [\d.]+", found_in)[0]
    changed = re.sub(r"[\d.]+$", slower, line)
    other = _with_constant(library, tmp_path / "knowledge", "constants/framework.yaml", line, changed)
    after = planned(api.questionnaire(JOB), other, index=None, today=DAY)
    found = review.compared(before, after, other)
    assert [(one.name, one.was, one.now) for one in found.constants] == [(name, was, f"{slower} {unit}")]
    [cause] = found.causes
    assert cause.kind == "constant" and cause.what == f"{name}: {was} → {slower} {unit}"
    assert (cause.cost_was_usd, cause.cost_usd) == pytest.approx((found.before.cost_usd, found.after.cost_usd))
    assert found.changed_with == ["catalog"] and cause.what in written(found, "text", 160)


def test_a_plan_that_keeps_no_constants_is_compared_as_before(before, library, tmp_path):
    told = json.loads(before.model_dump_json(by_alias=True))
    del told["made_with"]["constants"]
    old = tmp_path / "old.json"
    old.write_text(json.dumps(told))
    found = review.compared(api.saved(old), before, library)
    assert not (found.constants or found.causes or found.changed_with)


def test_inputs_are_named_one_after_the_other(before, library):
    cluster = {**JOB["cluster"], "gpus": 128, "provider": "oci"}
    after = planned(api.questionnaire({**JOB, "cluster": cluster}), library, index=None, today=DAY)
    found = review.compared(before, after, library)
    assert {(one.field, one.was, one.now) for one in found.inputs} == {
        ("cluster.gpus", 64, 128),
        ("cluster.provider", None, "oci"),
    }
    assert not found.same_answer and {one.kind for one in found.causes} == {"input"}
    assert found.causes[-1].fabric == after.recommendation.fabric
    costs = [found.before.cost_usd, *(one.cost_usd for one in found.causes)]
    assert [one.cost_was_usd for one in found.causes] == pytest.approx(costs[:-1])
    assert costs[-1] == pytest.approx(found.after.cost_usd)


def test_a_rule_that_is_new_is_what_did_it(before, library, tmp_path):
    folder = tmp_path / "rules"
    shutil.copytree(library.rules_folder, folder)
    rule = yaml.safe_load((folder / "screen" / "efa-only-at-aws.yaml").read_text(encoding="utf-8"))
    rule |= {"id": "screen/not-this-one", "when": {"candidate": {"fabric": before.recommendation.fabric}}}
    rule["examples"] = [
        {"given": {"candidate": {"fabric": before.recommendation.fabric}}, "expect": "fires"},
        {"given": {"candidate": {"fabric": "none"}}, "expect": "silent"},
    ]
    rule["because"] = "This network is not to be had."
    (folder / "screen" / "not-this-one.yaml").write_text(yaml.safe_dump(rule))
    other = replace(library, rules_folder=folder)
    after = planned(api.questionnaire(JOB), other, index=None, today=DAY)
    found = review.compared(before, after, other)
    assert found.changed_with == ["rules"] and [one.kind for one in found.causes] == ["known"]
    assert ("screen/not-this-one", "speaks") in {(one.rule, one.now) for one in found.rules}
    assert review.compared(before, after, library).not_computed  # here other rules are installed


def test_the_command_compares_files_and_refuses_what_is_no_plan(before, tmp_path):
    old, bad, job = tmp_path / "old.json", tmp_path / "bad.json", tmp_path / "job.yaml"
    old.write_text(before.model_dump_json(by_alias=True))
    bad.write_text('{"schema": "weft/plan/0"}')
    job.write_text(yaml.safe_dump({**JOB, "cluster": {"gpu": "h100-sxm", "gpus": 8}, "budget": {"gpu_hour_usd": 2.0}}))
    seen = weft("diff", str(old), str(job), "--today", "2026-11-20", "--format", "markdown", "--check")
    assert seen.code == 1 and "GPUs: 64 → 8." in seen.out and seen.out.startswith("<!-- weft diff -->")
    told = json.loads(weft("diff", str(old), "--today", "2026-11-20", "--format", "json").out)
    assert told["same_answer"] and told["causes"] == []
    assert (refused := weft("diff", str(bad))).code == 2 and "expected a plan" in refused.err
    assert weft("diff", str(old), str(job), "--today", "2026-11-20").code == 1, "another answer, asked for or not"
    assert (refused := weft("plan", str(old))).code == 2 and "got a plan that was saved" in refused.err


BY_HAND = [
    ("questionnaire.budget.usd_per_month", "5"),
    ("questionnaire.cluster.gpus", True),
    ("recommendation.flips.0.at", {"more": 1}),
    ("recommendation.flips.0.from", "many"),
    ("recommendation.confidence", 1e300),
    ("recommendation.offer", 10**6),
    ("candidates.0.step_time_s.p50", -1),
    ("fabric_design.switch", ""),
    ("fabric_design.planes", 0),
    ("fabric_design.cables.node_leaf", -5),
    ("fabric_design.leaf", 10**25),
    ("nccl.settings.0.reason", 7),
    ("date", "yesterday"),
]


@pytest.mark.parametrize(("field", "value"), BY_HAND)
def test_a_saved_plan_that_was_changed_by_hand_is_refused_with_its_field(field, value, before, tmp_path):
    file, told = tmp_path / "plan.json", json.loads(before.model_dump_json(by_alias=True))
    *path, last = (int(part) if part.isdigit() else part for part in field.split("."))
    inner = told
    for part in path:
        inner = inner[part]
    inner[last] = value
    file.write_text(json.dumps(told))
    with pytest.raises(InputError, match=f"{file} {field}: not as the contract has it"):
        api.saved(file)


def test_markup_in_a_saved_plan_stays_text_on_its_page(before, tmp_path):
    markup = '"><script>alert(1)</script><img src=x onerror=alert(1)>[a](javascript:b)'
    told = json.loads(before.model_dump_json(by_alias=True))
    told["questionnaire"]["name"] = markup
    told["names"] = dict.fromkeys(told["names"], markup)
    told["recommendation"]["headline"] += markup
    told["recommendation"]["card"] = dict.fromkeys(told["recommendation"]["card"], markup)
    for kind, keys in (
        ("findings", ("conclusion", "because")),
        ("evidence", ("text", "source")),
        ("warnings", ("message",)),
    ):
        for one in told[kind]:
            one |= dict.fromkeys(keys, markup)
    told["measure_first"] = told["questions_for_provider"] = told["fabric_design"]["notes"] = [markup]
    for setting in told["nccl"]["settings"]:
        setting["reason"] = markup
    (tmp_path / "plan.json").write_text(json.dumps(told))
    soup = BeautifulSoup(api.saved(tmp_path / "plan.json").written("html"), "html.parser")
    assert "<script>alert(1)" in soup.get_text() and not soup(["script", "img", "a", "iframe"])
    assert not [name for one in soup(True) for name in one.attrs if name.startswith("on") or name in ("href", "src")]


def test_however_many_switches_a_plan_tells_of_the_drawing_has_its_size(before):
    many = {"leaf": 10**9, "spine": 10**9, "core": 10**9, "planes": 10**4, "groups": 10**4}
    design = FabricDesign.model_validate({**before.fabric_design, **many})
    assert all(len(line) <= 80 for line in drawing_lines(design)) and len(drawing_svg(design)) < 100_000


def _block(title):
    page = (ROOT / "knowledge" / "handbook" / "review.md").read_text(encoding="utf-8")
    return yaml.safe_load(next(b for b in re.findall(r"^```yaml\n(.*?)^```", page, re.M | re.S) if title in b))


def test_the_hook_and_the_action_of_the_handbook_on_a_repository(index, tmp_path):
    repository, programs = tmp_path / "repository", tmp_path / "bin"
    (repository / "plans").mkdir(parents=True)
    programs.mkdir()
    program = programs / "weft"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m assistant "$@"\n')
    program.chmod(0o755)
    identity = {f"GIT_{who}_{what}": "weft@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    around = {**os.environ, **identity, "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}

    def run(*command, **more):
        made = subprocess.run(command, cwd=repository, env={**around, **more}, capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
        return made.stdout

    def committed(gpus):
        job = {**JOB, "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": gpus}}
        (repository / "plans" / "pilot.yaml").write_text(yaml.safe_dump(job))
        run("git", "add", ".")
        run("bash", "-c", f"{hook['entry']} plans/pilot.yaml")
        run("git", "commit", "-qm", "plan")
        return run("git", "rev-parse", "HEAD").strip()

    [hook] = _block(".pre-commit-config.yaml")["repos"][0]["hooks"]
    assert re.match(hook["files"], "plans/pilot.yaml")
    run("git", "init", "-q")
    first, _ = committed(16), committed(32)
    assert "plans/pilot.json" in run("git", "show", "--name-only", "--format=", "HEAD")
    steps = _block(".github/workflows/plans.yaml")["jobs"]["diff"]["steps"]
    compare = next(step for step in steps if step.get("name") == "compare")
    run("bash", "-eo", "pipefail", "-c", compare["run"], BASE=first)
    assert "GPUs: 16 → 32." in (repository / "comment.md").read_text(encoding="utf-8")
