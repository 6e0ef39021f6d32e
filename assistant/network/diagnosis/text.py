"""Logs as they are posted: colours, launcher prefixes, quotes and indentation removed, line numbers kept."""

import re
from collections.abc import Iterator

_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_OPEN_MPI = re.compile(r"\[\d+,\d+\]<std(?:out|err|diag)>:? ?")  # before a line, and sometimes in the middle of a row
_SRUN = re.compile(r"^\s*\d+:\s(?=\s*[#\d]|\S+:\d+:\d+ \[)")  # srun --label
_NCCL_TESTS_OWN = re.compile(r"^\w+\(\), \S+\.cu:\d+, ")
_QUOTE = re.compile(r"^\s*(?:>\s?)+")


def cleaned(text: str) -> Iterator[tuple[int, str]]:
    """(line number from 1, line) with everything removed that the tools did not print; indentation goes too."""
    for number, line in enumerate(text.split("\n"), start=1):
        line = _CONTROL.sub("", _ESCAPES.sub("", line.replace("\r", "")))
        line = _OPEN_MPI.sub("", line)
        for prefix in (_QUOTE, _SRUN, _NCCL_TESTS_OWN):
            line = prefix.sub("", line)
        yield number, line.strip()
