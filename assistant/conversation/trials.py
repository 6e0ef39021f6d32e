"""What would be recommended if something else were said: the planner's own pipeline, asked for the choice alone."""

from __future__ import annotations

import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from assistant.library import Library
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.questionnaire import Questionnaire

if TYPE_CHECKING:
    from assistant.planning import Outcome, Pipeline


class Trying(Protocol):
    """What tries questionnaires of a catalog."""

    catalog: Catalog

    def tried(self, questionnaire: Questionnaire) -> Outcome:
        """What would be recommended. Raises :class:`InputError` for a job that cannot be split or priced."""
        ...


class Trials:
    """Tries questionnaires. ``today`` dates the prices. The planner is loaded with the first trial: a first question
    need not wait for it."""

    def __init__(self, library: Library, today: datetime.date | None = None) -> None:
        self.catalog, self._library, self._today = library.catalog, library, today

    @cached_property
    def _pipeline(self) -> Pipeline:
        from assistant.planning import pipeline_of

        return pipeline_of(self._library, self._today)

    def tried(self, questionnaire: Questionnaire) -> Outcome:
        """What would be recommended. Raises :class:`InputError` for a job that cannot be split or priced."""
        return self._pipeline.outcome(questionnaire)
