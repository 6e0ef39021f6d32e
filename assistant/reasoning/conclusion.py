"""What a rule concluded, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from assistant.vocabulary.rules import Stage


@dataclass(frozen=True, slots=True)
class Conclusion:
    """One decision of one rule about the job or about one candidate.

    ``case`` names which of the rule's cases it was, if it has any; ``conclusion`` is the name later rules know it by;
    ``then`` the whole decision with its sentences filled in; ``facts`` what the rule looked at, by ``job.name`` or
    ``candidate.name``; ``from_findings`` the rules whose conclusions it used.
    """

    rule: str
    case: str
    stage: Stage
    fabric: str | None
    conclusion: str
    then: dict[str, Any]
    because: str
    facts: dict[str, Any]
    claims: tuple[str, ...]
    look_up: str | None
    touches: tuple[str, ...]
    from_findings: tuple[str, ...] = field(default=())

    __hash__ = object.__hash__  # of itself: what was concluded before is handed out again, and told of as it was then
