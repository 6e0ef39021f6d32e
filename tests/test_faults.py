"""What ends, kills or fills up around the program costs nobody an answer, and never changes one."""

from __future__ import annotations

import contextlib
import csv
import datetime
import io
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from functools import partial

import pytest

from assistant.__main__ import main
from assistant.batch.folder import Written, alone
from assistant.conversation import Conversation, opening
from assistant.conversation.transcript import document
from assistant.conversation.transcript.document import answer_text
from assistant.conversation.transcript.saving import Recorder
from assistant.conversation.turn.turns import KEPT_WHOLE
from assistant.engines import Engine, Work
from assistant.library import Library, paths, shipped
from assistant.library.files import is_unread_pipe, write_whole
from assistant.library.questionnaires import from_value
from assistant.planning import plan
from assistant.present.cells import csv_text
from assistant.present.markdown import escaped
from assistant.vocabulary.added import added
from assistant.vocabulary.errors import KnowledgeError
from tests import fault_injection
from tests.program import Seen, weft

WEFT = [sys.executable, "-m", "assistant"]
KEPT = pathlib.Path(__file__).parents[1] / "transcripts" / "single-node.md"
JOBS = [
    {"name": f"job {n}", "workload": "inference", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": n}}
    for n in (8, 16, 0, 24, 32, 40, 48, 56)
]


@pytest.fixture
def jobs(tmp_path, index):
    file = tmp_path / "jobs.jsonl"
    file.write_text("".join(json.dumps(job) + "\n" for job in JOBS))
    return str(file)


def _batch(file, out, *more):
    return ["batch", file, "--out", str(out), "--today", "2026-11-20", *more]


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_batch_that_is_killed_goes_on_to_the_same_bytes_and_leaves_no_process(jobs, tmp_path, processes):
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    weft(*_batch(jobs, whole))
    running = subprocess.Popen([*WEFT, *_batch(jobs, stopped, "--jobs", processes)], stderr=subprocess.DEVNULL)
    part, children = stopped / "plans.jsonl.part", set()
    while not (part.exists() and part.stat().st_size) and running.poll() is None:
        children |= _children(running.pid)
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert not (stopped / "plans.jsonl").exists()
    assert weft(*_batch(jobs, stopped, "--resume")).code == 2  # one of the jobs has no GPU
    assert (stopped / "plans.jsonl").read_bytes() == (whole / "plans.jsonl").read_bytes()
    assert json.loads((stopped / "plans.jsonl.end").read_text())["planned"] == 7
    last = time.monotonic() + 10  # each looks now and then whether the one that began it is there
    while any(map(_runs, children)) and time.monotonic() < last:
        time.sleep(0.05)
    assert not any(map(_runs, children))


def _children(parent):
    with contextlib.suppress(OSError):
        return set(pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split())
    return set()


def _runs(process):
    """Whether it runs; one that has ended, and that nobody asked after yet, has no command line any more."""
    with contextlib.suppress(OSError):
        return bool(pathlib.Path(f"/proc/{process}/cmdline").read_bytes())
    return False


def _work(thing):
    """Ends its own process: always for "bad", the first time for a path that is not there yet."""
    if thing == "bad" or (thing.startswith("/") and not os.path.exists(thing)):
        if thing != "bad":
            pathlib.Path(thing).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return thing.upper()


def test_a_process_that_dies_is_replaced_and_its_row_tried_once_more(tmp_path):
    once = str(tmp_path / "once")
    work = Work(_work, lambda: None)
    found = list(Engine(jobs=2).mapped(work, ["a", once, "bad", "b", "c"], lambda thing, why: f"{thing}: {why}"))
    assert found == ["A", once.upper(), "bad: signal 9", "B", "C"]


def test_a_second_batch_into_the_same_folder_is_refused(jobs, tmp_path):
    with alone(tmp_path / "out"):
        seen = weft(*_batch(jobs, tmp_path / "out"))
    assert seen.code == 2 and "another batch is writing into this folder" in seen.err


def test_an_output_that_is_an_input_is_refused_and_kept(jobs, tmp_path):
    taken = tmp_path / "plans.jsonl"
    shutil.copy(jobs, taken)
    seen = weft(*_batch(str(taken), tmp_path))
    assert seen.code == 2 and "expected an input that the output does not replace" in seen.err
    assert taken.read_text() == pathlib.Path(jobs).read_text()


def test_going_on_with_other_inputs_is_refused(jobs, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "plans.jsonl.part").write_bytes(b"{}\n")
    (out / "plans.jsonl.part.rows").write_bytes(b'{"inputs": []}\n3 1 0\n')
    seen = weft(*_batch(jobs, out, "--resume"))
    assert seen.code == 2 and "had other inputs" in seen.err


def test_a_pipe_that_nobody_reads_is_known_before_it_is_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert is_unread_pipe(tmp_path / "pipe") and not is_unread_pipe(tmp_path)
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert not is_unread_pipe(tmp_path / "pipe")
    os.close(reader)


def test_a_finished_batch_is_kept_where_one_of_other_inputs_would_go_on_with_it(jobs, tmp_path):
    out, other = tmp_path / "out", tmp_path / "other.json"
    other.write_text(json.dumps(JOBS[0]))
    weft(*_batch(jobs, out))
    made = (out / "plans.jsonl").read_bytes()
    seen = weft(*_batch(str(other), out, "--resume"))
    assert seen.code == 2 and "had other inputs" in seen.err and (out / "plans.jsonl").read_bytes() == made


@pytest.mark.parametrize("left", ["plans.jsonl.part", "plans.jsonl.part.rows"])
def test_rows_that_were_changed_while_a_batch_lay_still_are_planned_again(left, tmp_path):
    rows = [(b'{"row": %d}\n' % n, {"refused": None, "message": f"row {n}"}) for n in range(4)]
    written = Written(tmp_path, "plans.jsonl", {"inputs": []})
    written.begin(b"")
    for row in rows:
        written.add(*row)
    was, other = (b"row 2", b"row 7") if left.endswith("rows") else (b": 2", b": 7")
    (tmp_path / left).write_bytes((tmp_path / left).read_bytes().replace(was, other))
    again = Written(tmp_path, "plans.jsonl", {"inputs": []})
    assert again.go_on() and again.rows == 2
    assert again.part.read_bytes() == rows[0][0] + rows[1][0]


def _pipe(path):
    os.mkfifo(path)


def _link(path):
    (path.parents[1] / "letter").write_text("of somebody else")
    path.symlink_to("../letter")


@pytest.mark.parametrize("taken", [_pipe, _link, pathlib.Path.mkdir], ids=["a pipe", "a link", "a folder"])
@pytest.mark.parametrize("name", ["plans.jsonl.part", "plans.jsonl.part.rows", ".weft-batch.lock"])
def test_a_batch_writes_through_no_link_and_waits_for_no_pipe(name, taken, jobs, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    taken(out / name)
    seen = weft(*_batch(jobs, out, "--resume"))
    assert seen.code == 2 and seen.err.startswith(f"weft: {out / name}: expected a file of an earlier batch or nothing")
    assert taken is not _link or (tmp_path / "letter").read_text() == "of somebody else"


def test_what_the_cache_keeps_is_used_only_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "prices"
    folder.mkdir()
    (folder / "a.yaml").write_text("usd: 2.5\n")
    assert shipped.documents("prices", folder) == {"a.yaml": {"usd": 2.5}}
    kept = next((tmp_path / "cache" / "compiled").glob("prices-*.json"))
    changed = [partial(kept.write_text, other) for other in (kept.read_text().replace("2.5", "1.5"), "{}", "")]
    if hasattr(os, "mkfifo"):  # nothing writes into the pipe, and the device has no end
        changed += [
            partial(_stands_there, kept, os.mkfifo),
            partial(_stands_there, kept, partial(os.symlink, "/dev/zero")),
        ]
    for change in changed:
        change()
        assert shipped.documents("prices", folder) == {"a.yaml": {"usd": 2.5}}


def _stands_there(path, make):
    path.unlink()
    make(path)


def test_without_rules_knowledge_or_catalog_there_is_no_answer(library, tmp_path):
    nothing = Library(tmp_path, tmp_path)
    for part in ("rules", "knowledge", "catalog"):
        with pytest.raises(KnowledgeError):
            getattr(nothing, part)


@pytest.mark.parametrize(
    "gone, part",
    [
        *((name, "knowledge") for name in ("conflicts.yaml", "glossary", "nccl", "sources", "claims", "passages")),
        *((f"language/{name}", "language") for name in ("fields", "languages", "acts.json", "topics.yaml")),
        *((f"catalog/{name}", "catalog") for name in ("providers", "constants", "devices.yaml")),
        ("interview.yaml", "interview"),
    ],
)
def test_a_part_that_is_gone_or_empty_is_refused_by_its_name(library, tmp_path, gone, part):
    shutil.copytree(library.knowledge_folder, tmp_path / "knowledge", copy_function=os.symlink)
    away = tmp_path / "knowledge" / gone
    if away.is_dir():
        shutil.rmtree(away)
    else:
        away.unlink()
        away.write_text("")
    with pytest.raises(KnowledgeError, match=pathlib.Path(gone).stem):
        getattr(Library(library.rules_folder, tmp_path / "knowledge"), part)


@pytest.mark.parametrize("name", ["rules", "knowledge"])
def test_no_file_of_the_rules_and_the_knowledge_can_be_missing_or_empty_unnoticed(library, tmp_path, name):
    folder = tmp_path / name
    shutil.copytree(getattr(library, f"{name}_folder"), folder, copy_function=os.symlink)
    listed = (folder / paths.FILES).read_text()
    assert listed == paths.listing(folder), "weft handbook --write files"
    for one in listed.splitlines():
        (folder / one).rename(tmp_path / "away")
        with pytest.raises(KnowledgeError, match=f"{one}: there is nothing to read"):
            paths.whole(folder)
        (folder / one).touch()
        with pytest.raises(KnowledgeError, match=f"{one}:1: there is nothing in it"):
            paths.whole(folder)
        (tmp_path / "away").rename(folder / one)
    (folder / paths.FILES).unlink()
    (folder / paths.FILES).touch()
    with pytest.raises(KnowledgeError, match=f"{paths.FILES}:1: there is nothing in it"):
        paths.whole(folder)


@pytest.mark.parametrize("stage", ["classify", "screen", "choose", "advise", "advise/settings"])
def test_without_a_stage_of_the_rules_there_is_no_answer(library, tmp_path, stage):
    shutil.copytree(library.rules_folder, tmp_path / "rules", copy_function=os.symlink)
    shutil.rmtree(tmp_path / "rules" / stage)
    with pytest.raises(KnowledgeError, match=f"rules/{stage}: there is nothing to read"):
        plan(from_value(JOBS[0], library.catalog), replace(library, rules_folder=tmp_path / "rules"), index=None)


@pytest.mark.parametrize("file, key", [("outside", "topics"), ("everyday", "words"), ("settled", "questions")])
def test_a_list_under_another_name_is_not_taken_for_none(tmp_path, file, key):
    (tmp_path / f"{file}.yaml").write_text(f"{key}s: [one]\n")
    with pytest.raises(KnowledgeError, match=f"{file}.yaml:1 {key}: expected a list with entries"):
        shipped.listed(file, tmp_path, f"{file}.yaml", key)


def test_a_plan_says_what_it_was_made_with_and_for_which_day(library):
    made = plan(from_value(JOBS[0], library.catalog), library, index=None, today=datetime.date(2026, 11, 20))
    assert made.date == "2026-11-20" and made.made_with is not None
    assert made.made_with.model_dump(exclude={"program", "constants"}) == library.digests
    assert "constants.kernel-tile" in made.made_with.constants


@pytest.mark.parametrize("file", ["nccl/settings.yaml", "conflicts.yaml", "measurements/training.csv", "launch/run.sh"])
def test_whatever_of_the_knowledge_is_changed_a_plan_says_that_it_was_made_with_another(library, tmp_path, file):
    for folder in ("catalog", "nccl", "measurements", "launch"):
        (tmp_path / folder).mkdir()
    (tmp_path / file).write_text("before")
    before = replace(library, knowledge_folder=tmp_path).digests
    (tmp_path / file).write_text("after")
    after = replace(library, knowledge_folder=tmp_path).digests
    assert [part for part in before if before[part] != after[part]] == ["knowledge"]


def test_the_last_digit_does_not_hang_on_how_a_python_adds(library, monkeypatch):
    """From Python 3.12 on ``sum`` corrects what it rounds off."""

    def corrected(values, start=0):
        values = list(values)
        floats = values and all(type(one) is float for one in values)
        return math.fsum([*values, start]) if floats else added(values, start)

    job = from_value({**JOBS[0], "workload": "pretraining", "model": "llama-3.1-70b"}, library.catalog)
    made = lambda: plan(job, library, index=None, today=datetime.date(2026, 11, 20)).model_dump_json()
    before = made()
    monkeypatch.setattr("builtins.sum", corrected)
    assert sum([0.1] * 10) == 1.0 and made() == before


def test_a_batch_size_that_nobody_gave_is_never_refused(library, some):
    awkward = [4_096, 5_003, 48_464, 100_003, 216_642, 436_397, 500_000, 798_036, 999_983, 1_000_000]
    for gpus in some(awkward, 3):
        for workload in ("pretraining", "finetuning", "rlhf"):
            job = {"workload": workload, "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": gpus}}
            assert plan(from_value(job, library.catalog), library, index=None).recommendation.headline


def test_ctrl_c_while_a_part_is_loaded_is_a_sentence_whatever_python_makes_of_it(monkeypatch, capsys):
    class Slow:
        def __set_name__(self, owner, name):
            raise KeyboardInterrupt  # before Python 3.12 a RuntimeError by the time that it is seen

    monkeypatch.setattr("assistant.cli.main", lambda: type("Offer", (), {"price": Slow()}))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1 and capsys.readouterr().err == "weft: stopped\n"


def test_ctrl_c_within_a_command_is_a_sentence(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("assistant.vocabulary.contracts.schema_of", interrupted)
    assert weft("schema", "plan") == Seen(1, "", "weft: stopped\n")


@pytest.mark.parametrize("page", ["ascii", "cp1252"])
def test_a_terminal_that_lacks_most_signs_shows_others(page):
    shown = [*WEFT, "fabric", "infiniband-ndr-400", "--gpus", "64"]
    env = {**os.environ, "PYTHONIOENCODING": page}
    text = subprocess.run(shown, capture_output=True, env=env, check=True).stdout.decode(page)
    data = subprocess.run([*shown, "--format", "json"], capture_output=True, env=env, check=True).stdout.decode(page)
    assert "infiniband-ndr-400" in text and "?" not in text and json.loads(data)["gpus"] == 64


@pytest.mark.parametrize(("ending", "code"), [("> /dev/full", 1), (">&-", 0), ("<&- >&- 2>&-", 0)])
def test_a_full_or_closed_output_is_no_traceback(ending, code):
    ended = subprocess.run(f'"{sys.executable}" -m assistant examples {ending}', shell=True, capture_output=True)
    assert ended.returncode == code and b"Traceback" not in ended.stderr


def test_names_of_files_and_folders_command_no_terminal(tmp_path, monkeypatch):
    evil = tmp_path / "a\x1b[31m\u202eb"
    evil.mkdir()
    monkeypatch.setenv("WEFT_HOME", str(evil))
    said = evil / "said.md"
    said.write_text(KEPT.read_text().replace("**Weft:**", "**Weft:** \x1b]0;title\x07", 1))
    seen = [weft("doctor"), weft("replay", str(said))]
    for one in seen:
        assert not {"\x1b", "\x07", "\u202e"} & {*one.out, *one.err}, one
    assert "[31m" in seen[0].out and "\n+**Weft:** Tell me" in seen[1].out


def test_a_folder_of_yours_may_have_a_name_that_is_no_text(library, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_HOME", os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    opened = opening.begin(library)
    opened.start()
    opened.say("pretrain llama 3.1 8b on 16 H100")
    assert opened.transcript_path is not None and "16 H100" in opened.transcript_path.read_text()


def test_a_list_of_documents_that_cannot_be_opened_is_not_called_damaged(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("WEFT_HOME", str(tmp_path / "file"))
    seen = weft("knowledge", "list")
    assert seen.code == 2 and seen.err.endswith("manifest.json: cannot be read: Not a directory\n")


def test_nothing_is_no_name_of_a_file(tmp_path, monkeypatch):
    """As of a variable of the shell that is not set: it would be the folder one is in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.md").write_text("# Ours\n\nOur rail switches are new.\n")
    for given in (("batch", "jobs.csv", "--out", ""), ("knowledge", "add", ""), ("plan", ""), ("plan", "x", "--out=")):
        seen = weft(*given)
        assert seen.code == 2 and "expected a path, got nothing" in seen.err, given
    assert [path.name for path in tmp_path.iterdir()] == ["notes.md"]


def test_documents_of_which_none_could_be_taken_are_no_success(tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_HOME", str(tmp_path / "home"))
    (tmp_path / "none").mkdir()
    (tmp_path / "empty.md").touch()
    assert weft("knowledge", "add", str(tmp_path / "empty.md")).code == 2
    assert weft("knowledge", "add", str(tmp_path / "none")).code == 2


def test_conversations_that_begin_at_the_same_moment_have_a_file_each(tmp_path):
    begun = [Recorder(tmp_path / "talk.md", lambda: "# A talk\n") for _ in range(6)]
    together = [threading.Thread(target=one.heard, args=("64 H100",)) for one in begun]
    for thread in together:
        thread.start()
    for thread in together:
        thread.join()
    assert len({one.path for one in begun}) == len(list(tmp_path.iterdir())) == 6
    assert all(path.stat().st_mode & 0o077 == 0 for path in tmp_path.iterdir())


def test_a_conversation_that_cannot_be_kept_says_so_and_goes_on(begin, tmp_path):
    (tmp_path / "taken").write_text("a file")
    talk = begin()
    talk.record = Recorder(tmp_path / "taken" / "talk.md", lambda: "# A talk\n")
    talk.start()
    said = talk.say("64 H100")
    assert "this conversation is not kept" in said[0].text and talk.draft.fields["cluster.gpus"] == 64
    assert not any("not kept" in getattr(event, "text", "") for event in talk.say("llama 3.1 8b"))


def test_a_long_conversation_keeps_what_was_said_and_not_every_plan(begin):
    talk, whole = begin(), []
    talk.record = whole.append
    talk.start()
    talk.say("pretrain llama 3.1 8b on 64 H100 for 1T tokens")
    for n in range(KEPT_WHOLE + 3):
        talk.say(f"what if we had {8 * (n + 2)} GPUs?")
    plans = [event for turn in talk.turns for event in turn.events if hasattr(event, "plan")]
    assert KEPT_WHOLE / 2 < len(plans) <= KEPT_WHOLE < sum(hasattr(e, "plan") for turn in whole for e in turn.events)
    assert [*map(answer_text, talk.turns)] == [*map(answer_text, whole)]


def test_what_a_person_wrote_commands_no_spreadsheet_and_makes_no_link():
    rows = list(csv.reader(io.StringIO(csv_text([["=1+1", " @x", "\n=2", "a\rb", "a\u202eb", -5]]))))
    assert rows == [["'=1+1", "' @x", "'\n=2", "a\nb", "a�b", "-5"]]
    assert escaped("[a](http://b) ![c](d)") == r"[a\](http\://b) ![c\](d)"
    assert escaped("www.b.example, a@b.example") == r"www\.b.example, a\@b.example"


def test_what_turns_the_order_of_signs_is_seen_in_a_transcript_and_escaped_in_json(begin, tmp_path):
    asked = tmp_path / "turned.json"
    asked.write_text(json.dumps({**JOBS[0], "name": "a\u202eb\x9bc"}), encoding="utf-8")
    for made in (weft("plan", str(asked), "--format", "json").out, weft("predict", str(asked)).out):
        assert not {"\u202e", "\x9b"} & set(made) and "a\\u202eb\\u009bc" in made
        json.loads(made)
    talk, kept = begin(), tmp_path / "talk.md"
    talk.record = Recorder(kept, lambda: "# A talk\n")
    talk.start()
    talk.say("\u202e64 H100")
    assert talk.draft.fields["cluster.gpus"] == 64 and "**You:** �64 H100" in kept.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("command", "kinds", "every"),
    [
        ("export", ("full", "killed"), 2),
        ("handbook", ("broken", "short"), 3),
    ],
)
def test_a_write_that_fails_or_is_cut_off_leaves_the_old_or_the_new_and_the_next_run_works(command, kinds, every):
    """A part of ``python -m tests.fault_injection``."""
    tried = list(fault_injection.points(fault_injection.COMMANDS[command], kinds, every))
    assert len(tried) >= 4 and [one for one in tried if one.problems] == []


def test_what_is_written_keeps_links_permissions_and_pipes(tmp_path):
    there, link, pipe = tmp_path / "there", tmp_path / "link", tmp_path / "pipe"
    there.write_text("before")
    there.chmod(0o640)
    link.symlink_to(there)
    write_whole(link, b"after")
    assert link.is_symlink() and there.read_bytes() == b"after" and there.stat().st_mode & 0o777 == 0o640
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe", "there"]


def test_what_does_not_all_fit_into_a_transcript_is_not_in_it(begin, tmp_path):
    kept = tmp_path / "talk.md"
    talk = begin()
    talk.record = Recorder(kept, lambda: "# A talk\n")
    talk.start()
    talk.say("64 H100")
    before = kept.read_bytes()
    with fault_injection.Injection(tmp_path, "full", 2)():  # its opening succeeds, and half of the message fits
        said = talk.say("two weeks")
    assert "this conversation is not kept" in said[0].text and kept.read_bytes() == before


def test_what_was_said_is_kept_when_the_program_is_killed_while_it_answers(library, tmp_path):
    head = document.head_text("A talk", document.head_of(library, datetime.date(2026, 11, 20), searched=False))
    killed = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
    talk = Conversation(library, planner=killed, record=Recorder(tmp_path / "talk.md", lambda: head))
    talk.start()
    program = os.fork()
    if program == 0:
        talk.say("pretrain llama 3.1 8b on 64 H100, two weeks")
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(program, 0)[1]) == -signal.SIGKILL
    assert document.read(tmp_path / "talk.md").unanswered == "pretrain llama 3.1 8b on 64 H100, two weeks"


def test_a_transcript_that_ends_within_a_letter_is_still_one(tmp_path):
    whole = pathlib.Path("transcripts/70b-over-plain-tcp.md").read_bytes()
    torn = tmp_path / "torn.md"
    torn.write_bytes(whole[: whole.rindex("✓".encode()) + 1])
    assert len(document.read(torn).exchanges) == len(document.read("transcripts/70b-over-plain-tcp.md").exchanges)


@pytest.mark.parametrize(
    ("end", "once"),
    [(signal.SIGTERM, b"^Q"), (signal.SIGHUP, b"^Q"), (signal.SIGTERM, b"]11;?")],
    ids=["SIGTERM", "SIGHUP", "while it is asked for its colours"],
)
def test_ending_the_full_screen_from_outside_gives_the_terminal_back(end, once):
    pty = pytest.importorskip("pty")
    termios = pytest.importorskip("termios")
    program, terminal = pty.fork()
    if program == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(sys.executable, WEFT)
    before, shown = termios.tcgetattr(terminal)[:4], b""
    while once not in shown:
        shown += os.read(terminal, 65_536)
    os.kill(program, end)
    with contextlib.suppress(OSError):  # Linux reports the end of a terminal as an error
        while chunk := os.read(terminal, 65_536):
            shown += chunk
    assert os.waitstatus_to_exitcode(os.waitpid(program, 0)[1]) == 128 + end
    assert (b"\x1b[?1049h" in shown) == (b"\x1b[?1049l" in shown) and termios.tcgetattr(terminal)[:4] == before


@pytest.mark.parametrize("variable", ["WEFT_CACHE", "WEFT_HOME"])
def test_a_folder_of_a_name_that_cannot_be_is_refused_in_a_sentence(variable, monkeypatch):
    monkeypatch.setenv(variable, "/" + "x" * 300)
    seen = weft("doctor")
    assert seen.code == 2 and f"{variable}: expected a folder" in seen.err
