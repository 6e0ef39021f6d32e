"""Lines of trouble that no entry knows: where a job failed or is slow and nothing names a cause, the log's own words
for it are told in place of none. The words are ``knowledge/nccl/trouble.yaml``."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from assistant.vocabulary.answers import DiagnosisFinding

from .signatures import Pattern, finding, read

_SHOWN, _MUCH = 200, 3


class _Words(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    grave: Pattern
    bad: Pattern
    echo: Pattern
    words: tuple[str, ...]


@lru_cache(maxsize=1)
def _words() -> _Words:
    return _Words.model_validate(read("trouble"))


def words() -> tuple[str, ...]:
    """In small letters: one is in every line of trouble."""
    return _words().words


@dataclass
class Trouble:
    """Keeps the line that tells most of a cause, of those the first."""

    _best: int = 0
    _line: int = 0
    _text: str = ""

    def take(self, number: int, line: str) -> None:
        """Read one line that no entry knows."""
        if self._best >= _MUCH:
            return
        weight = 2 * bool(_words().grave.search(line)) + bool(_words().bad.search(line))
        if weight > self._best and not _words().echo.search(line):
            self._best, self._line, self._text = weight, number, line[:_SHOWN]

    def findings(self, *, failed: bool) -> Iterator[DiagnosisFinding]:
        """The line, where there was one; of a job of which nothing says that it ``failed`` only one that tells much."""
        if self._best >= (1 if failed else _MUCH):
            yield finding("said-by-the-log", self._line, said=self._text).model_copy(update={"evidence": self._text})
