"""Which questions about NCCL are answered from what is known of its variables and of its logs, before any passage."""

from __future__ import annotations

from dataclasses import dataclass, field

from assistant.library import Library
from assistant.vocabulary.answers import DirectLine, FoundPassage
from assistant.vocabulary.utterance import Utterance

from .nccl_symptoms import check_lines, of_a_log, symptom_lines
from .nccl_variables import about_variables, variable_lines


@dataclass(frozen=True)
class NcclAnswer:
    """Lines that answer, or a note that nothing is known; ``variables``: what the question is about."""

    lines: list[DirectLine] = field(default_factory=list[DirectLine])
    note: str | None = None
    variables: tuple[str, ...] = ()

    def keeps(self, passage: FoundPassage) -> bool:
        """Whether a passage may stand beside it: of a variable only what names it."""
        return not self.variables or any(name in passage.text for name in self.variables)


def nccl_answer(said: Utterance, library: Library) -> NcclAnswer | None:
    """The answer to a question for a check, a line of a log, a symptom or a variable, asked in this order; ``None`` for
    any other question."""
    if checked := check_lines(said):
        return NcclAnswer(checked)
    if failed := symptom_lines(said, library):
        return NcclAnswer(failed)
    variables = about_variables(said)
    if not variables:
        return None
    lines, unknown = variable_lines(said, library, variables)
    names = tuple(name for name, _, _ in variables)
    note = (
        f"Nothing is known here of {' and '.join(unknown)}: no default, no provider that sets it, no statement. What "
        "is known of a network's settings: weft nccl env --fabric ID, or --provider ID."
        if unknown
        else None
    )
    return NcclAnswer(lines, note, names)


def where_else(said: Utterance) -> str | None:
    """Where somebody may look whose question tells of NCCL or a log and is not answered."""
    if not of_a_log(said.text):
        return None
    return (
        "What providers and networks set of NCCL: weft nccl env --provider ID, or --fabric ID. What a log shows "
        "(NCCL_DEBUG=INFO from the start of the job): weft nccl diagnose LOG"
    )
