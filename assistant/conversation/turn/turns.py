"""The turns of a conversation: what was said is recorded before it is answered in full, and every turn ends once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from assistant.understanding.text import clean

from ..events import Event, Failure, Recalled, Turn
from ..wording import markdown

if TYPE_CHECKING:
    from assistant.vocabulary.plan import Plan

# Given every turn as it ends. One that also has ``heard`` is given what was said before anything of the answer is
# shown.
Record = Callable[[Turn], None]
KEPT_WHOLE = 20  # turns with their plans and questions as they were; an older one is kept as it reads


class Turns:
    """The turns that have ended, and the one that has yet to be."""

    def __init__(self, record: Record | None) -> None:
        self.ended: list[Turn] = []
        self.record = record
        self._spoken = False
        self._open: tuple[str | None, list[Event]] | None = None

    @property
    def open(self) -> bool:
        """Whether a turn has begun and not ended."""
        return self._open is not None

    @property
    def silent(self) -> bool:
        """Whether nobody has said anything yet; asked from another thread too, at any moment of a turn."""
        return not self._spoken and all(turn.said is None for turn in self.ended)

    def begin(self, said: str | None, answer: Callable[[], Sequence[Event]]) -> list[Event]:
        """Open the turn of what was said, with what ``answer`` brings, which is returned: before it stands where it
        cannot be kept. What was said is kept first: an answer may take long, and the program end within it."""
        self._spoken = self._spoken or said is not None
        heard = getattr(self.record, "heard", None)
        unkept = self._kept(lambda: heard(said)) if said is not None and heard is not None else []
        events = [*unkept, *answer()]
        self._open = (said, events)
        return list(events)

    def _kept(self, write: Callable[[], object]) -> list[Event]:
        """Nothing, or a sentence where the disk does not take what is said: the conversation goes on without it."""
        try:
            write()
        except OSError as error:
            path, self.record = getattr(self.record, "path", None), None
            where = f" in {path}" if path else ""
            why = error.strerror or str(error)
            return [Failure(text=f"From here on this conversation is not kept{where}: {why}.")]
        return []

    def put(self, whole: Plan, first: Plan) -> None:
        """Let the finished plan stand where the open turn has the one that was shown first."""
        if self._open is not None:
            said, events = self._open
            finished = lambda event: event.model_copy(update={"plan": whole})
            self._open = said, [finished(e) if getattr(e, "plan", None) is first else e for e in events]

    def end(self, rest: list[Event]) -> None:
        """End the open turn with the ``rest`` of its answer, and record it; what cannot be recorded is added to it."""
        if self._open is None:
            return
        (said, events), self._open = self._open, None
        record, turn = self.record, Turn(said=said, events=(*events, *rest))
        if record is not None and (unkept := self._kept(lambda: record(turn))):
            rest += unkept
            turn = Turn(said=said, events=(*events, *rest))
        self.ended.append(turn)
        self._fold()

    def _fold(self) -> None:
        """Keep of a turn that is long past what it said: each of its plans takes a third of a megabyte."""
        if len(self.ended) > KEPT_WHOLE and any(hasattr(event, "plan") for event in self.ended[-1 - KEPT_WHOLE].events):
            past = self.ended[-1 - KEPT_WHOLE]
            text = "\n\n".join(filter(None, map(markdown, past.events)))
            self.ended[-1 - KEPT_WHOLE] = Turn(said=past.said, events=(Recalled(text=text),))


def or_sentence(work: Callable[[], list[Event]], what: str) -> list[Event]:
    """What ``work`` brings; an error inside as one sentence that begins with ``what`` could not be had."""
    try:
        return work()
    except Exception as error:
        why = f"{type(error).__name__}: {clean(str(error))}"
        stands = "What you said counts, and the rest of the answer stands."
        return [Failure(text=f"{what} could not be worked out ({why}). {stands}")]
