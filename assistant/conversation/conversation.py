"""The conversation: words in, events out. It decides what is asked, planned and answered; it draws nothing."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assistant.library import Library
from assistant.present.fields import field_name, field_text
from assistant.vocabulary.answers import Answer as SearchAnswer
from assistant.vocabulary.answers import Understanding
from assistant.vocabulary.errors import InputError

from . import exporting
from .about_plan import PARTS
from .asking import Asking
from .commands import branch_of, command_of
from .drafting import Planner
from .events import Choice, Event, Exported, Failure, Note, Plots
from .needed import not_without
from .scaling import Scaling
from .taken import said_fields, varied_fields
from .turns import Record
from .understanding import understand
from .understanding.message import clean

Searcher = Callable[[str], SearchAnswer]
# Returns under which name the person finds the file, when that is not what they asked for.
Exporter = Callable[[str, exporting.Target], str | None]

LONGEST_MESSAGE = 4000
_STATES = ("describe", "change", "what-if", "unclear")
_MAY_VARY = ("ask", "what-if", "unclear")
_MAY_ASK_A_NUMBER = ("ask", "describe", "compare", "what-if", "unclear")


class Conversation(Asking):
    """One interview. ``searcher`` answers free questions; ``record`` is given every turn as it ends, and where it has a
    ``heard``, that is given what was said before any of the answer is returned.

    ``fields`` starts from what is already known (dotted paths). All methods return the events of one turn and never
    raise for what a person types; after an error inside (of the planner, of the disk) everything is as it was before.
    ``say`` and ``choose`` bring a turn in one piece; who draws the new plan before the next question is worked out takes it
    in two, with ``hear`` or ``pick`` and then ``go_on``.
    """

    def __init__(
        self,
        library: Library,
        *,
        planner: Planner | None = None,
        searcher: Searcher | None = None,
        exporter: Exporter = exporting.write,
        record: Record | None = None,
        fields: Mapping[str, Any] | None = None,
        today: datetime.date | None = None,
    ) -> None:
        super().__init__(library, planner, record, today)
        self.searcher = searcher
        self.exporter = exporter
        self.transcript_path: Path | None = None
        self._start_fields = dict(fields or {})
        self.scaling = Scaling(library, today)

    # -- the three ways in -------------------------------------------------------------------------------

    def start(self) -> list[Event]:
        """The welcome and the first question; with ``fields`` given, what is known and the first plan."""
        welcome = Note(
            text="Tell me about the job, in your own words or answer by answer; a plan appears as soon as it can. "
            'Say "help" for what else you can say.'
        )
        self._begin(
            None, lambda: [welcome, *(self._change(self._start_fields, "") if self._start_fields else self._ask_next())]
        )
        return self._whole()

    def say(self, text: str) -> list[Event]:
        """What a message brings about."""
        self.hear(text)
        return self._whole()

    def choose(self, choice_id: str) -> list[Event]:
        """Take a choice of the open question."""
        self.pick(choice_id)
        return self._whole()

    def hear(self, text: str) -> list[Event]:
        """What a message brings about, up to the new plan."""
        self.go_on()
        said = clean(text).strip()
        if len(said) > LONGEST_MESSAGE:
            too_long = Failure(
                text=f"That message has {len(said):,} characters; up to {LONGEST_MESSAGE:,} are read. Say the "
                f"facts of the job only."
            )
            return self._begin(said[:80] + "…", lambda: [too_long])
        return self._begin(said, lambda: self._heard(said))

    def pick(self, choice_id: str) -> list[Event]:
        """What a choice of the open question brings about, up to the new plan."""
        self.go_on()
        choice = self._interviewer.choice(choice_id)
        if choice is None:
            wrong = Failure(text="That choice does not belong to the open question.")
            return self._begin(choice_id, lambda: [wrong, *self._repeat()])
        return self._begin(choice.label, lambda: self._chosen(choice))

    def _heard(self, said: str) -> list[Event]:
        """What a message is: nothing, a choice, a command, or something about the job."""
        if not said:
            return self._repeat()
        choice = self._interviewer.choice_typed(said)
        if choice is not None:
            return self._chosen(choice)
        branch, command = branch_of(said), command_of(said)
        if branch is not None:
            return self._go_to_branch(branch)
        if command is not None:
            return self._command(command)
        refused = not_without(said)
        return [refused, *self._repeat()] if refused is not None else self._understood(said)

    def _chosen(self, choice: Choice) -> list[Event]:
        return self._change(choice.value, choice.label) if choice.value else self._leave_open()

    # -- what a message asks for -------------------------------------------------------------------------

    def _understood(self, said: str) -> list[Event]:
        reading = understand(said, context=self.draft, catalog=self.library.catalog)
        if reading.doubts and reading.intent in _STATES:
            return [Failure(text=f"{reading.doubts[0]}. Nothing was changed."), *self._repeat()]
        answered = self._of_the_plan(reading, said)
        if answered is not None:
            return answered
        about_plan = self._about_plan
        handle = {
            "why": about_plan,
            "why-not": about_plan,
            "compare": about_plan,
            "what-if": self._what_if,
            "ask": self._search,
            "export": self._export,
            "help": self._help,
            "undo": self._undo,
        }.get(reading.intent, self._describe)
        return handle(reading, said)

    def _describe(self, reading: Understanding, said: str) -> list[Event]:
        fields = said_fields(reading, self.draft)
        meant = self._interviewer.choice_meant(said) if not fields else None
        if meant is not None:
            return self._chosen(meant)
        if fields:
            return self._change(fields, said, rest=reading.rest, named=reading.fabrics)
        if reading.fabrics:
            names = ", ".join(reading.fabrics)
            return [
                Note(
                    text=f"{names}: noted as named, not as decided. Every network that exists for the job is compared; "
                    f'say "we have it" with the name when it is there already.'
                ),
                *self._repeat(),
            ]
        return [Failure(text=self._not_understood(reading)), *self._repeat()]

    def _not_understood(self, reading: Understanding) -> str:
        if reading.intent == "change":
            return (
                f'What should change? "{reading.rest}" alone does not say which fact it belongs to.'
                if reading.rest
                else "What should change? Name the fact and its new value."
            )
        return f'I did not understand "{reading.rest}".' if reading.rest else "There was no fact about the job in that."

    def _missing(self) -> str:
        return ", ".join(field_name(name) for name in self.draft.missing)

    def _what_if(self, reading: Understanding, said: str) -> list[Event]:
        fields = varied_fields(reading, said, self.draft, self.library.catalog)
        if not fields:
            if reading.rest:
                return [Failure(text=f'I did not understand what to vary: "{reading.rest}".')]
            return self._with_plan_in_view(lambda plan: self._about.part(plan, "flips"))
        return self._with_plan(lambda plan: [self._vary(plan, fields, said, reading.rest)])

    def _search(self, reading: Understanding, said: str) -> list[Event]:
        return [self._about.search(said, self.searcher)]

    def _help(self, reading: Understanding | None = None, said: str = "") -> list[Event]:
        return [self._about.help()]

    # -- commands ----------------------------------------------------------------------------------------

    def _command(self, command: str) -> list[Event]:
        if command in PARTS:
            return self._with_plan_in_view(lambda plan: self._about.part(plan, command))
        if command == "plots":
            return self._with_plan_in_view(lambda plan: [Plots(plan=plan, scale=self.scaling.of(plan))])
        return {
            "back": self._back,
            "redo": self._redo,
            "restart": self._restart,
            "not-sure": self._leave_open,
            "keep": self._keep,
            "discard": self._discard,
            "hello": self._hello,
            "thanks": self._thanks,
            "facts": self._facts,
            "branches": self._list_branches,
            "quit": self._goodbye,
        }[command]()

    def _facts(self) -> list[Event]:
        items = tuple(field_text(name, value, self.library.catalog) for name, value in self.draft.fields.items())
        return [
            Note(text="So far I know:" if items else "So far I know nothing about the job.", items=items),
            *self._repeat(),
        ]

    def _hello(self) -> list[Event]:
        return [
            Note(
                text="Hello. Tell me what you want to train or serve, and on which GPUs."
                if self.plan is None
                else "Hello again."
            ),
            *self._repeat(),
        ]

    def _thanks(self) -> list[Event]:
        more = ' Ask on, or take the plan with you: "export as markdown".' if self.plan is not None else ""
        return [Note(text=f"Gladly.{more}"), *self._repeat()]

    def _goodbye(self) -> list[Event]:
        return [Note(text="Everything said is kept in the transcript." if self.record else "Goodbye.")]

    def _export(self, reading: Understanding, said: str) -> list[Event]:
        try:
            target = exporting.target_of(said)
            if target.conversation:
                return [self._exported(self._in_words(target), target)]
            return self._with_plan(
                lambda plan: [
                    self._exported(
                        exporting.written(plan, self.draft.questionnaire(self.library.catalog), target.format), target
                    )
                ]
            )
        except InputError as error:
            return [Failure(text=f"{error}.")]

    def _exported(self, text: str, target: exporting.Target) -> Event:
        name = self.exporter(text, target)
        return Exported(
            path=name or target.path, format=target.format, what="conversation" if target.conversation else "plan"
        )

    def _in_words(self, target: exporting.Target) -> str:
        from . import transcripts

        today = self._today or datetime.date.today()
        return transcripts.written(self.turns, self.library, today, target.format)


def replay(conversation: Conversation, answers: Iterable[str]) -> Iterator[Event]:
    """Every event of a conversation in which ``answers`` are said one after the other."""
    yield from conversation.start()
    for answer in answers:
        yield from conversation.say(answer)
