"""Which of several adapters that somebody's words give a node are those between GPUs."""

import re
from functools import lru_cache

from .expected import adapters_said
from .signatures import places, read, signatures

_PARTS = re.compile(r"[,;|]")
_SIGN = "adapters-said"


def adapters_told(line: str, said: str) -> tuple[int, float] | None:
    """How many adapters a line gives a node, and their rate in bytes per second: those that are ``said`` to be between
    GPUs, else those that carry most, as what carries less is there for logins and storage; ``None`` where it does not
    tell."""
    parts = _PARTS.split(line)
    if any(said in part and _fabric().search(part) for part in parts):
        return adapters_said(said)
    pattern, every = signatures()[places()[_SIGN]].pattern, [adapters_said(said)]
    for part in parts:
        found = pattern.search(f"node: {part}") if pattern else None
        every.append(adapters_said(found["said"]) if found else None)
    return max((each for each in every if each), key=lambda each: each[0] * each[1], default=None)


@lru_cache(maxsize=1)
def _fabric() -> re.Pattern[str]:
    return re.compile(read("adapters_said")["fabric"], re.IGNORECASE)
