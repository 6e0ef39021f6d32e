"""Which candidate is recommended: cost decides where it can, rules where the error bands cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from assistant.vocabulary.added import added
from assistant.vocabulary.plan import CLOSE_PERCENT, TIE_PERCENT, Certainty, Verdict
from assistant.vocabulary.questionnaire import Questionnaire

from .entry import Entry
from .limits import cost_if_affordable, meets, too_dear_alone

# Two costs count as one when the medians differ by less than TIE_PERCENT, or when the worlds disagree this often about
# which is lower: below, a recommendation by cost alone would be noise dressed as a decision.
# The probability is what the rules' say is allowed to cost: over the 60 jobs of tests/interview_jobs.py a fifth lets
# them prefer a fabric that is 2.9 % dearer by the median at most, 0.23 % in the mean; with a tenth 4.9 % and 0.36 %,
# and five jobs of 60 end elsewhere; with 0.3 it is 1.5 % and 0.16 %, and two do.
TIE_PROBABILITY = 0.2
# What costs more than this many times the cheapest by the median is not chosen whatever the rules say, nor for an old
# price of it: of those 60 jobs' fabrics none that was chosen or tied was dearer than 1.03 times, and none beyond 1.05
# times the cheapest was cheaper in more than 8 % of the worlds. The rest is room for prices that drift.
NEAR = 1.25
SAME = 1e-6  # as a share: sums so near each other are one sum, as of a term that is paid whole however long the run is


Ground = Literal["nothing-crosses", "kept", "limits", "purchase", "rules", "unpriced", "alone", "cheapest"]
# How a network came to be the answer: it was chosen; a person named it for machines that are still to be rented or
# bought, or for theirs, which it has yet to join; it is in place.
Standing = Literal["chosen", "given", "in-place"]


@dataclass(frozen=True)
class Choice:
    """The verdict: the entry that is recommended (``None`` when nothing works), the runner-up, how sure we are."""

    chosen: Entry | None = None
    runner_up: Entry | None = None
    by_rules: bool = False  # a tie on cost that preferences decided
    by_purchase: bool = False  # one that was decided by what is to be bought
    coin_flip: bool = False
    standing: Standing = "chosen"
    rest: tuple[Entry, ...] = ()  # the others that it was chosen among, or kept before
    equal: tuple[Entry, ...] = ()  # among which the rules chose
    unadvised: Entry | None = None  # the cheapest of those that are advised against, where nothing else costs as little
    over_limits: tuple[Entry, ...] = ()  # what would run the job at a price and does not keep what was asked
    asked: Questionnaire | None = None  # what was asked
    unused: Entry | None = None  # the network that a person named, where nothing crosses any

    @property
    def kept(self) -> bool:
        """Whether nothing was chosen: the network was named."""
        return self.standing != "chosen"

    @cached_property
    def confidence(self) -> float:
        """Probability that the choice is the cheapest of those that came into question, or within a percent of it."""
        if self.chosen is None:
            return 0.0
        rest = (e.likely_cost for e in self.rest)
        costs = np.stack([self.chosen.likely_cost, *rest, *self._if_affordable.values()])
        return float(np.mean(self.chosen.likely_cost <= costs.min(axis=0) * (1 + TIE_PERCENT / 100)))

    @cached_property
    def _if_affordable(self) -> dict[str, np.ndarray]:
        """US dollars of what is held off by its list price alone, where what is agreed in the end keeps the budget."""
        if self.chosen is None or self.asked is None or not _competes(self.chosen):
            return {}
        return {e.id: cost_if_affordable(e, self.asked) for e in self.over_limits if too_dear_alone(e, self.asked)}

    @property
    def certainty(self) -> Certainty:
        """How clear it is."""
        return self._certainty[0]

    @property
    def tied(self) -> tuple[Entry, ...]:
        """Whose cost the error cannot tell from that of the choice, itself first."""
        return () if self.chosen is None else (self.chosen, *self._certainty[1])

    def even_with(self, entry: Entry) -> bool:
        """Whether a tied cost is as good as equal, or the rules had to choose between the two."""
        return self.chosen is not None and (entry in self.equal or _apart(entry, self.chosen) <= TIE_PERCENT / 100)

    @cached_property
    def _certainty(self) -> tuple[Certainty, list[Entry]]:
        """How clear the choice is, and what cannot be told from it. ``toss-up``: something else costs the same within
        :data:`TIE_PERCENT`, or is as often the cheaper one; ``close``: something else costs the same within
        :data:`CLOSE_PERCENT`, or is cheaper in more than :data:`TIE_PROBABILITY` of the worlds; ``clear``: nothing is,
        or a network that was given is clearly the dearer one. A tie is one by the sums that are told as well as by
        those that decide: what may be taken away is often the cheaper one, and no tie for that."""
        chosen = self.chosen
        if chosen is None:
            return "clear", []
        cheaper = {e.id: float(np.mean(e.likely_cost < chosen.likely_cost)) for e in self.rest}
        least = min(self.rest, key=lambda e: e.ranked_cost, default=None)
        apart = {e.id: _apart(e, chosen) for e in self.rest}
        if self.kept and least and apart[least.id] > TIE_PERCENT / 100 and cheaper[least.id] > 1 - TIE_PROBABILITY:
            return "clear", []  # it is clearly the dearer one, whatever else costs as much
        alike = [
            e
            for e in sorted(self.rest, key=lambda e: e.ranked_cost)
            if apart[e.id] <= (NEAR - 1 if e in self.equal else CLOSE_PERCENT / 100) and not beats(chosen, e)
        ]
        if any(apart[e.id] <= TIE_PERCENT / 100 or cheaper[e.id] >= 0.5 for e in alike):
            return "toss-up", alike
        agreed = (float(np.mean(cost < chosen.likely_cost)) for cost in self._if_affordable.values())
        unsure = [self.confidence, *cheaper.values(), *agreed]
        return ("close" if alike or any(TIE_PROBABILITY < p < 1 - TIE_PROBABILITY for p in unsure) else "clear"), alike

    def verdict_on(self, entry: Entry) -> Verdict:
        """The verdict on a network as it is told of what is let with it: of the one that is taken, be it the least bad,
        nobody is advised against it beside its recommendation."""
        taken = self.chosen is not None and entry.id == self.chosen.id
        return "acceptable" if taken and entry.verdict == "avoid" else entry.verdict

    @property
    def barred(self) -> list[Entry]:
        """What costs less and does not keep the limits."""
        least = self.chosen.ranked_cost if self.chosen and self.chosen.costed else 0.0
        return [e for e in self.over_limits if e.ranked_cost < least]

    @property
    def ground(self) -> Ground | None:
        """What decided; nothing where nothing was chosen."""
        if self.chosen is None:
            return None
        grounds: list[tuple[Ground, bool]] = [
            ("nothing-crosses", self.chosen.considered.fabric.technology == "none"),
            ("kept", self.kept),
            ("limits", bool(self.barred)),
            ("purchase", self.by_purchase),
            ("rules", self.by_rules),
            ("unpriced", not self.chosen.costed),
            ("alone", self.runner_up is None or not self.runner_up.costed),
            ("cheapest", True),
        ]
        return next(ground for ground, holds in grounds if holds)


def comparable(entries: Iterable[Entry]) -> list[Entry]:
    """Those with a cost in dollars; where none has a price all, as their GPU-hours compare."""
    some = list(entries)
    return [e for e in some if e.costed] or some


def mark_ties(entries: list[Entry]) -> None:
    """Note which costs the bands cannot tell from the cheapest."""
    usable = comparable(e for e in entries if e.usable and e.run_cost is not None)
    if not usable:
        return
    costs = np.stack([e.cost for e in usable])
    cheapest = min(usable, key=lambda e: e.ranked_cost)
    cheaper = np.mean(costs < cheapest.cost, axis=1).tolist()
    for entry, lower in zip(usable, cheaper, strict=True):
        near = entry.ranked_cost <= cheapest.ranked_cost * (1 + TIE_PERCENT / 100)
        entry.tie = entry is cheapest or near or (lower > TIE_PROBABILITY and not _incomparable(entry, cheapest))
    for entry in _up_to_the_dearest([e for e in usable if e.tie], usable):
        entry.tie = True


def _up_to_the_dearest(tied: list[Entry], others: list[Entry]) -> list[Entry]:
    """What ties, and what costs no more than that in the middle: of two networks dearer than the cheapest one may tie
    because its price moves apart from that of the cheapest, and the other, which costs less, would not. What may be
    taken away has no such middle."""
    most = max((e.ranked_cost for e in tied if not e.risky), default=0.0)
    return [e for e in others if any(e is one for one in tied) or (not e.risky and e.ranked_cost <= most)]


def _competes(entry: Entry) -> bool:
    """Whether other networks at a price are held beside it: it has one, and is a network."""
    return entry.costed and entry.considered.fabric.technology != "none"


def _shares_cheapest(costs: np.ndarray) -> list[float]:
    """In which share of the worlds each of some costs, (entries, worlds), is the least."""
    return (np.bincount(np.argmin(costs, axis=0), minlength=len(costs)) / costs.shape[1]).tolist()


def mark_probabilities(entries: list[Entry], questionnaire: Questionnaire) -> None:
    """Each one's probability of being the cheapest of those that came into question, once the rules have spoken: of
    those that keep what was asked, as far as any does, and where its price is one that keeps a budget what is held off
    by its list price alone."""
    able = [e for e in entries if e.usable and e.run_cost is not None and e.verdict != "impossible"]
    kept = [e for e in able if meets(e, questionnaire)]
    asked = _unbeaten(comparable([e for e in kept or able if e.verdict == "acceptable"] or kept or able))
    dear = _unbeaten([e for e in able if too_dear_alone(e, questionnaire)]) if kept and _competes(asked[0]) else []
    for entry in entries:
        entry.probability_best = None if entry.run_cost is None else 0.0
    if asked:
        costs = [*(e.likely_cost for e in asked), *(cost_if_affordable(e, questionnaire) for e in dear)]
        for entry, share in zip([*asked, *dear], _shares_cheapest(np.stack(costs)), strict=True):
            entry.probability_best = share


def choose(entries: list[Entry], questionnaire: Questionnaire) -> Choice:
    """The recommendation among what can be had, fits, is not ruled out and meets the constraints."""
    possible = [e for e in entries if e.usable and e.verdict != "impossible" and e.run_cost is not None]
    kept = [meets(e, questionnaire) for e in possible]
    over = tuple(e for e, keeps in zip(possible, kept, strict=True) if e.costed and not keeps)
    able = [e for e, keeps in zip(possible, kept, strict=True) if keeps]
    named: Standing = "in-place" if questionnaire.budget.network_there else "given"
    made = _chosen_of(able, named)
    needless = made.chosen is not None and made.chosen.considered.suffices
    unused = next((e for e in entries if needless and e.considered.owned and e is not made.chosen), None)
    return replace(made, over_limits=over, unused=unused, asked=questionnaire)


def _chosen_of(able: list[Entry], named: Standing) -> Choice:
    """``named``: how the network stands that a person named."""
    owned = next((e for e in able if e.considered.owned), None)
    nothing = next((e for e in able if e.considered.fabric.technology == "none"), None)
    if owned is not None and not (nothing is not None and nothing.considered.suffices):
        return _kept(owned, able, named)
    if nothing is not None:
        # It is a candidate only where nothing crosses nodes: then every fabric is paid for nothing.
        return Choice(nothing)
    priced = comparable(able)
    wanted = advised(priced) or priced
    if not wanted:
        return Choice()
    unbeaten = _unbeaten(wanted)
    cheapest = min(unbeaten, key=lambda e: e.ranked_cost)
    even = _up_to_the_dearest([e for e in unbeaten if e is cheapest or _indistinct(e, cheapest)], unbeaten)
    tied = _worth_buying(even)
    by_purchase = not any(e is cheapest for e in tied)
    chosen = max(tied, key=lambda e: (e.points, -e.ranked_cost))
    rest = [e for e in wanted if e is not chosen]
    runner_up = min(rest, key=lambda e: e.ranked_cost, default=None)
    second = max((e for e in tied if e is not chosen), key=lambda e: (e.points, -e.ranked_cost), default=None)
    # Among fabrics that are all to be avoided the least bad is named, and no coin is tossed.
    # Of three that cannot be told apart the cheapest may have lost by the rules: then the two that are left are no coin
    # flip.
    coin_flip = (
        second is not None
        and second.points == chosen.points
        and chosen.verdict == "acceptable"
        and cheapest in (chosen, second)
    )
    return Choice(
        *(chosen, second or runner_up, len(tied) > 1 and chosen is not cheapest and not by_purchase, by_purchase),
        coin_flip=coin_flip,
        rest=tuple(rest),
        equal=tuple(tied),
        unadvised=_unadvised(able, wanted),
    )


def _worth_buying(tied: list[Entry]) -> list[Entry]:
    """Of networks whose costs tie those that no other is as fast as and takes far less to buy: the tie counts on full
    use until all is written off, and what is paid at once is paid whatever comes of it. Beside what machines that
    are bought too cost, a network is little."""
    slower, capital = 1 + CLOSE_PERCENT / 100, [e.price.capital_usd or 0.0 for e in tied if e.costed]
    if len(capital) < len(tied) or not all(capital):
        return tied
    bought = list(zip(tied, capital, strict=True))
    return [
        e
        for e, usd in bought
        if not any(NEAR * less < usd and one.median_hours <= slower * e.median_hours for one, less in bought)
    ]


def _machine(entry: Entry) -> tuple[str, str] | None:
    """Whose machine it is that an entry has the price of; ``None`` where it is no offer's."""
    offered = entry.price.offered
    return (offered.provider, offered.offer.name) if offered else None


def beats(one: Entry, other: Entry) -> bool:
    """Whether it is had on the same machine as another for the same sum and is clearly faster: the rent is that of a
    term, or of a month, whatever joins the machines. Then nothing is left for a rule to decide."""
    machine = _machine(one)
    if (
        machine is None
        or machine != _machine(other)
        or abs(one.ranked_cost - other.ranked_cost) > SAME * other.ranked_cost
    ):
        return False
    hours = one.median_hours, other.median_hours
    alike = abs(hours[0] - hours[1]) <= SAME * hours[1]  # of a service without an end: then a token tells
    ours, theirs = (one.step, other.step) if alike else hours
    return ours * (1 + TIE_PERCENT / 100) < theirs


def _unbeaten(entries: list[Entry]) -> list[Entry]:
    by_machine: dict[object, list[Entry]] = {}
    for entry in entries:
        by_machine.setdefault(_machine(entry), []).append(entry)
    return [e for e in entries if not any(beats(other, e) for other in by_machine[_machine(e)] if other is not e)]


def advised(able: Iterable[Entry]) -> list[Entry]:
    """Those that no rule is against, and those whose saving outweighs what a rule has against them: a rule decides
    where costs cannot be told apart, or nearly where what it says is in no cost; it does not overrule a sum."""
    some = [e for e in able if e.verdict == "acceptable" or e.outweighed_by]
    firm = [e for e in some if not e.outweighed_by]
    saving = [e for e in some if e.outweighed_by and firm and all(_saves(e, other) for other in firm)]
    # What a saving outweighs is no objection to another that it is raised against alone: it is the cost that decides.
    outweighed = [set(e.reasons) for e in saving]
    return [e for e in some if not e.outweighed_by or any(set(e.reasons) <= rules for rules in outweighed)]


def _saves(entry: Entry, other: Entry) -> bool:
    """Whether it costs less than another by as much as outweighs what a rule has against it."""
    if entry.costed != other.costed or entry.ranked_cost >= other.ranked_cost or _indistinct(other, entry):
        return False
    return entry.outweighed_by == "any-saving" or other.ranked_cost > NEAR * entry.ranked_cost


def _unadvised(able: list[Entry], wanted: list[Entry]) -> Entry | None:
    others = [e for e in able if e not in wanted and e.costed]
    least = min(others, key=lambda e: e.ranked_cost, default=None)
    return least if least and all(least.ranked_cost < e.ranked_cost for e in wanted) else None


def _kept(owned: Entry, able: list[Entry], named: Standing) -> Choice:
    """A network that was named is taken unless the job cannot run on it."""
    rest = [e for e in able if e is not owned and e.verdict == "acceptable" and e.costed == owned.costed]
    cheapest = min(rest, key=lambda e: e.ranked_cost, default=None)
    tied = [e for e in rest if cheapest and (e is cheapest or _indistinct(e, cheapest))]
    best = max(tied, key=lambda e: (e.points, -e.ranked_cost), default=None)
    return Choice(owned, best, standing=named, rest=tuple(rest))


def _indistinct(entry: Entry, cheapest: Entry, probability: float = TIE_PROBABILITY) -> bool:
    near = entry.ranked_cost <= cheapest.ranked_cost * (1 + TIE_PERCENT / 100)
    if near or _incomparable(entry, cheapest):
        return near
    return bool(np.count_nonzero(entry.cost < cheapest.cost) > probability * len(entry.cost))


def tied_down_to(entry: Entry, other: Entry) -> float:
    """Down to which share of what ``entry`` costs another one may cost before the two no longer tie, if its cost in
    every world falls alike."""
    near = 1 / (1 + TIE_PERCENT / 100)
    if entry.risky:
        return near
    ratios = np.sort((entry.cost / entry.ranked_cost) / (other.cost / other.ranked_cost))
    return min(near, max(float(ratios[int(TIE_PROBABILITY * len(ratios))]), 1 / NEAR))


def _apart(entry: Entry, chosen: Entry) -> float:
    """How far two costs are apart, as a share: in the middle, which is told, or by what decides, whichever is more."""
    ratios = (entry.median_cost / chosen.median_cost, entry.ranked_cost / chosen.ranked_cost)
    return max(abs(ratio - 1) for ratio in ratios)


def _incomparable(entry: Entry, cheapest: Entry) -> bool:
    """Whether in how many worlds it is cheaper says nothing: its cost in the others is another matter, or it is far
    dearer in the middle, as where one day more is a week that is paid."""
    return entry.risky or entry.ranked_cost > NEAR * cheapest.ranked_cost


def clearly_other(entries: list[Entry], questionnaire: Questionnaire, chosen: str) -> Entry | None:
    """What would be chosen in place of ``chosen`` when that has left the tie for good; ``None`` while it is still in
    it.

    Half the probability of a tie is asked for: what only stirs a tie is no turn of the answer.
    """
    found = choose(entries, questionnaire).chosen
    if found is None or found.id == chosen:
        return None
    still = next((e for e in entries if e.id == chosen), None)
    cheapest = min((e for e in entries if e.verdict == found.verdict), key=lambda e: e.ranked_cost)
    if still is not None and meets(still, questionnaire) and _indistinct(still, cheapest, TIE_PROBABILITY / 2):
        return None
    return found


def choose_at(
    questionnaire: Questionnaire, able: list[Entry], chosen: Entry, prices: Callable[[Entry], tuple[float, float]]
) -> Entry | None:
    """What would clearly be chosen instead with other prices per GPU-hour (of the GPU, of the fabric)."""

    def priced(entry: Entry) -> Entry:
        return entry.scaled(added(prices(entry)) / (entry.price.gpu_total + entry.price.fabric_total))

    return clearly_other([priced(e) for e in able], questionnaire, chosen.id)
