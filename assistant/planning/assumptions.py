"""What nobody said and was taken."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from assistant.vocabulary.plan import Assumption


@dataclass
class Assumptions:
    """What nobody said and was taken, in order."""

    taken: list[Assumption] = field(default_factory=list)

    def take(self, path: str, value: Any, why: str) -> Any:
        """Note an assumption and give its value back."""
        self.taken.append(Assumption(field=path, value=value, why=why))
        return value
