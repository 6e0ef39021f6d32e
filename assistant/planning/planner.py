"""Questionnaire in, plan out.

words → questionnaire → candidates + predictions → facts → rules → findings → evidence → plan → words
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from assistant.library import Library
from assistant.model import architecture_of
from assistant.reasoning import Conclusion, Reasoner
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.questionnaire import Questionnaire

from . import assemble, choice, evidence, facts, flips, money, stale, verdicts
from .candidates import considered
from .design import bought_designs
from .entry import Entry
from .estimate import estimate_training
from .resolve import Resolved, resolve
from .serving import estimate_serving
from .sizes import sizes_of

SEARCH = "search"  # stands for: the index built for this library, if there is one


@dataclass(frozen=True)
class Decision:
    """What was computed and concluded for one questionnaire, before anything is looked up or told."""

    job: Resolved
    architecture: Any
    entries: list[Entry]
    conclusions: list[Conclusion]
    choice: choice.Choice


@dataclass(frozen=True)
class Begun:
    """A plan of which only the values at which it would turn are missing: working them out takes longer than all the rest."""

    plan: Plan
    made: Decision
    catalog: Catalog

    def finished(self) -> Plan:
        """The whole plan."""
        made = self.made
        found = flips.flips(made.job, made.architecture, made.entries, made.choice, self.catalog)
        return self.plan.model_copy(
            update={"recommendation": self.plan.recommendation.model_copy(update={"flips": found})}
        )


def plan(
    questionnaire: Questionnaire, library: Library, *, index: Any = SEARCH, today: datetime.date | None = None
) -> Plan:
    """The plan of a questionnaire whose ids are in the catalog.

    ``index`` is the search index for further evidence (by default the one built for this library, if there is one;
    ``None`` cites the rules' claims alone). ``today`` dates the prices. Raises :class:`InputError` for a job that
    cannot be split over its GPUs or priced.
    """
    return begun(questionnaire, library, index=index, today=today).finished()


def begun(
    questionnaire: Questionnaire, library: Library, *, index: Any = SEARCH, today: datetime.date | None = None
) -> Begun:
    """As :func:`plan`, for whoever shows the answer before it is known where it would turn."""
    made, catalog = decide(questionnaire, library, today=today), library.catalog
    index = _built_index(library) if index == SEARCH else index
    findings, found = evidence.findings_and_evidence(made.conclusions, library, index)
    return Begun(
        assemble.plan_of(
            made.job,
            made.entries,
            made.choice,
            findings,
            found,
            evidence.conflicts(made.conclusions, library),
            made.conclusions,
            catalog,
            searched=index is not None,
            more_warnings=stale.deciding_prices(made.job, made.entries, made.choice, catalog),
        ),
        made,
        catalog,
    )


def decide(questionnaire: Questionnaire, library: Library, *, today: datetime.date | None = None) -> Decision:
    """Every candidate computed, priced and judged, and the choice among them: a plan without evidence and flips.

    Raises :class:`InputError` as :func:`plan` does.
    """
    catalog = library.catalog
    job = resolve(questionnaire, catalog, lambda model: architecture_of(model).params)
    architecture = architecture_of(job.model)
    entries = [Entry(fabric) for fabric in considered(job, catalog)]
    (estimate_serving if job.serves else estimate_training)(entries, job, architecture, catalog)
    money.price(entries, job, catalog, bought_designs(entries, job, catalog), today)
    money.run(entries, job)
    choice.mark_ties(entries)
    told = [facts.candidate_facts(entry, job, entries) for entry in entries]
    conclusions, made = _judged(job, architecture, entries, told, library)
    if facts.other_split(made.chosen, entries):
        # The rules have spoken of a split that the choice does not run on: they look again, at its own.
        conclusions, made = _judged(job, architecture, entries, told, library, made.chosen)
    return Decision(job, architecture, entries, conclusions, made)


def _judged(
    job: Resolved,
    architecture: Any,
    entries: list[Entry],
    told: list[dict[str, Any]],
    library: Library,
    chosen: Entry | None = None,
) -> tuple[list[Conclusion], choice.Choice]:
    """What the rules conclude, and the choice that follows from it."""
    about_job = facts.job_facts(job, architecture, entries, sizes_of(job, architecture, entries), chosen)
    conclusions = reasoner(library).run(about_job, told)
    verdicts.apply(conclusions, entries)
    choice.mark_probabilities(entries)
    return conclusions, choice.choose(entries, job.questionnaire)


@lru_cache(maxsize=4)
def reasoner(library: Library) -> Reasoner:
    """The rules of a library, compiled once per process."""
    return Reasoner(library.rules.values())


def _built_index(library: Library) -> Any:
    """The search index if it was built for exactly this library; planning never builds one."""
    from assistant import retrieval

    return retrieval.built_index(library)
