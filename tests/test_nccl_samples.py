"""Of many lines that differ in numbers alone a sample is read; what differs otherwise, and how a log ends, is told."""

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text
from assistant.network.diagnosis.reading import Heard, Reading
from assistant.network.diagnosis.text import stream_of

CATALOG = library.load().catalog
MANY = 9000
STEP = "[2026-11-02 10:11:12] iteration {n}/ 900000 | elapsed time per iteration (ms): {ms:.1f} | lm loss: 2.1\n"
STEPS = [STEP.format(n=n, ms=1840 + n % 7) for n in range(1, MANY + 1)]


def heard(text: str) -> Heard:
    reading = Reading()
    reading.read(stream_of(text))
    return reading.heard


def codes(text: str) -> set[str]:
    return {each.code for each in diagnose_text(text, CATALOG).findings if each.severity != "info"}


def test_steps_are_counted_whether_read_or_not_and_it_is_said_how_many_were_not():
    text = "".join(STEPS)
    log = heard(text)
    assert log.known.steps.told == log.known.steps.last == log.known.steps.at == MANY
    assert 1000 < log.samples.left < MANY - 2000
    said = diagnose_text(text, CATALOG)
    assert not codes(text) and any(f"numbers of {log.samples.left} lines" in each for each in said.not_checked)


def test_a_short_log_is_read_whole():
    assert heard("".join(STEPS[:1500])).samples.left == 0


@pytest.mark.parametrize("at", [10, 4321, MANY])
def test_a_failure_among_many_steps_is_told_at_its_line_and_after_the_step_before(at):
    xid = "Jan 03 10:00:01 n0 kernel: NVRM: Xid (PCI:0000:4e:00): 79, pid=1234, GPU has fallen off the bus.\n"
    text = "".join([*STEPS[:at], xid])
    (found,) = (each for each in diagnose_text(text, CATALOG).findings if each.severity == "error")
    assert found.line == at + 1 and heard(text).known.steps.last == at


def test_steps_that_are_slower_at_the_end_are_told():
    assert "steps-slower" in codes("".join([*STEPS, *(STEP.format(n=n, ms=2900.0) for n in range(MANY, MANY + 400))]))


def test_counters_are_told_as_they_stand_last_on_each_adapter():
    polls = [
        f"/sys/class/infiniband/mlx5_{device}/ports/1/hw_counters/packet_seq_err:"
        f"{4 + turn + 900_000 * (device == 5 and turn == 499)}\n"
        for turn in range(500)
        for device in range(8)
    ]
    counted = heard("".join(polls)).tools.counters["packet_seq_err"]
    assert {device: value for (_, device), (value, _) in counted.items()} == {
        f"mlx5_{device}": 503 + 900_000 * (device == 5) for device in range(8)
    }
