"""Many questionnaires: results in input order, bad rows named with file, line and field while the others go on."""

from __future__ import annotations

import csv
import json
import pathlib
import sys
from collections import Counter

import pytest

from assistant.vocabulary.batch import BatchSummary
from assistant.vocabulary.plan import Plan
from tests.program import weft

YAML = """\
name: first
workload: pretraining
model: llama-3.1-8b
cluster: {gpu: h100-sxm, gpus: 16}
---
name: broken
workload: pretraining
model: llama-3.1-8b
cluster:
  gpu: h100-sxm
  gpus: several
---
name: third
workload: inference
model: llama-3.1-8b
cluster: {gpu: h100-sxm, gpus: 8}
"""
LINES = (
    "\n".join(
        [
            json.dumps(
                {
                    "name": "fourth",
                    "workload": "finetuning",
                    "model": "qwen2.5-7b",
                    "cluster": {"gpu": "a100-sxm-80gb", "gpus": 8},
                }
            ),
            "not json",
            json.dumps(
                {
                    "name": "sixth",
                    "workload": "finetuning",
                    "model": {"params": "3B"},
                    "cluster": {"gpu": "h100-sxm", "gpus": 32},
                }
            ),
        ]
    )
    + "\n"
)
CSV = """\
name,workload,model,cluster.gpu,cluster.gpus,training.tokens,budget.gpu_hour_usd,constraints.vendor_neutral
seventh,pretraining,llama-3.1-8b,mi300x,64,100B,$2.50,yes
eighth,pretraining,llama-3.1-8b,h100-sxm,64,lots,,
ninth,pretraining,mixtral-8x7b,h100-sxm,"1,024",1T,2.50,no
"""
NAMES = ["first", "broken", "third", "fourth", None, "sixth", "seventh", "eighth", "ninth"]
BAD = {1, 4, 7}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("questionnaires")
    for name, text in (("a.yaml", YAML), ("b.jsonl", LINES), ("c.csv", CSV)):
        (folder / name).write_text(text, encoding="utf-8")
    return [str(folder / name) for name in ("a.yaml", "b.jsonl", "c.csv")]


@pytest.fixture(scope="module")
def done(files, tmp_path_factory, index):
    out = tmp_path_factory.mktemp("out")
    return weft("batch", *files, "--out", str(out)), out


def _results(out):
    return [json.loads(line) for line in (out / "plans.jsonl").read_text(encoding="utf-8").splitlines()]


def test_one_result_per_questionnaire_in_input_order(done):
    _, out = done
    results = _results(out)
    assert [r["name"] if "error" in r else r["questionnaire"]["name"] for r in results] == NAMES
    assert {i for i, r in enumerate(results) if "error" in r} == BAD
    for i, result in enumerate(results):
        if i not in BAD:
            assert Plan.model_validate(result).recommendation.headline


def test_a_bad_row_names_file_line_and_field_and_the_exit_code_says_so(done, files):
    seen, out = done
    assert seen.code == 2
    errors = [r["error"] for r in _results(out) if "error" in r]
    assert [(e["file"], e["line"], e["field"]) for e in errors] == [
        (files[0], 11, "cluster.gpus"),
        (files[1], 2, None),
        (files[2], 3, "training.tokens"),
    ]
    assert all(e["message"] for e in errors)
    assert seen.err.count("weft: ") == 3 and f"{files[0]}:11 cluster.gpus" in seen.err
    assert "6 planned, 3 bad" in seen.err


def test_the_summary_tells_networks_costs_warnings_and_refusals(done):
    seen, out = done
    told = BatchSummary.model_validate_json((out / "plans.jsonl.summary.json").read_bytes())
    plans = [one for one in _results(out) if "error" not in one]
    chosen = [next(c for c in plan["candidates"] if c["fabric"] == plan["recommendation"]["fabric"]) for plan in plans]
    assert (told.rows, told.planned, told.refused, told.infeasible) == (9, 6, 3, 0)
    assert Counter({one.fabric: one.plans for one in told.fabrics}) == Counter(one["fabric"] for one in chosen)
    priced = {plan["questionnaire"]["name"]: one["cost_usd"] for plan, one in zip(plans, chosen, strict=True)}
    service = priced.pop("third")  # the only one that stands ready instead of ending
    assert (told.services, told.usd_per_month) == (1, service["p50"])
    assert told.cost_usd == pytest.approx(sum(cost["p50"] for cost in priced.values() if cost))
    assert told.runs + told.services + told.without_a_price == 6
    assert told.cost_usd == pytest.approx(sum(one.cost_usd for one in told.fabrics))
    assert told.warnings == Counter(code for plan in plans for code in {w["code"] for w in plan["warnings"]})
    assert {(one.field, one.rows) for one in told.refusals} == {("cluster.gpus", 1), (None, 1), ("training.tokens", 1)}
    assert "6 plans, 3 refused" in seen.out and "REFUSED" in seen.out and "cluster.gpus: 1 row" in seen.out


def test_a_batch_that_is_whole_tells_its_summary_again(tmp_path, files, index):
    told = [weft("batch", *files[:1], "--out", str(tmp_path), *more).out for more in ((), ("--resume",))]
    assert told[0] == told[1] and "2 plans, 1 refused" in told[0]


def test_the_same_as_csv(files, tmp_path, index):
    seen = weft("batch", *files, "--out", str(tmp_path), "--format", "csv")
    rows = list(csv.DictReader((tmp_path / "plans.csv").open(encoding="utf-8")))
    assert seen.code == 2 and [row["name"] or None for row in rows] == NAMES
    assert rows[2]["verdict"] == "no-network-needed" and rows[2]["fabric"] == "none"
    assert rows[1]["error_line"] == "11" and rows[1]["fabric"] == ""
    assert float(rows[0]["cost_p10_usd"]) < float(rows[0]["cost_p50_usd"]) < float(rows[0]["cost_p90_usd"])


def test_the_same_as_parquet(files, tmp_path, index):
    read = pytest.importorskip("pyarrow.parquet", reason="needs the extra: pip install 'weft-fabric-planner[parquet]'")
    for form in ("csv", "parquet"):
        weft("batch", *files, "--out", str(tmp_path), "--format", form)
    made = read.read_table(tmp_path / "plans.parquet").to_pylist()
    rows = list(csv.DictReader((tmp_path / "plans.csv").open(encoding="utf-8")))
    assert [list(row) for row in made] == [list(row) for row in rows]
    for row, beside in zip(made, rows, strict=True):
        told = {name: "" if value is None else str(value) for name, value in row.items()}
        floats = {name for name, value in row.items() if isinstance(value, float)}
        assert {n: v for n, v in told.items() if n not in floats} == {n: beside[n] for n in beside if n not in floats}
        assert all(float(beside[name]) == row[name] for name in floats)
    left = ["plans.parquet", "plans.parquet.end", "plans.parquet.summary.json"]
    assert sorted(path.name for path in tmp_path.glob("plans.parquet*")) == left


def test_parquet_without_its_library_says_what_to_install(files, tmp_path, monkeypatch):
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    seen = weft("batch", *files, "--out", str(tmp_path), "--format", "parquet")
    assert seen.code == 2 and "pip install 'weft-fabric-planner[parquet]'" in seen.err and not list(tmp_path.iterdir())


def test_two_processes_give_the_same_answers_in_the_same_order(done, files, tmp_path):
    weft("batch", *files, "--out", str(tmp_path), "--jobs", "2")
    assert (tmp_path / "plans.jsonl").read_text() == (done[1] / "plans.jsonl").read_text()


def test_all_good_ends_with_exit_code_0(tmp_path, files, index):
    good = tmp_path / "good.yaml"
    good.write_text(YAML.split("---")[0], encoding="utf-8")
    assert weft("batch", str(good), "--out", str(tmp_path / "out")).code == 0


def test_a_missing_file_does_not_stop_the_others(tmp_path, files, index):
    seen = weft("batch", str(tmp_path / "none.yaml"), files[0], "--out", str(tmp_path / "out"))
    results = _results(tmp_path / "out")
    assert seen.code == 2 and len(results) == 4 and results[0]["error"]["message"] == "no such file"


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path, files):
    (tmp_path / "taken").write_text("a file")
    seen = weft("batch", files[0], "--out", str(tmp_path / "taken"))
    assert seen.code == 2 and "cannot write to" in seen.err and "Traceback" not in seen.err


def test_a_fault_of_the_program_in_one_row_costs_no_other_its_answer(files, tmp_path, index, monkeypatch):
    import assistant.planning

    def fails_on_the_third(questionnaire, library, **rest):
        if questionnaire.name == "third":
            raise RuntimeError("a bug")
        return real(questionnaire, library, **rest)

    real = assistant.planning.plan
    monkeypatch.setattr(assistant.planning, "plan", fails_on_the_third)
    seen = weft("batch", *files, "--out", str(tmp_path))
    results = _results(tmp_path)
    assert seen.code == 2 and len(results) == len(NAMES)
    assert "a fault of this program: RuntimeError: a bug" in results[2]["error"]["message"]
    assert "error" not in results[3]


def test_a_fault_of_the_program_while_a_row_is_read_costs_no_other_its_answer(files, tmp_path, index, monkeypatch):
    from assistant.library import checks

    def fails_on_the_third(questionnaire, catalog):
        if questionnaire.name == "third":
            raise RuntimeError("a bug")
        real(questionnaire, catalog)

    real = checks.check
    monkeypatch.setattr(checks, "check", fails_on_the_third)
    seen = weft("batch", *files, "--out", str(tmp_path), "--jobs", "1")
    results = _results(tmp_path)
    assert seen.code == 2 and len(results) == len(NAMES)
    assert "could not be read, which is a fault of this program" in results[2]["error"]["message"]
    assert "error" not in results[3]


def test_a_cell_that_looks_like_a_formula_stays_text(tmp_path, index):
    file = tmp_path / "x.jsonl"
    file.write_text(
        json.dumps(
            {
                "name": "=1+1",
                "workload": "inference",
                "model": "llama-3.1-8b",
                "cluster": {"gpu": "h100-sxm", "gpus": 8},
            }
        )
    )
    weft("batch", str(file), "--out", str(tmp_path), "--format", "csv")
    assert next(csv.DictReader((tmp_path / "plans.csv").open()))["name"] == "'=1+1"


def test_memory_stays_flat_over_many_plans(library, index):
    status = pathlib.Path("/proc/self/status")
    if not status.exists():
        pytest.skip("how much memory a process holds is read where Linux says it")
    from assistant.library.questionnaires import from_value
    from assistant.planning import plan
    from assistant.planning.planner import MOST_PLANS

    def resident_kb_after(rounds):
        for nodes in (*range(1, MOST_PLANS + 2),) * rounds:  # one more than are kept: none is found again
            asked = {
                "workload": "pretraining",
                "model": "llama-3.1-8b",
                "cluster": {"gpu": "h100-sxm", "gpus": 8 * nodes},
            }
            plan(from_value(asked, library.catalog), library, index=index)
        return int(status.read_text().split("VmRSS:")[1].split()[0])

    before = resident_kb_after(3)
    assert resident_kb_after(5) - before < 2500  # 55 kB a plan of 45: what one plan holds is ten times that


def test_a_file_that_is_changed_meanwhile_is_refused_and_planned_when_the_batch_is_run_again(
    tmp_path, index, monkeypatch
):
    from assistant.batch import runner

    first, second, out = tmp_path / "first.jsonl", tmp_path / "second.jsonl", tmp_path / "out"
    job = {"workload": "finetuning", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": 8}}
    first.write_text(json.dumps(job))
    second.write_text(json.dumps(job))

    def edited(asked, row):
        second.write_text(json.dumps(job | {"name": "edited"}))
        return told(asked, row)

    told = runner.told
    monkeypatch.setattr(runner, "told", edited)
    arguments = ["batch", str(first), str(second), "--jobs", "1", "--out", str(out)]
    seen = weft(*arguments)
    assert seen.code == 2 and "second.jsonl: the file was changed while the batch ran" in seen.err
    assert "error" not in _results(out)[0] and "changed" in _results(out)[1]["error"]["message"]
    monkeypatch.setattr(runner, "told", told)
    second.write_text(json.dumps(job))
    seen = weft(*arguments, "--resume")
    assert seen.code == 0 and ["error" in one for one in _results(out)] == [False, False], "nothing wrong was kept"


def test_a_batch_that_stopped_after_a_file_was_changed_is_not_gone_on_with(tmp_path):
    from assistant.batch.folder import Written
    from assistant.vocabulary.errors import InputError

    head = {"inputs": [["a.jsonl", "1"]]}
    written = Written(tmp_path, "plans.jsonl", head)
    written.begin(b"")
    written.spoil()
    with pytest.raises(InputError, match="had other inputs"):
        Written(tmp_path, "plans.jsonl", head).go_on()


@pytest.mark.parametrize("name", ["jobs.jsonl", "jobs.csv"])
def test_a_byte_that_is_no_text_costs_its_row_alone(tmp_path, name):
    file = tmp_path / name
    row = b'{"workload":"finetuning","model":"llama-3.1-8b","cluster":{"gpu":"h100-sxm","gpus":8}}\n'
    if name.endswith("csv"):
        row = b"finetuning,llama-3.1-8b,h100-sxm,8\n"
        file.write_bytes(b"workload,model,cluster.gpu,cluster.gpus\n" + row + row.replace(b"8b", b"8b\xff") + row)
    else:
        file.write_bytes(row + row.replace(b"8b", b"8b\xff") + row)
    seen = weft("predict", str(file))
    results = [json.loads(line) for line in seen.out.splitlines()]
    assert seen.code == 2 and ["error" in one for one in results] == [False, True, False]
    assert "expected UTF-8 text" in results[1]["error"]["message"]
    assert f"{3 if name.endswith('csv') else 2}" in results[1]["error"]["message"]
