"""What is too large, too deep or no file is refused before it is parsed, and nothing takes time by its square."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import time

import pytest

from assistant.library.documents import reading
from assistant.understanding import Listener
from assistant.vocabulary import quantities
from tests.program import weft

JOB = {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": 16}}
MANY = 50_000  # characters, or more


def written(params: object) -> str:
    return json.dumps({**JOB, "model": {"params": params}})


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("brackets.yaml", "[" * 40_000, "too many nested or repeated values"),
        ("dashes.yaml", "- " * 40_000, "too many nested or repeated values"),
        ("braces.yaml", "{a: " * 40_000, "too many nested or repeated values"),
        ("brackets.json", "[" * 100_000, "nested too deeply"),
        ("columns.csv", ",".join(f"c{n}" for n in range(10_000)), "at most 500 columns"),
        ("large.yaml", "a: b\n" * 3_400_000, "at most 16 MiB of YAML"),
        ("infinite.json", written("1e308 B"), "expected a finite number below 1e+30"),
        ("spaces.json", written("16" + " " * 3_000 + "x"), "expected a finite number in at most 200 characters"),
        ("surrogate.json", json.dumps({**JOB, "\ud800": 1}), "expected text"),
    ],
)
def test_what_is_too_much_is_one_sentence(tmp_path, name, content, says):
    file = tmp_path / name
    file.write_text(content)
    seen = weft("plan", str(file))
    assert seen.code == 2 and says in seen.err and seen.err.count("\n") == 1, seen.err[-300:]


@pytest.mark.parametrize(
    "command", [("plan",), ("nccl", "diagnose"), ("validate",), ("prices", "--update"), ("replay",)]
)
def test_a_pipe_without_a_writer_and_a_device_without_an_end_are_no_files(tmp_path, command):
    pipe, endless = tmp_path / "pipe.csv", tmp_path / "endless.csv"
    os.mkfifo(pipe)
    endless.symlink_to("/dev/zero")
    for path in (pipe, endless):
        seen = weft(*command, str(path))
        assert seen.code == 2 and "expected a file, got a device or a pipe" in seen.err


QUANTITIES = (quantities.count, quantities.size, quantities.gbps, quantities.usd, quantities.days, quantities.ratio)


def _of_each_quantity(text):
    for quantity in QUANTITIES:
        with pytest.raises(ValueError):
            quantity(text)


def _document(name):
    def of(text):
        with contextlib.suppress(reading.NotADocument, reading.Unreadable):
            reading.read(pathlib.PurePath(name), text.encode())

    return of


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        (_of_each_quantity, "1" + " " * MANY + "Gb/s"),
        (_of_each_quantity, "/" * MANY),
        (_document("page.html"), "<a " * MANY),
        (_document("page.html"), "<p" * MANY),
        (_document("page.html"), "<!--" * MANY),
        (_document("page.html"), "<!-- -->" * 80_000),
        (_document("page.html"), "<!DOCTYPE" * MANY),
        (_document("notes.md"), "<!--" * (MANY // 4)),
        (_document("notes.md"), "<?" * (MANY // 2)),
        (_document("notes.txt"), "漢 " * MANY),
    ],
)
def test_fifty_thousand_characters_take_less_than_a_second(reader, text):
    reader("64 H100 per x")  # what is loaded with the first text is no part of it
    began = time.process_time()
    reader(text)
    assert time.process_time() - began < 1.0


@pytest.mark.parametrize(
    "text",
    [
        "⓸",
        "² march",
        "9" * MANY,
        "1.2." * MANY,
        ",.9 8-7-" * 1_000,
        "99999999999-1-1 64 H100",
        "64 H102:10 with ro  0 per gpu hour",
    ],
)
def test_a_row_of_figures_that_is_no_number_is_none(library, text):
    heard = Listener.of(library.language, library.catalog, library.listener).hear(text)
    assert "cluster.gpus" not in heard.fields or heard.fields["cluster.gpus"] == 64


def test_a_line_separator_inside_a_text_ends_no_line(tmp_path):
    file = tmp_path / "texts.jsonl"
    file.write_text('{"id": "a", "text": "64\u2028H100"}\n', encoding="utf-8")
    seen = weft("understand", "--batch", str(file))
    assert seen.code == 0 and json.loads(seen.out)["fields"]["cluster.gpus"] == 64
