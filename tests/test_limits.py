"""What is too large, too deep or no file is refused before it is parsed, and nothing takes time by its square."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pathlib
import time
import zlib

import pytest

from assistant import api
from assistant.library.documents import pdf, reading
from assistant.library.questionnaires import from_value
from assistant.understanding import Listener
from assistant.vocabulary import quantities
from assistant.vocabulary.errors import InputError
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


def test_a_list_of_prices_has_no_more_columns_than_a_questionnaire(tmp_path):
    file = tmp_path / "prices.csv"
    file.write_text("," * 10_000 + "\n")
    seen = weft("prices", "--update", str(file))
    assert seen.code == 2 and "at most 500 columns, found 10,001" in seen.err


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


def _pdf(content: bytes, pages: int = 1) -> bytes:
    """Pages that all draw the same packed content."""
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer, drawn, written = PdfWriter(), DecodedStreamObject(), io.BytesIO()
    drawn.set_data(content)
    drawn = writer._add_object(drawn.flate_encode())
    names = (("/Type", "/Font"), ("/Subtype", "/Type1"), ("/BaseFont", "/Helvetica"))
    font = writer._add_object(DictionaryObject({NameObject(key): NameObject(value) for key, value in names}))
    fonts = DictionaryObject({NameObject("/F"): font})
    for _ in range(pages):
        page = writer.add_blank_page(99, 99)
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        page[NameObject("/Contents")] = drawn
    writer.write(written)
    return written.getvalue()


@pytest.mark.parametrize(
    ("content", "pages", "says"),
    [
        (b" " * 30_000_000, 1, "no page of it can be read"),  # a thousandth of that when packed
        (b"q " * 200_000, 1, "no page of it can be read"),
        (b"BT /F 9 Tf " + b"(a) Tj " * 900 + b"ET", 3, "draws more than 2,000 times"),
    ],
)
def test_a_pdf_that_unpacks_to_far_more_than_it_holds_is_refused(monkeypatch, content, pages, says):
    monkeypatch.setattr(pdf, "MOST_OPERATIONS", 2_000)
    with pytest.raises(reading.Unreadable, match=says):
        reading.read(pathlib.PurePath("a.pdf"), _pdf(content, pages))
    assert reading.read(pathlib.PurePath("a.pdf"), _pdf(b"BT /F 9 Tf 1 1 Td (64 H100 here) Tj ET")).cuts


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


@pytest.mark.parametrize("said", ["A: $2.10 ", "15 % of $2 "])
def test_a_mail_of_many_prices_takes_time_by_their_number_and_not_by_its_square(library, said):
    """Of every price the whole clause in which it stands was read: four times as many took sixteen times as long."""
    listener = Listener.of(library.language, library.catalog, library.listener)
    listener.hear("64 H100 at $2.10")

    def seconds(characters: int) -> float:
        began = time.process_time()
        listener.hear(said * (characters // len(said)))
        return time.process_time() - began

    assert min(seconds(2_400), seconds(2_399)) < 9 * max(seconds(600), seconds(595))


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


BAD_TEXTS = b"""{"id": "a", "text": "64 H100"}
{"id": "b", "text": "64 \xff H100"}
{"id": "c", "text": "64\0 H100"}
{"id": "d", "text": 64}
{"id": "e", "text": "128 H100"}
"""


@pytest.mark.parametrize("command", ["understand", "ask"])
def test_a_line_of_a_batch_that_is_no_text_costs_itself_alone(tmp_path, command, index):
    file = tmp_path / "texts.jsonl"
    file.write_bytes(BAD_TEXTS)
    seen = weft(command, "--batch", str(file))
    rows = [json.loads(line) for line in seen.out.splitlines()]
    assert seen.code == 2 and [row["id"] for row in rows] == ["a", None, None, "d", "e"]
    assert ["error" in row for row in rows] == [False, True, True, True, False]
    for line, says in ((2, "bytes that are not"), (3, "not valid JSON"), (4, 'expected {"id": …, "text": …}')):
        assert f"weft: {file}:{line}: " in seen.err and says in rows[line - 1]["error"]["message"]


def test_a_byte_that_is_no_text_is_told_with_its_line_in_prices_and_runs(tmp_path):
    prices, runs = tmp_path / "prices.csv", tmp_path / "runs.csv"
    prices.write_bytes(
        b"provider,gpu,gpus,usd_per_gpu_hour,date,source\nlambda,h100-sxm,8,1.5,2026-11-20,mail\n"
        b"lamb\xff,h100-sxm,8,2,2026-11-20,mail\nlam\0bda,h100-sxm,8,2,2026-11-20,mail\n"
        b"lambda,h100-sxm,8,true,2026-11-20,mail\n"
    )
    seen = weft("prices", "--update", str(prices), "--dry-run")
    assert seen.code == 2 and "3 lines cannot be read" in seen.err and "1.500" in seen.out
    for place in ("3: expected UTF-8", "4 provider: expected printable", "5 usd_per_gpu_hour: expected a number above"):
        assert f"weft: {prices}:{place}" in seen.err
    row = b"h100-sxm,8,%b,4096,%b\n"
    head = b"gpu,gpus,global_batch,sequence_length,step_time_s\n"
    runs.write_bytes(head + row % (b"3\xff", b"2") + row % (b"3\0", b"2") + row % (b"32", b"true"))
    seen = weft("calibrate", str(runs), "--out", str(tmp_path / "profile.yaml"))
    assert seen.code == 2 and "3 rows cannot be used" in seen.err
    for place in ("2: expected UTF-8", "3 global_batch: expected printable"):
        assert f"{runs}:{place}" in seen.err


CLUSTER = {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": 16}}


@pytest.mark.parametrize(
    "extreme",
    [
        {"training": {"days": 5e-324}},
        {"budget": {"gpu_hour_usd": 1e-300}},
        {"budget": {"usd": 1e-300}},
        {"constraints": {"deadline_days": 1e-300}},
        {"cluster": {"gpu": "l40s", "gpus": 4096, "sites": 2, "wan_gbps": 1e-12}},
    ],
)
def test_next_to_nothing_is_refused_in_a_sentence(library, extreme):
    with pytest.raises(InputError, match="expected at least"):
        from_value(CLUSTER | extreme, library.catalog)


@pytest.mark.parametrize(
    "extreme",
    [
        {"training": {"days": 1e-6}},
        {"budget": {"gpu_hour_usd": 1e-4, "fabric_premium_gpu_hour_usd": 99900}},
        {"budget": {"usd": 0.01}, "constraints": {"deadline_days": 1e-6}},
        {"cluster": {"gpu": "l40s", "gpus": 4096, "sites": 2, "wan_gbps": 1e-6}, "training": {"steps": 1_000_000_000}},
        {
            "workload": "rlhf",
            "model": "ling-flash-2.0",
            "cluster": {"gpu": "rtx-6000-ada", "gpus": 999_983},
            "rl": {"asynchronous": True},
        },
    ],
)
def test_the_least_and_the_most_that_is_read_is_planned(extreme):
    assert api.plan(CLUSTER | extreme).recommendation.headline


QUOTED = {"provider": "Acme", "fabric": "roce-v2-400", "gpu_hour_usd": 2.1}


@pytest.mark.parametrize(
    ("quotes", "says"),
    [
        ([QUOTED] * 10_000, "budget.quotes: expected at most 20 entries, got 10,000 of them"),
        ([{**QUOTED, "provider": "x" * 9_000}], "budget.quotes.0.provider: expected at most 100 characters, got"),
        ([{**QUOTED, "note": "4:1 " * 9_000}], "budget.quotes.0.note: expected at most 1000 characters, got"),
    ],
)
def test_more_quotes_than_anybody_has_are_refused_by_their_number(library, quotes, says):
    with pytest.raises(InputError) as refused:
        from_value({**JOB, "budget": {"quotes": quotes}}, library.catalog)
    assert str(refused.value).startswith(says) and len(str(refused.value)) < 200


def test_what_a_quote_includes_a_thousand_times_it_includes_once(library):
    asked = from_value({**JOB, "budget": {"quotes": [{**QUOTED, "includes": ["support"] * 1000}]}}, library.catalog)
    assert asked.budget.quotes[0].includes == ["support"]


def test_a_sentence_that_was_taken_for_a_file_is_not_told_whole():
    seen = weft("plan", "pretrain 70B on 64 H100 " * 5_000)
    assert seen.code == 2 and "expected a file ending in" in seen.err and len(seen.err) < 500


def test_a_key_of_a_million_letters_is_not_told_whole(tmp_path):
    (tmp_path / "job.json").write_text('{"workload": "pretraining", "' + "k" * 1_000_000 + '": 1}', encoding="utf-8")
    seen = weft("plan", str(tmp_path / "job.json"))
    assert seen.code == 2 and "kkk…kkk" in seen.err and len(seen.err) < 600
