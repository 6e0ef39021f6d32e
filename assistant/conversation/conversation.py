"""The conversation: words in, events out. It decides what is asked, planned and answered; it draws nothing."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.library import Library
from assistant.present.fields import field_name, field_text
from assistant.vocabulary.answers import Answer as SearchAnswer
from assistant.vocabulary.answers import Understanding
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.questionnaire import Questionnaire

from . import exporting
from .about_plan import PARTS, AboutPlan
from .changes import changes
from .commands import branch_of, command_of
from .draft import Draft
from .events import Answer, Choice, Event, Exported, Failure, Note, PlanShown, Plots, Understood, VariationShown
from .interviewer import Interviewer
from .needed import not_without
from .plan_answers import in_time
from .plan_questions import days_asked, topic_of
from .scaling import Scaling
from .searching import computed
from .taken import difference, in_words, said_fields, taken, varied_fields
from .turn_taking import TurnTaking
from .turns import Record
from .understanding import understand
from .understanding.message import clean

if TYPE_CHECKING:
    from assistant.planning import Begun

# Returns the plan, or one that has yet to be finished: what is still missing then comes with the next question.
Planner = Callable[[Questionnaire, Library], "Plan | Begun"]
Searcher = Callable[[str], SearchAnswer]
# Returns under which name the person finds the file, when that is not what they asked for.
Exporter = Callable[[str, exporting.Target], str | None]

LONGEST_MESSAGE = 4000
_STATES = ("describe", "change", "what-if", "unclear")
_MAY_VARY = ("ask", "what-if", "unclear")
_MAY_ASK_A_NUMBER = ("ask", "describe", "compare", "what-if", "unclear")


def _plan(questionnaire: Questionnaire, library: Library) -> Begun:
    from assistant.planning import begun

    return begun(questionnaire, library)


class Conversation(TurnTaking):
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
        super().__init__(Interviewer(library, today), record)
        self.library = library
        self.searcher = searcher
        self._planner = planner or _plan
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
        named = {name: value for name, value in reading.fields.items() if name != "cluster.fabric"}
        if self.plan is not None and not named:
            topic = topic_of(said, reading.fabrics)
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

    def _search(self, reading: Understanding, said: str) -> list[Event]:
        return [self._about.search(said, self.searcher)]

    def _help(self, reading: Understanding | None = None, said: str = "") -> list[Event]:
        return [self._about.help()]

    # -- changing the draft ------------------------------------------------------------------------------

    def _change(self, fields: Mapping[str, Any], said: str, rest: str = "", named: Iterable[str] = ()) -> list[Event]:
        """Take the fields over; when they cannot be, nothing changes and the sentence says why."""
        before = self.draft
        try:
            change = before.with_fields(fields, said, self.library.catalog)
            plan = self._planned(change.draft)
        except InputError as error:
            return [self._failure(error), *self._repeat()]
        understood = taken(before, change, fields, self.library.catalog, said=said, rest=rest, named=named)
        self._history.advance(change.draft)
        return [understood, *self._adopt(plan)]

    def _planned(self, draft: Draft) -> Plan | None:
        if not draft.complete:
            return None
        made = self._planner(draft.questionnaire(self.library.catalog), self.library)
        if isinstance(made, Plan):
            return made
        self._unfinished = made
        return made.plan

    def _adopt(self, plan: Plan | None) -> list[Event]:
        """Take the plan of the draft that is current now, and say what is new about it."""
        events: list[Event] = []
        before, self.plan = self.plan, plan
        self.variation = self._varied = None
        adopted, self._adopted = self._adopted, plan
        if plan is not None and plan not in (before, adopted):
            events.append(PlanShown(plan=plan, headline=plan.recommendation.headline, changes=changes(before, plan),
                                    first=before is None))
        return events + self._ask_next()

    def _failure(self, error: InputError) -> Failure:
        field = error.place.field
        name = f"{field_name(field)}: " if field else ""
        return Failure(text=f"{name}{error.message}. Nothing was changed.", field=field)

    # -- questions ---------------------------------------------------------------------------------------

    def _repeat(self) -> list[Event]:
        return self._interviewer.repeat()

    def _back(self) -> list[Event]:
        events = self._interviewer.back(self.draft)
        self._history.ask(self.question.field if self.question else None)
        return events

    def _leave_open(self) -> list[Event]:
        asked = self._interviewer.asked
        if asked is None:
            return [Note(text="No question is open.")]
        if asked.required:
            return [Note(text="Without it nothing can be planned. Your best guess will do: it can be changed at any time."),
                    *self._repeat()]
        self._history.advance(self.draft.leave_open(asked.field))
        return [Understood(assumed=(f"left open; until it is known: {asked.if_not_sure}",) if asked.if_not_sure else ()),
                *self._ask_next()]

    # -- commands ----------------------------------------------------------------------------------------

    def _command(self, command: str) -> list[Event]:
        if command in PARTS:
            return self._with_plan_in_view(lambda plan: self._about.part(plan, command))
        if command == "plots":
            return self._with_plan_in_view(lambda plan: [Plots(plan=plan, scale=self.scaling.of(plan))])
        return {"back": self._back, "redo": self._redo, "restart": self._restart, "not-sure": self._leave_open,
                "keep": self._keep,
                "discard": self._discard, "facts": self._facts, "branches": self._list_branches, "quit": self._goodbye}[command]()

    def _facts(self) -> list[Event]:
        items = tuple(field_text(name, value, self.library.catalog) for name, value in self.draft.fields.items())
        return [Note(text="So far I know:" if items else "So far I know nothing about the job.", items=items), *self._repeat()]

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

    # -- variations, undo, branches ----------------------------------------------------------------------

    def _what_if(self, reading: Understanding, said: str) -> list[Event]:
        fields = varied_fields(reading, said, self.draft, self.library.catalog)
        if not fields:
            if reading.rest:
                return [Failure(text=f"I did not understand what to vary: \"{reading.rest}\".")]
            return self._with_plan_in_view(lambda plan: self._about.part(plan, "flips"))
        return self._with_plan(lambda plan: [self._vary(plan, fields, said, reading.rest)])

    def _vary(self, plan: Plan, fields: Mapping[str, Any], said: str, rest: str) -> Event:
        try:
            change = self.draft.with_fields(fields, said, self.library.catalog)
            varied = self._planned(change.draft)
        except InputError as error:
            return self._failure(error)
        understood = taken(self.draft, change, fields, self.library.catalog, rest=rest)
        self._varied = change.draft
        self.variation = VariationShown(what_if=said, fields=understood.fields, plan=varied,
                                        headline=varied.recommendation.headline, changes=changes(plan, varied))
        return self.variation

    def _keep(self) -> list[Event]:
        if self._varied is None or self.variation is None:
            return [Note(text="There is no variation to keep. Try one: what if we had 128 GPUs?"), *self._repeat()]
        kept = self.variation
        self._history.advance(self._varied)
        return [Understood(fields=kept.fields), *self._adopt(kept.plan)]

    def _discard(self) -> list[Event]:
        if self.variation is None:
            return [Note(text="There is no variation to drop."), *self._repeat()]
        dropped, self.variation, self._varied = self.variation, None, None
        return [Note(text=f"No longer tried: {in_words(dropped)}. The plan stays as it was."), *self._repeat()]

    def _undo(self, reading: Understanding | None = None, said: str = "") -> list[Event]:
        """The last thing that was done: a variation that is being tried, else the last fact that was said."""
        if self.variation is not None:
            return self._discard()
        undone = self._history.undo()
        if undone is None:
            return [Note(text="There is nothing to take back."), *self._repeat()]
        return [Note(text=f"Taken back: {self._difference(self.draft, undone)}."), *self._adopt(self._planned(self.draft))]

    def _redo(self) -> list[Event]:
        before = self.draft
        again = self._history.redo()
        if again is None:
            return [Note(text="Nothing was taken back."), *self._repeat()]
        return [Note(text=f"Again: {self._difference(before, again)}."), *self._adopt(self._planned(again))]

    def _difference(self, before: Draft, after: Draft) -> str:
        return difference(before, after, self.library.catalog)

    def _list_branches(self) -> list[Event]:
        branches = self._history.branches
        if not branches:
            return [Note(text="There is one line of answers only; a branch appears when you undo and go another way.")]
        items = tuple(f"branch {i}: {self._difference(self.draft, branch)}" for i, branch in enumerate(branches, start=1))
        return [Note(text="Say \"branch 1\" to go there. The line you leave is kept as a branch too.", items=items)]

    def _go_to_branch(self, number: int) -> list[Event]:
        branch = self._history.switch(number)
        if branch is None:
            return [Failure(text=f"There is no branch {number}; say \"branches\" to see which there are."), *self._repeat()]
        return [Note(text=f"Back on branch {number}."), *self._adopt(self._planned(branch))]

    def _restart(self) -> list[Event]:
        self._history.restart()
        self._interviewer.restart()
        self.plan = self.variation = self._varied = None
        return [Note(text="From the start. What you said before is kept as a branch."), *self._ask_next()]


def _of_the_size(found: SearchAnswer) -> bool:
    return found.computed is not None and found.computed.kind == "crossover"


def replay(conversation: Conversation, answers: Iterable[str]) -> Iterator[Event]:
    """Every event of a conversation in which ``answers`` are said one after the other."""
    yield from conversation.start()
    for answer in answers:
        yield from conversation.say(answer)
