"""Lines that come again and again are counted without being read: with the same findings as when all are read."""

from __future__ import annotations

import re

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text
from assistant.network.diagnosis.reading import Heard, Reading
from assistant.network.diagnosis.repeats import Again, Repeats
from assistant.network.diagnosis.text import stream_of
from tests.nccl_logs import DEVICES, channels, debug, table

CATALOG = library.load().catalog
STEPS = "".join(f"[2025-03-02 10:11:{n:02d}] step {n} loss 2.{n} elapsed time per iteration (ms): 41{n % 9}.0\n"
                for n in range(40))  # fmt: skip
FAULTS = (
    "n0:1:2 [0] misc/socket.cc:60 NCCL WARN socketProgress: Connection closed by remote peer n1<34567>\n"
    "n0:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.2<45678> with status=12 opcode=1 len=7 vendor err\n"
    "n0:1:2 [0] misc/shmutils.cc:72 NCCL WARN Something that nobody knows, number 17\n"
    "[rank1]: ncclRemoteError: A call failed possibly due to a network error.\n"
    "Jan 03 10:00:01 n0 kernel: NVRM: Xid (PCI:0000:4e:00): 79, pid=1234, GPU has fallen off the bus.\n"
)
LOG = (
    debug("Bootstrap: Using eth0:10.0.0.1<0>", "NCCL_IB_HCA set by environment to mlx5.", DEVICES, "Using network IB",
          "comm 0x55aa77cc rank 3 nRanks 16 nNodes 2 localRanks 8 localRank 3 MNNVL 0", *channels("IB"),
          "[Proxy Service] Device 0 CPU core 7", per_host=8)
    + STEPS + table(390.0) + FAULTS
)  # fmt: skip


def renumbered(text: str, turn: int) -> str:
    """The same lines with other process ids and addresses in memory."""
    text = re.sub(
        r"(?m)^(node-\d:)(\d+):(\d+)", lambda m: f"{m[1]}{int(m[2]) + 7000 * turn}:{int(m[3]) + 9000 * turn}", text
    )
    return text.replace("0x55aa77cc", f"0x55aa{turn:04x}")


def heard(text: str) -> Heard:
    reading = Reading()
    reading.read(stream_of(text))
    return reading.heard


@pytest.mark.parametrize("times", [1, 3, 12])
def test_a_log_with_repeats_is_read_like_one_in_which_every_line_is_looked_at(monkeypatch, times):
    text = "".join(renumbered(LOG, turn) for turn in range(1, times + 1))
    counted, quick = diagnose_text(text, CATALOG), heard(text)
    monkeypatch.setattr(Repeats, "of", lambda self, key: None)
    monkeypatch.setattr(Reading, "_learn", lambda self, kind, fold: None)
    assert counted.model_dump() == diagnose_text(text, CATALOG).model_dump()
    slow = heard(text)
    for name in ("kinds", "channels", "local", "nics_used", "devices_per_host", "ranks", "first_ranks", "settings"):
        assert getattr(quick.log, name) == getattr(slow.log, name), name
    assert quick.known.went_on == slow.known.went_on and quick.known.steps == slow.known.steps
    assert quick.known.completions == slow.known.completions and quick.known.strange == slow.known.strange
    for code, seen in slow.known.seen.items():
        assert seen.signature.sign or quick.known.seen[code] == seen


def test_most_lines_of_a_long_log_are_not_read_again(monkeypatch):
    text = "".join(renumbered(debug(*channels("IB"), per_host=8), turn) for turn in range(1, 101))
    kept = list[bytes]()
    monkeypatch.setattr(Repeats, "keep", lambda self, key, again: (kept.append(key), KEEP(self, key, again)))
    assert diagnose_text(text, CATALOG).transport == "infiniband"
    assert len(kept) == len(set(kept)) < text.count("\n") / 50


KEEP = Repeats.keep


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (b"n1:4121:4188 [0] NCCL INFO x", b"n1:88:1 [0] NCCL INFO x", False),  # few digits may mean something
        (b"n1:4121:4188 [0] NCCL INFO x", b"n1:51210:99001 [0] NCCL INFO x", True),
        (b"node-0231:4121:4188 [0] x", b"node-0232:4121:4188 [0] x", False),
        (b"comm 0x7f30dc06b1c0 rank 1", b"comm 0x5583a0965330 rank 1", True),
        (b"comm 0x7f30dc06b1c0 rank 1", b"comm 0x7f30dc06b1c0 rank 2", False),
        (b"2025-01-19 02:27:11 error", b"2026-11-09 22:07:01 error", True),
        (b"Xid (PCI:0000:4e:00): 79", b"Xid (PCI:0000:4e:00): 43", False),
    ],
)
def test_only_numbers_that_nobody_asks_for_are_left_out(one, other, alike):
    repeats = Repeats()
    assert (repeats.key(one) == repeats.key(other)) is alike


def test_what_is_remembered_has_an_end(monkeypatch):
    monkeypatch.setattr("assistant.network.diagnosis.repeats._MOST", 2)
    repeats = Repeats()
    for word in (b"a", b"b", b"c"):
        repeats.keep(word, Again())
    assert repeats.of(b"b") is not None and repeats.of(b"c") is None
    assert repeats.key(b"x" * 1000) == b"", "a long line is not remembered"
    repeats.forget()
    assert repeats.of(b"b") is None


@pytest.mark.parametrize("kind", ["float", "half", "bfloat16", "uint8", "fp8_e4m3"])
@pytest.mark.parametrize("dressed", ["", "0: ", "[1,0]<stdout>:"])
def test_rows_are_the_same_whatever_tells_them(kind, dressed):
    text = table(390.0).replace(" float ", f" {kind} ") + table(41.5, "reduce_scatter").replace(" float ", f" {kind} ")
    plain, read = Reading(), Reading()
    plain.read(stream_of(text.replace("\n", "\r\n")))
    read.read(stream_of("".join(f"{dressed}{line}\n" for line in text.splitlines())))
    assert [run.rows for run in read.tables.runs] == [run.rows for run in plain.tables.runs]
    assert [len(run.rows) for run in read.tables.runs] == [4, 4]
