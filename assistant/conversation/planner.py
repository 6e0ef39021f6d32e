"""What turns a questionnaire into a plan, loaded with the first one."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import TYPE_CHECKING

from assistant.library import Library
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.questionnaire import Questionnaire

if TYPE_CHECKING:
    from assistant.planning import Begun

# Returns the plan, or one that has yet to be finished: what is still missing then comes with the next question.
Planner = Callable[[Questionnaire, Library], "Plan | Begun"]


def plan_now(questionnaire: Questionnaire, library: Library) -> Begun:
    """A plan at today's prices."""
    from assistant.planning import begun

    return begun(questionnaire, library)


def dated_planner(today: datetime.date, *, searched: bool) -> Planner:
    """The planner with prices as of ``today``; without the search it cites the claims of the rules alone."""

    def make(questionnaire: Questionnaire, library: Library) -> Begun:
        from assistant.planning import begun

        if not searched:
            return begun(questionnaire, library, today=today, index=None)
        from assistant.retrieval import ready_index

        return begun(questionnaire, library, today=today, index=ready_index(library))

    return make
