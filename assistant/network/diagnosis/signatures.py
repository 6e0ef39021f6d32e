"""Known failures, from ``knowledge/nccl/``: lines of a log, and how the work requests of an adapter end."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from assistant.library import paths, shipped

Pattern = Annotated[re.Pattern[str], BeforeValidator(lambda text: re.compile(text, re.IGNORECASE))]
# Completion status of an RDMA work request, by number, or by its name from NCCL 2.29 on.
COMPLETION = re.compile(r"Got completion\b.*?with (?:error |status=)(?:IBV_WC_(\w+))?\(?(\d{1,6})?")


class Failure(BaseModel):
    """What is wrong and what to do about it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    code: str
    message: str
    fix: str


class Signature(Failure):
    """A failure known by a line. ``hosts``: ``several`` counts only when the job spans hosts."""

    severity: Literal["error", "warning", "info"]
    pattern: Pattern
    hosts: Literal["any", "several"] = "any"


class Completion(Failure):
    """How a work request ended: its number and the name of it."""

    status: int
    name: str


@lru_cache(maxsize=1)
def signatures() -> list[Signature]:
    """The lines of a log that are known, in the order of the file."""
    return [Signature(code=code, **about) for code, about in _read("failures").items()]


@lru_cache(maxsize=1)
def completions() -> list[Completion]:
    """The ends of work requests that are known."""
    return [Completion(status=status, **about) for status, about in _read("completions").items()]


def completion(line: str) -> tuple[int, Completion | None] | None:
    """The status that a line reports, -1 for a name that is not known, and what it means."""
    found = COMPLETION.search(line)
    if found is None:
        return None
    number, name = int(found[2]) if found[2] else None, found[1]
    known = next((c for c in completions() if c.status == number or (number is None and c.name == name)), None)
    return (known.status, known) if known else (-1 if number is None else number, None)


def _read(name: str) -> dict[Any, dict[str, Any]]:
    return shipped.documents("nccl", paths.shipped("knowledge") / "nccl")[f"{name}.yaml"]
