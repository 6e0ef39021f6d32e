"""No pattern of the program can be made slow by what it is given: decided on each of them, not timed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.ambiguity import degree


@pytest.mark.parametrize(
    ("pattern", "power"),
    [
        (r"(a+)+b", float("inf")),
        (r"(a|a)*b", float("inf")),
        (r"(\w+\s?)*$", float("inf")),
        (r"(?:y(?:x*)?)*b", float("inf")),
        (r"[ab]*a[ab]*a[ab]*", 2),
        (r"\s*\s*x", 1),
        (r"\d+\.?\d*x", 1),
        (r"\d+(?:\.\d*)?x", 0),
        (r"(?:\d{1,3},)*\d+", 0),
        (r"(?>a+)+b", 0),
        (r"x*+x*", 0),
    ],
)
def test_how_fast_the_ways_to_read_a_text_grow(pattern, power):
    assert degree(pattern) == power


def test_no_pattern_of_the_program_reads_a_text_in_growing_numbers_of_ways():
    told = subprocess.run([sys.executable, "-m", "tests.ambiguity"], capture_output=True, text=True, check=True).stdout
    patterns, *slow = told.splitlines()
    assert int(patterns) > 100 and not slow
