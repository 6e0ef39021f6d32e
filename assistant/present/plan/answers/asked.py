"""What a short answer is made from: the plan, what was asked, and the same job planned with something else."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Candidate, Plan
from assistant.vocabulary.quantities import compared
from assistant.vocabulary.utterance import Utterance

from ... import figures
from .. import reading

_TIMES = re.compile(r"(?<![\w.])(\d{1,3}(?:\.\d+)?)(?: ?x(?![\w])| times\b|[- ]?fold\b)")


@dataclass(frozen=True)
class Asked:
    """``fabrics`` are the candidates that were named; ``planned`` plans the job with some fields changed and raises
    :class:`InputError` where that cannot be; ``words`` are those that steer an answer (``words`` of followups.yaml);
    ``compared``: the kinds of GPU that the job names one beside another; ``networks``: those
    that it names; ``readings``: of a field of the job that was
    left in doubt every value that it may have."""

    plan: Plan
    catalog: Catalog
    said: Utterance
    fabrics: tuple[str, ...]
    planned: Callable[[Mapping[str, object]], Plan | None]
    today: datetime.date
    words: Mapping[str, Any] = field(default_factory=dict)
    compared: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    readings: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def best(self) -> Candidate | None:
        """The recommended network, where something works."""
        return None if self.plan.recommendation.verdict == "infeasible" else reading.chosen(self.plan)

    @property
    def run(self) -> tuple[str, str, str] | None:
        """How long a job that ends takes: in the middle, and the ends of eight of ten cases."""
        best = self.best
        if best is None or best.run_hours is None or not reading.ends(self.plan):
            return None
        quick, slow = reading.run_band(best)
        return figures.hours(best.run_hours), figures.hours(quick), figures.hours(slow)

    @property
    def buys(self) -> bool:
        return reading.asked(self.plan, "budget.mode") == "buy"

    @property
    def mixture(self) -> bool:
        """Whether the model has experts, as it was said or as the catalog has it."""
        named = self.plan.questionnaire.get("model")
        model = self.catalog.models.get(named) if isinstance(named, str) else None
        of_ones_own = ("model.experts", "model.active_params")
        return bool(model.experts) if model is not None else any(reading.asked(self.plan, one) for one in of_ones_own)

    @property
    def params(self) -> float | None:
        """The parameters of the model, as they were said or as the catalog has them."""
        named = self.plan.questionnaire.get("model")
        model = self.catalog.models.get(named) if isinstance(named, str) else None
        return reading.asked(self.plan, "model.params") or (model.params.si if model is not None else None)

    @property
    def text(self) -> str:
        return self.said.text.lower()

    def says(self, what: str) -> bool:
        """Whether the message has one of the words that stand under a name."""
        return any(re.search(rf"(?<![a-z]){re.escape(word)}", self.text) for word in self.words.get(what, ()))

    @property
    def times(self) -> float | None:
        """The factor that stands in a word ("doubles", "a third"); ``None`` where there is none."""
        told = sorted(self.words.get("times", {}).items(), key=lambda one: -len(one[0]))
        stands = lambda word: re.search(rf"(?<![a-z]){re.escape(word)}[sd]?(?![a-z])", self.text)
        found = next((factor for word, factor in told if stands(word)), None)
        as_number = _TIMES.search(self.text)  # "6x", "20 times", "8-fold", not the 8x22B of a name
        return float(as_number[1]) if as_number and float(as_number[1]) > 1 else found

    def instead(self, change: Mapping[str, Any], plan: Plan) -> Asked:
        """The same asked of the plan with some fields changed."""
        return replace(self, plan=plan, planned=lambda fields: self.planned({**change, **fields}))

    def tried(self, fields: Mapping[str, object]) -> Plan | None:
        """The plan with the fields, where there is one that works: on all its GPUs, unless the plan that is asked about
        is for fewer of them itself, as all of them cost more than may be spent."""
        try:
            made = self.planned(fields)
        except InputError:
            return None
        if made is None or made.recommendation.verdict == "infeasible":
            return None
        return made if self.plan.recommendation.what_fits or not made.recommendation.what_fits else None

    def meant(self, field: str) -> float | None:
        """The number of a field that the message names, surely or as the one thing that it may mean."""
        doubts = (one for one in self.said.doubts if one.field == field and len(one.meanings) == 1)
        value = self.said.fields.get(field, next((one.options[0] for one in doubts if one.options), None))
        return value if isinstance(value, int | float) else None

    def amounts(self, *kinds: str) -> list[float]:
        """The numbers of some kinds of quantity that the message has, in the order in which they stand."""
        return [float(a.value) for a in self.said.amounts if a.kind in kinds and isinstance(a.value, int | float)]

    @property
    def sellers(self) -> list[str]:
        """The providers that are named, by whatever is said of them: "he says just use RunPod" too."""
        known = self.said.named("provider")
        first = {one.name.split()[0].lower(): name for name, one in self.catalog.providers.items()}
        words = re.findall(r"[a-z][a-z.]{3,}", self.text)
        return list(dict.fromkeys([*known, *(first[word] for word in words if word in first)]))

    def name(self, fabric: str) -> str:
        """A network as people call it: without what only a catalog needs to say."""
        if fabric == "none":
            return "no network"
        return self.catalog.fabrics[fabric].name.partition(" (")[0].partition(",")[0].removeprefix("NVIDIA ")


def usable(asked: Asked) -> list[Candidate]:
    """The networks that were computed, fit and are not ruled out, the cheapest first."""
    able = [c for c in asked.plan.candidates if c.verdict != "impossible" and c.fits is not False and c.step_time_s]
    return sorted(able, key=lambda c: (c.median_cost, c.median_step))


def money(found: Candidate) -> str:
    """The cost of the run, or that none is known."""
    return "at no known price" if found.cost_usd is None else figures.usd(found.cost_usd.p50)


def slower(one: Candidate, other: Candidate) -> float:
    """Percent by which a step of one takes longer than of the other."""
    return 100 * (one.median_step / other.median_step - 1)


def lasts(percent: float, than: str = "") -> str:
    """How much longer a step takes, in words: ``12 % longer``; beside what ``than`` names ``2.2 times as long as on``
    it."""
    beside = f"longer{' than' if than else ''}"
    return compared(1.0 if abs(percent) < 0.5 else 1 + percent / 100, beside) + (f" on {than}" if than else "")
