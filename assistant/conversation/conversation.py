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
from assistant.vocabulary.plan import Plan

from . import exporting
from .about_plan import PARTS, AboutPlan
from .alternatives import alternatives, weighed
from .commands import branch_of, command_of
from .drafting import Drafting, Planner
from .events import Answer, Choice, Event, Exported, Failure, Note, Plots
from .needed import not_without
from .plan_answers import in_time
from .plan_questions import days_asked, topic_of
from .scaling import Scaling
from .searching import computed
from .taken import in_words, said_fields, varied_fields
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


class Conversation(Drafting):
    """One interview. ``searcher`` answers free questions; ``record`` is given every turn as it ends, and where it has a
    ``heard``, that is given what was said before any of the answer is returned.

    ``fields`` starts from what is already known (dotted paths). All methods return the events of one turn and never
    raise for what a person types; after an error inside (of the planner, of the disk) everything is as it was before.
    ``say`` and ``choose`` bring a turn in one piece; who draws the new plan before the next question is worked out takes it
    in two, with ``hear`` or ``pick`` and then ``go_on``.
    """

    def __init__(self, library: Library, *, planner: Planner | None = None, searcher: Searcher | None = None,
                 exporter: Exporter = exporting.write, record: Record | None = None,
                 fields: Mapping[str, Any] | None = None, today: datetime.date | None = None) -> None:
        super().__init__(library, planner, record, today)
        self.searcher = searcher
        self.exporter = exporter
        self.transcript_path: Path | None = None
        self._today = today
        self._start_fields = dict(fields or {})
        self._about = AboutPlan(library.catalog)
        self.scaling = Scaling(library, today)

    # -- the three ways in -------------------------------------------------------------------------------

    def start(self) -> list[Event]:
        """The welcome and the first question; with ``fields`` given, what is known and the first plan."""
        welcome = Note(text="Tell me about the job, in your own words or answer by answer; a plan appears as soon as it can. "
                            "Say \"help\" for what else you can say.")
        self._begin(None, lambda: [welcome, *(self._change(self._start_fields, "") if self._start_fields else self._ask_next())])
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
            too_long = Failure(text=f"That message has {len(said):,} characters; up to {LONGEST_MESSAGE:,} are read. Say the "
                                    f"facts of the job only.")
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
        handle = {"why": about_plan, "why-not": about_plan, "compare": about_plan, "what-if": self._what_if, "ask": self._search,
                  "export": self._export, "help": self._help, "undo": self._undo}.get(reading.intent, self._describe)
        return handle(reading, said)

    def _of_the_plan(self, reading: Understanding, said: str) -> list[Event] | None:
        """The answer to a question whose answer is a figure: of the plan at hand, computed, or of the plan with other facts."""
        between = alternatives(said, self.draft, self.library.catalog) if self.plan is not None else []
        if between:
            return weighed(between, self._with_fields_planned, self.library.catalog)
        named = {name: value for name, value in reading.fields.items() if name != "cluster.fabric"}
        if self.plan is not None and not named:
            topic = topic_of(said, reading.fabrics)
            needed = computed(said, self.library, self.draft.fields, self._today) if topic == "need" else None
            if needed is not None:
                return [Answer(question=said, answer=needed)]
            if topic == "better":
                return self._of_what_is_tried()
            if topic is not None:
                return self._with_plan_in_view(lambda plan: self._about.of_topic(plan, topic, reading.fabrics))
        days = days_asked(said, reading.fields) if self.plan is not None else None
        if days is not None:
            return self._with_plan_in_view(lambda plan: self._in_time(plan, days, said))
        number = self._number(reading, said)
        if number is not None:
            return [number]
        topic = topic_of(said, reading.fabrics, reading.rest) if named and self.plan is not None and reading.intent in _MAY_VARY else None
        return self._with_other_facts(reading, said, topic) if topic is not None else None

    def _of_what_is_tried(self) -> list[Event]:
        """Whether what is tried is better: what changes with it."""
        tried = self.variation
        if tried is None:
            return [Note(text="Nothing is being tried. Say for example \"what if 128 GPUs\", or \"compare RoCE and InfiniBand\".")]
        return [Note(text=f"{in_words(tried)}, against the plan as it stands:", items=tried.changes)]

    def _with_other_facts(self, reading: Understanding, said: str, topic: str) -> list[Event]:
        """A question of the plan with facts of its own ("what would it cost on 128 GPUs"): they are tried, and it is asked of that."""
        varied = self._what_if(reading, said)
        tried = self.variation
        return [*varied, *self._about.of_topic(tried.plan, topic, reading.fabrics)] if tried is not None and tried in varied else varied

    def _number(self, reading: Understanding, said: str) -> Answer | None:
        """The answer to a question for a number, whatever else its words could mean; a plan has its own turning points, but
        not the size of cluster from which a network pays."""
        if reading.intent not in _MAY_ASK_A_NUMBER:
            return None
        found = computed(said, self.library, self.draft.fields, self._today)
        if found is None or (reading.intent == "what-if" and self.plan is not None and not _of_the_size(found)):
            return None
        return Answer(question=said, answer=found)

    def _in_time(self, plan: Plan, days: float, said: str) -> list[Event]:
        """Whether the run ends within so many days, and how many GPUs would end it."""
        job = {name: value for name, value in self.draft.fields.items() if name not in ("cluster.gpus", "constraints.deadline_days", "training.days")}
        if plan.recommendation.fabric != "none":
            job.setdefault("cluster.fabric", plan.recommendation.fabric)
        sized = computed(f"how many GPUs to train it in {days:g} days?", self.library, job, self._today)
        return [in_time(plan, days), *([Answer(question=said, answer=sized)] if sized is not None else [])]

    def _describe(self, reading: Understanding, said: str) -> list[Event]:
        fields = said_fields(reading, self.draft)
        meant = self._interviewer.choice_meant(said) if not fields else None
        if meant is not None:
            return self._chosen(meant)
        if fields:
            return self._change(fields, said, rest=reading.rest, named=reading.fabrics)
        if reading.fabrics:
            names = ", ".join(reading.fabrics)
            return [Note(text=f"{names}: noted as named, not as decided. Every network that exists for the job is compared; "
                              f"say \"we have it\" with the name when it is there already."),
                    *self._repeat()]
        return [Failure(text=self._not_understood(reading)), *self._repeat()]

    def _not_understood(self, reading: Understanding) -> str:
        if reading.intent == "change":
            return (f"What should change? \"{reading.rest}\" alone does not say which fact it belongs to." if reading.rest
                    else "What should change? Name the fact and its new value.")
        return f"I did not understand \"{reading.rest}\"." if reading.rest else "There was no fact about the job in that."

    def _about_plan(self, reading: Understanding, said: str) -> list[Event]:
        accepted = self.plan if self.variation else None
        return self._with_plan_in_view(lambda plan: self._about.answer(plan, reading, said, accepted))

    def _with_plan_in_view(self, answer: Callable[[Plan], list[Event]]) -> list[Event]:
        """An answer about the plan; about what is only tried while a variation stands, and it says so."""
        tried = self.variation
        if tried is None:
            return self._with_plan(answer)
        return [Note(text=f"With {in_words(tried)}, as tried and not accepted:"), *answer(tried.plan)]

    def _with_plan(self, answer: Callable[[Plan], list[Event]]) -> list[Event]:
        if self.plan is None:
            return [Failure(text=f"There is no plan yet; still needed: {self._missing()}."), *self._repeat()]
        return answer(self.plan)

    def _missing(self) -> str:
        return ", ".join(field_name(name) for name in self.draft.missing)

    def _what_if(self, reading: Understanding, said: str) -> list[Event]:
        fields = varied_fields(reading, said, self.draft, self.library.catalog)
        if not fields:
            if reading.rest:
                return [Failure(text=f"I did not understand what to vary: \"{reading.rest}\".")]
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
        return {"back": self._back, "redo": self._redo, "restart": self._restart, "not-sure": self._leave_open,
                "keep": self._keep,
                "discard": self._discard, "hello": self._hello, "thanks": self._thanks, "facts": self._facts, "branches": self._list_branches, "quit": self._goodbye}[command]()

    def _facts(self) -> list[Event]:
        items = tuple(field_text(name, value, self.library.catalog) for name, value in self.draft.fields.items())
        return [Note(text="So far I know:" if items else "So far I know nothing about the job.", items=items), *self._repeat()]

    def _hello(self) -> list[Event]:
        return [Note(text="Hello. Tell me what you want to train or serve, and on which GPUs." if self.plan is None else "Hello again."), *self._repeat()]

    def _thanks(self) -> list[Event]:
        more = " Ask on, or take the plan with you: \"export as markdown\"." if self.plan is not None else ""
        return [Note(text=f"Gladly.{more}"), *self._repeat()]

    def _goodbye(self) -> list[Event]:
        return [Note(text="Everything said is kept in the transcript." if self.record else "Goodbye.")]

    def _export(self, reading: Understanding, said: str) -> list[Event]:
        try:
            target = exporting.target_of(said)
            if target.conversation:
                return [self._exported(self._in_words(target), target)]
            return self._with_plan(lambda plan: [self._exported(exporting.written(
                plan, self.draft.questionnaire(self.library.catalog), target.format), target)])
        except InputError as error:
            return [Failure(text=f"{error}.")]

    def _exported(self, text: str, target: exporting.Target) -> Event:
        name = self.exporter(text, target)
        return Exported(path=name or target.path, format=target.format, what="conversation" if target.conversation else "plan")

    def _in_words(self, target: exporting.Target) -> str:
        from . import transcripts

        today = self._today or datetime.date.today()
        return transcripts.written(self.turns, self.library, today, target.format)

def _of_the_size(found: SearchAnswer) -> bool:
    return found.computed is not None and found.computed.kind == "crossover"


def replay(conversation: Conversation, answers: Iterable[str]) -> Iterator[Event]:
    """Every event of a conversation in which ``answers`` are said one after the other."""
    yield from conversation.start()
    for answer in answers:
        yield from conversation.say(answer)
