"""Single lines of a log: each known failure is named by the lines that tell of it, and a job that printed the like and
went on is not accused."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from assistant import library
from assistant.library import shipped
from assistant.network.diagnosis import diagnose_text
from assistant.network.diagnosis.signatures import Signature, signatures
from assistant.vocabulary.errors import KnowledgeError
from tests.labels import labels
from tests.nccl_logs import DEVICES, channels, debug, table

CATALOG = library.load().catalog
LINES = labels(Path(__file__).with_name("nccl_lines.yaml"))
BEFORE = debug(
    DEVICES.replace(":1/IB", ":1/RoCE"), "Using network IB", "comm 0x1 rank 0 nranks 16 nNodes 2 localRanks 8"
)
WENT_ON = debug("comm 0x1 rank 0 nranks 16 cudaDev 0 - Init COMPLETE", per_host=8)
LINES_OF_A_LOG = 8  # so few that what one says of a job hardly excuses another
STEPS = "".join(
    f" iteration {n}/ 500 | elapsed time per iteration (ms): 412.{n} | lm loss: 2.{n} |\n" for n in range(9)
)


@pytest.mark.parametrize("code", LINES["failures"])
def test_a_line_names_the_failure_that_it_is_a_sign_of(code):
    # who was ended by a person, the scheduler or the cloud is told as information, unless it had hung before
    quiet = {each.code for each in signatures() if each.severity == "info" or each.while_stepping}
    found = {line: {each.code for each in diagnose_text(f"{BEFORE}{line}\n", CATALOG).findings
                    if each.severity != "info" or each.code in quiet}
             for line in LINES["failures"][code]}  # fmt: skip
    assert [line for line, codes in found.items() if code not in codes or "unknown-warning" in codes] == []


@pytest.mark.parametrize("after", [WENT_ON + table(480.0), WENT_ON + STEPS], ids=["a good table", "steps"])
def test_what_a_healthy_job_prints_is_no_alarm(after, request):
    """Some lines in one log, which are not written one after the other; with --whole each in a log of its own."""
    sound, healthy = debug(DEVICES, "Using network IB", *channels("IB"), per_host=8), LINES["healthy"]
    logs = len(healthy) if request.config.getoption("whole") else max(1, len(healthy) // LINES_OF_A_LOG)
    alarms = {}
    for some in (healthy[first::logs] for first in range(logs)):
        lines = "".join(f"{line}\n" for line in some)
        alarms[lines] = [
            each.code for each in diagnose_text(f"{sound}{lines}{after}", CATALOG).findings if each.severity != "info"
        ]
    assert {lines: codes for lines, codes in alarms.items() if codes} == {}


def test_a_finding_shows_the_line_that_it_rests_on():
    line = "gpu-7 kernel: NVRM: Xid (PCI:0000:4e:00): 79, pid=1, GPU has fallen off the bus."
    (found,) = [each for each in diagnose_text(f"{BEFORE}{line}\n", CATALOG).findings if each.severity == "error"]
    assert found.evidence == line and found.line == BEFORE.count("\n") + 1


def test_what_no_entry_knows_is_told_in_the_logs_own_words_where_a_job_failed():
    odd, timeout = "ctl: tray 4 quarantined: coolant valve fault", LINES["failures"]["collective-timeout"][0]
    failed = diagnose_text(f"{BEFORE}{odd}\n{timeout}\n", CATALOG).findings
    assert failed[0].code == "said-by-the-log" and odd in failed[0].message
    sound = debug(DEVICES, "Using network IB", *channels("IB"), per_host=8)
    assert not [
        each for each in diagnose_text(f"{sound}{odd}\n{WENT_ON}{STEPS}", CATALOG).findings if each.severity != "info"
    ]


def test_a_line_that_one_entry_knows_is_not_told_by_a_general_one_too():
    line = "n0:1:2 [0] init.cc:800 NCCL WARN Cuda failure 35 'CUDA driver version is insufficient for CUDA runtime'"
    assert [each.code for each in diagnose_text(f"{BEFORE}{line}\n", CATALOG).findings if each.severity == "error"] == [
        "cuda-driver-too-old"
    ]


@pytest.mark.parametrize("signature", signatures(), ids=lambda each: each.code)
def test_an_entry_says_what_to_do_and_which_lines_it_is_known_by(signature):
    assert signature.words and all(word == word.lower() for word in signature.words)
    assert bool(signature.pattern) == bool(signature.has)
    assert len(signature.message) > 20 and signature.fix


def test_a_word_that_no_line_could_be_found_by_is_refused(tmp_path):
    path = tmp_path / "signs.yaml"
    path.write_text(
        "check-failed:\n  message: a check failed\n  fix: mend it\n  has: [failed, '\u2717']\n  pattern: '\u2717'\n"
    )
    about = {"code": "check-failed", **yaml.safe_load(path.read_text())["check-failed"]}
    with pytest.raises(
        KnowledgeError, match=r"signs.yaml:4 check-failed.has: expected words with a small letter, .*got '\u2717'"
    ):
        shipped.validated(Signature, about, path, ("check-failed",))


def test_colours_inside_of_what_a_line_says_hide_nothing():
    line = (
        "n0:1:2 [0] misc/socket.cc:1 NCCL WARN Error: \x1b[1mfailed to \x1b[31mextend\x1b[0m /dev/shm/nccl-x to 9 bytes"
    )
    assert "shared-memory-full" in {each.code for each in diagnose_text(f"{BEFORE}{line}\n", CATALOG).findings}
