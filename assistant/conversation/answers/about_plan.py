"""Answers about a plan: why, why not, compare, flips, conflicts, help. Plans and readings in, events out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from assistant.present import figures
from assistant.present.plan import advice, assumptions, disagreement, flips, offers, proof, quotes, sources
from assistant.present.plan.reading import candidate, is_given
from assistant.vocabulary.answers import Understanding
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.utterance import Utterance

from ..events import Answer, Event, Failure, Note, PlanDetails
from ..searching import Searcher
from . import plan_answers
from .plan_answers import compared, explained, named, note

_HELP = (
    "Facts, several at once: 8 nodes of 8 H100, llama 3.1 70b, fsdp, 400G InfiniBand, $2.10/hr",
    "Corrections: no, 128 – actually make it B200 – not AWS – no InfiniBand",
    "not sure – leaves the question open; why do you ask; what would you take; back, or back to the budget",
    "undo and redo – take back, restore",
    "why – why not RoCE – what would flip it – which sources disagree – sources – assumptions – warnings",
    "how long, what does it cost, MFU, memory, which split, where does the time go, what are my options, can we do it "
    "in 2 weeks",
    "what if we had 128 GPUs – then keep it, or go on without it; branches",
    "dial GPUs – the answer at every number of them; also dial batch, dial price, dial months",
    "compare InfiniBand and RoCE – which offers are there",
    "CoreWeave offers NDR at $2.20, Lambda RoCE at $2.49 – which quote should we take – what is missing in the second "
    "– write the reply",
    "show the plan – plot – save as md, html, json or yaml, to a file if you name one – save the conversation",
    "copy the card – copy the plan – copy the yaml (or json, markdown)",
    "Any question about the field: what does SHARP do?",
    "facts – what I know so far; restart – from the beginning; quit",
)


_SECTIONS = {
    "flips": flips.answer,
    "conflicts": disagreement.answer,
    "sources": sources.answer,
    "warnings": advice.answer_warnings,
    "measure": advice.answer_measure_first,
    "offers": offers.answer,
    "quotes": quotes.answer,
    "reply": quotes.replies,
    **{f"quote-{number}": partial(quotes.open_points, number=number) for number in range(1, 5)},
    "ask-provider": advice.answer_ask_the_provider,
}
PARTS = ("show", "assumptions", *_SECTIONS)  # commands that show a part of the plan


class AboutPlan:
    """Answers about plans, for one catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def answer(self, plan: Plan, reading: Understanding, said: str, accepted: Plan | None = None) -> list[Event]:
        """What is asked about the plan: why, why not, compare. ``accepted``: the plan before, when this one is only
        tried."""
        if reading.intent == "why":
            return named(self._why(plan, reading, said), plan)
        why_not = reading.intent == "why-not"
        return named(self._why_not(plan, reading) if why_not else self._compare(plan, reading, accepted), plan)

    def part(self, plan: Plan, command: str) -> list[Event]:
        """The part of the plan that a command of :data:`PARTS` names."""
        if command == "show":
            return [PlanDetails(plan=plan)]
        if command == "assumptions":
            return [note(assumptions.answer(plan, self._catalog))]
        return named([note(_SECTIONS[command](plan))], plan)

    def of_topic(self, plan: Plan, topic: str, fabrics: Sequence[str]) -> list[Event]:
        """What is asked of the plan (``topics.yaml``), of the recommended network or of those named."""
        meant = list(dict.fromkeys(self.meant(plan, fabric) for fabric in fabrics))
        return named(plan_answers.answer(plan, topic, meant, self._catalog), plan)

    def _why(self, plan: Plan, reading: Understanding, said: str) -> list[Event]:
        """The proof of the answer, of one fabric's verdict or of one finding named by its rule."""
        rule = next((f.rule for f in plan.findings if f.rule in said), None)
        if rule:
            return [explained(proof.why_finding(plan, rule))]
        fabric = self.meant(plan, reading.fabrics[0]) if reading.fabrics else plan.recommendation.fabric
        recommended = fabric == plan.recommendation.fabric
        return [explained(proof.why(plan) if recommended else proof.why_fabric(plan, fabric))]

    def _why_not(self, plan: Plan, reading: Understanding) -> list[Event]:
        """Why a fabric was not taken; without a name, the runner-up."""
        asked_of = reading.fabrics or ([plan.recommendation.runner_up] if plan.recommendation.runner_up else [])
        if not asked_of:
            return [Failure(text=f"Which network do you mean? Candidates: {self._candidates(plan)}.")]
        return [self._against(plan, fabric) for fabric in dict.fromkeys(self.meant(plan, one) for one in asked_of)]

    def _against(self, plan: Plan, fabric: str) -> Event:
        if fabric != plan.recommendation.fabric or is_given(plan):
            return explained(proof.why_fabric(plan, fabric))
        how = '"why" shows the proof, "what would flip it" what would turn the answer.'
        best, beside = candidate(plan, fabric), ()
        priced = [c for c in plan.candidates if c is not best and c.step_time_s and c.cost_usd]
        other = min(priced, key=lambda c: c.median_cost, default=None)
        if best is not None and best.cost_usd and best.step_time_s and other is not None:
            costs = f"{figures.usd(best.median_cost)} against {figures.usd(other.median_cost)} on {other.fabric}"
            steps = f"{figures.seconds(best.median_step)} against {figures.seconds(other.median_step)}"
            beside = (f"It costs {costs}, the next best; a step takes {steps}.",)
        return Note(text=f"Nothing speaks against {fabric}: it is recommended. {how}", items=beside)

    def meant(self, plan: Plan, fabric: str) -> str:
        """The candidate a name stands for: that fabric, or the best of the same technology when it is no candidate."""
        if candidate(plan, fabric) is not None:
            return fabric
        technology = self._catalog.fabrics[fabric].technology
        same = [c for c in plan.candidates if self._catalog.fabrics[c.fabric].technology == technology]
        return max(same, key=lambda c: c.probability_best or 0.0).fabric if same else fabric

    def _compare(self, plan: Plan, reading: Understanding, accepted: Plan | None) -> list[Event]:
        """Two fabrics; one is compared with the recommended, none named: the recommended with the one of the accepted
        plan, else with the runner-up."""
        answer = plan.recommendation
        unknown = reading.rest.split(" … ")[0]
        if unknown and len(reading.fabrics) < 2:
            return [Failure(text=f'"{unknown}" is no network I know. Networks of this plan: {self._candidates(plan)}.')]
        meant = [self.meant(plan, f) for f in reading.fabrics]
        before = accepted.recommendation.fabric if accepted and not meant else answer.fabric
        before = before if candidate(plan, before) is not None else answer.fabric
        wanted = list(dict.fromkeys([*meant, before, answer.fabric, answer.runner_up or answer.fabric]))[:2]
        wanted = [f for f in wanted if candidate(plan, f) is not None]
        missing = [f for f in meant if candidate(plan, f) is None]
        if missing:
            return [Failure(text=f"{missing[0]} is no candidate for this job. Candidates: {self._candidates(plan)}.")]
        if len(wanted) < 2:
            return [Failure(text=f"Which two networks? Candidates: {self._candidates(plan)}.")]
        return [compared(plan, wanted[0], wanted[1], self._catalog)]

    def _candidates(self, plan: Plan) -> str:
        return ", ".join(c.fabric for c in plan.candidates if c.verdict != "impossible") or "none"

    def search(self, said: Utterance, searcher: Searcher | None) -> Event:
        """What the knowledge base says about a free question."""
        if searcher is None:
            note = "The search is not available here, so questions beyond the plan cannot be answered."
            return Answer(question=said.text, answer=None, note=note)
        try:
            found = searcher(said)
        except InputError as error:
            return Failure(text=f"{error}.")
        note = None if found.answered else "The knowledge base has no answer to that."
        return Answer(question=said.text, answer=found, note=note)

    def help(self) -> Note:
        return Note(text="You can say, in your own words:", items=_HELP)
