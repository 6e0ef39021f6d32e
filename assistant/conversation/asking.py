"""What is asked of the plan at hand: its figures, whether a network is needed, what other facts would make of it."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable

from assistant.library import Library
from assistant.present.plan.quantities import given, in_time, value
from assistant.present.plan.reading import candidate, serves
from assistant.vocabulary.answers import Answer as SearchAnswer
from assistant.vocabulary.answers import Understanding
from assistant.vocabulary.plan import Plan

from .about_plan import AboutPlan
from .alternatives import alternatives, weighed
from .drafting import Drafting, Planner
from .events import Answer, Event, Failure, Note
from .plan_answers import at_hand, note
from .plan_questions import days_asked, topic_of, value_asked
from .searching import computed
from .taken import in_words
from .turns import Record

_MAY_VARY = ("ask", "what-if", "unclear")
_MAY_ASK_A_NUMBER = ("ask", "describe", "compare", "what-if", "unclear")
_OF_THE_RUN = re.compile(
    r"\b(?:it|this|that|run|job|training|pretraining|fine-?tuning|we|on|with|using|if)\b", re.IGNORECASE
)


class Asking(Drafting):
    """Questions of the plan, before the search is asked; they change nothing."""

    def __init__(
        self, library: Library, planner: Planner | None, record: Record | None, today: datetime.date | None
    ) -> None:
        super().__init__(library, planner, record, today)
        self._today = today
        self._about = AboutPlan(library.catalog)

    def _of_the_plan(self, reading: Understanding, said: str) -> list[Event] | None:
        """The answer to a question whose answer is a figure: of the plan at hand, computed, or of the plan with other facts."""
        if self.plan is None:
            return self._computed(reading, said)
        between = alternatives(
            said, self._varied or self.draft, self.library.catalog, self.question.field if self.question else None
        )
        if between:
            return self._with_plan_in_view(
                lambda plan: weighed(between, self._with_fields_planned, self.library.catalog, serves(plan))
            )
        new = {
            name
            for name, value in reading.fields.items()
            if name != "cluster.fabric" and self.draft.fields.get(name) != value
        }
        topic = topic_of(said, reading.fabrics, reading.rest if set(reading.fields) - {"cluster.fabric"} else None)
        if topic is not None and not new and not ("cluster.gpu" in reading.fields and not _OF_THE_RUN.search(said)):
            return self._of_topic(topic, reading, said)
        field = value_asked(said)
        if field is not None and topic is None:
            return self._with_plan_in_view(lambda plan: [note(value(plan, field, self.library.catalog))])
        days = days_asked(said, reading.fields)
        if days is not None:
            return self._with_plan_in_view(lambda plan: self._in_time(plan, days, said))
        found = self._computed(reading, said)
        if found is not None or topic is None or not new or reading.intent not in _MAY_VARY:
            return found
        return self._with_other_facts(reading, said, topic)

    def _of_topic(self, topic: str, reading: Understanding, said: str) -> list[Event]:
        if topic == "better":
            return self._of_what_is_tried()
        one_site = (
            self.draft.fields.get("cluster.sites") or 1
        ) == 1  # between sites there is another network than within
        needed = computed(said, self.library, self.draft.fields, self._today) if topic == "need" and one_site else None
        if needed is not None:
            return [Answer(question=said, answer=needed)]
        return self._with_plan_in_view(lambda plan: self._about.of_topic(plan, topic, reading.fabrics))

    def _of_what_is_tried(self) -> list[Event]:
        """Whether what is tried is better: what changes with it."""
        tried = self.variation
        if tried is None:
            return [
                Note(
                    text='Nothing is being tried. Say for example "what if 128 GPUs", or "compare RoCE and InfiniBand".'
                )
            ]
        return [Note(text=f"{in_words(tried)}, against the plan as it stands:", items=tried.changes)]

    def _with_other_facts(self, reading: Understanding, said: str, topic: str) -> list[Event]:
        """A question of the plan with facts of its own ("what would it cost on 128 GPUs"): they are tried, and it is asked of that."""
        varied = self._what_if(reading, said)
        tried = self.variation
        told = tried is None or tried not in varied or topic == "better"  # a variation says by itself what is better
        return varied if told else [*varied, *self._about.of_topic(tried.plan, topic, reading.fabrics)]

    def _in_time(self, plan: Plan, days: float, said: str) -> list[Event]:
        """Whether the run ends within so many days, and how many GPUs would end it."""
        if serves(plan):
            return self._about.of_topic(plan, "duration", ())
        from assistant.answering import gpus_for_days

        job = dict(self.draft.fields) | {"training.tokens": given(plan, "training.tokens")[0]}
        if plan.recommendation.fabric != "none":
            job.setdefault("cluster.fabric", plan.recommendation.fabric)
        sized = gpus_for_days(days, job, said, self.library, self._today)
        ends = note(in_time(plan, days, candidate(plan, at_hand(plan))))
        return [ends, *([Answer(question=said, answer=sized)] if sized is not None else [])]

    def _computed(self, reading: Understanding, said: str) -> list[Event] | None:
        """The answer to a question for a number, whatever else its words could mean; a plan has its own turning points, but
        not the size of cluster from which a network pays."""
        if reading.intent not in _MAY_ASK_A_NUMBER:
            return None
        found = computed(said, self.library, self.draft.fields, self._today)
        if found is None or (reading.intent == "what-if" and self.plan is not None and not _of_the_size(found)):
            return None
        return [Answer(question=said, answer=found)]

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


def _of_the_size(found: SearchAnswer) -> bool:
    return found.computed is not None and found.computed.kind == "crossover"
