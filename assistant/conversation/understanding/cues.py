"""What people say to ask for something: every cue, by intent, the most telling first."""

from __future__ import annotations

from .cue_words import Cue
from .cues_commands import CHANGE, EXPORT, HELP, UNDO
from .cues_questions import ASK, COMPARE, DISAGREE, WHY, WHY_NOT
from .cues_what_if import WHAT_IF

CUES: list[Cue] = [*HELP, *UNDO, *EXPORT, *DISAGREE, *WHY_NOT, *WHY, *WHAT_IF, *COMPARE, *CHANGE, *ASK]
