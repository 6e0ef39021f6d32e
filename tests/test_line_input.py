"""What is pasted, typed or piped into the conversation line by line."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from assistant.conversation.line_input import Reader, Typed

MAIL = "Hi Anna,\n\nCoreWeave: NDR at $2.20\nLambda: RoCE at $2.49\nBest, Zoë\n"


@pytest.fixture
def pipe():
    read, write = os.pipe()
    yield read, write
    os.close(read)


def test_a_mail_that_is_pasted_is_one_message_with_its_line_ends_and_what_is_typed_later_another(pipe):
    read, write = pipe
    said = Reader(read)
    os.write(write, MAIL[:20].encode())
    late = [
        threading.Timer(0.004, os.write, (write, MAIL[20:].encode())),
        threading.Timer(0.3, os.write, (write, b"why?\n")),
    ]
    for timer in late:
        timer.start()
    assert said() == MAIL.rstrip("\n")
    began = time.monotonic()
    assert said() == "why?" and time.monotonic() - began > 0.1
    os.close(write)
    assert said() is None


def test_a_conversation_that_was_written_down_is_a_message_a_line(pipe, tmp_path: Path):
    read, write = pipe
    lines = ["pretrain llama 3.1 70b on 64 H100", "", "why?", "bye"]
    os.write(write, "\r\n".join(lines).encode())
    os.close(write)
    written = tmp_path / "said.txt"
    written.write_text("\n".join([*lines, ""]))
    with written.open("rb") as file:
        for descriptor in (read, file.fileno()):
            said = Reader(descriptor)
            assert [said() for _ in lines] == lines
            assert said() is None


def test_lines_typed_at_a_terminal_during_an_answer_are_messages_of_their_own(monkeypatch):
    pty = pytest.importorskip("pty")
    typist, terminal = pty.openpty()
    with os.fdopen(terminal) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        monkeypatch.setattr("builtins.input", lambda prompt="": stdin.buffer.raw.readline().decode().rstrip("\n"))
        said = Typed()
        os.write(typist, b"why?\nwhat if 128 GPUs\n")
        assert (said(), said()) == ("why?", "what if 128 GPUs")
    os.close(typist)
