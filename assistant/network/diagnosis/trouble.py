"""Lines of trouble that no entry knows: where a job failed or is slow and nothing names a cause, the log's own words for
it are told in place of none."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.vocabulary.answers import DiagnosisFinding

from .signatures import finding

# What tells of a cause more than of what follows: by how much, and in which words.
_GRAVE = re.compile(
    r"\b(?:fatal|panic|corrupt\w*|mismatch\w*|preempt\w*|evict\w*|drain(?:ed|ing)|degraded|not responding|unreachable|"
    r"exhausted|violation|overheat\w*|throttl\w*|quarantin\w*|unhealthy|read-only file system|does not (?:exist|match)|"
    r"not supported|unsupported|incompatible|too (?:old|small|new)|disagrees|exceeded)\b",
    re.I,
)
_BAD = re.compile(
    r"\b(?:errors?|failed|failure|fail|denied|refused|rejected|missing|not found|no such|invalid|unable|cannot|can't|"
    r"could not|couldn't|timed out|wrong|bad|broken|dropped|lost|unknown|warning)\b",
    re.I,
)
# What follows from a failure, and frames of a traceback: words of every job that ended, whatever ended it.
_ECHO = re.compile(
    r"NCCL (?:INFO|WARN|error)|\bINFO\b|#wrong|^\s{0,8}(?:File \"|frame #|at |#\d)|Traceback|ProcessGroupNCCL|watchdog|TCPStore|ChildFailedError|"
    r"Exception raised|terminate called|Root Cause|torchrun|(?:future|deprecation|user)warning|deprecated|"
    r"sending process|signal|srun: error|slurmstepd|mpirun|prterun|aborting|OMP_NUM_THREADS|-> \d\b|exit(?:ed|s)?\b|"
    r"std::|\bwandb\b|0 (?:errors?|failed|failures|warnings|mismatch)",
    re.I,
)
_SHOWN, _MUCH = 200, 3
# In small letters: one is in every line of trouble.
WORDS = (
    "fatal", "panic", "corrupt", "mismatch", "preempt", "evict", "drain", "degraded", "responding", "unreachable", "exhausted",
    "violation", "overheat", "throttl", "quarantin", "unhealthy", "read-only file", "does not", "supported", "incompatible",
    "too old", "too small", "too new", "disagrees", "exceeded", "error", "fail", "denied", "refused", "rejected", "missing",
    "found", "no such", "invalid", "unable", "cannot", "can't", "couldn", "could not", "timed out", "wrong", "broken",
    "dropped", "lost", "unknown", "warning",
)  # fmt: skip


@dataclass
class Trouble:
    """Keeps the line that tells most of a cause, of those the first."""

    _best: int = 0
    _line: int = 0
    _text: str = ""

    def take(self, number: int, line: str) -> None:
        """Read one line that no entry knows."""
        weight = 2 * bool(_GRAVE.search(line)) + bool(_BAD.search(line))
        if weight > self._best and not _ECHO.search(line):
            self._best, self._line, self._text = weight, number, line[:_SHOWN]

    def findings(self, *, failed: bool) -> Iterator[DiagnosisFinding]:
        """The line, where there was one; of a job of which nothing says that it ``failed`` only one that tells much."""
        if self._best >= (1 if failed else _MUCH):
            yield finding("said-by-the-log", self._line, said=self._text).model_copy(update={"evidence": self._text})
