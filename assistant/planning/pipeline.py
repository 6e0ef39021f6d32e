"""The one way from a questionnaire to a choice: job → candidates and predictions → money → facts → rules → choice.

Whoever wants the choice alone runs the same stages by another :class:`Strategy`; whoever wants a prediction, or a step
of the same job with one number changed, asks the :class:`Predictor`. What a stage works out is kept by everything that
it depends on, so that another price or another person costs a millisecond or two, and another job is worked out once.
"""

from __future__ import annotations

import datetime
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from assistant.library import Library
from assistant.market import Offered
from assistant.reasoning import Conclusion, Reasoner
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.questionnaire import Questionnaire
from assistant.vocabulary.rules import Rule

from . import choice, facts, money, power, sized, verdicts
from .budgets import average_over
from .candidates import sizes_let
from .choice import NEAR
from .design import Drawn, described, drawn_designs, not_as_described
from .entry import Entry, cheapest_of_each
from .fewer import largest, late, may_be_fewer, quickest, sizes_faster, sizes_paid, too_dear
from .limits import meets
from .outcome import Outcome, outcome_of
from .predictor import Predictor
from .resolve import Resolved, resolve
from .sizes import sizes_of
from .work import Work, of_days, said, without_limits

if TYPE_CHECKING:
    from .planner import Begun

MOST_OUTCOMES = 2000  # kept of what was tried: an interview tries some hundred questionnaires, flips some thirty more
MOST_DRAWN = 64  # clusters whose networks are kept, some hundred kilobytes each
MOST_LET = 16  # questionnaires whose candidates are kept, each on all terms of some dozen offers
SLOWER = 2  # sizes in turn that are slower than more GPUs and late: one alone may but divide badly


@dataclass(frozen=True)
class Strategy:
    """Which rules are run, and over which candidates: ``rounds`` is given all and those that can be used and keep what
    was asked, yields those to be judged next, and sees the verdicts of the rounds before. ``spoken``: whether what they
    conclude is put into sentences."""

    rules: Callable[[Mapping[str, Rule]], Iterable[Rule]]
    rounds: Callable[[list[Entry], list[Entry]], Iterator[list[Entry]]]
    spoken: bool = True


@dataclass(frozen=True)
class Decision:
    """What was computed and concluded for one questionnaire, before anything is looked up or told."""

    job: Resolved
    entries: list[Entry]
    conclusions: list[Conclusion]
    choice: choice.Choice
    today: datetime.date | None = None  # dates the prices
    asked: Questionnaire | None = None  # before the GPUs of a service were counted
    variants: list[Entry] = field(default_factory=list)  # every fabric on all terms on which it is let
    instead_of: Decision | None = None  # about all GPUs that were asked for, where the answer is for fewer
    work: Work | None = None  # that the run does

    @property
    def sooner(self) -> bool:
        """Whether the answer is for fewer GPUs because all of them, which are let, are slower."""
        asked = self.instead_of
        return asked is not None and any(e.usable for e in asked.entries) and late(asked.job, asked.entries)

    @property
    def cheaper(self) -> bool:
        """Whether the answer is for fewer GPUs because all of them, which are let and in time, cost more than may be
        spent."""
        return self.instead_of is not None and not self.sooner and any(e.usable for e in self.instead_of.entries)

    @property
    def kept_on_average(self) -> bool:
        """Whether something is chosen at a price with which the budget is kept on average too: of machines
        that may be taken away the middle sum may be within what the mean is beyond."""
        chosen = self.choice.chosen
        return chosen is not None and chosen.costed and average_over(chosen, self.job.questionnaire) is None


def _every_rule(rules: Mapping[str, Rule]) -> Iterable[Rule]:
    return rules.values()


def _all_together(entries: list[Entry], able: list[Entry]) -> Iterator[list[Entry]]:
    yield entries


def _deciding_rules(rules: Mapping[str, Rule]) -> Iterable[Rule]:
    """The rules that give verdicts or preferences, and those whose conclusions they read."""
    branches = [branch for rule in rules.values() for branch in rule.branches]
    wanted = {b.rule.id for b in branches if b.then.verdict or b.then.prefer is not None}
    while True:
        read = {name for b in branches if b.rule.id in wanted for name in (*b.when.finding, *b.when.without)}
        more = {b.rule.id for b in branches if b.then.name in read} - wanted
        if not more:
            return [rules[ident] for ident in sorted(wanted)]
        wanted |= more


def _contenders(entries: list[Entry], able: list[Entry]) -> Iterator[list[Entry]]:
    """What takes no network alone, and an owned fabric, then the cheapest and all whose cost is near, until one is
    acceptable: dearer ones lose whatever the rules say of them."""
    asked = choice.comparable(able)
    first = lambda e: e.considered.suffices or e.considered.owned
    asked += [e for e in able if first(e) and e not in asked]
    rest, best = sorted(asked, key=lambda e: (not e.considered.suffices, not first(e), e.ranked_cost)), float("inf")
    while rest and (best == float("inf") or rest[0].ranked_cost <= NEAR * best):
        near = sum(e.ranked_cost <= NEAR * min(best, rest[0].ranked_cost) for e in rest)
        count = 1 if first(rest[0]) else near
        judged, rest = rest[:count], rest[count:]
        yield judged
        if any(first(e) and e.verdict != "impossible" for e in judged):
            return  # it is taken, whatever else there is
        best = min((e.ranked_cost for e in judged if e.verdict == "acceptable"), default=best)


WHOLE = Strategy(_every_rule, _all_together)
CHOICE_ALONE = Strategy(_deciding_rules, _contenders, spoken=False)  # the same choice, and nothing said about it


AtOtherPrices = Callable[[Offered], Offered]  # what is offered, at other prices than the lists'


@dataclass(frozen=True)
class _Terms:
    """On what a decision rests beside the questionnaire: which rules are run, what is charged, and the work of the run
    where another decision has it already."""

    strategy: Strategy = WHOLE
    charging: AtOtherPrices | None = None
    work: Work | None = None


@dataclass
class _Let:
    """The candidates of a job: with their estimates, and once these are asked for with prices on all terms on which
    each is let, and run for some work at the prices of the lists."""

    job: Resolved
    estimated: list[Entry]
    priced: list[Entry] = field(default_factory=list)
    listed: tuple[float, list[Entry]] | None = None  # by the steps of the work


class Pipeline:
    """The stages over one library, with what they have worked out so far. ``today`` dates the prices."""

    def __init__(self, library: Library, today: datetime.date | None = None) -> None:
        self.library, self.catalog, self.today = library, library.catalog, today
        self.predictor = Predictor(library.catalog, today)
        self._designs: dict[Hashable, dict[str, Drawn]] = {}
        self._outcomes: dict[Hashable, Outcome] = {}
        self._offered: dict[Hashable, _Let] = {}  # of the latest questionnaires, the latest last
        self._works: dict[Hashable, Work] = {}
        self.plans: dict[Hashable, Begun] = {}  # what the planner made lately, the latest last

    def decide(
        self,
        questionnaire: Questionnaire,
        strategy: Strategy = WHOLE,
        *,
        charging: AtOtherPrices | None = None,
        work: Work | None = None,
        all_paid: bool = False,
    ) -> Decision:
        """Every candidate computed, priced and judged, and the choice among them: a plan without evidence and flips.

        ``charging``: what is offered, at other prices than the lists'. ``work``: that of another decision, beside which
        it is held. ``all_paid``: nothing is chosen where all GPUs cost more than may be spent, whatever fewer cost.
        Raises :class:`InputError` for a job that cannot be split over its GPUs or priced, and for a network
        that is decided and cannot be built as described.
        """
        asked = questionnaire
        questionnaire, left_open = sized.filled(questionnaire, self.predictor)
        questionnaire, spared = sized.needed(questionnaire, self.predictor)
        terms = _Terms(strategy, charging, work)
        made = self._decided(questionnaire, terms)
        if made.choice.chosen is None:
            made = (
                self._on_fewer(made, terms)
                or (None if all_paid else self._on_as_many_as_are_paid(made, terms))
                or self._without_a_price(made, strategy)
                or made
            )
        job, more = made.job, (*left_open, *spared)
        return replace(made, asked=asked, job=replace(job, assumptions=(*more, *job.assumptions)) if more else job)

    def _on_fewer(self, made: Decision, terms: _Terms) -> Decision | None:
        """The decision for the most GPUs that somebody lets together, where nobody lets all at a price: those beyond
        them would stand idle. Where all can be asked for, that is half of them at least, at a price. Where all are let
        and too slow, the decision for the most that keep every limit, as long as fewer are faster."""
        asked, fit = made.job.questionnaire, [e for e in made.entries if e.estimated is not None and e.estimate.fits]
        let = any(e.considered.sold is not False for e in fit)
        sizes = sizes_faster(made.job, made.entries) if let else sizes_let(made.job, self.catalog) if fit else []
        silent = not let and any(e.considered.offers for e in fit)
        hours, slower = max(quickest(made.entries), 24 * (asked.latest_days or 0.0)), 0
        for gpus in sizes:
            try:
                found = self._sized(made, gpus, terms)
            except InputError:  # what else was said does not divide so
                continue
            if not let and found.choice.chosen is None:
                found = self._on_as_many_as_are_paid(found, terms) or found
            chosen = found.choice.chosen
            if chosen is not None and (not silent or (chosen.costed and 2 * gpus >= made.job.gpus)):
                return replace(found, instead_of=made)
            slower = slower + 1 if let and quickest(found.entries) > hours else 0
            if slower == SLOWER:  # and still fewer are slower still
                return None
        return None

    def _on_as_many_as_are_paid(self, made: Decision, terms: _Terms) -> Decision | None:
        """The decision for the most GPUs that keep the budget too, where all are let and nothing but it is missed: who
        could have had fewer for the sum can have as many of more."""
        dear = too_dear(made.job, made.entries, made.variants) if may_be_fewer(made.job) else None
        if dear is None:
            return None

        def works(gpus: int) -> Decision | None:
            try:
                found = self._sized(made, gpus, replace(terms, strategy=CHOICE_ALONE))
            except InputError:  # what else was said does not divide so
                return None
            return found if found.kept_on_average else None

        found = largest(made.job, sizes_paid(made.job, dear[0]), works)
        if found is not None and terms.strategy is not CHOICE_ALONE:
            found = self._sized(made, found.job.gpus, terms)
        return None if found is None else replace(found, instead_of=made)

    def _without_a_price(self, made: Decision, strategy: Strategy) -> Decision | None:
        """The decision among the networks that somebody lets without telling a price, where nobody lets any at one."""
        if any(e.considered.sold is not False for e in made.entries if e.estimated is not None and e.estimate.fits):
            return None
        opened = [
            replace(e, considered=replace(e.considered, sold=None)) if e.considered.offers else e for e in made.variants
        ]
        found = self._chosen_among(opened, made.job, strategy)
        if found.choice.chosen is not None:
            return replace(found, work=made.work)
        for gpus in sizes_faster(made.job, found.entries):
            try:
                fewer = self._without_a_price(self._sized(made, gpus, _Terms(strategy)), strategy)
            except InputError:  # what else was said does not divide so
                continue
            if fewer is not None:
                return replace(fewer, instead_of=replace(found, work=made.work))
        return None

    def _sized(self, made: Decision, gpus: int, terms: _Terms) -> Decision:
        """The decision for another number of GPUs. Raises :class:`InputError` where what was said does not divide
        so."""
        asked = made.job.questionnaire
        fewer = asked.model_copy(update={"cluster": asked.cluster.model_copy(update={"gpus": gpus})})
        return self._decided(fewer, terms)

    def _work(self, of: _Let) -> Work:
        """What the run of a job does."""
        known = said(of.job)
        if known is not None:
            return known
        asked = without_limits(of.job.questionnaire)
        key = asked.model_dump_json(exclude_unset=True)
        if key not in self._works:
            there = of if asked is of.job.questionnaire else self._let(asked)

            def ran(work: Work) -> tuple[list[Entry], Callable[[], choice.Choice]]:
                entries = self._run(there, work)
                return each_once(
                    entries, there.job
                ), lambda: self._chosen_among(entries, there.job, CHOICE_ALONE).choice

            if len(self._works) >= MOST_OUTCOMES:
                self._works.clear()
            self._works[key] = of_days(there.job, there.estimated, partial(self._hours, there), ran)
        return self._works[key]

    def _decided(self, questionnaire: Questionnaire, terms: _Terms) -> Decision:
        there, charging = self._let(questionnaire), terms.charging
        work = terms.work or self._work(there)
        if charging and questionnaire.budget.mode == "rent" and questionnaire.cluster.sites == 1:
            entries = self._charged(there, charging, work)
        else:
            entries = self._run(there, work, charging)
        return replace(self._chosen_among(entries, there.job, terms.strategy), work=work)

    def _chosen_among(self, variants: list[Entry], job: Resolved, strategy: Strategy) -> Decision:
        """The decision among the fabrics on all terms on which they are let."""
        questionnaire, entries = job.questionnaire, each_once(variants, job)
        if strategy.spoken:
            choice.mark_ties(entries)
        about, rules = facts.Candidates(entries, job), reasoner(self.library, strategy)
        told = about.job_facts(sizes_of(job, about.likely), about.likely, rules.reads_of_job)
        made = self._judged(about, told, rules, strategy)
        chosen = made.choice.chosen
        if facts.told_of_another(chosen, about.likely):
            # The rules have spoken of a network or a split that was not chosen: they look again, at the choice.
            anew = about.job_facts(sizes_of(job, chosen), chosen, rules.reads_of_job)
            if strategy.spoken or rules.tells_apart(told, anew):
                made = self._judged(about, anew, rules, strategy)
        if strategy.spoken:
            choice.mark_probabilities(entries, questionnaire)
        return replace(made, variants=variants, today=self.today)

    def _let(self, questionnaire: Questionnaire) -> _Let:
        """The candidates of a questionnaire with their prices, kept as long as it is one of the latest: other work and
        other prices are tried on the same ones. What is kept is never filled in further."""
        key = _said(questionnaire)
        found = self._offered.pop(key, None)
        if found is None:
            job = resolve(questionnaire, self.catalog)
            entries = self.predictor.estimated(job)
            _as_described(entries, job, self.catalog)
            found = _Let(job, entries)
        self._offered[key] = found
        for oldest in list(self._offered)[:-MOST_LET]:
            self._offered.pop(oldest, None)
        return found

    def _run(self, there: _Let, work: Work, charging: AtOtherPrices | None = None) -> list[Entry]:
        """What each candidate takes and costs for the work, on all terms on which it is let."""
        if charging is None:
            return [entry.again() for entry in self._at_the_lists(there, work)]
        charged = [replace(e, considered=e.considered.charging(charging)) for e in there.estimated]
        entries = self.priced(charged, there.job)
        money.run(entries, there.job, self.catalog, work.steps)
        return entries

    def _at_the_lists(self, there: _Let, work: Work) -> list[Entry]:
        """What each candidate takes and costs at the prices of the lists, kept for the work that was asked for last:
        it is judged more than once, and prices are tried one after the other beside it."""
        if there.listed is None or there.listed[0] != work.steps:
            entries = [entry.again() for entry in self._with_prices(there)]
            money.run(entries, there.job, self.catalog, work.steps)
            there.listed = work.steps, [entry.settled() for entry in entries]
        return there.listed[1]

    def _with_prices(self, there: _Let) -> list[Entry]:
        there.priced = there.priced or money.stretch(self.priced(there.estimated, there.job))
        return there.priced

    def _hours(self, there: _Let, work: Work) -> list[tuple[float, Entry]]:
        """Hours at the median of the work on each network that can be had at a price, as it costs least."""
        priced = self._with_prices(there)
        if len({entry.id for entry in priced}) < len(priced):  # the cost of each tells on which terms it is taken
            priced = each_once(self._at_the_lists(there, work), there.job)
        return money.hours_at_a_price(priced, there.job, work.steps)

    def _charged(self, there: _Let, charging: AtOtherPrices, work: Work) -> list[Entry]:
        """:meth:`_run` of machines that are rented on one site."""
        listed = self._at_the_lists(there, work)
        return money.at_other_prices(listed, there.job, self.catalog, self.today, charging, work.steps)

    def ages_decide(self, job: Resolved) -> bool:
        """Whether what is chosen may depend on how old a list price is: spot machines are compared by what their price
        may have become, and a rule may ask for it."""
        rules = reasoner(self.library, CHOICE_ALONE)
        return job.questionnaire.budget.on_spot or bool(facts.AGES & (rules.reads | rules.reads_of_job))

    def outcome(
        self,
        questionnaire: Questionnaire,
        *,
        charging: AtOtherPrices | None = None,
        work: Work | None = None,
    ) -> Outcome:
        """What would be chosen, worked out once for equal questionnaires of one day: the answers to a question and the
        prices around an offer are tried again at every turn. ``work``: that of this questionnaire, where it is there
        already. ``charging`` and what is raised: as :meth:`decide`."""
        key = _said(questionnaire), charging, self.today or datetime.date.today()
        found = self._outcomes.get(key)
        if found is None:
            found = outcome_of(self.decide(questionnaire, CHOICE_ALONE, charging=charging, work=work))
            if len(self._outcomes) >= MOST_OUTCOMES:
                self._outcomes.clear()
            self._outcomes[key] = found
        return found

    def priced(self, entries: list[Entry], job: Resolved) -> list[Entry]:
        """The entries with their prices, each on all terms on which it is let, and the power where it counts."""
        computed = [e for e in entries if e.considered.computable]
        designs, bought = self._drawn(computed, job), job.questionnaire.budget.mode == "buy"
        found = money.priced(entries, job, self.catalog, designs if bought else {}, self.today)
        if designs:
            power.fill_in([e for e in found if e.priced is not None], job, self.catalog, designs)
        return found

    def _drawn(self, entries: list[Entry], job: Resolved) -> dict[str, Drawn]:
        """The networks of machines that are bought, or whose power is limited, drawn once for each cluster."""
        if job.questionnaire.budget.mode != "buy" and job.questionnaire.constraints.max_power_kw is None:
            return {}
        cluster, months = job.questionnaire.cluster.model_dump_json(), job.questionnaire.budget.amortization_months
        key = (
            cluster,
            job.gpus_per_node,
            months,
            tuple((e.id, e.considered.nics_per_node, e.considered.oversubscription) for e in entries),
        )
        if key not in self._designs:
            if len(self._designs) >= MOST_DRAWN:
                self._designs.clear()
            self._designs[key] = drawn_designs(entries, job, self.catalog)
        return self._designs[key]

    def _judged(self, about: facts.Candidates, told: dict[str, Any], rules: Reasoner, strategy: Strategy) -> Decision:
        """What the rules conclude, ``told`` so of the job, and the choice that follows from it."""
        entries, job, conclusions = about.entries, about.job, []
        verdicts.clear(entries)
        able = [e for e in entries if e.usable and meets(e, job.questionnaire)]
        for judged in strategy.rounds(entries, able):
            said = rules.run(told, [about.facts(e, rules.reads) for e in judged])
            verdicts.apply(said, judged)
            conclusions += said
        for outweighed in choice.advised(choice.comparable(able)):
            outweighed.verdict = "acceptable"
        return Decision(job, entries, conclusions, choice.choose(entries, job.questionnaire))


def each_once(variants: list[Entry], job: Resolved) -> list[Entry]:
    """Each network of a job on the terms on which it costs least."""
    return cheapest_of_each(variants, lambda entry: meets(entry, job.questionnaire))


def _said(questionnaire: Questionnaire) -> Hashable:
    """What equal questionnaires have in common."""
    said = questionnaire.model_dump_json(exclude_unset=True)
    return said, questionnaire.sized_by_load, questionnaire.converted


def _as_described(entries: list[Entry], job: Resolved, catalog: Catalog) -> None:
    """Refuses a description of the network that is decided where it cannot be built so."""
    if described(job):
        for entry in entries:
            refused = not_as_described(entry, job, catalog) if entry.considered.owned else None
            if refused is not None:
                raise refused


@lru_cache(maxsize=4)
def reasoner(library: Library, strategy: Strategy = WHOLE) -> Reasoner:
    """The rules of a library that a strategy runs, compiled once per process."""
    return Reasoner(strategy.rules(library.rules), spoken=strategy.spoken, names=library.catalog.names)


_lately: deque[Pipeline] = deque(maxlen=2)  # of this process


FIRST_DAY, LAST_DAY = datetime.date(2000, 1, 1), datetime.date(2199, 12, 31)  # that prices may be taken at


def pipeline_of(library: Library, today: datetime.date | None) -> Pipeline:
    """The pipeline of a library and a day, with what it has worked out for anybody in this process: what was tried for
    a question is there for the plan that follows. Raises :class:`InputError` for a day from which no run of a century
    ends in a calendar, or of which no price is."""
    if today is not None and not FIRST_DAY <= today <= LAST_DAY:
        raise InputError(f"expected a day from {FIRST_DAY} to {LAST_DAY}, got {today}", Place(field="today"))
    for one in tuple(_lately):
        if one.library is library and one.today == today:
            return one
    _lately.append(Pipeline(library, today))
    return _lately[-1]


def forget() -> None:
    """What was worked out is worked out anew, as in a process that has just begun."""
    _lately.clear()
