"""What the fuzzer keeps is read, or refused in a sentence, and some changes of it with it."""

from __future__ import annotations

import json
import random
import time

import pytest

from tests.fuzz import CORPUS, Coverage, Fuzzer, corpus_of
from tests.readers import REFUSED, readers, searching_readers


@pytest.fixture(scope="module")
def every(library):
    return readers(library)


def test_every_reader_has_texts_to_begin_with(every, library):
    named = {json.loads(line)[0] for line in CORPUS.read_text(encoding="utf-8").splitlines()}
    assert named == {*every, *searching_readers(library)}


def test_kept_and_changed_texts_are_read_or_refused(every, request):
    kept, changed = corpus_of(list(every)), 150 if request.config.getoption("whole") else 30
    fuzzer = Fuzzer(every, random.Random(17), kept, Coverage())  # watching takes time
    fuzzer.run(sum(map(len, kept.values())) + changed, time.monotonic() + 60)
    assert not fuzzer.findings and fuzzer.executions > 100


def test_a_fault_is_found_by_what_reaches_new_lines():
    def reader(text: str) -> None:
        if "not" in text:
            raise REFUSED[0]("expected something else")
        if "$3" in text:
            raise KeyError(text)

    fuzzer = Fuzzer({"one": reader}, random.Random(1), {"one": ["64 H100"]})
    fuzzer.run(2_000, time.monotonic() + 60)
    assert fuzzer.findings and all("$3" in text for text in fuzzer.findings.values())
    assert all(name == "one" and error.startswith("KeyError at") for name, error in fuzzer.findings)
