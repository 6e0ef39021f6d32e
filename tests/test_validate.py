"""weft validate: errors by source on our runs and on a user's file, mistakes in one sentence."""

from __future__ import annotations

import csv
import json

import pytest

from .program import weft

ROW = {
    "id": "night run",
    "gpu": "h100-sxm",
    "gpus": "16",
    "model": "llama-3.1-8b",
    "fabric": "infiniband-ndr-400",
    "strategy": "fsdp",
    "global_batch": "32",
    "micro_batch": "2",
    "sequence_length": "4096",
    "recompute": "full",
    "framework": "fsdp",
    "step_time_s": "0.9",
}


def written(folder, *rows):
    path = folder / "mine.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def test_a_users_runs_are_compared_and_every_row_is_shown(tmp_path):
    file = written(tmp_path, ROW, ROW | {"id": "=day run", "step_time_s": "1.8"})
    seen = weft("validate", file, "--rows")
    assert seen.code == 0, seen.err
    assert "night run" in seen.out and "yours" in seen.out and "one constant" in seen.out
    made = json.loads(weft("validate", file, "--rows", "--format", "json").out)
    night, day = made["runs"]
    assert night["predicted_s"] == day["predicted_s"] and night["p10_s"] < night["predicted_s"] < night["p90_s"]
    (line,) = made["sources"]
    errors = [night["predicted_s"] / 0.9 - 1, night["predicted_s"] / 1.8 - 1]
    assert line["runs"] == 2 and line["bias"] == pytest.approx(sum(errors) / 2)
    assert line["mean_absolute"] == pytest.approx(sum(map(abs, errors)) / 2)
    table = list(csv.DictReader(weft("validate", file, "--rows", "--format", "csv").out.splitlines()))
    assert table[1]["id"] == "'=day run" and float(table[0]["error"]) == pytest.approx(errors[0])


def test_rows_of_several_sources_have_a_total(tmp_path):
    file = written(
        tmp_path,
        ROW | {"source": "ours"},
        ROW | {"source": "theirs", "gpus": "8"},
        ROW | {"source": "theirs", "use": "excluded"},
    )
    made = json.loads(weft("validate", file, "--format", "json").out)
    assert [(line["source"], line["runs"]) for line in made["sources"]] == [("ours", 1), ("theirs", 1), ("", 2)]
    assert made["excluded"] == 1 and made["runs"] == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"gpus": "many"}, 'gpus: expected a number, got "many"'),
        ({"gpu": "abacus"}, 'gpu: expected an id of the catalog, got "abacus"'),
        ({"model": "gpt-9"}, "model: expected an id of the catalog"),
        ({"fabric": ""}, "fabric: expected the fabric that joins 2 nodes"),
        ({"step_time_s": "0"}, "step_time_s: expected more than 0"),
        ({"strategy": "magic"}, "strategy: expected a strategy"),
        ({"global_batch": "4"}, "global_batch: expected at least the 16 data-parallel ranks"),
        ({"tpp": "1"}, 'known columns, got "tpp"'),
        ({"framework": "mine"}, "framework: expected one of"),
        ({"model": ""}, "layers: expected"),
        ({"fabric": "none"}, "fabric: expected the fabric that joins 2 nodes, got none"),
        ({"micro_batch": "64"}, "micro_batch: expected at most"),
        ({"pp": "2", "interleave": "64"}, "interleave: expected at most"),
        ({"ep": "2"}, "ep: expected at most"),
        ({"strategy": "diloco"}, "strategy: expected a strategy with one exchange per step"),
    ],
)
def test_a_mistake_is_one_sentence_with_line_and_column(tmp_path, change, says):
    seen = weft("validate", written(tmp_path, ROW | change))
    assert seen.code == 2 and says in seen.err and "mine.csv:" in seen.err and seen.err.count("\n") == 1


def test_every_row_with_a_mistake_is_named_at_once(tmp_path):
    seen = weft(
        "validate", written(tmp_path, ROW | {"gpus": "many"}, ROW, ROW | {"model": "gpt-9"}, ROW | {"step_time_s": "0"})
    )
    first, *lines = seen.err.splitlines()
    assert seen.code == 2 and seen.out == "" and "3 rows cannot be used" in first and len(lines) == 3
    for line, place in zip(
        lines,
        ("mine.csv:2 gpus: expected", "mine.csv:4 model: expected", "mine.csv:5 step_time_s: expected"),
        strict=True,
    ):
        assert place in line


def test_of_very_many_mistakes_the_first_are_named_and_all_counted(tmp_path):
    lines = weft("validate", written(tmp_path, *[ROW | {"gpus": "many"}] * 53)).err.splitlines()
    assert "53 rows cannot be used" in lines[0] and len(lines) == 22 and lines[-1].strip() == "and 33 more"


@pytest.mark.parametrize("command", [("validate",), ("calibrate", "--out", "never.yaml")])
def test_a_step_that_no_gpu_could_take_is_refused_with_its_row_and_the_least_that_is_possible(tmp_path, command):
    """6 FLOP per weight and token at least: 8.03e9 weights, 32 × 4,096 tokens, 16 GPUs of at most 989 TFLOP/s."""
    least = 6 * 7.5e9 * 32 * 4096 / (16 * 989e12)
    file = written(tmp_path, ROW, ROW | {"step_time_s": f"{0.9 * least:.3f}"})
    seen = weft(command[0], file, *command[1:])
    assert seen.code == 2 and "mine.csv:3 step_time_s: expected at least" in seen.err and seen.err.count("\n") == 1
    assert f"got {0.9 * least:.3f}".rstrip("0") in seen.err
    assert weft("validate", written(tmp_path, ROW | {"step_time_s": f"{1.3 * least:.3f}"})).code == 0
    assert weft("validate", written(tmp_path, ROW, ROW | {"step_time_s": "0.001", "use": "excluded"})).code == 0


def test_a_file_that_is_none_is_refused(tmp_path):
    (tmp_path / "empty.csv").write_text("gpu,gpus,global_batch,sequence_length,step_time_s\n")
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\xff\xfe")
    assert "at least one run" in weft("validate", str(tmp_path / "empty.csv")).err
    assert "expected UTF-8 text" in weft("validate", str(tmp_path / "picture.csv")).err
    assert weft("validate", str(tmp_path / "missing.csv")).code == 2
    assert "--leave-one-out" in weft("validate", str(tmp_path / "empty.csv"), "--leave-one-out").err


def test_what_a_row_leaves_open_is_chosen_as_predict_does_and_the_band_is_around_it(tmp_path):
    row = {
        "gpu": "h100-sxm",
        "gpus": "64",
        "global_batch": "512",
        "sequence_length": "8192",
        "step_time_s": "58",
        "model": "llama-3.1-70b",
        "fabric": "infiniband-ndr-400",
        "strategy": "fsdp",
    }
    (run,) = json.loads(weft("validate", written(tmp_path, row), "--rows", "--format", "json").out)["runs"]
    assert run["p10_s"] < run["predicted_s"] < run["p90_s"]
    asked = {
        "name": "x",
        "workload": "pretraining",
        "model": "llama-3.1-70b",
        "parallelism": {"strategy": "fsdp"},
        "cluster": {"gpu": "h100-sxm", "gpus": 64, "fabric": "infiniband-ndr-400"},
        "training": {"global_batch": 512, "sequence_length": 8192},
    }
    (tmp_path / "x.json").write_text(json.dumps(asked))
    assert json.loads(weft("predict", str(tmp_path / "x.json"), "--format", "jsonl").out)[
        "step_time_s"
    ] == pytest.approx(run["predicted_s"], rel=1e-3)
